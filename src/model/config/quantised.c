/* SPDX-License-Identifier: MIT
 * quantization_config of config.json -> the format of quantised weights. */
#include <string.h>

#include "base/json_field.h"
#include "model/config/config_priv.h"

#define UNDER "quantization_config."

enum { MOST_GROUP = 1 << 20 };

struct method {
    const char *name;           /* quant_method */
    int (*read)(const struct reader *r, const json_t *q, struct quantisation *p);
};

static int config_quantised_wrong(const struct reader *reader, const json_t *q, const char *key,
                                  const char *expected)
{
    return config_wrong(reader, arena_printf(reader->a, UNDER "%s", key), config_value(q, key),
                        expected);
}

/* ---- values ---- */

static int read_int(const struct reader *reader, const json_t *q, const char *key, int lo, int hi,
                    int *out)
{
    return json_value_int(json_object_get(q, key), arena_printf(reader->a, UNDER "%s", key), lo, hi,
                          out, reader->e) != 0 ? err_under(reader->e, "%s", reader->file) : 0;
}

/* Absent or null: def. */
static int read_bool(const struct reader *reader, const json_t *q, const char *key, bool def,
                     bool *out)
{
    const json_t *value = config_value(q, key);

    *out = value == NULL ? def : json_is_true(value);
    return value == NULL || json_is_boolean(value) ? 0 :
           config_quantised_wrong(reader, q, key, "true or false");
}

/* Keys that change nothing here, and must be of their type all the same. */
static int check_bools(const struct reader *reader, const json_t *q, const char *const *key)
{
    bool ignored;

    for (; *key != NULL; key++)
        if (read_bool(reader, q, *key, false, &ignored) != 0)
            return -1;
    return 0;
}

/* A string: which of these; absent or null: the first. */
static int read_choice(const struct reader *reader, const json_t *q, const char *key,
                       const char *const *choice, int *out)
{
    const json_t *value = config_value(q, key);
    const char *text = json_string_value(value), *all = choice[0];

    *out = 0;
    if (value == NULL)
        return 0;
    for (int i = 0; choice[i] != NULL; i++)
        if (text != NULL && strcmp(choice[i], text) == 0) {
            *out = i;
            return 0;
        }
    for (int i = 1; choice[i] != NULL; i++)
        all = arena_printf(reader->a, "%s, %s", all, choice[i]);
    return config_quantised_wrong(reader, q, key, all);
}

static int check_choice(const struct reader *reader, const json_t *q, const char *key,
                        const char *only)
{
    const char *const choice[] = { only, NULL };
    int ignored;

    return read_choice(reader, q, key, choice, &ignored);
}

/* Options that would need another reader: absent, null or empty. */
static int check_none(const struct reader *reader, const json_t *q, const char *const *key)
{
    for (; *key != NULL; key++) {
        const json_t *value = config_value(q, *key);

        if (value != NULL && !json_is_false(value) &&
            !(json_is_object(value) && json_object_size(value) == 0))
            return config_quantised_wrong(reader, q, *key, "null");
    }
    return 0;
}

/* Modules that stay as they are; which those are, the tensors show. */
static int check_names(const struct reader *reader, const json_t *q, const char *key)
{
    const json_t *value = config_value(q, key);

    if (value != NULL && !json_is_array(value))
        return config_quantised_wrong(reader, q, key, "a list of strings");
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!json_is_string(json_array_get(value, i)))
            return config_quantised_wrong(reader, q, key, "a list of strings");
    return 0;
}

/* -1: all of a row. */
static int read_group(const struct reader *reader, const json_t *q, int *out)
{
    if (read_int(reader, q, "group_size", -1, MOST_GROUP, out) != 0)
        return -1;
    if (*out == 0)
        return config_quantised_wrong(reader, q, "group_size", "-1, or 1 or more");
    *out = *out < 0 ? 0 : *out;
    return 0;
}

/* ---- methods ---- */

static int read_gptq(const struct reader *reader, const json_t *q,
                     struct quantisation *quantisation)
{
    static const char *const formats[] = { "gptq", "gptq_v2", NULL };
    static const char *const flags[] = { "desc_act", "sym", "true_sequential", "static_groups",
                                         "lm_head", NULL };
    static const char *const others[] = { "dynamic", "is_marlin_format", NULL };
    int format;

    quantisation->method = QUANT_GPTQ;
    if (read_int(reader, q, "bits", 2, 8, &quantisation->bits) != 0)
        return -1;
    if (quantisation->bits != 2 && quantisation->bits != 4 && quantisation->bits != 8)
        return config_quantised_wrong(reader, q, "bits", "2, 4 or 8");
    if (read_group(reader, q, &quantisation->group) != 0 || check_bools(reader, q, flags) != 0 ||
        check_none(reader, q, others) != 0 || check_choice(reader, q, "pack_dtype", "int32") != 0 ||
        read_choice(reader, q, "checkpoint_format", formats, &format) != 0)
        return -1;
    quantisation->v2 = format == 1;
    return 0;
}

static int read_awq(const struct reader *reader, const json_t *q, struct quantisation *quantisation)
{
    bool zeros;

    quantisation->method = QUANT_AWQ;
    if (read_int(reader, q, "bits", 4, 4, &quantisation->bits) != 0 ||
        read_group(reader, q, &quantisation->group) != 0 ||
        read_bool(reader, q, "zero_point", true, &zeros) != 0 ||
        check_choice(reader, q, "version", "gemm") != 0 ||
        check_names(reader, q, "modules_to_not_convert") != 0)
        return -1;
    return zeros ? 0 : config_quantised_wrong(reader, q, "zero_point", "true");
}

static int read_bitsandbytes(const struct reader *reader, const json_t *q,
                             struct quantisation *quantisation)
{
    static const char *const types[] = { "fp4", "nf4", NULL };
    static const char *const flags[] = { "bnb_4bit_use_double_quant",
                                         "llm_int8_enable_fp32_cpu_offload",
                                         "llm_int8_has_fp16_weight", NULL };
    bool four, eight;
    int type;

    if (read_bool(reader, q, "load_in_4bit", false, &four) != 0 ||
        read_bool(reader, q, "load_in_8bit", false, &eight) != 0)
        return -1;
    if (four == eight)
        return config_quantised_wrong(reader, q, four ? "load_in_8bit" : "load_in_4bit",
                                      four ? "false beside load_in_4bit" : "true, or load_in_8bit");
    quantisation->method = four ? QUANT_BNB4 : QUANT_BNB8;
    return read_choice(reader, q, "bnb_4bit_quant_type", types, &type) != 0 ||
           check_choice(reader, q, "bnb_4bit_quant_storage", "uint8") != 0 ||
           check_names(reader, q, "llm_int8_skip_modules") != 0 ? -1 :
           check_bools(reader, q, flags);
}

/* The block of weights in the one group that there is. */
static int read_float(const struct reader *reader, const json_t *w,
                      struct quantisation *quantisation)
{
    static const char *const strategies[] = { "channel", "tensor", NULL };
    int strategy, bits;

    quantisation->method = QUANT_CT_FLOAT;
    if (check_choice(reader, w, "type", "float") != 0 ||
        read_int(reader, w, "num_bits", 8, 8, &bits) != 0 ||
        read_choice(reader, w, "strategy", strategies, &strategy) != 0)
        return -1;
    quantisation->whole = strategy == 1;
    return 0;
}

/* Whether groups are of inputs out of order, whose numbers are then in the file. */
static int read_order(const struct reader *reader, const json_t *w, bool *ordered)
{
    static const char *const orders[] = { "weight", "static", "group", "dynamic", NULL };
    int order;

    if (json_is_boolean(config_value(w, "actorder")))
        return read_bool(reader, w, "actorder", false, ordered);
    if (read_choice(reader, w, "actorder", orders, &order) != 0)
        return -1;
    *ordered = order >= 2;
    return 0;
}

static int read_pack(const struct reader *reader, const json_t *w,
                     struct quantisation *quantisation)
{
    static const char *const strategies[] = { "group", "channel", NULL };
    bool symmetric;
    int strategy;

    quantisation->method = QUANT_CT_INT;
    if (check_choice(reader, w, "type", "int") != 0 ||
        read_int(reader, w, "num_bits", 1, 8, &quantisation->bits) != 0 ||
        read_bool(reader, w, "symmetric", true, &symmetric) != 0 ||
        read_choice(reader, w, "strategy", strategies, &strategy) != 0 ||
        (strategy == 0 && read_group(reader, w, &quantisation->group) != 0) ||
        read_order(reader, w, &quantisation->ordered) != 0)
        return -1;
    quantisation->zeros = !symmetric;
    return quantisation->bits == 4 || quantisation->bits == 8 ? 0 :
           config_quantised_wrong(reader, w, "num_bits", "4 or 8");
}

static int read_nvfp4(const struct reader *reader, const json_t *w,
                      struct quantisation *quantisation)
{
    int bits;

    quantisation->method = QUANT_CT_NVFP4;
    if (check_choice(reader, w, "type", "float") != 0 ||
        read_int(reader, w, "num_bits", 4, 4, &bits) != 0 ||
        check_choice(reader, w, "strategy", "tensor_group") != 0)
        return -1;
    return config_value(w, "group_size") == NULL ? 0 :
           read_int(reader, w, "group_size", 16, 16, &quantisation->group);
}

static const struct {
    const char *name;
    int (*read)(const struct reader *r, const json_t *weights, struct quantisation *p);
} ct_formats[] = {
    { "float-quantized", read_float }, { "pack-quantized", read_pack },
    { "nvfp4-pack-quantized", read_nvfp4 },
};

/* Each group of modules has its own numbers: here all have the same. */
static const json_t *weights_of_groups(const struct reader *reader, const json_t *q)
{
    const json_t *groups = config_value(q, "config_groups"), *first = NULL;
    const char *name;
    json_t *group;

    json_object_foreach((json_t *)(uintptr_t)groups, name, group) {
        const json_t *weights = config_value(group, "weights");

        if (first != NULL && (weights == NULL || !json_equal(first, weights))) {
            config_quantised_wrong(reader, q, "config_groups", "groups with the same weights");
            return NULL;
        }
        first = weights;
        if (first == NULL)
            break;
    }
    if (first == NULL)
        config_quantised_wrong(reader, q, "config_groups", "a group of modules with weights");
    return first;
}

static int read_compressed(const struct reader *reader, const json_t *q,
                           struct quantisation *quantisation)
{
    static const char *const others[] = { "kv_cache_scheme", "transform_config", NULL };
    const json_t *weights = weights_of_groups(reader, q);
    const json_t *sparsity = config_value(q, "sparsity_config");
    const char *format = json_string_value(config_value(q, "format"));

    if (weights == NULL || check_choice(reader, q, "quantization_status", "compressed") != 0 ||
        check_names(reader, q, "ignore") != 0 || check_none(reader, q, others) != 0 ||
        check_choice(reader, sparsity, "format", "dense") != 0)
        return -1;
    for (size_t i = 0; format != NULL && i < sizeof ct_formats / sizeof *ct_formats; i++)
        if (strcmp(format, ct_formats[i].name) == 0)
            return ct_formats[i].read(reader, weights, quantisation);
    return config_quantised_wrong(reader, q, "format",
                                  "float-quantized, pack-quantized or nvfp4-pack-quantized");
}

static int read_fp8(const struct reader *reader, const json_t *q, struct quantisation *quantisation)
{
    static const char *const formats[] = { "e4m3", "e5m2", NULL };
    static const char *const schemes[] = { "dynamic", "static", NULL };
    const json_t *block = config_value(q, "weight_block_size");
    int ignored;

    quantisation->method = QUANT_FP8;
    if (json_array_size(block) != 2)
        return config_quantised_wrong(reader, q, "weight_block_size", "two numbers");
    for (size_t i = 0; i < 2; i++)
        if (json_value_int(json_array_get(block, i), UNDER "weight_block_size", 1, MOST_GROUP,
                           &quantisation->block[i], reader->e) != 0)
            return err_under(reader->e, "%s", reader->file);
    return read_choice(reader, q, "fmt", formats, &ignored) != 0 ||
           read_choice(reader, q, "activation_scheme", schemes, &ignored) != 0 ?
               -1 : check_names(reader, q, "modules_to_not_convert");
}

static int read_mxfp4(const struct reader *reader, const json_t *q,
                      struct quantisation *quantisation)
{
    quantisation->method = QUANT_MXFP4;
    return check_names(reader, q, "modules_to_not_convert");
}

static const struct method methods[] = {
    { "gptq", read_gptq }, { "awq", read_awq }, { "bitsandbytes", read_bitsandbytes },
    { "compressed-tensors", read_compressed }, { "fp8", read_fp8 }, { "mxfp4", read_mxfp4 },
};

int config_quantisation(const struct reader *reader, const json_t *root,
                        struct quantisation *quantisation)
{
    const json_t *q = config_value(root, "quantization_config");
    const char *name, *all = methods[0].name;

    if (q == NULL)
        q = config_value(root, "compression_config");   /* its older name */
    if (q == NULL)
        return 0;
    name = json_string_value(config_value(q, "quant_method"));
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (name != NULL && strcmp(methods[i].name, name) == 0)
            return methods[i].read(reader, q, quantisation);
    for (size_t i = 1; i < sizeof methods / sizeof *methods; i++)
        all = arena_printf(reader->a, "%s, %s", all, methods[i].name);
    return config_quantised_wrong(reader, q, "quant_method", all);
}
