/* SPDX-License-Identifier: MIT
 *
 * SHA-256 (FIPS 180-4), for example of a page's script and style in its Content-Security-Policy. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>

enum { SHA256_SIZE = 32 };

void sha256_of(unsigned char digest[SHA256_SIZE], const void *data, size_t n);

#endif
