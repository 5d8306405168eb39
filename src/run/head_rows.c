/* SPDX-License-Identifier: MIT
 * Queries, packed keys and values of a head -> blocks of rows. */
#include "run/head_rows.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "nn/attention.h"
#include "nn/bias.h"
#include "nn/precision.h"
#include "nn/visible.h"
#include "run/cached.h"
#include "run/describe.h"
#include "run/precomputed.h"
#include "run/row.h"

struct head_rows {
    const struct attend_job *job;
    int text, head;
    int n_queries;
    struct head_terms terms;    /* what at adds */
    struct attend at;
    float *packed, *weight;     /* packed: the room of a single row, which packs nothing */
    bool one_row;
    float *q;                   /* in lower precision: a block's queries */
    float *global_packed;       /* NULL: the text has no global rows */
    float *single;              /* NULL: its keys are all counted once */
    unsigned char *hidden;
    double entropy[ATTEND_ROWS];
    double null_mass[ATTEND_ROWS];
    int n_visible[ATTEND_ROWS];
};

/* ---- what all its blocks read ---- */

static void head_rows_make_room(struct head_rows *rows, struct arena *scratch)
{
    const struct heads *heads = rows->job->heads;
    struct attend *at = &rows->at;
    size_t stride = attention_stride(at->S), block = ATTEND_ROWS * stride;
    uint64_t packed = attention_packed(at->S, at->d, at->d_v);

    rows->packed = arena_alloc_raw(scratch, rows->one_row ? attention_row_room(at->d) : packed,
                                   sizeof(float));
    if (at->precision != PRECISION_F32) {
        rows->q = arena_alloc_raw(scratch, ATTEND_ROWS * (uint64_t)at->d, sizeof(float));
        at->round_room = arena_alloc_raw(scratch, block, sizeof(float));
    }
    rows->weight = arena_alloc_raw(scratch, block, sizeof(float));
    rows->hidden = arena_alloc_raw(scratch, block, 1);
    if (heads_hide_keys(heads)) {
        at->hidden = rows->hidden;
        at->hidden_stride = stride;
    }
    if (heads_have_global(heads, rows->text))
        rows->global_packed = arena_alloc_raw(scratch, packed, sizeof(float));
    if (heads_have_copies(heads, rows->text) ||
        (heads->precomputed != NULL && heads->precomputed->single != NULL))
        rows->single = arena_alloc_raw(scratch, block, sizeof(float));
}

static int head_rows_group_of(const struct head_rows *rows)
{
    const struct config *config = &rows->job->p->m->config;

    return rows->head / (config->n_heads / config->n_kv_heads);
}

/* Keys and values in rows of kv, first of the text's. */
static struct attention_rows rows_from(const struct head_rows *rows, const float *kv, int first)
{
    const struct heads *heads = rows->job->heads;
    const float *row = kv + (int64_t)first * heads->kv_stride;
    int group = head_rows_group_of(rows);

    return (struct attention_rows){ row + heads->k_at[group], row + heads->v_at[group],
                                    heads->kv_stride, heads->kv_stride };
}

/* Those of the head. */
static struct attention_rows own_rows(const struct head_rows *rows)
{
    const struct heads *heads = rows->job->heads;

    if (heads->cached != NULL)
        return cached_rows(rows->job->p, &heads->cached[rows->text], head_rows_group_of(rows));
    return rows_from(rows, heads->kv, heads->key_start[rows->text]);
}

static void head_rows_pack_rows(const struct head_rows *r, float *packed,
                                struct attention_rows rows)
{
    const struct attend *at = &r->at;
    int d_v = r->job->keep_out ? at->d_v : 0;   /* else nothing reads them */

    attention_pack(packed, rows.k, rows.k_stride, rows.v, rows.v_stride, at->S, at->d, d_v);
    precision_round(at->precision, packed, packed,
                    (int64_t)attention_packed(at->S, at->d, d_v));
}

static void head_rows_pack(struct head_rows *rows)
{
    const struct heads *heads = rows->job->heads;

    if (heads->precomputed != NULL || rows->one_row)
        return;
    head_rows_pack_rows(rows, rows->packed, own_rows(rows));
    if (rows->global_packed != NULL)
        head_rows_pack_rows(rows, rows->global_packed,
                            rows_from(rows, heads->global_qkv, heads->key_start[rows->text]));
}

struct head_rows *head_rows_new(struct arena *scratch, const struct attend_job *job,
                                int text, int head)
{
    const struct pass *pass = job->p;
    struct head_rows *rows = arena_alloc(scratch, 1, sizeof *rows);

    rows->job = job;
    rows->text = text;
    rows->head = head;
    rows->n_queries = pass_tokens(pass, text);
    rows->at = describe_head(pass, job->layer, job->heads, text, head, &rows->terms);
    rows->at.sink_weight = rows->null_mass;
    rows->one_row = rows->n_queries == 1 && rows->at.precision == PRECISION_F32 &&
                    !heads_have_global(job->heads, text);
    head_rows_make_room(rows, scratch);
    head_rows_pack(rows);
    return rows;
}

/* ---- what a block's rows see ---- */

/* Marks the keys that the block's rows do not see; true: some are hidden. */
static bool mark_all(struct head_rows *r, const struct rows *rows)
{
    bool hides = heads_hide_keys(r->job->heads) || r->global_packed != NULL, any;

    if (!hides && r->at.lo == INT_MAX && r->at.hi == INT_MAX) {     /* nothing is marked */
        for (int t = 0; t < rows->n_rows; t++)
            r->n_visible[t] = rows->n_keys;
        return false;
    }
    any = visible_mark(&r->at, r->hidden, rows->stride, r->n_visible, rows->row0, rows->n_rows,
                       rows->key0, rows->n_keys);
    if (!heads_hide_keys(r->job->heads))
        return any;
    heads_hide(r->job->heads, &r->terms.mask, r->text, r->hidden, rows->stride,
               rows->row0 + r->at.offset, rows->n_rows, rows->key0, rows->n_keys);
    for (int t = 0; t < rows->n_rows; t++) {
        const unsigned char *row = r->hidden + (size_t)t * rows->stride;

        r->n_visible[t] = 0;
        for (int s = 0; s < rows->n_keys; s++)
            r->n_visible[t] += row[s] == 0;
    }
    return true;
}

/* ---- a block ---- */

/* The queries of the block, rounded where the precision is lower. */
static const float *queries(struct head_rows *rows, const float *q, int n, int64_t *stride)
{
    int d = rows->at.d;

    if (rows->at.precision == PRECISION_F32)
        return q;
    for (int t = 0; t < n; t++)
        precision_round(rows->at.precision, rows->q + t * d, q + t * *stride, d);
    *stride = d;
    return rows->q;
}

/* Where the outputs of a row go, H d_v floats from row to row; NULL: not wanted. */
static float *outputs(const struct head_rows *rows, int64_t row)
{
    const struct pass *pass = rows->job->p;

    return !rows->job->keep_out ? NULL :
           pass->z + (row * pass->m->config.n_heads + rows->head) * rows->at.d_v;
}

/* All rows of the block. */
static void attend(struct head_rows *r, struct rows *rows)
{
    const struct pass *pass = r->job->p;
    const struct heads *heads = r->job->heads;
    int64_t row = pass->b->start[r->text] + rows->row0, q_stride = heads->q_stride;
    int64_t z_width = pass->m->config.n_heads * r->at.d_v;
    const float *q = queries(r, heads->q + row * q_stride + heads->q_at[r->head],
                             rows->n_rows, &q_stride);

    if (r->one_row) {
        struct attention_rows own = own_rows(r);

        attention_row(r->weight, &rows->key0, &rows->n_keys, r->entropy, outputs(r, row), q,
                      &own, &r->at, rows->row0, r->packed);
        return;
    }
    attention_block(r->weight, rows->stride, &rows->key0, &rows->n_keys, r->entropy,
                    outputs(r, row), z_width, q, q_stride, r->packed, &r->at, rows->row0,
                    rows->n_rows);
}

/* Global rows once more, from their own projections. */
static void attend_global(struct head_rows *r, const struct rows *rows)
{
    const struct pass *pass = r->job->p;
    const struct heads *heads = r->job->heads;
    int64_t first = pass->b->start[r->text] + rows->row0;
    int64_t z_width = pass->m->config.n_heads * r->at.d_v;

    for (int t = 0; t < rows->n_rows; t++) {
        const float *q = heads->global_qkv + (first + t) * heads->q_stride +
                         heads->q_at[r->head];
        struct attend own = r->at;
        int64_t q_stride = heads->q_stride;
        int key0, n_keys;

        if (!heads->global[first + t])
            continue;
        q = queries(r, q, 1, &q_stride);
        own.hidden = r->hidden + (size_t)t * rows->stride;
        attention_block(r->weight + (size_t)t * rows->stride, rows->stride, &key0, &n_keys,
                        &r->entropy[t], outputs(r, first + t), z_width, q, q_stride,
                        r->global_packed, &own, rows->row0 + t, 1);
    }
}

/* The weights of the block, those of several copies divided by their number. */
static const float *single_copies(struct head_rows *r, const struct rows *rows)
{
    const struct bias_copies *copies = &r->job->heads->copies[r->text];

    memcpy(r->single, r->weight, (size_t)rows->n_rows * rows->stride * sizeof(float));
    for (int t = 0; t < rows->n_rows; t++)
        for (int s = 0; s < copies->n_keys - rows->key0; s++)
            if (rows->row0 + t >= copies->first && rows->row0 + t < copies->end)
                r->single[(size_t)t * rows->stride + (size_t)s] /= (float)copies->copies;
    return r->single;
}

/* ---- weightings ---- */

/* The factors of the keys that row t of the block attends to. */
static const float *norms_of(const struct head_rows *r, const struct rows *rows, int t)
{
    const struct value_norms *norms = r->job->norms;
    const struct heads *heads = r->job->heads;
    bool global = r->global_packed != NULL &&
                  heads->global[r->job->p->b->start[r->text] + rows->row0 + t];

    return (global ? norms->global : norms->own) + (int64_t)r->head * norms->n_keys +
           heads->key_start[r->text] + rows->key0;
}

/* A row without weight, as one that sees no key. */
static void hide_row(struct head_rows *r, struct rows *rows, int t)
{
    if (rows->hidden == NULL)
        memset(r->hidden, 0, (size_t)rows->n_rows * rows->stride);
    rows->hidden = r->hidden;
    memset(r->hidden + (size_t)t * rows->stride, 1, (size_t)rows->n_keys);
    r->n_visible[t] = 0;
}

static void weigh_row(struct head_rows *r, struct rows *rows, int t)
{
    const float *norm = norms_of(r, rows, t);
    float *weight = r->weight + (size_t)t * rows->stride;
    float *single = rows->single != NULL ? r->single + (size_t)t * rows->stride : NULL;
    double sum = 0;

    for (int s = 0; s < rows->n_keys; s++)
        sum += weight[s] > 0 ? (double)weight[s] * (double)norm[s] : 0;
    for (int s = 0; s < rows->n_keys; s++) {
        double factor = weight[s] > 0 && sum > 0 ? (double)norm[s] / sum : 0;

        weight[s] = (float)((double)weight[s] * factor);
        if (single != NULL)
            single[s] = (float)((double)single[s] * factor);
    }
    r->entropy[t] = isfinite(sum) ? row_entropy(weight, rows->n_keys) : NAN;
    if (sum == 0)
        hide_row(r, rows, t);
}

/* The weights of the block times the lengths of values, rows divided by their sums. */
static void head_rows_weigh(struct head_rows *r, struct rows *rows)
{
    for (int t = 0; t < rows->n_rows; t++)
        if (r->n_visible[t] > 0 && isfinite(r->entropy[t]))
            weigh_row(r, rows, t);
}

/* ---- a file ---- */

/* Rows that a file holds. */
static void read_precomputed(struct head_rows *r, struct rows *rows)
{
    int *bad = &r->job->bad_row[r->text * r->job->p->m->config.n_heads + r->head];
    int found = precomputed_read(r->job->heads->precomputed, rows, r->weight, r->single,
                                 r->hidden, r->entropy, r->null_mass, r->n_visible);

    rows->single = r->single;
    if (*bad < 0)
        *bad = found;
}

/* Notes the first row of the head that is not finite in the job. */
static void note_bad(const struct head_rows *r, const struct rows *rows)
{
    int *bad = &r->job->bad_row[r->text * r->job->p->m->config.n_heads + r->head];

    for (int t = 0; t < rows->n_rows && *bad < 0; t++)
        if (!isfinite(r->entropy[t]))
            *bad = r->at.offset + rows->row0 + t;
}

void head_rows_block(struct head_rows *r, int row0, struct rows *rows)
{
    const struct attend_job *job = r->job;
    int left = r->n_queries - row0;
    struct key_range keys;

    *rows = (struct rows){
        .text = r->text, .stack = (int)job->heads->stack, .layer = job->layer,
        .head = r->head, .row0 = row0, .n_rows = left < ATTEND_ROWS ? left : ATTEND_ROWS,
        .n_queries = r->n_queries, .n_all_keys = r->at.S,
        .stride = attention_stride(r->at.S), .weight = r->weight, .entropy = r->entropy,
        .n_visible = r->n_visible,
    };
    keys = visible_keys(&r->at, row0, rows->n_rows);
    rows->key0 = (int)keys.first;
    rows->n_keys = (int)(keys.end - keys.first);
    if ((job->wanted || heads_hide_keys(job->heads)) && mark_all(r, rows))
        rows->hidden = r->hidden;
    if (job->heads->precomputed != NULL) {
        read_precomputed(r, rows);
        return;
    }
    attend(r, rows);
    if (r->global_packed != NULL)
        attend_global(r, rows);
    if (r->at.sink != NULL && job->norms == NULL)       /* a sink has no value to weigh */
        rows->null_mass = r->null_mass;
    if (r->single != NULL && job->wanted)
        rows->single = single_copies(r, rows);
    if (r->job->norms != NULL)
        head_rows_weigh(r, rows);
    note_bad(r, rows);
}
