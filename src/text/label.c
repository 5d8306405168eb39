/* SPDX-License-Identifier: MIT
 * A piece of the vocabulary -> the text that it stands for. */
#include <string.h>

#include "text/tok_priv.h"

/* Bytes that a piece of the byte-level alphabet stands for, or -1. */
static int decode_bytes(const struct piece *piece, char *to)
{
    int count = 0;

    for (size_t i = 0; i < piece->n; ) {
        int code, byte;

        i += (size_t)chars_next(piece->s + i, piece->n - i, &code);
        byte = byte_level_byte(code);
        if (byte < 0)
            return -1;
        to[count++] = (char)byte;
    }
    return count;
}

/* The piece with blanks for what stands for them; returns its size. */
static size_t put_blanks(struct text mark, const struct piece *piece, char *to)
{
    size_t count = 0;

    for (size_t i = 0; i < piece->n; ) {
        if (piece->n - i >= mark.n && memcmp(piece->s + i, mark.s, mark.n) == 0) {
            to[count++] = ' ';
            i += mark.n;
        } else {
            to[count++] = piece->s[i++];
        }
    }
    return count;
}

/* The piece without what marks its place in a word, unless that is all of it. */
static struct piece unmark(const struct tok *tok, const struct piece *p)
{
    struct piece piece = *p;
    size_t before = tok->prefix.n, after = tok->suffix.n;

    if (before > 0 && piece.n > before && memcmp(piece.s, tok->prefix.s, before) == 0) {
        piece.s += before;
        piece.n -= (uint32_t)before;
    }
    if (after > 0 && piece.n > after &&
        memcmp(piece.s + piece.n - after, tok->suffix.s, after) == 0)
        piece.n -= (uint32_t)after;
    return piece;
}

size_t tok_label(const struct tok *tok, const struct piece *piece, char *to)
{
    struct piece bare = piece->added ? *piece : unmark(tok, piece);
    int count = tok->byte_pieces ? byte_level_of_piece(piece->s, piece->n) : -1;

    if (!piece->added && count >= 0) {
        *to = (char)count;
        return 1;
    }
    if (!piece->added && tok->blank.n > 0)
        return put_blanks(tok->blank, &bare, to);
    if (!piece->added && tok->byte_level) {
        count = decode_bytes(&bare, to);
        if (count >= 0)
            return (size_t)count;
    }
    memcpy(to, bare.s, bare.n);
    return bare.n;
}
