/* SPDX-License-Identifier: MIT
 * Allocation of pixels, within limits, and crops of a picture. */
#include "media/pixels.h"

#include <string.h>

#include "media/format.h"

void pixels_new(struct arena *a, int width, int height, struct pixels *out)
{
    out->width = width;
    out->height = height;
    out->rgb = arena_alloc_raw(a, (uint64_t)width * (uint64_t)height, 3);
}

int pixels_check_size(double width, double height, struct err *e)
{
    if (width >= 1 && height >= 1 && width <= PIXELS_SIDE && height <= PIXELS_SIDE &&
        width * height <= PIXELS_MOST)
        return 0;
    return err_set(e, ERR_INPUT, "a picture of %.0f x %.0f pixels, expected 1 to %d on a side "
                   "and at most %d million", width, height, PIXELS_SIDE, PIXELS_MOST / 1000000);
}

int pixels_too_few_bytes(int width, int height, size_t size_bytes, struct err *e)
{
    return err_set(e, ERR_INPUT, "claims %d x %d pixels, which %zu bytes cannot hold", width,
                   height, size_bytes);
}

/*
 * The first row or column that is kept, in those of the picture; below 0: black comes first.
 * Where one side is too small, transformers pads both to the larger of old and new before it
 * cuts, which rounds the odd pixel to the same place: floor of half the difference.
 */
static int first_kept(int has, int wants)
{
    int more = has - wants;

    return more >= 0 ? more / 2 : -((1 - more) / 2);
}

void pixels_crop(struct arena *a, const struct pixels *in, int width, int height,
                 struct pixels *out)
{
    int left = first_kept(in->width, width), top = first_kept(in->height, height);
    int x0 = left < 0 ? -left : 0;
    int n = in->width < width ? in->width : width;

    pixels_new(a, width, height, out);
    memset(out->rgb, 0, (size_t)width * (size_t)height * 3);
    for (int y = 0; y < height; y++) {
        int row = top + y;

        if (row >= 0 && row < in->height)
            memcpy(out->rgb + ((size_t)y * (size_t)width + (size_t)x0) * 3,
                   in->rgb + ((size_t)row * (size_t)in->width + (size_t)(left + x0)) * 3,
                   (size_t)n * 3);
    }
}
