/* SPDX-License-Identifier: MIT
 *
 * A meter of the time of a run: wall-clock and processor seconds of each part of the work, and its
 * operations and bytes read.  Parts are nested; the time of an inner one is not counted in the
 * outer one, so that all of them sum to the whole.
 *
 * Only the thread that began the run enters and leaves parts; the work of other threads belongs to
 * the present part.  m may be NULL: not measured. */
#ifndef BASE_METER_H
#define BASE_METER_H

#include <stdatomic.h>
#include <stdint.h>

enum meter_part {
    METER_OTHER,                /* the program, outside all others */
    METER_LOAD,                 /* opening models and tokenisers */
    METER_TOKENS,
    METER_PASS,                 /* the pass, outside the parts below */
    METER_NORM,
    METER_LINEAR,               /* linears; their row: shapes for which METER_ROWS has no room */
    METER_ACTIVATION,
    METER_ATTENTION,            /* scores, softmax, product with the values */
    METER_STATISTICS,           /* sinks of attention rows */
    METER_OUTPUT,               /* drawing and writing */
    N_METER_PART
};

enum { METER_ROWS = 64 };

struct meter_row {
    enum meter_part part;
    int K, N;                   /* METER_LINEAR: inputs and outputs; 0: any */
    int64_t calls;
    double wall_s, cpu_s;
    double flop;                /* operations of its products: 2 for each multiply and add; 0: not
                                   counted */
    double bytes;               /* stored bytes of weights read; 0: not counted */
};

struct meter_time { double wall_s, cpu_s; };

struct meter_parts {
    struct meter_row row[METER_ROWS];   /* the first N_METER_PART by their part, then a row
                                           for each shape of a linear */
    int n;
};

struct meter {
    struct meter_parts parts;
    int at;                     /* row of the present part */
    struct meter_time since;    /* time at which it began, or was last counted */
    struct meter_time (*now)(void);     /* wall clock, and processor time of all threads */
    /* By any thread, of the part at hand; compilers differ in how they lie on 32 bits. */
    _Alignas(8) _Atomic int64_t within_ns;
    _Alignas(8) _Atomic int64_t within_calls, flop;
};

/* Starts measuring: all is 0, and METER_OTHER is the present part. */
void meter_begin(struct meter *meter);

/* Counts the present part, so that the rows sum to the time since meter_begin. */
void meter_end(struct meter *meter);

/* Makes this the present part until meter_leave, which gets the value returned here. */
int meter_enter(struct meter *meter, enum meter_part part);
void meter_leave(struct meter *meter, int before);

/* The same for a product of n_rows rows with weights [N, K] of size_bytes. */
int meter_enter_linear(struct meter *meter, int n_rows, int K, int N, double size_bytes);

/* ---- by any thread ---- */

/* Counts the time since meter_within_begin as METER_STATISTICS, not as the present part. */
int64_t meter_within_begin(const struct meter *meter);
void meter_within_end(struct meter *meter, int64_t since_ns);

/* Adds so many multiplications and additions to the present part. */
void meter_flop(struct meter *meter, int64_t flop);

/* ---- the result ---- */

/* All rows together. */
struct meter_time meter_total(const struct meter_parts *parts);

#endif
