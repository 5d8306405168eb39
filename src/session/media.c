/* SPDX-License-Identifier: MIT
 * A picture -> an array that a model reads. */
#include "session/media.h"

#include <string.h>

#include "base/json.h"
#include "media/image_processor.h"

/* ---- the model's processor ---- */

/*
 * The JSON that says what is made of a file: preprocessor_config.json, or a part of
 * processor_config.json, where newer folders keep all of them.  *path: where it is.
 */
static const json_t *open_processor(struct arena *a, const struct model *m, const char *part,
                                    const char **path, struct err *e)
{
    const char *dir = m->dir != NULL ? file_folder(a, m->dir) : ".", *all;
    const struct span *bytes;
    const json_t *root;
    bool is_part;

    *path = file_join(a, dir, "preprocessor_config.json");
    all = file_join(a, dir, "processor_config.json");
    is_part = m->dir != NULL && !file_exists(*path) && file_exists(all);
    if (is_part)
        *path = all;
    if (m->dir == NULL || !file_exists(*path)) {
        err_set(e, ERR_INPUT, "%s: is not there, and nothing else says what %s makes of a file: "
                "expected it beside the model, or --input FILE.npy", *path, m->name);
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

/* ---- pictures ---- */

static int read_picture(struct arena *a, const char *path, struct pixels *out, struct err *e)
{
    const struct span *bytes = file_hold(a, path, e);

    if (bytes == NULL)
        return -1;
    return pixels_read(a, *bytes, out, e) == 0 ? 0 : err_under(e, "%s", path);
}

static int process(struct arena *a, const struct model *m, const char *path, struct values *out,
                   struct err *e)
{
    struct image_processor processor;
    struct pixels picture, seen;
    const char *config;
    const json_t *root = open_processor(a, m, "image_processor", &config, e);
    float *x;

    if (root == NULL)
        return -1;
    if (image_processor_read(root, &processor, e) != 0)
        return err_under(e, "%s", config);
    if (read_picture(a, path, &picture, e) != 0)
        return -1;
    if (image_processor_apply(&processor, a, &picture, &seen, &x, e) != 0)
        return err_under(e, "%s", path);
    *out = (struct values){ 3, { 3, seen.height, seen.width }, x };
    return front_positions(m, out, e) > 0 ? 0 : err_under(e, "%s: as %s makes it", path, config);
}

int media_picture(struct arena *a, const struct model *m, const char *path, struct values **out,
                  int *n, struct err *e)
{
    struct arena *work = arena_child(a);
    struct values made;
    size_t size;
    float *x;

    if (process(work, m, path, &made, e) != 0)
        return -1;
    size = (size_t)(made.dim[0] * made.dim[1] * made.dim[2]);
    x = arena_alloc_raw(a, size, sizeof *x);
    memcpy(x, made.x, size * sizeof *x);
    arena_release(a, work);
    *out = arena_alloc(a, 1, sizeof **out);
    **out = made;
    (*out)->x = x;
    *n = 1;
    return 0;
}
