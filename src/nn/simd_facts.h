/* SPDX-License-Identifier: MIT
 *
 * Blocks of rows in vectors: sums of scan.h with keys side by side, facts.h with rows side by
 * side, as panels of FACT_ROWS rows hold them.  The kernels' files include it after simd_rows.h;
 * its vectors (fvec, svec and fbits of simd_256.h) are of 256 bits at most, and all lanes are of
 * one row or of one lane of plain C. */
#ifndef NN_SIMD_FACTS_H
#define NN_SIMD_FACTS_H

#include "nn/facts.h"

enum { SWIDTH = 2 * FWIDTH, EIGHT = 8 / FWIDTH, EIGHT_FLOATS = 8 / SWIDTH };   /* vectors */

/* ---- keys side by side ---- */

/* Of a row: sums of terms of eight keys side by side, as of scan_rows. */
struct row_lanes {
    fvec away[EIGHT], sum[EIGHT], sum_abs[EIGHT];
    svec max[EIGHT_FLOATS];
};

/* first, first + 1 and so on */
static inline fvec f_from(double first)
{
    double v[FWIDTH];

    UNROLL
    for (int i = 0; i < FWIDTH; i++)
        v[i] = i;
    return f_set(first) + f_of(v);
}

static inline __attribute__((always_inline)) void row_lanes_start(struct row_lanes *l, int away)
{
    l->away[0] = f_from(away);
    UNROLL
    for (int i = 1; i < EIGHT; i++)
        l->away[i] = l->away[0] + f_set(i * FWIDTH);
    UNROLL
    for (int i = 0; i < EIGHT_FLOATS; i++)
        l->max[i] = s_zero();
}

/* The next SWIDTH of 8 keys, from key `at` of these on. */
static inline __attribute__((always_inline)) void row_lanes_add(struct row_lanes *l, svec v,
                                                                const int at)
{
    l->max[at / SWIDTH] = s_max(v, l->max[at / SWIDTH]);
    UNROLL
    for (int j = 0; j < 2; j++) {       /* a product is exact, so that its sum rounds as of two */
        int i = at / FWIDTH + j;
        fvec part = f_part(v, j), size = f_abs(l->away[i]);

        l->sum[i] = f_fma(part, l->away[i], l->sum[i]);
        l->sum_abs[i] = f_fma(part, size, l->sum_abs[i]);
        l->away[i] += f_set(8);
    }
}

/* One row or two, which go on with the sums of those before. */
static inline __attribute__((always_inline)) void scan_some(struct row_lanes *l, float *largest,
    const float *w, size_t stride, int n, int away, const int rows)
{
    int j = 0;

    UNROLL
    for (int r = 0; r < rows; r++)
        row_lanes_start(&l[r], away - r);
    for (; j + 8 <= n; j += 8)
        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int i = 0; i < 8; i += SWIDTH)
                row_lanes_add(&l[r], s_load_any(w + (size_t)r * stride + j + i), i);
    if (j < n)
        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int i = 0; i < 8; i += SWIDTH)
                row_lanes_add(&l[r], s_load_first(w + (size_t)r * stride + j + i, n - j - i), i);
    UNROLL
    for (int r = 0; r < rows; r++) {
        svec max = l[r].max[0];

        UNROLL
        for (int i = 1; i < EIGHT_FLOATS; i++)
            max = s_max(l[r].max[i], max);
        largest[r] = s_max_of(max);
    }
}

/* As kernels_add_lanes of the even rows' lanes and the odd rows'. */
static inline double row_lanes_sum(const fvec even[EIGHT], const fvec odd[EIGHT])
{
    fvec part[EIGHT];

    UNROLL
    for (int i = 0; i < EIGHT; i++)
        part[i] = even[i] + odd[i];
    for (int half = EIGHT / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            part[i] += part[i + half];
    return f_tree(part[0]);
}

static struct scan_sums scan_block(float *largest, const float *w, size_t stride, int n_rows,
                                  int n, int key0, int query)
{
    struct row_lanes l[2] = { 0 };
    int t = 0;

    if (key0 % 8 != 0)          /* as of scan */
        return kernels_c.scan_block(largest, w, stride, n_rows, n, key0, query);
    for (; t + 2 <= n_rows; t += 2)
        scan_some(l, largest + t, w + (size_t)t * stride, stride, n, key0 - query - t, 2);
    if (t < n_rows)
        scan_some(l, largest + t, w + (size_t)t * stride, stride, n, key0 - query - t, 1);
    return (struct scan_sums){
        row_lanes_sum(l[0].sum, l[1].sum), row_lanes_sum(l[0].sum_abs, l[1].sum_abs),
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

/* Of the FWIDTH rows from t on; those beyond the last are as that one. */
static inline int row_at(const struct facts_rows *rows, int t)
{
    return t < rows->n_rows ? t : rows->n_rows - 1;
}

static inline fvec rows_visible(const struct facts_rows *rows, int t)
{
    double v[FWIDTH];

    UNROLL
    for (int i = 0; i < FWIDTH; i++)
        v[i] = rows->n_visible[row_at(rows, t + i)];
    return f_of(v);
}

static inline fvec rows_largest(const struct facts_rows *rows, int t)
{
    double v[FWIDTH];

    UNROLL
    for (int i = 0; i < FWIDTH; i++)
        v[i] = (double)rows->largest[row_at(rows, t + i)];
    return f_of(v);
}

/* Distances of key 0 from FWIDTH rows. */
static inline fvec rows_away(const struct facts_rows *rows, int t)
{
    return f_set(-rows->query - t) - f_from(0);
}

/* ---- facts_shape ---- */

/* Of FWIDTH rows. */
struct shape_sums {
    fvec mass, squares, uneven, distance, distance_abs, back, back_mass, spread;
    fbits low, small;           /* counts, negative */
};

static inline void shape_entries(struct shape_sums *s, const float *panel, int n, fvec visible,
                                 fvec largest)
{
    fvec even = f_set(1) / visible, low = f_set(0.01) / visible;
    fvec small = f_set(0.01) * largest;
    struct shape_sums x = *s;

    for (int j = 0; j < n; j++, panel += FACT_ROWS) {
        fvec w = f_load(panel);

        x.mass += w;
        x.squares = f_fma(w, w, x.squares);
        x.uneven += f_abs(w - even);
        x.low += f_less(w, low);
        x.small += f_less(w, small);
    }
    *s = x;
}

static inline void shape_distances(struct shape_sums *s, const float *panel, int key, int n,
                                   fvec away)
{
    struct shape_sums x = *s;
    fvec d = away + f_set(key);

    for (int j = 0; j < n; j++, panel += FACT_ROWS, d += f_set(1)) {
        fvec w = f_load(panel), size = f_abs(d);
        fvec back = f_keep(f_at_most(d, f_set(0)), w);

        if (key + j == 0)
            back = f_set(0);
        x.distance = f_fma(w, d, x.distance);
        x.distance_abs = f_fma(w, size, x.distance_abs);
        x.back = f_fma(back, size, x.back);
        x.back_mass += back;
    }
    *s = x;
}

static inline void shape_spread(struct shape_sums *s, const float *panel, int key, int n,
                                fvec away)
{
    fvec sum = s->spread, d = away + f_set(key), mean = s->distance;

    for (int j = 0; j < n; j++, panel += FACT_ROWS, d += f_set(1)) {
        fvec off = d - mean;

        sum = f_fma(f_load(panel) * off, off, sum);
    }
    s->spread = sum;
}

static void shape_store(struct facts_shape *out, const struct facts_rows *rows, int t,
                        const struct shape_sums *s)
{
    double sum[8][FWIDTH];
    int64_t low[FWIDTH], small[FWIDTH];

    memcpy(sum, s, sizeof sum);
    memcpy(low, &s->low, sizeof low);
    memcpy(small, &s->small, sizeof small);
    for (int i = 0; i < FWIDTH && t + i < rows->n_rows; i++) {
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
        struct shape_sums sums[FACT_ROWS / FWIDTH] = { 0 };

        for (int pass = 0; pass < 2; pass++)
            for (int from = 0; from < rows->n; from += FACTS_MOST) {
                int n = rows->n - from < FACTS_MOST ? rows->n - from : FACTS_MOST;

                if (pass == 0 || rows->n > FACTS_MOST)
                    facts_panel(panel, rows, t, from, n);
                for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += FWIDTH) {
                    struct shape_sums *s = &sums[i / FWIDTH];
                    fvec away = rows_away(rows, t + i);

                    if (pass == 1) {
                        shape_spread(s, panel + i, rows->key0 + from, n, away);
                        continue;
                    }
                    shape_entries(s, panel + i, n, rows_visible(rows, t + i),
                                  rows_largest(rows, t + i));
                    shape_distances(s, panel + i, rows->key0 + from, n, away);
                }
            }
        for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += FWIDTH)
            shape_store(out, rows, t + i, &sums[i / FWIDTH]);
    }
}

/* ---- facts_mixed_entropy ---- */

/* As elementary_log_plain. */
static inline fvec log_of(fvec x)
{
    const fbits one = f_whole(INT64_C(1) << 52), least = f_whole(INT64_C(0x3fe6a09e667f3bcd));
    fbits bits = f_to_bits(x) - least;
    fbits k_bits = f_shift_right(bits + f_whole(INT64_C(1) << 62), 52) +
                   f_whole(INT64_C(1075) << 52);
    fbits z_bits = (bits & (one - f_whole(1))) + least;
    fvec k = f_of_bits(k_bits) - f_set(0x1p52 + 1024);
    fvec z = f_of_bits(z_bits), s, square, odd, even, fourth;

    s = (z - f_set(1)) / (z + f_set(1));
    square = s * s;
    fourth = square * square;
    even = f_fma(fourth, f_set(2.0 / 19), f_set(2.0 / 15));
    odd = f_fma(fourth, f_set(2.0 / 21), f_set(2.0 / 17));
    even = f_fma(fourth, even, f_set(2.0 / 11));
    odd = f_fma(fourth, odd, f_set(2.0 / 13));
    even = f_fma(fourth, even, f_set(2.0 / 7));
    odd = f_fma(fourth, odd, f_set(2.0 / 9));
    even = f_fma(fourth, even, f_set(2.0 / 3));
    odd = f_fma(fourth, odd, f_set(2.0 / 5));
    even = f_fma(square, odd, even);
    return f_fma(k, f_set(0x1.62e42fefa39efp-1), f_fma(s * square, even, s + s));
}

static void facts_mixed_entropy_rows(double *out, const struct facts_rows *rows, double mix)
{
    _Alignas(64) float panel[FACTS_MOST * FACT_ROWS];
    double lane[FACT_ROWS];

    for (int t = 0; t < rows->n_rows; t += FACT_ROWS) {
        fvec sum[FACT_ROWS / FWIDTH] = { f_set(0) };

        for (int from = 0; from < rows->n; from += FACTS_MOST) {
            int n = rows->n - from < FACTS_MOST ? rows->n - from : FACTS_MOST;

            facts_panel(panel, rows, t, from, n);
            for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += FWIDTH) {
                fvec rest = f_set(mix) / rows_visible(rows, t + i), all = sum[i / FWIDTH];

                for (int j = 0; j < n; j++) {
                    fvec x = f_fma(f_set(1 - mix),
                                                f_load(panel + j * FACT_ROWS + i), rest);

                    all = f_fnma(x, log_of(x), all);
                }
                sum[i / FWIDTH] = all;
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

/* The larger of both in x, the smaller in y, of count keys of 8 `eights` rows. */
static inline __attribute__((always_inline)) void exchange(float *x, float *y, int count,
                                                           const int eights)
{
    for (int i = 0; i < count; i++, x += FACT_ROWS, y += FACT_ROWS)
        UNROLL
        for (int v = 0; v < eights * 8; v += SWIDTH) {
            svec a = s_load(x + v), b = s_load(y + v);

            s_store(x + v, s_max(a, b));
            s_store(y + v, s_min(a, b));
        }
}

/*
 * n keys of the panel in falling order in each of 8 `eights` rows: Batcher's odd-even merge sort
 * (1968), where what is beyond n would be the smallest, and stays.
 */
static inline __attribute__((always_inline)) void sort_keys(float *panel, int n, const int eights)
{
    for (int p = 1; p < n; p *= 2)
        for (int k = p; k >= 1; k /= 2)
            for (int j = k % p; j + k < n; j += 2 * k)
                if (((j ^ (j + k)) & -(2 * p)) == 0)    /* else of two pairs of runs */
                    exchange(panel + (int64_t)j * FACT_ROWS, panel + (int64_t)(j + k) * FACT_ROWS,
                             n - j - k < k ? n - j - k : k, eights);
}

/* The sums of the first keys of FWIDTH rows of a sorted panel. */
static void top_few_rows(struct facts_top *out, const struct facts_rows *rows, int t,
                       const float *panel, double share)
{
    fvec sum = f_set(0), enough = f_set(share);
    fbits short_of = f_whole(0);         /* counts, negative */
    double mass[FACTS_TOPS][FWIDTH];
    int64_t count[FWIDTH];
    int size = 0;

    for (int k = 0; k < rows->n; k++) {
        fbits less;

        sum += f_load(panel + k * FACT_ROWS);
        less = f_less(sum, enough);
        short_of += less;
        if (size < FACTS_TOPS && k + 1 == 1 << size)
            f_store(mass[size++], sum);
        else if (size == FACTS_TOPS && k % 4 == 3 && !f_any(less))
            break;
    }
    for (; size < FACTS_TOPS; size++)
        f_store(mass[size], sum);
    memcpy(count, &short_of, sizeof count);
    for (int i = 0; i < FWIDTH && t + i < rows->n_rows; i++) {
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
        for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += FWIDTH)
            top_few_rows(out, rows, t + i, panel + i, share);
    }
}

#define FACTS_KERNELS { facts_shape_rows, facts_mixed_entropy_rows, facts_top_rows }

#endif
