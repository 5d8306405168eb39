/* SPDX-License-Identifier: MIT
 * Texts in batches, so that a pass reads each weight once for several of them. */
#include "session/input.h"
#include "session/texts.h"

/* Bytes: of what tokenising leaves; texts that are mostly dropped are few tokens. */
enum { BATCH_TEXTS = 256, BATCH_TOKENS = 4096, BATCH_BYTES = 64 << 20 };

struct batches {
    struct input *in;
    struct session *s;
    int (*fn)(void *self, struct arena *a, const struct item *items, int n, struct err *e);
    void *self;
    struct item *item;          /* [BATCH_TEXTS] */
    int n;
};

static int n_tokens(const struct session *session, const struct item *item)
{
    return item->tokens.n + item->target.n + (item->open ? session->n_generate : 0);
}

/* Reads a batch; returns as input_next. */
static int batch_fill(struct batches *batches, struct err *e)
{
    struct arena_mark mark = arena_mark(batches->s->a);
    int all = 0, status;

    batches->n = 0;
    do {
        status = input_next(batches->in, batches->s->a, &batches->item[batches->n], e);
        if (status == 1)
            all += n_tokens(batches->s, &batches->item[batches->n++]);
    } while (status == 1 && batches->n < BATCH_TEXTS && all < BATCH_TOKENS &&
             arena_since(batches->s->a, mark) < BATCH_BYTES);
    return status;
}

/* Some of the texts in one pass. */
static int batch_run_texts(struct batches *batches, struct item *items, int n, struct err *e)
{
    if (session_generate(batches->s, items, n, batches->s->a, e) != 0)
        return -1;
    return batches->fn(batches->self, batches->s->a, items, n, e);
}

/* Finds the texts that cannot be run, one by one. */
static int run_singly(struct batches *batches, struct item *items, int n, struct err *e)
{
    for (int i = 0; i < n; i++)
        if (batch_run_texts(batches, &items[i], 1, e) != 0 &&
            input_fail(batches->in, &items[i], e) != 0)
            return -1;
    return 0;
}

static int run_together(struct batches *batches, struct item *items, int n, struct err *e)
{
    if (n > 1) {
        if (batch_run_texts(batches, items, n, e) == 0)
            return 0;
        if (e->kind != ERR_INPUT)
            return -1;
    }
    return run_singly(batches, items, n, e);
}

/* In as many passes as --max-memory asks for. */
static int run_batch(struct batches *batches, struct err *e)
{
    for (int i = 0, n; i < batches->n; i += n) {
        struct arena_mark mark = arena_mark(batches->s->a);

        n = input_fit(batches->in, &batches->item[i], batches->n - i);
        if (run_together(batches, &batches->item[i], n, e) != 0)
            return -1;
        if (input_is_limited(batches->in))
            arena_reset(batches->s->a, mark);
    }
    return 0;
}

int input_batches(struct input *input, struct session *session,
                  int (*fn)(void *self, struct arena *a, const struct item *items, int n,
                            struct err *e),
                  void *self, struct err *e)
{
    struct batches batches = { .in = input, .s = session, .fn = fn, .self = self };
    struct arena_mark mark;
    int status;

    batches.item = arena_alloc(session->a, BATCH_TEXTS, sizeof *batches.item);
    mark = arena_mark(session->a);
    input_begin(input);
    do {
        status = batch_fill(&batches, e);
        input_work(input);
        if (status < 0 || run_batch(&batches, e) != 0)
            return -1;
        input_worked(input, batches.n);
        arena_reset(session->a, mark);
        if (input_batch_done(input, e) != 0)
            return -1;
    } while (status == 1);
    input_end(input);
    return 0;
}
