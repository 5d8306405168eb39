/* SPDX-License-Identifier: MIT
 * Quantised modules -> one tensor each, by the layout of the method. */
#include "weights/quantised/quant_priv.h"

static const struct method {
    const char *name;           /* in messages */
    const char *mark;           /* the ending of the one tensor that each module has */
    const char *weight;         /* the ending of what is made of it */
    quant_open *open;
} methods[N_QUANT] = {
    [QUANT_GPTQ] = { "gptq", ".qweight", ".weight", quant_gptq },
    [QUANT_AWQ] = { "awq", ".qweight", ".weight", quant_awq },
    [QUANT_BNB4] = { "bitsandbytes", ".weight.absmax", ".weight", quant_bnb4 },
    [QUANT_BNB8] = { "bitsandbytes", ".SCB", ".weight", quant_bnb8 },
    [QUANT_CT_FLOAT] = { "compressed-tensors", ".weight_scale", ".weight", quant_ct_float },
    [QUANT_CT_INT] = { "compressed-tensors", ".weight_packed", ".weight", quant_ct_int },
    [QUANT_CT_NVFP4] = { "compressed-tensors", ".weight_packed", ".weight", quant_ct_nvfp4 },
    [QUANT_FP8] = { "fp8", ".weight_scale_inv", ".weight", quant_fp8 },
    [QUANT_MXFP4] = { "mxfp4", "_blocks", "", quant_mxfp4 },
};

static int open_module(struct unpacker *u, const struct method *m, const struct tensor *packed,
                       struct tensor *out)
{
    struct arena *a = u->w->a;
    int64_t size;

    u->module = arena_strndup(a, packed->name, strlen(packed->name) - strlen(m->mark));
    u->used[packed - u->w->tensor] = true;
    *out = (struct tensor){ .name = arena_printf(a, "%s%s", u->module, m->weight),
                            .dtype = DTYPE_F32, .file = packed->file };
    if (m->open(u, packed, out) != 0)
        return -1;
    if (tensor_measure(out, &size) != 0)
        return err_set(u->e, ERR_INPUT, "%s: %s: is too large", out->file,
                       str_shown(a, out->name));
    return 0;
}

static int quantised_replace(struct unpacker *u, struct tensor *made, int n)
{
    for (int i = 0; i < u->w->n; i++)
        if (!u->used[i])
            made[n++] = u->w->tensor[i];
    return weights_replace(u->w, made, n, u->e);
}

int weights_dequantise(struct weights *w, const struct quantisation *p, struct err *e)
{
    const struct method *method = &methods[p->method];
    struct unpacker unpacker = { .w = w, .p = p, .e = e };
    struct tensor *made;
    int n = 0;

    if (p->method == QUANT_NONE)
        return 0;
    unpacker.method = method->name;
    unpacker.used = arena_alloc(w->a, (size_t)w->n + 1, sizeof *unpacker.used);
    made = arena_alloc(w->a, 2 * (size_t)w->n + 1, sizeof *made);
    for (int i = 0; i < w->n; i++)
        if (str_ends_with(w->tensor[i].name, method->mark) &&
            open_module(&unpacker, method, &w->tensor[i], &made[n++]) != 0)
            return -1;
    if (n == 0)
        return err_set(e, ERR_INPUT, "%s: config.json has weights quantised by %s, but no "
                       "tensor here ends in %s", w->n > 0 ? w->tensor[0].file : "the weights",
                       method->name, method->mark);
    return quantised_replace(&unpacker, made, n);
}
