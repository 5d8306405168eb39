/* SPDX-License-Identifier: MIT
 * The inputs of an attention, from a tap -> arrays of an npz. */
#include "task/export/inner.h"

#include <string.h>

#include "run/scores.h"

enum part { PART_Q, PART_K, PART_V, PART_SCORES, PART_OUT, N_PART };
static const char *const names[] = { "q", "k", "v", "scores", "out" };

void export_inner_add(struct inner *in, const struct model *model, enum stack_id stack,
                      const char *prefix, int l, struct inner_shape size)
{
    const struct config *config = &model->config;
    const int64_t shape[N_PART][3] = {
        { size.n_heads, size.n_queries, config->d_head },
        { config->n_kv_heads, size.n_keys, config->d_head },
        { config->n_kv_heads, size.n_keys, config->d_value },
        { size.n_heads, size.n_queries, size.n_keys },
        { size.n_queries, model_attention_width(model) },
    };

    if (in->first[stack] == NULL)
        in->first[stack] = arena_alloc(in->a, (size_t)config->n_layers, sizeof(int));
    for (int i = 0; i < N_PART; i++) {
        char *name = strcmp(prefix, "attn") == 0 ? arena_printf(in->a, "%s.%d", names[i], l) :
                     arena_printf(in->a, "%s.%s.%d", prefix, names[i], l);
        int count = npz_add(in->z, name, DTYPE_F32, i == PART_OUT ? 2 : 3, shape[i]);

        if (i == 0)
            in->first[stack][l] = count;
    }
}

static void export_inner_put(const struct inner *in, enum stack_id stack, int layer, enum part part,
                             int64_t first, const float *x, int64_t n)
{
    npz_put(in->z, in->first[stack][layer] + (int)part, first, x, n);
}

/* Array place of n rows of width d, stride apart. */
struct rows_at {
    const float *x;
    int64_t stride;             /* floats from one row to the next */
    int n, d;
};

static void put_rows(const struct inner *in, const struct qkv_view *view, enum part part,
                     int place, struct rows_at rows)
{
    struct arena_mark mark = arena_mark(in->a);
    int64_t count = (int64_t)rows.n * rows.d;
    float *all = arena_alloc_raw(in->a, (size_t)count, sizeof *all);

    for (int i = 0; i < rows.n; i++)
        memcpy(all + (int64_t)i * rows.d, rows.x + i * rows.stride,
               (size_t)rows.d * sizeof *all);
    export_inner_put(in, view->stack, view->layer, part, place * count, all, count);
    arena_reset(in->a, mark);
}

static void put_scores(const struct inner *in, const struct qkv_view *view, int h, int place)
{
    struct arena_mark mark = arena_mark(in->a);
    int64_t count = (int64_t)view->T * view->S;
    float *score = arena_alloc_raw(in->a, (size_t)view->T, (size_t)view->S * sizeof *score);

    scores_of_head(score, view, h, in->a);
    export_inner_put(in, view->stack, view->layer, PART_SCORES, place * count, score, count);
    arena_reset(in->a, mark);
}

/* ---- the tap ---- */

static int export_inner_take(void *self, const struct qkv_view *view, struct err *e)
{
    const struct inner *in = self;

    (void)e;
    for (int head = 0; head < view->H; head++) {
        int place = in->head_place[view->layer * in->n_heads + head];

        if (place < 0)
            continue;
        put_rows(in, view, PART_Q, place, (struct rows_at){
            view->q + view->q_at[head], view->q_stride, view->T, view->at[head].d });
        put_scores(in, view, head, place);
    }
    for (int g = 0; g < view->G; g++) {
        put_rows(in, view, PART_K, g, (struct rows_at){
            view->kv + view->k_at[g], view->kv_stride, view->S, view->at[0].d });
        put_rows(in, view, PART_V, g, (struct rows_at){
            view->kv + view->v_at[g], view->kv_stride, view->S, view->at[0].d_v });
    }
    return 0;
}

static void given(void *self, int layer, enum stack_id stack, const float *out, int n_rows,
                  int D)
{
    export_inner_put(self, stack, layer, PART_OUT, 0, out, (int64_t)n_rows * D);
}

struct tap export_inner_tap(struct inner *in)
{
    return (struct tap){ .take = export_inner_take, .given = given, .self = in };
}
