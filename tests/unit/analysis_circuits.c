/* SPDX-License-Identifier: MIT
 * Composition and copying of heads whose matrices are small enough to compute by hand.
 * file_tags=threads */
#include "check.h"

#include <math.h>
#include <string.h>

#include "analysis/circuits.h"
#include "analysis/spectral.h"
#include "run/special/fold.h"

/*
 * Two layers of one head, width 2, no norms.  Layer 0 has W_OV = e1 e2^T: it reads the first
 * number of the stream and writes the second.  Layer 1 has
 *
 *     W_Q = e2, W_K = e1      so that W_QK = e2 e1^T: its queries read what layer 0 wrote, its
 *                             keys do not
 *     W_V = (3, 4)^T, W_O = (1, 0)    W_OV = (3, 4)^T e1^T
 *
 * Q: e1 e2^T e2 e1^T has norm 1; K: e1 e2^T e1 e2^T = 0; V: e1 e2^T (3, 4)^T e1^T = 4 e1 e1^T,
 * over |W_OV| = 5: .8.  copy: W_O W_V of layer 0 is 0, so it is undefined; of layer 1 it is 3.
 */
static const float early[4][2] = { { 1, 0 }, { 1, 0 }, { 1, 0 }, { 0, 1 } };
static const float late[4][2] = { { 0, 1 }, { 1, 0 }, { 3, 4 }, { 1, 0 } };

struct made {
    struct family family;
    struct model model;
    struct layer_plan layer[2];
    int place[3];
};

/* W_O is stored [D, d_v], as the other way round. */
static void make(struct made *m)
{
    const float (*of[])[2] = { early, late };

    memset(m, 0, sizeof *m);
    m->family.norm = NORM_RMS;
    m->model = (struct model){ .family = &m->family, .layer = m->layer, .name = "two heads",
                               .norm_place = PLACE_PRE };
    m->model.config = (struct config){ .n_layers = 2, .n_heads = 1, .n_kv_heads = 1,
                                       .d_model = 2, .d_head = 1, .d_value = 1 };
    for (int i = 0; i < 3; i++)
        m->place[i] = i;
    m->model.place = (struct head_place){ .width = 3, .q = &m->place[0], .k = &m->place[1],
                                          .v = &m->place[2] };
    for (int l = 0; l < 2; l++) {
        static const enum slot slot[] = { W_Q, W_K, W_V };

        for (int i = 0; i < 3; i++)
            m->layer[l].slot[slot[i]] = fold_param(of[l][i], 1, 2, false);
        m->layer[l].slot[W_O] = fold_param(of[l][3], 2, 1, false);
    }
}

static double *nothing(struct arena *a, int n)
{
    double *x = arena_alloc(a, (size_t)n, sizeof *x);

    for (int i = 0; i < n; i++)
        x[i] = NAN;
    return x;
}

static struct circuits *composed(struct arena *a, const struct made *m)
{
    struct err e;
    struct par *par = par_new(2, &e);
    struct circuits *c = arena_alloc(a, 1, sizeof *c);

    *c = (struct circuits){ .L = 2, .H = 1, .copy = nothing(a, 2) };
    for (int k = 0; k < N_COMPOSITION; k++)
        c->comp[k] = nothing(a, 4);
    circuits_compose(c, a, &m->model, par);
    par_free(par);
    return c;
}

static void by_hand(void **state)
{
    struct arena a;
    struct made m;
    const struct circuits *c;

    (void)state;
    arena_init(&a, NULL, NULL);
    make(&m);
    c = composed(&a, &m);
    assert_true(fabs(c->comp[COMPOSITION_Q][1] - 1) < 1e-12);
    assert_true(c->comp[COMPOSITION_K][1] == 0);
    assert_true(fabs(c->comp[COMPOSITION_V][1] - .8) < 1e-7);
    for (int k = 0; k < N_COMPOSITION; k++)     /* no head reads itself or a later one */
        assert_true(isnan(c->comp[k][0]) && isnan(c->comp[k][2]) && isnan(c->comp[k][3]));
    assert_true(isnan(c->copy[0]));
    assert_true(c->copy[1] == 1);
    arena_finish(&a);
}

/* Of one column each, |q| |k|: 1 in both layers. */
static void spectral_norms(void **state)
{
    static const struct tensor stored;
    struct err e;
    struct par *par = par_new(2, &e);
    const double *norm;
    struct arena a;
    struct made m;

    (void)state;
    arena_init(&a, NULL, NULL);
    make(&m);
    m.layer[0].slot[W_Q].weight = m.layer[0].slot[W_O].weight = &stored;
    m.layer[0].scale = 0.5;
    m.layer[1].scale = 0.25;
    norm = spectral_of(&a, &m.model, par, NULL);
    check_close(norm[0], 0.5, 1e-12);
    check_close(norm[1], 0.25, 1e-12);
    par_free(par);
    arena_finish(&a);
}

/* What the one head reads for its values, and what it writes. */
static void is(const struct fold *f, double v0, double v1, double o0, double o1)
{
    check_close((double)f->v[0], v0, 1e-6);
    check_close((double)f->v[1], v1, 1e-6);
    check_close((double)f->o[0], o0, 1e-6);
    check_close((double)f->o[1], o1, 1e-6);
}

/* A gain of 2 and 1 before attention: W_V = (6, 4)^T, so V is 4 / sqrt 52; a mean that is taken
 * away: of W_O = (1, 0) it leaves (.5, -.5), of W_V (1, -1). */
static void norms_are_folded(void **state)
{
    static const float gain[] = { 2, 1 };
    struct arena a;
    struct made m;
    const struct circuits *c;
    struct fold f;

    (void)state;
    arena_init(&a, NULL, NULL);
    make(&m);
    m.layer[0].slot[W_ATT_NORM].vector = m.layer[1].slot[W_ATT_NORM].vector = gain;
    c = composed(&a, &m);
    assert_true(fabs(c->comp[COMPOSITION_V][1] - 4 / sqrt(52)) < 1e-7);
    m.family.norm = NORM_LAYER;
    f = fold_layer(&a, &m.model, 1);
    is(&f, 1, -1, .5, -.5);
    m.model.norm_place = PLACE_POST;
    f = fold_layer(&a, &m.model, 1);
    is(&f, 3, 4, 1, 0);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(spectral_norms),
        cmocka_unit_test(norms_are_folded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
