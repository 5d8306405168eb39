/* SPDX-License-Identifier: MIT
 * The lines of an SVG, read back. */
#ifndef IMAGE_SVG_READ_H
#define IMAGE_SVG_READ_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SVG_LINES = 512 };

/* A stroked path: from x1, y1 to x2, y2; a curve has control points between. */
struct svg_line {
    double width, opacity, x1, y1, x2, y2;
    double control[4];
    int rgb[3];
    bool dashed, curve;
};

/* The value of a property of this element, in its style or, by cairo 1.18, an attribute; NULL: it
 * has none. */
static inline const char *svg_value(const char *at, const char *end, const char *name)
{
    size_t n = strlen(name);

    for (const char *found = at; (found = strstr(found, name)) != NULL && found < end; found += n) {
        if (found[n] == ':' && (found[-1] == ';' || found[-1] == '"' || found[-1] == ' '))
            return found + n + 1;
        if (strncmp(found + n, "=\"", 2) == 0 && found[-1] == ' ')
            return found + n + 2;
    }
    return NULL;
}

static inline double svg_number(const char *at, const char *end, const char *name)
{
    const char *value = svg_value(at, end, name);

    return value != NULL ? strtod(value, NULL) : 0.0;
}

static inline bool svg_read_line(const char *at, const char *end, struct svg_line *line)
{
    const char *rgb = svg_value(at, end, "stroke"), *d = strstr(at, " d=\"M ");
    double part[3];

    if (rgb == NULL || d == NULL || d > end ||
        sscanf(rgb, "rgb(%lf%%, %lf%%, %lf%%)", &part[0], &part[1], &part[2]) != 3)
        return false;
    *line = (struct svg_line){ .width = svg_number(at, end, "stroke-width"),
                               .opacity = svg_number(at, end, "stroke-opacity") };
    for (int i = 0; i < 3; i++)
        line->rgb[i] = (int)(part[i] * 2.55 + 0.5);
    line->dashed = svg_value(at, end, "stroke-dasharray") != NULL;
    line->curve = sscanf(d, " d=\"M %lf %lf C %lf %lf %lf %lf %lf %lf", &line->x1, &line->y1,
                         &line->control[0], &line->control[1], &line->control[2],
                         &line->control[3], &line->x2, &line->y2) == 8;
    return line->curve ||
           sscanf(d, " d=\"M %lf %lf L %lf %lf", &line->x1, &line->y1, &line->x2, &line->y2) == 4;
}

/* Curves, or straight lines, in the order in which they were drawn; returns how many. */
static inline int svg_lines(const char *svg, bool curves, struct svg_line *line)
{
    int n = 0;

    for (const char *at = svg; (at = strstr(at, "<path ")) != NULL && n < SVG_LINES; at++) {
        const char *end = strstr(at, "/>");

        if (end != NULL && svg_read_line(at, end, &line[n]) && line[n].curve == curves)
            n++;
    }
    return n;
}

#endif
