/* SPDX-License-Identifier: MIT
 * Chunks by hand, hashes against the definition, and the softmax over copies of a key. */
#include "check.h"

#include <limits.h>
#include <stdlib.h>

#include "nn/attention.h"
#include "nn/chunks.h"
#include "nn/lsh.h"

static void seen_counts(void **state)
{
    int seen[4];

    (void)state;
    chunks_seen(seen, 4, 1, 0);          /* itself and the one before: 3 behind, cyclic */
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 0);
    assert_int_equal(seen[2], 0);
    assert_int_equal(seen[3], 1);
    chunks_seen(seen, 2, 1, 1);          /* before and after are one and the same */
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 2);
    chunks_seen(seen, 3, 7, 0);          /* 0, -1 .. -7: offsets 0, -3, -6 are its own */
    assert_int_equal(seen[0], 3);
    assert_int_equal(seen[1], 2);       /* -2, -5 */
    assert_int_equal(seen[2], 3);       /* -1, -4, -7 */
    chunks_seen(seen, 1, 0, 0);
    assert_int_equal(seen[0], 1);
}

/* Six tokens in two rounds of three chunks of two; a row sees its chunk and the last one. */
static void times_over_rounds(void **state)
{
    int chunk[12] = { 0, 0, 1, 1, 2, 2, 5, 3, 4, 3, 5, 4 }, seen[6];
    struct chunk_view v = { .chunk = chunk, .T = 6, .n_rounds = 2, .n_chunks = 6,
                            .seen = seen };

    (void)state;
    chunks_seen(seen, 6, 1, 0);
    /* Token 0: chunk 0 sees 0 and 5, chunk 5 sees 5 and 4. */
    assert_int_equal(chunks_times(&v, 0, 0), 3);     /* 0 and 5, then 5 */
    assert_int_equal(chunks_times(&v, 0, 1), 1);
    assert_int_equal(chunks_times(&v, 0, 2), 1);
    assert_int_equal(chunks_times(&v, 0, 3), 0);
    assert_int_equal(chunks_times(&v, 0, 4), 2);
    assert_int_equal(chunks_times(&v, 0, 5), 1);
    /* Token 1: chunks 0 and 5, then 3 and 2. */
    assert_int_equal(chunks_times(&v, 1, 3), 1);
    assert_int_equal(chunks_times(&v, 1, 2), 0);
    v.chunk = NULL;
    assert_int_equal(chunks_times(&v, 5, 0), 1);
}

static float noise(void)
{
    return (float)rand() / (float)RAND_MAX * 2 - 1;
}

/*
 * A block with the term is the softmax over keys written out as often as they are seen,
 * the row itself only where there is nothing else.  Within 2e-6: scores stay below 3.
 */
static void copies(void **state)
{
    enum { T = 8, D = 5 };
    static const int chunk_of[T] = { 0, 2, 1, 0, 2, 1, 3, 3 };
    int chunk[T], seen[4];
    float q[T * D], k[T * D], v[T * D], *packed, *w;
    unsigned char *hidden;
    struct chunk_view view = { .chunk = chunk, .T = T, .n_rounds = 1, .n_chunks = 4,
                               .seen = seen, .own_last = true };
    struct attend at = { .S = T, .d = D, .d_v = D, .scale = 0.5f, .lo = INT_MAX, .hi = 0,
                         .term = { { NULL, NULL }, { chunks_term, &view } } };
    int key0, n_keys;
    size_t stride = attention_stride(T);

    (void)state;
    srand(3);
    chunks_seen(seen, 4, 4, 1);          /* own twice, and one of the others twice */
    for (int i = 0; i < T; i++)
        chunk[i] = chunk_of[i];
    for (int i = 0; i < T * D; i++) {
        q[i] = 2 * noise();
        k[i] = noise();
        v[i] = noise();
    }
    packed = aligned_alloc(64, ((size_t)attention_packed(T, D, D) * 4 + 63) / 64 * 64);
    w = aligned_alloc(64, ATTEND_ROWS * stride * 4);
    hidden = calloc(T, stride);
    attention_pack(packed, k, D, v, D, T, D, D);
    at.hidden = hidden;
    at.hidden_stride = stride;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            hidden[(size_t)i * stride + (size_t)j] = j > i || chunks_times(&view, i, j) == 0;
    attention_block(w, stride, &key0, &n_keys, NULL, NULL, 0, q, D, packed, &at, 0, T);
    for (int i = 0; i < T; i++) {
        double e[T] = { 0 }, sum = 0;

        for (int j = 0; j <= i; j++) {
            double dot = 0;

            for (int c = 0; c < D; c++)
                dot += (double)q[i * D + c] * k[j * D + c];
            for (int m = 0; m < chunks_times(&view, i, j) && j != i; m++)
                e[j] += exp(0.5 * dot);
            sum += e[j];
        }
        if (sum == 0)
            sum = e[i] = 1;
        for (int j = 0; j <= i; j++)
            e[j] /= sum;
        check_doubles("a row's weights", w + (size_t)i * stride, e, i + 1, 2e-6);
    }
    free(packed);
    free(w);
    free(hidden);
}

/* Two factors of 2 and 4: columns 0, and 1 and 2. */
static void buckets(void **state)
{
    static const int factor[] = { 2, 4 };
    static const float rotation[2 * 3] = { 1, 0, 1,
                                           0, 1, 0 };       /* [d, width] */
    static const float x[] = { 1, 0.5f,  9, 9,
                               -1, 2,  9, 9,
                               0, -1,  9, 9,
                               -3, 1,  9, 9 };
    struct lsh l = { .d = 2, .n_rounds = 1, .n_factors = 2, .factor = factor, .width = 3,
                     .rotation = rotation };
    int bucket[4];
    double room[3];

    (void)state;
    lsh_buckets(bucket, room, x, 4, &l, 4);
    /* y = (a, b, a): the first factor says a < 0; the second which of b, a, -b, -a. */
    assert_int_equal(bucket[0], 0 + 2 * 1);
    assert_int_equal(bucket[1], 1 + 2 * 0);
    assert_int_equal(bucket[2], 0 + 2 * 2);     /* a is 0: the first of equals */
    assert_int_equal(bucket[3], 1 + 2 * 3);
}

/* Each round has columns of its own, and its buckets stand together. */
static void rounds(void **state)
{
    static const int factor = 2;
    static const float rotation[2] = { 1, -1 }, x[] = { 2, -3, 4 };
    struct lsh l = { .d = 1, .n_rounds = 2, .n_factors = 1, .factor = &factor, .width = 1,
                     .rotation = rotation };
    static const int want[] = { 0, 1, 0, 1, 0, 1 };
    int bucket[6];
    double room[2];

    (void)state;
    lsh_buckets(bucket, room, x, 1, &l, 3);
    for (int i = 0; i < 6; i++)
        assert_int_equal(bucket[i], want[i]);
}

static void ranks(void **state)
{
    static const int bucket[] = { 3, 0, 3, 1, 0, 1 << 29, 0 };
    static const int want[] = { 1, 4, 6, 3, 0, 2, 5 };
    uint64_t room[7];
    int order[7];

    (void)state;
    lsh_order(order, room, bucket, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(order[i], want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seen_counts), cmocka_unit_test(times_over_rounds),
        cmocka_unit_test(copies), cmocka_unit_test(buckets), cmocka_unit_test(rounds),
        cmocka_unit_test(ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
