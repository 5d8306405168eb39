/* SPDX-License-Identifier: MIT
 * A layer's queries, keys, values and output -> the first that is not finite. */
#include "analysis/mechanisms_check.h"

#include <math.h>

#define CAUSE "the weights or the input hold NaN or infinities, or overflow"

bool mechanisms_all_finite(const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* The queries, keys or values of one head: x[n, d], rows stride apart. */
struct head_rows {
    const char *what;           /* "query" */
    int head;
    const float *x;
    int64_t stride;
    int n, d;
};

static int check_rows(const struct model *model, int layer, struct head_rows rows,
                      struct err *e)
{
    for (int i = 0; i < rows.n; i++)
        if (!mechanisms_all_finite(rows.x + i * rows.stride, rows.d))
            return err_set(e, ERR_INPUT, "%s: layer %d, head %d: the %s of row %d is not "
                           "finite: " CAUSE, model->name, layer, rows.head, rows.what, i);
    return 0;
}

int mechanisms_check_view(const struct model *model, const struct qkv_view *view, struct err *e)
{
    int d = view->at->d, d_v = view->at->d_v, share = view->H / view->G;

    if (view->at->sink != NULL)
        return err_set(e, ERR_INPUT, "%s: layer %d: its softmax has a sink that is not a key, "
                       "which no mechanism has", model->name, view->layer);
    for (int h = 0; h < view->H; h++)
        if (check_rows(model, view->layer, (struct head_rows){ "query", h, view->q + view->q_at[h],
                                                               view->q_stride, view->T,
                                                               d }, e) != 0)
            return -1;
    for (int g = 0; g < view->G; g++)
        if (check_rows(model, view->layer, (struct head_rows){ "key", g * share,
                                                               view->kv + view->k_at[g],
                                                               view->kv_stride, view->S,
                                                               d }, e) != 0 ||
            check_rows(model, view->layer, (struct head_rows){ "value", g * share,
                                                               view->kv + view->v_at[g],
                                                               view->kv_stride,
                                                               view->S, d_v }, e) != 0)
            return -1;
    return 0;
}

int mechanisms_check_output(const struct model *model, const struct qkv_view *view, const float *z,
                            const float *out, int d_out, struct err *e)
{
    if (!mechanisms_all_finite(z, (int64_t)view->T * view->H * view->at->d_v))
        return 0;
    for (int i = 0; i < view->T; i++)
        if (!mechanisms_all_finite(out + (int64_t)i * d_out, d_out))
            return err_set(e, ERR_INPUT,
                           "%s: layer %d, all heads: the output of row %d after "
                           "the output projection is not finite: " CAUSE,
                           model->name, view->layer, i);
    return 0;
}

int mechanisms_check_hidden(const struct model *model, const float *x, int n, struct err *e)
{
    for (int i = 0; i < n; i++)
        if (!mechanisms_all_finite(x + (int64_t)i * model->d_hidden, model->d_hidden))
            return err_set(e, ERR_INPUT, "%s: the last hidden state of token %d is not finite: "
                           CAUSE, model->name, i);
    return 0;
}
