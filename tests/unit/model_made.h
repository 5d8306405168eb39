/* SPDX-License-Identifier: MIT
 * Models of a few tensors, made in memory: what a binder takes, or why it does not. */
#ifndef UNIT_MODEL_MADE_H
#define UNIT_MODEL_MADE_H

#include "check.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "model/model.h"

/* One tensor of a file to be made; d1, d2 0: fewer dimensions.  Value k of it is 1 + k / 64. */
struct made {
    const char *name, *dtype;
    int d0, d1, d2;
};

enum { MAX_MADE = 64 };

struct file {
    struct made made[MAX_MADE];
    int n;
    const char *config;
};

static struct arena arena;

static inline int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* ---- making a model ---- */

static inline size_t count(const struct made *m)
{
    return (size_t)m->d0 * (size_t)(m->d1 > 0 ? m->d1 : 1) * (size_t)(m->d2 > 0 ? m->d2 : 1);
}

static inline size_t width(const struct made *m)
{
    return strcmp(m->dtype, "F32") == 0 || strcmp(m->dtype, "I32") == 0 ? 4 :
           strcmp(m->dtype, "I8") == 0 ? 1 : 2;
}

/* 1 + k / 64 for k < 64, as F32, F16 or BF16 bits; k, as I8. */
static inline void put(unsigned char *p, const struct made *m, size_t k)
{
    float f = 1.0f + (float)(k % 64) / 64.0f;
    uint32_t bits;

    memcpy(&bits, &f, 4);
    if (strcmp(m->dtype, "BF16") == 0)
        bytes_put(p, bits >> 16, 2);
    else if (strcmp(m->dtype, "F16") == 0)
        bytes_put(p, 0x3c00u | (k % 64) << 4, 2);
    else if (strcmp(m->dtype, "I8") == 0)
        bytes_put(p, k % 64, 1);
    else
        bytes_put(p, bits, 4);
}

static inline struct span safetensors(const struct file *f)
{
    char *header = arena_strdup(&arena, "{");
    unsigned char *bytes, *data;
    size_t size = 0, n;

    for (int i = 0; i < f->n; i++) {
        const struct made *m = &f->made[i];
        size_t end = size + count(m) * width(m);

        header = arena_printf(&arena, "%s%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%d%s%s],"
                              "\"data_offsets\":[%zu,%zu]}", header, i > 0 ? "," : "",
                              m->name, m->dtype, m->d0,
                              m->d1 > 0 ? arena_printf(&arena, ",%d", m->d1) : "",
                              m->d2 > 0 ? arena_printf(&arena, ",%d", m->d2) : "",
                              size, end);
        size = end;
    }
    header = arena_printf(&arena, "%s}", header);
    n = strlen(header);
    bytes = arena_alloc(&arena, 8 + n + size, 1);
    bytes_put(bytes, n, 8);
    memcpy(bytes + 8, header, n);
    data = bytes + 8 + n;
    for (int i = 0; i < f->n; i++)
        for (size_t k = 0; k < count(&f->made[i]); k++) {
            put(data, &f->made[i], k);
            data += width(&f->made[i]);
        }
    return (struct span){ bytes, 8 + n + size };
}

static inline int try_bind(struct file *f, struct model **m, struct err *e)
{
    struct span config = { (const unsigned char *)f->config, strlen(f->config) };

    *m = arena_alloc(&arena, 1, sizeof **m);
    (*m)->name = "made";
    (*m)->weights = weights_open_memory(&arena, safetensors(f), "made.safetensors", e);
    if ((*m)->weights == NULL ||
        config_read(&(*m)->config, &(*m)->family, &arena, config, "config.json",
                    TOWER_NONE, e) != 0)
        fail_msg("%s", e->msg);
    if (weights_dequantise((*m)->weights, &(*m)->config.quantisation, e) != 0)
        fail_msg("%s", e->msg);
    return model_bind(*m, &arena, e);
}

static inline struct model *good(struct file *f)
{
    struct err e = { ERR_NONE, "" };
    struct model *m;

    if (try_bind(f, &m, &e) != 0)
        fail_msg("%s", e.msg);
    return m;
}

static inline void bad(struct file *f, const char *why)
{
    struct err e = { ERR_NONE, "" };
    struct model *m;

    assert_int_equal(try_bind(f, &m, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strcmp(e.msg, why) != 0)
        fail_msg("'%s', expected '%s'", e.msg, why);
}

static inline void add(struct file *f, const char *name, int d0, int d1)
{
    assert_true(f->n < MAX_MADE);
    f->made[f->n++] = (struct made){ name, "F32", d0, d1 };
}

static inline struct made *find(struct file *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->made[i].name, name) == 0)
            return &f->made[i];
    fail_msg("%s", name);
    return NULL;
}

static inline void leave_out(struct file *f, const char *name)
{
    struct made *m = find(f, name);

    *m = f->made[--f->n];
}

/* Puts text before every name. */
static inline void prefix(struct file *f, const char *text)
{
    for (int i = 0; i < f->n; i++)
        f->made[i].name = arena_printf(&arena, "%s%s", text, f->made[i].name);
}

/* L 1, H 2, D 8, d 4, F 12, V 5, P 6. */
static inline struct file gpt2(void)
{
    struct file f = { .config = "{\"model_type\":\"gpt2\",\"n_layer\":1,\"n_head\":2,"
                                "\"n_embd\":8,\"n_inner\":12,\"vocab_size\":5,"
                                "\"n_positions\":6}" };

    add(&f, "wte.weight", 5, 8);
    add(&f, "wpe.weight", 6, 8);
    add(&f, "h.0.ln_1.weight", 8, 0);
    add(&f, "h.0.ln_1.bias", 8, 0);
    add(&f, "h.0.attn.c_attn.weight", 8, 24);
    add(&f, "h.0.attn.c_attn.bias", 24, 0);
    add(&f, "h.0.attn.c_proj.weight", 8, 8);
    add(&f, "h.0.attn.c_proj.bias", 8, 0);
    add(&f, "h.0.ln_2.weight", 8, 0);
    add(&f, "h.0.ln_2.bias", 8, 0);
    add(&f, "h.0.mlp.c_fc.weight", 8, 12);
    add(&f, "h.0.mlp.c_fc.bias", 12, 0);
    add(&f, "h.0.mlp.c_proj.weight", 12, 8);
    add(&f, "h.0.mlp.c_proj.bias", 8, 0);
    add(&f, "ln_f.weight", 8, 0);
    add(&f, "ln_f.bias", 8, 0);
    return f;
}

#define LLAMA "{\"model_type\":\"llama\",\"num_hidden_layers\":1," \
              "\"num_attention_heads\":2,\"num_key_value_heads\":1,\"hidden_size\":8," \
              "\"head_dim\":6,\"intermediate_size\":12,\"vocab_size\":5"

/* The same sizes; G 1. */
static inline struct file llama(void)
{
    struct file f = { .config = LLAMA "}" };

    add(&f, "embed_tokens.weight", 5, 8);
    add(&f, "layers.0.input_layernorm.weight", 8, 0);
    add(&f, "layers.0.self_attn.q_proj.weight", 12, 8);
    add(&f, "layers.0.self_attn.k_proj.weight", 6, 8);
    add(&f, "layers.0.self_attn.v_proj.weight", 6, 8);
    add(&f, "layers.0.self_attn.o_proj.weight", 8, 12);
    add(&f, "layers.0.post_attention_layernorm.weight", 8, 0);
    add(&f, "layers.0.mlp.gate_proj.weight", 12, 8);
    add(&f, "layers.0.mlp.up_proj.weight", 12, 8);
    add(&f, "layers.0.mlp.down_proj.weight", 8, 12);
    add(&f, "norm.weight", 8, 0);
    return f;
}

static inline struct file bert(void)
{
    struct file f = { .config = "{\"model_type\":\"bert\",\"num_hidden_layers\":1,"
                                "\"num_attention_heads\":2,\"hidden_size\":8,"
                                "\"intermediate_size\":12,\"vocab_size\":5,"
                                "\"max_position_embeddings\":6}" };
    static const char *const dense[] = { "attention.self.query", "attention.self.key",
                                         "attention.self.value", "attention.output.dense" };

    add(&f, "embeddings.word_embeddings.weight", 5, 8);
    add(&f, "embeddings.position_embeddings.weight", 6, 8);
    add(&f, "embeddings.token_type_embeddings.weight", 2, 8);
    add(&f, "embeddings.LayerNorm.weight", 8, 0);
    add(&f, "embeddings.LayerNorm.bias", 8, 0);
    for (int i = 0; i < 4; i++) {
        add(&f, arena_printf(&arena, "encoder.layer.0.%s.weight", dense[i]), 8, 8);
        add(&f, arena_printf(&arena, "encoder.layer.0.%s.bias", dense[i]), 8, 0);
    }
    add(&f, "encoder.layer.0.attention.output.LayerNorm.weight", 8, 0);
    add(&f, "encoder.layer.0.attention.output.LayerNorm.bias", 8, 0);
    add(&f, "encoder.layer.0.intermediate.dense.weight", 12, 8);
    add(&f, "encoder.layer.0.intermediate.dense.bias", 12, 0);
    add(&f, "encoder.layer.0.output.dense.weight", 8, 12);
    add(&f, "encoder.layer.0.output.dense.bias", 8, 0);
    add(&f, "encoder.layer.0.output.LayerNorm.weight", 8, 0);
    add(&f, "encoder.layer.0.output.LayerNorm.bias", 8, 0);
    return f;
}

#endif
