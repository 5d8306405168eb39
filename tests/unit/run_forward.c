/* SPDX-License-Identifier: MIT
 * What a pass gives when only some of it is wanted; what it refuses; weights that are not
 * finite; the first layer against the reference formula in double.
 * file_tags=threads */
#include "check.h"

#include <limits.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "nn/attention.h"
#include "unit/run_room.h"

/* A model whose weights are bytes of ours, so that a test can spoil them. */
struct spoilt {
    struct arena arena;
    struct model *m;
    unsigned char *bytes;
};

static void open_spoilt(struct spoilt *s, const char *dir)
{
    char path[256];
    struct span file, config;
    struct err e = { ERR_NONE, "" };
    struct model *m;

    arena_init(&s->arena, NULL, NULL);
    m = s->m = arena_alloc(&s->arena, 1, sizeof *m);
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    assert_int_equal(file_map(path, &file, &e), 0);
    s->bytes = arena_alloc(&s->arena, file.size, 1);
    memcpy(s->bytes, file.data, file.size);
    m->weights = weights_open_memory(&s->arena, (struct span){ s->bytes, file.size },
                                     "spoilt", &e);
    file_unmap(file);
    if (m->weights == NULL)
        fail_msg("%s", e.msg);
    snprintf(path, sizeof path, "%s/config.json", dir);
    assert_int_equal(file_map(path, &config, &e), 0);
    assert_int_equal(config_read(&m->config, &m->family, &s->arena, config, "config",
                                 TOWER_NONE, &e), 0);
    file_unmap(config);
    m->name = "spoilt";
}

/* Sets element i of a tensor of floats; before model_bind, which decodes vectors. */
static void spoil(struct spoilt *s, const char *name, int64_t i, float value)
{
    const struct tensor *t = weights_find(s->m->weights, name);

    assert_non_null(t);
    assert_int_equal(t->dtype, DTYPE_F32);
    assert_in_range(i, 0, t->n_elements - 1);
    bytes_copy((unsigned char *)(uintptr_t)t->data + 4 * i, &value, 1, sizeof value);
}

/* Puts a tensor where nothing can be read: who touches it ends the program. */
static void forbid(struct spoilt *s, const char *name)
{
    struct tensor *t = (struct tensor *)(uintptr_t)weights_find(s->m->weights, name);

    assert_non_null(t);
    t->data = mmap(NULL, 4 * (size_t)t->n_elements, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(t->data != MAP_FAILED);
}

static void bind(struct spoilt *s)
{
    struct err e = { ERR_NONE, "" };

    if (model_bind(s->m, &s->arena, &e) != 0)
        fail_msg("%s", e.msg);
}

static void close_spoilt(struct spoilt *s)
{
    model_close(s->m);
    arena_finish(&s->arena);
}

/* Runs a batch; the error in *e. */
static int forward(struct room *r, const struct model *m, const struct batch *b,
                   const struct wanted *want, enum sink_scope scope, int threads,
                   struct arena *a, struct err *e)
{
    struct par *par = par_new(threads, e);
    struct sink sink;
    int rc;

    room_init(r, a, m, b);
    for (int h = 0; want->head != NULL && h < m->config.n_heads; h++)
        r->n_heads_wanted -= !want->head[h];
    sink = room_sink(r, scope);
    rc = run_forward(m, b, want, &sink, 1, par, a, e);
    par_free(par);
    return rc;
}

static struct model *open_model(struct arena *a, const char *path)
{
    struct err e = { ERR_NONE, "" };
    struct model *m = model_open(a, path, &e);

    if (m == NULL)
        fail_msg("%s", e.msg);
    return m;
}

/* ---- only some layers and heads ---- */

static void check_selection(const char *path, enum sink_scope scope, const bool *layer,
                            const bool *head)
{
    static const int lengths[] = { 9, 40 };
    struct arena a;
    struct err e;
    struct model *m;
    struct batch b;
    struct wanted all = { 0 }, some = { .layer = layer, .head = head };
    struct room want, got;

    arena_init(&a, NULL, NULL);
    m = open_model(&a, path);
    b = room_batch(&a, m, lengths, 2, 3);
    assert_int_equal(forward(&want, m, &b, &all, SINK_HEAD, 2, &a, &e), 0);
    assert_int_equal(forward(&got, m, &b, &some, scope, 2, &a, &e), 0);
    assert_int_equal(got.head_counts, 0);
    for (int t = 0; t < 2; t++)
        for (int l = 0; l < want.L; l++) {
            bool layer_wanted = layer == NULL || layer[l];

            assert_int_equal(got.done[t * want.L + l], layer_wanted);
            for (int h = 0; h < want.H; h++) {
                size_t n = (size_t)lengths[t], rows = room_rows(&want, t, l, h);
                bool wanted = layer_wanted && (head == NULL || head[h]);

                for (size_t i = 0; i < n; i++)
                    assert_int_equal(got.seen[rows + i], wanted);
                if (wanted)
                    assert_memory_equal(room_map(&got, t, l, h), room_map(&want, t, l, h),
                                        n * n * sizeof(float));
            }
        }
    model_close(m);
    arena_finish(&a);
}

static void some_layers_and_heads(void **state)
{
    static const bool first[] = { true, false, false, false };
    static const bool second[] = { false, true, false, false };
    static const bool ends[] = { true, false, true, false };

    (void)state;
    for (int scope = SINK_HEAD; scope <= SINK_LAYER; scope++) {
        enum sink_scope s = (enum sink_scope)scope;

        check_selection("tests/ref/bert_old", s, first, NULL);
        check_selection("tests/ref/bert_old", s, second, ends);
        check_selection("tests/ref/bert_old", s, ends, second);
        check_selection("tests/ref/gpt2", s, NULL, first);
        check_selection("tests/ref/llama", s, second, second);
    }
}

/* The last layer is never reached where nobody wants it: its NaN is not seen. */
static void stops_after_the_last_layer_wanted(void **state)
{
    static const bool first[] = { true, false }, last[] = { false, true };
    static const int n = 12;
    struct wanted want = { .layer = first };
    struct spoilt s;
    struct batch b;
    struct room r;
    struct err e;

    (void)state;
    open_spoilt(&s, "tests/ref/bert");
    /* Also what stands behind the first layer's attention is not computed. */
    spoil(&s, "bert.encoder.layer.0.attention.output.dense.weight", 0, NAN);
    spoil(&s, "bert.encoder.layer.1.attention.self.query.weight", 0, NAN);
    bind(&s);
    b = room_batch(&s.arena, s.m, &n, 1, 1);
    assert_int_equal(forward(&r, s.m, &b, &want, SINK_HEAD, 2, &s.arena, &e), 0);
    assert_int_equal(r.seen[0], 1);
    want.layer = last;
    assert_int_equal(forward(&r, s.m, &b, &want, SINK_HEAD, 2, &s.arena, &e), -1);
    want.layer = first;
    want.hidden = r.hidden;     /* which needs all layers */
    assert_int_equal(forward(&r, s.m, &b, &want, SINK_HEAD, 2, &s.arena, &e), -1);
    close_spoilt(&s);
}

/* Of the last layer wanted only queries and keys are read, of those behind it nothing. */
static void reads_no_weight_that_nobody_wants(void **state)
{
    static const char *const unread[] = {
        "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense",
        "attention.self.query", "attention.self.key",
    };
    static const int n = 12;

    (void)state;
    for (int last = 0; last < 2; last++) {
        struct spoilt s;
        struct batch b;
        struct room r;
        struct err e;

        open_spoilt(&s, "tests/ref/bert");
        for (int l = last; l < 2; l++)
            for (int i = 0; i < (l == last ? 4 : 6); i++) {
                char name[128];

                snprintf(name, sizeof name, "bert.encoder.layer.%d.%s.weight", l, unread[i]);
                forbid(&s, name);
            }
        bind(&s);
        b = room_batch(&s.arena, s.m, &n, 1, 1);
        assert_int_equal(forward(&r, s.m, &b, &(struct wanted){ .layer = (bool[]){ last == 0,
                                 last == 1 } }, SINK_HEAD, 2, &s.arena, &e), 0);
        assert_int_equal(r.seen[room_rows(&r, 0, last, 0)], 1);
        close_spoilt(&s);
    }
}

/* ---- weights that are not finite ---- */

static void expect_not_finite(const char *tensor, int64_t element, float value,
                              const char *where)
{
    static const int lengths[] = { 4, 40 };
    struct spoilt s;
    struct batch b;

    open_spoilt(&s, "tests/ref/bert");
    spoil(&s, tensor, element, value);
    bind(&s);
    b = room_batch(&s.arena, s.m, lengths, 2, 1);
    for (int scope = SINK_HEAD; scope <= SINK_LAYER; scope++)
        for (int threads = 1; threads <= 3; threads++) {
            struct wanted want = { 0 };
            struct err e = { ERR_NONE, "" };
            struct room r;

            assert_int_equal(forward(&r, s.m, &b, &want, (enum sink_scope)scope, threads,
                                     &s.arena, &e), -1);
            assert_int_equal(e.kind, ERR_INPUT);
            if (strstr(e.msg, where) == NULL)
                fail_msg("'%s', expected '%s'", e.msg, where);
        }
    close_spoilt(&s);
}

/* bert: D 24, 3 heads of width 8. */
static void weights_that_are_not_finite(void **state)
{
    (void)state;
    expect_not_finite("bert.encoder.layer.0.attention.self.query.weight", 0, NAN,
                      "layer 0, head 0: the attention of row 0 is not finite");
    expect_not_finite("bert.encoder.layer.1.attention.self.query.bias", 17, NAN,
                      "layer 1, head 2: the attention of row 0 is not finite");
    expect_not_finite("bert.encoder.layer.1.attention.self.key.weight", 8 * 24 + 3,
                      INFINITY, "layer 1, head 1: the attention of row 0");
    expect_not_finite("bert.encoder.layer.0.output.LayerNorm.weight", 5, NAN,
                      "layer 1, head 0: the attention of row 0");
    expect_not_finite("bert.embeddings.LayerNorm.bias", 1, -INFINITY,
                      "layer 0, head 0");
}

/* A decoder's row looks back only: the first one that sees it is named. */
static void the_first_row_that_is_not_finite(void **state)
{
    static const int n = 50;
    struct wanted want = { 0 };
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct model *m;
    struct batch b;
    struct room r;
    float *table;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = open_model(&a, "tests/ref/gpt2");
    b = room_batch(&a, m, &n, 1, 1);
    /* A copy of the position table in which row 37 holds a NaN. */
    table = arena_alloc(&a, (size_t)(72 * 24), sizeof *table);
    tensor_read(table, m->slot[W_POS].weight, 0, 72 * 24);
    table[37 * 24 + 3] = NAN;
    ((struct tensor *)(uintptr_t)m->slot[W_POS].weight)->data =
        (const unsigned char *)table;
    assert_int_equal(forward(&r, m, &b, &want, SINK_HEAD, 2, &a, &e), -1);
    if (strstr(e.msg, "layer 0, head 0: the attention of row 37 is not finite") == NULL)
        fail_msg("%s", e.msg);
    model_close(m);
    arena_finish(&a);
}

/* ---- what is refused ---- */

static void expect_refused(const struct model *m, const struct batch *b, struct arena *a,
                           const char *why)
{
    struct wanted want = { 0 };
    struct err e = { ERR_NONE, "" };
    struct room r;

    assert_int_equal(forward(&r, m, b, &want, SINK_HEAD, 1, a, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    if (strstr(e.msg, why) == NULL)
        fail_msg("'%s', expected '%s'", e.msg, why);
}

static void ids_types_and_lengths(void **state)
{
    static const int starts[][3] = { { 0, 2, 4 }, { 0, 4, 4 }, { 0, 2, 2 } };
    struct arena a;
    struct model *m;
    int id[100] = { 1, 2, 3, 4 }, type[100] = { 0, 1 }, long_start[] = { 0, 65 };
    struct batch b = { 2, starts[0], id, type };

    (void)state;
    arena_init(&a, NULL, NULL);
    m = open_model(&a, "tests/ref/bert");
    id[3] = m->config.n_vocab;
    expect_refused(m, &b, &a, "token 1: id 141 is not in the vocabulary of bert (0 to 140)");
    id[3] = -1;
    expect_refused(m, &b, &a, "id -1 is not in the vocabulary");
    id[3] = INT_MAX;
    expect_refused(m, &b, &a, "id 2147483647 is not");
    id[3] = 4;
    type[1] = 2;
    expect_refused(m, &b, &a, "token 1: type 2 is not one of the 2");
    type[1] = -1;
    expect_refused(m, &b, &a, "type -1");
    type[1] = 0;
    b.start = starts[1];
    expect_refused(m, &b, &a, "no token");
    b = (struct batch){ 1, long_start, id, type };
    expect_refused(m, &b, &a, "the text has 65 tokens, bert takes at most 64");
    model_close(m);
    arena_finish(&a);
}

/* All 64 positions of the table are used. */
static void the_longest_text(void **state)
{
    static const int n = 64;
    struct arena a;
    struct wanted want = { 0 };
    struct err e = { ERR_NONE, "" };
    struct model *m;
    struct batch b;
    struct room r;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = open_model(&a, "tests/ref/bert");
    b = room_batch(&a, m, &n, 1, 1);
    assert_int_equal(forward(&r, m, &b, &want, SINK_HEAD, 1, &a, &e), 0);
    model_close(m);
    arena_finish(&a);
}

/* ---- the first layer, by the formula ---- */

/* y[n] = b[n] + sum over k of x[k] w[k][n], in double (Conv1D's order). */
static void linear(double *y, const double *x, const struct param *w, int N, int K,
                   float *room)
{
    tensor_read(room, w->weight, 0, (int64_t)N * K);
    for (int n = 0; n < N; n++) {
        y[n] = (double)w->bias[n];
        for (int k = 0; k < K; k++)
            y[n] += x[k] * (double)room[k * N + n];
    }
}

static void layer_norm(double *y, const float *x, const struct param *p, double eps, int D)
{
    double mean = 0, var = 0;

    for (int i = 0; i < D; i++)
        mean += (double)x[i] / D;
    for (int i = 0; i < D; i++)
        var += ((double)x[i] - mean) * ((double)x[i] - mean) / D;
    for (int i = 0; i < D; i++)
        y[i] = ((double)x[i] - mean) / sqrt(var + eps) * (double)p->vector[i] +
               (double)p->bias[i];
}

/* gpt2's embedding, norm and projection in double, then attention_reference. */
static void first_layer_by_the_formula(void **state)
{
    enum { n = 41, D = 24, H = 3, d = 8 };
    static float q[H][n][d], k[H][n][d], v[H][n][d], room[3 * D * D];
    static double w[n * n], out[n * d];
    static const int length = n;
    struct arena a;
    struct wanted want = { 0 };
    struct err e = { ERR_NONE, "" };
    struct model *m;
    struct batch b;
    struct room r;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = open_model(&a, "tests/ref/gpt2");
    b = room_batch(&a, m, &length, 1, 1);
    assert_int_equal(forward(&r, m, &b, &want, SINK_HEAD, 2, &a, &e), 0);
    for (int i = 0; i < n; i++) {
        float x[D], position[D];
        double normed[D], qkv[3 * D];

        tensor_read(x, m->slot[W_TOK].weight, (int64_t)b.id[i] * D, D);
        tensor_read(position, m->slot[W_POS].weight, (int64_t)i * D, D);
        for (int c = 0; c < D; c++)
            x[c] += position[c];
        layer_norm(normed, x, &m->layer[0].slot[W_ATT_NORM], 1e-5, D);
        linear(qkv, normed, &m->layer[0].slot[W_QKV], 3 * D, D, room);
        for (int c = 0; c < D; c++) {
            q[c / d][i][c % d] = (float)qkv[c];
            k[c / d][i][c % d] = (float)qkv[D + c];
            v[c / d][i][c % d] = (float)qkv[2 * D + c];
        }
    }
    for (int h = 0; h < H; h++) {
        const struct attend at = { .S = n, .d = d, .d_v = d, .scale = 1 / sqrtf(d),
                                   .lo = INT_MAX, .hi = 0 };
        const float *map = room_map(&r, 0, 0, h);
        const double *entropy = r.entropy + room_rows(&r, 0, 0, h);

        attention_reference(w, out, q[h][0], k[h][0], v[h][0], &at, n);
        for (int i = 0; i < n; i++) {
            double H_i = 0;

            for (int j = 0; j < n; j++) {
                double x = w[i * n + j];

                /* 2e-6: float against double through two sums of 24 terms. */
                check_near("weight", i * n + j, (double)map[i * n + j], x, 2e-6);
                assert_true(j <= i || map[i * n + j] == 0);
                H_i -= x > 0 ? x * log(x) : 0;
            }
            check_near("entropy", i, entropy[i], H_i, 1e-5);
        }
    }
    model_close(m);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_layers_and_heads),
        cmocka_unit_test(stops_after_the_last_layer_wanted),
        cmocka_unit_test(reads_no_weight_that_nobody_wants),
        cmocka_unit_test(weights_that_are_not_finite),
        cmocka_unit_test(the_first_row_that_is_not_finite),
        cmocka_unit_test(ids_types_and_lengths), cmocka_unit_test(the_longest_text),
        cmocka_unit_test(first_layer_by_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
