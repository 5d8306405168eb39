/* SPDX-License-Identifier: MIT
 *
 * JSON from files that nobody vouches for: a tree takes up to fifty times the
 * bytes of its text. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/err.h"
#include "base/file.h"

/*
 * Reckons, before a tree of bytes is built, what it would take.  Error (ERR_INPUT,
 * without the file's name): over 512 MiB.  Bytes that are not JSON may pass.
 */
int json_check_size(struct span bytes, struct err *e);

#endif
