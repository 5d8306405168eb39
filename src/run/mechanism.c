/* SPDX-License-Identifier: MIT
 * A view of a model's attention -> a mechanism's heads -> outputs and rows. */
#include "run/mechanism.h"

#include <math.h>
#include <string.h>

/* ---- heads ---- */

/* Where heads lie in rows of queries, keys or values: head h at x + t * stride + at[h / share],
 * t < rows, d wide. */
struct columns {
    const float *x;
    int64_t stride;
    const int *at;
    int share, rows, d;
};

/* Heads h0 .. h0 + n - 1 side by side, out [rows, n d], rounded to the precision of the
 * products that read them. */
static const float *side_by_side(struct arena *a, struct columns c, int h0, int n,
                                 enum precision precision)
{
    float *out = arena_alloc_raw(a, (uint64_t)c.rows * (uint64_t)n, (uint64_t)c.d * sizeof *out);

    for (int t = 0; t < c.rows; t++)
        for (int i = 0; i < n; i++)
            memcpy(out + ((int64_t)t * n + i) * c.d,
                   c.x + t * c.stride + c.at[(h0 + i) / c.share], (size_t)c.d * sizeof *out);
    precision_round(precision, out, out, (int64_t)c.rows * n * c.d);
    return out;
}

/* The scale of the model is for the width of one head: that of a wider one is smaller. */
static struct attention copied_head(const struct qkv_view *view, int h0, int n, struct arena *a)
{
    int share = view->H / view->G;
    struct attend at = view->at[h0];
    struct columns q = { view->q, view->q_stride, view->q_at, 1, view->T, at.d };
    struct columns k = { view->kv, view->kv_stride, view->k_at, share, view->S, at.d };
    struct columns values = { view->kv, view->kv_stride, view->v_at, share, view->S, at.d_v };
    struct attention head = {
        .q = side_by_side(a, q, h0, n, at.precision),
        .k = side_by_side(a, k, h0, n, at.precision),
        .v = side_by_side(a, values, h0, n, at.precision),
    };

    at.d *= n;
    at.d_v *= n;
    at.scale = (float)((double)at.scale / sqrt(n));
    head.q_stride = head.k_stride = at.d;
    head.v_stride = at.d_v;
    head.at = at;
    return head;
}

static struct attention single_head(const struct qkv_view *view, int h)
{
    int group = h / (view->H / view->G);

    return (struct attention){
        .q = view->q + view->q_at[h], .k = view->kv + view->k_at[group],
        .v = view->kv + view->v_at[group],
        .q_stride = view->q_stride, .k_stride = view->kv_stride, .v_stride = view->kv_stride,
        .at = view->at[h],
    };
}

/* ---- groups ---- */

/* out[S, d] = the mean of n heads of keys or values from group g0, rounded to precision. */
static float *mean_of(const struct qkv_view *view, const int *at, int g0, int n, int d,
                      struct arena *a)
{
    float *out = arena_alloc_raw(a, (size_t)view->S, (size_t)d * sizeof *out);

    for (int j = 0; j < view->S; j++)
        for (int c = 0; c < d; c++) {
            double sum = 0;

            for (int g = g0; g < g0 + n; g++)
                sum += (double)view->kv[j * view->kv_stride + at[g] + c];
            out[(int64_t)j * d + c] = (float)(sum / n);
        }
    precision_round(view->at->precision, out, out, (int64_t)view->S * d);
    return out;
}

/* Heads of one group have the same keys and values: the means of the model's. */
static void group_heads(struct mechanism_heads *heads, const struct qkv_view *view, int groups,
                        struct arena *a)
{
    int n = view->G / groups, share = view->H / groups;

    for (int g = 0; g < groups; g++) {
        const float *k = mean_of(view, view->k_at, g * n, n, view->at->d, a);
        const float *values = mean_of(view, view->v_at, g * n, n, view->at->d_v, a);

        for (int i = g * share; i < (g + 1) * share; i++) {
            heads->head[i].k = k;
            heads->head[i].v = values;
            heads->head[i].k_stride = view->at->d;
            heads->head[i].v_stride = view->at->d_v;
        }
    }
}

/* ---- heads ---- */

/* Why the mechanism cannot do this, as far as it depends on heads and budget; NULL: it can. */
static const char *run_mechanism_refusal(const struct mechanism *mechanism,
                                         const struct mechanism_params *params,
                                         const struct qkv_view *view, struct arena *a)
{
    if (view->at->sink != NULL)
        return "the model's softmax has a sink that is not a key";
    if (params->budget > 0 && mechanism->no_budget != NULL)
        return arena_printf(a, "left out with --budget: %s", mechanism->no_budget);
    if (mechanism_joined(mechanism->join, view->H) == 0)
        return "the number of heads is odd";
    if (mechanism->grouped && params->n_groups == 0 && view->G == 1)
        return "the model has one head of keys and values";
    if (mechanism->grouped && mechanism_groups(params, view->G) == 0)
        return arena_printf(a, "the model's %d heads of keys and values cannot be averaged "
                            "in %d groups of the same size", view->G, params->n_groups);
    return NULL;
}

static const float *weights_of(const struct mechanism *mechanism,
                               const struct mechanism_params *params, const float *given,
                               const struct qkv_view *view, struct arena *a)
{
    float *w;

    if (mechanism->n_weights == NULL || given != NULL)
        return given;
    w = arena_alloc_raw(a, mechanism->n_weights(params, view->T, view->H, view->at->d), sizeof *w);
    mechanism->draw(w, params, view->T, view->H, view->at->d);
    return w;
}

/* What every head of a mechanism knows of its place. */
static void run_mechanism_place_heads(struct mechanism_heads *heads,
                                      const struct mechanism_params *params,
                                      const struct qkv_view *view)
{
    for (int i = 0; i < heads->n; i++) {
        struct attention *head = &heads->head[i];

        head->mechanism = heads->mechanism;
        head->params = params;
        head->T = view->T;
        head->head = i;
        head->cross = view->stack == STACK_CROSS;
        head->alike = view->alike;
    }
}

struct mechanism_heads mechanism_heads(const struct mechanism *mechanism,
                                       const struct mechanism_params *params,
                                       const float *given, const struct qkv_view *view,
                                       struct arena *a)
{
    struct mechanism_heads heads = { .mechanism = mechanism,
                                     .refused = run_mechanism_refusal(mechanism, params, view, a),
                                     .joined = mechanism_joined(mechanism->join, view->H) };
    bool copied = heads.joined > 1 || view->at->precision != PRECISION_F32;
    const float *weights;

    if (heads.refused != NULL)
        return heads;
    heads.n = view->H / heads.joined;
    heads.head = arena_alloc(a, (size_t)heads.n, sizeof *heads.head);
    for (int i = 0; i < heads.n; i++)
        heads.head[i] = single_head(view, i * heads.joined);
    run_mechanism_place_heads(&heads, params, view);
    for (int i = 0; i < heads.n && heads.refused == NULL; i++)
        heads.refused = mechanism->refuse != NULL ? mechanism->refuse(&heads.head[i]) : NULL;
    if (heads.refused != NULL)
        return heads;
    for (int i = 0; i < heads.n && copied; i++)
        heads.head[i] = copied_head(view, i * heads.joined, heads.joined, a);
    run_mechanism_place_heads(&heads, params, view);
    if (mechanism->grouped)
        group_heads(&heads, view, mechanism_groups(params, view->G), a);
    weights = weights_of(mechanism, params, given, view, a);
    for (int i = 0; i < heads.n; i++) {
        uint64_t room;

        heads.head[i].weights = weights;
        room = mechanism->room(&heads.head[i]);
        heads.room_bytes = room > heads.room_bytes ? room : heads.room_bytes;
    }
    return heads;
}

/* ---- outputs ---- */

struct mechanism_job {
    const struct mechanism_heads *h;
    float *z;
};

static int64_t run_head(const struct mechanism_heads *heads, int i, float *z, void *room)
{
    int d_v = heads->head[i].at.d_v;

    return heads->mechanism->run(z + (int64_t)i * d_v, (int64_t)heads->n * d_v, &heads->head[i],
                                 room);
}

static void run_mechanism_head_task(void *self, int i, struct arena *scratch)
{
    const struct mechanism_job *job = self;

    run_head(job->h, i, job->z, arena_alloc_raw(scratch, job->h->room_bytes, 1));
}

void mechanism_attend(const struct mechanism_heads *heads, float *z, struct par *par)
{
    struct mechanism_job job = { heads, z };

    par_for(par, heads->n, run_mechanism_head_task, &job);
}

void mechanism_attend_alone(const struct mechanism_heads *heads, float *z, int64_t *scores,
                            void *room)
{
    for (int i = 0; i < heads->n; i++)
        scores[i] = run_head(heads, i, z, room);
}

int64_t mechanism_seen(const struct qkv_view *view, int head)
{
    int64_t count = 0;

    for (int i = 0; i < view->T; i++)
        count += visible_count(&view->at[head], i);
    return count;
}

/* ---- rows ---- */

void mechanism_rows(const struct mechanism_heads *heads, int i, float *w,
                    struct arena *scratch)
{
    const struct mechanism *mechanism = heads->mechanism;
    const struct attention *a = &heads->head[i];
    uint64_t count = (uint64_t)a->T * (uint64_t)a->at.S;
    struct arena_mark mark = arena_mark(scratch);
    double *rows = arena_alloc_raw(scratch, count, sizeof *rows);
    double *out = arena_alloc_raw(scratch, (uint64_t)a->T * (uint64_t)a->at.d_v, sizeof *out);
    uint64_t size = mechanism->reference_room != NULL ? mechanism->reference_room(a) : 0;
    void *room = arena_alloc_raw(scratch, size, 1);

    mechanism->reference(rows, out, a, room);
    for (uint64_t j = 0; j < count; j++)
        w[j] = (float)rows[j];
    arena_reset(scratch, mark);
}
