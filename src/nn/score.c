/* SPDX-License-Identifier: MIT
 * Products q.k -> scores: scale, cap, terms and hidden keys. */
#include "nn/score.h"

#include "base/elementary.h"
#include "nn/visible.h"

bool score_has_terms(const struct attend *at)
{
    for (int i = 0; i < SCORE_TERMS; i++)
        if (at->term[i].add != NULL)
            return true;
    return false;
}

void score_terms(const struct attend *at, float *score, size_t stride, int row0,
                 int n_rows, int key0, int n_keys)
{
    for (int t = 0; at->cap > 0 && t < n_rows; t++)
        for (int j = 0; j < n_keys; j++) {
            float *x = &score[(size_t)t * stride + (size_t)j];

            *x = at->cap * elementary_tanhf(*x / at->cap);
        }
    for (int i = 0; i < SCORE_TERMS; i++)
        if (at->term[i].add != NULL)
            at->term[i].add(at->term[i].self, score, stride, row0 + at->offset, n_rows,
                            key0, n_keys);
}

void score_hide(const struct attend *at, float *row, int t, int n_keys, float value)
{
    for (int j = 0; j < n_keys; j++)
        if (visible_is_hidden(at, t, j))
            row[j] = value;
}

void score_block(const struct attend *at, float *score, size_t stride, int row0,
                 int n_rows, int key0, int n_keys)
{
    for (int t = 0; t < n_rows; t++)
        for (int j = 0; j < n_keys; j++)
            score[(size_t)t * stride + (size_t)j] *= at->scale;
    score_terms(at, score, stride, row0, n_rows, key0, n_keys);
    for (int t = 0; at->hidden != NULL && t < n_rows; t++)
        score_hide(at, score + (size_t)t * stride, t, n_keys, SCORE_LEAST);
}
