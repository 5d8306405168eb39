/* SPDX-License-Identifier: MIT
 * --greedy: heads replaced one after the other, that of least effect first -> the joint effect of
 * 1, 2, 4, ... of them, compared with random sets of as many heads of each layer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sort.h"
#include "task/ablate/ablate.h"

enum { MOST_POINTS = 34 };          /* 1, 2, 4, ... below 2^31, and all */

/* Sums over texts, of each set. */
struct totals {
    double (*of)[N_ABLATE];     /* [n_sets] */
    int64_t n, n_rows;          /* texts, rows */
    double loss;
};

struct ablate_greedy_job {
    struct totals single;         /* of each asked head */
    int *order;                 /* [n_asked] of heads */
    double *step;               /* [n_asked] by what each was chosen */
    const struct item *only;    /* the only text; NULL: all are read again */
    struct arena *a;
    const struct ablate_set *set;       /* that are being evaluated */
    int n_sets;
    struct totals *into;
};

/* ---- sums ---- */

static void sums_init(struct totals *totals, struct arena *a, int n_sets)
{
    *totals = (struct totals){ .of = arena_alloc(a, (size_t)n_sets, sizeof *totals->of) };
}

static int greedy_add(struct ablate_job *job, struct arena *a, const struct item *item,
                      const struct ablate_set *set, int n_sets, struct totals *totals,
                      struct err *e)
{
    struct ablate_found found;

    if (ablate_text(job, a, item, set, n_sets, &found, e) != 0)
        return -1;
    if (found.partnerless || (job->measure != ABLATE_HIDDEN && found.n_rows == 0))
        return 0;
    for (int i = 0; i < n_sets; i++)
        for (int k = 0; k < N_ABLATE; k++)
            totals->of[i][k] += found.of[i][k];
    totals->loss += found.loss * found.n_rows;
    totals->n_rows += found.n_rows;
    totals->n++;
    return 0;
}

static double greedy_mean(const struct totals *totals, int set, int number)
{
    return totals->n > 0 ? totals->of[set][number] / (double)totals->n : NAN;
}

static int add_again(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct ablate_job *j = self;
    struct ablate_greedy_job *g = j->greedy;

    return greedy_add(j, a, item, g->set, g->n_sets, g->into, e);
}

/* What sets are worth in all texts. */
static int evaluate(struct ablate_job *job, const struct ablate_set *set, int n_sets,
                    struct totals *out, struct err *e)
{
    struct ablate_greedy_job *g = job->greedy;

    sums_init(out, g->a, n_sets);
    g->set = set;
    g->n_sets = n_sets;
    g->into = out;
    if (job->partners != NULL)
        job->partners = ablate_partners_new(g->a);
    return g->only != NULL ? add_again(job, g->a, g->only, e) :
           job_again(&job->job, add_again, job, e);
}

/* ---- the order ---- */

/* By what heads are ordered: the least first. */
static int greedy_key_of(const struct ablate_job *job)
{
    return job->measure == ABLATE_HIDDEN ? ABLATE_CHANGE : ABLATE_DLOSS;
}

static void order_once(struct ablate_job *job)
{
    struct ablate_greedy_job *g = job->greedy;
    double *key = arena_alloc(g->a, (size_t)job->n_asked, sizeof *key);
    const int *order;

    for (int i = 0; i < job->n_asked; i++)
        key[i] = -greedy_mean(&g->single, i, greedy_key_of(job));       /* the least first */
    order = sort_places(g->a, key, job->n_asked, false);
    for (int i = 0; i < job->n_asked; i++) {
        g->order[i] = order[i];
        g->step[i] = greedy_mean(&g->single, order[i], greedy_key_of(job));
    }
}

/* The chosen heads order[0 .. n - 1], and one after them that is not among them, each. */
static struct ablate_set *candidates(const struct ablate_job *job, int n, int *n_sets)
{
    const struct ablate_greedy_job *g = job->greedy;
    size_t most = (size_t)(job->n_asked - n);
    struct ablate_set *set = arena_alloc(g->a, most, sizeof *set);

    *n_sets = 0;
    for (int i = 0; i < job->n_asked; i++) {
        int *head = arena_alloc(g->a, (size_t)n + 1, sizeof *head);
        bool chosen = false;

        for (int k = 0; k < n; k++)
            chosen |= g->order[k] == i;
        if (chosen)
            continue;
        memcpy(head, g->order, (size_t)n * sizeof *head);
        head[n] = i;
        set[(*n_sets)++] = (struct ablate_set){ head, n + 1, -1 };
    }
    return set;
}

static int choose_next(struct ablate_job *job, int n, struct err *e)
{
    struct ablate_greedy_job *g = job->greedy;
    struct totals sums;
    int n_sets, best = 0;
    const struct ablate_set *set = candidates(job, n, &n_sets);

    if (evaluate(job, set, n_sets, &sums, e) != 0)
        return -1;
    for (int i = 1; i < n_sets; i++)
        if (greedy_mean(&sums, i, greedy_key_of(job)) <
            greedy_mean(&sums, best, greedy_key_of(job)))
            best = i;
    g->order[n] = set[best].head[n];
    g->step[n] = greedy_mean(&sums, best, greedy_key_of(job));
    return 0;
}

/* Each next one is the least worth after those before it. */
static int order_exactly(struct ablate_job *job, struct err *e)
{
    struct ablate_greedy_job *g = job->greedy;
    struct progress *progress = job->job.s.env->progress;
    int status = 0;

    order_once(job);              /* the first */
    progress_begin(progress, "head", job->n_asked - 1);
    for (int n = 1; n < job->n_asked && status == 0; n++) {
        struct arena_mark mark = arena_mark(g->a);

        status = choose_next(job, n, e);
        arena_reset(g->a, mark);
        progress_step(progress);
    }
    progress_end(progress);
    return status;
}

/* ---- the curve ---- */

/* "4" or "30%" of n_heads, at *s, which moves after it and the comma: a number of heads, 1 to
 * n_heads; -1: it is neither. */
static int next_point(const char **s, int n_heads)
{
    size_t digits = strspn(*s, "0123456789.");      /* not "nan", " 1", "0x10" */
    char *end = (char *)(uintptr_t)*s;
    double x = digits > 0 ? strtod(*s, &end) : -1;
    bool share;

    if (!(x >= 0) || end != *s + digits)
        return -1;
    share = *end == '%';
    end += share;
    if ((*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0'))
        return -1;
    *s = end + (*end == ',');
    if (share ? !(x > 0 && x <= 100) : !(x >= 1 && x <= n_heads && x == floor(x)))
        return -1;
    return share ? (int)fmax(1, floor(x / 100 * n_heads + 0.5)) : (int)x;
}

/* Rising numbers of heads, each once; returns how many, -1 with an error. */
static int listed_points(const char *list, int n_heads, int out[MOST_POINTS], struct err *e)
{
    int n = 0;

    for (const char *s = list; n == 0 || *s != '\0';) {
        int at = next_point(&s, n_heads), i = n;

        if (at < 0 || n == MOST_POINTS)
            return err_set(e, ERR_USAGE, "--points: '%s' is not a list such as 4,30%%: at most %d "
                           "numbers of heads, 1 to %d, and shares, to 100%%", list, MOST_POINTS,
                           n_heads);
        while (i > 0 && out[i - 1] > at) {
            out[i] = out[i - 1];
            i--;
        }
        if (i > 0 && out[i - 1] == at) {        /* it is there: close the gap again */
            memmove(out + i, out + i + 1, (size_t)(n - i) * sizeof *out);
            continue;
        }
        out[i] = at;
        n++;
    }
    return n;
}

/* Heads of each point: those that are asked for, or 1, 2, 4, ... and all; returns how many. */
static int points(const struct ablate_job *job, int out[MOST_POINTS])
{
    struct err none;
    int n = 0, n_heads = job->n_asked;

    if (job->args->points != NULL)        /* checked before */
        return listed_points(job->args->points, n_heads, out, &none);
    for (int64_t k = 1; k < n_heads; k *= 2)
        out[n++] = (int)k;
    out[n++] = n_heads;
    return n;
}

static double work_after(const struct ablate_job *job)
{
    int at[MOST_POINTS];
    double n = job->n_asked, curve = points(job, at) * (1 + ABLATE_RANDOM);

    return job->args->greedy == GREEDY_ONCE ? curve : curve + n * (n - 1) / 2;
}

/* Of each point the heads that are chosen, then random ones. */
static struct ablate_set *curve_sets(const struct ablate_job *job, const int *at, int n)
{
    const struct ablate_greedy_job *g = job->greedy;
    struct ablate_set *set = arena_alloc(g->a, (size_t)n, (1 + ABLATE_RANDOM) * sizeof *set);
    struct rng rng;

    rng_seed(&rng, (uint64_t)job->args->shared.asked.seed);
    for (int i = 0; i < n; i++) {
        struct ablate_set *first = &set[i * (1 + ABLATE_RANDOM)];

        first[0] = (struct ablate_set){ g->order, at[i], -1 };
        for (int k = 1; k <= ABLATE_RANDOM; k++)
            ablate_random(job, &first[0], &rng, &first[k]);
    }
    return set;
}

/* What the chosen heads of a point, and random ones, are worth: sets from `at` on. */
static struct ablate_point point_of(const struct ablate_job *job, const struct totals *totals,
                                    int at, int n_heads)
{
    struct ablate_point point = { .n_heads = n_heads, .low = INFINITY, .high = -INFINITY };

    for (int i = 0; i < N_ABLATE; i++)
        point.of[i] = greedy_mean(totals, at, i);
    for (int k = 1; k <= ABLATE_RANDOM; k++) {
        double x = greedy_mean(totals, at + k, greedy_key_of(job));

        point.mean += x / ABLATE_RANDOM;
        point.low = fmin(point.low, x);
        point.high = fmax(point.high, x);
    }
    return point;
}

/* of: for the caption, ", “the cat sat”"; path: of a picture. */
static int greedy_report(struct ablate_job *job, const char *of, const char *path, struct err *e)
{
    struct ablate_greedy_job *g = job->greedy;
    int at[MOST_POINTS], n = points(job, at);
    struct ablate_point *point = arena_alloc(g->a, (size_t)n, sizeof *point);
    struct ablate_curve curve;
    struct totals sums;

    if (evaluate(job, curve_sets(job, at, n), n * (1 + ABLATE_RANDOM), &sums, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        point[i] = point_of(job, &sums, i * (1 + ABLATE_RANDOM), at[i]);
    curve = (struct ablate_curve){
        .order = g->order, .step = g->step, .point = point, .n_points = n,
        .n_texts = sums.n, .n_rows = sums.n_rows,
        .loss = sums.n_rows > 0 ? sums.loss / (double)sums.n_rows : NAN };
    if (output_is_picture(&job->job.results.output))
        return ablate_greedy_draw(job, g->a, &curve, of, path, e);
    ablate_greedy_write(job, g->a, &curve);
    return 0;
}

/* ---- the command ---- */

int ablate_greedy_check(const struct ablate_job *job, struct err *e)
{
    const struct ablate_args *args = job->args;

    if (args->greedy != GREEDY_OFF && output_is_picture(&job->job.results.output) &&
        args->metric > 0)
        return err_set(e, ERR_USAGE, "--greedy, --metric: the curve has what heads are ordered "
                       "by, as random sets have it");
    return 0;
}

int ablate_greedy_open(struct ablate_job *job, struct err *e)
{
    struct arena *a = job->job.s.a;
    int at[MOST_POINTS];

    if (job->args->points != NULL && listed_points(job->args->points, job->n_asked, at, e) < 0)
        return -1;
    job->greedy = arena_alloc(a, 1, sizeof *job->greedy);
    *job->greedy = (struct ablate_greedy_job){
        .a = a, .order = arena_alloc(a, (size_t)job->n_asked, sizeof *job->greedy->order),
        .step = arena_alloc(a, (size_t)job->n_asked, sizeof *job->greedy->step) };
    sums_init(&job->greedy->single, a, job->n_asked);
    job->has_direct = false;      /* it is of single heads */
    job->work_after = work_after(job);
    return 0;
}

static int greedy_finish(struct ablate_job *job, const char *of, const char *path, struct err *e)
{
    if (job->args->greedy == GREEDY_EXACT) {
        if (order_exactly(job, e) != 0)
            return -1;
    } else
        order_once(job);
    return greedy_report(job, of, path, e);
}

/* A text's single heads; with --summary those of the others follow. */
static int add_single(struct ablate_job *job, struct arena *a, const struct item *item,
                      struct err *e)
{
    if (!job->args->summary && input_is_file(job->job.in))
        return err_set(e, ERR_USAGE, "--greedy: several texts require --summary");
    return greedy_add(job, a, item, job->set, job->n_sets, &job->greedy->single, e);
}

int ablate_greedy_text(struct ablate_job *job, struct arena *a, const struct item *item,
                       struct err *e)
{
    int status;

    if (add_single(job, a, item, e) != 0)
        return -1;
    if (job->args->summary)
        return 0;
    job->greedy->only = item;
    if (results_begin(&job->job.results, a, item, e) != 0)
        return -1;
    status = greedy_finish(job, "", NULL, e);
    return status != 0 ? -1 : results_end(&job->job.results, e);
}

int ablate_greedy_picture(struct ablate_job *job, struct arena *a, const struct item *item,
                          const char *path, struct err *e)
{
    if (add_single(job, a, item, e) != 0)
        return -1;
    job->greedy->only = item;
    return greedy_finish(job, figure_text(a, item), path, e);
}

int ablate_greedy_end(struct ablate_job *job, struct err *e)
{
    const char *of = arena_printf(job->greedy->a, ", mean of %lld texts",
                                  (long long)job->greedy->single.n);

    return greedy_finish(job, of, job->job.results.output.path, e);
}
