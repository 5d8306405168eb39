/* SPDX-License-Identifier: MIT
 * The results of the texts so far -> a file, from which a killed run can continue. */
#include "task/state.h"

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
#include "task/parts.h"

enum { SECONDS_BETWEEN = 1 };

struct state {
    const char *path;
    int lock;                   /* of the file at path; -1: none */
    uint64_t n_bytes;           /* of the file of texts, before any was read */
    uint32_t crc;
    bool ended;                 /* no text is left */
    struct timespec saved;      /* when; 0: not yet */
};

static const struct shared_args *args_of(const struct job *j)
{
    return j->args;
}

/* Reports are written as texts are done. */
static bool has_reports(const struct job *j)
{
    return !j->of_many && !j->results.output.folder;
}

/* Of texts, or of trees; NULL: there is none. */
static const char *file_of(const struct job *j)
{
    return j->parts->file != NULL ? j->parts->file(j) : args_of(j)->asked.file;
}

/* What is unfinished is a file that is written, too. */
static int claim_partial(const struct job *j, struct err *e)
{
    struct arena *a = j->s.a;
    const char *path = arena_printf(a, "%s.partial", j->results.output.path);

    if (!j->results.output.folder && out_is_file(j->results.output.path))
        claims_write(a, path, path);
    return claims_check(a, a, e);
}

int state_check(struct job *j, struct err *e)
{
    const struct output *output = &j->results.output;
    const char *file;

    if (j->parts == NULL || args_of(j)->resume == NULL)
        return 0;
    file = file_of(j);
    if (!output_is_report(output) && output->format != OUTPUT_SUMS)
        return err_set(e, ERR_USAGE, "--resume: a picture cannot be gone on with: expected a "
                       "report");
    if (file == NULL || strcmp(file, "-") == 0)
        return err_set(e, ERR_USAGE, "--resume requires -f FILE, which can be read again");
    if (has_reports(j) && !out_is_file(output->path))
        return err_set(e, ERR_USAGE, "--resume: of reports of each text, requires -o FILE");
    return claim_partial(j, e);
}

/* ---- the file ---- */

/* All of the file of texts, so that one that was changed is not gone on with. */
static int check_sum(const struct job *j, struct state *s, struct err *e)
{
    struct span file;

    if (file_map(file_of(j), &file, e) != 0)
        return -1;
    s->n_bytes = file.size;
    s->crc = (uint32_t)crc32_z(0, file.data, file.size);
    file_unmap(file);
    return 0;
}

static void state_describe(struct job *j, json_t **run, json_t **part)
{
    struct arena *a = j->s.a;
    const struct state *s = j->state;

    parts_describe(j, run, part);
    json_put(a, *run, "bytes of the texts", json_integer((json_int_t)s->n_bytes));
    json_put(a, *run, "checksum of the texts", parts_hex(a, s->crc));
    if (!j->of_many)
        json_put(a, *run, "reports", json_string(output_format_name(j->results.output.format)));
    json_put(a, *part, "lines", json_integer(parts_texts(j).n));
    json_put(a, *part, "pieces", json_integer(parts_texts(j).n_parts));
    json_put(a, *part, "ended", json_boolean(s->ended));
}

/* What lies in OUT.partial is on the disk before the file says so. */
static int write_state(struct job *j, FILE *f, struct err *e)
{
    int64_t n = 0;
    json_t *run, *part;

    if (has_reports(j) && out_keep(&j->results.output.out, &n, e) != 0)
        return -1;
    state_describe(j, &run, &part);
    json_put(j->s.a, part, "output", json_integer(n));
    parts_put(j, run, part, f);
    json_drop(j->s.a, run);
    json_drop(j->s.a, part);
    return 0;
}

static void unlock(struct state *s)
{
    if (s->lock >= 0)
        close(s->lock);
    s->lock = -1;
}

/* The file takes its name as one that is locked. */
static int state_replace(struct state *s, struct out *out, struct err *e)
{
    int next = lock_next(fileno(out->file));

    if (out_commit(out, e) != 0) {
        if (next >= 0)
            close(next);
        return -1;
    }
    unlock(s);
    s->lock = next;
    return 0;
}

static int save(struct job *j, struct err *e)
{
    struct arena *a = j->s.a;
    struct arena_mark mark = arena_mark(a);
    struct out out;

    if (out_open(&out, j->state->path, OUT_DURABLE, e) != 0)
        return -1;
    if (write_state(j, out.file, e) != 0) {
        out_abort(&out);
        return -1;
    }
    clock_gettime(CLOCK_MONOTONIC, &j->state->saved);
    arena_reset(a, mark);
    return state_replace(j->state, &out, e);
}

static bool is_due(const struct state *s)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return s->saved.tv_sec == 0 || now.tv_sec - s->saved.tv_sec >= SECONDS_BETWEEN;
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

static int skip(struct job *j, const struct parts_texts *done, struct err *e)
{
    return j->parts->skip != NULL ? j->parts->skip(j, done, e) :
                                    input_skip(j->in, done->n, done->n_parts, done->n_bad, e);
}

static int state_read_part(struct job *j, const json_t *part, struct parts_texts *done,
                           struct err *e)
{
    struct output *output = &j->results.output;
    int shard, n_lines, n_parts, n_bad;

    if (json_field_int(part, "shard", j->shard.k, j->shard.k, &shard, e) != 0 ||
        json_field_int(part, "lines", 0, INT32_MAX, &n_lines, e) != 0 ||
        json_field_int(part, "pieces", 0, n_lines > 0 ? INT32_MAX : 0, &n_parts, e) != 0 ||
        json_field_int(part, "unusable", 0, INT32_MAX, &n_bad, e) != 0 ||
        json_field_bool(part, "ended", false, &output->ended, e) != 0 ||
        read_length(part, &output->n_bytes, e) != 0)
        return -1;
    *done = (struct parts_texts){ n_lines, n_parts, n_bad, 0 };
    return 0;
}

static int go_on(struct job *j, const struct sums *state, struct err *e)
{
    struct sums own = { .path = "this run" };
    struct parts_texts done;
    json_t *run, *part;

    state_describe(j, &run, &part);
    own.run = run;
    if (sums_check_same(j->s.a, &own, state, e) != 0)
        return -1;
    if (state_read_part(j, state->part, &done, e) != 0)
        return err_under(e, "%s", state->path);
    if (j->of_many && parts_add(j, state, e) != 0)
        return -1;
    j->results.output.goes_on = has_reports(j);
    return skip(j, &done, e);
}

/* As it is made where there was none, and as long as nothing is kept in it. */
static bool is_empty(const struct state *s)
{
    struct stat info;

    return s->lock >= 0 && fstat(s->lock, &info) == 0 && info.st_size == 0;
}

/* Where the run ends before it has kept anything. */
static void release_state(void *what)
{
    struct state *s = what;

    if (is_empty(s))
        unlink(s->path);
    unlock(s);
}

static int lock_state(struct job *j, struct err *e)
{
    struct state *s = j->state;

    if (file_exists(s->path) && !out_is_file(s->path))
        return 0;               /* sums_read refuses it */
    s->lock = lock_open(s->path, e);
    if (s->lock < 0)
        return -1;
    arena_own(j->s.a, release_state, s);
    return 0;
}

static int read_state(struct job *j, struct err *e)
{
    struct sums state;

    if (is_empty(j->state))
        return 0;
    if (sums_read(j->s.a, j->state->path, &state, e) != 0)
        return -1;
    return go_on(j, &state, e);
}

int state_begin(struct job *j, struct err *e)
{
    const char *path = j->parts != NULL ? args_of(j)->resume : NULL;

    if (path == NULL)
        return 0;
    j->state = arena_alloc(j->s.a, 1, sizeof *j->state);
    j->state->path = path;
    j->state->lock = -1;
    j->results.output.partial = true;
    if (check_sum(j, j->state, e) != 0 || lock_state(j, e) != 0 || read_state(j, e) != 0)
        return -1;
    if (j->in != NULL)
        input_after_batches(j->in, state_batch_done, j);
    signals_put_off();
    return 0;
}

/* ---- the end ---- */

/* Where the output takes its name before the file is removed, the file says so. */
int state_end(struct job *j, struct err *e)
{
    if (j->state == NULL || !has_reports(j))
        return 0;
    results_finish(&j->results);
    j->state->ended = true;
    return save(j, e);
}

int state_done(struct job *j, struct err *e)
{
    const char *file;
    int status = 0;

    if (j->state == NULL)
        return 0;
    file = file_real(j->s.a, j->state->path);      /* what a link leads to */
    if (file != NULL && unlink(file) != 0)
        status = err_set(e, ERR_SYSTEM, "%s: cannot be removed: %s; the run that it is of is "
                         "complete", j->state->path, strerror(errno));
    unlock(j->state);
    signals_put_off_end();
    return status;
}
