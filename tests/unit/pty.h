/* SPDX-License-Identifier: MIT
 * A pseudo-terminal: one end for the test, the other for those whose terminal it is. */
#ifndef UNIT_PTY_H
#define UNIT_PTY_H

#include "check.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct pty {
    int test, own;              /* open descriptors of the two ends */
    char name[64];              /* of its own end */
};

/* Skips the test where the system has none. */
static inline void pty_open(struct pty *p)
{
    const char *name = NULL;

    p->test = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (p->test >= 0 && grantpt(p->test) == 0 && unlockpt(p->test) == 0)
        name = ptsname(p->test);
    if (name == NULL) {
        print_message("no pseudo-terminal here\n");
        skip();
    }
    snprintf(p->name, sizeof p->name, "%s", name);
    p->own = open(p->name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(p->own >= 0);
}

static inline void pty_close(const struct pty *p)
{
    close(p->own);
    close(p->test);
}

/*
 * What run(own, with) returns in a process of a session of its own, which has this terminal, or
 * none; -1: the process was ended by a signal.
 */
static inline int pty_run(const struct pty *p, bool has, int (*run)(int, const void *),
                          const void *with)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        close(p->test);
        if (setsid() < 0 || (has && ioctl(p->own, TIOCSCTTY, 0) != 0))
            exit(99);
        exit(run(p->own, with));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Closes it, and gives what was written to it, `size` - 1 bytes at most. */
static inline void pty_written(const struct pty *p, char *text, size_t size)
{
    size_t n = 0;
    ssize_t got;

    close(p->own);
    while (n < size - 1 && (got = read(p->test, text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    close(p->test);
}

#endif
