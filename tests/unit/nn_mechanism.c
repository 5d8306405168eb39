/* SPDX-License-Identifier: MIT
 * Every mechanism: its reference against the formula in PyTorch (tests/ref/mechanisms),
 * its fast version against the reference, on each kernel. */
#include "nn_mechanism_check.h"

#include <limits.h>

#include "nn/bias.h"

/* What make_mechanisms.py has. */
static const struct mechanism_params ref_params = {
    .window = 2, .n_global = 1, .stride = 3, .n_columns = 1, .block = 4, .top_k = 3,
    .n_features = 8, .n_buckets = 6, .n_rounds = 1, .chunk = 4, .additive_width = 4,
    .seed = 1,
};

/* The references are double; the file holds floats. */
#define REF_TOLERANCE 1e-6

/* ---- the formulas ---- */

static struct weights *open_ref(struct arena *a)
{
    struct err e = { ERR_NONE, "" };
    struct weights *file;

    arena_init(a, NULL, NULL);
    file = npz_open(a, "tests/ref/mechanisms/formulas.npz", &e);
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
        .q = h.q, .k = h.k, .v = h.v, .q_stride = D, .k_stride = D, .v_stride = DV,
        .T = T,
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
        kernel_near(at, i, h.w[i], (double)w[i], REF_TOLERANCE);
    for (int i = 0; i < T * DV; i++)
        kernel_near(at, i, h.out[i], (double)out[i], 10 * REF_TOLERANCE);
    check_run(m, &h);
    free(w);
    free(out);
    head_free(&h);
}

/* Those whose formulas nn_mechanism_numpy.c checks. */
static bool elsewhere(const struct mechanism *m)
{
    static const enum mechanism_id ids[] = {
        MECHANISM_plain, MECHANISM_flash, MECHANISM_gqa, MECHANISM_linformer,
        MECHANISM_low_rank, MECHANISM_sinks, MECHANISM_h2o, MECHANISM_quest, MECHANISM_kivi,
    };

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (m == mechanism_table[ids[i]])
            return true;
    return false;
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
            if (i != MECHANISM_lsh && !elsewhere(m))
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
            kernel_near(at[2], i, h.out[i], (double)out[i], RUN_TOLERANCE);
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

/* ---- every shape: the fast version against the reference ---- */

struct shape {
    int T, d, d_v;
    int lo, hi;
    bool hidden, terms;
    float cap;
};

static const struct shape shapes[] = {
    { 1, 1, 1, INT_MAX, INT_MAX, false, false, 0 },
    { 1, 5, 3, INT_MAX, 0, false, false, 0 },
    { 2, 16, 16, INT_MAX, 0, false, false, 0 },
    { 33, 8, 24, INT_MAX, INT_MAX, false, false, 0 },
    { 67, 19, 7, INT_MAX, 0, false, false, 0 },
    { 71, 64, 65, INT_MAX, INT_MAX, false, false, 0 },
    { 40, 12, 12, 5, 0, false, false, 0 },
    { 40, 12, 12, 3, 9, false, true, 0 },
    { 45, 9, 10, INT_MAX, 0, true, false, 0 },
    { 45, 9, 10, INT_MAX, INT_MAX, true, true, 2 },
};

/* Small ones, and ones beyond every text. */
static const struct mechanism_params settings[] = {
    { .window = 1, .n_global = 1, .stride = 1, .n_columns = 1, .block = 1, .top_k = 1,
      .n_features = 1, .n_buckets = 2, .n_rounds = 1, .chunk = 1, .additive_width = 1,
      .sinks = 1, .recent = 1, .page = 1, .bits = 1, .rank = 1, .segments = 1, .seed = 3 },
    { .window = 4, .n_global = 3, .stride = 0, .n_columns = 2, .block = 7, .top_k = 5,
      .n_features = 37, .n_buckets = 0, .n_rounds = 3, .chunk = 6, .additive_width = 0,
      .sinks = 2, .page = 5, .bits = 4, .rank = 3, .segments = 6, .seed = 4 },
    { .window = 1000, .n_global = 1000, .stride = 1000, .n_columns = 2000, .block = 1000,
      .top_k = 1000, .n_features = 64, .n_buckets = 1000, .n_rounds = 2, .chunk = 1000,
      .additive_width = 70, .sinks = 1000, .recent = 16, .page = 1000, .bits = 8,
      .rank = 256, .segments = 1000, .seed = 5 },
    { .window = INT_MAX, .n_global = INT_MAX, .stride = INT_MAX, .n_columns = INT_MAX,
      .block = INT_MAX, .top_k = INT_MAX, .n_features = 64, .n_buckets = 2, .n_rounds = 1,
      .chunk = INT_MAX / 4, .additive_width = 3, .sinks = INT_MAX, .page = INT_MAX,
      .bits = 2, .rank = 2, .segments = INT_MAX, .seed = 6 },
    { .budget = 3, .sinks = 1, .recent = 2, .page = 2, .bits = 2, .rank = 1, .n_features = 1,
      .n_buckets = 2, .n_rounds = 1, .chunk = 1, .additive_width = 1, .n_global = 1,
      .stride = 1, .n_columns = 1, .seed = 7 },
    { .budget = 20, .sinks = 4, .page = 16, .bits = 2, .rank = 1, .n_features = 1,
      .n_buckets = 2, .n_rounds = 1, .chunk = 1, .additive_width = 1, .n_global = 1,
      .stride = 1, .n_columns = 1, .seed = 8 },
};

static struct head head_of(const struct shape *s, const struct mechanism *m,
                           const struct mechanism_params *p, struct bias_alibi *alibi,
                           unsigned char *hidden)
{
    int extra = 2;
    size_t T = (size_t)s->T, d = (size_t)(s->d + extra), d_v = (size_t)(s->d_v + extra);
    struct head h = { .q = random_floats(T * d), .k = random_floats(T * d),
                      .v = random_floats(T * d_v) };

    h.a = (struct attention){
        .q = h.q, .k = h.k, .v = h.v, .q_stride = (int64_t)d, .k_stride = (int64_t)d,
        .v_stride = (int64_t)d_v, .T = s->T, .head = 1, .params = p,
        .at = { .S = s->T, .d = s->d, .d_v = s->d_v, .scale = 1.5f, .lo = s->lo,
                .hi = s->hi, .cap = s->cap },
    };
    if (s->terms)
        h.a.at.term[1] = (struct score_term){ bias_alibi, alibi };
    for (int i = 0; s->hidden && i < s->T * s->T; i++)      /* row 8 sees nothing */
        hidden[i] = i / s->T == 8 || random_float() > 0.4f;
    if (s->hidden) {
        h.a.at.hidden = hidden;
        h.a.at.hidden_stride = T;
    }
    if (m->n_weights != NULL) {
        h.weights = nan_floats((size_t)m->n_weights(p, s->T, 2, s->d));
        m->draw(h.weights, p, s->T, 2, s->d);
        h.a.weights = h.weights;
    }
    return h;
}

static void check_rows(const struct mechanism *m, const struct head *h)
{
    int S = h->a.at.S;
    int64_t kept = 0;

    for (int i = 0; i < h->a.T; i++) {
        double sum = 0;

        for (int j = 0; j < S; j++) {
            const unsigned char *hidden = h->a.at.hidden;
            size_t at = (size_t)i * h->a.at.hidden_stride + (size_t)j;

            assert_true(h->w[i * S + j] >= 0);
            if (hidden != NULL && hidden[at] != 0)
                assert_true(h->w[i * S + j] == 0);
            sum += h->w[i * S + j];
            kept += h->w[i * S + j] > 0;
        }
        if (sum != 0)
            kernel_near(m->name, i, sum, 1, 1e-12);
    }
    if (m->sparse && m->steps == NULL && m != mechanism_table[MECHANISM_lsh])
        assert_int_equal(h->n_scores, kept);
    else if (m->sparse)
        assert_true(h->n_scores >= kept);
}

static void shapes_and_settings(void)
{
    unsigned char hidden[45 * 45];
    struct bias_alibi alibi = { .slope = 0.25f };

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t p = 0; p < sizeof settings / sizeof *settings; p++)
            for (int i = 0; i < N_MECHANISM; i++) {
                const struct mechanism *m = mechanism_table[i];
                struct head h = head_of(&shapes[s], m, &settings[p], &alibi, hidden);

                if (m->refuse == NULL || m->refuse(&h.a) == NULL) {
                    refer(&h, m);
                    run(&h, m);
                    check_run(m, &h);
                    check_rows(m, &h);
                }
                head_free(&h);
            }
}

/* A window, block, stride or k that covers the text is the model's own attention. */
static void all_covered(void)
{
    static const enum mechanism_id same[] = {
        MECHANISM_local, MECHANISM_global, MECHANISM_strided, MECHANISM_fixed,
        MECHANISM_block, MECHANISM_top_k, MECHANISM_half_heads, MECHANISM_plain,
        MECHANISM_flash, MECHANISM_gqa, MECHANISM_sinks,
    };

    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const struct mechanism *m = mechanism_table[same[i]];
        struct head h, exact;

        random_state = 9;
        h = head_of(&shapes[4], m, &settings[3], NULL, NULL);
        exact = (struct head){ .a = h.a };
        run(&h, m);
        refer(&exact, mechanism_table[MECHANISM_exact]);
        h.w = exact.w;
        h.out = exact.out;
        check_run(m, &h);
        head_free(&h);
    }
}

/* ---- what is refused ---- */

static bool refuses(enum mechanism_id id, const struct attention *a)
{
    return mechanism_table[id]->refuse != NULL && mechanism_table[id]->refuse(a) != NULL;
}

static void what_cannot_be(void **state)
{
    struct bias_alibi alibi = { .slope = 1 };
    const struct attention plain = { .T = 9, .at = { .S = 9, .lo = INT_MAX, .hi = 0 },
                                     .params = &ref_params };
    struct attention biased = plain, window = plain, wide = plain, cross = plain, full = plain;

    (void)state;
    biased.at.term[0] = (struct score_term){ bias_alibi, &alibi };
    window.at.lo = 3;
    wide.at.lo = wide.at.hi = 8;
    cross.cross = true;
    cross.at.hi = full.at.hi = INT_MAX;
    for (int i = 0; i < N_MECHANISM; i++) {
        enum mechanism_id id = (enum mechanism_id)i;
        const struct mechanism *m = mechanism_table[i];
        bool linear = id == MECHANISM_elu || id == MECHANISM_favor;
        bool encoders = id == MECHANISM_linformer, decoders = id == MECHANISM_h2o;

        assert_int_equal(refuses(id, &plain), encoders);
        assert_int_equal(refuses(id, &full), decoders);
        assert_int_equal(refuses(id, &wide), decoders);
        assert_int_equal(refuses(id, &window), linear || encoders);
        assert_int_equal(refuses(id, &biased), linear || id == MECHANISM_lsh || encoders ||
                                               m->join != JOIN_NONE);
        assert_int_equal(refuses(id, &cross), m->sparse && m->steps == NULL &&
                                              id != MECHANISM_quest);
    }
    assert_int_equal(mechanism_joined(JOIN_ALL, 7), 7);
    assert_int_equal(mechanism_joined(JOIN_PAIRS, 6), 2);
    assert_int_equal(mechanism_joined(JOIN_PAIRS, 7), 0);
    assert_int_equal(mechanism_joined(JOIN_NONE, 7), 1);
}

/* ---- what is drawn ---- */

static void rotations_as_torch_draws_them(void **state)
{
    struct mechanism_params params = ref_params;
    struct arena a;
    struct weights *file = open_ref(&a);
    enum { N = 2 * 6 * 2 * 3 };
    float *want = array(file, "full.lsh2.rotations", 0, N), got[N];

    (void)state;
    params.n_rounds = 2;
    params.seed = 7;
    mechanism_table[MECHANISM_lsh]->draw(got, &params, 16, 2, 6);
    for (int i = 0; i < N; i++)
        kernel_near("rotations", i, (double)got[i], (double)want[i], 2e-6);
    free(want);
    weights_close(file);
    arena_finish(&a);
}

/* Orthogonal in blocks of d, their squared lengths d in the mean. */
static void directions_are_orthogonal(void **state)
{
    enum { D = 16, M = 200 };
    const struct mechanism *m = mechanism_table[MECHANISM_favor];
    struct mechanism_params params = { .n_features = M, .seed = 2 };
    float *w = nan_floats((size_t)m->n_weights(&params, 1, 1, D));
    double square = 0;

    (void)state;
    m->draw(w, &params, 1, 1, D);
    for (int i = 0; i < M; i++)
        for (int j = i / D * D; j <= i; j++) {
            double dot = 0;

            for (int c = 0; c < D; c++)
                dot += (double)w[i * D + c] * w[j * D + c];
            if (j < i)
                kernel_near("dot", i, dot, 0, 1e-4);
            else
                square += dot;
        }
    kernel_near("square", 0, square / M, D, 1.5);    /* 3 deviations of the mean: 1.2 */
    free(w);
}

/* Weights of many random features come near those of softmax. */
static void features_estimate_softmax(void **state)
{
    const struct mechanism *favor = mechanism_table[MECHANISM_favor];
    const struct mechanism_params params = { .n_features = 4096, .seed = 8 };
    const struct shape s = { 20, 8, 8, INT_MAX, 0, false, false, 0 };
    struct head h, exact;
    double most = 0;

    (void)state;
    random_state = 5;
    h = head_of(&s, favor, &params, NULL, NULL);
    h.a.at.scale = 0.1f;
    exact = (struct head){ .a = h.a };
    refer(&h, favor);
    refer(&exact, mechanism_table[MECHANISM_exact]);
    for (int i = 0; i < s.T * s.T; i++)
        most = fmax(most, fabs(h.w[i] - exact.w[i]));
    if (!(most < 0.02))
        fail_msg("off by %g", most);
    free(exact.w);
    free(exact.out);
    head_free(&h);
}

KERNEL_TEST(formulas)
KERNEL_TEST(lsh_layer)
KERNEL_TEST(shapes_and_settings)
KERNEL_TEST(all_covered)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_lsh_layer),
        cmocka_unit_test(test_shapes_and_settings),
        cmocka_unit_test(test_all_covered),
        cmocka_unit_test(what_cannot_be),
        cmocka_unit_test(rotations_as_torch_draws_them),
        cmocka_unit_test(directions_are_orthogonal),
        cmocka_unit_test(features_estimate_softmax),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
