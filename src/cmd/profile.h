/* SPDX-License-Identifier: MIT
 * Where the time of a run went, as rows: of bench, and of --profile. */
#ifndef CMD_PROFILE_H
#define CMD_PROFILE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/meter.h"
#include "report/record.h"

struct profile_row {
    const char *part;
    const char *shape;          /* of linears, "384 -> 1536"; NULL: of others */
    int inputs, outputs;        /* the same; -1 */
    double share;               /* of all time by the clock */
    double wall_ms, cpu_ms;
    int64_t calls;
    double gflops, of_peak;     /* 1e9 flop per second, and as a share of what is possible; NaN:
                                   not counted, not known */
    double gbytes;              /* weights read, 1e9 bytes per second; NaN: none */
};

extern const struct record profile_record;

/*
 * [*n] of a: the parts that took any time, in the order of a run; linears by the time that they
 * took.  peak: flop per second of the machine; NaN: not known.
 */
const struct profile_row *profile_rows(const struct meter_parts *p, double peak, struct arena *a,
                                       int *n);

/* The table of them, without what is not known, and a line of the whole. */
void profile_print(const struct meter_parts *p, struct arena *a, FILE *f);

#endif
