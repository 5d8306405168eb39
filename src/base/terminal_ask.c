/* SPDX-License-Identifier: MIT
 * Asks a terminal whether it supports pictures, and waits half a second for its answer.
 *
 * First whether it draws as kitty does (a picture of one pixel, that is not shown), then for
 * its attributes, which every terminal answers: "\033[?62;4;22c", where 4 is sixel. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/terminal.h"

enum { PATIENCE_MS = 500, ANSWER_MAX = 512 };

static const char question[] = "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c";

/* ---- the answer ---- */

/* The attributes in it; NULL: they are not there, or not all of them. */
static const char *attributes(const char *answer)
{
    const char *found = strstr(answer, "\033[?");

    return found != NULL && found[3 + strspn(found + 3, "0123456789;")] == 'c' ? found + 3 :
                                                                                NULL;
}

enum terminal_way terminal_answer(const char *answer, enum terminal_way otherwise)
{
    const char *at = attributes(answer);

    if (strstr(answer, "\033_Gi=31;OK\033\\") != NULL)
        return TERMINAL_KITTY;
    while (at != NULL && *at != 'c') {
        size_t n = strspn(at, "0123456789");

        if (n == 1 && *at == '4')
            return TERMINAL_SIXEL;
        at += n + (at[n] == ';');
    }
    return otherwise;
}

/* ---- asking ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until the attributes are there, or it has had its time, or has gone away. */
static void read_answer(int fd, char answer[ANSWER_MAX])
{
    int64_t end = now_ms() + PATIENCE_MS, left;
    size_t n = 0;

    while (n < ANSWER_MAX - 1 && attributes(answer) == NULL && (left = end - now_ms()) > 0) {
        struct pollfd wait = { .fd = fd, .events = POLLIN };
        ssize_t got = poll(&wait, 1, (int)left) > 0 ? read(fd, answer + n, ANSWER_MAX - 1 - n) : 0;

        if (got <= 0)
            return;
        n += (size_t)got;
        answer[n] = '\0';
    }
}

/* Nothing is echoed, and no signal comes between, until the terminal is as it was. */
static void converse(int fd, char answer[ANSWER_MAX])
{
    struct termios before, quiet;
    sigset_t all, signals;

    if (tcgetattr(fd, &before) != 0)
        return;
    quiet = before;
    quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    quiet.c_cc[VMIN] = quiet.c_cc[VTIME] = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &signals);
    if (tcsetattr(fd, TCSADRAIN, &quiet) == 0) {
        if (write(fd, question, strlen(question)) == (ssize_t)strlen(question))
            read_answer(fd, answer);
        tcsetattr(fd, TCSADRAIN, &before);
    }
    sigprocmask(SIG_SETMASK, &signals, NULL);
}

enum terminal_way terminal_ask(int fd, enum terminal_way otherwise)
{
    const char *term = getenv("TERM");
    char name[256], answer[ANSWER_MAX] = "";
    int both;

    if (otherwise == TERMINAL_DIGITS || (term != NULL && strncmp(term, "linux", 5) == 0) ||
        tcgetpgrp(fd) != getpgrp() || ttyname_r(fd, name, sizeof name) != 0)
        return otherwise;
    both = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (both < 0)
        return otherwise;
    converse(both, answer);
    close(both);
    return terminal_answer(answer, otherwise);
}
