/* SPDX-License-Identifier: MIT
 * .npy -> an attention mask: hidden keys, numbers added to scores. */
#include "session/shown/mask_file.h"

#include <math.h>
#include <string.h>

#include "weights/npz.h"

struct mask_file {
    struct mask_values values;
    struct arena *a;                /* of the numbers: the session's goes back after a text */
    const struct warn *warn;
    const char *path, *shape;
    enum err_kind failed;           /* a reading that did, with … */
    char why[sizeof ((struct err *)0)->msg];
};

/* ---- shapes ---- */

/* [T, S], [heads or texts, T, S] or [texts, heads, T, S]. */
static int set_shape(struct mask_array *array, struct arena *a, const struct tensor *tensor,
                     int n_heads, struct err *e)
{
    int count = tensor->n_dims;

    if (count < 2 || count > 4 || tensor->n_elements == 0)
        return err_set(e, ERR_INPUT, "%s: has the shape %s, expected [queries, keys], "
                       "[heads, queries, keys] or [texts, heads, queries, keys]%s", array->name,
                       tensor_shape(a, tensor), count == 1 ? "; a mask of keys alone is "
                       "keys:FILE.npy" : "");
    array->S = tensor->shape[count - 1];
    array->T = tensor->shape[count - 2];
    array->n_batch = array->n_heads = 1;
    if (count == 4) {
        array->n_batch = tensor->shape[0];
        array->n_heads = tensor->shape[1];
    } else if (count == 3 && tensor->shape[0] == n_heads) {
        array->n_heads = n_heads;
    } else if (count == 3) {
        array->n_batch = tensor->shape[0];
    }
    return 0;
}

/* [S] or [texts, S], for all queries and heads. */
static int set_key_shape(struct mask_array *array, struct arena *a, const struct tensor *tensor,
                         struct err *e)
{
    if (tensor->n_dims < 1 || tensor->n_dims > 2 || tensor->n_elements == 0)
        return err_set(e, ERR_INPUT, "%s: has the shape %s, expected [keys] or [texts, keys]",
                       array->name, tensor_shape(a, tensor));
    array->S = tensor->shape[tensor->n_dims - 1];
    array->n_batch = tensor->n_dims == 2 ? tensor->shape[0] : 1;
    array->T = array->n_heads = 1;
    return 0;
}

/* ---- numbers ---- */

/* What an element stands for: of integers, 0 hides. */
static float mask_file_number_of(const struct tensor *tensor, float x)
{
    return dtype_table[tensor->dtype].is_float ? x : x == 0 ? -INFINITY : 0;
}

static int set_values(struct mask_file *file, const struct tensor *tensor, struct err *e)
{
    float *v = arena_alloc_raw(file->a, (size_t)tensor->n_elements, sizeof *v);
    bool ones = true, zeros = true;

    tensor_read(v, tensor, 0, tensor->n_elements);
    for (int64_t i = 0; i < tensor->n_elements; i++) {
        v[i] = mask_file_number_of(tensor, v[i]);
        if (isnan(v[i]) || v[i] == INFINITY)
            return err_set(e, ERR_INPUT, "%s: element %lld is %s, expected numbers or -inf",
                           file->path, (long long)i, isnan(v[i]) ? "NaN" : "inf");
        file->values.adds = file->values.adds || (v[i] != 0 && v[i] != -INFINITY);
        zeros = zeros && v[i] == 0;
        ones = ones && (v[i] == 0 || v[i] == 1);
    }
    /* torch.ones with some zeros, for masked_fill(mask == 0, ..), is of floats. */
    if (ones && !zeros)
        err_warn(file->warn, "%s: floats of only 0 and 1 are added to the scores and "
                 "hide nothing; in integers and booleans, 0 hides", file->path);
    file->values.x = v;
    return 0;
}

static int mask_file_read(struct mask_file *file, struct err *e)
{
    const struct tensor *tensor;
    struct weights *weights = npz_open_one(file->a, file->path, &tensor, e);
    int status;

    if (weights == NULL)
        return -1;
    if (strcmp(tensor_shape(file->a, tensor), file->shape) != 0)
        status = err_set(e, ERR_INPUT, "%s: changed while it was read: has the shape %s, had %s",
                         file->path, tensor_shape(file->a, tensor), file->shape);
    else
        status = set_values(file, tensor, e);
    weights_close(weights);
    return status;
}

static int read_once(struct mask_values *self, struct err *e)
{
    struct mask_file *file = (struct mask_file *)self;

    if (file->failed != ERR_NONE)
        return err_set(e, file->failed, "%s", file->why);
    if (mask_file_read(file, e) == 0)
        return 0;
    file->failed = e->kind;
    memcpy(file->why, e->msg, sizeof file->why);
    return -1;
}

static struct mask_file *new_file(const struct session *session, const char *path,
                                  const char *shape)
{
    struct mask_file *file = arena_alloc(session->a, 1, sizeof *file);

    file->values.read = read_once;
    file->path = path;
    file->shape = shape;
    file->warn = session->env->warn;
    file->a = arena_child(session->a);
    return file;
}

int mask_file_open(const struct session *session, const char *path, bool keys,
                   struct mask_array *out, struct err *e)
{
    struct tensor tensor;

    if (npz_shape(session->a, path, &tensor, e) != 0)
        return -1;
    *out = (struct mask_array){ .name = path, .shape = tensor_shape(session->a, &tensor),
                                .keys_alone = keys };
    if ((keys ? set_key_shape(out, session->a, &tensor, e)
              : set_shape(out, session->a, &tensor, session->n_heads, e)) != 0)
        return -1;
    out->values = &new_file(session, path, out->shape)->values;
    return 0;
}
