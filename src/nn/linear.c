/* SPDX-License-Identifier: MIT
 * Linears: the outputs of a panel are packed as panel[k][output], decoded on the way, and
 * multiplied with rows; few rows meet the matrix as it is stored. */
#include "nn/linear.h"

#include <assert.h>
#include <string.h>

#include "nn/fast.h"
#include "nn/product.h"
#include "nn/quantise.h"

enum {
    DECODE_COLS = 64,       /* of PANEL stored rows, decoded at a time: 8 KiB */
    LARGEST_BLOCK = 256,    /* the same, where as many are stored together: 32 KiB */
    COLUMNS = 1024          /* of stored columns, whose sums stay in L1: 4 KiB */
};

size_t linear_scratch(int K)
{
    return (size_t)K * PANEL + PANEL * LARGEST_BLOCK;
}

/* ---- packing ---- */

/* The bytes of n elements, whole blocks. */
static int64_t linear_bytes_of(const struct matrix *matrix, int64_t n)
{
    return (matrix->block > 1 ? n / matrix->block : n) * matrix->size_bytes;
}

static void decode(float *out, const struct matrix *matrix, int64_t at, int n)
{
    const unsigned char *data;

    if (matrix->make != NULL) {
        matrix->make(matrix->maker, out, matrix->made_at + at, n);
        return;
    }
    data = matrix->data + linear_bytes_of(matrix, at);
    switch (matrix->element) {
    case ELEMENT_F16:
        nn_kernels()->decode_f16(out, data, n);
        return;
    case ELEMENT_BF16:
        nn_kernels()->decode_bf16(out, data, n);
        return;
    default:
        matrix->to_f32(out, data, n);
    }
}

static bool linear_is_plain(const struct matrix *matrix)
{
    return matrix->to_f32 == NULL && matrix->make == NULL && matrix->element == ELEMENT_OTHER;
}

static const float *linear_plain(const struct matrix *matrix)
{
    return (const float *)(const void *)matrix->data;
}

enum element linear_element(const struct matrix *matrix)
{
    return linear_is_plain(matrix) ? ELEMENT_F32 : matrix->element;
}

int64_t linear_row_bytes(const struct matrix *matrix)
{
    return linear_bytes_of(matrix, matrix->stride);
}

void linear_skip(struct matrix *matrix, int64_t n)
{
    if (matrix->make != NULL)
        matrix->made_at += n;
    else if (n > 0)             /* what a layer lacks has no data */
        matrix->data += linear_bytes_of(matrix, n);
}

void linear_row(float *out, const struct matrix *matrix, int i)
{
    if (linear_is_plain(matrix))
        memcpy(out, linear_plain(matrix) + i * matrix->stride,
               (size_t)linear_row_size(matrix) * sizeof *out);
    else
        decode(out, matrix, i * matrix->stride, linear_row_size(matrix));
}

double linear_size_bytes(const struct matrix *matrix)
{
    int block = matrix->block > 1 ? matrix->block : 1;

    if (matrix->make != NULL)
        return matrix->made_size * matrix->N * matrix->K;
    return (double)(matrix->order_in_out ? matrix->K : matrix->N) *
           (double)(linear_row_size(matrix) / block) * matrix->size_bytes;
}

/* w[k][n]: stored as a panel is laid out. */
static void pack_in_out(float *panel, int width, const struct matrix *matrix, int n0, int n)
{
    if (linear_is_plain(matrix)) {
        product_copy_rows(panel, width, linear_plain(matrix) + n0, matrix->stride, n, matrix->K);
        return;
    }
    for (int k = 0; k < matrix->K; k++, panel += width) {
        decode(panel, matrix, k * matrix->stride + n0, n);
        memset(panel + n, 0, (size_t)(width - n) * sizeof *panel);
    }
}

/* w[n][k]: decoded a block at a time into room, which stays in L1. */
static void pack_decoded(float *panel, int width, const struct matrix *matrix, int n0, int n,
                         float *room)
{
    int most = matrix->block > DECODE_COLS ? matrix->block : DECODE_COLS;

    for (int k = 0; k < matrix->K; k += most) {
        int cols = matrix->K - k < most ? matrix->K - k : most;

        for (int i = 0; i < n; i++)
            decode(room + i * most, matrix, (n0 + i) * matrix->stride + k, cols);
        nn_kernels()->transpose(panel + (int64_t)k * width, width, room, most, n, cols);
    }
}

/* What packs full panels in vectors; NULL: nothing does. */
static pack_stored *stored_packer(const struct matrix *matrix, int n, int width)
{
    bool whole = n == width && !matrix->order_in_out && matrix->K % 8 == 0;

    return whole ? nn_kernels()->stored->pack[matrix->element] : NULL;
}

/* Groups of inputs that follow each other. */
static void unpack_groups(float *panel, int width, const struct matrix *matrix,
                          struct packed_part part, unpack_codes *pack)
{
    _Alignas(64) float zero[PANEL], scale[PANEL];

    part.zero = zero;
    part.scale = scale;
    for (; part.k < matrix->K; part.k += part.n) {
        int64_t left = matrix->K - part.k;

        part.n = (int)(left < part.codes->group ? left : part.codes->group);
        part.codes->group_of(matrix->maker, zero, scale, part.o, width, part.k);
        pack(panel + part.k * width, width, &part);
    }
}

/* Groups whose inputs lie anywhere: all codes as they are, then the zeros and scales. */
static void unpack_ordered(float *panel, int width, const struct matrix *matrix,
                           struct packed_part part, unpack_codes *pack)
{
    const struct packed_order *order = part.codes->order;
    _Alignas(64) float zero[PANEL] = { 0 }, scale[PANEL];

    for (int i = 0; i < PANEL; i++)
        scale[i] = 1;
    part.zero = zero;
    part.scale = scale;
    part.n = matrix->K;
    pack(panel, width, &part);
    for (int g = 0; g < order->n_groups; g++) {
        const int *input = order->input + order->first[g];
        int n = order->first[g + 1] - order->first[g];

        if (n == 0)
            continue;
        part.codes->group_of(matrix->maker, zero, scale, part.o, width, input[0]);
        nn_kernels()->stored->scale(panel, width, input, n, zero, scale);
    }
}

/* A full panel of codes; false: they do not lie as kernels know them. */
static bool unpack_panel(float *panel, int width, const struct matrix *matrix, int n0)
{
    const struct packed_codes *c = matrix->codes;
    struct packed_part part = { .codes = c };
    bool same = c != NULL && matrix->K == c->in && matrix->order_in_out == (c->in_out > 0) &&
                matrix->stride == (matrix->order_in_out ? c->in_out : c->in);
    unpack_codes *pack = same ? nn_kernels()->stored->codes[c->lie] : NULL;

    if (pack == NULL)
        return false;
    part.o = packed_output(c, matrix->made_at + (matrix->order_in_out ? n0 : n0 * matrix->stride));
    if (part.o < 0 || (c->lie == PACKED_ACROSS && part.o % 8 != 0))
        return false;
    if (c->order != NULL)
        unpack_ordered(panel, width, matrix, part, pack);
    else
        unpack_groups(panel, width, matrix, part, pack);
    return true;
}

/* n <= width outputs from n0 on. */
static void linear_pack_outputs(float *panel, int width, const struct matrix *matrix, int n0, int n,
                                float *room)
{
    pack_stored *stored = stored_packer(matrix, n, width);

    assert(matrix->block <= 1 ||
           (linear_row_size(matrix) % matrix->block == 0 && matrix->stride % matrix->block == 0 &&
            matrix->block <= (matrix->order_in_out ? width : LARGEST_BLOCK)));
    if (stored != NULL)
        stored(panel, width, matrix->data + linear_bytes_of(matrix, n0 * matrix->stride),
               linear_row_bytes(matrix), matrix->K);
    else if (n == width && unpack_panel(panel, width, matrix, n0))
        return;
    else if (matrix->order_in_out)
        pack_in_out(panel, width, matrix, n0, n);
    else if (linear_is_plain(matrix))
        nn_kernels()->transpose(panel, width, linear_plain(matrix) + n0 * matrix->stride,
                                matrix->stride, n, matrix->K);
    else
        pack_decoded(panel, width, matrix, n0, n, room);
}

/* Outputs from n0 on in a panel. */
static int in_panel(const struct matrix *matrix, int n0, int width)
{
    return matrix->N - n0 < width ? matrix->N - n0 : width;
}

/* ---- panels that are kept ---- */

size_t linear_room(void)
{
    return (size_t)product_width() * LARGEST_BLOCK;
}

bool linear_packs(const struct matrix *matrix)
{
    return matrix->precision != PRECISION_INT8 && quantise_block(matrix->precision) <= 1 &&
           !(matrix->order_in_out && matrix->block > product_width());
}

size_t linear_packed_size(const struct matrix *matrix)
{
    int words = matrix->fast != NULL ? fast_words(matrix->fast, matrix->K) : 0;

    return (size_t)(words > matrix->K ? words : matrix->K) * (size_t)product_width();
}

void linear_pack(float *panel, const struct matrix *matrix, int n0, float *room)
{
    int width = product_width();

    assert(linear_packs(matrix) && n0 % width == 0 && n0 < matrix->N);
    linear_pack_outputs(panel, width, matrix, n0, in_panel(matrix, n0, width), room);
    if (matrix->fast != NULL)
        matrix->fast->weights(panel, width, matrix->K);
    else
        precision_round(matrix->precision, panel, panel, (int64_t)matrix->K * width);
}

void linear_packed(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                   const struct matrix *matrix, const float *bias, int n0, int n_panels,
                   const float *panels, size_t size)
{
    int width = product_width(), K = matrix->fast != NULL ? fast_words(matrix->fast,
                                                                       matrix->K) : matrix->K;
    struct product product = {
        .y_stride = y_stride, .x = x, .x_stride = x_stride, .width = width, .M = M, .K = K,
        .fast = matrix->fast,
    };

    assert(M > 0 && matrix->K > 0 && n0 % width == 0);
    for (int k = 0; k < K; k += product_depth(K, matrix->fast))
        for (int i = 0; i < n_panels; i++) {
            int at = n0 + i * width;

            product.y = y + at;
            product.panel = panels + (size_t)i * size;
            product.n = in_panel(matrix, at, width);
            product.bias = bias == NULL ? NULL : bias + at;
            product_part(&product, k);
        }
}

/* ---- panels of PANEL outputs, which their precision or their blocks ask for ---- */

/* The sums of whole numbers as what they stand for. */
static void run_int8(struct product *product, float *panel, const float *x_scale)
{
    float scale[PANEL];
    const float *bias = product->bias;

    quantise_columns(panel, product->K, scale);
    product->bias = NULL;
    product_run(product);
    for (int m = 0; m < product->M; m++)
        for (int i = 0; i < product->n; i++) {
            float *y = &product->y[m * product->y_stride + i];

            *y = *y * x_scale[m] * scale[i] + (bias != NULL ? bias[i] : 0);
        }
}

static void whole_panel(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                        const struct matrix *matrix, const float *bias, int n0, float *scratch)
{
    float *panel = scratch, *room = scratch + (size_t)matrix->K * PANEL;
    struct product product = {
        .y = y + n0, .x = x, .y_stride = y_stride, .x_stride = x_stride,
        .panel = panel, .width = PANEL, .M = M, .K = matrix->K, .n = in_panel(matrix, n0, PANEL),
        .bias = bias == NULL ? NULL : bias + n0,
    };

    linear_pack_outputs(panel, PANEL, matrix, n0, product.n, room);
    if (matrix->precision == PRECISION_INT8) {
        run_int8(&product, panel, matrix->x_scale);
        return;
    }
    if (quantise_block(matrix->precision) > 1)
        quantise_blocks(matrix->precision, panel, matrix->K);
    else
        precision_round(matrix->precision, panel, panel, (int64_t)matrix->K * PANEL);
    product_run(&product);
}

/* ---- panels that are used once ---- */

void linear_panel(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                  int M, const struct matrix *matrix, const float *bias, int n0,
                  float *scratch)
{
    int width = product_width();

    assert(M > 0 && matrix->K > 0 && n0 % PANEL == 0 && n0 < matrix->N);
    if (!linear_packs(matrix)) {
        whole_panel(y, y_stride, x, x_stride, M, matrix, bias, n0, scratch);
        return;
    }
    for (int at = n0; at < n0 + PANEL && at < matrix->N; at += width) {
        linear_pack(scratch, matrix, at, scratch + (size_t)matrix->K * PANEL);
        linear_packed(y, y_stride, x, x_stride, M, matrix, bias, at, 1, scratch, 0);
    }
}

/* ---- few rows ---- */

/* The product with a full panel as it is stored; NULL: there is none. */
static dot_stored *stored_dot(const struct matrix *matrix, int n)
{
    if (n < PANEL || matrix->order_in_out || matrix->K % 16 != 0 ||
        matrix->precision != PRECISION_F32 || matrix->fast != NULL)
        return NULL;
    return nn_kernels()->stored->dot[linear_element(matrix)];
}

/* One row: the stored columns from n0 on, or the panel there. */
static void one_row(float *y, const float *x, const struct matrix *matrix, const float *bias,
                    int n0, int n, dot_stored *dot, float *sum)
{
    int64_t stride = linear_row_bytes(matrix);

    if (dot != NULL)
        dot(sum, x, matrix->data + n0 * stride, stride, matrix->K);
    else
        nn_kernels()->stored->columns(sum, x, linear_plain(matrix) + n0, matrix->stride, n,
                                      matrix->K);
    for (int i = 0; i < n; i++)
        y[n0 + i] = bias != NULL ? sum[i] + bias[n0 + i] : sum[i];
}

void linear_few(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                const struct matrix *matrix, const float *bias, int n0, int n, float *scratch)
{
    bool columns = M == 1 && matrix->order_in_out && linear_is_plain(matrix) &&
                   matrix->precision == PRECISION_F32 && matrix->fast == NULL;
    int step = columns ? COLUMNS : PANEL;

    assert(M > 0 && M <= LINEAR_FEW && n0 % PANEL == 0 && n > 0 && n0 + n <= matrix->N);
    for (int end = n0 + n; n0 < end; n0 += step) {
        int count = end - n0 < step ? end - n0 : step;
        dot_stored *dot = stored_dot(matrix, count);

        for (int m = 0; m < M && (dot != NULL || columns); m++)
            one_row(y + m * y_stride, x + m * x_stride, matrix, bias, n0, count, dot, scratch);
        if (dot == NULL && !columns)
            linear_panel(y, y_stride, x, x_stride, M, matrix, bias, n0, scratch);
    }
}
