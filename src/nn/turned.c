/* SPDX-License-Identifier: MIT
 * Rows of a matrix -> panels of turned (transposed) rows -> products; the layout is the kernel's.
 * */
#include "nn/turned.h"

#include <assert.h>

#include "nn/kernels.h"

/* Of a turned element. */
struct form {
    int bits;
    int group;                  /* elements that share `floats` floats; 0: none */
    int floats;
};

static const struct form table[N_ELEMENT] = {
    [ELEMENT_F32] = { 32, 0, 0 }, [ELEMENT_F16] = { 16, 0, 0 }, [ELEMENT_BF16] = { 16, 0, 0 },
#define TURNED_BLOCKS(name, type, group, bits, lowest, adds) \
    [ELEMENT_##name] = { bits, group, 1 + (adds) },
#include "nn/turned.def"
#undef TURNED_BLOCKS
};

int64_t turned_row(const struct matrix *matrix)
{
    const struct form *form = &table[linear_element(matrix)];
    int64_t bytes = (int64_t)matrix->K * form->bits / 8;

    if (matrix->order_in_out || matrix->K % 16 != 0 || matrix->precision != PRECISION_F32 ||
        matrix->fast != NULL || nn_kernels()->stored->turn[linear_element(matrix)] == NULL)
        return 0;
    if (form->group > 0)
        bytes += matrix->K / form->group * form->floats * (int64_t)sizeof(float);
    return bytes;
}

void turned_make(unsigned char *to, const struct matrix *matrix, int n0)
{
    int64_t stride = linear_row_bytes(matrix);

    assert(n0 >= 0 && n0 + TURNED <= matrix->N);
    nn_kernels()->stored->turn[linear_element(matrix)](
        to, turned_row(matrix), matrix->data + n0 * stride, stride, matrix->K);
}

void turned_few(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                const struct matrix *matrix, const float *bias, int n0, int n,
                const unsigned char *panels)
{
    dot_turned *dot = nn_kernels()->stored->turned[linear_element(matrix)];
    int64_t row = turned_row(matrix);
    _Alignas(64) float sum[TURNED];

    assert(M > 0 && M <= LINEAR_FEW && row > 0);
    for (int end = n0 + n * TURNED; n0 < end; n0 += TURNED, panels += TURNED * row)
        for (int m = 0; m < M; m++) {
            float *to = y + m * y_stride + n0;

            dot(sum, x + m * x_stride, panels, row, matrix->K);
            for (int i = 0; i < TURNED; i++)
                to[i] = bias != NULL ? sum[i] + bias[n0 + i] : sum[i];
        }
}
