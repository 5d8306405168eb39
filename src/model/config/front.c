/* SPDX-License-Identifier: MIT
 * Sizes of what a model reads instead of text: pictures and frames of sound. */
#include "model/config/config_priv.h"

/* "image_size": 224 or [224, 160]: rows and columns. */
static int read_pair(const struct reader *r, const json_t *root, const char *key, int max,
                     int pair[2])
{
    const json_t *v = config_value(root, key);

    if (v == NULL)
        return 0;
    for (int i = 0; i < 2; i++) {
        const json_t *n = json_is_array(v) ? json_array_get(v, (size_t)i) : v;

        if (!json_is_integer(n) || json_integer_value(n) < 1 ||
            json_integer_value(n) > max || (json_is_array(v) && json_array_size(v) != 2))
            return config_wrong(r, key, v, "a whole number from 1, or two");
        pair[i] = (int)json_integer_value(n);
    }
    return 0;
}

static int read_picture(const struct reader *r, const struct family *f, const json_t *root)
{
    struct config *config = r->c;
    int *image = config->front.image, *patch = config->front.patch;
    double patches;

    if (read_pair(r, root, "image_size", 1 << 16, image) != 0 ||
        read_pair(r, root, "patch_size", 1 << 12, patch) != 0)
        return -1;
    if (patch[0] > image[0] || patch[1] > image[1])
        return err_set(r->e, ERR_INPUT, "%s: patch_size: %d x %d does not fit in the image "
                       "of %d x %d", r->file, patch[0], patch[1], image[0],
                       image[1]);
    if ((double)config->front.n_channels * patch[0] * patch[1] > 1 << 24)
        return err_set(r->e, ERR_INPUT, "%s: patches of %d x %d x %d, expected at most %d "
                       "numbers", r->file, config->front.n_channels, patch[0], patch[1],
                       1 << 24);
    /* What is left over at the right and at the bottom is not read. */
    patches = (double)(image[0] / patch[0]) * (image[1] / patch[1]);
    if (patches >= 1 << 30)
        return err_set(r->e, ERR_INPUT, "%s: %.0f patches, expected less than %d", r->file,
                       patches, 1 << 30);
    config->n_positions = (int)patches + (f->stack.name[W_CLS_2] != NULL ? 2 : 1);
    return 0;
}

static int check_sound(const struct reader *r)
{
    struct config *config = r->c;

    config->scale_embedding = false; /* the library has the key, and does not use it */
    return config->n_positions <= 1 << 24 ? 0 :
           err_set(r->e, ERR_INPUT, "%s: max_source_positions: found %d, expected at most %d",
                   r->file, config->n_positions, 1 << 24);
}

int config_front(const struct reader *r, const struct family *f, const json_t *root)
{
    if (f->front == FRONT_PATCH)
        return read_picture(r, f, root);
    return f->front == FRONT_MEL_CONV ? check_sound(r) : 0;
}
