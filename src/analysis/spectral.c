/* SPDX-License-Identifier: MIT
 * Folded weights -> spectral norms. */
#include "analysis/spectral.h"

#include <math.h>

#include "analysis/eigen.h"
#include "run/special/fold.h"

struct norming {
    const struct fold *f;
    double scale;
    double *to;                 /* [H] */
};

/* x x^T [n, n] of x[n, D] */
static double *spectral_products(const float *x, int n, int D, struct arena *scratch)
{
    double *out = arena_alloc_raw(scratch, (uint64_t)n, (uint64_t)n * sizeof *out);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;

            for (int k = 0; k < D; k++)
                sum += (double)x[(int64_t)i * D + k] * (double)x[(int64_t)j * D + k];
            out[(int64_t)i * n + j] = sum;
        }
    return out;
}

static double spectral_largest(const struct eigenvalue *value, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        most = fmax(most, value[i].re);
    return most;
}

/* The squares of the singular values are the eigenvalues of Q Q^T K K^T. */
static void norm_head(void *self, int h, struct arena *scratch)
{
    const struct norming *job = self;
    const struct fold *f = job->f;
    int64_t n = f->d, D = f->D, g = h / (f->H / f->G);
    const double *q = spectral_products(f->q + h * n * D, f->d, f->D, scratch);
    const double *k = spectral_products(f->k + g * n * D, f->d, f->D, scratch);
    double *both = arena_alloc(scratch, (uint64_t)n, (uint64_t)n * sizeof *both);
    struct eigenvalue *value = arena_alloc(scratch, (uint64_t)n, sizeof *value);

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t c = 0; c < n; c++)
                both[i * n + c] += q[i * n + j] * k[j * n + c];
    job->to[h] = eigen_values(value, both, f->d) ?
                     job->scale * sqrt(spectral_largest(value, f->d)) : EIGEN_MISSED;
}

const double *spectral_of(struct arena *a, const struct model *model, struct par *par,
                          const struct warn *warn)
{
    int L = model->config.n_layers, H = model->config.n_heads;
    double *all = arena_alloc(a, (uint64_t)L, (uint64_t)H * sizeof *all);
    struct err why;

    if (fold_check(model, &why) != 0)
        return NULL;
    for (int l = 0; l < L; l++) {
        struct arena_mark mark = arena_mark(a);
        struct fold f;

        if (!model_has_layer(model, l))
            continue;
        f = fold_layer(a, model, l);
        par_for(par, H, norm_head, &(struct norming){ &f, (double)model->layer[l].scale,
                                                      all + (int64_t)l * H });
        arena_reset(a, mark);
    }
    eigen_warn(all, L, H, "spectral", warn);
    return all;
}
