/* SPDX-License-Identifier: MIT
 * Of every family whose fixture reads tokens: a pass that begins at a layer with the streams
 * that an earlier one had there ends in the same bytes; so do logits of rows by themselves,
 * and an intervention is seen by what follows it.
 * file_tags=threads */
#include "check.h"

#include <dirent.h>

#include "unit/run_room.h"

enum { MOST_LAYERS = 16 };

struct streams {
    const struct model *m;
    float *x[MOST_LAYERS], *x2[MOST_LAYERS];
    int n;
};

static void keep(void *self, int layer, enum stack_id stack, const float *x, const float *x2,
                 int n_rows, int D)
{
    struct streams *s = self;
    size_t size = (size_t)n_rows * (size_t)D * sizeof *x;

    assert_int_equal(stack, s->m->family->stack_id);
    assert_int_equal(layer, s->n++);
    memcpy(s->x[layer], x, size);
    memcpy(s->x2[layer], x2, size);
}

static void streams_init(struct streams *s, struct arena *a, const struct model *m, int n_rows)
{
    *s = (struct streams){ .m = m };
    assert_in_range(m->config.n_layers, 1, MOST_LAYERS);
    for (int l = 0; l < m->config.n_layers; l++) {
        s->x[l] = arena_alloc(a, (size_t)n_rows, (size_t)model_stream_width(m) * sizeof(float));
        s->x2[l] = arena_alloc(a, (size_t)n_rows, (size_t)model_stream_width(m) * sizeof(float));
    }
}

/* Rows of logits, all at once and by themselves. */
static void check_logits(const struct model *m, const struct batch *b, const float *hidden,
                         struct par *par, struct arena *a)
{
    int N = b->start[b->n_texts], V = m->n_logits;
    float *all = arena_alloc(a, (size_t)N, (size_t)V * sizeof *all);
    float *row = arena_alloc(a, (size_t)V, sizeof *row);
    struct wanted want = { .logits = all };
    struct err e = { ERR_NONE, "" };

    if (!m->has_head || m->config.head.task != NULL)
        return;
    assert_int_equal(run_forward(m, b, &want, NULL, 0, par, a, &e), 0);
    for (int i = 0; i < N; i += 5) {
        run_logits(m, &want, row, hidden + (int64_t)i * m->d_hidden, 1, par, a);
        assert_memory_equal(row, all + (int64_t)i * V, (size_t)V * sizeof *row);
    }
}

static int last_attending(const struct model *m)
{
    int l = m->config.n_layers - 1;

    while (!model_has_layer(m, l))
        l--;
    return l;
}

static void silence(void *self, int layer, enum stack_id stack, float *z, int n_rows)
{
    const struct model *m = self;
    size_t width = (size_t)m->config.n_heads * (size_t)m->config.d_value;

    assert_int_equal(stack, m->family->stack_id);
    if (layer == last_attending(m))
        memset(z, 0, (size_t)n_rows * width * sizeof *z);
}

static void check_model(const char *path, const struct model *m, struct arena *a)
{
    const int lengths[] = { 9, m->max_tokens < 40 ? m->max_tokens : 40 };
    struct batch b = room_batch(a, m, lengths, 2, 7);
    size_t n = (size_t)b.start[2] * (size_t)m->d_hidden;
    float *whole = arena_alloc(a, n, sizeof *whole), *hidden = arena_alloc(a, n, sizeof *hidden);
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    struct streams s;
    struct tap tap = { .enter = keep, .self = &s };
    struct wanted want = { .hidden = whole, .tap = &tap };
    struct intervention intervention = { silence, (void *)(uintptr_t)m };
    struct change change = { .intervention = &intervention };

    streams_init(&s, a, m, b.start[2]);
    if (run_forward(m, &b, &want, NULL, 0, par, a, &e) != 0)
        fail_msg("%s: %s", path, e.msg);
    assert_int_equal(s.n, m->config.n_layers);
    want = (struct wanted){ .hidden = hidden };
    for (int l = 0; l < m->config.n_layers; l++) {
        int from = model_resume_layer(m, l);
        struct resume resume = { from, s.x[from], s.x2[from] };

        want.resume = &resume;
        memset(hidden, 0, n * sizeof *hidden);
        assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, a, &e), 0);
        if (memcmp(hidden, whole, n * sizeof *hidden) != 0)
            fail_msg("%s: other hidden states from layer %d on", path, l);
    }
    check_logits(m, &b, whole, par, a);
    want = (struct wanted){ .hidden = hidden, .change = &change };
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, a, &e), 0);
    if (memcmp(hidden, whole, n * sizeof *hidden) == 0)
        fail_msg("%s: silent heads of the last layer change nothing", path);
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
            check_model(path, m, &a);
            n++;
        }
        model_close(m);
        arena_finish(&a);
    }
    closedir(dir);
    assert_true(n > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_family) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
