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
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
    int n;

    one = thread_s();
    mechanism_attend_alone(h, z, room);
    one = thread_s() - one;
    n = one * 1000 > SHORTEST ? (int)(SHORTEST / one) + 1 : 1000;
    for (int r = 0; r < repeats; r++) {
        double start = thread_s();

        for (int i = 0; i < n; i++)
            mechanism_attend_alone(h, z, room);
        s[r] = (thread_s() - start) / n;
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
    struct row_sums s = { 0 };

    for (int i = 0; i < T; i++, w += S, exact += S) {
        if (!sees_any(exact, S) || !sees_any(w, S))
            continue;
        s.n++;
        s.js += divergence_js(w, exact, S);
        s.entropy += row_entropy(w, S);
        s.same += row_strongest(w, S) == row_strongest(exact, S);
    }
    return s;
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
    const struct rows_job *j = self;

    mechanism_rows(j->h, i, j->exact + (int64_t)i * j->v->T * j->v->S, scratch);
}

/* Whether the rows of this head count. */
static bool counts(const struct rows_job *j, int head)
{
    const struct wanted *heads = j->c->opts->heads;

    return heads == NULL || wanted_head(heads, j->v->layer, head);
}

static void rows_task(void *self, int i, struct arena *scratch)
{
    const struct rows_job *j = self;
    int64_t n = (int64_t)j->v->T * j->v->S;
    const struct mechanisms_opts *o = j->c->opts;
    bool any = false;
    float *w;

    for (int k = i * j->h->joined; k < (i + 1) * j->h->joined; k++)
        any = any || counts(j, k) || k == o->kept_head;
    if (!any)
        return;
    w = arena_alloc_raw(scratch, (size_t)n, sizeof *w);
    mechanism_rows(j->h, i, w, scratch);
    for (int k = i * j->h->joined; k < (i + 1) * j->h->joined; k++) {
        if (counts(j, k))
            j->sums[k] = compare(w, j->exact + k * n, j->v->T, j->v->S);
        if (k == o->kept_head && j->kept != NULL)
            keep(j->kept, w, &j->h->head[i], j->h->mechanism->sparse);
    }
}

static void compare_rows(struct mechanism_result *r, struct rows_job *j)
{
    int H = j->v->H;
    struct row_sums all = { 0 };

    j->sums = arena_alloc(j->c->a, (size_t)H, sizeof *j->sums);
    par_for(j->c->par, j->h->n, rows_task, j);
    for (int h = 0; h < H; h++) {
        all.js += j->sums[h].js;
        all.entropy += j->sums[h].entropy;
        all.n += j->sums[h].n;
        all.same += j->sums[h].same;
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
    struct mechanism_result *r = &c->result[v->layer * N_MECHANISM + id];
    struct mechanism_heads h = heads_of(c->opts, id, v, c->a);
    struct rows_job j = { .c = c, .v = v, .h = &h, .exact = room->exact };
    int64_t n = (int64_t)v->T * c->model->config.d_model;

    r->refused = h.refused;
    if (h.refused != NULL)
        return;
    r->bytes = (int64_t)h.room_bytes;
    r->scores = (double)mechanism_attend_alone(
        &h, room->z, arena_alloc_raw(c->a, h.room_bytes, 1)) * h.joined / room->n_own;
    run_attention_output(c->model, v->layer, v->stack, room->out, room->z, v->T, c->par);
    r->error = mechanisms_change(room->out, room->own_out, n);
    if (c->opts->repeats > 0)
        r->seconds = median_s(&h, room->z, c->opts->repeats, c->a);
    if (c->kept != NULL)
        j.kept = c->kept + (int64_t)id * v->T * v->S;
    if (c->opts->rows)
        compare_rows(r, &j);
}

static void take(void *self, const struct qkv_view *v)
{
    struct mechanisms *c = self;
    struct mechanism_heads own = heads_of(c->opts, MECHANISM_exact, v, c->a);
    struct layer_room room = { .z = floats(c->a, v->T, (int64_t)v->H * v->at->d_v) };
    int64_t D = c->model->config.d_model;

    room.out = floats(c->a, v->T, D);
    room.own_out = floats(c->a, v->T, D);
    room.n_own = (double)mechanism_attend_alone(
        &own, room.z, arena_alloc_raw(c->a, own.room_bytes, 1));
    run_attention_output(c->model, v->layer, v->stack, room.own_out, room.z, v->T,
                         c->par);
    if (c->opts->rows) {
        struct rows_job j = { .c = c, .v = v, .h = &own };

        j.exact = room.exact = floats(c->a, (int64_t)v->H * v->T, v->S);
        par_for(c->par, own.n, own_rows_task, &j);
    }
    for (int id = 0; id < N_MECHANISM; id++) {
        struct arena_mark mark = arena_mark(c->a);

        if (mechanisms_covers(c->opts, (enum mechanism_id)id))
            one_mechanism(c, v, id, &room);
        arena_reset(c->a, mark);
    }
}

struct mechanisms *mechanisms_new(struct arena *a, const struct model *m,
                                  const struct mechanisms_opts *o, int n_queries,
                                  int n_keys, struct par *par)
{
    struct mechanisms *c = arena_alloc(a, 1, sizeof *c);
    size_t n = (size_t)m->config.n_layers * N_MECHANISM;

    *c = (struct mechanisms){ .n_layers = m->config.n_layers, .opts = o, .model = m,
                              .par = par, .a = a };
    c->result = arena_alloc(a, n, sizeof *c->result);
    for (size_t i = 0; i < n; i++)
        c->result[i] = (struct mechanism_result){ NULL, NAN, NAN, NAN, NAN, NAN, NAN, 0 };
    if (o->kept_head >= 0)
        c->kept = floats(a, N_MECHANISM * (int64_t)n_queries, n_keys);
    return c;
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
    struct mechanisms_replacement *r = self;
    struct mechanism_heads h = heads_of(r->opts, (int)r->id, v, r->a);

    r->refused = h.refused;
    if (h.refused != NULL)
        return err_set(e, ERR_INPUT, "%s in layer %d: %s", mechanism_names[r->id],
                       v->layer, h.refused);
    mechanism_attend(&h, z, par);
    return 0;
}

struct tap mechanisms_replacement_tap(struct mechanisms_replacement *r)
{
    return (struct tap){ .attend = attend, .self = r };
}
