/* SPDX-License-Identifier: MIT
 * A picture -> the same in another size. */
#include "media/resize.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"

/* Bits of a weight behind the point: 32 less 8 of a sample and 2 for what overshoots. */
enum { BITS = 22 };

static const double PI = 3.14159265358979323846;

/* ---- filters ---- */

static double box(double x)
{
    return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

static double bilinear(double x)
{
    x = fabs(x);
    return x < 1.0 ? 1.0 - x : 0.0;
}

/* The window's factors are floats there. */
static double hamming(double x)
{
    x = fabs(x) * PI;
    if (x == 0.0)
        return 1.0;
    if (x >= PI)
        return 0.0;
    return elementary_sin(x) / x * ((double)0.54F + (double)0.46F * elementary_cos(x));
}

/* Keys 1981, with a = -1/2 */
static double bicubic(double x)
{
    const double a = -0.5;

    x = fabs(x);
    if (x < 1.0)
        return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * a : 0.0;
}

static double sinc(double x)
{
    x *= PI;
    return x == 0.0 ? 1.0 : elementary_sin(x) / x;
}

static double lanczos(double x)
{
    return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
}

static const struct { double (*at)(double x); double support; } filters[N_RESIZE_FILTERS] = {
    [RESIZE_BOX] = { box, 0.5 }, [RESIZE_BILINEAR] = { bilinear, 1.0 },
    [RESIZE_HAMMING] = { hamming, 1.0 }, [RESIZE_BICUBIC] = { bicubic, 2.0 },
    [RESIZE_LANCZOS] = { lanczos, 3.0 },
};

/* ---- weights ---- */

/* Of each new pixel of a side: the old ones that it is made of. */
struct weights_of_side {
    int most;                   /* weights of one */
    int *first, *count;         /* [new size] */
    int32_t *weight;            /* [new size, most] times 2^BITS */
};

static int32_t fixed(double w)
{
    return (int32_t)(w * (1 << BITS) + (w < 0.0 ? -0.5 : 0.5));
}

static void resize_weigh(struct weights_of_side *side, int i, double centre, double reach,
                         double scale, int old_size, double (*filter)(double x), double *raw)
{
    int first = (int)(centre - reach + 0.5), end = (int)(centre + reach + 0.5);
    double sum = 0.0;

    if (first < 0)
        first = 0;
    if (end > old_size)
        end = old_size;
    for (int k = first; k < end; k++)
        sum += raw[k - first] = filter((k - centre + 0.5) * (1.0 / scale));
    side->first[i] = first;
    side->count[i] = end - first;
    for (int k = 0; k < end - first; k++)
        side->weight[(size_t)i * (size_t)side->most + (size_t)k] =
               fixed(sum != 0.0 ? raw[k] / sum : raw[k]);
}

static void weigh_side(struct weights_of_side *side, struct arena *a, int old_size, int new_size,
                       enum resize_filter filter)
{
    double step = (double)old_size / new_size, scale = step < 1.0 ? 1.0 : step;
    double reach = filters[filter].support * scale, *raw;

    side->most = (int)ceil(reach) * 2 + 1;
    side->first = arena_alloc(a, (uint64_t)new_size, sizeof *side->first);
    side->count = arena_alloc(a, (uint64_t)new_size, sizeof *side->count);
    side->weight = arena_alloc(a, (uint64_t)new_size, (uint64_t)side->most * sizeof *side->weight);
    raw = arena_alloc(a, (uint64_t)side->most, sizeof *raw);
    for (int i = 0; i < new_size; i++)
        resize_weigh(side, i, (i + 0.5) * step, reach, scale, old_size, filters[filter].at, raw);
}

static unsigned char resize_cut(int32_t sum)
{
    int32_t value = sum < 0 ? -1 : sum >> BITS;

    return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* A new pixel of those that lie stride bytes apart. */
static void mix(unsigned char *out, const unsigned char *in, size_t stride, const int32_t *weight,
                int count)
{
    int32_t sum[3] = { 1 << (BITS - 1), 1 << (BITS - 1), 1 << (BITS - 1) };

    for (int k = 0; k < count; k++, in += stride)
        for (int c = 0; c < 3; c++)
            sum[c] += in[c] * weight[k];
    for (int c = 0; c < 3; c++)
        out[c] = resize_cut(sum[c]);
}

/* ---- sides ---- */

static void resize_widen(struct arena *a, const struct pixels *in, int width,
                         enum resize_filter filter, struct pixels *out)
{
    struct weights_of_side w;

    pixels_new(a, width, in->height, out);
    weigh_side(&w, a, in->width, width, filter);
    for (int y = 0; y < in->height; y++)
        for (int x = 0; x < width; x++)
            mix(out->rgb + ((size_t)y * (size_t)width + (size_t)x) * 3,
                in->rgb + ((size_t)y * (size_t)in->width + (size_t)w.first[x]) * 3, 3,
                w.weight + (size_t)x * (size_t)w.most, w.count[x]);
}

static void heighten(struct arena *a, const struct pixels *in, int height,
                     enum resize_filter filter, struct pixels *out)
{
    size_t row = (size_t)in->width * 3;
    struct weights_of_side w;

    pixels_new(a, in->width, height, out);
    weigh_side(&w, a, in->height, height, filter);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < in->width; x++)
            mix(out->rgb + (size_t)y * row + (size_t)x * 3,
                in->rgb + (size_t)w.first[y] * row + (size_t)x * 3, row,
                w.weight + (size_t)y * (size_t)w.most, w.count[y]);
}

/* Which old pixel each new one is; sums as Pillow adds them, whose last bits decide. */
static int *nearest_of(struct arena *a, int old_size, int new_size)
{
    int *out = arena_alloc(a, (uint64_t)new_size, sizeof *out);
    double step = (double)old_size / new_size, at = step * 0.5;

    for (int i = 0; i < new_size; i++, at += step)
        out[i] = at < old_size ? (int)at : old_size - 1;
    return out;
}

static void take_nearest(struct arena *a, const struct pixels *in, int width, int height,
                         struct pixels *out)
{
    int *col = nearest_of(a, in->width, width), *row = nearest_of(a, in->height, height);

    pixels_new(a, width, height, out);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            memcpy(out->rgb + ((size_t)y * (size_t)width + (size_t)x) * 3,
                   in->rgb + ((size_t)row[y] * (size_t)in->width + (size_t)col[x]) * 3, 3);
}

/* See the header: Pillow 13 does so where much more is lost of the height. */
static bool columns_first(const struct pixels *in, int width, int height)
{
    return height < in->height && in->height - height > 2 * (in->width - width);
}

void pixels_resize(struct arena *a, const struct pixels *in, int width, int height,
                   enum resize_filter filter, struct pixels *out)
{
    struct pixels half = *in;
    bool down = columns_first(in, width, height);

    assert(width > 0 && height > 0 && filter >= 0 && filter < N_RESIZE_FILTERS);
    *out = *in;
    if (width == in->width && height == in->height)
        return;
    if (filter == RESIZE_NEAREST) {
        take_nearest(a, in, width, height, out);
        return;
    }
    if (down)
        heighten(a, in, height, filter, &half);
    else if (width != in->width)
        resize_widen(a, in, width, filter, &half);
    *out = half;
    if (down && width != in->width)
        resize_widen(a, &half, width, filter, out);
    else if (!down && height != in->height)
        heighten(a, &half, height, filter, out);
}
