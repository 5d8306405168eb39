/* SPDX-License-Identifier: MIT
 * A path -> its file, locked by flock(2). */
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Another process may have replaced it, or removed it, after it was opened. */
static bool is_at(int fd, const char *path)
{
    struct stat own, there;

    return fstat(fd, &own) == 0 && stat(path, &there) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
}

int lock_open(const char *path, struct err *e)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);

        if (fd < 0)
            return err_set(e, ERR_SYSTEM, "%s: cannot be written: %s", path,
                           errno == ENOENT ? "its folder does not exist" : strerror(errno));
        if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(fd);
            return err_set(e, ERR_SYSTEM, "%s: another run that is not done works with it: "
                           "expected one at a time", path);
        }
        if (is_at(fd, path))
            return fd;
        close(fd);
    }
}

int lock_next(int fd)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

    if (own >= 0)
        flock(own, LOCK_EX | LOCK_NB);
    return own;
}
