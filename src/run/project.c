/* SPDX-License-Identifier: MIT
 * The residual stream -> queries, keys and values, normed and turned. */
#include <limits.h>
#include <string.h>

#include "run/run_priv.h"

/* ---- rotary positions ---- */

static struct turn make_turn(struct pass *p, const struct rope_plan *r,
                             const float *inv_freq, int end)
{
    int n = end - p->turn_first;
    size_t size = (size_t)n * (size_t)(r->width / 2);
    struct turn t = { arena_alloc_raw(p->call, size, sizeof(float)),
                      arena_alloc_raw(p->call, size, sizeof(float)) };

    rope_table(t.cos, t.sin, inv_freq, r->width, r->factor, p->turn_first, n);
    return t;
}

void pass_turns(struct pass *p)
{
    int longest = 0;

    p->turn_first = INT_MAX;
    for (int t = 0; t < p->b->n_texts; t++) {
        int before = pass_before(p, t), n = before + pass_tokens(p, t);

        longest = n > longest ? n : longest;
        p->turn_first = before < p->turn_first ? before : p->turn_first;
    }
    for (int i = 0; i < 2; i++) {
        const struct rope_plan *r = &p->m->rope[i];

        if (r->inv_freq != NULL)
            p->turn[i][0] = make_turn(p, r, r->inv_freq, longest);
        if (r->long_inv_freq != NULL && longest > r->long_above)
            p->turn[i][1] = make_turn(p, r, r->long_inv_freq, longest);
    }
}

struct job {
    const struct pass *p;
    const struct layer_plan *plan;
};

static void rope_text(void *self, int t, struct arena *scratch)
{
    const struct job *j = self;
    const struct pass *p = j->p;
    const struct rope_plan *r = &p->m->rope[j->plan->rope];
    const struct head_place *place = &p->m->place;
    int first = p->b->start[t], n = p->b->start[t + 1] - first, before = pass_before(p, t);
    bool is_long = r->long_inv_freq != NULL && before + n > r->long_above;
    struct turn turn = p->turn[j->plan->rope][is_long];

    (void)scratch;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < place->n_runs; k++) {
            int64_t at = (int64_t)(before + i - p->turn_first) * (r->width / 2);
            float *row = p->qkv + (int64_t)(first + i) * place->width;

            rope_apply(row + k * place->run_stride + r->first, place->run_heads,
                       p->m->config.d_head, r->width, r->layout, turn.cos + at,
                       turn.sin + at);
        }
}

/* ---- norms of queries and keys ---- */

static void norm_heads(const struct model *m, float *x, const struct param *norm,
                       int n_heads)
{
    bool full = m->family->qk_norm == QK_NORM_FULL;
    int d = m->config.d_head, T = full ? 1 : n_heads, width = full ? n_heads * d : d;
    float eps = (float)m->config.norm.eps;

    if (norm->vector != NULL && m->family->norm == NORM_LAYER)
        norm_layer(x, x, norm->vector, norm->bias, eps, T, width);
    else if (norm->vector != NULL)
        norm_rms(x, x, norm->vector, eps, T, width);
}

static void qk_norm_rows(void *self, int i, struct arena *scratch)
{
    const struct job *j = self;
    const struct model *m = j->p->m;

    (void)scratch;
    for (int r = 0; r < pass_rows_of(j->p->N, i); r++) {
        float *row = j->p->qkv + ((int64_t)i * ROW_CHUNK + r) * m->place.width;

        norm_heads(m, row + m->place.q[0], &j->plan->slot[W_Q_NORM], m->config.n_heads);
        norm_heads(m, row + m->place.k[0], &j->plan->slot[W_K_NORM],
                   m->config.n_kv_heads);
    }
}

/* k = q / sqrt(mean(q^2) + 1e-6) of each head. */
static void shared_key_rows(void *self, int i, struct arena *scratch)
{
    const struct job *j = self;
    const struct model *m = j->p->m;

    (void)scratch;
    for (int r = 0; r < pass_rows_of(j->p->N, i); r++) {
        float *row = j->p->qkv + ((int64_t)i * ROW_CHUNK + r) * m->place.width;

        norm_rms(row + m->place.k[0], row + m->place.q[0], NULL, 1e-6f,
                 m->config.n_kv_heads, m->config.d_head);
    }
}

void pass_given_rows(struct pass *p, int64_t width)
{
    for (int t = 0; t < p->b->n_texts; t++)
        memcpy(p->qkv + p->b->start[t] * width, p->b->values[t].x,
               (size_t)((p->b->start[t + 1] - p->b->start[t]) * width) * sizeof *p->qkv);
}

void pass_project(struct pass *p, const struct layer_plan *plan)
{
    static const enum slot separate[] = { W_Q, W_K, W_V, N_SLOT };
    static const enum slot fused[] = { W_QKV, N_SLOT }, none[] = { N_SLOT };
    const enum slot *s = p->m->family->qkv == QKV_SEPARATE ? separate : fused;
    struct job j = { p, plan };
    int column = 0;

    if (p->m->family->front == FRONT_QKV) {
        pass_given_rows(p, p->m->place.width);
        return;
    }
    if (p->m->family->qkv == QKV_LOW_RANK) {
        pass_latent(p, plan);
        s = none;
    }
    for (; *s != N_SLOT; s++) {
        if (plan->hashed && *s == W_K) {
            pass_rows(p, p->N, shared_key_rows, &j);
            column += p->m->config.n_kv_heads * p->m->config.d_head;
            continue;
        }
        pass_linear(p, p->qkv + column, p->m->place.width, p->a, p->m->config.d_model,
                    p->N, &plan->slot[*s]);
        column += plan->slot[*s].matrix.N;
    }
    if (plan->slot[W_Q_NORM].weight != NULL)
        pass_rows(p, p->N, qk_norm_rows, &j);
    if (p->m->rope[plan->rope].inv_freq != NULL)
        par_for(p->par, p->b->n_texts, rope_text, &j);
}
