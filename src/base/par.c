/* SPDX-License-Identifier: MIT
 * A pool that sleeps between jobs; each job's indices are taken one by one. */
#include "base/par.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/signals.h"
#include "base/str.h"
#include "base/system.h"

/* Of a thread that is not the caller's: far above what any fn needs. */
enum { STACK_BYTES = 1 << 20 };

/* The addresses that it takes besides: glibc's malloc reserves them at its first call. */
enum { HEAP_BYTES = 64 << 20 };

/* What it writes of them, about: most threads need less. */
enum { WRITTEN_BYTES = 4 << 20 };

enum { REASONS = 8 };       /* of being slower: more than there are */

struct worker {
    struct par *par;
    pthread_t thread;
    struct arena scratch;
    jmp_buf border;             /* where work() goes on when scratch is full */
};

struct par {
    int n_threads;
    struct worker *worker;          /* [n_threads]; 0 is the caller */
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    unsigned job;                   /* counts up with each par_for */
    int running;                    /* workers that still work on it */
    bool quit;
    int n;
    void (*fn)(void *self, int i, struct arena *scratch);
    void *self;
    atomic_int next;
    atomic_bool leaving;            /* as the caller's progress says, for the other threads */
    atomic_size_t lacking;          /* bytes that a scratch could not give; 0: none */
    struct arena like;              /* whose handler hears of them; has no memory */
    struct progress *progress;      /* of the caller; NULL: nobody shows it */
    struct meter *meter;            /* the same; NULL: nobody measures */
    const struct warn *note;        /* who hears why it is slower; NULL: nobody */
    const char *why[REASONS];       /* that were given; NULL: no more */
    int n_asked;                    /* threads */
};

/* The full of every scratch arena. */
static void par_leave(void *self, size_t size_bytes)
{
    struct worker *w = self;

    atomic_store(&w->par->lacking, size_bytes > 0 ? size_bytes : 1);
    longjmp(w->border, 1);
}

static void leave_early(struct par *p)
{
    atomic_store(&p->leaving, true);
    atomic_store(&p->next, p->n);
}

/* progress: NULL on threads that are not the caller's. */
static void take_all(struct par *p, struct arena *scratch, const struct progress *progress)
{
    int i;

    while ((i = atomic_fetch_add(&p->next, 1)) < p->n) {
        struct arena_mark mark = arena_mark(scratch);

        p->fn(p->self, i, scratch);
        arena_reset(scratch, mark);
        progress_tick(progress);
        if (progress != NULL && progress->leaving)
            leave_early(p);
    }
}

static void work(struct worker *w)
{
    if (setjmp(w->border) == 0) {
        take_all(w->par, &w->scratch, w == w->par->worker ? w->par->progress : NULL);
        return;
    }
    atomic_store(&w->par->next, w->par->n);
    arena_reset(&w->scratch, (struct arena_mark){ 0 });
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct par *p = w->par;
    unsigned seen = 0;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->job == seen && !p->quit)
            pthread_cond_wait(&p->start, &p->lock);
        if (p->quit)
            break;
        seen = p->job;
        pthread_mutex_unlock(&p->lock);
        work(w);
        pthread_mutex_lock(&p->lock);
        if (--p->running == 0)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Where memory is limited, threads leave half of what is free to the work itself. */
static int threads_that_fit(int n_threads)
{
    double addresses = system_free_addresses() / 2 / (STACK_BYTES + HEAP_BYTES);
    double data = system_free_data() / 2 / (STACK_BYTES + WRITTEN_BYTES);
    double fit = 1 + floor(fmin(addresses, data));

    return fit < n_threads ? (int)fit : n_threads;
}

static bool par_start(struct worker *w)
{
    pthread_attr_t attr;
    int status;

    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    status = pthread_create(&w->thread, &attr, worker_main, w);
    pthread_attr_destroy(&attr);
    return status == 0;
}

/* Signals are for the thread that started the others. */
static void start_all(struct par *p)
{
    int n = threads_that_fit(p->n_asked);
    sigset_t before;

    signals_hold(&before);
    for (p->n_threads = 0; p->n_threads < n; p->n_threads++) {
        struct worker *w = &p->worker[p->n_threads];

        w->par = p;
        arena_init(&w->scratch, par_leave, w);
        if (p->n_threads > 0 && !par_start(w)) {
            arena_finish(&w->scratch);
            break;
        }
    }
    signals_let(&before);
}

struct par *par_new(int n_threads, struct err *e)
{
    struct par *p = calloc(1, sizeof *p);

    if (p != NULL)
        p->worker = calloc((size_t)n_threads, sizeof *p->worker);
    if (p == NULL || p->worker == NULL) {
        free(p);
        err_set(e, ERR_SYSTEM, "no memory for %d thread%s", n_threads, str_plural(n_threads));
        return NULL;
    }
    p->n_asked = n_threads;
    arena_init(&p->like, NULL, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->done, NULL);
    start_all(p);
    return p;
}

void par_free(struct par *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->n_threads; i++) {
        if (i > 0)
            pthread_join(p->worker[i].thread, NULL);
        arena_finish(&p->worker[i].scratch);
    }
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->start);
    pthread_cond_destroy(&p->done);
    free(p->worker);
    free(p);
}

void par_on_full(struct par *p, const struct arena *like)
{
    arena_init(&p->like, like->full, like->self);
}

void par_explain(struct par *p, const struct warn *note)
{
    p->note = note;
    if (p->n_threads < p->n_asked)
        err_warn(note, "threads: %d of %d could be started: slower, with the same results",
                 p->n_threads, p->n_asked);
}

void par_slower(struct par *p, const char *why)
{
    int n = 0;

    for (; n < REASONS && p->why[n] != NULL; n++)
        if (p->why[n] == why)
            return;
    if (n == REASONS)
        return;
    p->why[n] = why;
    err_warn(p->note, "%s: slower, with the same results", why);
}

void par_tell(struct par *p, struct progress *progress)
{
    p->progress = progress;
}

struct progress *par_progress(const struct par *p)
{
    return p->progress;
}

void par_measure(struct par *p, struct meter *meter)
{
    p->meter = meter;
}

struct meter *par_meter(const struct par *p)
{
    return p->meter;
}

int par_threads(const struct par *p)
{
    return p->n_threads;
}

int par_default_threads(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

/* Waking a thread costs more than one item is worth. */
static void work_on_all(struct par *p)
{
    bool alone = p->n_threads == 1 || p->n <= 1;

    if (!alone) {
        pthread_mutex_lock(&p->lock);
        p->job++;
        p->running = p->n_threads - 1;
        pthread_cond_broadcast(&p->start);
        pthread_mutex_unlock(&p->lock);
    }
    work(&p->worker[0]);
    if (alone)
        return;
    pthread_mutex_lock(&p->lock);
    while (p->running > 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void set_busy(const struct par *p, bool busy)
{
    if (p->progress != NULL)
        p->progress->busy = busy;
}

void par_for(struct par *p, int n,
             void (*fn)(void *self, int i, struct arena *scratch), void *self)
{
    size_t lacking;

    p->n = n;
    p->fn = fn;
    p->self = self;
    atomic_store(&p->next, 0);
    atomic_store(&p->leaving, false);
    set_busy(p, true);
    work_on_all(p);
    set_busy(p, false);
    lacking = atomic_exchange(&p->lacking, 0);
    if (lacking > 0)
        arena_fail(&p->like, lacking);
    if (p->progress != NULL && p->progress->leaving)
        progress_tick(p->progress);
}

bool par_leaves(struct par *p, const struct arena *scratch)
{
    if (scratch == &p->worker[0].scratch && p->progress != NULL) {
        progress_tick(p->progress);
        if (p->progress->leaving)
            leave_early(p);
    }
    return atomic_load(&p->leaving);
}
