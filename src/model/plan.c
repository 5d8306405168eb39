/* SPDX-License-Identifier: MIT
 * Config -> layer plans, all that varies by layer: window, scale, rotary table, biases. */
#include <limits.h>
#include <math.h>

#include "base/elementary.h"
#include "model/family_slots.h"
#include "model/model_priv.h"
#include "model/quirks.h"

static bool rotated(const struct family *family, const struct config *config, int l, bool window)
{
    bool any = config->window.n_keys > 0 && config->window.used;

    switch (family->rope_rule) {
    case ROPE_BY_LIST:         return config_rotates(config, l);
    case ROPE_WINDOWED:        return window;
    case ROPE_WINDOWED_OR_ALL: return window || !any;
    case ROPE_EVERY:           break;
    }
    return true;
}

static bool windowed(const struct family *family, const struct config *config, int l)
{
    int full_first = quirks_of(family)->full_first;

    if (config->window.n_keys == 0 || !config->window.used || family->window_rule == WINDOW_NONE)
        return false;
    if (family->window_rule == WINDOW_ALL)
        return true;
    if (config->layer_kind != NULL)
        return config->layer_kind[l] == LAYER_WINDOW;
    if (family->rope_rule == ROPE_BY_LIST)
        return !config_rotates(config, l);
    if (family->window_rule == WINDOW_TYPES_BELOW && l >= config->window.from)
        return false;
    if (family->full_every > 0)
        return (l + 1) %
                   (config->window.pattern > 0 ? config->window.pattern : family->full_every) !=
               0;
    if (full_first > 0)
        return l % (config->window.pattern > 0 ? config->window.pattern : full_first) != 0;
    return l >= config->window.from;
}

static double yarn_mscale(double factor, double mscale)
{
    return factor <= 1 ? 1 : 0.1 * mscale * elementary_log(factor) + 1;
}

/* A masked row of chunks of neighbours sees no key before the first of its chunks. */
static void plan_chunks(struct model *model, int l)
{
    const struct config *config = &model->config;
    struct layer_plan *plan = &model->layer[l];
    enum layer_kind kind = config->layer_kind != NULL ? config->layer_kind[l] : LAYER_FULL;

    if (kind != LAYER_CHUNKS && kind != LAYER_HASHED)
        return;
    plan->hashed = kind == LAYER_HASHED;
    plan->chunks = plan->hashed ? config->chunked.hashed : config->chunked.near;
    if (plan->hashed)
        plan->hash_set = model->n_hashed++;
    else if (plan->hi == 0 && plan->chunks.before < INT_MAX / plan->chunks.len - 1)
        plan->lo = plan->chunks.len * (plan->chunks.before + 1) - 1;
}

/*
 * Of a standard normal number: x with a share p below it, from the series
 *     p - 1/2 = exp(-x^2 / 2) / sqrt(2 pi) (x + x^3 / 3 + x^5 / (3 5) + ..)
 * between -9 and 9, bit by bit.
 */
static double normal_quantile(double p)
{
    double lo = -9, hi = 9;

    for (int step = 0; step < 64; step++) {
        double x = (lo + hi) / 2, term = x, sum = x;

        for (int k = 3; fabs(term) > 1e-17 * fabs(sum); k += 2)
            sum += term *= x * x / k;
        if (0.5 + elementary_exp(-x * x / 2) * sum / 2.5066282746310002 < p)
            lo = x;
        else
            hi = x;
    }
    return (lo + hi) / 2;
}

/* Layers at the end attend to keys and values of the last one before them of their kind. */
static void plan_keys(struct model *model, int l)
{
    int first = model->config.n_layers - model->config.streams.n_shared, of = l;

    if (l >= first)
        for (of = first - 1; of >= 0 && model->layer[of].windowed != model->layer[l].windowed; of--)
            ;
    model->layer[l].keys_of = of;
    if (of >= 0 && of != l)
        model->layer[of].gives_keys = true;
}

static void plan_gates(struct model *model, int l)
{
    const double *share = model->config.streams.sparsity;

    model->layer[l].sparse = share != NULL && share[l] > 0;
    if (model->layer[l].sparse)
        model->layer[l].cut = (float)normal_quantile((double)(float)share[l]);
}

void plan_layer(struct model *model, int l)
{
    const struct family *family = model->family;
    const struct config *config = &model->config;
    struct layer_plan *plan = &model->layer[l];
    double scale = config->score.scaled ? 1 / sqrt(config->score.query_scalar > 0 ?
                                                       config->score.query_scalar :
                                                       config->d_head) :
                                          1;
    double mscale = family->scale_by_mscale && config->rotary.rope[0].mscale_all > 0 ?
                        yarn_mscale(config->rotary.rope[0].factor,
                                    config->rotary.rope[0].mscale_all) :
                        1;
    bool causal = (family->causal && !config->both_ways) || config->is_decoder,
         window = windowed(family, config, l);
    int count;

    scale *= mscale * mscale;
    if (config->score.factor > 0)
        scale = config->score.factor;
    plan->mixer = config->layer_kind != NULL && config->layer_kind[l] == LAYER_MIXER ?
                      family->mixer : MIXER_NONE;
    plan->scale = (float)(config->score.by_layer ? scale / (l + 1) : scale);
    plan->lo = INT_MAX;
    plan->hi = causal ? 0 : INT_MAX;
    plan->rope = !rotated(family, config, l, window) ? -1 :
                 window && model->rope[1].inv_freq != NULL ? 1 : 0;
    plan->windowed = window;
    plan->tempered = config->score.tempered && plan->rope < 0;
    plan_chunks(model, l);
    plan_keys(model, l);
    plan_gates(model, l);
    if (!window)
        return;
    count = config->window.by_layer != NULL ? config->window.by_layer[l] :
                                              config->window.n_keys;
    plan->lo = config->window.both || config->both_ways ? count / 2 : count - 1;
    if (!causal)
        plan->hi = plan->lo;
}

bool plan_has_experts(const struct config *config, int l)
{
    return config->experts.n > 0 && l >= config->experts.first_layer &&
           (config->experts.dense_layer == NULL || !config->experts.dense_layer[l]) &&
           (l + 1) % (config->experts.step > 0 ? config->experts.step : 1) == 0;
}

/* ---- rotary tables ---- */

/* The factor on cosine and sine. */
static double rope_factor(const struct rope *rope, int n_positions)
{
    double s = rope->factor > 0 ? rope->factor :
               rope->original > 0 ? (double)n_positions / rope->original : 1;

    if (rope->attention_factor > 0)
        return rope->attention_factor;
    if (rope->scaling == ROPE_LONG)
        return s <= 1 ? 1 : sqrt(1 + elementary_log(s) / elementary_log(rope->original));
    if (rope->scaling != ROPE_YARN)
        return 1;
    if (rope->mscale > 0 && rope->mscale_all > 0)
        return yarn_mscale(s, rope->mscale) / yarn_mscale(s, rope->mscale_all);
    return yarn_mscale(s, 1);
}

static const float *inv_freq(struct arena *a, const struct rope *rope, int width,
                             bool is_long)
{
    float *out = arena_alloc(a, (size_t)width / 2, sizeof *out);

    model_inv_freq(out, rope, width, is_long);
    return out;
}

void plan_rope(struct model *model, struct arena *a)
{
    const struct config *config = &model->config;

    for (int i = 0; i < 2; i++) {
        const struct rope *rope = &config->rotary.rope[i];
        struct rope_plan *plan = &model->rope[i];

        if (!family_rotates(model->family, config) || config->bias.alibi || rope->theta == 0 ||
            config->rotary.n_columns == 0)
            continue;
        plan->width = config->rotary.n_columns;
        plan->layout = model->family->defaults.rotary.interleave && !config->rotary.interleave
                       ? ROPE_HALVES : model->family->rope_layout;
        plan->first = model->family->qkv == QKV_LOW_RANK ? config->latent.d_nope : 0;
        plan->factor = (float)rope_factor(rope, config->n_positions);
        plan->inv_freq = model->slot[W_INV_FREQ].vector;
        if (plan->inv_freq == NULL)
            plan->inv_freq = inv_freq(a, rope, config->rotary.n_columns, false);
        plan->long_factor = plan->factor;
        if (rope->long_mscale > 0) {    /* then the library has the short factors throughout */
            plan->factor = (float)rope->short_mscale;
            plan->long_factor = (float)rope->long_mscale;
        }
        if (rope->scaling == ROPE_LONG) {
            plan->long_inv_freq = inv_freq(a, rope, config->rotary.n_columns,
                                           rope->long_mscale == 0);
            plan->long_above = rope->original;
        }
    }
}

/* ---- biases by position ---- */

static void plan_alibi(struct model *model, struct arena *a)
{
    int H = model->config.n_heads;
    float *slope = arena_alloc(a, (size_t)H, sizeof *slope);

    bias_alibi_slopes(slope, H, quirks_of(model->family)->slopes == SLOPES_ABOVE);
    model->alibi = arena_alloc(a, (size_t)H, sizeof *model->alibi);
    for (int head = 0; head < H; head++)
        model->alibi[head] = (struct bias_alibi){
            slope[head], model->config.bias.alibi,
            model->config.bias.alibi ? (float)(1 / sqrt(model->config.d_head)) : 1 };
}

static void plan_buckets(struct model *model, struct arena *a)
{
    int H = model->config.n_heads, count = model->config.bias.n_buckets;
    const struct tensor *tensor = model->slot[W_REL].weight;
    float *table = arena_alloc(a, (uint64_t)(2 * count * H), sizeof *table);

    /* [buckets, H] in the file; a head's values side by side here. */
    tensor_read(table + count * H, tensor, 0, tensor->n_elements);
    model->buckets = arena_alloc(a, (size_t)H, sizeof *model->buckets);
    for (int head = 0; head < H; head++) {
        for (int b = 0; b < count; b++)
            table[head * count + b] = table[count * H + b * H + head];
        model->buckets[head] = (struct bias_buckets){ table + head * count, count,
                                                      model->config.bias.max_distance,
                                                      !model->family->causal };
    }
}

void plan_bias(struct model *model, struct arena *a)
{
    if (model->family->bias == BIAS_ALIBI || model->config.bias.alibi)
        plan_alibi(model, a);
    else if (model->family->bias == BIAS_BUCKETS)
        plan_buckets(model, a);
}

/* values[H, n] += what the table [n, H] has. */
static void add_transposed(float *values, const struct param *table, int n, int H, struct arena *a)
{
    struct arena_mark mark = arena_mark(a);
    float *row;

    if (table->weight == NULL)
        return;
    row = arena_alloc_raw(a, (size_t)H, sizeof *row);
    for (int64_t i = 0; i < n; i++) {
        tensor_read(row, table->weight, i * H, H);
        for (int64_t head = 0; head < H; head++)
            values[head * n + i] += row[head];
    }
    arena_reset(a, mark);
}

void plan_grid(const struct model *model, int l, struct arena *a)
{
    const struct config *config = &model->config;
    struct layer_plan *plan = &model->layer[l];
    const struct param *all = &model->slot[W_GRID], *own = &plan->slot[W_GRID_LAYER];
    int H = config->n_heads, n;
    struct bias_grid *grid;
    float *values;

    if (all->weight == NULL && own->weight == NULL)
        return;
    if (own->weight == NULL && l > 0 && plan[-1].slot[W_GRID_LAYER].weight == NULL) {
        plan->grid = plan[-1].grid;             /* the stack's, all the same */
        return;
    }
    n = family_slot_dim(model->family, config, DIM_GRID);
    values = arena_alloc(a, (uint64_t)n, (uint64_t)H * sizeof *values);
    grid = arena_alloc(a, (size_t)H, sizeof *grid);
    add_transposed(values, all, n, H, a);
    add_transposed(values, own, n, H, a);
    for (int head = 0; head < H; head++)
        grid[head] = (struct bias_grid){ values + (int64_t)head * n, family_grid(config, 0),
                                         family_grid(config, 1) };
    plan->grid = grid;
}

/* ---- convolutions ---- */

/* w = size v / |v| for each tap, over all outputs and inputs: torch's weight_norm, dim 2. */
int plan_taps(struct model *model, struct arena *a, struct err *e)
{
    struct param *conv = &model->slot[W_POS_CONV];
    int n_taps = model->config.front.conv_width, n = conv->matrix.K;
    float *row, *scale;
    double *sum;

    if (conv->weight == NULL)
        return 0;
    row = arena_alloc_raw(a, (size_t)n, sizeof *row);
    sum = arena_alloc(a, (size_t)n_taps, sizeof *sum);
    scale = arena_alloc_raw(a, (size_t)n_taps, sizeof *scale);
    for (int64_t out = 0; out < conv->matrix.N; out++) {
        tensor_read(row, conv->weight, out * n, n);
        for (int i = 0; i < n; i++)
            sum[i % n_taps] += (double)row[i] * (double)row[i];
    }
    for (int k = 0; k < n_taps; k++) {
        if (!(sum[k] > 0))
            return err_set(e, ERR_INPUT, "%s: %s: the weights of tap %d are %s, and cannot be "
                           "scaled to a size", conv->weight->file, conv->weight->name, k,
                           isnan(sum[k]) ? "not all numbers" : "all 0");
        scale[k] = (float)((double)model->slot[W_POS_CONV_SIZE].vector[k] / sqrt(sum[k]));
    }
    model->tap_scale = scale;
    conv->bias = model->slot[W_POS_CONV_BIAS].vector;
    return 0;
}

/* ---- distances ---- */

/* Rows of a file, in the order of query - key. */
static const float *plan_rows_of(struct arena *a, const struct tensor *tensor, bool reversed)
{
    int64_t count, d;
    float *out;

    if (tensor == NULL)
        return NULL;
    count = tensor->shape[0];
    d = tensor->shape[1];
    out = arena_alloc_raw(a, (size_t)count, (size_t)d * sizeof *out);
    for (int64_t i = 0; i < count; i++)
        tensor_read(out + i * d, tensor, (reversed ? count - 1 - i : i) * d, d);
    return out;
}

void plan_distances(struct layer_plan *plan, const struct config *config, struct arena *a)
{
    plan->distance = plan_rows_of(a, plan->slot[W_DISTANCE].weight, config->relative.clip);
    plan->cross_distance = plan_rows_of(a, plan->slot[W_CROSS_DISTANCE].weight,
                                        config->relative.clip);
}
