/* SPDX-License-Identifier: MIT
 * The keys that are hidden from rows of a head, in addition to its window. */
#include "run/heads.h"

#include <string.h>

#include "base/elementary.h"

void heads_gate(float *y, const float *gate, int d)
{
    for (int i = 0; i < d; i++)
        y[i] *= (float)(1 / (1 + elementary_exp(-(double)gate[i])));
}

bool heads_have_global(const struct heads *heads, int text)
{
    int start, n;

    if (heads->global == NULL)
        return false;
    start = heads->key_start[text];
    n = heads->key_start[text + 1] - start;
    return memchr(heads->global + start, 1, (size_t)n) != NULL;
}

bool heads_hide_keys(const struct heads *heads)
{
    return heads->hide != NULL || mask_hides(heads->mask);
}

void heads_hide(const struct heads *heads, const struct mask_view *v, int text,
                unsigned char *hidden, size_t stride, int row0, int n_rows, int key0,
                int n_keys)
{
    if (heads->hide != NULL)
        heads->hide(heads->hide_self, text, (int)v->head, hidden, stride, row0, n_rows, key0,
                    n_keys);
    if (mask_hides(heads->mask))
        mask_hide(v, hidden, stride, row0, n_rows, key0, n_keys);
}

bool heads_have_copies(const struct heads *heads, int text)
{
    return heads->copies != NULL && heads->copies[text].copies > 1;
}
