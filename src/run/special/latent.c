/* SPDX-License-Identifier: MIT
 * Latent attention: low-rank projections, with a norm between them -> rows in the layout of other
 * families: all queries, all keys, all values. */
#include "run/special/latent.h"

#include <string.h>

#include "model/family_slots.h"
#include "nn/norm.h"
#include "run/stage.h"

/* The reference has this epsilon in its two inner norms, whatever rms_norm_eps says. */
static const float LATENT_EPS = 1e-6f;

struct latent_job {
    const struct pass *p;
    const struct param *norm;
    float *x;                   /* [n, D] normed in place */
    int n, D;
    float *row;                 /* [n, place.width] where projections go */
    const float *kv, *rotary;   /* [n, heads' k and v], [n, d_rope] */
};

static void norm_task(void *self, int i, struct arena *scratch)
{
    const struct latent_job *job = self;
    float *x = job->x + (int64_t)i * ROW_CHUNK * job->D;

    (void)scratch;
    norm_rms(x, x, job->norm->vector, LATENT_EPS, stage_rows_of(job->n, i), job->D);
}

static void latent_norm(struct pass *pass, float *x, int n, int D, const struct param *norm)
{
    struct latent_job job = { .p = pass, .norm = norm, .x = x, .n = n, .D = D };

    stage_rows(pass, n, norm_task, &job);
}

/* Per head [k; v], and the rotary columns that heads share -> the row. */
static void spread_task(void *self, int i, struct arena *scratch)
{
    const struct latent_job *job = self;
    const struct config *config = &job->p->m->config;
    const struct head_place *place = &job->p->m->place;
    size_t nope = (size_t)config->latent.d_nope, d_rope = (size_t)config->latent.d_rope;
    size_t d_v = (size_t)config->d_value, at = (size_t)i * ROW_CHUNK;
    size_t end = at + (size_t)stage_rows_of(job->n, i), H = (size_t)config->n_heads;

    (void)scratch;
    for (size_t r = at; r < end; r++) {
        const float *kv = job->kv + r * H * (nope + d_v);
        float *row = job->row + r * (size_t)place->width;

        for (int head = 0; head < config->n_heads; head++, kv += nope + d_v) {
            float *k = row + place->k[head];

            memcpy(k, kv, nope * sizeof *k);
            memcpy(k + nope, job->rotary + r * d_rope, d_rope * sizeof *k);
            memcpy(row + place->v[head], kv + nope, d_v * sizeof *k);
        }
    }
}

static void queries(struct pass *pass, const struct layer_plan *plan, float *row,
                    const float *a, int n, float *room)
{
    int D = pass->m->config.d_model, rank = pass->m->config.latent.q_rank;
    const struct param *slot = plan->slot;

    if (rank == 0) {
        stage_linear(pass, row, pass->m->place.width, a, D, n, &slot[W_Q]);
        return;
    }
    stage_linear(pass, room, rank, a, D, n, &slot[W_Q_A]);
    latent_norm(pass, room, n, rank, &slot[W_Q_A_NORM]);
    stage_linear(pass, row, pass->m->place.width, room, rank, n, &slot[W_Q_B]);
}

/* room: n rows of kv_rank, of d_rope, of W_KV_B's output. */
static void keys_and_values(struct pass *pass, const struct layer_plan *plan, float *row,
                            const float *a, int n, float *room)
{
    const struct config *config = &pass->m->config;
    int D = config->d_model, rank = config->latent.kv_rank;
    float *rotary = room + (int64_t)n * rank;
    float *kv = rotary + (int64_t)n * config->latent.d_rope;
    const struct param *param = &plan->slot[W_KV_B];
    struct param down = stage_part(&plan->slot[W_KV_A], 0, rank);
    struct param shared = stage_part(&plan->slot[W_KV_A], rank, config->latent.d_rope);
    struct latent_job job = { .p = pass, .n = n, .row = row, .kv = kv, .rotary = rotary };

    stage_linear(pass, room, rank, a, D, n, &down);
    stage_linear(pass, rotary, config->latent.d_rope, a, D, n, &shared);
    latent_norm(pass, room, n, rank, &plan->slot[W_KV_A_NORM]);
    stage_linear(pass, kv, param->matrix.N, room, rank, n, param);
    stage_rows(pass, n, spread_task, &job);
}

size_t latent_room(const struct model *model, int n_tokens)
{
    const struct config *config = &model->config;
    size_t count = n_tokens < MLP_ROWS ? (size_t)n_tokens : MLP_ROWS;
    size_t kv = (size_t)family_slot_dim(model->family, config, DIM_KV_A) +
                (size_t)family_slot_dim(model->family, config, DIM_KV_B);

    if (model->family->qkv != QKV_LOW_RANK)
        return 0;
    return count *
           (kv > (size_t)config->latent.q_rank ? kv : (size_t)config->latent.q_rank);
}

void latent_project(struct pass *pass, const struct layer_plan *plan)
{
    struct arena_mark mark = arena_mark(pass->call);
    float *room = arena_alloc_raw(pass->call, latent_room(pass->m, pass->N), sizeof *room);

    for (int i = 0; i < pass->N; i += MLP_ROWS) {
        int count = pass->N - i < MLP_ROWS ? pass->N - i : MLP_ROWS;
        const float *a = pass->a + (int64_t)i * pass->m->config.d_model;
        float *row = pass->qkv + (int64_t)i * pass->m->place.width;

        queries(pass, plan, row, a, count, room);
        keys_and_values(pass, plan, row, a, count, room);
    }
    arena_reset(pass->call, mark);
}
