/* SPDX-License-Identifier: MIT
 * Rows of attention -> calls of the caller's callback. */
#include <pthread.h>

#include "lib/lib.h"
#include "session/texts.h"

struct running {
    struct mhaviz_model *model;
    const struct mhaviz_text *text;
    struct mhaviz_selection selection;
    int (*take)(void *self, const struct mhaviz_rows *rows);
    void *self;
    struct border *border;
    pthread_mutex_t lock;           /* one call at a time */
};

static void lib_rows_take(void *self, const struct rows *r, int n)
{
    struct running *run = self;
    const struct mhaviz_rows rows = {
        .struct_size = sizeof rows, .stack = (enum mhaviz_stack)r->stack, .layer = r->layer,
        .head = r->head, .first_row = r->row0, .n_rows = r->n_rows, .first_key = r->key0,
        .n_keys = r->n_keys, .stride = r->stride, .weights = r->weight,
        .n_all_rows = r->n_queries, .n_all_keys = r->n_all_keys,
    };

    (void)n;
    pthread_mutex_lock(&run->lock);
    if (!run->border->stopped && run->take(run->self, &rows) != 0)
        run->border->stopped = true;
    pthread_mutex_unlock(&run->lock);
}

/* Rows that a file holds are read without a word. */
static void layer_done(void *self, int text, int layer)
{
    struct running *run = self;

    (void)text, (void)layer;
    if (run->border->stopped)
        border_stop(run->border);
}

static int lib_rows_run(void *self, struct border *border, struct err *e)
{
    struct running *run = self;
    const struct sink sink = { SINK_HEAD, lib_rows_take, layer_done, run };
    struct texts texts;
    struct call call;

    run->border = border;
    if (call_begin(&call, border, run->model, run->text, &run->selection, true, e) != 0)
        return -1;
    texts_pack(&texts, &border->call, call.item, 1);
    return session_forward(&call.session, &texts, &call.want, &sink, 1, &border->call, e);
}

enum mhaviz_status mhaviz_run(struct mhaviz_model *model, const struct mhaviz_text *text,
                              const struct mhaviz_selection *selection,
                              int (*take)(void *self, const struct mhaviz_rows *rows),
                              void *self, struct mhaviz_error *error)
{
    struct running job = { .model = model, .text = text, .take = take, .self = self };
    enum mhaviz_status status;
    struct err e;

    if (model == NULL || text == NULL)
        return border_closed(error, model == NULL ? "model" : "text");
    if (take == NULL)
        return border_missing(error, "take");
    if (sized_take_selection(&job.selection, selection, &e) != 0)
        return border_say(error, MHAVIZ_USAGE, e.msg);
    pthread_mutex_init(&job.lock, NULL);
    status = border_run(lib_rows_run, &job, error);
    pthread_mutex_destroy(&job.lock);
    return status;
}
