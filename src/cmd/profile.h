/* SPDX-License-Identifier: MIT
 * Profiles: the time of the parts of a run, as rows, for bench and --profile. */
#ifndef CMD_PROFILE_H
#define CMD_PROFILE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/meter.h"
#include "report/record.h"

struct profile_row {
    const char *part;
    const char *shape;          /* "384 -> 1536" for linears; NULL for other parts */
    int inputs, outputs;        /* the same as numbers; -1 for other parts */
    double share;               /* share of the whole wall time */
    double wall_ms, cpu_ms;
    int64_t calls;
    double gflops, of_peak;     /* 1e9 flop per second, and its share of the machine's peak; NaN:
                                   not counted, or unknown */
    double gbytes;              /* weights read, in 1e9 bytes per second; NaN: reads none */
};

extern const struct record profile_record;

/*
 * [*n] in arena a: the parts that took any time, in the order of a run; linears sorted by time.
 * peak: flop per second of the machine; NaN: unknown.
 */
const struct profile_row *profile_rows(const struct meter_parts *parts, double peak,
                                       struct arena *a, int *n);

/* Prints their table, without unknown columns, and a line for the whole. */
void profile_print(const struct meter_parts *parts, struct arena *a, FILE *file);

#endif
