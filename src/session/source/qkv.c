/* SPDX-License-Identifier: MIT
 * --qkv Q.npy,K.npy,V.npy -> rows of queries, keys and values side by side. */
#include <math.h>
#include <string.h>

#include "model/hub.h"
#include "model/precomputed.h"
#include "session/source/precomputed.h"
#include "weights/npz.h"

enum part { PART_Q, PART_K, PART_V, N_PART };

/* One file: [B, heads, n, width], or [B, n, heads width]. */
struct part_file {
    const char *path;
    struct weights *w;
    const struct tensor *t;
    int64_t B, heads, n, width;
};

struct three {
    struct part_file of[N_PART];
    bool joined;                /* heads lie side by side in each row: --heads says so */
};

/* ---- reading ---- */

static int part_shape(struct part_file *file, struct arena *a, struct err *e)
{
    const struct tensor *tensor = file->t;
    int count = tensor->n_dims;

    if (count < 2 || count > 4 || tensor->n_elements == 0)
        return err_set(e, ERR_INPUT,
                       "%s: shape %s, expected [rows, width], [heads, rows, "
                       "width] or [texts, heads, rows, width]",
                       file->path, tensor_shape(a, tensor));
    file->width = tensor->shape[count - 1];
    file->n = tensor->shape[count - 2];
    file->heads = count > 2 ? tensor->shape[count - 3] : 1;
    file->B = count > 3 ? tensor->shape[0] : 1;
    return 0;
}

/* The same of rows that all heads share; the heads are counted later. */
static int joined_shape(struct part_file *file, struct arena *a, struct err *e)
{
    const struct tensor *tensor = file->t;
    int count = tensor->n_dims;

    if (count < 2 || count > 3 || tensor->n_elements == 0)
        return err_set(e, ERR_INPUT,
                       "%s: shape %s, with --heads expected [rows, d_model] or [texts, rows, "
                       "d_model]", file->path, tensor_shape(a, tensor));
    file->width = tensor->shape[count - 1];
    file->n = tensor->shape[count - 2];
    file->heads = 1;
    file->B = count > 2 ? tensor->shape[0] : 1;
    return 0;
}

static int open_part(struct part_file *file, bool joined, struct arena *a, struct err *e)
{
    file->w = npz_open_one(a, file->path, &file->t, e);
    if (file->w == NULL || (joined ? joined_shape : part_shape)(file, a, e) != 0)
        return -1;
    if (file->n <= MAX_VALUES && file->B <= MAX_VALUES && file->heads <= MAX_VALUES &&
        file->width <= MAX_VALUES && file->heads * file->width <= MAX_VALUES)
        return 0;
    return err_set(e, ERR_INPUT, "%s: shape %s, expected at most %d texts, rows and heads "
                   "x width", file->path, tensor_shape(a, file->t), MAX_VALUES);
}

static int indivisible(const struct part_file *file, struct arena *a, int64_t n,
                       const char *what, struct err *e)
{
    return err_set(e, ERR_USAGE, "--heads: %s has shape %s, whose %lld column%s not those "
                   "of %lld %s", file->path, tensor_shape(a, file->t), (long long)file->width,
                   file->width == 1 ? " is" : "s are",
                   (long long)n, what);
}

/* Columns of rows -> heads; keys and values may have fewer, in groups. */
static int split_heads(struct three *x, struct arena *a, int heads, struct err *e)
{
    struct part_file *q = &x->of[PART_Q], *k = &x->of[PART_K], *v = &x->of[PART_V];
    int64_t width = q->width / heads;

    if (q->width % heads != 0)
        return indivisible(q, a, heads, "heads", e);
    if (k->width % width != 0 || heads % (k->width / width) != 0)
        return indivisible(k, a, heads, "heads, or of fewer that divide them, as wide as the "
                           "queries'", e);
    if (v->width % (k->width / width) != 0)
        return indivisible(v, a, k->width / width, "heads of keys", e);
    q->heads = heads;
    v->heads = k->heads = k->width / width;
    v->width /= v->heads;
    q->width = k->width = width;
    return 0;
}

static int differ(struct arena *a, const struct part_file *x, const struct part_file *y,
                  const char *want, struct err *e)
{
    return err_set(e, ERR_INPUT, "--qkv: %s has shape %s, %s %s: expected %s", x->path,
                   tensor_shape(a, x->t), y->path, tensor_shape(a, y->t), want);
}

static int check_parts(const struct three *x, struct arena *a, struct err *e)
{
    const struct part_file *q = &x->of[PART_Q], *k = &x->of[PART_K], *v = &x->of[PART_V];

    if (k->B != q->B)
        return differ(a, q, k, "as many texts", e);
    if (v->B != q->B)
        return differ(a, q, v, "as many texts", e);
    if (k->width != q->width)
        return differ(a, q, k, "queries and keys of one width", e);
    if (v->n != k->n)
        return differ(a, k, v, "as many values as keys", e);
    if (v->heads != k->heads)
        return differ(a, k, v, "as many heads of values as of keys", e);
    return q->heads % k->heads == 0 ? 0 :
           differ(a, q, k, "heads of keys that divide those of queries", e);
}

static void close_parts(struct three *x, int first)
{
    for (int i = first; i < N_PART; i++)
        if (x->of[i].w != NULL)
            weights_close(x->of[i].w);
}

/* heads 0: the shapes say how many. */
static int open_parts(struct three *x, struct arena *a, const char *spec, int heads,
                      struct err *e)
{
    char *rest = arena_strndup(a, spec, strlen(spec));
    int count = 0;

    *x = (struct three){ .joined = heads > 0 };
    for (char *path = strsep(&rest, ","); path != NULL;
         path = strsep(&rest, ","), count++)
        if (count < N_PART)
            x->of[count].path = path;
    if (count != N_PART)
        return err_set(e, ERR_USAGE, "--qkv: '%s' is not a list of three files like "
                       "Q.npy,K.npy,V.npy", spec);
    for (int i = 0; i < N_PART; i++)
        if (open_part(&x->of[i], x->joined, a, e) != 0) {
            close_parts(x, 0);
            return -1;
        }
    if ((heads == 0 || split_heads(x, a, heads, e) == 0) && check_parts(x, a, e) == 0)
        return 0;
    close_parts(x, 0);
    return -1;
}

struct model *qkv_open(const struct asked *asked, struct arena *a, struct err *e)
{
    const struct part_file *q, *v;
    struct three values;
    struct qkv_shape shape;

    if (open_parts(&values, a, asked->qkv, asked->heads, e) != 0)
        return NULL;
    close_parts(&values, 1);
    q = &values.of[PART_Q];
    v = &values.of[PART_V];
    shape = (struct qkv_shape){ (int)q->heads, (int)v->heads, (int)q->width, (int)v->width,
                                q->n != v->n || asked->key_tokens != NULL };
    return model_of_qkv(a, q->w, hub_name(a, q->path), &shape,
                        asked->score_scale > 0 ? asked->score_scale : (double)NAN, e);
}

/* ---- rows ---- */

/* Heads [heads, n, width], or rows of all heads, of one text to columns of its rows. */
static void put_columns(float *row, int64_t stride, const float *x,
                        const struct part_file *file, bool joined)
{
    int64_t columns = file->heads * file->width;

    for (int64_t i = 0; joined && i < file->n; i++)
        memcpy(row + i * stride, x + i * columns, (size_t)columns * sizeof *row);
    if (joined)
        return;
    for (int64_t h = 0; h < file->heads; h++)
        for (int64_t i = 0; i < file->n; i++)
            memcpy(row + i * stride + h * file->width, x + (h * file->n + i) * file->width,
                   (size_t)file->width * sizeof *row);
}

/* The rows of all texts, of n parts side by side. */
static int make_rows(struct arena *a, const struct three *three, enum part part, int n,
                     struct values **out, struct err *e)
{
    const struct part_file *first = &three->of[part];
    int64_t width = 0, rows = first->n, column = 0;
    float *all;

    for (int k = 0; k < n; k++)
        width += first[k].heads * first[k].width;
    all = arena_alloc_raw(a, (uint64_t)(first->B * rows), (uint64_t)width * sizeof *all);
    *out = arena_alloc(a, (size_t)first->B, sizeof **out);
    for (int64_t b = 0; b < first->B; b++)
        (*out)[b] = (struct values){ 2, { rows, width }, all + b * rows * width };
    for (int k = 0; k < n; k++) {
        const struct part_file *file = &first[k];
        float *x;

        if (values_floats(a, file->t, &x, e) != 0)
            return err_under(e, "%s", file->path);
        for (int64_t b = 0; b < file->B; b++)
            put_columns(all + b * rows * width + column, width,
                        x + b * (file->t->n_elements / file->B), file, three->joined);
        column += file->heads * file->width;
    }
    return 0;
}

int qkv_input(struct layer_input *input, struct session *session, struct err *e)
{
    struct arena *a = session->a;
    struct three values;
    int status;

    if (open_parts(&values, a, session->asked->qkv, session->asked->heads, e) != 0)
        return -1;
    input->n = (int)values.of[PART_Q].B;
    input->name = session->asked->qkv;
    if (!model_has_cross(session->model))
        status = make_rows(a, &values, PART_Q, N_PART, &input->rows, e);
    else
        status = make_rows(a, &values, PART_Q, 1, &input->rows, e) != 0 ||
                 make_rows(a, &values, PART_K, 1, &input->keys, e) != 0 ||
                 make_rows(a, &values, PART_V, 1, &input->values, e) != 0 ? -1 : 0;
    close_parts(&values, 0);
    return status;
}
