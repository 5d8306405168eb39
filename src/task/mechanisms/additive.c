/* SPDX-License-Identifier: MIT
 * A file of weights -> the scoring network of additive attention. */
#include <math.h>

#include "task/mechanisms/mechanisms.h"

enum { MOST_ROWS = 1000000 };

/* A tensor of rows x columns; rows 0: any number, columns 0: a vector. */
static const struct tensor *mechanisms_additive_find(const struct weights *file, const char *path,
                                                     const char *name, int64_t rows,
                                                     int64_t columns, struct arena *a,
                                                     struct err *e)
{
    const struct tensor *tensor = weights_find(file, name);
    const char *n = rows > 0 ? arena_printf(a, "%lld", (long long)rows) : "a";

    if (tensor == NULL) {
        err_set(e, ERR_INPUT, "%s: no tensor %s; expected W [a,d], U [a,d] and v [a]", path,
                name);
        return NULL;
    }
    if (!dtype_table[tensor->dtype].is_float) {
        err_set(e, ERR_INPUT, "%s: %s: type %s holds no weights", path, name,
                dtype_table[tensor->dtype].name);
        return NULL;
    }
    if (tensor->n_dims == (columns > 0 ? 2 : 1) && tensor->shape[0] >= 1 &&
        tensor->shape[0] <= MOST_ROWS && (rows == 0 || tensor->shape[0] == rows) &&
        (columns == 0 || tensor->shape[1] == columns))
        return tensor;
    if (columns > 0)
        n = arena_printf(a, "%s,%lld", n, (long long)columns);
    err_set(e, ERR_INPUT, "%s: %s: shape %s, expected [%s]", path, name,
            tensor_shape(a, tensor), n);
    return NULL;
}

static float *mechanisms_additive_read_all(const struct weights *file, const char *path, int64_t d,
                                           int *width, struct arena *a, struct err *e)
{
    static const char *const name[] = { "W", "U", "v" };
    int64_t rows = 0, at = 0;
    float *all = NULL;

    for (int i = 0; i < 3; i++) {
        const struct tensor *tensor = mechanisms_additive_find(file, path, name[i], rows,
                                                               i < 2 ? d : 0, a, e);

        if (tensor == NULL)
            return NULL;
        rows = tensor->shape[0];
        if (all == NULL)
            all = arena_alloc_raw(a, (uint64_t)rows, (2 * (uint64_t)d + 1) * sizeof *all);
        tensor_read(all + at, tensor, 0, tensor->n_elements);
        at += tensor->n_elements;
    }
    *width = (int)rows;
    for (int64_t i = 0; i < at; i++)
        if (!isfinite(all[i])) {
            err_set(e, ERR_INPUT, "%s: holds NaN or infinities", path);
            return NULL;
        }
    return all;
}

const float *mechanisms_additive_read(struct arena *a, const char *path, int d, int *width,
                                      struct err *e)
{
    struct weights *file = weights_open(a, path, e);
    float *all = NULL;

    if (file == NULL)
        return NULL;
    all = mechanisms_additive_read_all(file, path, d, width, a, e);
    weights_close(file);
    return all;
}
