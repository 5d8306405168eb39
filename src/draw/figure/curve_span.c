/* SPDX-License-Identifier: MIT
 * Lines and their intervals -> the range of the y axis. */
#include <math.h>

#include "draw/figure/curve.h"

/* An interval of two numbers may be wider than all that lines tell. */
static const double BEYOND = 0.5;

static void curve_span_widen(struct curve_span *span, double y)
{
    if (isnan(y))
        return;
    span->low = isnan(span->low) ? y : fmin(span->low, y);
    span->high = isnan(span->high) ? y : fmax(span->high, y);
}

static struct curve_span of_numbers(const struct curve *curve)
{
    struct curve_span span = { NAN, NAN };

    for (int i = 0; i < curve->n_lines; i++)
        for (int k = 0; k < curve->n; k++)
            curve_span_widen(&span, curve->line[i].y[k]);
    for (int i = 0; i < curve->n_dots; i++)
        curve_span_widen(&span, curve->dot[i].y);
    return span;
}

/* At most so far beyond the numbers, unless all of them is wanted; where those are all the same, as
 * far as they go. */
static void add_intervals(const struct curve *curve, struct curve_span *span)
{
    struct curve_span all = *span;
    double reach = curve->whole ? 0.0 : BEYOND * (span->high - span->low);

    for (int i = 0; i < curve->n_lines; i++)
        for (int k = 0; k < curve->n; k++) {
            curve_span_widen(&all, curve->line[i].low[k]);
            curve_span_widen(&all, curve->line[i].high[k]);
        }
    span->low = reach > 0.0 ? fmax(all.low, span->low - reach) : all.low;
    span->high = reach > 0.0 ? fmin(all.high, span->high + reach) : all.high;
}

struct curve_span curve_span(const struct curve *curve)
{
    struct curve_span span = of_numbers(curve);
    double room;

    if (isnan(span.low))
        return (struct curve_span){ 0.0, 1.0 };
    add_intervals(curve, &span);
    if (span.low == span.high)
        return (struct curve_span){ span.low - 0.5, span.high + 0.5 };
    room = 0.04 * (span.high - span.low);
    if (span.low >= 0.0 && span.low < 0.35 * span.high)
        return (struct curve_span){ 0.0, span.high + room };
    return (struct curve_span){ span.low - room, span.high + room };
}
