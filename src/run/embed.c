/* SPDX-License-Identifier: MIT
 * Ids or a front's rows, types, positions and boxes -> the residual stream. */
#include "run/embed.h"

#include <math.h>
#include <string.h>

#include "model/family_slots.h"
#include "model/quirks.h"
#include "nn/nn.h"
#include "nn/sinusoid.h"
#include "run/conv.h"
#include "run/front_rows.h"
#include "run/interpolate.h"
#include "run/stage.h"

static void embed_add_row(float *x, float *room, const struct param *table, int64_t row,
                          int width)
{
    tensor_read(room, table->weight, row * width, width);
    nn_add(x, room, width);
}

/* Rows of the position table for one text; ids are read by POS_TABLE_FROM_IDS alone. */
static void positions(const struct pass *p, int text, int *row)
{
    const struct family *family = p->m->family;
    const int *id = family_counts_ids(family) ? p->b->id + p->b->start[text] : NULL;
    int count = pass_tokens(p, text), before = pass_before(p, text);
    int pad = family->pos_offset > 0 ? family->pos_offset : p->m->config.pad_id;
    int first = family->positions == POS_TABLE_AFTER_PAD ? pad + 1 : family->pos_offset;
    int seen = p->want->cache != NULL ? p->want->cache[text]->n_seen : 0;

    for (int i = 0; i < count; i++)
        row[i] = id == NULL ?
                     before + i + first :
                 id[i] == pad ? pad :
                                pad + ++seen;
    if (p->want->cache != NULL)
        p->want->cache[text]->n_seen = seen;
}

/* x += [row of the grid; column of the grid] of position t. */
static void add_axial(const struct model *m, float *x, float *room, int t)
{
    int columns = m->config.axial.shape[1];

    embed_add_row(x, room, &m->slot[W_AXIS_0], t / columns, m->config.axial.width[0]);
    embed_add_row(x + m->config.axial.width[0], room, &m->slot[W_AXIS_1], t % columns,
                  m->config.axial.width[1]);
}

/*
 * As if a share of 0.15 * 0.8, what training masks, had been dropped: rows of masks are 0, and
 * all are scaled by (1 - share) / (1 - share that is masked here).
 */
static void drop_masks(const struct pass *p, int text, float *out)
{
    static const double trained = 0.15 * 0.8;
    const int *id = p->b->id + p->b->start[text];
    int64_t E = p->m->config.d_embed, n = pass_tokens(p, text), masks = 0;
    float *x = out + p->b->start[text] * E, scale;

    for (int64_t i = 0; i < n; i++)
        masks += id[i] == p->m->config.token_dropout.mask_id;
    scale = masks < n ? (float)((1 - trained) / (1 - (double)masks / (double)n)) : 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < E; k++)
            x[i * E + k] = id[i] == p->m->config.token_dropout.mask_id ? 0 :
                                                                        x[i * E + k] * scale;
}

void embed_tokens(struct pass *p, float *out)
{
    int E = p->m->config.d_embed;
    bool scaled = p->m->family->scale_embedding ||
                  (p->m->config.scale_embedding && !quirks_of(p->m->family)->never_scales);
    double tokens = p->m->config.multiplier.tokens;
    float scale = scaled ? sqrtf((float)p->m->config.d_model) : tokens > 0 ? (float)tokens : 1;

    for (int i = 0; i < p->N; i++) {
        float *x = out + (int64_t)i * E;

        tensor_read(x, p->m->slot[W_TOK].weight, (int64_t)p->b->id[i] * E, E);
        for (int k = 0; scale != 1 && k < E; k++)
            x[k] *= scale;
    }
    for (int t = 0; p->m->config.token_dropout.on && t < p->b->n_texts; t++)
        drop_masks(p, t, out);
}

/* What the noise of rows first .. end - 1 is multiplied by. */
static float noise_scale(const struct pass *p, const float *x, int first, int end)
{
    int64_t E = p->m->config.d_embed, count = (end - first) * E;
    double sum = 0;

    if (!p->want->change->noise_relative)
        return 1;
    for (int64_t i = 0; i < count; i++)
        sum += (double)x[first * E + i] * (double)x[first * E + i];
    return (float)sqrt(sum / (double)count);
}

static void add_noise(struct pass *p, float *x)
{
    const struct change *change = p->want->change;
    const struct batch *batch = p->b;
    int64_t E = p->m->config.d_embed;

    if (change == NULL || change->noise == NULL)
        return;
    for (int t = 0; t < batch->n_texts; t++) {
        float scale = noise_scale(p, x, batch->start[t], batch->start[t + 1]);

        for (int64_t i = batch->start[t] * E; i < batch->start[t + 1] * E; i++)
            x[i] += scale * change->noise[i];
    }
}

static bool is_closed(const struct family *f)
{
    return f->positions == POS_SINUSOID_CLOSED || f->positions == POS_SINUSOID_CLOSED_FROM_IDS;
}

/* The row of pads, which is zeros. */
static bool is_pad(const struct pass *p, int row)
{
    return family_counts_ids(p->m->family) && row == p->m->config.pad_id;
}

/* x += [left, right] + [top, bottom] + height + width of token i's box; room [width]. */
static void add_box(const struct pass *p, float *x, float *room, int i, int width)
{
    static const int nowhere[4];
    const int *box = p->b->box != NULL ? p->b->box + 4 * (int64_t)i : nowhere;
    const struct param *slot = p->m->slot;

    embed_add_row(x, room, &slot[W_BOX_X], box[0], width);
    embed_add_row(x, room, &slot[W_BOX_Y], box[1], width);
    embed_add_row(x, room, &slot[W_BOX_X], box[2], width);
    embed_add_row(x, room, &slot[W_BOX_Y], box[3], width);
    embed_add_row(x, room, &slot[W_BOX_H], box[3] - box[1], width);
    embed_add_row(x, room, &slot[W_BOX_W], box[2] - box[0], width);
}

/* The positions of this picture are not the table's rows. */
static bool has_other_grid(const struct pass *p, int text)
{
    return quirks_of(p->m->family)->interpolates && front_interpolates(p->m, &p->b->values[text]);
}

static void add_types_and_positions(struct pass *p, float *out, int width)
{
    const struct param *slot = p->m->slot;
    const struct batch *batch = p->b;
    float *room = arena_alloc_raw(p->call, (size_t)width, sizeof *room);
    int *row = arena_alloc_raw(p->call, (size_t)p->N, sizeof *row);

    for (int t = 0; t < batch->n_texts; t++) {
        positions(p, t, row + batch->start[t]);
        if (has_other_grid(p, t))
            interpolate_add(p, out + (int64_t)batch->start[t] * width, &batch->values[t]);
    }
    for (int i = 0, text = 0; i < p->N; i++) {
        float *x = out + (int64_t)i * width;

        while (i >= batch->start[text + 1])
            text++;

        if (slot[W_TYPE].weight != NULL)
            embed_add_row(x, room, &slot[W_TYPE],
                          batch->type != NULL && p->m->config.n_types > 1 ? batch->type[i] : 0,
                          width);
        if (slot[W_TASK].weight != NULL)
            embed_add_row(x, room, &slot[W_TASK], 0, width);
        if (slot[W_POS].weight != NULL && !has_other_grid(p, text))
            embed_add_row(x, room, &slot[W_POS], row[i], width);
        if (slot[W_BOX_X].weight != NULL)
            add_box(p, x, room, i, width);
        if (slot[W_AXIS_0].weight != NULL)
            add_axial(p->m, x, room, row[i]);
        if (p->m->family->positions == POS_SINUSOID)
            sinusoid_add(x, row[i], width);
        else if (is_closed(p->m->family) && !is_pad(p, row[i]))
            sinusoid_add_closed(x, row[i], width);
    }
}

/* [N, 3 E]: of each token the next one, itself and the one before; 0 beyond the text. */
static const float *trigrams(struct pass *p, const float *x, int E)
{
    float *out = arena_alloc(p->call, (uint64_t)p->N * (uint64_t)E, 3 * sizeof *out);
    size_t size = (size_t)E * sizeof *out;

    for (int t = 0; t < p->b->n_texts; t++)
        for (int64_t i = p->b->start[t]; i < p->b->start[t + 1]; i++) {
            if (i + 1 < p->b->start[t + 1])
                memcpy(out + 3 * i * E, x + (i + 1) * E, size);
            memcpy(out + (3 * i + 1) * E, x + i * E, size);
            if (i > p->b->start[t])
                memcpy(out + (3 * i + 2) * E, x + (i - 1) * E, size);
        }
    return out;
}

void embed_batch(struct pass *p)
{
    const struct param *slot = p->m->slot;
    const struct config *config = &p->m->config;
    const struct quirks *quirks = quirks_of(p->m->family);
    int D = config->d_model, E = config->d_embed,
        width = family_slot_dim(p->m->family, config, DIM_EMB);
    bool token_proj = slot[W_TOK_PROJ].weight != NULL;
    bool sum_proj = slot[W_EMB_PROJ].weight != NULL;
    float *narrow = p->x, *sum = p->x;

    int read = family_slot_dim(p->m->family, config, DIM_TOK_IN);

    if (token_proj || sum_proj)
        narrow = arena_alloc_raw(p->call, (uint64_t)p->N * (uint64_t)E, sizeof *narrow);
    if (sum_proj)
        sum = narrow;
    (p->m->family->front != FRONT_TOKENS ? front_rows : embed_tokens)(p, narrow);
    add_noise(p, narrow);
    if (token_proj)
        stage_linear(p, sum, width, read > E ? trigrams(p, narrow, E) : narrow, read, p->N,
                     &slot[W_TOK_PROJ]);
    if (quirks->norm_of_tokens)
        stage_norm(p, sum, sum, p->N, width, &slot[W_EMB_NORM]);
    add_types_and_positions(p, sum, width);
    if (!quirks->proj_before_norm && !quirks->norm_of_tokens)
        stage_norm(p, sum, sum, p->N, width, &slot[W_EMB_NORM]);
    if (sum_proj)
        stage_linear(p, p->x, D, sum, E, p->N, &slot[W_EMB_PROJ]);
    if (quirks->proj_before_norm)
        stage_norm(p, p->x, p->x, p->N, D, &slot[W_EMB_NORM]);
    if (slot[W_POS_CONV].weight != NULL)
        conv_positions(p);
}
