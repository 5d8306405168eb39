/* SPDX-License-Identifier: MIT
 * The relative change of numbers; where nothing is wanted, nothing is measured.
 * file_tags=threads */
#include "check.h"

#include <stdbool.h>
#include <time.h>

#include "analysis/mechanisms.h"
#include "unit/run_room.h"

/* The clock of this program, by a list of seconds; it stands before the C library's. */
static struct {
    const double *at;           /* NULL: the system's */
    int n;
} clock_list;

int clock_gettime(clockid_t id, struct timespec *now)
{
    double s = clock_list.at != NULL ? clock_list.at[clock_list.n++] : 0;

    (void)id;
    *now = (struct timespec){ .tv_sec = (time_t)s };
    return 0;
}

static void changes(void **state)
{
    const float y[] = { 3, 0, 4 }, x[] = { 3, 0, 4 }, off[] = { 3, 1, 4 };
    const float none[] = { 0, 0, 0 }, bad[] = { 3, NAN, 4 }, inf[] = { 3, INFINITY, 4 };

    (void)state;
    assert_true(mechanisms_change(x, y, 3) == 0);
    check_close(mechanisms_change(off, y, 3), 0.2, 1e-15);
    check_close(mechanisms_change(none, y, 3), 1, 1e-15);
    assert_true(isnan(mechanisms_change(y, none, 3)));
    assert_true(isnan(mechanisms_change(bad, y, 3)));
    assert_true(isnan(mechanisms_change(y, bad, 3)));
    assert_true(isnan(mechanisms_change(inf, y, 3)));
}

/* One mechanism, one head, one layer, outputs only: the rest stays undefined. */
static void only_what_is_wanted(void **state)
{
    static const int lengths[] = { 6 };
    static const bool layer[] = { false, true, false, false };
    bool only[N_MECHANISM] = { [MECHANISM_local] = true };
    struct mechanisms_opts opts = { .only = only, .kept_head = -1, .error = true,
                                    .params = { .window = 2 } };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    struct wanted want = { .layer = layer };
    const struct mechanism_result *r;
    struct mechanisms *c;
    struct tap tap;
    struct arena a;
    struct model *m;
    struct batch b;
    int n_left_out = 0;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/bert_old", &e);
    assert_non_null(m);
    b = room_batch(&a, m, lengths, 1, 3);
    c = mechanisms_new(&a, m, &opts, 6, 6, par);
    tap = mechanisms_tap(c);
    want.tap = &tap;
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &a, &e), 0);
    r = mechanisms_at(c, 1, MECHANISM_local);
    assert_true(r->error > 0 && r->bytes > 0);
    check_close(r->scores, 24.0 / 36, 1e-12);      /* 3 4 5 5 4 3 of 36 */
    assert_true(isnan(r->js) && isnan(r->links_kept) && isnan(r->entropy) && isnan(r->seconds));
    assert_true(r->head[0].error > 0 && isnan(r->head[0].js));
    check_close(r->head[0].scores, 24.0 / 36, 1e-12);
    assert_true(isnan(mechanisms_at(c, 0, MECHANISM_local)->error));
    assert_true(isnan(mechanisms_at(c, 1, MECHANISM_exact)->error));
    /* Without the model's own attention, nothing is compared. */
    opts.error = false;
    opts.rows = true;
    c = mechanisms_new(&a, m, &opts, 6, 6, par);
    tap = mechanisms_tap(c);
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &a, &e), 0);
    r = mechanisms_at(c, 1, MECHANISM_local);
    assert_true(isnan(r->error) && isnan(r->js) && isnan(r->links_kept) && r->entropy > 0);
    assert_true(isnan(r->head[0].error) && r->head[0].entropy > 0);
    check_close(r->scores, 24.0 / 36, 1e-12);
    /* A key that a row leaves out is told from one of little weight. */
    only[MECHANISM_top_k] = true;
    opts.params.top_k = 2;
    opts.kept_head = 0;
    c = mechanisms_new(&a, m, &opts, 6, 6, par);
    for (int i = 0; i < N_MECHANISM * 36; i++)
        c->kept[i] = 7;
    tap = mechanisms_tap(c);
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &a, &e), 0);
    for (int i = 0; i < 36; i++)
        n_left_out += isnan(c->kept[MECHANISM_top_k * 36 + i]);
    assert_int_equal(n_left_out, 24);
    for (int i = 0; i < N_MECHANISM * 36; i++)
        assert_true((c->kept[i] != 7) == only[i / 36]);     /* each keeps its own rows */
    model_close(m);
    par_free(par);
    arena_finish(&a);
}

/* A layer's numbers are means over all rows of its heads, of which each has as many. */
static void means_of_heads(void **state)
{
    static const int lengths[] = { 9 };
    static const bool only[N_MECHANISM] = { [MECHANISM_local] = true };
    struct mechanisms_opts opts = { .only = only, .kept_head = -1, .error = true, .rows = true,
                                    .params = { .window = 2 } };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    struct wanted want = { .layer = NULL };
    const struct mechanism_result *r;
    double js = 0, links = 0, entropy = 0;
    struct mechanisms *c;
    struct tap tap;
    struct arena a;
    struct model *m;
    struct batch b;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/bert_old", &e);
    assert_non_null(m);
    b = room_batch(&a, m, lengths, 1, 3);
    c = mechanisms_new(&a, m, &opts, 9, 9, par);
    tap = mechanisms_tap(c);
    want.tap = &tap;
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &a, &e), 0);
    r = mechanisms_at(c, 2, MECHANISM_local);
    for (int h = 0; h < m->config.n_heads; h++) {
        assert_true(r->head[h].js > 0 && r->head[h].entropy > 0);
        js += r->head[h].js / m->config.n_heads;
        links += r->head[h].links_kept / m->config.n_heads;
        entropy += r->head[h].entropy / m->config.n_heads;
    }
    check_close(r->js, js, 1e-12);
    check_close(r->links_kept, links, 1e-12);
    check_close(r->entropy, entropy, 1e-12);
    model_close(m);
    par_free(par);
    arena_finish(&a);
}

/* The median of runs of these seconds, after a first one that says how many make a run. */
static double median_of(int repeats, const double *at)
{
    static const int lengths[] = { 6 };
    static const bool layer[] = { true, false, false }, only[N_MECHANISM] = {
        [MECHANISM_local] = true };
    struct mechanisms_opts opts = { .only = only, .kept_head = -1, .repeats = repeats,
                                    .params = { .window = 2 } };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);
    struct wanted want = { .layer = layer };
    struct mechanisms *c;
    struct tap tap;
    struct arena a;
    struct model *m;
    struct batch b;
    double median;

    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/bert_old", &e);
    assert_non_null(m);
    b = room_batch(&a, m, lengths, 1, 3);
    c = mechanisms_new(&a, m, &opts, 6, 6, par);
    tap = mechanisms_tap(c);
    want.tap = &tap;
    clock_list.at = at;
    clock_list.n = 0;
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &a, &e), 0);
    clock_list.at = NULL;
    assert_int_equal(clock_list.n, 2 + 2 * repeats);
    median = mechanisms_at(c, 0, MECHANISM_local)->seconds;
    model_close(m);
    par_free(par);
    arena_finish(&a);
    return median;
}

static void medians(void **state)
{
    static const double three[] = { 0, 1, 1, 6, 6, 8, 8, 11 };          /* 5, 2, 3 */
    static const double four[] = { 0, 1, 1, 6, 6, 8, 8, 11, 11, 111 };  /* and 100 */

    (void)state;
    check_close(median_of(3, three), 3, 0);
    check_close(median_of(4, four), 4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes),
        cmocka_unit_test(only_what_is_wanted), cmocka_unit_test(medians),
        cmocka_unit_test(means_of_heads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
