/* SPDX-License-Identifier: MIT
 * What the reference library makes of a text, as JSON, against what we make of it. */
#ifndef TEXT_CASES_H
#define TEXT_CASES_H

#include "text_help.h"

#include "base/utf8.h"

static inline struct tok_input cases_input(const json_t *text, const json_t *pair)
{
    struct tok_input in = { .text = json_string_value(text),
                            .text_size = json_string_length(text) };

    if (json_is_string(pair)) {
        in.pair = json_string_value(pair);
        in.pair_size = json_string_length(pair);
    }
    return in;
}

static inline int cases_number(const json_t *list, int i)
{
    return (int)json_integer_value(json_array_get(list, (size_t)i));
}

static inline void cases_ids(const char *where, const json_t *want, const int *got, int n)
{
    if ((int)json_array_size(want) != n)
        fail_msg("%s: %d tokens, expected %zu", where, n, json_array_size(want));
    for (int i = 0; i < n; i++)
        if (cases_number(want, i) != got[i])
            fail_msg("%s: token %d has id %d, expected %d", where, i, got[i],
                     cases_number(want, i));
}

/* Byte spans are the same places as spans in characters. */
static inline void cases_place(const char *where, const char *s, size_t n,
                               struct range bytes, struct range chars)
{
    int at = 0, count = 0, cp;

    while (at < bytes.end && count <= chars.end) {
        if (at == bytes.start && count != chars.start)
            break;
        at += utf8_decode(s + at, n - (size_t)at, &cp);
        count++;
    }
    if (at != bytes.end || count != chars.end || bytes.start > bytes.end)
        fail_msg("%s: bytes %d,%d are not characters %d,%d", where, bytes.start,
                 bytes.end, chars.start, chars.end);
}

/* For what is unknown the library gives the text itself, which is no piece. */
static inline void cases_piece(const struct tok *t, const char *where,
                               const char *piece, const json_t *want)
{
    const char *s = json_string_value(want);

    if (strcmp(piece, s) != 0 && tok_id(t, s, json_string_length(want)) >= 0)
        fail_msg("%s: piece %s, expected %s", where, piece, s);
}

static inline void cases_token(const struct tok *t, const json_t *c, const char *where,
                               const struct tokens *out, int i)
{
    const json_t *offsets = json_object_get(c, "offsets");
    const json_t *span = json_array_get(offsets, (size_t)i);
    const json_t *pieces = json_object_get(c, "tokens");

    cases_piece(t, where, out->piece[i], json_array_get(pieces, (size_t)i));
    if (offsets != NULL && (cases_number(span, 0) != out->chars[i].start ||
                            cases_number(span, 1) != out->chars[i].end))
        fail_msg("%s: token %d spans %d,%d, expected %d,%d", where, i, out->chars[i].start,
                 out->chars[i].end, cases_number(span, 0), cases_number(span, 1));
    if (cases_number(json_object_get(c, "type_ids"), i) != out->type[i])
        fail_msg("%s: token %d has type %d", where, i, out->type[i]);
    if (cases_number(json_object_get(c, "special_mask"), i) != tok_is_frame(out, i))
        fail_msg("%s: token %d: of the template is %d", where, i, tok_is_frame(out, i));
}

/* Special is what the same ids are by themselves. */
static inline void cases_special(struct help *h, const struct tok *t, const char *where,
                                 const struct tokens *out)
{
    struct tokens of_ids;

    tok_describe(t, &h->arena, out->id, NULL, out->n, &of_ids);
    for (int i = 0; i < out->n; i++)
        if (out->special[i] != of_ids.special[i])
            fail_msg("%s: token %d: special is %d in the text, %d in its ids", where, i,
                     out->special[i], of_ids.special[i]);
}

/* {"text", "pair", "ids", "tokens", "offsets", …}, without offsets where they are not the
 * text's, or {"text", "pair", "fails": true}. */
static inline void cases_same(struct help *h, const struct tok *t, const json_t *c,
                              const char *where)
{
    struct tok_input in = cases_input(json_object_get(c, "text"),
                                      json_object_get(c, "pair"));
    int failed;
    struct tokens out;

    failed = tok_encode(t, &h->arena, &in, &out, &h->err);
    if (json_is_true(json_object_get(c, "fails"))) {
        if (failed == 0)
            fail_msg("%s: the reference fails here", where);
        return;
    }
    if (failed != 0)
        fail_msg("%s: %s", where, h->err.msg);
    cases_ids(where, json_object_get(c, "ids"), out.id, out.n);
    for (int i = 0; i < out.n; i++) {
        cases_token(t, c, where, &out, i);
        if (in.pair == NULL && !tok_is_frame(&out, i))
            cases_place(where, in.text, in.text_size, out.bytes[i], out.chars[i]);
    }
    cases_special(h, t, where, &out);
    in.no_special = true;
    if (tok_encode(t, &h->arena, &in, &out, &h->err) != 0)
        fail_msg("%s: %s", where, h->err.msg);
    cases_ids(where, json_object_get(c, "ids_no_special"), out.id, out.n);
}

#endif
