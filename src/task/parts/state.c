/* SPDX-License-Identifier: MIT
 * The results of the texts so far -> a file, from which a killed run can continue. */
#include "task/parts/state.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/claims.h"
#include "base/json_field.h"
#include "base/lock.h"
#include "base/signals.h"
#include "task/parts/parts.h"

enum { SECONDS_BETWEEN = 1 };

struct state {
    const char *path;
    int lock;                   /* of the file at path; -1: none */
    uint64_t n_bytes;           /* of the file of texts, before any was read */
    uint32_t crc;
    bool ended;                 /* no text is left */
    struct timespec saved;      /* when; 0: not yet */
};

static const struct shared_args *args_of(const struct job *job)
{
    return job->args;
}

/* Reports are written as texts are done. */
static bool has_reports(const struct job *job)
{
    return !job->of_many && !job->results.output.folder;
}

/* Of texts, or of trees; NULL: there is none. */
static const char *file_of(const struct job *job)
{
    return job->parts->file != NULL ? job->parts->file(job) : args_of(job)->asked.file;
}

/* What is unfinished is a file that is written, too. */
static int claim_partial(const struct job *job, struct err *e)
{
    struct arena *a = job->s.a;
    const char *path = arena_printf(a, "%s.partial", job->results.output.path);

    if (!job->results.output.folder && out_is_file(job->results.output.path))
        claims_write(a, path, path);
    return claims_check(a, a, e);
}

int state_check(struct job *job, struct err *e)
{
    const struct output *output = &job->results.output;
    const char *file;

    if (job->parts == NULL || args_of(job)->resume == NULL)
        return 0;
    file = file_of(job);
    if (!output_is_report(output) && output->format != OUTPUT_SUMS)
        return err_set(e, ERR_USAGE, "--resume: a picture cannot be gone on with: expected a "
                       "report");
    if (file == NULL || strcmp(file, "-") == 0)
        return err_set(e, ERR_USAGE, "--resume requires -f FILE, which can be read again");
    if (has_reports(job) && !out_is_file(output->path))
        return err_set(e, ERR_USAGE, "--resume: of reports of each text, requires -o FILE");
    return claim_partial(job, e);
}

/* ---- the file ---- */

/* All of the file of texts, so that one that was changed is not gone on with. */
static int check_sum(const struct job *job, struct state *state, struct err *e)
{
    struct span file;

    if (file_map(file_of(job), &file, e) != 0)
        return -1;
    state->n_bytes = file.size;
    state->crc = (uint32_t)crc32_z(0, file.data, file.size);
    file_unmap(file);
    return 0;
}

static void state_describe(struct job *job, json_t **run, json_t **part)
{
    struct arena *a = job->s.a;
    const struct state *s = job->state;

    parts_describe(job, run, part);
    json_put(a, *run, "bytes of the texts", json_integer((json_int_t)s->n_bytes));
    json_put(a, *run, "checksum of the texts", parts_hex(a, s->crc));
    if (!job->of_many)
        json_put(a, *run, "reports", json_string(output_format_name(job->results.output.format)));
    json_put(a, *part, "lines", json_integer(parts_texts(job).n));
    json_put(a, *part, "pieces", json_integer(parts_texts(job).n_parts));
    json_put(a, *part, "ended", json_boolean(s->ended));
}

/* What lies in OUT.partial is on the disk before the file says so. */
static int write_state(struct job *job, FILE *file, struct err *e)
{
    int64_t n = 0;
    json_t *run, *part;

    if (has_reports(job) && out_keep(&job->results.output.out, &n, e) != 0)
        return -1;
    state_describe(job, &run, &part);
    json_put(job->s.a, part, "output", json_integer(n));
    parts_put(job, run, part, file);
    json_drop(job->s.a, run);
    json_drop(job->s.a, part);
    return 0;
}

static void unlock(struct state *state)
{
    if (state->lock >= 0)
        close(state->lock);
    state->lock = -1;
}

/* The file takes its name as one that is locked. */
static int state_replace(struct state *state, struct out *out, struct err *e)
{
    int next = lock_next(fileno(out->file));

    if (out_commit(out, e) != 0) {
        if (next >= 0)
            close(next);
        return -1;
    }
    unlock(state);
    state->lock = next;
    return 0;
}

static int save(struct job *job, struct err *e)
{
    struct arena *a = job->s.a;
    struct arena_mark mark = arena_mark(a);
    struct out out;

    if (out_open(&out, job->state->path, OUT_DURABLE, e) != 0)
        return -1;
    if (write_state(job, out.file, e) != 0) {
        out_abort(&out);
        return -1;
    }
    clock_gettime(CLOCK_MONOTONIC, &job->state->saved);
    arena_reset(a, mark);
    return state_replace(job->state, &out, e);
}

static bool is_due(const struct state *state)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return state->saved.tv_sec == 0 || now.tv_sec - state->saved.tv_sec >= SECONDS_BETWEEN;
}

int state_batch_done(void *job, struct err *e)
{
    struct job *j = job;
    bool ends = signals_put_off_one() != 0;

    if (j->state == NULL)
        return 0;
    if ((ends || is_due(j->state)) && save(j, e) != 0)
        return -1;
    if (ends)
        signals_put_off_end();
    return 0;
}

/* ---- going on ---- */

/* A length that is a number of bytes of a file. */
static int read_length(const json_t *part, int64_t *n, struct err *e)
{
    const json_t *value = json_object_get(part, "output");

    *n = json_is_integer(value) ? json_integer_value(value) : -1;
    return *n >= 0 ? 0 : json_field_wrong("output", value, "a number of bytes", e);
}

static int skip(struct job *job, const struct parts_texts *done, struct err *e)
{
    return job->parts->skip != NULL ? job->parts->skip(job, done, e) :
                                      input_skip(job->in, done->n, done->n_parts, done->n_bad, e);
}

static int state_read_part(struct job *job, const json_t *part, struct parts_texts *done,
                           struct err *e)
{
    struct output *output = &job->results.output;
    int shard, n_lines, n_parts, n_bad;

    if (json_field_int(part, "shard", job->shard.k, job->shard.k, &shard, e) != 0 ||
        json_field_int(part, "lines", 0, INT32_MAX, &n_lines, e) != 0 ||
        json_field_int(part, "pieces", 0, n_lines > 0 ? INT32_MAX : 0, &n_parts, e) != 0 ||
        json_field_int(part, "unusable", 0, INT32_MAX, &n_bad, e) != 0 ||
        json_field_bool(part, "ended", false, &output->ended, e) != 0 ||
        read_length(part, &output->n_bytes, e) != 0)
        return -1;
    *done = (struct parts_texts){ n_lines, n_parts, n_bad, 0 };
    return 0;
}

static int go_on(struct job *job, const struct sums *state, struct err *e)
{
    struct sums own = { .path = "this run" };
    struct parts_texts done;
    json_t *run, *part;

    state_describe(job, &run, &part);
    own.run = run;
    if (sums_check_same(job->s.a, &own, state, e) != 0)
        return -1;
    if (state_read_part(job, state->part, &done, e) != 0)
        return err_under(e, "%s", state->path);
    if (job->of_many && parts_add(job, state, e) != 0)
        return -1;
    job->results.output.goes_on = has_reports(job);
    return skip(job, &done, e);
}

/* As it is made where there was none, and as long as nothing is kept in it. */
static bool is_empty(const struct state *state)
{
    struct stat info;

    return state->lock >= 0 && fstat(state->lock, &info) == 0 && info.st_size == 0;
}

/* Where the run ends before it has kept anything. */
static void release_state(void *what)
{
    struct state *s = what;

    if (is_empty(s))
        unlink(s->path);
    unlock(s);
}

static int lock_state(struct job *job, struct err *e)
{
    struct state *s = job->state;

    if (file_exists(s->path) && !out_is_file(s->path))
        return 0;               /* sums_read refuses it */
    s->lock = lock_open(s->path, e);
    if (s->lock < 0)
        return -1;
    arena_own(job->s.a, release_state, s);
    return 0;
}

static int read_state(struct job *job, struct err *e)
{
    struct sums state;

    if (is_empty(job->state))
        return 0;
    if (sums_read(job->s.a, job->state->path, &state, e) != 0)
        return -1;
    return go_on(job, &state, e);
}

int state_begin(struct job *job, struct err *e)
{
    const char *path = job->parts != NULL ? args_of(job)->resume : NULL;

    if (path == NULL)
        return 0;
    job->state = arena_alloc(job->s.a, 1, sizeof *job->state);
    job->state->path = path;
    job->state->lock = -1;
    job->results.output.partial = true;
    if (check_sum(job, job->state, e) != 0 || lock_state(job, e) != 0 || read_state(job, e) != 0)
        return -1;
    if (job->in != NULL)
        input_after_batches(job->in, state_batch_done, job);
    signals_put_off();
    return 0;
}

/* ---- the end ---- */

/* Where the output takes its name before the file is removed, the file says so. */
int state_end(struct job *job, struct err *e)
{
    if (job->state == NULL || !has_reports(job))
        return 0;
    results_finish(&job->results);
    job->state->ended = true;
    return save(job, e);
}

int state_done(struct job *job, struct err *e)
{
    const char *file;
    int status = 0;

    if (job->state == NULL)
        return 0;
    file = file_real(job->s.a, job->state->path);      /* what a link leads to */
    if (file != NULL && unlink(file) != 0)
        status = err_set(e, ERR_SYSTEM, "%s: cannot be removed: %s; the run that it is of is "
                         "complete", job->state->path, strerror(errno));
    unlock(job->state);
    signals_put_off_end();
    return status;
}
