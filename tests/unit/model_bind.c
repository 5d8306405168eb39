/* SPDX-License-Identifier: MIT
 * Tensors to slots: names with and without prefix, old names, tied heads; what is missing,
 * misshapen, of a wrong type or unused. */
#include "check.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "model/model.h"

/* One tensor of a file to be made; d1 0: one dimension.  Value k of it is 1 + k / 64. */
struct made {
    const char *name, *dtype;
    int d0, d1;
};

enum { MAX_MADE = 64 };

struct file {
    struct made made[MAX_MADE];
    int n;
    const char *config;
};

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* ---- making a model ---- */

static size_t count(const struct made *m)
{
    return (size_t)m->d0 * (size_t)(m->d1 > 0 ? m->d1 : 1);
}

static size_t width(const struct made *m)
{
    return strcmp(m->dtype, "F32") == 0 || strcmp(m->dtype, "I32") == 0 ? 4 : 2;
}

/* 1 + k / 64 for k < 64, as F32, F16 or BF16 bits. */
static void put(unsigned char *p, const struct made *m, size_t k)
{
    float f = 1.0f + (float)(k % 64) / 64.0f;
    uint32_t bits;

    memcpy(&bits, &f, 4);
    if (strcmp(m->dtype, "BF16") == 0)
        bytes_put(p, bits >> 16, 2);
    else if (strcmp(m->dtype, "F16") == 0)
        bytes_put(p, 0x3c00u | (k % 64) << 4, 2);
    else
        bytes_put(p, bits, 4);
}

static struct span safetensors(const struct file *f)
{
    char *header = arena_strdup(&arena, "{");
    unsigned char *bytes, *data;
    size_t size = 0, n;

    for (int i = 0; i < f->n; i++) {
        const struct made *m = &f->made[i];
        size_t end = size + count(m) * width(m);

        header = arena_printf(&arena, "%s%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%d%s],"
                              "\"data_offsets\":[%zu,%zu]}", header, i > 0 ? "," : "",
                              m->name, m->dtype, m->d0,
                              m->d1 > 0 ? arena_printf(&arena, ",%d", m->d1) : "",
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

static int try_bind(struct file *f, struct model **m, struct err *e)
{
    struct span config = { (const unsigned char *)f->config, strlen(f->config) };

    *m = arena_alloc(&arena, 1, sizeof **m);
    (*m)->name = "made";
    (*m)->weights = weights_open_memory(&arena, safetensors(f), "made.safetensors", e);
    if ((*m)->weights == NULL ||
        config_read(&(*m)->config, &(*m)->family, &arena, config, "config.json", e) != 0)
        fail_msg("%s", e->msg);
    return model_bind(*m, &arena, e);
}

static struct model *good(struct file *f)
{
    struct err e = { ERR_NONE, "" };
    struct model *m;

    if (try_bind(f, &m, &e) != 0)
        fail_msg("%s", e.msg);
    return m;
}

static void bad(struct file *f, const char *why)
{
    struct err e = { ERR_NONE, "" };
    struct model *m;

    assert_int_equal(try_bind(f, &m, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strcmp(e.msg, why) != 0)
        fail_msg("'%s', expected '%s'", e.msg, why);
}

static void add(struct file *f, const char *name, int d0, int d1)
{
    assert_true(f->n < MAX_MADE);
    f->made[f->n++] = (struct made){ name, "F32", d0, d1 };
}

static struct made *find(struct file *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->made[i].name, name) == 0)
            return &f->made[i];
    fail_msg("%s", name);
    return NULL;
}

static void leave_out(struct file *f, const char *name)
{
    struct made *m = find(f, name);

    *m = f->made[--f->n];
}

/* Puts text before every name. */
static void prefix(struct file *f, const char *text)
{
    for (int i = 0; i < f->n; i++)
        f->made[i].name = arena_printf(&arena, "%s%s", text, f->made[i].name);
}

/* L 1, H 2, D 8, d 4, F 12, V 5, P 6. */
static struct file gpt2(void)
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
static struct file llama(void)
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

static struct file bert(void)
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

/* ---- what fits ---- */

static void all_slots_of_gpt2(void **state)
{
    struct file f = gpt2();
    struct model *m = good(&f);
    const struct matrix *qkv = &m->layer[0].slot[W_QKV].matrix;

    (void)state;
    assert_int_equal(m->n_unused, 0);
    assert_int_equal(qkv->N, 24);
    assert_int_equal(qkv->K, 8);
    assert_int_equal(qkv->stride, 24);
    assert_true(qkv->order_in_out);
    assert_true(m->layer[0].slot[W_QKV].bias[23] == 1 + 23 / 64.0f);
    assert_true(m->layer[0].slot[W_ATT_NORM].vector[7] == 1 + 7 / 64.0f);
    assert_true(m->layer[0].lo == INT_MAX && m->layer[0].hi == 0);
    assert_true(m->layer[0].scale == 0.5f);
    assert_null(m->rope[0].inv_freq);
    /* the head is the embedding */
    assert_true(m->has_head);
    assert_null(m->slot[W_HEAD].weight);
    assert_ptr_equal(m->slot[W_HEAD].matrix.data, m->slot[W_TOK].matrix.data);
    assert_false(m->slot[W_HEAD].matrix.order_in_out);
}

static void all_slots_of_llama(void **state)
{
    struct file f = llama();
    struct model *m = good(&f);

    (void)state;
    assert_int_equal(m->n_unused, 0);
    assert_int_equal(m->layer[0].slot[W_K].matrix.N, 6);
    assert_int_equal(m->layer[0].slot[W_O].matrix.K, 12);
    assert_null(m->layer[0].slot[W_Q].bias);
    assert_non_null(m->rope[0].inv_freq);
    /* a head of its own counts, and biases only under their keys */
    add(&f, "layers.0.mlp.gate_proj.bias", 12, 0);
    add(&f, "layers.0.mlp.up_proj.bias", 12, 0);
    add(&f, "layers.0.mlp.down_proj.bias", 8, 0);
    add(&f, "lm_head.weight", 5, 8);
    m = good(&f);
    assert_int_equal(m->n_unused, 3);
    assert_non_null(m->slot[W_HEAD].weight);
    f.config = LLAMA ",\"mlp_bias\":true}";
    m = good(&f);
    assert_int_equal(m->n_unused, 0);
    assert_null(m->layer[0].slot[W_Q].bias);
    assert_non_null(m->layer[0].slot[W_DOWN].bias);
    f.config = LLAMA ",\"mlp_bias\":true,\"attention_bias\":true}";
    bad(&f, "made: has no tensor layers.0.self_attn.q_proj.bias, expected [12] (bias of "
        "queries, layer 0)");
}

static void all_slots_of_bert(void **state)
{
    struct file f = bert();
    struct model *m = good(&f);

    (void)state;
    assert_int_equal(m->n_unused, 0);
    assert_true(m->layer[0].lo == INT_MAX && m->layer[0].hi == INT_MAX);
    assert_false(m->has_head);
    assert_null(m->head_lacks);     /* there is none */
    add(&f, "cls.predictions.transform.dense.weight", 8, 8);
    add(&f, "cls.predictions.transform.LayerNorm.weight", 8, 0);
    add(&f, "cls.predictions.transform.LayerNorm.bias", 8, 0);
    add(&f, "cls.predictions.bias", 5, 0);
    m = good(&f);
    assert_false(m->has_head);
    assert_string_equal(m->head_lacks, "cls.predictions.transform.dense.bias");
    add(&f, "cls.predictions.transform.dense.bias", 8, 0);
    m = good(&f);
    assert_true(m->has_head);
    assert_null(m->head_lacks);
    assert_non_null(m->slot[W_HEAD_BIAS].vector);
    assert_int_equal(m->n_unused, 0);
}

/* is_decoder: a BERT that is masked. */
static void a_masked_encoder(void **state)
{
    struct file f = bert();

    (void)state;
    f.config = "{\"model_type\":\"bert\",\"num_hidden_layers\":1,\"num_attention_heads\":2,"
               "\"hidden_size\":8,\"intermediate_size\":12,\"vocab_size\":5,"
               "\"max_position_embeddings\":6,\"is_decoder\":true}";
    assert_int_equal(good(&f)->layer[0].hi, 0);
}

static void with_the_prefix(void **state)
{
    struct file f = gpt2(), g = llama(), h = bert();

    (void)state;
    prefix(&f, "transformer.");
    add(&f, "lm_head.weight", 5, 8);        /* stands outside */
    assert_non_null(good(&f)->slot[W_HEAD].weight);
    prefix(&g, "model.");
    assert_int_equal(good(&g)->n_unused, 0);
    prefix(&h, "bert.");
    add(&h, "cls.predictions.transform.dense.weight", 8, 8);
    add(&h, "cls.predictions.transform.dense.bias", 8, 0);
    add(&h, "cls.predictions.transform.LayerNorm.weight", 8, 0);
    add(&h, "cls.predictions.transform.LayerNorm.bias", 8, 0);
    add(&h, "cls.predictions.bias", 5, 0);
    assert_true(good(&h)->has_head);
}

static void old_names(void **state)
{
    struct file f = bert();
    int renamed = 0;

    (void)state;
    for (int i = 0; i < f.n; i++) {
        const char *norm = strstr(f.made[i].name, "LayerNorm.");

        if (norm == NULL)
            continue;
        f.made[i].name = arena_printf(&arena, "%.*s%s", (int)(norm + 10 - f.made[i].name),
                                      f.made[i].name,
                                      strcmp(norm + 10, "weight") == 0 ? "gamma" : "beta");
        renamed++;
    }
    assert_int_equal(renamed, 6);
    assert_int_equal(good(&f)->n_unused, 0);
    assert_non_null(good(&f)->slot[W_EMB_NORM].bias);
}

static void every_float_type(void **state)
{
    static const char *const types[] = { "F32", "F16", "BF16" };

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct file f = gpt2();
        struct model *m;

        for (int i = 0; i < f.n; i++)
            f.made[i].dtype = types[k];
        m = good(&f);
        assert_true(m->layer[0].slot[W_QKV].bias[20] == 1 + 20 / 64.0f);
        assert_int_equal(m->layer[0].slot[W_QKV].matrix.size_bytes, k == 0 ? 4 : 2);
        assert_true((m->layer[0].slot[W_QKV].matrix.to_f32 == NULL) ==
                    (k == 0 && (uintptr_t)m->layer[0].slot[W_QKV].matrix.data % 4 == 0));
    }
}

static void unused_tensors_are_listed(void **state)
{
    struct file f = gpt2();
    struct model *m;

    (void)state;
    add(&f, "h.0.attn.bias", 6, 6);         /* a mask of old checkpoints, no bias */
    add(&f, "h.1.ln_1.weight", 8, 0);       /* a layer that the config has not */
    add(&f, "score.weight", 2, 8);
    m = good(&f);
    assert_int_equal(m->n_unused, 3);
    assert_string_equal(m->unused[0], "h.0.attn.bias");
    assert_string_equal(m->unused[1], "h.1.ln_1.weight");
    assert_string_equal(m->unused[2], "score.weight");
}

static void the_hash_tells_models_apart(void **state)
{
    struct file f = gpt2(), g = gpt2(), h = gpt2();

    (void)state;
    find(&g, "ln_f.bias")->dtype = "F16";
    add(&h, "h.0.attn.masked_bias", 1, 0);
    assert_true(good(&f)->hash == good(&f)->hash);
    assert_true(good(&f)->hash != good(&g)->hash);
    assert_true(good(&f)->hash != good(&h)->hash);
}

/* ---- what does not ---- */

static void missing_tensors(void **state)
{
    struct file f = gpt2(), g = gpt2(), h = llama(), k = bert();

    (void)state;
    leave_out(&f, "h.0.attn.c_attn.weight");
    bad(&f, "made: has no tensor h.0.attn.c_attn.weight, expected [8,24] (queries, keys "
        "and values, layer 0)");
    leave_out(&g, "wte.weight");
    bad(&g, "made: has no tensor wte.weight, expected [5,8] (token embedding)");
    leave_out(&h, "norm.weight");
    prefix(&h, "model.");
    bad(&h, "made: has no tensor model.norm.weight, expected [8] (final norm)");
    leave_out(&k, "embeddings.position_embeddings.weight");
    bad(&k, "made: has no tensor embeddings.position_embeddings.weight, expected [6,8] "
        "(position table)");
}

/* The message names what was probably meant, not what belongs elsewhere. */
static void misspelt_tensors(void **state)
{
    struct file f = gpt2(), g = bert();

    (void)state;
    find(&f, "h.0.attn.c_attn.bias")->name = "h.0.attn.c_attn.Bias";
    add(&f, "h.0.attn.bias", 6, 6);
    bad(&f, "made: has no tensor h.0.attn.c_attn.bias, expected [24] (bias of queries, keys and "
        "values, layer 0); the unused tensor nearest to it is h.0.attn.c_attn.Bias");
    find(&g, "embeddings.token_type_embeddings.weight")->name = "embeddings.token_types.weight";
    bad(&g, "made: has no tensor embeddings.token_type_embeddings.weight, expected [2,8] (token "
        "types); the unused tensor nearest to it is embeddings.token_types.weight");
}

/* Each tensor in turn with a shape that is wrong. */
static void wrong_shapes(void **state)
{
    struct file f = gpt2();

    (void)state;
    for (int i = 0; i < f.n; i++) {
        struct file g = gpt2();
        struct made *m = &g.made[i];
        const char *want = m->d1 > 0 ? arena_printf(&arena, "[%d,%d]", m->d0, m->d1)
                                     : arena_printf(&arena, "[%d]", m->d0);

        m->d0++;
        bad(&g, arena_printf(&arena, "made.safetensors: %s: shape %s, expected %s", m->name,
                             m->d1 > 0 ? arena_printf(&arena, "[%d,%d]", m->d0, m->d1)
                                       : arena_printf(&arena, "[%d]", m->d0), want));
        m->d0--;
        m->d1 = m->d1 > 0 ? 0 : 1;          /* and with another number of dimensions */
        bad(&g, arena_printf(&arena, "made.safetensors: %s: shape %s, expected %s", m->name,
                             m->d1 > 0 ? arena_printf(&arena, "[%d,%d]", m->d0, m->d1)
                                       : arena_printf(&arena, "[%d]", m->d0), want));
    }
}

/* Transposed, where both orders have as many elements. */
static void a_transposed_matrix(void **state)
{
    struct file f = gpt2();

    (void)state;
    *find(&f, "h.0.mlp.c_fc.weight") = (struct made){ "h.0.mlp.c_fc.weight", "F32", 12, 8 };
    bad(&f, "made.safetensors: h.0.mlp.c_fc.weight: shape [12,8], expected [8,12]");
}

static void types_that_hold_no_weights(void **state)
{
    struct file f = gpt2(), g = gpt2();

    (void)state;
    find(&f, "wpe.weight")->dtype = "I32";
    bad(&f, "made.safetensors: wpe.weight: holds I32, expected F32, F16, BF16 or F64");
    find(&g, "ln_f.bias")->dtype = "I32";
    bad(&g, "made.safetensors: ln_f.bias: holds I32, expected F32, F16, BF16 or F64");
}

static void a_config_of_other_sizes(void **state)
{
    struct file f = gpt2();

    (void)state;
    f.config = "{\"model_type\":\"gpt2\",\"n_layer\":2,\"n_head\":2,\"n_embd\":8,"
               "\"n_inner\":12,\"vocab_size\":5,\"n_positions\":6}";
    bad(&f, "made: has no tensor h.1.ln_1.weight, expected [8] (norm of attention, "
        "layer 1)");
    f.config = "{\"model_type\":\"gpt2\",\"n_layer\":1,\"n_head\":2,\"n_embd\":8,"
               "\"n_inner\":12,\"vocab_size\":50257,\"n_positions\":6}";
    bad(&f, "made.safetensors: wte.weight: shape [5,8], expected [50257,8]");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(all_slots_of_gpt2), TEST(all_slots_of_llama), TEST(all_slots_of_bert),
        TEST(a_masked_encoder), TEST(with_the_prefix), TEST(old_names),
        TEST(every_float_type), TEST(unused_tensors_are_listed),
        TEST(the_hash_tells_models_apart), TEST(missing_tensors),
        TEST(misspelt_tensors), TEST(wrong_shapes), TEST(a_transposed_matrix),
        TEST(types_that_hold_no_weights), TEST(a_config_of_other_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
