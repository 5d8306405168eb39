/* SPDX-License-Identifier: MIT
 * Lines of a file of texts -> their tokens and reports, in advance, by all threads at once. */
#include "session/source/ahead.h"

#include <stdlib.h>

#include "session/encode.h"
#include "session/source/line.h"

/* Of each thread, at a time: enough for waking it, few enough to stay in its cache. */
enum { LINES = 32, LINES_AT_FIRST = 2, LINE_BYTES = 1 << 16 };

/* The most of one text's tokens. */
enum { TOKENS_BYTES = 4 << 20 };

struct ahead {
    const struct session *s;
    struct arena *held;         /* the lines */
    struct ahead_line *line;    /* [n_most * threads] */
    int n_most;                 /* for each thread: few at first, as a command may read few */
    int n, at;                  /* lines; those that were taken */
    size_t size;                /* bytes of them */
    struct budget part;         /* of each */
    struct report_ahead report;
};

static void ahead_drop(struct ahead_line *line)
{
    memory_file_drop(&line->report);
    free(line->block);
    line->block = NULL;
}

static void drop_all(void *what)
{
    struct ahead *ahead = what;

    for (int i = 0; i < ahead->n; i++)
        ahead_drop(&ahead->line[i]);
    ahead->n = 0;
}

struct ahead *ahead_new(const struct session *session)
{
    struct ahead *ahead = arena_alloc(session->a, 1, sizeof *ahead);
    uint64_t n_threads = (uint64_t)par_threads(session->par);

    *ahead = (struct ahead){
        .s = session, .n_most = LINES_AT_FIRST, .held = arena_child(session->a),
        .line = arena_alloc(session->a, LINES * n_threads, sizeof *ahead->line),
    };
    arena_own(session->a, drop_all, ahead);
    return ahead;
}

void ahead_begin(struct ahead *ahead)
{
    if (ahead->n > 0 && ahead->n_most < LINES)
        ahead->n_most *= 2;
    drop_all(ahead);
    arena_reset(ahead->held, (struct arena_mark){ 0 });
    ahead->at = 0;
    ahead->size = 0;
}

bool ahead_add(struct ahead *ahead, const char *line, size_t size, int64_t index, bool given)
{
    int n_threads = par_threads(ahead->s->par);
    size_t most = LINE_BYTES * (size_t)n_threads;
    bool more = size < most - ahead->size && ahead->n + 1 < ahead->n_most * n_threads;

    ahead->line[ahead->n++] = (struct ahead_line){
        .line = more ? arena_strndup(ahead->held, line, size) : line, .size = size,
        .index = index, .given = given && size < most,
    };
    ahead->size += size;
    return more;
}

/* Unless there are too many of them, or no memory. */
static void keep_tokens(struct ahead_line *line, const struct tokens *tokens)
{
    size_t size = tok_packed(tokens);

    line->block = size <= TOKENS_BYTES ? malloc(size) : NULL;
    if (line->block != NULL)
        tok_pack(line->block, tokens, &line->tokens);
}

/* Nothing of this is told: what fails fails again when it is asked for. */
static void tokenise(void *self, int i, struct arena *scratch)
{
    const struct ahead *ahead = self;
    const struct session *s = ahead->s;
    struct ahead_line *line = &ahead->line[i];
    struct item item = { .index = line->index, .text = "", .of_several = true };
    struct err e;
    bool done;

    if (!line->given || line_read(s, scratch, line->line, line->size, &item, &done, &e) != 0 ||
        item.blank)
        return;
    line->budget = ahead->part;
    if (!done && encode_text_within(s, &line->budget, scratch, &item, &e) != 0)
        return;
    if (!done)
        keep_tokens(line, &item.tokens);
    if (ahead->report.write != NULL && (done || line->block != NULL))
        ahead->report.write(ahead->report.self, scratch, &item, &line->report);
}

void ahead_run(struct ahead *ahead, const struct report_ahead *report)
{
    const struct session *s = ahead->s;
    int before;

    if (ahead->n <= 1)
        return;
    before = meter_enter(s->env->meter, METER_TOKENS);
    ahead->part = budget_part(s->budget, ahead->n);
    ahead->report = *report;
    par_for(s->par, ahead->n, tokenise, ahead);
    meter_leave(s->env->meter, before);
}

bool ahead_has(const struct ahead *ahead)
{
    return ahead->at < ahead->n;
}

struct ahead_line *ahead_take(struct ahead *ahead)
{
    return ahead_has(ahead) ? &ahead->line[ahead->at++] : NULL;
}

bool ahead_tokens(struct ahead_line *line, struct budget *budget, struct arena *a,
                  struct item *out)
{
    if (line->block == NULL || !budget_take(budget, &line->budget))
        return false;
    tok_pack(arena_alloc_raw(a, tok_packed(&line->tokens), 1), &line->tokens, &out->tokens);
    free(line->block);
    line->block = NULL;
    return true;
}
