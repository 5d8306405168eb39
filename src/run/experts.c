/* SPDX-License-Identifier: MIT
 * Mixture of experts: each row goes to the experts that the router prefers.  The
 * rows of one expert run together; a row's sum is over experts in their order, so
 * that it does not depend on the other rows. */
#include <math.h>
#include <string.h>

#include "run/run_priv.h"

/* Softmax over E scores in place, in double. */
static void softmax(float *s, int E)
{
    double sum = 0;
    float max = s[0];

    for (int x = 1; x < E; x++)
        if (s[x] > max)
            max = s[x];
    for (int x = 0; x < E; x++)
        sum += exp((double)(s[x] - max));
    for (int x = 0; x < E; x++)
        s[x] = (float)(exp((double)(s[x] - max)) / sum);
}

/* Leaves the n_chosen largest scores (ties: the lower expert), the others -1. */
static void choose(float *s, int E, int n_chosen, bool renormalise)
{
    float sum = 0;
    bool chosen[1 << 16] = { false };

    for (int k = 0; k < n_chosen; k++) {
        int best = -1;

        for (int x = 0; x < E; x++)
            if (!chosen[x] && (best < 0 || s[x] > s[best]))
                best = x;
        chosen[best] = true;
        sum += s[best];
    }
    for (int x = 0; x < E; x++)
        s[x] = !chosen[x] ? -1 : renormalise ? s[x] / sum : s[x];
}

struct room {
    float *in, *up, *gate, *down;   /* of the rows that one expert gets */
    int *row;                       /* which rows those are */
};

static void run_expert(struct pass *p, const struct expert *x, const struct room *r,
                       int n)
{
    int64_t D = p->m->config.d_model, F = p->m->config.d_expert;

    pass_linear(p, r->up, F, r->in, D, n, &x->up);
    pass_linear(p, r->gate, F, r->in, D, n, &x->gate);
    act_gated(p->m->config.act, r->up, r->gate, n * F);
    pass_linear(p, r->down, D, r->up, F, n, &x->down);
}

static struct room make_room(struct pass *p, int n)
{
    size_t D = (size_t)p->m->config.d_model, F = (size_t)p->m->config.d_expert;

    return (struct room){
        .in = arena_alloc_raw(p->call, (size_t)n * D, sizeof(float)),
        .up = arena_alloc_raw(p->call, (size_t)n * F, sizeof(float)),
        .gate = arena_alloc_raw(p->call, (size_t)n * F, sizeof(float)),
        .down = arena_alloc_raw(p->call, (size_t)n * D, sizeof(float)),
        .row = arena_alloc_raw(p->call, (size_t)n, sizeof(int)),
    };
}

void pass_experts(struct pass *p, const struct layer_plan *plan, float *out,
                  const float *a, int n)
{
    const struct config *c = &p->m->config;
    int64_t D = c->d_model, E = c->n_experts;
    struct arena_mark mark = arena_mark(p->call);
    struct room r = make_room(p, n);
    float *share = arena_alloc_raw(p->call, (size_t)(n * E), sizeof *share);
    float *sum = arena_alloc(p->call, (size_t)(n * D), sizeof *sum);

    pass_linear(p, share, E, a, D, n, &plan->slot[W_ROUTER]);
    for (int i = 0; i < n; i++) {
        softmax(share + i * E, (int)E);
        choose(share + i * E, (int)E, c->n_chosen, c->renormalise);
    }
    for (int x = 0; x < E; x++) {
        int rows = 0;

        for (int i = 0; i < n; i++)
            if (share[i * E + x] >= 0) {
                memcpy(r.in + rows * D, a + i * D, (size_t)D * sizeof *a);
                r.row[rows++] = i;
            }
        if (rows == 0)
            continue;
        run_expert(p, &plan->expert[x], &r, rows);
        for (int k = 0; k < rows; k++)
            for (int d = 0; d < D; d++)
                sum[r.row[k] * D + d] += share[r.row[k] * E + x] * r.down[k * D + d];
    }
    memcpy(out, sum, (size_t)(n * D) * sizeof *out);
    arena_reset(p->call, mark);
}
