/* SPDX-License-Identifier: MIT
 * Exif data -> the orientation of a picture.
 *
 * TIFF: "II" (little-endian) or "MM", 42, the offset of a directory; there a count, and
 * entries of 12 bytes: tag, type, number of values, value. */
#include <string.h>

#include "media/format.h"

enum { TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3, ENTRY_BYTES = 12 };

static uint32_t exif_number(const unsigned char *p, int n, bool little)
{
    uint32_t out = 0;

    for (int i = 0; i < n; i++)
        out |= (uint32_t)p[i] << 8 * (little ? i : n - 1 - i);
    return out;
}

int exif_orientation(struct span tiff)
{
    bool little = tiff.size >= 8 && memcmp(tiff.data, "II", 2) == 0;
    uint32_t at, count;

    if (tiff.size < 8 || (!little && memcmp(tiff.data, "MM", 2) != 0) ||
        exif_number(tiff.data + 2, 2, little) != 42)
        return 1;
    at = exif_number(tiff.data + 4, 4, little);
    if (at > tiff.size - 2)
        return 1;
    count = exif_number(tiff.data + at, 2, little);
    at += 2;
    for (uint32_t i = 0; i < count && tiff.size - at >= ENTRY_BYTES; i++, at += ENTRY_BYTES) {
        const unsigned char *entry = tiff.data + at;

        if (exif_number(entry, 2, little) == TAG_ORIENTATION &&
            exif_number(entry + 2, 2, little) == TYPE_SHORT) {
            uint32_t value = exif_number(entry + 8, 2, little);

            return value >= 1 && value <= 8 ? (int)value : 1;
        }
    }
    return 1;
}
