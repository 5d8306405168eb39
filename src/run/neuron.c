/* SPDX-License-Identifier: MIT
 * The inputs of an attention -> the terms of one row's scores. */
#include "run/neuron.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "nn/bias.h"
#include "nn/chunks.h"
#include "nn/relative.h"
#include "nn/score.h"
#include "nn/visible.h"
#include "run/mask.h"
#include "run/scores.h"

const char *const neuron_part_names[N_NEURON_PART] = {
    "position", "query_position", "key_position", "segment", "copies", "mask",
};

void neuron_parts(bool has[N_NEURON_PART], const struct model *model, int layer,
                  enum stack_id stack, bool masked)
{
    const struct config *config = &model->config;
    const struct layer_plan *plan = &model->layer[layer];
    bool own = stack != STACK_CROSS, xl = own && model->family->bias == BIAS_XL;
    bool table = own && model->slot[W_REL_TABLE].weight != NULL;

    has[NEURON_POSITION] = own && (model->alibi != NULL || model->buckets != NULL ||
                                   plan->grid != NULL);
    has[NEURON_QUERY_POSITION] = xl || (table && config->relative.c2p) ||
                                 (own ? plan->distance : plan->cross_distance) != NULL;
    has[NEURON_KEY_POSITION] = table && config->relative.p2c;
    has[NEURON_SEGMENT] = xl;
    has[NEURON_COPIES] = own && (config->sparse.block > 0 || plan->chunks.len > 0);
    has[NEURON_MASK] = masked;
}

struct neuron *neuron_new(struct arena *a, const struct model *model, enum stack_id stack,
                          int layer, int head, int row, int n_keys)
{
    struct neuron *n = arena_alloc(a, 1, sizeof *n);
    size_t d = (size_t)model->config.d_head, S = (size_t)n_keys;

    *n = (struct neuron){ .m = model, .stack = stack, .layer = layer, .head = head, .row = row,
                          .S = n_keys, .d = (int)d, .sink = NAN, .sink_weight = NAN };
    n->q = arena_alloc(a, d, sizeof *n->q);
    n->k = arena_alloc(a, S, d * sizeof *n->k);
    n->dot = arena_alloc(a, S, sizeof *n->dot);
    n->scaled = arena_alloc(a, S, sizeof *n->scaled);
    for (int i = 0; i < N_NEURON_PART; i++)
        n->part[i] = arena_alloc(a, S, sizeof *n->part[i]);
    n->score = arena_alloc(a, S, sizeof *n->score);
    n->weight = arena_alloc(a, S, sizeof *n->weight);
    n->hidden = arena_alloc(a, S, sizeof *n->hidden);
    return n;
}

float neuron_product(const struct neuron *neuron, int key, int c)
{
    return neuron->q[c] * neuron->k[(int64_t)key * neuron->d + c];
}

/* ---- the tap ---- */

/* What a term adds to, or puts in the place of, the scores so far. */
static void take_part(struct neuron *neuron, enum neuron_part part, const struct score_term *term,
                      struct arena *scratch)
{
    bool replaces = part == NEURON_COPIES || part == NEURON_MASK;
    struct arena_mark mark = arena_mark(scratch);
    float *room = arena_alloc(scratch, (size_t)neuron->S, sizeof *room);

    if (replaces)
        memcpy(room, neuron->score, (size_t)neuron->S * sizeof *room);
    term->add(term->self, room, (size_t)neuron->S, neuron->row, 1, 0, neuron->S);
    for (int s = 0; s < neuron->S; s++) {
        neuron->part[part][s] = replaces ? room[s] - neuron->score[s] : room[s];
        neuron->score[s] = replaces ? room[s] : neuron->score[s] + room[s];
    }
    arena_reset(scratch, mark);
}

/* What queries meet at a distance, then what keys meet there. */
static void take_positions(struct neuron *neuron, const struct relative_positions *both,
                           struct arena *scratch)
{
    struct relative_positions one = *both;

    one.by_key = NULL;
    take_part(neuron, NEURON_QUERY_POSITION, &(struct score_term){ relative_positions, &one },
              scratch);
    one.by_key = both->by_key;
    one.by_query = NULL;
    take_part(neuron, NEURON_KEY_POSITION, &(struct score_term){ relative_positions, &one },
              scratch);
}

static void take_term(struct neuron *neuron, const struct score_term *term, struct arena *scratch)
{
    static const struct {
        void (*add)(const void *self, float *score, size_t stride, int row0, int n_rows,
                    int key0, int n_keys);
        enum neuron_part part;
    } parts[] = {
        { bias_alibi, NEURON_POSITION }, { bias_buckets, NEURON_POSITION },
        { bias_grid, NEURON_POSITION },
        { relative_segments, NEURON_SEGMENT }, { bias_copies, NEURON_COPIES },
        { chunks_term, NEURON_COPIES }, { mask_add, NEURON_MASK },
    };

    if (term->add == relative_positions)
        take_positions(neuron, term->self, scratch);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].add == term->add)
            take_part(neuron, parts[i].part, term, scratch);
}

static void neuron_take_vectors(struct neuron *neuron, const struct qkv_view *view)
{
    size_t bytes = (size_t)neuron->d * sizeof *neuron->q;
    const float *k = view->kv + view->k_at[neuron->head / (view->H / view->G)];

    memcpy(neuron->q, view->q + view->q_at[neuron->head] + neuron->row * view->q_stride, bytes);
    for (int s = 0; s < neuron->S; s++) {
        memcpy(neuron->k + (int64_t)s * neuron->d, k + s * view->kv_stride, bytes);
        neuron->dot[s] = 0;
        for (int c = 0; c < neuron->d; c++)
            neuron->dot[s] += (double)neuron_product(neuron, s, c);
    }
}

void neuron_scores(struct neuron *neuron, const struct qkv_view *view)
{
    const struct attend *at = &view->at[neuron->head];
    struct attend capped = { .cap = at->cap };

    neuron->scale = at->scale;
    neuron->cap = at->cap;
    neuron->sink = at->sink != NULL ? *at->sink : NAN;
    scores_products(neuron->scaled, view, neuron->head, neuron->row, 1, view->room);
    for (int s = 0; s < neuron->S; s++)
        neuron->scaled[s] *= at->scale;
    score_terms(&capped, neuron->scaled, (size_t)neuron->S, neuron->row, 1, 0, neuron->S);
    memcpy(neuron->score, neuron->scaled, (size_t)neuron->S * sizeof *neuron->score);
    for (int i = 0; i < SCORE_TERMS; i++)
        if (at->term[i].add != NULL)
            take_term(neuron, &at->term[i], view->room);
    for (int s = 0; s < neuron->S; s++)
        neuron->hidden[s] = !visible(at, neuron->row, s);
}

static int neuron_take(void *self, const struct qkv_view *view, struct err *e)
{
    struct neuron *n = self;

    (void)e;
    if (view->stack != n->stack || view->layer != n->layer)
        return 0;
    assert(view->S == n->S && view->at[n->head].d == n->d);
    neuron_take_vectors(n, view);
    neuron_scores(n, view);
    return 0;
}

struct tap neuron_tap(struct neuron *neuron)
{
    return (struct tap){ .take = neuron_take, .self = neuron };
}

/* ---- the sink ---- */

static void neuron_take_rows(void *self, const struct rows *rows, int n_heads)
{
    struct neuron *n = self;
    int row = n->row - rows->row0;

    (void)n_heads;
    if (rows->stack != (int)n->stack || rows->layer != n->layer || rows->head != n->head ||
        row < 0 || row >= rows->n_rows)
        return;
    memcpy(n->weight + rows->key0, rows->weight + (size_t)row * rows->stride,
           (size_t)rows->n_keys * sizeof *n->weight);
    if (rows->null_mass != NULL)
        n->sink_weight = (float)rows->null_mass[row];
}

struct sink neuron_sink(struct neuron *neuron)
{
    return (struct sink){ SINK_HEAD, neuron_take_rows, NULL, neuron };
}
