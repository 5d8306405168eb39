/* SPDX-License-Identifier: MIT
 * Rotary frequencies, and long texts, against the reference library.
 * file_tags=threads */
#include "check.h"

#include "base/bytes.h"
#include "ref/golden.h"
#include "unit/run_room.h"

/* Units in the last place between two floats of one sign. */
static int64_t apart(float a, uint32_t bits)
{
    uint32_t mine;

    memcpy(&mine, &a, sizeof mine);
    return llabs((int64_t)mine - (int64_t)bits);
}

static void compare(const json_t *want, const struct config *c, bool is_long)
{
    int width = c->rotary.n_columns;
    float f[256];

    assert_int_equal(json_array_size(want), width / 2);
    model_inv_freq(f, &c->rotary.rope[0], width, is_long);
    for (int i = 0; i < width / 2; i++) {
        uint32_t bits = (uint32_t)json_integer_value(json_array_get(want, (size_t)i));
        int64_t off = apart(f[i], bits);

        if (off > 0)
            fail_msg("width %d, theta %g, scaling %d: frequency %d is off by %lld units",
                     width, c->rotary.rope[0].theta, c->rotary.rope[0].scaling, i,
                     (long long)off);
    }
}

static void one_case(const json_t *one)
{
    char *text = json_dumps(json_object_get(one, "config"), 0);
    const struct family *family;
    struct err e = { ERR_NONE, "" };
    struct config c;
    struct arena a;

    arena_init(&a, NULL, NULL);
    if (config_read(&c, &family, &a, (struct span){ (unsigned char *)text, strlen(text) },
                    "config", TOWER_NONE, &e) != 0)
        fail_msg("%s: %s", text, e.msg);
    compare(json_object_get(one, "inv_freq"), &c, false);
    if (json_object_get(one, "long") != NULL)
        compare(json_object_get(one, "long"), &c, true);
    arena_finish(&a);
    free(text);
}

static void frequencies(void **state)
{
    json_t *all = json_load_file("tests/ref/rope/frequencies.json", 0, NULL);

    (void)state;
    assert_in_range(json_array_size(all), 100, 1000);
    for (size_t i = 0; i < json_array_size(all); i++)
        one_case(json_array_get(all, i));
    json_decref(all);
}

/* ---- a text of 3,000 tokens ---- */

enum { N_LONG = 3000 };

static double worst(const struct weights *w, const char *name, const float *got, int width)
{
    const struct tensor *row = weights_find(w, "rows"), *want = weights_find(w, name);
    size_t n = (size_t)row->n_elements, size = (size_t)width * sizeof(float);
    float *expected = malloc(n * size);
    double off = 0;

    assert_int_equal(want->shape[1], width);
    assert_non_null(expected);
    tensor_read(expected, want, 0, want->n_elements);
    for (size_t i = 0; i < n; i++) {
        int32_t at;

        bytes_copy(&at, row->data + i * sizeof at, 1, sizeof at);
        off = fmax(off, golden_worst(got + (int64_t)at * width,
                                     expected + i * (size_t)width, width));
    }
    free(expected);
    return off;
}

static void long_text(const char *dir)
{
    struct err e = { ERR_NONE, "" };
    struct wanted want = { .hidden = NULL };
    static int id[N_LONG], start[2] = { 0, N_LONG }, type[N_LONG];
    struct batch batch = { 1, start, id, type };
    struct weights *rows;
    struct model *m;
    struct room room;
    struct arena a;
    struct sink sink;
    struct par *par = par_new(2, &e);
    double attention, hidden;
    char path[64];

    arena_init(&a, NULL, NULL);
    m = model_open(&a, dir, &e);
    if (m == NULL)
        fail_msg("%s", e.msg);
    for (int i = 0; i < N_LONG; i++)
        id[i] = (int)((7LL * i * i + 3LL * i) % 16);
    room_init(&room, &a, m, &batch);
    want.hidden = room.hidden;
    sink = room_sink(&room, SINK_HEAD);
    if (run_forward(m, &batch, &want, &sink, 1, par, &a, &e) != 0)
        fail_msg("%s", e.msg);
    snprintf(path, sizeof path, "%s/rows.npz", dir);
    rows = npz_open(&a, path, &e);
    assert_non_null(rows);
    attention = worst(rows, "attention", room.attn, N_LONG);
    hidden = worst(rows, "hidden", room.hidden, m->d_hidden);
    print_message("# %s: attention within %.1e, hidden within %.1e\n", dir, attention, hidden);
    assert_true(attention <= 5e-6);
    assert_true(hidden <= 7e-6);
    weights_close(rows);
    par_free(par);
    model_close(m);
    arena_finish(&a);
}

static void long_texts(void **state)
{
    (void)state;
    long_text("tests/ref/rope/long_96");
    long_text("tests/ref/rope/long_100");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frequencies),
                                        cmocka_unit_test(long_texts) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
