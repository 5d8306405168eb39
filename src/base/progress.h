/* SPDX-License-Identifier: MIT
 *
 * Progress of long work, in nested levels: texts, layers of a text, mechanisms of a layer.  Only
 * the thread that began the work calls these functions; p may be NULL: not shown. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_LEVELS = 4 };

struct progress_level {
    const char *unit;           /* "text" */
    int64_t done, total;        /* units; total 0: unknown */
    double share, next;         /* fraction of this level's work, in [0, 1], that is done, and that
                                   will be after the present unit; NaN: unknown */
};

struct progress {
    void (*tell)(void *self, const struct progress *p);     /* called after each change, and often
                                                                between; it may ignore calls */
    void *self;
    int n;                      /* levels that have begun; deeper ones are not stored */
    struct progress_level level[PROGRESS_LEVELS];           /* the outermost first */
    bool busy;                  /* threads compute: tell must return */
    bool leaving;               /* set by tell: no more of the present work begins, and the next
                                   call of tell finds busy false, and must not return */
    bool waiting;               /* the run waits for texts from a pipe */
    double n_tokens;            /* tokens that were run since the outermost level began */
    int64_t n_ran;              /* steps of progress_ran since tell was called last */
};

/* Begins work of total units, within the present unit of the work around it. */
void progress_begin(struct progress *progress, const char *unit, int64_t total);

/* Counts one more unit as done. */
void progress_step(struct progress *progress);

/* The same for n units at once if the total is unknown: share and next as above. */
void progress_reach(struct progress *progress, int n, double share, double next);

/* Ends the innermost work, done or not. */
void progress_end(struct progress *progress);

/* Marks the work as waiting for standard input, or as continuing. */
void progress_wait(struct progress *progress, bool waiting);

void progress_tokens(struct progress *progress, double n);

/* Informs tell that time has passed, without a change. */
void progress_tick(const struct progress *progress);

/*
 * The same within a long computation, after n more of its steps, each about a multiplication: tell
 * is called after every PROGRESS_STEPS of them, some milliseconds.
 */
enum { PROGRESS_STEPS = 1 << 22 };
void progress_ran(struct progress *progress, int64_t n);

/* The fraction of the outermost work that is done, in [0, 1]; NaN: unknown. */
double progress_share(const struct progress *progress);

#endif
