/* SPDX-License-Identifier: MIT
 * Names that options had before. */
#ifndef CLI_FORMERS_H
#define CLI_FORMERS_H

#include "cli/opt.h"

/* What an option that was called name[n] is called now; NULL: the command still has one of that
 * name, or has none that was called so. */
const char *former_now(const struct cmd *c, const char *name, size_t n);

/* What an option that some command called name is called now; NULL: none called one so. */
const char *former_name(const char *name);

/*
 * argv with the names that options have now, of a.  told is called for each that was another;
 * NULL: nobody is told.
 */
char **formers_replace(struct arena *a, const struct cmd *c, int argc, char **argv,
                       void (*told)(void *self, const char *was, const char *now), void *self);

#endif
