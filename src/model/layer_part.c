/* SPDX-License-Identifier: MIT
 * Tensors of several parts are cut, parts of one are joined, linears in other forms are laid
 * as torch lays them: afterwards each of q, k, v and the output is one tensor [out, in]. */
#include <string.h>

#include "base/str.h"
#include "model/layer_priv.h"

struct parter {
    struct look *k;
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

/* Numbers that can be cut, of so many dimensions. */
static int check_plain(struct parter *p, const struct tensor *t, int least, int most)
{
    const struct dtype_row *dtype = &dtype_table[t->dtype];

    if (!dtype->is_float || dtype->block != 1)
        return err_set(p->e, ERR_INPUT, "%s: holds %s, expected F32, F16, BF16 or F64",
                       t->name, dtype->name);
    if (t->n_dims < least || t->n_dims > most || t->n_elements == 0)
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected %d%s dimensions, none of them "
                       "0", t->name, tensor_shape(p->a, t), least,
                       most == least + 1 ? " or one more" : "");
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
        if (check_plain(p, tensor, n_dims, n_dims) != 0)
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
            return err_set(p->e, ERR_INPUT, "has %s%s of %d head%s, but %s of %d", scope,
                           n->part[PART_Q], n_heads, str_plural(n_heads), name, found);
        if (join(p, scope, name, ".weight", n_heads, 2) != 0)
            return -1;
        if (layer_find(p->w, p->a, scope, arena_printf(p->a, "%s.0", name), ".bias") != NULL &&
            join(p, scope, name, ".bias", n_heads, 1) != 0)
            return -1;
    }
    p->k->n_heads = n_heads;
    return 0;
}

/* ---- cutting ---- */

/*
 * A matrix [n_blocks rows, columns] within a tensor: where its first element lies, and how
 * many elements it is from block to block, row to row, column to column.
 */
struct cut {
    int64_t first, n_blocks, block, n_rows, row, n_columns, column;
};

/* The tensor's own bytes, where they lie so; else a copy.  columns 1 and vector: [rows]. */
static struct tensor cut_out(struct arena *a, const struct tensor *t, const struct cut *c,
                             bool vector, const char *name)
{
    size_t size = (size_t)dtype_table[t->dtype].size_bytes;
    int64_t rows = c->n_blocks * c->n_rows;
    struct tensor part = *t;
    unsigned char *out;

    part.name = name;
    part.n_dims = vector ? 1 : 2;
    part.shape[0] = rows;
    part.shape[1] = c->n_columns;
    part.n_elements = rows * c->n_columns;
    part.data = t->data + (size_t)c->first * size;
    if ((c->column == 1 || c->n_columns == 1) && c->row == c->n_columns &&
        (c->n_blocks == 1 || c->block == c->n_rows * c->row))
        return part;
    part.data = out = arena_alloc_raw(a, (size_t)part.n_elements, size);
    for (int64_t b = 0; b < c->n_blocks; b++)
        for (int64_t i = 0; i < c->n_rows; i++)
            for (int64_t j = 0; j < c->n_columns; j++, out += size)
                memcpy(out, t->data + (size_t)(c->first + b * c->block + i * c->row +
                                               j * c->column) * size, size);
    return part;
}

/* ---- torch.nn.MultiheadAttention ---- */

/* The rows of in_proj ENDING, a third each, as q_proj ENDING and so on. */
static int cut_in_proj(struct parter *p, const struct naming *n, const char *scope,
                       const char *ending, int n_dims)
{
    const struct tensor *tensor = layer_find(p->w, p->a, scope, "in_proj", ending);
    int64_t rows, columns;

    if (tensor == NULL)
        return 0;
    if (check_plain(p, tensor, n_dims, n_dims) != 0)
        return -1;
    if (tensor->shape[0] % 3 != 0 ||
        (n_dims == 2 && tensor->shape[0] / 3 != tensor->shape[1]))
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected three times as many rows "
                       "as the width", tensor->name, tensor_shape(p->a, tensor));
    rows = tensor->shape[0] / 3;
    columns = row_elements(tensor);
    for (int i = PART_Q; i <= PART_V; i++) {
        const struct cut cut = { i * rows * columns, 1, 0, rows, columns, columns, 1 };
        struct tensor part = cut_out(p->a, tensor, &cut, n_dims == 1,
                                     arena_printf(p->a, "%s%s%s", scope, n->part[i], ending));

        add(p, &part);
    }
    take(p, tensor);
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
    const struct layer_asked *asked = p->k->asked;
    enum form form;

    l->weight = layer_weight(p->w, p->a, scope, name, &form);
    if (l->weight == NULL)
        return err_set(p->e, ERR_INPUT, "has no tensor %s%s.weight", scope, name);
    l->bias = layer_bias(p->w, p->a, scope, name, form);
    if (check_plain(p, l->weight, 2, 2) != 0 ||
        (l->bias != NULL && check_plain(p, l->bias, 1, 2) != 0))
        return -1;
    l->in_out = asked->order == LAYER_ORDER_AUTO ?
                    form != FORM_WEIGHT || p->k->in_out :
                    asked->order == LAYER_ORDER_IN_OUT;
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
    struct tensor part = cut_out(p->a, l->weight, &cut, false,
                                 arena_printf(p->a, "%s.weight", name));

    add(p, &part);
    if (l->bias == NULL)
        return 0;
    if (l->bias->n_elements != l->out)
        return err_set(p->e, ERR_INPUT, "%s: shape %s, expected [%lld]", l->bias->name,
                       tensor_shape(p->a, l->bias), (long long)l->out);
    cut = (struct cut){ first, n_heads, n * d, d, 1, 1, 1 };
    part = cut_out(p->a, l->bias, &cut, true, arena_printf(p->a, "%s.bias", name));
    add(p, &part);
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

/* One tensor of parts first .. 2: q, k and v, or k and v. */
static int cut_fused(struct parter *p, const char *scope, const char *name, int first,
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
    take(p, lying.weight);
    if (lying.bias != NULL)
        take(p, lying.bias);
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

static int part_fused(struct parter *p, const struct naming *n, const char *scope)
{
    int n_heads = 1;

    if (n->kind == PROJ_FUSED)
        guess_conv1d(p, scope, n->part[PART_Q]);
    else if (known_heads(p->k, &n_heads) != 0)
        return -1;
    return cut_fused(p, scope, n->part[PART_Q], PART_Q, n_heads);
}

/* ---- one in another form ---- */

/* Of a tensor of three dimensions: which are the heads and their columns. */
static void heads_apart(struct parter *p, const struct tensor *t, enum form form, int part,
                        struct cut *c)
{
    int64_t A = t->shape[0], B = t->shape[1], C = t->shape[2];

    if (part == PART_O) {               /* [H, d, out] */
        *c = (struct cut){ 0, 1, 0, C, 1, A * B, C };
        return;
    }
    if (form == FORM_BARE)              /* [H, in, d] */
        *c = (struct cut){ 0, A, B * C, C, 1, B, C };
    else                                /* [in, H, d] */
        *c = (struct cut){ 0, 1, 0, B * C, 1, A, B * C };
    if (part == PART_Q)
        p->k->n_heads = (int)(form == FORM_BARE ? A : B);
}

/* NAME as [out, in] and a vector; part N_PART: it is of an mlp. */
static int lay_linear(struct parter *p, const char *scope, const char *name, int part)
{
    enum form form;
    const struct tensor *weight = layer_weight(p->w, p->a, scope, name, &form), *bias;
    const struct layer_asked *asked = p->k->asked;
    struct tensor made;
    struct cut cut;
    bool in_out;

    if (weight == NULL)                 /* numbers.c says which is missing */
        return 0;
    bias = layer_bias(p->w, p->a, scope, name, form);
    in_out = asked->order == LAYER_ORDER_AUTO ? form != FORM_WEIGHT || p->k->in_out :
                                                asked->order == LAYER_ORDER_IN_OUT;
    if (form == FORM_WEIGHT && !in_out)
        return 0;
    if (check_plain(p, weight, 2, part < N_PART && form != FORM_WEIGHT ? 3 : 2) != 0 ||
        (bias != NULL && check_plain(p, bias, 1, 2) != 0))
        return -1;
    if (weight->n_dims == 3)
        heads_apart(p, weight, form, part, &cut);
    else if (in_out)
        cut = (struct cut){ 0, 1, 0, weight->shape[1], 1, weight->shape[0],
                            weight->shape[1] };
    else
        cut = (struct cut){ 0, 1, 0, weight->shape[0], weight->shape[1], weight->shape[1], 1 };
    made = cut_out(p->a, weight, &cut, false, arena_printf(p->a, "%s%s.weight", scope, name));
    take(p, weight);
    add(p, &made);
    if (bias == NULL)
        return 0;
    cut = (struct cut){ 0, 1, 0, bias->n_elements, 1, 1, 1 };
    made = cut_out(p->a, bias, &cut, true, arena_printf(p->a, "%s%s.bias", scope, name));
    take(p, bias);
    add(p, &made);
    return 0;
}

/* Parameters [D, D] can be meant both ways; others say it by what the output gives. */
static void guess_bare(struct parter *p, const struct naming *n, const char *scope)
{
    enum form form_q, form_o;
    const struct tensor *q = layer_weight(p->w, p->a, scope, n->part[PART_Q], &form_q);
    const struct tensor *o = layer_weight(p->w, p->a, scope, n->part[PART_O], &form_o);
    bool bare = q != NULL && o != NULL && form_q == FORM_BARE && q->n_dims == 2;

    if (!bare || p->k->asked->order != LAYER_ORDER_AUTO || o->n_dims != 2)
        return;
    if (q->shape[0] == o->shape[1] && q->shape[1] == o->shape[0])
        p->k->note = arena_printf(p->a, "parameters such as %s are read as x W; --order out-in "
                                  "reads them as W x", q->name);
}

/* ---- one attention, one layer ---- */

static int part_attention(struct parter *p, const char *scope)
{
    const struct naming *n = p->k->naming;
    bool each = n->kind == PROJ_WHOLE;

    for (int i = 0; i < N_PART; i++)
        p->k->part[i] = n->part[i];
    if ((n->kind == PROJ_HEADS && join_heads(p, n, scope) != 0) ||
        (n->kind == PROJ_TORCH && (cut_in_proj(p, n, scope, "_weight", 2) != 0 ||
                                   cut_in_proj(p, n, scope, "_bias", 1) != 0)) ||
        ((n->kind == PROJ_FUSED || n->kind == PROJ_FUSED_HEADS) &&
         part_fused(p, n, scope) != 0) ||
        (n->kind == PROJ_KV && (lay_linear(p, scope, n->part[PART_Q], PART_Q) != 0 ||
                                cut_fused(p, scope, n->part[PART_K], PART_K, 1) != 0)))
        return -1;
    guess_bare(p, n, scope);
    for (int i = PART_Q; each && i <= PART_V; i++)
        if (lay_linear(p, scope, n->part[i], i) != 0)
            return -1;
    return lay_linear(p, scope, n->part[PART_O], PART_O);
}

/* A norm whose parts have other names gets those that all families know. */
static void name_norm(struct parter *p, const char *name)
{
    static const char *const other[][2] = {
        { ".a_2", ".b_2" }, { ".alpha", ".bias" }, { ".scale", ".shift" }, { ".w", ".b" },
        { ".scale", ".bias" },
    };

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        for (int j = 0; j < 2; j++) {
            const struct tensor *tensor = layer_find(p->w, p->a, "", name, other[i][j]);
            struct tensor made;

            if (tensor == NULL || p->gone[tensor - weights_at(p->w, 0)] ||
                strcmp(other[i][j], ".bias") == 0)
                continue;
            made = *tensor;
            made.name = arena_printf(p->a, "%s%s", name, j == 0 ? ".weight" : ".bias");
            take(p, tensor);
            add(p, &made);
        }
}

static int part_layer(struct parter *p, int l)
{
    const struct layout *layout = p->k->layout;
    const char *scope = layer_name(p->a, p->k->layer, l);
    const char *bar = strchr(layout->down, '|');

    for (int i = 0; i < 4; i++) {
        bool seen = layout->norm[i] == NULL;

        for (int j = 0; j < i; j++)
            seen = seen || (layout->norm[j] != NULL &&
                            strcmp(layout->norm[i], layout->norm[j]) == 0);
        if (!seen)
            name_norm(p, arena_printf(p->a, "%s%s", scope, layout->norm[i]));
    }
    if (lay_linear(p, scope, layout->up, N_PART) != 0)
        return -1;
    return bar != NULL ? 0 : lay_linear(p, scope, layout->down, N_PART);
}

int layer_part(struct look *k, const char *const *scope, int n_scopes)
{
    struct parter parter = { .k = k, .w = k->w, .a = k->a, .e = k->e };
    int count = weights_count(k->w), n_all = 0;
    struct tensor *all;

    parter.gone = arena_alloc(k->a, (size_t)count + 1, sizeof *parter.gone);
    for (int s = 0; s < n_scopes; s++)
        if (part_attention(&parter, scope[s]) != 0)
            return -1;
    for (int layer = 0; k->layout != NULL && layer < k->c->n_layers; layer++)
        if (part_layer(&parter, layer) != 0)
            return -1;
    if (k->stacked && k->layout->last_norm != NULL)
        name_norm(&parter, arena_printf(k->a, "%s%s", k->base, k->layout->last_norm));
    if (parter.n_parts == 0)
        return 0;
    all = arena_alloc(k->a, (size_t)(count + parter.n_parts), sizeof *all);
    for (int i = 0; i < count; i++)
        if (!parter.gone[i])
            all[n_all++] = *weights_at(k->w, i);
    memcpy(all + n_all, parter.part, (size_t)parter.n_parts * sizeof *all);
    return weights_replace(k->w, all, n_all + parter.n_parts, k->e);
}
