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
static int64_t linear_bytes_of(const struct matrix *w, int64_t n)
{
    return (w->block > 1 ? n / w->block : n) * w->size_bytes;
}

static void decode(float *out, const struct matrix *w, int64_t at, int n)
{
    const unsigned char *data;

    if (w->make != NULL) {
        w->make(w->maker, out, w->made_at + at, n);
        return;
    }
    data = w->data + linear_bytes_of(w, at);
    switch (w->element) {
    case ELEMENT_F16:
        nn_kernels()->decode_f16(out, data, n);
        return;
    case ELEMENT_BF16:
        nn_kernels()->decode_bf16(out, data, n);
        return;
    default:
        w->to_f32(out, data, n);
    }
}

static bool linear_is_plain(const struct matrix *w)
{
    return w->to_f32 == NULL && w->make == NULL && w->element == ELEMENT_OTHER;
}

static const float *linear_plain(const struct matrix *w)
{
    return (const float *)(const void *)w->data;
}

enum element linear_element(const struct matrix *w)
{
    return linear_is_plain(w) ? ELEMENT_F32 : w->element;
}

int64_t linear_row_bytes(const struct matrix *w)
{
    return linear_bytes_of(w, w->stride);
}

void linear_skip(struct matrix *w, int64_t n)
{
    if (w->make != NULL)
        w->made_at += n;
    else if (n > 0)             /* what a layer lacks has no data */
        w->data += linear_bytes_of(w, n);
}

void linear_row(float *out, const struct matrix *w, int i)
{
    if (linear_is_plain(w))
        memcpy(out, linear_plain(w) + i * w->stride, (size_t)linear_row_size(w) * sizeof *out);
    else
        decode(out, w, i * w->stride, linear_row_size(w));
}

double linear_size_bytes(const struct matrix *w)
{
    int block = w->block > 1 ? w->block : 1;

    if (w->make != NULL)
        return w->made_size * w->N * w->K;
    return (double)(w->order_in_out ? w->K : w->N) * (double)(linear_row_size(w) / block) *
           w->size_bytes;
}

/* w[k][n]: stored as a panel is laid out. */
static void pack_in_out(float *panel, int width, const struct matrix *w, int n0, int n)
{
    if (linear_is_plain(w)) {
        product_copy_rows(panel, width, linear_plain(w) + n0, w->stride, n, w->K);
        return;
    }
    for (int k = 0; k < w->K; k++, panel += width) {
        decode(panel, w, k * w->stride + n0, n);
        memset(panel + n, 0, (size_t)(width - n) * sizeof *panel);
    }
}

/* w[n][k]: decoded a block at a time into room, which stays in L1. */
static void pack_decoded(float *panel, int width, const struct matrix *w, int n0, int n,
                         float *room)
{
    int most = w->block > DECODE_COLS ? w->block : DECODE_COLS;

    for (int k = 0; k < w->K; k += most) {
        int cols = w->K - k < most ? w->K - k : most;

        for (int i = 0; i < n; i++)
            decode(room + i * most, w, (n0 + i) * w->stride + k, cols);
        nn_kernels()->transpose(panel + (int64_t)k * width, width, room, most, n, cols);
    }
}

/* What packs full panels in vectors; NULL: nothing does. */
static pack_stored *stored_packer(const struct matrix *w, int n, int width)
{
    bool whole = n == width && !w->order_in_out && w->K % 8 == 0;

    return whole ? nn_kernels()->stored->pack[w->element] : NULL;
}

/* Groups of inputs that follow each other. */
static void unpack_groups(float *panel, int width, const struct matrix *w,
                          struct packed_part part, unpack_codes *pack)
{
    _Alignas(64) float zero[PANEL], scale[PANEL];

    part.zero = zero;
    part.scale = scale;
    for (; part.k < w->K; part.k += part.n) {
        int64_t left = w->K - part.k;

        part.n = (int)(left < part.codes->group ? left : part.codes->group);
        part.codes->group_of(w->maker, zero, scale, part.o, width, part.k);
        pack(panel + part.k * width, width, &part);
    }
}

/* Groups whose inputs lie anywhere: all codes as they are, then the zeros and scales. */
static void unpack_ordered(float *panel, int width, const struct matrix *w,
                           struct packed_part part, unpack_codes *pack)
{
    const struct packed_order *order = part.codes->order;
    _Alignas(64) float zero[PANEL] = { 0 }, scale[PANEL];

    for (int i = 0; i < PANEL; i++)
        scale[i] = 1;
    part.zero = zero;
    part.scale = scale;
    part.n = w->K;
    pack(panel, width, &part);
    for (int g = 0; g < order->n_groups; g++) {
        const int *input = order->input + order->first[g];
        int n = order->first[g + 1] - order->first[g];

        if (n == 0)
            continue;
        part.codes->group_of(w->maker, zero, scale, part.o, width, input[0]);
        nn_kernels()->stored->scale(panel, width, input, n, zero, scale);
    }
}

/* A full panel of codes; false: they do not lie as kernels know them. */
static bool unpack_panel(float *panel, int width, const struct matrix *w, int n0)
{
    const struct packed_codes *c = w->codes;
    struct packed_part part = { .codes = c };
    bool same = c != NULL && w->K == c->in && w->order_in_out == (c->in_out > 0) &&
                w->stride == (w->order_in_out ? c->in_out : c->in);
    unpack_codes *pack = same ? nn_kernels()->stored->codes[c->lie] : NULL;

    if (pack == NULL)
        return false;
    part.o = packed_output(c, w->made_at + (w->order_in_out ? n0 : n0 * w->stride));
    if (part.o < 0 || (c->lie == PACKED_ACROSS && part.o % 8 != 0))
        return false;
    if (c->order != NULL)
        unpack_ordered(panel, width, w, part, pack);
    else
        unpack_groups(panel, width, w, part, pack);
    return true;
}

/* n <= width outputs from n0 on. */
static void linear_pack_outputs(float *panel, int width, const struct matrix *w, int n0, int n,
                                float *room)
{
    pack_stored *stored = stored_packer(w, n, width);

    assert(w->block <= 1 || (linear_row_size(w) % w->block == 0 && w->stride % w->block == 0 &&
                             w->block <= (w->order_in_out ? width : LARGEST_BLOCK)));
    if (stored != NULL)
        stored(panel, width, w->data + linear_bytes_of(w, n0 * w->stride), linear_row_bytes(w),
               w->K);
    else if (n == width && unpack_panel(panel, width, w, n0))
        return;
    else if (w->order_in_out)
        pack_in_out(panel, width, w, n0, n);
    else if (linear_is_plain(w))
        nn_kernels()->transpose(panel, width, linear_plain(w) + n0 * w->stride, w->stride, n, w->K);
    else
        pack_decoded(panel, width, w, n0, n, room);
}

/* Outputs from n0 on in a panel. */
static int in_panel(const struct matrix *w, int n0, int width)
{
    return w->N - n0 < width ? w->N - n0 : width;
}

/* ---- panels that are kept ---- */

size_t linear_room(void)
{
    return (size_t)product_width() * LARGEST_BLOCK;
}

bool linear_packs(const struct matrix *w)
{
    return w->precision != PRECISION_INT8 && quantise_block(w->precision) <= 1 &&
           !(w->order_in_out && w->block > product_width());
}

size_t linear_packed_size(const struct matrix *w)
{
    int words = w->fast != NULL ? fast_words(w->fast, w->K) : 0;

    return (size_t)(words > w->K ? words : w->K) * (size_t)product_width();
}

void linear_pack(float *panel, const struct matrix *w, int n0, float *room)
{
    int width = product_width();

    assert(linear_packs(w) && n0 % width == 0 && n0 < w->N);
    linear_pack_outputs(panel, width, w, n0, in_panel(w, n0, width), room);
    if (w->fast != NULL)
        w->fast->weights(panel, width, w->K);
    else
        precision_round(w->precision, panel, panel, (int64_t)w->K * width);
}

void linear_packed(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                   const struct matrix *w, const float *bias, int n0, int n_panels,
                   const float *panels, size_t size)
{
    int width = product_width(), K = w->fast != NULL ? fast_words(w->fast, w->K) : w->K;
    struct product product = {
        .y_stride = y_stride, .x = x, .x_stride = x_stride, .width = width, .M = M, .K = K,
        .fast = w->fast,
    };

    assert(M > 0 && w->K > 0 && n0 % width == 0);
    for (int k = 0; k < K; k += product_depth(K, w->fast))
        for (int i = 0; i < n_panels; i++) {
            int at = n0 + i * width;

            product.y = y + at;
            product.panel = panels + (size_t)i * size;
            product.n = in_panel(w, at, width);
            product.bias = bias == NULL ? NULL : bias + at;
            product_part(&product, k);
        }
}

/* ---- panels of PANEL outputs, which their precision or their blocks ask for ---- */

/* The sums of whole numbers as what they stand for. */
static void run_int8(struct product *p, float *panel, const float *x_scale)
{
    float scale[PANEL];
    const float *bias = p->bias;

    quantise_columns(panel, p->K, scale);
    p->bias = NULL;
    product_run(p);
    for (int m = 0; m < p->M; m++)
        for (int i = 0; i < p->n; i++) {
            float *y = &p->y[m * p->y_stride + i];

            *y = *y * x_scale[m] * scale[i] + (bias != NULL ? bias[i] : 0);
        }
}

static void whole_panel(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                        const struct matrix *w, const float *bias, int n0, float *scratch)
{
    float *panel = scratch, *room = scratch + (size_t)w->K * PANEL;
    struct product product = {
        .y = y + n0, .x = x, .y_stride = y_stride, .x_stride = x_stride,
        .panel = panel, .width = PANEL, .M = M, .K = w->K, .n = in_panel(w, n0, PANEL),
        .bias = bias == NULL ? NULL : bias + n0,
    };

    linear_pack_outputs(panel, PANEL, w, n0, product.n, room);
    if (w->precision == PRECISION_INT8) {
        run_int8(&product, panel, w->x_scale);
        return;
    }
    if (quantise_block(w->precision) > 1)
        quantise_blocks(w->precision, panel, w->K);
    else
        precision_round(w->precision, panel, panel, (int64_t)w->K * PANEL);
    product_run(&product);
}

/* ---- panels that are used once ---- */

void linear_panel(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                  int M, const struct matrix *w, const float *bias, int n0,
                  float *scratch)
{
    int width = product_width();

    assert(M > 0 && w->K > 0 && n0 % PANEL == 0 && n0 < w->N);
    if (!linear_packs(w)) {
        whole_panel(y, y_stride, x, x_stride, M, w, bias, n0, scratch);
        return;
    }
    for (int at = n0; at < n0 + PANEL && at < w->N; at += width) {
        linear_pack(scratch, w, at, scratch + (size_t)w->K * PANEL);
        linear_packed(y, y_stride, x, x_stride, M, w, bias, at, 1, scratch, 0);
    }
}

/* ---- few rows ---- */

/* The product with a full panel as it is stored; NULL: there is none. */
static dot_stored *stored_dot(const struct matrix *w, int n)
{
    if (n < PANEL || w->order_in_out || w->K % 16 != 0 || w->precision != PRECISION_F32 ||
        w->fast != NULL)
        return NULL;
    return nn_kernels()->stored->dot[linear_element(w)];
}

/* One row: the stored columns from n0 on, or the panel there. */
static void one_row(float *y, const float *x, const struct matrix *w, const float *bias,
                    int n0, int n, dot_stored *dot, float *sum)
{
    int64_t stride = linear_row_bytes(w);

    if (dot != NULL)
        dot(sum, x, w->data + n0 * stride, stride, w->K);
    else
        nn_kernels()->stored->columns(sum, x, linear_plain(w) + n0, w->stride, n, w->K);
    for (int i = 0; i < n; i++)
        y[n0 + i] = bias != NULL ? sum[i] + bias[n0 + i] : sum[i];
}

void linear_few(float *y, int64_t y_stride, const float *x, int64_t x_stride, int M,
                const struct matrix *w, const float *bias, int n0, int n, float *scratch)
{
    bool columns = M == 1 && w->order_in_out && linear_is_plain(w) &&
                   w->precision == PRECISION_F32 && w->fast == NULL;
    int step = columns ? COLUMNS : PANEL;

    assert(M > 0 && M <= LINEAR_FEW && n0 % PANEL == 0 && n > 0 && n0 + n <= w->N);
    for (int end = n0 + n; n0 < end; n0 += step) {
        int count = end - n0 < step ? end - n0 : step;
        dot_stored *dot = stored_dot(w, count);

        for (int m = 0; m < M && (dot != NULL || columns); m++)
            one_row(y + m * y_stride, x + m * x_stride, w, bias, n0, count, dot, scratch);
        if (dot == NULL && !columns)
            linear_panel(y, y_stride, x, x_stride, M, w, bias, n0, scratch);
    }
}
