/* SPDX-License-Identifier: MIT
 * Arrays of the caller's -> arrays that weights are opened of. */
#include "lib/lib.h"

const char *arrays_missing(const struct mhaviz_array *array, int n)
{
    if (n > 0 && array == NULL)
        return "array";
    for (int i = 0; i < n; i++) {
        const struct mhaviz_array *x = &array[i];

        if (x->name == NULL || x->dtype == NULL || (x->n_dims > 0 && x->shape == NULL))
            return x->name == NULL ? "the name of an array" :
                   x->dtype == NULL ? "the dtype of an array" : "the shape of an array";
    }
    return NULL;
}

struct handed_array *arrays_handed(struct arena *a, const struct mhaviz_array *array, int n)
{
    struct handed_array *handed = arena_alloc(a, (uint64_t)n, sizeof *handed);

    for (int i = 0; i < n; i++)
        handed[i] = (struct handed_array){ array[i].name, array[i].dtype, array[i].data,
                                           array[i].size, array[i].n_dims, array[i].shape,
                                           array[i].strides };
    return handed;
}
