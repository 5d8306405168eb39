/* SPDX-License-Identifier: MIT
 * A picture or sound -> an array that a model reads. */
#include "session/source/media.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "media/image_processor.h"
#include "media/mel.h"
#include "media/waveform.h"

/* ---- the model's processor ---- */

/*
 * The JSON that says what is made of a file: preprocessor_config.json, or a part of
 * processor_config.json, where newer folders keep all of them.  *path: where it is.
 */
static const json_t *open_processor(struct arena *a, const struct model *model, const char *part,
                                    const char **path, struct err *e)
{
    const char *dir = model->dir != NULL ? file_folder(a, model->dir) : ".", *all;
    const struct span *bytes;
    const json_t *root;
    bool is_part;

    *path = file_join(a, dir, "preprocessor_config.json");
    all = file_join(a, dir, "processor_config.json");
    is_part = model->dir != NULL && !file_exists(*path) && file_exists(all);
    if (is_part)
        *path = all;
    if (model->dir == NULL || !file_exists(*path)) {
        err_set(e, ERR_INPUT, "%s: is not there, and nothing else says what %s makes of a file: "
                "expected it beside the model, or --input FILE.npy", *path, model->name);
        return NULL;
    }
    bytes = file_hold(a, *path, e);
    root = bytes != NULL ? json_read(a, *bytes, 0, e) : NULL;
    if (root == NULL && bytes != NULL)
        err_under(e, "%s", *path);
    if (root == NULL || !is_part)
        return root;
    *path = arena_printf(a, "%s: %s", all, part);
    return json_object_get(root, part) != NULL ? json_object_get(root, part) : root;
}

/* What m reads of a file, which outlives the work that made it. */
static struct values *media_keep(struct arena *a, const struct values *made)
{
    struct values *out = arena_alloc(a, 1, sizeof *out);
    size_t n = 1;
    float *x;

    for (int i = 0; i < made->n_dims; i++)
        n *= (size_t)made->dim[i];
    x = arena_alloc_raw(a, n, sizeof *x);
    memcpy(x, made->x, n * sizeof *x);
    *out = *made;
    out->x = x;
    return out;
}

/* ---- pictures ---- */

static int read_picture(struct arena *a, const char *path, struct pixels *out, struct err *e)
{
    const struct span *bytes = file_hold(a, path, e);

    if (bytes == NULL)
        return -1;
    return pixels_read(a, *bytes, out, e) == 0 ? 0 : err_under(e, "%s", path);
}

static int see(struct arena *a, const struct model *model, const char *path, struct values *out,
               struct pixels *seen, struct err *e)
{
    struct image_processor processor;
    struct pixels picture;
    const char *config;
    const json_t *root = open_processor(a, model, "image_processor", &config, e);
    float *x;

    if (root == NULL)
        return -1;
    if (image_processor_read(root, &processor, e) != 0)
        return err_under(e, "%s", config);
    if (read_picture(a, path, &picture, e) != 0)
        return -1;
    if (image_processor_apply(&processor, a, &picture, seen, &x, e) != 0)
        return err_under(e, "%s", path);
    *out = (struct values){ 3, { 3, seen->height, seen->width }, x };
    return front_positions(model, out, e) > 0 ? 0 :
           err_under(e, "%s: as %s makes it", path, config);
}

int media_picture(struct arena *a, const struct model *model, const char *path, struct values **out,
                  const struct pixels **seen, struct err *e)
{
    struct arena *work = arena_child(a);
    struct pixels *kept = arena_alloc(a, 1, sizeof *kept), picture;
    struct values made;

    if (see(work, model, path, &made, &picture, e) != 0)
        return -1;
    *out = media_keep(a, &made);
    pixels_new(a, picture.width, picture.height, kept);
    memcpy(kept->rgb, picture.rgb, (size_t)picture.width * (size_t)picture.height * 3);
    *seen = kept;
    arena_release(a, work);
    return 0;
}

/* ---- sound ---- */

/* The sound of a file at this rate, its first most_seconds. */
static int read_sound(struct arena *a, int rate, double most_seconds, const char *path,
                      const struct warn *warn, struct sound *out, struct err *e)
{
    const struct span *bytes = file_hold(a, path, e);
    struct sound stored;
    double seconds;

    if (bytes == NULL)
        return -1;
    if (sound_read(a, *bytes, most_seconds, &stored, &seconds, e) != 0)
        return err_under(e, "%s", path);
    if (seconds > most_seconds)
        err_warn(warn, "%s: has %.1f seconds of sound, of which the model hears the first %.0f",
                 path, seconds, most_seconds);
    sound_resample(a, &stored, rate, out);
    return 0;
}

/* Samples as they are, of any length. */
static int hear_samples(struct arena *a, const struct model *model, const char *path,
                        const json_t *root, const char *config, struct values *out,
                        struct err *e)
{
    struct waveform waveform;
    struct sound sound;

    if (waveform_read(root, &waveform, e) != 0)
        return err_under(e, "%s", config);
    if (read_sound(a, waveform.rate, INFINITY, path, NULL, &sound, e) != 0)
        return -1;
    waveform_apply(&waveform, &sound);
    *out = (struct values){ 1, { sound.n }, sound.x };
    return front_positions(model, out, e) > 0 ? 0 : err_under(e, "%s", path);
}

static int hear(struct arena *a, const struct model *model, const char *path,
                const struct warn *warn, struct values *out, struct err *e)
{
    struct mel mel;
    struct sound sound;
    const char *config;
    const json_t *root = open_processor(a, model, "feature_extractor", &config, e);

    if (root == NULL)
        return -1;
    if (model->family->front == FRONT_WAVE)
        return hear_samples(a, model, path, root, config, out, e);
    if (mel_read(root, &mel, e) != 0)
        return err_under(e, "%s", config);
    *out = (struct values){ 2, { mel.n_bins, mel_frames(&mel) }, NULL };
    if (front_positions(model, out, e) < 1)
        return err_under(e, "%s: features that it makes", config);
    if (read_sound(a, mel.rate, mel.seconds, path, warn, &sound, e) != 0)
        return -1;
    out->x = mel_features(&mel, a, &sound);
    return 0;
}

int media_sound(struct arena *a, const struct model *model, const char *path,
                const struct warn *warn, struct values **out, struct err *e)
{
    struct arena *work = arena_child(a);
    struct values made;

    if (hear(work, model, path, warn, &made, e) != 0)
        return -1;
    *out = media_keep(a, &made);
    arena_release(a, work);
    return 0;
}
