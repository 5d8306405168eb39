/* SPDX-License-Identifier: MIT
 * One text -> the effect of replacing each set of heads in it. */
#include <math.h>
#include <string.h>

#include "analysis/effect.h"
#include "base/rng.h"
#include "task/ablate/ablate.h"

/* Sums over all runs of the text. */
struct text_sums {
    struct ablate_job *j;
    struct arena *a;
    const struct ablate_set *set;       /* [n_sets] */
    int n_sets;
    double *nll, *kl, *change;  /* [n_sets] */
    double *direct;             /* [n_heads]; NULL: undefined */
    double loss;
    int n_rows, n_runs;         /* runs: of the text, or of it with each masked token */
};

/* ---- rows ---- */

/* Rows that have a next token which the head knows. */
static void next_rows(struct ablate_run *run, const struct tokens *tokens, int V)
{
    int *row = arena_alloc(run->a, (size_t)tokens->n, sizeof *row);
    int *id = arena_alloc(run->a, (size_t)tokens->n, sizeof *id);

    for (int i = 0; i + 1 < tokens->n; i++) {
        if (tokens->id == NULL || tokens->id[i + 1] >= V)
            continue;
        row[run->n_rows] = i;
        id[run->n_rows++] = tokens->id[i + 1];
    }
    run->row = row;
    run->id = id;
}

/* Of a text's tokens those that are masked, in their order; returns how many. */
static int choose_masked(const struct ablate_job *job, const struct item *item, int *out)
{
    const struct tokens *t = &item->tokens;
    int n = 0, wanted, kept = 0;
    struct rng rng;

    for (int i = 0; job->mask_id >= 0 && i < t->n; i++)
        if (!t->special[i] && t->id[i] != job->mask_id && t->id[i] < job->m->n_logits)
            out[n++] = i;
    wanted = job->args->sample < n ? job->args->sample : n;
    rng_seed(&rng, (uint64_t)job->args->shared.asked.seed + (uint64_t)item->index +
             ((uint64_t)item->part << 32));
    for (int i = 0; i < n; i++)         /* each set of that size is as likely */
        if (rng_uniform(&rng) * (n - i) < wanted - kept)
            out[kept++] = out[i];
    return kept;
}

/* The item with a token masked, whose row alone counts. */
static void mask_token(struct ablate_run *run, const struct item *item, int at)
{
    int *id = arena_alloc(run->a, (size_t)item->tokens.n, sizeof *id);
    int *only = arena_alloc(run->a, 2, sizeof *only);

    memcpy(id, item->tokens.id, (size_t)item->tokens.n * sizeof *id);
    only[0] = at;
    only[1] = id[at];
    id[at] = run->j->mask_id;
    run->item.tokens.id = id;
    run->row = &only[0];
    run->id = &only[1];
    run->n_rows = 1;
}

/* ---- one run ---- */

static void add_hidden(struct text_sums *sums, const struct ablate_run *run, const float *hidden,
                       int first, int n)
{
    int64_t size = (int64_t)run->T * sums->j->m->d_hidden;

    for (int i = 0; i < n; i++)
        sums->change[first + i] = effect_distance(run->hidden, hidden + i * size, size);
}

static void add_loss(struct text_sums *s, const struct ablate_run *run, const float *hidden,
                     int first, int n)
{
    struct ablate_sums *sums = arena_alloc(s->a, (size_t)n, sizeof *sums);
    double clean;

    ablate_measure(run, hidden, n, sums, &clean);
    for (int i = 0; i < n; i++) {
        s->nll[first + i] += sums[i].nll - clean;
        s->kl[first + i] += sums[i].kl;
    }
    s->loss += first == 0 ? clean : 0;
}

static int run_sets(struct text_sums *sums, const struct ablate_run *run, struct err *e)
{
    struct ablate_job *j = sums->j;
    struct progress *progress = j->job.s.env->progress;
    int64_t size = (int64_t)run->T * j->m->d_hidden;
    int status = 0;

    progress_begin(progress, "pass", sums->n_sets);
    for (int i = 0, n; i < sums->n_sets && status == 0; i += n) {
        struct arena_mark mark = arena_mark(sums->a);
        float *hidden;

        n = ablate_group(run, &sums->set[i], sums->n_sets - i);
        hidden = arena_alloc_raw(sums->a, (uint64_t)n, (uint64_t)size * sizeof *hidden);
        ablate_time_begin(&j->time);
        status = ablate_run_sets(run, &sums->set[i], n, hidden, e);
        ablate_time_run(&j->time);
        if (status == 0)
            (j->measure == ABLATE_HIDDEN ? add_hidden : add_loss)(sums, run, hidden, i, n);
        if (status == 0)
            status = ablate_time_check(j, run, sums->set, sums->n_sets, n, sums->n_runs, e);
        for (int k = 0; k < n; k++)
            progress_step(progress);
        arena_reset(sums->a, mark);
    }
    progress_end(progress);
    return status;
}

static int one_run(struct text_sums *sums, struct ablate_run *run, struct err *e)
{
    if (ablate_run(run, sums->direct != NULL, e) != 0 || run_sets(sums, run, e) != 0)
        return -1;
    sums->n_rows += run->n_rows;
    return sums->direct != NULL ? ablate_direct(run, sums->direct, e) : 0;
}

static int each_masked(struct text_sums *sums, const struct ablate_run *like,
                       struct ablate_found *out, struct err *e)
{
    const struct tokens *t = &like->item.tokens;
    int *masked = arena_alloc(sums->a, (size_t)t->n, sizeof *masked);
    int status = 0;

    out->n_masked = choose_masked(sums->j, &like->item, masked);
    out->masked = masked;
    sums->n_runs = out->n_masked;
    for (int i = 0; i < out->n_masked && status == 0; i++) {
        struct arena_mark mark = arena_mark(sums->a);
        struct ablate_run run = *like;

        mask_token(&run, &like->item, masked[i]);
        status = one_run(sums, &run, e);
        arena_reset(sums->a, mark);
    }
    return status;
}

/* ---- all of it ---- */

static void ablate_text_undefined(struct ablate_found *out, int n)
{
    for (int i = 0; i < n * N_ABLATE; i++)
        out->of[i / N_ABLATE][i % N_ABLATE] = NAN;
    out->loss = NAN;
}

static double direct_of(const struct text_sums *sums, const struct ablate_set *set)
{
    double sum = 0;

    for (int i = 0; i < set->n; i++)
        sum += sums->direct[set->head[i]];
    return sum;
}

static void ablate_text_finish(const struct text_sums *sums, struct ablate_found *out)
{
    const struct ablate_job *j = sums->j;

    out->n_rows = sums->n_rows;
    for (int i = 0; i < sums->n_sets; i++) {
        if (j->measure == ABLATE_HIDDEN)
            out->of[i][ABLATE_CHANGE] = sums->change[i];
        if (j->measure == ABLATE_HIDDEN || sums->n_rows == 0)
            continue;
        out->of[i][ABLATE_DLOSS] = sums->nll[i] / sums->n_rows;
        out->of[i][ABLATE_KL] = sums->kl[i] / sums->n_rows;
        if (sums->direct != NULL)
            out->of[i][ABLATE_DIRECT] = direct_of(sums, &sums->set[i]) / sums->n_rows;
    }
    if (sums->n_rows > 0)
        out->loss = sums->loss / sums->n_rows;
}

static int ablate_text_run(struct text_sums *sums, struct ablate_run *run, struct ablate_found *out,
                           struct err *e)
{
    if (sums->j->measure == ABLATE_MASKED)
        return each_masked(sums, run, out, e);
    if (sums->j->measure == ABLATE_NEXT)
        next_rows(run, session_queries(&sums->j->job.s, &run->item), sums->j->m->n_logits);
    return one_run(sums, run, e);
}

int ablate_text(struct ablate_job *job, struct arena *a, const struct item *item,
                const struct ablate_set *set, int n_sets, struct ablate_found *out,
                struct err *e)
{
    size_t n = (size_t)n_sets;
    struct text_sums sums = { .j = job, .a = a, .set = set, .n_sets = n_sets, .n_runs = 1,
                              .nll = arena_alloc(a, n, sizeof(double)),
                              .kl = arena_alloc(a, n, sizeof(double)),
                              .change = arena_alloc(a, n, sizeof(double)) };
    struct ablate_run run = { .j = job, .a = a, .item = *item };

    *out = (struct ablate_found){ .of = arena_alloc(a, n, sizeof *out->of) };
    ablate_text_undefined(out, n_sets);
    if (job->args->with == ABLATE_RESAMPLE && ablate_partner(job, a, item, &run.values, e) != 0)
        return -1;
    if (job->args->with == ABLATE_MEAN)
        run.values = ablate_means_values(job, item);
    out->partnerless = run.values == NULL && (job->args->with == ABLATE_RESAMPLE ||
                                              job->args->with == ABLATE_MEAN);
    if (out->partnerless)
        return 0;
    if (job->has_direct)
        sums.direct = arena_alloc(a, (size_t)job->n_heads, sizeof *sums.direct);
    if (ablate_text_run(&sums, &run, out, e) != 0)
        return -1;
    ablate_text_finish(&sums, out);
    return 0;
}
