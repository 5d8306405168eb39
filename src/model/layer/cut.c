/* SPDX-License-Identifier: MIT
 * A tensor -> one that is cut out of it and replaces it. */
#include "model/layer/cut.h"

#include <string.h>

void layer_cut_take(struct parter *parter, const struct tensor *tensor)
{
    parter->gone[tensor - weights_at(parter->w, 0)] = true;
}

void layer_cut_add(struct parter *parter, const struct tensor *tensor)
{
    if ((parter->n_parts & (parter->n_parts - 1)) == 0)       /* 0, 1, 2, 4, .. */
        parter->part = arena_grow(parter->a, parter->part, (size_t)parter->n_parts,
                                  2 * (size_t)parter->n_parts + 1, sizeof *parter->part);
    parter->part[parter->n_parts++] = *tensor;
}

int64_t layer_cut_width(const struct tensor *tensor)
{
    return tensor->n_dims > 1 ? tensor->shape[1] : 1;
}

int layer_cut_check(struct parter *parter, const struct tensor *tensor, int least, int most)
{
    const struct dtype_row *dtype = &dtype_table[tensor->dtype];

    if (!dtype->is_float || dtype->block != 1)
        return err_set(parter->e, ERR_INPUT, "%s: holds %s, expected F32, F16, BF16 or F64",
                       tensor->name, dtype->name);
    if (tensor->n_dims < least || tensor->n_dims > most || tensor->n_elements == 0)
        return err_set(parter->e, ERR_INPUT, "%s: shape %s, expected %d%s dimensions, none of them "
                       "0", tensor->name, tensor_shape(parter->a, tensor), least,
                       most == least + 1 ? " or one more" : "");
    return 0;
}

bool layer_cut_in_out(const struct parter *parter, enum form form)
{
    enum layer_order order = parter->k->asked->order;

    if (order == LAYER_ORDER_AUTO && form == FORM_BARE)
        return !parter->k->out_in;
    return order == LAYER_ORDER_AUTO ? form != FORM_WEIGHT || parter->k->in_out :
                                       order == LAYER_ORDER_IN_OUT;
}

struct tensor layer_cut_out(struct arena *a, const struct tensor *tensor, const struct cut *cut,
                            bool vector, const char *name)
{
    size_t size = (size_t)dtype_table[tensor->dtype].size_bytes;
    int64_t rows = cut->n_blocks * cut->n_rows;
    struct tensor part = *tensor;
    unsigned char *out;

    part.name = name;
    part.n_dims = vector ? 1 : 2;
    part.shape[0] = rows;
    part.shape[1] = cut->n_columns;
    part.n_elements = rows * cut->n_columns;
    part.data = tensor->data + (size_t)cut->first * size;
    if ((cut->column == 1 || cut->n_columns == 1) && cut->row == cut->n_columns &&
        (cut->n_blocks == 1 || cut->block == cut->n_rows * cut->row))
        return part;
    part.data = out = arena_alloc_raw(a, (uint64_t)part.n_elements, size);
    for (int64_t b = 0; b < cut->n_blocks; b++)
        for (int64_t i = 0; i < cut->n_rows; i++)
            for (int64_t j = 0; j < cut->n_columns; j++, out += size)
                memcpy(out, tensor->data + (size_t)(cut->first + b * cut->block + i * cut->row +
                                                    j * cut->column) * size, size);
    return part;
}
