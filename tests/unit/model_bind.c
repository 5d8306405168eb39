/* SPDX-License-Identifier: MIT
 * Tensors to slots: names with and without prefix, old names, tied heads; what is missing,
 * misshapen, of a wrong type or unused. */
#include "unit/model_made.h"

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

/* Packed, a matrix lies [out, in], in a family whose own do not; unpacked beside it, as ever. */
static void packed_slots_of_gpt2(void **state)
{
    struct file f = gpt2();
    struct made *qkv = find(&f, "h.0.attn.c_attn.weight");
    const struct param *slot;
    struct model *m;

    (void)state;
    *qkv = (struct made){ qkv->name, "I8", 24, 8 };
    add(&f, "h.0.attn.c_attn.SCB", 24, 0);
    f.config = "{\"model_type\":\"gpt2\",\"n_layer\":1,\"n_head\":2,\"n_embd\":8,"
               "\"n_inner\":12,\"vocab_size\":5,\"n_positions\":6,\"quantization_config\":{"
               "\"quant_method\":\"bitsandbytes\",\"load_in_8bit\":true}}";
    m = good(&f);
    slot = m->layer[0].slot;
    assert_int_equal(slot[W_QKV].matrix.N, 24);
    assert_int_equal(slot[W_QKV].matrix.K, 8);
    assert_false(slot[W_QKV].matrix.order_in_out);
    assert_true(slot[W_O].matrix.order_in_out);
}

/* A norm of queries for each head, each of a head's width. */
static void norms_of_heads(void **state)
{
    struct file f = { .config = "{\"model_type\":\"stablelm\",\"num_hidden_layers\":1,"
        "\"num_attention_heads\":2,\"num_key_value_heads\":2,\"hidden_size\":8,"
        "\"intermediate_size\":12,\"vocab_size\":5,\"partial_rotary_factor\":0.5,"
        "\"qk_layernorm\":true}" };

    (void)state;
    add(&f, "embed_tokens.weight", 5, 8);
    add(&f, "layers.0.input_layernorm.weight", 8, 0);
    add(&f, "layers.0.input_layernorm.bias", 8, 0);
    add(&f, "layers.0.self_attn.q_proj.weight", 8, 8);
    add(&f, "layers.0.self_attn.k_proj.weight", 8, 8);
    add(&f, "layers.0.self_attn.v_proj.weight", 8, 8);
    add(&f, "layers.0.self_attn.o_proj.weight", 8, 8);
    add(&f, "layers.0.self_attn.q_layernorm.norms.0.weight", 4, 0);
    add(&f, "layers.0.self_attn.q_layernorm.norms.1.weight", 4, 0);
    add(&f, "layers.0.self_attn.k_layernorm.norms.0.weight", 4, 0);
    add(&f, "layers.0.self_attn.k_layernorm.norms.1.weight", 4, 0);
    add(&f, "layers.0.post_attention_layernorm.weight", 8, 0);
    add(&f, "layers.0.post_attention_layernorm.bias", 8, 0);
    add(&f, "layers.0.mlp.gate_proj.weight", 12, 8);
    add(&f, "layers.0.mlp.up_proj.weight", 12, 8);
    add(&f, "layers.0.mlp.down_proj.weight", 8, 12);
    add(&f, "norm.weight", 8, 0);
    add(&f, "norm.bias", 8, 0);
    add(&f, "lm_head.weight", 5, 8);
    assert_int_equal(good(&f)->layer[0].slot[W_Q_NORM].n_parts, 2);
    find(&f, "layers.0.self_attn.q_layernorm.norms.1.weight")->d0 = 5;
    bad(&f, "made.safetensors: layers.0.self_attn.q_layernorm.norms.1.weight: shape [5], "
        "expected [4]");
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
        TEST(all_slots_of_gpt2), TEST(packed_slots_of_gpt2), TEST(norms_of_heads),
        TEST(all_slots_of_llama), TEST(all_slots_of_bert),
        TEST(a_masked_encoder), TEST(with_the_prefix), TEST(old_names),
        TEST(every_float_type), TEST(unused_tensors_are_listed),
        TEST(the_hash_tells_models_apart), TEST(missing_tensors),
        TEST(misspelt_tensors), TEST(wrong_shapes), TEST(a_transposed_matrix),
        TEST(types_that_hold_no_weights), TEST(a_config_of_other_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
