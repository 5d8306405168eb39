/* SPDX-License-Identifier: MIT
 * Rows of the residual stream -> up, activation, down -> added to it. */
#include "run/mlp.h"

#include <math.h>
#include <string.h>

#include "model/family_slots.h"
#include "nn/act.h"
#include "nn/nn.h"
#include "run/special/experts.h"
#include "run/stage.h"

struct act_job {
    const struct pass *p;
    enum mlp mlp;
    int64_t F;
    int n_rows;
};

/* Activates in place; a fused row holds gate, then up, and its up half is the result. */
static void act_rows(void *self, int i, struct arena *scratch)
{
    const struct act_job *job = self;
    enum act act = job->p->m->config.act;
    int64_t F = job->F, first = (int64_t)i * ROW_CHUNK;
    int count = stage_rows_of(job->n_rows, i);

    (void)scratch;
    if (job->mlp == MLP_PLAIN)
        act_apply(act, job->p->up + first * F, count * F);
    else if (job->mlp == MLP_GATED)
        act_gated(act, job->p->up + first * F, job->p->gate + first * F, count * F);
    for (int r = 0; job->mlp == MLP_GATED_FUSED && r < count; r++) {
        float *row = job->p->up + (first + r) * 2 * F;

        act_gated(act, row + F, row, F);
    }
}

static void activate(struct pass *pass, enum mlp mlp, int64_t F, int n)
{
    struct act_job job = { pass, mlp, F, n };
    int before = meter_enter(par_meter(pass->par), METER_ACTIVATION);

    stage_rows(pass, n, act_rows, &job);
    meter_leave(par_meter(pass->par), before);
}

struct cut_job {
    float *gate;
    float cut;
    int n_rows, F;
};

/* g = max(0, g - mean - cut deviation) of each row. */
static void cut_rows(void *self, int i, struct arena *scratch)
{
    const struct cut_job *job = self;
    int F = job->F;
    float *g = job->gate + (int64_t)i * ROW_CHUNK * F;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->n_rows, i); r++, g += F) {
        double mean = 0, square = 0;
        float from;

        for (int k = 0; k < F; k++)
            mean += (double)g[k] / F;
        for (int k = 0; k < F; k++)
            square += ((double)g[k] - mean) * ((double)g[k] - mean) / F;
        from = (float)(mean + sqrt(square) * (double)job->cut);
        for (int k = 0; k < F; k++)
            g[k] = g[k] < from ? 0 : g[k] - from;       /* a NaN stays one */
    }
}

/* out[n, D] = down(act(up in)); out may be in. */
static void one_mlp(struct pass *pass, const struct layer_plan *plan, float *out,
                    const float *in, int n)
{
    bool fused = pass->m->mlp == MLP_GATED_FUSED;
    int64_t D = family_slot_dim(pass->m->family, &pass->m->config, DIM_INNER);
    int64_t F = pass->m->config.d_ff, width = fused ? 2 * F : F;

    stage_linear(pass, pass->up, width, in, D, n, &plan->slot[W_UP]);
    if (pass->gate != NULL)
        stage_linear(pass, pass->gate, F, in, D, n, &plan->slot[W_GATE]);
    if (plan->sparse)
        stage_rows(pass, n, cut_rows, &(struct cut_job){ pass->gate, plan->cut, n, (int)F });
    activate(pass, pass->m->mlp, F, n);
    stage_linear(pass, out, D, pass->up + (fused ? F : 0), width, n, &plan->slot[W_DOWN]);
}

/* x[n, D] = norm(x + down(act(up x))) of each mlp before the layer's last; a is room. */
static void add_former(struct pass *pass, const struct layer_plan *plan, float *x, float *a, int n)
{
    int D = family_slot_dim(pass->m->family, &pass->m->config, DIM_INNER), F = pass->m->config.d_ff;

    for (int i = 0; plan->former != NULL && i < pass->m->config.n_mlps - 1; i++) {
        const struct former_mlp *mlp = &plan->former[i];

        stage_linear(pass, pass->up, F, x, D, n, &mlp->up);
        activate(pass, MLP_PLAIN, F, n);
        stage_linear(pass, a, D, pass->up, F, n, &mlp->down);
        stage_add(pass, x, a, n, D);
        stage_norm(pass, x, x, n, D, &mlp->norm);
    }
}

/*
 * The adapter of the model's language, on n rows of the stream from row on; a is room:
 *     r = norm(x), or x       x = (r or x) + up(act(down r))
 */
static void language_add(struct pass *pass, const struct layer_plan *plan, float *a, int row, int n)
{
    static const struct param identity;
    const struct config *config = &pass->m->config;
    const struct param *down = &plan->slot[W_LANG_DOWN];
    const struct param *norm = config->language.own_norm ? &plan->slot[W_LANG_NORM] :
                               config->language.mlp_norm ? &plan->slot[W_MLP_NORM] : &identity;
    enum stack_id stack = pass->m->family->stack_id;
    int64_t D = config->d_model, width = config->language.d;
    int layer = (int)(plan - pass->m->layer);
    float *x = pass->x + row * D;

    if (down->weight == NULL)
        return;
    stage_norm(pass, a, x, n, (int)D, norm);
    if (config->language.norm_first && norm->vector != NULL) {
        memcpy(x, a, (size_t)(n * D) * sizeof *x);
        stage_step(pass, STREAM_NORM, layer, stack, norm, pass->x, row, n);
    }
    stage_linear(pass, pass->up, width, a, D, n, down);
    activate(pass, MLP_PLAIN, width, n);
    stage_linear(pass, a, D, pass->up, width, n, &plan->slot[W_LANG_UP]);
    stage_add(pass, x, a, n, (int)D);
    stage_step(pass, STREAM_MLP, layer, stack, NULL, pass->x, row, n);
}

int64_t mlp_width(const struct model *model)
{
    int64_t up = family_slot_dim(model->family, &model->config, DIM_UP),
            language = model->config.language.d;

    return up > language ? up : language;
}

void mlp_add(struct pass *pass, const struct layer_plan *plan)
{
    const struct param *norm = &plan->slot[W_MLP_NORM];
    enum norm_place place = pass->m->norm_place;
    enum stack_id stack = pass->m->family->stack_id;
    int64_t D = family_slot_dim(pass->m->family, &pass->m->config, DIM_INNER);
    int layer = (int)(plan - pass->m->layer);

    for (int row = 0; row < pass->N; row += MLP_ROWS) {
        int count = pass->N - row < MLP_ROWS ? pass->N - row : MLP_ROWS;
        float *x = pass->x3 + row * D, *a = pass->a + row * D;
        const float *x2 = pass->x2 + row * D, *in = x2;

        add_former(pass, plan, x, a, count);

        if (place != PLACE_POST) {
            /* Parallel without a norm of its own: a still holds what attention read. */
            if (place != PLACE_PARALLEL || norm->vector != NULL)
                stage_norm(pass, a, x2, count, (int)D, norm);
            in = a;
            if (pass->m->config.norm.residual_from) {
                memcpy(x, a, (size_t)(count * D) * sizeof *x);
                if (norm->vector != NULL)
                    stage_step(pass, STREAM_NORM, layer, stack, norm, pass->x3, row, count);
            }
        }
        if (plan->expert != NULL)
            experts_sum(pass, plan, a, in, count);
        else
            one_mlp(pass, plan, a, in, count);
        stage_norm(pass, a, a, count, (int)D, &plan->slot[W_MLP_OUT]);
        stage_scale(pass, a, count, (int)D, pass->m->config.multiplier.branch,
                    plan->slot[W_MLP_SCALE].vector);
        stage_add(pass, x, a, count, (int)D);
        stage_step(pass, STREAM_MLP, layer, stack, NULL, pass->x3, row, count);
        language_add(pass, plan, a, row, count);
        if (place != PLACE_POST)
            continue;
        stage_norm(pass, x, x, count, (int)D, norm);
        stage_step(pass, STREAM_NORM, layer, stack, norm, pass->x3, row, count);
    }
}
