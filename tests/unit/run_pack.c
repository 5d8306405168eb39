/* SPDX-License-Identifier: MIT
 * The same bytes: a text alone, first, in the middle and last among others, on one to
 * four threads, with either kind of sink, on each kernel.  And the kernels agree.
 * file_tags=threads */
#include "check.h"

#include "nn/nn.h"
#include "unit/run_room.h"

static const char *const kernels[] = { "c", "avx2", "avx512", "neon" };
static const char *const models[] = { "tests/ref/bert", "tests/ref/bert_old",
                                      "tests/ref/gpt2", "tests/ref/llama",
                                      "tests/ref/families/deberta_v2",
                                      "tests/ref/families/xlnet",
                                      "tests/ref/families/reformer_rounds" };
enum { N_KERNELS = 4, N_MODELS = 7, MAX_TEXTS = 60 };

/* The texts of one batch, of which one stands in all of them. */
struct placing {
    int n, probe, length[MAX_TEXTS];
};

static struct model *open_model(struct arena *a, const char *path)
{
    struct err e;
    struct model *m = model_open(a, path, &e);

    if (m == NULL)
        fail_msg("%s", e.msg);
    return m;
}

static void forward(struct room *r, const struct model *m, const struct batch *b,
                    int threads, enum sink_scope scope, struct arena *a)
{
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(threads, &e);
    struct wanted want = { 0 };
    struct sink sink;

    assert_non_null(par);
    room_init(r, a, m, b);
    want.hidden = r->hidden;
    want.logits = r->logits;
    sink = room_sink(r, scope);
    if (run_forward(m, b, &want, &sink, 1, par, a, &e) != 0)
        fail_msg("%s", e.msg);
    par_free(par);
    assert_int_equal(r->out_of_order, 0);
    assert_int_equal(r->head_counts, 0);
    for (int i = 0; i < b->start[b->n_texts] * r->L * r->H; i++)
        assert_int_equal(r->seen[i], 1);
    for (int i = 0; i < b->n_texts * r->L; i++)
        assert_int_equal(r->done[i], 1);
}

/* Text t of x and text u of y are the same, bit by bit. */
static void same(const struct room *x, int t, const struct room *y, int u,
                 const struct model *m)
{
    size_t n = (size_t)(x->start[t + 1] - x->start[t]), D = (size_t)m->d_hidden;
    size_t LH = (size_t)x->L * (size_t)x->H, V = (size_t)m->config.n_vocab;
    size_t row = (size_t)x->start[t], other = (size_t)y->start[u];

    assert_int_equal(y->start[u + 1] - y->start[u], n);
    assert_memory_equal(room_map(x, t, 0, 0), room_map(y, u, 0, 0),
                        LH * n * n * sizeof(float));
    assert_memory_equal(x->entropy + room_rows(x, t, 0, 0),
                        y->entropy + room_rows(y, u, 0, 0), LH * n * sizeof(double));
    assert_memory_equal(x->hidden + row * D, y->hidden + other * D,
                        n * D * sizeof(float));
    if (x->logits != NULL)
        assert_memory_equal(x->logits + row * V, y->logits + other * V,
                            n * V * sizeof(float));
}

/* A batch of p's lengths whose text p->probe is the one of alone. */
static struct batch place(struct arena *a, const struct model *m, const struct placing *p,
                          const struct batch *alone)
{
    struct batch b = room_batch(a, m, p->length, p->n, 99);
    size_t n = (size_t)alone->start[1];

    assert_int_equal(p->length[p->probe], n);
    memcpy((int *)(uintptr_t)b.id + b.start[p->probe], alone->id, n * sizeof *b.id);
    memcpy((int *)(uintptr_t)b.type + b.start[p->probe], alone->type, n * sizeof *b.type);
    return b;
}

static void check_length(const struct model *m, int n, struct arena *a)
{
    const struct placing places[] = {
        { 1, 0, { n } }, { 3, 0, { n, 7, 40 } }, { 3, 1, { 33, n, 5 } },
        { 4, 3, { 1, 32, 48, n } },
    };
    struct batch alone = room_batch(a, m, &n, 1, 7);
    struct room want;

    forward(&want, m, &alone, 1, SINK_HEAD, a);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct batch b = place(a, m, &places[i], &alone);

        for (int threads = 1; threads <= 4; threads++)
            for (int scope = SINK_HEAD; scope <= SINK_LAYER; scope++) {
                struct arena_mark mark = arena_mark(a);
                struct room got;

                forward(&got, m, &b, threads, (enum sink_scope)scope, a);
                same(&want, 0, &got, places[i].probe, m);
                arena_reset(a, mark);
            }
    }
}

/* For each kernel that the processor has. */
static void for_kernels(void (*check)(const struct model *m, struct arena *a))
{
    int n = 0;

    for (int k = 0; k < N_KERNELS; k++) {
        if (nn_choose_kernel(kernels[k]) != 0)
            continue;
        n++;
        for (int i = 0; i < N_MODELS; i++) {
            struct arena a;
            struct model *m;

            arena_init(&a, NULL, NULL);
            m = open_model(&a, models[i]);
            check(m, &a);
            model_close(m);
            arena_finish(&a);
        }
    }
    assert_true(n >= 1);
    nn_choose_kernel("c");
}

static void short_and_long(const struct model *m, struct arena *a)
{
    static const int lengths[] = { 1, 2, 13, 31, 32, 33, 48 };

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        check_length(m, lengths[i], a);
}

static void packing_threads_and_sinks(void **state)
{
    (void)state;
    for_kernels(short_and_long);
}

/* More rows than any stage takes at a time (1024 in the mlp, 512 in a linear). */
static void many_rows(const struct model *m, struct arena *a)
{
    struct placing p = { .n = 50, .probe = 31 };
    int n = 47;
    struct batch alone = room_batch(a, m, &n, 1, 7), b;
    struct room want, got;

    for (int i = 0; i < p.n; i++)
        p.length[i] = i == p.probe ? n : 20 + i * 7 % 29;
    b = place(a, m, &p, &alone);
    assert_true(b.start[p.n] > 1500);
    forward(&want, m, &alone, 1, SINK_LAYER, a);
    for (int threads = 1; threads <= 4; threads += 3) {
        forward(&got, m, &b, threads, SINK_HEAD, a);
        same(&want, 0, &got, p.probe, m);
    }
}

static void a_large_batch(void **state)
{
    (void)state;
    for_kernels(many_rows);
}

/* Attention within 1e-5 of the plain C kernel, hidden states within 1e-4. */
static void kernels_agree(void **state)
{
    static const int lengths[] = { 1, 17, 48 };
    struct arena a;
    int compared = 0;

    (void)state;
    arena_init(&a, NULL, NULL);
    for (int i = 0; i < N_MODELS; i++) {
        struct model *m = open_model(&a, models[i]);
        struct batch b = room_batch(&a, m, lengths, 3, 5);
        size_t rows = (size_t)b.start[3] * (size_t)m->d_hidden;
        size_t cells = (1 + 17 * 17 + 48 * 48) * (size_t)m->config.n_layers *
                       (size_t)m->config.n_heads;
        struct room want, got;

        nn_choose_kernel("c");
        forward(&want, m, &b, 2, SINK_HEAD, &a);
        for (int k = 1; k < N_KERNELS; k++) {
            if (nn_choose_kernel(kernels[k]) != 0)
                continue;
            compared++;
            forward(&got, m, &b, 2, SINK_HEAD, &a);
            check_floats("attention", got.attn, want.attn, (long long)cells, 1e-5);
            check_floats("hidden", got.hidden, want.hidden, (long long)rows, 1e-4);
        }
        model_close(m);
    }
    arena_finish(&a);
    nn_choose_kernel("c");
    if (compared == 0) {
        print_message("skipped: this processor has no vectors that are used\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_threads_and_sinks), cmocka_unit_test(a_large_batch),
        cmocka_unit_test(kernels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
