/* SPDX-License-Identifier: MIT
 * A table of positions, or sinusoids -> rows by distance -> terms of the scores. */
#include "run/relative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/precision.h"
#include "nn/sinusoid.h"
#include "run/stage.h"

/* ---- rows by distance ---- */

/* The row of the table, or the sinusoid, that a distance reads; 0: distance 0. */
static int row_of(const struct model *m, int distance)
{
    const struct config *c = &m->config;
    int row = distance, size = abs(distance);

    if (m->family->bias == BIAS_XL) {
        size = c->relative.clamp > 0 && c->relative.clamp < size ? c->relative.clamp : size;
        return distance > 0 ? size : c->is_decoder ? 0 : -size;     /* none ahead */
    }
    if (c->relative.n_buckets > 0)
        row = relative_log_bucket(distance, c->relative.n_buckets, c->relative.max);
    row = row < -c->relative.span ? -c->relative.span : row;
    return row < c->relative.span ? row : c->relative.span - 1;
}

static void fill_table(struct pass *p, struct relative *r, int first)
{
    int D = p->m->config.d_model;
    const struct tensor *t = p->m->slot[W_REL_TABLE].weight;
    int64_t row0 = (int64_t)first + p->m->config.relative.span;

    r->table = stage_floats(p, (size_t)r->n_rows, (size_t)D);
    for (int i = 0; t == NULL && i < r->n_rows; i++)
        sinusoid_distance(r->table + (int64_t)i * D, first + i, D);
    if (t == NULL)
        return;
    tensor_read(r->table, t, row0 * D, (int64_t)r->n_rows * D);
    stage_norm(p, r->table, r->table, r->n_rows, D, &p->m->slot[W_REL_NORM]);
}

/* The distances of the longest text, and the rows that they read. */
static void fill_distances(struct pass *p, struct relative *r)
{
    int reach = 0, first, *row, *begin;

    for (int t = 0; t < p->b->n_texts; t++)
        if (pass_tokens(p, t) - 1 > reach)
            reach = pass_tokens(p, t) - 1;
    first = row_of(p->m, -reach);
    row = arena_alloc_raw(p->call, 2 * (size_t)reach + 1, sizeof *row);
    for (int d = -reach; d <= reach; d++)
        row[reach + d] = row_of(p->m, d) - first;
    r->n_rows = row[2 * reach] + 1;
    begin = arena_alloc_raw(p->call, relative_begins(r->n_rows), sizeof *begin);
    relative_find_begins(begin, row, reach, r->n_rows);
    r->at = (struct distances){ reach, row, begin };
    fill_table(p, r, first);
}

static size_t in_panels(int n)
{
    return ((size_t)n + PANEL - 1) / PANEL * PANEL;
}

/* Segments, and what is added to the products of queries with positions. */
static void make_xl(struct pass *p, struct relative *r)
{
    size_t H = (size_t)p->m->config.n_heads;
    const int *type = p->b->type;

    r->add = stage_floats(p, H, in_panels(r->n_rows));
    r->segment = stage_floats(p, H, relative_packed(2, p->m->config.d_head));
    r->segment_add = stage_floats(p, H, PANEL);
    r->type = type != NULL ? type : arena_alloc(p->call, (size_t)p->N, sizeof *type);
}

void relative_rows(struct pass *p)
{
    const struct config *c = &p->m->config;
    bool xl = p->m->family->bias == BIAS_XL;
    struct relative *r;

    if (!xl && p->m->slot[W_REL_TABLE].weight == NULL)
        return;
    p->relative = r = arena_alloc(p->call, 1, sizeof *r);
    fill_distances(p, r);
    r->row = stage_floats(p, (size_t)r->n_rows, (size_t)c->n_heads * (size_t)c->d_head);
    r->size = relative_packed(r->n_rows, c->d_head);
    if (xl || c->relative.c2p)
        r->by_query = stage_floats(p, (size_t)c->n_heads, r->size);
    if (c->relative.p2c)
        r->by_key = stage_floats(p, (size_t)c->n_heads, r->size);
    if (xl)
        make_xl(p, r);
}

double relative_memory(const struct model *m, int n_tokens)
{
    const struct config *c = &m->config;
    double rows, HD = (double)c->n_heads * c->d_head;

    if (m->family->bias != BIAS_XL && m->slot[W_REL_TABLE].weight == NULL)
        return 0;
    rows = row_of(m, n_tokens - 1) - row_of(m, 1 - n_tokens) + 1;
    return rows * (c->d_model + HD * (2 + (c->relative.c2p && c->relative.p2c))) +
           2 * n_tokens;
}

/* ---- a layer's projections ---- */

struct prepare_job {
    const struct pass *p;
    const struct layer_plan *plan;
    float *packed;              /* [H, size] */
    const float *segment;       /* [2, H d] */
};

/* Packed, and rounded where the precision is lower. */
static void pack_rows(const struct pass *p, float *packed, const float *rows, int n_rows)
{
    int d = p->m->config.d_head;

    relative_pack(packed, rows, p->m->config.n_heads * d, n_rows, d);
    precision_round(pass_precision(p), packed, packed,
                    (int64_t)relative_packed(n_rows, d));
}

static void pack_task(void *self, int h, struct arena *scratch)
{
    const struct prepare_job *j = self;
    const struct relative *r = j->p->relative;

    (void)scratch;
    pack_rows(j->p, j->packed + (size_t)h * r->size, r->row + h * j->p->m->config.d_head,
              r->n_rows);
}

/* Queries, keys and values, which enter the products of the terms as they are stored. */
static void round_task(void *self, int i, struct arena *scratch)
{
    const struct prepare_job *j = self;
    int64_t width = j->p->m->place.width;
    float *row = j->p->qkv + (int64_t)i * ROW_CHUNK * width;

    (void)scratch;
    precision_round(pass_precision(j->p), row, row, stage_rows_of(j->p->N, i) * width);
}

static void project(struct pass *p, const struct layer_plan *plan, enum slot slot,
                    float *packed)
{
    struct relative *r = p->relative;
    struct prepare_job j = { .p = p, .packed = packed };
    int HD = p->m->config.n_heads * p->m->config.d_head;

    stage_linear(p, r->row, HD, r->table, p->m->config.d_model, r->n_rows,
                 &plan->slot[slot]);
    par_for(p->par, p->m->config.n_heads, pack_task, &j);
}

/* sum over c of (bias[c] - in_q[c]) row[c]: for queries that hold in_q, not bias. */
static float bias_product(const float *bias, const float *in_q, const float *row, int d)
{
    double sum = 0;

    for (int c = 0; c < d; c++)
        sum += ((double)bias[c] - (double)in_q[c]) * (double)row[c];
    return (float)sum;
}

static void xl_task(void *self, int h, struct arena *scratch)
{
    const struct prepare_job *j = self;
    const struct param *slot = j->plan->slot;
    const struct relative *r = j->p->relative;
    int d = j->p->m->config.d_head, HD = j->p->m->config.n_heads * d, at = h * d;
    const float *in_q = slot[W_Q_BIAS].vector + at;
    size_t n = in_panels(r->n_rows);
    float *add = r->add + (size_t)h * n, *segment_add = r->segment_add + h * PANEL;

    (void)scratch;
    memset(add, 0, n * sizeof *add);
    memset(segment_add, 0, PANEL * sizeof *add);
    for (int i = 0; i < r->n_rows; i++)
        add[i] = bias_product(slot[W_REL_BIAS].vector + at, in_q,
                              r->row + (int64_t)i * HD + at, d);
    for (int i = 0; i < 2; i++)
        segment_add[i] = bias_product(slot[W_SEG_BIAS].vector + at, in_q,
                                      j->segment + (int64_t)i * HD + at, d);
    pack_rows(j->p, r->segment + (size_t)h * relative_packed(2, d), j->segment + at, 2);
}

static void prepare_xl(struct pass *p, const struct layer_plan *plan)
{
    struct arena_mark mark = arena_mark(p->call);
    const struct config *c = &p->m->config;
    int64_t HD = (int64_t)c->n_heads * c->d_head;
    float *segment = stage_floats(p, 2, (size_t)HD);
    struct prepare_job j = { .p = p, .plan = plan, .segment = segment };

    tensor_read(segment, plan->slot[W_SEG].weight, 0, 2 * HD);
    project(p, plan, W_REL_K, p->relative->by_query);
    par_for(p->par, c->n_heads, xl_task, &j);
    arena_reset(p->call, mark);
}

void relative_project(struct pass *p, const struct layer_plan *plan)
{
    bool shared = p->m->config.relative.shared;
    struct prepare_job j = { .p = p };

    if (p->relative == NULL)
        return;
    if (pass_precision(p) != PRECISION_F32)
        stage_rows(p, p->N, round_task, &j);
    if (p->m->family->bias == BIAS_XL) {
        prepare_xl(p, plan);
        return;
    }
    if (p->relative->by_query != NULL)
        project(p, plan, shared ? W_K : W_REL_K, p->relative->by_query);
    if (p->relative->by_key != NULL)
        project(p, plan, shared ? W_Q : W_REL_Q, p->relative->by_key);
}

/* ---- one head of one text ---- */

void relative_set_terms(const struct pass *p, const struct heads *h, int text, int head,
                        struct relative_terms *room, struct attend *at)
{
    const struct relative *r = p->relative;
    const struct config *c = &p->m->config;
    size_t from = (size_t)head * r->size;
    int first = p->b->start[text], group = head / (c->n_heads / c->n_kv_heads);

    room->positions = (struct relative_positions){
        .at = &r->at, .d = at->d, .scale = at->scale,
        .by_query = r->by_query != NULL ? r->by_query + from : NULL,
        .by_key = r->by_key != NULL ? r->by_key + from : NULL,
        .add = r->add != NULL ? r->add + (size_t)head * in_panels(r->n_rows) : NULL,
        .q = h->q + first * h->q_stride + h->q_at[head], .q_stride = h->q_stride,
        .k = h->kv + h->key_start[text] * h->kv_stride + h->k_at[group],
        .k_stride = h->kv_stride,
    };
    at->term[0] = (struct score_term){ relative_positions, &room->positions };
    if (r->segment == NULL)
        return;
    room->segments = (struct relative_segments){
        .type = r->type + first, .d = at->d, .scale = at->scale,
        .by_query = r->segment + (size_t)head * relative_packed(2, at->d),
        .add = r->segment_add + head * PANEL,
        .q = room->positions.q, .q_stride = h->q_stride,
    };
    at->term[1] = (struct score_term){ relative_segments, &room->segments };
}
