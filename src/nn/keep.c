/* SPDX-License-Identifier: MIT
 * Votes and bounds -> the keys that are kept. */
#include "nn/keep.h"

#include <math.h>
#include <string.h>

/* The first k of heap[k] stay a heap whose top is the least. */
static void sift(double *heap, int k)
{
    for (int i = 0, child; (child = 2 * i + 1) < k; i = child) {
        double x = heap[i];

        if (child + 1 < k && heap[child + 1] < heap[child])
            child++;
        if (!(heap[child] < x))
            return;
        heap[i] = heap[child];
        heap[child] = x;
    }
}

/* The k-th highest of x[n], 0 < k <= n. */
static double kth(double *heap, const double *x, int n, int k)
{
    for (int j = 0; j < k; j++)
        heap[j] = -INFINITY;
    for (int j = 0; j < n; j++)
        if (x[j] > heap[0]) {
            heap[0] = x[j];
            sift(heap, k);
        }
    return heap[0];
}

int keep_highest(int *at, const double *x, int n, int k, double *room)
{
    int count = 0, equal;
    double least;

    k = k < n ? k : n;
    if (k <= 0)
        return 0;
    least = kth(room, x, n, k);
    equal = k;
    for (int j = 0; j < n; j++)
        equal -= x[j] > least;
    for (int j = 0; j < n; j++)
        if (x[j] > least || (x[j] == least && equal-- > 0))
            at[count++] = j;
    return count;
}

int keep_heavy(int *key, int n, const double *votes, int recent, int budget, int *at,
               double *room)
{
    int older = n - recent, count;

    if (n <= budget)
        return n;
    for (int j = 0; j < older; j++)
        room[j] = rint(votes[key[j]] * 1e6);
    count = keep_highest(at, room, older, budget - recent, room + n);
    for (int j = 0; j < count; j++)
        key[j] = key[at[j]];
    memmove(key + count, key + older, (size_t)recent * sizeof *key);
    return count + recent;
}

void keep_add(struct keep_pages *pages, const float *k, int64_t k_stride, int end)
{
    for (; pages->n < end; pages->n++) {
        const float *row = k + pages->n * k_stride;
        float *low = pages->low + (int64_t)(pages->n / pages->size) * pages->d;
        float *high = pages->high + (int64_t)(pages->n / pages->size) * pages->d;

        for (int c = 0; c < pages->d; c++) {
            low[c] = pages->n % pages->size == 0 || row[c] < low[c] ? row[c] : low[c];
            high[c] = pages->n % pages->size == 0 || row[c] > high[c] ? row[c] : high[c];
        }
    }
}

double keep_bound(const struct keep_pages *pages, const float *q, int page)
{
    const float *low = pages->low + (int64_t)page * pages->d,
                *high = pages->high + (int64_t)page * pages->d;
    double sum = 0;

    for (int c = 0; c < pages->d; c++)
        sum += (double)q[c] * (double)(q[c] > 0 ? high[c] : low[c]);
    return sum;
}

/* max over j of q_c k_jc is q_c low_c or q_c high_c: products of floats are exact. */
double keep_bound_of(const float *q, const float *k, int64_t k_stride, int d, const int *key,
                     int n)
{
    double sum = 0;

    for (int c = 0; c < d; c++) {
        double most = -INFINITY;

        for (int j = 0; j < n; j++)
            most = fmax(most, (double)q[c] * (double)k[key[j] * k_stride + c]);
        sum += most;
    }
    return sum;
}
