/* SPDX-License-Identifier: MIT
 * Heads' outputs -> the direct effect of replacing them on the loss, without later layers: by
 * attribution to the logits, a block of rows at a time. */
#include <math.h>

#include "analysis/attribution.h"
#include "analysis/effect.h"
#include "task/ablate/ablate.h"

struct direct {
    const struct ablate_run *r;
    int first, n;               /* rows of the run */
    struct trail **trail;       /* [n] */
    struct tap *tap;            /* [n] theirs */
    float *logits;              /* [n, V] */
    double *out;                /* [n, n_heads] */
};

/* ---- trails of several rows of one pass ---- */

static void made(void *self, int layer, enum stack_id stack, const float *z, int n_rows,
                 int width)
{
    const struct direct *d = self;

    for (int i = 0; i < d->n; i++)
        d->tap[i].made(d->tap[i].self, layer, stack, z, n_rows, width);
}

static void ablate_direct_step(void *self, const struct stream_step *step)
{
    const struct direct *d = self;

    for (int i = 0; i < d->n; i++)
        d->tap[i].step(d->tap[i].self, step);
}

static int follow(struct direct *direct, struct arena *a, struct err *e)
{
    const struct ablate_run *r = direct->r;
    const struct ablate_job *j = r->j;
    struct tap tap = { .made = made, .step = ablate_direct_step, .self = direct };
    struct wanted want = { .rotations = j->job.want.rotations, .change = j->job.want.change,
                           .tap = &tap };
    int S = j->m != j->job.s.model ? r->S : 0;
    struct texts texts;

    direct->trail = arena_alloc(a, (size_t)direct->n, sizeof *direct->trail);
    direct->tap = arena_alloc(a, (size_t)direct->n, sizeof *direct->tap);
    for (int i = 0; i < direct->n; i++) {
        direct->trail[i] = trail_new(a, j->m, r->row[direct->first + i], r->T, S, false);
        direct->tap[i] = trail_tap(direct->trail[i]);
    }
    want.hidden = arena_alloc_raw(a, (size_t)r->T,
                                  (uint64_t)j->m->d_hidden * sizeof *want.hidden);
    texts_pack(&texts, a, &r->item, 1);
    return session_forward(&j->job.s, &texts, &want, NULL, 0, a, e);
}

static void unembed(struct direct *direct, struct arena *a)
{
    const struct ablate_job *j = direct->r->j;
    struct wanted want = { .change = j->job.want.change };
    size_t width = (size_t)j->m->d_hidden;
    float *rows = arena_alloc_raw(a, (size_t)direct->n, width * sizeof *rows);

    direct->logits = arena_alloc_raw(a, (size_t)direct->n,
                                     (uint64_t)j->m->n_logits * sizeof *direct->logits);
    for (int i = 0; i < direct->n; i++)
        for (size_t k = 0; k < width; k++)
            rows[(size_t)i * width + k] =
                direct->r->hidden[(size_t)direct->r->row[direct->first + i] * width + k];
    run_logits(j->m, &want, direct->logits, rows, direct->n, j->job.s.par, a);
}

/* ---- one row ---- */

/* The row of what takes the place of a head's output; NULL: zeros. */
static const float *new_row(const struct ablate_run *run, const struct ablate_head *head, int row,
                            int width)
{
    const struct ablate_values *values = run->values;

    if (run->j->args->with == ABLATE_UNIFORM)
        return run->uniform[head->stack][head->layer] + (int64_t)row * width;
    return values == NULL ? NULL : values->z[head->stack][head->layer] +
                                         (values->one_row ? 0 : (int64_t)row * width);
}

/* -(new - old) . gradient */
static double loss_change(const struct ablate_run *run, const struct ablate_head *head, int row,
                          const double *gradient)
{
    const struct config *config = &ablate_model(run->j, head->stack)->config;
    int d = config->d_value, width = config->n_heads * d, at = head->head * d;
    const float *old = run->z[head->stack][head->layer] + (int64_t)row * width;
    const float *new = new_row(run, head, row, width);
    double sum = 0;

    for (int k = at; k < at + d; k++)
        sum += ((double)old[k] - (new != NULL ? (double)new[k] : 0)) * gradient[k];
    return sum;
}

static void one_row(void *self, int i, struct arena *scratch)
{
    const struct direct *d = self;
    const struct ablate_run *r = d->r;
    const struct ablate_job *j = r->j;
    int V = j->m->n_logits, row = r->row[d->first + i];
    const float *logits = d->logits + (int64_t)i * V;
    double *p = arena_alloc_raw(scratch, (size_t)V, sizeof *p);
    double *over = arena_alloc_raw(scratch, (size_t)V, sizeof *over);
    struct attribution_target target = { .answer = -1, .against = -1, .over = over };
    const struct attribution *parts;

    effect_softmax(p, logits, effect_log_sum(logits, V), V);
    effect_gradient(over, p, logits, j->m->config.head.cap, r->id[d->first + i], V);
    parts = attribution_new(scratch, d->trail[i], &target);
    for (int h = 0; h < j->n_heads; h++) {
        const struct ablate_head *head = &j->head[h];
        bool crosses = head->stack == STACK_CROSS;

        d->out[(int64_t)i * j->n_heads + h] =
            ablate_model(j, head->stack) != j->m ?
                NAN :
                loss_change(r, head, row,
                            (crosses ? parts->cross : parts->own)[head->layer].gradient);
    }
}

int ablate_direct(const struct ablate_run *run, double *sum, struct err *e)
{
    const struct ablate_job *j = run->j;
    int status = 0;

    for (int row = 0; row < run->n_rows && status == 0; row += ABLATE_TRAILS) {
        struct arena_mark mark = arena_mark(run->a);
        struct direct direct = { .r = run, .first = row };

        direct.n = run->n_rows - row < ABLATE_TRAILS ? run->n_rows - row : ABLATE_TRAILS;
        direct.out = arena_alloc_raw(run->a, (size_t)direct.n,
                                     (uint64_t)j->n_heads * sizeof *direct.out);
        status = follow(&direct, run->a, e);
        if (status == 0) {
            unembed(&direct, run->a);
            par_for(j->job.s.par, direct.n, one_row, &direct);
        }
        for (int64_t i = 0; status == 0 && i < (int64_t)direct.n * j->n_heads; i++)
            sum[i % j->n_heads] += direct.out[i];
        arena_reset(run->a, mark);
    }
    return status;
}
