/* SPDX-License-Identifier: MIT
 * Levels of work within work, and the share of all that is done. */
#include "base/progress.h"

#include <math.h>
#include <stddef.h>

/* The innermost level; NULL: none, or too deep. */
static struct progress_level *innermost(struct progress *progress)
{
    return progress->n > 0 && progress->n <= PROGRESS_LEVELS ? &progress->level[progress->n - 1] :
           NULL;
}

static double share_of(int64_t done, int64_t total)
{
    return total <= 0 ? (double)NAN : done < total ? (double)done / (double)total : 1;
}

void progress_tick(const struct progress *progress)
{
    if (progress != NULL && progress->tell != NULL)
        progress->tell(progress->self, progress);
}

void progress_ran(struct progress *progress, int64_t n)
{
    if (progress == NULL)
        return;
    progress->n_ran += n;
    if (progress->n_ran < PROGRESS_STEPS)
        return;
    progress->n_ran = 0;
    progress_tick(progress);
}

void progress_begin(struct progress *progress, const char *unit, int64_t total)
{
    struct progress_level *level;

    if (progress == NULL)
        return;
    if (progress->n++ == 0)
        progress->n_tokens = 0;
    level = innermost(progress);
    if (level != NULL)
        *level = (struct progress_level){ unit, 0, total, share_of(0, total),
                                          share_of(1, total) };
    progress_tick(progress);
}

void progress_step(struct progress *progress)
{
    struct progress_level *level = progress != NULL ? innermost(progress) : NULL;

    if (level == NULL)
        return;
    level->done++;
    level->share = share_of(level->done, level->total);
    level->next = share_of(level->done + 1, level->total);
    progress_tick(progress);
}

void progress_reach(struct progress *progress, int n, double share, double next)
{
    struct progress_level *level = progress != NULL ? innermost(progress) : NULL;

    if (level == NULL)
        return;
    level->done += n;
    level->share = share;
    level->next = next;
    progress_tick(progress);
}

void progress_end(struct progress *progress)
{
    if (progress == NULL || progress->n == 0)
        return;
    progress->n--;
    progress_tick(progress);
}

void progress_wait(struct progress *progress, bool waiting)
{
    if (progress == NULL)
        return;
    progress->waiting = waiting;
    progress_tick(progress);
}

void progress_tokens(struct progress *progress, double n)
{
    if (progress != NULL)
        progress->n_tokens += n;
}

double progress_share(const struct progress *progress)
{
    int n = progress->n < PROGRESS_LEVELS ? progress->n : PROGRESS_LEVELS;
    double share = 0, width = 1;

    if (n == 0)
        return (double)NAN;
    for (int i = 0; i < n; i++) {
        const struct progress_level *level = &progress->level[i];

        if (isnan(level->share))
            return i == 0 ? (double)NAN : share;
        share += width * level->share;
        width *= isnan(level->next) ? 0 : level->next - level->share;
    }
    return share;
}
