/* SPDX-License-Identifier: MIT
 * A file without a name, for functions that write to files, if their bytes are wanted in memory. */
#ifndef BASE_UNNAMED_H
#define BASE_UNNAMED_H

#include <stddef.h>

#include "base/err.h"

struct unnamed {
    int fd;                     /* -1 after closing */
    char path[32];              /* "/dev/fd/7", which out_open writes to */
};

/* Opens it, in memory if the system supports that.  Errors: ERR_SYSTEM. */
int unnamed_open(struct unnamed *unnamed, struct err *e);

/* *data = all its bytes, to be given to free(), with a NUL after them.  Errors: ERR_SYSTEM. */
int unnamed_take(const struct unnamed *unnamed, char **data, size_t *size, struct err *e);
void unnamed_close(struct unnamed *unnamed);

#endif
