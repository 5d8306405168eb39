/* SPDX-License-Identifier: MIT
 * Compiled patterns, and a text cut at their matches. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "text/onig.h"

enum {
    MATCH_LIMIT = 10000000,         /* PCRE2's own default, made sure of */
    HEAP_LIMIT_KIB = 128 * 1024
};

struct regex {
    pcre2_code *code;
    bool jit;
    struct regex *next;
    const char *pattern;            /* as the file has it, for messages */
};

/* What matching needs besides the pattern; one a work. */
struct regex_run {
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

struct regex *regex_open(struct tok *t, struct text pattern, struct err *e)
{
    struct regex *r = arena_alloc(t->a, 1, sizeof *r);
    pcre2_general_context *g = pcre2_general_context_create(take, give, t->a);
    pcre2_compile_context *c = pcre2_compile_context_create(g);
    const char *text = onig_translate(t->a, pattern, e);
    PCRE2_UCHAR why[200];
    PCRE2_SIZE at;
    int code;

    if (text == NULL)
        return NULL;
    r->pattern = arena_strndup(t->a, pattern.s, pattern.n);
    pcre2_set_newline(c, PCRE2_NEWLINE_LF);
    r->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                            PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &code, &at, c);
    if (r->code == NULL) {
        pcre2_get_error_message(code, why, sizeof why);
        err_set(e, ERR_INPUT, "pattern \"%.80s\": %s", r->pattern, (char *)why);
        return NULL;
    }
    r->jit = pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE) == 0;
    r->next = t->regexes;
    t->regexes = r;
    return r;
}

void regex_close(struct regex *first)
{
    for (struct regex *r = first; r != NULL; r = r->next)
        pcre2_code_free(r->code);
}

static struct regex_run *run_of(struct work *w)
{
    struct regex_run *run = w->regex;

    if (run == NULL) {
        pcre2_general_context *g = pcre2_general_context_create(take, give, w->a);

        run = w->regex = arena_alloc(w->a, 1, sizeof *run);
        run->data = pcre2_match_data_create(1, g);
        run->context = pcre2_match_context_create(g);
        pcre2_set_match_limit(run->context, MATCH_LIMIT);
        pcre2_set_heap_limit(run->context, HEAP_LIMIT_KIB);
    }
    return run;
}

/* 1: found, 0: not, -1: error.  s was checked to be UTF-8. */
static int find(const struct regex *r, struct regex_run *run, const char *s, size_t n,
                size_t from, struct err *e)
{
    PCRE2_UCHAR why[200];
    int rc = PCRE2_ERROR_JIT_STACKLIMIT;

    if (r->jit)
        rc = pcre2_jit_match(r->code, (PCRE2_SPTR)s, n, from, 0, run->data,
                             run->context);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)       /* the interpreter has no stack */
        rc = pcre2_match(r->code, (PCRE2_SPTR)s, n, from,
                         PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, run->data, run->context);
    if (rc >= 0)
        return 1;
    if (rc == PCRE2_ERROR_NOMATCH)
        return 0;
    pcre2_get_error_message(rc, why, sizeof why);
    return err_set(e, ERR_INPUT, "pattern \"%.80s\" gives up on this text: %s",
                   r->pattern, (char *)why);
}

int regex_cuts(const struct regex *r, struct work *w, const char *s, size_t n,
               struct cuts *c, struct err *e)
{
    struct regex_run *run = run_of(w);
    const PCRE2_SIZE *span = pcre2_get_ovector_pointer(run->data);
    size_t at = 0, done = 0;            /* done: the end of the last match */
    bool any = false;

    while (at <= n && n > 0) {
        int cp, found = find(r, run, s, n, at, e);

        if (found < 0)
            return -1;
        if (found == 0)
            break;
        if (span[0] < done || span[1] < span[0])
            return err_set(e, ERR_INPUT, "pattern \"%.80s\" matches backwards",
                           r->pattern);
        if (span[0] == span[1] && any && span[0] == done) {
            /* Nothing, right behind a match: go on one character later. */
            if (at == n)
                break;
            at += (size_t)char_next(s + at, n - at, &cp);
            continue;
        }
        if (done < span[0])
            cuts_add(w, c, done, span[0], false);
        cuts_add(w, c, span[0], span[1], true);
        at = done = span[1];
        any = true;
    }
    if (done < n)
        cuts_add(w, c, done, n, false);
    return 0;
}
