/* SPDX-License-Identifier: MIT
 * ByteLevel as a pre-tokeniser and as a normaliser: every byte becomes a visible
 * character, so that a vocabulary of 256 characters and their merges covers any text.
 * Also the pieces that SentencePiece has for bytes. */
#include <stdio.h>
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

/*
 * Visible Latin-1 characters stand for themselves; the other bytes, in order,
 * for U+0100 onwards: 0..32 -> 0x100.., 127..160 -> 0x121.., 173 -> 0x143.
 */
int byte_level_char(unsigned char b)
{
    if (b <= 0x20)
        return 0x100 + b;
    if (b >= 0x7f && b <= 0xa0)
        return 0x121 + (b - 0x7f);
    return b == 0xad ? 0x143 : b;
}

int byte_level_byte(int cp)
{
    if (cp >= 0x100 && cp <= 0x120)
        return cp - 0x100;
    if (cp >= 0x121 && cp <= 0x142)
        return cp - 0x121 + 0x7f;
    if (cp == 0x143)
        return 0xad;
    return cp > 0x20 && cp < 0x100 && byte_level_char((unsigned char)cp) == cp ? cp : -1;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int byte_level_of_piece(const char *s, size_t n)
{
    int high, low;

    if (n != 6 || memcmp(s, "<0x", 3) != 0 || s[5] != '>')
        return -1;
    high = hex_digit(s[3]);
    low = hex_digit(s[4]);
    return high >= 0 && low >= 0 ? 16 * high + low : -1;
}

void byte_level_piece_ids(const struct vocab *vocab, int id[256])
{
    for (int b = 0; b < 256; b++) {
        char name[8];

        snprintf(name, sizeof name, "<0x%02X>", (unsigned)b);
        id[b] = vocab_find_model(vocab, name, 6);
    }
}

struct byte_level {
    bool prefix_space;
    const struct regex *regex;      /* NULL: no splitting here */
    struct cuts *cuts;
};

/* GPT-2's pattern (Radford et al. 2019, encoder.py). */
static const char gpt2_pattern[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

const void *byte_level_open(struct tok *tok, const json_t *j, struct err *e)
{
    struct byte_level *level = arena_alloc(tok->a, 1, sizeof *level);
    bool regex;

    tok->byte_level = true;
    if (json_field_bool(j, "add_prefix_space", true, &level->prefix_space, e) != 0 ||
        json_field_bool(j, "use_regex", true, &regex, e) != 0)
        return NULL;
    tok->blank_before = !level->prefix_space;
    if (regex) {
        struct text pattern = { gpt2_pattern, sizeof gpt2_pattern - 1 };

        level->regex = regex_open(tok, pattern, e);
        if (level->regex == NULL)
            return NULL;
    }
    return level;
}

/* The blank stands for what the first character stands for. */
static void prepend_space(struct work *work, struct fragment *part)
{
    struct rewrite rewrite;
    int code;
    size_t i = (size_t)chars_next(part->s, part->n, &code);

    fragment_rewrite_begin(&rewrite, work, part);
    fragment_rewrite_put(&rewrite, ' ', 0);
    fragment_rewrite_put(&rewrite, code, 1);
    while (i < part->n) {
        i += (size_t)chars_next(part->s + i, part->n - i, &code);
        fragment_rewrite_put(&rewrite, code, 0);
    }
    fragment_rewrite_end(&rewrite);
}

static int byte_level_one(const void *self, struct work *work, const struct fragment *part,
                          struct fragments *out, struct err *e)
{
    const struct byte_level *level = self;
    struct fragment p = *part;

    if (level->prefix_space && p.n > 0 && p.s[0] != ' ')
        prepend_space(work, &p);
    if (level->regex == NULL) {
        fragment_add_slice(work, out, &p, 0, p.n);
        return 0;
    }
    level->cuts->n = 0;
    if (regex_cuts(level->regex, work, p.s, p.n, level->cuts, e) != 0)
        return -1;
    fragment_cuts_apply(work, ISOLATED, level->cuts, &p, out);
    return 0;
}

/* Two bytes of s and two ranges for each byte at most, all parts in one block. */
static void map_block(struct work *work, size_t total)
{
    char *text = arena_alloc_raw(work->a, 2 * total, 1);
    struct range *from = arena_alloc_raw(work->a, 2 * total, sizeof *from);
    size_t count = 0;

    for (size_t i = 0; i < work->parts.n; i++) {
        struct fragment *part = &work->parts.v[i];
        struct range span = { 0, 0 };
        size_t begin = count, length = 0, left = 0;

        if (part->id >= 0)
            continue;
        for (size_t k = 0; k < part->n; k++) {
            int code = byte_level_char((unsigned char)part->s[k]), old;

            if (left == 0) {
                length = left = (size_t)chars_next(part->s + k, part->n - k, &old);
                span = fragment_span(part, k, k + length);
            }
            left--;
            from[count] = span;
            if (code < 0x80) {
                text[count++] = (char)code;
                continue;
            }
            text[count++] = (char)(0xc0 | code >> 6);
            from[count] = span;
            text[count++] = (char)(0x80 | (code & 0x3f));
        }
        part->s = text + begin;
        part->from = from + begin;
        part->n = count - begin;
    }
}

/* Every part that is not a token becomes one of the byte-level alphabet. */
static void map_bytes(struct work *work)
{
    size_t total = 0;

    for (size_t i = 0; i < work->parts.n; i++)
        if (work->parts.v[i].id < 0)
            total += work->parts.v[i].n;
    if (total > work->limit)
        work->too_large = true;
    else
        map_block(work, total);
}

int byte_level_run(const void *self, struct work *work, struct err *e)
{
    struct byte_level level = *(const struct byte_level *)self;
    struct cuts cuts = { 0 };

    level.cuts = &cuts;
    if (fragment_each(work, &level, byte_level_one, e) != 0)
        return -1;
    map_bytes(work);
    return 0;
}

const void *byte_level_normal_open(struct tok *tok, const json_t *j, struct err *e)
{
    (void)j;
    (void)e;
    tok->byte_level = true;
    return tok;
}

int byte_level_normal_run(const void *self, struct work *work, struct err *e)
{
    (void)self;
    (void)e;
    map_bytes(work);
    return 0;
}
