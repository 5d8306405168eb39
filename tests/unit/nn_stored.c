/* SPDX-License-Identifier: MIT
 * Linears of every stored format: what vectors decode is what plain C decodes, to the last
 * bit, whatever the bytes; and linears of few rows are those of many. */
#include "nn_check.h"
#include "nn/kernels.h"
#include "nn/linear.h"
#include "weights/weights.h"

static enum element element_of(enum dtype dtype)
{
    static const enum element element[N_DTYPE] = {
        [DTYPE_F16] = ELEMENT_F16, [DTYPE_BF16] = ELEMENT_BF16,
#define BLOCKS(name, type, n_elements, size_bytes) [DTYPE_##name] = ELEMENT_##name,
#include "base/blocks.def"
#undef BLOCKS
    };

    return element[dtype];
}

/* Random bytes: all scales come up, subnormal ones, infinities and NaN too. */
static struct matrix random_matrix(enum dtype dtype, int N, int K, int64_t stride)
{
    const struct dtype_row *d = &dtype_table[dtype];
    size_t row = (size_t)(stride / d->block) * (size_t)d->size_bytes;
    size_t used = (size_t)(K / d->block) * (size_t)d->size_bytes;
    size_t size = (size_t)(N - 1) * row + used;
    unsigned char *data = malloc(size);

    assert_non_null(data);
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)((random_float() + 1) * 128);
    return (struct matrix){ .data = data, .size_bytes = d->size_bytes, .block = d->block,
                            .to_f32 = d->to_f32, .element = element_of(dtype), .N = N, .K = K,
                            .stride = stride };
}

/* y[n] = element k of stored row n: the sum of one product with 1. */
static void check_elements(const struct matrix *w, const char *name)
{
    float *want = floats((size_t)w->N * (size_t)w->K);
    float *panel = floats((size_t)w->K * PANEL);
    pack_stored *pack = nn_kernels()->pack[w->element];

    for (int n = 0; n < w->N; n++)
        linear_row(want + (size_t)n * (size_t)w->K, w, n);
    for (int n0 = 0; pack != NULL && n0 + PANEL <= w->N; n0 += PANEL) {
        int64_t row = w->stride / w->block * w->size_bytes;

        pack(panel, PANEL, w->data + n0 * row, row, w->K);
        for (int n = 0; n < PANEL; n++)
            for (int k = 0; k < w->K; k++)
                kernel_same(name, n * w->K + k, panel[k * PANEL + n],
                            want[(n0 + n) * w->K + k]);
    }
    free(want);
    free(panel);
}

static void elements(void)
{
    for (int i = 0; i < N_DTYPE; i++) {
        const struct dtype_row *d = &dtype_table[i];
        int step = d->block > 8 ? d->block : 8;

        if (element_of((enum dtype)i) == ELEMENT_OTHER)
            continue;
        for (int blocks = 1; blocks < 5; blocks++) {
            struct matrix w = random_matrix((enum dtype)i, 3 * PANEL, blocks * step,
                                            (blocks + blocks % 2) * step);

            check_elements(&w, d->name);
            free((void *)(uintptr_t)w.data);
        }
    }
}

KERNEL_TEST(elements)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
