/* SPDX-License-Identifier: MIT
 * --input: a file of numbers -> arrays for a model that does not read text, and names of their
 * positions. */
#include <math.h>
#include <string.h>

#include "session/source/values.h"
#include "weights/npz.h"

/* ---- reading ---- */

/* "[0,3,4]" of element i. */
static char *session_values_place_of(struct arena *a, const struct tensor *tensor, int64_t i)
{
    char *text = arena_strdup(a, "]");

    for (int k = tensor->n_dims - 1; k >= 0; k--) {
        text = arena_printf(a, "%s%lld%s", k > 0 ? "," : "[",
                            (long long)(i % tensor->shape[k]), text);
        i /= tensor->shape[k];
    }
    return tensor->n_dims > 0 ? text : arena_strdup(a, "[]");
}

int values_floats(struct arena *a, const struct tensor *tensor, float **x, struct err *e)
{
    *x = arena_alloc_raw(a, (uint64_t)tensor->n_elements, sizeof **x);
    tensor_read(*x, tensor, 0, tensor->n_elements);
    for (int64_t i = 0; i < tensor->n_elements; i++)
        if (!isfinite((*x)[i]))
            return err_set(e, ERR_INPUT, "element %s is %s as a float, expected finite "
                           "numbers", session_values_place_of(a, tensor, i), isnan((*x)[i]) ? "NaN"
                                                                       : "infinite");
    return 0;
}

/* The arrays of one text each: tensor itself, or its parts along a leading axis. */
static int take_apart(struct arena *a, const struct model *model, const struct tensor *tensor,
                      struct values **out, int *n, struct err *e)
{
    int64_t want_dim[4], size;
    int dims = front_dims(model, want_dim), first = tensor->n_dims - dims;
    struct values values = { .n_dims = dims };
    char want[64];
    float *x;

    front_shape(model, want);
    if (first < 0 || first > 1 || (first == 1 && tensor->shape[0] < 1) ||
        (first == 1 && tensor->shape[0] > MAX_VALUES))
        return err_set(e, ERR_INPUT, "shape %s, expected %s, or 1 to %d of them on a "
                       "leading axis", tensor_shape(a, tensor), want, MAX_VALUES);
    *n = first == 1 ? (int)tensor->shape[0] : 1;
    memcpy(values.dim, tensor->shape + first, (size_t)dims * sizeof *values.dim);
    if (front_positions(model, &values, e) < 0)
        return first == 0 ? -1 : err_under(e, "%d arrays", *n);
    if (values_floats(a, tensor, &x, e) != 0)
        return -1;
    size = tensor->n_elements / *n;
    *out = arena_alloc(a, (size_t)*n, sizeof **out);
    for (int i = 0; i < *n; i++) {
        (*out)[i] = values;
        (*out)[i].x = x + i * size;
    }
    return 0;
}

/* NULL: there is none of this name. */
static const struct handed_array *find_given(const struct asked_arrays *given, const char *name)
{
    for (int i = 0; given != NULL && i < given->n; i++)
        if (strcmp(given->array[i].name, name) == 0)
            return &given->array[i];
    return NULL;
}

static struct weights *session_values_open_one(struct arena *a, const struct asked_arrays *given,
                                               const char *path, const struct tensor **only,
                                               struct err *e)
{
    const struct handed_array *array = find_given(given, path);
    struct weights *weights;

    if (array == NULL)
        return npz_open_one(a, path, only, e);
    weights = weights_open_arrays(a, array, 1, "arrays", e);
    if (weights != NULL)
        *only = weights_at(weights, 0);
    return weights;
}

int values_read(struct arena *a, const struct model *model, const struct asked_arrays *given,
                const char *path, struct values **out, int *n, struct err *e)
{
    const struct tensor *tensor;
    struct weights *weights = session_values_open_one(a, given, path, &tensor, e);
    int status;

    if (weights == NULL)
        return -1;
    status = take_apart(a, model, tensor, out, n, e);
    weights_close(weights);
    return status == 0 ? 0 : err_under(e, "%s", path);
}

/* ---- names of positions ---- */

/* "0.42s"; "0.0125s" where two places would not tell positions apart. */
static char *time_of(struct arena *a, const struct model *model, int i)
{
    double seconds = front_seconds(model);

    return arena_printf(a, "%.*fs", seconds < 0.01 ? 4 : 2, i * seconds);
}

static char *session_values_label_of(struct arena *a, const struct model *model,
                                     const struct values *v, int i)
{
    int columns;

    switch (model->family->front) {
    case FRONT_PATCH:
        columns = front_patch_columns(model, v->dim[2]);
        if (i < front_learnt_rows(model))
            return arena_strdup(a, i == 0 ? "[CLS]" : "[DIST]");
        i -= front_learnt_rows(model);
        return arena_printf(a, "%d,%d", i / columns, i % columns);
    case FRONT_MEL_CONV:
    case FRONT_WAVE:
        return time_of(a, model, i);
    case FRONT_ROWS:
    case FRONT_QKV:
    case FRONT_TOKENS:
        break;
    }
    return arena_printf(a, "%d", i);
}

void values_describe(struct arena *a, const struct model *model, const struct values *v, int n,
                     struct tokens *out)
{
    size_t size = (size_t)n;

    *out = (struct tokens){
        .n = n,
        .type = arena_alloc(a, size, sizeof *out->type),
        .special = arena_alloc(a, size, 1),
        .bytes = arena_alloc(a, size, sizeof *out->bytes),
        .chars = arena_alloc(a, size, sizeof *out->chars),
        .piece = arena_alloc(a, size, sizeof *out->piece),
        .label = arena_alloc(a, size, sizeof *out->label),
        .label_size = arena_alloc(a, size, sizeof *out->label_size),
    };
    for (int i = 0; i < n; i++) {
        out->piece[i] = out->label[i] = session_values_label_of(a, model, v, i);
        out->label_size[i] = strlen(out->label[i]);
    }
    for (int i = 0; i < front_learnt_rows(model); i++)
        out->special[i] = 1;
}
