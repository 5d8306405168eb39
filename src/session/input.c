/* SPDX-License-Identifier: MIT
 * A source of texts -> tokenised texts one by one, with warnings for those that cannot be used. */
#include "session/input.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "session/encode.h"
#include "session/memory.h"
#include "session/shown/average.h"
#include "session/source/source.h"
#include "session/split.h"
#include "session/texts.h"
#include "text/budget.h"

struct input {
    struct session *s;
    struct input *before;       /* the session's one before it; NULL: none */
    struct source *source;      /* NULL: it could not be opened */
    struct split *split;        /* hands out its texts in pieces; NULL: whole */
    struct memory_limit limit;
    double (*keeps)(void *self, const struct item *item);   /* NULL: nothing */
    void *keeps_self;
    int64_t n_bad;              /* texts that could not be used */
    struct err unheard;         /* why the first of them could not, where nobody was told */
    int64_t n_taken;
    bool told_many;             /* an error of ERR_OF_MANY was told */
    bool told_unknown;          /* that a text's tokens are unknown */
    const char *text_name;      /* "the first text" of two; NULL: there is one */
    bool averages;              /* all texts are given as one: their mean */
    bool is_over;               /* with averages: it was given */
    double share;               /* of the texts: those whose work is done; NaN: not known */
    int (*done)(void *self, struct err *e);     /* after each batch; NULL: nothing */
    void *done_self;
    void (*passed)(void *self, const struct item *item);    /* NULL: nothing */
    void *passed_self;
};

/* A mask [3,T,T] for one text is most often one that was meant for 3 heads; one of keys alone
 * has no heads, and its rows are of other texts. */
static int check_spare(const struct session *session, const struct mask_array *array,
                       int64_t n_texts, struct err *e)
{
    if (array->n_batch <= n_texts)
        return 0;
    if (array->keys_alone)
        return err_set(e, ERR_INPUT, "%s: the mask has the shape %s, for %lld texts, but there "
                       "%s %lld", array->name, array->shape, (long long)array->n_batch,
                       n_texts == 1 ? "is" : "are", (long long)n_texts);
    err_warn(session->env->warn,
             "%s: has masks for %lld texts, here %s %lld; the layers have %d head%s", array->name,
             (long long)array->n_batch, n_texts == 1 ? "is" : "are", (long long)n_texts,
             session->n_heads, str_plural(session->n_heads));
    return 0;
}

static int check_spare_masks(const struct session *session, int64_t n_texts, struct err *e)
{
    const struct mask *all[] = { session->change.mask, session->change.memory_mask };

    for (int i = 0; i < 2; i++)
        for (int k = 0; all[i] != NULL && k < all[i]->n_arrays; k++)
            if (check_spare(session, &all[i]->array[k], n_texts, e) != 0)
                return -1;
    return 0;
}

struct input *input_open_beside(struct session *session, const struct input *first,
                                int n_operands, char **operands, struct err *e)
{
    struct input *in = arena_alloc(session->a, 1, sizeof *in);

    *in = (struct input){ .s = session, .before = session->input };
    session->input = in;
    if (session->budget == NULL)
        session->budget = arena_alloc(session->a, 1, sizeof *session->budget);
    in->source = source_asked(session, first != NULL ? first->source : NULL, n_operands, operands,
                              e);
    in->averages = session_averages(session, AVERAGE_TEXTS);
    if (in->source == NULL ||
        (session->asked->stream == NULL && split_open(session, in->source, &in->split, e) != 0) ||
        memory_open(session, &in->limit, e) != 0)
        return NULL;
    if (!in->source->lines && check_spare_masks(session, in->source->n, e) != 0)
        return NULL;
    return in;
}

struct input *input_open(struct session *session, int n_operands, char **operands,
                         struct err *e)
{
    return input_open_beside(session, NULL, n_operands, operands, e);
}

void input_call(struct input *input, const char *text_name)
{
    input->text_name = text_name;
}

void input_close(struct session *session, struct input *before)
{
    for (; session->input != before; session->input = session->input->before)
        if (session->input->source != NULL && session->input->source->close != NULL)
            session->input->source->close(session->input->source);
}

void input_close_all(struct input *last)
{
    for (struct input *in = last; in != NULL; in = in->before)
        if (in->source != NULL && in->source->close != NULL)
            in->source->close(in->source);
}

/* ---- its texts ---- */

static bool is_file(const struct input *input)
{
    return input->source->is_file || input->split != NULL;
}

static double kept(const struct input *input, const struct item *item)
{
    return average_memory(input->s, item) +
           (input->keeps != NULL ? input->keeps(input->keeps_self, item) : 0);
}

void input_reject(struct input *input, const struct item *item, const struct err *why)
{
    input->n_bad++;
    err_warn_left_out(input->s->env->warn, &input->unheard, input->source->name, "%s %lld%s: %s",
                      input->source->unit, (long long)item->index + 1, item_part(input->s->a, item),
                      why->msg);
}

int input_fail(struct input *input, const struct item *item, struct err *why)
{
    if (why->kind != ERR_INPUT || !input->source->is_file || why->reach == ERR_OF_ALL)
        return -1;
    if (why->reach == ERR_OF_MANY && input->told_many)
        input->n_bad++;
    else
        input_reject(input, item, why);
    input->told_many |= why->reach == ERR_OF_MANY;
    return 0;
}

/* ---- their memory ---- */

void input_keeps(struct input *input, double (*bytes)(void *self, const struct item *item),
                 void *self)
{
    input->keeps = bytes;
    input->keeps_self = self;
}

void input_hold(struct input *input, const struct item *item)
{
    if (input->keeps != NULL && input_is_limited(input))
        input->limit.base += input->keeps(input->keeps_self, item);
}

bool input_is_limited(const struct input *input)
{
    return input->limit.allowed < INFINITY;
}

double input_left(const struct input *input)
{
    return input->limit.allowed - input->limit.base;
}

void input_limit_as(struct input *input, const struct input *first)
{
    input->limit = first->limit;
}

int input_fit(const struct input *input, const struct item *items, int n)
{
    double bytes = input->limit.base;
    int n_tokens = 0, n_target = 0, count = 0;

    for (; count < n && (count == 0 || input_is_limited(input)); count++) {
        const struct item *item = &items[count];

        n_tokens += item->tokens.n + (item->open ? input->s->n_generate : 0);
        n_target += item->target.n + (item->open ? input->s->n_generate : 0);
        bytes += kept(input, item);
        if (count > 0 &&
            bytes + memory_of_pass(input->s, n_tokens, n_target) > input->limit.allowed)
            return count;
    }
    return input_is_limited(input) ? count : n;
}

static int check_memory(const struct input *input, const struct item *item, struct err *e)
{
    int more = item->open ? input->s->n_generate : 0;

    if (!input_is_limited(input) || input->s->model == NULL)
        return 0;
    return memory_check(&input->limit, item,
                        memory_of_pass(input->s, item->tokens.n + more, item->target.n + more) +
                            kept(input, item), e);
}

/* Only a line is left out where it does not fit; of several arrays one ends all. */
static int next_item(struct input *input, struct arena *a, struct item *out, struct err *e)
{
    struct source *source = input->source;
    bool continues = input->split != NULL && split_continues(input->split);
    int status;

    *out = (struct item){ .text = "", .of_several = is_file(input) };
    status = input->split != NULL ? split_next(input->split, a, out, e) :
                                    source->next(source, a, out, e);
    input->n_taken += status != SOURCE_END && !continues;
    if (status == SOURCE_TEXT &&
        (encode_fit(input->s, a, out, e) != 0 || check_memory(input, out, e) != 0))
        status = source->lines ? SOURCE_UNUSABLE : SOURCE_FAILED;
    /* No text is to blame for it. */
    if (status == SOURCE_UNUSABLE && e->kind == ERR_SYSTEM)
        status = SOURCE_FAILED;
    if (status == SOURCE_FAILED && input->text_name != NULL && !source->is_file)
        err_under(e, "%s", input->text_name);
    return status;
}

/* "text 3", "the first text", or "text 3, the first text" of a line with two. */
static const char *name_text(const struct input *input, struct arena *a, const struct item *item)
{
    if (input->text_name != NULL && !input->source->is_file)
        return input->text_name;
    return arena_printf(a, "text %lld%s%s%s", (long long)item->index + 1, item_part(a, item),
                        input->text_name != NULL ? ", " : "",
                        input->text_name != NULL ? input->text_name : "");
}

/* The figures of a text that the tokeniser does not know say little: of the first such one. */
static void say_unknown(struct input *input, struct arena *a, const struct item *item)
{
    const struct tokens *tokens = &item->tokens;
    int count = input->told_unknown ? 0 : tok_unknown(input->s->tok, tokens), plain = 0;

    for (int i = 0; count > 0 && i < tokens->n; i++)
        plain += !tok_is_frame(tokens, i);
    if (count == 0 || count < (plain + 2) / 3)
        return;
    input->told_unknown = true;
    err_warn(input->s->env->warn, "%s: %d of %d token%s %s not in the vocabulary, and read "
             "as unknown%s", name_text(input, a, item), count, plain, str_plural(plain),
             count == 1 ? "is" : "are",
             input->source->is_file ? "; further texts are not named" : "");
}

/* At the end of a source: what it left out. */
static void say_blank(struct input *input)
{
    struct source *source = input->source;

    if (source->n_blank > 0)
        err_warn(input->s->env->note, "%s: %lld blank line%s left out; with --keep-empty each is a "
                 "text", source->name, (long long)source->n_blank,
                 source->n_blank == 1 ? " is" : "s are");
    source->n_blank = 0;
}

/* As it would be worked on. */
static int tell_passed(struct input *input, struct arena *a, struct item *item, struct err *e)
{
    if (session_generate(input->s, item, 1, a, e) != 0)
        return e->kind == ERR_INPUT ? 0 : -1;
    input->passed(input->passed_self, item);
    return 0;
}

static int next_text(struct input *input, struct arena *a, struct item *out, struct err *e)
{
    for (;;) {
        struct arena_mark mark = arena_mark(a);
        int status = next_item(input, a, out, e);

        if (status == SOURCE_END && input->source->lines &&
            check_spare_masks(input->s, input->source->n, e) != 0)
            return -1;
        if (status == SOURCE_END) {
            input->n_bad += input->source->n_bad;
            say_blank(input);
        }
        if (status == SOURCE_TEXT && !out->passed && input->s->asked->stream == NULL)
            say_unknown(input, a, out);
        if (status != SOURCE_UNUSABLE && !out->passed)
            return status;
        if (status == SOURCE_FAILED)
            return -1;
        if (!out->passed)
            input_reject(input, out, e);
        else if (status == SOURCE_TEXT && tell_passed(input, a, out, e) != 0)
            return -1;
        arena_reset(a, mark);
    }
}

/* All texts, continued, as one.  Returns as input_next. */
static int next_mean(struct input *input, struct arena *a, struct item *out, struct err *e)
{
    struct item *items = NULL;
    struct arena_mark mark = arena_mark(a);
    double before = input->limit.base;
    int n = 0, room = 0, status = 1;

    if (input->is_over)
        return 0;
    input->is_over = true;
    if (!is_file(input))
        return err_set(e, ERR_USAGE, "--average texts requires several texts: -f FILE");
    while (status == 1) {
        if (n == room) {
            struct item *more = arena_alloc(a, (uint64_t)(room = 2 * room + 16), sizeof *more);

            if (n > 0)
                memcpy(more, items, (size_t)n * sizeof *more);
            items = more;
        }
        status = next_text(input, a, &items[n], e);
        if (status != 1)
            break;
        if (session_generate(input->s, &items[n], 1, a, e) == 0)
            n++;
        else if (input_fail(input, &items[n], e) != 0)
            return -1;
        if (input_is_limited(input))    /* all of them are held */
            input->limit.base = before + (double)arena_since(a, mark);
    }
    if (status != 0 || n == 0)
        return status;
    return average_texts(input->s, a, items, n, input->source->name, out, e) == 0 ? 1 : -1;
}

int input_next(struct input *input, struct arena *a, struct item *out, struct err *e)
{
    return input->averages ? next_mean(input, a, out, e) : next_text(input, a, out, e);
}

int input_result(const struct input *input, int rc, struct err *e)
{
    if (rc != 0 || input->n_bad == 0)
        return rc;
    if (input->split != NULL)
        err_set(e, ERR_INPUT, "%s: %lld of its texts and their pieces could not be used",
                input->source->name, (long long)input->n_bad);
    else
        err_set(e, ERR_INPUT, "%s: %lld of %lld %s%s could not be used", input->source->name,
                (long long)input->n_bad, (long long)input->source->n, input->source->unit,
                str_plural(input->source->n));
    return err_because(e, &input->unheard);
}

int64_t input_count(const struct input *input)
{
    return input->source->n;
}

bool input_is_drawn(const struct input *input)
{
    return input->source->drawn;
}

int64_t input_count_bad(const struct input *input)
{
    return input->n_bad;
}

uint32_t input_crc(const struct input *input)
{
    return input->source->crc;
}

const char *input_name(const struct input *input)
{
    return input->source->name;
}

bool input_waits(const struct input *input)
{
    return input->source->waits != NULL && input->source->waits(input->source);
}

bool input_is_file(const struct input *input)
{
    return is_file(input) && !input->averages;
}

/* ---- how far it is ---- */

double input_share(const struct input *input)
{
    const struct source *source = input->source;

    return source->share != NULL ? source->share(source) :
                                   (double)input->n_taken / (double)source->n;
}

void input_begin(struct input *input)
{
    if (!input->source->is_file)
        return;
    input->share = 0;
    progress_begin(input->s->env->progress, input->source->lines ? "text" : "array",
                   input->source->lines ? 0 : input->source->n);
}

void input_work(struct input *input)
{
    if (input->source->is_file)
        progress_reach(input->s->env->progress, 0, input->share, input_share(input));
}

void input_worked(struct input *input, int n)
{
    if (!input->source->is_file)
        return;
    input->share = input_share(input);
    progress_reach(input->s->env->progress, n, input->share, input->share);
}

void input_end(struct input *input)
{
    if (input->source->is_file)
        progress_end(input->s->env->progress);
}

/* ---- in parts ---- */

void input_after_batches(struct input *input, int (*done)(void *self, struct err *e), void *self)
{
    input->done = done;
    input->done_self = self;
}

int input_batch_done(struct input *input, struct err *e)
{
    return input->done != NULL ? input->done(input->done_self, e) : 0;
}

int input_count_parts(const struct input *input)
{
    return input->split != NULL ? split_taken(input->split) : 0;
}

void input_tell_passed(struct input *input, void (*passed)(void *self, const struct item *item),
                       void *self)
{
    input->passed = passed;
    input->passed_self = self;
    input->source->others = true;
}

void input_report_ahead(struct input *input,
                        void (*write)(void *self, struct arena *a, const struct item *item,
                                      struct memory_file *to),
                        void *self)
{
    if (input->split == NULL && input->s->model == NULL)
        input->source->report = (struct report_ahead){ write, self };
}

/* Texts that were done are passed like those of other shards. */
static int pass_texts(struct input *input, int64_t n_lines, int n_parts, struct err *e)
{
    struct arena *a = input->s->a;
    struct arena_mark mark = arena_mark(a);
    int status = SOURCE_TEXT;

    while ((input->source->n < n_lines || input_count_parts(input) != n_parts) &&
           status != SOURCE_END) {
        struct item item;

        status = next_item(input, a, &item, e);
        if (status == SOURCE_FAILED ||
            (status == SOURCE_TEXT && tell_passed(input, a, &item, e) != 0))
            return -1;
        arena_reset(a, mark);
    }
    return source_skip(input->source, n_lines, e);
}

int input_skip(struct input *input, int64_t n_lines, int n_parts, int64_t n_bad, struct err *e)
{
    input->n_bad = n_bad;
    if (input->passed != NULL)
        return pass_texts(input, n_lines, n_parts, e);
    if (source_skip(input->source, n_lines - (n_parts > 0), e) != 0)
        return -1;
    return input->split != NULL ? split_skip(input->split, n_parts, e) : 0;
}

/* ---- one after another ---- */

int input_each(struct input *input,
               int (*fn)(void *self, struct arena *a, const struct item *item,
                         struct err *e),
               void *self, struct err *e)
{
    struct arena *a = input->s->a;
    struct arena_mark mark = arena_mark(a);
    struct item item;
    int status;

    input_begin(input);
    while ((status = input_next(input, a, &item, e)) == 1) {
        input_work(input);
        if ((session_generate(input->s, &item, 1, a, e) != 0 || fn(self, a, &item, e) != 0) &&
            input_fail(input, &item, e) != 0)
            return -1;
        if (input->s->model == NULL)
            progress_tokens(input->s->env->progress, item.tokens.n);
        input_worked(input, 1);
        arena_reset(a, mark);
        if (input_batch_done(input, e) != 0)
            return -1;
    }
    input_end(input);
    return status;
}
