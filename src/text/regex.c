/* SPDX-License-Identifier: MIT
 * Compiled patterns, and a text cut at their matches. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "text/onig.h"

/*
 * PCRE2 counts the steps of each place where a match may begin, so that a pattern that
 * explodes could take a second at every character of a text.  Few places take many
 * steps in a text that was not made for it: those in front of very long runs.
 */
enum {
    FEW_STEPS = 20000,
    MOST_STEPS = 10000000,
    HARD_PLACES = 64,               /* that take more than FEW_STEPS, in any text … */
    BYTES_A_PLACE = FEW_STEPS / 16, /* … and one more for so many bytes */
    HEAP_LIMIT_KIB = 128 * 1024
};

struct regex {
    pcre2_code *code;
    bool jit;
    struct regex *next;
    const char *pattern;            /* as the file has it, for messages */
    const char *text;               /* as PCRE2 has it */
};

/* What matching needs besides the pattern; one a work. */
struct regex_run {
    pcre2_general_context *general;     /* memory of the work */
    size_t n_hard, most_hard;           /* places of the work, by all its patterns */
    pcre2_match_data *data;
    pcre2_match_context *context;
};

static void *take(PCRE2_SIZE size, void *arena)
{
    return arena_alloc_raw(arena, size, 1);
}

static void give(void *p, void *arena)
{
    (void)p;
    (void)arena;
}

static pcre2_code *compile(const char *text, uint32_t options, pcre2_general_context *g,
                           int *why)
{
    pcre2_compile_context *c = pcre2_compile_context_create(g);
    pcre2_code *code;
    PCRE2_SIZE at;

    pcre2_set_newline(c, PCRE2_NEWLINE_LF);
    code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | options, why, &at, c);
    pcre2_compile_context_free(c);
    return code;
}

struct regex *regex_open(struct tok *t, struct text pattern, struct err *e)
{
    struct regex *regex = arena_alloc(t->a, 1, sizeof *regex);
    pcre2_general_context *g = pcre2_general_context_create(take, give, t->a);
    const char *text = onig_translate(t->a, pattern, e);
    PCRE2_UCHAR why[200];
    int code;

    if (text == NULL)
        return NULL;
    regex->pattern = arena_strndup(t->a, pattern.s, pattern.n);
    regex->text = text;
    regex->code = compile(text, 0, g, &code);
    if (regex->code == NULL) {
        pcre2_get_error_message(code, why, sizeof why);
        err_set(e, ERR_INPUT, "pattern \"%.80s\": %s", regex->pattern, (char *)why);
        return NULL;
    }
    regex->jit = pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE) == 0;
    regex->next = t->regexes;
    t->regexes = regex;
    return regex;
}

void regex_close(struct regex *first)
{
    for (struct regex *regex = first; regex != NULL; regex = regex->next)
        pcre2_code_free(regex->code);
}

static struct regex_run *run_of(struct work *w)
{
    struct regex_run *run = w->regex;

    if (run == NULL) {
        pcre2_general_context *g = pcre2_general_context_create(take, give, w->a);

        run = w->regex = arena_alloc(w->a, 1, sizeof *run);
        run->general = g;
        run->most_hard = HARD_PLACES + w->size / BYTES_A_PLACE;
        run->data = pcre2_match_data_create(1, g);
        run->context = pcre2_match_context_create(g);
        pcre2_set_heap_limit(run->context, HEAP_LIMIT_KIB);
    }
    return run;
}

/* A search of one text; s was checked to be UTF-8. */
struct search {
    const struct regex *r;
    struct regex_run *run;
    const char *s;
    size_t n;
    pcre2_code *here;               /* matches only where it is told to; NULL: not yet */
};

/* As pcre2_match. */
static int match(const struct search *k, const pcre2_code *code, size_t from,
                 uint32_t steps)
{
    struct regex_run *run = k->run;
    int status = PCRE2_ERROR_JIT_STACKLIMIT;

    pcre2_set_match_limit(run->context, steps);
    if (k->r->jit)
        status = pcre2_jit_match(code, (PCRE2_SPTR)k->s, k->n, from, 0, run->data,
                                 run->context);
    if (status == PCRE2_ERROR_JIT_STACKLIMIT)       /* the interpreter has no stack */
        status = pcre2_match(code, (PCRE2_SPTR)k->s, k->n, from,
                             PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, run->data, run->context);
    return status;
}

static size_t next_place(const struct search *k, size_t at)
{
    int code;

    return at == k->n ? at + 1 : at + (size_t)chars_next(k->s + at, k->n - at, &code);
}

/* The next place from *at on that takes many steps, or matches; what is there. */
static int match_hard(struct search *k, size_t *at)
{
    int code;

    if (k->here == NULL) {
        k->here = compile(k->r->text, PCRE2_ANCHORED, k->run->general, &code);
        if (k->here == NULL)
            return code;
        if (k->r->jit && pcre2_jit_compile(k->here, PCRE2_JIT_COMPLETE) != 0)
            return PCRE2_ERROR_NOMEMORY;
    }
    for (; *at <= k->n; *at = next_place(k, *at)) {
        int status = match(k, k->here, *at, FEW_STEPS);

        if (status == PCRE2_ERROR_MATCHLIMIT)
            return k->run->n_hard++ < k->run->most_hard
                ? match(k, k->here, *at, MOST_STEPS) : status;
        if (status != PCRE2_ERROR_NOMATCH)
            return status;
    }
    return PCRE2_ERROR_NOMATCH;
}

/* 1: found, 0: not, -1: error. */
static int find(struct search *k, size_t from, struct err *e)
{
    PCRE2_UCHAR why[200];
    int status = PCRE2_ERROR_NOMATCH;

    while (status == PCRE2_ERROR_NOMATCH && from <= k->n) {
        status = match(k, k->r->code, from, FEW_STEPS);
        if (status == PCRE2_ERROR_NOMATCH)
            return 0;
        if (status == PCRE2_ERROR_MATCHLIMIT) {
            status = match_hard(k, &from);
            from = next_place(k, from < k->n ? from : k->n);
        }
    }
    if (status >= 0)
        return 1;
    if (status == PCRE2_ERROR_NOMATCH)
        return 0;
    pcre2_get_error_message(status, why, sizeof why);
    return err_set(e, ERR_INPUT, "pattern \"%.80s\" gives up on this text: %s",
                   k->r->pattern, (char *)why);
}

static int cut(struct search *k, struct work *w, struct cuts *c, struct err *e)
{
    const PCRE2_SIZE *span = pcre2_get_ovector_pointer(k->run->data);
    size_t at = 0, done = 0;            /* done: the end of the last match */
    bool any = false;

    while (at <= k->n && k->n > 0) {
        int found = find(k, at, e);

        if (found < 0)
            return -1;
        if (found == 0)
            break;
        if (span[0] < done || span[1] < span[0])
            return err_set(e, ERR_INPUT, "pattern \"%.80s\" matches backwards",
                           k->r->pattern);
        if (span[0] == span[1] && any && span[0] == done) {
            /* Nothing, right after a match: go on one character later. */
            at = next_place(k, at);
            continue;
        }
        if (done < span[0])
            part_cuts_add(w, c, done, span[0], false);
        part_cuts_add(w, c, span[0], span[1], true);
        at = done = span[1];
        any = true;
    }
    if (done < k->n)
        part_cuts_add(w, c, done, k->n, false);
    return 0;
}

int regex_cuts(const struct regex *r, struct work *w, const char *s, size_t n,
               struct cuts *c, struct err *e)
{
    struct search search = { .r = r, .run = run_of(w), .s = s, .n = n };
    int status = cut(&search, w, c, e);

    pcre2_code_free(search.here);
    return status;
}
