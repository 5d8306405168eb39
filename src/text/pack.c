/* SPDX-License-Identifier: MIT
 * The tokens of a text -> one block of memory. */
#include <string.h>

#include "text/tok.h"

size_t tok_packed(const struct tokens *tokens)
{
    size_t each = sizeof *tokens->piece + sizeof *tokens->label + sizeof *tokens->label_size +
                  sizeof *tokens->bytes + sizeof *tokens->chars + sizeof *tokens->id +
                  sizeof *tokens->type + (tokens->word != NULL ? sizeof *tokens->word : 0) +
                  sizeof *tokens->special;
    size_t sum = each * (size_t)tokens->n + 1;

    for (int i = 0; i < tokens->n; i++)
        sum += tokens->label_size[i] + 1;
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

static void put_labels(unsigned char **at, const struct tokens *tokens, const char **label)
{
    for (int i = 0; i < tokens->n; i++) {
        label[i] = text_pack_put(at, tokens->label[i], tokens->label_size[i]);
        *(*at)++ = '\0';
    }
}

void tok_pack(void *block, const struct tokens *tokens, struct tokens *out)
{
    size_t n = (size_t)tokens->n;
    unsigned char *at = block;

    out->n = tokens->n;
    /* Those of a greater alignment first. */
    out->piece = text_pack_put(&at, tokens->piece, n * sizeof *tokens->piece);
    out->label = text_pack_put(&at, tokens->label, n * sizeof *tokens->label);
    out->label_size = text_pack_put(&at, tokens->label_size, n * sizeof *tokens->label_size);
    out->bytes = text_pack_put(&at, tokens->bytes, n * sizeof *tokens->bytes);
    out->chars = text_pack_put(&at, tokens->chars, n * sizeof *tokens->chars);
    out->id = text_pack_put(&at, tokens->id, n * sizeof *tokens->id);
    out->type = text_pack_put(&at, tokens->type, n * sizeof *tokens->type);
    out->word = tokens->word != NULL ? text_pack_put(&at, tokens->word, n * sizeof *tokens->word) :
                NULL;
    out->special = text_pack_put(&at, tokens->special, n);
    put_labels(&at, tokens, out->label);
}
