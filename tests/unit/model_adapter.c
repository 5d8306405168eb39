/* SPDX-License-Identifier: MIT
 *
 * Adapters merged into bases of a few numbers: what their formula gives, and each way in
 * which they do not fit. */
#include "check.h"

#include <math.h>

#include "model/adapter.h"
#include "model/adapter/pattern.h"
#include "unit/weights_files.h"
#include "weights/adapted.h"
#include "weights/weights.h"

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

/* ---- files ---- */

struct part {
    const char *name;
    int d0, d1;                 /* d1 0: a vector */
    const char *dtype;          /* NULL: F32 */
};

enum { IN = 300, OUT = 5, RANK = 2 };   /* more than a row is summed at a time */

static float value(int part, int i)
{
    return (float)((i * 29 + part * 17 + 5) % 23 - 11) / 8;
}

static size_t size_of(const struct part *p)
{
    return (size_t)p->d0 * (size_t)(p->d1 > 0 ? p->d1 : 1) *
           (p->dtype == NULL || strcmp(p->dtype, "I32") == 0 ? 4 : 1);
}

/* Element i of part k is value(k, i). */
static struct weights *opened(const char *file, const struct part *part, int n)
{
    char *header = arena_strdup(&arena, "{");
    size_t size = 0, at, n_header;
    unsigned char *bytes;
    struct weights *w;
    struct err e;

    for (int k = 0; k < n; k++) {
        header = arena_printf(&arena, "%s%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%d%s],"
                              "\"data_offsets\":[%zu,%zu]}", header, k > 0 ? "," : "",
                              part[k].name, part[k].dtype != NULL ? part[k].dtype : "F32",
                              part[k].d0,
                              part[k].d1 > 0 ? arena_printf(&arena, ",%d", part[k].d1) : "",
                              size, size + size_of(&part[k]));
        size += size_of(&part[k]);
    }
    header = arena_printf(&arena, "%s}", header);
    n_header = strlen(header);
    bytes = arena_alloc(&arena, 8 + n_header + size, 1);
    bytes_put(bytes, n_header, 8);
    memcpy(bytes + 8, header, n_header);
    at = 8 + n_header;
    for (int k = 0; k < n; k++) {
        for (size_t i = 0; part[k].dtype == NULL && i < size_of(&part[k]) / 4; i++) {
            float v = value(k, (int)i);
            uint32_t bits;

            memcpy(&bits, &v, 4);
            bytes_put(bytes + at + 4 * i, bits, 4);
        }
        at += size_of(&part[k]);
    }
    w = weights_open_memory(&arena, (struct span){ bytes, 8 + n_header + size }, file, &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    return w;
}

#define N(parts) (int)(sizeof(parts) / sizeof *(parts))

/* more: members of the config, ' for ". */
static int merge(struct weights *w, struct weights *from, const char *more, struct err *e)
{
    char *s = arena_printf(&arena, "{'peft_type':'LORA','r':2,'lora_alpha':3%s}", more);
    struct adapter_files files = { .config_name = "adapter_config.json", .from = from };

    for (char *p = s; *p != '\0'; p++)
        if (*p == '\'')
            *p = '"';
    files.config = (struct span){ (const unsigned char *)s, strlen(s) };
    return adapter_merge_files(w, &arena, &files, e);
}

static void merges(struct weights *w, const struct part *part, int n, const char *more)
{
    struct err e = { ERR_NONE, "" };

    if (merge(w, opened("a.safetensors", part, n), more, &e) != 0)
        fail_msg("%s", e.msg);
}

static const struct part base[] = { { "h.0.q.weight", OUT, IN }, { "wte.weight", IN, OUT },
                                    { "h.0.q.bias", OUT }, { "x.square.weight", 4, 4 },
                                    { "y.square.weight", 4, 4 }, { "ids.weight", 2, 2, "I32" } };

static void refused(const struct part *part, int n, const char *more, const char *says)
{
    struct err e = { ERR_NONE, "" };

    assert_int_equal(merge(opened("base", base, N(base)), opened("a.safetensors", part, n),
                           more, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, says) == NULL)
        fail_msg("'%s' is not in '%s'", says, e.msg);
}

#define P "base_model.model."
static const struct part linear[] = { { P "h.0.q.lora_A.weight", RANK, IN },
                                      { P "h.0.q.lora_B.weight", OUT, RANK } };

/* ---- what is merged ---- */

static float product(int o, int i)
{
    float sum = 0;

    for (int k = 0; k < RANK; k++)
        sum += value(1, o * RANK + k) * value(0, k * IN + i);
    return sum;
}

/* tensor [OUT, IN], or [IN, OUT] of in_out, against W + scale B A. */
static void check_sum(struct weights *w, const char *name, int k_base, float scale, bool in_out)
{
    const struct tensor *t = weights_find(w, name);
    float got[IN * OUT];

    assert_non_null(t);
    tensor_read(got, t, 0, IN * OUT);
    for (int o = 0; o < OUT; o++)
        for (int i = 0; i < IN; i++) {
            int at = in_out ? i * OUT + o : o * IN + i;

            assert_true(fabsf(got[at] - value(k_base, at) - scale * product(o, i)) < 1e-5f);
        }
}

static void test_lora(void **state)
{
    struct weights *w = opened("base", base, N(base));
    float all[IN * OUT], piece[7];

    (void)state;
    merges(w, linear, N(linear), "");
    check_sum(w, "h.0.q.weight", 0, 1.5f, false);
    tensor_read(all, weights_find(w, "h.0.q.weight"), 0, IN * OUT);
    for (int i = 0; i + 7 <= IN * OUT; i += 7) {
        tensor_read(piece, weights_find(w, "h.0.q.weight"), i, 7);
        assert_memory_equal(piece, all + i, sizeof piece);
    }
    assert_string_equal(weights_find(w, "h.0.q.weight")->maker->how,
                        "LoRA of rank 2, scale 1.5");
    merges(w, linear, N(linear), ",'use_rslora':true");      /* on top of it */
    check_sum(w, "h.0.q.weight", 0, 1.5f + 3 / sqrtf(2), false);
    assert_null(weights_quantised(w, NULL));
    assert_string_equal(weights_most_type(w), "F32");
    assert_int_equal(tensor_stored_bytes(weights_find(w, "h.0.q.weight")),
                     4 * (IN * OUT + 2 * RANK * (IN + OUT)));
}

static void test_names(void **state)
{
    static const struct part longer[] = { { P "transformer.more.h.0.q.lora_A.weight", RANK, IN },
                                          { P "transformer.more.h.0.q.lora_B.weight", OUT, RANK } };
    static const struct part shorter[] = { { "q.lora_A.weight", RANK, IN },
                                           { "q.lora_B.weight", OUT, RANK } };
    static const struct part many[] = { { "square.lora_A.weight", 2, 4 },
                                        { "square.lora_B.weight", 4, 2 } };
    static const struct part towers[] = { { "a.h.0.q.lora_A.weight", RANK, IN },
                                          { "a.h.0.q.lora_B.weight", OUT, RANK },
                                          { "b.h.0.q.lora_A.weight", RANK, IN },
                                          { "b.h.0.q.lora_B.weight", OUT, RANK } };
    static const struct part far[] = { { "a.b.c.h.0.q.lora_A.weight", RANK, IN },
                                       { "a.b.c.h.0.q.lora_B.weight", OUT, RANK } };
    struct weights *w = opened("base", base, N(base));
    struct adapter_files files = { { (const unsigned char *)"{}", 2 }, "c", NULL };
    struct err e = { ERR_NONE, "" };

    (void)state;
    merges(w, longer, 2, "");
    check_sum(w, "h.0.q.weight", 0, 1.5f, false);
    w = opened("base", base, N(base));
    merges(w, shorter, 2, "");
    check_sum(w, "h.0.q.weight", 0, 1.5f, false);
    refused(many, 2, "", "changes square.weight, which may be any of 2 tensors of base");
    refused(towers, 4, "", "a.h.0.q and b.h.0.q both adapt h.0.q.weight");
    refused(far, 2, "", "adapts a.b.c.h.0.q, which base does not have: is it an adapter for");
    assert_int_equal(merge(opened("base", base, 0), opened("a", linear, 2), "", &e), -1);
    assert_non_null(strstr(e.msg, "which the base does not have"));
    assert_int_equal(adapter_merge_files(w, &arena, &files, &e), -1);
}

static void read_zeros(const void *maker, float *out, int64_t first, int64_t n)
{
    (void)maker;
    (void)first;
    memset(out, 0, (size_t)n * sizeof *out);
}

static void test_in_out(void **state)
{
    static const struct maker unpacked = { .read = read_zeros, .out_in = true };
    static const struct part embedding[] = { { P "wte.lora_embedding_A", RANK, IN },
                                             { P "wte.lora_embedding_B", OUT, RANK } };
    static const struct part conv[] = { { P "wte.lora_A.weight", RANK, IN },
                                        { P "wte.lora_B.weight", OUT, RANK } };
    static const struct part square[] = { { P "x.square.lora_A.weight", RANK, 4 },
                                          { P "x.square.lora_B.weight", 4, RANK } };
    struct weights *w = opened("base", base, N(base));
    float straight[16], turned[16], alone[16];

    (void)state;
    merges(w, embedding, 2, "");
    check_sum(w, "wte.weight", 1, 1.5f, true);
    w = opened("base", base, N(base));
    merges(w, conv, 2, "");                 /* its shape says it */
    check_sum(w, "wte.weight", 1, 1.5f, true);
    for (int k = 0; k < 3; k++) {
        float *const got[] = { straight, turned, alone };

        w = opened("base", base, N(base));
        if (k == 2)                         /* which says where it lies itself */
            ((struct tensor *)(uintptr_t)weights_find(w, "x.square.weight"))->maker = &unpacked;
        merges(w, square, 2, k == 0 ? ",'fan_in_fan_out':false" : ",'fan_in_fan_out':true");
        tensor_read(got[k], weights_find(w, "x.square.weight"), 0, 16);
    }
    for (int i = 0; i < 16; i++)
        assert_true(fabsf(straight[i] - value(3, i) - alone[i]) < 1e-5f);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            assert_true(fabsf(straight[i * 4 + j] - value(3, i * 4 + j) -
                              (turned[j * 4 + i] - value(3, j * 4 + i))) < 1e-5f);
}

static void test_dora(void **state)
{
    static const struct part parts[] = { { P "h.0.q.lora_A.weight", RANK, IN },
                                         { P "h.0.q.lora_B.weight", OUT, RANK },
                                         { P "h.0.q.lora_magnitude_vector", OUT } };
    static const struct part older[] = { { P "wte.lora_A.weight", RANK, IN },
                                         { P "wte.lora_B.weight", OUT, RANK },
                                         { P "wte.lora_magnitude_vector.weight", OUT } };
    struct weights *w = opened("base", base, N(base));
    float row[IN], all[IN * OUT];

    (void)state;
    merges(w, parts, 3, ",'use_dora':true");
    for (int o = 0; o < OUT; o++) {
        double sum = 0;

        tensor_read(row, weights_find(w, "h.0.q.weight"), o * IN, IN);
        for (int i = 0; i < IN; i++)
            sum += (double)row[i] * (double)row[i];
        assert_true(fabs(sqrt(sum) - fabs((double)value(2, o))) < 1e-4);
    }
    w = opened("base", base, N(base));
    merges(w, older, 3, ",'use_dora':true");
    tensor_read(all, weights_find(w, "wte.weight"), 0, IN * OUT);
    for (int o = 0; o < OUT; o++) {
        double sum = 0;

        for (int i = 0; i < IN; i++)
            sum += (double)all[i * OUT + o] * (double)all[i * OUT + o];
        assert_true(fabs(sqrt(sum) - fabs((double)value(2, o))) < 1e-4);
    }
    refused(linear, 2, ",'use_dora':true", "use_dora is true, but h.0.q has no magnitudes");
    refused(parts, 3, "", "use_dora is false, but h.0.q has also magnitudes");
    refused((struct part[]){ parts[0], parts[1], { parts[2].name, OUT + 1 } }, 3,
            ",'use_dora':true", "lora_magnitude_vector: shape [6], expected [5]");
    refused((struct part[]){ parts[0], parts[1], { parts[2].name, OUT, 0, "I32" } }, 3,
            ",'use_dora':true", "lora_magnitude_vector: holds I32, expected F32");
}

/* A row of zeros has no length: it stays 0. */
static void test_dora_of_nothing(void **state)
{
    static const struct part zeros[] = { { "k.weight", 2, 23 * 4 } };
    static const struct part parts[] = { { "k.lora_A.weight", RANK, 23 * 4 },
                                         { "k.lora_B.weight", 2, RANK },
                                         { "k.lora_magnitude_vector", 2 } };
    struct weights *w = opened("base", zeros, 1), *from = opened("a", parts, 3);
    float row[23 * 4];
    struct err e;

    (void)state;
    memset((void *)(uintptr_t)weights_at(w, 0)->data, 0, 4 * 2 * 23 * 4);
    memset((void *)(uintptr_t)weights_find(from, "k.lora_B.weight")->data, 0, 4 * 2 * RANK);
    assert_int_equal(merge(w, from, ",'use_dora':true", &e), 0);
    tensor_read(row, weights_at(w, 0), 0, 23 * 4);
    for (int i = 0; i < 23 * 4; i++)
        assert_true(row[i] == 0);
}

static void test_whole_tensors(void **state)
{
    static const struct part parts[] = { { P "h.0.q.base_layer.bias", OUT },
                                         { P "y.modules_to_save.square.weight", 4, 4 },
                                         { P "score.weight", 2, 3 }, { P "a.head.out.bias", 3 } };
    static const struct part unknown[] = { { P "score.weight", 2, 3 } };
    struct weights *w = opened("base", base, N(base));
    float got[16];

    (void)state;
    merges(w, parts, 4, ",'modules_to_save':['nothing','head','score']");
    tensor_read(got, weights_find(w, "h.0.q.bias"), 0, OUT);
    assert_true(got[1] == value(0, 1));
    tensor_read(got, weights_find(w, "y.square.weight"), 0, 16);
    assert_true(got[3] == value(1, 3));
    assert_int_equal(weights_count(w), N(base) + 2);
    assert_int_equal(weights_find(w, "score.weight")->n_elements, 6);
    assert_non_null(weights_find(w, "a.head.out.bias"));
    refused(unknown, 1, "", "replaces score.weight, which base does not have and modules_to_save");
    refused(unknown, 1, ",'modules_to_save':['scores','core','score.weight']", "replaces score");
    refused((struct part[]){ { P "score", 2, 3 } }, 1, ",'modules_to_save':['score']", "replaces");
    refused((struct part[]){ { "square.weight", 4, 4 } }, 1, "", "may be any of 2 tensors");
    refused((struct part[]){ { "h.0.q.bias", OUT + 1 } }, 1, "", "shape [6], but h.0.q.bias has");
    refused((struct part[]){ { "h.0.q.bias", OUT, 1 } }, 1, "", "shape [5,1], but h.0.q.bias has");
}

/* ---- what does not fit ---- */

static void test_refused(void **state)
{
    static const struct part stray[] = { { "h.0.q.lora_B.weight", OUT, RANK } };
    static const struct part other[] = { { "h.0.q.lora_A.weight", RANK, IN },
                                         { "h.0.q.lora_B.weight", OUT, RANK },
                                         { "h.0.q.lora_mystery", OUT } };
    static const struct part ints[] = { { "ids.lora_A.weight", 2, 2 },
                                        { "ids.lora_B.weight", 2, 2 } };

    (void)state;
    refused(linear, 1, "", "has " P "h.0.q.lora_A.weight, but no h.0.q.lora_B.weight");
    refused(stray, 1, "", "h.0.q.lora_B.weight: is no part of a module with lora_A and lora_B");
    refused(other, 3, "", "h.0.q.lora_mystery: is no part of a module");
    refused((struct part[]){ { "h.0.q.lora_A.weight", RANK, IN + 1 }, linear[1] }, 1, "", "no h.0");
    refused((struct part[]){ { "q.lora_A.weight", RANK, IN + 1 },
                             { "q.lora_B.weight", OUT, RANK } },
            2, "", "changes a matrix of shape [5,301], but h.0.q.weight has shape [5,300]");
    refused((struct part[]){ { "q.lora_A.weight", RANK, IN },
                             { "q.lora_B.weight", OUT + 1, RANK } },
            2, "", "changes a matrix of shape [6,300]");
    refused((struct part[]){ { "q.lora_A.weight", RANK, IN }, { "q.lora_B.weight", OUT, 3 } },
            2, "", "shape [2,300], which q.lora_B.weight of shape [5,3] does not fit");
    refused((struct part[]){ { "q.lora_A.weight", RANK, IN }, { "q.lora_B.weight", OUT } },
            2, "", "shape [2,300], which q.lora_B.weight of shape [5] does not fit");
    refused((struct part[]){ { "q.lora_A.weight", RANK }, { "q.lora_B.weight", OUT, RANK } },
            2, "", "q has rank 2, but its factors are of rank 0");
    refused((struct part[]){ { "q.lora_A.weight", RANK, IN, "U8" },
                             { "q.lora_B.weight", OUT, RANK } },
            2, "", "q.lora_A.weight: holds U8");
    refused((struct part[]){ { "q.lora_A.weight", RANK, IN },
                             { "q.lora_B.weight", OUT, RANK, "U8" } }, 2, "",
            "q.lora_B.weight: holds U8");
    refused(ints, 2, "", "ids.weight: holds I32");
    refused((struct part[]){ { "h.0.q.bias.lora_A.weight", RANK, IN },
                             { "h.0.q.bias.lora_B.weight", OUT, RANK } }, 2, "", "does not have");
}

static void test_config_refused(void **state)
{
    static const struct { const char *more, *says; } row[] = {
        { ",'r':0", "r: found 0" }, { ",'lora_alpha':'x'", "lora_alpha: found \"x\"" },
        { ",'use_rslora':1", "use_rslora: found 1" }, { ",'use_dora':1", "use_dora: found 1" },
        { ",'fan_in_fan_out':1", "fan_in_fan_out: found 1" },
        { ",'peft_type':'IA3'", "peft_type: found \"IA3\", expected \"LORA\"" },
        { ",'peft_type':null", "peft_type: found" },
        { ",'lora_bias':true", "lora_bias: found true, expected null: it is not supported" },
        { ",'layer_replication':[[0,4]]", "layer_replication: found" },
        { ",'arrow_config':{'a':1}", "arrow_config: found" },
        { ",'init_lora_weights':'olora'", "init_lora_weights: found \"olora\"" },
        { ",'bias':'odd'", "bias: found \"odd\", expected none, all or lora_only" },
        { ",'bias':1", "bias: found 1" },
        { ",'init_lora_weights':3", "init_lora_weights: found 3" },
        { ",'rank_pattern':[]", "rank_pattern: found" },
        { ",'rank_pattern':{'q':0}", "expected ranks of 1 to 65536" },
        { ",'rank_pattern':{'q':65537}", "expected ranks of 1" },
        { ",'rank_pattern':{'q':'2'}", "expected ranks of 1" },
        { ",'alpha_pattern':{'q':-1}", "expected numbers from 0" },
        { ",'target_modules':3", "target_modules: found 3" },
        { ",'target_modules':[3]", "target_modules: found" },
        { ",'modules_to_save':'x'", "modules_to_save: found" },
        { ",'rank_pattern':{'q':3}", "h.0.q has rank 3, but its factors are of rank 2" },
        { ",'rank_pattern':{'(':3}", "rank_pattern: \"(\": " },
        { ",'alpha_pattern':{'(':3}", "alpha_pattern: \"(\": " },
        { ",'rank_pattern':{'k':2}", "rank_pattern: \"k\" matches none of the 1 module that" },
        { ",'alpha_pattern':{'q':2,'k':2}", "alpha_pattern: \"k\" matches none" },
        { ",'target_modules':['q','k']", "target_modules: \"k\" matches none" },
        { ",'target_modules':'.*k'", "target_modules: \".*k\" matches none" },
        { ",'target_modules':'('", "target_modules: \"(\": " },
        { ",'alpha_pattern':{'h.0.q':2,'(':2}", "alpha_pattern: \"(\": " },
    };
    char *many = arena_strdup(&arena, "");

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        refused(linear, 2, row[i].more, row[i].says);
    refused(linear, 2, ",", "adapter_config.json: ");
    for (int i = 0; i < 4097; i++)
        many = arena_printf(&arena, "%s%s'q%d':2", many, i > 0 ? "," : "", i);
    refused(linear, 2, arena_printf(&arena, ",'rank_pattern':{%s}", many), "at most 4096 numbers");
}

static void test_config(void **state)
{
    static const struct { const char *more; float scale; } row[] = {
        { ",'rank_pattern':{'0.q':2},'r':7,'alpha_pattern':{'q':5}", 2.5f },
        { ",'rank_pattern':{'h.\\\\d+.q':2},'r':7", 1.5f },
        { ",'target_modules':'all-linear','lora_bias':false,'arrow_config':{},"
          "'layer_replication':[],'rank_pattern':{},'init_lora_weights':'gaussian'", 1.5f },
        { ",'target_modules':['q','h.0.q'],'init_lora_weights':true", 1.5f },
        { ",'target_modules':'.*q','init_lora_weights':'orthogonal'", 1.5f },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct weights *w = opened("base", base, N(base));

        merges(w, linear, 2, row[i].more);
        check_sum(w, "h.0.q.weight", 0, row[i].scale, false);
    }
}

static void test_patterns(void **state)
{
    static const struct { const char *pattern, *name; bool at_end, whole; } row[] = {
        { "q_proj", "layers.0.q_proj", true, false }, { "q_proj", "q_proj", true, true },
        { "proj", "q_proj", false, false }, { "0.q", "layers.0.q", true, false },
        { "0.q", "layers.0q", false, false }, { "a.b", "x.a-b", true, false },
        { "longer.than", "it", false, false }, { "(q|k)", "a.k", true, false },
        { "[qk]", "a.v", false, false }, { ".*k", "a.k", true, true },
    };
    struct err e = { ERR_NONE, "" };
    char *lengthy = arena_alloc(&arena, 6000, 1);
    int steps = PATTERN_STEPS;
    bool found;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(pattern_matches_end(row[i].pattern, row[i].name, &steps, &found, &e), 0);
        assert_int_equal(found, row[i].at_end);
        assert_int_equal(pattern_matches_all(row[i].pattern, row[i].name, &steps, &found, &e), 0);
        assert_int_equal(found, row[i].whole);
    }
    assert_true(pattern_is_end("q", "a.q") && pattern_is_end("q", "q"));
    assert_false(pattern_is_end("q", "a-q") || pattern_is_end("a.q", "q") ||
                 pattern_is_end("k", "q"));
    memset(lengthy, '(', 5999);
    assert_int_equal(pattern_matches_end(lengthy, "a", &steps, &found, &e), -1);
    assert_non_null(strstr(e.msg, "5999 bytes, expected at most 4096"));
    assert_int_equal(pattern_matches_all("(a+)+[bc]", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                         &steps, &found, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_null(strstr(e.msg, "million steps"));    /* of one match, too */
    for (int i = 0; i < 3; i++) {
        static const char *const pattern[] = { "q", "[q]", ".*.*[qz]" };

        steps = i == 2 ? 240 : 1;
        assert_int_equal(pattern_matches_end(pattern[i], "a.b.c.d.e.f.g.h.i.j.k", &steps, &found,
                                             &e), -1);
        assert_non_null(strstr(e.msg, "takes over 30 million steps, with those before it"));
    }
}

/* What only a caller of its own can ask for. */
static void test_adapt(void **state)
{
    static const struct part odd[] = { { "a", 2, 5 }, { "b", 7, 2 }, { "empty", 0, 4 },
                                       { "flat", 5 }, { "none", 0, 5 }, { "w", 5, 300 } };
    static const struct part fit[] = { { "a", RANK, IN }, { "b", OUT, RANK } };
    const struct maker quantised = { .out_in = true };
    struct weights *w = opened("w", odd, N(odd)), *f = opened("f", fit, 2);
    struct low_rank c = { .a = weights_find(w, "a"), .b = weights_find(w, "b"), .scale = 1 };
    struct tensor *t;
    struct err e;

    (void)state;
    for (int i = 2; i < N(odd); i++)
        assert_int_equal(weights_adapt(w, i, &c, &e), -1);
    c.a = weights_find(w, "flat");
    assert_int_equal(weights_adapt(w, 5, &c, &e), -1);
    c.a = weights_find(w, "none");
    assert_int_equal(weights_adapt(w, 5, &c, &e), -1);
    c = (struct low_rank){ .a = weights_find(f, "a"), .b = weights_find(f, "b"), .scale = 1 };
    t = (struct tensor *)(uintptr_t)weights_at(w, 5);
    t->maker = &quantised;
    assert_int_equal(weights_adapt(w, 5, &c, &e), 0);
    assert_true(t->maker->out_in && !t->maker->quantised);
    w = weights_open(&arena, "tests/ref/gguf_llama", &e);
    assert_non_null(w);
    assert_int_equal(merge(w, f, "", &e), -1);
    assert_non_null(strstr(e.msg, "the base is a GGUF file"));
    weights_close(w);
}

/* ---- folders ---- */

static void test_folders(void **state)
{
    const char *dir = new_dir(&arena), *sub = file_join(&arena, dir, "a"), *note;
    const char *config = file_join(&arena, sub, "adapter_config.json");
    struct weights *w = opened("base", base, N(base));
    struct err e;

    (void)state;
    assert_int_equal(system(arena_printf(&arena, "mkdir %s", sub)), 0);
    assert_false(adapter_is_in(&arena, sub) || adapter_is_in(&arena, config));
    assert_int_equal(adapter_merge(w, &arena, sub, NULL, &e), -1);
    assert_null(adapter_base(&arena, sub, &note, &e));
    write_text(config, "[");
    assert_null(adapter_base(&arena, sub, &note, &e));
    assert_non_null(strstr(e.msg, "adapter_config.json: "));
    write_text(config, "{\"base_model_name_or_path\":\"\"}");
    assert_null(adapter_base(&arena, sub, &note, &e));
    assert_non_null(strstr(e.msg, "names no base"));
    write_text(config, "{\"base_model_name_or_path\":\"who/base\",\"revision\":\"v1\"}");
    assert_null(adapter_base(&arena, sub, &note, &e));
    assert_non_null(strstr(e.msg, "its base: who/base@v1: no such model"));
    write_text(config, "{\"base_model_name_or_path\":\"who/base\"}");
    assert_null(adapter_base(&arena, sub, &note, &e));
    assert_non_null(strstr(e.msg, "its base: who/base: no such model"));
    write_text(config, "{\"base_model_name_or_path\":\".\"}");
    assert_null(adapter_base(&arena, sub, &note, &e));
    assert_non_null(strstr(e.msg, "is an adapter itself"));
    write_text(config, "{\"base_model_name_or_path\":\"..\"}");
    assert_non_null(adapter_base(&arena, sub, &note, &e));
    write_text(config, arena_printf(&arena, "{\"base_model_name_or_path\":\"%s\"}", dir));
    assert_string_equal(adapter_base(&arena, sub, &note, &e), dir);
    assert_true(adapter_is_in(&arena, sub) && adapter_is_alone(&arena, sub));
    assert_int_equal(adapter_merge(w, &arena, sub, NULL, &e), -1);
    assert_non_null(strstr(e.msg, "adapter_model.safetensors"));
    write_text(file_join(&arena, sub, "model.gguf"), "");
    assert_false(adapter_is_alone(&arena, sub));
    write_text(file_join(&arena, sub, "model.safetensors"), "");
    assert_false(adapter_is_alone(&arena, sub));
    drop_dir(&arena, dir);
}

/* The fixture's files stay mapped until the base is closed. */
static void test_adopted(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct weights *w = weights_open(&arena, "tests/ref/adapters/llama/model.safetensors", &e);
    float x;

    (void)state;
    assert_non_null(w);
    assert_int_equal(adapter_merge(w, &arena, "tests/ref/adapters/llama/adapter", NULL, &e), 0);
    for (int i = 0; i < weights_count(w); i++)
        tensor_read(&x, weights_at(w, i), weights_at(w, i)->n_elements - 1, 1);
    weights_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lora),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_in_out),   cmocka_unit_test(test_dora),
        cmocka_unit_test(test_dora_of_nothing), cmocka_unit_test(test_whole_tensors),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_config_refused),
        cmocka_unit_test(test_config),   cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_adapt),
        cmocka_unit_test(test_folders),  cmocka_unit_test(test_adopted),
    };

    return cmocka_run_group_tests_name("adapter", tests, begin, end);
}
