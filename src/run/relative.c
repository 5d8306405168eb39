/* SPDX-License-Identifier: MIT
 * A table of positions, or sinusoids -> an embedding per distance -> terms of the scores. */
#include "run/relative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/precision.h"
#include "nn/sinusoid.h"
#include "run/stage.h"

/* ---- rows by distance ---- */

/* The row of the table, or the sinusoid, that a distance reads; 0: distance 0. */
static int relative_row_of(const struct model *m, int distance)
{
    const struct config *config = &m->config;
    int row = distance, size = abs(distance);

    if (m->family->bias == BIAS_XL) {
        size = config->relative.clamp > 0 && config->relative.clamp < size ?
                   config->relative.clamp :
                   size;
        return distance > 0 ? size : config->is_decoder ? 0 : -size;     /* none ahead */
    }
    if (config->relative.n_buckets > 0)
        row = relative_log_bucket(distance, config->relative.n_buckets,
                                  config->relative.max);
    row = row < -config->relative.span ? -config->relative.span : row;
    return row < config->relative.span ? row : config->relative.span - 1;
}

static void fill_table(struct pass *p, struct relative *r, int first)
{
    int D = p->m->config.d_model;
    const struct tensor *tensor = p->m->slot[W_REL_TABLE].weight;
    int64_t row0 = (int64_t)first + p->m->config.relative.span;

    r->table = stage_floats(p, (size_t)r->n_rows, (size_t)D);
    for (int i = 0; tensor == NULL && i < r->n_rows; i++)
        sinusoid_distance(r->table + (int64_t)i * D, first + i, D);
    if (tensor == NULL)
        return;
    tensor_read(r->table, tensor, row0 * D, (int64_t)r->n_rows * D);
    stage_norm(p, r->table, r->table, r->n_rows, D, &p->m->slot[W_REL_NORM]);
}

/* The distances of the longest text, and the rows that they read. */
static void fill_distances(struct pass *p, struct relative *r)
{
    int reach = 0, first, *row, *begin;

    for (int t = 0; t < p->b->n_texts; t++)
        if (pass_tokens(p, t) - 1 > reach)
            reach = pass_tokens(p, t) - 1;
    first = relative_row_of(p->m, -reach);
    row = arena_alloc_raw(p->call, 2 * (size_t)reach + 1, sizeof *row);
    for (int d = -reach; d <= reach; d++)
        row[reach + d] = relative_row_of(p->m, d) - first;
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
    const struct config *config = &p->m->config;
    bool xl = p->m->family->bias == BIAS_XL;
    struct relative *relative;

    if (!xl && p->m->slot[W_REL_TABLE].weight == NULL)
        return;
    p->relative = relative = arena_alloc(p->call, 1, sizeof *relative);
    fill_distances(p, relative);
    relative->row = stage_floats(p, (size_t)relative->n_rows,
                                 (size_t)config->n_heads * (size_t)config->d_head);
    relative->size = relative_packed(relative->n_rows, config->d_head);
    if (xl || config->relative.c2p)
        relative->by_query = stage_floats(p, (size_t)config->n_heads, relative->size);
    if (config->relative.p2c)
        relative->by_key = stage_floats(p, (size_t)config->n_heads, relative->size);
    if (xl)
        make_xl(p, relative);
}

double relative_memory(const struct model *m, int n_tokens)
{
    const struct config *config = &m->config;
    double rows, HD = (double)config->n_heads * config->d_head;

    if (m->family->bias != BIAS_XL && m->slot[W_REL_TABLE].weight == NULL)
        return 0;
    rows = relative_row_of(m, n_tokens - 1) - relative_row_of(m, 1 - n_tokens) + 1;
    return rows * (config->d_model +
                   HD * (2 + (config->relative.c2p && config->relative.p2c))) +
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
static void relative_pack_rows(const struct pass *p, float *packed, const float *rows, int n_rows)
{
    int d = p->m->config.d_head;

    relative_pack(packed, rows, p->m->config.n_heads * d, n_rows, d);
    precision_round(pass_precision(p), packed, packed,
                    (int64_t)relative_packed(n_rows, d));
}

static void pack_task(void *self, int h, struct arena *scratch)
{
    const struct prepare_job *job = self;
    const struct relative *relative = job->p->relative;

    (void)scratch;
    relative_pack_rows(job->p, job->packed + (size_t)h * relative->size,
                       relative->row + h * job->p->m->config.d_head, relative->n_rows);
}

/* Queries, keys and values, which enter the products of the terms as they are stored. */
static void round_task(void *self, int i, struct arena *scratch)
{
    const struct prepare_job *job = self;
    int64_t width = job->p->m->place.width;
    float *row = job->p->qkv + (int64_t)i * ROW_CHUNK * width;

    (void)scratch;
    precision_round(pass_precision(job->p), row, row,
                    stage_rows_of(job->p->N, i) * width);
}

static void relative_project_table(struct pass *p, const struct layer_plan *plan, enum slot slot,
                                   float *packed)
{
    struct relative *relative = p->relative;
    struct prepare_job job = { .p = p, .packed = packed };
    int HD = p->m->config.n_heads * p->m->config.d_head;

    stage_linear(p, relative->row, HD, relative->table, p->m->config.d_model,
                 relative->n_rows, &plan->slot[slot]);
    par_for(p->par, p->m->config.n_heads, pack_task, &job);
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
    const struct prepare_job *job = self;
    const struct param *slot = job->plan->slot;
    const struct relative *relative = job->p->relative;
    int d = job->p->m->config.d_head, HD = job->p->m->config.n_heads * d, at = h * d;
    const float *in_q = slot[W_Q_BIAS].vector + at;
    size_t count = in_panels(relative->n_rows);
    float *add = relative->add + (size_t)h * count,
          *segment_add = relative->segment_add + h * PANEL;

    (void)scratch;
    memset(add, 0, count * sizeof *add);
    memset(segment_add, 0, PANEL * sizeof *add);
    for (int i = 0; i < relative->n_rows; i++)
        add[i] = bias_product(slot[W_REL_BIAS].vector + at, in_q,
                              relative->row + (int64_t)i * HD + at, d);
    for (int i = 0; i < 2; i++)
        segment_add[i] = bias_product(slot[W_SEG_BIAS].vector + at, in_q,
                                      job->segment + (int64_t)i * HD + at, d);
    relative_pack_rows(job->p, relative->segment + (size_t)h * relative_packed(2, d),
                       job->segment + at, 2);
}

static void prepare_xl(struct pass *p, const struct layer_plan *plan)
{
    struct arena_mark mark = arena_mark(p->call);
    const struct config *config = &p->m->config;
    int64_t HD = (int64_t)config->n_heads * config->d_head;
    float *segment = stage_floats(p, 2, (size_t)HD);
    struct prepare_job job = { .p = p, .plan = plan, .segment = segment };

    tensor_read(segment, plan->slot[W_SEG].weight, 0, 2 * HD);
    relative_project_table(p, plan, W_REL_K, p->relative->by_query);
    par_for(p->par, config->n_heads, xl_task, &job);
    arena_reset(p->call, mark);
}

void relative_project(struct pass *p, const struct layer_plan *plan)
{
    bool shared = p->m->config.relative.shared;
    struct prepare_job job = { .p = p };

    if (p->relative == NULL)
        return;
    if (pass_precision(p) != PRECISION_F32)
        stage_rows(p, p->N, round_task, &job);
    if (p->m->family->bias == BIAS_XL) {
        prepare_xl(p, plan);
        return;
    }
    if (p->relative->by_query != NULL)
        relative_project_table(p, plan, shared ? W_K : W_REL_K, p->relative->by_query);
    if (p->relative->by_key != NULL)
        relative_project_table(p, plan, shared ? W_Q : W_REL_Q, p->relative->by_key);
}

/* ---- one head of one text ---- */

void relative_set_terms(const struct pass *p, const struct heads *h, int text, int head,
                        struct relative_terms *room, struct attend *at)
{
    const struct relative *relative = p->relative;
    const struct config *config = &p->m->config;
    size_t from = (size_t)head * relative->size;
    int first = p->b->start[text], group = head / (config->n_heads / config->n_kv_heads);

    room->positions = (struct relative_positions){
        .at = &relative->at,
        .d = at->d,
        .scale = at->scale,
        .by_query = relative->by_query != NULL ? relative->by_query + from : NULL,
        .by_key = relative->by_key != NULL ? relative->by_key + from : NULL,
        .add = relative->add != NULL ?
                   relative->add + (size_t)head * in_panels(relative->n_rows) :
                   NULL,
        .q = h->q + first * h->q_stride + h->q_at[head],
        .q_stride = h->q_stride,
        .k = h->kv + h->key_start[text] * h->kv_stride + h->k_at[group],
        .k_stride = h->kv_stride,
    };
    at->term[0] = (struct score_term){ relative_positions, &room->positions };
    if (relative->segment == NULL)
        return;
    room->segments = (struct relative_segments){
        .type = relative->type + first, .d = at->d, .scale = at->scale,
        .by_query = relative->segment + (size_t)head * relative_packed(2, at->d),
        .add = relative->segment_add + head * PANEL,
        .q = room->positions.q, .q_stride = h->q_stride,
    };
    at->term[1] = (struct score_term){ relative_segments, &room->segments };
}
