/* SPDX-License-Identifier: MIT
 * Lists and objects in config.json: kinds of layers, ropes, labels, parts of a model; each
 * that is wrong is named with what was found. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"

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

/* JSON is written with ' for " here. */
static int read_config(const char *json, struct config *c, struct err *e)
{
    char *s = arena_strdup(&arena, json);
    const struct family *f;

    for (char *p = s; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    return config_read(c, &f, &arena, (struct span){ (unsigned char *)s, strlen(s) },
                       "config.json", TOWER_NONE, e);
}

static struct config good(const char *json)
{
    struct config c;
    struct err e = { ERR_NONE, "" };

    if (read_config(json, &c, &e) != 0)
        fail_msg("%s: %s", json, e.msg);
    return c;
}

struct row {
    const char *more, *why;
};

/* model: an object without its end; each row goes on. */
static void refuse(const char *model, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *json = arena_printf(&arena, "%s,%s}", model, rows[i].more);
        struct config c;
        struct err e = { ERR_NONE, "" };

        if (read_config(json, &c, &e) == 0)
            fail_msg("%s: was taken", json);
        if (strstr(e.msg, rows[i].why) == NULL)
            fail_msg("%s: '%s', expected '%s'", json, e.msg, rows[i].why);
    }
}

#define REFUSE(model, ...) \
    do { \
        static const struct row rows[] = { __VA_ARGS__ }; \
        refuse(model, rows, sizeof rows / sizeof rows[0]); \
    } while (0)

/* ---- layers ---- */

#define NEO "{'model_type':'gpt_neo','num_layers':3,'hidden_size':8,'num_heads':2"
#define TYPES "a layer type that is supported (full_attention"

static void kinds_of_layers(void **state)
{
    struct config c = good(NEO ",'attention_types':[[['global','local'],1],[[],9],[['local'],1]]}");

    (void)state;
    assert_int_equal(c.layer_kind[0], LAYER_FULL);
    assert_int_equal(c.layer_kind[1], LAYER_WINDOW);
    assert_int_equal(c.layer_kind[2], LAYER_WINDOW);
    c = good(NEO ",'attention_layers':['local','global','sliding_attention'],'attention_types':5}");
    assert_int_equal(c.layer_kind[0], LAYER_WINDOW);
    assert_int_equal(c.layer_kind[1], LAYER_FULL);
    REFUSE(NEO,
           { "'attention_layers':['local','global']",
             "attention_layers: has 2 layers, expected 3" },
           { "'attention_layers':['local']", "attention_layers: has 1 layer, expected 3" },
           { "'attention_layers':['local','global',5]",
             "attention_layers: found 5, expected " TYPES },
           { "'attention_layers':['local','global','x']",
             "attention_layers: found \"x\", expected" },
           { "'attention_types':[[['global','local'],2]]",
             "attention_types: more than the 3 layers" },
           { "'attention_types':[[['global','local'],1]]",
             "attention_types: 2 layers, expected 3" },
           { "'attention_types':[[['global','x'],1]]",
             "attention_types: found \"x\", expected " TYPES },
           { "'attention_types':[[[7],3]]", "attention_types: found 7, expected " TYPES },
           { "'attention_types':[[['global'],'3']]", "attention_types: 0 layers, expected 3" },
           { "'attention_types':7", "attention_types: 0 layers, expected 3" });
}

#define MOE "{'model_type':'qwen3_moe','num_hidden_layers':2,'hidden_size':8,'head_dim':4," \
            "'num_attention_heads':2,'num_key_value_heads':2,'num_experts':4," \
            "'num_experts_per_tok':2"

/* No mlp that a layer without experts could have. */
#define EXPERTS_ALONE "{'model_type':'olmoe','num_hidden_layers':2,'hidden_size':8," \
                      "'num_attention_heads':2,'num_experts':4,'num_experts_per_tok':2"

static void dense_layers(void **state)
{
    struct config c = good(MOE ",'mlp_only_layers':[1]}");

    (void)state;
    assert_false(c.experts.dense_layer[0]);
    assert_true(c.experts.dense_layer[1]);
    assert_null(good(MOE ",'mlp_only_layers':[]}").experts.dense_layer);
    c = good(EXPERTS_ALONE ",'mlp_only_layers':[1],'decoder_sparse_step':2,"
                           "'first_k_dense_replace':1}");
    assert_null(c.experts.dense_layer);
    assert_true(c.experts.first_layer == 0 && c.experts.step == 1);
    REFUSE(MOE,
           { "'mlp_only_layers':[2]", "mlp_only_layers: found [2], expected layers of the model" },
           { "'mlp_only_layers':[-1]", "mlp_only_layers: found [-1], expected layers" },
           { "'mlp_only_layers':['x']", "mlp_only_layers: found [\"x\"], expected layers" },
           { "'mlp_only_layers':[0.5]", "mlp_only_layers: found [0.5], expected layers" });
}

#define REFORMER "{'model_type':'reformer','hidden_size':256,'num_attention_heads':2"

static void chunks_of_layers(void **state)
{
    (void)state;
    REFUSE(REFORMER,
           { "'attn_layers':[]", "attn_layers: found [], expected a list of \"local\" and" },
           { "'attn_layers':7", "attn_layers: found 7, expected a list of \"local\" and" },
           { "'attn_layers':['local',7]", "attn_layers: found 7, expected \"local\" or \"lsh\"" },
           { "'axial_pos_shape':[4]", "axial_pos_shape: found [4], expected a list of two" },
           { "'axial_pos_shape':[0,4]", "axial_pos_shape: found [0,4], expected a list of two" },
           { "'axial_pos_embds_dim':[1,'x']",
             "axial_pos_embds_dim: found [1,\"x\"], expected a list" },
           { "'axial_pos_embds_dim':[1,2]", "found 1 and 2, expected the hidden_size 256" });
    {
        char *many = arena_alloc(&arena, 65537 * 8 + 32, 1), *p = many;

        p += sprintf(p, "'attn_layers':[");
        for (int i = 0; i < 65537; i++)
            p += sprintf(p, "%s'lsh'", i > 0 ? "," : "");
        strcpy(p, "]");
        refuse(REFORMER, &(struct row){ many, "expected a list of \"local\" and" }, 1);
    }
}

/* ---- ropes ---- */

#define LLAMA "{'model_type':'llama','hidden_size':8,'num_attention_heads':2," \
              "'max_position_embeddings':32"
#define SCALED(rope) "'rope_scaling':{" rope "}"

static void ropes(void **state)
{
    struct config c = good(LLAMA "," SCALED("'type':'longrope','short_factor':[1,2],"
                                            "'long_factor':[3,4]") "}");

    (void)state;
    assert_int_equal(c.rotary.rope[0].scaling, ROPE_LONG);
    assert_true(c.rotary.rope[0].long_factor[1] == 4);
    /* null is not absent: the factor follows from the lengths. */
    c = good(LLAMA "," SCALED("'type':'yarn','factor':null,"
                              "'original_max_position_embeddings':8") "}");
    assert_true(c.rotary.rope[0].factor == 4);
    c = good(LLAMA ",'original_max_position_embeddings':16,"
             SCALED("'type':'yarn','factor':2,'original_max_position_embeddings':8") "}");
    assert_int_equal(c.rotary.rope[0].original, 16);
    for (const char *const *top = (const char *const[]){ "'x'", "0", "2147483648", "-1", "8.5",
         NULL }; *top != NULL; top++) {
        c = good(arena_printf(&arena, LLAMA ",'original_max_position_embeddings':%s,"
                 SCALED("'type':'yarn','factor':2,'original_max_position_embeddings':8") "}",
                 *top));
        assert_int_equal(c.rotary.rope[0].original, 8);
    }
    assert_int_equal(good(LLAMA "," SCALED("'type':'yarn','factor':2") "}").rotary.rope[0].original,
                     32);
    REFUSE(LLAMA,
           { "'rope_scaling':5", "rope_parameters: found 5, expected an object" },
           { SCALED("'type':'yarn','factor':null"), "the rope scaling has no factor" },
           { SCALED("'type':'linear'"), "the rope scaling has no factor" },
           { SCALED("'type':5"), "rope_type: found 5, expected one that is supported" },
           { SCALED("'type':'cubic'"), "rope_type: found \"cubic\", expected one" },
           { SCALED("'type':'linear','factor':'x'"), "factor: found \"x\"" },
           { SCALED("'type':'su','short_factor':[1]"), "short_factor: has 1 numbers, expected 2" },
           { SCALED("'type':'su','short_factor':[1,2]"), "long_factor: has 0 numbers, expected 2" },
           { SCALED("'type':'su','short_factor':[1,0]"),
             "short_factor[1]: is not a number above 0" },
           { SCALED("'type':'su','short_factor':['x',1]"),
             "short_factor[0]: is not a number above" },
           { "'rope_theta':'x'", "rope_theta: found \"x\"" },
           { "'rope_theta':0", "rope_theta: found 0" });
}

#define GEMMA "{'model_type':'gemma3_text','num_hidden_layers':2,'hidden_size':8,'head_dim':4," \
              "'num_attention_heads':2,'num_key_value_heads':1"

/* One object for each kind of layer. */
static void ropes_by_kind(void **state)
{
    struct config c = good(GEMMA ",'rope_parameters':{'full_attention':{'rope_type':'linear',"
                           "'factor':8,'rope_theta':1000},'sliding_attention':{'rope_theta':10}}}");

    (void)state;
    assert_true(c.rotary.rope[0].factor == 8 && c.rotary.rope[0].theta == 1000);
    assert_true(c.rotary.rope[1].theta == 10);
    c = good(GEMMA ",'rope_parameters':{'full_attention':{'rope_theta':1000}}}");
    assert_true(c.rotary.rope[0].theta == 1000 && c.rotary.rope[1].theta == 10000);
    REFUSE(GEMMA,
           { "'rope_parameters':{'full_attention':{'rope_type':'x'}}", "rope_type: found \"x\"" },
           { "'rope_parameters':{'full_attention':{},'sliding_attention':5}", "found 5, expected" },
           { "'rope_parameters':{'full_attention':{},'sliding_attention':{'type':'linear'}}",
             "the rope scaling has no factor" },
           { "'rope_local_base_freq':'x'", "rope_local_base_freq: found \"x\"" });
}

/* ---- the rest ---- */

static void other_keys(void **state)
{
    static const char *const rotates[] = {
        "'rotary_dim':1", "'rotary_dim':6", "'rotary_dim':3", "'rotary_dim':null"
    };

    (void)state;
    REFUSE("{'model_type':'bert'",
           { "'position_embedding_type':5",
             "position_embedding_type: found 5, expected \"absolute\"" },
           { "'position_embedding_type':'relative_key'", "found \"relative_key\", expected" });
    good("{'model_type':'bert','position_embedding_type':'absolute'}");
    REFUSE("{'model_type':'t5'",
           { "'feed_forward_proj':5", "feed_forward_proj: found 5, expected a string" },
           { "'feed_forward_proj':'gated-x'", "feed_forward_proj: found \"x\"" });
    REFUSE("{'model_type':'t5','relative_attention_num_buckets':32",
           { "'relative_attention_max_distance':8", "32 buckets up to distance 8" },
           { "'relative_attention_max_distance':16", "32 buckets up to distance 16" });
    good(LLAMA ",'partial_rotary_factor':0.5}");
    good(LLAMA ",'partial_rotary_factor':1," SCALED("'type':'linear','factor':2") "}");
    REFUSE(LLAMA ",'partial_rotary_factor':0.5",
           { SCALED("'type':'linear','factor':2"), "llama rotates all columns" });
    assert_int_equal(good("{'model_type':'t5','feed_forward_proj':'gated-relu'}").act, ACT_RELU);
    assert_int_equal(good("{'model_type':'t5','feed_forward_proj':'gated-gelu'}").act,
                     ACT_GELU_TANH);
    assert_int_equal(good("{'model_type':'t5','feed_forward_proj':'gelu'}").act, ACT_GELU);
    for (int i = 0; i < 4; i++)
        refuse("{'model_type':'gptj','n_embd':8,'n_head':2",
               &(struct row){ rotates[i], i < 3 ? "of the 4 columns" :
                                                  "rotary_dim: found null" }, 1);
    REFUSE("{'model_type':'deepseek_v2','num_experts_per_tok':2,"
           "'topk_method':'group_limited_greedy'",
           { "'n_group':4", "requires n_group and topk_group" },
           { "'topk_group':2", "requires n_group and topk_group" },
           { "'x':1", "requires n_group and topk_group" });
    REFUSE("{'model_type':'vit'", { "'image_size':0", "image_size: found 0" });
}

#define WHOLE(type, rest) "{" type "'text_config':{" rest "'hidden_size':8," \
                          "'num_attention_heads':2," \
                          "'num_hidden_layers':1,'vocab_size':7}}"

/* A model of several parts: its language model is meant, unless it is a family itself. */
static void parts_of_models(void **state)
{
    (void)state;
    assert_int_equal(good(WHOLE("'model_type':'llava',", "'model_type':'llama',")).d_model, 8);
    assert_int_equal(good(WHOLE("", "'model_type':'llama',")).d_model, 8);
    assert_int_equal(good(WHOLE("'model_type':'bert',", "'model_type':'llama',")).d_model, 768);
    assert_int_equal(good(WHOLE("'model_type':'bert',", "'model_type':'nothing',")).d_model, 768);
    REFUSE("{'model_type':'llava','text_config':{'model_type':'llama','add_cross_attention':true}",
           { "'x':1", "add_cross_attention: true is not supported" });
    REFUSE("{'model_type':'llava','text_config':{'model_type':'llama','hidden_size':0}",
           { "'x':1", "hidden_size: found 0" });
}

static void labels_and_ids(void **state)
{
    struct config c = good("{'model_type':'bert','id2label':{'0':'no','1':5},'pad_token_id':3,"
                           "'eos_token_id':[7,8],'bos_token_id':[1,'x',2]}");

    (void)state;
    assert_int_equal(c.head.n_labels, 2);
    assert_string_equal(c.head.label[0], "no");
    assert_null(c.head.label[1]);
    assert_int_equal(c.head.pad_id, 3);
    assert_int_equal(c.head.eos_id, 7);
    assert_int_equal(c.bos.n, 2);
    assert_int_equal(c.bos.id[1], 2);
    assert_int_equal(c.eos.n, 2);
    assert_int_equal(good("{'model_type':'bert','eos_token_id':-1}").head.eos_id, -1);
    assert_int_equal(good("{'model_type':'bert','eos_token_id':'x'}").eos.n, 0);
    assert_int_equal(good("{'model_type':'bert','pad_token_id':0,'eos_token_id':268435456}")
                     .head.eos_id, -1);
    assert_int_equal(good("{'model_type':'bert','id2label':{}}").head.n_labels, 2);
}

/* The convolutions of a waveform. */
static void waves(void **state)
{
    static const struct row rows[] = {
        { "'conv_stride':[5,2,2,2,2,2,0]", "conv_stride: found 0" },
        { "'conv_kernel':[10,3,3,3,3,2,-2]", "conv_kernel: found -2" },
        { "'conv_kernel':[10,3,3,3,3,2,5000]", "conv_kernel: found 5000" },
        { "'conv_dim':[512,512,512,512,512,512,'x']", "conv_dim: found \"x\"" },
        { "'conv_dim':[512,512]", "conv_dim, conv_kernel, conv_stride: have 2, 7 and 7 numbers, "
          "expected one each for a convolution" },
        { "'conv_stride':[5,2,2]", "have 7, 7 and 3 numbers" },
        { "'conv_dim':[]", "conv_dim: found [], expected a list of 1 to 32 numbers" },
        { "'conv_dim':512", "conv_dim: found 512, expected a list" },
        { "'conv_dim':[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
          "expected a list of 1 to 32 numbers" },
        { "'conv_dim':[65536,1],'conv_kernel':[1,4096],'conv_stride':[1,1]",
          "convolution 1 reads 268435456 numbers, 1 samples apart, expected at most 16777216 and "
          "1048576" },
        { "'conv_dim':[1,1],'conv_kernel':[1,1],'conv_stride':[4096,4096]",
          "convolution 1 reads 1 numbers, 16777216 samples apart" },
        { "'conv_dim':[1,1,1],'conv_kernel':[1,1,4096],'conv_stride':[4096,256,1]",
          "a row of the last convolution reads 4293918721 samples, expected at most 16777216" },
        { "'num_conv_pos_embedding_groups':7", "num_conv_pos_embedding_groups: found 7, expected a "
          "divisor of the width 768" },
        { "'num_conv_pos_embedding_groups':0", "num_conv_pos_embedding_groups: found 0" },
        { "'num_conv_pos_embeddings':0", "num_conv_pos_embeddings: found 0" },
        { "'hidden_size':1048576,'num_attention_heads':16,'num_conv_pos_embedding_groups':1",
          "num_conv_pos_embeddings: 128 rows of 1048576 columns" },
        { "'feat_extract_norm':'batch'", "feat_extract_norm: found \"batch\", expected "
          "\"group\" or \"layer\"" },
        { "'feat_extract_norm':1", "feat_extract_norm: found 1" },
        { "'feat_extract_activation':'mish'", "feat_extract_activation: found \"mish\"" },
        { "'add_adapter':true", "add_adapter: found true, expected false or null: convolutions "
          "after the last layer are not supported" },
        { "'adapter_attn_dim':16", "adapter_attn_dim: found 16, expected false or null: adapters" },
        { "'conv_pos_batch_norm':true", "conv_pos_batch_norm: found true" },
        { "'do_stable_layer_norm':1", "do_stable_layer_norm: found 1" },
        { "'conv_bias':'x'", "conv_bias: found \"x\"" },
    };
    struct config c = good("{'model_type':'wav2vec2','feat_proj_layer_norm':false,"
                           "'embedding_size':7,'adapter_attn_dim':null,'add_adapter':false}");

    (void)state;
    refuse("{'model_type':'wav2vec2'", rows, sizeof rows / sizeof *rows);
    refuse("{'model_type':'hubert'", rows, sizeof rows / sizeof *rows);
    assert_true(c.front.wave.n == 7 && c.front.wave.norm && !c.front.wave.norms);
    assert_true(c.d_embed == 512 && c.head.d_in == 768 && c.head.d_dense == 256);
    c = good("{'model_type':'hubert','feat_proj_layer_norm':false,'conv_dim':[3],'conv_kernel':[2],"
             "'conv_stride':[5],'feat_extract_norm':'layer'}");
    assert_true(c.front.wave.n == 1 && c.front.wave.step[0] == 5 && c.d_embed == 3);
    assert_true(c.front.wave.norms && !c.front.wave.norm);
}

/* Streams, the width of mlps by layer, sparse gates, keys of earlier layers. */
static void streams(void **state)
{
#define GEMMA_3N "{'model_type':'gemma3n_text','num_hidden_layers':4,'num_kv_shared_layers':1"
    static const struct row wrong[] = {
        { "'altup_num_inputs':0",
          "altup_num_inputs: found 0, expected a whole number from 1 to 64" },
        { "'altup_num_inputs':65", "altup_num_inputs: found 65" },
        { "'altup_num_inputs':1e9", "altup_num_inputs: found" },
        { "'altup_active_idx':-1", "altup_active_idx: found -1" },
        { "'altup_active_idx':4", "altup_active_idx: found 4, expected less than the 4 streams" },
        { "'altup_num_inputs':1,'altup_active_idx':1", "less than the 1 stream of" },
        { "'altup_correct_scale':2", "altup_correct_scale: found 2" },
        { "'laurel_rank':0", "laurel_rank: found 0" },
        { "'hidden_size_per_layer_input':0", "hidden_size_per_layer_input: found 0" },
        { "'vocab_size_per_layer_input':0", "vocab_size_per_layer_input: found 0" },
        { "'num_kv_shared_layers':4",
          "num_kv_shared_layers: found 4, expected less than the 4 layers" },
        { "'num_kv_shared_layers':5", "num_kv_shared_layers: found 5" },
        { "'num_kv_shared_layers':-1", "num_kv_shared_layers: found -1" },
        { "'activation_sparsity_pattern':[0,0,0]",
          "activation_sparsity_pattern: found [0,0,0], expected a list of 4 numbers" },
        { "'activation_sparsity_pattern':[0,0,0,0,0]", "expected a list of 4 numbers" },
        { "'activation_sparsity_pattern':0.5", "activation_sparsity_pattern: found 0.5" },
        { "'activation_sparsity_pattern':[0,1,0,0]",
          "activation_sparsity_pattern[1]: is not a number from 0 to less than 1" },
        { "'activation_sparsity_pattern':[-0.1,1,0,0]", "activation_sparsity_pattern[0]: is not" },
        { "'activation_sparsity_pattern':[0,0,0,'0']", "activation_sparsity_pattern[3]: is not" },
        { "'intermediate_size':[8,8,9,8]", "intermediate_size: found [8,8,9,8]" },
        { "'intermediate_size':[8,8.0,8,8]", "intermediate_size: found" },
        { "'intermediate_size':[]", "intermediate_size: found []" },
        { "'intermediate_size':[0,0,0,0]", "intermediate_size: found [0,0,0,0]" },
        { "'intermediate_size':[16777217]", "intermediate_size: found [16777217]" },
    };
    struct config c = good(GEMMA_3N ",'intermediate_size':[8,8,8,8]}");

    (void)state;
    refuse(GEMMA_3N, wrong, sizeof wrong / sizeof *wrong);
    assert_int_equal(c.d_ff, 8);
    assert_int_equal(c.streams.n, 4);
    assert_true(c.streams.sparsity[0] == 0);        /* there are only four layers */
    c = good("{'model_type':'gemma3n_text','num_hidden_layers':11,'num_kv_shared_layers':0}");
    assert_true(c.streams.sparsity[0] == 0.95 && c.streams.sparsity[9] == 0.95);
    assert_true(c.streams.sparsity[10] == 0);
    c = good("{'model_type':'gemma3n','text_config':{'model_type':'gemma3n_text'}}");
    assert_int_equal(c.streams.n_shared, 15);
    good("{'model_type':'bert','altup_num_inputs':0}");     /* no key of its */
    c = good("{'model_type':'bert'}");
    assert_int_equal(c.streams.n, 0);
    refuse("{'model_type':'gemma3n_text','num_hidden_layers':65536,'num_kv_shared_layers':0",
           &(struct row){ "'hidden_size_per_layer_input':257",
                          "hidden_size_per_layer_input: 257 in each of 65536 layers" }, 1);
    refuse("{'model_type':'bert'", &(struct row){ "'intermediate_size':[8,8]",
                                                  "intermediate_size: found [8,8]" }, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(kinds_of_layers), TEST(dense_layers), TEST(chunks_of_layers), TEST(ropes),
        TEST(ropes_by_kind), TEST(other_keys), TEST(parts_of_models), TEST(labels_and_ids),
        TEST(waves), TEST(streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
