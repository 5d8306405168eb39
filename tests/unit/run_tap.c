/* SPDX-License-Identifier: MIT
 * Of every family whose fixture reads tokens: what a tap is shown is what the model
 * attends with, and the model's own mechanism in its place changes nothing.
 * file_tags=threads */
#include "check.h"

#include <dirent.h>

#include "run/mechanism.h"
#include "unit/run_room.h"

/* Rows of the reference in double, rounded; the pass has them in floats. */
#define ROWS_TOLERANCE 2e-5

/* Hidden states after layers of attentions that sum in another order, relative. */
#define HIDDEN_TOLERANCE 1e-4

static const struct mechanism_params params;

struct looker {
    struct room *room;          /* what the sinks were given before */
    struct arena *a;
    struct par *par;
    const struct model *m;
    int views;
    double off;                 /* the most that a row is */
};

static struct mechanism_heads own_heads(const struct qkv_view *v, struct arena *a)
{
    struct mechanism_heads h = mechanism_heads(mechanism_table[MECHANISM_exact], &params,
                                               NULL, v, a);

    assert_null(h.refused);
    return h;
}

static int look(void *self, const struct qkv_view *v, struct err *e)
{
    struct looker *l = self;
    struct mechanism_heads h = own_heads(v, l->a);
    float *w = arena_alloc(l->a, (size_t)v->T, (size_t)v->S * sizeof *w);

    (void)e;
    assert_int_equal(v->T, v->S);
    assert_int_equal(h.n, l->m->config.n_heads);
    for (int i = 0; i < h.n; i++) {
        const float *want = room_map(l->room, v->text, v->layer, i);
        int64_t n_seen = 0;     /* weights may be too small for a float, but not hidden */

        mechanism_rows(&h, i, w, l->a);
        for (int j = 0; j < v->T * v->S; j++) {
            l->off = fmax(l->off, fabs((double)(w[j] - want[j])));
            n_seen += want[j] > 0;
        }
        assert_true(n_seen <= mechanism_seen(v, i));
        assert_true(mechanism_seen(v, i) <= (int64_t)v->T * v->S);
    }
    l->views++;
    return 0;
}

static int attend(void *self, const struct qkv_view *v, float *z, struct par *par,
                  struct err *e)
{
    struct looker *l = self;
    struct mechanism_heads h = own_heads(v, l->a);

    (void)e;
    mechanism_attend(&h, z, par);
    l->views++;
    return 0;
}

static double most_off(const float *x, const float *y, size_t n)
{
    double off = 0, size = 0;

    for (size_t i = 0; i < n; i++) {
        off = fmax(off, fabs((double)(x[i] - y[i])));
        size = fmax(size, fabs((double)y[i]));
    }
    return off / size;
}

static int refused(void *self, const struct qkv_view *v, struct err *e)
{
    struct mechanism_heads h = mechanism_heads(mechanism_table[MECHANISM_exact], &params, NULL,
                                               v, self);

    (void)e;
    assert_string_equal(h.refused, "the model's softmax has a sink that is not a key");
    return 0;
}

/* No mechanism has a sink that is not a key. */
static void check_refusal(const char *path, const struct model *m, struct arena *a)
{
    struct batch b = room_batch(a, m, (const int[]){ 9 }, 1, 7);
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);
    struct tap tap = { .take = refused, .self = a };
    struct wanted want = { .tap = &tap };

    if (run_forward(m, &b, &want, NULL, 0, par, a, &e) != 0)
        fail_msg("%s: %s", path, e.msg);
    par_free(par);
}

static void check_model(const char *path, const struct model *m, struct arena *a)
{
    const int lengths[] = { 9, m->max_tokens < 70 ? m->max_tokens : 70 };
    struct batch b = room_batch(a, m, lengths, 2, 7);
    size_t n = (size_t)b.start[2] * (size_t)m->d_hidden;
    float *hidden = arena_alloc(a, n, sizeof *hidden);
    float *own = arena_alloc(a, n, sizeof *own);
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    struct room room, none;
    struct looker l = { .room = &room, .a = a, .par = par, .m = m };
    struct tap tap = { .take = look, .self = &l };
    struct wanted want = { .hidden = own };
    struct sink sink;
    int n_attending = 0;

    room_init(&room, a, m, &b);
    sink = room_sink(&room, SINK_HEAD);
    if (run_forward(m, &b, &want, &sink, 1, par, a, &e) != 0)
        fail_msg("%s: %s", path, e.msg);
    want.tap = &tap;
    want.hidden = hidden;
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, a, &e), 0);
    for (int i = 0; i < m->config.n_layers; i++)
        n_attending += model_has_layer(m, i);
    assert_int_equal(l.views, 2 * n_attending);
    assert_memory_equal(hidden, own, n * sizeof *own);
    if (!(l.off <= ROWS_TOLERANCE))
        fail_msg("%s: a row seen by the tap is off by %g", path, l.off);

    tap = (struct tap){ .attend = attend, .self = &l };
    room_init(&none, a, m, &b);
    sink = room_sink(&none, SINK_HEAD);
    assert_int_equal(run_forward(m, &b, &want, &sink, 1, par, a, &e), 0);
    assert_int_equal(none.seen[0], 0);
    if (!(most_off(hidden, own, n) <= HIDDEN_TOLERANCE))
        fail_msg("%s: hidden states are off by %g", path, most_off(hidden, own, n));
    par_free(par);
}

static void every_family(void **state)
{
    DIR *dir = opendir("tests/ref/families");
    const struct dirent *entry;
    int n = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        struct err e = { ERR_NONE, "" };
        struct arena a;
        struct model *m;
        char path[512];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "tests/ref/families/%s", entry->d_name);
        arena_init(&a, NULL, NULL);
        m = room_open(&a, path, &e);
        if (m == NULL)
            fail_msg("%s: %s", path, e.msg);
        if (room_reads(m)) {
            (model_has_sinks(m) ? check_refusal : check_model)(path, m, &a);
            n++;
        }
        model_close(m);
        arena_finish(&a);
    }
    closedir(dir);
    assert_true(n > 40);
}

/* How many heads of keys and values a model of four can be averaged in */
static int group(void *self, const struct qkv_view *v, struct err *e)
{
    static const struct { int n; bool fits; } cases[] = {
        { 1, true }, { 2, true }, { 3, false }, { 4, true }, { 5, false }, { 8, false },
    };

    (void)e;
    assert_int_equal(v->G, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mechanism_params p = { .n_groups = cases[i].n };
        struct mechanism_heads h = mechanism_heads(mechanism_table[MECHANISM_gqa], &p, NULL, v,
                                                   self);

        assert_true((h.refused == NULL) == cases[i].fits);
        if (h.refused != NULL)
            assert_non_null(strstr(h.refused, "4 heads of keys and values cannot be averaged "));
        else
            assert_true((h.head[0].k == h.head[1].k) == (cases[i].n < 4));
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(mechanism_seen(v, i), v->T * v->S);
    return 0;
}

static void groups_of_heads(void **state)
{
    static const int lengths[] = { 5 };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);
    struct arena a;
    struct tap tap = { .take = group, .self = &a };
    struct wanted want = { .tap = &tap };
    struct model *m;
    struct batch b;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/bert_old", &e);
    assert_non_null(m);
    b = room_batch(&a, m, lengths, 1, 3);
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &a, &e), 0);
    model_close(m);
    par_free(par);
    arena_finish(&a);
}

/* What fails ends the pass, with its own words. */
static int refuse(void *self, const struct qkv_view *v, float *z, struct par *par,
                  struct err *e)
{
    (void)self;
    (void)z;
    (void)par;
    return err_set(e, ERR_INPUT, "not layer %d", v->layer);
}

static void only_wanted_layers_and_errors(void **state)
{
    static const int lengths[] = { 5 };
    static const bool second[] = { false, true, false, false };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);
    struct tap tap = { .attend = refuse };
    struct wanted want = { .layer = second, .tap = &tap };
    struct arena a;
    struct model *m;
    struct batch b;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/bert_old", &e);
    assert_non_null(m);
    b = room_batch(&a, m, lengths, 1, 3);
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &a, &e), -1);
    assert_string_equal(e.msg, "not layer 1");
    want.stacks = 1u << STACK_CROSS;
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &a, &e), 0);
    model_close(m);
    par_free(par);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family),
        cmocka_unit_test(groups_of_heads),
        cmocka_unit_test(only_wanted_layers_and_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
