/* SPDX-License-Identifier: MIT
 * GGUF's keys: what is read from them, and what is refused. */
#include "check.h"

#include "model/gguf.h"
#include "model/model.h"
#include "unit/gguf_bytes.h"

static struct arena arena;
static struct bytes b;

/* A small llama; more: one key in place of a usual one, or beside them. */
struct key {
    const char *name;
    enum gguf_type type;
    double v;
};

static void put_number(const struct key *k)
{
    put_key(&b, k->name, k->type);
    if (k->type == GGUF_F32)
        put_numbers(&b, &(float){ (float)k->v }, 1, 4);
    else if (k->type == GGUF_BOOL)
        put(&b, &(unsigned char){ k->v != 0 }, 1);
    else
        put_u32(&b, (uint32_t)(int64_t)k->v);
}

static void llama(const char *arch, const struct key *more, int n_more)
{
    static const struct key usual[] = {
        { "llama.block_count", GGUF_U32, 1 }, { "llama.context_length", GGUF_U32, 8 },
        { "llama.embedding_length", GGUF_U32, 8 },
        { "llama.feed_forward_length", GGUF_U32, 8 },
        { "llama.attention.head_count", GGUF_U32, 2 },
        { "llama.attention.layer_norm_rms_epsilon", GGUF_F32, 1e-6 },
    };
    int n = 0;

    put_head(&b, 3, 1, 0);
    put_key_string(&b, "general.architecture", arch);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        bool replaced = false;

        for (int k = 0; k < n_more; k++)
            replaced = replaced || strcmp(more[k].name, usual[i].name) == 0;
        if (!replaced) {
            put_number(&usual[i]);
            n++;
        }
    }
    for (int k = 0; k < n_more; k++) {
        put_number(&more[k]);
        n++;
    }
    bytes_put(b.v + 16, (uint64_t)n + 1, 8);
    put_tensor(&b, "token_embd.weight", 8, 5, 0, 0);
    put_data(&b, 32, 160);
}

static int read_b(struct config *c, const struct family **f, struct err *e)
{
    struct weights *w = weights_open_memory(&arena, (struct span){ b.v, b.n }, "f", e);

    return w == NULL ? -1 : gguf_config(c, f, &arena, w, e);
}

static struct config accepted(const struct family **f)
{
    struct err e = { ERR_NONE, "" };
    struct config c;

    if (read_b(&c, f, &e) != 0)
        fail_msg("%s", e.msg);
    return c;
}

static void refused(const char *want)
{
    struct err e = { ERR_NONE, "" };
    const struct family *f;
    struct config c;

    assert_int_equal(read_b(&c, &f, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strncmp(e.msg, "f: ", 3) != 0 || strstr(e.msg, want) == NULL)
        fail_msg("\"%s\", expected \"%s\"", e.msg, want);
}

static void refused_with(const char *name, enum gguf_type type, double v, const char *want)
{
    const struct key k = { name, type, v };

    llama("llama", &k, 1);
    refused(want);
}

/* ---- right ---- */

static void test_defaults(void **state)
{
    const struct family *f;
    struct config c;

    (void)state;
    llama("llama", NULL, 0);
    c = accepted(&f);
    assert_string_equal(f->name, "llama");
    assert_string_equal(f->stack.name[W_Q], "blk.%d.attn_q");
    assert_int_equal(f->rope_layout, ROPE_PAIRS);
    assert_int_equal(f->order, ORDER_OUT_IN);
    assert_null(f->prefix[0]);
    assert_int_equal(c.n_layers, 1);
    assert_int_equal(c.n_kv_heads, 2);
    assert_int_equal(c.d_head, 4);
    assert_int_equal(c.n_vocab, 5);
    assert_int_equal(c.rotary.n_columns, 4);
    assert_int_equal(c.window.n_keys, 0);
    assert_true(c.rotary.rope[0].theta == 10000);
    assert_true(c.norm.eps == (double)1e-6f);
}

static void test_families(void **state)
{
    const struct key window = { "llama.attention.sliding_window", GGUF_U32, 4 };
    const struct key experts[] = { { "llama.expert_count", GGUF_U32, 4 },
                                   { "llama.expert_used_count", GGUF_U32, 2 } };
    const struct key none = { "llama.expert_count", GGUF_U32, 0 };
    const struct family *f;

    (void)state;
    llama("llama", &window, 1);
    assert_int_equal(accepted(&f).window.n_keys, 4);
    assert_string_equal(f->name, "mistral");
    llama("llama", experts, 2);
    assert_int_equal(accepted(&f).experts.n, 4);
    assert_string_equal(f->name, "mixtral");
    llama("llama", &none, 1);
    accepted(&f);
    assert_string_equal(f->name, "llama");
}

/* Each architecture is listed once. */
static void test_names(void **state)
{
    (void)state;
    assert_string_equal(gguf_architecture(0), "llama");
    for (int i = 0; gguf_architecture(i) != NULL; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(gguf_architecture(i), gguf_architecture(k));
}

/* ---- wrong ---- */

static void test_architecture(void **state)
{
    (void)state;
    put_head(&b, 3, 0, 0);
    refused("has no general.architecture");
    put_head(&b, 3, 0, 1);
    put_key_u32(&b, "general.architecture", 1);
    refused("general.architecture: is a U32, expected a STRING");
    llama("mamba", NULL, 0);
    refused("general.architecture: found \"mamba\", expected one of llama, bert, ");
    llama("bert", NULL, 0);
    refused("has no key bert.block_count");
    put_head(&b, 3, 0, 6);
    put_key_string(&b, "general.architecture", "llama");
    put_key_u32(&b, "llama.block_count", 1);
    put_key_u32(&b, "llama.context_length", 1);
    put_key_u32(&b, "llama.embedding_length", 8);
    put_key_u32(&b, "llama.feed_forward_length", 8);
    put_key_u32(&b, "llama.attention.head_count", 2);
    refused("has no tensor token_embd.weight: it holds only a vocabulary");
}

static void test_numbers(void **state)
{
    (void)state;
    refused_with("llama.block_count", GGUF_U32, 65537, "block_count: found 65537, expected "
                 "a whole number from 1 to 65536");
    refused_with("llama.block_count", GGUF_U32, 4294967295., "found 4294967295");
    refused_with("llama.block_count", GGUF_I32, -1, "block_count: found -1");
    refused_with("llama.block_count", GGUF_F32, 1, "block_count: is a F32, expected a whole");
    refused_with("llama.attention.head_count", GGUF_U32, 0, "head_count: found 0");
    refused_with("llama.attention.head_count", GGUF_U32, 2147483648., "2147483648");
    refused_with("llama.attention.head_count", GGUF_U32, 3, "embedding_length 8 is not a "
                 "multiple of the 3 heads");
    refused_with("llama.attention.head_count_kv", GGUF_U32, 4, "found 4, expected a divisor");
    refused_with("llama.attention.value_length", GGUF_U32, 5, "values of another width");
    refused_with("llama.rope.dimension_count", GGUF_U32, 64, "64 of the 4 columns");
    refused_with("llama.rope.dimension_count", GGUF_U32, 3, "3 of the 4 columns");
    refused_with("llama.rope.freq_base", GGUF_F32, -1, "freq_base: found -1");
    refused_with("llama.rope.freq_base", GGUF_F32, (double)NAN, "freq_base: found nan");
    refused_with("llama.attention.causal", GGUF_BOOL, 0, "causal: false is not supported");
    refused_with("llama.attention.layer_norm_rms_epsilon", GGUF_U32, 1, "expected a number");
}

/* T5: its tensors say what no key does; counts of the decoder and of buckets. */
static void t5(const char *key, uint32_t v, const char *tensor)
{
    put_head(&b, 3, 2, 7);
    put_key_string(&b, "general.architecture", "t5");
    put_key_u32(&b, "t5.block_count", 1);
    put_key_u32(&b, "t5.context_length", 8);
    put_key_u32(&b, "t5.embedding_length", 8);
    put_key_u32(&b, "t5.feed_forward_length", 8);
    put_key_u32(&b, "t5.attention.head_count", 2);
    put_key_u32(&b, key, v);
    put_tensor(&b, "token_embd.weight", 8, 5, 0, 0);
    put_tensor(&b, tensor, 8, 8, 0, 160);
    put_data(&b, 32, 160 + 256);
}

static void test_t5(void **state)
{
    const struct family *f;
    struct config c;

    (void)state;
    t5("t5.decoder_block_count", 3, "enc.blk.0.ffn_up.weight");
    c = accepted(&f);
    assert_string_equal(f->stack.name[W_O], "enc.blk.%d.attn_o");
    assert_string_equal(f->decoder->stack.name[W_CROSS_O], "dec.blk.%d.cross_attn_o");
    assert_string_equal(f->decoder->stack.name[W_FINAL_NORM], "dec.output_norm");
    assert_string_equal(f->decoder->stack.name[W_HEAD], "output");
    assert_int_equal(c.decoder.n_layers, 3);
    assert_false(c.gated);
    assert_int_equal(c.act, ACT_RELU);
    assert_true(c.head.scale > 0);
    t5("t5.attention.relative_buckets_count", 16, "enc.blk.0.ffn_gate.weight");
    c = accepted(&f);
    assert_true(c.gated);
    assert_int_equal(c.bias.n_buckets, 16);
    t5("t5.decoder_start_token_id", 4, "output.weight");
    c = accepted(&f);
    assert_int_equal(c.decoder.start_id, 4);
    assert_true(c.head.scale == 0);
    t5("t5.decoder_block_count", 65537, "output.weight");
    refused("decoder_block_count: found 65537, expected a whole number from 1 to 65536");
    t5("t5.attention.relative_buckets_count", 1u << 31, "output.weight");
    refused("relative_buckets_count: found 2147483648");
    t5("t5.attention.relative_buckets_count", 3, "output.weight");
    refused("3 buckets up to distance 128");
    t5("t5.decoder_start_token_id", UINT32_MAX, "output.weight");
    refused("decoder_start_token_id: found 4294967295");
}

static void test_arrays(void **state)
{
    const struct family *f;

    (void)state;
    for (uint32_t second = 2; second <= 3; second++) {
        llama("llama", NULL, 0);
        put_head(&b, 3, 1, 6);
        put_key_string(&b, "general.architecture", "llama");
        put_key_u32(&b, "llama.block_count", 2);
        put_key_u32(&b, "llama.context_length", 8);
        put_key_u32(&b, "llama.embedding_length", 12);
        put_key_u32(&b, "llama.feed_forward_length", 8);
        put_array(&b, "llama.attention.head_count", GGUF_I32, 2);
        put_u32(&b, 2);
        put_u32(&b, second);
        put_tensor(&b, "token_embd.weight", 12, 5, 0, 0);
        put_data(&b, 32, 240);
        if (second == 2)
            assert_int_equal(accepted(&f).n_heads, 2);
        else
            refused("head_count: varies by layer, which is not supported");
    }
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_families),
        cmocka_unit_test(test_names), cmocka_unit_test(test_architecture),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_t5),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
