/* SPDX-License-Identifier: MIT
 * Ids or a front's rows, types, positions and boxes -> the residual stream. */
#include "run/embed.h"

#include <math.h>
#include <string.h>

#include "model/family_slots.h"
#include "model/quirks.h"
#include "nn/nn.h"
#include "nn/sinusoid.h"
#include "run/special/conv.h"
#include "run/special/front_rows.h"
#include "run/special/interpolate.h"
#include "run/stage.h"

static void embed_add_row(float *x, float *room, const struct param *table, int64_t row,
                          int width)
{
    tensor_read(room, table->weight, row * width, width);
    nn_add(x, room, width);
}

/* Rows of the position table for one text; ids are read by POS_TABLE_FROM_IDS alone. */
static void positions(const struct pass *pass, int text, int *row)
{
    const struct family *family = pass->m->family;
    const int *id = family_counts_ids(family) ? pass->b->id + pass->b->start[text] : NULL;
    int count = pass_tokens(pass, text), before = pass_before(pass, text);
    int pad = family->pos_offset > 0 ? family->pos_offset : pass->m->config.pad_id;
    int first = family->positions == POS_TABLE_AFTER_PAD ? pad + 1 : family->pos_offset;
    int seen = pass->want->cache != NULL ? pass->want->cache[text]->n_seen : 0;

    for (int i = 0; i < count; i++)
        row[i] = id == NULL ?
                     before + i + first :
                 id[i] == pad ? pad :
                                pad + ++seen;
    if (pass->want->cache != NULL)
        pass->want->cache[text]->n_seen = seen;
}

/* x += [row of the grid; column of the grid] of position t. */
static void add_axial(const struct model *model, float *x, float *room, int t)
{
    int columns = model->config.axial.shape[1];

    embed_add_row(x, room, &model->slot[W_AXIS_0], t / columns, model->config.axial.width[0]);
    embed_add_row(x + model->config.axial.width[0], room, &model->slot[W_AXIS_1], t % columns,
                  model->config.axial.width[1]);
}

/*
 * As if a share of 0.15 * 0.8, what training masks, had been dropped: rows of masks are 0, and
 * all are scaled by (1 - share) / (1 - share that is masked here).
 */
static void drop_masks(const struct pass *pass, int text, float *out)
{
    static const double trained = 0.15 * 0.8;
    const int *id = pass->b->id + pass->b->start[text];
    int64_t E = pass->m->config.d_embed, n = pass_tokens(pass, text), masks = 0;
    float *x = out + pass->b->start[text] * E, scale;

    for (int64_t i = 0; i < n; i++)
        masks += id[i] == pass->m->config.token_dropout.mask_id;
    scale = masks < n ? (float)((1 - trained) / (1 - (double)masks / (double)n)) : 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < E; k++)
            x[i * E + k] = id[i] == pass->m->config.token_dropout.mask_id ? 0 :
                                                                              x[i * E + k] * scale;
}

void embed_tokens(struct pass *pass, float *out)
{
    int E = pass->m->config.d_embed;
    bool scaled = pass->m->family->scale_embedding ||
                  (pass->m->config.scale_embedding && !quirks_of(pass->m->family)->never_scales);
    double tokens = pass->m->config.multiplier.tokens;
    float scale = scaled ? sqrtf((float)pass->m->config.d_model) : tokens > 0 ? (float)tokens : 1;

    for (int i = 0; i < pass->N; i++) {
        float *x = out + (int64_t)i * E;

        tensor_read(x, pass->m->slot[W_TOK].weight, (int64_t)pass->b->id[i] * E, E);
        for (int k = 0; scale != 1 && k < E; k++)
            x[k] *= scale;
    }
    for (int t = 0; pass->m->config.token_dropout.on && t < pass->b->n_texts; t++)
        drop_masks(pass, t, out);
}

/* What the noise of rows first .. end - 1 is multiplied by. */
static float noise_scale(const struct pass *pass, const float *x, int first, int end)
{
    int64_t E = pass->m->config.d_embed, count = (end - first) * E;
    double sum = 0;

    if (!pass->want->change->noise_relative)
        return 1;
    for (int64_t i = 0; i < count; i++)
        sum += (double)x[first * E + i] * (double)x[first * E + i];
    return (float)sqrt(sum / (double)count);
}

static void add_noise(struct pass *pass, float *x)
{
    const struct change *change = pass->want->change;
    const struct batch *batch = pass->b;
    int64_t E = pass->m->config.d_embed;

    if (change == NULL || change->noise == NULL)
        return;
    for (int t = 0; t < batch->n_texts; t++) {
        float scale = noise_scale(pass, x, batch->start[t], batch->start[t + 1]);

        for (int64_t i = batch->start[t] * E; i < batch->start[t + 1] * E; i++)
            x[i] += scale * change->noise[i];
    }
}

static bool is_closed(const struct family *family)
{
    return family->positions == POS_SINUSOID_CLOSED ||
           family->positions == POS_SINUSOID_CLOSED_FROM_IDS;
}

/* The row of pads, which is zeros. */
static bool is_pad(const struct pass *pass, int row)
{
    return family_counts_ids(pass->m->family) && row == pass->m->config.pad_id;
}

/* x += [left, right] + [top, bottom] + height + width of token i's box; room [width]. */
static void add_box(const struct pass *pass, float *x, float *room, int i, int width)
{
    static const int nowhere[4];
    const int *box = pass->b->box != NULL ? pass->b->box + 4 * (int64_t)i : nowhere;
    const struct param *slot = pass->m->slot;

    embed_add_row(x, room, &slot[W_BOX_X], box[0], width);
    embed_add_row(x, room, &slot[W_BOX_Y], box[1], width);
    embed_add_row(x, room, &slot[W_BOX_X], box[2], width);
    embed_add_row(x, room, &slot[W_BOX_Y], box[3], width);
    embed_add_row(x, room, &slot[W_BOX_H], box[3] - box[1], width);
    embed_add_row(x, room, &slot[W_BOX_W], box[2] - box[0], width);
}

/* The positions of this picture are not the table's rows. */
static bool has_other_grid(const struct pass *pass, int text)
{
    return quirks_of(pass->m->family)->interpolates &&
           front_interpolates(pass->m, &pass->b->values[text]);
}

static void add_types_and_positions(struct pass *pass, float *out, int width)
{
    const struct param *slot = pass->m->slot;
    const struct batch *batch = pass->b;
    float *room = arena_alloc_raw(pass->call, (size_t)width, sizeof *room);
    int *row = arena_alloc_raw(pass->call, (size_t)pass->N, sizeof *row);

    for (int t = 0; t < batch->n_texts; t++) {
        positions(pass, t, row + batch->start[t]);
        if (has_other_grid(pass, t))
            interpolate_add(pass, out + (int64_t)batch->start[t] * width, &batch->values[t]);
    }
    for (int i = 0, text = 0; i < pass->N; i++) {
        float *x = out + (int64_t)i * width;

        while (i >= batch->start[text + 1])
            text++;

        if (slot[W_TYPE].weight != NULL)
            embed_add_row(x, room, &slot[W_TYPE],
                          batch->type != NULL && pass->m->config.n_types > 1 ? batch->type[i] : 0,
                          width);
        if (slot[W_TASK].weight != NULL)
            embed_add_row(x, room, &slot[W_TASK], 0, width);
        if (slot[W_POS].weight != NULL && !has_other_grid(pass, text))
            embed_add_row(x, room, &slot[W_POS], row[i], width);
        if (slot[W_BOX_X].weight != NULL)
            add_box(pass, x, room, i, width);
        if (slot[W_AXIS_0].weight != NULL)
            add_axial(pass->m, x, room, row[i]);
        if (pass->m->family->positions == POS_SINUSOID)
            sinusoid_add(x, row[i], width);
        else if (is_closed(pass->m->family) && !is_pad(pass, row[i]))
            sinusoid_add_closed(x, row[i], width);
    }
}

/* [N, 3 E]: of each token the next one, itself and the one before; 0 beyond the text. */
static const float *trigrams(struct pass *pass, const float *x, int E)
{
    float *out = arena_alloc(pass->call, (uint64_t)pass->N * (uint64_t)E, 3 * sizeof *out);
    size_t size = (size_t)E * sizeof *out;

    for (int t = 0; t < pass->b->n_texts; t++)
        for (int64_t i = pass->b->start[t]; i < pass->b->start[t + 1]; i++) {
            if (i + 1 < pass->b->start[t + 1])
                memcpy(out + 3 * i * E, x + (i + 1) * E, size);
            memcpy(out + (3 * i + 1) * E, x + i * E, size);
            if (i > pass->b->start[t])
                memcpy(out + (3 * i + 2) * E, x + (i - 1) * E, size);
        }
    return out;
}

void embed_batch(struct pass *pass)
{
    const struct param *slot = pass->m->slot;
    const struct config *config = &pass->m->config;
    const struct quirks *quirks = quirks_of(pass->m->family);
    int D = config->d_model, E = config->d_embed,
        width = family_slot_dim(pass->m->family, config, DIM_EMB);
    bool token_proj = slot[W_TOK_PROJ].weight != NULL;
    bool sum_proj = slot[W_EMB_PROJ].weight != NULL;
    float *narrow = pass->x, *sum = pass->x;

    int read = family_slot_dim(pass->m->family, config, DIM_TOK_IN);

    if (token_proj || sum_proj)
        narrow = arena_alloc_raw(pass->call, (uint64_t)pass->N * (uint64_t)E, sizeof *narrow);
    if (sum_proj)
        sum = narrow;
    (pass->m->family->front != FRONT_TOKENS ? front_rows : embed_tokens)(pass, narrow);
    add_noise(pass, narrow);
    if (token_proj)
        stage_linear(pass, sum, width, read > E ? trigrams(pass, narrow, E) : narrow, read, pass->N,
                     &slot[W_TOK_PROJ]);
    if (quirks->norm_of_tokens)
        stage_norm(pass, sum, sum, pass->N, width, &slot[W_EMB_NORM]);
    add_types_and_positions(pass, sum, width);
    if (!quirks->proj_before_norm && !quirks->norm_of_tokens)
        stage_norm(pass, sum, sum, pass->N, width, &slot[W_EMB_NORM]);
    if (sum_proj)
        stage_linear(pass, pass->x, D, sum, E, pass->N, &slot[W_EMB_PROJ]);
    if (quirks->proj_before_norm)
        stage_norm(pass, pass->x, pass->x, pass->N, D, &slot[W_EMB_NORM]);
    if (slot[W_POS_CONV].weight != NULL)
        conv_positions(pass);
}
