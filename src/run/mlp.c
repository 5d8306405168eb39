/* SPDX-License-Identifier: MIT
 * Rows of the residual stream -> up, activation, down -> added to it. */
#include "run/mlp.h"

#include <string.h>

#include "nn/act.h"
#include "nn/nn.h"
#include "run/experts.h"
#include "run/stage.h"

struct act_job {
    const struct pass *p;
    enum mlp mlp;
    int n_rows;
};

/* Activates in place; a fused row holds gate, then up, and its up half is the result. */
static void act_rows(void *self, int i, struct arena *scratch)
{
    const struct act_job *j = self;
    enum act act = j->p->m->config.act;
    int64_t F = j->p->m->config.d_ff, first = (int64_t)i * ROW_CHUNK;
    int n = stage_rows_of(j->n_rows, i);

    (void)scratch;
    if (j->mlp == MLP_PLAIN)
        act_apply(act, j->p->up + first * F, n * F);
    else if (j->mlp == MLP_GATED)
        act_gated(act, j->p->up + first * F, j->p->gate + first * F, n * F);
    for (int r = 0; j->mlp == MLP_GATED_FUSED && r < n; r++) {
        float *row = j->p->up + (first + r) * 2 * F;

        act_gated(act, row + F, row, F);
    }
}

/* out[n, D] = down(act(up in)); out may be in. */
static void one_mlp(struct pass *p, const struct layer_plan *plan, float *out,
                    const float *in, int n)
{
    bool fused = p->m->mlp == MLP_GATED_FUSED;
    int64_t D = p->m->config.d_model, F = p->m->config.d_ff, width = fused ? 2 * F : F;
    struct act_job j = { p, p->m->mlp, n };

    stage_linear(p, p->up, width, in, D, n, &plan->slot[W_UP]);
    if (p->gate != NULL)
        stage_linear(p, p->gate, F, in, D, n, &plan->slot[W_GATE]);
    stage_rows(p, n, act_rows, &j);
    stage_linear(p, out, D, p->up + (fused ? F : 0), width, n, &plan->slot[W_DOWN]);
}

void mlp_add(struct pass *p, const struct layer_plan *plan)
{
    const struct param *norm = &plan->slot[W_MLP_NORM];
    enum norm_place place = p->m->norm_place;
    int64_t D = p->m->config.d_model;

    for (int row = 0; row < p->N; row += MLP_ROWS) {
        int n = p->N - row < MLP_ROWS ? p->N - row : MLP_ROWS;
        float *x = p->x + row * D, *a = p->a + row * D;
        const float *x2 = p->x2 + row * D, *in = x2;

        if (place != PLACE_POST) {
            /* Parallel without a norm of its own: a still holds what attention read. */
            if (place != PLACE_PARALLEL || norm->vector != NULL)
                stage_norm(p, a, x2, n, (int)D, norm);
            in = a;
            if (p->m->config.norm.residual_from)
                memcpy(x, a, (size_t)(n * D) * sizeof *x);
        }
        if (plan->expert != NULL)
            experts_sum(p, plan, a, in, n);
        else
            one_mlp(p, plan, a, in, n);
        stage_norm(p, a, a, n, (int)D, &plan->slot[W_MLP_OUT]);
        nn_add(x, a, n * D);
        if (place == PLACE_POST)
            stage_norm(p, x, x, n, (int)D, norm);
    }
}
