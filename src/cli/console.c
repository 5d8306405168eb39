/* SPDX-License-Identifier: MIT
 * Warnings, notes and progress -> standard error. */
#include "cli/console.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const int64_t PATIENCE_NS = 1000000000, PAUSE_NS = 200000000;

/* ---- the line ---- */

static const struct progress_level *named_level(const struct progress *progress)
{
    int n = progress->n < PROGRESS_LEVELS ? progress->n : PROGRESS_LEVELS, i = 0;

    while (i < n - 1 && progress->level[i].total == 1)
        i++;
    return &progress->level[i];
}

__attribute__((format(printf, 3, 4)))
static void console_add(char *dst, size_t size, const char *fmt, ...)
{
    size_t count = strlen(dst);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(dst + count, size - count, fmt, ap);
    va_end(ap);
}

static void add_left(char *dst, size_t size, double seconds)
{
    if (!(seconds < 360000))
        return;
    if (seconds < 60)
        console_add(dst, size, ", %.0f s left", ceil(seconds));
    else if (seconds < 3600)
        console_add(dst, size, ", %d:%02d left", (int)seconds / 60, (int)seconds % 60);
    else
        console_add(dst, size, ", %d h %02d min left", (int)seconds / 3600, (int)seconds / 60 % 60);
}

void console_line(char *dst, size_t size, const struct progress *progress, double seconds)
{
    const struct progress_level *level = named_level(progress);
    int64_t at = level->total == 0 || level->done < level->total ? level->done + 1 :
                                                                   level->total;
    double share = progress_share(progress), speed = progress->n_tokens / seconds;

    snprintf(dst, size, "%s %lld", level->unit, (long long)at);
    if (level->total > 0)
        console_add(dst, size, " of %lld", (long long)level->total);
    if (!isnan(share))
        console_add(dst, size, ", %.0f%%", floor(100 * share));
    if (progress->n_tokens > 0 && seconds > 0)
        console_add(dst, size, speed < 10 ? ", %.1f tokens/s" : ", %.0f tokens/s", speed);
    if (share > 0 && share < 1)
        add_left(dst, size, seconds * (1 - share) / share);
}

/* ---- what is told ---- */

/* A job in the background would write into what another shows. */
static bool in_front(void)
{
    return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Time spent waiting is none of the work's; true while it lasts. */
static bool is_waiting(struct console *console, const struct progress *progress, int64_t now)
{
    int64_t waited = console->wait_ns != 0 && !progress->waiting ? now - console->wait_ns : 0;

    console->start_ns += waited;
    console->began_ns += console->began_ns != 0 ? waited : 0;
    console->wait_ns = !progress->waiting ? 0 : console->wait_ns != 0 ? console->wait_ns : now;
    return progress->waiting;
}

static void console_tell(void *self, const struct progress *progress)
{
    struct console *c = self;
    int64_t now = now_ns();
    char text[CONSOLE_COLUMNS + 1] = "mha-viz: ";

    if (is_waiting(c, progress, now))
        return;
    if (progress->n == 0) {
        console_hide();
        c->began_ns = 0;
        return;
    }
    if (c->began_ns == 0)
        c->began_ns = now;
    if (now - c->start_ns < PATIENCE_NS || now - c->drawn_ns < PAUSE_NS || !in_front())
        return;
    c->drawn_ns = now;
    console_line(text + strlen(text), sizeof text - strlen(text), progress,
                 (double)(now - c->began_ns) / 1e9);
    console_draw(text);
}

static void console_say(void *self, const char *msg)
{
    struct voice *voice = self;

    if (strcmp(voice->last, msg) == 0)
        return;
    snprintf(voice->last, sizeof voice->last, "%s", msg);
    console_hide();
    fprintf(stderr, "mha-viz: %s: %s\n", voice->kind, msg);
}

/* ---- all of it ---- */

static bool may_hold_texts(void)
{
    struct stat info;
    int flags = fcntl(STDIN_FILENO, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY &&
           fstat(STDIN_FILENO, &info) == 0 &&
           (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode));
}

void console_open(struct console *console, struct env *env)
{
    *console = (struct console){ .warn = { console_say, &console->warning },
                                 .note = { console_say, &console->noting },
                                 .warning = { "warning", "" }, .noting = { "note", "" },
                                 .progress = { .tell = console_tell, .self = console },
                                 .start_ns = now_ns() };
    if (env->quiet)
        console->warn.fn = console->note.fn = NULL;
    env->warn = &console->warn;
    env->note = &console->note;
    env->progress = !env->quiet && isatty(STDERR_FILENO) ? &console->progress : NULL;
    env->dash = true;
    env->piped = may_hold_texts();
}
