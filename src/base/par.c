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

static void leave_early(struct par *par)
{
    atomic_store(&par->leaving, true);
    atomic_store(&par->next, par->n);
}

/* progress: NULL on threads that are not the caller's. */
static void take_all(struct par *par, struct arena *scratch, const struct progress *progress)
{
    int i;

    while ((i = atomic_fetch_add(&par->next, 1)) < par->n) {
        struct arena_mark mark = arena_mark(scratch);

        par->fn(par->self, i, scratch);
        arena_reset(scratch, mark);
        progress_tick(progress);
        if (progress != NULL && progress->leaving)
            leave_early(par);
    }
}

static void work(struct worker *worker)
{
    if (setjmp(worker->border) == 0) {
        take_all(worker->par, &worker->scratch,
                 worker == worker->par->worker ? worker->par->progress : NULL);
        return;
    }
    atomic_store(&worker->par->next, worker->par->n);
    arena_reset(&worker->scratch, (struct arena_mark){ 0 });
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

static bool par_start(struct worker *worker)
{
    pthread_attr_t attr;
    int status;

    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    status = pthread_create(&worker->thread, &attr, worker_main, worker);
    pthread_attr_destroy(&attr);
    return status == 0;
}

/* Signals are for the thread that started the others. */
static void start_all(struct par *par)
{
    int n = threads_that_fit(par->n_asked);
    sigset_t before;

    signals_hold(&before);
    for (par->n_threads = 0; par->n_threads < n; par->n_threads++) {
        struct worker *w = &par->worker[par->n_threads];

        w->par = par;
        arena_init(&w->scratch, par_leave, w);
        if (par->n_threads > 0 && !par_start(w)) {
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

void par_free(struct par *par)
{
    if (par == NULL)
        return;
    pthread_mutex_lock(&par->lock);
    par->quit = true;
    pthread_cond_broadcast(&par->start);
    pthread_mutex_unlock(&par->lock);
    for (int i = 0; i < par->n_threads; i++) {
        if (i > 0)
            pthread_join(par->worker[i].thread, NULL);
        arena_finish(&par->worker[i].scratch);
    }
    pthread_mutex_destroy(&par->lock);
    pthread_cond_destroy(&par->start);
    pthread_cond_destroy(&par->done);
    free(par->worker);
    free(par);
}

void par_on_full(struct par *par, const struct arena *like)
{
    arena_init(&par->like, like->full, like->self);
}

void par_explain(struct par *par, const struct warn *note)
{
    par->note = note;
    if (par->n_threads < par->n_asked)
        err_warn(note, "threads: %d of %d could be started: slower, with the same results",
                 par->n_threads, par->n_asked);
}

void par_slower(struct par *par, const char *why)
{
    int n = 0;

    for (; n < REASONS && par->why[n] != NULL; n++)
        if (par->why[n] == why)
            return;
    if (n == REASONS)
        return;
    par->why[n] = why;
    err_warn(par->note, "%s: slower, with the same results", why);
}

void par_tell(struct par *par, struct progress *progress)
{
    par->progress = progress;
}

struct progress *par_progress(const struct par *par)
{
    return par->progress;
}

void par_measure(struct par *par, struct meter *meter)
{
    par->meter = meter;
}

struct meter *par_meter(const struct par *par)
{
    return par->meter;
}

int par_threads(const struct par *par)
{
    return par->n_threads;
}

int par_default_threads(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

/* Waking a thread costs more than one item is worth. */
static void work_on_all(struct par *par)
{
    bool alone = par->n_threads == 1 || par->n <= 1;

    if (!alone) {
        pthread_mutex_lock(&par->lock);
        par->job++;
        par->running = par->n_threads - 1;
        pthread_cond_broadcast(&par->start);
        pthread_mutex_unlock(&par->lock);
    }
    work(&par->worker[0]);
    if (alone)
        return;
    pthread_mutex_lock(&par->lock);
    while (par->running > 0)
        pthread_cond_wait(&par->done, &par->lock);
    pthread_mutex_unlock(&par->lock);
}

static void set_busy(const struct par *par, bool busy)
{
    if (par->progress != NULL)
        par->progress->busy = busy;
}

void par_for(struct par *par, int n,
             void (*fn)(void *self, int i, struct arena *scratch), void *self)
{
    size_t lacking;

    par->n = n;
    par->fn = fn;
    par->self = self;
    atomic_store(&par->next, 0);
    atomic_store(&par->leaving, false);
    set_busy(par, true);
    work_on_all(par);
    set_busy(par, false);
    lacking = atomic_exchange(&par->lacking, 0);
    if (lacking > 0)
        arena_fail(&par->like, lacking);
    if (par->progress != NULL && par->progress->leaving)
        progress_tick(par->progress);
}

bool par_leaves(struct par *par, const struct arena *scratch)
{
    if (scratch == &par->worker[0].scratch && par->progress != NULL) {
        progress_tick(par->progress);
        if (par->progress->leaving)
            leave_early(par);
    }
    return atomic_load(&par->leaving);
}
