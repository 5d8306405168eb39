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
#include "nn/nn.h"

enum rope_scaling { ROPE_DEFAULT, ROPE_LINEAR, ROPE_LLAMA3, ROPE_YARN, ROPE_LONG };

/* One way of turning queries and keys by their positions. */
struct rope {
    double theta;
    enum rope_scaling scaling;
    double factor, low, high;           /* factor 0: none given */
    double beta_fast, beta_slow, mscale, mscale_all, attention_factor;  /* 0: absent */
    bool no_truncate;                   /* yarn: corrections are not rounded */
    int original;                       /* positions before the scaling */
    int n_factors;                      /* longrope: of each of the two lists */
    const float *short_factor, *long_factor;
};

enum layer_kind {
    LAYER_FULL, LAYER_WINDOW,
    LAYER_CHUNKS,                       /* chunks of neighbours */
    LAYER_HASHED                        /* chunks of what hashes alike; k is q, normed */
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
    GLOBAL_ANSWER               /* those behind the second of three separators */
};

struct config {
    int n_layers, n_heads, n_kv_heads;  /* L, H, G; G 0: as many as H */
    int d_model, d_head, d_ff;          /* D, d, F; d 0: D / H, F 0: 4 D */
    int d_value;                        /* of a head's values; 0: d */
    int d_embed;                        /* E, width of the token embedding; 0: D */
    int n_vocab, n_positions, n_types;
    int dec_layers, dec_heads, dec_ff;  /* of the decoder; 0: as the encoder */
    int dec_vocab;                      /* the same, where one_vocab is false */
    bool one_vocab;                     /* of both stacks, where the family leaves it open */
    int dec_positions;                  /* the same */
    int n_mel;                          /* bins of a frame of sound */
    int n_channels;                     /* of a picture */
    int image[2], patch[2];             /* its rows and columns, and those of a patch */
    int n_labels;                       /* of a head on the first row */
    int start_id;                       /* the decoder's first token; -1: none */
    double logit_scale;                 /* of the logits; 0: 1, or 1 / sqrt D by the config */
    bool scale_embedding;               /* tokens by sqrt D */
    bool gated;                         /* the mlp, where the family leaves it open */
    bool untied;                        /* a head that is not there is not the embedding */
    bool head_is_one;                   /* the head gives one number a token */
    int pad_id;                         /* -1: none */
    double norm_eps;
    enum act act;
    bool both_ways;                     /* a decoder that is not masked, its window
                                           half on either side */
    bool is_decoder;                    /* an encoder that is masked like a decoder */
    bool norm_affine;                   /* false: norms have no weights, where the
                                           family leaves it open */
    bool no_final_norm;
    bool norm_first;                    /* false: PLACE_PRE families are PLACE_POST */
    bool parallel;                      /* false: PLACE_PARALLEL families are PLACE_PRE */
    bool scale_scores;                  /* by 1 / sqrt d */
    bool scale_by_layer;                /* also by 1 / (layer + 1) */
    double query_scalar;                /* by 1 / sqrt of this instead of d; 0: d */
    double score_cap, logit_cap;        /* c tanh(x / c); 0: none */
    bool residual_from_norm;            /* the sum takes up the normed input */
    bool alibi;                         /* instead of rotary positions */
    int n_buckets, max_distance;        /* of relative positions */
    /* distances that queries and keys look at */
    bool relative;                      /* false: the family's bias is switched off */
    int max_relative, position_buckets; /* as the keys say; below 1: by n_positions, none;
                                           position_buckets 0: the family has none */
    int span;                           /* rows are those of -span .. span - 1 */
    bool c2p, p2c;                      /* queries meet positions, keys meet them */
    bool share_positions;               /* positions go through W_Q and W_K */
    bool norm_positions;
    bool position_input;                /* false: no W_POS where the family leaves it open */
    int clamp;                          /* longest distance of sinusoids; below 1: none */
    int conv_width, conv_groups;        /* tokens of the convolution; 0: there is none */
    enum act conv_act;
    int n_distances;                    /* rows of W_DISTANCE, odd; 0: none */
    bool clip_distances;                /* longer ones are those at its ends, all scaled
                                           with the scores; false: see layer.h */
    int d_key_input, d_value_input;     /* of what W_CROSS_K and W_CROSS_V read; 0: D */
    /* windows */
    int window;                         /* keys a query sees at the most; 0: all */
    bool window_both;                   /* half of it on either side, itself too */
    bool use_window;                    /* false: the window is switched off */
    int window_from;                    /* layers below this see all */
    const int *layer_window;            /* [L] instead of window; NULL: not given */
    int pattern;                        /* the family's full_every or full_first; 0: its own */
    const enum layer_kind *layer_kind;  /* [L] layer_types; NULL: not given */
    enum global_rule global_rule;
    int sep_id;                         /* of the separator that the rule looks for */
    /*
     * Blocks of keys; 0: none.  In a text of more than (5 + 2 n_random) block tokens
     * the rows of a block see the first and the last block, their own and its two
     * neighbours, and the first counts 1 + n_random times; those of the first and the
     * last block see all, once.
     */
    int block, n_random;
    /* rotary positions: [0] of full layers, [1] of windowed ones (theta 0: as [0]) */
    struct rope rope[2];
    double rotary_share;                /* of d; 0: all */
    int n_rotary;                       /* columns that turn; 0: by the share */
    bool interleave;                    /* false: ROPE_PAIRS families are ROPE_HALVES */
    /* latent attention */
    int q_rank, kv_rank;                /* q_rank 0: queries have one projection */
    int d_nope, d_rope;                 /* columns of d that do not turn, that do */
    /* shared layers */
    int n_groups;                       /* 0: each layer has its own weights */
    int n_inner;                        /* layers of a group; n_layers counts them */
    /* falcon's three shapes */
    bool multi_query, new_decoder;
    int parallel_norms;                 /* 0: as many as the shape has */
    bool one_norm;                      /* the mlp reads what attention reads */
    /* experts */
    int n_experts, n_chosen, d_expert;  /* n_experts 0: none; d_expert 0: F */
    bool renormalise;                   /* the chosen experts' shares to sum 1 */
    int n_shared;                       /* experts that all rows go to, as one */
    double routed_factor;               /* on the chosen experts' sum; 0: 1 */
    int n_expert_groups, n_kept_groups; /* n_expert_groups 0: none */
    int first_sparse;                   /* layers below this have no experts */
    int sparse_step;                    /* layer l has experts if (l + 1) % this == 0 */
    const bool *dense_layer;            /* [L] those without all the same; NULL: none */
    /* attention in chunks: a text of more than pad_above tokens counts as padded to a
       multiple of pad_to, which is 0 where there are no chunks */
    struct chunks chunks, hash_chunks;  /* of LAYER_CHUNKS, LAYER_HASHED */
    int pad_to, pad_above;
    int n_hashes;                       /* rounds of hashing */
    int n_bucket_factors;               /* 0: buckets by the length of the text */
    const int *bucket_factor;           /* [n_bucket_factors], even; the product is
                                           the number of buckets */
    bool has_hash_seed;
    int64_t hash_seed;                  /* of the random rotations; 0 where it has none */
    bool axial;                         /* positions by row and column of a grid */
    int axial_shape[2], axial_width[2]; /* widths sum to D */
    /* what a model of this project says of itself; NULL and -1 elsewhere */
    const char *model_name, *default_text;
    int default_layer;
};

struct family;

/*
 * Reads the JSON in bytes; name is the file for messages.  *family is what
 * model_type says.
 *
 * Errors (ERR_INPUT): no JSON object; no model_type, or one that is not in the
 * table (lists those that are); a value of the wrong type, negative, zero or
 * beyond its range (key, found, wanted); a key that asks for something that is
 * not supported (quantization_config, add_cross_attention, a rope type, an
 * activation: each by name).
 */
int config_read(struct config *c, const struct family **family, struct arena *a,
                struct span bytes, const char *name, struct err *e);

#endif
