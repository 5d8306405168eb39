/* SPDX-License-Identifier: MIT
 * Tensors of several parts are cut, parts of one are joined: afterwards each of q, k and
 * v is one tensor. */
#include <string.h>

#include "model/layer_priv.h"

const struct tensor *layer_find(const struct weights *w, struct arena *a,
                                const char *scope, const char *name,
                                const char *ending)
{
    return weights_find(w, arena_printf(a, "%s%s%s", scope, name, ending));
}

int layer_heads(const struct weights *w, struct arena *a, const char *scope,
                const char *name)
{
    int count = 0;

    while (layer_find(w, a, scope, arena_printf(a, "%s.%d", name, count), ".weight") !=
           NULL)
        count++;
    return count;
}

struct parter {
    struct weights *w;
    struct arena *a;
    bool *gone;                 /* [weights_count] what others take the place of */
    struct tensor *part;        /* [n_parts] those others */
    int n_parts;
    struct err *e;
};

static void take(struct parter *p, const struct tensor *t)
{
    p->gone[t - weights_at(p->w, 0)] = true;
}

static void add(struct parter *p, const struct tensor *t)
{
    if ((p->n_parts & (p->n_parts - 1)) == 0)       /* 0, 1, 2, 4, .. */
        p->part = arena_grow(p->a, p->part, (size_t)p->n_parts,
                             2 * (size_t)p->n_parts + 1, sizeof *p->part);
    p->part[p->n_parts++] = *t;
}

static int64_t row_elements(const struct tensor *t)
{
    return t->n_dims > 1 ? t->shape[1] : 1;
}

static int check_plain(struct parter *p, const struct tensor *t, int n_dims)
{
    const struct dtype_row *dtype = &dtype_table[t->dtype];

    if (!dtype->is_float || dtype->block != 1)
        return err_set(p->e, ERR_INPUT, "%s: holds %s, expected F32, F16, BF16 or F64",
                       t->name, dtype->name);
    if (t->n_dims != n_dims || t->n_elements == 0)
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected %d dimensions, none of them 0",
                       t->name, tensor_shape(p->a, t), n_dims);
    return 0;
}

/* ---- a matrix a head ---- */

/* NAME.0ENDING, NAME.1ENDING, .. below each other as NAMEENDING. */
static int join(struct parter *p, const char *scope, const char *name,
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
        if (check_plain(p, tensor, n_dims) != 0)
            return -1;
        if (head == 0) {
            size = (size_t)tensor->n_elements *
                   (size_t)dtype_table[tensor->dtype].size_bytes;
            data = arena_alloc_raw(p->a, (size_t)n_heads, size);
            whole = *tensor;
        }
        if (tensor->dtype != whole.dtype || tensor->shape[0] != whole.shape[0] ||
            row_elements(tensor) != row_elements(&whole))
            return err_set(
                p->e, ERR_INPUT, "%s: %s of shape %s, expected %s %s as head 0 has",
                tensor->name, dtype_table[tensor->dtype].name, tensor_shape(p->a, tensor),
                dtype_table[whole.dtype].name, tensor_shape(p->a, &whole));
        memcpy(data + (size_t)head * size, tensor->data, size);
        take(p, tensor);
    }
    whole.name = arena_printf(p->a, "%s%s%s", scope, name, ending);
    whole.shape[0] *= n_heads;
    whole.n_elements *= n_heads;
    whole.data = data;
    add(p, &whole);
    return 0;
}

static int join_heads(struct parter *p, const struct naming *n, const char *scope)
{
    int n_heads = layer_heads(p->w, p->a, scope, n->part[PART_Q]);

    if (n_heads == 0)
        return err_set(p->e, ERR_INPUT, "has no tensor %s%s.0.weight", scope,
                       n->part[PART_Q]);
    for (int i = PART_Q; i <= PART_V; i++) {
        const char *name = n->part[i];
        int found = layer_heads(p->w, p->a, scope, name);

        if (found != n_heads)
            return err_set(p->e, ERR_INPUT, "has %s%s of %d heads, but %s of %d", scope,
                           n->part[PART_Q], n_heads, name, found);
        if (join(p, scope, name, ".weight", n_heads, 2) != 0)
            return -1;
        if (layer_find(p->w, p->a, scope, arena_printf(p->a, "%s.0", name), ".bias") != NULL &&
            join(p, scope, name, ".bias", n_heads, 1) != 0)
            return -1;
    }
    return 0;
}

/* ---- torch.nn.MultiheadAttention ---- */

/* The rows of in_proj ENDING, a third each, as q_proj ENDING and so on. */
static int cut(struct parter *p, const struct naming *n, const char *scope,
               const char *ending, int n_dims)
{
    const struct tensor *tensor = layer_find(p->w, p->a, scope, "in_proj", ending);
    int64_t rows, size;

    if (tensor == NULL)
        return 0;
    if (check_plain(p, tensor, n_dims) != 0)
        return -1;
    if (tensor->shape[0] % 3 != 0 ||
        (n_dims == 2 && tensor->shape[0] / 3 != tensor->shape[1]))
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected three times as many rows "
                       "as the width", tensor->name, tensor_shape(p->a, tensor));
    rows = tensor->shape[0] / 3;
    size = rows * row_elements(tensor) * dtype_table[tensor->dtype].size_bytes;
    for (int i = PART_Q; i <= PART_V; i++) {
        struct tensor part = *tensor;

        part.name = arena_printf(p->a, "%s%s%s", scope, n->part[i], ending);
        part.shape[0] = rows;
        part.n_elements = tensor->n_elements / 3;
        part.data = tensor->data + i * size;
        add(p, &part);
    }
    take(p, tensor);
    return 0;
}

int layer_part(struct weights *w, struct arena *a, const struct naming *n,
               const char *const *scope, int n_scopes, struct err *e)
{
    struct parter parter = { .w = w, .a = a, .e = e };
    struct tensor *all;
    int n_all = 0;

    parter.gone = arena_alloc(a, (size_t)weights_count(w), sizeof *parter.gone);
    for (int s = 0; s < n_scopes; s++)
        if ((n->kind == PROJ_HEADS && join_heads(&parter, n, scope[s]) != 0) ||
            (n->kind == PROJ_TORCH && (cut(&parter, n, scope[s], "_weight", 2) != 0 ||
                                       cut(&parter, n, scope[s], "_bias", 1) != 0)))
            return -1;
    if (parter.n_parts == 0)
        return 0;
    all = arena_alloc(a, (size_t)(weights_count(w) + parter.n_parts), sizeof *all);
    for (int i = 0; i < weights_count(w); i++)
        if (!parter.gone[i])
            all[n_all++] = *weights_at(w, i);
    memcpy(all + n_all, parter.part, (size_t)parter.n_parts * sizeof *all);
    return weights_replace(w, all, n_all + parter.n_parts, e);
}
