/* SPDX-License-Identifier: MIT
 * What the stages of one pass share. */
#ifndef RUN_RUN_PRIV_H
#define RUN_RUN_PRIV_H

#include "nn/act.h"
#include "nn/attend.h"
#include "nn/attention.h"
#include "nn/bias.h"
#include "nn/chunks.h"
#include "nn/linear.h"
#include "nn/lsh.h"
#include "nn/nn.h"
#include "nn/norm.h"
#include "nn/relative.h"
#include "nn/rope.h"
#include "nn/score.h"
#include "nn/sinusoid.h"
#include "nn/softmax.h"
#include "nn/visible.h"
#include "run/row.h"
#include "run/run.h"

enum {
    ROW_CHUNK = 64,         /* rows that one task norms, rotates or activates */
    MLP_ROWS = 1024         /* rows that go through the mlp at a time */
};

/* Cosines and sines of one rotary table, [positions, width / 2] each. */
struct turn {
    float *cos, *sin;
};

struct cache {
    int n, capacity;        /* tokens */
    int n_seen;             /* of them no pad: POS_TABLE_FROM_IDS */
    int n_memory;
    float **kv, **memory_kv;    /* [L] of [n, G (d + d_v)] its keys, then its values */
};

/* A text's keys and values where a cache keeps them. */
struct kept {
    const float *kv;
    int n_keys;
    int offset;             /* key of the batch's first row of the text */
};

/*
 * Rows of distances, of all that the texts hold: made once a pass, then projected and
 * packed a head at a time for each layer.
 */
struct relative {
    struct distances at;
    int n_rows;
    float *table;               /* [n_rows, D] */
    float *row;                 /* [n_rows, H d] */
    size_t size;                /* floats of a head, packed */
    float *by_query, *by_key;   /* [H, size] as relative_positions wants them; NULL: none */
    float *add;                 /* [H, n_rows in whole panels]; NULL: none */
    float *segment;             /* [H, relative_packed(2, d)]; NULL: none */
    float *segment_add;         /* [H, PANEL] */
    const int *type;            /* [N] */
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
                               itself, or [N, D] of PLACE_REVERSIBLE */
    float *a;               /* [N, D] what a stage reads: normed x, or x itself */
    float *late;            /* [N, D] PLACE_PARALLEL: attention's output, added last */
    float *qkv;             /* [N, place.width] projections; m->place says where */
    float *qkv_global;      /* the same for global rows; NULL: no text has any */
    const struct bias_copies *copies;   /* [texts] NULL: keys stand once in the softmax */
    float *z;               /* [N, H d_v] heads' outputs, side by side */
    float *memory_kv;       /* [key_start[texts], G (d + d_v)] its keys, then its values */
    const int *key_start;   /* [texts + 1] rows of memory_kv; NULL: no memory */
    float *up, *gate;       /* [MLP_ROWS, DIM_UP], [MLP_ROWS, F] */
    struct relative *relative;      /* NULL: scores look at no distances */
    float *embedded;        /* [N, D] x before layer 0, for a convolution; NULL: none */
    struct turn turn[2][2]; /* of m->rope[i], and of its long_inv_freq */
    int turn_first;         /* position of their first row */
    struct kept *kept;      /* [texts] of the attention at hand; NULL: no cache */
    float *rotation[32];    /* drawn for the hash; [0], or by the power of 2 of a text's
                               number of buckets; NULL: no text wants it */
};

/* Tokens of a text in the batch; those before its first one there. */
int pass_tokens(const struct pass *p, int text);
int pass_before(const struct pass *p, int text);

/* The decoder has an encoder's output to look at. */
bool pass_has_memory(const struct pass *p);

/* The batch, and what is wanted, fit the model.  Errors: those of run_forward. */
int pass_check(const struct pass *p, struct err *e);

/* ---- what every stage is made of ---- */

/* That the inputs of products are rounded to. */
enum precision pass_precision(const struct pass *p);

/* y[n_rows, out] = x w^T + bias, panels shared out over the threads. */
void pass_linear(struct pass *p, float *y, int64_t y_stride, const float *x,
                 int64_t x_stride, int n_rows, const struct param *w);

/* Outputs first .. first + n - 1 of a linear that is stored [out, in]. */
struct param param_part(const struct param *w, int first, int n);

/* Calls task(self, i, ..) for each block i of ROW_CHUNK of n_rows rows. */
void pass_rows(struct pass *p, int n_rows,
               void (*task)(void *self, int i, struct arena *scratch), void *self);

/* The rows that block i of n_rows has. */
int pass_rows_of(int n_rows, int i);

/* y = norm(x) over n_rows rows of D; an empty slot copies.  y may be x. */
void pass_norm(struct pass *p, float *y, const float *x, int n_rows, int D,
               const struct param *norm);

/* ---- before the layers ---- */

/* x[N, D] = the embeddings of the batch. */
void pass_embed(struct pass *p);

/* out[N, D] = what the front makes of the batch's values; floats of room for one text. */
void pass_front(struct pass *p, float *out);
size_t front_room(const struct model *m, int n_tokens);

/* Cosines and sines for the batch. */
void pass_turns(struct pass *p);

/* Rows of the batch's distances, where the model looks at them. */
void pass_relative(struct pass *p);
double relative_memory(const struct model *m, int n_tokens);

/* Room for what pass_sparse makes, if this batch needs any. */
void pass_sparse_room(struct pass *p);

/* Random rotations that the texts need, from the config's seed. */
void pass_rotations(struct pass *p);

/* Errors: the rotations that are given do not fit a text of n tokens. */
int check_rotations(const struct model *m, const struct rotations *r, int n_tokens,
                    struct err *e);

/* Where the keys of each text begin in memory_kv, with those that only the model has. */
const int *pass_key_start(struct pass *p);

/* Of S keys, how many a mask is about: not the one that only the model has. */
int pass_masked_keys(const struct pass *p, enum stack_id stack, int S);
/* The memory fits text t and the model.  Errors: ERR_INPUT. */
int pass_check_memory(const struct pass *p, int t, struct err *e);

/* ---- what an attention reads ---- */

/* Rows of queries and of keys and values. */
struct heads {
    enum stack_id stack;
    const float *q, *kv;
    int64_t q_stride, kv_stride;        /* floats from row to row */
    const int *q_at, *k_at, *v_at;      /* where heads begin in a row */
    const int *key_start;               /* [texts + 1] rows of kv */
    const struct kept *kept;            /* [texts] instead of kv and key_start; or NULL */
    int lo, hi;                         /* as in layer_plan */
    bool biased;                        /* by position */
    /* Sets hidden[t * stride + j] to 1 where row row0 + t does not see key key0 + j,
       beyond lo and hi; NULL: they say it all. */
    void (*hide)(const void *self, int text, int head, unsigned char *hidden,
                 size_t stride, int row0, int n_rows, int key0, int n_keys);
    const void *hide_self;
    /* Rows (1) that read global_qkv, laid out as q and kv are, and see every key; in
       texts with such rows hide marks what lo and hi say.  NULL: there are none. */
    const unsigned char *global;
    const float *global_qkv;
    const struct bias_copies *copies;   /* [texts]; NULL: every key stands once */
    const struct score_term *terms;     /* [texts, H] instead of a bias; NULL: none */
    const struct mask *mask;            /* the user's; NULL: none */
    const struct precomputed_layer *ready;    /* rows as they are, instead of queries and keys;
                                           NULL: computed */
};

/* q, k, v of a layer from p->a, normed and turned. */
void pass_project(struct pass *p, const struct layer_plan *plan);

/* p->qkv[N, width] = the batch's values: FRONT_QKV. */
void pass_given_rows(struct pass *p, int64_t width);

/* The same through projections of low rank; floats of room for it at a time. */
void pass_latent(struct pass *p, const struct layer_plan *plan);
size_t latent_room(const struct model *m, int n_tokens);

/* Queries from p->a; keys and values from the memory, where it is given. */
void pass_project_cross(struct pass *p, const struct layer_plan *plan);

/* The layer's projections of the rows of distances. */
void pass_prepare(struct pass *p, const struct layer_plan *plan);

/* Sets h->terms to what its queries meet in rows [n_distances, d]; NULL: nothing. */
void pass_distances(struct pass *p, struct heads *h, const float *rows, float scale);

/* What the rows of a layer see beside lo and hi, or instead: global tokens, with their
 * projections from p->a; blocks of keys. */
void pass_sparse(struct pass *p, const struct layer_plan *plan, struct heads *h);

/* What *h hides and adds in a layer that attends in chunks; of p->call, and read from
   p->qkv.  Bytes that chunks take for a text of n tokens. */
void pass_chunks(struct pass *p, const struct layer_plan *plan, struct heads *h);
double chunk_memory(const struct model *m, int n_tokens);

/*
 * With a cache: adds the batch's keys and values of layer l to it, and has h read all
 * that are there.  _memory: the same of p->memory_kv, the first time.
 */
void pass_keep(struct pass *p, int l, struct heads *h);
void pass_keep_memory(struct pass *p, int l, struct heads *h);
/* All layers have run. */
void pass_kept(struct pass *p);

/* ---- what its rows see, and what is added to their scores ---- */

/* The text's number, for masks of several texts. */
int pass_number(const struct pass *p, int text);

/* The user's mask of cross-attention; of a layer that has no other, --mask will do. */
const struct mask *pass_cross_mask(const struct pass *p);

/* Some rows of the text read global_qkv. */
bool pass_has_global(const struct heads *h, int text);

/* Some keys of the text stand in the softmax more than once. */
bool pass_has_copies(const struct heads *h, int text);

/* Keys are hidden one by one, by the model or by the user's mask. */
bool pass_hides(const struct heads *h);

/* Marks them for a block of rows of one head of a text of v->S keys. */
void pass_hide(const struct heads *h, const struct mask_view *v, int text,
               unsigned char *hidden, size_t stride, int row0, int n_rows, int key0,
               int n_keys);

/* What one head of one text adds to its scores by distance. */
struct relative_terms {
    struct relative_positions positions;
    struct relative_segments segments;
};
void relative_terms(const struct pass *p, const struct heads *h, int text, int head,
                    struct relative_terms *room, struct attend *at);

/* What the terms of one head of one text read. */
struct head_terms {
    struct relative_terms relative;
    struct mask_view mask;
};

/* Widths, scale and what is added, of one head of a text; *room lives as long.  What is
   hidden one by one is left to pass_hide. */
struct attend pass_attend_of(const struct pass *p, int l, const struct heads *h, int text,
                             int head, struct head_terms *room);

/* ---- attention ---- */

/* Rows of this layer and stack go to sinks. */
bool pass_wants(const struct pass *p, int l, enum stack_id stack);

/* A tap is to see this layer and stack. */
bool pass_taps(const struct pass *p, int l, enum stack_id stack);

/* What a tap does with an attention; *replaced: it wrote p->z. */
int pass_tap(struct pass *p, int l, const struct heads *h, bool *replaced, struct err *e);

/* Attention of layer l from h to the sinks and, where keep_out says so, to p->z. */
int pass_attend(struct pass *p, int l, const struct heads *h, bool keep_out,
                struct err *e);

/* Attention whose rows are ready-made, in place of all layers. */
int pass_ready(struct pass *p, struct err *e);

/*
 * The rows of a block that *rows describes, from y: fills weight, hidden and n_visible (of
 * rows that see nothing), entropy and, where y has it, single.  Returns the first row that
 * is no row of attention; -1: all are.
 */
int ready_read(const struct precomputed_layer *y, struct rows *rows, float *weight, float *single,
               unsigned char *hidden, double *entropy, int *n_visible);

/* What is wrong with a row that ready_read has returned. */
int ready_error(const struct precomputed_layer *y, struct arena *a, int head, int row,
                struct err *e);

/* What the heads of a layer share. */
struct attend_job {
    const struct pass *p;
    const struct heads *heads;
    int layer;
    bool keep_out;          /* the heads' outputs are wanted */
    bool wanted;            /* rows of this layer go to the sinks */
    int *bad_row;           /* [texts, H] the first row that is not finite; -1 */
};

/*
 * One head of one text, of scratch: its keys and values packed.  _block attends from
 * rows row0 .. row0 + ATTEND_ROWS - 1; *rows describes them until the next block.
 */
struct head_rows;
struct head_rows *head_rows_new(struct arena *scratch, const struct attend_job *j,
                                int text, int head);
void head_rows_block(struct head_rows *r, int row0, struct rows *rows);

/* ---- behind it ---- */

/* x = x + mlp(x), with its norms; one mlp, or the experts that each row chooses. */
void pass_mlp(struct pass *p, const struct layer_plan *plan);

/* out[n, D] = the chosen experts' sum, and the shared one, for n rows a of D. */
void pass_experts(struct pass *p, const struct layer_plan *plan, float *out,
                  const float *a, int n);

/* How a row's experts are chosen. */
struct routing {
    int E, n_chosen;
    enum score score;
    enum group_score group_score;
    int n_groups, n_kept;       /* n_groups 0: none */
    const float *bias;          /* [E] for the choice alone; NULL: none */
    bool renormalise;
    float factor;
};
struct route_room {
    float *choice, *worth;      /* [E] */
    bool *chosen;               /* [E] */
    double *exact;              /* [E] */
};
struct route_room route_room(struct arena *a, int E);

/* s[E], a router's output, becomes the chosen experts' shares; the others' -1. */
void route(float *s, const struct routing *r, struct route_room *room);

/* x = norm(x + act(conv(the embeddings))), text by text. */
void pass_conv(struct pass *p);
double conv_memory(const struct model *m, int n_tokens);

/* Final norm, hidden, logits. */
void pass_head(struct pass *p);

#endif
