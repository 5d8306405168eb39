/* SPDX-License-Identifier: MIT
 * Rotations, given and drawn, and how long a text in chunks may be.
 * file_tags=threads */
#include "check.h"

#include "base/rng.h"
#include "unit/run_room.h"
#include "weights/npz.h"

#define DIR "tests/ref/families/"

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

static struct model *open_model(const char *name)
{
    struct err e = { ERR_NONE, "" };
    struct model *m = model_open(&arena, name, &e);

    if (m == NULL)
        fail_msg("%s", e.msg);
    return m;
}

/* Attention over one text of n tokens; the error in *e where there is one. */
static int forward(struct room *r, const struct model *m, int n,
                   const struct rotations *rotations, struct err *e)
{
    struct batch b = room_batch(&arena, m, &n, 1, 3);
    struct wanted want = { .rotations = rotations };
    struct sink sink;
    struct par *par = par_new(2, e);
    int rc;

    room_init(r, &arena, m, &b);
    sink = room_sink(r, SINK_HEAD);
    rc = run_forward(m, &b, &want, &sink, 1, par, &arena, e);
    par_free(par);
    return rc;
}

static size_t cells(const struct room *r, int n)
{
    return (size_t)(r->L * r->H) * (size_t)(n * n);
}

/* What the reference drew from the case's seed; within 2e-6, see rng.h. */
static void drawn_as_the_reference_does(void **state)
{
    struct err e;
    struct weights *w = npz_open(&arena, DIR "reformer_rounds/expected.npz", &e);
    struct model *m = open_model(DIR "reformer_rounds");
    const struct tensor *t = weights_find(w, "r0.rotations");
    float *x = arena_alloc(&arena, (size_t)t->n_elements, sizeof *x);
    float *want = arena_alloc(&arena, (size_t)t->n_elements, sizeof *x);
    struct rng r;

    (void)state;
    assert_int_equal(t->n_elements, 3 * 5 * 2 * 3);     /* H, d, rounds, (2 + 4) / 2 */
    tensor_read(want, t, 0, t->n_elements);
    rng_seed(&r, (uint64_t)m->config.chunked.seed);
    rng_normal_fill(&r, x, t->n_elements);
    check_floats(t->name, x, want, t->n_elements, 2e-6);
    model_close(m);
    weights_close(w);
}

/* Those of the seed give the same bytes, once for all layers and once a layer; others
   in the second layer that hashes leave the first as it was. */
static void given_or_drawn(void **state)
{
    enum { N = 20, SIZE = 3 * 5 * 2 * 3 };
    struct model *m = open_model(DIR "reformer_rounds");
    struct err e = { ERR_NONE, "" };
    struct rotations given = { .n_sets = 1, .width = 3 };
    struct room want, got;
    struct rng r;
    float x[2 * SIZE];
    size_t layer;

    (void)state;
    rng_seed(&r, (uint64_t)m->config.chunked.seed);
    rng_normal_fill(&r, x, SIZE);
    memcpy(x + SIZE, x, SIZE * sizeof *x);
    given.x = x;
    assert_int_equal(m->n_hashed, 2);
    assert_int_equal(forward(&want, m, N, NULL, &e), 0);
    assert_int_equal(forward(&got, m, N, &given, &e), 0);
    assert_memory_equal(got.attn, want.attn, cells(&want, N) * sizeof(float));
    given.n_sets = 2;
    assert_int_equal(forward(&got, m, N, &given, &e), 0);
    assert_memory_equal(got.attn, want.attn, cells(&want, N) * sizeof(float));
    rng_normal_fill(&r, x + SIZE, SIZE);
    assert_int_equal(forward(&got, m, N, &given, &e), 0);
    layer = cells(&want, N) / 3 * sizeof(float);
    assert_memory_equal(got.attn, want.attn, 2 * layer);
    assert_memory_not_equal((char *)got.attn + 2 * layer, (char *)want.attn + 2 * layer,
                            layer);
    model_close(m);
}

/* The text says how many buckets there are: 12 tokens in chunks of 2 hash into 2 * 4. */
static void width_by_the_text(void **state)
{
    static const float x[3 * 5 * 4];
    struct model *m = open_model(DIR "reformer_open");
    struct rotations given = { x, 1, 3 };
    struct err e = { ERR_NONE, "" };
    struct room r;

    (void)state;
    assert_int_equal(forward(&r, m, 12, &given, &e), 0);
    assert_int_equal(forward(&r, m, 11, &given, &e), 0);
    assert_int_equal(forward(&r, m, 2, &given, &e), 0);     /* is not hashed */
    assert_int_equal(forward(&r, m, 6, &given, &e), -1);
    assert_non_null(strstr(e.msg, "rotations have 3 columns, expected 2 for a text of 6 "
                           "tokens"));
    assert_int_equal(e.kind, ERR_INPUT);
    model_close(m);
}

static void same_each_time(void **state)
{
    struct model *m = open_model(DIR "reformer_open");
    struct err e = { ERR_NONE, "" };
    struct room one, two;

    (void)state;
    assert_int_equal(forward(&one, m, 17, NULL, &e), 0);
    assert_int_equal(forward(&two, m, 17, NULL, &e), 0);
    assert_memory_equal(one.attn, two.attn, cells(&one, 17) * sizeof(float));
    model_close(m);
}

/* Of 24 positions a text padded to 12 may use all; a grid of 4 x 6 has 24 too. */
static void longest_texts(void **state)
{
    static const struct { const char *name; int n; } models[] = {
        { DIR "reformer", 24 }, { DIR "reformer_rounds", 60 }, { DIR "reformer_open", 24 },
    };
    struct err e = { ERR_NONE, "" };
    struct room r;

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct model *m = open_model(models[i].name);

        assert_int_equal(m->max_tokens, models[i].n);
        for (int n = 1; n <= m->max_tokens; n++)
            assert_int_equal(forward(&r, m, n, NULL, &e), 0);
        assert_int_equal(forward(&r, m, m->max_tokens + 1, NULL, &e), -1);
        assert_non_null(strstr(e.msg, "at most"));
        assert_true(run_memory(m, NULL, m->max_tokens, 1) > run_memory(m, NULL, 2, 1));
        model_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_as_the_reference_does), cmocka_unit_test(given_or_drawn),
        cmocka_unit_test(width_by_the_text), cmocka_unit_test(same_each_time),
        cmocka_unit_test(longest_texts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
