/* SPDX-License-Identifier: MIT
 * Where results go. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

/* True where path asks for a file a text: "DIR/", or a folder that is there. */
bool output_is_dir(const char *path);

/* "DIR/000001.png" for the item with this index. */
char *output_name(struct arena *a, const char *dir, int index, const char *ending);

/*
 * The format that --format (an index into names, -1: not given) or the ending of
 * path says; where neither does, 0.  ERR_USAGE for an ending that is not one of
 * names.
 */
int output_format(const char *path, int asked, const char *const *names,
                  int *format, struct err *e);

#endif
