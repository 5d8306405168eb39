/* SPDX-License-Identifier: MIT
 * Former names of options that were renamed. */
#ifndef CLI_FORMERS_H
#define CLI_FORMERS_H

#include "cli/opt.h"

/* The present name of the option formerly called name[n]; NULL if the command still has an option
 * of that name, or never had one. */
const char *former_now(const struct cmd *cmd, const char *name, size_t n);

/* What an option that some command called name is called now; NULL: none called one so. */
const char *former_name(const char *name);

/*
 * argv with the present names of options, in arena a.  told is called for each renamed one; may be
 * NULL.
 */
char **formers_replace(struct arena *a, const struct cmd *cmd, int argc, char **argv,
                       void (*told)(void *self, const char *was, const char *now), void *self);

#endif
