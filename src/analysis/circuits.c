/* SPDX-License-Identifier: MIT
 * Folded weights -> composition between heads, and copying. */
#include "analysis/circuits.h"

#include <math.h>

#include "analysis/eigen.h"
#include "run/special/fold.h"
#include "run/stage.h"

/* ---- square roots ---- */

/*
 * root[n, n], below the diagonal and on it: root root^T = x x^T of x[n, D], so that a
 * product's norm does not change where root stands for x^T.
 */
static void square_root(double *root, const float *x, int n, int D)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0, pivot = root[(int64_t)j * n + j];

            for (int k = 0; k < D; k++)
                sum += (double)x[(int64_t)i * D + k] * (double)x[(int64_t)j * D + k];
            for (int k = 0; k < j; k++)
                sum -= root[(int64_t)i * n + k] * root[(int64_t)j * n + k];
            root[(int64_t)i * n + j] = i == j ? (sum > 0 ? sqrt(sum) : 0) :
                                       pivot > 0 ? sum / pivot : 0;
        }
}

/* to[m, D] = root^T x of x[n, D], n = m; returns its norm. */
static double reduced(float *to, const double *root, const float *x, int n, int D,
                      struct arena *scratch)
{
    double *row = arena_alloc_raw(scratch, (uint64_t)D, sizeof *row), squares = 0;

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < D; k++)
            row[k] = 0;
        for (int j = i; j < n; j++) {
            double factor = root[(int64_t)j * n + i];

            for (int k = 0; k < D; k++)
                row[k] += factor * (double)x[(int64_t)j * D + k];
        }
        for (int k = 0; k < D; k++) {
            to[(int64_t)i * D + k] = (float)row[k];
            squares += row[k] * row[k];
        }
    }
    return sqrt(squares);
}

/* ---- the heads of a layer ---- */

/* What stands for a layer's heads in products: rows of the stream. */
struct layer {
    float *left;                /* [H d_v, D] of W_OV, to be read by a later head */
    float *right[N_COMPOSITION];        /* [H d, D], [H d_v, D] (V), which read it */
    double *norm;               /* [H] of left */
    double *right_norm[N_COMPOSITION];  /* [H] */
};

struct reducing {
    const struct fold *f;
    struct layer *to;
    double *copy;               /* [H] */
};

/* Of W_O W_V [d_v, d_v], which has the eigenvalues of W_OV that are not 0. */
static double copying(const float *o, const float *v, int n, int D, struct arena *scratch)
{
    double *a = arena_alloc_raw(scratch, (uint64_t)n, (uint64_t)n * sizeof *a);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;

            for (int k = 0; k < D; k++)
                sum += (double)o[(int64_t)i * D + k] * (double)v[(int64_t)j * D + k];
            a[(int64_t)i * n + j] = sum;
        }
    return eigen_share(a, n, scratch);
}

static void reduce_head(void *self, int h, struct arena *scratch)
{
    const struct reducing *job = self;
    const struct fold *f = job->f;
    struct layer *to = job->to;
    int64_t d = f->d, d_v = f->d_v, D = f->D, g = h / (f->H / f->G);
    const float *q = f->q + h * d * D, *k = f->k + g * d * D;
    const float *v = f->v + g * d_v * D, *o = f->o + h * d_v * D;
    int64_t widest = d > d_v ? d : d_v;
    double *root = arena_alloc_raw(scratch, (uint64_t)widest, (uint64_t)widest * sizeof *root);

    square_root(root, v, f->d_v, f->D);
    to->norm[h] = reduced(to->left + h * d_v * D, root, o, f->d_v, f->D, scratch);
    square_root(root, k, f->d, f->D);
    to->right_norm[COMPOSITION_Q][h] = reduced(to->right[COMPOSITION_Q] + h * d * D, root, q,
                                               f->d, f->D, scratch);
    square_root(root, q, f->d, f->D);
    to->right_norm[COMPOSITION_K][h] = reduced(to->right[COMPOSITION_K] + h * d * D, root, k,
                                               f->d, f->D, scratch);
    square_root(root, o, f->d_v, f->D);
    to->right_norm[COMPOSITION_V][h] = reduced(to->right[COMPOSITION_V] + h * d_v * D, root, v,
                                               f->d_v, f->D, scratch);
    job->copy[h] = copying(o, v, f->d_v, f->D, scratch);
}

static int width(const struct model *model, int kind)
{
    return kind == COMPOSITION_V ? model->config.d_value : model->config.d_head;
}

/* left is kept; what is right lies in room that the next layer takes. */
static void reduce(struct layer *to, double *copy, const struct model *model, int l,
                   struct arena *a, struct par *par)
{
    struct arena_mark mark = arena_mark(a);
    struct fold f = fold_layer(a, model, l);

    par_for(par, f.H, reduce_head, &(struct reducing){ &f, to, copy });
    arena_reset(a, mark);
}

/* ---- pairs ---- */

static double block_norm(const float *y, int64_t stride, int rows, int columns)
{
    double squares = 0;

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            squares += (double)y[i * stride + j] * (double)y[i * stride + j];
    return sqrt(squares);
}

/* All heads of one layer into all of a later one. */
static void compose(struct circuits *circuits, struct pass *pass, const struct layer *early, int l1,
                    const struct layer *late, int l2, int kind)
{
    struct arena_mark mark = arena_mark(pass->call);
    const struct config *config = &pass->m->config;
    int H = circuits->H, D = config->d_model, d_v = config->d_value, n = width(pass->m, kind);
    struct param right = fold_param(late->right[kind], H * n, D, false);
    float *y = stage_floats(pass, (size_t)(H * d_v), (size_t)(H * n));

    stage_linear(pass, y, H * n, early->left, D, H * d_v, &right);
    for (int i = 0; i < H; i++)
        for (int j = 0; j < H; j++) {
            double norm = early->norm[i] * late->right_norm[kind][j];
            const float *block = y + (int64_t)i * d_v * H * n + (int64_t)j * n;
            int64_t at = (int64_t)(l1 * H + i) * circuits->L * H + l2 * H + j;

            circuits->comp[kind][at] = norm > 0 ? block_norm(block, H * n, d_v, n) / norm : NAN;
        }
    arena_reset(pass->call, mark);
}

static struct layer *layers_new(struct arena *a, const struct model *model)
{
    uint64_t L = (uint64_t)model->config.n_layers, H = (uint64_t)model->config.n_heads;
    uint64_t D = (uint64_t)model->config.d_model;
    struct layer *all = arena_alloc(a, L, sizeof *all), one = { 0 };

    for (int k = 0; k < N_COMPOSITION; k++) {
        one.right[k] = arena_alloc_raw(a, H * (uint64_t)width(model, k), D * sizeof(float));
        one.right_norm[k] = arena_alloc_raw(a, H, sizeof(double));
    }
    for (uint64_t l = 0; l < L; l++) {
        all[l] = one;
        all[l].left = arena_alloc_raw(a, H * (uint64_t)model->config.d_value, D * sizeof(float));
        all[l].norm = arena_alloc_raw(a, H, sizeof(double));
    }
    return all;
}

void circuits_compose(struct circuits *circuits, struct arena *a, const struct model *model,
                      struct par *par)
{
    const struct wanted want = { 0 };
    struct pass p = { .m = model, .want = &want, .par = par, .call = a };
    struct layer *layer = layers_new(a, model);
    struct progress *progress = par_progress(par);

    progress_begin(progress, "layer", circuits->L);
    for (int l = 0; l < circuits->L; l++) {
        if (!model_has_layer(model, l))
            continue;
        reduce(&layer[l], circuits->copy + l * circuits->H, model, l, a, par);
        for (int before = 0; before < l; before++)
            for (int k = 0; model_has_layer(model, before) && k < N_COMPOSITION; k++)
                compose(circuits, &p, &layer[before], before, &layer[l], l, k);
        progress_step(progress);
    }
    progress_end(progress);
}

/* ---- all ---- */

static double *circuits_undefined(struct arena *a, uint64_t n)
{
    double *x = arena_alloc_raw(a, n, sizeof *x);

    for (uint64_t i = 0; i < n; i++)
        x[i] = NAN;
    return x;
}

struct circuits *circuits_new(struct arena *a, const struct model *model,
                              const struct circuits_tokens *tokens, struct par *par,
                              const struct warn *warn)
{
    struct circuits *c = arena_alloc(a, 1, sizeof *c);
    uint64_t n = (uint64_t)model->config.n_layers * (uint64_t)model->config.n_heads;
    uint64_t classes = tokens != NULL ? (uint64_t)tokens->n_classes : 0;
    struct arena_mark mark;

    c->L = model->config.n_layers;
    c->H = model->config.n_heads;
    for (int k = 0; k < N_COMPOSITION; k++)
        c->comp[k] = circuits_undefined(a, n * n);
    c->copy = circuits_undefined(a, n);
    c->copy_full = circuits_undefined(a, n);
    c->copy_rank = circuits_undefined(a, n);
    c->negative_copy = circuits_undefined(a, n);
    c->successor = circuits_undefined(a, n * classes);
    c->successor_mlp = circuits_undefined(a, n * classes);
    c->successor_p = circuits_undefined(a, n * classes);
    mark = arena_mark(a);
    circuits_compose(c, a, model, par);
    arena_reset(a, mark);
    if (tokens != NULL && circuits_has_tokens(model))
        circuits_unembed(c, a, model, tokens, par);
    arena_reset(a, mark);
    eigen_warn(c->copy, c->L, c->H, "copy", warn);
    eigen_warn(c->copy_full, c->L, c->H, "copy_full", warn);
    return c;
}
