/* SPDX-License-Identifier: MIT
 * Pieces without their tokeniser -> their text, by the conventions of vocabularies. */
#include <string.h>

#include "base/utf8.h"
#include "text/tok_priv.h"

static const struct text BLANK = { "▁", sizeof "▁" - 1 }, INSIDE = { "##", 2 };
static const struct text WORD_END = { "</w>", 4 }, NOTHING = { "", 0 };

static struct piece piece_of(const struct tokens *tokens, int i)
{
    return (struct piece){ .s = tokens->piece[i], .n = (uint32_t)tokens->label_size[i] };
}

/* "<s>", "[CLS]", but not "<0x41>" or "<id 7>": as they stand, in any vocabulary. */
static bool is_special(const struct piece *piece)
{
    char close = piece->n > 2 ? piece->s[piece->n - 1] : '\0';

    return byte_level_of_piece(piece->s, piece->n) < 0 && memchr(piece->s, ' ', piece->n) == NULL &&
           ((piece->s[0] == '<' && close == '>') || (piece->s[0] == '[' && close == ']'));
}

static bool is_ascii(const struct piece *piece)
{
    for (uint32_t i = 0; i < piece->n; i++)
        if ((unsigned char)piece->s[i] >= 0x80)
            return false;
    return true;
}

static bool has_text(const struct piece *piece, struct text part)
{
    return memmem(piece->s, piece->n, part.s, part.n) != NULL;
}

/*
 * All pieces are of the byte-level alphabet, some are not in plain letters, and together
 * they are text: Polish and Czech letters are of that alphabet, too, but stand for control
 * characters there.
 */
static bool is_byte_level(struct arena *a, const struct tokens *tokens, struct text suffix,
                          size_t n_bytes)
{
    const struct tok bytes = { .byte_level = true, .prefix = NOTHING, .suffix = suffix };
    struct arena_mark mark = arena_mark(a);
    char *all = arena_alloc(a, n_bytes + 1, 1);
    bool shorter = false, plain = true;
    size_t count = 0;

    for (int i = 0; i < tokens->n; i++) {
        struct piece piece = piece_of(tokens, i);
        size_t size;

        if (is_special(&piece))
            continue;
        size = tok_label(&bytes, &piece, all + count);
        shorter = shorter || size < piece.n;
        plain = plain && (size < piece.n || is_ascii(&piece));
        count += size;
    }
    plain = plain && utf8_check(all, count) == count;
    for (size_t i = 0; i < count && plain; i++)
        plain = (unsigned char)all[i] >= ' ' || all[i] == '\n';
    arena_reset(a, mark);
    return shorter && plain;
}

static bool begins(const struct piece *piece, struct text part)
{
    return piece->n >= part.n && memcmp(piece->s, part.s, part.n) == 0;
}

static bool guess_ends(const struct piece *piece, struct text part)
{
    return piece->n >= part.n && memcmp(piece->s + piece->n - part.n, part.s, part.n) == 0;
}

static bool any(const struct tokens *tokens, struct text part,
                bool (*is_there)(const struct piece *, struct text))
{
    for (int i = 0; i < tokens->n; i++) {
        struct piece piece = piece_of(tokens, i);

        if (!is_special(&piece) && is_there(&piece, part))
            return true;
    }
    return false;
}

void tok_guess(struct arena *a, struct tokens *tokens)
{
    struct tok guess = { .prefix = NOTHING, .suffix = NOTHING };
    size_t n_bytes = 0;
    char *to;

    for (int i = 0; i < tokens->n; i++)
        n_bytes += tokens->label_size[i] + 1;
    if (any(tokens, WORD_END, guess_ends))
        guess.suffix = WORD_END;
    guess.byte_level = is_byte_level(a, tokens, guess.suffix, n_bytes);
    if (!guess.byte_level && any(tokens, BLANK, has_text)) {
        guess.blank = BLANK;
        guess.byte_pieces = true;
    } else if (!guess.byte_level && any(tokens, INSIDE, begins)) {
        guess.prefix = INSIDE;
    }
    to = arena_alloc(a, n_bytes, 1);
    for (int i = 0; i < tokens->n; i++) {
        struct piece piece = piece_of(tokens, i);

        tokens->special[i] = piece.added = is_special(&piece);
        tokens->label[i] = to;
        tokens->label_size[i] = tok_label(&guess, &piece, to);
        to += piece.n + 1;
    }
}
