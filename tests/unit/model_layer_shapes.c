/* SPDX-License-Identifier: MIT
 * Files of layers by the shapes of their tensors: what is read of each, or why it is not. */
#include "unit/model_layer.h"

#include "unit/gguf_bytes.h"

/* ---- projections ---- */

static void shapes(void **state)
{
    (void)state;
    GOOD({ SQUARE(""), { .heads = 2 }, "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { ONE("", "6x4", "3x4", "2x4", "4x4"), { .heads = 2 },
           "attention 2/1 heads of 3, 2: 1 layer, width 4" });
    BAD({ ONE("", "4", "4x4", "4x4", "4x4"), { .heads = 2 },
          "linear_q.weight: shape [4], expected 2 dimensions of 1 to 1048576" },
        { ONE("", "4x4", "4x4x1", "4x4", "4x4"), { .heads = 2 },
          "linear_k.weight: shape [4,4,1], expected 2 dimensions" },
        { ONE("", "4x4", "4x4", "0x4", "4x4"), { .heads = 2 },
          "linear_v.weight: shape [0,4], expected 2 dimensions" },
        { ONE("", "1048577x1", "4x4", "4x4", "4x4"), { .heads = 1 },
          "linear_q.weight: shape [1048577,1], expected 2 dimensions" },
        { ONE("", "4x4", "3x4", "4x4", "4x4"), { .heads = 2 },
          "linear_k.weight: shape [3,4], expected 4 rows: 2 heads of width 2" },
        { ONE("", "4x4", "4x4", "5x4", "4x4"), { .heads = 2 },
          "linear_v.weight: shape [5,4], expected rows for 2 heads" },
        { ONE("", "4x4", "4x4", "4x4", "4x4n"), { .heads = 2 },
          "linear_out.weight: element 1 is NaN" },
        { ONE("", "4x4", "4x4f", "4x4", "4x4"), { .heads = 2 },
          "linear_k.weight: element 1 is infinite" },
        { SQUARE("") " rel_pos_encoding 4x2", { .heads = 2 },
          "rel_pos_encoding: shape [4,2], expected [2 max_len - 1,2]" },
        { SQUARE("") " rel_pos_encoding 5x3", { .heads = 2 },
          "rel_pos_encoding: shape [5,3], expected [2 max_len - 1,2]" },
        { SQUARE("") " rel_pos_encoding 5", { .heads = 2 },
          "rel_pos_encoding: shape [5], expected" },
        { SQUARE(""), { .heads = 2, .relative = "shaw" }, "--relative: file has no rel_pos" },
        { "q_proj_weight 4x4 k_proj_weight 4x4 out_proj.weight 4x4", { .heads = 2 },
          "has out_proj.weight, but no tensor v_proj_weight" },
        { "q_proj_weight 4x4 k_proj_weight 4x4 v_proj_weight 4x4", { .heads = 2 },
          "but no tensor out_proj.weight" });
}

/* A matrix for each head, a projection of three, and in one for all heads. */
static void parts(void **state)
{
    (void)state;
    GOOD({ MANY("2x4", "2x4", "2x4"), { 0 }, "attention 2/2 heads of 2, 2: 1 layer, width 4" });
    BAD({ MANY("2x4", "3x4", "2x4"), { 0 }, "k_linears.1.weight: F32 of shape [2,4], expected F32 "
                                            "[3,4] as head 0 has" },
        { MANY("2x4", "2x3", "2x4"), { 0 }, "expected F32 [2,3] as head 0 has" },
        { MANY("2x4", "2x4i", "2x4"), { 0 }, "k_linears.0.weight: holds I32, expected F32, F16" },
        { MANY("2x4", "2x4", "2x4x1"), { 0 }, "v_linears.0.weight: shape [2,4,1], expected 2" },
        { MANY("8", "2x4", "2x4"), { 0 }, "q_linears.0.weight: shape [8], expected 2 dimensions" },
        { MANY("2x4", "2x4", "2x4") " v_linears.2.weight 2x4", { 0 },
          "has q_linears of 2 heads, but v_linears of 3" },
        { MANY("2x4", "2x4", "2x4") " v_linears.0.bias 2", { 0 },
          "has no tensor v_linears.1.bias, which other heads have" },
        { MANY("2x4", "2x4", "2x4") " v_linears.0.bias 2 v_linears.1.bias 2x1", { 0 },
          "v_linears.1.bias: shape [2,1], expected 1 dimensions" },
        { "k_linears.0.weight 2x4 v_linears.0.weight 2x4 output_linear.weight 4x4", { 0 },
          "has no tensor q_linears.0.weight" },
        { "in_proj_weight 12x3 out_proj.weight 4x4", { .heads = 2 },
          "in_proj_weight: shape [12,3], expected three times as many rows as the width" },
        { "in_proj_weight 11x4 out_proj.weight 4x4", { .heads = 2 },
          "in_proj_weight: shape [11,4], expected three times" },
        { "in_proj_weight 12x4 in_proj_bias 11 out_proj.weight 4x4", { .heads = 2 },
          "in_proj_bias: shape [11], expected three times" },
        { "in_proj_weight 12x4x1 out_proj.weight 4x4", { .heads = 2 },
          "in_proj_weight: shape [12,4,1], expected 2 dimensions" },
        { "in_proj_weight 12x4 in_proj_bias 12x1 out_proj.weight 4x4", { .heads = 2 },
          "in_proj_bias: shape [12,1], expected 1 dimensions" });
}

#define FUSED(qkv) "attn.qkv.weight " qkv " attn.proj.weight 4x4"
#define TIMM(before) before "attn.qkv.weight 12x4 " before "attn.proj.weight 4x4 " \
    before "mlp.fc1.weight 8x4 " before "mlp.fc2.weight 4x8 " before "norm1.weight 4 " \
    before "norm2.weight 4"
#define HEADS(qkv) "qkv_proj.weight " qkv " o_proj.weight 4x4"

static void fused(void **state)
{
    (void)state;
    GOOD({ FUSED("12x4"), { .heads = 2 }, "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { "attn.c_attn.weight 4x12 attn.c_attn.bias 12 attn.c_proj.weight 4x4", { .heads = 2 },
           "attention causal 2/2 heads of 2, 2: 1 layer, width 4" },
         { "attn.c_attn.weight 12x4 attn.c_attn.bias 12 attn.c_proj.weight 4x4", { .heads = 2 },
           "attention causal 2/2 heads of 2, 2: 1 layer, width 4" },
         { "attn.c_attn.weight 4x12 attn.c_proj.weight 4x4",
           { .heads = 2, .order = LAYER_ORDER_IN_OUT },
           "attention causal 2/2 heads of 2, 2: 1 layer, width 4" },
         { "attn.c_attn.kernel 4x12 attn.c_proj.kernel 4x4", { .heads = 2 },
           "attention causal 2/2 heads of 2, 2: 1 layer, width 4" },
         { HEADS("12x4"), { .heads = 2, .fused = LAYER_FUSED_HEADS },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { HEADS("12x4"), { .heads = 2, .fused = LAYER_FUSED_PARTS },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" });
    BAD({ FUSED("13x4"), { .heads = 2 }, "attn.qkv.weight: shape [13,4], expected outputs of "
                                         "queries, keys and values for 1 head" },
        { FUSED("12x4x1"), { .heads = 2 }, "attn.qkv.weight: shape [12,4,1], expected 2" },
        { FUSED("12x4") " attn.qkv.bias 11", { .heads = 2 },
          "attn.qkv.bias: shape [11], expected [12]" },
        { FUSED("12x4") " attn.qkv.bias 2x2x3", { .heads = 2 },
          "attn.qkv.bias: shape [2,2,3], expected 1 or one more dimensions" },
        { "to_q.weight 4x4 to_kv.weight 7x4 to_out.0.weight 4x4", { .heads = 2 },
          "to_kv.weight: shape [7,4], expected outputs of keys and values for 1 head" },
        { HEADS("12x4"), { .heads = 2 }, "fits two layouts: rows of each head's query, key and "
                                         "value (UvA), and rows of all queries, all keys, all "
                                         "values (Phi-3): give --fused heads or --fused parts" },
        { HEADS("12x4"), { .fused = LAYER_FUSED_HEADS }, "the number of heads is unknown; give" },
        { HEADS("12x4"), { .fused = LAYER_FUSED_HEADS }, "heads: found \"x\", expected a number",
          { "heads", "x" } },
        { TIMM("blocks.0.") " blocks.1.norm1.weight 4", { .heads = 2 },
          "has no tensor blocks.1.attn.qkv.weight" });
}

/* Matrices by themselves, and those of Keras with heads apart. */
static void bare(void **state)
{
    (void)state;
    GOOD({ "wq 4x6 wk 4x6 wv 4x6 wo 6x4", { .heads = 2 },
           "attention 2/2 heads of 3, 3: 1 layer, width 4; parameters such as wq are read as x W; "
           "--matrix-order out-in reads them as W x" },
         { "wq 6x4 wk 6x4 wv 6x4 wo 4x6", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 6; parameters such as wq are read as x W; "
           "--matrix-order out-in reads them as W x" },
         { "wq 6x4 wk 6x4 wv 6x4 wo 4x6", { .heads = 2, .order = LAYER_ORDER_OUT_IN },
           "attention 2/2 heads of 3, 3: 1 layer, width 4" },
         { "wq 6x4 wk 6x4 wv 6x4 wo 5x6", { .heads = 2 },
           "attention 2/2 heads of 3, 3: 1 layer, width 4" },
         { "wq 4x6 wk 4x6 wv 4x6 wo 6x5", { .heads = 2 },
           "attention 2/2 heads of 3, 3: 1 layer, width 4" },
         { "wq 1x4 wk 1x4 wv 1x4 wo 4x1", { .heads = 2, .order = LAYER_ORDER_IN_OUT },
           "attention 2/2 heads of 2, 2: 1 layer, width 1" },
         { "wq 2x1x3 wk 2x1x3 wv 2x1x3 wo 2x3x1", { 0 },
           "attention 2/2 heads of 3, 3: 1 layer, width 1" },
         { "wq 2x4x1 wk 2x4x1 wv 2x4x1 wo 2x1x4", { 0 },
           "attention 2/2 heads of 1, 1: 1 layer, width 4" },
         { "wq 4x4 wk 4x4 wv 2x4x2 wo 4x4", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { "query.kernel 4x2x3 key.kernel 4x2x3 value.kernel 4x2x3 out.kernel 2x3x4",
           { .heads = 2 }, "attention 2/2 heads of 3, 3: 1 layer, width 4" });
    BAD({ "query.kernel 4x2x3x1 key.kernel 4x2x3 value.kernel 4x2x3 out.kernel 2x3x4",
          { .heads = 2 }, "query.kernel: shape [4,2,3,1], expected 2 or one more dimensions" },
        { "query.kernel 4x6 key.kernel 4x6 value.kernel 4x6 out.kernel 6x4 query.bias 5",
          { .heads = 2 }, "query.bias: shape [5], expected 6 elements, one for each output" },
        { "query.kernel 4x6 key.kernel 4x6 value.kernel 4x6 out.kernel 6x4 query.bias 6x1x1",
          { .heads = 2 }, "query.bias: shape [6,1,1], expected 1 or one more dimensions" });
}

/* ---- masks ---- */

static void masks(void **state)
{
    (void)state;
    GOOD({ SQUARE("") " mask 1x1x3x3t", { .heads = 2 },
           "attention causal 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE("") " mask 3x3t tril 3x3t", { .heads = 2 },
           "attention causal 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE("") " mask 3x3u", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE("") " mask 3x3", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE("") " masked_bias 1", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE("") " masked_bias 1x1", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE("") " mask 3x3t", { .heads = 2, .unmasked = true },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" });
}

/* ---- a GGUF file that is a layer ---- */

/* Four matrices of zeros, and a tensor of two blocks of 32 in Q8_0. */
static struct weights *gguf_of(const char *const *names, const char *in_blocks)
{
    static struct bytes b;
    struct weights *w;
    struct err e = { ERR_NONE, "" };

    put_head(&b, 3, 5, 0);
    for (uint64_t i = 0; i < 4; i++)
        put_tensor(&b, names[i], 4, 4, 0, 64 * i);
    put_tensor(&b, in_blocks, 32, 2, 8, 256);
    put_data(&b, 32, 0);
    for (int i = 0; i < 256 + 68; i++)
        put(&b, "", 1);
    w = weights_open_memory(&arena, (struct span){ b.v, b.n }, "file", &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    return w;
}

/* Numbers in blocks cannot be cut; beside the layer they do not matter. */
static void blocks(void **state)
{
    static const char *const beside[] = { "linear_q.weight", "linear_k.weight",
                                          "linear_v.weight", "linear_out.weight" };
    static const char *const inside[] = { "q_linears.0.weight", "k_linears.0.weight", "steps",
                                          "output_linear.weight" };
    const struct layer_asked asked = { .heads = 2 };
    const struct family *f;
    const char *note = NULL;
    struct config c;
    struct err e;

    (void)state;
    assert_int_equal(layer_describe(&c, &f, &arena, gguf_of(beside, "blocks"), "file", &asked,
                                    &note, &e), 0);
    assert_int_equal(layer_describe(&c, &f, &arena, gguf_of(inside, "v_linears.0.weight"), "file",
                                    &asked, &note, &e), -1);
    assert_string_equal(e.msg, "file: v_linears.0.weight: holds Q8_0, expected F32, F16, BF16 or "
                               "F64");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(shapes), TEST(parts), TEST(fused), TEST(bare), TEST(masks), TEST(blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
