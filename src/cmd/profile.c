/* SPDX-License-Identifier: MIT
 * A meter -> rows of the time of each part, and their table. */
#include "cmd/profile.h"

#include <math.h>
#include <stdlib.h>

static const char *const names[N_METER_PART + 1] = {
    [METER_OTHER] = "other", [METER_LOAD] = "load", [METER_TOKENS] = "tokens",
    [METER_PASS] = "pass", [METER_NORM] = "norm", [METER_LINEAR] = "linear",
    [METER_ACTIVATION] = "activation", [METER_ATTENTION] = "attention",
    [METER_STATISTICS] = "statistics", [METER_OUTPUT] = "output",
};

#define F(f) offsetof(struct profile_row, f)
static const struct column columns[] = {
    { "part", "what was done: load, models and tokenisers are opened; tokens, texts are "
      "tokenised; norm, linear, activation, attention, statistics, parts of the pass, and pass, "
      "the rest of it; output, drawing and writing; other, the rest of the program",
      .kind = COLUMN_TEXT, .where = IN_ALL, .choices = names, .field = F(part) },
    { "shape", "inputs and outputs", .kind = COLUMN_TEXT, .where = IN_TABLE, .null = NULL_SHOWN,
      .field = F(shape) },
    { "inputs", "of a linear: inputs of each row", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .field = F(inputs) },
    { "outputs", "of a linear: outputs of each row", .kind = COLUMN_INT,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(outputs) },
    { "share", "share of the time by the clock", .format = "%.3f", .kind = COLUMN_REAL,
      .where = IN_ALL, .field = F(share), .most = 1 },
    { "wall_ms", "time by the clock", "ms", "wall, ms", "%.3f", COLUMN_REAL, .where = IN_ALL,
      .field = F(wall_ms) },
    { "cpu_ms", "time of processors, of all threads together", "ms", "CPU, ms", "%.3f",
      COLUMN_REAL, .where = IN_ALL, .field = F(cpu_ms) },
    { "calls", "number of times that it was done", .kind = COLUMN_LONG, .where = IN_ALL,
      .field = F(calls) },
    { "gflops", "multiplications and additions of its products per second by the clock",
      "1e9 flop/s", "GFLOP/s", "%.1f", COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN,
      .field = F(gflops) },
    { "of_peak", "the same as a share of what the machine's threads can do", NULL, "of peak",
      "%.2f", COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .optional = true,
      .field = F(of_peak) },
    { "gbytes", "weights that were read, as they are stored, per second by the clock",
      "1e9 bytes/s", "GB/s", "%.1f", COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN,
      .field = F(gbytes) },
};
#undef F

const struct record profile_record = {
    .help = "a part of the work", .size = sizeof(struct profile_row), RECORD_COLUMNS(columns),
};

/* ---- rows ---- */

static double rate(double amount, double seconds)
{
    return amount > 0 && seconds > 0 ? 1e-9 * amount / seconds : (double)NAN;
}

static void profile_add(struct profile_row *row, const struct meter_row *of, double peak,
                        double all_s, struct arena *a)
{
    *row = (struct profile_row){
        .part = names[of->part], .inputs = of->K > 0 ? of->K : -1,
        .outputs = of->N > 0 ? of->N : -1, .share = all_s > 0 ? of->wall_s / all_s : 0,
        .wall_ms = 1e3 * of->wall_s, .cpu_ms = 1e3 * of->cpu_s, .calls = of->calls,
        .gflops = rate(of->flop, of->wall_s), .gbytes = rate(of->bytes, of->wall_s),
    };
    row->of_peak = 1e9 * row->gflops / peak;
    if (of->N > 0)
        row->shape = arena_printf(a, "%d -> %d", of->K, of->N);
}

static int by_time(const void *x, const void *y)
{
    const struct profile_row *a = x, *b = y;

    return (a->wall_ms < b->wall_ms) - (a->wall_ms > b->wall_ms);
}

const struct profile_row *profile_rows(const struct meter_parts *parts, double peak,
                                       struct arena *a, int *n)
{
    static const enum meter_part order[N_METER_PART] = {
        METER_LOAD, METER_TOKENS, METER_PASS, METER_NORM, METER_LINEAR, METER_ACTIVATION,
        METER_ATTENTION, METER_STATISTICS, METER_OUTPUT, METER_OTHER,
    };
    struct profile_row *rows = arena_alloc(a, METER_ROWS, sizeof *rows);
    double all_s = meter_total(parts).wall_s;
    int first = 0;

    *n = 0;
    for (int i = 0; i < N_METER_PART; i++) {
        if (order[i] == METER_LINEAR) {
            first = *n;
            for (int k = N_METER_PART; k < parts->n; k++)
                profile_add(&rows[(*n)++], &parts->row[k], peak, all_s, a);
            qsort(rows + first, (size_t)(*n - first), sizeof *rows, by_time);
        }
        if (parts->row[order[i]].calls > 0 || order[i] == METER_OTHER)
            profile_add(&rows[(*n)++], &parts->row[order[i]], peak, all_s, a);
    }
    return rows;
}

/* ---- --profile ---- */

void profile_print(const struct meter_parts *parts, struct arena *a, FILE *file)
{
    static const char *const unknown[] = { "of_peak", NULL };
    struct meter_time total = meter_total(parts);
    int n;
    const struct profile_row *rows = profile_rows(parts, (double)NAN, a, &n);

    record_table(record_without(a, &profile_record, IN_TABLE, unknown), rows, n, a, file);
    fprintf(file, "in all: %.3f ms by the clock, %.3f ms of processors\n",
            1e3 * total.wall_s, 1e3 * total.cpu_s);
}
