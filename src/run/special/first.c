/* SPDX-License-Identifier: MIT
 * Ids -> embeddings -> the output of the first layer's mlp, computed as in a pass. */
#include "run/special/first.h"

#include <string.h>

#include "run/embed.h"
#include "run/mlp.h"
#include "run/stage.h"

bool first_is_known(const struct model *model)
{
    return model->family->front == FRONT_TOKENS && model->slot[W_TOK].weight != NULL &&
           (model->norm_place == PLACE_PRE || model->norm_place == PLACE_PARALLEL) &&
           model->slot[W_TOK_PROJ].weight == NULL && model->slot[W_EMB_PROJ].weight == NULL &&
           model->config.d_embed == model->config.d_model && !model->config.norm.residual_from &&
           model->slot[W_CONV].weight == NULL && model->layer[0].mixer == MIXER_NONE &&
           model->layer[0].slot[W_LANG_DOWN].weight == NULL &&
           (model->layer[0].slot[W_DOWN].weight != NULL || model->layer[0].expert != NULL);
}

void first_rows(float *x, float *mlp, const struct model *model, struct par *par, struct arena *a,
                const int *id, int n)
{
    const struct config *config = &model->config;
    const struct wanted want = { 0 };
    const int start[] = { 0, n };
    const struct batch batch = { .n_texts = 1, .start = start, .id = id };
    struct arena_mark mark = arena_mark(a);
    struct pass p = { .m = model, .b = &batch, .want = &want, .par = par, .call = a, .N = n };
    size_t rows = n < MLP_ROWS ? (size_t)n : MLP_ROWS;
    int64_t D = config->d_model;

    p.x = p.x2 = p.x3 = x;
    p.a = stage_floats(&p, (size_t)n, (size_t)D);
    p.up = stage_floats(&p, rows, (size_t)mlp_width(model));
    if (model->mlp == MLP_GATED)
        p.gate = stage_floats(&p, rows, (size_t)config->d_ff);
    embed_tokens(&p, x);
    stage_norm(&p, x, x, n, (int)D, &model->slot[W_EMB_NORM]);
    memcpy(mlp, x, (size_t)(n * D) * sizeof *x);
    /* PLACE_PARALLEL: the mlp may read what attention does */
    stage_norm(&p, p.a, x, n, (int)D, &model->layer[0].slot[W_ATT_NORM]);
    mlp_add(&p, &model->layer[0]);
    for (int64_t i = 0; i < n * D; i++)
        mlp[i] = x[i] - mlp[i];
    arena_reset(a, mark);
}
