/* SPDX-License-Identifier: MIT
 * Matching of module names with the patterns of an adapter_config.json. */
#ifndef MODEL_ADAPTER_PATTERN_H
#define MODEL_ADAPTER_PATTERN_H

#include <stdbool.h>

#include "base/err.h"

/* Most steps of matching for all patterns of an adapter together: a second or two. */
enum { PATTERN_STEPS = 30 * 1000 * 1000 };

/* *matches = whether the pattern matches the whole name, or its end after a dot.  Subtracts the
 * steps from *steps.  Errors: an invalid pattern; no steps are left. */
int pattern_matches_end(const char *pattern, const char *name, int *steps, bool *matches,
                        struct err *e);

/* *matches = whether the pattern matches the whole name. */
int pattern_matches_all(const char *pattern, const char *name, int *steps, bool *matches,
                        struct err *e);

/* Whether text is the name, or its end after a dot. */
bool pattern_is_end(const char *text, const char *name);

#endif
