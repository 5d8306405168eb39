/* SPDX-License-Identifier: MIT
 * Bytes of a picture -> upright pixels. */
#include <string.h>

#include "media/format.h"

/* Orientations as Exif 2.3 counts them: 5 to 8 swap rows and columns. */
static void upright_turn(struct arena *a, const struct pixels *in, int orientation,
                         struct pixels *out)
{
    bool swap = orientation >= 5;
    bool from_right = orientation == 2 || orientation == 3 || orientation >= 7;
    bool from_below = orientation == 3 || orientation == 4 || orientation == 6 ||
                      orientation == 7;

    pixels_new(a, swap ? in->height : in->width, swap ? in->width : in->height, out);
    for (int y = 0; y < out->height; y++)
        for (int x = 0; x < out->width; x++) {
            int col = swap ? y : x, row = swap ? x : y;

            if (from_right)
                col = in->width - 1 - col;
            if (from_below)
                row = in->height - 1 - row;
            memcpy(out->rgb + ((size_t)y * (size_t)out->width + (size_t)x) * 3,
                   in->rgb + ((size_t)row * (size_t)in->width + (size_t)col) * 3, 3);
        }
}

int pixels_read(struct arena *a, struct span bytes, struct pixels *out, struct err *e)
{
    static const unsigned char png[] = "\x89PNG\r\n\x1a\n", jpeg[] = "\xff\xd8\xff";
    struct stored stored = { .exif = { NULL, 0 } };
    int status, orientation;

    if (bytes.size >= 8 && memcmp(bytes.data, png, 8) == 0)
        status = png_pixels(a, bytes, &stored, e);
    else if (bytes.size >= 3 && memcmp(bytes.data, jpeg, 3) == 0)
        status = jpeg_pixels(a, bytes, &stored, e);
    else
        return err_set(e, ERR_INPUT, "is neither a PNG nor a JPEG");
    if (status != 0)
        return -1;
    *out = stored.pixels;
    orientation = exif_orientation(stored.exif);
    if (orientation != 1)
        upright_turn(a, &stored.pixels, orientation, out);
    return 0;
}
