/* SPDX-License-Identifier: MIT
 *
 * Where the time of a run goes: each part of the work has its own share of it, by the clock and
 * in seconds of processors, and what it computed and read.  Parts lie within parts; what an
 * inner one takes is not counted in the outer one, so that all of them sum to the whole.
 *
 * Only the thread that began the run enters and leaves parts; what others do meanwhile is of
 * the part at hand.  m may be NULL: nobody measures. */
#ifndef BASE_METER_H
#define BASE_METER_H

#include <stdatomic.h>
#include <stdint.h>

enum meter_part {
    METER_OTHER,                /* of the program, outside all others */
    METER_LOAD,                 /* opening models and tokenisers */
    METER_TOKENS,
    METER_PASS,                 /* of the pass, outside the ones below */
    METER_NORM,
    METER_LINEAR,               /* row METER_LINEAR: shapes beyond METER_ROWS */
    METER_ACTIVATION,
    METER_ATTENTION,            /* scores, softmax, product with the values */
    METER_STATISTICS,           /* what takes the rows of attention */
    METER_OUTPUT,               /* drawing and writing */
    N_METER_PART
};

enum { METER_ROWS = 64 };

struct meter_row {
    enum meter_part part;
    int K, N;                   /* of METER_LINEAR: inputs and outputs; 0: any */
    int64_t calls;
    double wall_s, cpu_s;
    double flop;                /* of its products: 2 for each multiply and add; 0: none
                                   is counted */
    double bytes;               /* of weights as they are stored; 0: none is counted */
};

struct meter_time { double wall_s, cpu_s; };

struct meter_parts {
    struct meter_row row[METER_ROWS];   /* the first N_METER_PART by their part, then a row
                                           for each shape of a linear */
    int n;
};

struct meter {
    struct meter_parts parts;
    int at;                     /* the row of the work at hand */
    struct meter_time since;    /* when it began, or was last counted */
    struct meter_time (*now)(void);     /* since any moment: the clock, and all threads */
    /* By any thread, of the part at hand; compilers differ in how they lie on 32 bits. */
    _Alignas(8) _Atomic int64_t within_ns;
    _Alignas(8) _Atomic int64_t within_calls, flop;
};

/* Everything is 0, and METER_OTHER at hand from now on. */
void meter_begin(struct meter *m);

/* Counts the work at hand, so that the rows sum to what passed since meter_begin. */
void meter_end(struct meter *m);

/* The part is at hand until meter_leave, which is given what this returns. */
int meter_enter(struct meter *m, enum meter_part part);
void meter_leave(struct meter *m, int before);

/* The same of a product of n_rows rows with weights [N, K] of size_bytes. */
int meter_enter_linear(struct meter *m, int n_rows, int K, int N, double size_bytes);

/* ---- by any thread, while a part is at hand ---- */

/* What was done since meter_within_begin is of METER_STATISTICS, not of the part at hand. */
int64_t meter_within_begin(const struct meter *m);
void meter_within_end(struct meter *m, int64_t since_ns);

/* So many more multiplications and additions, of the part at hand. */
void meter_flop(struct meter *m, int64_t flop);

/* ---- the result ---- */

/* All rows together. */
struct meter_time meter_total(const struct meter_parts *p);

#endif
