/* SPDX-License-Identifier: MIT
 * Rows -> the sums of their experts.  The rows of one expert run together; a row's sum is in the
 * order of the experts, then the shared one, so that it does not depend on other rows. */
#include "run/experts.h"

#include <string.h>

#include "base/elementary.h"
#include "model/family_slots.h"
#include "model/quirks.h"
#include "nn/act.h"
#include "nn/nn.h"
#include "run/route.h"
#include "run/stage.h"

struct room {
    float *in, *up, *gate, *down;   /* of the rows of one expert */
    int *row;                       /* which rows those are */
};

/* Gates and what they gate, pair by pair in gate, which has the room of both. */
static void part_pairs(const struct room *r, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        r->up[i] = r->gate[2 * i + 1];
        r->gate[i] = r->gate[2 * i];
    }
}

/* Source: OpenAI 2025, gpt-oss; a NaN stays one. */
static void limit(const struct room *r, float most, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float up = r->up[i] < -most ? -most : r->up[i];

        r->up[i] = (up > most ? most : up) + 1;
        r->gate[i] = r->gate[i] > most ? most : r->gate[i];
    }
}

static void run_expert(struct pass *p, const struct expert *x, const struct room *r,
                       int n)
{
    const struct config *config = &p->m->config;
    int64_t D = config->d_model, F = x->down.matrix.K;

    if (x->gate.weight != NULL) {
        stage_linear(p, r->up, F, r->in, D, n, &x->up);
        stage_linear(p, r->gate, F, r->in, D, n, &x->gate);
    } else {
        stage_linear(p, r->gate, 2 * F, r->in, D, n, &x->up);
        part_pairs(r, n * F);
    }
    if (config->experts.limit > 0)
        limit(r, (float)config->experts.limit, n * F);
    act_gated(config->act, r->up, r->gate, n * F);
    stage_linear(p, r->down, D, r->up, F, n, &x->down);
}

static struct room experts_make_room(struct pass *p, int n)
{
    const struct config *config = &p->m->config;
    size_t D = (size_t)config->d_model, F = (size_t)config->experts.d_ff;
    bool pairs = quirks_of(p->m->family)->experts_in_pairs;

    if (config->experts.n_shared > 0 &&
        (size_t)family_slot_dim(p->m->family, config, DIM_FS) > F)
        F = (size_t)family_slot_dim(p->m->family, config, DIM_FS);
    return (struct room){
        .in = arena_alloc_raw(p->call, (uint64_t)n * D, sizeof(float)),
        .up = arena_alloc_raw(p->call, (uint64_t)n * F, sizeof(float)),
        .gate = arena_alloc_raw(p->call, (uint64_t)n * F * (pairs ? 2 : 1), sizeof(float)),
        .down = arena_alloc_raw(p->call, (uint64_t)n * D, sizeof(float)),
        .row = arena_alloc_raw(p->call, (size_t)n, sizeof(int)),
    };
}

/* down *= sigmoid of one number a row of in. */
static void experts_share_out(struct pass *p, const struct param *score, const struct room *r,
                              int n)
{
    int64_t D = p->m->config.d_model;

    stage_linear(p, r->up, 1, r->in, D, n, score);
    for (int64_t i = 0; i < n; i++) {
        float share = (float)(1 / (1 + elementary_exp(-(double)r->up[i])));

        for (int64_t k = 0; k < D; k++)
            r->down[i * D + k] *= share;
    }
}

static void run_shared(struct pass *p, const struct param *slot, struct room *r,
                       float *out, const float *a, int n)
{
    const struct expert shared = { slot[W_SHARED_GATE], slot[W_SHARED_UP],
                                   slot[W_SHARED_DOWN] };
    size_t size = (size_t)n * (size_t)p->m->config.d_model;

    if (shared.up.weight == NULL)
        return;
    memcpy(r->in, a, size * sizeof *a);
    run_expert(p, &shared, r, n);
    if (slot[W_SHARED_SCORE].weight != NULL)
        experts_share_out(p, &slot[W_SHARED_SCORE], r, n);
    nn_add(out, r->down, (int64_t)size);
}

static struct routing routing_of(const struct model *m, const struct layer_plan *plan)
{
    const struct config *config = &m->config;

    return (struct routing){
        .E = config->experts.n,
        .n_chosen = config->experts.n_chosen,
        .score = m->family->score,
        .group_score = m->family->group_score,
        .n_groups = config->experts.n_groups,
        .n_kept = config->experts.n_chosen_groups,
        .bias = plan->slot[W_ROUTER_BIAS].vector,
        .renormalise = config->experts.renormalise,
        .jitter = (float)(2 * config->experts.jitter),
        .factor = config->experts.factor > 0 ? (float)config->experts.factor : 1,
    };
}

void experts_sum(struct pass *p, const struct layer_plan *plan, float *out,
                 const float *a, int n)
{
    const struct config *config = &p->m->config;
    int64_t D = config->d_model, E = config->experts.n;
    struct arena_mark mark = arena_mark(p->call);
    struct room r = experts_make_room(p, n);
    struct routing routing = routing_of(p->m, plan);
    bool on_input = routing.score == SCORE_SIGMOID_INPUT;
    struct route_room room = route_room(p->call, config->experts.n);
    float *share = arena_alloc_raw(p->call, (uint64_t)(n * E), sizeof *share);
    float *sum = arena_alloc(p->call, (uint64_t)(n * D), sizeof *sum);

    stage_linear(p, share, E, a, D, n, &plan->slot[W_ROUTER]);
    for (int i = 0; i < n; i++)
        route_shares(share + i * E, &routing, &room);
    for (int x = 0; x < E; x++) {
        int rows = 0;

        for (int i = 0; i < n; i++)
            if (!(share[i * E + x] < 0)) {      /* a NaN is passed on, not lost */
                memcpy(r.in + rows * D, a + i * D, (size_t)D * sizeof *a);
                for (int d = 0; on_input && d < D; d++)
                    r.in[rows * D + d] *= share[i * E + x];
                r.row[rows++] = i;
            }
        if (rows == 0)
            continue;
        run_expert(p, &plan->expert[x], &r, rows);
        for (int k = 0; k < rows; k++)
            for (int d = 0; d < D; d++)
                sum[r.row[k] * D + d] += (on_input ? 1 : share[r.row[k] * E + x]) *
                                         r.down[k * D + d];
    }
    run_shared(p, plan->slot, &r, sum, a, n);
    memcpy(out, sum, (size_t)(n * D) * sizeof *out);
    arena_reset(p->call, mark);
}
