/* SPDX-License-Identifier: MIT
 *
 * preprocessor_config.json: what a vision model's processor makes of a picture, as the
 * Pillow-backed image processors of transformers (vit, deit, bit, clip, siglip) do it. */
#ifndef MEDIA_IMAGE_PROCESSOR_H
#define MEDIA_IMAGE_PROCESSOR_H

#include <jansson.h>
#include <stdbool.h>

#include "media/pixels.h"
#include "media/resize.h"

/* In the order in which it is done. */
struct image_processor {
    bool do_resize, do_crop, do_rescale, do_normalize;
    int height, width;          /* after resizing; width 0: the shorter side becomes height,
                                   and the shape stays */
    enum resize_filter filter;
    int crop_height, crop_width;        /* around the middle */
    double factor;              /* on 0 ... 255 */
    float mean[3], std[3];      /* of red, green and blue */
};

/*
 * Errors (ERR_INPUT, without the file's name): a processor of another kind, a key with another
 * value than it may have (found, expected), do_pad.  Keys that are absent: as the processor has
 * them by itself.
 */
int image_processor_read(const json_t *root, struct image_processor *out, struct err *e);

/*
 * The picture as the model sees it, and its numbers x[3, height, width]:
 *
 *     float((double)p factor), minus mean, divided by std, each rounded to a float
 *
 * Errors (ERR_INPUT): shapes that resize to more than pixels_read allows.
 */
int image_processor_apply(const struct image_processor *p, struct arena *a,
                          const struct pixels *in, struct pixels *seen, float **x,
                          struct err *e);

#endif
