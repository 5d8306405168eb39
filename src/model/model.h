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

/* How a norm norms that does so in another way than its family's. */
struct own_norm {
    enum norm_kind kind;
    double eps;
};

/* What a slot is bound to; weight NULL: nothing. */
struct param {
    const struct tensor *weight, *bias_tensor;
    int n_parts;                /* tensors like weight, one for each head; 0: it is alone */
    struct matrix matrix;       /* of tables and linears; of the first of their groups */
    int n_groups;               /* of columns, each with a matrix of its own; 0: 1 */
    const struct own_norm *own; /* of norms; NULL: as the family's */
    bool is_linear;             /* what quantisation rounds: see family_slot_is_linear */
    const float *vector;        /* [out] of norms and vectors */
    const float *bias;          /* [out], or NULL */
};

struct expert {
    struct param gate, up, down;    /* gate without a weight: up's outputs are gate, up, ... */
};

/* An mlp of a layer, before its last one. */
struct former_mlp {
    struct param up, down, norm;
};

/* A convolution of a waveform. */
struct wave {
    struct param conv, norm;    /* norm without a weight: none */
};

/* All that varies by layer, resolved once. */
struct layer_plan {
    struct param slot[N_SLOT];  /* those that are per layer */
    struct expert *expert;      /* [experts]; NULL: one mlp */
    struct former_mlp *former;  /* [n_mlps - 1]; NULL: none */
    enum mixer mixer;           /* instead of attention; MIXER_NONE: it attends */
    int lo, hi;                 /* row i sees keys i - lo .. i + hi; INT_MAX: all */
    float scale;                /* of q.k */
    int rope;                   /* index of its rotary table; -1: not rotated */
    bool tempered;              /* queries grow with their position: config.score */
    const float *distance, *cross_distance;     /* [n_distances, d] of W_DISTANCE, by
                                   growing query - key; NULL: none */
    const struct bias_grid *grid;       /* [H]; NULL: none */
    struct chunks chunks;       /* len 0: none */
    bool hashed;                /* chunks of what hashes alike; keys are the queries */
    int hash_set;               /* its place among the layers that hash */
    int keys_of;                /* the layer whose keys and values it attends to: its own, or an
                                   earlier one of its kind */
    bool gives_keys;            /* a later layer attends to its */
    bool windowed;
    bool sparse;                /* gates are max(0, g - mean - cut deviation) of each row */
    float cut;
};

/*
 * A rotary table.  Texts of more than long_above tokens are rotated by long_inv_freq,
 * where there is one (longrope).
 */
struct rope_plan {
    const float *inv_freq, *long_inv_freq;      /* [width / 2]; NULL: none */
    int long_above;
    int first, width;           /* columns of a head that are rotated */
    enum rope_layout layout;
    float factor, long_factor;  /* on cosine and sine */
};

/* Where head h of a row of projections lies, in floats from the row's start. */
struct head_place {
    int width;                  /* of the row */
    int *q, *k, *v;             /* [H], [G], [G] */
    int *gate;                  /* [H] of the head's output; NULL: there are none */
    int *cross_k, *cross_v;     /* [G] in a row of the memory's keys, then values */
    /* heads that are rotated lie in n_runs runs of run_heads, which begin at run[n_runs] */
    int n_runs, run_heads;
    int *run;
};

/* Rows of one layer's attention, as a file holds them. */
struct precomputed_layer {
    const struct tensor *rows;  /* [H, T, S]; NULL: the file does not hold this layer */
    const struct tensor *single;        /* the same of one copy of each key, where keys
                                   stand in the softmax several times; NULL: they do not */
    const struct tensor *sinks;         /* [H, T] what a sink took that is not a key; NULL: it has
                                   none */
};

/* Precomputed attention: see precomputed.h. */
struct precomputed {
    const struct precomputed_layer *self, *cross;     /* [L]; NULL: the file holds none */
    int n_queries, n_keys;      /* keys of cross */
};

struct model {
    const char *name;           /* the card's, or hub_name of its path */
    const char *dir;            /* where its tokeniser lies: a folder, a GGUF file;
                                   NULL: it was opened from memory */
    struct span config_json;    /* its config.json, where it was; data NULL: none */
    const struct family *family;
    struct config config;
    struct weights *weights;
    struct param slot[N_SLOT];  /* those that are once per stack */
    struct param *stream_in, *stream_out;       /* [streams - 1]; NULL: there is one stream */
    struct layer_plan *layer;   /* [L] */
    struct wave *wave;          /* [front.wave.n]; NULL: it reads no samples */
    const float *tap_scale;     /* [front.conv_width] of W_POS_CONV; NULL: there is none */
    struct rope_plan rope[2];   /* inv_freq NULL: none */
    struct bias_alibi *alibi;       /* [H]; NULL: none */
    struct bias_buckets *buckets;   /* [H]; NULL: none */
    struct head_place place;
    enum norm_place norm_place;      /* the family's, as the config changes it */
    enum mlp mlp;               /* the same */
    struct model *decoder;      /* of an encoder-decoder; NULL: there is none */
    const struct precomputed *precomputed;  /* rows of attention instead of weights; NULL:
                                               computed from weights */
    int max_tokens;             /* of a text */
    int d_hidden, n_logits;     /* numbers a token that the pass ends with */
    int n_hashed;               /* layers that hash */
    bool has_head;              /* logits can be computed */
    const char *head_lacks;     /* the first tensor that is missing of a head that is there in
                                   part; NULL: none */
    uint64_t hash;              /* FNV-1a of config, tensor names, shapes, sizes */
    int n_unused;
    const char **unused;        /* tensors that no slot took, by name */
    int n_missed;
    const char **missed;        /* those of them that are of layers, and not known to be spare */
    const char *note;           /* what was decided where a file leaves it open, or merged
                                   though nobody asked for it; NULL: nothing */
    bool adapted;               /* an adapter is merged */
};

/*
 * Opens a Hugging Face folder, a .safetensors file beside its config.json, a
 * .gguf file (or a folder with one), or a built-in model: see builtin.h.
 * All memory is of a, and the model lives as long as it does.
 *
 * Errors: those of weights_open and config_read; a tensor that is missing, has
 * the wrong shape or a type that holds no weights (named, found, wanted).
 */
struct model *model_open(struct arena *a, const char *path, struct err *e);

/*
 * The same, with what the command line says of a bare layer (layer.h): a .safetensors or
 * .npz file whose tensors have such names, whatever lies beside it.
 *
 * Errors: also those of layer_describe; ERR_USAGE where anything is asked for and path is
 * no bare layer.
 */
struct model *model_open_layer(struct arena *a, const char *path,
                               const struct layer_asked *asked, struct err *e);

/* The files of a model as bytes, which are borrowed. */
struct model_files {
    struct span weights;        /* safetensors, or GGUF */
    struct span config;         /* of config.json; unused for GGUF; data NULL: none */
    enum tower tower;           /* of a model of texts and pictures; TOWER_NONE: that of texts */
};

/* Opens these; name is the model's, unless its config has a card, and that of messages. */
struct model *model_open_memory(struct arena *a, const struct model_files *files,
                                const char *name, struct err *e);

/*
 * The same of weights that are open, which the model closes, also where there is none; config
 * data NULL: they are a bare layer, of which asked says more.
 */
struct model *model_open_weights(struct arena *a, struct weights *w, struct span config,
                                 const struct layer_asked *asked, const char *name,
                                 struct err *e);

/*
 * A hash of m->hash, of the first and last 4 KiB of each tensor, and of the files of config
 * and tokeniser beside them (up to 16 MiB each): two that differ are of different models.
 * Errors: one of those files cannot be read.
 */
int model_hash_data(const struct model *m, struct arena *a, uint64_t *hash, struct err *e);

/* The same of m->hash and the tensors alone: whatever the folder's name is, and what else lies in
 * it. */
uint64_t model_hash_weights(const struct model *m);

void model_close(struct model *m);          /* unmaps */

/* Layers attend to another input: an encoder's output, or a bare layer's memory. */
bool model_has_cross(const struct model *m);

/* Rows of this stack can be shown: the model's own, its decoder's, cross-attention's. */
bool model_has_stack(const struct model *m, enum stack_id stack);

/*
 * Logits can be computed of shown, a stack of m.  ERR_INPUT: it has no head, or one that is
 * not known, or whose tensors are not there (its class, and the tensors that no slot took).
 */
int model_check_head(const struct model *m, const struct model *shown, struct err *e);

/* Rows of logits of a text of T tokens: T, or 1 where the head reads the text as one. */
int model_head_rows(const struct model *m, int T);

/* Numbers of a token that a layer begins with: D; of PLACE_REVERSIBLE those of one of two
 * streams; of several streams all, side by side. */
int model_stream_width(const struct model *m);

/* Numbers of a token that its layers end with: D; of PLACE_REVERSIBLE those of both streams. */
int model_end_width(const struct model *m);

/* Numbers of a token that attention gives: D, unless it is alone, or of a narrower stream. */
int model_attention_width(const struct model *m);

/* The last layer, at most this one, that a pass can begin with: before the first whose keys and
 * values later layers attend to, or with it. */
int model_resume_layer(const struct model *m, int layer);

/* Heads have a sink that is not a key: rows of attention sum to 1 less what it takes. */
bool model_has_sinks(const struct model *m);

/* Layer l of any of its stacks can be shown: all but those that do not attend, and those that a
 * file of precomputed rows lacks. */
bool model_has_layer(const struct model *m, int l);

/* The first layer that attends: of what all have, it has it. */
const struct layer_plan *model_attending(const struct model *m);

/*
 * The name that the model at path has when it is opened, of its
 * config.json alone: a folder with only a tokeniser has a name too.
 */
const char *model_name(struct arena *a, const char *path);

/*
 * Binds m->weights to the slots of m->family, with m->config and m->name set
 * already; fills the rest of m.
 */
int model_bind(struct model *m, struct arena *a, struct err *e);

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
void model_inv_freq(float *inv_freq, const struct rope *r, int width, bool is_long);

#endif
