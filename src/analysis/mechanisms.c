/* SPDX-License-Identifier: MIT
 * A layer's queries, keys and values -> the results of every mechanism, by a tap. */
#include "analysis/mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/divergence.h"
#include "analysis/mechanisms_check.h"
#include "run/row.h"

double mechanisms_change(const float *x, const float *y, int64_t n)
{
    double off = 0, all = 0;

    for (int64_t i = 0; i < n; i++) {
        double d = (double)x[i] - y[i];

        off += d * d;
        all += (double)y[i] * y[i];
    }
    return all > 0 && isfinite(off) && isfinite(all) ? sqrt(off / all) : NAN;
}

/* ---- time ---- */

static double thread_s(void)
{
    struct timespec timespec;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &timespec);
    return (double)timespec.tv_sec + 1e-9 * (double)timespec.tv_nsec;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* The median of runs, each long enough for the clock. */
static double median_s(const struct mechanism_heads *heads, float *z, int repeats,
                       struct arena *a)
{
    static const double SHORTEST = 1e-3;
    double *s = arena_alloc_raw(a, (size_t)repeats, sizeof *s), one;
    int64_t *scores = arena_alloc(a, (size_t)heads->n, sizeof *scores);
    void *room = arena_alloc_raw(a, heads->room_bytes, 1);
    int count;

    one = thread_s();
    mechanism_attend_alone(heads, z, scores, room);
    one = thread_s() - one;
    count = one * 1000 > SHORTEST ? (int)(SHORTEST / one) + 1 : 1000;
    for (int r = 0; r < repeats; r++) {
        double start = thread_s();

        for (int i = 0; i < count; i++)
            mechanism_attend_alone(heads, z, scores, room);
        s[r] = (thread_s() - start) / count;
    }
    qsort(s, (size_t)repeats, sizeof *s, by_size);
    return repeats % 2 == 1 ? s[repeats / 2] : (s[repeats / 2 - 1] + s[repeats / 2]) / 2;
}

/* ---- rows ---- */

struct row_sums {
    double js, entropy;
    int64_t n, same;
    bool undefined;             /* a weight is not finite */
};

struct rows_job {
    const struct mechanisms *c;
    const struct qkv_view *v;
    const struct mechanism_heads *h;
    float *exact;               /* [H, T, S]; NULL: nothing to compare with */
    struct row_sums *sums;      /* [H] */
    float *kept;                /* [T, S] of kept_head; NULL: not wanted */
    float *all;                 /* [H, T, S]; NULL: not wanted */
};

static bool sees_any(const float *a, int n)
{
    for (int j = 0; j < n; j++)
        if (a[j] != 0)
            return true;
    return false;
}

/* exact NULL: w stands alone, and js and same mean nothing. */
static struct row_sums mechanisms_compare(const float *w, const float *exact, int T, int S)
{
    struct row_sums sums = { .undefined = !mechanisms_all_finite(w, (int64_t)T * S) };

    for (int i = 0; i < T && !sums.undefined; i++, w += S) {
        const float *own = exact != NULL ? exact + (int64_t)i * S : w;

        if (!sees_any(own, S) || !sees_any(w, S))
            continue;
        sums.n++;
        sums.js += divergence_js(w, own, S);
        sums.entropy += row_entropy(w, S);
        sums.same += row_strongest(w, S) == row_strongest(own, S);
    }
    return sums;
}

/* Never seen: by the model, or by a mechanism that leaves pairs out. */
static void mechanisms_keep(float *kept, const float *w, const struct attention *a, bool sparse)
{
    int S = a->at.S;

    for (int i = 0; i < a->T; i++)
        for (int j = 0; j < S; j++) {
            int64_t at = (int64_t)i * S + j;

            kept[at] = visible(&a->at, i, j) && !(sparse && w[at] == 0) ? w[at] : NAN;
        }
}

static void own_rows_task(void *self, int i, struct arena *scratch)
{
    const struct rows_job *job = self;

    mechanism_rows(job->h, i, job->exact + (int64_t)i * job->v->T * job->v->S, scratch);
}

/* Whether the rows of this head count. */
static bool mechanisms_counts(const struct rows_job *job, int head)
{
    const struct wanted *heads = job->c->opts->heads;

    return heads == NULL || wanted_head(heads, job->v->layer, head);
}

static void rows_task(void *self, int i, struct arena *scratch)
{
    const struct rows_job *job = self;
    int64_t count = (int64_t)job->v->T * job->v->S;
    const struct mechanisms_opts *opts = job->c->opts;
    bool any = false;
    float *w;

    for (int k = i * job->h->joined; k < (i + 1) * job->h->joined; k++)
        any = any || mechanisms_counts(job, k) || k == opts->kept_head;
    if (!any)
        return;
    w = arena_alloc_raw(scratch, (size_t)count, sizeof *w);
    mechanism_rows(job->h, i, w, scratch);
    for (int k = i * job->h->joined; k < (i + 1) * job->h->joined; k++) {
        const float *exact = job->exact != NULL ? job->exact + k * count : NULL;

        if (mechanisms_counts(job, k))
            job->sums[k] = mechanisms_compare(w, exact, job->v->T, job->v->S);
        if (mechanisms_counts(job, k) && job->all != NULL)
            memcpy(job->all + k * count, w, (size_t)count * sizeof *w);
        if (k == opts->kept_head && job->kept != NULL)
            mechanisms_keep(job->kept, w, &job->h->head[i], job->h->mechanism->sparse);
    }
}

/* Means over the rows of sums; compared: js and links mean something. */
static void set_means(double *js, double *links_kept, double *entropy,
                      const struct row_sums *sums, bool compared)
{
    if (sums->n == 0 || sums->undefined)
        return;
    *entropy = sums->entropy / (double)sums->n;
    if (!compared)
        return;
    *js = sums->js / (double)sums->n;
    *links_kept = (double)sums->same / (double)sums->n;
}

static void compare_rows(struct mechanism_result *result, struct rows_job *job)
{
    int H = job->v->H;
    bool compared = job->exact != NULL;
    struct row_sums all = { 0 };

    job->sums = arena_alloc(job->c->a, (size_t)H, sizeof *job->sums);
    par_for(job->c->par, job->h->n, rows_task, job);
    for (int head = 0; head < H; head++) {
        const struct row_sums *sums = &job->sums[head];

        set_means(&result->head[head].js, &result->head[head].links_kept,
                  &result->head[head].entropy, sums, compared);
        all.js += sums->js;
        all.entropy += sums->entropy;
        all.n += sums->n;
        all.same += sums->same;
        all.undefined = all.undefined || sums->undefined;
    }
    set_means(&result->js, &result->links_kept, &result->entropy, &all, compared);
}

/* ---- one layer ---- */

static struct mechanism_heads mechanisms_heads_of(const struct mechanisms_opts *opts, int id,
                                                  const struct qkv_view *view, struct arena *a)
{
    return mechanism_heads(mechanism_table[id], &opts->params,
                           id == MECHANISM_additive ? opts->additive : NULL, view, a);
}

/* The model's own attention in a layer, and room for another; own ones are NULL where
 * nothing is compared with it. */
struct layer_room {
    float *z, *own_z;           /* [T, H d_v] */
    float *out, *own_out;       /* [T, D] */
    float *exact;               /* [H, T, S] */
};

static float *floats(struct arena *a, int64_t rows, int64_t columns)
{
    return arena_alloc_raw(a, (size_t)rows, (size_t)columns * sizeof(float));
}

/* |z' - z| / |z| of one head. */
static double head_error(const struct layer_room *room, const struct qkv_view *view, int head)
{
    int d_v = view->at->d_v;
    double off = 0, all = 0;

    for (int i = 0; i < view->T; i++)
        for (int c = 0; c < d_v; c++) {
            int64_t at = ((int64_t)i * view->H + head) * d_v + c;
            double d = (double)room->z[at] - room->own_z[at];

            off += d * d;
            all += (double)room->own_z[at] * room->own_z[at];
        }
    return all > 0 && isfinite(off) && isfinite(all) ? sqrt(off / all) : NAN;
}

/* What one run tells of each head and of all. */
static void set_heads(struct mechanism_result *result, const struct mechanism_heads *heads,
                      const int64_t *scores, const struct qkv_view *view,
                      const struct layer_room *room)
{
    double all = 0, seen = 0;

    for (int head = 0; head < view->H; head++) {
        double own = (double)mechanism_seen(view, head);

        result->head[head] = (struct mechanism_head_result){
            room->own_z != NULL ? head_error(room, view, head) : NAN, NAN, NAN, NAN,
            (double)scores[head / heads->joined] / own,
        };
        all += (double)scores[head / heads->joined];
        seen += own;
    }
    result->scores = all / seen;
}

/* Of what an attention of the model gives a row. */
static int out_width(const struct mechanisms *mechanisms)
{
    return model_attention_width(mechanisms->model);
}

static int one_mechanism(struct mechanisms *mechanisms, const struct qkv_view *view, int id,
                         struct layer_room *room, struct err *e)
{
    struct mechanism_result *result = &mechanisms->result[view->layer * N_MECHANISM + id];
    struct mechanism_heads heads = mechanisms_heads_of(mechanisms->opts, id, view, mechanisms->a);
    struct rows_job job = { .c = mechanisms, .v = view, .h = &heads, .exact = room->exact };
    int64_t count = (int64_t)view->T * out_width(mechanisms);
    int64_t *scores = arena_alloc(mechanisms->a, (size_t)view->H, sizeof *scores);

    if (heads.refused != NULL) {
        snprintf(result->reason, sizeof result->reason, "%s", heads.refused);
        result->refused = result->reason;
        return 0;
    }
    result->bytes = (int64_t)heads.room_bytes;
    mechanism_attend_alone(&heads, room->z, scores,
                           arena_alloc_raw(mechanisms->a, heads.room_bytes, 1));
    set_heads(result, &heads, scores, view, room);
    run_attention_output(mechanisms->model, view->layer, view->stack, room->out, room->z, view->T,
                         mechanisms->par, mechanisms->a);
    if (mechanisms_check_output(mechanisms->model, view, room->z, room->out, out_width(mechanisms),
                                e) != 0)
        return -1;
    if (room->own_out != NULL)
        result->error = mechanisms_change(room->out, room->own_out, count);
    if (mechanisms->opts->repeats > 0)
        result->seconds = median_s(&heads, room->z, mechanisms->opts->repeats, mechanisms->a);
    if (mechanisms->kept != NULL)
        job.kept = mechanisms->kept + (int64_t)id * view->T * view->S;
    if (mechanisms->opts->arrays != NULL)
        job.all = floats(mechanisms->a, (int64_t)view->H * view->T, view->S);
    if (mechanisms->opts->rows)
        compare_rows(result, &job);
    if (mechanisms->opts->arrays != NULL)
        mechanisms->opts->arrays->take(mechanisms->opts->arrays->self, view->layer,
                                       (enum mechanism_id)id, job.all, room->out);
    return 0;
}

static int run_own(struct mechanisms *mechanisms, const struct qkv_view *view,
                   struct layer_room *room, struct err *e)
{
    struct mechanism_params params = mechanisms->opts->params;
    struct mechanism_heads own = mechanism_heads(mechanism_table[MECHANISM_exact], &params,
                                                 NULL, view, mechanisms->a);
    struct rows_job job = { .c = mechanisms, .v = view, .h = &own };

    room->own_z = floats(mechanisms->a, view->T, (int64_t)view->H * view->at->d_v);
    room->own_out = floats(mechanisms->a, view->T, out_width(mechanisms));
    mechanism_attend(&own, room->own_z, mechanisms->par);
    run_attention_output(mechanisms->model, view->layer, view->stack, room->own_out, room->own_z,
                         view->T, mechanisms->par, mechanisms->a);
    if (mechanisms_check_output(mechanisms->model, view, room->own_z, room->own_out,
                                out_width(mechanisms), e) != 0)
        return -1;
    if (!mechanisms->opts->rows)
        return 0;
    job.exact = room->exact = floats(mechanisms->a, (int64_t)view->H * view->T, view->S);
    par_for(mechanisms->par, own.n, own_rows_task, &job);
    return 0;
}

static int mechanisms_take(void *self, const struct qkv_view *view, struct err *e)
{
    struct mechanisms *mechanisms = self;
    struct layer_room room = { .z = floats(mechanisms->a, view->T,
                                           (int64_t)view->H * view->at->d_v),
                               .out = floats(mechanisms->a, view->T, out_width(mechanisms)) };
    int status = 0;

    if (mechanisms_check_view(mechanisms->model, view, e) != 0 ||
        (mechanisms->opts->error && run_own(mechanisms, view, &room, e) != 0))
        return -1;
    progress_begin(par_progress(mechanisms->par), "mechanism",
                   mechanisms_count(mechanisms->opts));
    for (int id = 0; id < N_MECHANISM && status == 0; id++) {
        struct arena_mark mark = arena_mark(mechanisms->a);

        if (!mechanisms_covers(mechanisms->opts, (enum mechanism_id)id))
            continue;
        status = one_mechanism(mechanisms, view, id, &room, e);
        arena_reset(mechanisms->a, mark);
        progress_step(par_progress(mechanisms->par));
    }
    progress_end(par_progress(mechanisms->par));
    return status;
}

struct mechanisms *mechanisms_new(struct arena *a, const struct model *model,
                                  const struct mechanisms_opts *opts, int n_queries,
                                  int n_keys, struct par *par)
{
    struct mechanisms *mechanisms = arena_alloc(a, 1, sizeof *mechanisms);
    struct mechanism_head_result *head;
    size_t count = (size_t)model->config.n_layers * N_MECHANISM;

    *mechanisms = (struct mechanisms){ .n_layers = model->config.n_layers,
                                       .opts = opts,
                                       .model = model,
                                       .par = par,
                                       .a = a };
    mechanisms->result = arena_alloc(a, count, sizeof *mechanisms->result);
    head = arena_alloc(a, count * (uint64_t)model->config.n_heads, sizeof *head);
    for (size_t i = 0; i < count; i++)
        mechanisms->result[i] = (struct mechanism_result){
            .error = NAN, .js = NAN, .links_kept = NAN, .entropy = NAN, .scores = NAN,
            .seconds = NAN, .head = head + i * (size_t)model->config.n_heads,
        };
    for (size_t i = 0; i < count * (size_t)model->config.n_heads; i++)
        head[i] = (struct mechanism_head_result){ NAN, NAN, NAN, NAN, NAN };
    if (opts->kept_head >= 0)
        mechanisms->kept = floats(a, N_MECHANISM * (int64_t)n_queries, n_keys);
    return mechanisms;
}

struct tap mechanisms_tap(struct mechanisms *mechanisms)
{
    return (struct tap){ .take = mechanisms_take, .self = mechanisms };
}

const struct mechanism_result *mechanisms_at(const struct mechanisms *mechanisms, int layer,
                                             enum mechanism_id id)
{
    return &mechanisms->result[layer * N_MECHANISM + (int)id];
}

/* ---- in every layer ---- */

static int attend(void *self, const struct qkv_view *view, float *z, struct par *par,
                  struct err *e)
{
    struct mechanisms_replacement *replacement = self;
    struct mechanism_heads heads = mechanisms_heads_of(replacement->opts, (int)replacement->id,
                                                       view, replacement->a);

    replacement->refused = heads.refused;
    if (heads.refused != NULL)
        return err_set(e, ERR_INPUT, "%s in layer %d: %s",
                       mechanism_names[replacement->id], view->layer, heads.refused);
    mechanism_attend(&heads, z, par);
    return 0;
}

struct tap mechanisms_replacement_tap(struct mechanisms_replacement *replacement)
{
    return (struct tap){ .attend = attend, .self = replacement };
}
