/* SPDX-License-Identifier: MIT
 * Rows -> the sums of their experts.  The rows of one expert run together; a row's sum is in the
 * order of the experts, then the shared one, so that it does not depend on other rows. */
#include "run/special/experts.h"

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
static void part_pairs(const struct room *room, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        room->up[i] = room->gate[2 * i + 1];
        room->gate[i] = room->gate[2 * i];
    }
}

/* Source: OpenAI 2025, gpt-oss; a NaN stays one. */
static void limit(const struct room *room, float most, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float up = room->up[i] < -most ? -most : room->up[i];

        room->up[i] = (up > most ? most : up) + 1;
        room->gate[i] = room->gate[i] > most ? most : room->gate[i];
    }
}

static void run_expert(struct pass *pass, const struct expert *x, const struct room *room,
                       int n)
{
    const struct config *config = &pass->m->config;
    int64_t D = config->d_model, F = x->down.matrix.K;

    if (x->gate.weight != NULL) {
        stage_linear(pass, room->up, F, room->in, D, n, &x->up);
        stage_linear(pass, room->gate, F, room->in, D, n, &x->gate);
    } else {
        stage_linear(pass, room->gate, 2 * F, room->in, D, n, &x->up);
        part_pairs(room, n * F);
    }
    if (config->experts.limit > 0)
        limit(room, (float)config->experts.limit, n * F);
    act_gated(config->act, room->up, room->gate, n * F);
    stage_linear(pass, room->down, D, room->up, F, n, &x->down);
}

static struct room experts_make_room(struct pass *pass, int n)
{
    const struct config *config = &pass->m->config;
    size_t D = (size_t)config->d_model, F = (size_t)config->experts.d_ff;
    bool pairs = quirks_of(pass->m->family)->experts_in_pairs;

    if (config->experts.n_shared > 0 &&
        (size_t)family_slot_dim(pass->m->family, config, DIM_FS) > F)
        F = (size_t)family_slot_dim(pass->m->family, config, DIM_FS);
    return (struct room){
        .in = arena_alloc_raw(pass->call, (uint64_t)n * D, sizeof(float)),
        .up = arena_alloc_raw(pass->call, (uint64_t)n * F, sizeof(float)),
        .gate = arena_alloc_raw(pass->call, (uint64_t)n * F * (pairs ? 2 : 1), sizeof(float)),
        .down = arena_alloc_raw(pass->call, (uint64_t)n * D, sizeof(float)),
        .row = arena_alloc_raw(pass->call, (size_t)n, sizeof(int)),
    };
}

/* down *= sigmoid of one number a row of in. */
static void experts_share_out(struct pass *pass, const struct param *score, const struct room *room,
                              int n)
{
    int64_t D = pass->m->config.d_model;

    stage_linear(pass, room->up, 1, room->in, D, n, score);
    for (int64_t i = 0; i < n; i++) {
        float share = (float)(1 / (1 + elementary_exp(-(double)room->up[i])));

        for (int64_t k = 0; k < D; k++)
            room->down[i * D + k] *= share;
    }
}

static void run_shared(struct pass *pass, const struct param *slot, struct room *room,
                       float *out, const float *a, int n)
{
    const struct expert shared = { slot[W_SHARED_GATE], slot[W_SHARED_UP],
                                   slot[W_SHARED_DOWN] };
    size_t size = (size_t)n * (size_t)pass->m->config.d_model;

    if (shared.up.weight == NULL)
        return;
    memcpy(room->in, a, size * sizeof *a);
    run_expert(pass, &shared, room, n);
    if (slot[W_SHARED_SCORE].weight != NULL)
        experts_share_out(pass, &slot[W_SHARED_SCORE], room, n);
    nn_add(out, room->down, (int64_t)size);
}

static struct routing routing_of(const struct model *model, const struct layer_plan *plan)
{
    const struct config *config = &model->config;

    return (struct routing){
        .E = config->experts.n,
        .n_chosen = config->experts.n_chosen,
        .score = model->family->score,
        .group_score = model->family->group_score,
        .n_groups = config->experts.n_groups,
        .n_kept = config->experts.n_chosen_groups,
        .bias = plan->slot[W_ROUTER_BIAS].vector,
        .renormalise = config->experts.renormalise,
        .jitter = (float)(2 * config->experts.jitter),
        .factor = config->experts.factor > 0 ? (float)config->experts.factor : 1,
    };
}

void experts_sum(struct pass *pass, const struct layer_plan *plan, float *out,
                 const float *a, int n)
{
    const struct config *config = &pass->m->config;
    int64_t D = config->d_model, E = config->experts.n;
    struct arena_mark mark = arena_mark(pass->call);
    struct room r = experts_make_room(pass, n);
    struct routing routing = routing_of(pass->m, plan);
    bool on_input = routing.score == SCORE_SIGMOID_INPUT;
    struct route_room room = route_room(pass->call, config->experts.n);
    float *share = arena_alloc_raw(pass->call, (uint64_t)(n * E), sizeof *share);
    float *sum = arena_alloc(pass->call, (uint64_t)(n * D), sizeof *sum);

    stage_linear(pass, share, E, a, D, n, &plan->slot[W_ROUTER]);
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
        run_expert(pass, &plan->expert[x], &r, rows);
        for (int k = 0; k < rows; k++)
            for (int d = 0; d < D; d++)
                sum[r.row[k] * D + d] += (on_input ? 1 : share[r.row[k] * E + x]) *
                                         r.down[k * D + d];
    }
    run_shared(pass, plan->slot, &r, sum, a, n);
    memcpy(out, sum, (size_t)(n * D) * sizeof *out);
    arena_reset(pass->call, mark);
}
