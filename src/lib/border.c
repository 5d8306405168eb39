/* SPDX-License-Identifier: MIT
 * Errors, lack of memory and stopped runs -> a status of the public functions. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/lib.h"

enum { RAN = 0, NO_MEMORY, STOPPED };

enum mhaviz_status border_say(struct mhaviz_error *error, enum mhaviz_status status,
                              const char *message)
{
    if (error != NULL) {
        error->status = status;
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

static void full(void *self, size_t size_bytes)
{
    struct border *border = self;

    border->lacking = size_bytes;
    longjmp(border->back, NO_MEMORY);
}

void border_arena(struct border *border, struct arena *a)
{
    arena_init(a, full, border);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The caller is told when something is done, and often besides; the run is left only when no
 * thread is at work, which is soon. */
static void border_tell(void *self, const struct progress *progress)
{
    enum { PAUSE_NS = 20000000 };
    struct border *border = self;
    int n = progress->n < PROGRESS_LEVELS ? progress->n : PROGRESS_LEVELS;
    const struct progress_level *level = &progress->level[n > 0 ? n - 1 : 0];
    int64_t now = now_ns();

    if (border->watch != NULL && !border->stopped && n > 0 &&
        (!progress->busy || now - border->told_ns >= PAUSE_NS)) {
        const struct mhaviz_progress told = { sizeof told, level->unit, level->done,
                                              level->total, progress_share(progress),
                                              progress->n_tokens };

        border->told_ns = now;
        if (border->watch(border->watch_self, &told) != 0)
            border->stopped = true;
    }
    border->progress.leaving = border->stopped;
    if (border->stopped && !progress->busy)
        border_stop(border);
}

void border_watch(struct border *border, const struct mhaviz_model *model,
                  const struct mhaviz_model *second)
{
    border->progress = (struct progress){ .tell = border_tell, .self = border };
    border->watch = model->watch;
    border->watch_self = model->watch_self;
    border->watched[0] = model;
    border->watched[1] = second;
    for (int i = 0; i < HANDED_MOST && border->watched[i] != NULL; i++)
        par_tell(border->watched[i]->session.par, &border->progress);
}

static void watch_no_more(const struct border *border)
{
    for (int i = 0; i < HANDED_MOST && border->watched[i] != NULL; i++)
        par_tell(border->watched[i]->session.par, NULL);
}

_Noreturn void border_stop(struct border *border)
{
    longjmp(border->back, STOPPED);
}

/* A comparison that found a difference cannot come from here. */
static enum mhaviz_status status_of(const struct err *e)
{
    return e->kind == ERR_USAGE ? MHAVIZ_USAGE :
           e->kind == ERR_INPUT ? MHAVIZ_INPUT : MHAVIZ_SYSTEM;
}

static enum mhaviz_status say_full(struct mhaviz_error *error, size_t lacking)
{
    struct err e;

    if (lacking > 0)
        err_set(&e, ERR_SYSTEM, "out of memory: needed %zu more bytes", lacking);
    else                            /* of a library, which does not say how much */
        err_set(&e, ERR_SYSTEM, "out of memory");
    return border_say(error, MHAVIZ_SYSTEM, e.msg);
}

enum mhaviz_status border_run(int (*fn)(void *self, struct border *border, struct err *e),
                              void *self, struct mhaviz_error *error)
{
    struct err e = { ERR_NONE, "" };
    enum mhaviz_status status;
    struct border border = { .lacking = 0 };

    border_arena(&border, &border.call);
    switch (setjmp(border.back)) {
    case RAN:
        status = fn(self, &border, &e) == 0 ? border_say(error, MHAVIZ_OK, "") :
                 border_say(error, status_of(&e), e.msg);
        break;
    case STOPPED:
        status = border_say(error, MHAVIZ_STOPPED, "stopped by the callback");
        break;
    default:
        status = say_full(error, border.lacking);
    }
    watch_no_more(&border);
    arena_finish(&border.call);
    return status;
}

enum mhaviz_status border_missing(struct mhaviz_error *error, const char *what)
{
    struct err e;

    err_set(&e, ERR_USAGE, "%s: is NULL", what);
    return border_say(error, MHAVIZ_USAGE, e.msg);
}

enum mhaviz_status border_closed(struct mhaviz_error *error, const char *what)
{
    struct err e;

    err_set(&e, ERR_USAGE, "%s: is NULL, or a handle that was closed", what);
    return border_say(error, MHAVIZ_USAGE, e.msg);
}
