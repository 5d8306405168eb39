/* SPDX-License-Identifier: MIT
 * A family's slots, layer by layer and stack by stack -> tensors: one loop for all. */
#include "model/bind/bind_priv.h"

#include <string.h>

#include "base/str.h"
#include "model/quirks.h"

/*
 * Layers that share their weights, as ALBERT's do, are bound to those of a group, each
 * to its place in it.  The division is the reference library's, rounding and all.
 */
static struct where weights_of(const struct config *config, int l)
{
    struct where at = { l, 0 };

    if (config->groups.n > 0) {
        double steps = config->n_layers / config->groups.n_inner;

        at.layer = (int)(l / config->groups.n_inner / (steps / config->groups.n));
        at.part = l % config->groups.n_inner;
    }
    return at;
}

static bool in_mlp(int slot)
{
    return slot == W_GATE || slot == W_UP || slot == W_DOWN;
}

/* n outputs of an expert, of K inputs, from the first of them on: of what holds all experts'
 * width outputs. */
static struct param bind_part_of(const struct param *all, const struct param *bias, int expert,
                                 int width,
                                 int K, int first, int n)
{
    struct param part = { .weight = all->weight, .matrix = all->matrix, .is_linear = true };
    int64_t stride = all->matrix.stride, row = (int64_t)expert * width + first;

    linear_skip(&part.matrix, all->matrix.order_in_out ? (int64_t)expert * K * stride + first :
                                                         row * stride);
    part.matrix.N = n;
    part.matrix.K = K;
    if (bias->vector != NULL)
        part.bias = bias->vector + row;
    return part;
}

/* The slots of all experts keep their tensors, for what is counted, and nothing else. */
static void bind_split_experts(struct model *model, struct layer_plan *plan)
{
    struct param *up = &plan->slot[W_EXPS_UP], *down = &plan->slot[W_EXPS_DOWN];
    const struct param *up_bias = &plan->slot[W_EXPS_UP_BIAS];
    const struct param *down_bias = &plan->slot[W_EXPS_DOWN_BIAS];
    int F = model->config.experts.d_ff, D = model->config.d_model;
    bool pairs = quirks_of(model->family)->experts_in_pairs;

    for (int x = 0; x < model->config.experts.n; x++) {
        struct expert *expert = &plan->expert[x];

        if (!pairs)
            expert->gate = bind_part_of(up, up_bias, x, 2 * F, D, 0, F);
        expert->up = bind_part_of(up, up_bias, x, 2 * F, D, pairs ? 0 : F, pairs ? 2 * F : F);
        expert->down = bind_part_of(down, down_bias, x, D, F, 0, D);
    }
    up->matrix = down->matrix = (struct matrix){ 0 };
}

static int bind_experts(struct binder *binder, struct layer_plan *plan, int layer)
{
    int count = binder->m->config.experts.n;

    plan->expert = arena_alloc(binder->a, (size_t)count, sizeof *plan->expert);
    if (plan->slot[W_EXPS_UP].weight != NULL) {
        bind_split_experts(binder->m, plan);
        return 0;
    }
    for (int x = 0; x < count; x++) {
        struct where at = { layer, x };

        if (bind_slot(binder, W_EXP_GATE, at, &plan->expert[x].gate) != 0 ||
            bind_slot(binder, W_EXP_UP, at, &plan->expert[x].up) != 0 ||
            bind_slot(binder, W_EXP_DOWN, at, &plan->expert[x].down) != 0)
            return -1;
    }
    return 0;
}

static int bind_former(struct binder *binder, struct layer_plan *plan, int layer)
{
    int n = binder->m->config.n_mlps - 1;

    if (n < 1)
        return 0;
    plan->former = arena_alloc(binder->a, (size_t)n, sizeof *plan->former);
    for (int i = 0; i < n; i++) {
        struct where at = { layer, i };

        if (bind_slot(binder, W_FORMER_UP, at, &plan->former[i].up) != 0 ||
            bind_slot(binder, W_FORMER_DOWN, at, &plan->former[i].down) != 0 ||
            bind_slot(binder, W_FORMER_NORM, at, &plan->former[i].norm) != 0)
            return -1;
    }
    return 0;
}

/* The tensor of W_O has columns for the heads, then as many for the convolution. */
static void split_output(const struct model *model, struct layer_plan *plan)
{
    struct param *heads = &plan->slot[W_O], *taps = &plan->slot[W_TAPS_O];
    int n = family_slot_dim(model->family, &model->config, DIM_HV);

    if (!quirks_of(model->family)->side_conv)
        return;
    heads->matrix.K = n;
    taps->matrix = heads->matrix;
    taps->is_linear = heads->is_linear;
    linear_skip(&taps->matrix, heads->matrix.order_in_out ? n * heads->matrix.stride : n);
}

/* Slots that this layer leaves empty, though its family names them. */
static bool is_absent(const struct model *model, int s, int l, bool experts)
{
    bool routed = s == W_ROUTER || s == W_ROUTER_BIAS || s == W_EXPS_UP || s == W_EXPS_DOWN ||
                  s == W_EXPS_UP_BIAS || s == W_EXPS_DOWN_BIAS;
    bool shared = s == W_SHARED_GATE || s == W_SHARED_UP || s == W_SHARED_DOWN ||
                  s == W_SHARED_SCORE;
    bool ranked = s == W_Q_A || s == W_Q_A_NORM || s == W_Q_B;

    if (model->family->qkv == QKV_LOW_RANK && (model->config.latent.q_rank > 0 ? s == W_Q : ranked))
        return true;
    if (model->layer[l].mixer != MIXER_NONE ? family_slot_attends((enum slot)s) :
                                              family_slot_mixes((enum slot)s))
        return true;
    return bind_distance_is_off(model, s) || (experts ? in_mlp(s) : routed || shared) ||
           (shared && model->config.experts.n_shared == 0) ||
           (s == W_GATE && model->mlp == MLP_PLAIN) ||
           (s == W_K && model->config.layer_kind != NULL &&
            model->config.layer_kind[l] == LAYER_HASHED) ||
           (s == W_ATT_NORM && l == 0 && quirks_of(model->family)->first_norm_absent) ||
           (s == W_MLP_NORM && model->config.norm.one) ||
           (s == W_GRID_LAYER && !model->config.grid.by_layer) ||
           ((s == W_K || s == W_V || s == W_K_NORM) &&
            l >= model->config.n_layers - model->config.streams.n_shared) ||
           (s == W_INPUT_SCALE && !model->config.streams.scaled) ||
           ((s == W_ATT_SCALE || s == W_MLP_SCALE) && model->family->defaults.part_scale > 0 &&
            !(model->config.part_scale > 0)) ||
           ((s == W_IN || s == W_IN_NORM || s == W_OUT || s == W_OUT_NORM) &&
            model->config.bottleneck.d == 0) ||
           ((s == W_READ || s == W_READ_NORM) && !model->config.bottleneck.shared) ||
           (s == W_LANG_NORM && !model->config.language.own_norm) ||
           ((s == W_Q_NORM || s == W_K_NORM) && model->family->qk_norm_by_config &&
            !model->config.norm.qk);
}

static int bind_layer(struct binder *binder, int l)
{
    struct layer_plan *plan = &binder->m->layer[l];
    struct where at = weights_of(&binder->m->config, l);
    bool experts = plan_has_experts(&binder->m->config, l);

    plan_layer(binder->m, l);
    if (plan->keys_of < 0)
        return err_set(binder->e, ERR_INPUT, "%s: layer %d has no keys and values of its own "
                       "(num_kv_shared_layers %d), and no layer with any is of its type",
                       binder->m->name, l, binder->m->config.streams.n_shared);
    for (int s = 0; s < N_SLOT; s++) {
        if (family_slots[s].count != PER_LAYER || is_absent(binder->m, s, l, experts))
            continue;
        if (bind_slot(binder, (enum slot)s, at, &plan->slot[s]) != 0)
            return -1;
    }
    split_output(binder->m, plan);
    bind_free_biases(binder->m, plan, binder->a);
    plan_distances(plan, &binder->m->config, binder->a);
    plan_grid(binder->m, l, binder->a);
    if (bind_former(binder, plan, at.layer) != 0)
        return -1;
    return experts ? bind_experts(binder, plan, at.layer) : 0;
}

/* The class says which head it is, unless the file lacks that head's tensors. */
static bool bind_fits(struct binder *binder, const struct head_task *task, const char *class_name)
{
    const struct family *family = binder->m->family;
    bool of_encoder = family->decoder != NULL;
    bool after_encoder = family_has(family, W_CROSS_Q);
    bool of_patches = task->rows == HEAD_OTHERS_MEAN || task->rows == HEAD_FIRST_MEAN;
    struct where first = { 0 };

    return str_ends_with(class_name, task->class_name) && of_encoder == task->of_encoder &&
           (task->rows != HEAD_LAST_EOS || after_encoder) &&
           (!of_patches || family->front == FRONT_PATCH) &&
           bind_has(binder, task->out, first) &&
           (task->dense == NULL || bind_has(binder, task->dense, first)) &&
           (task->dense != NULL || task->norm == NULL || bind_has(binder, task->norm, first));
}

static void find_task(struct binder *binder)
{
    struct model *model = binder->m;
    const char *class_name = model->config.head.class_name;
    const char *usual = quirks_of(model->family)->head_class;

    model->config.head.task = NULL;         /* a decoder's config is its encoder's */
    if (usual != NULL && !head_is_unknown(class_name))
        class_name = usual;
    for (const struct head_task *task = head_tasks; class_name != NULL &&
         task->class_name != NULL; task++)
        if (bind_fits(binder, task, class_name)) {
            model->config.head.task = task;
            return;
        }
}

static bool has_part_of_head(const struct model *model)
{
    for (int s = 0; s < N_SLOT; s++)
        if (bind_is_head((enum slot)s) &&
            (model->slot[s].weight != NULL || model->slot[s].bias_tensor != NULL))
            return true;
    return false;
}

/* A head is there if nothing of it is missing; its weight may be tied. */
static void bind_head(struct model *model)
{
    bool complete = model->head_lacks == NULL;

    if (!has_part_of_head(model))
        model->head_lacks = NULL;
    if (model->config.head.task != NULL) {
        model->n_logits = head_outputs(&model->config);
        model->has_head = complete;
        return;
    }
    model->n_logits = family_slot_dim(model->family, &model->config, DIM_HEAD);
    model->has_head = complete &&
                      family_has(model->family, W_HEAD); /* an encoder's is the decoder's */
    if (model->slot[W_HEAD].weight == NULL) {
        model->has_head = model->has_head && !head_is_unknown(model->config.head.class_name);
        model->slot[W_HEAD].matrix = model->slot[W_TOK].matrix;
        model->slot[W_HEAD].is_linear = true;
        model->has_head = model->has_head && !model->config.head.untied &&
                          model->slot[W_HEAD].matrix.K ==
                          family_slot_dim(model->family, &model->config, DIM_HEAD_IN);
    }
}

/* Per quarter of the heads: their queries, their values, their keys. */
static void place_quarters(struct model *model, struct arena *a)
{
    struct head_place *place = &model->place;
    int H = model->config.n_heads, d = model->config.d_head, n = H / 4;

    for (int h = 0; h < H; h++) {
        place->q[h] = (h / n * 3 * n + h % n) * d;
        place->v[h] = place->q[h] + n * d;
        place->k[h] = place->v[h] + n * d;
    }
    place->n_runs = 8;
    place->run_heads = n;
    place->run = arena_alloc(a, 8, sizeof *place->run);
    for (int r = 0; r < 8; r++)
        place->run[r] = (r / 2 * 3 + r % 2 * 2) * n * d;
}

/* Each head's queries before the gate of its output; keys as they are, after them all. */
static void place_gates(struct model *model, struct arena *a)
{
    struct head_place *place = &model->place;
    int H = model->config.n_heads, G = model->config.n_kv_heads, d = model->config.d_head;

    place->width += H * d;
    place->gate = arena_alloc(a, (size_t)H, sizeof *place->gate);
    for (int h = 0; h < H; h++) {
        place->q[h] = 2 * h * d;
        place->gate[h] = place->q[h] + d;
    }
    for (int g = 0; g < G; g++) {
        place->k[g] += H * d;
        place->v[g] += H * d;
    }
    place->n_runs = H + G;
    place->run_heads = 1;
    place->run = arena_alloc(a, (size_t)place->n_runs, sizeof *place->run);
    for (int r = 0; r < H + G; r++)
        place->run[r] = r < H ? place->q[r] : place->k[r - H];
}

static void bind_place_heads(struct model *model, struct arena *a)
{
    const struct config *config = &model->config;
    struct head_place *place = &model->place;
    int H = config->n_heads, G = config->n_kv_heads, d = config->d_head, a_group = H / G;
    int d_v = config->d_value, stride = (a_group + 1) * d + d_v;
    bool grouped = model->family->qkv == QKV_GROUPED;

    place->width = (H + G) * d + G * d_v;
    place->q = arena_alloc(a, (size_t)H, sizeof *place->q);
    place->k = arena_alloc(a, (size_t)G, sizeof *place->k);
    place->v = arena_alloc(a, (size_t)G, sizeof *place->v);
    for (int h = 0; h < H; h++)
        place->q[h] = grouped ? h / a_group * stride + h % a_group * d : h * d;
    for (int g = 0; g < G; g++) {
        place->k[g] = grouped ? g * stride + a_group * d : (H + g) * d;
        place->v[g] = grouped ? place->k[g] + d : (H + G) * d + g * d_v;
    }
    place->cross_k = arena_alloc(a, (size_t)G, sizeof *place->cross_k);
    place->cross_v = arena_alloc(a, (size_t)G, sizeof *place->cross_v);
    for (int g = 0; g < G; g++) {
        place->cross_k[g] = g * d;
        place->cross_v[g] = G * d + g * d_v;
    }
    place->n_runs = grouped ? G : 1;
    place->run_heads = grouped ? a_group + 1 : H + G;
    place->run = arena_alloc(a, (size_t)place->n_runs, sizeof *place->run);
    for (int r = 0; r < place->n_runs; r++)
        place->run[r] = r * stride;
    if (model->family->qkv == QKV_QUARTERS)
        place_quarters(model, a);
    if (quirks_of(model->family)->q_gated)
        place_gates(model, a);
}

/* A family whose default says so may be reversed by its config. */
static enum norm_place bind_place_of(const struct model *model)
{
    const struct config *was = &model->family->defaults;

    if (was->norm.first && !model->config.norm.first)
        return PLACE_POST;
    if (model->family->pre_by_config && model->config.norm.first)
        return PLACE_PRE;
    if (was->norm.parallel && !model->config.norm.parallel)
        return PLACE_PRE;
    if (quirks_of(model->family)->parallel_by_config && model->config.norm.parallel)
        return PLACE_PARALLEL;
    return model->family->norm_place;
}

/* Slots of the stack that its config leaves empty, though its family names them. */
static bool stack_lacks(const struct model *model, int s)
{
    const struct config *config = &model->config;
    const struct quirks *quirks = quirks_of(model->family);
    bool axial = model->family->positions == POS_AXIAL && config->axial.on;

    if ((s == W_TYPE && config->n_types == 0) || (s == W_TASK && config->n_tasks == 0) ||
        (s == W_EMB_NORM && quirks->emb_norm_by_config && !config->norm.embedding) ||
        (quirks->may_rotate && s == (config->rotary.instead ? W_POS : W_INV_FREQ)) ||
        bind_distance_is_off(model, s) || (s == W_GRID && !config->grid.shared) ||
        (s == W_POS && model->family->bias == BIAS_GRID && !config->front.positions) ||
        (s == W_POS && model->family->defaults.relative.input && !config->relative.input) ||
        ((s == W_CONV || s == W_CONV_NORM) && config->front.conv_width < 1) ||
        (s == W_POS_CONV_NORM && model->norm_place == PLACE_PRE) ||
        (s == W_EMB_NORM && quirks->wave_norm_by_config && !config->front.wave.norm) ||
        ((s == W_HEAD_NORM || s == W_HEAD_BIAS) && config->head.one_number))
        return true;
    if (s == W_FINAL_NORM && !model->family->bare)
        return model->norm_place == PLACE_POST || model->config.norm.no_final;
    return axial ? s == W_POS : s == W_AXIS_0 || s == W_AXIS_1;
}

enum { NO_LIMIT = 1 << 24 };    /* of tokens, where positions need no table */

/* The most tokens that fit the positions, also when they are padded to chunks. */
static int longest_text(const struct model *model)
{
    const struct config *config = &model->config;
    int count = config->n_positions, whole;

    if (family_rotates(model->family, config))
        return count;
    if (model->family->front == FRONT_WAVE || quirks_of(model->family)->interpolates)
        return NO_LIMIT;
    if (model->family->positions == POS_TABLE_FROM_IDS)     /* rows up to the pad's go unused */
        return count - 1 -
               (model->family->pos_offset > 0 ? model->family->pos_offset : config->pad_id);
    if (model->family->positions == POS_TABLE_AFTER_PAD)
        return count - 1 - config->pad_id;
    if (model->family->defaults.relative.input && !config->relative.input)
        return NO_LIMIT;
    if (model->slot[W_AXIS_0].weight != NULL &&
        config->axial.shape[0] * config->axial.shape[1] < count)
        count = config->axial.shape[0] * config->axial.shape[1];
    if (config->chunked.pad_to == 0)
        return count;
    if (count <= config->chunked.pad_above)
        return count;
    whole = count - count % config->chunked.pad_to;
    return whole > config->chunked.pad_above ? whole : config->chunked.pad_above;
}

/* A GGUF file has no key for the norms of queries and keys. */
static void find_qk_norms(struct binder *binder)
{
    const char *names = family_names(binder->m->family, W_Q_NORM);

    for (int l = 0; weights_gguf(binder->m->weights) != NULL &&
                    binder->m->family->qk_norm_by_config && l < bind_layers(binder);
         l++)
        if (bind_has(binder, names, (struct where){ l, 0 }))
            binder->m->config.norm.qk = true;
}

/* All layers have the same; those of the first are read. */
static void mark_frequencies(struct binder *binder)
{
    for (int l = 1; binder->m->slot[W_INV_FREQ].weight != NULL && l < bind_layers(binder); l++)
        bind_mark(binder, W_INV_FREQ, (struct where){ l, 0 });
}

static int bind_waves(struct binder *binder)
{
    struct model *model = binder->m;
    int n = model->config.front.wave.n;

    if (n == 0)
        return 0;
    model->wave = arena_alloc(binder->a, (size_t)n, sizeof *model->wave);
    for (int i = 0; i < n; i++) {
        struct where at = { i, 0 };
        bool normed = i == 0 || model->config.front.wave.norms;

        if (bind_slot(binder, W_WAVE, at, &model->wave[i].conv) != 0 ||
            (normed && bind_slot(binder, W_WAVE_NORM, at, &model->wave[i].norm) != 0))
            return -1;
    }
    return plan_taps(model, binder->a, binder->e);
}

/* The streams beside the first have tensors of their own. */
static int bind_streams(struct binder *binder)
{
    struct model *m = binder->m;
    int n = m->config.streams.n - 1;

    if (n < 1)
        return 0;
    m->stream_in = arena_alloc(binder->a, (size_t)n, sizeof *m->stream_in);
    m->stream_out = arena_alloc(binder->a, (size_t)n, sizeof *m->stream_out);
    for (int i = 0; i < n; i++)
        if (bind_slot(binder, W_STREAM_IN, (struct where){ i, 0 }, &m->stream_in[i]) != 0 ||
            bind_slot(binder, W_STREAM_OUT, (struct where){ i, 0 }, &m->stream_out[i]) != 0)
            return -1;
    return 0;
}

static int bind_stack(struct binder *binder)
{
    struct model *model = binder->m;
    const char *one_number = quirks_of(model->family)->one_number;

    binder->prefix = bind_prefix(binder);
    memset(binder->biased, 0, sizeof binder->biased);
    find_qk_norms(binder);
    model->norm_place = bind_place_of(model);
    model->mlp = family_mlp(model->family, &model->config);
    model->config.head.one_number = one_number != NULL &&
                                    bind_has(binder, one_number, (struct where){ 0 });
    find_task(binder);
    for (int s = 0; s < N_SLOT; s++)
        if (family_slots[s].count == PER_STACK && !stack_lacks(model, s) &&
            bind_slot(binder, (enum slot)s, (struct where){ 0 }, &model->slot[s]) != 0)
            return -1;
    if (bind_waves(binder) != 0 || bind_streams(binder) != 0)
        return -1;
    mark_frequencies(binder);
    plan_rope(model, binder->a);
    plan_bias(model, binder->a);
    bind_place_heads(model, binder->a);
    model->layer = arena_alloc(binder->a, (size_t)model->config.n_layers,
                               sizeof *model->layer);
    for (int l = 0; l < model->config.n_layers; l++)
        if (bind_layer(binder, l) != 0)
            return -1;
    model->max_tokens = longest_text(model);
    if (model->max_tokens < 1)
        return err_set(binder->e, ERR_INPUT, "%s: %d positions, of which padding leaves none "
                       "for tokens", model->name, model->config.n_positions);
    model->d_hidden = model->slot[W_FINAL_PROJ].weight != NULL ?
                      model->config.d_embed :
                      family_slot_dim(model->family, &model->config, DIM_END);
    bind_head(model);
    return 0;
}

/* Whether the file holds any layer of the stack, if its layers have tensors at all; a
 * missing part of one is an error. */
static bool has_layers(struct binder *binder)
{
    const struct family *family = binder->m->family;
    bool none = true;

    binder->prefix = bind_prefix(binder);
    for (int layer = 0; layer < bind_layers(binder); layer++)
        for (int s = 0; s < N_SLOT; s++)
            if (family_slots[s].count == PER_LAYER && family_has(family, (enum slot)s)) {
                none = false;
                if (bind_has(binder, family_names(family, (enum slot)s),
                             (struct where){ layer, 0 }))
                    return true;
            }
    return none;
}

/* The decoder's numbers, where the config has them apart. */
static struct config decoder_config(const struct family *family, const struct config *c)
{
    struct config config = *c;
    bool derived = c->d_head * c->n_heads == c->d_model;

    if (c->decoder.whole != NULL)
        return *c->decoder.whole;
    if (c->decoder.n_layers > 0)
        config.n_layers = c->decoder.n_layers;
    if (c->decoder.n_heads > 0)
        config.n_heads = config.n_kv_heads = c->decoder.n_heads;
    if (c->decoder.d_ff > 0)
        config.d_ff = c->decoder.d_ff;
    if (family->defaults.decoder.shares_vocab && !c->decoder.shares_vocab && c->decoder.n_vocab > 0)
        config.n_vocab = c->decoder.n_vocab;
    if (c->decoder.n_positions > 0)
        config.n_positions = c->decoder.n_positions;
    if (derived)
        config.d_head = config.d_value = config.rotary.n_columns = c->d_model /
                                                                   config.n_heads;
    return config;
}

/* The decoder after an encoder; none where the file is of the encoder alone. */
static int bind_decoder(struct binder *binder)
{
    struct model *model = binder->m, *dec = arena_alloc(binder->a, 1, sizeof *dec);
    int status = 0;

    if (model->config.decoder.n_heads > 0 &&
        model->config.d_model % model->config.decoder.n_heads != 0)
        return err_set(binder->e, ERR_INPUT,
                       "%s: decoder_attention_heads: %d does not divide "
                       "the width %d",
                       model->name, model->config.decoder.n_heads, model->config.d_model);
    *dec = (struct model){ .name = model->name,
                           .dir = model->dir,
                           .weights = model->weights,
                           .family = model->family->decoder,
                           .config = decoder_config(model->family, &model->config) };
    binder->m = dec;
    if (has_layers(binder)) {
        model->decoder = dec;
        status = bind_stack(binder);
    }
    binder->m = model;
    return status;
}

int model_bind(struct model *model, struct arena *a, struct err *e)
{
    struct binder binder = { .m = model, .family = model->family, .a = a, .e = e };

    binder.used = arena_alloc(a, (size_t)weights_count(model->weights) + 1,
                              sizeof *binder.used);
    if (bind_stack(&binder) != 0 ||
        (model->family->decoder != NULL && bind_decoder(&binder) != 0))
        return -1;
    bind_list_unused(&binder);
    model->hash = model_hash(model);
    return 0;
}
