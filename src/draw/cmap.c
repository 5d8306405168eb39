/* SPDX-License-Identifier: MIT
 * The colour maps by name. */
#include "draw/cmap.h"

#include <stddef.h>
#include <string.h>

const struct cmap cmap_table[] = {
    { "viridis", cmap_viridis, false },
    { "magma", cmap_magma, false },
    { "inferno", cmap_inferno, false },
    { "plasma", cmap_plasma, false },
    { "cividis", cmap_cividis, false },
    { "gray", cmap_gray, false },
    { "bluered", cmap_bluered, false },
    { "Blues", cmap_blues, false },
    { "Greys", cmap_greys, false },
    { "Reds", cmap_reds, false },
    { "viridis_r", cmap_viridis, true },
    { "magma_r", cmap_magma, true },
    { "inferno_r", cmap_inferno, true },
    { "plasma_r", cmap_plasma, true },
    { "cividis_r", cmap_cividis, true },
    { "gray_r", cmap_gray, true },
    { "bluered_r", cmap_bluered, true },
    { "Blues_r", cmap_blues, true },
    { "Greys_r", cmap_greys, true },
    { "Reds_r", cmap_reds, true },
    { NULL, NULL, false }
};

const char *const cmap_names[] = {
    "viridis", "magma", "inferno", "plasma", "cividis", "gray", "bluered",
    "Blues", "Greys", "Reds",
    "viridis_r", "magma_r", "inferno_r", "plasma_r", "cividis_r",
    "gray_r", "bluered_r", "Blues_r", "Greys_r", "Reds_r", NULL
};

const unsigned char *cmap_colour(const struct cmap *cmap, int index)
{
    return cmap->rgb[cmap->reversed ? 255 - index : index];
}

const struct cmap *cmap_find(const char *name)
{
    for (const struct cmap *cmap = cmap_table; cmap->name != NULL; cmap++)
        if (strcmp(cmap->name, name) == 0)
            return cmap;
    return NULL;
}
