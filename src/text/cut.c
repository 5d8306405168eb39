/* SPDX-License-Identifier: MIT
 * Tokens of a text that is too long -> a truncated text, or pieces of it. */
#include <string.h>

#include "text/tok.h"

/* ---- its beginning ---- */

/* A run of tokens of a text, between those of the template. */
static struct range run_from(const struct tokens *tokens, int at)
{
    struct range range = { at, 0 };

    while (range.start < tokens->n && tok_is_frame(tokens, range.start))
        range.start++;
    for (range.end = range.start; range.end < tokens->n && !tok_is_frame(tokens, range.end);)
        range.end++;
    return range;
}

/* How many of n[0] and n[1] tokens stay of room. */
static void cut_share(int n[2], int room)
{
    int small = n[0] > n[1], large = 1 - small;

    n[large] = n[small] > room ? n[small] :
               n[small] > room - n[small] ? n[small] : room - n[small];
    if (n[0] + n[1] > room) {
        n[small] = room / 2;
        n[large] = n[small] + room % 2;
    }
}

static void close_gap(void *array, size_t size, struct range gap, int n)
{
    char *bytes = array;

    memmove(bytes + (size_t)gap.start * size, bytes + (size_t)gap.end * size,
            (size_t)(n - gap.end) * size);
}

static void cut_drop(struct tokens *tokens, struct range gap)
{
    close_gap(tokens->id, sizeof *tokens->id, gap, tokens->n);
    close_gap(tokens->type, sizeof *tokens->type, gap, tokens->n);
    close_gap(tokens->special, sizeof *tokens->special, gap, tokens->n);
    close_gap(tokens->bytes, sizeof *tokens->bytes, gap, tokens->n);
    close_gap(tokens->chars, sizeof *tokens->chars, gap, tokens->n);
    close_gap(tokens->piece, sizeof *tokens->piece, gap, tokens->n);
    close_gap(tokens->label, sizeof *tokens->label, gap, tokens->n);
    close_gap(tokens->label_size, sizeof *tokens->label_size, gap, tokens->n);
    if (tokens->word != NULL)
        close_gap(tokens->word, sizeof *tokens->word, gap, tokens->n);
    tokens->n -= gap.end - gap.start;
}

void tok_cut(struct tokens *tokens, int max)
{
    struct range a = run_from(tokens, 0), b = run_from(tokens, a.end);
    int n[2] = { a.end - a.start, b.end - b.start };
    int room = max - (tokens->n - n[0] - n[1]);

    if (tokens->n <= max)
        return;
    if (room < 0) {
        tokens->n = max;
        return;
    }
    if (n[1] == 0)
        n[0] = room;
    else
        cut_share(n, room);
    cut_drop(tokens, (struct range){ b.start + n[1], b.end });
    cut_drop(tokens, (struct range){ a.start + n[0], a.end });
}

/* ---- pieces ---- */

/* All tokens but those of the template at both ends. */
static struct range cut_inner(const struct tokens *tokens)
{
    struct range range = { 0, tokens->n };

    while (range.start < tokens->n && tok_is_frame(tokens, range.start))
        range.start++;
    while (range.end > range.start && tok_is_frame(tokens, range.end - 1))
        range.end--;
    return range;
}

/* Of a pair the same, where its texts have types but nothing of a template between them. */
static struct range text_from(const struct tokens *tokens, int at)
{
    struct range run = run_from(tokens, at), range = { run.start, run.start };

    while (range.end < run.end && tokens->type[range.end] == tokens->type[run.start])
        range.end++;
    return range;
}

/* What of the tokens is cut. */
static void cut_choose(const struct tokens *tokens, bool pair, struct tok_split *out)
{
    struct range first = text_from(tokens, 0), second = text_from(tokens, first.end);

    out->second = pair && second.end - second.start > first.end - first.start;
    out->cut = out->second ? second : pair ? first : cut_inner(tokens);
}

bool tok_split(const struct tokens *tokens, bool pair, int max, int overlap, struct tok_split *out)
{
    int size;

    cut_choose(tokens, pair, out);
    size = out->cut.end - out->cut.start;
    out->room = max - (tokens->n - size);
    out->step = out->room - overlap;
    if (tokens->n <= max) {
        out->n = 1;
        return true;
    }
    out->n = 0;
    if (out->room < 1 || out->step < 1)
        return false;
    out->n = 1 + (size - out->room + out->step - 1) / out->step;
    return true;
}

struct range tok_split_range(const struct tok_split *split, int piece)
{
    struct range range = { split->cut.start + piece * split->step, split->cut.end };

    if (split->n == 1)
        range.start = split->cut.start;
    if (range.end - range.start > split->room)
        range.end = range.start + split->room;
    return range;
}

/* Copies n elements from `from`, then those between the two ranges, of an array to `to`. */
static void *cut_kept(struct arena *a, const void *array, size_t size, const struct tokens *tokens,
                      struct range cut, struct range own)
{
    const unsigned char *from = array;
    size_t before = (size_t)cut.start * size, here = (size_t)(own.end - own.start) * size,
           after = (size_t)(tokens->n - cut.end) * size;
    unsigned char *to = arena_alloc_raw(a, before + here + after, 1);

    memcpy(to, from, before);
    memcpy(to + before, from + (size_t)own.start * size, here);
    memcpy(to + before + here, from + (size_t)cut.end * size, after);
    return to;
}

static void own_strings(struct arena *a, struct tokens *tokens)
{
    for (int i = 0; i < tokens->n; i++) {
        tokens->piece[i] = arena_strdup(a, tokens->piece[i]);
        tokens->label[i] = arena_strndup(a, tokens->label[i], tokens->label_size[i]);
    }
}

void tok_split_piece(const struct tokens *tokens, const struct tok_split *split, int piece,
                     struct arena *a, struct tokens *out)
{
    struct range cut = split->cut, own = tok_split_range(split, piece);

    *out = (struct tokens){
        .n = tokens->n - (cut.end - cut.start) + (own.end - own.start),
        .id = cut_kept(a, tokens->id, sizeof *tokens->id, tokens, cut, own),
        .type = cut_kept(a, tokens->type, sizeof *tokens->type, tokens, cut, own),
        .special = cut_kept(a, tokens->special, sizeof *tokens->special, tokens, cut, own),
        .bytes = cut_kept(a, tokens->bytes, sizeof *tokens->bytes, tokens, cut, own),
        .chars = cut_kept(a, tokens->chars, sizeof *tokens->chars, tokens, cut, own),
        .piece = cut_kept(a, tokens->piece, sizeof *tokens->piece, tokens, cut, own),
        .label = cut_kept(a, tokens->label, sizeof *tokens->label, tokens, cut, own),
        .label_size = cut_kept(a, tokens->label_size, sizeof *tokens->label_size, tokens, cut, own),
        .word = tokens->word != NULL ? cut_kept(a, tokens->word, sizeof *tokens->word, tokens, cut,
                                                own) : NULL,
    };
    own_strings(a, out);
}
