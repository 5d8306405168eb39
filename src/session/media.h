/* SPDX-License-Identifier: MIT
 *
 * --image FILE: a picture -> the array that the model's own processor makes of it. */
#ifndef SESSION_MEDIA_H
#define SESSION_MEDIA_H

#include "media/pixels.h"
#include "session/values.h"

/*
 * The picture of a file as the one array that m reads.
 *
 * Errors (ERR_INPUT, the file named): those of pixels_read, image_processor_read and
 * front_positions; a model without a preprocessor_config.json.
 */
int media_picture(struct arena *a, const struct model *m, const char *path, struct values **out,
                  int *n, struct err *e);

#endif
