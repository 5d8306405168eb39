/* SPDX-License-Identifier: MIT
 * Projections of a layer -> rows in the residual stream's space, with norms folded in. */
#include "run/special/fold.h"

#include <string.h>

#include "model/family_slots.h"

bool fold_is_on(const struct model *model)
{
    return model->norm_place == PLACE_PRE || model->norm_place == PLACE_PARALLEL;
}

bool fold_is_centred(const struct model *model)
{
    return fold_is_on(model) && family_centres(model->family);
}

static const char *refused(const struct model *model)
{
    const struct param *slot = model->layer != NULL ? model_attending(model)->slot : NULL;

    if (model->precomputed != NULL || model->family->front == FRONT_QKV)
        return "it is attention without weights";
    if (model->family->qkv == QKV_LOW_RANK)
        return "its queries, keys and values come from vectors of low rank that heads share";
    if (model->config.streams.n > 0)
        return "its heads read one of several residual streams, which each layer mixes";
    if (model->norm_place == PLACE_REVERSIBLE || model->n_hashed > 0)
        return "its attention reads one residual stream and writes another";
    if (slot[model->family->qkv == QKV_SEPARATE ? W_Q : W_QKV].weight == NULL)
        return "it has no attention of a text to itself";
    if (slot[W_O].weight == NULL ||
        slot[W_O].matrix.N != family_slot_dim(model->family, &model->config, DIM_INNER))
        return "what its heads write is not as wide as what they read";
    return NULL;
}

int fold_check(const struct model *model, struct err *e)
{
    const char *why = refused(model);

    return why == NULL ? 0 : err_set(e, ERR_INPUT, "%s: %s, so its heads have no circuits of "
                                     "their own", model->name, why);
}

struct param fold_param(const float *w, int N, int K, bool in_out)
{
    return (struct param){ .matrix = { .data = (const unsigned char *)w, .size_bytes = sizeof *w,
                                       .N = N, .K = K, .stride = in_out ? N : K,
                                       .order_in_out = in_out } };
}

void fold_centre(float *x, int n, int D)
{
    for (int64_t i = 0; i < n; i++) {
        double mean = 0;

        for (int k = 0; k < D; k++)
            mean += (double)x[i * D + k];
        mean /= D;
        for (int k = 0; k < D; k++)
            x[i * D + k] = (float)((double)x[i * D + k] - mean);
    }
}

/* x[n, D] *= gain[D] */
static void gain_columns(float *x, int n, int D, const float *gain)
{
    for (int64_t i = 0; gain != NULL && i < n; i++)
        for (int k = 0; k < D; k++)
            x[i * D + k] *= gain[k];
}

/* Row i of x[n, D] *= gain[i % period] */
static void gain_rows(float *x, int n, int D, const float *gain, int period)
{
    for (int64_t i = 0; gain != NULL && i < n; i++)
        for (int k = 0; k < D; k++)
            x[i * D + k] *= gain[i % period];
}

/* to[rows, columns] = the matrix, or its transpose */
static float *decoded(struct arena *a, const struct matrix *matrix, bool transposed)
{
    int rows = transposed ? matrix->K : matrix->N, columns = transposed ? matrix->N : matrix->K;
    int size = linear_row_size(matrix), stored = matrix->order_in_out ? matrix->K : matrix->N;
    float *to = arena_alloc_raw(a, (uint64_t)rows, (uint64_t)columns * sizeof *to);
    float *row = arena_alloc_raw(a, (uint64_t)size, sizeof *row);

    for (int64_t i = 0; i < stored; i++) {
        linear_row(row, matrix, (int)i);
        if (size == columns && transposed == matrix->order_in_out)
            memcpy(to + i * columns, row, (size_t)columns * sizeof *to);
        else
            for (int64_t k = 0; k < size; k++)
                to[k * columns + i] = row[k];
    }
    return to;
}

/* out[n, N] = x[n, K] w[K, N] */
static float *multiplied(struct arena *a, const float *x, int n, int K, const float *w, int N)
{
    float *out = arena_alloc_raw(a, (uint64_t)n, (uint64_t)N * sizeof *out);
    double *row = arena_alloc_raw(a, (uint64_t)N, sizeof *row);

    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < N; c++)
            row[c] = 0;
        for (int64_t k = 0; k < K; k++)
            for (int64_t c = 0; c < N; c++)
                row[c] += (double)x[i * K + k] * (double)w[k * N + c];
        for (int c = 0; c < N; c++)
            out[i * N + c] = (float)row[c];
    }
    return out;
}

/* x[n, K], what reads a projection of the stream, as it meets the stream itself: [n, D]. */
static float *before_projection(struct arena *a, const struct param *proj, const struct param *norm,
                                float *x, int n)
{
    int K = proj->matrix.N;

    gain_columns(x, n, K, norm->vector);
    if (norm->own != NULL)              /* it takes the mean away */
        fold_centre(x, n, K);
    return multiplied(a, x, n, K, decoded(a, &proj->matrix, false), proj->matrix.K);
}

/* What queries, keys or values of a layer with bottlenecks read is a projection; NULL: it is the
 * stream. */
static const struct param *read_by(const struct model *model, const struct param *slot, bool values)
{
    if (model->config.bottleneck.all)
        return &slot[W_IN];
    return model->config.bottleneck.shared && !values ? &slot[W_READ] : NULL;
}

static void fold_bottlenecks(struct fold *fold, const struct model *model, const struct param *slot,
                             struct arena *a)
{
    const struct param *read = read_by(model, slot, false), *value = read_by(model, slot, true);
    const struct param *out = &slot[W_OUT];

    if (read != NULL) {                 /* its norm is the next slot */
        fold->q = before_projection(a, read, read + 1, fold->q, fold->H * fold->d);
        fold->k = before_projection(a, read, read + 1, fold->k, fold->G * fold->d);
    }
    if (value != NULL)
        fold->v = before_projection(a, value, value + 1, fold->v, fold->G * fold->d_v);
    if (out->weight != NULL)
        fold->o = multiplied(a, fold->o, fold->H * fold->d_v, out->matrix.K,
                             decoded(a, &out->matrix, true), out->matrix.N);
}

/* Rows for n heads whose columns of a row of projections begin at at[i]. */
static float *fold_rows_of(struct arena *a, const struct model *model, const struct param *slot,
                           const int *at, int n, int width)
{
    static const enum slot separate[] = { W_Q, W_K, W_V }, fused[] = { W_QKV };
    bool apart = model->family->qkv == QKV_SEPARATE;
    const enum slot *s = apart ? separate : fused;
    int first = 0;
    float *all, *out;
    int64_t D;

    for (; apart && at[0] >= first + slot[*s].matrix.N; s++)
        first += slot[*s].matrix.N;
    D = slot[*s].matrix.K;
    out = arena_alloc_raw(a, (uint64_t)n, (uint64_t)(width * D) * sizeof *out);
    all = decoded(a, &slot[*s].matrix, false);
    for (int i = 0; i < n; i++)
        memcpy(out + i * width * D, all + (at[i] - first) * D,
               (size_t)(width * D) * sizeof *out);
    return out;
}

static void fold_reading(const struct fold *fold, const struct model *model,
                         const struct param *norm, float *x, int n)
{
    if (!fold_is_on(model) || norm->vector == NULL)
        return;
    gain_columns(x, n, fold->D, norm->vector);
    if (fold_is_centred(model))
        fold_centre(x, n, fold->D);
}

static void fold_all(const struct fold *fold, const struct model *model, const struct param *slot)
{
    bool full = model->family->qk_norm != QK_NORM_HEAD;
    const struct config *c = &model->config;
    int n_q = fold->H * fold->d, n_k = fold->G * fold->d, n_v = fold->G * fold->d_v,
        n_o = fold->H * fold->d_v;

    fold_reading(fold, model, &slot[W_ATT_NORM], fold->q, n_q);
    fold_reading(fold, model, &slot[W_ATT_NORM], fold->k, n_k);
    fold_reading(fold, model, &slot[W_ATT_NORM], fold->v, n_v);
    gain_rows(fold->q, n_q, fold->D, slot[W_Q_NORM].vector, full ? n_q : fold->d);
    gain_rows(fold->k, n_k, fold->D, slot[W_K_NORM].vector, full ? n_k : fold->d);
    for (int64_t i = 0; c->multiplier.branch > 0 && i < (int64_t)n_o * fold->D; i++)
        fold->o[i] *= (float)c->multiplier.branch;
    gain_columns(fold->o, n_o, fold->D, slot[W_ATT_SCALE].vector);
    if (!fold_is_on(model))
        return;
    gain_columns(fold->o, n_o, fold->D, slot[W_ATT_OUT].vector);
    if (fold_is_centred(model))
        fold_centre(fold->o, n_o, fold->D);
}

struct fold fold_layer(struct arena *a, const struct model *model, int l)
{
    const struct config *c = &model->config;
    const struct param *slot = model->layer[l].slot;
    struct fold f = { .H = c->n_heads, .G = c->n_kv_heads, .d = c->d_head, .d_v = c->d_value,
                      .D = c->d_model };

    f.q = fold_rows_of(a, model, slot, model->place.q, f.H, f.d);
    f.k = fold_rows_of(a, model, slot, model->place.k, f.G, f.d);
    f.v = fold_rows_of(a, model, slot, model->place.v, f.G, f.d_v);
    f.o = decoded(a, &slot[W_O].matrix, true);
    fold_bottlenecks(&f, model, slot, a);
    fold_all(&f, model, slot);
    return f;
}
