/* SPDX-License-Identifier: MIT
 * The colour maps by name. */
#include "draw/cmap.h"

#include <stddef.h>
#include <string.h>

const struct cmap cmap_table[] = {
    { "viridis", cmap_viridis },
    { "magma", cmap_magma },
    { "inferno", cmap_inferno },
    { "plasma", cmap_plasma },
    { "cividis", cmap_cividis },
    { "gray", cmap_gray },
    { "bluered", cmap_bluered },
    { NULL, NULL }
};

const char *const cmap_names[] = {
    "viridis", "magma", "inferno", "plasma", "cividis", "gray", "bluered", NULL
};

const struct cmap *cmap_find(const char *name)
{
    for (const struct cmap *cmap = cmap_table; cmap->name != NULL; cmap++)
        if (strcmp(cmap->name, name) == 0)
            return cmap;
    return NULL;
}
