/* SPDX-License-Identifier: MIT
 * One tensor: its size, its elements as floats, its shape for messages. */
#include "weights/weights_priv.h"

int tensor_measure(struct tensor *tensor, int64_t *size_bytes)
{
    const struct dtype_row *dtype = &dtype_table[tensor->dtype];

    tensor->n_elements = 1;
    for (int i = 0; i < tensor->n_dims; i++)
        if (__builtin_mul_overflow(tensor->n_elements, tensor->shape[i], &tensor->n_elements))
            return -1;
    return __builtin_mul_overflow(tensor->n_elements / dtype->block, dtype->size_bytes,
                                  size_bytes) ?
               -1 :
               0;
}

int64_t tensor_stored_bytes(const struct tensor *tensor)
{
    const struct dtype_row *dtype = &dtype_table[tensor->dtype];
    int64_t sum = 0;

    if (tensor->maker == NULL)
        return tensor->n_elements / dtype->block * dtype->size_bytes;
    for (int i = 0; i < tensor->maker->n_parts; i++)
        sum += tensor_stored_bytes(&tensor->maker->part[i]);
    return sum;
}

/* Elements [at, at + n) of one block. */
static void read_within(float *out, const struct dtype_row *row, const unsigned char *block,
                        int64_t at, int64_t n)
{
    float all[LARGEST_BLOCK];

    row->to_f32(all, block, row->block);
    memcpy(out, all + at, (size_t)n * sizeof *out);
}

void tensor_read(float *out, const struct tensor *tensor, int64_t first, int64_t n)
{
    const struct dtype_row *dtype = &dtype_table[tensor->dtype];
    const unsigned char *data;
    int64_t at = first % dtype->block, whole;

    if (tensor->maker != NULL) {
        tensor->maker->read(tensor->maker, out, tensor->made_at + first, n);
        return;
    }
    data = tensor->data + first / dtype->block * dtype->size_bytes;
    if (at > 0) {
        int64_t head = n < dtype->block - at ? n : dtype->block - at;

        read_within(out, dtype, data, at, head);
        data += dtype->size_bytes;
        out += head;
        n -= head;
    }
    whole = n - n % dtype->block;
    dtype->to_f32(out, data, whole);
    if (n > whole)
        read_within(out + whole, dtype, data + whole / dtype->block * dtype->size_bytes,
                    0, n - whole);
}

char *tensor_shape(struct arena *a, const struct tensor *tensor)
{
    char *text = arena_strdup(a, "[");

    for (int i = 0; i < tensor->n_dims; i++)
        text = arena_printf(a, "%s%s%lld", text, i > 0 ? "," : "",
                            (long long)tensor->shape[i]);
    return arena_printf(a, "%s]", text);
}
