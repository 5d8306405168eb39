/* SPDX-License-Identifier: MIT
 * quantization_config of config.json: each method's numbers, and what no method here has. */
#include "check.h"

#include <string.h>

#include "model/config.h"
#include "model/family.h"

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

/* The members of quantization_config, ' for ". */
static int read_config(const char *members, struct config *c, struct err *e)
{
    char *s = arena_printf(&arena, "{'model_type':'llama','quantization_config':{%s}}", members);
    const struct family *f;

    for (char *p = s; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    return config_read(c, &f, &arena, (struct span){ (unsigned char *)s, strlen(s) },
                       "config.json", TOWER_NONE, e);
}

static struct quantisation good(const char *members)
{
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_config(members, &c, &e) != 0)
        fail_msg("%s: %s", members, e.msg);
    return c.quantisation;
}

static void bad(const char *members, const char *why)
{
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_config(members, &c, &e) == 0)
        fail_msg("%s: was taken", members);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_ptr_equal(strstr(e.msg, "config.json: quantization_config."), e.msg);
    if (strstr(e.msg, why) == NULL)
        fail_msg("%s: '%s', expected '%s'", members, e.msg, why);
}

#define GPTQ "'quant_method':'gptq','bits':4,'group_size':32"
#define AWQ "'quant_method':'awq','bits':4,'group_size':128"
#define BNB "'quant_method':'bitsandbytes'"

static void test_gptq(void **state)
{
    struct quantisation q = good(GPTQ);

    (void)state;
    assert_true(q.method == QUANT_GPTQ && q.bits == 4 && q.group == 32 && !q.v2);
    q = good("'quant_method':'gptq','bits':8,'group_size':-1,'checkpoint_format':'gptq_v2',"
             "'desc_act':true,'sym':false,'damp_percent':0.1,'dynamic':{},'pack_dtype':'int32'");
    assert_true(q.bits == 8 && q.group == 0 && q.v2);
    q = good("'quant_method':'gptq','bits':2,'group_size':1,'checkpoint_format':'gptq',"
             "'dynamic':null,'is_marlin_format':false");
    assert_true(q.bits == 2 && q.group == 1 && !q.v2);
    bad("'quant_method':'gptq','bits':3,'group_size':32", "bits: found 3, expected 2, 4 or 8");
    bad("'quant_method':'gptq','bits':16,'group_size':32", "bits: found 16");
    bad("'quant_method':'gptq','bits':4", "group_size: found nothing");
    bad("'quant_method':'gptq','bits':4,'group_size':0", "group_size: found 0");
    bad("'quant_method':'gptq','bits':4,'group_size':-2", "group_size: found -2");
    bad(GPTQ ",'desc_act':1", "desc_act: found 1, expected true or false");
    bad(GPTQ ",'checkpoint_format':'marlin'", "found \"marlin\", expected gptq, gptq_v2");
    bad(GPTQ ",'checkpoint_format':2", "checkpoint_format: found 2");
    bad(GPTQ ",'pack_dtype':'int16'", "pack_dtype: found \"int16\", expected int32");
    bad(GPTQ ",'dynamic':{'a':{'bits':8}}", "dynamic: found ");
    bad(GPTQ ",'is_marlin_format':true", "is_marlin_format: found true");
}

static void test_awq(void **state)
{
    struct quantisation q = good(AWQ ",'modules_to_not_convert':['lm_head'],'version':'gemm'");

    (void)state;
    assert_true(q.method == QUANT_AWQ && q.bits == 4 && q.group == 128);
    good(AWQ ",'zero_point':true");
    bad("'quant_method':'awq','bits':8,'group_size':32", "bits: found 8");
    bad("'quant_method':'awq','bits':4", "group_size: found nothing");
    bad(AWQ ",'version':'gemv'", "version: found \"gemv\", expected gemm");
    bad(AWQ ",'zero_point':false", "zero_point: found false, expected true");
    bad(AWQ ",'zero_point':'yes'", "zero_point: found \"yes\"");
    bad(AWQ ",'modules_to_not_convert':[1]", "expected a list of strings");
    bad(AWQ ",'modules_to_not_convert':'lm_head'", "expected a list of strings");
}

static void test_bitsandbytes(void **state)
{
    (void)state;
    assert_true(good(BNB ",'load_in_4bit':true").method == QUANT_BNB4);
    assert_true(good(BNB ",'load_in_4bit':true,'bnb_4bit_quant_type':'nf4',"
                     "'bnb_4bit_quant_storage':'uint8'").method == QUANT_BNB4);
    assert_true(good(BNB ",'load_in_8bit':true,'load_in_4bit':false").method == QUANT_BNB8);
    bad(BNB, "load_in_4bit: found nothing, expected true, or load_in_8bit");
    bad(BNB ",'load_in_4bit':true,'load_in_8bit':true", "load_in_8bit: found true");
    bad(BNB ",'load_in_4bit':2", "load_in_4bit: found 2");
    bad(BNB ",'load_in_8bit':2", "load_in_8bit: found 2");
    bad(BNB ",'load_in_4bit':true,'bnb_4bit_quant_type':'int4'", "bnb_4bit_quant_type: found");
    bad(BNB ",'load_in_4bit':true,'bnb_4bit_quant_storage':'bfloat16'", "quant_storage: found");
    bad(BNB ",'load_in_8bit':true,'llm_int8_skip_modules':3", "llm_int8_skip_modules: found 3");
    bad(BNB ",'load_in_8bit':true,'llm_int8_has_fp16_weight':3", "fp16_weight: found 3");
}

#define CT(format, weights)                                                              \
    "'quant_method':'compressed-tensors','quantization_status':'compressed','format':'"   \
    format "','ignore':['lm_head'],'config_groups':{'group_0':{'targets':['Linear'],"     \
    "'weights':{" weights "}}}"

#define ORDER(order) CT("pack-quantized", "'num_bits':4,'group_size':32,'actorder':" order)

static void test_compressed_tensors(void **state)
{
    struct quantisation q = good(CT("float-quantized", "'num_bits':8,'type':'float',"
                                    "'strategy':'channel'"));

    (void)state;
    assert_true(q.method == QUANT_CT_FLOAT && !q.whole);
    q = good(CT("float-quantized", "'num_bits':8,'type':'float','strategy':'tensor'")
             ",'sparsity_config':{'format':'dense'},'kv_cache_scheme':null");
    assert_true(q.method == QUANT_CT_FLOAT && q.whole);
    q = good(CT("pack-quantized", "'num_bits':4,'type':'int','strategy':'group',"
                "'group_size':32,'symmetric':false"));
    assert_true(q.method == QUANT_CT_INT && q.bits == 4 && q.group == 32 && q.zeros);
    q = good(CT("pack-quantized", "'num_bits':8,'strategy':'channel'"));
    assert_true(q.method == QUANT_CT_INT && q.bits == 8 && q.group == 0 && !q.zeros);
    q = good(CT("nvfp4-pack-quantized", "'num_bits':4,'strategy':'tensor_group',"
                "'group_size':16"));
    assert_true(q.method == QUANT_CT_NVFP4);
    good(CT("nvfp4-pack-quantized", "'num_bits':4"));
    bad(CT("nvfp4-pack-quantized", "'num_bits':4,'group_size':32"), "group_size: found 32");
    bad(CT("nvfp4-pack-quantized", "'num_bits':8"), "num_bits: found 8");
    bad(CT("nvfp4-pack-quantized", "'num_bits':4,'type':'int'"), "type: found \"int\"");
    bad(CT("nvfp4-pack-quantized", "'num_bits':4,'strategy':'group'"), "strategy: found");
    bad(CT("marlin-24", "'num_bits':4"), "format: found \"marlin-24\", expected float-quantized");
    bad("'quant_method':'compressed-tensors','config_groups':{'g':{'weights':{'num_bits':4}}}",
        "format: found nothing");
    bad(CT("float-quantized", "'num_bits':8,'type':'int'"), "type: found \"int\"");
    bad(CT("float-quantized", "'num_bits':4"), "num_bits: found 4");
    bad(CT("float-quantized", "'num_bits':8,'strategy':'block'"), "strategy: found \"block\"");
    bad(CT("pack-quantized", "'num_bits':3,'group_size':32"), "num_bits: found 3, expected 4 or");
    bad(CT("pack-quantized", "'num_bits':9,'group_size':32"), "num_bits: found 9");
    bad(CT("pack-quantized", "'num_bits':4"), "group_size: found nothing");
    bad(CT("pack-quantized", "'num_bits':4,'type':'float'"), "type: found");
    bad(CT("pack-quantized", "'num_bits':4,'symmetric':0"), "symmetric: found 0");
    bad(ORDER("'odd'"),
        "actorder: found \"odd\", expected weight, static, group, dynamic");
    assert_false(good(ORDER("null")).ordered || good(ORDER("false")).ordered);
    assert_false(good(ORDER("'weight'")).ordered || good(ORDER("'static'")).ordered);
    assert_true(good(ORDER("true")).ordered && good(ORDER("'group'")).ordered);
    assert_true(good(ORDER("'dynamic'")).ordered);
    bad(CT("pack-quantized", "'num_bits':4,'strategy':'token'"), "strategy: found");
    bad(CT("pack-quantized", "'num_bits':4,'group_size':32") ",'kv_cache_scheme':{'num_bits':8}",
        "kv_cache_scheme: found");
    bad(CT("pack-quantized", "'num_bits':4") ",'sparsity_config':{'format':'sparse-24'}",
        "format: found \"sparse-24\"");
    bad(CT("pack-quantized", "'num_bits':4") ",'quantization_status':'frozen'", "found \"frozen\"");
    bad(CT("pack-quantized", "'num_bits':4") ",'ignore':{}", "ignore: found");
    bad("'quant_method':'compressed-tensors'", "config_groups: found nothing");
    bad("'quant_method':'compressed-tensors','config_groups':{'g':{}}", "config_groups: found");
    bad("'quant_method':'compressed-tensors','config_groups':{'g':{'weights':{'num_bits':4}},"
        "'h':{'weights':{'num_bits':8}}}", "expected groups with the same weights");
    bad("'quant_method':'compressed-tensors','config_groups':{'g':{'weights':{'num_bits':4}},"
        "'h':{}}", "expected groups with the same weights");
    bad("'quant_method':'compressed-tensors','format':'float-quantized','config_groups':{'g':"
        "{'weights':{'num_bits':4}},'h':{'weights':{'num_bits':4}}}", "num_bits: found 4");
}

static void test_fp8_and_mxfp4(void **state)
{
    struct quantisation q = good("'quant_method':'fp8','fmt':'e4m3','activation_scheme':"
                                 "'dynamic','weight_block_size':[128,64]");

    (void)state;
    assert_true(q.method == QUANT_FP8 && q.block[0] == 128 && q.block[1] == 64);
    bad("'quant_method':'fp8'", "weight_block_size: found nothing, expected two numbers");
    bad("'quant_method':'fp8','weight_block_size':[128]", "weight_block_size: found [128]");
    bad("'quant_method':'fp8','weight_block_size':[128,0]", "weight_block_size: found 0");
    bad("'quant_method':'fp8','weight_block_size':[8,8],'fmt':'e3m4'", "fmt: found \"e3m4\"");
    bad("'quant_method':'fp8','weight_block_size':[8,8],'activation_scheme':'x'", "scheme: found");
    bad("'quant_method':'fp8','weight_block_size':[8,8],'modules_to_not_convert':1", "convert:");
    assert_true(good("'quant_method':'mxfp4','modules_to_not_convert':['a']").method ==
                QUANT_MXFP4);
}

static void test_others(void **state)
{
    static const char older[] = "{\"model_type\":\"llama\",\"compression_config\":"
                                "{\"quant_method\":\"mxfp4\"}}";
    static const char part[] = "{\"model_type\":\"gemma3\",\"text_config\":{\"model_type\":"
                               "\"gemma3_text\",\"quantization_config\":{\"quant_method\":"
                               "\"mxfp4\"}}}";
    const struct family *f;
    struct config c;
    struct err e = { ERR_NONE, "" };

    (void)state;
    bad("", "quant_method: found nothing, expected gptq, awq, bitsandbytes, compressed-tensors, ");
    bad("'quant_method':'hqq'", "quant_method: found \"hqq\"");
    bad("'quant_method':4", "quant_method: found 4");
    assert_int_equal(config_read(&c, &f, &arena, (struct span){ (const unsigned char *)older,
                                 sizeof older - 1 }, "c", TOWER_NONE, &e), 0);
    assert_true(c.quantisation.method == QUANT_MXFP4);
    assert_int_equal(config_read(&c, &f, &arena, (struct span){ (const unsigned char *)part,
                                 sizeof part - 1 }, "c", TOWER_NONE, &e), 0);
    assert_true(c.quantisation.method == QUANT_MXFP4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gptq),          cmocka_unit_test(test_awq),
        cmocka_unit_test(test_bitsandbytes),  cmocka_unit_test(test_compressed_tensors),
        cmocka_unit_test(test_fp8_and_mxfp4), cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests_name("config_quantised", tests, setup, teardown);
}
