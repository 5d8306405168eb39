/* SPDX-License-Identifier: MIT
 * The residual stream -> queries, keys and values, normed and rotated. */
#include "run/project.h"

#include <string.h>

#include "base/elementary.h"
#include "model/quirks.h"
#include "nn/norm.h"
#include "run/special/latent.h"
#include "run/special/rotary.h"
#include "run/stage.h"

struct project_job {
    const struct pass *p;
    const struct layer_plan *plan;
    bool values;
    bool own;                   /* the layer has keys and values of its own */
};

/* ---- norms of queries and keys ---- */

static void norm_by(const struct model *model, float *x, const float *weight, const float *bias,
                    int T, int width)
{
    float eps = (float)model->config.norm.eps;

    if (family_layer_norm(model->family))
        norm_layer(x, x, weight, bias, eps, T, width);
    else
        norm_rms(x, x, weight, eps, T, width);
}

/* Heads of row begin at at[h]. */
static void norm_heads(const struct model *model, float *row, const int *at,
                       const struct param *norm, int n_heads)
{
    bool full = model->family->qk_norm == QK_NORM_FULL;
    bool own = model->family->qk_norm == QK_NORM_HEADS;
    int d = model->config.d_head, width = full ? n_heads * d : d;

    if (norm->vector == NULL)
        return;
    for (int h = 0; h < (full ? 1 : n_heads); h++)
        norm_by(model, row + at[h], norm->vector + (own ? h * d : 0), norm->bias, 1, width);
}

static void qk_norm_rows(void *self, int i, struct arena *scratch)
{
    const struct project_job *job = self;
    const struct model *model = job->p->m;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->p->N, i); r++) {
        float *row = job->p->qkv + ((int64_t)i * ROW_CHUNK + r) * model->place.width;

        norm_heads(model, row, model->place.q, &job->plan->slot[W_Q_NORM],
                   model->config.n_heads);
        norm_heads(model, row, model->place.k, &job->plan->slot[W_K_NORM],
                   model->config.n_kv_heads);
        if (quirks_of(model->family)->norms_values && job->values && job->own)
            norm_rms(row + model->place.v[0], row + model->place.v[0], NULL,
                     (float)model->config.norm.eps, model->config.n_kv_heads,
                     model->config.d_value);
    }
}

/* x / sqrt(mean(x^2) + eps) of each head, after it is rotated. */
static void last_norm_rows(void *self, int i, struct arena *scratch)
{
    const struct project_job *job = self;
    const struct model *model = job->p->m;
    const struct config *config = &model->config;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->p->N, i); r++) {
        float *row = job->p->qkv + ((int64_t)i * ROW_CHUNK + r) * model->place.width;

        norm_rms(row + model->place.q[0], row + model->place.q[0], NULL,
                 (float)config->norm.eps, config->n_heads, config->d_head);
        norm_rms(row + model->place.k[0], row + model->place.k[0], NULL,
                 (float)config->norm.eps, config->n_kv_heads, config->d_head);
    }
}

/* Queries of row i of a text, times 1 + slope ln(1 + floor((i + 1) / every)), in single
 * precision as the reference has it. */
static void temper_text(void *self, int t, struct arena *scratch)
{
    const struct project_job *job = self;
    const struct pass *pass = job->p;
    const struct config *config = &pass->m->config;
    int64_t width = (int64_t)config->n_heads * config->d_head;

    (void)scratch;
    for (int i = 0; i < pass_tokens(pass, t); i++) {
        int64_t seen = ((int64_t)pass_before(pass, t) + i + 1) / config->score.every;
        float factor = (float)elementary_log1p((double)seen) * (float)config->score.slope + 1;
        float *q = pass->qkv + (int64_t)(pass->b->start[t] + i) * pass->m->place.width +
                   pass->m->place.q[0];

        for (int64_t k = 0; k < width; k++)
            q[k] *= factor;
    }
}

/* Queries and keys, and values where they are there, cut to -c .. c; a NaN stays. */
static void clip_rows(void *self, int i, struct arena *scratch)
{
    const struct project_job *job = self;
    const struct head_place *place = &job->p->m->place;
    float c = (float)job->p->m->config.clip_qkv;
    int n = job->values ? place->width : place->v[0];

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->p->N, i); r++) {
        float *row = job->p->qkv + ((int64_t)i * ROW_CHUNK + r) * place->width;

        for (int k = 0; k < n; k++)
            row[k] = row[k] < -c ? -c : row[k] > c ? c : row[k];
    }
}

/* Keys of a layer that hashes: k = q / sqrt(mean(q^2) + 1e-6) of each head. */
static void shared_key_rows(void *self, int i, struct arena *scratch)
{
    const struct project_job *job = self;
    const struct model *model = job->p->m;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(job->p->N, i); r++) {
        float *row = job->p->qkv + ((int64_t)i * ROW_CHUNK + r) * model->place.width;

        norm_rms(row + model->place.k[0], row + model->place.q[0], NULL, 1e-6f,
                 model->config.n_kv_heads, model->config.d_head);
    }
}

void project_given(struct pass *pass, int64_t width)
{
    for (int t = 0; t < pass->b->n_texts; t++)
        memcpy(pass->qkv + pass->b->start[t] * width, pass->b->values[t].x,
               (size_t)((pass->b->start[t + 1] - pass->b->start[t]) * width) * sizeof *pass->qkv);
}

/* The outputs of a slot up to the values, where those can be left out. */
static int without_values(const struct pass *pass, enum slot s, int n)
{
    return s == W_V ? 0 : s == W_QKV && pass->m->family->qkv == QKV_STACKED ? pass->m->place.v[0] :
           n;
}

/* Where queries and keys of a layer with bottlenecks read one, values may read the stream. */
static const float *read_by(const struct pass *pass, enum slot s)
{
    return s == W_V && pass->m->config.bottleneck.shared ? pass->x : pass->a;
}

/* Keys and values of each row go to those of layers that share them, or come from there. */
static void share_keys(struct pass *pass, const struct layer_plan *plan, bool own)
{
    const struct head_place *place = &pass->m->place;
    size_t from = (size_t)place->k[0], n = (size_t)place->width - from;
    float *kept = pass->kept[plan->windowed];

    for (int64_t i = 0; (plan->gives_keys || !own) && i < pass->N; i++) {
        float *row = pass->qkv + i * place->width + from, *same = kept + (size_t)i * n;

        memcpy(own ? same : row, own ? row : same, n * sizeof *row);
    }
}

void project_room(struct pass *pass)
{
    size_t n = (size_t)pass->m->place.width - (size_t)pass->m->place.k[0];

    for (int i = 0; i < 2 && pass->m->config.streams.n_shared > 0; i++)
        pass->kept[i] = stage_floats(pass, (size_t)pass->N, n);
}

void project_self(struct pass *pass, const struct layer_plan *plan, bool values)
{
    static const enum slot separate[] = { W_Q, W_K, W_V, N_SLOT };
    static const enum slot fused[] = { W_QKV, N_SLOT }, none[] = { N_SLOT };
    const enum slot *s = pass->m->family->qkv == QKV_SEPARATE ? separate : fused;
    struct project_job job = { pass, plan, values, plan->keys_of == plan - pass->m->layer };
    struct param part;
    int column = 0, n;

    if (pass->m->family->front == FRONT_QKV) {
        project_given(pass, pass->m->place.width);
        return;
    }
    if (pass->m->family->qkv == QKV_LOW_RANK) {
        latent_project(pass, plan);
        s = none;
    }
    for (; *s != N_SLOT; s++) {
        if (plan->hashed && *s == W_K) {
            stage_rows(pass, pass->N, shared_key_rows, &job);
            column += pass->m->config.n_kv_heads * pass->m->config.d_head;
            continue;
        }
        n = plan->slot[*s].matrix.N;
        part = stage_part(&plan->slot[*s], 0, values ? n : without_values(pass, *s, n));
        if (part.matrix.N > 0)
            stage_linear(pass, pass->qkv + column, pass->m->place.width, read_by(pass, *s),
                         part.matrix.K, pass->N, &part);
        column += n;
    }
    if (plan->slot[W_Q_NORM].weight != NULL)
        stage_rows(pass, pass->N, qk_norm_rows, &job);
    if (pass->m->config.clip_qkv > 0)
        stage_rows(pass, pass->N, clip_rows, &job);
    rotary_rotate(pass, plan);
    share_keys(pass, plan, job.own);
    if (quirks_of(pass->m->family)->qk_norm_last && pass->m->config.norm.qk && plan->rope >= 0)
        stage_rows(pass, pass->N, last_norm_rows, &job);
    if (plan->tempered)
        par_for(pass->par, pass->b->n_texts, temper_text, &job);
}
