/* SPDX-License-Identifier: MIT
 *
 * Numbers -> decimals: as few digits as read back the same for programs, groups of
 * three and binary units for people.  LC_NUMERIC stays "C": nobody sets it. */
#include "report/report.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int report_double(char dst[NUMBER_SIZE], double v)
{
    /* Up to DBL_DIG digits survive the way there and back, but not below the
     * normal range, where a number may need only one. */
    int digits = fabs(v) < DBL_MIN ? 1 : DBL_DIG, n;

    do
        n = snprintf(dst, NUMBER_SIZE, "%.*g", digits, v);
    while (digits++ < DBL_DECIMAL_DIG && strtod(dst, NULL) != v);
    return n;
}

int report_float(char dst[NUMBER_SIZE], float v)
{
    int digits = fabsf(v) < FLT_MIN ? 1 : FLT_DIG, n;

    do
        n = snprintf(dst, NUMBER_SIZE, "%.*g", digits, (double)v);
    while (digits++ < FLT_DECIMAL_DIG && strtof(dst, NULL) != v);
    return n;
}

char *report_thousands(struct arena *a, int64_t v)
{
    char digits[32], out[48];
    size_t n = (size_t)snprintf(digits, sizeof digits, "%" PRId64, v), at = 0;
    size_t sign = digits[0] == '-';

    for (size_t i = 0; i < n; i++) {
        if (i > sign && (n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    return arena_strndup(a, out, at);
}

char *report_bytes(struct arena *a, uint64_t bytes)
{
    static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double v = (double)bytes / 1024;
    int i = 0;

    if (bytes < 1024)
        return arena_printf(a, "%d B", (int)bytes);
    /* What would be printed as 1024.0 belongs to the next unit. */
    for (; v >= 1023.95; i++)
        v /= 1024;
    return arena_printf(a, "%.1f %s", v, unit[i]);
}
