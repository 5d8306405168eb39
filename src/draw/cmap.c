/* SPDX-License-Identifier: MIT
 * Numbers to positions in a colour map. */
#include <math.h>
#include <string.h>

#include "draw/draw_priv.h"

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

const char *const scale_names[] = { "linear", "sqrt", "log", "row", NULL };

const char *const draw_format_names[] = { "png", "svg", "pdf", NULL };

const struct cmap *cmap_find(const char *name)
{
    for (const struct cmap *c = cmap_table; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* Attention below this is drawn as this: the logarithm needs an end. */
static const double LOG_FLOOR = 1e-6;

static float log_position(float value, float lo, float hi)
{
    double from = log(fmax(lo, LOG_FLOOR)), to = log(fmax(hi, LOG_FLOOR));

    return to > from ?
        (float)((log(fmax(value, LOG_FLOOR)) - from) / (to - from)) : 0.0f;
}

/* Single precision throughout, as matplotlib does it with float32 data. */
int scale_index(enum scale s, float value, float lo, float hi)
{
    float at;

    if (lo == hi)
        return 0;
    at = s == SCALE_LOG ? log_position(value, lo, hi) : (value - lo) / (hi - lo);
    if (!(at > 0.0f))           /* also where it is NaN */
        return 0;
    if (s == SCALE_SQRT)
        at = sqrtf(at);
    return at >= 1.0f ? 255 : (int)(at * 256.0f);
}
