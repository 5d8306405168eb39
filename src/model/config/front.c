/* SPDX-License-Identifier: MIT
 * config.json -> sizes of inputs other than text: pictures and frames of sound. */
#include "model/config/config_priv.h"

#include "model/family_slots.h"

enum { MOST_GRID = 1 << 12 };   /* patches of a side, where distances have biases */

/* "image_size": 224 or [224, 160]: rows and columns. */
static int read_pair(const struct reader *reader, const json_t *root, const char *key, int max,
                     int pair[2])
{
    const json_t *v = config_value(root, key);

    if (v == NULL)
        return 0;
    for (int i = 0; i < 2; i++) {
        const json_t *n = json_is_array(v) ? json_array_get(v, (size_t)i) : v;

        if (!json_is_integer(n) || json_integer_value(n) < 1 ||
            json_integer_value(n) > max || (json_is_array(v) && json_array_size(v) != 2))
            return config_wrong(reader, key, v, "a whole number from 1, or two");
        pair[i] = (int)json_integer_value(n);
    }
    return 0;
}

static int read_picture(const struct reader *reader, const struct family *family,
                        const json_t *root)
{
    struct config *config = reader->c;
    int *image = config->front.image, *patch = config->front.patch;
    double patches;

    if (read_pair(reader, root, "image_size", 1 << 16, image) != 0 ||
        read_pair(reader, root, "patch_size", 1 << 12, patch) != 0)
        return -1;
    if (patch[0] > image[0] || patch[1] > image[1])
        return err_set(reader->e, ERR_INPUT, "%s: patch_size: %d x %d does not fit in the image "
                       "of %d x %d", reader->file, patch[0], patch[1], image[0],
                       image[1]);
    if ((double)config->front.n_channels * patch[0] * patch[1] > 1 << 24)
        return err_set(reader->e, ERR_INPUT, "%s: patches of %d x %d x %d, expected at most %d "
                       "numbers", reader->file, config->front.n_channels, patch[0], patch[1],
                       1 << 24);
    /* What is left over at the right and at the bottom is not read. */
    patches = (double)(image[0] / patch[0]) * (image[1] / patch[1]);
    if (patches >= 1 << 30)
        return err_set(reader->e, ERR_INPUT, "%s: %.0f patches, expected less than %d",
                       reader->file, patches, 1 << 30);
    config->n_vocab = 0;                /* BEiT's is of what it was trained to predict */
    config->n_positions = (int)patches + family_has(family, W_CLS) + family_has(family, W_CLS_2);
    return 0;
}

static int check_sound(const struct reader *reader)
{
    struct config *config = reader->c;

    config->scale_embedding = false; /* the library has the key, and does not use it */
    return config->n_positions <= 1 << 24 ? 0 :
           err_set(reader->e, ERR_INPUT, "%s: max_source_positions: found %d, expected at most %d",
                   reader->file, config->n_positions, 1 << 24);
}

#define F(f) offsetof(struct config, f)
static const struct key of_grid[] = {
    { KEY_BOOL, F(grid.shared), 0, 0, NAMES("use_shared_relative_position_bias") },
    { KEY_BOOL, F(grid.by_layer), 0, 0, NAMES("use_relative_position_bias") },
    { KEY_BOOL, F(front.positions), 0, 0, NAMES("use_absolute_position_embeddings") },
    { KEY_BOOL, F(norm.no_final), 0, 0, NAMES("use_mean_pooling") },
    { KEY_REAL, F(part_scale), -1e6, 1e6, NAMES("layer_scale_init_value") },
};
#undef F

/* The library lays distances of grids that are not square out in another order than it reads. */
static int read_grid(const struct reader *reader, const struct family *family, const json_t *root)
{
    struct config *c = reader->c;
    int rows, columns;

    if (family->bias != BIAS_GRID)
        return 0;
    for (size_t i = 0; i < sizeof of_grid / sizeof of_grid[0]; i++)
        if (config_key(reader, &of_grid[i], root, c) != 0)
            return -1;
    rows = family_grid(c, 0);
    columns = family_grid(c, 1);
    if ((c->grid.shared || c->grid.by_layer) && (rows != columns || rows > MOST_GRID))
        return err_set(reader->e, ERR_INPUT,
                       "%s: %d x %d patches: biases by their distance require a "
                       "square of %d x %d at most",
                       reader->file, rows, columns, MOST_GRID, MOST_GRID);
    return 0;
}

int config_front(const struct reader *reader, const struct family *family, const json_t *root)
{
    if (family->front == FRONT_PATCH)
        return read_picture(reader, family, root) != 0 ? -1 : read_grid(reader, family, root);
    if (family->front == FRONT_WAVE)
        return config_wave(reader, family, root);
    return family->front == FRONT_MEL_CONV ? check_sound(reader) : 0;
}
