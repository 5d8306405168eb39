/* SPDX-License-Identifier: MIT
 * A table of positions, or sinusoids -> an embedding per distance -> terms of the scores. */
#include "run/special/relative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/precision.h"
#include "nn/sinusoid.h"
#include "run/stage.h"

/* ---- rows by distance ---- */

/* The row of the table, or the sinusoid, that a distance reads; 0: distance 0. */
static int relative_row_of(const struct model *model, int distance)
{
    const struct config *config = &model->config;
    int row = distance, size = abs(distance);

    if (model->family->bias == BIAS_XL) {
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

static void fill_table(struct pass *pass, struct relative *relative, int first)
{
    int D = pass->m->config.d_model;
    const struct tensor *tensor = pass->m->slot[W_REL_TABLE].weight;
    int64_t row0 = (int64_t)first + pass->m->config.relative.span;

    relative->table = stage_floats(pass, (size_t)relative->n_rows, (size_t)D);
    for (int i = 0; tensor == NULL && i < relative->n_rows; i++)
        sinusoid_distance(relative->table + (int64_t)i * D, first + i, D);
    if (tensor == NULL)
        return;
    tensor_read(relative->table, tensor, row0 * D, (int64_t)relative->n_rows * D);
    stage_norm(pass, relative->table, relative->table, relative->n_rows, D,
               &pass->m->slot[W_REL_NORM]);
}

/* The distances of the longest text, and the rows that they read. */
static void fill_distances(struct pass *pass, struct relative *relative)
{
    int reach = 0, first, *row, *begin;

    for (int t = 0; t < pass->b->n_texts; t++)
        if (pass_tokens(pass, t) - 1 > reach)
            reach = pass_tokens(pass, t) - 1;
    first = relative_row_of(pass->m, -reach);
    row = arena_alloc_raw(pass->call, 2 * (size_t)reach + 1, sizeof *row);
    for (int d = -reach; d <= reach; d++)
        row[reach + d] = relative_row_of(pass->m, d) - first;
    relative->n_rows = row[2 * reach] + 1;
    begin = arena_alloc_raw(pass->call, relative_begins(relative->n_rows), sizeof *begin);
    relative_find_begins(begin, row, reach, relative->n_rows);
    relative->at = (struct distances){ reach, row, begin };
    fill_table(pass, relative, first);
}

static size_t in_panels(int n)
{
    return ((size_t)n + PANEL - 1) / PANEL * PANEL;
}

/* Segments, and what is added to the products of queries with positions. */
static void make_xl(struct pass *pass, struct relative *relative)
{
    size_t H = (size_t)pass->m->config.n_heads;
    const int *type = pass->b->type;

    relative->add = stage_floats(pass, H, in_panels(relative->n_rows));
    relative->segment = stage_floats(pass, H, relative_packed(2, pass->m->config.d_head));
    relative->segment_add = stage_floats(pass, H, PANEL);
    relative->type = type != NULL ? type : arena_alloc(pass->call, (size_t)pass->N, sizeof *type);
}

void relative_rows(struct pass *pass)
{
    const struct config *config = &pass->m->config;
    bool xl = pass->m->family->bias == BIAS_XL;
    struct relative *relative;

    if (!xl && pass->m->slot[W_REL_TABLE].weight == NULL)
        return;
    pass->relative = relative = arena_alloc(pass->call, 1, sizeof *relative);
    fill_distances(pass, relative);
    relative->row = stage_floats(pass, (size_t)relative->n_rows,
                                 (size_t)config->n_heads * (size_t)config->d_head);
    relative->size = relative_packed(relative->n_rows, config->d_head);
    if (xl || config->relative.c2p)
        relative->by_query = stage_floats(pass, (size_t)config->n_heads, relative->size);
    if (config->relative.p2c)
        relative->by_key = stage_floats(pass, (size_t)config->n_heads, relative->size);
    if (xl)
        make_xl(pass, relative);
}

double relative_memory(const struct model *model, int n_tokens)
{
    const struct config *config = &model->config;
    double rows, HD = (double)config->n_heads * config->d_head;

    if (model->family->bias != BIAS_XL && model->slot[W_REL_TABLE].weight == NULL)
        return 0;
    rows = relative_row_of(model, n_tokens - 1) - relative_row_of(model, 1 - n_tokens) + 1;
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
static void relative_pack_rows(const struct pass *pass, float *packed, const float *rows,
                               int n_rows)
{
    int d = pass->m->config.d_head;

    relative_pack(packed, rows, pass->m->config.n_heads * d, n_rows, d);
    precision_round(pass_precision(pass), packed, packed,
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

static void relative_project_table(struct pass *pass, const struct layer_plan *plan, enum slot slot,
                                   float *packed)
{
    struct relative *relative = pass->relative;
    struct prepare_job job = { .p = pass, .packed = packed };
    int HD = pass->m->config.n_heads * pass->m->config.d_head;

    stage_linear(pass, relative->row, HD, relative->table, pass->m->config.d_model,
                 relative->n_rows, &plan->slot[slot]);
    par_for(pass->par, pass->m->config.n_heads, pack_task, &job);
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

static void prepare_xl(struct pass *pass, const struct layer_plan *plan)
{
    struct arena_mark mark = arena_mark(pass->call);
    const struct config *config = &pass->m->config;
    int64_t HD = (int64_t)config->n_heads * config->d_head;
    float *segment = stage_floats(pass, 2, (size_t)HD);
    struct prepare_job job = { .p = pass, .plan = plan, .segment = segment };

    tensor_read(segment, plan->slot[W_SEG].weight, 0, 2 * HD);
    relative_project_table(pass, plan, W_REL_K, pass->relative->by_query);
    par_for(pass->par, config->n_heads, xl_task, &job);
    arena_reset(pass->call, mark);
}

void relative_project(struct pass *pass, const struct layer_plan *plan)
{
    bool shared = pass->m->config.relative.shared;
    struct prepare_job job = { .p = pass };

    if (pass->relative == NULL)
        return;
    if (pass_precision(pass) != PRECISION_F32)
        stage_rows(pass, pass->N, round_task, &job);
    if (pass->m->family->bias == BIAS_XL) {
        prepare_xl(pass, plan);
        return;
    }
    if (pass->relative->by_query != NULL)
        relative_project_table(pass, plan, shared ? W_K : W_REL_K, pass->relative->by_query);
    if (pass->relative->by_key != NULL)
        relative_project_table(pass, plan, shared ? W_Q : W_REL_Q, pass->relative->by_key);
}

/* ---- one head of one text ---- */

void relative_set_terms(const struct pass *pass, const struct heads *heads, int text, int head,
                        struct relative_terms *room, struct attend *attend)
{
    const struct relative *relative = pass->relative;
    const struct config *config = &pass->m->config;
    size_t from = (size_t)head * relative->size;
    int first = pass->b->start[text], group = head / (config->n_heads / config->n_kv_heads);

    room->positions = (struct relative_positions){
        .at = &relative->at,
        .d = attend->d,
        .scale = attend->scale,
        .by_query = relative->by_query != NULL ? relative->by_query + from : NULL,
        .by_key = relative->by_key != NULL ? relative->by_key + from : NULL,
        .add = relative->add != NULL ?
                       relative->add + (size_t)head * in_panels(relative->n_rows) :
                       NULL,
        .q = heads->q + first * heads->q_stride + heads->q_at[head],
        .q_stride = heads->q_stride,
        .k = heads->kv + heads->key_start[text] * heads->kv_stride + heads->k_at[group],
        .k_stride = heads->kv_stride,
    };
    attend->term[0] = (struct score_term){ relative_positions, &room->positions };
    if (relative->segment == NULL)
        return;
    room->segments = (struct relative_segments){
        .type = relative->type + first, .d = attend->d, .scale = attend->scale,
        .by_query = relative->segment + (size_t)head * relative_packed(2, attend->d),
        .add = relative->segment_add + head * PANEL,
        .q = room->positions.q, .q_stride = heads->q_stride,
    };
    attend->term[1] = (struct score_term){ relative_segments, &room->segments };
}
