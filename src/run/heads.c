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

bool heads_have_global(const struct heads *h, int text)
{
    int start, n;

    if (h->global == NULL)
        return false;
    start = h->key_start[text];
    n = h->key_start[text + 1] - start;
    return memchr(h->global + start, 1, (size_t)n) != NULL;
}

bool heads_hide_keys(const struct heads *h)
{
    return h->hide != NULL || mask_hides(h->mask);
}

void heads_hide(const struct heads *h, const struct mask_view *v, int text,
                unsigned char *hidden, size_t stride, int row0, int n_rows, int key0,
                int n_keys)
{
    if (h->hide != NULL)
        h->hide(h->hide_self, text, (int)v->head, hidden, stride, row0, n_rows, key0,
                n_keys);
    if (mask_hides(h->mask))
        mask_hide(v, hidden, stride, row0, n_rows, key0, n_keys);
}

bool heads_have_copies(const struct heads *h, int text)
{
    return h->copies != NULL && h->copies[text].copies > 1;
}
