/* SPDX-License-Identifier: MIT
 * Arrays of the caller -> arrays for weights_open_arrays. */
#include "lib/lib.h"

/* Array i of those that begin at array, each of this size. */
static const void *array_at(const struct mhaviz_array *array, size_t size, int i)
{
    return (const char *)array + (size_t)i * size;
}

static int array_check(const struct mhaviz_array *x, struct err *e)
{
    const char *missing = x->name == NULL ? "name" : x->dtype == NULL ? "dtype" :
                          x->n_dims > 0 && x->shape == NULL ? "shape" : NULL;

    return missing == NULL ? 0 :
           err_set(e, ERR_USAGE, "the %s of an array: is NULL", missing);
}

int arrays_check(const struct mhaviz_array *array, int n, struct err *e)
{
    struct mhaviz_array x;
    size_t size;

    if (n <= 0)
        return n == 0 ? 0 : err_set(e, ERR_USAGE, "n: is below 0");
    if (array == NULL)
        return err_set(e, ERR_USAGE, "array: is NULL");
    size = sized_size(&sized_array, array, e);
    if (size == 0)
        return -1;
    for (int i = 0; i < n; i++) {
        if (sized_take(&sized_array, &x, array_at(array, size, i), e) != 0 ||
            array_check(&x, e) != 0)
            return -1;
        if (x.struct_size != size)
            return err_set(e, ERR_USAGE, "array->struct_size: is %zu and %zu, expected the same "
                           "of all arrays", size, x.struct_size);
    }
    return 0;
}

struct handed_array *arrays_handed(struct arena *a, const struct mhaviz_array *array, int n)
{
    struct handed_array *handed = arena_alloc(a, (uint64_t)n, sizeof *handed);
    struct mhaviz_array x;
    struct err e;

    for (int i = 0; i < n; i++) {
        if (sized_take(&sized_array, &x, array_at(array, array->struct_size, i), &e) == 0)
            handed[i] = (struct handed_array){ x.name, x.dtype, x.data, x.size, x.n_dims, x.shape,
                                               x.strides };
    }
    return handed;
}
