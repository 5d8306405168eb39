/* SPDX-License-Identifier: MIT
 *
 * The largest weights of rows in vectors: facts_top.  The kernels' files include it after
 * simd_facts.h, whose panels it sorts. */
#ifndef NN_SIMD_TOP_H
#define NN_SIMD_TOP_H

#include "nn/simd/simd_facts.h"

/* The larger of both in *a, the smaller in *b. */
static inline void in_order(svec *a, svec *b)
{
    svec larger = s_max(*a, *b);

    *b = s_min(*a, *b);
    *a = larger;
}

/* In order 8 keys of SWIDTH rows, as below; those from n on are 0. */
static inline void sort_8_keys(float *sorted, const float *panel, int n)
{
    svec v[8];

    UNROLL
    for (int j = 0; j < 8; j++)
        v[j] = j < n ? s_load(panel + j * FACT_ROWS) : s_zero();
    UNROLL
    for (int j = 0; j < 8; j += 2)
        in_order(&v[j], &v[j + 1]);
    UNROLL
    for (int j = 0; j < 8; j += 4) {
        in_order(&v[j], &v[j + 2]);
        in_order(&v[j + 1], &v[j + 3]);
        in_order(&v[j + 1], &v[j + 2]);
    }
    UNROLL
    for (int j = 0; j < 4; j++)
        in_order(&v[j], &v[j + 4]);
    in_order(&v[2], &v[4]);
    in_order(&v[3], &v[5]);
    UNROLL
    for (int j = 1; j < 7; j += 2)
        in_order(&v[j], &v[j + 1]);
    UNROLL
    for (int j = 0; j < 8; j++)
        s_store(sorted + j * FACT_ROWS, v[j]);
}

/* The larger of both in x, the smaller in y, of count keys of SWIDTH rows. */
static inline void exchange(float *x, float *y, int count)
{
    for (int i = 0; i < count * FACT_ROWS; i += FACT_ROWS) {
        svec a = s_load(x + i), b = s_load(y + i);

        in_order(&a, &b);
        s_store(x + i, a);
        s_store(y + i, b);
    }
}

/*
 * The last three steps of merging n keys, a multiple of 8 and at least 16, in one pass: keys
 * 8 i + 4 to 8 i + 7 with those 4 after them, 4 i + 2 and 4 i + 3 with those 2 after them, and
 * 2 i + 1 with the next.  Of those the next keys decide on, three wait.
 */
static inline void merge_nearest(float *key, int n)
{
    svec wait[3], v[8];

    UNROLL
    for (int i = 0; i < 3; i++)
        wait[i] = s_load(key + (1 + i) * FACT_ROWS);
    key += 4 * FACT_ROWS;
    for (int j = 4; j + 4 < n; j += 8, key += 8 * FACT_ROWS) {
        UNROLL
        for (int i = 0; i < 4; i++) {
            v[i] = s_load(key + i * FACT_ROWS);
            v[i + 4] = s_load(key + (i + 4) * FACT_ROWS);
            in_order(&v[i], &v[i + 4]);
        }
        UNROLL
        for (int i = 0; i < 2; i++) {
            in_order(&wait[i + 1], &v[i]);
            in_order(&v[i + 2], &v[i + 4]);
        }
        in_order(&wait[0], &wait[1]);
        in_order(&wait[2], &v[0]);
        in_order(&v[1], &v[2]);
        in_order(&v[3], &v[4]);
        UNROLL
        for (int i = 0; i < 3; i++)
            s_store(key + (i - 3) * FACT_ROWS, wait[i]);
        UNROLL
        for (int i = 0; i < 5; i++)
            s_store(key + i * FACT_ROWS, v[i]);
        UNROLL
        for (int i = 0; i < 3; i++)
            wait[i] = v[i + 5];
    }
    UNROLL
    for (int i = 0; i < 3; i++)
        v[i] = s_load(key + i * FACT_ROWS);
    in_order(&wait[1], &v[0]);
    in_order(&wait[2], &v[1]);
    in_order(&wait[0], &wait[1]);
    in_order(&wait[2], &v[0]);
    in_order(&v[1], &v[2]);
    UNROLL
    for (int i = 0; i < 3; i++) {
        s_store(key + (i - 3) * FACT_ROWS, wait[i]);
        s_store(key + i * FACT_ROWS, v[i]);
    }
}

/*
 * n keys of the panel in falling order in each of SWIDTH rows: Batcher's odd-even merge sort
 * (1968), where what is beyond n would be the smallest, and stays.
 */
static void sort_keys(float *sorted, const float *panel, int n)
{
    int whole = (n + 7) / 8 * 8;

    for (int j = 0; j < n; j += 8)
        if (j + 8 <= n)
            sort_8_keys(sorted + j * FACT_ROWS, panel + j * FACT_ROWS, 8);
        else
            sort_8_keys(sorted + j * FACT_ROWS, panel + j * FACT_ROWS, n - j);
    for (int p = 8; p < n; p *= 2)
        for (int run = 0; run + p < n; run += 2 * p) {
            int left = n - run < 2 * p ? n - run : 2 * p;
            float *key = sorted + run * FACT_ROWS;

            for (int k = p; k >= 8; k /= 2)
                for (int j = k % p; j + k < left; j += 2 * k)
                    exchange(key + j * FACT_ROWS, key + (j + k) * FACT_ROWS,
                             left - j - k < k ? left - j - k : k);
            merge_nearest(key, whole - run < 2 * p ? whole - run : 2 * p);
        }
}

/* The sums of the first keys of `vecs` times FWIDTH rows of a sorted panel. */
static inline __attribute__((always_inline)) void top_rows(struct facts_top *out,
    const struct facts_rows *rows, int t, const float *panel, double share, const int vecs)
{
    fvec sum[FACT_ROWS / FWIDTH], enough = f_set(share);
    fbits short_of[FACT_ROWS / FWIDTH], less[FACT_ROWS / FWIDTH];       /* counts, negative */
    int64_t count[FACT_ROWS];
    int size = 0;

    UNROLL
    for (int i = 0; i < vecs; i++) {
        sum[i] = f_set(0);
        short_of[i] = f_whole(0);
    }
    for (int k = 0; k < rows->n; k++, panel += FACT_ROWS) {
        UNROLL
        for (int i = 0; i < vecs; i++) {
            sum[i] += f_load(panel + FWIDTH * i);
            less[i] = f_less(sum[i], enough);
            short_of[i] += less[i];
        }
        if (size < FACTS_TOPS && k + 1 == 1 << size) {
            UNROLL
            for (int i = 0; i < vecs; i++)
                f_store(out->mass[size] + t + FWIDTH * i, sum[i]);
            size++;
        } else if (size == FACTS_TOPS && k % 4 == 3) {
            UNROLL
            for (int i = 1; i < vecs; i++)
                less[0] |= less[i];
            if (!f_any(less[0]))
                break;
        }
    }
    for (; size < FACTS_TOPS; size++)
        UNROLL
        for (int i = 0; i < vecs; i++)
            f_store(out->mass[size] + t + FWIDTH * i, sum[i]);
    memcpy(count, short_of, (size_t)vecs * sizeof *short_of);
    for (int i = 0; i < FWIDTH * vecs && t + i < rows->n_rows; i++)
        out->enough[t + i] = -count[i] < rows->n ? (int)(1 - count[i]) : 0;
}

static void facts_top_rows(struct facts_top *out, const struct facts_rows *rows, double share)
{
    _Alignas(64) float sorted[FACTS_MOST * FACT_ROWS];

    for (int t = 0; t < rows->n_rows; t += FACT_ROWS) {
        int n;
        const float *panel = facts_panel(rows, t, 0, &n);

        for (int i = 0; i < (rows->n_rows - t > 8 ? FACT_ROWS : 8); i += SWIDTH)
            sort_keys(sorted + i, panel + i, n);
        if (rows->n_rows - t > 8)
            top_rows(out, rows, t, sorted, share, FACT_ROWS / FWIDTH);
        else
            top_rows(out, rows, t, sorted, share, 8 / FWIDTH);
    }
}

#endif
