/* SPDX-License-Identifier: MIT
 *
 * How far a long work is, told to whoever shows it: texts, within one its layers, within one
 * its mechanisms.  Only the thread that began the work calls these; p may be NULL: nobody
 * shows it. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_LEVELS = 4 };

struct progress_level {
    const char *unit;           /* "text" */
    int64_t done, total;        /* of them; total 0: not known */
    double share, next;         /* in [0, 1], of this level's work: what is done, and what
                                   will be once the one at hand is; NaN: not known */
};

struct progress {
    void (*tell)(void *self, const struct progress *p);     /* after each change, and often
                                                                besides: it passes some over */
    void *self;
    int n;                      /* levels that are begun; deeper ones are not kept */
    struct progress_level level[PROGRESS_LEVELS];           /* the outermost first */
    bool busy;                  /* threads compute: whoever is told must return */
    bool leaving;               /* set by who is told: no more of the work at hand begins, and
                                   the next one told finds busy false, and must not return */
    bool waiting;               /* for texts that others have yet to write: no work */
    double n_tokens;            /* that went through a model since the outermost began */
    int64_t n_ran;              /* of progress_ran, since it told last */
};

/* Work of total units begins, within the unit at hand of the work around it. */
void progress_begin(struct progress *p, const char *unit, int64_t total);

/* One more of its units is done. */
void progress_step(struct progress *p);

/* The same of n units at once where the total is not known: share and next as above. */
void progress_reach(struct progress *p, int n, double share, double next);

/* The innermost work ends, whether all of it is done or not. */
void progress_end(struct progress *p);

/* The work stands still until standard input has more, or goes on. */
void progress_wait(struct progress *p, bool waiting);

void progress_tokens(struct progress *p, double n);

/* Nothing changed, but time has passed. */
void progress_tick(const struct progress *p);

/*
 * The same within a long computation, after n more of its steps, each of about a multiplication:
 * it is told after each PROGRESS_STEPS of them, some milliseconds.
 */
enum { PROGRESS_STEPS = 1 << 22 };
void progress_ran(struct progress *p, int64_t n);

/* The share of the outermost work that is done, in [0, 1]; NaN: not known. */
double progress_share(const struct progress *p);

#endif
