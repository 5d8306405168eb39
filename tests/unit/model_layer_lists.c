/* SPDX-License-Identifier: MIT
 * Files of layers by the names of their tensors: lists, layers, encoders with decoders, what
 * lies beside them, and what is asked of each. */
#include "unit/model_layer.h"

#define FUSED(qkv) "attn.qkv.weight " qkv " attn.proj.weight 4x4"
#define HEADS(qkv) "qkv_proj.weight " qkv " o_proj.weight 4x4"

/* ---- lists, layers, pairs ---- */

#define TORCH(before) SQUARE(before "self_attn.") " " before "linear1.weight 8x4 " before \
    "linear2.weight 4x8 " before "norm1.weight 4 " before "norm2.weight 4"
#define DECODER(before, width) ONE(before "self_attn.", width, width, width, width) " " \
    ONE(before "cross_attn.", width, width, width, width) " " before "norm3.weight 4 " \
    before "linear1.weight 8x4 " before "linear2.weight 4x8"

static void lists(void **state)
{
    (void)state;
    GOOD({ TORCH(""), { .heads = 2 }, "encoder layer 2/2 heads of 2, 2: 1 layer, width 4" },
         { TORCH("layers.0.") " " TORCH("layers.1."), { .heads = 2 },
           "encoder layer 2/2 heads of 2, 2: 2 layers, width 4" },
         { TORCH("layers.3."), { .heads = 2 },
           "encoder layer 2/2 heads of 2, 2: 1 layer, width 4" },
         { TORCH("enc.") " " DECODER("dec.", "4x4"), { .heads = 2 },
           "encoder-decoder 2/2 heads of 2, 2: 1 layer, width 4" },
         { DECODER("a.", "4x4") " " TORCH("b."), { .heads = 2 },
           "encoder-decoder 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE("0.attn.") " " SQUARE("1.attn."), { .heads = 2 },
           "attention 2/2 heads of 2, 2: 2 layers, width 4; its 2 attentions are run one after the "
           "other, each on the output of the one before" });
    BAD({ TORCH("layers.0.") " " TORCH("layers.2."), { .heads = 2 },
          "but no tensor of layer 1" },
        { SQUARE("one.") " " SQUARE("two."), { .heads = 2 },
          "has two attentions that fit, one.* and two.*: give --prefix one. or --prefix two." },
        { SQUARE("one.") " " SQUARE("two.") " " SQUARE("xyz."), { .heads = 2 },
          "has two attentions that fit" },
        { TORCH("one.") " " TORCH("two."), { .heads = 2 },
          "has two attentions that fit, one.self" },
        { TORCH("enc.") " " DECODER("dec.", "6x6"), { .heads = 2 },
          "enc.* has rows of 4 and dec.* rows of 6, expected the same width" },
        { TORCH("enc.") " " ONE("dec.self_attn.", "4x4", "3x4", "4x4", "4x4") " "
          SQUARE("dec.cross_attn.") " dec.linear1.weight 8x4 dec.linear2.weight 4x8",
          { .heads = 2 }, "dec.self_attn.linear_k.weight: shape [3,4]" },
        { SQUARE("self_attn.") " linear1.weight 8 linear2.weight 4x8", { .heads = 2 },
          "linear1.weight: shape [8], expected 2 dimensions" },
        { SQUARE("self_attn.") " norm1.weight 4", { .heads = 2 },
          "has self_attn.* and norm1, but no mlp of a known layout" },
        { TORCH("") " feed_forward.0.weight 8x4", { .heads = 2 },
          "has two layouts at once: linear1" },
        { ONE("0.attn.", "4x4", "4x4", "4x4", "3x4") " " ONE("1.attn.", "4x4", "4x4", "4x4", "3x4"),
          { .heads = 2 }, "its 2 attentions read rows of 4 and give rows of 3, so that none can" },
        { TORCH("enc.") " " DECODER("dec.", "4x4"), { .heads = 2, .memory = true },
          "--memory: file has an encoder, whose output its decoder reads" });
}

/* ---- what is asked for ---- */

static void asked(void **state)
{
    (void)state;
    GOOD({ TORCH(""), { .heads = 2, .activation = "gelu" },
           "encoder layer 2/2 heads of 2, 2: 1 layer, width 4" },
         { TORCH(""), { .heads = 2, .activation = "gelu_tanh" },
           "encoder layer 2/2 heads of 2, 2: 1 layer, width 4" },
         { TORCH(""), { .heads = 2, .activation = "relu", .norm_first = true },
           "encoder layer 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE(""), { .heads = 2 }, "attention 2/2 heads of 2, 2: 1 layer, width 4",
           { "zero_attn", "false" } },
         { SQUARE(""), { .heads = 2 }, "attention 2/2 heads of 2, 2: 1 layer, width 4",
           { "zero_attn", "true" } },
         { "a.weight 4x4 b.weight 8x4 c.weight 4x4", { .heads = 2, .names = "a,b,c" },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { "a.weight 4x4 b.weight 4x4 c.weight 4x4",
           { .heads = 2, .names = "a,b,c", .fused = LAYER_FUSED_PARTS },
           "attention 2/1 heads of 2, 2: 1 layer, width 4" },
         { "a.weight 12x4 b.weight 4x4", { .heads = 2, .names = "a,b" },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { "a.weight 12x4 b.weight 4x4",
           { .heads = 2, .names = "a,b", .fused = LAYER_FUSED_HEADS },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" });
    BAD({ SQUARE(""), { .heads = 2 }, "zero_attn: found \"maybe\", expected true or false",
          { "zero_attn", "maybe" } },
        { "a.weight 4x4 b.weight 4x4 c.weight 4x4", { .heads = 2, .names = "a,b,c" },
          "b.weight of shape [4,4] may be the keys, or the keys and values" },
        { "a.weight 4x4 b.weight 8x4 c.weight 8x4", { .heads = 2, .names = "a,b,c" },
          "b.weight of shape [8,4] may be the keys" },
        { SQUARE(""), { .heads = 3 }, "--heads: 3 do not divide the 4 columns of linear_q" },
        { SQUARE(""), { 0 }, "the number of heads of its 4 columns of queries is unknown" });
}

/* ---- what lies beside ---- */

#define MINGPT(before) before "attn.c_attn.weight 12x4 " before "attn.c_proj.weight 4x4 " \
    before "mlp.c_fc.weight 16x4 " before "mlp.c_proj.weight 4x16 " before "ln_1.weight 4 " \
    before "ln_2.weight 4"
#define GPT " causal 2/2 heads of 2, 2: 1 layer, width 4"

/* Layers with embeddings of tokens and of positions are a model; with one of them, layers. */
static void whole(void **state)
{
    (void)state;
    GOOD({ MINGPT("t.h.0.") " t.wte.weight 9x4 t.wpe.weight 5x4", { .heads = 2 },
           "nanoGPT, minGPT" GPT },
         { MINGPT("h.0.") " wte.weight 9x4 wpe.weight 5x4", { .heads = 2 }, "nanoGPT, minGPT" GPT },
         { MINGPT("a.b.h.0.") " a.b.wte.weight 9x4 a.b.wpe.weight 5x4", { .heads = 2 },
           "nanoGPT, minGPT" GPT },
         { MINGPT("t.h.0.") " t.wte.weight 9x4", { .heads = 2 }, "decoder layer" GPT },
         { MINGPT("t.h.0.") " t.wpe.weight 9x4", { .heads = 2 }, "decoder layer" GPT },
         { MINGPT("t.h.0.") " t.wte.weight 9 t.wpe.weight 5x4", { .heads = 2 },
           "decoder layer" GPT },
         { MINGPT("t.h.0.") " t.wte.weight 9x3 t.wpe.weight 5x4", { .heads = 2 },
           "decoder layer" GPT },
         { MINGPT("t.h.0.") " t.wte.weight 0x4 t.wpe.weight 5x4", { .heads = 2 },
           "decoder layer" GPT },
         { MINGPT("") " wte.weight 9x4 wpe.weight 5x4", { .heads = 2 }, "decoder layer" GPT },
         { SQUARE("") " bias_k 1x1x4 bias_v 1x1x4", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { ONE("", "4x4", "4x6", "4x6", "4x4"), { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { ONE("", "4x4", "4x4", "4x6", "4x4"), { .heads = 2 },
           "attention 2/2 heads of 2, 2: 1 layer, width 4" });
    BAD({ TORCH("") " self_attn.bias_k 1x1x4 self_attn.bias_v 1x1x4", { .heads = 2 },
          "self_attn.bias_k is supported only in an attention by itself" },
        { SQUARE("0.") " " SQUARE("1.") " 0.bias_k 1x1x4 0.bias_v 1x1x4 1.bias_k 1x1x4 "
          "1.bias_v 1x1x4", { .heads = 2 }, "bias_k is supported only in an attention by itself" },
        { SQUARE("") " q_norm.weight 2", { .heads = 2 },
          "q_norm.weight: layers with such a part are not supported" },
        { TORCH("") " ls1.gamma 4", { .heads = 2 },
          "ls1.gamma: layers with such a part are not supported" });
}

/* A list of attentions has nothing else in it. */
static void alone(void **state)
{
    (void)state;
    GOOD({ MANY("2x4", "2x4", "2x4"), { 0 }, "attention 2/2 heads of 2, 2: 1 layer, width 4" },
         { "0.to_qkv.weight 12x4 0.to_out.weight 4x4 0.norm.weight 4 0.norm.bias 4 "
           "1.to_qkv.weight 12x4 1.to_out.weight 4x4 1.norm.weight 4 1.norm.bias 4", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 2 layers, width 4; its 2 attentions are run one after the "
           "other, each on the output of the one before" },
         { "0.in_proj_weight 12x4 0.in_proj_bias 12 0.out_proj.weight 4x4 0.mask 3x3t "
           "1.in_proj_weight 12x4 1.in_proj_bias 12 1.out_proj.weight 4x4 1.mask 3x3t",
           { .heads = 2 },
           "attention causal 2/2 heads of 2, 2: 2 layers, width 4; its 2 attentions are run one "
           "after the other, each on the output of the one before" });
    BAD({ SQUARE("0.") " " SQUARE("1.") " 0.other.weight 4x4", { .heads = 2 },
          "has two attentions that fit, 0.* and 1.*" },
        { SQUARE("0.") " " SQUARE("1.") " 1.norm.weight 4", { .heads = 2 },
          "has two attentions that fit" },
        { "0.to_qkv.weight 12x4 0.to_out.weight 4x4 0.normal 4 "
          "1.to_qkv.weight 12x4 1.to_out.weight 4x4", { .heads = 2 },
            "has two attentions that fit" },
        { SQUARE("1.") " " SQUARE("2."), { .heads = 2 },
          "has two attentions that fit, 1.* and 2.*" },
        { SQUARE("a0b1.") " " SQUARE("a1b2."), { .heads = 2 }, "has two attentions that fit" },
        { SQUARE("x1.") " " SQUARE("x."), { .heads = 2 }, "has two attentions that fit" },
        { SQUARE("0.") " " HEADS("12x4"), { .heads = 2, .fused = LAYER_FUSED_PARTS },
          "has two attentions that fit" },
        { SQUARE("a%."), { .heads = 2 }, "match no known layer" },
        { "a.q.weight 4x4 a.k.weight 4x4 a.v.weight 4x4 "
          "b.q.weight 4x4 b.k.weight 4x4 b.v.weight 4x4", { .heads = 2 }, "match no known layer" });
}

static void asked_wrong(void **state)
{
    (void)state;
    BAD({ SQUARE(""), { .names = "a" }, "--tensor-names: 'a' is not a list of names" },
        { SQUARE(""), { .names = "a,b,c,d,e" }, "'a,b,c,d,e' is not a list of names" },
        { SQUARE(""), { .names = "a,,c,d" }, "'a,,c,d' is not a list of names" },
        { SQUARE(""), { .names = "a,b%,c,d" }, "'a,b%,c,d' is not a list of names" },
        { SQUARE(""), { .names = "" }, "'' is not a list of names" },
        { SQUARE(""), { .heads = 2, .norm_first = true }, "--norm-first: file is one attention" },
        { SQUARE(""), { .heads = 2, .activation = "gelu" }, "--activation: file is one attention" },
        { TORCH(""), { .heads = 2, .zero_key = true }, "--zero-attn: file is more than one" },
        { SQUARE("0.") " " SQUARE("1."), { .heads = 2, .zero_key = true },
          "--zero-attn: file is more" },
        { TORCH(""), { .heads = 2, .memory = true }, "--memory: file has no attention to another" },
        { TORCH(""), { .heads = 2, .names = "linear_q,linear_k,linear_v,-" },
          "--tensor-names: file is a layer, which needs an output projection" },
        { SQUARE("a."), { .heads = 2, .names = "x,y,z,w" }, "x" },
        { SQUARE("a."), { .heads = 2, .names = "x,y,z,w", .prefix = "a" }, " under a." },
        { SQUARE("a."), { .heads = 2, .prefix = "b" }, "b" },
        { "a.linear_q.weight 4x4 a.linear_k.weight 4x4 a.linear_v.weight 4x4 a.x.weight 4x4",
          { .heads = 2, .names = "linear_q,linear_k,linear_v,y" }, "but no tensor a.y.weight" });
}

/* ---- what else may be there ---- */

#define BARE(before, to) before "wq " to " " before "wk " to " " before "wv " to " " before "wo " to
#define ENCODER2(before) BARE(before "self_attn.", "4x4") " " before "linear1.weight 8x4 " \
    before "linear2.weight 4x8"
#define DECODER2(before) ENCODER2(before) " " BARE(before "cross_attn.", "4x4")
#define READ(before) "parameters such as " before "wq are read as x W; --matrix-order " \
    "out-in reads them as W x"
#define PLAIN "attention 2/2 heads of 2, 2: 1 layer, width 4"

static void more(void **state)
{
    (void)state;
    GOOD({ "W_Q.weight 4x4 W_K.weight 4x4 W_V.weight 4x4 fc.weight 4x4", { .heads = 2 }, PLAIN },
         { TORCH("a.") " " DECODER("b.", "4x4"), { .heads = 2 },
           "encoder-decoder 2/2 heads of 2, 2: 1 layer, width 4" },
         { SQUARE("cross_attn.") " linear1.weight 8x4 linear2.weight 4x8", { .heads = 2 }, PLAIN },
         { "a.weight 4x4 b.weight 8x4", { .heads = 2, .names = "a,b,c" },
           PLAIN "; there is no output projection c: the output is that of the heads, "
           "side by side" },
         { TORCH("0."), { .heads = 2 }, "encoder layer 2/2 heads of 2, 2: 1 layer, width 4" },
         { TORCH("a."), { .heads = 2, .prefix = "a.self_attn" }, PLAIN },
         { SQUARE("a.self_attn.") " a.norm1.weight 4", { .heads = 2, .prefix = "a.self_attn" },
           PLAIN },
         { SQUARE("l.0.") " " SQUARE("l.1.") " l.x 4", { .heads = 2 },
           "attention 2/2 heads of 2, 2: 2 layers, width 4; its 2 attentions are run one after the "
           "other, each on the output of the one before" },
         { SQUARE("0.") " 0.mask 3x3t " SQUARE("1."), { .heads = 2 },
           "attention causal 2/2 heads of 2, 2: 2 layers, width 4; its 2 attentions are run one "
           "after the other, each on the output of the one before" },
         { SQUARE("") " mask 3x3t", { .heads = 2, .memory = true }, PLAIN },
         { SQUARE("a.") " zz.weight 3n", { .heads = 2 }, PLAIN },
         { ONE("", "128x64", "128x64", "128x64", "64x128"), { .heads = 2 },
           "attention 2/2 heads of 64, 64: 1 layer, width 64" },
         { "a.weight 4x4 b.weight 8x4", { .heads = 2, .names = "a,b,-" }, PLAIN },
         { "wq 4x6 wk 4x6 wv 4x6 wo 2x3x4", { .heads = 2 },
           "attention 2/2 heads of 3, 3: 1 layer, width 4" },
         { ENCODER2("a.") " " DECODER2("b."), { .heads = 2 },
           "encoder-decoder 2/2 heads of 2, 2: 1 layer, width 4; " READ("a.self_attn.") "; "
           READ("b.self_attn.") "; " READ("b.cross_attn.") },
         { SQUARE(""), { .heads = 2, .names = "linear_q,linear_q,linear_v,linear_out" }, PLAIN });
}

static void more_wrong(void **state)
{
    (void)state;
    BAD({ SQUARE("") " q_proj.weight 4x4 k_proj.weight 4x4 v_proj.weight 4x4 out_proj.weight 4x4",
          { .heads = 2 }, "has two layouts at once: q_proj.weight (fairseq) and linear_q.weight" },
        { SQUARE("0.") " " SQUARE("1.") " " SQUARE("x."), { .heads = 2 },
          "has two attentions that fit" },
        { SQUARE("a.") " " DECODER("b.", "4x4"), { .heads = 2 }, "has two attentions that fit" },
        { DECODER("a.", "4x4") " " DECODER("b.", "4x4"), { .heads = 2 },
          "has two attentions that fit" },
        { "b.weight 4x4 c.weight 4x4", { .heads = 2, .names = "x,b,c" },
          "b.weight of shape [4,4] may be the keys, or the keys and values" },
        { "in_proj_weight 12x4 q_proj_weight 4x4 out_proj.weight 4x4", { .heads = 2 },
          "q_proj_weight: appears twice" },
        { "a/b.weight 4x4 a.b.weight 4x4", { .heads = 2 }, "a.b.weight: appears twice" },
        { FUSED("0x4"), { .heads = 2 },
          "attn.qkv.weight: shape [0,4], expected 2 dimensions, none" },
        { MANY("2x4", "2x4", "2x4h"), { 0 }, "v_linears.1.weight: F32 of shape [2,4], expected F16 "
                                             "[2,4] as head 0 has" },
        { "attn.c_attn.weight 4x12x1 attn.c_proj.weight 4x4", { .heads = 2 },
          "attn.c_attn.weight: shape [4,12,1], expected 2 dimensions" },
        { "to_q.kernel 4x2x2x1 to_kv.weight 8x4 to_out.0.weight 4x4", { .heads = 2 },
          "to_q.kernel: shape [4,2,2,1], expected 2 or one more dimensions" },
        { SQUARE("self_attn.") " linear1.kernel 4x8x1 linear2.weight 4x8", { .heads = 2 },
          "linear1.kernel: shape [4,8,1], expected 2 dimensions" },
        { SQUARE("10.") " " SQUARE("11."), { .heads = 2 }, "has two attentions that fit, 10.*" },
        { SQUARE("m.one.") " " SQUARE("m.two."), { .heads = 2 },
          "give --prefix m.one. or --prefix m.two." },
        { "qkv_proj.weight 12x4", { .heads = 2 }, "fits two layouts: rows of each head's query" },
        { "x.q.weight 4x4 v.weight 4x4 o.weight 4x4", { .heads = 2, .names = "q,x.q,v,o" },
          "has two attentions that fit, * and x.*" },
        { "zz 4x4", { .heads = 2 }, "no config.json next to it; give --tensor-names" });
}

/* More places than any file of layers has. */
static void too_many(void **state)
{
    enum { N = 16386 };         /* of the last one no more is asked */
    struct tensor *t = arena_alloc(&arena, N, sizeof *t);
    struct row row = { .asked = { .heads = 1 } };
    char *bytes = NULL;
    size_t size;
    FILE *f = open_memstream(&bytes, &size);
    struct err e = { ERR_NONE, "" };
    const struct family *family;
    const char *note;
    struct config c;

    (void)state;
    for (int i = 0; i < N; i++)
        t[i] = (struct tensor){ .name = arena_printf(&arena, "%05d.linear_q.weight", i),
                                .dtype = DTYPE_F32, .n_dims = 2, .shape = { 1, 1 } };
    assert_int_equal(safetensors_begin(f, t, N, NULL, 0, &e), 0);
    for (int i = 0; i < N; i++)
        fwrite("\0\0\0", 4, 1, f);
    fclose(f);
    assert_int_equal(layer_describe(&c, &family, &arena,
        weights_open_memory(&arena, (struct span){ (unsigned char *)bytes, size }, "file", &e),
        "file", &row.asked, &note, &e), -1);
    assert_non_null(strstr(e.msg, "its tensors can be read as over 16384 attentions"));
    free(bytes);
}

/* ---- in which place, and in which layer ---- */

#define ALL(before, q, k, v, o) \
    before q ".weight 4x4 " before k ".weight 4x4 " before v ".weight 4x4 " before o ".weight 4x4"
#define LINEAR(before) MANY_OF(before, "0") " " MANY_OF(before, "1") " " before \
    "output_linear.weight 4x4"
#define MANY_OF(before, head) before "q_linears." head ".weight 2x4 " before "k_linears." head \
    ".weight 2x4 " before "v_linears." head ".weight 2x4"
#define TORCH3(before) before "q_proj_weight 4x4 " before "k_proj_weight 4x4 " before \
    "v_proj_weight 4x4 " before "out_proj.weight 4x4"
#define TWO ": 2 layers, width 4; its 2 attentions are run one after the other, each on the " \
    "output of the one before"

static void places(void **state)
{
    (void)state;
    GOOD({ LINEAR("0.") " " LINEAR("1."), { 0 }, "attention 2/2 heads of 2, 2" TWO },
         { TORCH3("0.") " " TORCH3("1."), { .heads = 2 }, "attention 2/2 heads of 2, 2" TWO },
         { SQUARE("") " steps 3i", { .heads = 2 }, PLAIN },
         { SQUARE("slf_attn.") " slf_attn.layer_norm.weight 4", { .heads = 2 }, PLAIN });
    BAD({ SQUARE("a.0.") " " SQUARE("a.1.") " " SQUARE("b.0."), { .heads = 2 },
          "has two attentions that fit, a.0.* and b.0.*" },
        { SQUARE("0.attn.") " " SQUARE("1.attn.") " 0.other.weight 4", { .heads = 2 },
          "has two attentions that fit, 0.attn.* and 1.attn.*" },
        { TORCH3("0.") " " TORCH3("1.") " 0.q_projection 4x4", { .heads = 2 },
          "has two attentions that fit" },
        { "0.to_qkv.weight 12x4 0.to_out.weight 4x4 0.other.weight 4 "
          "1.to_qkv.weight 12x4 1.to_out.weight 4x4", { .heads = 2 },
          "has two attentions that fit" },
        { ALL("a.0.", "q", "x.q", "v", "o") " " ALL("a.1.", "q", "x.q", "v", "o"),
          { .heads = 2, .names = "q,x.q,v,o" }, "has two attentions that fit" },
        { SQUARE("a.self_attn.") " a.norm1.weight 4", { .heads = 2, .prefix = "a" },
          "has a.self_attn.* and a.norm1, but no mlp of a known layout" },
        { SQUARE("1.") " " SQUARE("2.") " 0.mask 3x3t", { .heads = 2 },
          "has 0., but no tensor 0.linear_q.weight" },
        { SQUARE("layers.0.self_attn.") " " TORCH("layers.1."),
          { .heads = 2, .prefix = "layers.1" }, "has no tensor layers.0.linear1.weight" });
}

/* Two writers who call tensors of one place alike, or each some of them. */
static void namings(void **state)
{
    (void)state;
    BAD({ ALL("", "query", "key", "value", "out") " attention_output.weight 4x4", { .heads = 2 },
          "has two layouts at once: query.weight (Keras) and query.weight (Flax)" },
        { ALL("", "query", "key", "value", "out") " attention_output.weight 4x4",
          { .heads = 2, .fused = LAYER_FUSED_PARTS }, "has two layouts at once" },
        { "linear_q.weight 4x4 wq 4x4 wk 4x4 wv 4x4 wo 4x4", { .heads = 2 },
          "has two layouts at once: linear_q.weight (ESPnet) and wq (a linear each)" },
        { "linear_q.weight 4x4 " ALL("", "q_proj", "k_proj", "v_proj", "out_proj"), { .heads = 2 },
          "has two layouts at once: q_proj.weight (fairseq) and linear_q.weight (ESPnet)" },
        { "a.weight 4x4 b.weight 8x4x1 c.weight 4x4", { .heads = 2, .names = "a,b,c" },
          "b.weight: shape [8,4,1], expected 2 dimensions" });
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(lists), TEST(asked), TEST(whole), TEST(alone), TEST(asked_wrong), TEST(more),
        TEST(more_wrong), TEST(too_many),
        TEST(places), TEST(namings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
