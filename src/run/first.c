/* SPDX-License-Identifier: MIT
 * Ids -> embeddings -> the output of the first layer's mlp, computed as in a pass. */
#include "run/first.h"

#include <string.h>

#include "run/embed.h"
#include "run/mlp.h"
#include "run/stage.h"

bool first_is_known(const struct model *m)
{
    return m->family->front == FRONT_TOKENS && m->slot[W_TOK].weight != NULL &&
           (m->norm_place == PLACE_PRE || m->norm_place == PLACE_PARALLEL) &&
           m->slot[W_TOK_PROJ].weight == NULL && m->slot[W_EMB_PROJ].weight == NULL &&
           m->config.d_embed == m->config.d_model && !m->config.norm.residual_from &&
           m->slot[W_CONV].weight == NULL && m->layer[0].mixer == MIXER_NONE &&
           m->layer[0].slot[W_LANG_DOWN].weight == NULL &&
           (m->layer[0].slot[W_DOWN].weight != NULL || m->layer[0].expert != NULL);
}

void first_rows(float *x, float *mlp, const struct model *m, struct par *par, struct arena *a,
                const int *id, int n)
{
    const struct config *config = &m->config;
    const struct wanted want = { 0 };
    const int start[] = { 0, n };
    const struct batch batch = { .n_texts = 1, .start = start, .id = id };
    struct arena_mark mark = arena_mark(a);
    struct pass p = { .m = m, .b = &batch, .want = &want, .par = par, .call = a, .N = n };
    size_t rows = n < MLP_ROWS ? (size_t)n : MLP_ROWS;
    int64_t D = config->d_model;

    p.x = p.x2 = p.x3 = x;
    p.a = stage_floats(&p, (size_t)n, (size_t)D);
    p.up = stage_floats(&p, rows, (size_t)mlp_width(m));
    if (m->mlp == MLP_GATED)
        p.gate = stage_floats(&p, rows, (size_t)config->d_ff);
    embed_tokens(&p, x);
    stage_norm(&p, x, x, n, (int)D, &m->slot[W_EMB_NORM]);
    memcpy(mlp, x, (size_t)(n * D) * sizeof *x);
    /* PLACE_PARALLEL: the mlp may read what attention does */
    stage_norm(&p, p.a, x, n, (int)D, &m->layer[0].slot[W_ATT_NORM]);
    mlp_add(&p, &m->layer[0]);
    for (int64_t i = 0; i < n * D; i++)
        mlp[i] = x[i] - mlp[i];
    arena_reset(a, mark);
}
