/* SPDX-License-Identifier: MIT
 * Descriptors 0 to 2, exchanged for files without a name. */
#include "support/streams.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where the sanitisers' reports go; missing without them. */
__attribute__((weak)) void __sanitizer_set_report_fd(void *fd);

/* Of the process: copies of its own streams, the files that stand for 1 and 2, what became of
 * SIGABRT before. */
static int own[3] = { -1, -1, -1 }, file[3];
static struct sigaction before;

/* Says what a run had said when an assertion ended it. */
static void on_abort(int sig)
{
    char text[1024];
    ssize_t n;

    (void)sig;
    lseek(file[2], 0, SEEK_SET);
    dup2(own[2], 2);
    while ((n = read(file[2], text, sizeof text)) > 0)
        if (write(2, text, (size_t)n) != n)
            break;
    sigaction(SIGABRT, &before, NULL);
    raise(SIGABRT);
}

/* A descriptor that no run gets by chance. */
static int far(int fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 100);

    if (moved < 0)
        abort();
    return moved;
}

static int unnamed_file(void)
{
    int fd = memfd_create("stream", MFD_CLOEXEC), moved = far(fd);

    close(fd);
    return moved;
}

static void keep_own(void)
{
    const struct sigaction act = { .sa_handler = on_abort };

    for (int fd = 0; fd < 3; fd++)
        own[fd] = far(fd);
    if (__sanitizer_set_report_fd != NULL)
        __sanitizer_set_report_fd((void *)(size_t)own[2]);
    for (int fd = 1; fd < 3; fd++)
        file[fd] = unnamed_file();
    sigaction(SIGABRT, &act, &before);
}

void streams_open(const char *input)
{
    int fd = open(input, O_RDONLY);

    if (own[0] < 0)
        keep_own();
    if (fd < 0)
        fd = open("/dev/null", O_RDONLY);
    fflush(stdout);
    if (ftruncate(file[1], 0) != 0 || ftruncate(file[2], 0) != 0 || dup2(fd, 0) < 0 ||
        dup2(file[1], 1) < 0 || dup2(file[2], 2) < 0)
        abort();
    close(fd);
    lseek(1, 0, SEEK_SET);
    lseek(2, 0, SEEK_SET);
}

static struct caught text_of(int fd)
{
    struct caught c = { NULL, (size_t)lseek(fd, 0, SEEK_END) };

    c.text = malloc(c.size + 1);
    if (c.text == NULL || pread(fd, c.text, c.size, 0) != (ssize_t)c.size)
        abort();
    c.text[c.size] = '\0';
    return c;
}

void streams_close(struct caught *out, struct caught *said)
{
    fflush(stdout);
    clearerr(stdout);
    for (int fd = 0; fd < 3; fd++)
        dup2(own[fd], fd);
    *out = text_of(file[1]);
    *said = text_of(file[2]);
}
