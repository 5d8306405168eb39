/* SPDX-License-Identifier: MIT
 * Any bytes as a picture: refused with a message, or pixels that a processor reads. */
#ifndef SUPPORT_PICTURE_H
#define SUPPORT_PICTURE_H

#include <stddef.h>
#include <stdint.h>

void picture_use(const uint8_t *data, size_t size);

#endif
