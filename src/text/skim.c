/* SPDX-License-Identifier: MIT
 * The vocabulary and the merges of a tokenizer.json without a tree: 30,000 pieces would
 * cost as much as all the rest of a start.  Only what is plain is read; the rest,
 * and all that is wrong, is left to json_read. */
#include <string.h>

#include "base/json_scan.h"
#include "base/utf8.h"
#include "text/tok_priv.h"

static const char *skim_place(const struct json_scan *scan)
{
    return (const char *)scan->at;
}

/* What stands between the quotes, escapes as they are. */
static bool string(struct json_scan *scan, struct text *out)
{
    return json_scan_quoted(scan, &out->s, &out->n);
}

/* Copies a string to the pool, with a NUL after it; false: wrong. */
static bool skim_copy(struct text *text, char *pool)
{
    const unsigned char *quote = (const unsigned char *)text->s - 1;
    struct json_scan scan = { quote, quote, quote + text->n + 2 };
    struct err unused;

    if (memchr(text->s, '\\', text->n) == NULL) {
        memcpy(pool, text->s, text->n);
        pool[text->n] = '\0';
    } else if (json_scan_string(&scan, pool, &text->n, &unused) != 0 ||
               memchr(pool, '\0', text->n) != NULL) {
        return false;
    }
    text->s = pool;
    return true;
}

/* The object that scan is at; on success scan is after it. */
static bool pieces(struct json_scan *scan, struct vocab *vocab, struct arena *a)
{
    /* A piece with its NUL is shorter than its quotes and colon make it. */
    char *pool = arena_alloc_raw(a, (size_t)(scan->end - scan->at), 1);
    struct err unused;
    struct text piece;
    int64_t id;

    if (!json_scan_take(scan, '{'))
        return false;
    do {
        if (!string(scan, &piece) || utf8_check(piece.s, piece.n) != piece.n ||
            !json_scan_take(scan, ':') || !json_scan_id(scan, &id) || !skim_copy(&piece, pool) ||
            vocab_add(vocab, a, piece, id, &unused) != 0)
            return false;
        pool += piece.n + 1;
    } while (json_scan_take(scan, ','));
    vocab->n_model = vocab->n;
    return json_scan_take(scan, '}');
}

/* The list [["piece", score], …] that scan is at; on success scan is after it. */
static bool scored_pieces(struct json_scan *scan, struct tok *tok)
{
    size_t cap = (size_t)(scan->end - scan->at) / 8;      /* ["",0], is no shorter */
    char *pool = arena_alloc_raw(tok->a, (size_t)(scan->end - scan->at), 1);
    struct err unused;

    tok->scored = arena_alloc_raw(tok->a, cap + 1, sizeof *tok->scored);
    if (!json_scan_take(scan, '['))
        return false;
    do {
        struct scored *scored = &tok->scored[tok->n_scored];

        *scored = (struct scored){ .id = (int)tok->n_scored };
        if (tok->n_scored > cap || !json_scan_take(scan, '[') || !string(scan, &scored->s) ||
            utf8_check(scored->s.s, scored->s.n) != scored->s.n ||
            !json_scan_take(scan, ',') || !json_scan_real(scan, &scored->score) ||
            !json_scan_take(scan, ']') || !skim_copy(&scored->s, pool) ||
            vocab_add(&tok->vocab, tok->a, scored->s, scored->id, &unused) != 0)
            return false;
        pool += scored->s.n + 1;
        tok->n_scored++;
    } while (json_scan_take(scan, ','));
    tok->vocab.n_model = tok->vocab.n;
    return json_scan_take(scan, ']');
}

/* Of the object that s is at. */
static bool is_unigram(struct json_scan s)
{
    struct text type;

    return json_scan_enter(&s, "type") && string(&s, &type) && type.n == 7 &&
           memcmp(type.s, "Unigram", 7) == 0;
}

/* A string without its escapes; as it stands in the file where it has none. */
static bool plain_string(struct json_scan *scan, struct arena *a, struct text *out)
{
    if (!string(scan, out))
        return false;
    return memchr(out->s, '\\', out->n) == NULL ||
           skim_copy(out, arena_alloc_raw(a, out->n + 1, 1));
}

/* "a b" as older files have it, or ["a", "b"]. */
static bool skim_merge(struct json_scan *scan, struct arena *a, struct merge_text *text)
{
    if (json_scan_peek(scan) == '"')
        return plain_string(scan, a, &text->left) && bpe_merge_halves(text->left, text) == 0;
    return json_scan_take(scan, '[') && plain_string(scan, a, &text->left) &&
           json_scan_take(scan, ',') &&
           plain_string(scan, a, &text->right) && json_scan_take(scan, ']');
}

/* The list that scan is at; on success scan is after it. */
static bool merges(struct json_scan *scan, struct tok *tok)
{
    const char *begin = skim_place(scan);
    size_t cap = 0, count = 0;

    if (!json_scan_take(scan, '['))
        return false;
    do {
        if (count == cap) {
            cap = 2 * cap + 1024;
            tok->merges = arena_grow(tok->a, tok->merges, count, cap, sizeof *tok->merges);
        }
        if (!skim_merge(scan, tok->a, &tok->merges[count]))
            return false;
        count++;
    } while (json_scan_take(scan, ','));
    tok->n_merges = count;
    return json_scan_take(scan, ']') && utf8_check(begin, (size_t)(skim_place(scan) - begin)) ==
                                            (size_t)(skim_place(scan) - begin);
}

static bool any_pieces(struct json_scan *scan, struct tok *tok, bool unigram)
{
    return unigram ? scored_pieces(scan, tok) : pieces(scan, &tok->vocab, tok->a);
}

/* The file so far with "null" for what begins at value; rest goes on after it. */
struct rest {
    const char *done;           /* the file was copied up to here */
    char *s;
    size_t n;
};

static void skim_leave_out(struct rest *rest, const char *value, const char *end)
{
    static const char instead[] = "null";
    size_t before = (size_t)(value - rest->done);

    memcpy(rest->s + rest->n, rest->done, before);
    memcpy(rest->s + rest->n + before, instead, sizeof instead - 1);
    rest->n += before + sizeof instead - 1;
    rest->done = end;
}

/* Goes on to the map of a normaliser, or of one of a sequence. */
static bool enter_map(struct json_scan *scan)
{
    static const char key[] = "precompiled_charsmap";
    struct json_scan one = *scan;

    if (json_scan_enter(&one, key)) {
        *scan = one;
        return true;
    }
    if (!json_scan_enter(scan, "normalizers") || !json_scan_take(scan, '['))
        return false;
    do {
        one = *scan;
        if (json_scan_enter(&one, key)) {
            *scan = one;
            return true;
        }
    } while (json_scan_skip(scan) && json_scan_take(scan, ','));
    return false;
}

/* Of the file that s is at, where it stands before `before`. */
static void skim_map(struct json_scan s, const char *before, struct tok *tok, struct rest *rest)
{
    struct text map;
    const char *value;

    if (!json_scan_enter(&s, "normalizer") || !enter_map(&s))
        return;
    json_scan_peek(&s);
    value = skim_place(&s);
    tok->given.map = value < before && string(&s, &map) &&
                     charsmap_decode(tok->a, map, &tok->map);
    if (tok->given.map)
        skim_leave_out(rest, value, skim_place(&s));
    else
        tok->map = (struct span){ 0 };
}

/* From after the vocabulary, where merges mostly follow. */
static void skim_merges(struct json_scan *s, struct tok *tok, struct rest *rest)
{
    struct json_scan scan = *s;
    const char *value;

    if (!json_scan_take(&scan, ',') || !json_scan_find_key(&scan, "merges"))
        return;
    json_scan_peek(&scan);
    value = skim_place(&scan);
    if (merges(&scan, tok)) {
        tok->given.merges = true;
        skim_leave_out(rest, value, skim_place(&scan));
        return;
    }
    tok->merges = NULL;
    tok->n_merges = 0;
}

struct span skim_vocab(struct tok *tok, struct span json)
{
    const char *all = (const char *)json.data;
    struct json_scan scan = { json.data, json.data, json.data + json.size };
    struct rest rest = { .done = all };
    const char *value;
    bool unigram;

    if (json.size == 0 || !json_scan_enter(&scan, "model"))
        return json;
    unigram = is_unigram(scan);
    if (!json_scan_enter(&scan, "vocab"))
        return json;
    json_scan_peek(&scan);
    value = skim_place(&scan);
    /* A bit less than pieces take. */
    vocab_init(&tok->vocab, tok->a, (size_t)(scan.end - scan.at) / (unigram ? 25 : 12));
    if (!any_pieces(&scan, tok, unigram)) {
        tok->vocab = (struct vocab){ 0 };
        tok->scored = NULL;
        tok->n_scored = 0;
        return json;
    }
    tok->given.vocab = !unigram;
    tok->given.scored = unigram;
    /* "null" may be longer than an empty text or list. */
    rest.s = arena_alloc_raw(tok->a, json.size + 8, 1);
    skim_map((struct json_scan){ json.data, json.data, scan.end }, value, tok, &rest);
    skim_leave_out(&rest, value, skim_place(&scan));
    if (!unigram)
        skim_merges(&scan, tok, &rest);
    memcpy(rest.s + rest.n, rest.done, (size_t)((const char *)scan.end - rest.done));
    rest.n += (size_t)((const char *)scan.end - rest.done);
    return (struct span){ (unsigned char *)rest.s, rest.n };
}
