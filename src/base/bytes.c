/* SPDX-License-Identifier: MIT
 * Numbers in memory -> a file. */
#include "base/bytes.h"

void bytes_write(FILE *file, const void *elements, size_t n, size_t size)
{
    const unsigned char *cursor = elements;
    unsigned char element[16];

    if (BYTES_IN_ORDER) {
        if (n > 0)
            fwrite(elements, size, n, file);
        return;
    }
    for (; n > 0; n--, cursor += size) {
        bytes_copy(element, cursor, 1, size);
        fwrite(element, 1, size, file);
    }
}
