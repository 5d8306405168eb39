/* SPDX-License-Identifier: MIT
 * The machine's peak performance, measured by timing loops that only compute, or only read. */
#include "cmd/bench/bench.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/system.h"
#include "nn/peak.h"

/* The best of so many tries of at least this long: what comes between only slows them down. */
enum { TRIES = 5 };
static const double TRY_S = 0.01;

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- products ---- */

struct products {
    const struct peak_kernels *peak;
    int64_t steps;
    int64_t flop;               /* of one thread */
    float *sum;                 /* [threads] */
};

static void bench_limits_multiply(void *self, int i, struct arena *scratch)
{
    struct products *p = self;
    int64_t flop = peak_multiply(p->peak, p->steps, &p->sum[i]);

    (void)scratch;
    if (i == 0)
        p->flop = flop;
}

/* Flop per second of n threads. */
static double products_rate(struct products *products, struct par *par, int n)
{
    double best = 0;

    for (int i = 0; i < TRIES; i++) {
        double since = now_s(), seconds;

        par_for(par, n, bench_limits_multiply, products);
        seconds = now_s() - since;
        if (seconds > 0)
            best = fmax(best, (double)n * (double)products->flop / seconds);
    }
    return best;
}

/* Steps that take long enough for the clock. */
static void choose_steps(struct products *products)
{
    for (products->steps = 1 << 12; products->steps < (int64_t)1 << 40; products->steps *= 2) {
        double since = now_s();

        bench_limits_multiply(products, 0, NULL);
        if (now_s() - since >= TRY_S)
            break;
    }
}

/* One more kernel, where this processor has it; it is what the run is compared with. */
static void measure_kernel(struct limits *limits, const char *name, const struct peak_kernels *peak,
                           bool used, struct par *par, struct arena *a)
{
    int n_threads = par_threads(par);
    struct limits_kernel *kernel = &limits->kernel[limits->n_kernels];
    struct products products = { .peak = peak,
                                 .sum = arena_alloc(a, (size_t)n_threads, sizeof(float)) };

    if (peak == NULL)
        return;
    choose_steps(&products);
    kernel->name = name;
    kernel->one = products_rate(&products, par, 1);
    kernel->all = n_threads > 1 ? products_rate(&products, par, n_threads) : kernel->one;
    if (used)
        limits->peak = kernel->all;
    limits->n_kernels++;
}

static void measure_products(struct limits *limits, enum fast used, struct par *par,
                             struct arena *a)
{
    for (int k = 0; k < N_KERNEL; k++)          /* OpenBLAS uses the widest */
        measure_kernel(limits, nn_kernel_name((enum kernel)k), peak_of((enum kernel)k),
                       (enum kernel)k <= nn_kernel(), par, a);
    for (int f = FAST_NONE + 1; f < N_FAST; f++)
        measure_kernel(limits, fast_kernel_name((enum fast)f), peak_of_fast((enum fast)f),
                       (enum fast)f == used, par, a);
}

/* ---- memory ---- */

/* More than caches hold, in parts that threads take in turn. */
enum { READ_PARTS = 64, READ_PART = 1 << 20 };

struct reading {
    const float *x;             /* [READ_PARTS, READ_PART] */
    float sum[READ_PARTS];
};

static void bench_limits_read_part(void *self, int i, struct arena *scratch)
{
    struct reading *reading = self;

    (void)scratch;
    reading->sum[i] = peak_read(reading->x + (size_t)i * READ_PART, READ_PART);
}

static double read_rate(struct reading *reading, struct par *par)
{
    double best = 0;

    for (int i = 0; i < TRIES; i++) {
        double since = now_s(), seconds;

        if (par != NULL)
            par_for(par, READ_PARTS, bench_limits_read_part, reading);
        for (int part = 0; par == NULL && part < READ_PARTS; part++)
            bench_limits_read_part(reading, part, NULL);
        seconds = now_s() - since;
        if (seconds > 0)
            best = fmax(best, (double)READ_PARTS * READ_PART * sizeof(float) / seconds);
    }
    return best;
}

static void measure_memory(struct limits *limits, struct par *par, struct arena *a)
{
    struct arena_mark mark = arena_mark(a);
    struct reading *reading = arena_alloc(a, 1, sizeof *reading);
    float *x = arena_alloc_raw(a, (size_t)READ_PARTS, (size_t)READ_PART * sizeof *x);

    for (int64_t i = 0; i < (int64_t)READ_PARTS * READ_PART; i++)
        x[i] = 1;               /* zeros could be one page, mapped again and again */
    reading->x = x;
    limits->read_one = read_rate(reading, NULL);
    limits->read_all = par_threads(par) > 1 ? read_rate(reading, par) : limits->read_one;
    arena_reset(a, mark);
}

/* ---- the processor ---- */

/* NULL: it says nothing. */
static const char *processor_name(struct arena *a)
{
    char name[256];

    system_processor(name, sizeof name);
    return name[0] != '\0' ? report_clean(a, name, strlen(name)) : NULL;
}

void limits_measure(struct limits *limits, enum fast used, struct par *par, struct arena *a)
{
    *limits = (struct limits){ .processor = processor_name(a) };
    measure_products(limits, used, par, a);
    measure_memory(limits, par, a);
}
