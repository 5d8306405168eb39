/* SPDX-License-Identifier: MIT
 * Files without names: in memory, or deleted. */
#include "base/unnamed.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int create(void)
{
#ifdef MFD_CLOEXEC
    return memfd_create("mha-viz", MFD_CLOEXEC);
#else
    FILE *f = tmpfile();
    int fd = f != NULL ? dup(fileno(f)) : -1;

    if (f != NULL)
        fclose(f);
    return fd;
#endif
}

int unnamed_open(struct unnamed *unnamed, struct err *e)
{
    unnamed->fd = create();
    if (unnamed->fd < 0)
        return err_set(e, ERR_SYSTEM, "no room for a file without a name: %s", strerror(errno));
    snprintf(unnamed->path, sizeof unnamed->path, "/dev/fd/%d", unnamed->fd);
    return 0;
}

static int unnamed_read_all(int fd, char *data, size_t size)
{
    size_t n = 0;

    while (n < size) {
        ssize_t got = pread(fd, data + n, size - n, (off_t)n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        n += (size_t)got;
    }
    return 0;
}

int unnamed_take(const struct unnamed *unnamed, char **data, size_t *size, struct err *e)
{
    struct stat info;

    *data = NULL;
    if (fstat(unnamed->fd, &info) != 0 || (uintmax_t)info.st_size >= SIZE_MAX)
        return err_set(e, ERR_SYSTEM, "a file without a name cannot be read: %s",
                       strerror(errno));
    *size = (size_t)info.st_size;
    *data = malloc(*size + 1);
    if (*data == NULL)
        return err_set(e, ERR_SYSTEM, "out of memory: needed %zu more bytes", *size + 1);
    (*data)[*size] = '\0';
    if (unnamed_read_all(unnamed->fd, *data, *size) == 0)
        return 0;
    free(*data);
    *data = NULL;
    return err_set(e, ERR_SYSTEM, "a file without a name cannot be read: %s", strerror(errno));
}

void unnamed_close(struct unnamed *unnamed)
{
    if (unnamed->fd >= 0)
        close(unnamed->fd);
    unnamed->fd = -1;
}
