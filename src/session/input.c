/* SPDX-License-Identifier: MIT
 * Operands, ids, arrays and files of texts -> tokenised texts, one by one. */
#include <string.h>

#include "base/file.h"
#include "base/lines.h"
#include "base/list.h"
#include "session/global.h"
#include "session/jsonl.h"
#include "session/input.h"
#include "session/precomputed.h"
#include "session/texts.h"

struct input {
    struct session *s;
    struct input *before;           /* the session's one before it; NULL: none */
    const struct asked *asked;
    struct lines *lines;            /* NULL: one text from the command line */
    const char *operand[2];
    struct values *values;          /* [n_given] of --input; NULL: a text or ids */
    struct layer_input layer;       /* of a bare layer; n 0: it is none */
    int n_given, n_taken;           /* texts of the command line: one, or the arrays */
    int n_lines, n_bad;
};

/* ---- ids ---- */

static int describe(struct input *in, struct arena *a, const int *ids, int n,
                    const int *types, int n_types, struct item *out, struct err *e)
{
    if (types != NULL && n_types != n)
        return err_set(e, in->lines != NULL ? ERR_INPUT : ERR_USAGE,
                       "%d types for %d ids, expected the same number", n_types, n);
    tok_describe(in->s->tok, a, ids, types, n, &out->tokens);
    return 0;
}

/* ---- the decoder's side ---- */

static bool has_decoder(const struct input *in)
{
    return in->s->model != NULL && in->s->model->decoder != NULL;
}

/* Its rows of attention are made already. */
static bool is_ready(const struct input *in)
{
    return in->s->model != NULL && in->s->model->precomputed != NULL;
}

/* Ids for a decoder require one that follows an encoder. */
static int check_decoder(const struct input *in, const char *what, enum err_kind kind,
                         struct err *e)
{
    const struct model *m = in->s->model;

    if (m == NULL)
        return err_set(e, kind, "%s: expected --ids: tokens are listed, not run", what);
    return m->decoder != NULL ? 0 :
           err_set(e, kind, "%s: %s is not an encoder-decoder: expected --ids", what, m->name);
}

/* The decoder's start token. */
static struct tokens start_token(struct input *in, struct arena *a, int id)
{
    struct tokens t;

    tok_describe(in->s->target_tok, a, &id, NULL, 1, &t);
    t.special[0] = 1;
    return t;
}

/* The decoder's start token, then t, unless its template has put it there. */
static void put_start_before(struct input *in, struct arena *a, struct tokens *t)
{
    int start = in->s->model->config.decoder.start_id;
    struct tokens s, whole;

    if (start < 0 || (t->n > 0 && t->id[0] == start))
        return;
    s = start_token(in, a, start);
    tok_join(a, &s, t, &whole);
    *t = whole;
}

/* A text that is to be generated: its start. */
static int open_target(struct input *in, struct arena *a, struct item *out,
                       struct err *e)
{
    const struct generation *rules = in->s->rules;

    if (rules == NULL)
        return err_set(e, ERR_INPUT, "has no text for the decoder");
    if (rules->start < 0)
        return err_set(e, ERR_INPUT, "%s has neither decoder_start_token_id nor "
                       "bos_token_id to generate a text from: expected TEXT_B or "
                       "--decoder-ids", in->s->model->name);
    out->target = start_token(in, a, rules->start);
    out->open = true;
    return 0;
}

/* --decoder-ids as given, or the second text after the start token, or a start. */
static int fill_target(struct input *in, struct arena *a, struct item *out,
                       struct err *e)
{
    const struct tok_input text = {
        .text = out->pair, .text_size = out->pair_size,
        .pretokenized = in->asked->pretokenized, .no_special = in->asked->no_special,
    };
    int *ids, n;

    out->open = in->asked->generate > 0 && (!has_decoder(in) || out->pair == NULL);
    if (!has_decoder(in) || out->target.n > 0)
        return 0;
    if (in->asked->decoder_ids != NULL) {
        if (list_parse_ids(a, "--decoder-ids", in->asked->decoder_ids, &ids, &n, e) != 0)
            return -1;
        tok_describe(in->s->target_tok, a, ids, NULL, n, &out->target);
        return 0;
    }
    if (out->pair == NULL)
        return in->s->stack == STACK_ENCODER ? 0 : open_target(in, a, out, e);
    if (in->s->target_tok == NULL) {
        *e = in->s->tok_err;
        return -1;
    }
    if (tok_encode(in->s->target_tok, a, &text, &out->target, e) != 0)
        return -1;
    put_start_before(in, a, &out->target);
    return 0;
}

static int item_of_ids(struct input *in, struct arena *a, struct item *out,
                       struct err *e)
{
    int *ids, *types = NULL, n, n_types = 0;

    if (list_parse_ids(a, "--ids", in->asked->ids, &ids, &n, e) != 0)
        return -1;
    if (in->asked->type_ids != NULL &&
        list_parse_ids(a, "--type-ids", in->asked->type_ids, &types, &n_types, e) != 0)
        return -1;
    return describe(in, a, ids, n, types, n_types, out, e);
}

/* ---- arrays ---- */

/* The next array; a decoder's text is the same for all. */
static void item_of_values(struct input *in, struct arena *a, struct item *out)
{
    const struct values *v = &in->values[in->n_taken];
    struct err never;

    out->index = in->n_taken;
    out->values = *v;
    out->input = in->n_given == 1 ? in->asked->input :
                 arena_printf(a, "%s[%d]", in->asked->input, out->index);
    values_describe(a, in->s->model, front_positions(in->s->model, v, &never), &out->tokens);
}

/* What a bare layer reads; *done: the model is one. */
static int open_layer(struct input *in, int n_operands, bool *done, struct err *e)
{
    const struct asked *asked = in->s->asked;
    const struct model *m = in->s->model;

    *done = m != NULL && m->family->bare;
    if (!*done && (asked->tokens != NULL || asked->key_tokens != NULL || asked->shape != NULL))
        return err_set(e, ERR_USAGE, "--%s requires a bare layer (mha-viz-layers(7))",
                       asked->tokens != NULL ? "tokens" :
                       asked->key_tokens != NULL ? "key-tokens" : "shape");
    if (!*done)
        return 0;
    if (n_operands > 0 && (m->precomputed != NULL || m->family->front == FRONT_QKV))
        return err_set(e, ERR_USAGE, "%s reads no TEXT: --tokens gives names of its rows",
                       m->precomputed != NULL ? "--attention" : "--qkv");
    if (m->precomputed != NULL)
        return 0;
    if (n_operands > 0 || asked->ids != NULL || asked->file != NULL ||
        asked->decoder_ids != NULL)
        return err_set(e, ERR_USAGE, "%s is a bare layer and reads no text: expected "
                       "--input FILE.npy, --tokens or --shape", m->name);
    if (layer_input_open(&in->layer, in->s, e) != 0)
        return -1;
    in->n_given = in->layer.n;
    return 0;
}

/* Reads the file of --input; a model takes a text or an array, never both. */
static int open_values(struct input *in, int n_operands, struct err *e)
{
    const struct model *m = in->s->model;
    const char *path = in->asked->input;
    int64_t dim[4];
    char shape[64];
    bool done;

    if (open_layer(in, n_operands, &done, e) != 0)
        return -1;
    if (done)
        return 0;
    if (m == NULL)
        return path == NULL ? 0 : err_set(e, ERR_USAGE, "--input: an array has no tokens");
    if (front_dims(m, dim) == 0)
        return path == NULL ? 0 :
               err_set(e, ERR_USAGE, "--input: %s reads a text, not an array", m->name);
    front_shape(m, shape);
    if (path == NULL)
        return err_set(e, ERR_USAGE, "%s reads no text but an array of shape %s: expected "
                       "--input FILE.npy", m->name, shape);
    if (n_operands > (m->decoder != NULL))
        return err_set(e, ERR_USAGE, "--input: %s reads %s", m->name, m->decoder != NULL ?
                       "one TEXT with it, for the decoder" : "no TEXT with it");
    return values_read(in->s->a, m, path, &in->values, &in->n_given, e);
}

/* ---- text ---- */

/* No model takes so much, and each token of it would be stored first. */
static const size_t MAX_TEXT_BYTES = (size_t)16 << 20;

static int item_of_text(struct input *in, struct arena *a, struct item *out,
                        struct err *e)
{
    const struct tok_input text = {
        .text = out->text, .text_size = out->text_size,
        .pair = has_decoder(in) ? NULL : out->pair, .pair_size = out->pair_size,
        .pretokenized = in->asked->pretokenized, .no_special = in->asked->no_special,
    };

    if (in->s->tok == NULL) {
        *e = in->s->tok_err;
        return -1;
    }
    if (out->text_size > MAX_TEXT_BYTES || out->pair_size > MAX_TEXT_BYTES)
        return err_set(e, ERR_INPUT, "the text has %zu bytes, expected at most %zu",
                       out->text_size > MAX_TEXT_BYTES ? out->text_size : out->pair_size,
                       MAX_TEXT_BYTES);
    return tok_encode(in->s->tok, a, &text, &out->tokens, e);
}

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

/* Fills *out; *done: with ids, so there is nothing left to tokenise. */
static int item_of_json(struct input *in, struct arena *a, const char *line, size_t n,
                        struct item *out, bool *done, struct err *e)
{
    struct json_line l;

    if (jsonl_read(a, line, n, &l, e) != 0 ||
        (l.decoder_ids.id != NULL && check_decoder(in, "decoder_ids", ERR_INPUT, e) != 0))
        return -1;
    out->global_at = l.global.id;
    out->n_global_at = l.global.n;
    if (l.decoder_ids.id != NULL)
        tok_describe(in->s->target_tok, a, l.decoder_ids.id, NULL, l.decoder_ids.n,
                     &out->target);
    *done = l.ids.id != NULL;
    if (*done)
        return describe(in, a, l.ids.id, l.ids.n, l.type_ids.id, l.type_ids.n, out, e);
    set_text(out, l.text, l.text_size);
    out->pair = l.pair;
    out->pair_size = l.pair_size;
    return 0;
}

/* ---- the whole ---- */

/* One source, and options only beside the source that they belong to. */
static int check_sources(const struct asked *asked, int n_operands, struct err *e)
{
    const struct { bool wrong; const char *why; } rules[] = {
        { (n_operands > 0) + (asked->ids != NULL) + (asked->file != NULL) > 1,
          "TEXT, --ids, -f: only one of them can be given" },
        { asked->input != NULL && (asked->ids != NULL || asked->file != NULL),
          "--input, --ids, -f: only one of them can be given" },
        { asked->pairs && asked->jsonl, "--pairs, --jsonl: only one of them can be given" },
        { asked->pairs && asked->file == NULL, "--pairs requires -f FILE" },
        { asked->jsonl && asked->file == NULL, "--jsonl requires -f FILE" },
        { asked->type_ids != NULL && asked->ids == NULL, "--type-ids requires --ids" },
        { asked->decoder_ids != NULL && (n_operands > 1 || asked->file != NULL),
          "--decoder-ids requires a TEXT or --ids, and no TEXT_B" },
        { asked->decoder_ids != NULL && asked->input != NULL && n_operands > 0,
          "--decoder-ids: no TEXT can be given with --input" },
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return err_set(e, ERR_USAGE, "%s", rules[i].why);
    return 0;
}

/* A mask [3,T,T] for one text is most often one that was meant for 3 heads. */
static void say_spare_masks(const struct input *in)
{
    const struct mask *all[] = { in->s->change.mask, in->s->change.memory_mask };

    for (int i = 0; i < 2; i++)
        if (all[i] != NULL && all[i]->n_batch > in->n_given)
            err_warn(in->s->env->warn, "%s: has masks for %lld texts, here %s %d; the "
                     "layers have %d heads", all[i]->name, (long long)all[i]->n_batch,
                     in->n_given == 1 ? "is" : "are", in->n_given, in->s->n_heads);
}

struct input *input_open(struct session *s, int n_operands, char **operands,
                         struct err *e)
{
    const struct asked *asked = s->asked;
    struct input *in = arena_alloc(s->a, 1, sizeof *in);

    *in = (struct input){ .s = s, .before = s->input, .asked = asked, .n_given = 1 };
    s->input = in;
    if (check_sources(asked, n_operands, e) != 0 || global_check(s, e) != 0 ||
        open_values(in, n_operands, e) != 0 ||
        (asked->decoder_ids != NULL && check_decoder(in, "--decoder-ids", ERR_USAGE, e) != 0))
        return NULL;
    for (int i = 0; i < n_operands && i < 2; i++)
        in->operand[i] = operands[i];
    if (asked->file != NULL) {
        in->lines = lines_open(asked->file, e);
        return in->lines != NULL ? in : NULL;
    }
    if (n_operands == 0 && asked->ids == NULL && in->values == NULL && in->layer.n == 0 &&
        !is_ready(in)) {
        in->operand[0] = s->model != NULL ? s->model->config.card.text : NULL;
        if (in->operand[0] == NULL) {
            err_set(e, ERR_USAGE, "expected a TEXT, -f FILE or --ids");
            return NULL;
        }
    }
    say_spare_masks(in);
    return in;
}

static int fill_from_line(struct input *in, struct arena *a, const char *line,
                          size_t n, struct item *out, struct err *e)
{
    bool done = false;

    if (in->asked->jsonl) {
        if (item_of_json(in, a, line, n, out, &done, e) != 0)
            return -1;
    } else if (in->asked->pairs) {
        if (item_of_pair(out, line, n, e) != 0)
            return -1;
    } else {
        set_text(out, line, n);
    }
    return done ? 0 : item_of_text(in, a, out, e);
}

static int fill_from_operands(struct input *in, struct arena *a, struct item *out,
                              struct err *e)
{
    if (is_ready(in))
        return precomputed_item(in->s, a, out, e);
    if (in->layer.n > 0) {
        layer_input_item(&in->layer, in->s, a, in->n_taken, out);
        return 0;
    }
    if (in->asked->ids != NULL)
        return item_of_ids(in, a, out, e);
    if (in->values != NULL) {
        item_of_values(in, a, out);
        out->pair = in->operand[0];
        out->pair_size = out->pair != NULL ? strlen(out->pair) : 0;
        return 0;
    }
    set_text(out, in->operand[0], strlen(in->operand[0]));
    out->pair = in->operand[1];
    out->pair_size = out->pair != NULL ? strlen(out->pair) : 0;
    return item_of_text(in, a, out, e);
}

/* A side that is longer than the model takes is an error, or cut. */
static int fit_side(struct input *in, struct item *out, struct tokens *t, int max,
                    struct err *e)
{
    const char *name = in->s->model->name;
    const char *whose = t == &out->target ? " for the decoder" : "";
    int n_cut;

    if (t->n <= max)
        return 0;
    if (!in->asked->truncate)
        return err_set(e, ERR_INPUT, "the text%s has %d tokens, %s takes at most %d "
                       "(--truncate cuts it)", whose, t->n, name, max);
    n_cut = t->n - max;
    out->n_cut += n_cut;
    tok_cut(t, max);
    err_warn(in->s->env->warn, "text %d%s is cut to the %d tokens that %s takes: %d "
             "are left out", out->index + 1, whose, t->n, name, n_cut);
    return 0;
}

/* A text that yields nothing, or more than the model takes. */
static int fit(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    const struct model *m = in->s->model;

    if (m == NULL)
        return 0;
    if (fill_target(in, a, out, e) != 0)
        return -1;
    if (out->tokens.n == 0 && !is_ready(in))
        return err_set(e, ERR_INPUT, "the text has no tokens");
    if (m->decoder != NULL && fit_side(in, out, &out->target, m->decoder->max_tokens, e) != 0)
        return -1;
    return fit_side(in, out, &out->tokens, m->max_tokens, e) != 0 ? -1 :
           global_fill(in->s, a, out, e);
}

const char *input_name(const struct input *in)
{
    if (in->asked->file == NULL)
        return in->layer.n > 0 ? in->layer.name : in->asked->input;
    return strcmp(in->asked->file, "-") == 0 ? "standard input" : in->asked->file;
}

void input_reject(struct input *in, const struct item *item, const struct err *why)
{
    in->n_bad++;
    err_warn(in->s->env->warn, "%s: %s %d: %s", input_name(in),
             in->lines != NULL ? "line" : "array", item->index + 1, why->msg);
}

static int next_line(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    for (;;) {
        struct arena_mark mark = arena_mark(a);
        const char *line;
        size_t n;
        int rc = lines_next(in->lines, &line, &n, e);

        if (rc <= 0)
            return rc;
        *out = (struct item){ .index = in->n_lines++, .text = "" };
        line = arena_strndup(a, line, n);
        if (fill_from_line(in, a, line, n, out, e) == 0 && fit(in, a, out, e) == 0)
            return 1;
        if (e->kind == ERR_SYSTEM || (in->s->tok == NULL && !in->asked->jsonl))
            return -1;          /* no line would fare better */
        input_reject(in, out, e);
        arena_reset(a, mark);
    }
}

int input_next(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    if (in->lines != NULL)
        return next_line(in, a, out, e);
    if (in->n_taken == in->n_given)
        return 0;
    *out = (struct item){ .text = "" };
    if (fill_from_operands(in, a, out, e) != 0)
        return -1;
    in->n_taken++;
    return fit(in, a, out, e) == 0 ? 1 : -1;
}

void inputs_close(struct input *last)
{
    for (struct input *in = last; in != NULL; in = in->before)
        lines_close(in->lines);
}

int input_result(const struct input *in, int rc, struct err *e)
{
    if (rc == 0 && in->n_bad > 0)
        return err_set(e, ERR_INPUT, "%s: %d of %d %s could not be used", input_name(in),
                       in->n_bad, in->lines != NULL ? in->n_lines : in->n_given,
                       in->lines != NULL ? "lines" : "arrays");
    return rc;
}

bool input_is_file(const struct input *in)
{
    return in->lines != NULL || in->n_given > 1;
}

int input_each(struct input *in,
               int (*fn)(void *self, struct arena *a, const struct item *item,
                         struct err *e),
               void *self, struct err *e)
{
    struct arena *a = in->s->a;
    struct arena_mark mark = arena_mark(a);
    struct item item;
    int rc;

    while ((rc = input_next(in, a, &item, e)) == 1) {
        if (session_generate(in->s, &item, 1, a, e) != 0 ||
            fn(self, a, &item, e) != 0) {
            if (e->kind != ERR_INPUT || !input_is_file(in))
                return -1;
            input_reject(in, &item, e);
        }
        arena_reset(a, mark);
    }
    return rc;
}
