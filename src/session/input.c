/* SPDX-License-Identifier: MIT
 * A source of texts -> tokenised texts one by one, with warnings for those that cannot be used. */
#include "session/input.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "session/average.h"
#include "session/encode.h"
#include "session/memory.h"
#include "session/source.h"
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
static int check_spare(const struct session *s, const struct mask_array *m, int64_t n_texts,
                       struct err *e)
{
    if (m->n_batch <= n_texts)
        return 0;
    if (m->keys_alone)
        return err_set(e, ERR_INPUT, "%s: the mask has the shape %s, for %lld texts, but there "
                       "%s %lld", m->name, m->shape, (long long)m->n_batch,
                       n_texts == 1 ? "is" : "are", (long long)n_texts);
    err_warn(s->env->warn, "%s: has masks for %lld texts, here %s %lld; the layers have %d head%s",
             m->name, (long long)m->n_batch, n_texts == 1 ? "is" : "are", (long long)n_texts,
             s->n_heads, str_plural(s->n_heads));
    return 0;
}

static int check_spare_masks(const struct session *s, int64_t n_texts, struct err *e)
{
    const struct mask *all[] = { s->change.mask, s->change.memory_mask };

    for (int i = 0; i < 2; i++)
        for (int k = 0; all[i] != NULL && k < all[i]->n_arrays; k++)
            if (check_spare(s, &all[i]->array[k], n_texts, e) != 0)
                return -1;
    return 0;
}

struct input *input_open_beside(struct session *s, const struct input *first,
                                int n_operands, char **operands, struct err *e)
{
    struct input *in = arena_alloc(s->a, 1, sizeof *in);

    *in = (struct input){ .s = s, .before = s->input };
    s->input = in;
    if (s->budget == NULL)
        s->budget = arena_alloc(s->a, 1, sizeof *s->budget);
    in->source = source_asked(s, first != NULL ? first->source : NULL, n_operands, operands,
                              e);
    in->averages = session_averages(s, AVERAGE_TEXTS);
    if (in->source == NULL ||
        (s->asked->stream == NULL && split_open(s, in->source, &in->split, e) != 0) ||
        memory_open(s, &in->limit, e) != 0)
        return NULL;
    if (!in->source->lines && check_spare_masks(s, in->source->n, e) != 0)
        return NULL;
    return in;
}

struct input *input_open(struct session *s, int n_operands, char **operands,
                         struct err *e)
{
    return input_open_beside(s, NULL, n_operands, operands, e);
}

void input_call(struct input *in, const char *text_name)
{
    in->text_name = text_name;
}

void input_close(struct session *s, struct input *before)
{
    for (; s->input != before; s->input = s->input->before)
        if (s->input->source != NULL && s->input->source->close != NULL)
            s->input->source->close(s->input->source);
}

void input_close_all(struct input *last)
{
    for (struct input *in = last; in != NULL; in = in->before)
        if (in->source != NULL && in->source->close != NULL)
            in->source->close(in->source);
}

/* ---- its texts ---- */

static bool is_file(const struct input *in)
{
    return in->source->is_file || in->split != NULL;
}

static double kept(const struct input *in, const struct item *item)
{
    return average_memory(in->s, item) +
           (in->keeps != NULL ? in->keeps(in->keeps_self, item) : 0);
}

void input_reject(struct input *in, const struct item *item, const struct err *why)
{
    in->n_bad++;
    err_warn_left_out(in->s->env->warn, &in->unheard, in->source->name, "%s %lld%s: %s",
                      in->source->unit, (long long)item->index + 1, item_part(in->s->a, item),
                      why->msg);
}

int input_fail(struct input *in, const struct item *item, struct err *why)
{
    if (why->kind != ERR_INPUT || !in->source->is_file || why->reach == ERR_OF_ALL)
        return -1;
    if (why->reach == ERR_OF_MANY && in->told_many)
        in->n_bad++;
    else
        input_reject(in, item, why);
    in->told_many |= why->reach == ERR_OF_MANY;
    return 0;
}

/* ---- their memory ---- */

void input_keeps(struct input *in, double (*bytes)(void *self, const struct item *item),
                 void *self)
{
    in->keeps = bytes;
    in->keeps_self = self;
}

void input_hold(struct input *in, const struct item *item)
{
    if (in->keeps != NULL && input_is_limited(in))
        in->limit.base += in->keeps(in->keeps_self, item);
}

bool input_is_limited(const struct input *in)
{
    return in->limit.allowed < INFINITY;
}

double input_left(const struct input *in)
{
    return in->limit.allowed - in->limit.base;
}

void input_limit_as(struct input *in, const struct input *first)
{
    in->limit = first->limit;
}

int input_fit(const struct input *in, const struct item *items, int n)
{
    double bytes = in->limit.base;
    int n_tokens = 0, n_target = 0, count = 0;

    for (; count < n && (count == 0 || input_is_limited(in)); count++) {
        const struct item *item = &items[count];

        n_tokens += item->tokens.n + (item->open ? in->s->n_generate : 0);
        n_target += item->target.n + (item->open ? in->s->n_generate : 0);
        bytes += kept(in, item);
        if (count > 0 && bytes + memory_of_pass(in->s, n_tokens, n_target) > in->limit.allowed)
            return count;
    }
    return input_is_limited(in) ? count : n;
}

static int check_memory(const struct input *in, const struct item *item, struct err *e)
{
    int more = item->open ? in->s->n_generate : 0;

    if (!input_is_limited(in) || in->s->model == NULL)
        return 0;
    return memory_check(&in->limit, item,
                        memory_of_pass(in->s, item->tokens.n + more, item->target.n + more) +
                            kept(in, item), e);
}

/* Only a line is left out where it does not fit; of several arrays one ends all. */
static int next_item(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    struct source *source = in->source;
    bool continues = in->split != NULL && split_continues(in->split);
    int status;

    *out = (struct item){ .text = "", .of_several = is_file(in) };
    status = in->split != NULL ? split_next(in->split, a, out, e) :
                                 source->next(source, a, out, e);
    in->n_taken += status != SOURCE_END && !continues;
    if (status == SOURCE_TEXT &&
        (encode_fit(in->s, a, out, e) != 0 || check_memory(in, out, e) != 0))
        status = source->lines ? SOURCE_UNUSABLE : SOURCE_FAILED;
    /* No text is to blame for it. */
    if (status == SOURCE_UNUSABLE && e->kind == ERR_SYSTEM)
        status = SOURCE_FAILED;
    if (status == SOURCE_FAILED && in->text_name != NULL && !source->is_file)
        err_under(e, "%s", in->text_name);
    return status;
}

/* "text 3", "the first text", or "text 3, the first text" of a line with two. */
static const char *name_text(const struct input *in, struct arena *a, const struct item *item)
{
    if (in->text_name != NULL && !in->source->is_file)
        return in->text_name;
    return arena_printf(a, "text %lld%s%s%s", (long long)item->index + 1, item_part(a, item),
                        in->text_name != NULL ? ", " : "",
                        in->text_name != NULL ? in->text_name : "");
}

/* The figures of a text that the tokeniser does not know say little: of the first such one. */
static void say_unknown(struct input *in, struct arena *a, const struct item *item)
{
    const struct tokens *tokens = &item->tokens;
    int count = in->told_unknown ? 0 : tok_unknown(in->s->tok, tokens), plain = 0;

    for (int i = 0; count > 0 && i < tokens->n; i++)
        plain += !tok_is_frame(tokens, i);
    if (count == 0 || count < (plain + 2) / 3)
        return;
    in->told_unknown = true;
    err_warn(in->s->env->warn, "%s: %d of %d token%s %s not in the vocabulary, and read "
             "as unknown%s", name_text(in, a, item), count, plain, str_plural(plain),
             count == 1 ? "is" : "are",
             in->source->is_file ? "; further texts are not named" : "");
}

/* At the end of a source: what it left out. */
static void say_blank(struct input *in)
{
    struct source *source = in->source;

    if (source->n_blank > 0)
        err_warn(in->s->env->note, "%s: %lld blank line%s left out; with --keep-empty each is a "
                 "text", source->name, (long long)source->n_blank,
                 source->n_blank == 1 ? " is" : "s are");
    source->n_blank = 0;
}

/* As it would be worked on. */
static int tell_passed(struct input *in, struct arena *a, struct item *item, struct err *e)
{
    if (session_generate(in->s, item, 1, a, e) != 0)
        return e->kind == ERR_INPUT ? 0 : -1;
    in->passed(in->passed_self, item);
    return 0;
}

static int next_text(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    for (;;) {
        struct arena_mark mark = arena_mark(a);
        int status = next_item(in, a, out, e);

        if (status == SOURCE_END && in->source->lines &&
            check_spare_masks(in->s, in->source->n, e) != 0)
            return -1;
        if (status == SOURCE_END) {
            in->n_bad += in->source->n_bad;
            say_blank(in);
        }
        if (status == SOURCE_TEXT && !out->passed && in->s->asked->stream == NULL)
            say_unknown(in, a, out);
        if (status != SOURCE_UNUSABLE && !out->passed)
            return status;
        if (status == SOURCE_FAILED)
            return -1;
        if (!out->passed)
            input_reject(in, out, e);
        else if (status == SOURCE_TEXT && tell_passed(in, a, out, e) != 0)
            return -1;
        arena_reset(a, mark);
    }
}

/* All texts, continued, as one.  Returns as input_next. */
static int next_mean(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    struct item *items = NULL;
    int n = 0, room = 0, status = 1;

    if (in->is_over)
        return 0;
    in->is_over = true;
    if (!is_file(in))
        return err_set(e, ERR_USAGE, "--average texts requires several texts: -f FILE");
    while (status == 1) {
        if (n == room) {
            struct item *more = arena_alloc(a, (uint64_t)(room = 2 * room + 16), sizeof *more);

            if (n > 0)
                memcpy(more, items, (size_t)n * sizeof *more);
            items = more;
        }
        status = next_text(in, a, &items[n], e);
        if (status == 1 && session_generate(in->s, &items[n++], 1, a, e) != 0)
            return -1;
    }
    if (status != 0 || n == 0)
        return status;
    return average_texts(in->s, a, items, n, in->source->name, out, e) == 0 ? 1 : -1;
}

int input_next(struct input *in, struct arena *a, struct item *out, struct err *e)
{
    return in->averages ? next_mean(in, a, out, e) : next_text(in, a, out, e);
}

int input_result(const struct input *in, int rc, struct err *e)
{
    if (rc != 0 || in->n_bad == 0)
        return rc;
    if (in->split != NULL)
        err_set(e, ERR_INPUT, "%s: %lld of its texts and their pieces could not be used",
                in->source->name, (long long)in->n_bad);
    else
        err_set(e, ERR_INPUT, "%s: %lld of %lld %s%s could not be used", in->source->name,
                (long long)in->n_bad, (long long)in->source->n, in->source->unit,
                str_plural(in->source->n));
    return err_because(e, &in->unheard);
}

int64_t input_count(const struct input *in)
{
    return in->source->n;
}

bool input_is_drawn(const struct input *in)
{
    return in->source->drawn;
}

int64_t input_count_bad(const struct input *in)
{
    return in->n_bad;
}

uint32_t input_crc(const struct input *in)
{
    return in->source->crc;
}

const char *input_name(const struct input *in)
{
    return in->source->name;
}

bool input_waits(const struct input *in)
{
    return in->source->waits != NULL && in->source->waits(in->source);
}

bool input_is_file(const struct input *in)
{
    return is_file(in) && !in->averages;
}

/* ---- how far it is ---- */

double input_share(const struct input *in)
{
    const struct source *source = in->source;

    return source->share != NULL ? source->share(source) :
                                   (double)in->n_taken / (double)source->n;
}

void input_begin(struct input *in)
{
    if (!in->source->is_file)
        return;
    in->share = 0;
    progress_begin(in->s->env->progress, in->source->lines ? "text" : "array",
                   in->source->lines ? 0 : in->source->n);
}

void input_work(struct input *in)
{
    if (in->source->is_file)
        progress_reach(in->s->env->progress, 0, in->share, input_share(in));
}

void input_worked(struct input *in, int n)
{
    if (!in->source->is_file)
        return;
    in->share = input_share(in);
    progress_reach(in->s->env->progress, n, in->share, in->share);
}

void input_end(struct input *in)
{
    if (in->source->is_file)
        progress_end(in->s->env->progress);
}

/* ---- in parts ---- */

void input_after_batches(struct input *in, int (*done)(void *self, struct err *e), void *self)
{
    in->done = done;
    in->done_self = self;
}

int input_batch_done(struct input *in, struct err *e)
{
    return in->done != NULL ? in->done(in->done_self, e) : 0;
}

int input_count_parts(const struct input *in)
{
    return in->split != NULL ? split_taken(in->split) : 0;
}

void input_tell_passed(struct input *in, void (*passed)(void *self, const struct item *item),
                       void *self)
{
    in->passed = passed;
    in->passed_self = self;
    in->source->others = true;
}

void input_report_ahead(struct input *in,
                        void (*write)(void *self, struct arena *a, const struct item *item,
                                      struct memory_file *to),
                        void *self)
{
    if (in->split == NULL && in->s->model == NULL)
        in->source->report = (struct report_ahead){ write, self };
}

/* Texts that were done are passed like those of other shards. */
static int pass_texts(struct input *in, int64_t n_lines, int n_parts, struct err *e)
{
    struct arena *a = in->s->a;
    struct arena_mark mark = arena_mark(a);
    int status = SOURCE_TEXT;

    while ((in->source->n < n_lines || input_count_parts(in) != n_parts) &&
           status != SOURCE_END) {
        struct item item;

        status = next_item(in, a, &item, e);
        if (status == SOURCE_FAILED ||
            (status == SOURCE_TEXT && tell_passed(in, a, &item, e) != 0))
            return -1;
        arena_reset(a, mark);
    }
    return source_skip(in->source, n_lines, e);
}

int input_skip(struct input *in, int64_t n_lines, int n_parts, int64_t n_bad, struct err *e)
{
    in->n_bad = n_bad;
    if (in->passed != NULL)
        return pass_texts(in, n_lines, n_parts, e);
    if (source_skip(in->source, n_lines - (n_parts > 0), e) != 0)
        return -1;
    return in->split != NULL ? split_skip(in->split, n_parts, e) : 0;
}

/* ---- one after another ---- */

int input_each(struct input *in,
               int (*fn)(void *self, struct arena *a, const struct item *item,
                         struct err *e),
               void *self, struct err *e)
{
    struct arena *a = in->s->a;
    struct arena_mark mark = arena_mark(a);
    struct item item;
    int status;

    input_begin(in);
    while ((status = input_next(in, a, &item, e)) == 1) {
        input_work(in);
        if ((session_generate(in->s, &item, 1, a, e) != 0 || fn(self, a, &item, e) != 0) &&
            input_fail(in, &item, e) != 0)
            return -1;
        if (in->s->model == NULL)
            progress_tokens(in->s->env->progress, item.tokens.n);
        input_worked(in, 1);
        arena_reset(a, mark);
        if (input_batch_done(in, e) != 0)
            return -1;
    }
    input_end(in);
    return status;
}
