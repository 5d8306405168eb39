/* SPDX-License-Identifier: MIT
 * The inputs of an attention -> its masks, queries and keys, as the page stores them.
 *
 * Each row x is stored as its largest magnitude m, and for each number
 *
 *     code = round(32767 x / m)           x = m code / 32767
 *
 * A block: floats m of the queries [heads, T], of the keys [groups, S]; other terms of scores,
 * floats [terms, heads, T, S], 0 where a key is hidden; then codes of the queries
 * [heads, T, d], of the keys [groups, S, d]. */
#include <math.h>
#include <string.h>

#include "task/report/report.h"
#include "nn/visible.h"

static bool is_masked(const struct session *session)
{
    return session->asked->mask != NULL || session->asked->memory_mask != NULL;
}

static void report_look_parts_of(const struct report_job *job, int layer, bool part[N_NEURON_PART])
{
    neuron_parts(part, job->job.s.shown, layer, job->job.s.stack, is_masked(&job->job.s));
}

uint64_t report_vectors_bytes(const struct report_job *job, int n_queries, int n_keys)
{
    uint64_t T = (uint64_t)n_queries, S = (uint64_t)n_keys, size = 0;
    uint64_t row = 2 * (uint64_t)job->job.s.shown->config.d_head + sizeof(float);
    bool part[N_NEURON_PART];

    for (int i = 0; i < job->n_heads; i++) {
        size += (T + S) * row;
        report_look_parts_of(job, job->head[i].layer, part);
        for (int k = 0; k < N_NEURON_PART; k++)
            size += part[k] ? T * S * sizeof(float) : 0;
    }
    return size;
}

/* ---- which keys are seen ---- */

static void fill_mask(unsigned char *mask, const struct qkv_view *view, int head, size_t row)
{
    for (int t = 0; t < view->T; t++)
        for (int s = 0; s < view->S; s++)
            if (visible(&view->at[head], t, s))
                mask[(size_t)t * row + (size_t)s / 8] |= (unsigned char)(1 << s % 8);
}

/* Whether two heads see the same keys, by the same numbers; false: they may still. */
static bool sees_the_same(const struct attend *a, const struct attend *b)
{
    return a->lo == b->lo && a->hi == b->hi && a->offset == b->offset && a->hidden == b->hidden &&
           a->hidden_stride == b->hidden_stride;
}

/* Whether each row sees all keys, or causal: those up to its own. */
static bool look_is_plain(const unsigned char *mask, const struct qkv_view *view, size_t row,
                          bool causal)
{
    for (int t = 0; t < view->T; t++)
        for (int s = 0; s < view->S; s++)
            if ((mask[(size_t)t * row + (size_t)s / 8] >> s % 8 & 1) != (!causal || s <= t))
                return false;
    return true;
}

static void look_seen(struct report_job *job, const struct qkv_view *view, const int *head, int n)
{
    struct report_look *look = &job->look;
    size_t row = ((size_t)view->S + 7) / 8, bytes = row * (size_t)view->T;
    unsigned char *all = arena_alloc(job->packed, (uint64_t)n, bytes);
    bool same = true;

    for (int i = 0; i < n; i++) {
        unsigned char *mask = all + (size_t)i * bytes;

        if (i > 0 && sees_the_same(&view->at[head[i]], &view->at[head[i - 1]]))
            memcpy(mask, mask - bytes, bytes);
        else
            fill_mask(mask, view, head[i], row);
        same &= memcmp(all, mask, bytes) == 0;
    }
    look->seen = all;
    look->seen_bytes = bytes;
    look->n_seen = !same                                                                       ? n :
                   look_is_plain(all, view, row, false) || look_is_plain(all, view, row, true) ? 0 :
                                                                                                 1;
}

/* ---- queries and keys ---- */

/* Rows x[n, d] -> max [n] and code [n, d]; returns the largest error. */
static double report_look_encode(float *max, int16_t *code, const float *x, int64_t stride, int n,
                                 int d)
{
    float most = 0;

    for (int i = 0; i < n; i++, x += stride, code += d) {
        max[i] = 0;
        for (int c = 0; c < d; c++)
            max[i] = fabsf(x[c]) > max[i] ? fabsf(x[c]) : max[i];
        for (int c = 0; c < d && max[i] > 0; c++)
            code[c] = (int16_t)lrintf(x[c] / max[i] * INT16_MAX);
        most = max[i] > most ? max[i] : most;
    }
    return (double)most / (2 * INT16_MAX);
}

/* Rows of queries of the heads, or of keys of the groups, begin at x + at[i]. */
struct vectors {
    const float *x;
    int64_t stride;
    int n, n_rows, d;
    const int *at;
    float *max;                 /* [n, n_rows] */
    int16_t *code;              /* [n, n_rows, d] */
};

static void report_look_take_vectors(struct report_job *job, struct vectors *v, struct arena *a)
{
    size_t rows = (size_t)v->n_rows;

    v->max = arena_alloc(a, (uint64_t)v->n * rows, sizeof *v->max);
    v->code = arena_alloc(a, (uint64_t)v->n * rows, (size_t)v->d * sizeof *v->code);
    for (int i = 0; i < v->n; i++) {
        double error = report_look_encode(v->max + (size_t)i * rows,
                                          v->code + (size_t)i * rows * (size_t)v->d,
                                          v->x + v->at[i], v->stride, v->n_rows, v->d);

        job->vectors_error = error > job->vectors_error ? error : job->vectors_error;
    }
}

static void add_max(struct pack *pack, const struct vectors *v)
{
    pack_add(pack, v->max, (size_t)v->n * (size_t)v->n_rows * sizeof *v->max);
}

static void add_codes(struct pack *pack, const struct vectors *v)
{
    pack_add(pack, v->code, (size_t)v->n * (size_t)v->n_rows * (size_t)v->d * sizeof *v->code);
}

/* Rows of what scores get, of one part; what a hidden key would get is 0. */
static void report_look_add_part(struct report_job *job, const struct qkv_view *view, int head,
                                 int part)
{
    const struct session *s = &job->job.s;
    struct arena_mark mark = arena_mark(view->room);
    struct neuron *n = neuron_new(view->room, s->shown, view->stack, view->layer, head, 0, view->S);

    for (n->row = 0; n->row < view->T; n->row++) {
        neuron_scores(n, view);
        for (int i = 0; i < view->S; i++)
            if (n->hidden[i])
                n->part[part][i] = 0;
        pack_add(job->codes, n->part[part], (size_t)view->S * sizeof(float));
    }
    arena_reset(view->room, mark);
}

/* Groups of the heads in the order in which they are met; returns how many. */
static int find_groups(struct report_look *look, const struct qkv_view *view, const int *head,
                       int *k_at)
{
    int n = 0, per_group = view->H / view->G;

    for (int i = 0; i < look->n_heads; i++) {
        int at = view->k_at[head[i] / per_group], g = 0;

        while (g < n && k_at[g] != at)
            g++;
        if (g == n)
            k_at[n++] = at;
        look->group[i] = g;
    }
    return n;
}

static void pack_vectors(struct report_job *job, const struct qkv_view *view, const int *head)
{
    struct report_look *look = &job->look;
    int n = look->n_heads, d = view->at[head[0]].d;
    int *q_at = arena_alloc(view->room, (uint64_t)n, sizeof *q_at);
    int *k_at = arena_alloc(view->room, (uint64_t)n, sizeof *k_at);
    struct vectors q = { view->q, view->q_stride, n, view->T, d, q_at, NULL, NULL };
    struct vectors k = { view->kv, view->kv_stride, find_groups(look, view, head, k_at), view->S, d,
                         k_at, NULL, NULL };

    for (int i = 0; i < n; i++)
        q_at[i] = view->q_at[head[i]];
    report_look_take_vectors(job, &q, view->room);
    report_look_take_vectors(job, &k, view->room);
    pack_begin(job->codes, job->packed);
    add_max(job->codes, &q);
    add_max(job->codes, &k);
    for (int p = 0; p < N_NEURON_PART; p++)
        for (int i = 0; look->part[p] && i < n; i++)
            report_look_add_part(job, view, head[i], p);
    add_codes(job->codes, &q);
    add_codes(job->codes, &k);
    look->vectors = pack_end(job->codes);
}

static void look_vectors(struct report_job *job, const struct qkv_view *view, const int *head,
                         int n)
{
    struct report_look *look = &job->look;

    look->has_vectors = true;
    look->group = arena_alloc(job->packed, (uint64_t)n, sizeof *look->group);
    look->scale = arena_alloc(job->packed, (uint64_t)n, sizeof *look->scale);
    look->cap = arena_alloc(job->packed, (uint64_t)n, sizeof *look->cap);
    for (int i = 0; i < n; i++) {
        look->scale[i] = view->at[head[i]].scale;
        look->cap[i] = view->at[head[i]].cap;
    }
    report_look_parts_of(job, view->layer, look->part);
    pack_vectors(job, view, head);
}

/* ---- the tap ---- */

static int report_look_take(void *self, const struct qkv_view *view, struct err *e)
{
    struct report_job *j = self;
    struct arena_mark mark = arena_mark(view->room);
    int *head = arena_alloc(view->room, (uint64_t)view->H, sizeof *head), n = 0;

    if (j->stats_tap != NULL && j->stats_tap->take(j->stats_tap->self, view, e) != 0)
        return -1;
    if (view->stack != j->job.s.stack)
        return 0;
    for (int h = 0; h < view->H; h++)
        if (j->place[view->layer * view->H + h] >= 0)
            head[n++] = h;
    j->look = (struct report_look){ .layer = view->layer, .n_heads = n };
    look_seen(j, view, head, n);
    if (j->has_vectors)
        look_vectors(j, view, head, n);
    arena_reset(view->room, mark);
    return 0;
}

struct tap report_tap(struct report_job *job)
{
    job->look = (struct report_look){ .layer = -1 };
    job->vectors_error = 0;
    return (struct tap){
        .take = report_look_take, .self = job,
        .skips_global = job->stats_tap == NULL && job->args->neuron != NEURON_ALWAYS,
    };
}
