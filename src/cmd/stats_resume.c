/* SPDX-License-Identifier: MIT
 * The sums so far and how many lines they are of, in a file, so that a run that was killed
 * goes on. */
#include <inttypes.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/json_field.h"
#include "base/signals.h"
#include "cmd/stats.h"

enum { SECONDS_BETWEEN = 1 };

struct stats_resume {
    const char *path;
    uint64_t n_bytes;           /* of the file of texts, before any was read */
    uint32_t crc;
    struct timespec saved;      /* when; 0: not yet */
};

/* All of the file, so that one that was changed is not gone on with. */
static int check_sum(const struct stats_job *j, struct stats_resume *r, struct err *e)
{
    struct span file;

    if (file_map(j->args->shared.asked.file, &file, e) != 0)
        return -1;
    r->n_bytes = file.size;
    r->crc = (uint32_t)crc32_z(0, file.data, file.size);
    file_unmap(file);
    return 0;
}

/* ---- the state ---- */

static json_t *run_of(const struct stats_job *j)
{
    struct arena *a = j->job.s.a;
    const struct stats_resume *r = j->resume;
    json_t *run = stats_sums_run(j);

    json_put(a, run, "bytes of the texts", json_integer((json_int_t)r->n_bytes));
    json_put(a, run, "checksum of the texts", json_string(arena_printf(a, "%08" PRIx32, r->crc)));
    return run;
}

static void write_state(struct stats_job *j, FILE *f)
{
    struct arena *a = j->job.s.a;
    json_t *run = run_of(j), *part = stats_sums_part(j);

    json_put(a, part, "lines", json_integer(input_count(j->job.in)));
    json_put(a, part, "pieces", json_integer(input_count_parts(j->job.in)));
    stats_sums_put(j, run, part, f);
    json_drop(a, run);
    json_drop(a, part);
}

static int save(struct stats_job *j, struct err *e)
{
    struct arena *a = j->job.s.a;
    struct arena_mark mark = arena_mark(a);
    struct out out;

    if (out_open(&out, j->resume->path, OUT_DURABLE, e) != 0)
        return -1;
    write_state(j, out.file);
    clock_gettime(CLOCK_MONOTONIC, &j->resume->saved);
    arena_reset(a, mark);
    return out_commit(&out, e);
}

static bool is_due(const struct stats_resume *r)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return r->saved.tv_sec == 0 || now.tv_sec - r->saved.tv_sec >= SECONDS_BETWEEN;
}

/* After a batch; a signal that came meanwhile ends the process here. */
static int batch_done(void *self, struct err *e)
{
    struct stats_job *j = self;
    bool ends = signals_put_off_one() != 0;

    if ((ends || is_due(j->resume)) && save(j, e) != 0)
        return -1;
    if (ends)
        signals_put_off_end();
    return 0;
}

/* ---- going on ---- */

static int go_on(struct stats_job *j, const struct sums *state, struct err *e)
{
    struct sums own = { .path = "this run", .run = run_of(j) };
    int n_lines, n_parts, n_bad;

    if (sums_check_same(j->job.s.a, &own, state, e) != 0)
        return -1;
    if (json_field_int(state->part, "shard", j->shard.k, j->shard.k, &n_lines, e) != 0 ||
        json_field_int(state->part, "lines", 0, INT32_MAX, &n_lines, e) != 0 ||
        json_field_int(state->part, "pieces", 0, n_lines > 0 ? INT32_MAX : 0, &n_parts, e) != 0 ||
        json_field_int(state->part, "unusable", 0, INT32_MAX, &n_bad, e) != 0)
        return err_under(e, "%s", state->path);
    if (stats_sums_add(j, state, e) != 0)
        return -1;
    return input_skip(j->job.in, n_lines, n_parts, n_bad, e);
}

static int read_state(struct stats_job *j, struct err *e)
{
    struct sums state;

    if (!file_exists(j->resume->path))
        return 0;
    if (sums_read(j->job.s.a, j->resume->path, &state, e) != 0)
        return -1;
    return go_on(j, &state, e);
}

int stats_resume_begin(void *self, struct err *e)
{
    struct stats_job *j = self;

    if (j->args->resume == NULL)
        return 0;
    j->resume = arena_alloc(j->job.s.a, 1, sizeof *j->resume);
    j->resume->path = j->args->resume;
    j->job.results.output.partial = true;
    if (check_sum(j, j->resume, e) != 0 || read_state(j, e) != 0)
        return -1;
    input_after_batches(j->job.in, batch_done, j);
    signals_put_off();
    return 0;
}

void stats_resume_done(void *self)
{
    struct stats_job *j = self;

    if (j->resume == NULL)
        return;
    unlink(j->resume->path);
    signals_put_off_end();
}
