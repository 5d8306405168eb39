/* SPDX-License-Identifier: MIT
 * Oniguruma's patterns in PCRE2's words. */
#ifndef TEXT_ONIG_H
#define TEXT_ONIG_H

#include "text/tok_priv.h"

/*
 * The pattern for PCRE2 with UTF, UCP and MULTILINE, or NULL.  Errors: syntax
 * that has no equal there (named).
 */
const char *onig_translate(struct arena *a, struct text pattern, struct err *e);

#endif
