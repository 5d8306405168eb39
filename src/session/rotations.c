/* SPDX-License-Identifier: MIT
 * --rotations X.npy -> the random rotations of layers that hash. */
#include <math.h>

#include "session/select.h"
#include "weights/npz.h"

/* Columns that the config's buckets ask for; 0: the text says. */
static int rotations_width_of(const struct config *config)
{
    int width = 0;

    for (int i = 0; i < config->chunked.n_factors; i++)
        width += config->chunked.factor[i] / 2;
    return width;
}

static bool rotations_fits(const struct tensor *tensor, const struct model *model, int width)
{
    const struct config *config = &model->config;
    const int64_t *shape = tensor->shape + (tensor->n_dims == 5 ? 1 : 0);

    return (tensor->n_dims == 4 || (tensor->n_dims == 5 && tensor->shape[0] == model->n_hashed)) &&
           shape[0] == config->n_heads && shape[1] == config->d_head &&
           shape[2] == config->chunked.n_hashes &&
           (width > 0 ? shape[3] == width : shape[3] > 0 && shape[3] <= 1 << 30);
}

static int rotations_check(const struct session *session, const struct tensor *tensor,
                           const char *path, struct err *e)
{
    const struct config *config = &session->model->config;
    int width = rotations_width_of(config), count = session->model->n_hashed;
    char last[16] = "BUCKETS/2";

    if (!dtype_table[tensor->dtype].is_float)
        return err_set(e, ERR_INPUT, "%s: holds %s, expected F32, F16, BF16 or F64", path,
                       dtype_table[tensor->dtype].name);
    if (width > 0)
        snprintf(last, sizeof last, "%d", width);
    if (!rotations_fits(tensor, session->model, width))
        return err_set(e, ERR_INPUT,
                       "%s: shape %s, expected [%d,%d,%d,%s] or "
                       "[%d,%d,%d,%d,%s]",
                       path, tensor_shape(session->a, tensor), config->n_heads, config->d_head,
                       config->chunked.n_hashes, last, count, config->n_heads,
                       config->d_head, config->chunked.n_hashes, last);
    return 0;
}

static int rotations_read_values(const struct session *session, const struct tensor *tensor,
                                 const char *path, struct wanted *want, struct err *e)
{
    struct rotations *rotations = arena_alloc(session->a, 1, sizeof *rotations);
    float *x = arena_alloc_raw(session->a, (uint64_t)tensor->n_elements, sizeof *x);

    tensor_read(x, tensor, 0, tensor->n_elements);
    for (int64_t i = 0; i < tensor->n_elements; i++)
        if (!isfinite(x[i]))
            return err_set(e, ERR_INPUT, "%s: number %lld is not finite", path,
                           (long long)i);
    *rotations = (struct rotations){ x, tensor->n_dims == 5 ? session->model->n_hashed : 1,
                                     (int)tensor->shape[tensor->n_dims - 1] };
    want->rotations = rotations;
    return 0;
}

int session_rotations(const struct session *session, struct wanted *want, struct err *e)
{
    const struct model *model = session->model;
    const char *path = session->asked->rotations;
    const struct tensor *tensor;
    struct weights *weights;
    int status;

    if (path == NULL && model->n_hashed > 0 && !model->config.chunked.has_seed)
        err_warn(session->env->warn, "%s: has no hash_seed: its random rotations are drawn from "
                 "seed 0; --rotations gives others", model->name);
    if (path == NULL)
        return 0;
    if (model->n_hashed == 0)
        return err_set(e, ERR_USAGE, "--rotations: %s has no layers that hash",
                       model->name);
    weights = npz_open_one(session->a, path, &tensor, e);
    if (weights == NULL)
        return -1;
    status = rotations_check(session, tensor, path, e);
    if (status == 0)
        status = rotations_read_values(session, tensor, path, want, e);
    weights_close(weights);
    return status;
}
