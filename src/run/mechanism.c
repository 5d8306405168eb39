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
static struct attention copied_head(const struct qkv_view *v, int h0, int n, struct arena *a)
{
    int share = v->H / v->G;
    struct attend at = v->at[h0];
    struct columns q = { v->q, v->q_stride, v->q_at, 1, v->T, at.d };
    struct columns k = { v->kv, v->kv_stride, v->k_at, share, v->S, at.d };
    struct columns values = { v->kv, v->kv_stride, v->v_at, share, v->S, at.d_v };
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

static struct attention single_head(const struct qkv_view *v, int h)
{
    int group = h / (v->H / v->G);

    return (struct attention){
        .q = v->q + v->q_at[h], .k = v->kv + v->k_at[group], .v = v->kv + v->v_at[group],
        .q_stride = v->q_stride, .k_stride = v->kv_stride, .v_stride = v->kv_stride,
        .at = v->at[h],
    };
}

/* ---- groups ---- */

/* out[S, d] = the mean of n heads of keys or values from group g0, rounded to precision. */
static float *mean_of(const struct qkv_view *v, const int *at, int g0, int n, int d,
                      struct arena *a)
{
    float *out = arena_alloc_raw(a, (size_t)v->S, (size_t)d * sizeof *out);

    for (int j = 0; j < v->S; j++)
        for (int c = 0; c < d; c++) {
            double sum = 0;

            for (int g = g0; g < g0 + n; g++)
                sum += (double)v->kv[j * v->kv_stride + at[g] + c];
            out[(int64_t)j * d + c] = (float)(sum / n);
        }
    precision_round(v->at->precision, out, out, (int64_t)v->S * d);
    return out;
}

/* Heads of one group have the same keys and values: the means of the model's. */
static void group_heads(struct mechanism_heads *h, const struct qkv_view *v, int groups,
                        struct arena *a)
{
    int n = v->G / groups, share = v->H / groups;

    for (int g = 0; g < groups; g++) {
        const float *k = mean_of(v, v->k_at, g * n, n, v->at->d, a);
        const float *values = mean_of(v, v->v_at, g * n, n, v->at->d_v, a);

        for (int i = g * share; i < (g + 1) * share; i++) {
            h->head[i].k = k;
            h->head[i].v = values;
            h->head[i].k_stride = v->at->d;
            h->head[i].v_stride = v->at->d_v;
        }
    }
}

/* ---- heads ---- */

/* Why the mechanism cannot do this, as far as it depends on heads and budget; NULL: it can. */
static const char *run_mechanism_refusal(const struct mechanism *m,
                                         const struct mechanism_params *p, const struct qkv_view *v,
                                         struct arena *a)
{
    if (v->at->sink != NULL)
        return "the model's softmax has a sink that is not a key";
    if (p->budget > 0 && m->no_budget != NULL)
        return arena_printf(a, "left out with --budget: %s", m->no_budget);
    if (mechanism_joined(m->join, v->H) == 0)
        return "the number of heads is odd";
    if (m->grouped && p->n_groups == 0 && v->G == 1)
        return "the model has one head of keys and values";
    if (m->grouped && mechanism_groups(p, v->G) == 0)
        return arena_printf(a, "the model's %d heads of keys and values cannot be averaged "
                            "in %d groups of the same size", v->G, p->n_groups);
    return NULL;
}

static const float *weights_of(const struct mechanism *m,
                               const struct mechanism_params *p, const float *given,
                               const struct qkv_view *v, struct arena *a)
{
    float *w;

    if (m->n_weights == NULL || given != NULL)
        return given;
    w = arena_alloc_raw(a, m->n_weights(p, v->T, v->H, v->at->d), sizeof *w);
    m->draw(w, p, v->T, v->H, v->at->d);
    return w;
}

/* What every head of a mechanism knows of its place. */
static void run_mechanism_place_heads(struct mechanism_heads *h,
                                      const struct mechanism_params *params,
                                      const struct qkv_view *v)
{
    for (int i = 0; i < h->n; i++) {
        struct attention *head = &h->head[i];

        head->mechanism = h->mechanism;
        head->params = params;
        head->T = v->T;
        head->head = i;
        head->cross = v->stack == STACK_CROSS;
        head->alike = v->alike;
    }
}

struct mechanism_heads mechanism_heads(const struct mechanism *m,
                                       const struct mechanism_params *params,
                                       const float *given, const struct qkv_view *v,
                                       struct arena *a)
{
    struct mechanism_heads heads = { .mechanism = m,
                                     .refused = run_mechanism_refusal(m, params, v, a),
                                     .joined = mechanism_joined(m->join, v->H) };
    bool copied = heads.joined > 1 || v->at->precision != PRECISION_F32;
    const float *weights;

    if (heads.refused != NULL)
        return heads;
    heads.n = v->H / heads.joined;
    heads.head = arena_alloc(a, (size_t)heads.n, sizeof *heads.head);
    for (int i = 0; i < heads.n; i++)
        heads.head[i] = single_head(v, i * heads.joined);
    run_mechanism_place_heads(&heads, params, v);
    for (int i = 0; i < heads.n && heads.refused == NULL; i++)
        heads.refused = m->refuse != NULL ? m->refuse(&heads.head[i]) : NULL;
    if (heads.refused != NULL)
        return heads;
    for (int i = 0; i < heads.n && copied; i++)
        heads.head[i] = copied_head(v, i * heads.joined, heads.joined, a);
    run_mechanism_place_heads(&heads, params, v);
    if (m->grouped)
        group_heads(&heads, v, mechanism_groups(params, v->G), a);
    weights = weights_of(m, params, given, v, a);
    for (int i = 0; i < heads.n; i++) {
        uint64_t room;

        heads.head[i].weights = weights;
        room = m->room(&heads.head[i]);
        heads.room_bytes = room > heads.room_bytes ? room : heads.room_bytes;
    }
    return heads;
}

/* ---- outputs ---- */

struct job {
    const struct mechanism_heads *h;
    float *z;
};

static int64_t run_head(const struct mechanism_heads *h, int i, float *z, void *room)
{
    int d_v = h->head[i].at.d_v;

    return h->mechanism->run(z + (int64_t)i * d_v, (int64_t)h->n * d_v, &h->head[i],
                             room);
}

static void run_mechanism_head_task(void *self, int i, struct arena *scratch)
{
    const struct job *job = self;

    run_head(job->h, i, job->z, arena_alloc_raw(scratch, job->h->room_bytes, 1));
}

void mechanism_attend(const struct mechanism_heads *h, float *z, struct par *par)
{
    struct job job = { h, z };

    par_for(par, h->n, run_mechanism_head_task, &job);
}

void mechanism_attend_alone(const struct mechanism_heads *h, float *z, int64_t *scores,
                            void *room)
{
    for (int i = 0; i < h->n; i++)
        scores[i] = run_head(h, i, z, room);
}

int64_t mechanism_seen(const struct qkv_view *v, int head)
{
    int64_t count = 0;

    for (int i = 0; i < v->T; i++)
        count += visible_count(&v->at[head], i);
    return count;
}

/* ---- rows ---- */

void mechanism_rows(const struct mechanism_heads *h, int i, float *w,
                    struct arena *scratch)
{
    const struct mechanism *mechanism = h->mechanism;
    const struct attention *a = &h->head[i];
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
