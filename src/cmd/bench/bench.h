/* SPDX-License-Identifier: MIT
 *
 * Private interface of the command bench:
 *
 *     bench.c           the command: runs a model again and again, and keeps the fastest run
 *     limits.c          measures the peak speed of the processor and of memory
 *     record.c          the results as a table, TSV and JSON
 *     picture.c         the results as bars */
#ifndef CMD_BENCH_H
#define CMD_BENCH_H

#include "base/meter.h"
#include "base/par.h"
#include "cmd/profile.h"
#include "task/common/job.h"

/* ---- limits.c ---- */

/* Peak performance of a kernel, in flop per second: of one thread, and of all threads. */
struct limits_kernel {
    const char *name;
    double one, all;
};

struct limits {
    const char *processor;      /* its name; NULL: not known */
    struct limits_kernel kernel[N_KERNEL + N_FAST];
    int n_kernels;              /* number of kernels that this processor can run */
    double peak;                /* flop per second of all threads, by the kernel in use */
    double read_one, read_all;  /* bytes per second from memory */
};

/*
 * Measures the limits for a run with this kind of products in linears.  Takes about half a second;
 * memory, also scratch memory, is allocated in a.
 */
void limits_measure(struct limits *limits, enum fast used, struct par *par, struct arena *a);

/* ---- bench.c ---- */

struct bench_args {
    struct shared_args shared;
    int runs, length;           /* length: number of random tokens; 0: the user gave a text */
};

struct bench_job {
    struct job job;
    const struct bench_args *args;
    struct limits limits;
    struct meter_parts best;          /* times of the fastest run, with loading and drawing */
    int64_t n_texts, n_tokens;  /* per run */
};

/* ---- record.c, picture.c ---- */

extern const struct record bench_record;

void bench_report(const struct bench_job *job, struct report *report);
int bench_draw(const struct bench_job *job, const struct output *output, struct err *e);

/* "77 tokens of 3 texts, kernel avx2, 2 threads". */
const char *bench_what(const struct bench_job *job, struct arena *a);

#endif
