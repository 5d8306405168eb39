/* SPDX-License-Identifier: MIT
 * The last layer's output -> final norm -> output head. */
#include "run/logits.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "nn/act.h"
#include "run/stage.h"

/* The first row of each text, side by side. */
static const float *first_rows(struct pass *p, const float *hidden, int width)
{
    int count = p->b->n_texts;
    float *row = arena_alloc_raw(p->call, (size_t)count * (size_t)width, sizeof *row);

    for (int t = 0; t < count; t++)
        memcpy(row + (int64_t)t * width, hidden + (int64_t)p->b->start[t] * width,
               (size_t)width * sizeof *row);
    return row;
}

static void logits(struct pass *p, const float *hidden, int width)
{
    const struct param *slot = p->m->slot, *dense = &slot[W_HEAD_DENSE];
    const struct family *family = p->m->family;
    struct param head = slot[W_HEAD];
    const struct config *config = &p->m->config;
    float cap = (float)config->head.cap, scale = (float)config->head.scale;
    int rows = family->head_on_first ? p->b->n_texts : p->N;
    int64_t count = (int64_t)rows * p->m->n_logits;

    if (slot[W_HEAD_BIAS].vector != NULL)
        head.bias = slot[W_HEAD_BIAS].vector;
    if (family->head_on_first)
        hidden = first_rows(p, hidden, width);
    if (dense->weight != NULL) {
        int narrow = dense->matrix.N;

        stage_linear(p, p->a, narrow, hidden, width, rows, dense);
        act_apply(family->has_head_act && !config->head.one_number ? family->head_act :
                                                                     config->act,
                  p->a, (int64_t)rows * narrow);
        stage_norm(p, p->a, p->a, rows, narrow, &slot[W_HEAD_NORM]);
        hidden = p->a;
        width = narrow;
    }
    stage_linear(p, p->want->logits, p->m->n_logits, hidden, width, rows, &head);
    for (int64_t i = 0; scale > 0 && i < count; i++)
        p->want->logits[i] *= scale;
    for (int64_t i = 0; cap > 0 && i < count; i++)
        p->want->logits[i] = cap * tanhf(p->want->logits[i] / cap);
}

/* x[texts, D] = the last row of each text of x[N, D]. */
static void keep_last(const struct pass *p, float *x)
{
    size_t D = (size_t)p->m->config.d_model;

    for (int t = 0; t < p->b->n_texts; t++)
        memmove(x + (size_t)t * D, x + (size_t)(p->b->start[t + 1] - 1) * D,
                D * sizeof *x);
}

/* [N, 2 D]: [y1; y2] of each token. */
static float *both_streams(struct pass *p)
{
    size_t D = (size_t)p->m->config.d_model, N = (size_t)p->N;
    float *end = arena_alloc_raw(p->call, N * 2 * D, sizeof *end);

    for (size_t i = 0; i < N; i++) {
        memcpy(end + 2 * i * D, p->x2 + i * D, D * sizeof *end);
        memcpy(end + (2 * i + 1) * D, p->x + i * D, D * sizeof *end);
    }
    return end;
}

void logits_write(struct pass *p)
{
    const struct param *slot = p->m->slot;
    int D = family_slot_dim(p->m->family, &p->m->config, DIM_END), width = p->m->d_hidden;
    float *end = p->x;
    const float *hidden;

    if (p->want->hidden == NULL && p->want->logits == NULL)
        return;
    assert(!p->want->last_only || !p->m->family->head_on_first);
    if (p->want->last_only) {
        keep_last(p, p->x);
        if (p->x2 != p->x)
            keep_last(p, p->x2);
        p->N = p->b->n_texts;
    }
    if (p->x2 != p->x)
        end = both_streams(p);
    stage_norm(p, end, end, p->N, D, &slot[W_FINAL_NORM]);
    hidden = end;
    if (slot[W_FINAL_PROJ].weight != NULL) {
        stage_linear(p, p->a, width, end, D, p->N, &slot[W_FINAL_PROJ]);
        hidden = p->a;
    }
    if (p->want->hidden != NULL)
        memcpy(p->want->hidden, hidden, (size_t)p->N * (size_t)width * sizeof(float));
    if (p->want->logits != NULL)
        logits(p, hidden, width);
}
