/* SPDX-License-Identifier: MIT
 *
 * Base64 (RFC 4648, section 4), with padding. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes n bytes; ferror tells whether that failed.  A whole may be written in parts if all except
 * the last have a multiple of 3 bytes.
 */
void base64_write(FILE *file, const void *data, size_t n);

#endif
