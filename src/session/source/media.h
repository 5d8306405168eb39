/* SPDX-License-Identifier: MIT
 *
 * --image FILE, --audio FILE: a picture or sound -> the array that the model's own processor
 * makes of it. */
#ifndef SESSION_MEDIA_H
#define SESSION_MEDIA_H

#include "media/pixels.h"
#include "session/source/values.h"

/*
 * The picture of a file as the one array that model reads; *seen: resized and cropped, before it
 * became numbers.
 *
 * Errors (ERR_INPUT, the file named): those of pixels_read, image_processor_read and
 * front_positions; a model without a preprocessor_config.json.
 */
int media_picture(struct arena *a, const struct model *model, const char *path, struct values **out,
                  const struct pixels **seen, struct err *e);

/*
 * The same of sound; a warning where it is longer than what the model hears.
 *
 * Errors (ERR_INPUT, the file named): those of sound_read, mel_read or waveform_read, and
 * front_positions; a model without a preprocessor_config.json.
 */
int media_sound(struct arena *a, const struct model *model, const char *path,
                const struct warn *warn, struct values **out, struct err *e);

#endif
