/* SPDX-License-Identifier: MIT
 * --boxes X.npy -> the boxes of a text's tokens on its page. */
#include "session/shown/boxes.h"

#include <math.h>

#include "weights/npz.h"

int boxes_check(const struct session *session, struct err *e)
{
    const struct asked *asked = session->asked;

    if (asked->boxes == NULL)
        return 0;
    if (session->model == NULL)
        return err_set(e, ERR_USAGE, "--boxes: tokens are the same wherever they lie on a page");
    if (session->model->slot[W_BOX_X].weight == NULL)
        return err_set(e, ERR_USAGE, "--boxes: %s reads no boxes (only layoutlm does)",
                       session->model->name);
    return 0;
}

static int check_number(double x, int n, int64_t row, struct err *e)
{
    if (x >= 0 && x < n && floor(x) == x)
        return 0;
    return err_set(e, ERR_INPUT, "box %lld: found %g, expected whole numbers from 0 to %d",
                   (long long)row, x, n - 1);
}

/* Their widths and heights have rows in tables, too. */
static int read_boxes(const struct model *model, const float *x, int64_t n, int *box, struct err *e)
{
    for (int64_t i = 0; i < 4 * n; i++) {
        if (check_number((double)x[i], model->config.n_boxes, i / 4, e) != 0)
            return -1;
        box[i] = (int)x[i];
    }
    for (int64_t i = 0; i < n; i++, box += 4)
        if (box[2] < box[0] || box[3] < box[1])
            return err_set(e, ERR_INPUT, "box %lld: %d,%d,%d,%d: expected left, top, right, "
                           "bottom, with right and bottom at or after left and top",
                           (long long)i, box[0], box[1], box[2], box[3]);
    return 0;
}

static int boxes_take(const struct model *model, struct arena *a, const struct tensor *tensor,
                      struct item *item, struct err *e)
{
    int n = item->tokens.n, *box;
    float *x;

    if (tensor->n_dims != 2 || tensor->shape[0] != n || tensor->shape[1] != 4)
        return err_set(e, ERR_INPUT, "shape %s, expected [%d,4]: a box for each token, special "
                       "ones too", tensor_shape(a, tensor), n);
    x = arena_alloc_raw(a, (uint64_t)n, 4 * sizeof *x);
    box = arena_alloc_raw(a, (uint64_t)n, 4 * sizeof *box);
    tensor_read(x, tensor, 0, tensor->n_elements);
    if (read_boxes(model, x, n, box, e) != 0)
        return -1;
    item->box = box;
    return 0;
}

int boxes_fill(const struct session *session, struct arena *a, struct item *item, struct err *e)
{
    const char *path = session->asked->boxes;
    const struct tensor *tensor;
    struct weights *weights;
    int status;

    if (path == NULL)
        return 0;
    weights = npz_open_one(a, path, &tensor, e);
    if (weights == NULL)
        return -1;
    status = boxes_take(session->model, a, tensor, item, e);
    weights_close(weights);
    return status == 0 ? 0 : err_under(e, "%s", path);
}
