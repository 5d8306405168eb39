/* SPDX-License-Identifier: MIT
 * The state of a forward pass, which its stages read and write in turn. */
#ifndef RUN_PASS_H
#define RUN_PASS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/par.h"
#include "model/model.h"
#include "nn/bias.h"
#include "run/batch.h"
#include "run/sink.h"
#include "run/wanted.h"

struct cached;              /* cached.h */
struct relative;            /* relative.h */

/* Cosines and sines of one rotary table, [positions, width / 2] each: rotary.h. */
struct rotary {
    float *cos, *sin;
};

struct pass {
    const struct model *m;
    const struct batch *b;
    const struct wanted *want;
    const struct sink *sinks;
    int n_sinks;
    struct par *par;
    struct arena *call;
    int N;                  /* tokens in the batch */
    int last;               /* the last layer to run */
    float *x;               /* [N, D] the residual stream, which attention reads */
    float *x2;              /* the stream that attention adds to and the mlp reads: x
                               itself, [N, D] of PLACE_REVERSIBLE, or [N, DIM_INNER] within a
                               layer with bottlenecks */
    float *x3;              /* the stream that the mlp adds to: x, or x2 in a layer with
                               bottlenecks */
    float *streams;         /* [N, n D] all streams of altup.h, of which x is the one that a layer
                               updates; NULL: x is the only stream */
    float *kept[2];         /* [N, keys and values] of a full and of a windowed layer, which later
                               layers reuse; NULL if none do */
    float *a;               /* [N, D] what a stage reads: normed x, or x itself */
    float *mixed;           /* [N, H d_v] output of the convolution beside the heads (taps.h);
                               NULL if there is none */
    float *late;            /* [N, D] PLACE_PARALLEL: attention's output, added last; else the
                               output of a branch parallel to attention, if there is one */
    float *qkv;             /* [N, place.width] projections; m->place says where */
    float *qkv_global;      /* the same for global rows; NULL: no text has global rows */
    const struct bias_copies *copies;   /* [texts] how often keys count; NULL: each once */
    float *z;               /* [N, H d_v] heads' outputs, side by side */
    float *memory_kv;       /* [key_start[texts], G (d + d_v)] keys, then values of the memory */
    const int *key_start;   /* [texts + 1] rows of memory_kv; NULL: no memory */
    float *up, *gate;       /* [MLP_ROWS, DIM_UP], [MLP_ROWS, F] */
    struct relative *relative;      /* relative positions; NULL: scores do not use them */
    float *embedded;        /* [N, D] x before layer 0, for a convolution, or for the layers' own
                               inputs; NULL if neither exists */
    struct rotary rotary[2][2];     /* tables of m->rope[i], and of its long_inv_freq */
    int rotary_first;       /* position of the tables' first row */
    struct cached *cached;  /* [texts] caches of the current attention; NULL: no cache */
    float *rotation[32];    /* random rotations of LSH: [0], or by log2 of a text's number of
                               buckets; NULL: no text requires it */
};

/* Tokens of a text in the batch. */
int pass_tokens(const struct pass *pass, int text);

/* Number of cached tokens of a text, which come before its first one in the batch. */
int pass_before(const struct pass *pass, int text);

/* The text's number (change.h), by which masks of several texts choose. */
int64_t pass_number(const struct pass *pass, int text);

/* True if there are two streams from layer to layer. */
bool pass_has_two_streams(const struct pass *pass);

/* True if cross-attention has a memory. */
bool pass_has_memory(const struct pass *pass);

/* The precision to which inputs of products other than linears are rounded. */
enum precision pass_precision(const struct pass *pass);

/* The same for the linear w, which includes precisions of linears alone. */
enum precision pass_linear_precision(const struct pass *pass, const struct param *w);

/* The low-bit kernel that multiplies by w; NULL if none does. */
const struct fast_kernel *pass_fast(const struct pass *pass, const struct param *w);

/* True if rows of this layer and stack go to sinks. */
bool pass_wants(const struct pass *pass, int l, enum stack_id stack);

/* True if a tap is called for this layer and stack. */
bool pass_taps(const struct pass *pass, int l, enum stack_id stack);

#endif
