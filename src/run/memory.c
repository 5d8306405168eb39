/* SPDX-License-Identifier: MIT
 * Another input -> keys and values, and what queries meet by distance beside keys. */
#include <string.h>

#include "run/run_priv.h"

/* ---- rows of keys ---- */

static bool has_last_key(const struct model *m)
{
    return m->layer[0].slot[W_CROSS_LAST_K].vector != NULL;
}

int pass_masked_keys(const struct pass *p, enum stack_id stack, int S)
{
    return stack == STACK_CROSS && has_last_key(p->m) ? S - 1 : S;
}

const int *pass_key_start(struct pass *p)
{
    const struct memory *memory = p->want->memory;
    int *start;

    if (memory == NULL || !has_last_key(p->m))
        return memory == NULL ? NULL : memory->start;
    start = arena_alloc_raw(p->call, (size_t)p->b->n_texts + 1, sizeof *start);
    for (int t = 0; t <= p->b->n_texts; t++)
        start[t] = memory->start[t] + t;
    return start;
}

/*
 * A table that begins at the distance of the first key from the last query reaches back
 * as far as there are queries.
 */
int pass_check_memory(const struct pass *p, int t, struct err *e)
{
    const struct model *m = p->m;
    const struct param *slot = m->layer[0].slot;
    int T = pass_tokens(p, t), S;

    if (p->want->memory == NULL)
        return m->family->stack_id != STACK_CROSS ? 0 :
               err_set(e, ERR_INPUT, "%s: wants another input for its keys", m->name);
    S = p->key_start[t + 1] - p->key_start[t];
    if (slot[W_CROSS_DISTANCE].weight != NULL && !m->config.relative.clip && S > T)
        return err_set(e, ERR_INPUT, "%d keys for %d queries, want at most as many: its "
                       "relative positions go no further", S, T);
    return 0;
}

/* ---- projections ---- */

/* Keys and values of n rows of the memory from row first on, to the rows from at on. */
static void project_rows(struct pass *p, const struct layer_plan *plan, int first, int at,
                         int n)
{
    const struct memory *m = p->want->memory;
    const struct param *k = &plan->slot[W_CROSS_K], *v = &plan->slot[W_CROSS_V];
    int64_t width = k->matrix.N + v->matrix.N;
    const float *values = m->v != NULL ? m->v : m->x;
    float *out = p->memory_kv + at * width;

    pass_linear(p, out, width, m->x + (int64_t)first * k->matrix.K, k->matrix.K, n, k);
    pass_linear(p, out + k->matrix.N, width, values + (int64_t)first * v->matrix.K,
                v->matrix.K, n, v);
}

/* Keys and values of the memory are what it holds. */
static void take_memory(struct pass *p)
{
    const struct config *c = &p->m->config;
    const struct memory *m = p->want->memory;
    size_t k = (size_t)(c->n_kv_heads * c->d_head), v = (size_t)(c->n_kv_heads * c->d_value);

    for (size_t i = 0; i < (size_t)m->start[p->b->n_texts]; i++) {
        memcpy(p->memory_kv + i * (k + v), m->x + i * k, k * sizeof *m->x);
        memcpy(p->memory_kv + i * (k + v) + k, m->v + i * v, v * sizeof *m->v);
    }
}

void pass_project_cross(struct pass *p, const struct layer_plan *plan)
{
    const struct memory *m = p->want->memory;
    const struct param *slot = plan->slot, *q = &slot[W_CROSS_Q];
    int64_t d_k = slot[W_CROSS_K].matrix.N, d_v = slot[W_CROSS_V].matrix.N;

    if (p->m->family->front == FRONT_QKV) {
        pass_given_rows(p, p->m->config.n_heads * p->m->config.d_head);
        take_memory(p);
        return;
    }
    pass_linear(p, p->qkv, q->matrix.N, p->a, p->m->config.d_model, p->N, q);
    if (m == NULL)
        return;
    if (!has_last_key(p->m)) {
        project_rows(p, plan, 0, 0, m->start[p->b->n_texts]);
        return;
    }
    for (int t = 0; t < p->b->n_texts; t++) {
        float *last = p->memory_kv + (p->key_start[t + 1] - 1) * (d_k + d_v);

        project_rows(p, plan, m->start[t], p->key_start[t], m->start[t + 1] - m->start[t]);
        memcpy(last, slot[W_CROSS_LAST_K].vector, (size_t)d_k * sizeof *last);
        memcpy(last + d_k, slot[W_CROSS_LAST_V].vector, (size_t)d_v * sizeof *last);
    }
}

/* ---- distances ---- */

/* In lower precision, queries (all in p->qkv) as they go into any product. */
static void round_queries(struct pass *p, const struct heads *h)
{
    for (int i = 0; i < p->N; i++)
        for (int head = 0; head < p->m->config.n_heads; head++) {
            float *q = p->qkv + i * h->q_stride + h->q_at[head];

            precision_round(pass_precision(p), q, q, p->m->config.d_head);
        }
}

static const float *pack_rows(struct pass *p, const float *rows)
{
    const struct config *c = &p->m->config;
    size_t size = relative_packed(c->relative.n_distances, c->d_head);
    float *packed = arena_alloc_raw(p->call, size, sizeof *packed);

    relative_pack(packed, rows, c->d_head, c->relative.n_distances, c->d_head);
    precision_round(pass_precision(p), packed, packed, (int64_t)size);
    return packed;
}

/*
 * The row that each distance of query and key reads: row T - 1 is that of none, or the
 * middle one, where those that are too far read the first and the last.
 */
static struct distances distances_of(struct pass *p, const struct heads *h, int text)
{
    int T = pass_tokens(p, text), n = p->m->config.relative.n_distances;
    int S = h->key_start[text + 1] - h->key_start[text], reach = (T > S ? T : S) - 1;
    int none = p->m->config.relative.clip ? n / 2 : T - 1;
    int *row = arena_alloc_raw(p->call, 2 * (size_t)reach + 1, sizeof *row), *begin, end;

    for (int i = 0; i <= 2 * reach; i++) {
        row[i] = none + i - reach;
        row[i] = row[i] < 0 ? 0 : row[i] < n ? row[i] : n - 1;
    }
    end = row[2 * reach] + 1;
    begin = arena_alloc_raw(p->call, relative_begins(end), sizeof *begin);
    relative_find_begins(begin, row, reach, end);
    return (struct distances){ reach, row, begin };
}

void pass_distances(struct pass *p, struct heads *h, const float *rows, float scale)
{
    const struct config *c = &p->m->config;
    int H = c->n_heads, n_texts = p->b->n_texts;
    struct relative_positions *bias;
    struct distances *at;
    struct score_term *term;
    const float *packed;

    if (rows == NULL)
        return;
    if (pass_precision(p) != PRECISION_F32)
        round_queries(p, h);
    packed = pack_rows(p, rows);
    at = arena_alloc_raw(p->call, (size_t)n_texts, sizeof *at);
    bias = arena_alloc_raw(p->call, (size_t)n_texts * (size_t)H, sizeof *bias);
    term = arena_alloc_raw(p->call, (size_t)n_texts * (size_t)H, sizeof *term);
    for (int t = 0; t < n_texts; t++) {
        at[t] = distances_of(p, h, t);
        for (int i = t * H; i < (t + 1) * H; i++) {
            bias[i] = (struct relative_positions){
                .at = &at[t], .by_query = packed, .d = c->d_head,
                .q = h->q + p->b->start[t] * h->q_stride + h->q_at[i - t * H],
                .q_stride = h->q_stride, .scale = c->relative.clip ? scale : 1,
            };
            term[i] = (struct score_term){ relative_positions, &bias[i] };
        }
    }
    h->terms = term;
}
