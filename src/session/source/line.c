/* SPDX-License-Identifier: MIT
 * A line of a file (plain text, a pair with a tab, a JSON object) -> its text, pair or ids. */
#include "session/source/line.h"

#include <string.h>

#include "session/encode.h"
#include "session/source/jsonl.h"

static void set_text(struct item *out, const char *text, size_t n)
{
    out->text = text;
    out->text_size = n;
}

static int item_of_pair(struct item *out, const char *line, size_t n, struct err *e)
{
    const char *tab = memchr(line, '\t', n);

    if (tab == NULL)
        return err_set(e, ERR_INPUT, "has no tab, expected two texts separated by a tab");
    set_text(out, line, (size_t)(tab - line));
    out->pair = tab + 1;
    out->pair_size = n - out->text_size - 1;
    return 0;
}

static int item_of_json(const struct session *session, struct arena *a, const char *line, size_t n,
                        struct item *out, bool *done, struct err *e)
{
    struct json_line json_line;

    if (jsonl_read(a, line, n, session->asked->by, &json_line, e) != 0 ||
        (json_line.decoder_ids.id != NULL &&
         encode_needs_decoder(session, "decoder_ids", ERR_INPUT, e) != 0))
        return -1;
    out->group = json_line.group;
    out->global_at = json_line.global.id;
    out->n_global_at = json_line.global.n;
    if (json_line.decoder_ids.id != NULL)
        tok_describe(session->target_tok, a, json_line.decoder_ids.id, NULL,
                     json_line.decoder_ids.n, &out->target);
    *done = json_line.ids.id != NULL;
    if (*done)
        return encode_ids(session, a, &json_line.ids, &json_line.type_ids, ERR_INPUT, out, e);
    set_text(out, json_line.text, json_line.text_size);
    out->pair = json_line.pair;
    out->pair_size = json_line.pair_size;
    return 0;
}

/* What it gives is texts, all of white space. */
static bool line_is_blank(const struct item *out)
{
    return out->target.n == 0 && tok_is_blank(out->text, out->text_size) &&
           (out->pair == NULL || tok_is_blank(out->pair, out->pair_size));
}

/* Of a pair the text that is asked for, by itself. */
static int take_half(struct item *out, enum asked_half half, struct err *e)
{
    if (half == HALF_BOTH)
        return 0;
    if (out->pair == NULL)
        return err_set(e, ERR_INPUT, "has no pair, expected {\"text\":…,\"pair\":…}");
    if (half == HALF_SECOND)
        set_text(out, out->pair, out->pair_size);
    out->pair = NULL;
    out->pair_size = 0;
    return 0;
}

static int read_whole(const struct session *session, struct arena *a, const char *line, size_t n,
                      struct item *out, bool *done, struct err *e)
{
    if (session->asked->jsonl)
        return item_of_json(session, a, line, n, out, done, e);
    if (session->asked->pairs)
        return item_of_pair(out, line, n, e);
    set_text(out, line, n);
    return 0;
}

int line_read(const struct session *session, struct arena *a, const char *line, size_t n,
              struct item *out, bool *done, struct err *e)
{
    *done = false;
    out->blank = !session->asked->keep_empty && tok_is_blank(line, n);
    if (out->blank)
        return 0;
    if (read_whole(session, a, line, n, out, done, e) != 0)
        return -1;
    out->blank = !session->asked->keep_empty && !*done && line_is_blank(out);
    if (out->blank)
        return 0;
    if (!*done)
        return take_half(out, session->asked->half, e);
    return session->asked->half == HALF_BOTH ?
               0 : err_set(e, ERR_INPUT, "has ids, expected {\"text\":…,\"pair\":…}");
}
