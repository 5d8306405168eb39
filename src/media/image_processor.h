/* SPDX-License-Identifier: MIT
 *
 * preprocessor_config.json: the preparation of a picture for a vision model, as the
 * Pillow-backed image processors of transformers (vit, deit, bit, clip, siglip) do it. */
#ifndef MEDIA_IMAGE_PROCESSOR_H
#define MEDIA_IMAGE_PROCESSOR_H

#include <jansson.h>
#include <stdbool.h>

#include "media/pixels.h"
#include "media/resize.h"

/* The steps of the preparation, in their order. */
struct image_processor {
    bool do_resize, do_crop, do_rescale, do_normalize;
    int height, width;          /* after resizing; width 0: the shorter side becomes height,
                                   and the shape stays */
    enum resize_filter filter;
    int crop_height, crop_width;        /* around the middle */
    double factor;              /* rescales the values 0 ... 255 */
    float mean[3], std[3];      /* of red, green and blue */
};

/*
 * Errors (ERR_INPUT, without the file's name): a processor of another kind, a key with an
 * unsupported value (found, expected), do_pad.  Absent keys have the processor's defaults.
 */
int image_processor_read(const json_t *root, struct image_processor *out, struct err *e);

/*
 * The picture after resizing and cropping, and its numbers x[3, height, width]:
 *
 *     float((double)p factor), minus mean, divided by std, each rounded to a float
 *
 * Errors (ERR_INPUT): a picture that would be resized to more than pixels_read allows.
 */
int image_processor_apply(const struct image_processor *processor, struct arena *a,
                          const struct pixels *in, struct pixels *seen, float **x,
                          struct err *e);

#endif
