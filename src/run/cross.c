/* SPDX-License-Identifier: MIT
 * The memory (encoder output, or a second input) -> keys and values of cross-attention. */
#include "run/cross.h"

#include <string.h>

#include "base/str.h"
#include "run/project.h"
#include "run/stage.h"

/* ---- its keys ---- */

/* Keys that only the model has, after those of the memory. */
static int last_keys(const struct model *m)
{
    return (m->layer[0].slot[W_CROSS_LAST_K].vector != NULL) + m->config.cross.zero_key;
}

int cross_masked_keys(const struct pass *p, enum stack_id stack, int S)
{
    return stack == STACK_CROSS ? S - last_keys(p->m) : S;
}

const int *cross_key_start(struct pass *p)
{
    const struct memory *memory = p->want->memory;
    int *start;

    if (memory == NULL || last_keys(p->m) == 0)
        return memory == NULL ? NULL : memory->start;
    start = arena_alloc_raw(p->call, (size_t)p->b->n_texts + 1, sizeof *start);
    for (int t = 0; t <= p->b->n_texts; t++)
        start[t] = memory->start[t] + t * last_keys(p->m);
    return start;
}

/*
 * A table that begins at the distance of the first key from the last query reaches back
 * as far as there are queries.
 */
int cross_check(const struct pass *p, int t, struct err *e)
{
    const struct model *model = p->m;
    const struct param *slot = model->layer[0].slot;
    int T = pass_tokens(p, t), S;

    if (p->want->memory == NULL)
        return model->family->stack_id != STACK_CROSS ?
                   0 :
                   err_set(e, ERR_INPUT, "%s requires another input for its keys",
                           model->name);
    S = p->key_start[t + 1] - p->key_start[t];
    if (slot[W_CROSS_DISTANCE].weight != NULL && !model->config.relative.clip && S > T)
        return err_set(e, ERR_INPUT, "%d key%s for %d quer%s, expected at most as many, "
                       "because its relative positions go no further", S, str_plural(S), T,
                       str_plural_y(T));
    return 0;
}

/* ---- the mask ---- */

const struct mask *cross_mask(const struct pass *p)
{
    const struct change *change = p->want->change;
    bool alone = p->m->family->stack_id == STACK_CROSS;

    return change == NULL                       ? NULL :
           alone && change->memory_mask == NULL ? change->mask :
                                                  change->memory_mask;
}

/* ---- projections ---- */

/* Keys and values of n rows of the memory, from row first on, to rows at, at + 1, .. */
static void project_rows(struct pass *p, const struct layer_plan *plan, int first, int at,
                         int n)
{
    const struct memory *memory = p->want->memory;
    const struct param *k = &plan->slot[W_CROSS_K], *v = &plan->slot[W_CROSS_V];
    int64_t width = k->matrix.N + v->matrix.N;
    const float *values = memory->v != NULL ? memory->v : memory->x;
    float *out = p->memory_kv + at * width;

    stage_linear(p, out, width, memory->x + (int64_t)first * k->matrix.K, k->matrix.K, n,
                 k);
    stage_linear(p, out + k->matrix.N, width, values + (int64_t)first * v->matrix.K,
                 v->matrix.K, n, v);
}

/* The keys and values that only the model has, one that is learnt and one of zeros. */
static void put_last(const struct pass *p, const struct layer_plan *plan, float *row)
{
    const struct param *slot = plan->slot;
    size_t d_k = (size_t)slot[W_CROSS_K].matrix.N, d_v = (size_t)slot[W_CROSS_V].matrix.N;

    if (slot[W_CROSS_LAST_K].vector != NULL) {
        memcpy(row, slot[W_CROSS_LAST_K].vector, d_k * sizeof *row);
        memcpy(row + d_k, slot[W_CROSS_LAST_V].vector, d_v * sizeof *row);
        row += d_k + d_v;
    }
    if (p->m->config.cross.zero_key)
        memset(row, 0, (d_k + d_v) * sizeof *row);
}

/* The memory holds keys and values already. */
static void copy_memory(struct pass *p)
{
    const struct config *config = &p->m->config;
    const struct memory *memory = p->want->memory;
    size_t k = (size_t)(config->n_kv_heads * config->d_head),
           v = (size_t)(config->n_kv_heads * config->d_value);

    for (size_t i = 0; i < (size_t)memory->start[p->b->n_texts]; i++) {
        memcpy(p->memory_kv + i * (k + v), memory->x + i * k, k * sizeof *memory->x);
        memcpy(p->memory_kv + i * (k + v) + k, memory->v + i * v, v * sizeof *memory->v);
    }
}

void cross_project(struct pass *p, const struct layer_plan *plan)
{
    const struct memory *memory = p->want->memory;
    const struct param *slot = plan->slot, *param = &slot[W_CROSS_Q];
    int64_t d_k = slot[W_CROSS_K].matrix.N, d_v = slot[W_CROSS_V].matrix.N;

    if (p->m->family->front == FRONT_QKV) {
        project_given(p, p->m->config.n_heads * p->m->config.d_head);
        copy_memory(p);
        return;
    }
    stage_linear(p, p->qkv, param->matrix.N, p->a, p->m->config.d_model, p->N, param);
    if (memory == NULL)
        return;
    if (last_keys(p->m) == 0) {
        project_rows(p, plan, 0, 0, memory->start[p->b->n_texts]);
        return;
    }
    for (int t = 0; t < p->b->n_texts; t++) {
        int n = memory->start[t + 1] - memory->start[t];

        project_rows(p, plan, memory->start[t], p->key_start[t], n);
        put_last(p, plan, p->memory_kv + (p->key_start[t] + n) * (d_k + d_v));
    }
}
