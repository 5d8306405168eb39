/* SPDX-License-Identifier: MIT
 * The colours of pens, and their dashes. */
#include "draw/pen.h"

static const unsigned char tones[PEN_TONES][3] = {
    { 0x21, 0x58, 0xe8 }, { 0xc8, 0x81, 0x02 }, { 0x19, 0x5f, 0x53 }, { 0xfb, 0x3c, 0x9b },
    { 0x12, 0x9f, 0xcf }, { 0xa8, 0x1a, 0x01 }, { 0x98, 0x3b, 0xa6 }, { 0x5a, 0x05, 0x55 },
};

static const unsigned char ink[3] = { 0x33, 0x33, 0x33 };

/* On and off, in pixels at 100 dpi. */
static const double dashes[PEN_DASHES][2] = { { 0.0, 0.0 }, { 7.0, 3.0 }, { 2.0, 3.0 } };

static int is_tone(int pen)
{
    return pen >= 0 && pen < MOST_PENS;
}

const unsigned char *pen_colour(int pen)
{
    return is_tone(pen) ? tones[pen % PEN_TONES] : ink;
}

void pen_fill(cairo_t *cr, int pen, double alpha)
{
    const unsigned char *rgb = pen_colour(pen);

    cairo_set_source_rgba(cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0, alpha);
}

void pen_pale(unsigned char rgb[3], int pen)
{
    const unsigned char *full = pen_colour(pen);
    double part = pen < 0 ? 0.08 : 0.30;        /* of the colour; the rest is white */

    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned char)(255.0 - part * (255 - full[i]) + 0.5);
}

void pen_tint(cairo_t *cr, int pen)
{
    unsigned char rgb[3];

    pen_pale(rgb, pen);
    cairo_set_source_rgb(cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
}

void pen_set(cairo_t *cr, int pen, double width, double px)
{
    const double *dash = dashes[is_tone(pen) ? pen / PEN_TONES : 0];
    double lengths[2] = { dash[0] * px, dash[1] * px };

    pen_fill(cr, pen, 1.0);
    cairo_set_line_width(cr, width);
    cairo_set_dash(cr, lengths, lengths[0] > 0.0 ? 2 : 0, 0.0);
}
