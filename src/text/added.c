/* SPDX-License-Identifier: MIT
 * Added tokens: found in the text itself, some before it is normalised, some
 * after; leftmost first, the longest of several. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

struct added_token {
    int id;
    bool single_word, lstrip, rstrip, normalized;
};

/* ---- reading ---- */

/*
 * The library numbers tokens that the model lacks itself: on from the highest
 * added one, but never inside the model's vocabulary.
 */
static int next_id(const struct tok *t)
{
    int next = (int)t->vocab.n_model;

    return t->added.next_id > next ? t->added.next_id : next;
}

/* The piece that the token is, made if the vocabulary lacks it.  Like the library, this takes
 * no account of the id that the file gives it, which may be another token's. */
static int added_number(struct tok *t, struct text s, const json_t *j,
                        struct err *e)
{
    const json_t *given = json_object_get(j, "id");
    json_int_t said = json_integer_value(given);
    int id = vocab_find(&t->vocab, s.s, s.n);

    if (given != NULL && !json_is_integer(given))
        return err_set(e, ERR_INPUT, "the id of added token \"%.80s\" is not a whole number", s.s);
    if (said < 0 || said > UINT32_MAX)
        return err_set(e, ERR_INPUT, "added token \"%.80s\" has id %lld, expected 0 to %u",
                       s.s, (long long)said, UINT32_MAX);
    if (id >= 0)
        return id;
    id = next_id(t);
    s.s = arena_strndup(t->a, s.s, s.n);
    return vocab_add(&t->vocab, t->a, s, id, e) == 0 ? id : -1;
}

static int added_open_one(struct tok *t, const json_t *j, struct err *e)
{
    struct added_token *token = &t->added.v[t->added.n];
    struct piece *piece;
    struct text text;
    bool special;

    if (json_field_text(j, "content", &text.s, &text.n, e) != 0 ||
        json_field_bool(j, "single_word", false, &token->single_word, e) != 0 ||
        json_field_bool(j, "lstrip", false, &token->lstrip, e) != 0 ||
        json_field_bool(j, "rstrip", false, &token->rstrip, e) != 0 ||
        json_field_bool(j, "special", false, &special, e) != 0 ||
        json_field_bool(j, "normalized", !special, &token->normalized, e) != 0)
        return -1;
    if (text.n == 0)                       /* the library ignores it as well */
        return 0;
    token->id = added_number(t, text, j, e);
    if (token->id < 0)
        return -1;
    piece = &t->vocab.v[t->vocab.by_id[token->id] - 1];
    if (piece->added)                       /* said twice */
        return 0;
    piece->added = true;
    piece->special = piece->special || special;
    t->added.n++;
    if (token->id >= t->added.next_id)
        t->added.next_id = token->id + 1;
    return 0;
}

/* The token's text as the normaliser leaves it; such tokens are sought there. */
static int add_normal(struct tok *t, const struct piece *p, int index, struct work *w,
                      struct err *e)
{
    struct part part = { p->s, p->n, NULL, 0, -1 };

    budget_read(w->budget, p->n);
    w->limit = budget_text(p->n);
    w->most = budget_items(p->n);
    w->parts = (struct parts){ 0 };
    w->regex = NULL;
    part_add(w, &w->parts, part);
    w->start = w->text = arena_mark(w->a);
    if (step_run(&t->normal, w, e) != 0)
        return err_under(e, "added token \"%.80s\"", p->s);
    for (size_t i = 0; i < w->parts.n; i++)
        trie_add(&t->added.normal, t->a, w->parts.v[i].s, w->parts.v[i].n, index);
    return 0;
}

/* Those that are sought as they are, and those that are normalised first. */
static int fill_tries(struct tok *t, struct work *w, struct err *e)
{
    struct arena_mark mark = arena_mark(w->a);

    for (size_t i = 0; i < t->added.n; i++) {
        const struct added_token *token = &t->added.v[i];
        const struct piece *piece = vocab_piece(&t->vocab, token->id);

        if (!token->normalized || t->given.plain_added)
            trie_add(token->normalized ? &t->added.normal : &t->added.raw, t->a, piece->s,
                     piece->n, (int)i);
        else if (add_normal(t, piece, (int)i, w, e) != 0)
            return -1;
        arena_reset(w->a, mark);
    }
    return 0;
}

int added_open(struct tok *t, const json_t *list, struct err *e)
{
    struct budget budget = { 0 };       /* of all their texts together */
    struct work work = { .t = t, .budget = &budget, .settles = true };
    int status;

    trie_init(&t->added.raw, t->a);
    trie_init(&t->added.normal, t->a);
    t->added.v = arena_alloc(t->a, json_array_size(list), sizeof *t->added.v);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (added_open_one(t, json_array_get(list, i), e) != 0)
            return err_under(e, "added_tokens[%zu]", i);
    work.a = arena_child(t->a);
    status = fill_tries(t, &work, e);
    arena_release(t->a, work.a);
    return status;
}

/* ---- finding ---- */

static bool stands_alone(const struct part *p, size_t start, size_t end)
{
    int code;

    if (start > 0) {
        (void)chars_before(p->s, start, &code);
        if (chars_is_word(code))
            return false;
    }
    if (end == p->n)
        return true;
    (void)chars_next(p->s + end, p->n - end, &code);
    return !chars_is_word(code);
}

/* As the library: never before floor, also where start is. */
static size_t strip_left(const struct part *p, size_t start, size_t floor)
{
    if (start < floor)
        return floor;
    while (start > floor) {
        int code, count = chars_before(p->s, start, &code);

        if (!chars_is_space(code))
            break;
        start -= (size_t)count;
    }
    return start;
}

static size_t strip_right(const struct part *p, size_t end)
{
    while (end < p->n) {
        int code, count = chars_next(p->s + end, p->n - end, &code);

        if (!chars_is_space(code))
            break;
        end += (size_t)count;
    }
    return end;
}

/* A search for tokens in a part. */
struct search {
    const struct added *a;
    const struct trie *trie;
    struct work *w;
    size_t done;                /* behind the last one found */
    size_t blank;               /* where the last run of blanks behind one ended */
};

/* What the token that begins at start and ends at end becomes. */
static void added_take(struct search *k, const struct added_token *token, const struct part *p,
                       size_t start, size_t end, struct parts *out)
{
    struct part found;

    if (token->lstrip)
        start = strip_left(p, start, k->done);
    if (token->rstrip && end < k->blank)        /* it is inside of that run */
        end = k->blank;
    else if (token->rstrip)
        end = k->blank = strip_right(p, end);
    if (k->done < start)
        part_add(k->w, out, part_slice(p, k->done, start));
    if (start < end) {
        found = part_slice(p, start, end);
        found.id = token->id;
        part_add(k->w, out, found);
    }
    k->done = end;
}

static void split_one(struct search *k, const struct part *p, struct parts *out)
{
    enum { AT_ONCE = 1000 };
    size_t seen = 0;

    k->done = k->blank = 0;
    for (size_t at = 0; !k->w->too_much; ) {
        size_t length;
        int found;

        at += trie_skip(k->trie, p->s + at, p->n - at);
        if (at == p->n)
            break;
        found = trie_longest(k->trie, p->s + at, p->n - at, &length, &seen);
        if (seen > AT_ONCE) {
            bound_spend(k->w, BUDGET_BYTE_COMPARED * seen);
            seen = 0;
        }
        if (found < 0) {
            at++;
            continue;
        }
        if (!k->a->v[found].single_word || stands_alone(p, at, at + length))
            added_take(k, &k->a->v[found], p, at, at + length, out);
        at += length;
    }
    if (k->done < p->n)
        part_add(k->w, out, part_slice(p, k->done, p->n));
}

int added_split(const struct added *a, const struct trie *trie, struct work *w,
                struct err *e)
{
    struct search search = { .a = a, .trie = trie, .w = w };
    struct parts out = { 0 };

    w->step = "added_tokens";
    for (size_t i = 0; i < w->parts.n; i++) {
        if (w->parts.v[i].id >= 0)
            part_add(w, &out, w->parts.v[i]);
        else
            split_one(&search, &w->parts.v[i], &out);
    }
    w->parts = out;
    return bound_check(w, e);
}
