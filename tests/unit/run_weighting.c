/* SPDX-License-Identifier: MIT
 * Rows of weights times lengths of values: a layer computed by hand; then every family
 * against the plain rows and the values that a tap is shown, with the output projection
 * found by running it.
 * file_tags=threads */
#include "check.h"

#include <dirent.h>
#include <stdlib.h>

#include "model/family_slots.h"
#include "model/layer.h"
#include "run/weighting.h"
#include "unit/run_room.h"
#include "weights/safetensors.h"

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

/* One head of width 2: q = k = 0, v = x, and an output projection that triples y. */
static struct weights *layer_file(void)
{
    static const char *const name[] = { "q_proj.weight", "k_proj.weight", "v_proj.weight",
                                        "out_proj.weight" };
    static const float data[4][4] = { { 0 }, { 0 }, { 1, 0, 0, 1 }, { 1, 0, 0, 3 } };
    struct tensor t[4];
    char *bytes = NULL, *kept;
    size_t size;
    FILE *f = open_memstream(&bytes, &size);
    struct err e = { ERR_NONE, "" };
    struct weights *w;

    for (int i = 0; i < 4; i++)
        t[i] = (struct tensor){ .name = name[i], .dtype = DTYPE_F32, .n_dims = 2,
                                .shape = { 2, 2 } };
    assert_int_equal(safetensors_begin(f, t, 4, NULL, 0, &e), 0);
    fwrite(data, sizeof data, 1, f);
    fclose(f);
    kept = arena_strndup(&arena, bytes, size);
    free(bytes);
    w = weights_open_memory(&arena, (struct span){ (unsigned char *)kept, size }, "file", &e);
    assert_non_null(w);
    return w;
}

static struct model *layer(void)
{
    const struct layer_asked asked = { .heads = 1 };
    struct model *m = arena_alloc(&arena, 1, sizeof *m);
    struct err e = { ERR_NONE, "" };

    m->name = "file";
    m->weights = layer_file();
    if (layer_describe(&m->config, &m->family, &arena, m->weights, "file", &asked, &m->note,
                       &e) != 0 || model_bind(m, &arena, &e) != 0)
        fail_msg("%s", e.msg);
    return m;
}

/* The rows of three queries, and what came with them. */
struct taken {
    float weight[3][3];
    double entropy[3];
    int n_visible[3];
    bool hidden[3][3];
};

static void take(void *self, const struct rows *r, int n)
{
    struct taken *taken = self;

    (void)n;
    for (int t = 0; t < r->n_rows; t++) {
        memcpy(taken->weight[r->row0 + t], r->weight + (size_t)t * r->stride,
               3 * sizeof(float));
        taken->entropy[r->row0 + t] = r->entropy[t];
        taken->n_visible[r->row0 + t] = r->n_visible[t];
        for (int s = 0; s < 3; s++)
            taken->hidden[r->row0 + t][s] =
                r->hidden != NULL && r->hidden[(size_t)t * r->stride + (size_t)s];
    }
}

static struct taken rows_of(const struct model *m, const float *x, enum weighting weighting)
{
    static const int start[] = { 0, 3 };
    const struct values values = { 2, { 3, 2 }, x };
    const struct batch b = { .n_texts = 1, .start = start, .values = &values };
    const struct wanted want = { .weighting = weighting };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    struct taken taken = { .n_visible = { -1, -1, -1 } };
    const struct sink sink = { SINK_HEAD, take, NULL, &taken };

    if (run_forward(m, &b, &want, &sink, 1, par, &arena, &e) != 0)
        fail_msg("%s", e.msg);
    par_free(par);
    return taken;
}

static void check_row(const struct taken *taken, int t, const double want[3])
{
    double entropy = 0;

    for (int s = 0; s < 3; s++) {
        if (!(fabs((double)taken->weight[t][s] - want[s]) <= 1e-7))
            fail_msg("row %d, key %d: %.9g, expected %.9g", t, s,
                     (double)taken->weight[t][s], want[s]);
        entropy -= want[s] * log(want[s]);
    }
    assert_true(fabs(taken->entropy[t] - entropy) <= 1e-6);
    assert_int_equal(taken->n_visible[t], 3);
}

static void by_hand(void **state)
{
    /* f(x) = (x, 3 y): lengths 1, 3, |(3, 12)|; of values 1, 1, 5 */
    static const float x[] = { 1, 0, 0, 1, 3, 4 };
    const double f = sqrt(153), sum = 4 + f;
    const struct model *m = layer();

    (void)state;
    for (int t = 0; t < 3; t++) {
        struct taken plain = rows_of(m, x, WEIGHTING_PLAIN);
        struct taken norm = rows_of(m, x, WEIGHTING_NORM);
        struct taken value = rows_of(m, x, WEIGHTING_VALUE);

        check_row(&plain, t, (const double[]){ 1. / 3, 1. / 3, 1. / 3 });
        check_row(&norm, t, (const double[]){ 1 / sum, 3 / sum, f / sum });
        check_row(&value, t, (const double[]){ 1. / 7, 1. / 7, 5. / 7 });
    }
}

/* A row whose weights are all 0 sees no key; a value that is not finite is an error. */
static void no_length(void **state)
{
    static const float zero[6] = { 0 };
    const struct model *m = layer();
    struct taken taken = rows_of(m, zero, WEIGHTING_NORM);

    (void)state;
    for (int t = 0; t < 3; t++) {
        assert_int_equal(taken.n_visible[t], 0);
        for (int s = 0; s < 3; s++) {
            assert_true(taken.hidden[t][s]);
            assert_true(taken.weight[t][s] == 0);
        }
    }
    taken = rows_of(m, zero, WEIGHTING_PLAIN);
    assert_int_equal(taken.n_visible[0], 3);
    assert_false(taken.hidden[0][0]);
}

/* ---- every family ---- */

/* In double, from the values of float: rounding of the products of two floats. */
#define WEIGHT_TOLERANCE 2e-6

struct looker {
    const struct model *m;
    struct par *par;
    struct room *plain, *weighted;
    enum weighting weighting;
    double off;
};

/* What the output projection makes of one head's values [S, d_v], less what it makes of 0. */
static float *written(const struct looker *l, const struct qkv_view *v, int h)
{
    size_t width = (size_t)(v->H * v->at[0].d_v);
    size_t D = (size_t)family_slot_dim(l->m->family, &l->m->config, DIM_OUT);
    float *z = arena_alloc(&arena, (size_t)v->S, width * sizeof *z);
    float *out = arena_alloc(&arena, (size_t)v->S, D * sizeof *out);
    float *none = arena_alloc(&arena, (size_t)v->S, D * sizeof *none);

    run_attention_output(l->m, v->layer, v->stack, none, z, v->S, l->par, &arena);
    for (int s = 0; s < v->S; s++)
        memcpy(z + (size_t)s * width + h * v->at[h].d_v,
               v->kv + s * v->kv_stride + v->v_at[h / (v->H / v->G)],
               (size_t)v->at[h].d_v * sizeof *z);
    run_attention_output(l->m, v->layer, v->stack, out, z, v->S, l->par, &arena);
    for (size_t i = 0; i < (size_t)v->S * D; i++)
        out[i] -= none[i];
    return out;
}

static double length(const float *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

static void lengths(const struct looker *l, const struct qkv_view *v, int h, double *of)
{
    int D = family_slot_dim(l->m->family, &l->m->config, DIM_OUT);
    const float *out = l->weighting == WEIGHTING_NORM ? written(l, v, h) : NULL;

    for (int s = 0; s < v->S; s++)
        of[s] = out != NULL ? length(out + s * D, D) :
                              length(v->kv + s * v->kv_stride + v->v_at[h / (v->H / v->G)],
                                     v->at[h].d_v);
}

static int look(void *self, const struct qkv_view *v, struct err *e)
{
    struct looker *l = self;
    double *of = arena_alloc(&arena, (size_t)v->S, sizeof *of);

    (void)e;
    for (int h = 0; h < v->H; h++) {
        const float *plain = room_map(l->plain, v->text, v->layer, h);
        const float *weighted = room_map(l->weighted, v->text, v->layer, h);

        lengths(l, v, h, of);
        for (int t = 0; t < v->T; t++) {
            double sum = 0;

            for (int s = 0; s < v->S; s++)
                sum += (double)plain[t * v->S + s] * of[s];
            for (int s = 0; s < v->S; s++)
                l->off = fmax(l->off, fabs((double)weighted[t * v->S + s] -
                                           (double)plain[t * v->S + s] * of[s] / sum));
        }
    }
    return 0;
}

static void run(const struct model *m, const struct batch *b, const struct wanted *want,
                struct room *room, struct par *par)
{
    struct err e = { ERR_NONE, "" };
    struct sink sink;

    room_init(room, &arena, m, b);
    sink = room_sink(room, SINK_HEAD);
    if (run_forward(m, b, want, &sink, 1, par, &arena, &e) != 0)
        fail_msg("%s", e.msg);
}

static void check_model(const char *path, const struct model *m, enum weighting weighting)
{
    const int lengths[] = { 9, m->max_tokens < 150 ? m->max_tokens : 150 };
    struct batch b = room_batch(&arena, m, lengths, 2, 7);
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    struct room plain, weighted;
    struct looker l = { m, par, &plain, &weighted, weighting, 0 };
    struct tap tap = { .take = look, .self = &l };
    struct wanted want = { .weighting = weighting };

    run(m, &b, &want, &weighted, par);
    want.weighting = WEIGHTING_PLAIN;
    run(m, &b, &want, &plain, par);
    want.tap = &tap;
    assert_int_equal(run_forward(m, &b, &want, NULL, 0, par, &arena, &e), 0);
    if (!(l.off <= WEIGHT_TOLERANCE))
        fail_msg("%s: --weight %s: a weight is off by %g", path, weighting_names[weighting],
                 l.off);
    par_free(par);
}

/* A norm after the output projection is no part of f, and would be in what look runs. */
static void check_both(const char *path, const struct model *m)
{
    check_model(path, m, WEIGHTING_VALUE);
    if (m->layer[0].slot[W_ATT_OUT].vector == NULL)
        check_model(path, m, WEIGHTING_NORM);
}

static void every_family(void **state)
{
    DIR *dir = opendir("tests/ref/families");
    const struct dirent *entry;
    int n = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        struct arena_mark mark = arena_mark(&arena);
        struct err e = { ERR_NONE, "" };
        struct model *m;
        char path[512];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "tests/ref/families/%s", entry->d_name);
        m = room_open(&arena, path, &e);
        if (m == NULL)
            fail_msg("%s: %s", path, e.msg);
        if (room_reads(m)) {
            check_both(path, m);
            n++;
        }
        model_close(m);
        arena_reset(&arena, mark);
    }
    closedir(dir);
    assert_true(n > 40);
}

/* ---- blocks ---- */

static void floats(float *out, const unsigned char *data, int64_t n)
{
    memcpy(out, data, (size_t)n * sizeof *out);
}

/* A projection whose rows are stored as one block each: heads begin inside of it. */
static void stored_in_blocks(void **state)
{
    const int lengths[] = { 9 };
    const struct wanted want = { .weighting = WEIGHTING_NORM };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(2, &e);
    struct model *m = model_open(&arena, "tests/ref/bert", &e);
    struct batch b = room_batch(&arena, m, lengths, 1, 7);
    struct room by_element, by_block;
    size_t n = (size_t)(m->config.n_layers * m->config.n_heads) * 9 * 9;

    (void)state;
    assert_non_null(m);
    run(m, &b, &want, &by_element, par);
    for (int l = 0; l < m->config.n_layers; l++) {
        struct matrix *w = &m->layer[l].slot[W_O].matrix;

        assert_true(w->to_f32 == NULL && !w->order_in_out && w->K > m->config.d_value);
        w->block = w->K;
        w->size_bytes *= w->K;
        w->to_f32 = floats;
    }
    run(m, &b, &want, &by_block, par);
    assert_memory_equal(by_block.attn, by_element.attn, n * sizeof *by_block.attn);
    model_close(m);
    par_free(par);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_hand, begin, end),
        cmocka_unit_test_setup_teardown(no_length, begin, end),
        cmocka_unit_test_setup_teardown(every_family, begin, end),
        cmocka_unit_test_setup_teardown(stored_in_blocks, begin, end),
    };

    return cmocka_run_group_tests_name("run_weighting", tests, NULL, NULL);
}
