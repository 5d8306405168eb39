/* SPDX-License-Identifier: MIT
 * Mechanisms against their formulas in NumPy (make_mechanisms_numpy.py): the reference, and
 * the fast version on each kernel; what a budget sets; scores beyond 1e5. */
#include "nn_mechanism_check.h"

#include <limits.h>

/* What make_mechanisms_numpy.py has. */
static const struct mechanism_params ref_params = {
    .window = 3, .sinks = 2, .recent = 3, .page = 4, .segments = 7, .rank = 3,
    .n_features = 8,
};
enum { BUDGET = 7 };

/* The formulas are double; the file holds floats, of values up to 3. */
#define REF_TOLERANCE 5e-7

struct set {
    const char *name;
    int T, d, d_v;
};
static const struct set sets[] = {
    { "long", 40, 6, 36 }, { "wide", 9, 20, 5 }, { "deep", 90, 80, 4 }, { "far", 12, 6, 5 },
};

static struct weights *open_file(struct arena *a)
{
    struct err e = { ERR_NONE, "" };
    struct weights *file;

    arena_init(a, NULL, NULL);
    file = npz_open(a, "tests/ref/mechanisms/numpy.npz", &e);
    if (file == NULL)
        fail_msg("%s", e.msg);
    return file;
}

static struct head read_head(const struct weights *file, const struct set *s, bool causal,
                             const struct mechanism_params *params)
{
    char q[32], k[32], v[32];
    struct head h;

    snprintf(q, sizeof q, "%s.q", s->name);
    snprintf(k, sizeof k, "%s.k", s->name);
    snprintf(v, sizeof v, "%s.v", s->name);
    h = (struct head){ .q = array(file, q, 0, s->T * s->d),
                       .k = array(file, k, 0, s->T * s->d),
                       .v = array(file, v, 0, s->T * s->d_v) };
    h.a = (struct attention){
        .q = h.q, .k = h.k, .v = h.v, .q_stride = s->d, .k_stride = s->d,
        .v_stride = s->d_v, .T = s->T, .params = params,
        .at = { .S = s->T, .d = s->d, .d_v = s->d_v, .scale = 0.5f, .lo = INT_MAX,
                .hi = causal ? 0 : INT_MAX },
    };
    return h;
}

/* got of NAME.part, where the file has it. */
static bool check_array(const struct weights *file, const char *name, const char *part,
                        const double *got, int n)
{
    char at[80];
    float *want;

    snprintf(at, sizeof at, "%s.%s", name, part);
    if (weights_find(file, at) == NULL)
        return false;
    want = array(file, at, 0, n);
    for (int i = 0; i < n; i++)
        kernel_near(at, i, got[i], (double)want[i], REF_TOLERANCE);
    free(want);
    return true;
}

/* Both versions of one head, whose rows the file has. */
static void check_head(const struct weights *file, struct head *h, enum mechanism_id id,
                       const char *name)
{
    refer(h, mechanism_table[id]);
    assert_true(check_array(file, name, "w", h->w, h->a.T * h->a.at.S));
    assert_true(check_array(file, name, "out", h->out, h->a.T * h->a.at.d_v));
    run(h, mechanism_table[id]);
    check_run(mechanism_table[id], h);
    head_free(h);
}

/* Compares where the file has the array; returns whether it does. */
static bool check_set(const struct weights *file, const struct set *s, bool causal,
                      enum mechanism_id id, const char *name,
                      const struct mechanism_params *params)
{
    struct head h = read_head(file, s, causal, params);
    char at[64];
    bool found;

    snprintf(at, sizeof at, "%s.%s.%s", s->name, causal ? "causal" : "full", name);
    refer(&h, mechanism_table[id]);
    found = check_array(file, at, "out", h.out, s->T * s->d_v);
    check_array(file, at, "w", h.w, s->T * s->T);
    run(&h, mechanism_table[id]);
    check_run(mechanism_table[id], &h);
    head_free(&h);
    return found;
}

/* ---- each mechanism ---- */

static void formulas(void)
{
    static const struct {
        enum mechanism_id id;
        const char *name;
        int bits, n;                    /* of cases in the file */
    } cases[] = {
        { MECHANISM_plain, "plain", 0, 2 },         { MECHANISM_flash, "flash", 0, 2 },
        { MECHANISM_sinks, "sinks", 0, 2 },         { MECHANISM_h2o, "h2o", 0, 1 },
        { MECHANISM_quest, "quest", 0, 2 },         { MECHANISM_linformer, "linformer", 0, 1 },
        { MECHANISM_low_rank, "low-rank", 0, 6 },   { MECHANISM_kivi, "kivi2", 2, 2 },
        { MECHANISM_kivi, "kivi4", 4, 2 },
    };
    struct arena a;
    struct weights *file = open_file(&a);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mechanism_params params = ref_params;
        int n = 0;

        params.bits = cases[i].bits;
        params.budget = cases[i].id == MECHANISM_h2o || cases[i].id == MECHANISM_quest ?
                            BUDGET : 0;
        for (int set = 0; set < 3; set++)
            for (int causal = 0; causal < 2; causal++)
                if ((cases[i].id != MECHANISM_h2o || causal) &&
                    (cases[i].id != MECHANISM_linformer || !causal))
                    n += check_set(file, &sets[set], causal, cases[i].id, cases[i].name,
                                   &params);
        assert_int_equal(n, cases[i].n);
    }
    weights_close(file);
    arena_finish(&a);
}

/* quest where keys are hidden: the bound of a page is over those that the row sees. */
static void hidden_pages(void)
{
    enum { T = 40, PADDING = 6, LO = 17 };
    static const char *const masks[] = { "hidden", "padded", "window" };
    static unsigned char hidden[2][T * T];
    struct mechanism_params params = ref_params;
    struct arena a;
    struct weights *file = open_file(&a);

    params.budget = BUDGET;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            hidden[1][i * T + j] = j >= T - PADDING;
            hidden[0][i * T + j] = j >= T - PADDING || (3 * i + j) % 5 == 0;
        }
    for (int mask = 0; mask < 3; mask++) {
        struct head h = read_head(file, &sets[0], mask == 2, &params);
        char name[32];

        snprintf(name, sizeof name, "long.%s.quest", masks[mask]);
        h.a.at.hidden = mask < 2 ? hidden[mask] : NULL;
        h.a.at.hidden_stride = T;
        h.a.at.lo = mask < 2 ? h.a.at.lo : LO;
        check_head(file, &h, MECHANISM_quest, name);
    }
    weights_close(file);
    arena_finish(&a);
}

static void budgets(void)
{
    static const struct {
        enum mechanism_id id;
        const char *name;
        int budget;
    } cases[] = {
        { MECHANISM_local, "budget.local", BUDGET }, { MECHANISM_sinks, "budget.sinks", BUDGET },
        { MECHANISM_block, "budget.block", BUDGET }, { MECHANISM_top_k, "budget.top-k", BUDGET },
        { MECHANISM_local, "even.local", BUDGET + 1 },
        { MECHANISM_sinks, "even.sinks", BUDGET + 1 },
    };
    struct mechanism_params params = ref_params;
    struct arena a;
    struct weights *file = open_file(&a);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int causal = 0; causal < 2; causal++) {
            params.budget = cases[i].budget;
            assert_true(check_set(file, &sets[0], causal, cases[i].id, cases[i].name,
                                  &params));
        }
    weights_close(file);
    arena_finish(&a);
}

/* Rows that a budget covers are those of the model's own attention. */
static void short_rows(void)
{
    enum { COVERED = 9 };
    struct mechanism_params params = ref_params;
    struct arena a;
    struct weights *file = open_file(&a);

    params.budget = COVERED;
    for (int i = 0; i < N_MECHANISM; i++) {
        const struct mechanism *m = mechanism_table[i];
        struct head h = read_head(file, &sets[0], true, &params), own = { .a = h.a };

        if (m->no_budget == NULL && (m->refuse == NULL || m->refuse(&h.a) == NULL)) {
            refer(&h, m);
            refer(&own, mechanism_table[MECHANISM_exact]);
            for (int j = 0; j < COVERED * sets[0].T; j++)
                kernel_near(m->name, j, h.w[j], own.w[j], 1e-12);
            free(own.w);
            free(own.out);
        }
        head_free(&h);
    }
    weights_close(file);
    arena_finish(&a);
}

/* Features whose products are far below what a double holds. */
static void far_scores(void)
{
    struct arena a;
    struct weights *file = open_file(&a);
    const struct mechanism *m = mechanism_table[MECHANISM_favor];

    for (int causal = 0; causal < 2; causal++) {
        const struct set *s = &sets[3];
        struct head h = read_head(file, s, causal, &ref_params);
        char name[32];

        snprintf(name, sizeof name, "far.%s.favor", causal ? "causal" : "full");
        h.weights = array(file, "far.favor", 0, 8 * s->d);
        h.a.weights = h.weights;
        refer(&h, m);
        assert_true(check_array(file, name, "w", h.w, s->T * s->T));
        assert_true(check_array(file, name, "out", h.out, s->T * s->d_v));
        run(&h, m);
        /* Exponents of some thousands, in floats: 1e-4 of themselves. */
        for (int i = 0; i < s->T * s->d_v; i++)
            kernel_near(name, i, (double)h.got[i / s->d_v * (s->d_v + 3) + i % s->d_v],
                        h.out[i], 2e-3);
        head_free(&h);
    }
    weights_close(file);
    arena_finish(&a);
}

KERNEL_TEST(formulas)
KERNEL_TEST(hidden_pages)
KERNEL_TEST(budgets)
KERNEL_TEST(short_rows)
KERNEL_TEST(far_scores)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_hidden_pages),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_short_rows),
        cmocka_unit_test(test_far_scores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
