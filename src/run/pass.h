/* SPDX-License-Identifier: MIT
 * The state of one pass, which its stages read and write in turn. */
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
    float *x3;              /* the stream that the mlp adds to: x, but in such a layer x2 */
    float *streams;         /* [N, n D] all of them, of which x is the one that a layer works
                               on: altup.h; NULL: x is the only one */
    float *kept[2];         /* [N, keys and values] of full and of windowed layers, which later
                               layers attend to; NULL: none do */
    float *a;               /* [N, D] what a stage reads: normed x, or x itself */
    float *mixed;           /* [N, H d_v] of the convolution beside the heads; NULL: none */
    float *late;            /* [N, D] PLACE_PARALLEL: attention's output, added last; else what
                               stands beside attention, where the model has that */
    float *qkv;             /* [N, place.width] projections; m->place says where */
    float *qkv_global;      /* the same for global rows; NULL: no text has any */
    const struct bias_copies *copies;   /* [texts] NULL: each key is counted once */
    float *z;               /* [N, H d_v] heads' outputs, side by side */
    float *memory_kv;       /* [key_start[texts], G (d + d_v)] its keys, then its values */
    const int *key_start;   /* [texts + 1] rows of memory_kv; NULL: no memory */
    float *up, *gate;       /* [MLP_ROWS, DIM_UP], [MLP_ROWS, F] */
    struct relative *relative;      /* NULL: scores look at no distances */
    float *embedded;        /* [N, D] x before layer 0, for a convolution, or for inputs of
                               layers; NULL: none */
    struct rotary rotary[2][2];     /* of m->rope[i], and of its long_inv_freq */
    int rotary_first;       /* position of their first row */
    struct cached *cached;  /* [texts] of the attention at hand; NULL: no cache */
    float *rotation[32];    /* drawn for the hash; [0], or by the power of 2 of a text's
                               number of buckets; NULL: no text needs it */
};

/* Tokens of a text in the batch. */
int pass_tokens(const struct pass *p, int text);

/* Tokens of a text before its first one in the batch: those that are cached. */
int pass_before(const struct pass *p, int text);

/* The text's number, for masks of several texts. */
int64_t pass_number(const struct pass *p, int text);

/* True if there are two streams from layer to layer. */
bool pass_has_two_streams(const struct pass *p);

/* True if the decoder has an encoder's output to look at. */
bool pass_has_memory(const struct pass *p);

/* The precision that the inputs of products are rounded to, those of linears aside. */
enum precision pass_precision(const struct pass *p);

/* The same of a product with w, which linears alone may be rounded to. */
enum precision pass_linear_precision(const struct pass *p, const struct param *w);

/* What multiplies this one in fewer bits; NULL: nothing does. */
const struct fast_kernel *pass_fast(const struct pass *p, const struct param *w);

/* True if rows of this layer and stack go to sinks. */
bool pass_wants(const struct pass *p, int l, enum stack_id stack);

/* True if a tap is to see this layer and stack. */
bool pass_taps(const struct pass *p, int l, enum stack_id stack);

#endif
