/* SPDX-License-Identifier: MIT
 * A pass -> the trail of one row, stored by a tap and a sink. */
#include "run/trail.h"

#include <assert.h>
#include <string.h>

#include "run/heads.h"

/* Two beginnings; of each layer three sums, a norm after each, and one before two. */
enum { STEPS_BEGIN = 2, STEPS_LAYER = 8 };

static struct trail_attention *attentions(struct arena *a, const struct model *model, int S,
                                          bool keys)
{
    const struct config *config = &model->config;
    size_t L = (size_t)config->n_layers, H = (size_t)config->n_heads, n = (size_t)S;
    struct trail_attention *all = arena_alloc(a, L, sizeof *all);

    for (size_t l = 0; l < L && S > 0; l++) {
        all[l].S = S;
        all[l].z = arena_alloc(a, H * (size_t)config->d_value, sizeof(float));
        if (!keys)
            continue;
        if (model->place.gate != NULL)
            all[l].gate = arena_alloc(a, H * (size_t)config->d_value, sizeof(float));
        all[l].v = arena_alloc(a, n * (size_t)config->n_kv_heads,
                               (uint64_t)config->d_value * sizeof(float));
        all[l].a = arena_alloc(a, n * H, sizeof(float));
        all[l].hidden = arena_alloc(a, n * H, 1);
        memset(all[l].hidden, 1, n * H);
    }
    return all;
}

struct trail *trail_new(struct arena *a, const struct model *model, int row, int T, int S,
                        bool keys)
{
    size_t steps = STEPS_BEGIN + STEPS_LAYER * (size_t)model->config.n_layers;
    struct trail *t = arena_alloc(a, 1, sizeof *t);

    *t = (struct trail){ .m = model, .row = row };
    t->step = arena_alloc(a, steps, sizeof *t->step);
    for (size_t i = 0; i < steps; i++)
        t->step[i].x = arena_alloc(a, (size_t)model->config.d_model, sizeof(float));
    t->own = attentions(a, model, T, keys);
    t->cross = attentions(a, model, S, keys);
    return t;
}

/* ---- the tap ---- */

/* The attention at hand; NULL: of a stack that comes before the model's. */
static struct trail_attention *attention_of(const struct trail *trail, int layer, int stack)
{
    return stack == (int)trail->m->family->stack_id ? &trail->own[layer] :
           stack == STACK_CROSS ? &trail->cross[layer] : NULL;
}

static int keep_values(void *self, const struct qkv_view *view, struct err *e)
{
    const struct trail *t = self;
    struct trail_attention *to = attention_of(t, view->layer, (int)view->stack);
    int64_t d = t->m->config.d_value;

    (void)e;
    if (to == NULL || to->v == NULL)
        return 0;
    assert(view->S == to->S);
    for (int h = 0; to->gate != NULL && h < view->H; h++) {
        for (int64_t k = 0; k < d; k++)
            to->gate[h * d + k] = 1;
        heads_gate(to->gate + h * d, view->q + t->row * view->q_stride + view->gate_at[h], (int)d);
    }
    for (int64_t s = 0; s < view->S; s++)
        for (int g = 0; g < view->G; g++)
            memcpy(to->v + (s * view->G + g) * d,
                   view->kv + s * view->kv_stride + view->v_at[g], (size_t)d * sizeof *to->v);
    return 0;
}

static void keep_made(void *self, int layer, enum stack_id stack, const float *z, int n_rows,
                      int width)
{
    const struct trail *t = self;
    struct trail_attention *to = attention_of(t, layer, (int)stack);

    if (to == NULL)
        return;
    assert(t->row < n_rows);
    memcpy(to->z, z + (int64_t)t->row * width, (size_t)width * sizeof *z);
}

static void keep_step(void *self, const struct stream_step *step)
{
    struct trail *t = self;
    struct trail_step *to = &t->step[t->n_steps];

    if (attention_of(t, step->layer, (int)step->stack) == NULL || t->row < step->row0 ||
        t->row >= step->row0 + step->n_rows)
        return;
    assert(t->n_steps < STEPS_BEGIN + STEPS_LAYER * t->m->config.n_layers);
    to->kind = step->kind;
    to->layer = step->layer;
    to->second = step->second;
    to->stack = step->stack;
    to->norm = step->norm;
    memcpy(to->x, step->x + (int64_t)(t->row - step->row0) * step->D,
           (size_t)step->D * sizeof *to->x);
    t->n_steps++;
}

struct tap trail_tap(struct trail *trail)
{
    return (struct tap){ .take = keep_values, .made = keep_made, .step = keep_step,
                         .self = trail };
}

/* ---- the sink ---- */

static void trail_take(void *self, const struct rows *rows, int n_heads)
{
    const struct trail *t = self;
    struct trail_attention *to = attention_of(t, rows->layer, rows->stack);
    size_t at, from;

    (void)n_heads;
    if (to == NULL || t->row < rows->row0 || t->row >= rows->row0 + rows->n_rows)
        return;
    at = (size_t)rows->head * (size_t)to->S + (size_t)rows->key0;
    from = (size_t)(t->row - rows->row0) * rows->stride;
    memcpy(to->a + at, rows->weight + from, (size_t)rows->n_keys * sizeof *to->a);
    for (size_t j = 0; j < (size_t)rows->n_keys; j++)
        to->hidden[at + j] = rows->hidden != NULL && rows->hidden[from + j] != 0;
}

struct sink trail_sink(struct trail *trail)
{
    return (struct sink){ SINK_HEAD, trail_take, NULL, trail };
}
