/* SPDX-License-Identifier: MIT
 * The cells of a heatmap: one per weight, pooled by maximum or mean, with tokens left out. */
#include "check.h"

#include "analysis/map.h"

enum { N = 7, STRIDE = 16, H = 2 };

static struct arena arena;

/* Any weights will do: every cell must be told apart. */
static float weight_of(int head, int i, int j)
{
    return (float)(head * 1000 + i * 37 + j * 11 % 7 + j) / 4096.0f;
}

/* Gives both heads in blocks of three rows, with keys from key0 on. */
static void fill(struct map *m, int text, int layer, bool causal, int key0)
{
    struct sink sink = map_sink(m);

    assert_int_equal(sink.scope, SINK_HEAD);
    for (int h = 0; h < H; h++)
        for (int row0 = 0; row0 < N; row0 += 3) {
            float w[3 * STRIDE];
            unsigned char hidden[3 * STRIDE] = { 0 };
            struct rows r = { .text = text, .layer = layer, .head = h, .row0 = row0,
                              .n_rows = N - row0 < 3 ? N - row0 : 3, .key0 = key0,
                              .n_keys = N - key0, .n_queries = N, .n_all_keys = N,
                              .stride = STRIDE, .weight = w,
                              .hidden = causal ? hidden : NULL };

            for (int t = 0; t < r.n_rows; t++)
                for (int j = key0; j < N; j++) {
                    w[t * STRIDE + j - key0] = weight_of(h, row0 + t, j);
                    hidden[t * STRIDE + j - key0] = j > row0 + t;
                }
            sink.take(sink.self, &r, 1);
        }
    sink.done(sink.self, text, layer);
}

static int shown(const unsigned char *skip, int token)
{
    return skip == NULL || !skip[token];
}

/* The cell by its definition: over the shown tokens that share it. */
static float expected(int h, int row, int column, const unsigned char *skip, int pool,
                      enum pool how, bool causal, int key0)
{
    double sum = 0, max = -1;
    int n = 0, pi = 0;

    for (int i = 0; i < N; i++) {
        int pj = 0;

        if (!shown(skip, i))
            continue;
        for (int j = 0; j < N; j++) {
            if (!shown(skip, j))
                continue;
            if (pi / pool == row && pj / pool == column && j >= key0 &&
                (!causal || j <= i)) {
                double w = (double)weight_of(h, i, j);

                sum += w;
                max = w > max ? w : max;
                n++;
            }
            pj++;
        }
        pi++;
    }
    if (n == 0)
        return NAN;
    return (float)(how == POOL_MAX ? max : sum / n);
}

/* The same from matrices, in which NaN is hidden. */
static void fill_matrices(struct map *m, bool causal, int key0)
{
    for (int h = 0; h < H; h++) {
        float w[N * N];

        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                w[i * N + j] = j < key0 || (causal && j > i) ? NAN : weight_of(h, i, j);
        map_fill(m, h, w);
    }
}

static void check_cells(const struct map *m, const unsigned char *skip, bool causal,
                        int key0)
{
    for (int h = 0; h < H; h++)
        for (int i = 0; i < m->n_rows; i++)
            for (int j = 0; j < m->n_rows; j++) {
                float want = expected(h, i, j, skip, m->pool, m->how, causal, key0);
                float got = map_head(m, h)[i * m->n_rows + j];

                if (isnan(want) ? !isnan(got) : !(fabsf(got - want) <= 1e-7f))
                    fail_msg("head %d, cell %d %d: %g, expected %g", h, i, j, (double)got,
                             (double)want);
            }
}

static void check(const unsigned char *skip, int pool, enum pool how, bool causal, int key0)
{
    const struct map_axis axis = { N, skip };
    struct map *m;
    int n = 0;

    arena_init(&arena, NULL, NULL);
    m = map_new(&arena, 3, 5, H, axis, axis, pool, how);
    for (int i = 0; i < N; i++)
        if (shown(skip, i))
            assert_int_equal(m->row[i], n++);
        else
            assert_int_equal(m->col[i], -1);
    assert_int_equal(m->n_rows, (n + pool - 1) / pool);
    fill(m, 3, 5, causal, key0);
    fill(m, 2, 5, causal, key0);        /* another text */
    fill(m, 3, 4, causal, key0);        /* another layer */
    check_cells(m, skip, causal, key0);
    m = map_new(&arena, 3, 5, H, axis, axis, pool, how);
    fill_matrices(m, causal, key0);
    check_cells(m, skip, causal, key0);
    arena_finish(&arena);
}

static void every_weight_its_cell(void **state)
{
    (void)state;
    check(NULL, 1, POOL_MAX, false, 0);
    check(NULL, 1, POOL_MEAN, false, 0);
    check(NULL, 1, POOL_MAX, true, 0);
    check(NULL, 1, POOL_MEAN, true, 2);
}

static void pooled(void **state)
{
    (void)state;
    for (int pool = 2; pool <= N + 1; pool++)
        for (int causal = 0; causal < 2; causal++) {
            check(NULL, pool, POOL_MAX, causal, 0);
            check(NULL, pool, POOL_MEAN, causal, 0);
            check(NULL, pool, POOL_MEAN, causal, 3);
        }
}

static void tokens_left_out(void **state)
{
    static const unsigned char ends[N] = { 1, 0, 0, 0, 0, 0, 1 };
    static const unsigned char some[N] = { 0, 1, 1, 0, 0, 1, 0 };

    (void)state;
    for (int pool = 1; pool <= 3; pool++)
        for (int how = POOL_MAX; how <= POOL_MEAN; how++) {
            check(ends, pool, (enum pool)how, true, 0);
            check(some, pool, (enum pool)how, false, 0);
            check(some, pool, (enum pool)how, true, 1);
        }
}

/* A cell of its own behind those of the keys, however many keys share one. */
static void sink_in_a_column(void **state)
{
    static const unsigned char skip[N] = { 0, 1, 0, 0, 0, 0, 0 };
    const struct map_axis queries = { N, skip }, keys = { N, skip, true };
    float w[N * N] = { 0 };
    double taken[N] = { 0.5, 0.25, 0.125, 0.75, 0.0, 1.0, 0.375 };

    (void)state;
    for (int pool = 1; pool <= N; pool++) {
        struct rows r = { .text = 3, .layer = 5, .n_rows = N, .n_keys = N, .n_queries = N,
                          .n_all_keys = N, .stride = N, .weight = w, .null_mass = taken };
        int cells = (N - 1 + pool - 1) / pool, row = 0;
        float want[N] = { 0 };
        struct map *m;
        struct sink sink;

        arena_init(&arena, NULL, NULL);
        m = map_new(&arena, 3, 5, 1, queries, keys, pool, POOL_MAX);
        sink = map_sink(m);
        sink.take(sink.self, &r, 1);
        assert_int_equal(m->n_cols, cells + 1);
        for (int i = 0; i < N; i++)
            if (!skip[i]) {
                want[row / pool] = fmaxf(want[row / pool], (float)taken[i]);
                row++;
            }
        for (int i = 0; i < cells; i++) {
            for (int j = 0; j < cells; j++)
                assert_true(map_head(m, 0)[i * m->n_cols + j] == 0.0f);
            assert_true(map_head(m, 0)[i * m->n_cols + cells] == want[i]);
        }
        arena_finish(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_weight_its_cell), cmocka_unit_test(pooled),
        cmocka_unit_test(tokens_left_out), cmocka_unit_test(sink_in_a_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
