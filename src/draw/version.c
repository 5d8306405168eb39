/* SPDX-License-Identifier: MIT
 * The versions of the drawing libraries found at run time. */
#include "draw/sheet.h"

#include <cairo.h>
#include <pango/pango.h>
#include <png.h>
#include <stdio.h>

void draw_version(char *dst, size_t size)
{
    unsigned png = (unsigned)png_access_version_number();

    snprintf(dst, size, "cairo %s, pango %s, libpng %u.%u.%u",
             cairo_version_string(), pango_version_string(), png / 10000,
             png / 100 % 100, png % 100);
}
