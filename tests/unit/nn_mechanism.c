/* SPDX-License-Identifier: MIT
 * Every mechanism: its reference against the formula in PyTorch (tests/ref/mechanisms.npz),
 * its fast version against the reference, on each kernel. */
#include "nn_check.h"

#include <limits.h>

#include "nn/mechanism.h"
#include "weights/npz.h"

/* What make_mechanisms.py has. */
static const struct mechanism_params ref_params = {
    .window = 2, .n_global = 1, .stride = 3, .n_columns = 1, .block = 4, .top_k = 3,
    .n_features = 8, .n_buckets = 6, .n_rounds = 1, .chunk = 4, .additive_width = 4,
    .seed = 1,
};

/* The references are double; the file holds floats. */
#define REF_TOLERANCE 1e-6

/*
 * Outputs of values in [-1, 1]: scores of some tens lose units of 2^-24 of themselves,
 * weights as much relatively, and the exponents of random features likewise.
 */
#define RUN_TOLERANCE 2e-5

/* ---- one head ---- */

struct head {
    struct attention a;
    float *q, *k, *v, *weights;
    double *w, *out;            /* the reference's */
    float *got;                 /* [T, d_v + 3] the fast version's */
    int64_t n_scores;
};

static void *room_of(size_t (*room)(const struct attention *a), const struct attention *a)
{
    size_t n = room != NULL ? room(a) : 0;
    unsigned char *p = NULL;

    /* Filled with what must not be read. */
    assert_int_equal(posix_memalign((void **)&p, 64, n > 0 ? n : 1), 0);
    memset(p, 0xff, n);
    return p;
}

static void refer(struct head *h, const struct mechanism *m)
{
    void *room = room_of(m->reference_room, &h->a);
    size_t T = (size_t)h->a.T;

    h->w = malloc(T * (size_t)h->a.at.S * sizeof *h->w);
    h->out = malloc(T * (size_t)h->a.at.d_v * sizeof *h->out);
    m->reference(h->w, h->out, &h->a, room);
    free(room);
}

static void run(struct head *h, const struct mechanism *m)
{
    void *room = room_of(m->room, &h->a);
    int64_t stride = h->a.at.d_v + 3;

    h->got = nan_floats((size_t)(h->a.T * stride));
    h->n_scores = m->run(h->got, stride, &h->a, room);
    free(room);
}

static void head_free(struct head *h)
{
    free(h->q);
    free(h->k);
    free(h->v);
    free(h->weights);
    free(h->w);
    free(h->out);
    free(h->got);
}

static void check_run(const struct mechanism *m, const struct head *h)
{
    int d_v = h->a.at.d_v;

    for (int i = 0; i < h->a.T; i++)
        for (int c = 0; c < d_v; c++)
            check_near(m->name, i, (double)h->got[i * (d_v + 3) + c], h->out[i * d_v + c],
                       RUN_TOLERANCE);
}

/* ---- the formulas ---- */

static const struct tensor *find(const struct weights *file, const char *name)
{
    const struct tensor *t = weights_find(file, name);

    if (t == NULL)
        fail_msg("tests/ref/mechanisms.npz has no %s", name);
    return t;
}

static float *array(const struct weights *file, const char *name, int64_t first, int64_t n)
{
    const struct tensor *t = find(file, name);
    float *x = floats((size_t)n);

    assert_true(first + n <= t->n_elements);
    tensor_read(x, t, first, n);
    return x;
}

static struct weights *open_ref(struct arena *a)
{
    struct err e = { ERR_NONE, "" };
    struct weights *file;

    arena_init(a, NULL, NULL);
    file = npz_open(a, "tests/ref/mechanisms.npz", &e);
    if (file == NULL)
        fail_msg("%s", e.msg);
    return file;
}

static void check_formula(const struct weights *file, const struct mechanism *m,
                          const char *name, bool causal)
{
    enum { T = 9, D = 6, DV = 5 };
    struct head h = {
        .q = array(file, "q", 0, T * D), .k = array(file, "k", 0, T * D),
        .v = array(file, "v", 0, T * DV),
    };
    char at[64];
    float *w, *out;

    h.a = (struct attention){
        .q = h.q, .k = h.k, .v = h.v, .q_stride = D, .k_stride = D, .v_stride = DV, .T = T,
        .at = { .S = T, .d = D, .d_v = DV, .scale = 0.5f, .lo = INT_MAX,
                .hi = causal ? 0 : INT_MAX },
        .params = &ref_params,
    };
    if (m->n_weights != NULL) {
        int64_t n = find(file, name)->n_elements;

        assert_true((int64_t)m->n_weights(&ref_params, T, 1, D) >= n);
        h.a.weights = h.weights = array(file, name, 0, n);
    }
    snprintf(at, sizeof at, "%s.%s.w", causal ? "causal" : "full", name);
    w = array(file, at, 0, T * T);
    snprintf(at, sizeof at, "%s.%s.out", causal ? "causal" : "full", name);
    out = array(file, at, 0, T * DV);
    refer(&h, m);
    run(&h, m);
    for (int i = 0; i < T * T; i++)
        check_near(at, i, h.w[i], (double)w[i], REF_TOLERANCE);
    for (int i = 0; i < T * DV; i++)
        check_near(at, i, h.out[i], (double)out[i], 10 * REF_TOLERANCE);
    check_run(m, &h);
    free(w);
    free(out);
    head_free(&h);
}

/* Those that join heads do with one what exact does. */
static void formulas(void)
{
    struct arena a;
    struct weights *file = open_ref(&a);

    for (int i = 0; i < N_MECHANISM; i++) {
        const struct mechanism *m = mechanism_table[i];
        const char *name = m->join != JOIN_NONE ? "exact" : m->name;

        assert_string_equal(mechanism_names[i], m->name);
        for (int causal = 0; causal < 2; causal++)
            if (i != MECHANISM_lsh)
                check_formula(file, m, name, causal == 1);
    }
    weights_close(file);
    arena_finish(&a);
}

/* The layer of the reference library, its rotations, two heads. */
static void check_lsh(const struct weights *file, bool causal, int rounds)
{
    enum { T = 16, D = 6, H = 2 };
    struct mechanism_params params = ref_params;
    char at[4][64];
    const char *const part[] = { "q", "v", "out", "rotations" };

    params.n_rounds = rounds;
    for (int i = 0; i < 4; i++)
        snprintf(at[i], sizeof at[i], "%s.lsh%d.%s", causal ? "causal" : "full", rounds,
                 part[i]);
    for (int head = 0; head < H; head++) {
        const struct mechanism *m = mechanism_table[MECHANISM_lsh];
        struct head h = {
            .q = array(file, at[0], head * T * D, T * D),
            .v = array(file, at[1], head * T * D, T * D),
            .weights = array(file, at[3], 0, H * D * rounds * 3),
        };
        float *out = array(file, at[2], head * T * D, T * D);

        h.a = (struct attention){
            .q = h.q, .k = h.q, .v = h.v, .q_stride = D, .k_stride = D, .v_stride = D,
            .T = T, .head = head, .params = &params, .weights = h.weights,
            .at = { .S = T, .d = D, .d_v = D, .scale = 1, .lo = INT_MAX,
                    .hi = causal ? 0 : INT_MAX },
        };
        assert_int_equal(m->n_weights(&params, T, H, D), H * D * rounds * 3);
        refer(&h, m);
        run(&h, m);
        for (int i = 0; i < T * D; i++)
            check_near(at[2], i, h.out[i], (double)out[i], RUN_TOLERANCE);
        check_run(m, &h);
        free(out);
        head_free(&h);
    }
}

static void lsh_layer(void)
{
    struct arena a;
    struct weights *file = open_ref(&a);

    for (int causal = 0; causal < 2; causal++)
        for (int rounds = 1; rounds <= 2; rounds++)
            check_lsh(file, causal == 1, rounds);
    weights_close(file);
    arena_finish(&a);
}

KERNEL_TEST(formulas)
KERNEL_TEST(lsh_layer)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_lsh_layer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
