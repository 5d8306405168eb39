/* SPDX-License-Identifier: MIT
 * Arrays in the caller's memory -> tensors. */
#include "weights/weights_priv.h"

/* ---- what one is ---- */

/* Blocks are no elements that an array has. */
static bool arrays_is_plain(int type)
{
    return dtype_table[type].block == 1;
}

static int find_dtype(struct arena *a, const char *name, enum dtype *dtype, struct err *e)
{
    char *all = arena_strdup(a, "");

    for (int i = 0; i < N_DTYPE; i++) {
        if (!arrays_is_plain(i))
            continue;
        if (strcmp(name, dtype_table[i].name) == 0) {
            *dtype = (enum dtype)i;
            return 0;
        }
        all = arena_printf(a, "%s%s%s", all, i > 0 ? " " : "", dtype_table[i].name);
    }
    return err_set(e, ERR_INPUT, "dtype \"%s\", expected one of %s", str_shown(a, name), all);
}

static int take_shape(struct arena *a, struct tensor *tensor, const struct handed_array *x,
                      int64_t *size_bytes, struct err *e)
{
    if (x->n_dims < 0 || x->n_dims > MAX_DIMS)
        return err_set(e, ERR_INPUT, "%d dimensions, expected 0 to %d", x->n_dims, MAX_DIMS);
    tensor->n_dims = x->n_dims;
    for (int i = 0; i < x->n_dims; i++)
        tensor->shape[i] = x->shape[i];
    for (int i = 0; i < x->n_dims; i++)
        if (x->shape[i] < 0)
            return err_set(e, ERR_INPUT, "shape %s: expected lengths of at least 0",
                           tensor_shape(a, tensor));
    if (tensor_measure(tensor, size_bytes) != 0)
        return err_set(e, ERR_INPUT, "shape %s of %s takes over 2^63 bytes",
                       tensor_shape(a, tensor), x->dtype);
    return 0;
}

/* ---- where its elements lie ---- */

/* Each row follows the one before: nothing is to be copied. */
static bool is_dense(const struct tensor *tensor, const struct handed_array *x)
{
    int64_t step = dtype_table[tensor->dtype].size_bytes;

    if (x->strides == NULL || tensor->n_elements == 0)
        return true;
    for (int i = tensor->n_dims - 1; i >= 0; i--) {
        if (tensor->shape[i] > 1 && x->strides[i] != step)
            return false;
        step *= tensor->shape[i];
    }
    return true;
}

/* Bytes from the first element to the end of the last; -1: a stride below 0, or over 2^63. */
static int64_t reach_of(const struct tensor *tensor, const int64_t *strides)
{
    int64_t reach = dtype_table[tensor->dtype].size_bytes, further;

    for (int i = 0; i < tensor->n_dims; i++)
        if (tensor->shape[i] > 1 &&
            (strides[i] < 0 || __builtin_mul_overflow(tensor->shape[i] - 1, strides[i], &further) ||
             __builtin_add_overflow(reach, further, &reach)))
            return -1;
    return reach;
}

static int check_reach(struct arena *a, const struct tensor *tensor, const struct handed_array *x,
                       int64_t size_bytes, struct err *e)
{
    int64_t reach = is_dense(tensor, x) ? size_bytes : reach_of(tensor, x->strides);

    if (reach < 0)
        return err_set(e, ERR_INPUT, "shape %s: a stride is below 0, or reaches past 2^63 bytes",
                       tensor_shape(a, tensor));
    if ((uint64_t)reach > x->size_bytes)
        return err_set(e, ERR_INPUT, "shape %s of %s takes %lld bytes, there are %zu",
                       tensor_shape(a, tensor), x->dtype, (long long)reach, x->size_bytes);
    if (reach > 0 && x->data == NULL)
        return err_set(e, ERR_INPUT, "has no data");
    return 0;
}

/* Row by row, from wherever they lie. */
static const unsigned char *arrays_gather(struct arena *a, const struct tensor *tensor,
                                          const struct handed_array *x, int64_t size_bytes)
{
    size_t element = (size_t)dtype_table[tensor->dtype].size_bytes;
    unsigned char *copy = arena_alloc_raw(a, (uint64_t)size_bytes, 1);
    int64_t at[MAX_DIMS] = { 0 };

    for (int64_t k = 0; k < tensor->n_elements; k++) {
        const unsigned char *from = x->data;
        int i = tensor->n_dims - 1;

        for (int d = 0; d < tensor->n_dims; d++)
            from += at[d] * x->strides[d];
        memcpy(copy + (size_t)k * element, from, element);
        while (i >= 0 && ++at[i] == tensor->shape[i])
            at[i--] = 0;
    }
    return copy;
}

static int arrays_take(struct arena *a, struct tensor *tensor, const struct handed_array *x,
                       struct err *e)
{
    int64_t size_bytes;

    if (find_dtype(a, x->dtype, &tensor->dtype, e) != 0 ||
        take_shape(a, tensor, x, &size_bytes, e) != 0 ||
        check_reach(a, tensor, x, size_bytes, e) != 0)
        return -1;
    tensor->data = is_dense(tensor, x) ? x->data : arrays_gather(a, tensor, x, size_bytes);
    return 0;
}

struct weights *weights_open_arrays(struct arena *a, const struct handed_array *array, int n,
                                    const char *name, struct err *e)
{
    struct weights *weights = arena_alloc(a, 1, sizeof *weights);

    weights->a = a;
    weights->tensor = arena_alloc(a, (uint64_t)n, sizeof *weights->tensor);
    weights->n = n;
    for (int i = 0; i < n; i++) {
        struct tensor *tensor = &weights->tensor[i];

        tensor->name = arena_strdup(a, array[i].name);
        tensor->file = name;
        if (arrays_take(a, tensor, &array[i], e) != 0) {
            err_under(e, "%s: %s", name, str_shown(a, array[i].name));
            return NULL;
        }
    }
    if (weights_sort(a, weights->tensor, n, e) != 0) {
        err_under(e, "%s", name);
        return NULL;
    }
    return weights;
}
