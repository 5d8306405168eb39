/* SPDX-License-Identifier: MIT
 * Names of modules against the patterns of an adapter_config.json. */
#ifndef MODEL_ADAPTER_PATTERN_H
#define MODEL_ADAPTER_PATTERN_H

#include <stdbool.h>

#include "base/err.h"

/* What all patterns of an adapter together may take, in steps of matching: a second or two. */
enum { PATTERN_STEPS = 30 * 1000 * 1000 };

/* The pattern matches the whole name, or its end behind a dot.  What that took leaves *steps.
 * Errors: it is none; no steps are left. */
int pattern_matches_end(const char *pattern, const char *name, int *steps, bool *matches,
                        struct err *e);

/* The pattern matches the whole name. */
int pattern_matches_all(const char *pattern, const char *name, int *steps, bool *matches,
                        struct err *e);

/* The text is the name, or its end behind a dot. */
bool pattern_is_end(const char *text, const char *name);

#endif
