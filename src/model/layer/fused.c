/* SPDX-License-Identifier: MIT
 * Projections in one tensor for all, or in one per head -> one tensor for each of them. */
#include "model/layer/cut.h"

#include <string.h>

#include "base/str.h"

/* ---- a matrix per head ---- */

/* NAME.0ENDING, NAME.1ENDING, .. below one another as NAMEENDING. */
static int layer_fused_join(struct parter *parter, const char *scope, const char *name,
                            const char *ending, int n_heads, int n_dims)
{
    struct tensor whole = { .n_dims = 0 };
    size_t size = 0;
    unsigned char *data = NULL;

    for (int head = 0; head < n_heads; head++) {
        const struct tensor *tensor = layer_find(
            parter->w, parter->a, scope, arena_printf(parter->a, "%s.%d", name, head), ending);

        if (tensor == NULL)
            return err_set(parter->e, ERR_INPUT, "has no tensor %s%s.%d%s, which other heads "
                           "have", scope, name, head, ending);
        if (layer_cut_check(parter, tensor, n_dims, n_dims) != 0)
            return -1;
        if (head == 0) {
            size = (size_t)tensor->n_elements *
                   (size_t)dtype_table[tensor->dtype].size_bytes;
            data = arena_alloc_raw(parter->a, (size_t)n_heads, size);
            whole = *tensor;
        }
        if (tensor->dtype != whole.dtype || tensor->shape[0] != whole.shape[0] ||
            layer_cut_width(tensor) != layer_cut_width(&whole))
            return err_set(
                parter->e, ERR_INPUT, "%s: %s of shape %s, expected %s %s as head 0 has",
                tensor->name, dtype_table[tensor->dtype].name, tensor_shape(parter->a, tensor),
                dtype_table[whole.dtype].name, tensor_shape(parter->a, &whole));
        memcpy(data + (size_t)head * size, tensor->data, size);
        layer_cut_take(parter, tensor);
    }
    whole.name = arena_printf(parter->a, "%s%s%s", scope, name, ending);
    whole.shape[0] *= n_heads;
    whole.n_elements *= n_heads;
    whole.data = data;
    layer_cut_add(parter, &whole);
    return 0;
}

int layer_fused_heads(struct parter *parter, const struct naming *naming, const char *scope)
{
    int n_heads = layer_heads(parter->w, parter->a, scope, naming->part[PART_Q]);

    if (n_heads == 0)
        return err_set(parter->e, ERR_INPUT, "has no tensor %s%s.0.weight", scope,
                       naming->part[PART_Q]);
    for (int i = PART_Q; i <= PART_V; i++) {
        const char *name = naming->part[i];
        int found = layer_heads(parter->w, parter->a, scope, name);

        if (found != n_heads)
            return err_set(parter->e, ERR_INPUT, "has %s%s of %d head%s, but %s of %d", scope,
                           naming->part[PART_Q], n_heads, str_plural(n_heads), name, found);
        if (layer_fused_join(parter, scope, name, ".weight", n_heads, 2) != 0)
            return -1;
        if (layer_find(parter->w, parter->a, scope, arena_printf(parter->a, "%s.0", name),
                       ".bias") != NULL &&
            layer_fused_join(parter, scope, name, ".bias", n_heads, 1) != 0)
            return -1;
    }
    parter->k->n_heads = n_heads;
    return 0;
}

/* ---- torch.nn.MultiheadAttention ---- */

int layer_fused_in_proj(struct parter *parter, const struct naming *naming, const char *scope,
                       const char *ending, int n_dims)
{
    const struct tensor *tensor = layer_find(parter->w, parter->a, scope, "in_proj", ending);
    int64_t rows, columns;

    if (tensor == NULL)
        return 0;
    if (layer_cut_check(parter, tensor, n_dims, n_dims) != 0)
        return -1;
    if (tensor->shape[0] % 3 != 0 ||
        (n_dims == 2 && tensor->shape[0] / 3 != tensor->shape[1]))
        return err_set(parter->e, ERR_INPUT, "%s: shape %s, expected three times as many rows "
                       "as the width", tensor->name, tensor_shape(parter->a, tensor));
    rows = tensor->shape[0] / 3;
    columns = layer_cut_width(tensor);
    for (int i = PART_Q; i <= PART_V; i++) {
        const struct cut cut = { i * rows * columns, 1, 0, rows, columns, columns, 1 };
        struct tensor part = layer_cut_out(
            parter->a, tensor, &cut, n_dims == 1,
            arena_printf(parter->a, "%s%s%s", scope, naming->part[i], ending));

        layer_cut_add(parter, &part);
    }
    layer_cut_take(parter, tensor);
    return 0;
}

/* ---- one for several ---- */

/* Outputs of a linear and what it reads, as it lies. */
struct lying {
    const struct tensor *weight, *bias;
    bool in_out;
    int64_t out, in;
};

static int find_lying(struct parter *parter, const char *scope, const char *name,
                      struct lying *lying)
{
    enum form form;

    lying->weight = layer_weight(parter->w, parter->a, scope, name, &form);
    if (lying->weight == NULL)
        return err_set(parter->e, ERR_INPUT, "has no tensor %s%s.weight", scope, name);
    lying->bias = layer_bias(parter->w, parter->a, scope, name, form);
    if (layer_cut_check(parter, lying->weight, 2, 2) != 0 ||
        (lying->bias != NULL && layer_cut_check(parter, lying->bias, 1, 2) != 0))
        return -1;
    lying->in_out = layer_cut_in_out(parter, form);
    lying->out = lying->weight->shape[lying->in_out];
    lying->in = lying->weight->shape[!lying->in_out];
    return 0;
}

/* The rows of one of n parts, or of each head's, as SCOPE NAME.LETTER. */
static int cut_part(struct parter *parter, const struct lying *lying, const char *name, int i,
                    int n, int n_heads)
{
    int64_t rows = lying->out / n, d = rows / n_heads;
    int64_t row = lying->in_out ? 1 : lying->in, column = lying->in_out ? lying->out : 1;
    int64_t first = n_heads > 1 ? i * d : i * rows;
    struct cut cut = { first * row, n_heads, n * d * row, d, row, lying->in, column };
    struct tensor part = layer_cut_out(parter->a, lying->weight, &cut, false,
                                 arena_printf(parter->a, "%s.weight", name));

    layer_cut_add(parter, &part);
    if (lying->bias == NULL)
        return 0;
    if (lying->bias->n_elements != lying->out)
        return err_set(parter->e, ERR_INPUT, "%s: shape %s, expected [%lld]", lying->bias->name,
                       tensor_shape(parter->a, lying->bias), (long long)lying->out);
    cut = (struct cut){ first, n_heads, n * d, d, 1, 1, 1 };
    part = layer_cut_out(parter->a, lying->bias, &cut, true,
                         arena_printf(parter->a, "%s.bias", name));
    layer_cut_add(parter, &part);
    return 0;
}

/* Conv1D of the transformers library lies [in, out]: three times as wide as it is high. */
static void guess_conv1d(struct parter *parter, const char *scope, const char *name)
{
    enum form form;
    const struct tensor *t = layer_weight(parter->w, parter->a, scope, name, &form);

    if (t != NULL && form == FORM_WEIGHT && t->n_dims == 2 &&
        t->shape[1] == 3 * t->shape[0] && parter->k->asked->order == LAYER_ORDER_AUTO)
        parter->k->in_out = true;
}

int layer_fused_cut(struct parter *parter, const char *scope, const char *name, int first,
                     int n_heads)
{
    static const char *const letters[] = { "q", "k", "v" };
    int n = 3 - first;
    struct lying lying = { NULL };

    if (find_lying(parter, scope, name, &lying) != 0)
        return -1;
    if (lying.out % ((int64_t)n * n_heads) != 0)
        return err_set(parter->e, ERR_INPUT, "%s: shape %s, expected outputs of %s for %d head%s",
                       lying.weight->name, tensor_shape(parter->a, lying.weight),
                       n == 3 ? "queries, keys and values" : "keys and values", n_heads,
                       str_plural(n_heads));
    for (int i = 0; i < n; i++) {
        const char *part = arena_printf(parter->a, "%s.%s", name, letters[first + i]);

        parter->k->part[first + i] = part;
        if (cut_part(parter, &lying, arena_printf(parter->a, "%s%s", scope, part), i, n, n_heads) !=
            0)
            return -1;
    }
    layer_cut_take(parter, lying.weight);
    if (lying.bias != NULL)
        layer_cut_take(parter, lying.bias);
    return 0;
}

static int known_heads(const struct look *look, int *n)
{
    if (layer_heads_said(look, n) != 0)
        return -1;
    if (look->asked->heads > 0)
        *n = look->asked->heads;
    return *n > 0 ? 0 : err_set(look->e, ERR_USAGE, "the number of heads is unknown; give "
                                "--heads N");
}

int layer_fused_qkv(struct parter *parter, const struct naming *naming, const char *scope)
{
    int n_heads = 1;

    if (naming->kind == PROJ_FUSED)
        guess_conv1d(parter, scope, naming->part[PART_Q]);
    else if (known_heads(parter->k, &n_heads) != 0)
        return -1;
    return layer_fused_cut(parter, scope, naming->part[PART_Q], PART_Q, n_heads);
}
