/* SPDX-License-Identifier: MIT
 * What names and shapes of a layer's tensors say; the files are written here too. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "weights/safetensors.h"

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

/* Tensors of zeros; NULL name ends them. */
struct zeros {
    const char *name;
    int rows, columns;          /* columns 0: a vector */
};

static struct weights *file_of(const struct zeros *z, const struct note *note, int n_notes)
{
    struct tensor t[64];
    char *bytes = NULL, *kept;
    size_t size;
    FILE *f = open_memstream(&bytes, &size);
    struct err e = { ERR_NONE, "" };
    struct weights *w;
    int n = 0;

    for (; z[n].name != NULL; n++)
        t[n] = (struct tensor){ .name = z[n].name, .dtype = DTYPE_F32,
                                .n_dims = z[n].columns > 0 ? 2 : 1,
                                .shape = { z[n].rows, z[n].columns } };
    assert_int_equal(safetensors_begin(f, t, n, note, n_notes, &e), 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < z[i].rows * (z[i].columns > 0 ? z[i].columns : 1); j++)
            fwrite("\0\0\0", 4, 1, f);
    fclose(f);
    kept = arena_strndup(&arena, bytes, size);
    w = weights_open_memory(&arena, (struct span){ (unsigned char *)kept, size }, "file", &e);
    if (w == NULL)
        fail_msg("%s", e.msg);
    free(bytes);
    return w;
}

/* Bound, or the message. */
static struct model *open_layer(struct weights *w, const struct layer_asked *asked,
                                struct err *e)
{
    struct model *m = arena_alloc(&arena, 1, sizeof *m);

    m->name = "file";
    m->weights = w;
    assert_true(layer_is(w, &arena));
    return layer_describe(&m->config, &m->family, &arena, w, "file", asked, &m->note, e) == 0 &&
           model_bind(m, &arena, e) == 0 ? m : NULL;
}

static void grouped(void **state)
{
    static const struct zeros z[] = {
        { "W_Q.weight", 24, 12 }, { "W_K.weight", 8, 12 }, { "W_V.weight", 10, 12 },
        { "W_O.weight", 12, 30 }, { NULL, 0, 0 } };
    const struct layer_asked asked = { .heads = 6 };
    struct err e = { ERR_NONE, "" };
    struct model *m;

    (void)state;
    m = open_layer(file_of(z, NULL, 0), &asked, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    assert_int_equal(m->config.n_heads, 6);
    assert_int_equal(m->config.n_kv_heads, 2);
    assert_int_equal(m->config.d_head, 4);
    assert_int_equal(m->config.d_value, 5);
    assert_int_equal(m->n_unused, 0);
    assert_false(m->has_head);
}

static const struct zeros plain[] = {
    { "linear_q.weight", 12, 12 }, { "linear_k.weight", 12, 12 },
    { "linear_v.weight", 12, 12 }, { "linear_out.weight", 12, 12 }, { NULL, 0, 0 } };

static void notes(void **state)
{
    static const struct note good[] = { { "a \"quote\"\\", "line\n" }, { "heads", "3" } };
    static const char *const bad[] = { "", "0", "x", "3 ", "-1", "4294967299",
                                        "99999999999999999999" };
    const struct layer_asked none = { 0 }, four = { .heads = 4 };
    struct err e = { ERR_NONE, "" };
    struct weights *w = file_of(plain, good, 2);

    (void)state;
    assert_string_equal(weights_note(w, "a \"quote\"\\"), "line\n");
    assert_null(weights_note(w, "a"));
    assert_int_equal(open_layer(w, &none, &e)->config.n_heads, 3);
    assert_null(open_layer(file_of(plain, good, 2), &four, &e));
    assert_string_equal(e.msg, "--heads: 4, but file has 3");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct note note = { "heads", bad[i] };

        assert_null(open_layer(file_of(plain, &note, 1), &four, &e));
        assert_non_null(strstr(e.msg, "file: __metadata__: heads: found \""));
    }
    assert_null(open_layer(file_of(plain, NULL, 0), &none, &e));
    assert_int_equal(e.kind, ERR_USAGE);
}

/* Whole models have names that begin or end like those of layers. */
static void not_layers(void **state)
{
    static const char *const name[] = {
        "layers.0.self_attn.q_proj.weight", "model.layers.0.self_attn.q_proj.weight",
        "encoder.layers.0.self_attn.in_proj_weight", "q_proj.weight", "norm.weight",
        "layers.0.linear1.weight", "out_proj.weight", "rel_pos_encoding",
        "self_attn.out_proj.weight", "h.0.attn.c_attn.weight" };

    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const struct zeros z[] = { { name[i], 2, 2 }, { NULL, 0, 0 } };

        assert_false(layer_is(file_of(z, NULL, 0), &arena));
    }
}

/* A whole model's folder takes no option of a layer, and its file is none. */
static void models(void **state)
{
    const struct layer_asked none = { 0 }, three = { .heads = 3 };
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_non_null(model_open_layer(&arena, "tests/ref/bert/model.safetensors", &none, &e));
    assert_null(model_open_layer(&arena, "tests/ref/gpt2", &three, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    assert_null(model_open_layer(&arena, NULL, &three, &e));
    assert_string_equal(e.msg, "--heads requires -m LAYER; did you mean -H, which chooses heads?");
}

/* Parts of one tensor are views of it; rows of heads are joined in order. */
static void parts(void **state)
{
    const struct layer_asked asked = { .heads = 3 }, none = { 0 };
    struct err e = { ERR_NONE, "" };
    struct model *m = model_open_layer(&arena, "tests/ref/layers/torch.safetensors", &asked, &e);
    struct weights *file = weights_open(&arena, "tests/ref/layers/separable.safetensors", &e);
    const struct param *slot;
    float whole[12], one[12];

    (void)state;
    assert_non_null(m);
    slot = m->layer[0].slot;
    assert_ptr_equal(slot[W_K].weight->data, slot[W_Q].weight->data + 12 * 12 * 4);
    assert_ptr_equal(slot[W_V].weight->data, slot[W_K].weight->data + 12 * 12 * 4);
    m = model_open_layer(&arena, "tests/ref/layers/separable.safetensors", &none, &e);
    assert_non_null(m);
    for (int h = 0; h < 3; h++)
        for (int row = 0; row < 4; row++) {
            tensor_read(whole, m->layer[0].slot[W_V].weight, (h * 4 + row) * 12, 12);
            tensor_read(one, weights_find(file, arena_printf(&arena, "v_linears.%d.weight", h)),
                        row * 12, 12);
            assert_memory_equal(whole, one, sizeof one);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(grouped, begin, end),
        cmocka_unit_test_setup_teardown(notes, begin, end),
        cmocka_unit_test_setup_teardown(not_layers, begin, end),
        cmocka_unit_test_setup_teardown(models, begin, end),
        cmocka_unit_test_setup_teardown(parts, begin, end),
    };

    return cmocka_run_group_tests_name("model_layer", tests, NULL, NULL);
}
