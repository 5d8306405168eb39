/* SPDX-License-Identifier: MIT
 *
 * bench, in parts:
 *
 *     bench.c           the command: runs a model again and again, and keeps the fastest run
 *     limits.c          what the processor and its memory can do
 *     record.c          those as a table, TSV and JSON
 *     picture.c         those as bars */
#ifndef CMD_BENCH_H
#define CMD_BENCH_H

#include "base/meter.h"
#include "base/par.h"
#include "task/job.h"
#include "cmd/profile.h"

/* ---- limits.c ---- */

/* What a kernel's vectors can do, in flop per second: of one thread, and of all together. */
struct limits_kernel {
    const char *name;
    double one, all;
};

struct limits {
    const char *processor;      /* its name; NULL: not known */
    struct limits_kernel kernel[N_KERNEL + N_FAST];
    int n_kernels;              /* that this processor has */
    double peak;                /* all threads, of the kernel that is used */
    double read_one, read_all;  /* bytes per second from memory */
};

/*
 * Of a run whose linears multiply so.  Takes about half a second; memory is of a, for the time of
 * the call too.
 */
void limits_measure(struct limits *l, enum fast used, struct par *par, struct arena *a);

/* ---- bench.c ---- */

struct bench_args {
    struct shared_args shared;
    int runs, length;           /* length: tokens that are drawn; 0: the text is given */
};

struct bench_job {
    struct job job;
    const struct bench_args *args;
    struct limits limits;
    struct meter_parts best;          /* of the fastest run, with loading and drawing */
    int64_t n_texts, n_tokens;  /* of a run */
};

/* ---- record.c, picture.c ---- */

extern const struct record bench_record;

void bench_report(const struct bench_job *j, struct report *r);
int bench_draw(const struct bench_job *j, const struct output *output, struct err *e);

/* "77 tokens of 3 texts, kernel avx2, 2 threads". */
const char *bench_what(const struct bench_job *j, struct arena *a);

#endif
