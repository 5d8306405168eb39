/* SPDX-License-Identifier: MIT
 * Heads and weights -> colour, dash, width and opacity of lines. */
#include "draw/figure/stroke.h"

#include <math.h>

#include "base/elementary.h"

/* Told apart with any colour vision (OKLab distance at least .11 under each deficiency), and
 * dark enough on white for lines. */
static const unsigned char colours[STROKE_COLOURS][3] = {
    { 0x21, 0x58, 0xe8 }, { 0xc8, 0x81, 0x02 }, { 0x19, 0x5f, 0x53 }, { 0xfb, 0x3c, 0x9b },
    { 0x12, 0x9f, 0xcf }, { 0xa8, 0x1a, 0x01 }, { 0x98, 0x3b, 0xa6 }, { 0x5a, 0x05, 0x55 },
};
static const unsigned char one_ink[3] = { 0x3a, 0x3c, 0x40 };

/* Ink and gap, in pixels at 100 dpi; the first is without a gap. */
static const double dashes[STROKE_DASHES][2] = { { 0.0, 0.0 }, { 7.0, 3.0 }, { 2.0, 3.0 } };

const unsigned char *stroke_colour(int i, int n)
{
    return n > STROKE_MOST ? one_ink : colours[i % STROKE_COLOURS];
}

double stroke_width(double weight, double apart_px)
{
    return fmin(0.8 + 3.4 * weight, fmax(0.4, 0.45 * apart_px));
}

double stroke_alpha(double weight)
{
    return fmin(0.04 + 0.96 * elementary_pow(fmax(weight, 0.0), 0.62), 1.0);
}

static void set(struct page *page, int i, int n, double width, double alpha)
{
    const unsigned char *rgb = stroke_colour(i, n);
    const double *dash = dashes[n > STROKE_MOST ? 0 : i / STROKE_COLOURS % STROKE_DASHES];
    const double scaled[2] = { dash[0] * page->units.px, dash[1] * page->units.px };

    cairo_set_source_rgba(page->cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0, alpha);
    cairo_set_line_width(page->cr, width * page->units.px);
    cairo_set_dash(page->cr, scaled, dash[0] > 0.0 ? 2 : 0, 0.0);
}

void stroke_set(struct page *page, int i, int n, double weight, double apart_px)
{
    set(page, i, n, stroke_width(weight, apart_px), stroke_alpha(weight));
}

void stroke_set_sample(struct page *page, int i, int n)
{
    set(page, i, n, 2.5, 1.0);
}
