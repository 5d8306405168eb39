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

int ablate_patch_prepare(struct ablate_job *j, struct err *e)
{
    const char *option = j->args->patch != NULL ? "--patch" : "--patch-ids";

    if (j->job.s.model->family->front != FRONT_TOKENS)
        return err_set(e, ERR_USAGE, "%s: %s reads no text", option, j->job.s.model->name);
    if (model_check_head(j->job.s.model, j->m, e) != 0)
        return -1;
    if (j->measure == ABLATE_HIDDEN)
        return err_set(e, ERR_INPUT, "%s: its head predicts no tokens", j->job.s.model->name);
    return answer_find(&j->answer, &j->job.s, j->m, e);
}

/* ---- the other text ---- */

const struct tokens *ablate_rows_of(const struct ablate_job *j, const struct item *item,
                                    const struct ablate_head *head)
{
    return ablate_model(j, head->stack) == j->m ? session_queries(&j->job.s, item) :
                                                  &item->tokens;
}

static int other_ids(const struct ablate_job *j, struct arena *a, struct item *out,
                     struct err *e)
{
    struct json_ids ids, types = { .id = NULL };

    if (list_parse_ids(a, "--patch-ids", j->args->patch_ids, &ids.id, &ids.n, e) != 0)
        return -1;
    return encode_ids(&j->job.s, a, &ids, &types, ERR_USAGE, out, e);
}

static int other_text(const struct ablate_job *j, struct arena *a, struct item *out,
                      struct err *e)
{
    out->text = j->args->patch;
    out->text_size = strlen(out->text);
    return encode_text(&j->job.s, a, out, e) == 0 ? 0 : err_under(e, "--patch");
}

/* With the same text for a decoder. */
static int read_other(const struct ablate_job *j, struct arena *a, const struct item *item,
                      struct item *out, struct err *e)
{
    int n = item->tokens.n;

    *out = *item;
    out->text = "";
    out->text_size = 0;
    if ((j->args->patch != NULL ? other_text : other_ids)(j, a, out, e) != 0)
        return -1;
    if (out->tokens.n == n)
        return 0;
    return err_set(e, ERR_INPUT, "%s: has %d token%s, expected the %d of the text: outputs are "
                   "put in place of those at the same positions",
                   j->args->patch != NULL ? "--patch" : "--patch-ids", out->tokens.n,
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
static void row_logits(const struct ablate_run *r, int row, const float *hidden, int n,
                       float *out, struct arena *a)
{
    const struct ablate_job *j = r->j;
    struct wanted want = { .change = j->job.want.change, .uncapped = true };
    size_t width = (size_t)j->m->d_hidden;
    float *rows = arena_alloc_raw(a, (size_t)n, width * sizeof *rows);

    for (int i = 0; i < n; i++)
        memcpy(rows + (size_t)i * width, hidden + ((size_t)i * (size_t)r->T + (size_t)row) * width,
               width * sizeof *rows);
    run_logits(j->m, &want, out, rows, n, j->job.s.par, a);
}

static double difference(const struct ablate_patched *p, const float *logits)
{
    return (double)logits[p->answer] - (p->against >= 0 ? (double)logits[p->against] : 0);
}

/* In place, what the model makes of them. */
static void cap_logits(const struct model *m, float *logits)
{
    float cap = (float)m->config.head.cap;

    for (int v = 0; cap > 0 && v < m->n_logits; v++)
        logits[v] = cap * elementary_tanhf(logits[v] / cap);
}

/* Which tokens: those that the two texts predict, unless others are asked for. */
static int patch_choose(const struct ablate_job *j, struct ablate_patched *p, const float *logits,
                        const float *other, struct err *e)
{
    const struct answer *w = &j->answer;

    if (answer_check(w, logits, e) != 0 || answer_check(w, other, e) != 0)
        return -1;
    p->answer = w->id >= 0 ? w->id : answer_largest(w, logits, -1);
    p->against = w->against >= 0 || w->id >= 0 ? w->against : answer_largest(w, other, -1);
    if (p->answer == p->against)
        return err_set(e, ERR_INPUT, "%s is token %d, the one that the model predicts: expected "
                       "--answer, and --against another",
                       w->against >= 0 ? "--against" : "after both texts, it", p->answer);
    p->difference[0] = difference(p, logits);
    p->difference[1] = difference(p, other);
    return 0;
}

static struct ablate_patch read_logits(const struct reading *k, float *logits)
{
    const double *end = k->p->difference;
    int V = k->j->m->n_logits;
    struct ablate_patch out = { NAN, NAN };

    if (end[0] != end[1])
        out.patch = (difference(k->p, logits) - end[0]) / (end[1] - end[0]);
    cap_logits(k->j->m, logits);
    out.kl = effect_kl(k->probability, k->clean, k->log_sum, logits, effect_log_sum(logits, V),
                       V);
    return out;
}

/* ---- the passes ---- */

/* Runs of both texts; the values of the other one stand in. */
static int run_both(struct ablate_patched *p, struct ablate_run *r, struct ablate_values *values,
                    struct reading *k, struct err *e)
{
    const struct ablate_job *j = r->j;
    struct ablate_run other = { .j = j, .a = r->a, .item = p->other };
    size_t V = (size_t)j->m->n_logits;
    float *logits = arena_alloc_raw(r->a, V, sizeof *logits);

    if (ablate_run(&other, true, e) != 0)
        return err_under(e, "--patch");
    if (ablate_run(r, false, e) != 0)
        return -1;
    memcpy(values->z, other.z, sizeof values->z);
    r->values = values;
    k->clean = arena_alloc_raw(r->a, V, sizeof *k->clean);
    k->probability = arena_alloc_raw(r->a, V, sizeof *k->probability);
    row_logits(r, p->row, r->hidden, 1, k->clean, r->a);
    row_logits(&other, p->row, other.hidden, 1, logits, r->a);
    if (patch_choose(j, p, k->clean, logits, e) != 0)
        return -1;
    cap_logits(j->m, k->clean);
    k->log_sum = effect_log_sum(k->clean, (int)V);
    effect_softmax(k->probability, k->clean, k->log_sum, (int)V);
    return 0;
}

static int run_sets(struct ablate_job *j, const struct ablate_run *r, const struct reading *k,
                    const struct ablate_set *set, int n_sets, struct ablate_patch *out,
                    struct err *e)
{
    struct progress *progress = j->job.s.env->progress;
    size_t V = (size_t)j->m->n_logits;
    int status = 0;

    progress_begin(progress, "pass", n_sets);
    for (int i = 0, n; i < n_sets && status == 0; i += n) {
        struct arena_mark mark = arena_mark(r->a);
        float *hidden, *logits;

        n = ablate_group(r, &set[i], n_sets - i);
        hidden = arena_alloc_raw(r->a, (uint64_t)n * (uint64_t)r->T,
                                 (uint64_t)j->m->d_hidden * sizeof *hidden);
        logits = arena_alloc_raw(r->a, (size_t)n, V * sizeof *logits);
        ablate_time_begin(&j->time);
        status = ablate_run_sets(r, &set[i], n, hidden, e);
        ablate_time_run(&j->time);
        if (status == 0)
            row_logits(r, k->p->row, hidden, n, logits, r->a);
        for (int s = 0; s < n && status == 0; s++) {
            out[i + s] = read_logits(k, logits + (size_t)s * V);
            progress_step(progress);
        }
        if (status == 0)
            status = ablate_time_check(j, r, set, n_sets, n, 1, e);
        arena_reset(r->a, mark);
    }
    progress_end(progress);
    return status;
}

/* Each head, and with --by-position each of its rows; returns how many. */
static int make_sets(const struct ablate_job *j, struct arena *a, const struct item *item,
                     struct ablate_set **out)
{
    int *index = arena_alloc(a, (size_t)j->n_asked, sizeof *index), n = 0;
    uint64_t most = 0;

    for (int h = 0; h < j->n_asked; h++)
        most += 1 + (uint64_t)ablate_rows_of(j, item, &j->head[h])->n;
    *out = arena_alloc(a, most, sizeof **out);
    for (int h = 0; h < j->n_asked; h++) {
        int rows = j->args->by_position ? ablate_rows_of(j, item, &j->head[h])->n : 0;

        index[h] = h;
        for (int row = -1; row < rows; row++)
            (*out)[n++] = (struct ablate_set){ &index[h], 1, row };
    }
    return n;
}

/* What came of the sets, head by head. */
static void hand_out(const struct ablate_job *j, struct ablate_patched *p, struct arena *a,
                     struct ablate_patch *of)
{
    p->head = arena_alloc(a, (size_t)j->n_asked, sizeof *p->head);
    if (j->args->by_position)
        p->at = arena_alloc(a, (size_t)j->n_asked, sizeof *p->at);
    for (int h = 0; h < j->n_asked; h++) {
        p->head[h] = *of++;
        if (!j->args->by_position)
            continue;
        p->at[h] = of;
        of += ablate_rows_of(j, &p->item, &j->head[h])->n;
    }
}

int ablate_patch_text(struct ablate_job *j, struct arena *a, const struct item *item,
                      struct ablate_patched *out, struct err *e)
{
    struct ablate_run run = { .j = j, .a = a, .item = *item };
    struct ablate_values values = { .one_row = false };
    struct reading reading = { .j = j, .p = out };
    struct ablate_patch *of;
    struct ablate_set *set;
    int n;

    *out = (struct ablate_patched){ .item = *item };
    if (answer_row(&j->answer, item, &out->row, e) != 0 ||
        read_other(j, a, item, &out->other, e) != 0 ||
        run_both(out, &run, &values, &reading, e) != 0)
        return -1;
    n = make_sets(j, a, item, &set);
    of = arena_alloc(a, (size_t)n, sizeof *of);
    if (run_sets(j, &run, &reading, set, n, of, e) != 0)
        return -1;
    hand_out(j, out, a, of);
    return 0;
}
