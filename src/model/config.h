/* SPDX-License-Identifier: MIT
 *
 * config.json -> numbers.  One table of keys for all families: the first key of
 * a row that is there and not null wins, else the family's default stands, as in
 * the reference library. */
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

/* The parts of a model of texts and pictures, each a model by itself. */
enum tower {
    TOWER_NONE,                         /* it is no such model */
    TOWER_TEXT, TOWER_PICTURE, N_TOWER
};

enum rope_scaling { ROPE_DEFAULT, ROPE_LINEAR, ROPE_LLAMA3, ROPE_YARN, ROPE_LONG };

/* One way to rotate queries and keys by their positions. */
struct rope {
    double theta;
    enum rope_scaling scaling;
    double factor, low, high;           /* factor 0: none given */
    double beta_fast, beta_slow, mscale, mscale_all, attention_factor;  /* 0: absent */
    bool no_truncate;                   /* yarn: corrections are not rounded */
    int original;                       /* positions before the scaling */
    double short_mscale, long_mscale;   /* longrope: instead of attention_factor; 0: absent */
    int n_factors;                      /* longrope: of each of the two lists */
    const float *short_factor, *long_factor;
};

enum layer_kind {
    LAYER_FULL, LAYER_WINDOW,
    LAYER_CHUNKS,                       /* chunks of neighbours */
    LAYER_HASHED,                       /* chunks of what hashes alike; k is q, normed */
    LAYER_MIXER                         /* it does not attend: the family's mixer */
};

/* A row sees its own chunk of len, so many before it and after it; cyclic. */
struct chunks {
    int len, before, after;             /* len 0: no chunks */
};

/* Which tokens of a text are global where nobody says. */
enum global_rule {
    GLOBAL_NONE,
    GLOBAL_FIRST,               /* the first token */
    GLOBAL_QUESTION,            /* those before the first of three separators */
    GLOBAL_ANSWER               /* those after the second of three separators */
};

/* When the reference library makes a bias: in the names of its keys. */
enum bias_rule {
    BIAS_USUAL,                 /* as it is where the family says nothing */
    BIAS_ALWAYS, BIAS_NEVER,
    BIAS_AS_STORED,             /* 0 where the file has none */
    BY_ATTENTION_BIAS, BY_MLP_BIAS, BY_NORM_BIAS, BY_CLASSIFIER_BIAS, BY_DECODER_BIAS,
    BY_QKV_BIAS, BY_USE_BIAS, BY_ENABLE_BIAS, BY_BIAS, BY_USE_QKV_BIAS,
    BY_LM_HEAD_BIAS, BY_CONV_BIAS,
    N_BIAS_RULE
};

enum { MOST_WAVES = 32 };       /* convolutions of a waveform */

struct id_list {
    int n;
    const int *id;              /* [n] those that are not in the vocabulary say nothing */
};

struct config {
    enum tower tower;                   /* which part of a larger model it is of */
    const char *whole;                  /* the model_type of that; NULL: it is whole itself */
    int n_layers, n_heads, n_kv_heads;  /* L, H, G; G 0: as many as H */
    int d_model, d_head, d_ff;          /* D, d, F; d 0: D / H, F 0: 4 D */
    int d_value;                        /* of a head's values; 0: d */
    int d_out;                          /* of what one attention alone gives; 0: D */
    int d_embed;                        /* E, width of the token embedding; 0: D */
    int n_vocab, n_positions, n_types;
    int n_boxes;                        /* places on a page that boxes have; 0: none */
    int n_tasks;                        /* rows of W_TASK; 0: none */
    int pad_id;                         /* -1: none */
    enum act act;
    bool gated;                         /* the mlp, where the family leaves it open */
    double part_scale;                  /* W_ATT_SCALE, W_MLP_SCALE began as this; 0: none is there,
                                           where the family leaves it open */
    double mlp_ratio;                   /* F / D, where the family has such a key */
    struct {                            /* F is two thirds of itself, times factor, in multiples
                                           of this */
        int multiple;                   /* 0: F is as it is */
        double factor;
    } adjust;
    bool scale_embedding;               /* tokens by sqrt D */
    bool trigrams;                      /* W_TOK_PROJ reads the next token, this, the one before */
    struct {                            /* layers whose attention and mlps add to a narrower
                                           stream */
        int d;                          /* its width; 0: they add to the stream itself */
        bool all;                       /* attention reads that stream, values too */
        bool shared;                    /* else queries and keys read W_READ's; false: the stream
                                           between layers, as values do */
    } bottleneck;
    int n_mlps;                         /* of a layer, one after the other; 0: 1 */
    int mlp_groups;                     /* of columns, each with a linear of its own; 0: 1 */
    int n_taps;                         /* rows that the convolution beside heads reads; odd */
    struct {                            /* 0: 1 */
        double tokens;                  /* their embeddings */
        double branch;                  /* what attention and mlp add */
        double depth;                   /* branch times sqrt L; 0: the family has branch */
    } multiplier;
    struct {                            /* rows of masks are 0, and all are scaled as if */
        bool on;                        /* that had dropped them */
        int mask_id;                    /* -1: none */
    } token_dropout;
    double clip_qkv;                    /* queries, keys and values lie within -c .. c; 0: none */
    bool is_decoder;                    /* an encoder that is masked like a decoder */
    bool both_ways;                     /* a decoder that is not masked, its window
                                           half on either side */
    const enum layer_kind *layer_kind;  /* [L] layer_types; NULL: not given */

    bool has_bias[N_BIAS_RULE];         /* of those that are keys */
    struct {                            /* an encoder-decoder's second stack */
        int n_layers, n_heads, d_ff;    /* 0: as the encoder */
        int n_vocab;                    /* the same, where shares_vocab is false */
        int n_positions;                /* the same */
        bool shares_vocab;              /* both stacks, where the family leaves it open */
        int start_id;                   /* its first token; -1: none */
        const struct config *whole;     /* of layers without a config; NULL: from this one */
    } decoder;
    struct {                            /* what the first layer reads besides tokens */
        int n_mel;                      /* bins of a frame of sound */
        int n_channels;                 /* of a picture */
        bool positions;                 /* false: no W_POS, where the family leaves it open */
        int image[2], patch[2];         /* its rows and columns, and those of a patch */
        int conv_width, conv_groups;    /* tokens of the convolution; 0: there is none */
        enum act conv_act;              /* of that, and of those of a waveform */
        struct {                        /* those: */
            int n;                      /* 0: none */
            int channels[MOST_WAVES];   /* that each gives */
            int width[MOST_WAVES], step[MOST_WAVES];    /* rows that it reads; to the next */
            bool norms;                 /* each is normed; false: the first, by channel over
                                           all its rows */
            bool norm;                  /* what the last one gives is normed */
        } wave;
    } front;
    struct {                            /* after the last layer */
        double scale;                   /* of logits; 0: 1, or 1 / sqrt D by the config */
        double divisor;                 /* 1 / scale; 0: the family has no such key */
        int base_width;                 /* D scale; 0: the same */
        int d_in;                       /* width that a head of V reads; 0: E */
        double cap;                     /* c tanh(x / c); 0: none */
        bool untied;                    /* an absent head is not the embedding */
        bool one_number;                /* per token, instead of V */
        const char *class_name;         /* of architectures; NULL: none */
        const struct head_task *task;   /* what the model's head does; NULL: it predicts
                                           tokens, or there is none; set by bind.c */
        int n_labels;                   /* of a classifier */
        const char **label;             /* [n_labels] each may be NULL; NULL: no names */
        enum head_scope pooled;         /* of HEAD_BY_CONFIG */
        enum act pooler_act, classifier_act, summary_act;   /* N_ACT: none */
        int d_dense;                    /* width before a classifier; 0: D */
        int pad_id, eos_id;             /* -1: none */
    } head;
    struct id_list bos, eos;            /* bos_token_id, eos_token_id: all of them */
    struct {
        double eps;
        bool by_row;                    /* NORM_AFFINE families are NORM_LAYER */
        bool affine;                    /* false: without weights, where the family
                                           leaves it open */
        bool no_final;
        bool first;                     /* false: PLACE_PRE families are PLACE_POST */
        bool parallel;                  /* false: PLACE_PARALLEL families are PLACE_PRE */
        bool one;                       /* the mlp reads what attention reads */
        bool residual_from;             /* the sum takes up the normed input */
        bool qk;                        /* queries and keys, where the family leaves it open */
        bool embedding;                 /* the same of the embedding */
    } norm;
    struct {                            /* q.k, before the softmax */
        bool scaled;                    /* by 1 / sqrt d */
        bool by_layer;                  /* also by 1 / (layer + 1) */
        double query_scalar;            /* by 1 / sqrt of this instead of d; 0: d */
        double factor;                  /* by this instead; 0: by the former */
        double cap;                     /* c tanh(x / c); 0: none */
        bool tempered;                  /* queries of layers that are not rotated, times
                                           1 + slope ln(1 + floor((i + 1) / every)) */
        double slope;
        int every;                      /* 0: the family has none */
    } score;
    struct {                            /* added to scores */
        bool alibi;                     /* instead of rotary positions */
        int n_buckets, max_distance;    /* of relative positions */
    } bias;
    struct {                            /* added by distance on the grid of patches */
        bool shared, by_layer;          /* W_GRID, W_GRID_LAYER are there */
    } grid;
    struct {                            /* distances that queries and keys look at */
        bool on;                        /* false: the family's bias is switched off */
        int max, n_buckets;             /* as the keys say; below 1: by n_positions, none;
                                           n_buckets 0: the family has none */
        int span;                       /* rows are those of -span .. span - 1 */
        bool c2p, p2c;                  /* queries meet positions, keys meet them */
        bool shared;                    /* positions go through W_Q and W_K */
        bool normed;                    /* positions are normed */
        bool input;                     /* false: no W_POS where the family leaves it open */
        int clamp;                      /* longest distance of sinusoids; below 1: none */
        int n_distances;                /* rows of W_DISTANCE, odd; 0: none */
        bool clip;                      /* longer ones are those at its ends, all scaled
                                           with the scores; false: see layer.h */
    } relative;
    struct {
        int d_key, d_value;             /* of what W_CROSS_K and W_CROSS_V read; 0: D */
        bool zero_key;                  /* a key and a value of zeros after all others */
    } cross;
    struct {
        int n_keys;                     /* keys a query sees at most; 0: all */
        bool both;                      /* half of it on either side, itself too */
        bool used;                      /* false: the window is switched off */
        int from;                       /* layers below this see all */
        const int *by_layer;            /* [L] instead of n_keys; NULL: not given */
        int pattern;                    /* the family's full_every or full_first; 0: its own */
    } window;
    /*
     * Blocks of keys; 0: none.  In a text of more than (5 + 2 n_random) block tokens
     * the rows of a block see the first and the last block, their own and its two
     * neighbours, and the first counts 1 + n_random times; those of the first and the
     * last block see all, once.
     */
    struct {
        int block, n_random;
        enum global_rule rule;          /* which tokens see all and are seen by all */
        int sep_id;                     /* of the separator that the rule looks for */
    } sparse;
    struct {
        struct rope rope[2];            /* of full layers; of windowed ones (theta 0: the
                                           same) */
        double share;                   /* of d that is rotated, where the family has such a
                                           key */
        int n_columns;                  /* that are rotated; 0: none */
        bool interleave;                /* false: ROPE_PAIRS families are ROPE_HALVES */
        bool instead;                   /* of the table of a family that may_rotate */
        const bool *layer;              /* [L] those that are rotated; NULL: not given */
        int off_every;                  /* ROPE_BY_LIST without a list */
    } rotary;
    struct {                            /* low-rank queries, keys and values */
        int q_rank, kv_rank;            /* q_rank 0: queries have one projection */
        int d_nope, d_rope;             /* columns of d that are not rotated, that are */
    } latent;
    struct {                            /* layers that share weights */
        int n;                          /* 0: each layer has its own */
        int n_inner;                    /* layers of a group; n_layers counts them */
    } groups;
    struct {                            /* its three shapes */
        bool multi_query, new_decoder;
        int n_norms;                    /* 0: as many as the shape has */
    } falcon;
    struct {
        int n, n_chosen, d_ff;          /* n 0: none; d_ff 0: F */
        bool renormalise;               /* the chosen experts' shares to sum 1 */
        int n_shared, d_shared;         /* experts that all rows go to, as one; its width, 0:
                                           n_shared d_ff */
        double jitter;                  /* of SCORE_SPARSEMIXER */
        double limit;                   /* gates lie below it, what they gate within it and then
                                           plus 1; 0: none, and no 1 */
        double factor;                  /* on the chosen experts' sum; 0: 1 */
        int n_groups, n_chosen_groups;  /* n_groups 0: none */
        int first_layer;                /* layers below this have no experts */
        int step;                       /* layer l has experts if (l + 1) % this == 0 */
        const bool *dense_layer;        /* [L] those without all the same; NULL: none */
    } experts;
    struct {                            /* residual streams that layers mix, see run/altup.h */
        int n, active;                  /* n 0: there is one; which of them a layer works on */
        bool scaled;                    /* W_INPUT_SCALE is there */
        int d_skip;                     /* rank of W_SKIP_DOWN */
        int d_input, n_vocab;           /* of the layers' own inputs: width, tokens */
        int n_shared;                   /* layers at the end without keys and values of their own:
                                           those of the last layer before them of their kind */
        const double *sparsity;         /* [L] share of each gate that is 0; NULL: 0 */
    } streams;
    struct {                            /* of layers that do not attend */
        int n_taps;                     /* tokens that their convolution reads; 0: there are no
                                           such layers */
        int n_heads, n_key_heads;       /* MIXER_DELTA; a head of keys serves as many others */
        int d_key, d_value;
        int every;                      /* layer l attends where (l + 1) % this == 0, unless the
                                           config says which; 0: all do */
    } mix;
    struct {                            /* adapters after each mlp, one for each language */
        const char *name;               /* whose is read; NULL: there are none */
        bool assumed;                   /* nothing says which: the first */
        int d;                          /* their width */
        bool own_norm, mlp_norm;        /* they read what a norm of theirs gives, or the mlp's;
                                           the former goes before */
        bool norm_first;                /* and add to that */
    } language;
    struct {                            /* attention in chunks; a text of more than
                                           pad_above tokens counts as padded to a multiple
                                           of pad_to, which is 0 where there are none */
        struct chunks near, hashed;     /* of LAYER_CHUNKS, LAYER_HASHED */
        int pad_to, pad_above;
        int n_hashes;                   /* rounds of hashing */
        int n_factors;                  /* 0: buckets by the length of the text */
        const int *factor;              /* [n_factors], even; the product is the number
                                           of buckets */
        bool has_seed;
        int64_t seed;                   /* of the random rotations; 0 where it has none */
    } chunked;
    struct {                            /* positions by row and column of a grid */
        bool on;
        int shape[2], width[2];         /* widths sum to D */
    } axial;
    struct quantisation quantisation;             /* of the weights in the file */
    struct {                            /* what a model of this project says of itself */
        const char *name, *text;        /* text: the default one; NULL elsewhere */
        const char *pair;               /* the same of an encoder-decoder's decoder */
        int layer;                      /* the default one; -1 elsewhere */
    } card;
};

struct family;

/*
 * Reads the JSON in bytes; name is the file for messages.  *family is what
 * model_type says.  Of a model of texts and pictures only text_config is read, or
 * vision_config for TOWER_PICTURE; TOWER_NONE: the former.
 *
 * Errors (ERR_INPUT): no JSON object; no model_type, or one that is not in the
 * table (lists those that are); a value of the wrong type, negative, zero or
 * beyond its range (key, found, wanted); a key that asks for something that is
 * not supported (a method of quantization_config, add_cross_attention, a rope type, an
 * activation: each by name).
 */
int config_read(struct config *c, const struct family **family, struct arena *a,
                struct span bytes, const char *name, enum tower tower, struct err *e);

/* ROPE_BY_LIST rotates layer l. */
bool config_rotates(const struct config *c, int l);

/* The name that the card in a config.json gives its model; NULL: it has none, or is not JSON. */
const char *config_card_name(struct arena *a, struct span bytes);

#endif
