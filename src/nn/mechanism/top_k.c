/* SPDX-License-Identifier: MIT
 * Softmax over the k highest scores of each row. */
#include <math.h>
#include <string.h>

#include "nn/mechanism/pairs.h"
#include "nn/score.h"
#include "nn/softmax.h"

static int top_k_count(const struct attention *a)
{
    return a->params->budget > 0 ? a->params->budget : a->params->top_k;
}

/* The first k of heap[k] stay a heap whose top is the least. */
static void sift(float *heap, int k)
{
    for (int i = 0, child; (child = 2 * i + 1) < k; i = child) {
        float x = heap[i];

        if (child + 1 < k && heap[child + 1] < heap[child])
            child++;
        if (!(heap[child] < x))
            return;
        heap[i] = heap[child];
        heap[child] = x;
    }
}

/* The k-th highest of x[n], k <= n. */
static float kth(const float *x, int n, int k, float *heap)
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

/* Of equal scores at the edge the first ones stay. */
static void top_k_weigh(float *row, int n, int first, int end, const struct attention *a,
                        float *spare)
{
    int k = top_k_count(a) < end - first ? top_k_count(a) : end - first, left = k;
    float least = kth(row + first, end - first, k, spare);

    for (int j = first; j < end; j++)
        left -= row[j] > least;
    for (int j = first; j < end; j++)
        if (row[j] < least || (row[j] == least && left-- <= 0))
            row[j] = 2 * SCORE_HIDDEN;
    softmax_row(row, n, first, end, 1);
}

static void top_k_weigh_double(double *w, int n, const struct attention *a)
{
    for (int j = n - 1; j >= 0; j--) {
        int above = 0;

        for (int i = 0; i < n; i++)
            above += w[i] > w[j] || (i < j && w[i] == w[j]);
        if (above >= top_k_count(a))
            w[j] = -INFINITY;
    }
    softmax_double(w, NULL, n);
}

static const struct pair_steps steps = { .weigh = top_k_weigh };
static const struct pair_formula formula = { .weigh = top_k_weigh_double };

const struct mechanism mechanism_top_k = {
    .name = "top-k", .formula = "softmax_j s_ij over the k highest of row i",
    .cost = "N^2 d", .growth = "N^2", .sparse = true,
    .source = "Gupta et al. 2021, section 2; Zhao et al. 2019",
    .steps = &steps, .pairs = &formula,
    .room = pairs_room, .run = pairs_run, .reference = pairs_reference,
};
