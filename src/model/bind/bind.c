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
static struct where weights_of(const struct config *c, int l)
{
    struct where at = { l, 0 };

    if (c->groups.n > 0) {
        double steps = c->n_layers / c->groups.n_inner;

        at.layer = (int)(l / c->groups.n_inner / (steps / c->groups.n));
        at.part = l % c->groups.n_inner;
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
static void bind_split_experts(struct model *m, struct layer_plan *plan)
{
    struct param *up = &plan->slot[W_EXPS_UP], *down = &plan->slot[W_EXPS_DOWN];
    const struct param *up_bias = &plan->slot[W_EXPS_UP_BIAS];
    const struct param *down_bias = &plan->slot[W_EXPS_DOWN_BIAS];
    int F = m->config.experts.d_ff, D = m->config.d_model;
    bool pairs = quirks_of(m->family)->experts_in_pairs;

    for (int x = 0; x < m->config.experts.n; x++) {
        struct expert *expert = &plan->expert[x];

        if (!pairs)
            expert->gate = bind_part_of(up, up_bias, x, 2 * F, D, 0, F);
        expert->up = bind_part_of(up, up_bias, x, 2 * F, D, pairs ? 0 : F, pairs ? 2 * F : F);
        expert->down = bind_part_of(down, down_bias, x, D, F, 0, D);
    }
    up->matrix = down->matrix = (struct matrix){ 0 };
}

static int bind_experts(struct binder *b, struct layer_plan *plan, int layer)
{
    int count = b->m->config.experts.n;

    plan->expert = arena_alloc(b->a, (size_t)count, sizeof *plan->expert);
    if (plan->slot[W_EXPS_UP].weight != NULL) {
        bind_split_experts(b->m, plan);
        return 0;
    }
    for (int x = 0; x < count; x++) {
        struct where at = { layer, x };

        if (bind_slot(b, W_EXP_GATE, at, &plan->expert[x].gate) != 0 ||
            bind_slot(b, W_EXP_UP, at, &plan->expert[x].up) != 0 ||
            bind_slot(b, W_EXP_DOWN, at, &plan->expert[x].down) != 0)
            return -1;
    }
    return 0;
}

static int bind_former(struct binder *b, struct layer_plan *plan, int layer)
{
    int n = b->m->config.n_mlps - 1;

    if (n < 1)
        return 0;
    plan->former = arena_alloc(b->a, (size_t)n, sizeof *plan->former);
    for (int i = 0; i < n; i++) {
        struct where at = { layer, i };

        if (bind_slot(b, W_FORMER_UP, at, &plan->former[i].up) != 0 ||
            bind_slot(b, W_FORMER_DOWN, at, &plan->former[i].down) != 0 ||
            bind_slot(b, W_FORMER_NORM, at, &plan->former[i].norm) != 0)
            return -1;
    }
    return 0;
}

/* The tensor of W_O has columns for the heads, then as many for the convolution. */
static void split_output(const struct model *m, struct layer_plan *plan)
{
    struct param *heads = &plan->slot[W_O], *taps = &plan->slot[W_TAPS_O];
    int n = family_slot_dim(m->family, &m->config, DIM_HV);

    if (!quirks_of(m->family)->taps)
        return;
    heads->matrix.K = n;
    taps->matrix = heads->matrix;
    taps->is_linear = heads->is_linear;
    linear_skip(&taps->matrix, heads->matrix.order_in_out ? n * heads->matrix.stride : n);
}

/* Slots that this layer leaves empty, though its family names them. */
static bool is_absent(const struct model *m, int s, int l, bool experts)
{
    bool routed = s == W_ROUTER || s == W_ROUTER_BIAS || s == W_EXPS_UP || s == W_EXPS_DOWN ||
                  s == W_EXPS_UP_BIAS || s == W_EXPS_DOWN_BIAS;
    bool shared = s == W_SHARED_GATE || s == W_SHARED_UP || s == W_SHARED_DOWN ||
                  s == W_SHARED_SCORE;
    bool ranked = s == W_Q_A || s == W_Q_A_NORM || s == W_Q_B;

    if (m->family->qkv == QKV_LOW_RANK && (m->config.latent.q_rank > 0 ? s == W_Q : ranked))
        return true;
    if (m->layer[l].mixer != MIXER_NONE ? family_slot_attends((enum slot)s) :
                                          family_slot_mixes((enum slot)s))
        return true;
    return bind_distance_is_off(m, s) || (experts ? in_mlp(s) : routed || shared) ||
           (shared && m->config.experts.n_shared == 0) ||
           (s == W_GATE && m->mlp == MLP_PLAIN) ||
           (s == W_K && m->config.layer_kind != NULL &&
            m->config.layer_kind[l] == LAYER_HASHED) ||
           (s == W_ATT_NORM && l == 0 && quirks_of(m->family)->first_norm_absent) ||
           (s == W_MLP_NORM && m->config.norm.one) ||
           (s == W_GRID_LAYER && !m->config.grid.by_layer) ||
           ((s == W_K || s == W_V || s == W_K_NORM) &&
            l >= m->config.n_layers - m->config.streams.n_shared) ||
           (s == W_INPUT_SCALE && !m->config.streams.scaled) ||
           ((s == W_ATT_SCALE || s == W_MLP_SCALE) && m->family->defaults.part_scale > 0 &&
            !(m->config.part_scale > 0)) ||
           ((s == W_IN || s == W_IN_NORM || s == W_OUT || s == W_OUT_NORM) &&
            m->config.bottleneck.d == 0) ||
           ((s == W_READ || s == W_READ_NORM) && !m->config.bottleneck.shared) ||
           (s == W_LANG_NORM && !m->config.language.own_norm) ||
           ((s == W_Q_NORM || s == W_K_NORM) && m->family->qk_norm_by_config &&
            !m->config.norm.qk);
}

static int bind_layer(struct binder *b, int l)
{
    struct layer_plan *plan = &b->m->layer[l];
    struct where at = weights_of(&b->m->config, l);
    bool experts = plan_has_experts(&b->m->config, l);

    plan_layer(b->m, l);
    if (plan->keys_of < 0)
        return err_set(b->e, ERR_INPUT, "%s: layer %d has no keys and values of its own "
                       "(num_kv_shared_layers %d), and no layer with any is of its type",
                       b->m->name, l, b->m->config.streams.n_shared);
    for (int s = 0; s < N_SLOT; s++) {
        if (family_slots[s].count != PER_LAYER || is_absent(b->m, s, l, experts))
            continue;
        if (bind_slot(b, (enum slot)s, at, &plan->slot[s]) != 0)
            return -1;
    }
    split_output(b->m, plan);
    bind_free_biases(b->m, plan, b->a);
    plan_distances(plan, &b->m->config, b->a);
    plan_grid(b->m, l, b->a);
    if (bind_former(b, plan, at.layer) != 0)
        return -1;
    return experts ? bind_experts(b, plan, at.layer) : 0;
}

/* The class says which head it is, unless the file lacks that head's tensors. */
static bool bind_fits(struct binder *b, const struct head_task *task, const char *class_name)
{
    const struct family *family = b->m->family;
    bool of_encoder = family->decoder != NULL;
    bool after_encoder = family_has(family, W_CROSS_Q);
    bool of_patches = task->rows == HEAD_OTHERS_MEAN || task->rows == HEAD_FIRST_MEAN;
    struct where first = { 0 };

    return str_ends_with(class_name, task->class_name) && of_encoder == task->of_encoder &&
           (task->rows != HEAD_LAST_EOS || after_encoder) &&
           (!of_patches || family->front == FRONT_PATCH) &&
           bind_has(b, task->out, first) &&
           (task->dense == NULL || bind_has(b, task->dense, first)) &&
           (task->dense != NULL || task->norm == NULL || bind_has(b, task->norm, first));
}

static void find_task(struct binder *b)
{
    struct model *model = b->m;
    const char *class_name = model->config.head.class_name;
    const char *usual = quirks_of(model->family)->head_class;

    model->config.head.task = NULL;         /* a decoder's config is its encoder's */
    if (usual != NULL && !head_is_unknown(class_name))
        class_name = usual;
    for (const struct head_task *task = head_tasks; class_name != NULL &&
         task->class_name != NULL; task++)
        if (bind_fits(b, task, class_name)) {
            model->config.head.task = task;
            return;
        }
}

static bool has_part_of_head(const struct model *m)
{
    for (int s = 0; s < N_SLOT; s++)
        if (bind_is_head((enum slot)s) &&
            (m->slot[s].weight != NULL || m->slot[s].bias_tensor != NULL))
            return true;
    return false;
}

/* A head is there if nothing of it is missing; its weight may be tied. */
static void bind_head(struct model *m)
{
    bool complete = m->head_lacks == NULL;

    if (!has_part_of_head(m))
        m->head_lacks = NULL;
    if (m->config.head.task != NULL) {
        m->n_logits = head_outputs(&m->config);
        m->has_head = complete;
        return;
    }
    m->n_logits = family_slot_dim(m->family, &m->config, DIM_HEAD);
    m->has_head = complete && family_has(m->family, W_HEAD);    /* an encoder's is the decoder's */
    if (m->slot[W_HEAD].weight == NULL) {
        m->has_head = m->has_head && !head_is_unknown(m->config.head.class_name);
        m->slot[W_HEAD].matrix = m->slot[W_TOK].matrix;
        m->slot[W_HEAD].is_linear = true;
        m->has_head = m->has_head && !m->config.head.untied &&
                      m->slot[W_HEAD].matrix.K ==
                          family_slot_dim(m->family, &m->config, DIM_HEAD_IN);
    }
}

/* Per quarter of the heads: their queries, their values, their keys. */
static void place_quarters(struct model *m, struct arena *a)
{
    struct head_place *place = &m->place;
    int H = m->config.n_heads, d = m->config.d_head, n = H / 4;

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
static void place_gates(struct model *m, struct arena *a)
{
    struct head_place *place = &m->place;
    int H = m->config.n_heads, G = m->config.n_kv_heads, d = m->config.d_head;

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

static void bind_place_heads(struct model *m, struct arena *a)
{
    const struct config *config = &m->config;
    struct head_place *place = &m->place;
    int H = config->n_heads, G = config->n_kv_heads, d = config->d_head, a_group = H / G;
    int d_v = config->d_value, stride = (a_group + 1) * d + d_v;
    bool grouped = m->family->qkv == QKV_GROUPED;

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
    if (m->family->qkv == QKV_QUARTERS)
        place_quarters(m, a);
    if (quirks_of(m->family)->q_gated)
        place_gates(m, a);
}

/* A family whose default says so may be reversed by its config. */
static enum norm_place bind_place_of(const struct model *m)
{
    const struct config *was = &m->family->defaults;

    if (was->norm.first && !m->config.norm.first)
        return PLACE_POST;
    if (m->family->pre_by_config && m->config.norm.first)
        return PLACE_PRE;
    if (was->norm.parallel && !m->config.norm.parallel)
        return PLACE_PRE;
    if (quirks_of(m->family)->parallel_by_config && m->config.norm.parallel)
        return PLACE_PARALLEL;
    return m->family->norm_place;
}

/* Slots of the stack that its config leaves empty, though its family names them. */
static bool stack_lacks(const struct model *m, int s)
{
    const struct config *config = &m->config;
    const struct quirks *quirks = quirks_of(m->family);
    bool axial = m->family->positions == POS_AXIAL && config->axial.on;

    if ((s == W_TYPE && config->n_types == 0) || (s == W_TASK && config->n_tasks == 0) ||
        (s == W_EMB_NORM && quirks->emb_norm_by_config && !config->norm.embedding) ||
        (quirks->may_rotate && s == (config->rotary.instead ? W_POS : W_INV_FREQ)) ||
        bind_distance_is_off(m, s) || (s == W_GRID && !config->grid.shared) ||
        (s == W_POS && m->family->bias == BIAS_GRID && !config->front.positions) ||
        (s == W_POS && m->family->defaults.relative.input && !config->relative.input) ||
        ((s == W_CONV || s == W_CONV_NORM) && config->front.conv_width < 1) ||
        (s == W_POS_CONV_NORM && m->norm_place == PLACE_PRE) ||
        (s == W_EMB_NORM && quirks->wave_norm_by_config && !config->front.wave.norm) ||
        ((s == W_HEAD_NORM || s == W_HEAD_BIAS) && config->head.one_number))
        return true;
    if (s == W_FINAL_NORM && !m->family->bare)
        return m->norm_place == PLACE_POST || m->config.norm.no_final;
    return axial ? s == W_POS : s == W_AXIS_0 || s == W_AXIS_1;
}

enum { NO_LIMIT = 1 << 24 };    /* of tokens, where positions need no table */

/* The most tokens that fit the positions, also when they are padded to chunks. */
static int longest_text(const struct model *m)
{
    const struct config *config = &m->config;
    int count = config->n_positions, whole;

    if (family_rotates(m->family, config))
        return count;
    if (m->family->front == FRONT_WAVE || quirks_of(m->family)->interpolates)
        return NO_LIMIT;
    if (m->family->positions == POS_TABLE_FROM_IDS)     /* rows up to the pad's go unused */
        return count - 1 -
               (m->family->pos_offset > 0 ? m->family->pos_offset : config->pad_id);
    if (m->family->positions == POS_TABLE_AFTER_PAD)
        return count - 1 - config->pad_id;
    if (m->family->defaults.relative.input && !config->relative.input)
        return NO_LIMIT;
    if (m->slot[W_AXIS_0].weight != NULL &&
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
static void find_qk_norms(struct binder *b)
{
    const char *names = family_names(b->m->family, W_Q_NORM);

    for (int l = 0; weights_gguf(b->m->weights) != NULL && b->m->family->qk_norm_by_config &&
                    l < bind_layers(b); l++)
        if (bind_has(b, names, (struct where){ l, 0 }))
            b->m->config.norm.qk = true;
}

/* All layers have the same; those of the first are read. */
static void mark_frequencies(struct binder *b)
{
    for (int l = 1; b->m->slot[W_INV_FREQ].weight != NULL && l < bind_layers(b); l++)
        bind_mark(b, W_INV_FREQ, (struct where){ l, 0 });
}

static int bind_waves(struct binder *b)
{
    struct model *model = b->m;
    int n = model->config.front.wave.n;

    if (n == 0)
        return 0;
    model->wave = arena_alloc(b->a, (size_t)n, sizeof *model->wave);
    for (int i = 0; i < n; i++) {
        struct where at = { i, 0 };
        bool normed = i == 0 || model->config.front.wave.norms;

        if (bind_slot(b, W_WAVE, at, &model->wave[i].conv) != 0 ||
            (normed && bind_slot(b, W_WAVE_NORM, at, &model->wave[i].norm) != 0))
            return -1;
    }
    return plan_taps(model, b->a, b->e);
}

/* The streams beside the first have tensors of their own. */
static int bind_streams(struct binder *b)
{
    struct model *m = b->m;
    int n = m->config.streams.n - 1;

    if (n < 1)
        return 0;
    m->stream_in = arena_alloc(b->a, (size_t)n, sizeof *m->stream_in);
    m->stream_out = arena_alloc(b->a, (size_t)n, sizeof *m->stream_out);
    for (int i = 0; i < n; i++)
        if (bind_slot(b, W_STREAM_IN, (struct where){ i, 0 }, &m->stream_in[i]) != 0 ||
            bind_slot(b, W_STREAM_OUT, (struct where){ i, 0 }, &m->stream_out[i]) != 0)
            return -1;
    return 0;
}

static int bind_stack(struct binder *b)
{
    struct model *model = b->m;
    const char *one_number = quirks_of(model->family)->one_number;

    b->prefix = bind_prefix(b);
    memset(b->biased, 0, sizeof b->biased);
    find_qk_norms(b);
    model->norm_place = bind_place_of(model);
    model->mlp = family_mlp(model->family, &model->config);
    model->config.head.one_number = one_number != NULL &&
                                    bind_has(b, one_number, (struct where){ 0 });
    find_task(b);
    for (int s = 0; s < N_SLOT; s++)
        if (family_slots[s].count == PER_STACK && !stack_lacks(model, s) &&
            bind_slot(b, (enum slot)s, (struct where){ 0 }, &model->slot[s]) != 0)
            return -1;
    if (bind_waves(b) != 0 || bind_streams(b) != 0)
        return -1;
    mark_frequencies(b);
    plan_rope(model, b->a);
    plan_bias(model, b->a);
    bind_place_heads(model, b->a);
    model->layer = arena_alloc(b->a, (size_t)model->config.n_layers,
                               sizeof *model->layer);
    for (int l = 0; l < model->config.n_layers; l++)
        if (bind_layer(b, l) != 0)
            return -1;
    model->max_tokens = longest_text(model);
    if (model->max_tokens < 1)
        return err_set(b->e, ERR_INPUT, "%s: %d positions, of which padding leaves none "
                       "for tokens", model->name, model->config.n_positions);
    model->d_hidden = model->slot[W_FINAL_PROJ].weight != NULL ?
                      model->config.d_embed :
                      family_slot_dim(model->family, &model->config, DIM_END);
    bind_head(model);
    return 0;
}

/* Whether the file holds any layer of the stack, if its layers have tensors at all; a
 * missing part of one is an error. */
static bool has_layers(struct binder *b)
{
    const struct family *family = b->m->family;
    bool none = true;

    b->prefix = bind_prefix(b);
    for (int layer = 0; layer < bind_layers(b); layer++)
        for (int s = 0; s < N_SLOT; s++)
            if (family_slots[s].count == PER_LAYER && family_has(family, (enum slot)s)) {
                none = false;
                if (bind_has(b, family_names(family, (enum slot)s), (struct where){ layer, 0 }))
                    return true;
            }
    return none;
}

/* The decoder's numbers, where the config has them apart. */
static struct config decoder_config(const struct family *f, const struct config *c)
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
    if (f->defaults.decoder.shares_vocab && !c->decoder.shares_vocab && c->decoder.n_vocab > 0)
        config.n_vocab = c->decoder.n_vocab;
    if (c->decoder.n_positions > 0)
        config.n_positions = c->decoder.n_positions;
    if (derived)
        config.d_head = config.d_value = config.rotary.n_columns = c->d_model /
                                                                   config.n_heads;
    return config;
}

/* The decoder after an encoder; none where the file is of the encoder alone. */
static int bind_decoder(struct binder *b)
{
    struct model *model = b->m, *dec = arena_alloc(b->a, 1, sizeof *dec);
    int status = 0;

    if (model->config.decoder.n_heads > 0 &&
        model->config.d_model % model->config.decoder.n_heads != 0)
        return err_set(b->e, ERR_INPUT,
                       "%s: decoder_attention_heads: %d does not divide "
                       "the width %d",
                       model->name, model->config.decoder.n_heads, model->config.d_model);
    *dec = (struct model){ .name = model->name,
                           .dir = model->dir,
                           .weights = model->weights,
                           .family = model->family->decoder,
                           .config = decoder_config(model->family, &model->config) };
    b->m = dec;
    if (has_layers(b)) {
        model->decoder = dec;
        status = bind_stack(b);
    }
    b->m = model;
    return status;
}

int model_bind(struct model *m, struct arena *a, struct err *e)
{
    struct binder binder = { .m = m, .family = m->family, .a = a, .e = e };

    binder.used = arena_alloc(a, (size_t)weights_count(m->weights) + 1,
                              sizeof *binder.used);
    if (bind_stack(&binder) != 0 ||
        (m->family->decoder != NULL && bind_decoder(&binder) != 0))
        return -1;
    bind_list_unused(&binder);
    m->hash = model_hash(m);
    return 0;
}
