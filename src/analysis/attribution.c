/* SPDX-License-Identifier: MIT
 * A row's trail, traversed from its logits to its embeddings -> contributions to a logit. */
#include "analysis/attribution.h"

#include <math.h>
#include <string.h>

#include "run/back.h"

/* On the way back. */
struct walk {
    struct arena *a;
    const struct trail *trail;
    const struct model *m;
    const struct attribution_target *target;
    struct attribution *out;
    double *w[2];               /* [D] of each stream; [1] only of PLACE_REVERSIBLE */
    double *raw;                /* [D] u alone, where the target says so */
};

int attribution_check(const struct model *model, struct err *e)
{
    if (model->config.streams.n > 0)
        return err_set(e, ERR_INPUT, "%s: each layer mixes several residual streams by what is in "
                       "them: what heads write does not add up to its outputs", model->name);
    if (model->config.head.task == NULL && model->slot[W_HEAD_DENSE].weight == NULL &&
        !model->config.head.one_number)
        return 0;
    return err_set(e, ERR_INPUT, "%s: its head %s: what heads write does not add up to its "
                   "outputs", model->name,
                   model->slot[W_HEAD_DENSE].weight != NULL ? "has a layer with an activation"
                                                            : "predicts no tokens");
}

/* ---- parts ---- */

static double part(struct walk *k, double *sum, double x)
{
    *sum += x;
    k->out->largest = fmax(k->out->largest, fabs(x));
    return x;
}

static void bias(struct walk *k, const float *b, const double *y, int n)
{
    if (b != NULL)
        part(k, &k->out->biases, back_dot(b, y, n));
}

static double *doubles(struct arena *a, const float *x, int n)
{
    double *y = arena_alloc_raw(a, (size_t)n, sizeof *y);

    for (int i = 0; i < n; i++)
        y[i] = (double)x[i];
    return y;
}

/* ---- from the logits to the stream ---- */

/* y[V] -> u[width of what the head reads]; the head's biases are parts. */
static double *unembed(struct walk *k)
{
    const struct param *head = &k->m->slot[W_HEAD];
    const float *b = k->m->slot[W_HEAD_BIAS].vector;
    double factor = k->m->config.head.scale > 0 ? (double)(float)k->m->config.head.scale : 1;
    double *y = arena_alloc(k->a, (size_t)head->matrix.N, sizeof *y);
    double *u = arena_alloc(k->a, (size_t)head->matrix.K, sizeof *u);

    for (int i = 0; k->target->over != NULL && i < head->matrix.N; i++)
        y[i] = factor * k->target->over[i];
    if (k->target->over == NULL)
        y[k->target->answer] += factor;
    if (k->target->over == NULL && k->target->against >= 0)
        y[k->target->against] -= factor;
    bias(k, b != NULL ? b : head->bias, y, head->matrix.N);
    back_linear(u, head, y, k->a);
    return u;
}

static double *project_back(struct walk *k, double *u)
{
    const struct param *proj = &k->m->slot[W_FINAL_PROJ];
    double *out;

    if (proj->weight == NULL)
        return u;
    bias(k, proj->bias, u, proj->matrix.N);
    out = arena_alloc(k->a, (size_t)proj->matrix.K, sizeof *out);
    back_linear(out, proj, u, k->a);
    return out;
}

/* The last step of a stream before step i; NULL: there is none. */
static const struct trail_step *before(const struct trail *trail, int i, int second)
{
    while (--i >= 0)
        if (trail->step[i].second == second)
            return &trail->step[i];
    return NULL;
}

static void attribution_begin(struct walk *k)
{
    const struct trail *t = k->trail;
    const struct param *norm = &k->m->slot[W_FINAL_NORM];
    const struct trail_step *end[] = { before(t, t->n_steps, 0), before(t, t->n_steps, 1) };
    int D = k->m->config.d_model, all = end[1] != NULL ? 2 * D : D;
    double *x = arena_alloc_raw(k->a, (size_t)all, sizeof *x);
    double *u = project_back(k, unembed(k));

    for (int s = 0; s * D < all; s++)
        memcpy(x + s * D, doubles(k->a, end[s]->x, D), (size_t)D * sizeof *x);
    if (k->target->raw) {
        k->raw = arena_alloc_raw(k->a, (size_t)all, sizeof *u);
        memcpy(k->raw, u, (size_t)all * sizeof *u);
    }
    if (norm->vector != NULL)
        bias(k, norm->bias, u, all);
    back_norm(u, k->m, norm, x, all);
    k->w[0] = u;
    k->w[1] = u + (all - D);
}

/* ---- heads ---- */

/* g times the gates of the heads' outputs, for what is written of values. */
static const double *gated(const struct walk *k, const struct trail_attention *attention,
                           const double *g)
{
    int64_t n = (int64_t)k->m->config.n_heads * k->m->config.d_value;
    double *out;

    if (attention->gate == NULL)
        return g;
    out = arena_alloc_raw(k->a, (size_t)n, sizeof *out);
    for (int64_t i = 0; i < n; i++)
        out[i] = g[i] * (double)attention->gate[i];
    return out;
}

/* What each head writes of each key: [H, S]. */
static double *sources(const struct walk *k, const struct trail_attention *attention,
                       const double *g)
{
    const struct config *config = &k->m->config;
    int H = config->n_heads, G = config->n_kv_heads, d = config->d_value;
    double *out = arena_alloc_raw(k->a, (size_t)H, (size_t)attention->S * sizeof *out);

    for (int h = 0; h < H; h++)
        for (int s = 0; s < attention->S; s++) {
            const float *v = attention->v + ((int64_t)s * G + h / (H / G)) * d;
            int64_t at = (int64_t)h * attention->S + s;

            out[at] = attention->hidden[at] ?
                          0 :
                          (double)attention->a[at] * back_dot(v, g + (int64_t)h * d, d);
        }
    return out;
}

/* What w is for the output of attention before it is multiplied for the sum; by: see
 * W_ATT_SCALE. */
static double *before_factors(struct walk *k, const float *by, const double *w)
{
    double branch = k->m->config.multiplier.branch;
    int D = k->m->config.d_model;
    double *y = arena_alloc_raw(k->a, (size_t)D, sizeof *y);

    for (int i = 0; i < D; i++)
        y[i] = (branch > 0 ? branch : 1) * w[i] * (by != NULL ? (double)by[i] : 1);
    return y;
}

/* What w is for the output of the projection, before the norm and the factors that follow it. */
static double *before_norm(struct walk *k, const struct param *slot, const struct param *out,
                           const struct trail_attention *attention, const float *by,
                           const double *w)
{
    const struct param *norm = &slot[W_ATT_OUT];
    int D = k->m->config.d_model;
    double *y = before_factors(k, by, w), *x;

    if (norm->vector == NULL)
        return y;
    bias(k, norm->bias, y, D);
    x = arena_alloc_raw(k->a, (size_t)D, sizeof *x);
    back_forward(x, out, attention->z, k->a);
    back_norm(y, k->m, norm, x, D);
    return y;
}

static void attribution_of_heads(struct walk *k, const struct trail_step *step, const double *w)
{
    const struct config *config = &k->m->config;
    bool crosses = step->stack == STACK_CROSS;
    const struct param *slot = k->m->layer[step->layer].slot;
    const struct param *out = &slot[crosses ? W_CROSS_O : W_O];
    const struct trail_attention *t = &(crosses ? k->trail->cross : k->trail->own)[step->layer];
    struct attribution_heads *to = &(crosses ? k->out->cross : k->out->own)[step->layer];
    int d = config->d_value;
    const float *by = crosses ? NULL : slot[W_ATT_SCALE].vector;
    double *y = before_norm(k, slot, out, t, by, w);
    double *g = arena_alloc_raw(k->a, (size_t)out->matrix.K, sizeof *g);

    bias(k, out->bias, y, out->matrix.N);
    back_linear(g, out, y, k->a);
    *to = (struct attribution_heads){ .S = t->S, .a = t->a, .hidden = t->hidden,
                                      .gradient = g };
    to->dla = arena_alloc_raw(k->a, (size_t)config->n_heads, sizeof *to->dla);
    for (int h = 0; h < config->n_heads; h++)
        to->dla[h] = part(k, &k->out->heads,
                          back_dot(t->z + (int64_t)h * d, g + (int64_t)h * d, d));
    if (t->v == NULL)
        return;
    if (k->raw != NULL) {
        g = arena_alloc_raw(k->a, (size_t)out->matrix.K, sizeof *g);
        back_linear(g, out, before_factors(k, by, k->raw), k->a);
    }
    to->source = sources(k, t, gated(k, t, g));
}

/* ---- the walk ---- */

static void step_back(struct walk *k, int i)
{
    const struct trail_step *s = &k->trail->step[i];
    const struct trail_step *last = before(k->trail, i, s->second);
    int D = k->m->config.d_model;
    double *w = k->w[s->second];

    switch (s->kind) {
    case STREAM_BEGIN:
        part(k, &k->out->embedding, back_dot(s->x, w, D));
        break;
    case STREAM_ATTENTION:
        attribution_of_heads(k, s, w);
        break;
    case STREAM_MIXER:
        part(k, &k->out->mixers, back_dot(s->x, w, D) - back_dot(last->x, w, D));
        break;
    case STREAM_MLP:
        part(k, &k->out->mlps, back_dot(s->x, w, D) - back_dot(last->x, w, D));
        break;
    case STREAM_NORM:
        bias(k, s->norm->bias, w, D);
        back_norm(w, k->m, s->norm, doubles(k->a, last->x, D), D);
        break;
    }
}

struct attribution *attribution_new(struct arena *a, const struct trail *trail,
                                    const struct attribution_target *target)
{
    size_t L = (size_t)trail->m->config.n_layers;
    struct attribution *out = arena_alloc(a, 1, sizeof *out);
    struct walk walk = { .a = a, .trail = trail, .m = trail->m, .target = target, .out = out };
    double sum;

    out->own = arena_alloc(a, L, sizeof *out->own);
    out->cross = arena_alloc(a, L, sizeof *out->cross);
    attribution_begin(&walk);
    for (int i = trail->n_steps - 1; i >= 0; i--)
        step_back(&walk, i);
    sum = out->heads + out->embedding + out->mlps + out->mixers + out->biases;
    out->error = out->largest > 0 ? fabs(sum - target->logit) / out->largest : 0;
    return out;
}

/* ---- spans ---- */

/* The sums of what lies in the span, and beside it. */
static double contrast(double in, double out, int n, int K)
{
    return n > 0 && n < K ? in - n * out / (K - n) : NAN;
}

struct attribution_span attribution_contrast(const struct attribution_heads *heads, int head,
                                             int first, int last)
{
    double source[2] = { 0 }, attention[2] = { 0 };
    int n = 0, K = 0;

    for (int s = 0; s < heads->S; s++) {
        int64_t at = (int64_t)head * heads->S + s;
        bool in = s >= first && s <= last;

        if (heads->hidden[at])
            continue;
        K++;
        n += in;
        source[in] += heads->source[at];
        attention[in] += (double)heads->a[at];
    }
    return (struct attribution_span){ contrast(source[1], source[0], n, K),
                                      contrast(attention[1], attention[0], n, K),
                                      source[0] + source[1] };
}
