/* SPDX-License-Identifier: MIT
 * Tokens of a text that is too long -> a truncated text, or pieces of it. */
#include <string.h>

#include "text/tok.h"

/* ---- its beginning ---- */

/* A run of tokens of a text, between those of the template. */
static struct range run_from(const struct tokens *t, int at)
{
    struct range range = { at, 0 };

    while (range.start < t->n && tok_is_frame(t, range.start))
        range.start++;
    for (range.end = range.start; range.end < t->n && !tok_is_frame(t, range.end);)
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

static void cut_drop(struct tokens *t, struct range gap)
{
    close_gap(t->id, sizeof *t->id, gap, t->n);
    close_gap(t->type, sizeof *t->type, gap, t->n);
    close_gap(t->special, sizeof *t->special, gap, t->n);
    close_gap(t->bytes, sizeof *t->bytes, gap, t->n);
    close_gap(t->chars, sizeof *t->chars, gap, t->n);
    close_gap(t->piece, sizeof *t->piece, gap, t->n);
    close_gap(t->label, sizeof *t->label, gap, t->n);
    close_gap(t->label_size, sizeof *t->label_size, gap, t->n);
    if (t->word != NULL)
        close_gap(t->word, sizeof *t->word, gap, t->n);
    t->n -= gap.end - gap.start;
}

void tok_cut(struct tokens *t, int max)
{
    struct range a = run_from(t, 0), b = run_from(t, a.end);
    int n[2] = { a.end - a.start, b.end - b.start };
    int room = max - (t->n - n[0] - n[1]);

    if (t->n <= max)
        return;
    if (room < 0) {
        t->n = max;
        return;
    }
    if (n[1] == 0)
        n[0] = room;
    else
        cut_share(n, room);
    cut_drop(t, (struct range){ b.start + n[1], b.end });
    cut_drop(t, (struct range){ a.start + n[0], a.end });
}

/* ---- pieces ---- */

/* All tokens but those of the template at both ends. */
static struct range cut_inner(const struct tokens *t)
{
    struct range range = { 0, t->n };

    while (range.start < t->n && tok_is_frame(t, range.start))
        range.start++;
    while (range.end > range.start && tok_is_frame(t, range.end - 1))
        range.end--;
    return range;
}

/* Of a pair the same, where its texts have types but nothing of a template between them. */
static struct range text_from(const struct tokens *t, int at)
{
    struct range run = run_from(t, at), range = { run.start, run.start };

    while (range.end < run.end && t->type[range.end] == t->type[run.start])
        range.end++;
    return range;
}

/* What of the tokens is cut. */
static void cut_choose(const struct tokens *t, bool pair, struct tok_split *out)
{
    struct range first = text_from(t, 0), second = text_from(t, first.end);

    out->second = pair && second.end - second.start > first.end - first.start;
    out->cut = out->second ? second : pair ? first : cut_inner(t);
}

bool tok_split(const struct tokens *t, bool pair, int max, int overlap, struct tok_split *out)
{
    int size;

    cut_choose(t, pair, out);
    size = out->cut.end - out->cut.start;
    out->room = max - (t->n - size);
    out->step = out->room - overlap;
    if (t->n <= max) {
        out->n = 1;
        return true;
    }
    out->n = 0;
    if (out->room < 1 || out->step < 1)
        return false;
    out->n = 1 + (size - out->room + out->step - 1) / out->step;
    return true;
}

struct range tok_split_range(const struct tok_split *s, int piece)
{
    struct range range = { s->cut.start + piece * s->step, s->cut.end };

    if (s->n == 1)
        range.start = s->cut.start;
    if (range.end - range.start > s->room)
        range.end = range.start + s->room;
    return range;
}

/* Copies n elements from `from`, then those between the two ranges, of an array to `to`. */
static void *cut_kept(struct arena *a, const void *array, size_t size, const struct tokens *t,
                      struct range cut, struct range own)
{
    const unsigned char *from = array;
    size_t before = (size_t)cut.start * size, here = (size_t)(own.end - own.start) * size,
           after = (size_t)(t->n - cut.end) * size;
    unsigned char *to = arena_alloc_raw(a, before + here + after, 1);

    memcpy(to, from, before);
    memcpy(to + before, from + (size_t)own.start * size, here);
    memcpy(to + before + here, from + (size_t)cut.end * size, after);
    return to;
}

static void own_strings(struct arena *a, struct tokens *t)
{
    for (int i = 0; i < t->n; i++) {
        t->piece[i] = arena_strdup(a, t->piece[i]);
        t->label[i] = arena_strndup(a, t->label[i], t->label_size[i]);
    }
}

void tok_split_piece(const struct tokens *t, const struct tok_split *s, int piece,
                     struct arena *a, struct tokens *out)
{
    struct range cut = s->cut, own = tok_split_range(s, piece);

    *out = (struct tokens){
        .n = t->n - (cut.end - cut.start) + (own.end - own.start),
        .id = cut_kept(a, t->id, sizeof *t->id, t, cut, own),
        .type = cut_kept(a, t->type, sizeof *t->type, t, cut, own),
        .special = cut_kept(a, t->special, sizeof *t->special, t, cut, own),
        .bytes = cut_kept(a, t->bytes, sizeof *t->bytes, t, cut, own),
        .chars = cut_kept(a, t->chars, sizeof *t->chars, t, cut, own),
        .piece = cut_kept(a, t->piece, sizeof *t->piece, t, cut, own),
        .label = cut_kept(a, t->label, sizeof *t->label, t, cut, own),
        .label_size = cut_kept(a, t->label_size, sizeof *t->label_size, t, cut, own),
        .word = t->word != NULL ? cut_kept(a, t->word, sizeof *t->word, t, cut, own) : NULL,
    };
    own_strings(a, out);
}
