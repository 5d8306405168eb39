/* SPDX-License-Identifier: MIT
 * The tensors of one packed module -> found and checked, for the layouts. */
#include "weights/quantised/quant_priv.h"

#include <limits.h>
#include <string.h>

/* ---- what a file holds ---- */

const struct tensor *quant_find(struct unpacker *u, const char *ending)
{
    const char *name = arena_printf(u->w->a, "%s%s", u->module, ending);
    const struct tensor *tensor = weights_find(u->w, name);

    if (tensor != NULL)
        u->used[tensor - u->w->tensor] = true;
    return tensor;
}

const struct tensor *quant_part(struct unpacker *u, const char *ending)
{
    const struct tensor *tensor = quant_find(u, ending);

    if (tensor == NULL)
        err_set(u->e, ERR_INPUT, "%s: has no %s%s, which weights of %s require",
                u->w->tensor[0].file, str_shown(u->w->a, u->module), ending,
                u->method);
    return tensor;
}

static int check_type(struct unpacker *u, const struct tensor *t, enum dtype dtype)
{
    return t->dtype == dtype ? 0 :
           err_set(u->e, ERR_INPUT, "%s: %s: holds %s, expected %s", t->file,
                   str_shown(u->w->a, t->name), dtype_table[t->dtype].name,
                   dtype_table[dtype].name);
}

int quant_check_dims(struct unpacker *u, const struct tensor *t, enum dtype dtype, int n)
{
    bool whole = t->n_dims == n && t->n_elements > 0;

    if (check_type(u, t, dtype) != 0)
        return -1;
    return whole ? 0 :
           err_set(u->e, ERR_INPUT, "%s: %s: shape %s, expected %d dimension%s of 1 or more",
                   t->file, str_shown(u->w->a, t->name), tensor_shape(u->w->a, t), n,
                   str_plural(n));
}

static int check_shape(struct unpacker *u, const struct tensor *t, int64_t rows,
                       int64_t columns)
{
    struct arena *a = u->w->a;
    bool same = columns < 0 ? t->n_dims == 1 && t->shape[0] == rows :
                t->n_dims == 2 && t->shape[0] == rows && t->shape[1] == columns;
    const char *want;

    if (same)
        return 0;
    want = columns < 0 ? arena_printf(a, "[%lld]", (long long)rows) :
           arena_printf(a, "[%lld,%lld]", (long long)rows, (long long)columns);
    return err_set(u->e, ERR_INPUT, "%s: %s: shape %s, expected %s", t->file,
                   str_shown(a, t->name), tensor_shape(a, t), want);
}

int quant_check(struct unpacker *u, const struct tensor *t, enum dtype dtype, int64_t rows,
                 int64_t columns)
{
    return check_type(u, t, dtype) != 0 ? -1 : check_shape(u, t, rows, columns);
}

int quant_check_scale(struct unpacker *u, const struct tensor *t, int64_t rows,
                       int64_t columns)
{
    if (t->dtype != DTYPE_F32 && t->dtype != DTYPE_F16 && t->dtype != DTYPE_BF16)
        return err_set(u->e, ERR_INPUT, "%s: %s: holds %s, expected F32, F16 or BF16", t->file,
                       str_shown(u->w->a, t->name), dtype_table[t->dtype].name);
    return check_shape(u, t, rows, columns);
}

int quant_groups(struct unpacker *u, const struct tensor *t, int64_t in, int64_t *n_groups)
{
    int group = u->p->group;

    if (group != 0 && in % group != 0)
        return err_set(u->e, ERR_INPUT, "%s: %s: groups of %d do not divide the %lld inputs",
                       t->file, str_shown(u->w->a, t->name), group, (long long)in);
    *n_groups = group == 0 ? 1 : in / group;
    return 0;
}

int quant_check_order(struct unpacker *u, const struct tensor *order, int64_t in,
                       int64_t n_groups)
{
    if (quant_check(u, order, DTYPE_I32, in, -1) != 0)
        return -1;
    for (int64_t i = 0; i < in; i++) {
        uint32_t group = quant_word(order->data, i);

        if (group >= (uint64_t)n_groups)
            return err_set(u->e, ERR_INPUT, "%s: %s: group %lld of input %lld, expected 0 to "
                           "%lld", order->file, str_shown(u->w->a, order->name),
                           (long long)(int32_t)group, (long long)i, (long long)n_groups - 1);
    }
    return 0;
}

const struct packed_order *quant_order(struct unpacker *u, const unsigned char *order, int64_t in,
                                       int64_t n_groups)
{
    struct packed_order *o = arena_alloc(u->w->a, 1, sizeof *o);
    int *first, *input;

    if (in > INT_MAX || n_groups >= INT_MAX)
        return NULL;
    first = arena_alloc(u->w->a, (uint64_t)n_groups + 1, sizeof *first);
    input = arena_alloc(u->w->a, (uint64_t)in, sizeof *input);
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

void quant_fill(struct tensor *t, struct maker *maker, int64_t out, int64_t in)
{
    maker->quantised = maker->out_in = true;
    t->maker = maker;
    t->n_dims = 2;
    t->shape[0] = out;
    t->shape[1] = in;
}

const struct tensor *quant_parts(struct unpacker *u, const struct tensor *const *part, int n)
{
    struct tensor *all = arena_alloc(u->w->a, (size_t)n, sizeof *all);

    for (int i = 0; i < n; i++)
        all[i] = *part[i];
    return all;
}

const char *quant_in_groups(struct unpacker *u)
{
    return u->p->group == 0 ? "" :
           arena_printf(u->w->a, " in groups of %d", u->p->group);
}
