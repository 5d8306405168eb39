/* SPDX-License-Identifier: MIT
 *
 * Sheets: numbers -> pictures.  Only this folder includes cairo, pango and libpng; it depends on
 * neither models nor files of weights.
 *
 * A sheet has parts, such as a grid of heatmaps (heatmap.h).  A new kind of part is a file: its
 * data, its layout, which is pure geometry, and its painting (part.h).  The same sheet gives the
 * same bytes on every run. */
#ifndef DRAW_SHEET_H
#define DRAW_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/terminal.h"

/* Formats of pictures; the last is text for a terminal, which only sheet_write draws, and has no
 * name. */
enum draw_format { DRAW_PNG, DRAW_SVG, DRAW_PDF, N_DRAW_FORMAT, DRAW_TERMINAL = N_DRAW_FORMAT };
extern const char *const draw_format_names[];   /* "png", "svg", "pdf", NULL */

struct metadata { const char *key, *value; };   /* UTF-8; iTXt in PNG */

/* What is drawn on a sheet. */
struct part {
    const struct part_type *type;
    const void *of;             /* its data; must outlive the drawing */
};

struct sheet {
    const char *title;          /* above everything, UTF-8; NULL: none */
    const char *caption;        /* one paragraph below, wrapped; NULL: none */
    const char *font;           /* family list; NULL: the default */
    double width_px;            /* width of the sheet, at 100 dpi; 0: by its contents */
    double font_px;             /* font size of all except the title, at 100 dpi; 0: each text its
                                   own */
    bool outlines;              /* SVG only: text as outlines, independent of fonts */
    int dpi;                    /* PNG only: pixels are scaled by dpi / 100 */
    const struct terminal *terminal;    /* DRAW_TERMINAL: the terminal */
    const struct metadata *metadata;    /* ends with key NULL; NULL: none */
    int n_parts;                /* >= 1, one below the other */
    const struct part *parts;
};

/*
 * Draws to path (written to a temporary file next to it, then renamed; "-" is standard output).
 *
 * Labels are drawn through pango, which is used only if there is text.  Control
 * characters, NULs, direction marks and bytes that are not UTF-8 are drawn as escapes
 * (\n, \x00, \xe6); nothing in a text is ever interpreted.  For characters that no font
 * has there is one warning, with their number, the first of them and a package of fonts.
 *
 * Errors: ERR_SYSTEM for a failed write or no memory; ERR_USAGE for a title that is not
 * UTF-8, and for a picture over 32,000 px on a side or 400 million pixels.
 */
int sheet_write(const struct sheet *sheet, enum draw_format format, const char *path,
                const struct warn *warn, struct err *e);

/*
 * The same bytes in memory: *data[*size], to be freed with free().  On an error
 * *data is NULL.
 */
int sheet_bytes(const struct sheet *sheet, enum draw_format format, char **data,
                size_t *size, const struct warn *warn, struct err *e);

/* The height of the sheet, in pixels at 100 dpi. */
double sheet_height(const struct sheet *sheet, struct arena *a);

/* The smallest font size of numbers in cells of its parts, in points; 0: there are none. */
double sheet_number_points(const struct sheet *sheet, enum draw_format format, struct arena *a);

/* "cairo 1.16.0, pango 1.50.12, libpng 1.6.39": as found at run time. */
void draw_version(char *dst, size_t size);

#endif
