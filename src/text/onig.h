/* SPDX-License-Identifier: MIT
 * Regular expressions of Oniguruma -> of PCRE2. */
#ifndef TEXT_ONIG_H
#define TEXT_ONIG_H

#include "text/tok_priv.h"

/*
 * The pattern for PCRE2 with UTF, UCP and MULTILINE; NULL on errors: syntax that has no
 * equivalent there (named).
 */
const char *onig_translate(struct arena *a, struct text pattern, struct err *e);

#endif
