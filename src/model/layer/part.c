/* SPDX-License-Identifier: MIT
 * All linears of attentions and mlps -> one tensor [out, in] each, and norms -> weight and bias:
 * fused ones are cut, split ones joined, other forms converted to torch's. */
#include <string.h>

#include "model/layer/cut.h"

/* ---- one in another form ---- */

/* Of a tensor of three dimensions: which are the heads and their columns. */
static void heads_apart(struct parter *parter, const struct tensor *tensor, enum form form,
                        int part, struct cut *cut)
{
    int64_t A = tensor->shape[0], B = tensor->shape[1], C = tensor->shape[2];

    if (part == PART_O) {               /* [H, d, out] */
        *cut = (struct cut){ 0, 1, 0, C, 1, A * B, C };
        return;
    }
    if (form == FORM_BARE)              /* [H, in, d] */
        *cut = (struct cut){ 0, A, B * C, C, 1, B, C };
    else                                /* [in, H, d] */
        *cut = (struct cut){ 0, 1, 0, B * C, 1, A, B * C };
    if (part == PART_Q)
        parter->k->n_heads = (int)(form == FORM_BARE ? A : B);
}

/* NAME as [out, in] and a vector; part N_PART: it is of an mlp. */
static int lay_linear(struct parter *parter, const char *scope, const char *name, int part)
{
    enum form form;
    const struct tensor *weight = layer_weight(parter->w, parter->a, scope, name, &form), *bias;
    struct tensor made;
    struct cut cut;
    bool in_out;

    if (weight == NULL)                 /* layer_numbers says which is missing */
        return 0;
    bias = layer_bias(parter->w, parter->a, scope, name, form);
    in_out = layer_cut_in_out(parter, form);
    if (form == FORM_WEIGHT && !in_out)
        return 0;
    if (layer_cut_check(parter, weight, 2, part < N_PART && form != FORM_WEIGHT ? 3 : 2) != 0 ||
        (bias != NULL && layer_cut_check(parter, bias, 1, 2) != 0))
        return -1;
    if (weight->n_dims == 3)
        heads_apart(parter, weight, form, part, &cut);
    else if (in_out)
        cut = (struct cut){ 0, 1, 0, weight->shape[1], 1, weight->shape[0],
                            weight->shape[1] };
    else
        cut = (struct cut){ 0, 1, 0, weight->shape[0], weight->shape[1], weight->shape[1], 1 };
    made = layer_cut_out(parter->a, weight, &cut, false,
                         arena_printf(parter->a, "%s%s.weight", scope, name));
    layer_cut_take(parter, weight);
    layer_cut_add(parter, &made);
    if (bias == NULL)
        return 0;
    if (bias->n_elements != made.shape[0])
        return err_set(parter->e, ERR_INPUT, "%s: shape %s, expected %lld elements, one for each "
                       "output of %s of shape %s; --matrix-order out-in and "
                       "--matrix-order in-out say how that lies", bias->name,
                       tensor_shape(parter->a, bias), (long long)made.shape[0], weight->name,
                       tensor_shape(parter->a, weight));
    cut = (struct cut){ 0, 1, 0, bias->n_elements, 1, 1, 1 };
    made = layer_cut_out(parter->a, bias, &cut, true,
                         arena_printf(parter->a, "%s%s.bias", scope, name));
    layer_cut_take(parter, bias);
    layer_cut_add(parter, &made);
    return 0;
}

/* Parameters [D, D] can be meant both ways; others say it by their bias, or by what the
 * output reads. */
static void guess_bare(struct parter *parter, const struct naming *naming, const char *scope)
{
    enum form form_q, form_v, form_o = FORM_NONE;
    const struct tensor *q = layer_weight(parter->w, parter->a, scope, naming->part[PART_Q],
                                          &form_q),
                        *o = NULL;
    const struct tensor *v = naming->part[PART_V] == NULL ?
                                 NULL :
                                 layer_weight(parter->w, parter->a, scope, naming->part[PART_V],
                                              &form_v);
    const struct tensor *bias = layer_bias(parter->w, parter->a, scope, naming->part[PART_Q],
                                           FORM_BARE);
    bool x_w, w_x;

    if (q == NULL || v == NULL || form_q != FORM_BARE || q->n_dims != 2 || v->n_dims != 2 ||
        parter->k->asked->order != LAYER_ORDER_AUTO)
        return;
    if (!parter->k->no_output)
        o = layer_weight(parter->w, parter->a, scope, naming->part[PART_O], &form_o);
    x_w = (bias == NULL || bias->n_elements == q->shape[1]) &&
          (o == NULL || o->shape[0] == v->shape[1]);
    w_x = (bias == NULL || bias->n_elements == q->shape[0]) &&
          (o == NULL || (o->n_dims == 2 && o->shape[1] == v->shape[0]));
    parter->k->out_in = w_x && !x_w;
    if (x_w && w_x)
        layer_note(parter->k, arena_printf(parter->a,
                                           "parameters such as %s are read as x W; --matrix-order "
                                           "out-in reads them as W x",
                                           q->name));
}

/* ---- one attention, one layer ---- */

static int part_attention(struct parter *parter, const char *scope)
{
    const struct naming *n = parter->k->naming;
    bool each = n->kind == PROJ_WHOLE;

    for (int i = 0; i < N_PART; i++)
        parter->k->part[i] = i == PART_O && parter->k->no_output ? NULL : n->part[i];
    if ((n->kind == PROJ_HEADS && layer_fused_heads(parter, n, scope) != 0) ||
        (n->kind == PROJ_TORCH && (layer_fused_in_proj(parter, n, scope, "_weight", 2) != 0 ||
                                   layer_fused_in_proj(parter, n, scope, "_bias", 1) != 0)) ||
        ((n->kind == PROJ_FUSED || n->kind == PROJ_FUSED_HEADS) &&
         layer_fused_qkv(parter, n, scope) != 0) ||
        (n->kind == PROJ_KV && (lay_linear(parter, scope, n->part[PART_Q], PART_Q) != 0 ||
                                layer_fused_cut(parter, scope, n->part[PART_K], PART_K, 1) != 0)))
        return -1;
    guess_bare(parter, n, scope);
    if (parter->k->no_output && n->part[PART_O] != NULL)
        layer_note(parter->k, arena_printf(parter->a,
                                           "there is no output projection %s%s: the output is "
                                           "that of the heads, side by side",
                                           scope, n->part[PART_O]));
    for (int i = PART_Q; each && i <= PART_V; i++)
        if (lay_linear(parter, scope, n->part[i], i) != 0)
            return -1;
    return parter->k->no_output ? 0 : lay_linear(parter, scope, n->part[PART_O], PART_O);
}

/* A norm whose parts have other names gets those that all families know. */
static void name_norm(struct parter *parter, const char *name)
{
    static const char *const other[][2] = {
        { ".a_2", ".b_2" }, { ".alpha", ".bias" }, { ".scale", ".shift" }, { ".w", ".b" },
        { ".scale", ".bias" },
    };

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        for (int j = 0; j < 2; j++) {
            const struct tensor *tensor = layer_find(parter->w, parter->a, "", name, other[i][j]);
            struct tensor made;

            if (tensor == NULL || parter->gone[tensor - weights_at(parter->w, 0)] ||
                strcmp(other[i][j], ".bias") == 0)
                continue;
            made = *tensor;
            made.name = arena_printf(parter->a, "%s%s", name, j == 0 ? ".weight" : ".bias");
            layer_cut_take(parter, tensor);
            layer_cut_add(parter, &made);
        }
}

static int part_layer(struct parter *parter, int l)
{
    const struct layout *layout = parter->k->layout;
    const char *scope = layer_name(parter->a, parter->k->layer, l);
    const char *bar = strchr(layout->down, '|');

    for (int i = 0; i < 4; i++) {
        bool seen = layout->norm[i] == NULL;

        for (int j = 0; j < i; j++)
            seen = seen || (layout->norm[j] != NULL &&
                            strcmp(layout->norm[i], layout->norm[j]) == 0);
        if (!seen)
            name_norm(parter, arena_printf(parter->a, "%s%s", scope, layout->norm[i]));
    }
    if (lay_linear(parter, scope, layout->up, N_PART) != 0)
        return -1;
    return bar != NULL ? 0 : lay_linear(parter, scope, layout->down, N_PART);
}

int layer_part(struct look *look, const char *const *scope, int n_scopes)
{
    struct parter parter = { .k = look, .w = look->w, .a = look->a, .e = look->e };
    int count = weights_count(look->w), n_all = 0;
    struct tensor *all;

    parter.gone = arena_alloc(look->a, (size_t)count + 1, sizeof *parter.gone);
    for (int s = 0; s < n_scopes; s++)
        if (part_attention(&parter, scope[s]) != 0)
            return -1;
    for (int layer = 0; look->layout != NULL && layer < look->c->n_layers; layer++)
        if (part_layer(&parter, layer) != 0)
            return -1;
    if (look->stacked && look->layout != NULL && look->layout->last_norm != NULL)
        name_norm(&parter, arena_printf(look->a, "%s%s", look->base, look->layout->last_norm));
    if (parter.n_parts == 0)
        return 0;
    all = arena_alloc(look->a, (size_t)(count + parter.n_parts), sizeof *all);
    for (int i = 0; i < count; i++)
        if (!parter.gone[i])
            all[n_all++] = *weights_at(look->w, i);
    memcpy(all + n_all, parter.part, (size_t)parter.n_parts * sizeof *all);
    return weights_replace(look->w, all, n_all + parter.n_parts, look->e);
}
