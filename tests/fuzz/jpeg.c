/* SPDX-License-Identifier: MIT
 * Any bytes as a JPEG. */
#include "fuzz.h"

#include "support/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    picture_use(data, size);
    return 0;
}
