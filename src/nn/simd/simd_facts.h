/* SPDX-License-Identifier: MIT
 *
 * Statistics of blocks of rows in vectors: the sums of scan.h with adjacent keys in lanes, those of
 * facts.h with adjacent rows in lanes, in panels of FACT_ROWS rows.  The kernels' files include it
 * after simd_rows.h; its vectors (fvec, svec and fbits of simd_256.h) have at most 256 bits, and
 * each lane belongs to one row, or to one lane of plain C. */
#ifndef NN_SIMD_FACTS_H
#define NN_SIMD_FACTS_H

#include "nn/facts.h"

enum { SWIDTH = 2 * FWIDTH, EIGHT = 8 / FWIDTH, EIGHT_FLOATS = 8 / SWIDTH };   /* vectors */

/* x, but at least and at most these. */
static inline int between(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

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

static inline __attribute__((always_inline)) void row_lanes_start(struct row_lanes *lanes, int away)
{
    lanes->away[0] = f_from(away);
    UNROLL
    for (int i = 1; i < EIGHT; i++)
        lanes->away[i] = lanes->away[0] + f_set(i * FWIDTH);
    UNROLL
    for (int i = 0; i < EIGHT_FLOATS; i++)
        lanes->max[i] = s_zero();
}

/* The next SWIDTH of 8 keys, from key `at` of these on. */
static inline __attribute__((always_inline)) void row_lanes_add(struct row_lanes *lanes, svec v,
                                                                const int at)
{
    lanes->max[at / SWIDTH] = s_max(v, lanes->max[at / SWIDTH]);
    UNROLL
    for (int j = 0; j < 2; j++) {       /* a product is exact, so that its sum rounds as of two */
        int i = at / FWIDTH + j;
        fvec part = f_part(v, j), size = f_abs(lanes->away[i]);

        lanes->sum[i] = f_fma(part, lanes->away[i], lanes->sum[i]);
        lanes->sum_abs[i] = f_fma(part, size, lanes->sum_abs[i]);
        lanes->away[i] += f_set(8);
    }
}

/* One row or two, which go on with the sums of those before. */
static inline __attribute__((always_inline)) void scan_some(struct row_lanes *lanes, float *largest,
    const float *w, size_t stride, int n, int away, const int rows)
{
    int j = 0;

    UNROLL
    for (int r = 0; r < rows; r++)
        row_lanes_start(&lanes[r], away - r);
    for (; j + 8 <= n; j += 8)
        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int i = 0; i < 8; i += SWIDTH)
                row_lanes_add(&lanes[r], s_load_any(w + (size_t)r * stride + j + i), i);
    if (j < n)
        UNROLL
        for (int r = 0; r < rows; r++)
            UNROLL
            for (int i = 0; i < 8; i += SWIDTH)
                row_lanes_add(&lanes[r], s_load_first(w + (size_t)r * stride + j + i, n - j - i),
                              i);
    UNROLL
    for (int r = 0; r < rows; r++) {
        svec max = lanes[r].max[0];

        UNROLL
        for (int i = 1; i < EIGHT_FLOATS; i++)
            max = s_max(lanes[r].max[i], max);
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

/* ---- facts_columns ---- */

/* FWIDTH keys of all rows. */
static inline fvec column_sums(fvec sum, const float *w, size_t stride, int n_rows)
{
    int t = 0;

    for (; t + 4 <= n_rows; t += 4, w += 4 * stride)
        sum += (f_load(w) + f_load(w + stride)) + (f_load(w + 2 * stride) + f_load(w + 3 * stride));
    for (; t < n_rows; t++, w += stride)
        sum += f_load(w);
    return sum;
}

/* The last keys side by side with keys before them, whose sums are taken first. */
static void facts_columns_rows(double *out, const struct facts_rows *rows)
{
    int last = rows->n - FWIDTH;
    fvec sum;

    if (last < 0) {
        facts_c.columns(out, rows);
        return;
    }
    sum = column_sums(f_load_double(out + last), rows->w + last, rows->stride, rows->n_rows);
    for (int j = 0; j < last; j += FWIDTH)
        f_store(out + j, column_sums(f_load_double(out + j), rows->w + j, rows->stride,
                                     rows->n_rows));
    f_store(out + last, sum);
}

/* ---- rows side by side ---- */

enum { FACT_ROWS = 16 };        /* of a panel */

/*
 * The keys of rows t .. t + FACT_ROWS - 1 from `from` on, *n of them, as many as there is room
 * for: [n, FACT_ROWS].  Those of all rows at once, where there is room; else they last until
 * the next are asked for.
 */
static const float *facts_panel(const struct facts_rows *rows, int t, int from, int *n)
{
    float *panel = rows->room->panel;
    bool all = rows->n <= FACTS_MOST;
    int first = all ? 0 : t, end = all ? rows->n_rows : t + 1;

    *n = rows->n - from < FACTS_MOST ? rows->n - from : FACTS_MOST;
    for (int i = first; i < end && !rows->room->is_made; i += FACT_ROWS) {
        int left = rows->n_rows - i;

        transpose(panel + (i - first) * *n, FACT_ROWS, rows->w + (size_t)i * rows->stride + from,
                  (int64_t)rows->stride, left < FACT_ROWS ? left : FACT_ROWS, *n);
    }
    rows->room->is_made = all;
    return panel + (t - first) * *n;
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

/* Of FWIDTH rows; back and back_mass of the keys up to the query but of key 0, back_first of
 * that one. */
struct shape_sums {
    fvec mass, squares, uneven, distance, back, back_mass, back_first, spread;
};

/* Of a key of FWIDTH rows, of which each sees 1 / even keys, at the distances d. */
static inline __attribute__((always_inline)) void shape_add(struct shape_sums *sums, fvec w,
                                                            fvec even, fvec d)
{
    sums->mass += w;
    sums->squares = f_fma(w, w, sums->squares);
    sums->uneven += f_abs(w - even);
    sums->distance = f_fma(w, d, sums->distance);
}

enum { SHAPES = 2 };            /* vectors side by side */

/* Keys from..to - 1 of `vecs` times FWIDTH rows, of which the first is `away` from key 0. */
static inline __attribute__((always_inline)) void shape_run(struct shape_sums *sums,
    const float *panel, int from, int to, const fvec *even, fvec away, const int vecs)
{
    fvec d = away + f_set(from);

    panel += from * FACT_ROWS;
    for (int j = from; j < to; j++, panel += FACT_ROWS) {
        UNROLL
        for (int i = 0; i < vecs; i++)
            shape_add(&sums[i], f_load(panel + FWIDTH * i), even[i], d - f_set(FWIDTH * i));
        d += f_set(1);
    }
}

/* The same keys, of which only some are after the queries. */
static inline __attribute__((always_inline)) void shape_back(struct shape_sums *sums,
    const float *panel, int from, int to, fvec away, const int vecs)
{
    for (int j = from; j < to; j++)
        UNROLL
        for (int i = 0; i < vecs; i++) {
            fvec d = away + f_set(j - FWIDTH * i);
            fvec w = f_keep(f_at_most(d, f_set(0)), f_load(panel + j * FACT_ROWS + FWIDTH * i));

            sums[i].back = f_fnma(w, d, sums[i].back);
            sums[i].back_mass += w;
        }
}

/*
 * Adds all sums but the spreads, for n keys from `key` on.  Weights of keys up to the first query
 * all look back, those from the last query on do not, so that only keys in between are compared
 * with the queries.  Key 0 comes last.
 */
static inline __attribute__((always_inline)) void shape_keys(struct shape_sums *sums,
    const float *panel, int key, int n, const fvec *even, fvec away, int query, const int vecs)
{
    int first = key == 0 ? 1 : 0, some = between(query + 1 - key, first, n);
    int none = between(query + FWIDTH * vecs - key, some, n);
    struct shape_sums s[SHAPES];

    away += f_set(key);
    UNROLL
    for (int i = 0; i < vecs; i++)
        s[i] = (struct shape_sums){ f_set(0), f_set(0), f_set(0), f_set(0) };
    shape_run(s, panel, first, some, even, away, vecs);
    UNROLL
    for (int i = 0; i < vecs; i++) {
        s[i].back = f_set(0) - s[i].distance;
        s[i].back_mass = s[i].mass;
    }
    shape_back(s, panel, some, none, away, vecs);
    shape_run(s, panel, some, n, even, away, vecs);
    shape_run(s, panel, 0, first, even, away, vecs);
    UNROLL
    for (int i = 0; i < vecs; i++) {
        sums[i].mass += s[i].mass;
        sums[i].squares += s[i].squares;
        sums[i].uneven += s[i].uneven;
        sums[i].distance += s[i].distance;
        sums[i].back += s[i].back;
        sums[i].back_mass += s[i].back_mass;
        if (first > 0)
            sums[i].back_first = f_load(panel + FWIDTH * i) * f_abs(away - f_set(FWIDTH * i));
    }
}

/* The spreads of `vecs` times FWIDTH rows, whose mean distances are known. */
static inline __attribute__((always_inline)) void shape_spreads(struct shape_sums *sums,
    const float *panel, int key, int n, fvec away, const int vecs)
{
    fvec sum[FACT_ROWS / FWIDTH], d[FACT_ROWS / FWIDTH];

    UNROLL
    for (int i = 0; i < vecs; i++) {
        sum[i] = sums[i].spread;
        d[i] = away + f_set(key - FWIDTH * i);
    }
    for (int j = 0; j < n; j++, panel += FACT_ROWS)
        UNROLL
        for (int i = 0; i < vecs; i++) {
            fvec off = d[i] - sums[i].distance;

            sum[i] = f_fma(f_load(panel + FWIDTH * i) * off, off, sum[i]);
            d[i] += f_set(1);
        }
    UNROLL
    for (int i = 0; i < vecs; i++)
        sums[i].spread = sum[i];
}

/* The least float that is not below x: floats are below one where they are below the other. */
static inline float float_from(double x)
{
    float f = (float)x;
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    bits += (double)f < x;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* What is hidden counts too. */
struct shape_counts { int low[FACT_ROWS], small[FACT_ROWS]; };

/* n keys more of the first n_rows rows from t on. */
static void shape_count(struct shape_counts *counts, const struct facts_rows *rows, int t,
                        int n_rows, const float *panel, int n)
{
    _Alignas(64) float low[FACT_ROWS], small[FACT_ROWS];

    for (int i = 0; i < FACT_ROWS; i++) {
        low[i] = float_from(0.01 / rows->n_visible[row_at(rows, t + i)]);
        small[i] = float_from(0.01 * (double)rows->largest[row_at(rows, t + i)]);
    }
    for (int i = 0; i < n_rows; i += SWIDTH) {
        svec at_low = s_load(low + i), at_small = s_load(small + i);
        sbits n_low, n_small;

        memcpy(&n_low, counts->low + i, sizeof n_low);
        memcpy(&n_small, counts->small + i, sizeof n_small);
        for (int j = 0; j < n; j++) {
            svec w = s_load(panel + j * FACT_ROWS + i);

            n_low -= s_less(w, at_low);
            n_small -= s_less(w, at_small);
        }
        memcpy(counts->low + i, &n_low, sizeof n_low);
        memcpy(counts->small + i, &n_small, sizeof n_small);
    }
}

static void shape_store(struct facts_shape *out, const struct facts_rows *rows, int t,
                        const struct shape_sums *sums, const struct shape_counts *counts)
{
    for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i += FWIDTH) {
        const struct shape_sums *s = &sums[i / FWIDTH];
        fvec visible = rows_visible(rows, t + i), hidden = f_set(rows->n) - visible;

        f_store(out->mass + t + i, s->mass);
        f_store(out->squares + t + i, s->squares);
        f_store(out->uneven + t + i, s->uneven - hidden * (f_set(1) / visible));
        f_store(out->distance + t + i, s->distance);
        f_store(out->distance_abs + t + i, f_fma(f_set(2), s->back + s->back_first, s->distance));
        f_store(out->spread + t + i, s->spread);
        f_store(out->back + t + i, s->back);
        f_store(out->back_mass + t + i, s->back_mass);
    }
    for (int i = 0; i < FACT_ROWS && t + i < rows->n_rows; i++) {
        int hidden = rows->n - rows->n_visible[t + i];

        out->low[t + i] = counts->low[i] - hidden;
        out->small[t + i] = counts->small[i] - (rows->largest[t + i] > 0 ? hidden : 0);
    }
}

/* FACT_ROWS rows from t on: key after key of long ones, a panel at a time; spreads when their
 * means are known. */
static void shape_panels(struct facts_shape *out, const struct facts_rows *rows, int t)
{
    const float *panel;
    struct shape_sums sums[FACT_ROWS / FWIDTH] = { 0 };
    struct shape_counts counts = { 0 };
    fvec away = rows_away(rows, t), even[FACT_ROWS / FWIDTH];
    int n_rows = rows->n_rows - t < FACT_ROWS ? rows->n_rows - t : FACT_ROWS, n;

    for (int i = 0; i < FACT_ROWS; i += FWIDTH)
        even[i / FWIDTH] = f_set(1) / rows_visible(rows, t + i);
    for (int from = 0; from < rows->n; from += n) {
        int i = 0;

        panel = facts_panel(rows, t, from, &n);
        for (; i + FWIDTH < n_rows; i += SHAPES * FWIDTH)
            shape_keys(sums + i / FWIDTH, panel + i, rows->key0 + from, n, even + i / FWIDTH,
                       rows_away(rows, t + i), rows->query + t + i, SHAPES);
        for (; i < n_rows; i += FWIDTH)
            shape_keys(sums + i / FWIDTH, panel + i, rows->key0 + from, n, even + i / FWIDTH,
                       rows_away(rows, t + i), rows->query + t + i, 1);
        shape_count(&counts, rows, t, n_rows, panel, n);
    }
    for (int from = 0; from < rows->n; from += n) {
        panel = facts_panel(rows, t, from, &n);
        if (n_rows > 2 * FWIDTH)
            shape_spreads(sums, panel, rows->key0 + from, n, away, FACT_ROWS / FWIDTH);
        else
            shape_spreads(sums, panel, rows->key0 + from, n, away, 2);
    }
    shape_store(out, rows, t, sums, &counts);
}

static void facts_shape_rows(struct facts_shape *out, const struct facts_rows *rows)
{
    for (int t = 0; t < rows->n_rows; t += FACT_ROWS)
        shape_panels(out, rows, t);
}

/* ---- facts_mixed_entropy ---- */

/*
 * ln x within 2 ulp of a float, for normal x > 0: as elementary_log_plain, with the polynomial of
 * degree 2 whose product with s^2 is within 2^-29 of the rest (Remez).
 */
static inline svec s_log(svec x)
{
    const sbits least = (sbits)s_set(0x1.6a09e6p-1f), low = s_whole(0x7fffff);   /* sqrt(1/2) */
    sbits bits = (sbits)x - least, k = bits >> 23;
    svec z = (svec)((bits & low) + least);
    svec s = (z - s_set(1)) / (z + s_set(1)), square = s * s, rest;

    rest = s_fma(square, s_set(0x1.31e2f2p-2f), s_set(0x1.995ebap-2f));
    rest = s_fma(square, rest, s_set(0x1.55557ap-1f));
    return s_fma(s_of_whole(k), s_set(0x1.62e43p-1f), s_fma(s * square, rest, s + s));
}

/* sum [FACT_ROWS] -= x ln x of n keys of `vecs` times SWIDTH rows; the sums are of doubles. */
static inline __attribute__((always_inline)) void mixed_entropies(double *sum,
    const float *panel, int n, double mix, const float *rest, const int vecs)
{
    fvec all[2 * FACT_ROWS / SWIDTH];
    svec share = s_set((float)(1 - mix));

    UNROLL
    for (int i = 0; i < 2 * vecs; i++)
        all[i] = f_load_double(sum + FWIDTH * i);
    for (int j = 0; j < n; j++, panel += FACT_ROWS)
        UNROLL
        for (int i = 0; i < vecs; i++) {
            svec x = s_fma(share, s_load(panel + SWIDTH * i), s_load(rest + SWIDTH * i));
            svec part = x * s_log(x);

            all[2 * i] -= f_part(part, 0);
            all[2 * i + 1] -= f_part(part, 1);
        }
    UNROLL
    for (int i = 0; i < 2 * vecs; i++)
        f_store(sum + FWIDTH * i, all[i]);
}

static void mixed_entropy_panels(double *out, const struct facts_rows *rows, int t, double mix)
{
    int n_rows = rows->n_rows - t < FACT_ROWS ? rows->n_rows - t : FACT_ROWS, n;
    double sum[FACT_ROWS] = { 0 };
    _Alignas(64) float rest[FACT_ROWS], hidden[FACT_ROWS];      /* of a key that is not seen */

    for (int i = 0; i < FACT_ROWS; i++)
        rest[i] = (float)(mix / rows->n_visible[row_at(rows, t + i)]);
    for (int i = 0; i < FACT_ROWS; i += SWIDTH)
        s_store(hidden + i, s_load(rest + i) * s_log(s_load(rest + i)));
    for (int from = 0; from < rows->n; from += n) {
        const float *panel = facts_panel(rows, t, from, &n);

        if (n_rows > SWIDTH)
            mixed_entropies(sum, panel, n, mix, rest, FACT_ROWS / SWIDTH);
        else
            mixed_entropies(sum, panel, n, mix, rest, 1);
    }
    for (int i = 0; i < n_rows; i++)
        out[t + i] = sum[i] + (rows->n - rows->n_visible[t + i]) * (double)hidden[i];
}

static void facts_mixed_entropy_rows(double *out, const struct facts_rows *rows, double mix)
{
    for (int t = 0; t < rows->n_rows; t += FACT_ROWS)
        mixed_entropy_panels(out, rows, t, mix);
}

#define FACTS_KERNELS \
    { facts_shape_rows, facts_mixed_entropy_rows, facts_columns_rows, facts_top_rows }

#endif
