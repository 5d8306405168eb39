/* SPDX-License-Identifier: MIT
 * Numbers -> positions in a colour map, by scale; numbers -> their range. */
#include "draw/scale.h"

#include <math.h>
#include <stddef.h>

#include "base/elementary.h"

const char *const scale_names[] = { "linear", "sqrt", "log", "row", NULL };

static float log_position(float value, float lo, float hi)
{
    double from = elementary_log(fmax(lo, SCALE_LOG_FLOOR));
    double to = elementary_log(fmax(hi, SCALE_LOG_FLOOR));

    return to > from ?
        (float)((elementary_log(fmax(value, SCALE_LOG_FLOOR)) - from) / (to - from)) : 0.0f;
}

/* Single precision throughout, as matplotlib does it with float32 data. */
float scale_position(enum scale s, float value, float lo, float hi)
{
    float at;

    if (lo == hi)
        return 0.0f;
    at = s == SCALE_LOG ? log_position(value, lo, hi) : (value - lo) / (hi - lo);
    if (!(at > 0.0f))           /* also where it is NaN */
        return 0.0f;
    if (s == SCALE_SQRT)
        at = sqrtf(at);
    return at >= 1.0f ? 1.0f : at;
}

int scale_index(enum scale s, float value, float lo, float hi)
{
    float at = scale_position(s, value, lo, hi);

    return at >= 1.0f ? 255 : (int)(at * 256.0f);
}

void scale_widen(struct scale_range *range, float value)
{
    range->lo = !range->any || value < range->lo ? value : range->lo;
    range->hi = !range->any || value > range->hi ? value : range->hi;
    range->any = true;
}
