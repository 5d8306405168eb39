/* SPDX-License-Identifier: MIT
 * Rows made by hand through a filter: keys and rows left out, rows divided, words; every
 * number is computed by hand. */
#include "unit/analysis_rows.h"

#include "run/special/filter.h"

enum { N = 4, MOST = 8 };

struct kept {
    int n, query[MOST], n_visible[MOST], n_keys, calls, done;
    float weight[MOST][N];
    bool hidden[MOST][N], out[N];
    double entropy[MOST], null_mass[MOST];
};

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static void keep(void *self, const struct rows *r, int n)
{
    struct kept *kept = self;

    kept->calls += n;
    for (int t = 0; t < r->n_rows; t++) {
        int i = kept->n++;

        assert_true(i < MOST);
        kept->query[i] = r->row0 + t;
        kept->n_visible[i] = r->n_visible[t];
        kept->entropy[i] = r->entropy[t];
        kept->null_mass[i] = r->null_mass != NULL ? r->null_mass[t] : NAN;
        kept->n_keys = r->n_all_keys;
        assert_int_equal(r->key0 + r->n_keys, r->n_all_keys);
        for (int j = 0; j < r->n_keys; j++) {
            size_t at = (size_t)t * r->stride + (size_t)j;

            kept->weight[i][j] = r->weight[at];
            kept->hidden[i][j] = r->hidden[at];
            kept->out[j] = r->out != NULL && r->out[j];
        }
    }
}

static void done(void *self, int text, int layer)
{
    (void)text;
    (void)layer;
    ((struct kept *)self)->done++;
}

/* A causal head of four tokens. */
static const float causal[N * STRIDE] = {
    1, 0, 0, 0, 0, 0, 0, 0,
    .5f, .5f, 0, 0, 0, 0, 0, 0,
    .25f, .25f, .5f, 0, 0, 0, 0, 0,
    .5f, .125f, .125f, .25f, 0, 0, 0, 0,
};

/* What a sink gets of it with these tokens left out and in these groups. */
static struct kept give(const unsigned char *out, const int *group, int n_groups, bool renorm)
{
    struct kept kept = { .n = 0 };
    const struct filter_side side = { N, out, group, n_groups };
    const struct filter_text text = { side, side };
    const struct filter filter = { &text, 1, true, renorm };
    const struct sink to = { SINK_HEAD, keep, done, &kept };
    struct sink sink;

    assert_int_equal(filter_sinks(&arena, &filter, 2, &to, 1, &sink), 1);
    rows_give(sink, 0, 0, 1, N, causal, true);
    assert_int_equal(kept.done, 1);
    return kept;
}

static void check_row(const struct kept *k, int i, int query, int n_visible, const double *w)
{
    assert_int_equal(k->query[i], query);
    assert_int_equal(k->n_visible[i], n_visible);
    for (int j = 0; j < k->n_keys; j++)
        check_close((double)k->weight[i][j], w[j], 1e-7);
}

static void keys_and_rows_left_out(void **state)
{
    static const unsigned char out[] = { 1, 0, 0, 0 };
    const struct kept k = give(out, NULL, 0, false);

    (void)state;
    assert_int_equal(k.n, 3);
    check_row(&k, 0, 1, 1, (double[]){ 0, .5, 0, 0 });
    check_row(&k, 1, 2, 2, (double[]){ 0, .25, .5, 0 });
    check_row(&k, 2, 3, 3, (double[]){ 0, .125, .125, .25 });
    check_close(k.entropy[0], 0, 0);
    check_close(k.entropy[1], log(3) - log(2) * 2 / 3, 1e-12);  /* of 1/3, 2/3 */
    check_close(k.entropy[2], 1.5 * log(2), 1e-12);             /* of 1/4, 1/4, 1/2 */
    assert_true(k.out[0] && !k.out[1] && k.hidden[2][0] && !k.hidden[2][3]);
    assert_true(k.hidden[0][2]);                                /* masked, not left out */
}

static void rows_divided(void **state)
{
    static const unsigned char out[] = { 1, 0, 0, 0 };
    const struct kept k = give(out, NULL, 0, true);

    (void)state;
    check_row(&k, 0, 1, 1, (double[]){ 0, 1, 0, 0 });
    check_row(&k, 1, 2, 2, (double[]){ 0, 1 / 3.0, 2 / 3.0, 0 });
    check_row(&k, 2, 3, 3, (double[]){ 0, .25, .25, .5 });
    check_close(k.entropy[2], 1.5 * log(2), 1e-12);
}

/* Each of two sinks of a pass gets its own rows, whatever the other asks for. */
static void one_sink_divided(void **state)
{
    static const unsigned char out[] = { 1, 0, 0, 0 };
    struct kept raw = { .n = 0 }, divided = { .n = 0 };
    const struct filter_text text = { { N, out, NULL, 0 }, { N, out, NULL, 0 } };
    const struct filter filter = { &text, 1, true, false };
    const struct sink to[] = {
        { .scope = SINK_HEAD, .take = keep, .done = done, .self = &divided, .divided = true },
        { .scope = SINK_HEAD, .take = keep, .done = done, .self = &raw },
    };
    struct sink sink[2];

    (void)state;
    assert_int_equal(filter_sinks(&arena, &filter, 2, to, 2, sink), 2);
    for (int i = 0; i < 2; i++)
        rows_give(sink[i], 0, 0, 1, N, causal, true);
    check_row(&raw, 2, 3, 3, (double[]){ 0, .125, .125, .25 });
    check_row(&divided, 2, 3, 3, (double[]){ 0, .25, .25, .5 });
    check_close(raw.entropy[2], divided.entropy[2], 1e-7);
    assert_int_equal(raw.done, 1);
    assert_int_equal(divided.done, 1);
}

/* A row with no key left has nothing visible, not even zeros. */
static void a_row_with_nothing_left(void **state)
{
    static const unsigned char key_out[] = { 1, 1, 0, 0 };
    struct kept kept = { .n = 0 };
    const struct filter_text text = { { N, NULL, NULL, 0 }, { N, key_out, NULL, 0 } };
    const struct filter filter = { &text, 1, true, true };
    const struct sink to = { SINK_HEAD, keep, NULL, &kept };
    struct sink sink;

    (void)state;
    filter_sinks(&arena, &filter, 2, &to, 1, &sink);
    rows_give(sink, 0, 0, 0, N, causal, true);
    assert_int_equal(kept.n, 4);
    check_row(&kept, 1, 1, 0, (double[]){ 0, 0, 0, 0 });
    check_row(&kept, 3, 3, 2, (double[]){ 0, 0, 1 / 3.0, 2 / 3.0 });
    assert_true(kept.hidden[1][0] && kept.hidden[1][1] && kept.hidden[1][3]);
}

static void words(void **state)
{
    static const int group[] = { 0, 1, 1, 2 };      /* its rows come in two blocks */
    const struct kept k = give(NULL, group, 3, false);

    (void)state;
    assert_int_equal(k.n, 3);
    assert_int_equal(k.n_keys, 3);
    check_row(&k, 0, 0, 1, (double[]){ 1, 0, 0 });
    check_row(&k, 1, 1, 2, (double[]){ .375, .625, 0 });
    check_row(&k, 2, 2, 3, (double[]){ .5, .25, .25 });
    check_close(k.entropy[1], -.375 * log(.375) - .625 * log(.625), 1e-12);
    check_close(k.entropy[2], 1.5 * log(2), 1e-12);
}

/* A piece that is left out adds nothing to its word; a word of such alone is left out. */
static void words_left_out(void **state)
{
    static const int group[] = { 0, 1, 1, 2 };
    static const unsigned char out[] = { 1, 0, 1, 0 };
    const struct kept raw = give(out, group, 3, false), divided = give(out, group, 3, true);

    (void)state;
    assert_int_equal(raw.n, 2);
    check_row(&raw, 0, 1, 1, (double[]){ 0, .5, 0 });
    check_row(&raw, 1, 2, 2, (double[]){ 0, .125, .25 });
    check_close(raw.entropy[1], log(3) - log(2) * 2 / 3, 1e-12);
    assert_true(raw.out[0] && !raw.out[1] && !raw.out[2]);
    check_row(&divided, 0, 1, 1, (double[]){ 0, 1, 0 });
    check_row(&divided, 1, 2, 2, (double[]){ 0, 1 / 3.0, 2 / 3.0 });
}

/* What a sink took of the rows of a word, which are not divided by what is left. */
static void words_beside_a_sink(void **state)
{
    static const int group[] = { 0, 1, 1, 2 };
    static const double taken[] = { .5, .25, .75, 0 };
    static float halved[N * STRIDE];
    struct kept kept = { .n = 0 };
    const struct filter_side side = { N, NULL, group, 3 };
    const struct filter_text text = { side, side };
    const struct filter filter = { &text, 1, true, false };
    const struct sink to = { SINK_HEAD, keep, done, &kept };
    struct rows_block block;
    struct sink sink;

    (void)state;
    for (int t = 0; t < N; t++)
        for (int j = 0; j < N; j++)
            halved[t * STRIDE + j] = causal[t * STRIDE + j] * (float)(1 - taken[t]);
    filter_sinks(&arena, &filter, 2, &to, 1, &sink);
    rows_block(&block, 0, 0, 1, 0, N, N, halved, true);
    block.rows.null_mass = taken;
    sink.take(sink.self, &block.rows, 1);
    assert_int_equal(kept.n, 3);
    check_row(&kept, 0, 0, 1, (double[]){ .5, 0, 0 });
    check_row(&kept, 1, 1, 2, (double[]){ .21875, .28125, 0 });
    check_close(kept.null_mass[0], .5, 0);
    check_close(kept.null_mass[1], .5, 0);
    check_close(kept.null_mass[2], 0, 0);
    check_close(kept.entropy[1], -.21875 * log(.21875) - .28125 * log(.28125), 1e-12);
}

/* A row of tokens is much longer than the row of words that comes of it: two texts of
 * LONG tokens, the last of which sees all of them alike. */
static void words_of_many_pieces(void **state)
{
    enum { LONG = 200 };
    static float weight[LONG];
    static int group[LONG], n_visible = LONG;
    double entropy = 0;
    struct kept kept = { .n = 0 };
    struct filter_side query = { 1, NULL, NULL, 0 }, keys = { LONG, NULL, group, 3 };
    const struct filter_text text[] = { { query, keys }, { query, keys } };
    const struct filter filter = { text, 2, true, false };
    const struct sink to = { SINK_HEAD, keep, NULL, &kept };
    struct sink sink;

    (void)state;
    for (int j = 0; j < LONG; j++) {
        weight[j] = 1.0f / LONG;
        group[j] = j == 0 ? 0 : j < LONG / 2 ? 1 : 2;
    }
    filter_sinks(&arena, &filter, 2, &to, 1, &sink);
    for (int i = 0; i < 4; i++)
        sink.take(sink.self, &(struct rows){
            .text = i / 2, .head = i % 2, .n_rows = 1, .n_keys = LONG, .n_queries = 1,
            .n_all_keys = LONG, .stride = LONG, .weight = weight, .entropy = &entropy,
            .n_visible = &n_visible }, 1);
    assert_int_equal(kept.n, 4);
    for (int i = 0; i < 4; i++)
        check_row(&kept, i, 0, 3, (double[]){ .005, .495, .5 });
}

/* Sinks that want all heads of a layer at once get the same rows. */
static void layers(void **state)
{
    static const unsigned char out[] = { 0, 0, 0, 1 };
    struct kept kept = { .n = 0 };
    const struct filter_side side = { N, out, NULL, 0 };
    const struct filter_text text = { side, side };
    const struct filter filter = { &text, 1, true, false };
    const struct sink to[] = { { SINK_LAYER, keep, done, &kept } };
    struct rows_block block[2];
    struct rows rows[2];
    struct sink sink;

    (void)state;
    assert_int_equal(filter_sinks(&arena, &filter, 2, to, 1, &sink), 1);
    assert_int_equal(sink.scope, SINK_LAYER);
    for (int h = 0; h < 2; h++) {
        rows_block(&block[h], 0, 1, h, 0, N, N, causal, true);
        rows[h] = block[h].rows;
    }
    sink.take(sink.self, rows, 2);
    assert_int_equal(kept.calls, 6);        /* three rows of two heads */
    check_row(&kept, 2, 2, 3, (double[]){ .25, .25, .5, 0 });
}

/* A sink of all texts gets one head's rows of each; what stands behind them is not read. */
static void texts(void **state)
{
    struct kept kept = { .n = 0 };
    const struct filter_side side = { N, NULL, NULL, 0 };
    const struct filter_text text = { side, side };
    const struct filter filter = { &text, 1, true, false };
    const struct sink to[] = { { SINK_TEXTS, keep, done, &kept } };
    struct rows_block block;
    struct rows rows[2];
    struct sink sink;

    (void)state;
    assert_int_equal(filter_sinks(&arena, &filter, 2, to, 1, &sink), 1);
    assert_int_equal(sink.scope, SINK_TEXTS);
    for (int h = 0; h < 2; h++) {
        rows_block(&block, 0, 1, h, 0, N, N, causal, true);
        rows[0] = block.rows;
        rows[1] = (struct rows){ .text = 1 << 28, .head = 1 << 28 };
        sink.take(sink.self, rows, 1);
    }
    assert_int_equal(kept.calls, 2 * N);
    check_row(&kept, N + 2, 2, 3, (double[]){ .25, .25, .5, 0 });
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(keys_and_rows_left_out), TEST(rows_divided), TEST(one_sink_divided),
        TEST(a_row_with_nothing_left), TEST(words), TEST(words_left_out),
        TEST(words_beside_a_sink), TEST(words_of_many_pieces), TEST(layers), TEST(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
