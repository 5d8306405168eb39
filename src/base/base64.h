/* SPDX-License-Identifier: MIT
 *
 * Bytes as letters: base64 (RFC 4648, section 4), with padding. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes n bytes; ferror says whether that failed.  Parts of a whole are written one after
 * the other where each but the last has a multiple of 3 bytes.
 */
void base64_write(FILE *f, const void *data, size_t n);

#endif
