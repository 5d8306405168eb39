/* SPDX-License-Identifier: MIT
 * Models whole: what a path may be, what each option asks of a layer, parameters by part,
 * ropes beyond their length, heads that are not there. */
#include "check.h"

#include <string.h>
#include <sys/stat.h>

#include "model/count.h"
#include "model/model.h"
#include "model/model_priv.h"
#include "unit/gguf_bytes.h"
#include "unit/weights_files.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* ---- paths ---- */

/* Each option of a layer is refused by name where a whole model is given. */
static void options_of_layers(void **state)
{
    static const struct { struct layer_asked asked; const char *option; } rows[] = {
        { { .heads = 2 }, "--heads" }, { { .norm_first = true }, "--norm-first" },
        { { .activation = "relu" }, "--activation" }, { { .relative = "shaw" }, "--relative" },
        { { .zero_key = true }, "--zero-attn" }, { { .fused = LAYER_FUSED_PARTS }, "--fused" },
        { { .order = LAYER_ORDER_IN_OUT }, "--matrix-order" }, { { .memory = true }, "--memory" },
        { { .names = "q,k,v,o" }, "--tensor-names" }, { { .prefix = "h.0" }, "--prefix" },
    };
    struct err e;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(model_open_layer(&arena, "tests/ref/gpt2", &rows[i].asked, &e));
        assert_int_equal(e.kind, ERR_USAGE);
        if (strncmp(e.msg, arena_printf(&arena, "%s: ", rows[i].option),
                    strlen(rows[i].option) + 2) != 0)
            fail_msg("%s: %s", rows[i].option, e.msg);
        assert_null(model_open_layer(&arena, NULL, &rows[i].asked, &e));
        assert_string_equal(e.msg, arena_printf(&arena, "%s requires -m LAYER%s", rows[i].option,
                                                strcmp(rows[i].option, "--heads") == 0 ?
                                                "; did you mean -H, which chooses heads?" : ""));
    }
}

/* What a whole model is asked for and cannot be. */
static void types_of_gguf(void **state)
{
    const struct layer_asked halves = { .held = HELD_F16 };
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_null(model_open_layer(&arena, "tests/ref/families/gguf_qwen2/model.gguf", &halves, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    assert_non_null(strstr(e.msg, "weights of a GGUF file stay in their types"));
}

static void refused(const char *path, const char *why)
{
    struct err e = { ERR_NONE, "" };

    assert_null(model_open(&arena, path, &e));
    if (strstr(e.msg, why) == NULL)
        fail_msg("%s: \"%s\", expected \"%s\"", path, e.msg, why);
}

/* A folder without a config.json: its only layer, if nothing else is there. */
static void folders(void **state)
{
    char *dir = new_dir(&arena);
    const struct layer_asked two = { .heads = 3 };
    struct err e;
    struct model *m;

    (void)state;
    refused("/nowhere/at/all", "no such model: expected a Hugging Face folder");
    assert_int_equal(system(arena_printf(&arena, "cp tests/ref/layers/torch.safetensors %s/a."
                                         "safetensors", dir)), 0);
    m = model_open_layer(&arena, dir, &two, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(m->config.n_heads, 3);
    model_close(m);
    assert_int_equal(unlink(file_join(&arena, dir, "a.safetensors")), 0);
    refused(dir, dir);
    assert_int_equal(system(arena_printf(&arena, "cp tests/ref/layers/npz/q_linear.npz %s", dir)),
                     0);
    m = model_open_layer(&arena, dir, &two, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(m->config.n_heads, 3);
    model_close(m);
    write_text(file_join(&arena, dir, "a.safetensors"), "");
    write_text(file_join(&arena, dir, "b.safetensors"), "");
    refused(dir, "has no config.json, and 2 files that may be a bare layer, such as ");
    write_text(file_join(&arena, dir, "b-of-c"), "");
    refused(dir, dir);
    assert_int_equal(unlink(file_join(&arena, dir, "b-of-c")), 0);
    write_text(file_join(&arena, dir, "x.index.json"), "");
    refused(dir, dir);
    assert_int_equal(unlink(file_join(&arena, dir, "x.index.json")), 0);
    write_text(file_join(&arena, dir, "x.gguf"), "no GGUF");
    refused(dir, dir);
    drop_dir(&arena, dir);
    dir = new_dir(&arena);
    assert_int_equal(system(arena_printf(&arena, "cp tests/ref/bert/model.safetensors %s", dir)),
                     0);
    assert_int_equal(mkdir(file_join(&arena, dir, "config.json"), 0700), 0);
    refused(dir, "config.json");
    drop_dir(&arena, dir);
}

/* ---- adapters ---- */

static struct model *adapted(const char *path, const char *adapter, struct err *e)
{
    const struct layer_asked asked = { .adapter = &adapter, .n_adapters = adapter != NULL };

    memset(e, 0, sizeof *e);
    return model_open_layer(&arena, path, &asked, e);
}

/* The one in the model's own folder is merged, unless it is asked for and merged as that. */
static void adapters(void **state)
{
    static const char other[] = "tests/ref/adapters/llama/adapter";
    const char *const one = other, *dir = new_dir(&arena);
    const struct layer_asked layer = { .heads = 3, .adapter = &one, .n_adapters = 1 };
    const char *numbers = file_join(&arena, dir, "adapter_model.safetensors");
    struct model *m;
    struct err e;

    (void)state;
    assert_null(model_open_layer(&arena, "tests/ref/layers/npz/q_linear.npz", &layer, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    assert_non_null(strstr(e.msg, "is a bare layer, which has none"));
    assert_int_equal(system(arena_printf(&arena, "cp tests/ref/adapters/llama/*.json tests/ref/"
                                         "adapters/llama/*.safetensors %s/* %s", other, dir)), 0);
    m = adapted(dir, dir, &e);
    assert_non_null(m);
    assert_null(m->note);
    model_close(m);
    m = adapted(dir, other, &e);
    assert_non_null(m);
    assert_non_null(strstr(m->note, "its folder holds an adapter"));
    model_close(m);
    assert_null(adapted(dir, "/nowhere/at/all", &e));
    assert_non_null(strstr(e.msg, "/nowhere/at/all"));
    write_text(numbers, "no weights");
    assert_null(adapted(dir, NULL, &e));
    assert_non_null(strstr(e.msg, "adapter_model.safetensors"));
    drop_dir(&arena, dir);
}

/* ---- parameters ---- */

/* The elements of the tensors that the file holds. */
static int64_t stored(const struct model *m)
{
    int64_t sum = 0;

    for (int i = 0; i < weights_count(m->weights); i++)
        sum += weights_at(m->weights, i)->n_elements;
    return sum;
}

static void norms_that_centre(void **state)
{
    (void)state;
    assert_true(family_centres(&(struct family){ .norm = NORM_LAYER }));
    assert_true(family_centres(&(struct family){ .norm = NORM_DEVIATION }));
    assert_false(family_centres(&(struct family){ .norm = NORM_RMS }));
}

/* Each is counted once: of shared layers, tables and experts too. */
static void parameters(void **state)
{
    static const char *const names[] = {
        "albert", "albert_inner", "bloom", "deepseek_v2", "deepseek_v3", "falcon_new", "gemma3",
        "gpt_neox", "llama", "mixtral", "qwen3_moe", "reformer", "reformer_open",
        "t5_encoder", "gguf_mixtral", "granitemoe",
        "../bart", 
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct err e;
        struct model *m = model_open(&arena, file_join(&arena, "tests/ref/families", names[i]), &e);
        int64_t sum = 0, unused = 0, attention;

        if (m == NULL)
            fail_msg("%s: %s", names[i], e.msg);
        for (int p = 0; count_parts[p] != NULL; p++) {
            struct count c = count_part(m, count_parts[p]);

            sum += c.weights + c.biases;
            if (count_has_part(m, count_parts[p]) !=
                ((strcmp(count_parts[p], "cross") != 0 &&
                  strcmp(count_parts[p], "mixers") != 0) || c.weights > 0))
                fail_msg("%s: %s", names[i], count_parts[p]);
        }
        for (int k = 0; k < m->n_unused; k++)
            unused += weights_find(m->weights, m->unused[k])->n_elements;
        if (sum != stored(m) - unused)
            fail_msg("%s: %lld parameters, the file has %lld", names[i], (long long)sum,
                     (long long)(stored(m) - unused));
        attention = count_attention(m).weights;
        if (count_has_head(m))              /* heads and what joins them */
            assert_true(count_head(m) * m->config.n_heads <= attention);
        if (count_has_head(m) != (m->config.n_kv_heads == m->config.n_heads &&
                                  strncmp(names[i], "deepseek", 8) != 0 &&
                                  strcmp(names[i], "reformer_open") != 0))
            fail_msg("%s", names[i]);
        model_close(m);
    }
}

/* Of one attention that reads another input. */
static void parameters_of_memory(void **state)
{
    const struct layer_asked asked = { .heads = 3, .memory = true };
    struct err e;
    struct model *m = model_open_layer(&arena, "tests/ref/layers/torch.safetensors", &asked, &e);

    (void)state;
    if (m == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(count_first(m), W_CROSS_Q);
    assert_int_equal(count_last(m), W_CROSS_O);
    assert_true(count_has_head(m));
    assert_int_equal(count_head(m), 3 * 12 * 4);        /* q, k and v of four columns */
    assert_int_equal(count_attention(m).weights, 4 * 12 * 12);
    assert_true(model_has_layer(m, 0));
    model_close(m);
}

/* Of one attention whose output is that of its heads. */
static void parameters_without_output(void **state)
{
    const struct layer_asked asked = { .heads = 3, .names = "q_linear,k_linear,v_linear,-" };
    struct err e;
    struct model *m = model_open_layer(&arena, "tests/ref/layers/q_linear.safetensors", &asked, &e);

    (void)state;
    if (m == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(count_first(m), W_Q);
    assert_int_equal(count_attention(m).weights, 3 * 12 * 12);
    model_close(m);
}

/* ---- ropes ---- */

#define LLAMA "{\"model_type\":\"llama\",\"hidden_size\":16,\"num_attention_heads\":2," \
              "\"max_position_embeddings\":32,\"rope_scaling\":{"

static struct model rope_of(const char *scaling)
{
    const char *json = arena_printf(&arena, LLAMA "%s}}", scaling);
    struct model m = { .name = "m" };
    struct err e;

    if (config_read(&m.config, &m.family, &arena,
                    (struct span){ (const unsigned char *)json, strlen(json) }, "c",
                    TOWER_NONE, &e) != 0)
        fail_msg("%s", e.msg);
    plan_rope(&m, &arena);
    return m;
}

static void ropes(void **state)
{
    struct model m = rope_of("\"type\":\"yarn\",\"factor\":2,"
                             "\"original_max_position_embeddings\":1");

    (void)state;
    /* No wavelength fits into one position: all but the first column are stretched. */
    check_close((double)m.rope[0].inv_freq[0], 1, 1e-7);
    check_close((double)m.rope[0].inv_freq[1], 0.05, 1e-7);
    check_close((double)m.rope[0].inv_freq[3], 0.0005, 1e-9);
    check_close((double)m.rope[0].factor, 1 + 0.1 * log(2), 1e-6);
    assert_true(rope_of("\"type\":\"yarn\",\"factor\":0.5").rope[0].factor == 1);
    assert_true(rope_of("\"type\":\"yarn\",\"factor\":2,\"mscale\":2").rope[0].factor ==
                m.rope[0].factor);
    m = rope_of("\"type\":\"yarn\",\"factor\":4,\"mscale\":2,\"mscale_all_dim\":1");
    check_close((double)m.rope[0].factor, (1 + 0.2 * log(4)) / (1 + 0.1 * log(4)), 1e-6);
    assert_true(rope_of("\"type\":\"yarn\",\"factor\":4,\"attention_factor\":3").rope[0].factor ==
                3);
#define FACTORS "\"type\":\"longrope\",\"short_factor\":[1,1,1,1],\"long_factor\":[2,2,2,2]"
    assert_true(rope_of(FACTORS).rope[0].factor == 1);
    m = rope_of(FACTORS ",\"original_max_position_embeddings\":8");
    check_close((double)m.rope[0].factor, sqrt(1 + log(4) / log(8)), 1e-6);
    check_close((double)m.rope[0].long_inv_freq[0], 0.5, 1e-7);
#undef FACTORS
    assert_true(rope_of("\"type\":\"linear\",\"factor\":4").rope[0].factor == 1);
}

/* ---- heads ---- */

/* A model of one tensor in a file of that format, with names that no slot took. */
static struct model headless(const char *class_name, bool gguf, int n_unused,
                             const char *const *unused)
{
    static const char header[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    static struct bytes b;
    struct model m = { .name = "m", .family = family_find("bert"), .n_unused = n_unused };
    struct span s = st_bytes(&arena, header, sizeof header - 1, 4);
    struct err e;

    if (gguf) {
        put_head(&b, 3, 1, 0);
        put_tensor(&b, "a", 1, 0, 0, 0);
        put_data(&b, 32, 4);
        s = (struct span){ b.v, b.n };
    }
    m.weights = weights_open_memory(&arena, s, "f", &e);
    assert_non_null(m.weights);
    m.config.head.class_name = class_name;
    m.unused = (const char **)(uintptr_t)unused;
    return m;
}

static void heads(void **state)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    static const char *const scores[] = { "x", "score.weight" };
    static const struct {
        const char *class_name, *lacks;
        int n_unused;
        const char *const *unused;
        bool gguf;
        const char *want;
    } rows[] = {
        { "BertForSequenceClassification", NULL, 0, names, false, "m: has no head of "
          "BertForSequenceClassification, expected one of the tensors " },
        { "BertForSequenceClassification", NULL, 0, names, false,
          "(every tensor of the file is used elsewhere)" },
        { "BertForSequenceClassification", NULL, 2, names, false,
          "(tensors that are not used: a, b)" },
        { "BertForSequenceClassification", NULL, 4, names, false,
          "(tensors that are not used: a, b, c, d)" },
        { "BertForSequenceClassification", NULL, 5, names, false,
          "(tensors that are not used: a, b, c, d, ...)" },
        { "BertForNothing", NULL, 1, names, false,
          "m: the head of BertForNothing is not known (tensors that are not used: a)" },
        { NULL, NULL, 1, names, false, "m has no output head in its weights" },
        { NULL, NULL, 2, scores, false,
          "m: the head score.weight is not known: expected its class" },
        { NULL, NULL, 2, scores, true,
          "m: the head score.weight is not known: expected safetensors" },
        { NULL, "lm_head.weight", 0, names, false,
          "m: its output head has no tensor lm_head.weight" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct model m = headless(rows[i].class_name, rows[i].gguf, rows[i].n_unused,
                                  rows[i].unused);
        struct err e = { ERR_NONE, "" };

        m.head_lacks = rows[i].lacks;
        assert_int_equal(model_check_head(&m, &m, &e), -1);
        if (strstr(e.msg, rows[i].want) == NULL)
            fail_msg("\"%s\", expected \"%s\"", e.msg, rows[i].want);
        m.has_head = true;
        assert_int_equal(model_check_head(&m, &m, &e), 0);
        weights_close(m.weights);
    }
}

/* What a model is called: its card's name, else its folder's. */
static void called(void **state)
{
    char *dir = new_dir(&arena);
    const char *file = file_join(&arena, dir, "named.gguf");

    (void)state;
    assert_non_null(model_name(&arena, NULL));
    assert_string_equal(model_name(&arena, "tests/ref/gpt2"), "gpt2");
    write_text(file_join(&arena, dir, "config.json"), "{\"mha_viz\":{\"name\":\"own\"}}");
    assert_string_equal(model_name(&arena, dir), "own");
    write_text(file, "");
    assert_string_equal(model_name(&arena, file), "named.gguf");
    write_text(file_join(&arena, dir, "config.json"), "no json");
    assert_string_equal(model_name(&arena, dir), strrchr(dir, '/') + 1);
    drop_dir(&arena, dir);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(options_of_layers), TEST(types_of_gguf), TEST(folders), TEST(adapters),
        TEST(norms_that_centre), TEST(parameters), TEST(parameters_of_memory),
        TEST(parameters_without_output),
        TEST(ropes), TEST(heads),
        TEST(called),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
