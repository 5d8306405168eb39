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

/* Of the time since m->since what sinks took goes to the statistics; by the clock the same
 * share of it. */
static void meter_count(struct meter *m)
{
    struct meter_time now = m->now();
    struct meter_row *row = &m->parts.row[m->at], *within = &m->parts.row[METER_STATISTICS];
    double wall = now.wall_s - m->since.wall_s, cpu = now.cpu_s - m->since.cpu_s;
    double inner = 1e-9 * (double)atomic_exchange(&m->within_ns, 0);
    double share;

    /* A thread that has to wait for a processor is counted by the clock. */
    if (inner > cpu)
        inner = cpu;
    share = cpu > 0 ? inner / cpu : 0;
    within->calls += atomic_exchange(&m->within_calls, 0);
    within->cpu_s += inner;
    within->wall_s += share * wall;
    row->cpu_s += cpu - inner;
    row->wall_s += (1 - share) * wall;
    row->flop += (double)atomic_exchange(&m->flop, 0);
    m->since = now;
}

void meter_begin(struct meter *m)
{
    struct meter_time (*now)(void) = m->now != NULL ? m->now : clocks;

    memset(m->parts.row, 0, sizeof m->parts.row);
    for (int part = 0; part < N_METER_PART; part++)
        m->parts.row[part].part = (enum meter_part)part;
    m->parts.n = N_METER_PART;
    m->at = METER_OTHER;
    m->parts.row[METER_OTHER].calls = 1;
    m->now = now;
    m->since = now();
    atomic_store(&m->within_ns, 0);
    atomic_store(&m->within_calls, 0);
    atomic_store(&m->flop, 0);
}

void meter_end(struct meter *m)
{
    if (m != NULL)
        meter_count(m);
}

static int enter_row(struct meter *m, int row)
{
    int before = m->at;

    meter_count(m);
    m->at = row;
    m->parts.row[row].calls++;
    return before;
}

int meter_enter(struct meter *m, enum meter_part part)
{
    return m != NULL ? enter_row(m, (int)part) : 0;
}

void meter_leave(struct meter *m, int before)
{
    if (m == NULL)
        return;
    meter_count(m);
    m->at = before;
}

/* The row of this shape; METER_LINEAR once there are too many. */
static int shape_row(struct meter *m, int K, int N)
{
    for (int i = N_METER_PART; i < m->parts.n; i++)
        if (m->parts.row[i].K == K && m->parts.row[i].N == N)
            return i;
    if (m->parts.n == METER_ROWS)
        return METER_LINEAR;
    m->parts.row[m->parts.n] = (struct meter_row){ .part = METER_LINEAR, .K = K, .N = N };
    return m->parts.n++;
}

int meter_enter_linear(struct meter *m, int n_rows, int K, int N, double size_bytes)
{
    struct meter_row *row;
    int before;

    if (m == NULL)
        return 0;
    before = enter_row(m, shape_row(m, K, N));
    row = &m->parts.row[m->at];
    row->flop += 2.0 * n_rows * K * N;
    row->bytes += size_bytes;
    return before;
}

/* ---- by any thread ---- */

int64_t meter_within_begin(const struct meter *m)
{
    return m != NULL ? read_ns(CLOCK_MONOTONIC) : 0;
}

void meter_within_end(struct meter *m, int64_t since_ns)
{
    if (m == NULL)
        return;
    atomic_fetch_add(&m->within_ns, read_ns(CLOCK_MONOTONIC) - since_ns);
    atomic_fetch_add(&m->within_calls, 1);
}

void meter_flop(struct meter *m, int64_t flop)
{
    if (m != NULL)
        atomic_fetch_add(&m->flop, flop);
}

/* ---- the result ---- */

struct meter_time meter_total(const struct meter_parts *p)
{
    struct meter_time total = { 0, 0 };

    for (int i = 0; i < p->n; i++) {
        total.wall_s += p->row[i].wall_s;
        total.cpu_s += p->row[i].cpu_s;
    }
    return total;
}
