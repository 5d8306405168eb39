/* SPDX-License-Identifier: MIT
 * Products q.k -> scores: scale, cap, terms and hidden keys. */
#include "nn/score.h"

#include "base/elementary.h"
#include "nn/visible.h"

bool score_has_terms(const struct attend *attend)
{
    for (int i = 0; i < SCORE_TERMS; i++)
        if (attend->term[i].add != NULL)
            return true;
    return false;
}

void score_terms(const struct attend *attend, float *score, size_t stride, int row0,
                 int n_rows, int key0, int n_keys)
{
    for (int t = 0; attend->cap > 0 && t < n_rows; t++)
        for (int j = 0; j < n_keys; j++) {
            float *x = &score[(size_t)t * stride + (size_t)j];

            *x = attend->cap * elementary_tanhf(*x / attend->cap);
        }
    for (int i = 0; i < SCORE_TERMS; i++)
        if (attend->term[i].add != NULL)
            attend->term[i].add(attend->term[i].self, score, stride, row0 + attend->offset, n_rows,
                                key0, n_keys);
}

void score_hide(const struct attend *attend, float *row, int t, int n_keys, float value)
{
    for (int j = 0; j < n_keys; j++)
        if (visible_is_hidden(attend, t, j))
            row[j] = value;
}

void score_block(const struct attend *attend, float *score, size_t stride, int row0,
                 int n_rows, int key0, int n_keys)
{
    for (int t = 0; t < n_rows; t++)
        for (int j = 0; j < n_keys; j++)
            score[(size_t)t * stride + (size_t)j] *= attend->scale;
    score_terms(attend, score, stride, row0, n_rows, key0, n_keys);
    for (int t = 0; attend->hidden != NULL && t < n_rows; t++)
        score_hide(attend, score + (size_t)t * stride, t, n_keys, SCORE_LEAST);
}
