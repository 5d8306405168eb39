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

static int n_tokens(const struct session *s, const struct item *item)
{
    return item->tokens.n + item->target.n + (item->open ? s->n_generate : 0);
}

/* Reads a batch; returns as input_next. */
static int batch_fill(struct batches *b, struct err *e)
{
    struct arena_mark mark = arena_mark(b->s->a);
    int all = 0, status;

    b->n = 0;
    do {
        status = input_next(b->in, b->s->a, &b->item[b->n], e);
        if (status == 1)
            all += n_tokens(b->s, &b->item[b->n++]);
    } while (status == 1 && b->n < BATCH_TEXTS && all < BATCH_TOKENS &&
             arena_since(b->s->a, mark) < BATCH_BYTES);
    return status;
}

/* Some of the texts in one pass. */
static int batch_run_texts(struct batches *b, struct item *items, int n, struct err *e)
{
    if (session_generate(b->s, items, n, b->s->a, e) != 0)
        return -1;
    return b->fn(b->self, b->s->a, items, n, e);
}

/* Finds the texts that cannot be run, one by one. */
static int run_singly(struct batches *b, struct item *items, int n, struct err *e)
{
    for (int i = 0; i < n; i++)
        if (batch_run_texts(b, &items[i], 1, e) != 0 && input_fail(b->in, &items[i], e) != 0)
            return -1;
    return 0;
}

static int run_together(struct batches *b, struct item *items, int n, struct err *e)
{
    if (n > 1) {
        if (batch_run_texts(b, items, n, e) == 0)
            return 0;
        if (e->kind != ERR_INPUT)
            return -1;
    }
    return run_singly(b, items, n, e);
}

/* In as many passes as --max-memory asks for. */
static int run_batch(struct batches *b, struct err *e)
{
    for (int i = 0, n; i < b->n; i += n) {
        struct arena_mark mark = arena_mark(b->s->a);

        n = input_fit(b->in, &b->item[i], b->n - i);
        if (run_together(b, &b->item[i], n, e) != 0)
            return -1;
        if (input_is_limited(b->in))
            arena_reset(b->s->a, mark);
    }
    return 0;
}

int input_batches(struct input *in, struct session *s,
                  int (*fn)(void *self, struct arena *a, const struct item *items, int n,
                            struct err *e),
                  void *self, struct err *e)
{
    struct batches batches = { .in = in, .s = s, .fn = fn, .self = self };
    struct arena_mark mark;
    int status;

    batches.item = arena_alloc(s->a, BATCH_TEXTS, sizeof *batches.item);
    mark = arena_mark(s->a);
    input_begin(in);
    do {
        status = batch_fill(&batches, e);
        input_work(in);
        if (status < 0 || run_batch(&batches, e) != 0)
            return -1;
        input_worked(in, batches.n);
        arena_reset(s->a, mark);
        if (input_batch_done(in, e) != 0)
            return -1;
    } while (status == 1);
    input_end(in);
    return 0;
}
