/* SPDX-License-Identifier: MIT
 * Keys that a row counts several times: the share of one copy of each, however rows are
 * weighted.
 * file_tags=threads */
#include "check.h"

#include <string.h>

#include "run/weighting.h"
#include "unit/run_room.h"

enum { LENGTH = 32 };

/* The rows of one head of the first layer. */
struct copies {
    float (*weight)[LENGTH], (*single)[LENGTH];     /* [LENGTH] */
    int n_single;               /* rows that came with shares of one copy */
};

static void take(void *self, const struct rows *r, int n)
{
    struct copies *copies = self;

    (void)n;
    if (r->layer != 0 || r->head != 1)
        return;
    for (int t = 0; t < r->n_rows; t++) {
        size_t size = (size_t)r->n_keys * sizeof(float), at = (size_t)t * r->stride;

        memcpy(copies->weight[r->row0 + t] + r->key0, r->weight + at, size);
        if (r->single == NULL)
            continue;
        memcpy(copies->single[r->row0 + t] + r->key0, r->single + at, size);
        copies->n_single++;
    }
}

static struct copies copies_of(struct arena *a, const struct model *m, enum weighting weighting)
{
    const int length = LENGTH;
    struct batch b = room_batch(a, m, &length, 1, 7);
    const struct wanted want = { .weighting = weighting };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    struct copies copies = { arena_alloc(a, LENGTH, sizeof *copies.weight),
                             arena_alloc(a, LENGTH, sizeof *copies.single), 0 };
    const struct sink sink = { SINK_HEAD, take, NULL, &copies };

    if (run_forward(m, &b, &want, &sink, 1, par, a, &e) != 0)
        fail_msg("%s", e.msg);
    par_free(par);
    return copies;
}

/* Each key has as many copies as before: 1 in most places, here and there more. */
static void shares_of_one_copy(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct copies plain, weighted;
    int n_several = 0;
    struct arena a;
    struct model *m;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/families/big_bird_random", &e);
    assert_non_null(m);
    plain = copies_of(&a, m, WEIGHTING_PLAIN);
    assert_true(plain.n_single > 0);
    for (int which = 0; which < 2; which++) {
        weighted = copies_of(&a, m, which == 0 ? WEIGHTING_VALUE : WEIGHTING_NORM);
        assert_int_equal(weighted.n_single, plain.n_single);
        for (int t = 0; t < LENGTH; t++)
            for (int s = 0; s < LENGTH; s++) {
                double n = (double)plain.weight[t][s] / (double)plain.single[t][s];

                if (!(plain.single[t][s] > 0))
                    continue;
                n_several += n > 1.5;
                assert_true(fabs(n - round(n)) <= 1e-5);
                check_near("weight", t * LENGTH + s, (double)weighted.weight[t][s],
                           round(n) * (double)weighted.single[t][s], 1e-6);
                assert_true(weighted.single[t][s] > 0);
            }
    }
    assert_true(n_several > 0);
    model_close(m);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(shares_of_one_copy) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
