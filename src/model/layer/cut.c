/* SPDX-License-Identifier: MIT
 * A tensor -> one that is cut out of it and replaces it. */
#include "model/layer/cut.h"

#include <string.h>

void layer_cut_take(struct parter *p, const struct tensor *t)
{
    p->gone[t - weights_at(p->w, 0)] = true;
}

void layer_cut_add(struct parter *p, const struct tensor *t)
{
    if ((p->n_parts & (p->n_parts - 1)) == 0)       /* 0, 1, 2, 4, .. */
        p->part = arena_grow(p->a, p->part, (size_t)p->n_parts,
                             2 * (size_t)p->n_parts + 1, sizeof *p->part);
    p->part[p->n_parts++] = *t;
}

int64_t layer_cut_width(const struct tensor *t)
{
    return t->n_dims > 1 ? t->shape[1] : 1;
}

int layer_cut_check(struct parter *p, const struct tensor *t, int least, int most)
{
    const struct dtype_row *dtype = &dtype_table[t->dtype];

    if (!dtype->is_float || dtype->block != 1)
        return err_set(p->e, ERR_INPUT, "%s: holds %s, expected F32, F16, BF16 or F64",
                       t->name, dtype->name);
    if (t->n_dims < least || t->n_dims > most || t->n_elements == 0)
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected %d%s dimensions, none of them "
                       "0", t->name, tensor_shape(p->a, t), least,
                       most == least + 1 ? " or one more" : "");
    return 0;
}

bool layer_cut_in_out(const struct parter *p, enum form form)
{
    enum layer_order order = p->k->asked->order;

    if (order == LAYER_ORDER_AUTO && form == FORM_BARE)
        return !p->k->out_in;
    return order == LAYER_ORDER_AUTO ? form != FORM_WEIGHT || p->k->in_out :
                                       order == LAYER_ORDER_IN_OUT;
}

struct tensor layer_cut_out(struct arena *a, const struct tensor *t, const struct cut *c,
                            bool vector, const char *name)
{
    size_t size = (size_t)dtype_table[t->dtype].size_bytes;
    int64_t rows = c->n_blocks * c->n_rows;
    struct tensor part = *t;
    unsigned char *out;

    part.name = name;
    part.n_dims = vector ? 1 : 2;
    part.shape[0] = rows;
    part.shape[1] = c->n_columns;
    part.n_elements = rows * c->n_columns;
    part.data = t->data + (size_t)c->first * size;
    if ((c->column == 1 || c->n_columns == 1) && c->row == c->n_columns &&
        (c->n_blocks == 1 || c->block == c->n_rows * c->row))
        return part;
    part.data = out = arena_alloc_raw(a, (uint64_t)part.n_elements, size);
    for (int64_t b = 0; b < c->n_blocks; b++)
        for (int64_t i = 0; i < c->n_rows; i++)
            for (int64_t j = 0; j < c->n_columns; j++, out += size)
                memcpy(out, t->data + (size_t)(c->first + b * c->block + i * c->row +
                                               j * c->column) * size, size);
    return part;
}
