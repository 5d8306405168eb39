/* SPDX-License-Identifier: MIT
 * --rotations X.npy -> the random rotations of layers that hash. */
#include <math.h>

#include "session/select.h"
#include "weights/npz.h"

/* Columns that the config's buckets ask for; 0: the text says. */
static int rotations_width_of(const struct config *c)
{
    int width = 0;

    for (int i = 0; i < c->chunked.n_factors; i++)
        width += c->chunked.factor[i] / 2;
    return width;
}

static bool rotations_fits(const struct tensor *t, const struct model *m, int width)
{
    const struct config *config = &m->config;
    const int64_t *shape = t->shape + (t->n_dims == 5 ? 1 : 0);

    return (t->n_dims == 4 || (t->n_dims == 5 && t->shape[0] == m->n_hashed)) &&
           shape[0] == config->n_heads && shape[1] == config->d_head &&
           shape[2] == config->chunked.n_hashes &&
           (width > 0 ? shape[3] == width : shape[3] > 0 && shape[3] <= 1 << 30);
}

static int rotations_check(const struct session *s, const struct tensor *t, const char *path,
                           struct err *e)
{
    const struct config *config = &s->model->config;
    int width = rotations_width_of(config), count = s->model->n_hashed;
    char last[16] = "BUCKETS/2";

    if (!dtype_table[t->dtype].is_float)
        return err_set(e, ERR_INPUT, "%s: holds %s, expected F32, F16, BF16 or F64", path,
                       dtype_table[t->dtype].name);
    if (width > 0)
        snprintf(last, sizeof last, "%d", width);
    if (!rotations_fits(t, s->model, width))
        return err_set(e, ERR_INPUT,
                       "%s: shape %s, expected [%d,%d,%d,%s] or "
                       "[%d,%d,%d,%d,%s]",
                       path, tensor_shape(s->a, t), config->n_heads, config->d_head,
                       config->chunked.n_hashes, last, count, config->n_heads,
                       config->d_head, config->chunked.n_hashes, last);
    return 0;
}

static int rotations_read_values(const struct session *s, const struct tensor *t, const char *path,
                                 struct wanted *want, struct err *e)
{
    struct rotations *rotations = arena_alloc(s->a, 1, sizeof *rotations);
    float *x = arena_alloc_raw(s->a, (uint64_t)t->n_elements, sizeof *x);

    tensor_read(x, t, 0, t->n_elements);
    for (int64_t i = 0; i < t->n_elements; i++)
        if (!isfinite(x[i]))
            return err_set(e, ERR_INPUT, "%s: number %lld is not finite", path,
                           (long long)i);
    *rotations = (struct rotations){ x, t->n_dims == 5 ? s->model->n_hashed : 1,
                                     (int)t->shape[t->n_dims - 1] };
    want->rotations = rotations;
    return 0;
}

int session_rotations(const struct session *s, struct wanted *want, struct err *e)
{
    const struct model *model = s->model;
    const char *path = s->asked->rotations;
    const struct tensor *tensor;
    struct weights *weights;
    int status;

    if (path == NULL && model->n_hashed > 0 && !model->config.chunked.has_seed)
        err_warn(s->env->warn, "%s: has no hash_seed: its random rotations are drawn from "
                 "seed 0; --rotations gives others", model->name);
    if (path == NULL)
        return 0;
    if (model->n_hashed == 0)
        return err_set(e, ERR_USAGE, "--rotations: %s has no layers that hash",
                       model->name);
    weights = npz_open_one(s->a, path, &tensor, e);
    if (weights == NULL)
        return -1;
    status = rotations_check(s, tensor, path, e);
    if (status == 0)
        status = rotations_read_values(s, tensor, path, want, e);
    weights_close(weights);
    return status;
}
