/* SPDX-License-Identifier: MIT
 * Changes of two bytes of options and a safetensors file that leave the file well-formed. */
#include <stdlib.h>
#include <string.h>

#include "support/tensors.h"

enum { OPTIONS = 2 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct dice d = dice_of(seed);
    static struct tensors all;
    uint8_t *copy;
    size_t n = 0;

    if (size <= OPTIONS || most <= OPTIONS || dice_roll(&d, 4) == 0)
        return LLVMFuzzerMutate(data, size, most);
    copy = malloc(size);
    if (copy != NULL && tensors_read(&all, (uint8_t *)memcpy(copy, data, size) + OPTIONS,
                                     size - OPTIONS)) {
        tensors_change(&all, &d);
        n = tensors_write(&all, data + OPTIONS, most - OPTIONS);
        data[dice_roll(&d, OPTIONS)] = (uint8_t)dice_roll(&d, 16);
        if (n == 0)
            memcpy(data, copy, size);
    }
    free(copy);
    return n > 0 ? n + OPTIONS : LLVMFuzzerMutate(data, size, most);
}
