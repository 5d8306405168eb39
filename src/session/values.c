/* SPDX-License-Identifier: MIT
 * --input: a file of numbers -> arrays for a model that does not read text, and names of their
 * positions. */
#include <math.h>
#include <string.h>

#include "session/values.h"
#include "weights/npz.h"

/* ---- reading ---- */

/* "[0,3,4]" of element i. */
static char *session_values_place_of(struct arena *a, const struct tensor *t, int64_t i)
{
    char *text = arena_strdup(a, "]");

    for (int k = t->n_dims - 1; k >= 0; k--) {
        text = arena_printf(a, "%s%lld%s", k > 0 ? "," : "[",
                            (long long)(i % t->shape[k]), text);
        i /= t->shape[k];
    }
    return t->n_dims > 0 ? text : arena_strdup(a, "[]");
}

int values_floats(struct arena *a, const struct tensor *t, float **x, struct err *e)
{
    *x = arena_alloc_raw(a, (uint64_t)t->n_elements, sizeof **x);
    tensor_read(*x, t, 0, t->n_elements);
    for (int64_t i = 0; i < t->n_elements; i++)
        if (!isfinite((*x)[i]))
            return err_set(e, ERR_INPUT, "element %s is %s as a float, expected finite "
                           "numbers", session_values_place_of(a, t, i), isnan((*x)[i]) ? "NaN"
                                                                       : "infinite");
    return 0;
}

/* The arrays of one text each: t itself, or its parts along a leading axis. */
static int take_apart(struct arena *a, const struct model *m, const struct tensor *t,
                      struct values **out, int *n, struct err *e)
{
    int64_t want_dim[4], size;
    int dims = front_dims(m, want_dim), first = t->n_dims - dims;
    struct values values = { .n_dims = dims };
    char want[64];
    float *x;

    front_shape(m, want);
    if (first < 0 || first > 1 || (first == 1 && t->shape[0] < 1) ||
        (first == 1 && t->shape[0] > MAX_VALUES))
        return err_set(e, ERR_INPUT, "shape %s, expected %s, or 1 to %d of them on a "
                       "leading axis", tensor_shape(a, t), want, MAX_VALUES);
    *n = first == 1 ? (int)t->shape[0] : 1;
    memcpy(values.dim, t->shape + first, (size_t)dims * sizeof *values.dim);
    if (front_positions(m, &values, e) < 0)
        return first == 0 ? -1 : err_under(e, "%d arrays", *n);
    if (values_floats(a, t, &x, e) != 0)
        return -1;
    size = t->n_elements / *n;
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

int values_read(struct arena *a, const struct model *m, const struct asked_arrays *given,
                const char *path, struct values **out, int *n, struct err *e)
{
    const struct tensor *tensor;
    struct weights *weights = session_values_open_one(a, given, path, &tensor, e);
    int status;

    if (weights == NULL)
        return -1;
    status = take_apart(a, m, tensor, out, n, e);
    weights_close(weights);
    return status == 0 ? 0 : err_under(e, "%s", path);
}

/* ---- names of positions ---- */

/* "0.42s"; "0.0125s" where two places would not tell positions apart. */
static char *time_of(struct arena *a, const struct model *m, int i)
{
    double seconds = front_seconds(m);

    return arena_printf(a, "%.*fs", seconds < 0.01 ? 4 : 2, i * seconds);
}

static char *session_values_label_of(struct arena *a, const struct model *m, const struct values *v,
                                     int i)
{
    int columns;

    switch (m->family->front) {
    case FRONT_PATCH:
        columns = front_patch_columns(m, v->dim[2]);
        if (i < front_learnt_rows(m))
            return arena_strdup(a, i == 0 ? "[CLS]" : "[DIST]");
        i -= front_learnt_rows(m);
        return arena_printf(a, "%d,%d", i / columns, i % columns);
    case FRONT_MEL_CONV:
    case FRONT_WAVE:
        return time_of(a, m, i);
    case FRONT_ROWS:
    case FRONT_QKV:
    case FRONT_TOKENS:
        break;
    }
    return arena_printf(a, "%d", i);
}

void values_describe(struct arena *a, const struct model *m, const struct values *v, int n,
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
        out->piece[i] = out->label[i] = session_values_label_of(a, m, v, i);
        out->label_size[i] = strlen(out->label[i]);
    }
    for (int i = 0; i < front_learnt_rows(m); i++)
        out->special[i] = 1;
}
