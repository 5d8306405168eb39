/* SPDX-License-Identifier: MIT
 * Levels of work within work, and the share of all that is done. */
#include "base/progress.h"

#include <math.h>
#include <stddef.h>

/* The innermost level; NULL: none, or too deep. */
static struct progress_level *innermost(struct progress *p)
{
    return p->n > 0 && p->n <= PROGRESS_LEVELS ? &p->level[p->n - 1] : NULL;
}

static double share_of(int64_t done, int64_t total)
{
    return total <= 0 ? (double)NAN : done < total ? (double)done / (double)total : 1;
}

void progress_tick(const struct progress *p)
{
    if (p != NULL && p->tell != NULL)
        p->tell(p->self, p);
}

void progress_ran(struct progress *p, int64_t n)
{
    if (p == NULL)
        return;
    p->n_ran += n;
    if (p->n_ran < PROGRESS_STEPS)
        return;
    p->n_ran = 0;
    progress_tick(p);
}

void progress_begin(struct progress *p, const char *unit, int64_t total)
{
    struct progress_level *level;

    if (p == NULL)
        return;
    if (p->n++ == 0)
        p->n_tokens = 0;
    level = innermost(p);
    if (level != NULL)
        *level = (struct progress_level){ unit, 0, total, share_of(0, total),
                                          share_of(1, total) };
    progress_tick(p);
}

void progress_step(struct progress *p)
{
    struct progress_level *level = p != NULL ? innermost(p) : NULL;

    if (level == NULL)
        return;
    level->done++;
    level->share = share_of(level->done, level->total);
    level->next = share_of(level->done + 1, level->total);
    progress_tick(p);
}

void progress_reach(struct progress *p, int n, double share, double next)
{
    struct progress_level *level = p != NULL ? innermost(p) : NULL;

    if (level == NULL)
        return;
    level->done += n;
    level->share = share;
    level->next = next;
    progress_tick(p);
}

void progress_end(struct progress *p)
{
    if (p == NULL || p->n == 0)
        return;
    p->n--;
    progress_tick(p);
}

void progress_wait(struct progress *p, bool waiting)
{
    if (p == NULL)
        return;
    p->waiting = waiting;
    progress_tick(p);
}

void progress_tokens(struct progress *p, double n)
{
    if (p != NULL)
        p->n_tokens += n;
}

double progress_share(const struct progress *p)
{
    int n = p->n < PROGRESS_LEVELS ? p->n : PROGRESS_LEVELS;
    double share = 0, width = 1;

    if (n == 0)
        return (double)NAN;
    for (int i = 0; i < n; i++) {
        const struct progress_level *level = &p->level[i];

        if (isnan(level->share))
            return i == 0 ? (double)NAN : share;
        share += width * level->share;
        width *= isnan(level->next) ? 0 : level->next - level->share;
    }
    return share;
}
