/* SPDX-License-Identifier: MIT
 * Weights as codes of their square roots: how far off, triangles, heads that are left out. */
#include "unit/analysis_rows.h"

#include "analysis/codes.h"
#include "base/bytes.h"

enum { TOKENS = 4, MOST = 2 * TOKENS * TOKENS };

/* The last layer that was handed out. */
struct kept {
    struct codes_layer layer;
    float max[2 * TOKENS];
    unsigned code[MOST];
    int n_calls;
};

static struct arena arena;
static int bits;

static void keep(void *self, const struct codes_layer *layer)
{
    struct kept *kept = self;
    const unsigned char *code = layer->code;

    kept->layer = *layer;
    kept->n_calls++;
    memcpy(kept->max, layer->max, (size_t)(layer->n_heads * layer->n_queries) * sizeof *kept->max);
    for (size_t i = 0; i < layer->n_codes; i++)
        kept->code[i] = (unsigned)bytes_get(code + i * (size_t)bits / 8, bits / 8);
}

static struct codes *start(int n_bits, const int *place, struct kept *kept)
{
    const struct codes_shape shape = { n_bits, 2, 2, TOKENS, TOKENS };

    bits = n_bits;
    *kept = (struct kept){ .n_calls = 0 };
    return codes_new(&arena, &shape, place, keep, kept);
}

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

static const int second_layer[] = { -1, -1, 0, -1 };    /* its first head alone */

/* Each weight is within half a step of sqrt(a / m), and the largest of a row exact. */
static void weights_come_back(void **state)
{
    static const double row[TOKENS] = { 0.7, 0.2, 0.0999, 0.0001 };
    float a[TOKENS * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < TOKENS; i++)
        for (int j = 0; j < TOKENS; j++)
            a[i * STRIDE + j] = (float)row[(i + j) % TOKENS];
    for (int n_bits = 8; n_bits <= 16; n_bits += 8) {
        struct kept kept;
        struct codes *codes = start(n_bits, second_layer, &kept);
        double steps = (1 << n_bits) - 1, off = 0;

        rows_give(codes_sink(codes), 0, 1, 0, TOKENS, a, false);
        assert_int_equal(kept.n_calls, 1);
        assert_false(kept.layer.triangle);
        assert_int_equal(kept.layer.n_codes, TOKENS * TOKENS);
        for (int i = 0; i < TOKENS * TOKENS; i++) {
            double w = (double)a[i / TOKENS * STRIDE + i % TOKENS], share = kept.code[i] / steps;
            double back = (double)kept.max[i / TOKENS] * share * share;

            assert_true(fabs(share - sqrt(w / (double)kept.max[i / TOKENS])) <= 0.500001 / steps);
            off = fabs(back - w) > off ? fabs(back - w) : off;
        }
        assert_true(kept.max[0] == 0.7f && kept.code[0] == (unsigned)steps);
        assert_true(fabs(codes_error(codes) - off) < 1e-7);
        assert_true(codes_error(codes) < 1 / steps);
    }
}

/* Where no query weighs a later key, and what is left of the layer before does not show. */
static void triangles(void **state)
{
    float a[TOKENS * STRIDE] = { 0 }, b[TOKENS * STRIDE] = { 0 };
    static const int place[] = { 0, 1, 0, 1 };
    struct kept kept;
    struct codes *codes = start(8, place, &kept);
    struct sink sink = codes_sink(codes);
    struct rows_block block;

    (void)state;
    for (int i = 0; i < TOKENS; i++)
        for (int j = 0; j < TOKENS; j++) {
            a[i * STRIDE + j] = 0.25f;
            b[i * STRIDE + j] = j <= i ? 1 / (float)(i + 1) : 0;
        }
    rows_block(&block, 0, 0, 1, 0, TOKENS, TOKENS, b, true);
    sink.take(sink.self, &block.rows, 1);
    rows_give(sink, 0, 0, 0, TOKENS, a, false);
    assert_int_equal(kept.layer.layer, 0);
    assert_false(kept.layer.triangle);
    assert_int_equal(kept.code[TOKENS * TOKENS + 1], 0);
    rows_give(sink, 0, 1, 1, TOKENS, b, true);
    assert_int_equal(kept.layer.layer, 1);
    assert_true(kept.layer.triangle);
    assert_int_equal(kept.layer.n_codes, 2 * TOKENS * (TOKENS + 1) / 2);
    for (int i = 0; i < 10; i++)
        assert_int_equal(kept.code[i], 0);      /* of the head whose rows did not come */
    for (int i = 10; i < 20; i++)
        assert_int_equal(kept.code[i], 255);
    assert_true(kept.max[TOKENS] == 1 && kept.max[TOKENS + 3] == 0.25f);
}

/* A row that sees nothing has no largest weight, and no NaN. */
static void a_row_that_sees_nothing(void **state)
{
    static const int place[] = { 0, -1, -1, -1 };
    const struct codes_shape shape = { 8, 2, 2, 2, 2 };
    struct kept kept = { .n_calls = 0 };
    struct codes *codes = codes_new(&arena, &shape, place, keep, &kept);

    (void)state;
    bits = 8;
    rows_give_blind(codes_sink(codes));
    assert_true(kept.layer.triangle);
    assert_true(kept.max[0] == 0 && kept.code[0] == 0);
    assert_true(kept.max[1] == 0.5f && kept.code[1] == 255 && kept.code[2] == 255);
    assert_true(codes_error(codes) == 0);
}

static void sizes(void **state)
{
    const struct codes_shape shape = { 16, 12, 12, 512, 500 };

    (void)state;
    assert_true(codes_layer_bytes(&shape, 12) == 12u * 512 * (4 + 2 * 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(weights_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(triangles, setup, teardown),
        cmocka_unit_test_setup_teardown(a_row_that_sees_nothing, setup, teardown),
        cmocka_unit_test(sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
