/* SPDX-License-Identifier: MIT
 * Compiled patterns, and a text cut at their matches. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdatomic.h>
#include <string.h>

#include "text/onig.h"

/*
 * PCRE2 does not say what a search took.  So nearly all searches are short: they see a
 * window of the text, in which few steps are allowed at each place where a match may
 * begin.  Where that does not suffice (a place in front of a long run, or a pattern that
 * explodes) the place is tried again by a copy of the pattern that calls back at each of
 * its items, and what it did is counted.
 */
enum {
    FEW_STEPS = 32,
    WINDOW = 64,
    HEAP_LIMIT_KIB = 128 * 1024
};

/*
 * All patterns of a tokeniser, compiled; the copies that texts may need take about twice as
 * much again.  Real ones take a thousandth of it.
 */
enum { MOST_BYTES = 64 << 20, OVERHEAD = 4096 };

/* Compiled when the first text needs them, by whichever thread comes first. */
struct regex_later {
    _Atomic(pcre2_code *) windowed;     /* in texts whose end is not the text's */
    _Atomic(pcre2_code *) counted;      /* matches only where it is told to */
};

struct regex {
    pcre2_code *code;
    struct regex_later *later;
    bool whole;                     /* it asks where the search began: no windows */
    struct regex *next;
    const char *pattern;            /* as the file has it, for messages */
    const char *text;               /* as PCRE2 has it */
};

/* What matching needs besides the pattern; one a work. */
struct regex_run {
    pcre2_match_data *data;
    pcre2_match_context *few, *counted;
};

static void *regex_take(PCRE2_SIZE size, void *arena)
{
    return arena_alloc_raw(arena, size, 1);
}

static void regex_give(void *p, void *arena)
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

    *why = PCRE2_ERROR_NOMEMORY;
    if (c == NULL)
        return NULL;
    pcre2_set_newline(c, PCRE2_NEWLINE_LF);
    code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | options, why, &at, c);
    pcre2_compile_context_free(c);
    return code;
}

/* What the code takes counts against what all patterns of the tokeniser may. */
static int count_bytes(struct tok *tok, const pcre2_code *code, struct err *e)
{
    size_t plain = 0, jit = 0;

    pcre2_pattern_info(code, PCRE2_INFO_SIZE, &plain);
    pcre2_pattern_info(code, PCRE2_INFO_JITSIZE, &jit);
    tok->regex_bytes += OVERHEAD + plain + jit;
    return tok->regex_bytes <= MOST_BYTES ? 0 :
           err_set(e, ERR_INPUT, "patterns that take over %d MiB of memory when they are compiled, "
                   "all together", MOST_BYTES >> 20);
}

struct regex *regex_open(struct tok *tok, struct text pattern, struct err *e)
{
    struct regex *regex = arena_alloc(tok->a, 1, sizeof *regex);
    pcre2_general_context *g = pcre2_general_context_create(regex_take, regex_give, tok->a);
    const char *text = onig_translate(tok->a, pattern, e);
    PCRE2_UCHAR why[200];
    int code;

    if (text == NULL)
        return NULL;
    regex->pattern = arena_strndup(tok->a, pattern.s, pattern.n);
    regex->text = text;
    regex->code = compile(text, 0, g, &code);
    if (regex->code == NULL) {
        pcre2_get_error_message(code, why, sizeof why);
        err_set(e, ERR_INPUT, "pattern \"%.80s\": %s", regex->pattern, (char *)why);
        return NULL;
    }
    (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
    regex->later = arena_alloc(tok->a, 1, sizeof *regex->later);
    regex->whole = strstr(text, "\\G") != NULL;
    regex->next = tok->regexes;
    tok->regexes = regex;
    if (count_bytes(tok, regex->code, e) != 0)
        return NULL;
    return regex;
}

void regex_close(struct regex *first)
{
    for (struct regex *regex = first; regex != NULL; regex = regex->next) {
        pcre2_code_free(regex->code);
        pcre2_code_free(atomic_load(&regex->later->windowed));
        pcre2_code_free(atomic_load(&regex->later->counted));
    }
}

/* The code in its place, compiled if it is not there yet.  NULL: no memory. */
static const pcre2_code *code_of(_Atomic(pcre2_code *) *place, const struct regex *regex,
                                 uint32_t options, uint32_t jit)
{
    pcre2_code *code = atomic_load(place), *other = NULL;
    int why;

    if (code != NULL)
        return code;
    code = compile(regex->text, options, NULL, &why);
    if (code == NULL)
        return NULL;
    (void)pcre2_jit_compile(code, jit);
    if (atomic_compare_exchange_strong(place, &other, code))
        return code;
    pcre2_code_free(code);
    return other;
}

static struct regex_run *run_of(struct work *work)
{
    struct regex_run *run = work->regex;

    if (run == NULL) {
        pcre2_general_context *g = pcre2_general_context_create(regex_take, regex_give, work->a);

        run = work->regex = arena_alloc(work->a, 1, sizeof *run);
        run->data = pcre2_match_data_create(1, g);
        run->few = pcre2_match_context_create(g);
        run->counted = pcre2_match_context_create(g);
        pcre2_set_match_limit(run->few, FEW_STEPS);
        pcre2_set_match_limit(run->counted, UINT32_MAX);
        pcre2_set_heap_limit(run->few, HEAP_LIMIT_KIB);
        pcre2_set_heap_limit(run->counted, HEAP_LIMIT_KIB);
    }
    return run;
}

/* A search of one text; s was checked to be UTF-8. */
struct search {
    const struct regex *r;
    struct work *w;
    struct regex_run *run;
    const char *s;
    size_t n;
    size_t at;                      /* where the counted pattern was last */
};

/* As pcre2_match, of the text up to end. */
static int match(const struct search *k, const pcre2_code *code, size_t from, size_t end,
                 uint32_t options, pcre2_match_context *context)
{
    pcre2_match_data *data = k->run->data;
    int status;

    if (code == NULL)
        arena_fail(k->w->a, WINDOW);
    status = pcre2_jit_match(code, (PCRE2_SPTR)k->s, end, from, options, data, context);
    if (status == PCRE2_ERROR_JIT_STACKLIMIT ||     /* the interpreter has no stack */
        status == PCRE2_ERROR_JIT_BADOPTION)
        status = pcre2_match(code, (PCRE2_SPTR)k->s, end, from,
                             options | PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, context);
    return status;
}

static size_t next_place(const struct search *k, size_t at)
{
    int code;

    return at == k->n ? at + 1 : at + (size_t)chars_next(k->s + at, k->n - at, &code);
}

/* Bytes that the item compares without moving on: a group's, where it refers to one. */
static size_t compared(const struct regex *regex, const pcre2_callout_block *b)
{
    const char *item = regex->text + b->pattern_position;
    size_t most = 0;

    if (b->next_item_length < 2 || item[0] != '\\' || strchr("kg123456789", item[1]) == NULL)
        return 0;
    for (uint32_t i = 1; i < b->capture_top; i++) {
        PCRE2_SIZE start = b->offset_vector[2 * i], end = b->offset_vector[2 * i + 1];

        if (start != PCRE2_UNSET && end > start && end - start > most)
            most = end - start;
    }
    return most + b->capture_top;
}

/* Before each item of the counted pattern. */
static int regex_count(pcre2_callout_block *b, void *self)
{
    struct search *search = self;
    size_t at = b->current_position, was = search->at;
    size_t bytes = (at > was ? at - was : was - at) + compared(search->r, b);

    search->at = at;
    return budget_spend(search->w->budget, BUDGET_ITEM_OF_PATTERN + bytes / 4) ?
               0 : PCRE2_ERROR_CALLOUT;
}

/* The next place from *at on, before end or at the text's, that matches. */
static int match_counted(struct search *k, size_t *at, size_t end)
{
    const pcre2_code *code = code_of(&k->r->later->counted, k->r,
                                     PCRE2_ANCHORED | PCRE2_AUTO_CALLOUT,
                                     PCRE2_JIT_COMPLETE);
    int status = PCRE2_ERROR_NOMATCH;

    pcre2_set_callout(k->run->counted, regex_count, k);
    for (; *at < end || *at == k->n; *at = next_place(k, *at)) {
        k->at = *at;
        status = match(k, code, *at, k->n, 0, k->run->counted);
        if (status != PCRE2_ERROR_NOMATCH)
            break;
    }
    return status;
}

/* Behind so many bytes, of which more follow, and the character that they end in. */
static size_t window_end(const struct search *k, size_t from)
{
    size_t end = from + WINDOW;

    while (((unsigned char)k->s[end] & 0xc0) == 0x80)
        end++;
    return end;
}

/*
 * The first match that begins at *from or later, before the end of a window there; *from
 * is then where the next window begins, n + 1 behind the last.
 */
static int match_window(struct search *k, size_t *from)
{
    const PCRE2_SIZE *span = pcre2_get_ovector_pointer(k->run->data);
    bool last = k->r->whole || k->n - *from <= 2 * WINDOW;
    size_t begin = *from, end = last ? k->n : window_end(k, begin);
    const pcre2_code *code = last ? k->r->code :
        code_of(&k->r->later->windowed, k->r, 0, PCRE2_JIT_PARTIAL_HARD);
    int status = match(k, code, begin, end, last ? 0 : PCRE2_PARTIAL_HARD, k->run->few);

    *from = last ? k->n + 1 : end;
    if (status >= 0 && !last && span[0] >= end)         /* what follows may matter */
        status = PCRE2_ERROR_NOMATCH;
    if (status == PCRE2_ERROR_PARTIAL || status == PCRE2_ERROR_MATCHLIMIT) {
        if (status == PCRE2_ERROR_PARTIAL)              /* no place before matches */
            begin = span[0];
        status = match_counted(k, &begin, end);
    }
    end = status >= 0 && span[1] > begin ? span[1] : end;
    return budget_spend(k->w->budget, BUDGET_BYTE_OF_PATTERN * (end - begin + 1)) ?
               status : PCRE2_ERROR_CALLOUT;
}

/* 1: found, 0: not, -1: error. */
static int regex_find(struct search *k, size_t from, struct err *e)
{
    PCRE2_UCHAR why[200] = "it takes too much work";
    int status = PCRE2_ERROR_NOMATCH;

    while (status == PCRE2_ERROR_NOMATCH && from <= k->n)
        status = match_window(k, &from);
    if (status >= 0)
        return 1;
    if (status == PCRE2_ERROR_NOMATCH)
        return 0;
    if (status == PCRE2_ERROR_NOMEMORY)
        arena_fail(k->w->a, 0);
    if (status != PCRE2_ERROR_CALLOUT)
        pcre2_get_error_message(status, why, sizeof why);
    k->w->too_much = true;
    return err_set(e, ERR_INPUT, "%s: pattern \"%.80s\" gives up on this text: %s",
                   k->w->step, k->r->pattern, (char *)why);
}

static int regex_cut(struct search *k, struct work *work, struct cuts *cuts, struct err *e)
{
    const PCRE2_SIZE *span = pcre2_get_ovector_pointer(k->run->data);
    size_t at = 0, done = 0;            /* done: the end of the last match */
    bool any = false;

    while (at <= k->n && k->n > 0) {
        int found = regex_find(k, at, e);

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
            fragment_cuts_add(work, cuts, done, span[0], false);
        fragment_cuts_add(work, cuts, span[0], span[1], true);
        at = done = span[1];
        any = true;
    }
    if (done < k->n)
        fragment_cuts_add(work, cuts, done, k->n, false);
    return 0;
}

int regex_cuts(const struct regex *regex, struct work *work, const char *s, size_t n,
               struct cuts *cuts, struct err *e)
{
    struct search search = { .r = regex, .w = work, .run = run_of(work), .s = s, .n = n };

    return regex_cut(&search, work, cuts, e);
}
