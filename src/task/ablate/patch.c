/* SPDX-License-Identifier: MIT
 * --patch: heads' outputs of one text, put into the run of another -> how far the difference of two
 * logits moves towards its value in the first text. */
#include <math.h>
#include <string.h>

#include "analysis/effect.h"
#include "base/elementary.h"
#include "base/list.h"
#include "base/str.h"
#include "task/ablate/ablate.h"
#include "session/encode.h"

/* ---- before the texts ---- */

int ablate_patch_prepare(struct ablate_job *job, struct err *e)
{
    const char *option = job->args->patch != NULL ? "--patch" : "--patch-ids";

    if (job->job.s.model->family->front != FRONT_TOKENS)
        return err_set(e, ERR_USAGE, "%s: %s reads no text", option, job->job.s.model->name);
    if (model_check_head(job->job.s.model, job->m, e) != 0)
        return -1;
    if (job->measure == ABLATE_HIDDEN)
        return err_set(e, ERR_INPUT, "%s: its head predicts no tokens", job->job.s.model->name);
    return answer_find(&job->answer, &job->job.s, job->m, e);
}

/* ---- the other text ---- */

const struct tokens *ablate_rows_of(const struct ablate_job *job, const struct item *item,
                                    const struct ablate_head *head)
{
    return ablate_model(job, head->stack) == job->m ? session_queries(&job->job.s, item) :
                                                      &item->tokens;
}

static int other_ids(const struct ablate_job *job, struct arena *a, struct item *out,
                     struct err *e)
{
    struct json_ids ids, types = { .id = NULL };

    if (list_parse_ids(a, "--patch-ids", job->args->patch_ids, &ids.id, &ids.n, e) != 0)
        return -1;
    return encode_ids(&job->job.s, a, &ids, &types, ERR_USAGE, out, e);
}

static int other_text(const struct ablate_job *job, struct arena *a, struct item *out,
                      struct err *e)
{
    out->text = job->args->patch;
    out->text_size = strlen(out->text);
    return encode_text(&job->job.s, a, out, e) == 0 ? 0 : err_under(e, "--patch");
}

/* With the same text for a decoder. */
static int read_other(const struct ablate_job *job, struct arena *a, const struct item *item,
                      struct item *out, struct err *e)
{
    int n = item->tokens.n;

    *out = *item;
    out->text = "";
    out->text_size = 0;
    if ((job->args->patch != NULL ? other_text : other_ids)(job, a, out, e) != 0)
        return -1;
    if (out->tokens.n == n)
        return 0;
    return err_set(e, ERR_INPUT, "%s: has %d token%s, expected the %d of the text: outputs are "
                   "put in place of those at the same positions",
                   job->args->patch != NULL ? "--patch" : "--patch-ids", out->tokens.n,
                   str_plural(out->tokens.n), n);
}

/* ---- logits ---- */

/* What is looked at, of rows of logits before a soft cap. */
struct reading {
    const struct ablate_job *j;
    const struct ablate_patched *p;
    float *clean;               /* [V] of the text, after the cap */
    double *probability;        /* [V] */
    double log_sum;
};

/* out[n, V] = logits before a soft cap of the row of hidden[n, T, d_hidden]. */
static void row_logits(const struct ablate_run *run, int row, const float *hidden, int n,
                       float *out, struct arena *a)
{
    const struct ablate_job *j = run->j;
    struct wanted want = { .change = j->job.want.change, .uncapped = true };
    size_t width = (size_t)j->m->d_hidden;
    float *rows = arena_alloc_raw(a, (size_t)n, width * sizeof *rows);

    for (int i = 0; i < n; i++)
        memcpy(rows + (size_t)i * width,
               hidden + ((size_t)i * (size_t)run->T + (size_t)row) * width, width * sizeof *rows);
    run_logits(j->m, &want, out, rows, n, j->job.s.par, a);
}

static double difference(const struct ablate_patched *patched, const float *logits)
{
    return (double)logits[patched->answer] -
           (patched->against >= 0 ? (double)logits[patched->against] : 0);
}

/* In place, what the model makes of them. */
static void cap_logits(const struct model *model, float *logits)
{
    float cap = (float)model->config.head.cap;

    for (int v = 0; cap > 0 && v < model->n_logits; v++)
        logits[v] = cap * elementary_tanhf(logits[v] / cap);
}

/* Which tokens: those that the two texts predict, unless others are asked for. */
static int patch_choose(const struct ablate_job *job, struct ablate_patched *patched,
                        const float *logits, const float *other, struct err *e)
{
    const struct answer *w = &job->answer;

    if (answer_check(w, logits, e) != 0 || answer_check(w, other, e) != 0)
        return -1;
    patched->answer = w->id >= 0 ? w->id : answer_largest(w, logits, -1);
    patched->against = w->against >= 0 || w->id >= 0 ? w->against : answer_largest(w, other, -1);
    if (patched->answer == patched->against)
        return err_set(e, ERR_INPUT, "%s is token %d, the one that the model predicts: expected "
                       "--answer, and --against another",
                       w->against >= 0 ? "--against" : "after both texts, it", patched->answer);
    patched->difference[0] = difference(patched, logits);
    patched->difference[1] = difference(patched, other);
    return 0;
}

static struct ablate_patch read_logits(const struct reading *reading, float *logits)
{
    const double *end = reading->p->difference;
    int V = reading->j->m->n_logits;
    struct ablate_patch out = { NAN, NAN };

    if (end[0] != end[1])
        out.patch = (difference(reading->p, logits) - end[0]) / (end[1] - end[0]);
    cap_logits(reading->j->m, logits);
    out.kl = effect_kl(reading->probability, reading->clean, reading->log_sum, logits,
                       effect_log_sum(logits, V), V);
    return out;
}

/* ---- the passes ---- */

/* Runs of both texts; the values of the other one stand in. */
static int run_both(struct ablate_patched *patched, struct ablate_run *run,
                    struct ablate_values *values, struct reading *reading, struct err *e)
{
    const struct ablate_job *j = run->j;
    struct ablate_run other = { .j = j, .a = run->a, .item = patched->other };
    size_t V = (size_t)j->m->n_logits;
    float *logits = arena_alloc_raw(run->a, V, sizeof *logits);

    if (ablate_run(&other, true, e) != 0)
        return err_under(e, "--patch");
    if (ablate_run(run, false, e) != 0)
        return -1;
    memcpy(values->z, other.z, sizeof values->z);
    run->values = values;
    reading->clean = arena_alloc_raw(run->a, V, sizeof *reading->clean);
    reading->probability = arena_alloc_raw(run->a, V, sizeof *reading->probability);
    row_logits(run, patched->row, run->hidden, 1, reading->clean, run->a);
    row_logits(&other, patched->row, other.hidden, 1, logits, run->a);
    if (patch_choose(j, patched, reading->clean, logits, e) != 0)
        return -1;
    cap_logits(j->m, reading->clean);
    reading->log_sum = effect_log_sum(reading->clean, (int)V);
    effect_softmax(reading->probability, reading->clean, reading->log_sum, (int)V);
    return 0;
}

static int run_sets(struct ablate_job *job, const struct ablate_run *run,
                    const struct reading *reading, const struct ablate_set *set, int n_sets,
                    struct ablate_patch *out, struct err *e)
{
    struct progress *progress = job->job.s.env->progress;
    size_t V = (size_t)job->m->n_logits;
    int status = 0;

    progress_begin(progress, "pass", n_sets);
    for (int i = 0, n; i < n_sets && status == 0; i += n) {
        struct arena_mark mark = arena_mark(run->a);
        float *hidden, *logits;

        n = ablate_group(run, &set[i], n_sets - i);
        hidden = arena_alloc_raw(run->a, (uint64_t)n * (uint64_t)run->T,
                                 (uint64_t)job->m->d_hidden * sizeof *hidden);
        logits = arena_alloc_raw(run->a, (size_t)n, V * sizeof *logits);
        ablate_time_begin(&job->time);
        status = ablate_run_sets(run, &set[i], n, hidden, e);
        ablate_time_run(&job->time);
        if (status == 0)
            row_logits(run, reading->p->row, hidden, n, logits, run->a);
        for (int s = 0; s < n && status == 0; s++) {
            out[i + s] = read_logits(reading, logits + (size_t)s * V);
            progress_step(progress);
        }
        if (status == 0)
            status = ablate_time_check(job, run, set, n_sets, n, 1, e);
        arena_reset(run->a, mark);
    }
    progress_end(progress);
    return status;
}

/* Each head, and with --by-position each of its rows; returns how many. */
static int make_sets(const struct ablate_job *job, struct arena *a, const struct item *item,
                     struct ablate_set **out)
{
    int *index = arena_alloc(a, (size_t)job->n_asked, sizeof *index), n = 0;
    uint64_t most = 0;

    for (int h = 0; h < job->n_asked; h++)
        most += 1 + (uint64_t)ablate_rows_of(job, item, &job->head[h])->n;
    *out = arena_alloc(a, most, sizeof **out);
    for (int h = 0; h < job->n_asked; h++) {
        int rows = job->args->by_position ? ablate_rows_of(job, item, &job->head[h])->n : 0;

        index[h] = h;
        for (int row = -1; row < rows; row++)
            (*out)[n++] = (struct ablate_set){ &index[h], 1, row };
    }
    return n;
}

/* What came of the sets, head by head. */
static void hand_out(const struct ablate_job *job, struct ablate_patched *patched, struct arena *a,
                     struct ablate_patch *of)
{
    patched->head = arena_alloc(a, (size_t)job->n_asked, sizeof *patched->head);
    if (job->args->by_position)
        patched->at = arena_alloc(a, (size_t)job->n_asked, sizeof *patched->at);
    for (int h = 0; h < job->n_asked; h++) {
        patched->head[h] = *of++;
        if (!job->args->by_position)
            continue;
        patched->at[h] = of;
        of += ablate_rows_of(job, &patched->item, &job->head[h])->n;
    }
}

int ablate_patch_text(struct ablate_job *job, struct arena *a, const struct item *item,
                      struct ablate_patched *out, struct err *e)
{
    struct ablate_run run = { .j = job, .a = a, .item = *item };
    struct ablate_values values = { .one_row = false };
    struct reading reading = { .j = job, .p = out };
    struct ablate_patch *of;
    struct ablate_set *set;
    int n;

    *out = (struct ablate_patched){ .item = *item };
    if (answer_row(&job->answer, item, &out->row, e) != 0 ||
        read_other(job, a, item, &out->other, e) != 0 ||
        run_both(out, &run, &values, &reading, e) != 0)
        return -1;
    n = make_sets(job, a, item, &set);
    of = arena_alloc(a, (size_t)n, sizeof *of);
    if (run_sets(job, &run, &reading, set, n, of, e) != 0)
        return -1;
    hand_out(job, out, a, of);
    return 0;
}
