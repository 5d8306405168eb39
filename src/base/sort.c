/* SPDX-License-Identifier: MIT
 * Numbers in order, without a branch that depends on them; places in the order of numbers. */
#include "base/sort.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUN = 32,
    BY_DIGITS = 96,             /* where digits are as fast as merges */
    DIGIT_BITS = 8, DIGITS = 32 / DIGIT_BITS, DIGIT_VALUES = 1 << DIGIT_BITS,
};

/*
 * Each goes to the place that the number of larger ones gives; equal ones go to one place, and
 * fill the empty ones behind it.  The inner loop has a constant length so that a processor's
 * vectors take it; what is beyond n is below all.
 */
static void sort_run(float *x, int n)
{
    float key[RUN], sorted[RUN];
    int place[RUN] = { 0 };

    for (int i = 0; i < RUN; i++) {
        key[i] = i < n ? x[i] : -INFINITY;
        sorted[i] = NAN;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < RUN; i++)
            place[i] += key[j] > key[i];
    for (int i = 0; i < n; i++)
        sorted[place[i]] = key[i];
    for (int i = 1; i < n; i++)
        sorted[i] = sorted[i] == sorted[i] ? sorted[i] : sorted[i - 1];
    memcpy(x, sorted, (size_t)n * sizeof *x);
}

/* Two runs, one behind the other, to one. */
static void sort_merge(float *out, const float *x, int middle, int n)
{
    int i = 0, j = middle, k = 0;

    for (; i < middle && j < n; k++) {
        float first = x[i], second = x[j];
        int taken = second > first;

        out[k] = second > first ? second : first;
        j += taken;
        i += 1 - taken;
    }
    memcpy(out + k, x + i, (size_t)(middle - i) * sizeof *x);
    memcpy(out + k + middle - i, x + j, (size_t)(n - j) * sizeof *x);
}

static void by_merges(float *x, float *room, int n)
{
    float *from = x, *to = room;

    for (int at = 0; at < n; at += RUN)
        sort_run(x + at, n - at < RUN ? n - at : RUN);
    for (int size = RUN; size < n; size *= 2) {
        float *sorted = to;

        for (int at = 0; at < n; at += 2 * size) {
            int left = n - at;

            sort_merge(to + at, from + at, left < size ? left : size,
                       left < 2 * size ? left : 2 * size);
        }
        to = from;
        from = sorted;
    }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof *x);
}

/* A number's bits, so that they are in the opposite order of the numbers. */
static uint32_t sort_key_of(const float *x)
{
    uint32_t bits;

    memcpy(&bits, x, sizeof bits);
    return bits >> 31 ? bits : ~bits & INT32_MAX;
}

static int digit(uint32_t key, int d)
{
    return (int)(key >> (d * DIGIT_BITS) & (DIGIT_VALUES - 1));
}

/* By one digit after another, the lowest first, each time without a change among equal ones. */
static void by_digits(float *x, float *room, int n)
{
    int32_t count[DIGITS][DIGIT_VALUES] = { 0 };
    float *from = x, *to = room;

    for (int i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            count[d][digit(sort_key_of(&x[i]), d)]++;
    for (int d = 0; d < DIGITS; d++) {
        int32_t *place = count[d], before = 0;
        float *sorted = to;

        if (place[digit(sort_key_of(x), d)] == n)
            continue;           /* all have the same */
        for (int v = 0; v < DIGIT_VALUES; v++) {
            int32_t of_value = place[v];

            place[v] = before;
            before += of_value;
        }
        for (int i = 0; i < n; i++)
            memcpy(&to[place[digit(sort_key_of(&from[i]), d)]++], &from[i], sizeof *to);
        to = from;
        from = sorted;
    }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof *x);
}

void sort_down(float *x, float *room, int n)
{
    if (n < BY_DIGITS)
        by_merges(x, room, n);
    else
        by_digits(x, room, n);
}

/* ---- places ---- */

struct ranked {
    double key;
    int place;
};

/* Of numbers that are not NaN. */
static int by_key(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->place - b->place;
}

int *sort_places(struct arena *a, const double *key, int n, bool reverse)
{
    int *place = arena_alloc(a, (uint64_t)n, sizeof *place), n_ranked = 0, n_rest = 0;
    struct ranked *rank = arena_alloc(a, (uint64_t)n, sizeof *rank);

    for (int i = 0; i < n; i++)
        if (!isnan(key[i]))
            rank[n_ranked++] = (struct ranked){ key[i], i };
    qsort(rank, (size_t)n_ranked, sizeof *rank, by_key);
    for (int i = 0; i < n_ranked; i++)
        place[i] = rank[reverse ? n_ranked - 1 - i : i].place;
    for (int i = 0; i < n; i++)
        if (isnan(key[i]))
            place[n_ranked + n_rest++] = i;
    return place;
}
