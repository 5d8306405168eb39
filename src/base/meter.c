/* SPDX-License-Identifier: MIT
 * The clocks, read between parts of the work -> the time of each part. */
#include "base/meter.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

static int64_t read_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct meter_time clocks(void)
{
    return (struct meter_time){ 1e-9 * (double)read_ns(CLOCK_MONOTONIC),
                                1e-9 * (double)read_ns(CLOCK_PROCESS_CPUTIME_ID) };
}

/* ---- the work at hand ---- */

/* Of the time since meter->since what sinks took goes to the statistics; by the clock the same
 * share of it. */
static void meter_count(struct meter *meter)
{
    struct meter_time now = meter->now();
    struct meter_row *row = &meter->parts.row[meter->at],
                     *within = &meter->parts.row[METER_STATISTICS];
    double wall = now.wall_s - meter->since.wall_s, cpu = now.cpu_s - meter->since.cpu_s;
    double inner = 1e-9 * (double)atomic_exchange(&meter->within_ns, 0);
    double share;

    /* A thread that has to wait for a processor is counted by the clock. */
    if (inner > cpu)
        inner = cpu;
    share = cpu > 0 ? inner / cpu : 0;
    within->calls += atomic_exchange(&meter->within_calls, 0);
    within->cpu_s += inner;
    within->wall_s += share * wall;
    row->cpu_s += cpu - inner;
    row->wall_s += (1 - share) * wall;
    row->flop += (double)atomic_exchange(&meter->flop, 0);
    meter->since = now;
}

void meter_begin(struct meter *meter)
{
    struct meter_time (*now)(void) = meter->now != NULL ? meter->now : clocks;

    memset(meter->parts.row, 0, sizeof meter->parts.row);
    for (int part = 0; part < N_METER_PART; part++)
        meter->parts.row[part].part = (enum meter_part)part;
    meter->parts.n = N_METER_PART;
    meter->at = METER_OTHER;
    meter->parts.row[METER_OTHER].calls = 1;
    meter->now = now;
    meter->since = now();
    atomic_store(&meter->within_ns, 0);
    atomic_store(&meter->within_calls, 0);
    atomic_store(&meter->flop, 0);
}

void meter_end(struct meter *meter)
{
    if (meter != NULL)
        meter_count(meter);
}

static int enter_row(struct meter *meter, int row)
{
    int before = meter->at;

    meter_count(meter);
    meter->at = row;
    meter->parts.row[row].calls++;
    return before;
}

int meter_enter(struct meter *meter, enum meter_part part)
{
    return meter != NULL ? enter_row(meter, (int)part) : 0;
}

void meter_leave(struct meter *meter, int before)
{
    if (meter == NULL)
        return;
    meter_count(meter);
    meter->at = before;
}

/* The row of this shape; METER_LINEAR once there are too many. */
static int shape_row(struct meter *meter, int K, int N)
{
    for (int i = N_METER_PART; i < meter->parts.n; i++)
        if (meter->parts.row[i].K == K && meter->parts.row[i].N == N)
            return i;
    if (meter->parts.n == METER_ROWS)
        return METER_LINEAR;
    meter->parts.row[meter->parts.n] = (struct meter_row){ .part = METER_LINEAR, .K = K, .N = N };
    return meter->parts.n++;
}

int meter_enter_linear(struct meter *meter, int n_rows, int K, int N, double size_bytes)
{
    struct meter_row *row;
    int before;

    if (meter == NULL)
        return 0;
    before = enter_row(meter, shape_row(meter, K, N));
    row = &meter->parts.row[meter->at];
    row->flop += 2.0 * n_rows * K * N;
    row->bytes += size_bytes;
    return before;
}

/* ---- by any thread ---- */

int64_t meter_within_begin(const struct meter *meter)
{
    return meter != NULL ? read_ns(CLOCK_MONOTONIC) : 0;
}

void meter_within_end(struct meter *meter, int64_t since_ns)
{
    if (meter == NULL)
        return;
    atomic_fetch_add(&meter->within_ns, read_ns(CLOCK_MONOTONIC) - since_ns);
    atomic_fetch_add(&meter->within_calls, 1);
}

void meter_flop(struct meter *meter, int64_t flop)
{
    if (meter != NULL)
        atomic_fetch_add(&meter->flop, flop);
}

/* ---- the result ---- */

struct meter_time meter_total(const struct meter_parts *parts)
{
    struct meter_time total = { 0, 0 };

    for (int i = 0; i < parts->n; i++) {
        total.wall_s += parts->row[i].wall_s;
        total.cpu_s += parts->row[i].cpu_s;
    }
    return total;
}
