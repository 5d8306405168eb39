/* SPDX-License-Identifier: MIT
 *
 * Blocks of rows in vectors: sums of scan.h with keys side by side, facts.h with rows side by
 * side, as panels of FACT_ROWS rows hold them.  simd_avx2.c and simd_avx512.c include it after
 * simd_rows.h; vectors are of 256 bits on any processor, and all lanes are of one row or of
 * one lane of plain C. */
#ifndef NN_SIMD_FACTS_H
#define NN_SIMD_FACTS_H

#include "nn/facts.h"

/* ---- keys side by side ---- */

/* Of a row: sums of terms of four keys, two of them side by side, as of scan_rows. */
struct row_lanes {
    __m256d away[2], sum[2], sum_abs[2];
    __m256 max;
};

static inline struct row_lanes row_lanes_from(int away)
{
    __m256d first = _mm256_set1_pd(away) + _mm256_setr_pd(0, 1, 2, 3);

    return (struct row_lanes){ .away = { first, first + _mm256_set1_pd(4) } };
}

/* The next 8 keys. */
static inline __attribute__((always_inline)) void row_lanes_add(struct row_lanes *l, __m256 v)
{
    const __m256d part[2] = { _mm256_cvtps_pd(_mm256_castps256_ps128(v)),
                              _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)) };

    l->max = _mm256_max_ps(v, l->max);
    UNROLL
    for (int i = 0; i < 2; i++) {       /* a product is exact, so that its sum rounds as of two */
        __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), l->away[i]);

        l->sum[i] = _mm256_fmadd_pd(part[i], l->away[i], l->sum[i]);
        l->sum_abs[i] = _mm256_fmadd_pd(part[i], size, l->sum_abs[i]);
        l->away[i] += _mm256_set1_pd(8);
    }
}

static inline float max_of_8(__m256 v)
{
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

/* The first n of 8, the rest 0. */
static inline __m256 load_first_of_8(const float *w, int n)
{
    return _mm256_maskload_ps(w, _mm256_cmpgt_epi32(_mm256_set1_epi32(n),
                                                    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}

/* One row or two, which go on with the sums of those before. */
static inline __attribute__((always_inline)) void scan_some(struct row_lanes *l, float *largest,
    const float *w, size_t stride, int n, int away, const int rows)
{
    int j = 0;

    UNROLL
    for (int r = 0; r < rows; r++) {
        l[r].max = _mm256_setzero_ps();
        memcpy(l[r].away, row_lanes_from(away - r).away, sizeof l[r].away);
    }
    for (; j + 8 <= n; j += 8)
        UNROLL
        for (int r = 0; r < rows; r++)
            row_lanes_add(&l[r], _mm256_loadu_ps(w + (size_t)r * stride + j));
    if (j < n)
        UNROLL
        for (int r = 0; r < rows; r++)
            row_lanes_add(&l[r], load_first_of_8(w + (size_t)r * stride + j, n - j));
    UNROLL
    for (int r = 0; r < rows; r++)
        largest[r] = max_of_8(l[r].max);
}

/* As kernels_add_lanes of the even rows' lanes and the odd rows'. */
static inline double row_lanes_sum(__m256d even0, __m256d even4, __m256d odd0, __m256d odd4)
{
    __m256d four = (even0 + odd0) + (even4 + odd4);
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));

    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

static struct scan_sums scan_block(float *largest, const float *w, size_t stride, int n_rows,
                                  int n, int key0, int query)
{
    struct row_lanes l[2] = { row_lanes_from(0), row_lanes_from(0) };
    int t = 0;

    if (key0 % 8 != 0)          /* as of scan */
        return kernels_c.scan_block(largest, w, stride, n_rows, n, key0, query);
    for (; t + 2 <= n_rows; t += 2)
        scan_some(l, largest + t, w + (size_t)t * stride, stride, n, key0 - query - t, 2);
    if (t < n_rows)
        scan_some(l, largest + t, w + (size_t)t * stride, stride, n, key0 - query - t, 1);
    return (struct scan_sums){
        row_lanes_sum(l[0].sum[0], l[0].sum[1], l[1].sum[0], l[1].sum[1]),
        row_lanes_sum(l[0].sum_abs[0], l[0].sum_abs[1], l[1].sum_abs[0], l[1].sum_abs[1]),
    };
}

/* ---- rows side by side ---- */

enum { FACT_ROWS = 16 };        /* of a panel */

/* Keys [from, from + n) of rows t .. t + FACT_ROWS - 1: panel [n, FACT_ROWS]. */
static void facts_panel(float *panel, const struct facts_rows *rows, int t, int from, int n)
{
    int left = rows->n_rows - t;

    transpose(panel, FACT_ROWS, rows->w + (size_t)t * rows->stride + from, (int64_t)rows->stride,
              left < FACT_ROWS ? left : FACT_ROWS, n);
}

static inline __m256d abs_4(__m256d v) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v); }

static inline __m256d four_floats(const float *p) { return _mm256_cvtps_pd(_mm_load_ps(p)); }

/* Of the four rows from t on; those beyond the last are as that one. */
static inline int row_at(const struct facts_rows *rows, int t)
{
    return t < rows->n_rows ? t : rows->n_rows - 1;
}

static inline __m256d four_visible(const struct facts_rows *rows, int t)
{
    return _mm256_setr_pd(rows->n_visible[row_at(rows, t)], rows->n_visible[row_at(rows, t + 1)],
                          rows->n_visible[row_at(rows, t + 2)],
                          rows->n_visible[row_at(rows, t + 3)]);
}

static inline __m256d four_largest(const struct facts_rows *rows, int t)
{
    return _mm256_setr_pd((double)rows->largest[row_at(rows, t)],
                          (double)rows->largest[row_at(rows, t + 1)],
                          (double)rows->largest[row_at(rows, t + 2)],
                          (double)rows->largest[row_at(rows, t + 3)]);
}

/* Distances of key 0 from four rows. */
static inline __m256d four_away(const struct facts_rows *rows, int t)
{
    return _mm256_set1_pd(-rows->query - t) - _mm256_setr_pd(0, 1, 2, 3);
}

/* ---- facts_shape ---- */

/* Of four rows. */
struct shape_sums {
    __m256d mass, squares, uneven, distance, distance_abs, back, back_mass, spread;
    __m256i low, small;         /* counts, negative */
};

static inline void shape_entries(struct shape_sums *s, const float *panel, int n, __m256d visible,
                                 __m256d largest)
{
    __m256d even = _mm256_set1_pd(1) / visible, low = _mm256_set1_pd(0.01) / visible;
    __m256d small = _mm256_set1_pd(0.01) * largest;
    struct shape_sums x = *s;

    for (int j = 0; j < n; j++, panel += FACT_ROWS) {
        __m256d w = four_floats(panel);

        x.mass += w;
        x.squares = _mm256_fmadd_pd(w, w, x.squares);
        x.uneven += abs_4(w - even);
        x.low = _mm256_add_epi64(x.low, _mm256_castpd_si256(_mm256_cmp_pd(w, low, _CMP_LT_OQ)));
        x.small = _mm256_add_epi64(x.small,
                                   _mm256_castpd_si256(_mm256_cmp_pd(w, small, _CMP_LT_OQ)));
    }
    *s = x;
}

static inline void shape_distances(struct shape_sums *s, const float *panel, int key, int n,
                                   __m256d away)
{
    struct shape_sums x = *s;
    __m256d d = away + _mm256_set1_pd(key);

    for (int j = 0; j < n; j++, panel += FACT_ROWS, d += _mm256_set1_pd(1)) {
        __m256d w = four_floats(panel), size = abs_4(d);
        __m256d back = _mm256_and_pd(w, _mm256_cmp_pd(d, _mm256_setzero_pd(), _CMP_LE_OQ));

        if (key + j == 0)
            back = _mm256_setzero_pd();
        x.distance = _mm256_fmadd_pd(w, d, x.distance);
        x.distance_abs = _mm256_fmadd_pd(w, size, x.distance_abs);
        x.back = _mm256_fmadd_pd(back, size, x.back);
        x.back_mass += back;
    }
    *s = x;
}

static inline void shape_spread(struct shape_sums *s, const float *panel, int key, int n,
                                __m256d away)
{
    __m256d sum = s->spread, d = away + _mm256_set1_pd(key), mean = s->distance;

    for (int j = 0; j < n; j++, panel += FACT_ROWS, d += _mm256_set1_pd(1)) {
        __m256d off = d - mean;

        sum = _mm256_fmadd_pd(four_floats(panel) * off, off, sum);
    }
    s->spread = sum;
}

static void shape_store(struct facts_shape *out, const struct facts_rows *rows, int t,
                        const struct shape_sums *s)
{
    double sum[8][4];
    int64_t low[4], small[4];

    memcpy(sum, s, sizeof sum);
    memcpy(low, &s->low, sizeof low);
    memcpy(small, &s->small, sizeof small);
    for (int i = 0; i < 4 && t + i < rows->n_rows; i++) {
        int hidden = rows->n - rows->n_visible[t + i];

        out->mass[t + i] = sum[0][i];
        out->squares[t + i] = sum[1][i];
        out->uneven[t + i] = sum[2][i] - hidden * (1.0 / rows->n_visible[t + i]);
        out->distance[t + i] = sum[3][i];
        out->distance_abs[t + i] = sum[4][i];
        out->back[t + i] = sum[5][i];
        out->back_mass[t + i] = sum[6][i];
        out->spread[t + i] = sum[7][i];
        out->low[t + i] = (int)-low[i] - hidden;
        out->small[t + i] = (int)-small[i] - (rows->largest[t + i] > 0 ? hidden : 0);
    }
}

/* Key after key of long rows, a panel at a time; spreads when their means are known. */
static void facts_shape_rows(struct facts_shape *out, const struct facts_rows *rows)
{
    _Alignas(64) float panel[FACTS_MOST * FACT_ROWS];

    for (int t = 0; t < rows->n_rows; t += FACT_ROWS) {
        struct shape_sums sums[FACT_ROWS / 4] = { 0 };

        for (int pass = 0; pass < 2; pass++)
            for (int from = 0; from < rows->n; from += FACTS_MOST) {
                int n = rows->n - from < FACTS_MOST ? rows->n - from : FACTS_MOST;

                if (pass == 0 || rows->n > FACTS_MOST)
                    facts_panel(panel, rows, t, from, n);
                for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += 4) {
                    struct shape_sums *s = &sums[i / 4];
                    __m256d away = four_away(rows, t + i);

                    if (pass == 1) {
                        shape_spread(s, panel + i, rows->key0 + from, n, away);
                        continue;
                    }
                    shape_entries(s, panel + i, n, four_visible(rows, t + i),
                                  four_largest(rows, t + i));
                    shape_distances(s, panel + i, rows->key0 + from, n, away);
                }
            }
        for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += 4)
            shape_store(out, rows, t + i, &sums[i / 4]);
    }
}

/* ---- facts_mixed_entropy ---- */

/* As elementary_log_plain. */
static inline __m256d log_of_4(__m256d x)
{
    const __m256i one = _mm256_set1_epi64x(INT64_C(1) << 52);
    const __m256i least = _mm256_set1_epi64x(INT64_C(0x3fe6a09e667f3bcd));
    __m256i bits = _mm256_sub_epi64(_mm256_castpd_si256(x), least);
    __m256i k_bits = _mm256_add_epi64(
        _mm256_srli_epi64(_mm256_add_epi64(bits, _mm256_slli_epi64(one, 10)), 52),
        _mm256_set1_epi64x(INT64_C(1075) << 52));
    __m256i z_bits = _mm256_add_epi64(
        _mm256_and_si256(bits, _mm256_sub_epi64(one, _mm256_set1_epi64x(1))), least);
    __m256d k = _mm256_castsi256_pd(k_bits) - _mm256_set1_pd(0x1p52 + 1024);
    __m256d z = _mm256_castsi256_pd(z_bits), s, square, odd, even, fourth;

    s = (z - _mm256_set1_pd(1)) / (z + _mm256_set1_pd(1));
    square = s * s;
    fourth = square * square;
    even = _mm256_fmadd_pd(fourth, _mm256_set1_pd(2.0 / 19), _mm256_set1_pd(2.0 / 15));
    odd = _mm256_fmadd_pd(fourth, _mm256_set1_pd(2.0 / 21), _mm256_set1_pd(2.0 / 17));
    even = _mm256_fmadd_pd(fourth, even, _mm256_set1_pd(2.0 / 11));
    odd = _mm256_fmadd_pd(fourth, odd, _mm256_set1_pd(2.0 / 13));
    even = _mm256_fmadd_pd(fourth, even, _mm256_set1_pd(2.0 / 7));
    odd = _mm256_fmadd_pd(fourth, odd, _mm256_set1_pd(2.0 / 9));
    even = _mm256_fmadd_pd(fourth, even, _mm256_set1_pd(2.0 / 3));
    odd = _mm256_fmadd_pd(fourth, odd, _mm256_set1_pd(2.0 / 5));
    even = _mm256_fmadd_pd(square, odd, even);
    return _mm256_fmadd_pd(k, _mm256_set1_pd(0x1.62e42fefa39efp-1),
                           _mm256_fmadd_pd(s * square, even, s + s));
}

static void facts_mixed_entropy_rows(double *out, const struct facts_rows *rows, double mix)
{
    _Alignas(64) float panel[FACTS_MOST * FACT_ROWS];
    double lane[FACT_ROWS];

    for (int t = 0; t < rows->n_rows; t += FACT_ROWS) {
        __m256d sum[FACT_ROWS / 4] = { _mm256_setzero_pd() };

        for (int from = 0; from < rows->n; from += FACTS_MOST) {
            int n = rows->n - from < FACTS_MOST ? rows->n - from : FACTS_MOST;

            facts_panel(panel, rows, t, from, n);
            for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += 4) {
                __m256d rest = _mm256_set1_pd(mix) / four_visible(rows, t + i), all = sum[i / 4];

                for (int j = 0; j < n; j++) {
                    __m256d x = _mm256_fmadd_pd(_mm256_set1_pd(1 - mix),
                                                four_floats(panel + j * FACT_ROWS + i), rest);

                    all = _mm256_fnmadd_pd(x, log_of_4(x), all);
                }
                sum[i / 4] = all;
            }
        }
        memcpy(lane, sum, sizeof lane);
        for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i++) {
            double rest = mix / rows->n_visible[t + i];
            int hidden = rows->n - rows->n_visible[t + i];

            out[t + i] = lane[i] + (hidden > 0 ? hidden * (rest * elementary_log(rest)) : 0);
        }
    }
}

/* ---- facts_top ---- */

/* The larger of both in x, the smaller in y, of count keys of 8 `vecs` rows. */
static inline __attribute__((always_inline)) void exchange(float *x, float *y, int count,
                                                           const int vecs)
{
    for (int i = 0; i < count; i++, x += FACT_ROWS, y += FACT_ROWS)
        UNROLL
        for (int v = 0; v < vecs * 8; v += 8) {
            __m256 a = _mm256_load_ps(x + v), b = _mm256_load_ps(y + v);

            _mm256_store_ps(x + v, _mm256_max_ps(a, b));
            _mm256_store_ps(y + v, _mm256_min_ps(a, b));
        }
}

/*
 * n keys of the panel in falling order in each of 8 `vecs` rows: Batcher's odd-even merge sort
 * (1968), where what is beyond n would be the smallest, and stays.
 */
static inline __attribute__((always_inline)) void sort_keys(float *panel, int n, const int vecs)
{
    for (int p = 1; p < n; p *= 2)
        for (int k = p; k >= 1; k /= 2)
            for (int j = k % p; j + k < n; j += 2 * k)
                if (((j ^ (j + k)) & -(2 * p)) == 0)    /* else of two pairs of runs */
                    exchange(panel + (int64_t)j * FACT_ROWS, panel + (int64_t)(j + k) * FACT_ROWS,
                             n - j - k < k ? n - j - k : k, vecs);
}

/* The sums of the first keys of four rows of a sorted panel. */
static void top_4_rows(struct facts_top *out, const struct facts_rows *rows, int t,
                       const float *panel, double share)
{
    __m256d sum = _mm256_setzero_pd(), enough = _mm256_set1_pd(share);
    __m256i short_of = _mm256_setzero_si256();          /* counts, negative */
    double mass[FACTS_TOPS][4];
    int64_t count[4];
    int size = 0;

    for (int k = 0; k < rows->n; k++) {
        __m256d less;

        sum += four_floats(panel + k * FACT_ROWS);
        less = _mm256_cmp_pd(sum, enough, _CMP_LT_OQ);
        short_of = _mm256_add_epi64(short_of, _mm256_castpd_si256(less));
        if (size < FACTS_TOPS && k + 1 == 1 << size)
            _mm256_storeu_pd(mass[size++], sum);
        else if (size == FACTS_TOPS && k % 4 == 3 && _mm256_movemask_pd(less) == 0)
            break;
    }
    for (; size < FACTS_TOPS; size++)
        _mm256_storeu_pd(mass[size], sum);
    memcpy(count, &short_of, sizeof count);
    for (int i = 0; i < 4 && t + i < rows->n_rows; i++) {
        out->enough[t + i] = -count[i] < rows->n ? (int)(1 - count[i]) : 0;
        for (int k = 0; k < FACTS_TOPS; k++)
            out->mass[k][t + i] = mass[k][i];
    }
}

static void facts_top_rows(struct facts_top *out, const struct facts_rows *rows, double share)
{
    _Alignas(64) float panel[FACTS_MOST * FACT_ROWS];

    for (int t = 0; t < rows->n_rows; t += FACT_ROWS) {
        facts_panel(panel, rows, t, 0, rows->n);
        if (rows->n_rows - t > 8)
            sort_keys(panel, rows->n, 2);
        else
            sort_keys(panel, rows->n, 1);
        for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += 4)
            top_4_rows(out, rows, t + i, panel + i, share);
    }
}

#define FACTS_KERNELS { facts_shape_rows, facts_mixed_entropy_rows, facts_top_rows }

#endif
