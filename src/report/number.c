/* SPDX-License-Identifier: MIT
 * Numbers -> text for readers: groups of three digits, binary units. */
#include "report/report.h"

#include <inttypes.h>

char *report_thousands(struct arena *a, int64_t v)
{
    char digits[32], out[48];
    size_t count = (size_t)snprintf(digits, sizeof digits, "%" PRId64, v), at = 0;
    size_t sign = digits[0] == '-';

    for (size_t i = 0; i < count; i++) {
        if (i > sign && (count - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    return arena_strndup(a, out, at);
}

char *report_bytes(struct arena *a, uint64_t bytes)
{
    static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    double value = (double)bytes / 1024;
    int i = 0;

    if (bytes < 1024)
        return arena_printf(a, "%d B", (int)bytes);
    /* What would be printed as 1024.0 belongs to the next unit. */
    for (; value >= 1023.95; i++)
        value /= 1024;
    return arena_printf(a, "%.1f %s", value, unit[i]);
}
