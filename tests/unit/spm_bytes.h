/* SPDX-License-Identifier: MIT
 * SentencePiece models as the tests want them, field by field. */
#ifndef SPM_BYTES_H
#define SPM_BYTES_H

#include "check.h"

#include <string.h>

#include "text/spm.h"

struct bytes {
    unsigned char v[4096];
    size_t n;
};

static inline void put_byte(struct bytes *b, unsigned c)
{
    assert_true(b->n < sizeof b->v);
    b->v[b->n++] = (unsigned char)c;
}

static inline void put_varint(struct bytes *b, uint64_t x)
{
    for (; x >= 0x80; x >>= 7)
        put_byte(b, (unsigned)(x & 0x7f) | 0x80);
    put_byte(b, (unsigned)x);
}

static inline void put_bytes(struct bytes *b, unsigned field, const void *s, size_t n)
{
    put_varint(b, field << 3 | 2);
    put_varint(b, n);
    for (size_t i = 0; i < n; i++)
        put_byte(b, ((const unsigned char *)s)[i]);
}

static inline void put_number(struct bytes *b, unsigned field, uint64_t x)
{
    put_varint(b, field << 3);
    put_varint(b, x);
}

static inline void put_piece(struct bytes *b, const char *s, float score, unsigned type)
{
    struct bytes piece = { .n = 0 };
    uint32_t bits;

    memcpy(&bits, &score, sizeof bits);
    put_bytes(&piece, 1, s, strlen(s));
    put_varint(&piece, 2 << 3 | 5);
    for (int i = 0; i < 4; i++)
        put_byte(&piece, bits >> 8 * i & 0xff);
    put_number(&piece, 3, type);
    put_bytes(b, 1, piece.v, piece.n);
}

static inline void put_pieces(struct bytes *b)
{
    put_piece(b, "<unk>", 0, SPM_UNKNOWN);
    put_piece(b, "<s>", 0, SPM_CONTROL);
    put_piece(b, "▁", -3, SPM_NORMAL);
    put_piece(b, "a", -2, SPM_NORMAL);
    put_piece(b, "b", -2, SPM_NORMAL);
    put_piece(b, "ab", -1, SPM_NORMAL);
    put_piece(b, "▁ab", -2.5f, SPM_NORMAL);
    put_piece(b, "USER", 0, SPM_USER);
    put_piece(b, "zz", -1, SPM_UNUSED);
}

static inline void put_settings(struct bytes *b, unsigned type, bool prefix, bool trim)
{
    struct bytes s = { .n = 0 };

    put_number(&s, 3, type);
    put_bytes(b, 2, s.v, s.n);
    s.n = 0;
    put_number(&s, 3, prefix);
    put_number(&s, 4, trim);
    put_bytes(b, 3, s.v, s.n);
}

#endif
