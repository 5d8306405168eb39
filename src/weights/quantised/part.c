/* SPDX-License-Identifier: MIT
 * The tensors of one packed module -> found and checked, for the layouts. */
#include "weights/quantised/quant_priv.h"

#include <limits.h>
#include <string.h>

/* ---- what a file holds ---- */

const struct tensor *quant_find(struct unpacker *unpacker, const char *ending)
{
    const char *name = arena_printf(unpacker->w->a, "%s%s", unpacker->module, ending);
    const struct tensor *tensor = weights_find(unpacker->w, name);

    if (tensor != NULL)
        unpacker->used[tensor - unpacker->w->tensor] = true;
    return tensor;
}

const struct tensor *quant_part(struct unpacker *unpacker, const char *ending)
{
    const struct tensor *tensor = quant_find(unpacker, ending);

    if (tensor == NULL)
        err_set(unpacker->e, ERR_INPUT, "%s: has no %s%s, which weights of %s require",
                unpacker->w->tensor[0].file, str_shown(unpacker->w->a, unpacker->module), ending,
                unpacker->method);
    return tensor;
}

static int check_type(struct unpacker *unpacker, const struct tensor *tensor, enum dtype dtype)
{
    return tensor->dtype == dtype ? 0 :
           err_set(unpacker->e, ERR_INPUT, "%s: %s: holds %s, expected %s", tensor->file,
                   str_shown(unpacker->w->a, tensor->name), dtype_table[tensor->dtype].name,
                   dtype_table[dtype].name);
}

int quant_check_dims(struct unpacker *unpacker, const struct tensor *tensor, enum dtype dtype,
                     int n)
{
    bool whole = tensor->n_dims == n && tensor->n_elements > 0;

    if (check_type(unpacker, tensor, dtype) != 0)
        return -1;
    return whole ? 0 :
                   err_set(unpacker->e, ERR_INPUT,
                           "%s: %s: shape %s, expected %d dimension%s of 1 or more", tensor->file,
                           str_shown(unpacker->w->a, tensor->name),
                           tensor_shape(unpacker->w->a, tensor), n, str_plural(n));
}

static int check_shape(struct unpacker *unpacker, const struct tensor *tensor, int64_t rows,
                       int64_t columns)
{
    struct arena *a = unpacker->w->a;
    bool same = columns < 0 ? tensor->n_dims == 1 && tensor->shape[0] == rows :
                tensor->n_dims == 2 && tensor->shape[0] == rows && tensor->shape[1] == columns;
    const char *want;

    if (same)
        return 0;
    want = columns < 0 ? arena_printf(a, "[%lld]", (long long)rows) :
           arena_printf(a, "[%lld,%lld]", (long long)rows, (long long)columns);
    return err_set(unpacker->e, ERR_INPUT, "%s: %s: shape %s, expected %s", tensor->file,
                   str_shown(a, tensor->name), tensor_shape(a, tensor), want);
}

int quant_check(struct unpacker *unpacker, const struct tensor *tensor, enum dtype dtype,
                int64_t rows, int64_t columns)
{
    return check_type(unpacker, tensor, dtype) != 0 ? -1 :
           check_shape(unpacker, tensor, rows, columns);
}

int quant_check_scale(struct unpacker *unpacker, const struct tensor *tensor, int64_t rows,
                       int64_t columns)
{
    if (tensor->dtype != DTYPE_F32 && tensor->dtype != DTYPE_F16 && tensor->dtype != DTYPE_BF16)
        return err_set(unpacker->e, ERR_INPUT, "%s: %s: holds %s, expected F32, F16 or BF16",
                       tensor->file, str_shown(unpacker->w->a, tensor->name),
                       dtype_table[tensor->dtype].name);
    return check_shape(unpacker, tensor, rows, columns);
}

int quant_groups(struct unpacker *unpacker, const struct tensor *tensor, int64_t in,
                 int64_t *n_groups)
{
    int group = unpacker->p->group;

    if (group != 0 && in % group != 0)
        return err_set(unpacker->e, ERR_INPUT, "%s: %s: groups of %d do not divide the %lld inputs",
                       tensor->file, str_shown(unpacker->w->a, tensor->name), group, (long long)in);
    *n_groups = group == 0 ? 1 : in / group;
    return 0;
}

int quant_check_order(struct unpacker *unpacker, const struct tensor *order, int64_t in,
                       int64_t n_groups)
{
    if (quant_check(unpacker, order, DTYPE_I32, in, -1) != 0)
        return -1;
    for (int64_t i = 0; i < in; i++) {
        uint32_t group = quant_word(order->data, i);

        if (group >= (uint64_t)n_groups)
            return err_set(unpacker->e, ERR_INPUT,
                           "%s: %s: group %lld of input %lld, expected 0 to "
                           "%lld",
                           order->file, str_shown(unpacker->w->a, order->name),
                           (long long)(int32_t)group, (long long)i, (long long)n_groups - 1);
    }
    return 0;
}

const struct packed_order *quant_order(struct unpacker *unpacker, const unsigned char *order,
                                       int64_t in, int64_t n_groups)
{
    struct packed_order *o = arena_alloc(unpacker->w->a, 1, sizeof *o);
    int *first, *input;

    if (in > INT_MAX || n_groups >= INT_MAX)
        return NULL;
    first = arena_alloc(unpacker->w->a, (uint64_t)n_groups + 1, sizeof *first);
    input = arena_alloc(unpacker->w->a, (uint64_t)in, sizeof *input);
    for (int k = 0; k < in; k++)
        first[quant_word(order, k) + 1]++;
    for (int g = 0; g < n_groups; g++)
        first[g + 1] += first[g];
    for (int k = 0; k < in; k++)
        input[first[quant_word(order, k)]++] = k;
    memmove(first + 1, first, (size_t)n_groups * sizeof *first);    /* each had moved to its end */
    first[0] = 0;
    *o = (struct packed_order){ (int)n_groups, first, input };
    return o;
}

/* ---- what is made ---- */

void quant_fill(struct tensor *tensor, struct maker *maker, int64_t out, int64_t in)
{
    maker->quantised = maker->out_in = true;
    tensor->maker = maker;
    tensor->n_dims = 2;
    tensor->shape[0] = out;
    tensor->shape[1] = in;
}

const struct tensor *quant_parts(struct unpacker *unpacker, const struct tensor *const *part, int n)
{
    struct tensor *all = arena_alloc(unpacker->w->a, (size_t)n, sizeof *all);

    for (int i = 0; i < n; i++)
        all[i] = *part[i];
    return all;
}

const char *quant_in_groups(struct unpacker *unpacker)
{
    return unpacker->p->group == 0 ? "" :
           arena_printf(unpacker->w->a, " in groups of %d", unpacker->p->group);
}
