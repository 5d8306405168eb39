/* SPDX-License-Identifier: MIT
 * A range of numbers -> round numbers in it, and their texts. */
#include "draw/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An end this near to a round number, as a share of the range, counts as that number. */
static const double NEAR = 0.01;

static const int steps[] = { 1, 2, 5 };
enum { N_STEPS = sizeof steps / sizeof *steps, MOST_DECIMALS = 6 };

/* 10 to the power; of exact numbers, the nearest to it. */
static double power_of_ten(int power)
{
    double p = 1.0;

    for (int i = 0; i < abs(power); i++)
        p *= 10.0;
    return power < 0 ? 1.0 / p : p;
}

/* The largest power of ten that x, which is above 0, reaches. */
static int power_below(double x)
{
    int power = 0;

    while (power_of_ten(power) > x)
        power--;
    while (power_of_ten(power + 1) <= x)
        power++;
    return power;
}

static bool ticks_add(struct ticks *ticks, enum scale scale, struct scale_range range, double value,
                      double gap)
{
    double at = scale_position(scale, (float)value, range.lo, range.hi);

    if (ticks->n == MAX_TICKS || (ticks->n > 0 && at - ticks->at[ticks->n - 1] < gap))
        return false;
    ticks->value[ticks->n] = value;
    ticks->at[ticks->n++] = at;
    return true;
}

/* Multiples of step times ten to the power; false where they do not fit. */
static bool add_multiples(struct ticks *ticks, enum scale scale, struct scale_range range,
                          double gap, int step, int power)
{
    double unit = step * power_of_ten(power);
    double near = NEAR * ((double)range.hi - range.lo);
    double last = floor((range.hi + near) / unit);

    *ticks = (struct ticks){ .decimals = power >= 0 ? 0 : -power };
    for (double i = ceil((range.lo - near) / unit); i <= last; i++)
        if (!ticks_add(ticks, scale, range, i * unit, gap))
            return false;
    return true;
}

/* The finest that fit. */
static struct ticks linear(enum scale scale, struct scale_range range, double gap)
{
    struct ticks t = { .n = 0 };
    int power = power_below((double)range.hi - range.lo) - 1;

    for (int i = 0; i < 3 * N_STEPS; i++)
        if (add_multiples(&t, scale, range, gap, steps[i % N_STEPS], power + i / N_STEPS))
            break;
    if (t.decimals > MOST_DECIMALS ||
        fmax(fabs((double)range.lo), fabs((double)range.hi)) >= 1e5)
        t.n = 0;
    return t;
}

/* Every so many powers of ten between the ends. */
static bool add_decades(struct ticks *ticks, struct scale_range range, double gap, int every)
{
    int first = power_below(range.lo * (1.0 - NEAR)) + 1;
    int last = power_below(range.hi * (1.0 + NEAR));

    *ticks = (struct ticks){ .decimals = -1 };
    for (int i = first; i <= last; i += every)
        if (!ticks_add(ticks, SCALE_LOG, range, power_of_ten(i), gap))
            return false;
    return true;
}

static struct ticks logarithmic(struct scale_range range, double gap)
{
    struct ticks t;

    range.lo = (float)fmax(range.lo, SCALE_LOG_FLOOR);
    range.hi = (float)fmax(range.hi, SCALE_LOG_FLOOR);
    if (range.lo == range.hi)
        return (struct ticks){ .n = 0 };
    for (int every = 1; every < 8; every++)
        if (add_decades(&t, range, gap, every))
            break;
    return t.n >= 2 ? t : linear(SCALE_LOG, range, gap);
}

struct ticks ticks_make(enum scale scale, struct scale_range range, double gap)
{
    struct ticks t;

    if (!range.any || !(range.lo < range.hi))
        return (struct ticks){ .n = 0 };
    t = scale == SCALE_LOG ? logarithmic(range, gap) : linear(scale, range, gap);
    if (t.n < 2)
        t.n = 0;
    return t;
}

void ticks_shorten(char *number)
{
    char *e = strchr(number, 'e'), *from;

    if (e == NULL)
        return;
    e += e[1] == '-' ? 2 : 1;
    for (from = e; *from == '+' || (*from == '0' && from[1] != '\0'); from++)
        ;
    memmove(e, from, strlen(from) + 1);
}

void ticks_text(char dst[TICK_TEXT], double value, int decimals)
{
    if (decimals < 0)
        snprintf(dst, TICK_TEXT, "%.0e", value);
    else
        snprintf(dst, TICK_TEXT, "%.*f", decimals, value == 0.0 ? 0.0 : value);
    ticks_shorten(dst);
}

void ticks_end_text(char dst[TICK_TEXT], bool high, double value, int decimals)
{
    const char *sign = high ? "≥" : "≤";

    if (decimals < 0)
        snprintf(dst, TICK_TEXT, "%s%.1e", sign, value);
    else
        snprintf(dst, TICK_TEXT, "%s%.*f", sign, decimals + 1, value);
    ticks_shorten(dst);
}
