/* SPDX-License-Identifier: MIT
 * A file without a name, for what writes to files where its bytes are wanted. */
#ifndef BASE_UNNAMED_H
#define BASE_UNNAMED_H

#include <stddef.h>

#include "base/err.h"

struct unnamed {
    int fd;                     /* -1: it is closed */
    char path[32];              /* "/dev/fd/7", which out_open writes to */
};

/* In memory, where the system has such files.  Errors: ERR_SYSTEM. */
int unnamed_open(struct unnamed *f, struct err *e);

/* All its bytes, to be given to free(), and a NUL behind them.  Errors: ERR_SYSTEM. */
int unnamed_take(const struct unnamed *f, char **data, size_t *size, struct err *e);
void unnamed_close(struct unnamed *f);

#endif
