/* SPDX-License-Identifier: MIT
 * The memory (encoder output, or a second input) -> keys and values of cross-attention. */
#include "run/special/cross.h"

#include <string.h>

#include "base/str.h"
#include "run/project.h"
#include "run/stage.h"

/* ---- its keys ---- */

/* Keys that only the model has, after those of the memory. */
static int last_keys(const struct model *model)
{
    return (model->layer[0].slot[W_CROSS_LAST_K].vector != NULL) + model->config.cross.zero_key;
}

int cross_masked_keys(const struct pass *pass, enum stack_id stack, int S)
{
    return stack == STACK_CROSS ? S - last_keys(pass->m) : S;
}

const int *cross_key_start(struct pass *pass)
{
    const struct memory *memory = pass->want->memory;
    int *start;

    if (memory == NULL || last_keys(pass->m) == 0)
        return memory == NULL ? NULL : memory->start;
    start = arena_alloc_raw(pass->call, (size_t)pass->b->n_texts + 1, sizeof *start);
    for (int t = 0; t <= pass->b->n_texts; t++)
        start[t] = memory->start[t] + t * last_keys(pass->m);
    return start;
}

/*
 * A table that begins at the distance of the first key from the last query reaches back
 * as far as there are queries.
 */
int cross_check(const struct pass *pass, int t, struct err *e)
{
    const struct model *model = pass->m;
    const struct param *slot = model->layer[0].slot;
    int T = pass_tokens(pass, t), S;

    if (pass->want->memory == NULL)
        return model->family->stack_id != STACK_CROSS ?
                   0 :
                   err_set(e, ERR_INPUT, "%s requires another input for its keys",
                           model->name);
    S = pass->key_start[t + 1] - pass->key_start[t];
    if (slot[W_CROSS_DISTANCE].weight != NULL && !model->config.relative.clip && S > T)
        return err_set(e, ERR_INPUT, "%d key%s for %d quer%s, expected at most as many, "
                       "because its relative positions go no further", S, str_plural(S), T,
                       str_plural_y(T));
    return 0;
}

/* ---- the mask ---- */

const struct mask *cross_mask(const struct pass *pass)
{
    const struct change *change = pass->want->change;
    bool alone = pass->m->family->stack_id == STACK_CROSS;

    return change == NULL                       ? NULL :
           alone && change->memory_mask == NULL ? change->mask :
                                                  change->memory_mask;
}

/* ---- projections ---- */

/* Keys and values of n rows of the memory, from row first on, to rows at, at + 1, .. */
static void project_rows(struct pass *pass, const struct layer_plan *plan, int first, int at,
                         int n)
{
    const struct memory *memory = pass->want->memory;
    const struct param *k = &plan->slot[W_CROSS_K], *v = &plan->slot[W_CROSS_V];
    int64_t width = k->matrix.N + v->matrix.N;
    const float *values = memory->v != NULL ? memory->v : memory->x;
    float *out = pass->memory_kv + at * width;

    stage_linear(pass, out, width, memory->x + (int64_t)first * k->matrix.K, k->matrix.K, n,
                 k);
    stage_linear(pass, out + k->matrix.N, width, values + (int64_t)first * v->matrix.K,
                 v->matrix.K, n, v);
}

/* The keys and values that only the model has, one that is learnt and one of zeros. */
static void put_last(const struct pass *pass, const struct layer_plan *plan, float *row)
{
    const struct param *slot = plan->slot;
    size_t d_k = (size_t)slot[W_CROSS_K].matrix.N, d_v = (size_t)slot[W_CROSS_V].matrix.N;

    if (slot[W_CROSS_LAST_K].vector != NULL) {
        memcpy(row, slot[W_CROSS_LAST_K].vector, d_k * sizeof *row);
        memcpy(row + d_k, slot[W_CROSS_LAST_V].vector, d_v * sizeof *row);
        row += d_k + d_v;
    }
    if (pass->m->config.cross.zero_key)
        memset(row, 0, (d_k + d_v) * sizeof *row);
}

/* The memory holds keys and values already. */
static void copy_memory(struct pass *pass)
{
    const struct config *config = &pass->m->config;
    const struct memory *memory = pass->want->memory;
    size_t k = (size_t)(config->n_kv_heads * config->d_head),
           v = (size_t)(config->n_kv_heads * config->d_value);

    for (size_t i = 0; i < (size_t)memory->start[pass->b->n_texts]; i++) {
        memcpy(pass->memory_kv + i * (k + v), memory->x + i * k, k * sizeof *memory->x);
        memcpy(pass->memory_kv + i * (k + v) + k, memory->v + i * v, v * sizeof *memory->v);
    }
}

void cross_project(struct pass *pass, const struct layer_plan *plan)
{
    const struct memory *memory = pass->want->memory;
    const struct param *slot = plan->slot, *param = &slot[W_CROSS_Q];
    int64_t d_k = slot[W_CROSS_K].matrix.N, d_v = slot[W_CROSS_V].matrix.N;

    if (pass->m->family->front == FRONT_QKV) {
        project_given(pass, pass->m->config.n_heads * pass->m->config.d_head);
        copy_memory(pass);
        return;
    }
    stage_linear(pass, pass->qkv, param->matrix.N, pass->a, pass->m->config.d_model, pass->N,
                 param);
    if (memory == NULL)
        return;
    if (last_keys(pass->m) == 0) {
        project_rows(pass, plan, 0, 0, memory->start[pass->b->n_texts]);
        return;
    }
    for (int t = 0; t < pass->b->n_texts; t++) {
        int n = memory->start[t + 1] - memory->start[t];

        project_rows(pass, plan, memory->start[t], pass->key_start[t], n);
        put_last(pass, plan, pass->memory_kv + (pass->key_start[t] + n) * (d_k + d_v));
    }
}
