/* SPDX-License-Identifier: MIT
 * Which experts a row goes to, and their shares, against sums done by hand. */
#include "check.h"

#include <string.h>

#include "run/route.h"

enum { E_MAX = 8 };

/* want 0: not chosen; else its share, to a rounding of floats. */
static void check(const struct routing *r, const float *logit, const double *want)
{
    struct arena a;
    struct route_room room;
    float s[E_MAX];

    arena_init(&a, NULL, NULL);
    room = route_room(&a, r->E);
    memcpy(s, logit, (size_t)r->E * sizeof *s);
    route_shares(s, r, &room);
    for (int x = 0; x < r->E; x++)
        check_near("share of expert", x, (double)s[x], want[x] == 0 ? -1 : want[x],
                   want[x] == 0 ? 0 : 1e-6);
    arena_finish(&a);
}

/* Softmax of these: p_i = w_i / sum w. */
static void logs(float *logit, const double *w, int n)
{
    for (int i = 0; i < n; i++)
        logit[i] = (float)log(w[i]);
}

/* Sigmoid of these is p_i. */
static void logits(float *logit, const double *p, int n)
{
    for (int i = 0; i < n; i++)
        logit[i] = (float)log(p[i] / (1 - p[i]));
}

/* Mixtral: 4, 1, 3, 2 of 10. */
static void softmax_with_and_without_renorm(void **state)
{
    static const double w[] = { 4, 1, 3, 2 };
    static const double plain[] = { 0.4, 0, 0.3, 0 }, whole[] = { 4.0 / 7, 0, 3.0 / 7, 0 };
    static const double scaled[] = { 1.4, 0, 1.05, 0 };
    struct routing r = { .E = 4, .n_chosen = 2, .factor = 1 };
    float logit[4];

    (void)state;
    logs(logit, w, 4);
    check(&r, logit, plain);
    r.factor = 3.5f;
    check(&r, logit, scaled);
    r.factor = 1;
    r.renormalise = true;
    check(&r, logit, whole);
}

/* Scores that a float has to the unit: their difference counts, not their size. */
static void large_scores(void **state)
{
    static const float logit[] = { 1e7f + 1, 1e7f, -1e30f };
    const double want[] = { 1 / (1 + exp(-1)), 1 / (1 + exp(1)), 0 };
    const struct routing r = { .E = 3, .n_chosen = 2, .factor = 1 };

    (void)state;
    check(&r, logit, want);
}

/* The lower of equals; all of them where all are chosen. */
static void ties(void **state)
{
    static const float same[] = { 1, 1, 1, 1 };
    static const double two[] = { 0.25, 0.25, 0, 0 }, all[] = { 0.25, 0.25, 0.25, 0.25 };
    struct routing r = { .E = 4, .n_chosen = 2, .factor = 1 };

    (void)state;
    check(&r, same, two);
    r.n_chosen = 4;
    check(&r, same, all);
}

/*
 * DeepSeek-V2: groups {8, 1}, {5, 6}, {7, 3} of 30; the best two by their best are the
 * first and the last, so 6 is out though it is third of all.
 */
static void groups_by_their_best(void **state)
{
    static const double w[] = { 8, 1, 5, 6, 7, 3 };
    static const double three[] = { 8.0 / 30, 0, 0, 0, 7.0 / 30, 3.0 / 30 };
    struct routing r = { .E = 6, .n_chosen = 3, .factor = 1, .group_score = GROUPS_MAX,
                         .n_groups = 3, .n_kept = 2 };
    float logit[6], s[6];
    struct arena a;
    struct route_room room;

    (void)state;
    logs(logit, w, 6);
    check(&r, logit, three);
    /* More than the kept group has: what is chosen beyond it counts 0. */
    r.n_kept = 1;
    arena_init(&a, NULL, NULL);
    room = route_room(&a, 6);
    memcpy(s, logit, sizeof s);
    route_shares(s, &r, &room);
    check_close((double)s[0], 8.0 / 30, 1e-6);
    check_close((double)s[1], 1.0 / 30, 1e-6);
    assert_true(s[2] == 0 && s[3] == -1 && s[4] == -1 && s[5] == -1);
    arena_finish(&a);
}

/*
 * DeepSeek-V3: scores and biases such that each thing matters.
 *
 *     group        0           1           2
 *     score     .9   .1     .6   .5     .7   .2
 *     bias       0    0     .1    0    -.5   .3
 *     choice    .9   .1     .7   .5     .2   .5
 *     best two    1.0         1.2         0.7
 *
 * Two groups are kept, 0 and 1; of them .9 and .7 by choice, with shares by score.
 */
static const double score3[] = { 0.9, 0.1, 0.6, 0.5, 0.7, 0.2 };
static const float bias3[] = { 0, 0, 0.1f, 0, -0.5f, 0.3f };

static void sigmoid_groups_by_their_best_two(void **state)
{
    static const double share[] = { 2.5 * 0.9 / 1.5, 0, 2.5 * 0.6 / 1.5, 0, 0, 0 };
    static const double plain[] = { 0.9, 0, 0.6, 0, 0, 0 };
    /* One group: the second, though the best expert of all is in the first. */
    static const double one[] = { 0, 0, 0.6, 0.5, 0, 0 };
    struct routing r = { .E = 6, .n_chosen = 2, .score = SCORE_SIGMOID, .bias = bias3,
                         .group_score = GROUPS_TOP2, .n_groups = 3, .n_kept = 2,
                         .renormalise = true, .factor = 2.5f };
    float logit[6];

    (void)state;
    logits(logit, score3, 6);
    check(&r, logit, share);
    r.renormalise = false;
    r.factor = 1;
    check(&r, logit, plain);
    r.n_kept = 1;
    check(&r, logit, one);
}

/* All three groups kept: the second is .7 by score, and .6 + .1 by choice. */
static void a_bias_is_for_the_choice_alone(void **state)
{
    static const double without[] = { 0.9, 0, 0, 0, 0.7, 0 };
    static const double with[] = { 0.9, 0, 0.6, 0, 0, 0 };
    struct routing r = { .E = 6, .n_chosen = 2, .score = SCORE_SIGMOID, .factor = 1,
                         .group_score = GROUPS_TOP2, .n_groups = 3, .n_kept = 3 };
    float logit[6];

    (void)state;
    logits(logit, score3, 6);
    check(&r, logit, without);
    r.bias = bias3;
    check(&r, logit, with);
}

/* A choice below 0 is kept before one that is out of its group. */
static void negative_choices(void **state)
{
    static const double p[] = { 0.5, 0.5, 0.5, 0.5 }, want[] = { 0, 0, 0.5, 0.5 };
    static const float bias[] = { -3, -3, -2, -2 };
    struct routing r = { .E = 4, .n_chosen = 2, .score = SCORE_SIGMOID, .bias = bias,
                         .group_score = GROUPS_TOP2, .n_groups = 2, .n_kept = 1,
                         .renormalise = true, .factor = 1 };
    float logit[4];

    (void)state;
    logits(logit, p, 4);
    check(&r, logit, want);
}

/* Scores that all vanish: shares of 0, not of 0 / 0. */
static void sigmoids_that_vanish(void **state)
{
    struct routing r = { .E = 2, .n_chosen = 2, .score = SCORE_SIGMOID,
                         .renormalise = true, .factor = 2.5f };
    float s[] = { -200, -200 };
    struct arena a;
    struct route_room room;

    (void)state;
    arena_init(&a, NULL, NULL);
    room = route_room(&a, 2);
    route_shares(s, &r, &room);
    assert_true(s[0] == 0 && s[1] == 0);
    arena_finish(&a);
}

/* The best logits, though their sigmoids are the same number. */
static void sigmoids_on_the_input(void **state)
{
    static const double want[] = { 0, 0.25, 0.75, 0 }, full[] = { 0, 0, 1, 1 };
    const float far[] = { 40, 41, 43, 42 };
    struct routing r = { .E = 4, .n_chosen = 2, .score = SCORE_SIGMOID_INPUT, .factor = 1 };
    float logit[4];

    (void)state;
    logits(logit, (double[]){ 0.1, 0.25, 0.75, 0.2 }, 4);
    check(&r, logit, want);
    check(&r, far, full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax_with_and_without_renorm), cmocka_unit_test(ties),
        cmocka_unit_test(large_scores),
        cmocka_unit_test(groups_by_their_best),
        cmocka_unit_test(sigmoid_groups_by_their_best_two),
        cmocka_unit_test(a_bias_is_for_the_choice_alone), cmocka_unit_test(negative_choices),
        cmocka_unit_test(sigmoids_that_vanish), cmocka_unit_test(sigmoids_on_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
