/* SPDX-License-Identifier: MIT
 *
 * A model, ready to run: every slot of its family bound to a tensor whose shape
 * was checked against the config.  Weights stay where they are mapped; only
 * vectors (norms, biases) are decoded to floats. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/config.h"
#include "model/family.h"
#include "model/layer.h"
#include "nn/bias.h"
#include "nn/linear.h"
#include "weights/weights.h"

/* Kind and eps of a norm that differs from the family's. */
struct own_norm {
    enum norm_kind kind;
    double eps;
};

/* The parameter that a slot is bound to; weight NULL: none. */
struct param {
    const struct tensor *weight, *bias_tensor;
    int n_parts;                /* number of tensors like weight, one per head; 0: a single one */
    struct matrix matrix;       /* of tables and linears; of their first group */
    int n_groups;               /* groups of columns, each with its own matrix; 0: 1 */
    const struct own_norm *own; /* of norms that differ; NULL: as the family's */
    bool is_linear;             /* rounded by quantisation: see family_slot_is_linear */
    const float *vector;        /* [out] decoded norm or vector */
    const float *bias;          /* [out], or NULL */
};

struct expert {
    struct param gate, up, down;    /* gate without weight: up's outputs are gate, up, gate, ... */
};

/* One of several mlps of a layer, before its last one. */
struct former_mlp {
    struct param up, down, norm;
};

/* A convolution of a waveform. */
struct wave {
    struct param conv, norm;    /* norm without weight: none */
};

/* All that varies by layer, resolved once. */
struct layer_plan {
    struct param slot[N_SLOT];  /* slots that are per layer */
    struct expert *expert;      /* [experts]; NULL: a single mlp */
    struct former_mlp *former;  /* [n_mlps - 1]; NULL: none */
    enum mixer mixer;           /* in place of attention; MIXER_NONE: it attends */
    int lo, hi;                 /* row i sees keys i - lo .. i + hi; INT_MAX: all */
    float scale;                /* of q.k */
    int rope;                   /* index of its rotary table; -1: not rotated */
    bool tempered;              /* queries are scaled by their position: config.score */
    const float *distance, *cross_distance;     /* [n_distances, d] of W_DISTANCE, by
                                   growing query - key; NULL: none */
    const struct bias_grid *grid;       /* [H]; NULL: none */
    struct chunks chunks;       /* len 0: none */
    bool hashed;                /* chunks by LSH; keys are the queries */
    int hash_set;               /* index among the layers with LSH */
    int keys_of;                /* the layer whose keys and values it uses: itself, or an earlier
                                   one of its kind */
    bool gives_keys;            /* a later layer uses its keys and values */
    bool windowed;
    bool sparse;                /* gates become max(0, g - mean - cut deviation), in each row */
    float cut;
};

/*
 * A rotary table.  Texts of more than long_above tokens are rotated by long_inv_freq, if there is
 * one (longrope).
 */
struct rope_plan {
    const float *inv_freq, *long_inv_freq;      /* [width / 2]; NULL: none */
    int long_above;
    int first, width;           /* first and number of rotated columns of a head */
    enum rope_layout layout;
    float factor, long_factor;  /* on cosine and sine */
};

/* Offsets of heads in a row of projections, in floats. */
struct head_place {
    int width;                  /* floats of a row */
    int *q, *k, *v;             /* [H], [G], [G] */
    int *gate;                  /* [H] gates of heads' outputs; NULL: there are none */
    int *cross_k, *cross_v;     /* [G] in a row of the memory's keys, then values */
    /* rotated heads form n_runs runs of run_heads adjacent heads, at offsets run[n_runs] */
    int n_runs, run_heads;
    int *run;
};

/* Attention rows of one layer in a file. */
struct precomputed_layer {
    const struct tensor *rows;  /* [H, T, S]; NULL if the file does not have this layer */
    const struct tensor *single;        /* the same for one copy of each key, if keys count several
                                   times in the softmax (BigBird); else NULL */
    const struct tensor *sinks;         /* [H, T] weight of the model's attention sink, which is no
                                   key; NULL if it has none */
};

/* Precomputed attention: see precomputed.h. */
struct precomputed {
    const struct precomputed_layer *self, *cross;     /* [L]; NULL if the file has none */
    int n_queries, n_keys;      /* n_keys: keys of cross */
};

struct model {
    const char *name;           /* the card's, or hub_name of its path */
    const char *dir;            /* folder, or GGUF file, of its tokeniser; NULL: opened from
                                   memory */
    struct span config_json;    /* bytes of its config.json; data NULL if it has none */
    const struct family *family;
    struct config config;
    struct weights *weights;
    struct param slot[N_SLOT];  /* slots that are once per stack */
    struct param *stream_in, *stream_out;       /* [streams - 1]; NULL if there is one stream */
    struct layer_plan *layer;   /* [L] */
    struct wave *wave;          /* [front.wave.n]; NULL if it does not read samples */
    const float *tap_scale;     /* [front.conv_width] factors of W_POS_CONV's taps; NULL if none */
    struct rope_plan rope[2];   /* inv_freq NULL: none */
    struct bias_alibi *alibi;       /* [H]; NULL: none */
    struct bias_buckets *buckets;   /* [H]; NULL: none */
    struct head_place place;
    enum norm_place norm_place;      /* the family's, unless the config changes it */
    enum mlp mlp;               /* the same */
    struct model *decoder;      /* of an encoder-decoder; NULL if there is none */
    const struct precomputed *precomputed;  /* rows of attention in place of weights; NULL: the
                                               model has weights */
    int max_tokens;             /* longest text */
    int d_hidden, n_logits;     /* widths of final hidden states and of logits */
    int n_hashed;               /* number of layers with LSH */
    bool has_head;              /* logits can be computed */
    const char *head_lacks;     /* the first missing tensor of an incomplete output head; NULL if
                                   none */
    uint64_t hash;              /* FNV-1a of config, tensor names, shapes, sizes */
    int n_unused;
    const char **unused;        /* names of tensors that no slot uses */
    int n_missed;
    const char **missed;        /* those among them that are of layers, and not known to be unused
                                   */
    const char *note;           /* remarks for the user: assumptions about an ambiguous file, an
                                   adapter merged without a request; NULL if none */
    bool adapted;               /* an adapter is merged */
};

/*
 * Opens a Hugging Face folder, a .safetensors file beside its config.json, a
 * .gguf file (or a folder with one), or a built-in model: see builtin.h.
 * All memory is in arena a, and the model lasts as long as it does.
 *
 * Errors: those of weights_open and config_read; a tensor that is missing, has
 * the wrong shape or an unsupported type (name, found, expected).
 */
struct model *model_open(struct arena *a, const char *path, struct err *e);

/*
 * The same, with options of bare layers (layer.h): path may be a .safetensors or .npz file
 * whose tensors have such names, without regard to other files in its folder.
 *
 * Errors: also those of layer_describe; ERR_USAGE if any such option is given and path is not a
 * bare layer.
 */
struct model *model_open_layer(struct arena *a, const char *path,
                               const struct layer_asked *asked, struct err *e);

/* The files of a model in memory, borrowed. */
struct model_files {
    struct span weights;        /* safetensors, or GGUF */
    struct span config;         /* config.json; unused for GGUF; data NULL if absent */
    enum tower tower;           /* of a model of texts and pictures; TOWER_NONE: that of texts */
};

/* Opens them; name: for messages, and the model's name, unless its config has a card. */
struct model *model_open_memory(struct arena *a, const struct model_files *files,
                                const char *name, struct err *e);

/*
 * The same for open weights, which the model closes, even on an error; config data NULL: a bare
 * layer, with the options `asked`.
 */
struct model *model_open_weights(struct arena *a, struct weights *weights, struct span config,
                                 const struct layer_asked *asked, const char *name,
                                 struct err *e);

/*
 * A hash of model->hash, of the first and last 4 KiB of each tensor, and of the files of config and
 * tokeniser next to them (up to 16 MiB each): models with different hashes differ.  Errors: one of
 * those files cannot be read.
 */
int model_hash_data(const struct model *model, struct arena *a, uint64_t *hash, struct err *e);

/* The same for model->hash and the tensors alone, independent of the folder. */
uint64_t model_hash_weights(const struct model *model);

void model_close(struct model *model);          /* unmaps */

/* Whether layers have cross-attention: to an encoder's output, or a bare layer's memory. */
bool model_has_cross(const struct model *model);

/* Whether the model has this stack: its own, its decoder's, cross-attention. */
bool model_has_stack(const struct model *model, enum stack_id stack);

/*
 * Checks that shown, model or its decoder, has logits.  ERR_INPUT: it has no head, or an unknown
 * one, or tensors are missing (with its class, and the unused tensors).
 */
int model_check_head(const struct model *model, const struct model *shown, struct err *e);

/* Rows of logits for a text of T tokens: T, or 1 if the head has one output for the text. */
int model_head_rows(const struct model *model, int T);

/* Width of a layer's input per token: D, also for each of PLACE_REVERSIBLE's two streams; with
 * several streams (run/special/altup.h) that of all side by side. */
int model_stream_width(const struct model *model);

/* Width of the layers' output per token: D, or that of both streams of PLACE_REVERSIBLE. */
int model_end_width(const struct model *model);

/* Width of an attention's output per token: D, unless it is a bare attention, or of a narrower
 * stream. */
int model_attention_width(const struct model *model);

/* The last layer, at most this one, at which a pass can begin: not after a layer whose keys and
 * values later layers use. */
int model_resume_layer(const struct model *model, int layer);

/* Whether heads have attention sinks, logits of no key: rows of attention sum to less than 1. */
bool model_has_sinks(const struct model *model);

/* Whether layer l of any of its stacks has attention to show: not mixers, nor layers missing in a
 * file of precomputed rows. */
bool model_has_layer(const struct model *model, int l);

/* The first layer with attention, whose features all such layers share. */
const struct layer_plan *model_attending(const struct model *model);

/*
 * The name of the model at path when it is opened, from config.json alone: a folder with only a
 * tokeniser has a name, too.
 */
const char *model_name(struct arena *a, const char *path);

/*
 * Binds model->weights to the slots of model->family; model->config and model->name are set; fills
 * the rest of model.
 */
int model_bind(struct model *model, struct arena *a, struct err *e);

/*
 * Inverse frequencies of rotary positions, [width / 2]:
 *     f_i = theta^(-2 i / width), as float, then scaled:
 *     linear    f / factor
 *     llama3    f / factor for wavelengths over original / low, f below
 *               original / high, and a linear blend between
 *     yarn      f / factor where a wavelength fits less than beta_slow times into the
 *               original positions, f where more than beta_fast times, a ramp between
 *     longrope  f_i / short_factor_i, or long_factor_i (is_long)
 * Source: Su et al. 2021; Peng et al. 2023; transformers modeling_rope_utils.py
 */
void model_inv_freq(float *inv_freq, const struct rope *rope, int width, bool is_long);

#endif
