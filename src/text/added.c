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
static int next_id(const struct tok *tok)
{
    int next = (int)tok->vocab.n_model;

    return tok->added.next_id > next ? tok->added.next_id : next;
}

/* The piece that the token is, made if the vocabulary lacks it.  Like the library, this takes
 * no account of the id that the file gives it, which may be another token's. */
static int added_number(struct tok *tok, struct text s, const json_t *j,
                        struct err *e)
{
    const json_t *given = json_object_get(j, "id");
    json_int_t said = json_integer_value(given);
    int id = vocab_find(&tok->vocab, s.s, s.n);

    if (given != NULL && !json_is_integer(given))
        return err_set(e, ERR_INPUT, "the id of added token \"%.80s\" is not a whole number", s.s);
    if (said < 0 || said > UINT32_MAX)
        return err_set(e, ERR_INPUT, "added token \"%.80s\" has id %lld, expected 0 to %u",
                       s.s, (long long)said, UINT32_MAX);
    if (id >= 0)
        return id;
    id = next_id(tok);
    s.s = arena_strndup(tok->a, s.s, s.n);
    return vocab_add(&tok->vocab, tok->a, s, id, e) == 0 ? id : -1;
}

static int added_open_one(struct tok *tok, const json_t *j, struct err *e)
{
    struct added_token *token = &tok->added.v[tok->added.n];
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
    token->id = added_number(tok, text, j, e);
    if (token->id < 0)
        return -1;
    piece = &tok->vocab.v[tok->vocab.by_id[token->id] - 1];
    if (piece->added)                       /* said twice */
        return 0;
    piece->added = true;
    piece->special = piece->special || special;
    tok->added.n++;
    if (token->id >= tok->added.next_id)
        tok->added.next_id = token->id + 1;
    return 0;
}

/* The token's text as the normaliser leaves it; such tokens are sought there. */
static int add_normal(struct tok *tok, const struct piece *piece, int index, struct work *work,
                      struct err *e)
{
    struct fragment part = { piece->s, piece->n, NULL, 0, -1 };

    budget_read(work->budget, piece->n);
    work->limit = budget_text(piece->n);
    work->most = budget_items(piece->n);
    work->parts = (struct fragments){ 0 };
    work->regex = NULL;
    fragment_add(work, &work->parts, part);
    work->start = work->text = arena_mark(work->a);
    if (step_run(&tok->normal, work, e) != 0)
        return err_under(e, "added token \"%.80s\"", piece->s);
    for (size_t i = 0; i < work->parts.n; i++)
        trie_add(&tok->added.normal, tok->a, work->parts.v[i].s, work->parts.v[i].n, index);
    return 0;
}

/* Those that are sought as they are, and those that are normalised first. */
static int fill_tries(struct tok *tok, struct work *work, struct err *e)
{
    struct arena_mark mark = arena_mark(work->a);

    for (size_t i = 0; i < tok->added.n; i++) {
        const struct added_token *token = &tok->added.v[i];
        const struct piece *piece = vocab_piece(&tok->vocab, token->id);

        if (!token->normalized || tok->given.plain_added)
            trie_add(token->normalized ? &tok->added.normal : &tok->added.raw, tok->a, piece->s,
                     piece->n, (int)i);
        else if (add_normal(tok, piece, (int)i, work, e) != 0)
            return -1;
        arena_reset(work->a, mark);
    }
    return 0;
}

int added_open(struct tok *tok, const json_t *list, struct err *e)
{
    struct budget budget = { 0 };       /* of all their texts together */
    struct work work = { .t = tok, .budget = &budget, .settles = true };
    int status;

    trie_init(&tok->added.raw, tok->a);
    trie_init(&tok->added.normal, tok->a);
    tok->added.v = arena_alloc(tok->a, json_array_size(list), sizeof *tok->added.v);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (added_open_one(tok, json_array_get(list, i), e) != 0)
            return err_under(e, "added_tokens[%zu]", i);
    work.a = arena_child(tok->a);
    status = fill_tries(tok, &work, e);
    arena_release(tok->a, work.a);
    return status;
}

/* ---- finding ---- */

static bool stands_alone(const struct fragment *part, size_t start, size_t end)
{
    int code;

    if (start > 0) {
        (void)chars_before(part->s, start, &code);
        if (chars_is_word(code))
            return false;
    }
    if (end == part->n)
        return true;
    (void)chars_next(part->s + end, part->n - end, &code);
    return !chars_is_word(code);
}

/* As the library: never before floor, also where start is. */
static size_t strip_left(const struct fragment *part, size_t start, size_t floor)
{
    if (start < floor)
        return floor;
    while (start > floor) {
        int code, count = chars_before(part->s, start, &code);

        if (!chars_is_space(code))
            break;
        start -= (size_t)count;
    }
    return start;
}

static size_t strip_right(const struct fragment *part, size_t end)
{
    while (end < part->n) {
        int code, count = chars_next(part->s + end, part->n - end, &code);

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
static void added_take(struct search *k, const struct added_token *token,
                       const struct fragment *part, size_t start, size_t end,
                       struct fragments *out)
{
    struct fragment found;

    if (token->lstrip)
        start = strip_left(part, start, k->done);
    if (token->rstrip && end < k->blank)        /* it is inside of that run */
        end = k->blank;
    else if (token->rstrip)
        end = k->blank = strip_right(part, end);
    if (k->done < start)
        fragment_add(k->w, out, fragment_slice(part, k->done, start));
    if (start < end) {
        found = fragment_slice(part, start, end);
        found.id = token->id;
        fragment_add(k->w, out, found);
    }
    k->done = end;
}

static void split_one(struct search *k, const struct fragment *part, struct fragments *out)
{
    enum { AT_ONCE = 1000 };
    size_t seen = 0;

    k->done = k->blank = 0;
    for (size_t at = 0; !k->w->too_much; ) {
        size_t length;
        int found;

        at += trie_skip(k->trie, part->s + at, part->n - at);
        if (at == part->n)
            break;
        found = trie_longest(k->trie, part->s + at, part->n - at, &length, &seen);
        if (seen > AT_ONCE) {
            bound_spend(k->w, BUDGET_BYTE_COMPARED * seen);
            seen = 0;
        }
        if (found < 0) {
            at++;
            continue;
        }
        if (!k->a->v[found].single_word || stands_alone(part, at, at + length))
            added_take(k, &k->a->v[found], part, at, at + length, out);
        at += length;
    }
    if (k->done < part->n)
        fragment_add(k->w, out, fragment_slice(part, k->done, part->n));
}

int added_split(const struct added *added, const struct trie *trie, struct work *work,
                struct err *e)
{
    struct search search = { .a = added, .trie = trie, .w = work };
    struct fragments out = { 0 };

    work->step = "added_tokens";
    for (size_t i = 0; i < work->parts.n; i++) {
        if (work->parts.v[i].id >= 0)
            fragment_add(work, &out, work->parts.v[i]);
        else
            split_one(&search, &work->parts.v[i], &out);
    }
    work->parts = out;
    return bound_check(work, e);
}
