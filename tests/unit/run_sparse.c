/* SPDX-License-Identifier: MIT
 * Global tokens and blocks of keys: which keys a row sees, that a text's bytes do not
 * depend on what it is packed with, and masks on top.  The numbers themselves are
 * compared with the reference library's in tests/ref.
 * file_tags=threads */
#include "check.h"

#include <stdlib.h>

#include "nn/nn.h"
#include "unit/run_room.h"

#define LONGFORMER "tests/ref/families/longformer_int"      /* windows of 2 either way */
#define BIG_BIRD "tests/ref/families/big_bird"              /* blocks of 3, one by chance */

/* What rows said of one layer of text 0 beside their weights. */
struct seen {
    int n, layer;
    unsigned char *hidden;      /* [H, n, n] */
    int *n_visible;             /* [H, n] */
    float *single, *weight;     /* [H, n, n]; single 0: not given */
};

static void look(void *self, const struct rows *r, int n_heads)
{
    struct seen *s = self;
    size_t n = (size_t)s->n;

    (void)n_heads;
    for (int t = 0; r->text == 0 && r->layer == s->layer && t < r->n_rows; t++)
        for (int j = 0; j < r->n_keys; j++) {
            size_t row = (size_t)r->head * n + (size_t)(r->row0 + t);
            size_t at = row * n + (size_t)(r->key0 + j);
            size_t from = (size_t)t * r->stride + (size_t)j;

            s->hidden[at] = r->hidden != NULL && r->hidden[from];
            s->n_visible[row] = r->n_visible[t];
            s->weight[at] = r->weight[from];
            s->single[at] = r->single != NULL ? r->single[from] : 0;
        }
}

struct fixture {
    struct arena a;
    struct model *m;
    struct par *par;
};

static void open(struct fixture *f, const char *path, int threads)
{
    struct err e = { ERR_NONE, "" };

    arena_init(&f->a, NULL, NULL);
    f->m = model_open(&f->a, path, &e);
    f->par = par_new(threads, &e);
    if (f->m == NULL)
        fail_msg("%s", e.msg);
    assert_non_null(f->par);
}

static void close(struct fixture *f)
{
    par_free(f->par);
    model_close(f->m);
    arena_finish(&f->a);
}

static int run(struct fixture *f, const struct batch *b, const struct change *change,
               const struct tap *tap, struct seen *s, struct err *e)
{
    size_t n = (size_t)b->start[1], H = (size_t)f->m->config.n_heads;
    struct sink sink = { SINK_HEAD, look, NULL, s };
    struct wanted want = { .change = change, .tap = tap };

    *s = (struct seen){ .n = (int)n, .layer = f->m->config.n_layers - 1 };
    s->hidden = arena_alloc(&f->a, H * n * n, 1);
    memset(s->hidden, 1, H * n * n);        /* keys that no block of rows has */
    s->n_visible = arena_alloc(&f->a, H * n, sizeof *s->n_visible);
    s->single = arena_alloc(&f->a, H * n * n, sizeof *s->single);
    s->weight = arena_alloc(&f->a, H * n * n, sizeof *s->weight);
    return run_forward(f->m, b, &want, &sink, 1, f->par, &f->a, e);
}

/* ---- which keys a row sees ---- */

static void check_row(const struct seen *s, int head, int i, const unsigned char *sees)
{
    size_t row = (size_t)(head * s->n + i), n = (size_t)s->n;
    int visible = 0;
    double sum = 0;

    for (size_t j = 0; j < n; j++) {
        assert_int_equal(s->hidden[row * n + j], !sees[j]);
        assert_true(sees[j] ? s->weight[row * n + j] > 0 : s->weight[row * n + j] == 0);
        visible += sees[j];
        sum += (double)s->weight[row * n + j];
    }
    assert_int_equal(s->n_visible[row], visible);
    check_close(sum, 1, 1e-5);
}

static unsigned char *flags(struct arena *a, int n, const int *at, int n_at)
{
    unsigned char *f = arena_alloc(a, (size_t)n, 1);

    for (int i = 0; i < n_at; i++)
        f[at[i]] = 1;
    return f;
}

static void window_and_global_tokens(void **state)
{
    enum { N = 40 };
    static const int length = N, global[] = { 0, 33 };
    struct fixture f;
    struct batch b;
    struct seen s;
    struct err e;

    (void)state;
    open(&f, LONGFORMER, 2);
    b = room_batch(&f.a, f.m, &length, 1, 3);
    for (int with = 0; with < 2; with++) {
        b.global = flags(&f.a, N, global, with ? 2 : 0);
        assert_int_equal(run(&f, &b, NULL, NULL, &s, &e), 0);
        for (int i = 0; i < N; i++) {
            unsigned char sees[N];

            for (int j = 0; j < N; j++)
                sees[j] = abs(i - j) <= 2 || b.global[i] || b.global[j];
            for (int h = 0; h < f.m->config.n_heads; h++)
                check_row(&s, h, i, sees);
        }
    }
    close(&f);
}

/* 37 tokens: blocks 0 to 12, the last of one token.  7 blocks and less see all. */
static void blocks_of_keys(void **state)
{
    static const int lengths[] = { 37, 22, 21 };
    struct fixture f;

    (void)state;
    open(&f, BIG_BIRD, 2);
    for (int k = 0; k < 3; k++) {
        int n = lengths[k], last = (n - 1) / 3;
        struct batch b = room_batch(&f.a, f.m, &n, 1, 3);
        struct seen s;
        struct err e;

        assert_int_equal(run(&f, &b, NULL, NULL, &s, &e), 0);
        for (int i = 0; i < n; i++) {
            unsigned char sees[37];
            int own = i / 3;
            bool all = n <= 21 || own == 0 || own == last;

            for (int j = 0; j < n; j++) {
                float share = s.weight[i * n + j] / (!all && j < 3 ? 2 : 1);

                sees[j] = all || j / 3 == 0 || j / 3 == last || abs(j / 3 - own) <= 1;
                assert_true(s.single[i * n + j] == (n <= 21 ? 0 : share));
            }
            for (int h = 0; h < f.m->config.n_heads; h++)
                check_row(&s, h, i, sees);
        }
    }
    close(&f);
}

/* ---- the same bytes, whatever the text is packed with ---- */

static void pack_and_compare(struct fixture *f, const struct batch *alone,
                             const struct batch *b, int probe, enum sink_scope scope)
{
    struct room want, got;
    struct err e;
    size_t n = (size_t)alone->start[1], D = (size_t)f->m->config.d_model;
    struct sink sink;
    struct wanted wanted = { 0 };

    room_init(&want, &f->a, f->m, alone);
    sink = room_sink(&want, SINK_HEAD);
    wanted.hidden = want.hidden;
    assert_int_equal(run_forward(f->m, alone, &wanted, &sink, 1, f->par, &f->a, &e), 0);
    room_init(&got, &f->a, f->m, b);
    sink = room_sink(&got, scope);
    wanted.hidden = got.hidden;
    assert_int_equal(run_forward(f->m, b, &wanted, &sink, 1, f->par, &f->a, &e), 0);
    assert_memory_equal(room_map(&want, 0, 0, 0), room_map(&got, probe, 0, 0),
                        (size_t)(want.L * want.H) * n * n * sizeof(float));
    assert_memory_equal(want.entropy, got.entropy + room_rows(&got, probe, 0, 0),
                        (size_t)(want.L * want.H) * n * sizeof(double));
    assert_memory_equal(want.hidden, got.hidden + (size_t)b->start[probe] * D,
                        n * D * sizeof(float));
    assert_int_equal(got.out_of_order, 0);
}

/* Text `probe` of three, with the others' tokens global or not. */
static void placings(struct fixture *f, int n, bool global)
{
    for (int probe = 0; probe < 3; probe++)
        for (int others = 0; others < 2; others++) {
            int lengths[] = { 36, 7, 33 }, first = 2;
            struct batch alone = room_batch(&f->a, f->m, &n, 1, 7), b;
            unsigned char *flag;

            lengths[probe] = n;
            b = room_batch(&f->a, f->m, lengths, 3, 99);
            memcpy((int *)(uintptr_t)b.id + b.start[probe], alone.id,
                   (size_t)n * sizeof *b.id);
            memcpy((int *)(uintptr_t)b.type + b.start[probe], alone.type,
                   (size_t)n * sizeof *b.type);
            alone.global = flags(&f->a, n, &first, global);
            flag = arena_alloc(&f->a, (size_t)b.start[3], 1);
            for (int t = 0; t < 3; t++)
                flag[b.start[t] + 2] = (unsigned char)(t == probe ? global : others);
            b.global = flag;
            pack_and_compare(f, &alone, &b, probe, others ? SINK_HEAD : SINK_LAYER);
        }
}

static void packing(void **state)
{
    (void)state;
    for (int k = 0; k < N_KERNEL; k++) {
        if (nn_choose_kernel(nn_kernel_name((enum kernel)k)) != 0)
            continue;
        for (int threads = 1; threads <= 3; threads += 2) {
            struct fixture f;

            open(&f, LONGFORMER, threads);
            placings(&f, 35, false);
            placings(&f, 35, true);
            close(&f);
            open(&f, BIG_BIRD, threads);
            placings(&f, 35, false);
            placings(&f, 9, true);          /* which is nothing here */
            close(&f);
        }
    }
    nn_choose_kernel("c");
}

/* ---- beside other features ---- */

/* A mask hides keys from global rows and from others alike. */
static void masks_on_top(void **state)
{
    static const int length = 12, global = 5;
    const struct mask_block block = { 4, 6, 5, 5 };
    const struct mask mask = { .name = "m", .n_blocks = 1, .block = &block,
                               .hidden_score = -INFINITY };
    const struct change change = { .mask = &mask };
    struct fixture f;
    struct batch b;
    struct seen s;
    struct err e;

    (void)state;
    open(&f, LONGFORMER, 1);
    b = room_batch(&f.a, f.m, &length, 1, 3);
    b.global = flags(&f.a, length, &global, 1);
    if (run(&f, &b, &change, NULL, &s, &e) != 0)
        fail_msg("%s", e.msg);
    for (int i = 0; i < length; i++) {
        unsigned char sees[12];

        for (int j = 0; j < length; j++)
            sees[j] = (abs(i - j) <= 2 || i == 5 || j == 5) &&
                      !(i >= 4 && i <= 6 && j == 5);
        check_row(&s, 0, i, sees);
    }
    close(&f);
}

/* One set of queries, keys and values would not be the whole of it. */
static void a_tap_does_not_see_global_rows(void **state)
{
    static const int length = 12, global = 5;
    const struct tap tap = { 0 };
    struct fixture f;
    struct batch b;
    struct seen s;
    struct err e;

    (void)state;
    open(&f, LONGFORMER, 1);
    b = room_batch(&f.a, f.m, &length, 1, 3);
    assert_int_equal(run(&f, &b, NULL, &tap, &s, &e), 0);
    b.global = flags(&f.a, length, &global, 1);
    assert_int_equal(run(&f, &b, NULL, &tap, &s, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.msg, "global tokens have queries, keys and values"));
    close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_and_global_tokens), cmocka_unit_test(blocks_of_keys),
        cmocka_unit_test(packing), cmocka_unit_test(masks_on_top),
        cmocka_unit_test(a_tap_does_not_see_global_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
