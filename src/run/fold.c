/* SPDX-License-Identifier: MIT
 * Projections of a layer -> rows in the residual stream's space, with norms folded in. */
#include "run/fold.h"

#include <string.h>

#include "model/family_slots.h"

bool fold_is_on(const struct model *m)
{
    return m->norm_place == PLACE_PRE || m->norm_place == PLACE_PARALLEL;
}

bool fold_is_centred(const struct model *m)
{
    return fold_is_on(m) && family_centres(m->family);
}

static const char *refused(const struct model *m)
{
    const struct param *slot = m->layer != NULL ? model_attending(m)->slot : NULL;

    if (m->precomputed != NULL || m->family->front == FRONT_QKV)
        return "it is attention without weights";
    if (m->family->qkv == QKV_LOW_RANK)
        return "its queries, keys and values come from vectors of low rank that heads share";
    if (m->config.streams.n > 0)
        return "its heads read one of several residual streams, which each layer mixes";
    if (m->norm_place == PLACE_REVERSIBLE || m->n_hashed > 0)
        return "its attention reads one residual stream and writes another";
    if (slot[m->family->qkv == QKV_SEPARATE ? W_Q : W_QKV].weight == NULL)
        return "it has no attention of a text to itself";
    if (slot[W_O].weight == NULL ||
        slot[W_O].matrix.N != family_slot_dim(m->family, &m->config, DIM_INNER))
        return "what its heads write is not as wide as what they read";
    return NULL;
}

int fold_check(const struct model *m, struct err *e)
{
    const char *why = refused(m);

    return why == NULL ? 0 : err_set(e, ERR_INPUT, "%s: %s, so its heads have no circuits of "
                                     "their own", m->name, why);
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
static float *decoded(struct arena *a, const struct matrix *w, bool transposed)
{
    int rows = transposed ? w->K : w->N, columns = transposed ? w->N : w->K;
    int size = linear_row_size(w), stored = w->order_in_out ? w->K : w->N;
    float *to = arena_alloc_raw(a, (uint64_t)rows, (uint64_t)columns * sizeof *to);
    float *row = arena_alloc_raw(a, (uint64_t)size, sizeof *row);

    for (int64_t i = 0; i < stored; i++) {
        linear_row(row, w, (int)i);
        if (size == columns && transposed == w->order_in_out)
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
static const struct param *read_by(const struct model *m, const struct param *slot, bool values)
{
    if (m->config.bottleneck.all)
        return &slot[W_IN];
    return m->config.bottleneck.shared && !values ? &slot[W_READ] : NULL;
}

static void fold_bottlenecks(struct fold *f, const struct model *m, const struct param *slot,
                             struct arena *a)
{
    const struct param *read = read_by(m, slot, false), *value = read_by(m, slot, true);
    const struct param *out = &slot[W_OUT];

    if (read != NULL) {                 /* its norm is the next slot */
        f->q = before_projection(a, read, read + 1, f->q, f->H * f->d);
        f->k = before_projection(a, read, read + 1, f->k, f->G * f->d);
    }
    if (value != NULL)
        f->v = before_projection(a, value, value + 1, f->v, f->G * f->d_v);
    if (out->weight != NULL)
        f->o = multiplied(a, f->o, f->H * f->d_v, out->matrix.K, decoded(a, &out->matrix, true),
                          out->matrix.N);
}

/* Rows for n heads whose columns of a row of projections begin at at[i]. */
static float *fold_rows_of(struct arena *a, const struct model *m, const struct param *slot,
                           const int *at, int n, int width)
{
    static const enum slot separate[] = { W_Q, W_K, W_V }, fused[] = { W_QKV };
    bool apart = m->family->qkv == QKV_SEPARATE;
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

static void fold_reading(const struct fold *f, const struct model *m, const struct param *norm,
                         float *x, int n)
{
    if (!fold_is_on(m) || norm->vector == NULL)
        return;
    gain_columns(x, n, f->D, norm->vector);
    if (fold_is_centred(m))
        fold_centre(x, n, f->D);
}

static void fold_all(const struct fold *f, const struct model *m, const struct param *slot)
{
    bool full = m->family->qk_norm != QK_NORM_HEAD;
    const struct config *c = &m->config;
    int n_q = f->H * f->d, n_k = f->G * f->d, n_v = f->G * f->d_v, n_o = f->H * f->d_v;

    fold_reading(f, m, &slot[W_ATT_NORM], f->q, n_q);
    fold_reading(f, m, &slot[W_ATT_NORM], f->k, n_k);
    fold_reading(f, m, &slot[W_ATT_NORM], f->v, n_v);
    gain_rows(f->q, n_q, f->D, slot[W_Q_NORM].vector, full ? n_q : f->d);
    gain_rows(f->k, n_k, f->D, slot[W_K_NORM].vector, full ? n_k : f->d);
    for (int64_t i = 0; c->multiplier.branch > 0 && i < (int64_t)n_o * f->D; i++)
        f->o[i] *= (float)c->multiplier.branch;
    gain_columns(f->o, n_o, f->D, slot[W_ATT_SCALE].vector);
    if (!fold_is_on(m))
        return;
    gain_columns(f->o, n_o, f->D, slot[W_ATT_OUT].vector);
    if (fold_is_centred(m))
        fold_centre(f->o, n_o, f->D);
}

struct fold fold_layer(struct arena *a, const struct model *m, int l)
{
    const struct config *c = &m->config;
    const struct param *slot = m->layer[l].slot;
    struct fold f = { .H = c->n_heads, .G = c->n_kv_heads, .d = c->d_head, .d_v = c->d_value,
                      .D = c->d_model };

    f.q = fold_rows_of(a, m, slot, m->place.q, f.H, f.d);
    f.k = fold_rows_of(a, m, slot, m->place.k, f.G, f.d);
    f.v = fold_rows_of(a, m, slot, m->place.v, f.G, f.d_v);
    f.o = decoded(a, &slot[W_O].matrix, true);
    fold_bottlenecks(&f, m, slot, a);
    fold_all(&f, m, slot);
    return f;
}
