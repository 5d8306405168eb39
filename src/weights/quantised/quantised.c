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

static int open_module(struct unpacker *unpacker, const struct method *method,
                       const struct tensor *packed, struct tensor *out)
{
    struct arena *a = unpacker->w->a;
    int64_t size;

    unpacker->module = arena_strndup(a, packed->name, strlen(packed->name) - strlen(method->mark));
    unpacker->used[packed - unpacker->w->tensor] = true;
    *out = (struct tensor){ .name = arena_printf(a, "%s%s", unpacker->module, method->weight),
                            .dtype = DTYPE_F32, .file = packed->file };
    if (method->open(unpacker, packed, out) != 0)
        return -1;
    if (tensor_measure(out, &size) != 0)
        return err_set(unpacker->e, ERR_INPUT, "%s: %s: is too large", out->file,
                       str_shown(a, out->name));
    return 0;
}

static int quantised_replace(struct unpacker *unpacker, struct tensor *made, int n)
{
    for (int i = 0; i < unpacker->w->n; i++)
        if (!unpacker->used[i])
            made[n++] = unpacker->w->tensor[i];
    return weights_replace(unpacker->w, made, n, unpacker->e);
}

int weights_dequantise(struct weights *weights, const struct quantisation *quantisation,
                       struct err *e)
{
    const struct method *method = &methods[quantisation->method];
    struct unpacker unpacker = { .w = weights, .p = quantisation, .e = e };
    struct tensor *made;
    int n = 0;

    if (quantisation->method == QUANT_NONE)
        return 0;
    unpacker.method = method->name;
    unpacker.used = arena_alloc(weights->a, (size_t)weights->n + 1, sizeof *unpacker.used);
    made = arena_alloc(weights->a, 2 * (size_t)weights->n + 1, sizeof *made);
    for (int i = 0; i < weights->n; i++)
        if (str_ends_with(weights->tensor[i].name, method->mark) &&
            open_module(&unpacker, method, &weights->tensor[i], &made[n++]) != 0)
            return -1;
    if (n == 0)
        return err_set(e, ERR_INPUT,
                       "%s: config.json has weights quantised by %s, but no "
                       "tensor here ends in %s",
                       weights->n > 0 ? weights->tensor[0].file : "the weights", method->name,
                       method->mark);
    return quantised_replace(&unpacker, made, n);
}
