/* SPDX-License-Identifier: MIT
 * The tap that runs every mechanism on a layer's queries, keys and values. */
#include "analysis/mechanisms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/divergence.h"
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
static double median_s(const struct mechanism_heads *h, float *z, int repeats,
                       struct arena *a)
{
    static const double SHORTEST = 1e-3;
    double *s = arena_alloc_raw(a, (size_t)repeats, sizeof *s), one;
    void *room = arena_alloc_raw(a, h->room_bytes, 1);
    int count;

    one = thread_s();
    mechanism_attend_alone(h, z, room);
    one = thread_s() - one;
    count = one * 1000 > SHORTEST ? (int)(SHORTEST / one) + 1 : 1000;
    for (int r = 0; r < repeats; r++) {
        double start = thread_s();

        for (int i = 0; i < count; i++)
            mechanism_attend_alone(h, z, room);
        s[r] = (thread_s() - start) / count;
    }
    qsort(s, (size_t)repeats, sizeof *s, by_size);
    return repeats % 2 == 1 ? s[repeats / 2] : (s[repeats / 2 - 1] + s[repeats / 2]) / 2;
}

/* ---- rows ---- */

struct row_sums {
    double js, entropy;
    int64_t n, same;
};

struct rows_job {
    const struct mechanisms *c;
    const struct qkv_view *v;
    const struct mechanism_heads *h;
    float *exact;               /* [H, T, S]; h is the model's own: out */
    struct row_sums *sums;      /* [H] */
    float *kept;                /* [T, S] of kept_head; NULL: not wanted */
};

static bool sees_any(const float *a, int n)
{
    for (int j = 0; j < n; j++)
        if (a[j] != 0)
            return true;
    return false;
}

static struct row_sums compare(const float *w, const float *exact, int T, int S)
{
    struct row_sums sums = { 0 };

    for (int i = 0; i < T; i++, w += S, exact += S) {
        if (!sees_any(exact, S) || !sees_any(w, S))
            continue;
        sums.n++;
        sums.js += divergence_js(w, exact, S);
        sums.entropy += row_entropy(w, S);
        sums.same += row_strongest(w, S) == row_strongest(exact, S);
    }
    return sums;
}

/* Never seen: by the model, or by a mechanism that leaves pairs out. */
static void keep(float *kept, const float *w, const struct attention *a, bool sparse)
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
static bool counts(const struct rows_job *j, int head)
{
    const struct wanted *heads = j->c->opts->heads;

    return heads == NULL || wanted_head(heads, j->v->layer, head);
}

static void rows_task(void *self, int i, struct arena *scratch)
{
    const struct rows_job *job = self;
    int64_t count = (int64_t)job->v->T * job->v->S;
    const struct mechanisms_opts *opts = job->c->opts;
    bool any = false;
    float *w;

    for (int k = i * job->h->joined; k < (i + 1) * job->h->joined; k++)
        any = any || counts(job, k) || k == opts->kept_head;
    if (!any)
        return;
    w = arena_alloc_raw(scratch, (size_t)count, sizeof *w);
    mechanism_rows(job->h, i, w, scratch);
    for (int k = i * job->h->joined; k < (i + 1) * job->h->joined; k++) {
        if (counts(job, k))
            job->sums[k] = compare(w, job->exact + k * count, job->v->T, job->v->S);
        if (k == opts->kept_head && job->kept != NULL)
            keep(job->kept, w, &job->h->head[i], job->h->mechanism->sparse);
    }
}

static void compare_rows(struct mechanism_result *r, struct rows_job *j)
{
    int H = j->v->H;
    struct row_sums all = { 0 };

    j->sums = arena_alloc(j->c->a, (size_t)H, sizeof *j->sums);
    par_for(j->c->par, j->h->n, rows_task, j);
    for (int head = 0; head < H; head++) {
        all.js += j->sums[head].js;
        all.entropy += j->sums[head].entropy;
        all.n += j->sums[head].n;
        all.same += j->sums[head].same;
    }
    if (all.n == 0)
        return;
    r->js = all.js / (double)all.n;
    r->entropy = all.entropy / (double)all.n;
    r->links_kept = (double)all.same / (double)all.n;
}

/* ---- one layer ---- */

static struct mechanism_heads heads_of(const struct mechanisms_opts *o, int id,
                                       const struct qkv_view *v, struct arena *a)
{
    return mechanism_heads(mechanism_table[id], &o->params,
                           id == MECHANISM_additive ? o->additive : NULL, v, a);
}

struct layer_room {
    float *z, *out, *own_out;   /* [T, H d_v], [T, D], [T, D] of the model's own */
    float *exact;               /* [H, T, S] */
    double n_own;               /* scores of the model's own */
};

static float *floats(struct arena *a, int64_t rows, int64_t columns)
{
    return arena_alloc_raw(a, (size_t)rows, (size_t)columns * sizeof(float));
}

static void one_mechanism(struct mechanisms *c, const struct qkv_view *v, int id,
                          struct layer_room *room)
{
    struct mechanism_result *result = &c->result[v->layer * N_MECHANISM + id];
    struct mechanism_heads heads = heads_of(c->opts, id, v, c->a);
    struct rows_job job = { .c = c, .v = v, .h = &heads, .exact = room->exact };
    int64_t count = (int64_t)v->T * c->model->config.d_model;

    result->refused = heads.refused;
    if (heads.refused != NULL)
        return;
    result->bytes = (int64_t)heads.room_bytes;
    result->scores = (double)mechanism_attend_alone(
                         &heads, room->z, arena_alloc_raw(c->a, heads.room_bytes, 1)) *
                     heads.joined / room->n_own;
    run_attention_output(c->model, v->layer, v->stack, room->out, room->z, v->T, c->par);
    result->error = mechanisms_change(room->out, room->own_out, count);
    if (c->opts->repeats > 0)
        result->seconds = median_s(&heads, room->z, c->opts->repeats, c->a);
    if (c->kept != NULL)
        job.kept = c->kept + (int64_t)id * v->T * v->S;
    if (c->opts->rows)
        compare_rows(result, &job);
}

static void take(void *self, const struct qkv_view *v)
{
    struct mechanisms *mechanisms = self;
    struct mechanism_heads own = heads_of(mechanisms->opts, MECHANISM_exact, v,
                                          mechanisms->a);
    struct layer_room room = { .z = floats(mechanisms->a, v->T,
                                           (int64_t)v->H * v->at->d_v) };
    int64_t D = mechanisms->model->config.d_model;

    room.out = floats(mechanisms->a, v->T, D);
    room.own_out = floats(mechanisms->a, v->T, D);
    room.n_own = (double)mechanism_attend_alone(
        &own, room.z, arena_alloc_raw(mechanisms->a, own.room_bytes, 1));
    run_attention_output(mechanisms->model, v->layer, v->stack, room.own_out, room.z,
                         v->T, mechanisms->par);
    if (mechanisms->opts->rows) {
        struct rows_job job = { .c = mechanisms, .v = v, .h = &own };

        job.exact = room.exact = floats(mechanisms->a, (int64_t)v->H * v->T, v->S);
        par_for(mechanisms->par, own.n, own_rows_task, &job);
    }
    progress_begin(par_progress(mechanisms->par), "mechanism",
                   mechanisms_count(mechanisms->opts));
    for (int id = 0; id < N_MECHANISM; id++) {
        struct arena_mark mark = arena_mark(mechanisms->a);

        if (!mechanisms_covers(mechanisms->opts, (enum mechanism_id)id))
            continue;
        one_mechanism(mechanisms, v, id, &room);
        arena_reset(mechanisms->a, mark);
        progress_step(par_progress(mechanisms->par));
    }
    progress_end(par_progress(mechanisms->par));
}

struct mechanisms *mechanisms_new(struct arena *a, const struct model *m,
                                  const struct mechanisms_opts *o, int n_queries,
                                  int n_keys, struct par *par)
{
    struct mechanisms *mechanisms = arena_alloc(a, 1, sizeof *mechanisms);
    size_t count = (size_t)m->config.n_layers * N_MECHANISM;

    *mechanisms = (struct mechanisms){ .n_layers = m->config.n_layers,
                                       .opts = o,
                                       .model = m,
                                       .par = par,
                                       .a = a };
    mechanisms->result = arena_alloc(a, count, sizeof *mechanisms->result);
    for (size_t i = 0; i < count; i++)
        mechanisms->result[i] = (struct mechanism_result){ NULL, NAN, NAN, NAN,
                                                           NAN,  NAN, NAN, 0 };
    if (o->kept_head >= 0)
        mechanisms->kept = floats(a, N_MECHANISM * (int64_t)n_queries, n_keys);
    return mechanisms;
}

struct tap mechanisms_tap(struct mechanisms *c)
{
    return (struct tap){ .take = take, .self = c };
}

const struct mechanism_result *mechanisms_at(const struct mechanisms *c, int layer,
                                             enum mechanism_id id)
{
    return &c->result[layer * N_MECHANISM + (int)id];
}

/* ---- in every layer ---- */

static int attend(void *self, const struct qkv_view *v, float *z, struct par *par,
                  struct err *e)
{
    struct mechanisms_replacement *replacement = self;
    struct mechanism_heads heads = heads_of(replacement->opts, (int)replacement->id, v,
                                            replacement->a);

    replacement->refused = heads.refused;
    if (heads.refused != NULL)
        return err_set(e, ERR_INPUT, "%s in layer %d: %s",
                       mechanism_names[replacement->id], v->layer, heads.refused);
    mechanism_attend(&heads, z, par);
    return 0;
}

struct tap mechanisms_replacement_tap(struct mechanisms_replacement *r)
{
    return (struct tap){ .attend = attend, .self = r };
}
