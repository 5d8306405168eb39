/* SPDX-License-Identifier: MIT
 * The colour maps by name. */
#include "draw/cmap.h"

#include <stddef.h>
#include <string.h>

const struct cmap cmap_table[] = {
    { "viridis", cmap_viridis, false, false },
    { "magma", cmap_magma, false, false },
    { "inferno", cmap_inferno, false, false },
    { "plasma", cmap_plasma, false, false },
    { "cividis", cmap_cividis, false, false },
    { "gray", cmap_gray, false, false },
    { "bluered", cmap_bluered, false, true },
    { "Blues", cmap_blues, false, false },
    { "Greys", cmap_greys, false, false },
    { "Reds", cmap_reds, false, false },
    { "viridis_r", cmap_viridis, true, false },
    { "magma_r", cmap_magma, true, false },
    { "inferno_r", cmap_inferno, true, false },
    { "plasma_r", cmap_plasma, true, false },
    { "cividis_r", cmap_cividis, true, false },
    { "gray_r", cmap_gray, true, false },
    { "bluered_r", cmap_bluered, true, true },
    { "Blues_r", cmap_blues, true, false },
    { "Greys_r", cmap_greys, true, false },
    { "Reds_r", cmap_reds, true, false },
    { NULL, NULL, false, false }
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
