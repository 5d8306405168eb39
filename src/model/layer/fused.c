/* SPDX-License-Identifier: MIT
 * Projections in one tensor for all, or in one per head -> one tensor for each of them. */
#include "model/layer/cut.h"

#include <string.h>

#include "base/str.h"

/* ---- a matrix per head ---- */

/* NAME.0ENDING, NAME.1ENDING, .. below one another as NAMEENDING. */
static int layer_fused_join(struct parter *p, const char *scope, const char *name,
                            const char *ending, int n_heads, int n_dims)
{
    struct tensor whole = { .n_dims = 0 };
    size_t size = 0;
    unsigned char *data = NULL;

    for (int head = 0; head < n_heads; head++) {
        const struct tensor *tensor = layer_find(
            p->w, p->a, scope, arena_printf(p->a, "%s.%d", name, head), ending);

        if (tensor == NULL)
            return err_set(p->e, ERR_INPUT, "has no tensor %s%s.%d%s, which other heads "
                           "have", scope, name, head, ending);
        if (layer_cut_check(p, tensor, n_dims, n_dims) != 0)
            return -1;
        if (head == 0) {
            size = (size_t)tensor->n_elements *
                   (size_t)dtype_table[tensor->dtype].size_bytes;
            data = arena_alloc_raw(p->a, (size_t)n_heads, size);
            whole = *tensor;
        }
        if (tensor->dtype != whole.dtype || tensor->shape[0] != whole.shape[0] ||
            layer_cut_width(tensor) != layer_cut_width(&whole))
            return err_set(
                p->e, ERR_INPUT, "%s: %s of shape %s, expected %s %s as head 0 has",
                tensor->name, dtype_table[tensor->dtype].name, tensor_shape(p->a, tensor),
                dtype_table[whole.dtype].name, tensor_shape(p->a, &whole));
        memcpy(data + (size_t)head * size, tensor->data, size);
        layer_cut_take(p, tensor);
    }
    whole.name = arena_printf(p->a, "%s%s%s", scope, name, ending);
    whole.shape[0] *= n_heads;
    whole.n_elements *= n_heads;
    whole.data = data;
    layer_cut_add(p, &whole);
    return 0;
}

int layer_fused_heads(struct parter *p, const struct naming *n, const char *scope)
{
    int n_heads = layer_heads(p->w, p->a, scope, n->part[PART_Q]);

    if (n_heads == 0)
        return err_set(p->e, ERR_INPUT, "has no tensor %s%s.0.weight", scope,
                       n->part[PART_Q]);
    for (int i = PART_Q; i <= PART_V; i++) {
        const char *name = n->part[i];
        int found = layer_heads(p->w, p->a, scope, name);

        if (found != n_heads)
            return err_set(p->e, ERR_INPUT, "has %s%s of %d head%s, but %s of %d", scope,
                           n->part[PART_Q], n_heads, str_plural(n_heads), name, found);
        if (layer_fused_join(p, scope, name, ".weight", n_heads, 2) != 0)
            return -1;
        if (layer_find(p->w, p->a, scope, arena_printf(p->a, "%s.0", name), ".bias") != NULL &&
            layer_fused_join(p, scope, name, ".bias", n_heads, 1) != 0)
            return -1;
    }
    p->k->n_heads = n_heads;
    return 0;
}

/* ---- torch.nn.MultiheadAttention ---- */

int layer_fused_in_proj(struct parter *p, const struct naming *n, const char *scope,
                       const char *ending, int n_dims)
{
    const struct tensor *tensor = layer_find(p->w, p->a, scope, "in_proj", ending);
    int64_t rows, columns;

    if (tensor == NULL)
        return 0;
    if (layer_cut_check(p, tensor, n_dims, n_dims) != 0)
        return -1;
    if (tensor->shape[0] % 3 != 0 ||
        (n_dims == 2 && tensor->shape[0] / 3 != tensor->shape[1]))
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected three times as many rows "
                       "as the width", tensor->name, tensor_shape(p->a, tensor));
    rows = tensor->shape[0] / 3;
    columns = layer_cut_width(tensor);
    for (int i = PART_Q; i <= PART_V; i++) {
        const struct cut cut = { i * rows * columns, 1, 0, rows, columns, columns, 1 };
        struct tensor part = layer_cut_out(p->a, tensor, &cut, n_dims == 1,
                                     arena_printf(p->a, "%s%s%s", scope, n->part[i], ending));

        layer_cut_add(p, &part);
    }
    layer_cut_take(p, tensor);
    return 0;
}

/* ---- one for several ---- */

/* Outputs of a linear and what it reads, as it lies. */
struct lying {
    const struct tensor *weight, *bias;
    bool in_out;
    int64_t out, in;
};

static int find_lying(struct parter *p, const char *scope, const char *name, struct lying *l)
{
    enum form form;

    l->weight = layer_weight(p->w, p->a, scope, name, &form);
    if (l->weight == NULL)
        return err_set(p->e, ERR_INPUT, "has no tensor %s%s.weight", scope, name);
    l->bias = layer_bias(p->w, p->a, scope, name, form);
    if (layer_cut_check(p, l->weight, 2, 2) != 0 ||
        (l->bias != NULL && layer_cut_check(p, l->bias, 1, 2) != 0))
        return -1;
    l->in_out = layer_cut_in_out(p, form);
    l->out = l->weight->shape[l->in_out];
    l->in = l->weight->shape[!l->in_out];
    return 0;
}

/* The rows of one of n parts, or of each head's, as SCOPE NAME.LETTER. */
static int cut_part(struct parter *p, const struct lying *l, const char *name, int i, int n,
                    int n_heads)
{
    int64_t rows = l->out / n, d = rows / n_heads;
    int64_t row = l->in_out ? 1 : l->in, column = l->in_out ? l->out : 1;
    int64_t first = n_heads > 1 ? i * d : i * rows;
    struct cut cut = { first * row, n_heads, n * d * row, d, row, l->in, column };
    struct tensor part = layer_cut_out(p->a, l->weight, &cut, false,
                                 arena_printf(p->a, "%s.weight", name));

    layer_cut_add(p, &part);
    if (l->bias == NULL)
        return 0;
    if (l->bias->n_elements != l->out)
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected [%lld]", l->bias->name,
                       tensor_shape(p->a, l->bias), (long long)l->out);
    cut = (struct cut){ first, n_heads, n * d, d, 1, 1, 1 };
    part = layer_cut_out(p->a, l->bias, &cut, true, arena_printf(p->a, "%s.bias", name));
    layer_cut_add(p, &part);
    return 0;
}

/* Conv1D of the transformers library lies [in, out]: three times as wide as it is high. */
static void guess_conv1d(struct parter *p, const char *scope, const char *name)
{
    enum form form;
    const struct tensor *t = layer_weight(p->w, p->a, scope, name, &form);

    if (t != NULL && form == FORM_WEIGHT && t->n_dims == 2 &&
        t->shape[1] == 3 * t->shape[0] && p->k->asked->order == LAYER_ORDER_AUTO)
        p->k->in_out = true;
}

int layer_fused_cut(struct parter *p, const char *scope, const char *name, int first,
                     int n_heads)
{
    static const char *const letters[] = { "q", "k", "v" };
    int n = 3 - first;
    struct lying lying = { NULL };

    if (find_lying(p, scope, name, &lying) != 0)
        return -1;
    if (lying.out % ((int64_t)n * n_heads) != 0)
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected outputs of %s for %d head%s",
                       lying.weight->name, tensor_shape(p->a, lying.weight),
                       n == 3 ? "queries, keys and values" : "keys and values", n_heads,
                       str_plural(n_heads));
    for (int i = 0; i < n; i++) {
        const char *part = arena_printf(p->a, "%s.%s", name, letters[first + i]);

        p->k->part[first + i] = part;
        if (cut_part(p, &lying, arena_printf(p->a, "%s%s", scope, part), i, n, n_heads) != 0)
            return -1;
    }
    layer_cut_take(p, lying.weight);
    if (lying.bias != NULL)
        layer_cut_take(p, lying.bias);
    return 0;
}

static int known_heads(const struct look *k, int *n)
{
    if (layer_heads_said(k, n) != 0)
        return -1;
    if (k->asked->heads > 0)
        *n = k->asked->heads;
    return *n > 0 ? 0 : err_set(k->e, ERR_USAGE, "the number of heads is unknown; give "
                                "--heads N");
}

int layer_fused_qkv(struct parter *p, const struct naming *n, const char *scope)
{
    int n_heads = 1;

    if (n->kind == PROJ_FUSED)
        guess_conv1d(p, scope, n->part[PART_Q]);
    else if (known_heads(p->k, &n_heads) != 0)
        return -1;
    return layer_fused_cut(p, scope, n->part[PART_Q], PART_Q, n_heads);
}
