/* SPDX-License-Identifier: MIT
 *
 * config.json -> struct config.  One table of keys for all families: the first key of a row that
 * is present and not null counts, else the family's default, as in the reference library. */
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "model/head.h"
#include "nn/act.h"
#include "weights/quantised.h"

/* The towers of a model of texts and pictures (CLIP, SigLIP), each a model by itself. */
enum tower {
    TOWER_NONE,                         /* not such a model */
    TOWER_TEXT, TOWER_PICTURE, N_TOWER
};

enum rope_scaling { ROPE_DEFAULT, ROPE_LINEAR, ROPE_LLAMA3, ROPE_YARN, ROPE_LONG };

/* One way to rotate queries and keys by their positions. */
struct rope {
    double theta;
    enum rope_scaling scaling;
    double factor, low, high;           /* factor 0: absent */
    double beta_fast, beta_slow, mscale, mscale_all, attention_factor;  /* 0: absent */
    bool no_truncate;                   /* yarn: corrections are not rounded */
    int original;                       /* number of positions before scaling */
    double short_mscale, long_mscale;   /* longrope: replace attention_factor; 0: absent */
    int n_factors;                      /* longrope: length of each of the two lists */
    const float *short_factor, *long_factor;
};

enum layer_kind {
    LAYER_FULL, LAYER_WINDOW,
    LAYER_CHUNKS,                       /* chunks of adjacent tokens (Reformer, local) */
    LAYER_HASHED,                       /* chunks of tokens with equal hashes (Reformer, LSH); k is
                                           q, normed */
    LAYER_MIXER                         /* no attention: the family's mixer */
};

/* A row sees its own chunk of len tokens, and this many chunks before and after it; cyclic. */
struct chunks {
    int len, before, after;             /* len 0: no chunks */
};

/* The default choice of a text's global tokens. */
enum global_rule {
    GLOBAL_NONE,
    GLOBAL_FIRST,               /* the first token */
    GLOBAL_QUESTION,            /* tokens before the first of three separators */
    GLOBAL_ANSWER               /* tokens after the second of three separators */
};

/* The condition under which the reference library creates a bias, named after its config key. */
enum bias_rule {
    BIAS_USUAL,                 /* the default, if the family says nothing */
    BIAS_ALWAYS, BIAS_NEVER,
    BIAS_AS_STORED,             /* 0 if the file has none */
    BY_ATTENTION_BIAS, BY_MLP_BIAS, BY_NORM_BIAS, BY_CLASSIFIER_BIAS, BY_DECODER_BIAS,
    BY_QKV_BIAS, BY_USE_BIAS, BY_ENABLE_BIAS, BY_BIAS, BY_USE_QKV_BIAS,
    BY_LM_HEAD_BIAS, BY_CONV_BIAS,
    N_BIAS_RULE
};

enum { MOST_WAVES = 32 };       /* convolutions of a waveform */

struct id_list {
    int n;
    const int *id;              /* [n]; ids outside the vocabulary have no effect */
};

struct config {
    enum tower tower;                   /* which tower of a larger model it is */
    const char *whole;                  /* model_type of the larger model; NULL if there is none */
    int n_layers, n_heads, n_kv_heads;  /* L, H, G; G 0: as many as H */
    int d_model, d_head, d_ff;          /* D, d, F; d 0: D / H, F 0: 4 D */
    int d_value;                        /* width of a head's values; 0: d */
    int d_out;                          /* output width of a single bare attention; 0: D */
    int d_embed;                        /* E, width of the token embedding; 0: D */
    int n_vocab, n_positions, n_types;
    int n_boxes;                        /* coordinates on a page for boxes; 0: no boxes */
    int n_tasks;                        /* rows of W_TASK; 0: none */
    int pad_id;                         /* -1: none */
    enum act act;                       /* activation of the mlp */
    bool gated;                         /* the mlp is gated, if the family leaves it open */
    double part_scale;                  /* initial value of W_ATT_SCALE, W_MLP_SCALE; 0: there are
                                           none, if the family leaves it open */
    double mlp_ratio;                   /* F / D, if the family has such a key */
    struct {                            /* F becomes 2/3 F times factor, rounded up to multiples */
        int multiple;                   /* 0: F is unchanged */
        double factor;
    } adjust;
    bool scale_embedding;               /* tokens by sqrt D */
    bool trigrams;                      /* W_TOK_PROJ reads the next, this and the previous token */
    struct {                            /* bottlenecks (MobileBERT): attention and mlps of a layer
                                           work on a narrower stream */
        int d;                          /* its width; 0: no bottlenecks */
        bool all;                       /* queries, keys and values read the narrow stream */
        bool shared;                    /* else: queries and keys read W_READ's output; false: the
                                           stream between layers, as values do */
    } bottleneck;
    int n_mlps;                         /* mlps of a layer, one after the other; 0: 1 */
    int mlp_groups;                     /* groups of columns, each with its own linear; 0: 1 */
    int n_taps;                         /* rows in a window of ConvBERT's convolution; odd */
    struct {                            /* scalar factors; 0 stands for 1 */
        double tokens;                  /* on token embeddings */
        double branch;                  /* on outputs of attention and mlp */
        double depth;                   /* branch times sqrt L; 0: the family has branch */
    } multiplier;
    struct {                            /* ESM: embeddings of masked tokens are 0, others scaled */
        bool on;                        /* as if dropout had removed these */
        int mask_id;                    /* -1: none */
    } token_dropout;
    double clip_qkv;                    /* queries, keys, values are clamped to -c .. c; 0: not */
    bool is_decoder;                    /* an encoder that is masked like a decoder */
    bool both_ways;                     /* a decoder without mask, its window half on either side */
    const enum layer_kind *layer_kind;  /* [L] layer_types; NULL: not given */

    bool has_bias[N_BIAS_RULE];         /* values of the keys among these rules */
    struct {                            /* the decoder of an encoder-decoder */
        int n_layers, n_heads, d_ff;    /* 0: as the encoder */
        int n_vocab;                    /* 0: the same; if shares_vocab is false */
        int n_positions;                /* 0: the same */
        bool shares_vocab;              /* with the encoder, if the family leaves it open */
        int start_id;                   /* its first token; -1: none */
        const struct config *whole;     /* its own config, for layers without config.json; NULL:
                                           derived from this one */
    } decoder;
    struct {                            /* inputs of the first layer other than tokens */
        int n_mel;                      /* mel bins of a frame of sound */
        int n_channels;                 /* channels of a picture */
        bool positions;                 /* false: no W_POS, if the family leaves it open */
        int image[2], patch[2];         /* rows and columns of a picture, and of a patch */
        int conv_width, conv_groups;    /* window and groups of W_CONV, W_POS_CONV; 0: none */
        enum act conv_act;              /* its activation, and that of `wave` */
        struct {                        /* convolutions of a waveform */
            int n;                      /* 0: none */
            int channels[MOST_WAVES];   /* output channels */
            int width[MOST_WAVES], step[MOST_WAVES];    /* rows of a window; between windows */
            bool norms;                 /* each has a norm; false: only the first, by channel over
                                           all its rows */
            bool norm;                  /* the output of the last convolution is normed */
        } wave;
    } front;
    struct {                            /* the output head */
        double scale;                   /* of logits; 0: 1, or 1 / sqrt D by the config */
        double divisor;                 /* 1 / scale; 0: the family has no such key */
        int base_width;                 /* D scale; 0: the same */
        int d_in;                       /* input width of a head of V outputs; 0: E */
        double cap;                     /* soft cap c tanh(x / c); 0: none */
        bool untied;                    /* a missing head is not the embedding */
        bool one_number;                /* one output per token instead of V */
        const char *class_name;         /* from architectures; NULL if absent */
        const struct head_task *task;   /* task of the head; NULL: it predicts tokens, or there is
                                           no head; set by bind.c */
        int n_labels;                   /* labels of a classifier */
        const char **label;             /* [n_labels] each may be NULL; NULL: no names */
        enum head_scope pooled;         /* the scope of HEAD_BY_CONFIG */
        enum act pooler_act, classifier_act, summary_act;   /* N_ACT: none */
        int d_dense;                    /* width before a classifier; 0: D */
        int pad_id, eos_id;             /* -1: none */
    } head;
    struct id_list bos, eos;            /* bos_token_id, eos_token_id: one or several */
    struct {
        double eps;
        bool by_row;                    /* treat NORM_AFFINE of the family as NORM_LAYER */
        bool affine;                    /* false: norms have no weights, if the family leaves it
                                           open */
        bool no_final;
        bool first;                     /* false, if the family's default is true: PLACE_POST */
        bool parallel;                  /* false, if the family's default is true: PLACE_PRE */
        bool one;                       /* the mlp and attention read the same normed input */
        bool residual_from;             /* the residual is the normed input, not the input */
        bool qk;                        /* queries and keys are normed, if the family leaves it open
                                           */
        bool embedding;                 /* the same for the embedding */
    } norm;
    struct {                            /* factor of q.k before the softmax */
        bool scaled;                    /* 1 / sqrt d */
        bool by_layer;                  /* times 1 / (layer + 1) */
        double query_scalar;            /* 1 / sqrt of this instead of d; 0: d */
        double factor;                  /* this instead of these; 0: absent */
        double cap;                     /* soft cap c tanh(x / c); 0: none */
        bool tempered;                  /* queries at position i, in layers without rotation, times
                                           1 + slope ln(1 + floor((i + 1) / every)) */
        double slope;
        int every;                      /* 0: the family has none */
    } score;
    struct {                            /* added to scores */
        bool alibi;                     /* ALiBi instead of rotary positions */
        int n_buckets, max_distance;    /* of relative positions */
    } bias;
    struct {                            /* biases by distance on the grid of patches */
        bool shared, by_layer;          /* W_GRID, W_GRID_LAYER exist */
    } grid;
    struct {                            /* relative position embeddings (DeBERTa, XLNet) */
        bool on;                        /* false: the family's bias is switched off */
        int max, n_buckets;             /* as in the config; max below 1: n_positions; n_buckets
                                           below 1: no buckets, 0: the family has none */
        int span;                       /* the table has rows for -span .. span - 1 */
        bool c2p, p2c;                  /* terms query x position, and key x position */
        bool shared;                    /* positions are projected by W_Q and W_K */
        bool normed;                    /* positions are normed */
        bool input;                     /* false: no W_POS, if the family leaves it open */
        int clamp;                      /* longest distance of sinusoids; below 1: none */
        int n_distances;                /* rows of W_DISTANCE, odd; 0: none */
        bool clip;                      /* longer distances read the last rows, and products are
                                           scaled like scores; false: see layer.h */
    } relative;
    struct {
        int d_key, d_value;             /* input widths of W_CROSS_K and W_CROSS_V; 0: D */
        bool zero_key;                  /* a key and a value of zeros after all others */
    } cross;
    struct {                            /* sliding windows */
        int n_keys;                     /* most keys that a query sees; 0: all */
        bool both;                      /* half of the window on either side, itself included */
        bool used;                      /* false: the window is switched off */
        int from;                       /* layers below this see all */
        const int *by_layer;            /* [L] in place of n_keys; NULL: not given */
        int pattern;                    /* replaces the family's full_every or full_first; 0: not */
    } window;
    /*
     * Blocks of keys; 0: none.  In a text of more than (5 + 2 n_random) block tokens
     * the rows of a block see the first and the last block, their own and its two
     * neighbours, and the first counts 1 + n_random times; those of the first and the
     * last block see all, once.
     */
    struct {
        int block, n_random;
        enum global_rule rule;          /* the default choice of global tokens */
        int sep_id;                     /* id of the separator of that rule */
    } sparse;
    struct {
        struct rope rope[2];            /* of full layers; of windowed ones (theta 0: the same) */
        double share;                   /* fraction of d that is rotated, if the family has such a
                                           key */
        int n_columns;                  /* columns of a head that are rotated; 0: none */
        bool interleave;                /* false: ROPE_PAIRS families are ROPE_HALVES */
        bool instead;                   /* replaces the position table of a family that may_rotate
                                           */
        const bool *layer;              /* [L] layers that are rotated; NULL: not given */
        int off_every;                  /* ROPE_BY_LIST without a list: layer l is not rotated if
                                           (l + 1) % this == 0 */
    } rotary;
    struct {                            /* low-rank queries, keys and values */
        int q_rank, kv_rank;            /* q_rank 0: queries are not low-rank */
        int d_nope, d_rope;             /* columns of d that are not rotated, and that are */
    } latent;
    struct {                            /* layers that share weights */
        int n;                          /* 0: each layer has its own */
        int n_inner;                    /* layers of a group; n_layers counts all */
    } groups;
    struct {                            /* Falcon's three shapes */
        bool multi_query, new_decoder;
        int n_norms;                    /* 0: as many as the shape has */
    } falcon;
    struct {                            /* mixture of experts */
        int n, n_chosen, d_ff;          /* n 0: none; d_ff 0: F */
        bool renormalise;               /* weights of the chosen experts sum to 1 */
        int n_shared, d_shared;         /* shared experts, computed as one; its width, 0:
                                           n_shared d_ff */
        double jitter;                  /* of SCORE_SPARSEMIXER */
        double limit;                   /* gates are at most this, up outputs within +-this, and 1
                                           is added to the latter; 0: no limit, nothing added */
        double factor;                  /* on the chosen experts' sum; 0: 1 */
        int n_groups, n_chosen_groups;  /* n_groups 0: none */
        int first_layer;                /* layers below this have no experts */
        int step;                       /* layer l has experts if (l + 1) % this == 0 */
        const bool *dense_layer;        /* [L] layers without experts nevertheless; NULL: none */
    } experts;
    struct {                            /* several residual streams, see run/special/altup.h */
        int n, active;                  /* n 0: one stream; index of the one that layers update */
        bool scaled;                    /* W_INPUT_SCALE exists */
        int d_skip;                     /* rank of W_SKIP_DOWN */
        int d_input, n_vocab;           /* layers' own inputs: width, number of tokens */
        int n_shared;                   /* last layers, which reuse the keys and values of the last
                                           earlier layer of their kind */
        const double *sparsity;         /* [L] fraction of each gate that is 0; NULL: 0 */
    } streams;
    struct {                            /* layers without attention */
        int n_taps;                     /* tokens in the window of their convolution; 0: no such
                                           layers */
        int n_heads, n_key_heads;       /* MIXER_DELTA; value heads share key heads in groups */
        int d_key, d_value;
        int every;                      /* layer l attends if (l + 1) % this == 0, unless the config
                                           lists layers; 0: all attend */
    } mix;
    struct {                            /* adapters after each mlp, one per language (X-MOD) */
        const char *name;               /* language that is used; NULL: no adapters */
        bool assumed;                   /* not given: the first language */
        int d;                          /* width of the adapters */
        bool own_norm, mlp_norm;        /* their input has a norm of its own, or the mlp's; the
                                           former takes precedence */
        bool norm_first;                /* the residual is that normed input */
    } language;
    struct {                            /* attention in chunks; a text of more than
                                           pad_above tokens counts as padded to a multiple
                                           of pad_to; pad_to 0: no padding */
        struct chunks near, hashed;     /* of LAYER_CHUNKS, LAYER_HASHED */
        int pad_to, pad_above;
        int n_hashes;                   /* rounds of hashing */
        int n_factors;                  /* 0: buckets by the length of the text */
        const int *factor;              /* [n_factors], even; the product is the number
                                           of buckets */
        bool has_seed;
        int64_t seed;                   /* of the random rotations; 0 if not given */
    } chunked;
    struct {                            /* positions by row and column of a grid */
        bool on;
        int shape[2], width[2];         /* widths sum to D */
    } axial;
    struct quantisation quantisation;             /* of the weights in the file */
    struct {                            /* the card of a built-in model */
        const char *name, *text;        /* text: its default text; NULL for other models */
        const char *pair;               /* default text of an encoder-decoder's decoder */
        int layer;                      /* its default layer; -1 for other models */
    } card;
};

struct family;

/*
 * Reads the JSON in bytes; name: the file name, for messages.  *family: that of model_type.  Of a
 * model of texts and pictures only text_config is read (also for TOWER_NONE), or vision_config for
 * TOWER_PICTURE.
 *
 * Errors (ERR_INPUT): no JSON object; no model_type, or an unknown one (lists the known); a value
 * of the wrong type, negative, zero or out of range (key, found, expected); a value that is not
 * supported (a method of quantization_config, add_cross_attention, a rope type, an activation: each
 * by name).
 */
int config_read(struct config *config, const struct family **family, struct arena *a,
                struct span bytes, const char *name, enum tower tower, struct err *e);

/* Whether ROPE_BY_LIST rotates layer l. */
bool config_rotates(const struct config *config, int l);

/* The model's name in the card of a config.json; NULL if it has no card, or is not JSON. */
const char *config_card_name(struct arena *a, struct span bytes);

#endif
