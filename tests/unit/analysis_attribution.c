/* SPDX-License-Identifier: MIT
 * Logits taken apart: two sources and a residual by hand under an RMS norm and a LayerNorm,
 * spans by hand; then every family whose head is linear: heads and rest sum to the logit.
 * file_tags=threads */
#include "check.h"

#include <dirent.h>
#include <math.h>

#include "analysis/attribution.h"
#include "run/back.h"
#include "unit/run_room.h"

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

/* ---- by hand ---- */

/*
 * x = (3, 4) = (2, 1) and, of one head of width 2, weights .25 and .75 on keys that write
 * (4, 0) and (0, 4); the final norm's gain is (2, 1), eps 0; W_U has rows (1, 1) and (1, 0).
 */
struct toy {
    struct model m;
    struct family family;
    struct layer_plan layer;
    struct trail trail;
    struct trail_step step[2];
    struct trail_attention own;
};

static const float gain[] = { 2, 1 }, unembedding[] = { 1, 1, 1, 0 }, one[] = { 1, 0, 0, 1 };
static float before[] = { 2, 1 }, after[] = { 3, 4 }, z[] = { 1, 3 };
static float values[] = { 4, 0, 0, 4 }, weights[] = { .25f, .75f };
static unsigned char hidden[] = { 0, 0 };

static struct matrix matrix(const float *data, int N)
{
    return (struct matrix){ .data = (const unsigned char *)data, .size_bytes = sizeof *data,
                            .N = N, .K = 2, .stride = 2 };
}

static void toy_init(struct toy *t, enum norm_kind norm)
{
    *t = (struct toy){ .family = { .norm = norm, .stack_id = STACK_DECODER } };
    t->m.family = &t->family;
    t->m.config.n_layers = t->m.config.n_heads = t->m.config.n_kv_heads = 1;
    t->m.config.d_model = t->m.config.d_value = 2;
    t->m.layer = &t->layer;
    t->m.slot[W_FINAL_NORM].vector = gain;
    t->m.slot[W_HEAD].matrix = matrix(unembedding, 2);
    t->layer.slot[W_O].matrix = matrix(one, 2);
    t->own = (struct trail_attention){ z, 2, values, weights, hidden };
    t->step[0] = (struct trail_step){ STREAM_BEGIN, 0, 0, STACK_DECODER, NULL, before };
    t->step[1] = (struct trail_step){ STREAM_ATTENTION, 0, 0, STACK_DECODER, NULL, after };
    t->trail = (struct trail){ .m = &t->m, .step = t->step, .n_steps = 2, .own = &t->own };
}

static void check(enum norm_kind norm, int answer, int against, const double want[3])
{
    const double sum = want[0] + want[1] + want[2];
    const struct attribution_target target = { .answer = answer, .against = against,
                                               .logit = sum };
    const struct attribution *got;
    struct toy t;

    toy_init(&t, norm);
    got = attribution_new(&arena, &t.trail, &target);
    assert_true(fabs(got->embedding - want[0]) <= 1e-6);
    assert_true(fabs(got->own[0].source[0] - want[1]) <= 1e-6);
    assert_true(fabs(got->own[0].source[1] - want[2]) <= 1e-6);
    assert_true(fabs(got->own[0].dla[0] - want[1] - want[2]) <= 1e-6);
    assert_true(fabs(got->heads - want[1] - want[2]) <= 1e-6);
    assert_true(got->mlps == 0 && got->biases == 0 && got->error <= 1e-6);
}

static void by_hand(void **state)
{
    (void)state;
    check(NORM_RMS, 0, -1, (const double[]){ 1.414214, .565685, .848528 });
    check(NORM_RMS, 1, -1, (const double[]){ 1.131371, .565685, 0 });
    check(NORM_LAYER, 0, -1, (const double[]){ 1, 1, -3 });
    check(NORM_RMS, 0, 1, (const double[]){ .282843, 0, .848528 });
}

/* What is missing of the sum is said: the head's output is another than its weights give. */
static void identity(void **state)
{
    const struct attribution_target target = { .answer = 0, .against = -1,
                                               .logit = 2.828427 + .5 };
    struct toy t;

    (void)state;
    toy_init(&t, NORM_RMS);
    assert_true(fabs(attribution_new(&arena, &t.trail, &target)->error - .5 / 1.414214) <= 1e-6);
}

static void spans(void **state)
{
    /* phi = a (1, 2, 3, -1, 5) */
    double source[] = { .1, .4, .9, -.2, 1 };
    static const float a[] = { .1f, .2f, .3f, .2f, .2f };
    static unsigned char none[5], three[] = { 0, 0, 0, 1, 1 };
    struct attribution_heads heads = { .S = 5, .source = source, .a = a, .hidden = none };
    struct attribution_span got = attribution_contrast(&heads, 0, 1, 2);

    (void)state;
    assert_true(fabs(got.span - .7) <= 1e-9);
    assert_true(fabs(got.attention - 1. / 6) <= 1e-7);
    assert_true(fabs(got.all - 2.2) <= 1e-9);
    assert_true(isnan(attribution_contrast(&heads, 0, 0, 4).span));
    heads.hidden = three;               /* only what is seen counts: K is 3 */
    got = attribution_contrast(&heads, 0, 1, 2);
    assert_true(fabs(got.span - (1.3 - 2 * .1)) <= 1e-9);
    assert_true(isnan(attribution_contrast(&heads, 0, 3, 4).attention));
}

static void back_and_forth(void **state)
{
    /* y . (w x) = (w' y) . x, for both orders of w[3][2] */
    static const float w[] = { 1, 2, 3, 4, 5, 6 }, x[] = { 7, -8 }, x3[] = { 1, 2, -3 };
    const double y[] = { 1, -1, 2 };
    struct param p = { .matrix = { .data = (const unsigned char *)w, .size_bytes = 4, .N = 3,
                                   .K = 2, .stride = 2 } };
    double out[3], back[3];

    (void)state;
    back_forward(out, &p, x, &arena);
    back_linear(back, &p, y, &arena);
    assert_true(out[0] == -9 && out[1] == -11 && out[2] == -13);
    assert_true(back[0] == 8 && back[1] == 10);
    p.matrix = (struct matrix){ .data = (const unsigned char *)w, .size_bytes = 4, .N = 2,
                                .K = 3, .stride = 2, .order_in_out = true };
    back_forward(out, &p, x3, &arena);
    back_linear(back, &p, y, &arena);
    assert_true(out[0] == -8 && out[1] == -8);
    assert_true(back[0] == -1 && back[1] == -1 && back[2] == -1);
}

/* ---- every family ---- */

#define IDENTITY_TOLERANCE 1e-5         /* of the largest part; float32 gives 2e-6 */

static void check_row(const char *path, const struct model *m, const struct batch *b, int row,
                      struct par *par)
{
    float *logits = arena_alloc(&arena, (size_t)m->n_logits, sizeof *logits);
    struct trail *trail = trail_new(&arena, m, row, b->start[1], 0, true);
    struct tap tap = trail_tap(trail);
    struct sink sink = trail_sink(trail);
    struct wanted want = { .tap = &tap, .only_row = &row, .uncapped = true, .logits = logits };
    struct attribution_target target = { .answer = 3, .against = 5 };
    const struct attribution *got;
    struct err e = { ERR_NONE, "" };

    if (run_forward(m, b, &want, &sink, 1, par, &arena, &e) != 0)
        fail_msg("%s: %s", path, e.msg);
    target.logit = (double)logits[3] - (double)logits[5];
    got = attribution_new(&arena, trail, &target);
    if (!(got->error <= IDENTITY_TOLERANCE))
        fail_msg("%s, row %d: heads and rest are off by %g", path, row, got->error);
    for (int l = 0; l < m->config.n_layers; l++)
        for (int h = 0; model_has_layer(m, l) && h < m->config.n_heads; h++) {
            struct attribution_span all = attribution_contrast(&got->own[l], h, 0, 0);

            if (!(fabs(all.all - got->own[l].dla[h]) <= IDENTITY_TOLERANCE * got->largest))
                fail_msg("%s: L%dH%d: sources sum to %g, expected %g", path, l, h, all.all,
                         got->own[l].dla[h]);
        }
}

static void every_family(void **state)
{
    DIR *dir = opendir("tests/ref/families");
    const struct dirent *entry;
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    int n = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        struct arena_mark mark = arena_mark(&arena);
        struct model *m;
        char path[512];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "tests/ref/families/%s", entry->d_name);
        m = room_open(&arena, path, &e);
        if (m == NULL)
            fail_msg("%s: %s", path, e.msg);
        if (room_reads(m) && m->has_head && attribution_check(m, &e) == 0) {
            struct batch b = room_batch(&arena, m, (const int[]){ 9 }, 1, 7);

            check_row(path, m, &b, 8, par);
            check_row(path, m, &b, 3, par);
            n++;
        }
        model_close(m);
        arena_reset(&arena, mark);
    }
    closedir(dir);
    par_free(par);
    assert_true(n > 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_hand, begin, end),
        cmocka_unit_test_setup_teardown(identity, begin, end),
        cmocka_unit_test_setup_teardown(spans, begin, end),
        cmocka_unit_test_setup_teardown(back_and_forth, begin, end),
        cmocka_unit_test_setup_teardown(every_family, begin, end),
    };

    return cmocka_run_group_tests_name("analysis_attribution", tests, NULL, NULL);
}
