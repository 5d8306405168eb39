/* SPDX-License-Identifier: MIT
 * The tokens of a text -> one block of memory. */
#include <string.h>

#include "text/tok.h"

size_t tok_packed(const struct tokens *t)
{
    size_t each = sizeof *t->piece + sizeof *t->label + sizeof *t->label_size +
                  sizeof *t->bytes + sizeof *t->chars + sizeof *t->id + sizeof *t->type +
                  (t->word != NULL ? sizeof *t->word : 0) + sizeof *t->special;
    size_t sum = each * (size_t)t->n + 1;

    for (int i = 0; i < t->n; i++)
        sum += t->label_size[i] + 1;
    return sum;
}

/* A copy at *at, which moves behind it. */
static void *text_pack_put(unsigned char **at, const void *from, size_t size)
{
    void *copy = *at;

    if (size > 0)
        memcpy(copy, from, size);
    *at += size;
    return copy;
}

static void put_labels(unsigned char **at, const struct tokens *t, const char **label)
{
    for (int i = 0; i < t->n; i++) {
        label[i] = text_pack_put(at, t->label[i], t->label_size[i]);
        *(*at)++ = '\0';
    }
}

void tok_pack(void *block, const struct tokens *t, struct tokens *out)
{
    size_t n = (size_t)t->n;
    unsigned char *at = block;

    out->n = t->n;
    /* Those of a greater alignment first. */
    out->piece = text_pack_put(&at, t->piece, n * sizeof *t->piece);
    out->label = text_pack_put(&at, t->label, n * sizeof *t->label);
    out->label_size = text_pack_put(&at, t->label_size, n * sizeof *t->label_size);
    out->bytes = text_pack_put(&at, t->bytes, n * sizeof *t->bytes);
    out->chars = text_pack_put(&at, t->chars, n * sizeof *t->chars);
    out->id = text_pack_put(&at, t->id, n * sizeof *t->id);
    out->type = text_pack_put(&at, t->type, n * sizeof *t->type);
    out->word = t->word != NULL ? text_pack_put(&at, t->word, n * sizeof *t->word) : NULL;
    out->special = text_pack_put(&at, t->special, n);
    put_labels(&at, t, out->label);
}
