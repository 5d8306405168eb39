/* SPDX-License-Identifier: MIT
 * The merges of a tokenizer.json -> a hash of pairs. */
#include "text/bpe_merges.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_field.h"

int bpe_merge_halves(struct text both, struct merge_text *out)
{
    const char *blank = memchr(both.s, ' ', both.n);
    size_t count = blank != NULL ? (size_t)(blank - both.s) : 0;

    if (blank == NULL || memchr(blank + 1, ' ', both.n - count - 1) != NULL)
        return -1;
    out->left = (struct text){ both.s, count };
    out->right = (struct text){ blank + 1, both.n - count - 1 };
    return 0;
}

static struct text bpe_merges_text_of(const json_t *j)
{
    return (struct text){ json_string_value(j), json_string_length(j) };
}

/* ["a", "b"], or "a b" as older files have it. */
static int merge_sides(const json_t *j, struct merge_text *out)
{
    if (json_is_string(j))
        return bpe_merge_halves(bpe_merges_text_of(j), out);
    if (json_array_size(j) != 2 || !json_is_string(json_array_get(j, 0)) ||
        !json_is_string(json_array_get(j, 1)))
        return -1;
    out->left = bpe_merges_text_of(json_array_get(j, 0));
    out->right = bpe_merges_text_of(json_array_get(j, 1));
    return 0;
}

static int lacks(struct text s, struct err *e)
{
    return err_set(e, ERR_INPUT, "it names \"%.*s\", which the vocabulary lacks",
                   (int)(s.n < 80 ? s.n : 80), s.s);
}

static void set(struct merge *merge, int left, int right, size_t rank, int id)
{
    merge->key = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) + 1;
    merge->rank = (uint32_t)rank;
    merge->id = id;
}

/* The piece that the two make, written to `both`; -1: an error. */
static int bpe_merges_join(const struct vocab *vocab, struct text left, struct text right,
                           size_t skip, char *both, struct err *e)
{
    struct text joined = { both, left.n + right.n - skip };
    int id;

    if (right.n < skip)
        return err_set(e, ERR_INPUT, "\"%.*s\" is shorter than the prefix of pieces inside "
                       "a word", (int)right.n, right.s);
    memcpy(both, left.s, left.n);
    memcpy(both + left.n, right.s + skip, right.n - skip);
    id = vocab_find(vocab, joined.s, joined.n);
    return id >= 0 ? id : lacks(joined, e);
}

static int add_merge(struct merges *merges, const struct vocab *vocab,
                     const struct merge_text *text, size_t skip, size_t rank, char *both,
                     struct err *e)
{
    struct text left = text->left, right = text->right;
    int l, r, id;

    l = vocab_find(vocab, left.s, left.n);
    r = vocab_find(vocab, right.s, right.n);
    if (l < 0 || r < 0)
        return lacks(l < 0 ? left : right, e);
    id = bpe_merges_join(vocab, left, right, skip, both, e);
    if (id < 0)
        return -1;
    set(bpe_merges_place(merges, l, r), l, r, rank, id);
    return 0;
}

static void new_table(struct merges *merges, struct arena *a, size_t n)
{
    size_t slots = 64;

    while (slots < n + n / 2)
        slots *= 2;
    merges->slot = arena_alloc(a, slots, sizeof *merges->slot);
    merges->mask = slots - 1;
}

/* list NULL: those of tok. */
static int read_merges(struct merges *merges, struct tok *tok, const json_t *list, size_t skip,
                       struct err *e)
{
    size_t count = list != NULL ? json_array_size(list) : tok->n_merges;
    char *both = arena_alloc(tok->a, 2 * tok->vocab.longest + 1, 1);

    new_table(merges, tok->a, count);
    for (size_t i = 0; i < count; i++) {
        struct merge_text text;

        if (list == NULL)
            text = tok->merges[i];
        else if (merge_sides(json_array_get(list, i), &text) != 0)
            return err_set(e, ERR_INPUT, "merges[%zu]: expected two pieces", i);
        if (add_merge(merges, &tok->vocab, &text, skip, i, both, e) != 0)
            return err_under(e, "merges[%zu]", i);
    }
    return 0;
}

/* ---- merges that only scores tell: SentencePiece's ---- */

static int by_score(const void *a, const void *b)
{
    double x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;

    return (x < y) - (x > y);
}

/* The two sides of a piece, cut before byte i; false where they are not pieces. */
static bool sides(const struct vocab *vocab, struct text s, size_t i, int *left, int *right)
{
    if (((unsigned char)s.s[i] & 0xc0) == 0x80)
        return false;
    *left = vocab_find_model(vocab, s.s, i);
    *right = *left >= 0 ? vocab_find_model(vocab, s.s + i, s.n - i) : -1;
    return *right >= 0;
}

/* Every two pieces that make a third are a merge; equal scores, equal ranks. */
static void make_merges(struct merges *merges, struct tok *tok)
{
    struct scored *scored = tok->scored;
    size_t count = 0;
    int left, right;

    qsort(scored, tok->n_scored, sizeof *scored, by_score);
    for (size_t k = 0; k < tok->n_scored; k++)
        for (size_t i = 1; i < scored[k].s.n; i++)
            count += sides(&tok->vocab, scored[k].s, i, &left, &right);
    new_table(merges, tok->a, count);
    for (size_t k = 0, rank = 0; k < tok->n_scored; k++) {
        if (k > 0 && scored[k].score < scored[k - 1].score)
            rank = k;
        for (size_t i = 1; i < scored[k].s.n; i++) {
            if (sides(&tok->vocab, scored[k].s, i, &left, &right))
                set(bpe_merges_place(merges, left, right), left, right, rank, scored[k].id);
        }
    }
}

int bpe_merges_open(struct merges *m, struct tok *tok, const json_t *j, size_t skip,
                    struct err *e)
{
    bool open = json_is_null(json_object_get(j, "merges"));
    const json_t *merges;

    if (open && tok->given.merges) {
        tok->given.merges = false;
        return read_merges(m, tok, NULL, skip, e);
    }
    if (open && tok->given.merges_by_score) {
        tok->given.merges_by_score = false;
        make_merges(m, tok);
        return 0;
    }
    if (json_field_list(j, "merges", &merges, e) != 0)
        return -1;
    return read_merges(m, tok, merges, skip, e);
}
