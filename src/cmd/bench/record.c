/* SPDX-License-Identifier: MIT
 * The fastest run and the machine's limits -> a table, TSV and JSON. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "cmd/bench/bench.h"

struct limit_row {
    const char *kernel;
    double one, all;            /* 1e9 flop per second */
};

#define F(f) offsetof(struct limit_row, f)
static const struct column limit_columns[] = {
    { "kernel", "whose vectors do nothing but multiply and add", .kind = COLUMN_TEXT,
      .where = IN_TABLE | IN_JSON, .field = F(kernel) },
    { "gflops_one", "what one thread reaches", "1e9 flop/s", "one thread, GFLOP/s", "%.1f",
      COLUMN_REAL, .where = IN_TABLE | IN_JSON, .field = F(one) },
    { "gflops", "what all threads reach together", "1e9 flop/s", "all threads", "%.1f",
      COLUMN_REAL, .where = IN_TABLE | IN_JSON, .field = F(all) },
};
#undef F

static const struct record limit_record = {
    .help = "what a kernel's vectors can do", .size = sizeof(struct limit_row),
    RECORD_COLUMNS(limit_columns),
};

struct bench_row {
    const char *model, *family, *processor, *kernel;
    int threads, runs;
    int64_t texts, tokens;
    double wall_ms, cpu_ms, tokens_per_s;
    double read_one, read_all;  /* 1e9 bytes per second */
    struct list limits, parts;
};

#define F(f) offsetof(struct bench_row, f)
static const struct column columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .field = F(model) },
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_JSON,
      .field = F(family) },
    { "processor", "name of the processor", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .field = F(processor) },
    { "kernel", "which computed: c, avx2, avx512, neon or blas", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .field = F(kernel) },
    { "threads", "threads of the run", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(threads) },
    { "runs", "runs, of which the fastest is reported, after one that is not counted",
      .kind = COLUMN_INT, .where = IN_JSON, .field = F(runs) },
    { "texts", "texts of a run", .kind = COLUMN_LONG, .where = IN_JSON, .field = F(texts) },
    { "tokens", "tokens of a run", .kind = COLUMN_LONG, .where = IN_TSV | IN_JSON,
      .field = F(tokens) },
    { "wall_ms", "time of a run by the clock, without loading and drawing", "ms",
      .kind = COLUMN_REAL, .where = IN_JSON, .field = F(wall_ms) },
    { "cpu_ms", "the same of processors, of all threads together", "ms", .kind = COLUMN_REAL,
      .where = IN_JSON, .field = F(cpu_ms) },
    { "tokens_per_s", "tokens per second by the clock", "tokens/s", .kind = COLUMN_REAL,
      .where = IN_JSON, .field = F(tokens_per_s) },
    { "read_one", "what one thread reads from memory", "1e9 bytes/s", .kind = COLUMN_REAL,
      .where = IN_JSON, .field = F(read_one) },
    { "read", "what all threads read from memory together", "1e9 bytes/s", .kind = COLUMN_REAL,
      .where = IN_JSON, .field = F(read_all) },
    { "limits", "one object per kernel that this processor has", .kind = COLUMN_RECORD,
      .list = true, .where = IN_JSON, .of = &limit_record, .field = F(limits) },
    { "parts", "one object per part of the work; those of loading, once, and of drawing the "
      "first text's heatmap beside those of the run", .kind = COLUMN_RECORD, .list = true,
      .where = IN_TSV | IN_JSON, .of = &profile_record, .field = F(parts) },
};
#undef F

const struct record bench_record = {
    .schema = "mha-viz/bench/1", .help = "where the time of a run goes, on a machine",
    .size = sizeof(struct bench_row), RECORD_COLUMNS(columns),
};

static struct list limit_rows(const struct limits *limits, struct arena *a)
{
    struct limit_row *row = arena_alloc(a, (size_t)limits->n_kernels, sizeof *row);

    for (int i = 0; i < limits->n_kernels; i++)
        row[i] = (struct limit_row){ limits->kernel[i].name, 1e-9 * limits->kernel[i].one,
                                     1e-9 * limits->kernel[i].all };
    return (struct list){ row, limits->n_kernels };
}

/* Of the run alone. */
static struct meter_time run_time(const struct bench_job *job)
{
    struct meter_time all = meter_total(&job->best);
    const struct meter_row *load = &job->best.row[METER_LOAD], *draw = &job->best.row[METER_OUTPUT];

    return (struct meter_time){ all.wall_s - load->wall_s - draw->wall_s,
                                all.cpu_s - load->cpu_s - draw->cpu_s };
}

const char *bench_what(const struct bench_job *job, struct arena *a)
{
    int threads = par_threads(job->job.s.par);
    enum fast fast = (enum fast)job->job.s.asked->fast;

    return arena_printf(a, "%s: %lld token%s of %lld text%s, kernel %s, %d thread%s",
                        report_clean(a, job->job.s.name, strlen(job->job.s.name)),
                        (long long)job->n_tokens, str_plural(job->n_tokens),
                        (long long)job->n_texts, str_plural(job->n_texts), fast_kernel_name(fast),
                        threads, str_plural(threads));
}

static void bench_print_tables(const struct bench_job *job, const struct bench_row *row,
                               struct arena *a, FILE *file)
{
    fprintf(file,
            "%s\n%.3f ms by the clock, %.3f ms of processors, %.0f tokens/s; the fastest of %d "
            "run%s\n\n",
            bench_what(job, a), row->wall_ms, row->cpu_ms, row->tokens_per_s, row->runs,
            str_plural(row->runs));
    record_table(&profile_record, row->parts.at, row->parts.n, a, file);
    fprintf(file, "\n%s; memory is read at %.1f GB/s by one thread, %.1f by all\n",
            row->processor != NULL ? row->processor : "this processor", row->read_one,
            row->read_all);
    record_table(&limit_record, row->limits.at, row->limits.n, a, file);
}

void bench_report(const struct bench_job *job, struct report *report)
{
    const struct session *s = &job->job.s;
    const struct limits *limits = &job->limits;
    struct meter_time time = run_time(job);
    struct bench_row row = {
        .model = s->name, .family = s->model->family->name, .processor = limits->processor,
        .kernel = fast_kernel_name((enum fast)s->asked->fast), .threads = par_threads(s->par),
        .runs = job->args->runs, .texts = job->n_texts, .tokens = job->n_tokens,
        .wall_ms = 1e3 * time.wall_s, .cpu_ms = 1e3 * time.cpu_s,
        .tokens_per_s = (double)job->n_tokens / time.wall_s,
        .read_one = 1e-9 * limits->read_one, .read_all = 1e-9 * limits->read_all,
        .limits = limit_rows(limits, s->a),
    };

    row.parts.at = profile_rows(&job->best, limits->peak, s->a, &row.parts.n);
    if (report->format == REPORT_TABLE) {
        bench_print_tables(job, &row, s->a, report->file);
        return;
    }
    report_row(report, &row);
    report_end(report);
}
