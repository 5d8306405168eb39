/* SPDX-License-Identifier: MIT
 * The user's mask -> hidden keys and what is added to scores. */
#include "run/mask.h"

#include <math.h>

/* The row of the array for query t, or NULL. */
static const float *array_row(const struct mask *m, int64_t text, int64_t head, int64_t t)
{
    int64_t b = m->n_batch > 1 ? text : 0, h = m->n_heads > 1 ? head : 0;

    if (m->array == NULL)
        return NULL;
    t = m->T > 1 ? t : 0;
    return m->array + ((b * m->n_heads + h) * m->T + t) * m->S;
}

static bool hides(const struct mask *m, const float *row, int64_t t, int64_t j, int64_t S)
{
    if ((m->causal && j > t) || j >= S - m->n_padding ||
        (row != NULL && row[j] == -INFINITY))
        return true;
    for (int i = 0; i < m->n_blocks; i++) {
        struct mask_block block = m->block[i];

        if (t >= block.q0 && t <= block.q1 && j >= block.k0 && j <= block.k1)
            return true;
    }
    return false;
}

bool mask_is_causal(const struct mask *m)
{
    return m != NULL && m->causal && m->n_padding == 0 && m->n_blocks == 0 &&
           m->array == NULL && m->hidden_score == -INFINITY;
}

bool mask_hides(const struct mask *m)
{
    return m != NULL && m->hidden_score == -INFINITY;
}

bool mask_adds(const struct mask *m)
{
    return m != NULL && (m->adds || m->hidden_score != -INFINITY);
}

void mask_hide(const struct mask_view *v, unsigned char *hidden, size_t stride,
               int row0, int n_rows, int key0, int n_keys)
{
    for (int t = 0; t < n_rows; t++) {
        const float *row = array_row(v->mask, v->text, v->head, row0 + t);

        for (int j = 0; j < n_keys && key0 + j < v->S; j++)
            if (hides(v->mask, row, row0 + t, key0 + j, v->S))
                hidden[(size_t)t * stride + (size_t)j] = 1;
    }
}

void mask_add(const void *self, float *score, size_t stride, int row0, int n_rows,
              int key0, int n_keys)
{
    const struct mask_view *view = self;
    const struct mask *mask = view->mask;
    bool sets = mask->hidden_score != -INFINITY;

    for (int t = 0; t < n_rows; t++) {
        const float *row = array_row(mask, view->text, view->head, row0 + t);
        float *s = score + (size_t)t * stride;

        /* Blocks of columns are padded beyond the last key. */
        for (int j = 0; j < n_keys && key0 + j < view->S; j++) {
            if (sets && hides(mask, row, row0 + t, key0 + j, view->S))
                s[j] = mask->hidden_score;
            else if (row != NULL && row[key0 + j] != -INFINITY)
                s[j] += row[key0 + j];
        }
    }
}

/* ---- does it fit? ---- */

static int check_array(const struct mask *m, int64_t text, int64_t T, int64_t S, int H,
                       struct err *e)
{
    if (m->array == NULL)
        return 0;
    if ((m->T != 1 && m->T != T) || m->S != S)
        return err_set(e, ERR_INPUT, "%s: the mask is for %lld queries and %lld keys, "
                       "the text has %lld and %lld", m->name, (long long)m->T,
                       (long long)m->S, (long long)T, (long long)S);
    if (m->n_heads != 1 && m->n_heads != H)
        return err_set(e, ERR_INPUT, "%s: the mask is for %lld heads, the layer has %d",
                       m->name, (long long)m->n_heads, H);
    if (m->n_batch != 1 && text >= m->n_batch)
        return err_set(e, ERR_INPUT, "%s: the mask is for %lld texts, this is number "
                       "%lld", m->name, (long long)m->n_batch, (long long)text + 1);
    return 0;
}

static bool hides_everything(const struct mask *m, int64_t text, int64_t T, int64_t S)
{
    for (int64_t h = 0; h < m->n_heads; h++)
        for (int64_t t = 0; t < T; t++) {
            const float *row = array_row(m, text, h, t);

            for (int64_t j = 0; j < S; j++)
                if (!hides(m, row, t, j, S))
                    return false;
        }
    return true;
}

int mask_check(const struct mask *m, int64_t text, int64_t T, int64_t S, int H,
               struct err *e)
{
    if (check_array(m, text, T, S, H, e) != 0)
        return -1;
    if (m->n_padding >= S)
        return err_set(e, ERR_INPUT, "%s: hides %d keys, the text has %lld", m->name,
                       m->n_padding, (long long)S);
    for (int i = 0; i < m->n_blocks; i++) {
        struct mask_block block = m->block[i];

        if (block.q1 >= T || block.k1 >= S)
            return err_set(e, ERR_INPUT,
                           "%s: queries %d-%d, keys %d-%d: the text has "
                           "queries 0 to %lld, keys 0 to %lld",
                           m->name, block.q0, block.q1, block.k0, block.k1,
                           (long long)T - 1, (long long)S - 1);
    }
    if (hides_everything(m, text, T, S))
        return err_set(e, ERR_INPUT, "%s: hides all keys from all queries", m->name);
    return 0;
}
