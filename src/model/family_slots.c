/* SPDX-License-Identifier: MIT
 * What each slot holds: its row, and sizes by name. */
#include "model/family_slots.h"

#include <assert.h>

#include "model/quirks.h"

const struct slot_row family_slots[N_SLOT] = {
    [W_TOK] = { "token embedding", "embeddings", SLOT_TABLE, DIM_V, DIM_E, PER_STACK, OF_NONE },
    [W_POS] = { "position table", "embeddings", SLOT_TABLE, DIM_POS,
        DIM_EMB, PER_STACK, OF_NONE },
    [W_AXIS_0] = { "positions by row", "embeddings", SLOT_ROWS, DIM_AXIS_0,
        DIM_WIDTH_0, PER_STACK, OF_NONE },
    [W_AXIS_1] = { "positions by column", "embeddings", SLOT_COLUMNS, DIM_AXIS_1,
        DIM_WIDTH_1, PER_STACK, OF_NONE },
    [W_PATCH] = { "projection of patches", "embeddings", SLOT_PATCH, DIM_D,
        DIM_CHANNELS, PER_STACK, OF_OTHERS },
    [W_CLS] = { "first row", "embeddings", SLOT_VECTOR, DIM_D, DIM_NONE, PER_STACK, OF_NONE },
    [W_CLS_2] = { "second row", "embeddings", SLOT_VECTOR, DIM_D, DIM_NONE, PER_STACK, OF_NONE },
    [W_CONV_1] = { "first convolution", "embeddings", SLOT_CONV, DIM_D,
        DIM_MEL, PER_STACK, OF_OTHERS },
    [W_CONV_2] = { "second convolution", "embeddings", SLOT_CONV, DIM_D,
        DIM_D, PER_STACK, OF_OTHERS },
    [W_TYPE] = { "token types", "embeddings", SLOT_TABLE, DIM_TYPE,
        DIM_EMB, PER_STACK, OF_NONE },
    [W_TASK] = { "task types", "embeddings", SLOT_TABLE, DIM_TASK, DIM_EMB, PER_STACK, OF_NONE },
    [W_BOX_X] = { "left and right of boxes", "embeddings", SLOT_TABLE, DIM_BOXES,
        DIM_EMB, PER_STACK, OF_NONE },
    [W_BOX_Y] = { "top and bottom of boxes", "embeddings", SLOT_TABLE, DIM_BOXES,
        DIM_EMB, PER_STACK, OF_NONE },
    [W_BOX_H] = { "heights of boxes", "embeddings", SLOT_TABLE, DIM_BOXES,
        DIM_EMB, PER_STACK, OF_NONE },
    [W_BOX_W] = { "widths of boxes", "embeddings", SLOT_TABLE, DIM_BOXES,
        DIM_EMB, PER_STACK, OF_NONE },
    [W_INV_FREQ] = { "rotary frequencies", "embeddings", SLOT_VECTOR, DIM_PAIRS,
        DIM_NONE, PER_STACK, OF_NONE },
    [W_TOK_PROJ] = { "projection of tokens", "embeddings", SLOT_LINEAR, DIM_D,
        DIM_TOK_IN, PER_STACK, OF_PROJECTION },
    [W_EMB_NORM] = { "norm of the embedding", "norms", SLOT_NORM, DIM_EMB_NORM,
        DIM_NONE, PER_STACK, OF_NORM },
    [W_EMB_PROJ] = { "projection of the embedding", "embeddings", SLOT_LINEAR, DIM_D,
        DIM_E, PER_STACK, OF_PROJECTION },
    [W_POS_CONV] = { "convolution of positions", "embeddings", SLOT_KERNEL, DIM_D,
        DIM_CONV, PER_STACK, OF_NONE },
    [W_POS_CONV_SIZE] = { "sizes of its taps", "embeddings", SLOT_VECTOR, DIM_CONV_ROWS,
        DIM_NONE, PER_STACK, OF_NONE },
    [W_POS_CONV_BIAS] = { "bias of the convolution of positions", "embeddings", SLOT_VECTOR,
        DIM_D, DIM_NONE, PER_STACK, OF_NONE },
    [W_POS_CONV_NORM] = { "norm after positions", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_STACK, OF_NORM },
    [W_FINAL_NORM] = { "final norm", "norms", SLOT_NORM, DIM_END,
        DIM_NONE, PER_STACK, OF_NORM },
    [W_FINAL_PROJ] = { "final projection", "head", SLOT_LINEAR, DIM_E,
        DIM_D, PER_STACK, OF_PROJECTION },
    [W_HEAD_DENSE] = { "transform of the head", "head", SLOT_LINEAR, DIM_TRANSFORM,
        DIM_END, PER_STACK, OF_TRANSFORM },
    [W_HEAD_NORM] = { "norm of the head", "head", SLOT_NORM, DIM_TRANSFORM,
        DIM_NONE, PER_STACK, OF_NORM },
    [W_HEAD] = { "head", "head", SLOT_TABLE, DIM_HEAD, DIM_HEAD_IN, PER_STACK, OF_HEAD },
    [W_HEAD_REST] = { "rest of the head", "head", SLOT_LINEAR, DIM_V,
        DIM_REST, PER_STACK, OF_NONE },
    [W_HEAD_BIAS] = { "bias of the head", "head", SLOT_VECTOR, DIM_HEAD,
        DIM_NONE, PER_STACK, OF_NONE },
    [W_REL] = { "biases by distance", "attention", SLOT_TABLE, DIM_BUCKETS,
        DIM_H, PER_STACK, OF_NONE },
    [W_GRID] = { "biases by distance on the grid", "attention", SLOT_TABLE, DIM_GRID,
        DIM_H, PER_STACK, OF_NONE },
    [W_REL_TABLE] = { "rows of distances", "attention", SLOT_TABLE, DIM_REL,
        DIM_D, PER_STACK, OF_NONE },
    [W_REL_NORM] = { "norm of those of distances", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_STACK, OF_NORM },
    [W_CONV] = { "convolution", "mlp", SLOT_CONV, DIM_D, DIM_CONV, PER_STACK, OF_OTHERS },
    [W_CONV_NORM] = { "norm of the convolution", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_STACK, OF_NORM },
    [W_INPUT_TOK] = { "inputs of layers", "embeddings", SLOT_TABLE, DIM_INPUT_V,
        DIM_INPUTS, PER_STACK, OF_NONE },
    [W_INPUT_EMB] = { "projection to inputs of layers", "embeddings", SLOT_LINEAR, DIM_INPUTS,
        DIM_D, PER_STACK, OF_NONE },
    [W_INPUT_EMB_NORM] = { "norm of inputs of layers", "norms", SLOT_NORM, DIM_INPUT,
        DIM_NONE, PER_STACK, OF_NORM },
    [W_STREAM_IN] = { "projection to a stream", "embeddings", SLOT_LINEAR, DIM_D,
        DIM_D, PER_STREAM, OF_NONE },
    [W_STREAM_OUT] = { "projection of a stream", "head", SLOT_LINEAR, DIM_D,
        DIM_D, PER_STREAM, OF_NONE },
    [W_IN] = { "projection into the layer", "mlp", SLOT_LINEAR, DIM_INNER,
        DIM_D, PER_LAYER, OF_OTHERS },
    [W_IN_NORM] = { "norm of that projection", "norms", SLOT_NORM, DIM_INNER,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_READ] = { "projection for queries and keys", "attention", SLOT_LINEAR, DIM_READ,
        DIM_D, PER_LAYER, OF_OTHERS },
    [W_READ_NORM] = { "norm of that projection", "norms", SLOT_NORM, DIM_READ,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_ATT_NORM] = { "norm of attention", "norms", SLOT_NORM, DIM_INNER,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_ATT_OUT] = { "norm of attention's output", "norms", SLOT_NORM, DIM_INNER,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_ATT_SCALE] = { "scale of attention's output", "attention", SLOT_VECTOR, DIM_D,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_Q] = { "queries", "attention", SLOT_LINEAR, DIM_Q, DIM_READ, PER_LAYER, OF_QKV },
    [W_K] = { "keys", "attention", SLOT_LINEAR, DIM_GD, DIM_READ, PER_LAYER, OF_K },
    [W_V] = { "values", "attention", SLOT_LINEAR, DIM_GV, DIM_READ_V, PER_LAYER, OF_QKV },
    [W_Q_GLOBAL] = { "global queries", "attention", SLOT_LINEAR, DIM_HD,
        DIM_D, PER_LAYER, OF_QKV },
    [W_K_GLOBAL] = { "global keys", "attention", SLOT_LINEAR, DIM_GD,
        DIM_D, PER_LAYER, OF_QKV },
    [W_V_GLOBAL] = { "global values", "attention", SLOT_LINEAR, DIM_GV,
        DIM_D, PER_LAYER, OF_QKV },
    [W_QKV] = { "queries, keys and values", "attention", SLOT_LINEAR, DIM_QKV,
        DIM_D, PER_LAYER, OF_QKV },
    [W_Q_A] = { "low-rank queries", "attention", SLOT_LINEAR, DIM_Q_RANK,
        DIM_D, PER_LAYER, OF_LOW_RANK },
    [W_Q_A_NORM] = { "norm of low-rank queries", "norms", SLOT_NORM, DIM_Q_RANK,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_Q_B] = { "queries", "attention", SLOT_LINEAR, DIM_HD, DIM_Q_RANK, PER_LAYER, OF_NONE },
    [W_KV_A] = { "low-rank keys and values", "attention", SLOT_LINEAR, DIM_KV_A,
        DIM_D, PER_LAYER, OF_LOW_RANK },
    [W_KV_A_NORM] = { "norm of low-rank keys and values", "norms", SLOT_NORM, DIM_KV_RANK,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_KV_B] = { "keys and values", "attention", SLOT_LINEAR, DIM_KV_B,
        DIM_KV_RANK, PER_LAYER, OF_NONE },
    [W_Q_BIAS] = { "bias of queries", "attention", SLOT_VECTOR, DIM_HD,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_V_BIAS] = { "bias of values", "attention", SLOT_VECTOR, DIM_GV,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_REL_K] = { "distances as keys", "attention", SLOT_LINEAR, DIM_HD,
        DIM_D, PER_LAYER, OF_QKV },
    [W_REL_Q] = { "distances as queries", "attention", SLOT_LINEAR, DIM_HD,
        DIM_D, PER_LAYER, OF_OTHERS },
    [W_REL_BIAS] = { "bias of queries of distances", "attention", SLOT_VECTOR, DIM_HD,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_SEG] = { "segments", "attention", SLOT_TABLE, DIM_TWO, DIM_HD, PER_LAYER, OF_NONE },
    [W_SEG_BIAS] = { "bias of queries of segments", "attention", SLOT_VECTOR, DIM_HD,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_Q_NORM] = { "norm of queries", "norms", SLOT_NORM, DIM_Q_NORM,
        DIM_NONE, PER_LAYER, OF_QK_NORM },
    [W_K_NORM] = { "norm of keys", "norms", SLOT_NORM, DIM_K_NORM,
        DIM_NONE, PER_LAYER, OF_QK_NORM },
    [W_GRID_LAYER] = { "biases by distance on the grid", "attention", SLOT_TABLE, DIM_GRID,
        DIM_H, PER_LAYER, OF_NONE },
    [W_SINKS] = { "sinks", "attention", SLOT_VECTOR, DIM_H, DIM_NONE, PER_LAYER, OF_NONE },
    [W_DISTANCE] = { "distances", "attention", SLOT_TABLE, DIM_DISTANCES,
        DIM_ONE_HEAD, PER_LAYER, OF_NONE },
    [W_BUCKETS] = { "biases by distance", "attention", SLOT_LINEAR, DIM_BUCKETS_H,
        DIM_D, PER_LAYER, OF_OTHERS },
    [W_TAPS] = { "convolution of columns", "attention", SLOT_TAPS, DIM_D,
        DIM_TAPS, PER_LAYER, OF_NONE },
    [W_TAPS_POINT] = { "convolution across columns", "attention", SLOT_POINT, DIM_HD,
        DIM_D, PER_LAYER, OF_NONE },
    [W_TAPS_BIAS] = { "bias of the convolution", "attention", SLOT_BIASES, DIM_HD,
        DIM_ONE, PER_LAYER, OF_NONE },
    [W_TAPS_ROW] = { "shares of neighbours", "attention", SLOT_LINEAR, DIM_TAPS_H,
        DIM_HD, PER_LAYER, OF_OTHERS },
    [W_TAPS_VALUE] = { "values of neighbours", "attention", SLOT_LINEAR, DIM_HV,
        DIM_D, PER_LAYER, OF_OTHERS },
    [W_TAPS_O] = { "output of the convolution", "attention", SLOT_LINEAR, DIM_OUT,
        DIM_HV, PER_LAYER, OF_NONE },
    [W_O] = { "attention's output", "attention", SLOT_LINEAR, DIM_OUT,
        DIM_MADE, PER_LAYER, OF_OUT },
    [W_MIX_IN] = { "first linear of the mixer", "mixers", SLOT_LINEAR, DIM_MIX_IN,
        DIM_D, PER_LAYER, OF_MIXER },
    [W_MIX_RATES] = { "rates of the mixer", "mixers", SLOT_LINEAR, DIM_MIX_RATES,
        DIM_D, PER_LAYER, OF_MIXER },
    [W_MIX_TAPS] = { "convolution of the mixer", "mixers", SLOT_TAPS, DIM_MIX_CHANNELS,
        DIM_MIX_TAPS, PER_LAYER, OF_MIXER },
    [W_MIX_DECAY] = { "decay of the mixer", "mixers", SLOT_VECTOR, DIM_MIX_HEADS,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_MIX_STEP] = { "step of the mixer", "mixers", SLOT_VECTOR, DIM_MIX_HEADS,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_MIX_NORM] = { "norm of the mixer", "norms", SLOT_VECTOR, DIM_MIX_VALUE,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_MIX_OUT] = { "last linear of the mixer", "mixers", SLOT_LINEAR, DIM_D,
        DIM_MIX_OUT, PER_LAYER, OF_MIXER },
    [W_CROSS_NORM] = { "norm of cross-attention", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_CROSS_Q] = { "queries of cross-attention", "cross", SLOT_LINEAR, DIM_HD,
        DIM_D, PER_LAYER, OF_QKV },
    [W_CROSS_K] = { "keys of cross-attention", "cross", SLOT_LINEAR, DIM_GD,
        DIM_KEY_INPUT, PER_LAYER, OF_K },
    [W_CROSS_V] = { "values of cross-attention", "cross", SLOT_LINEAR, DIM_GV,
        DIM_VALUE_INPUT, PER_LAYER, OF_QKV },
    [W_CROSS_DISTANCE] = { "distances of cross-attention", "cross", SLOT_TABLE, DIM_DISTANCES,
        DIM_ONE_HEAD, PER_LAYER, OF_NONE },
    [W_CROSS_LAST_K] = { "last key", "cross", SLOT_VECTOR, DIM_GD,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_CROSS_LAST_V] = { "last value", "cross", SLOT_VECTOR, DIM_GV,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_CROSS_O] = { "cross-attention's output", "cross", SLOT_LINEAR, DIM_OUT,
        DIM_HV, PER_LAYER, OF_OUT },
    [W_SKIP_DOWN] = { "first linear beside attention", "mlp", SLOT_LINEAR, DIM_SKIP,
        DIM_D, PER_LAYER, OF_NONE },
    [W_SKIP_UP] = { "last linear beside attention", "mlp", SLOT_LINEAR, DIM_D,
        DIM_SKIP, PER_LAYER, OF_NONE },
    [W_SKIP_NORM] = { "norm of what stands beside attention", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_OUT] = { "projection out of the layer", "mlp", SLOT_LINEAR, DIM_D,
        DIM_INNER, PER_LAYER, OF_OTHERS },
    [W_OUT_NORM] = { "norm of the layer", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_MLP_NORM] = { "norm of the mlp", "norms", SLOT_NORM, DIM_INNER,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_MLP_OUT] = { "norm of the mlp's output", "norms", SLOT_NORM, DIM_INNER,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_MLP_SCALE] = { "scale of the mlp's output", "mlp", SLOT_VECTOR, DIM_D,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_GATE] = { "gate of the mlp", "mlp", SLOT_LINEAR, DIM_F, DIM_INNER, PER_LAYER, OF_MLP },
    [W_UP] = { "first linear of the mlp", "mlp", SLOT_LINEAR, DIM_UP,
        DIM_INNER, PER_LAYER, OF_MLP },
    [W_DOWN] = { "last linear of the mlp", "mlp", SLOT_LINEAR, DIM_INNER,
        DIM_F, PER_LAYER, OF_MLP },
    [W_LANG_NORM] = { "norm of the language's adapter", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_LANG_DOWN] = { "first linear of the language's adapter", "mlp", SLOT_LINEAR, DIM_LANG,
        DIM_D, PER_LAYER, OF_MLP },
    [W_LANG_UP] = { "last linear of the language's adapter", "mlp", SLOT_LINEAR, DIM_D,
        DIM_LANG, PER_LAYER, OF_MLP },
    [W_MODE_NORM] = { "norm of what mixes streams", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_MODES] = { "what mixes streams", "mlp", SLOT_LINEAR, DIM_STREAMS,
        DIM_D, PER_LAYER, OF_NONE },
    [W_PREDICT] = { "mix of streams before the layer", "mlp", SLOT_LINEAR, DIM_STREAMS_2,
        DIM_STREAMS, PER_LAYER, OF_NONE },
    [W_CORRECT] = { "mix of streams after the layer", "mlp", SLOT_LINEAR, DIM_STREAMS,
        DIM_STREAMS, PER_LAYER, OF_NONE },
    [W_INPUT_SCALE] = { "scale of what meets the layer's input", "mlp", SLOT_VECTOR, DIM_D,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_INPUT_GATE] = { "gate of the layer's input", "mlp", SLOT_LINEAR, DIM_INPUT,
        DIM_D, PER_LAYER, OF_NONE },
    [W_INPUT_PROJ] = { "projection of the layer's input", "mlp", SLOT_LINEAR, DIM_D,
        DIM_INPUT, PER_LAYER, OF_NONE },
    [W_INPUT_NORM] = { "norm of the layer's input", "norms", SLOT_NORM, DIM_D,
        DIM_NONE, PER_LAYER, OF_NORM },
    [W_ROUTER] = { "router", "mlp", SLOT_LINEAR, DIM_EXPERTS, DIM_D, PER_LAYER, OF_ROUTER },
    [W_ROUTER_BIAS] = { "bias of the router", "mlp", SLOT_VECTOR, DIM_EXPERTS,
        DIM_NONE, PER_LAYER, OF_NONE },
    [W_SHARED_GATE] = { "gate of the shared expert", "mlp", SLOT_LINEAR, DIM_FS,
        DIM_D, PER_LAYER, OF_MLP },
    [W_SHARED_UP] = { "first linear of the shared expert", "mlp", SLOT_LINEAR, DIM_FS,
        DIM_D, PER_LAYER, OF_MLP },
    [W_SHARED_DOWN] = { "last linear of the shared expert", "mlp", SLOT_LINEAR, DIM_D,
        DIM_FS, PER_LAYER, OF_MLP },
    [W_SHARED_SCORE] = { "share of the shared expert", "mlp", SLOT_LINEAR, DIM_ONE,
        DIM_D, PER_LAYER, OF_NONE },
    [W_EXPS_UP] = { "gates and first linears of experts", "mlp", SLOT_EXPERTS, DIM_FX2,
        DIM_D, PER_LAYER, OF_NONE },
    [W_EXPS_DOWN] = { "last linears of experts", "mlp", SLOT_EXPERTS, DIM_D,
        DIM_FX, PER_LAYER, OF_NONE },
    [W_EXPS_UP_BIAS] = { "biases of gates and first linears of experts", "mlp", SLOT_BIASES,
        DIM_EXPERTS, DIM_FX2, PER_LAYER, OF_NONE },
    [W_EXPS_DOWN_BIAS] = { "biases of last linears of experts", "mlp", SLOT_BIASES, DIM_EXPERTS,
        DIM_D, PER_LAYER, OF_NONE },
    [W_WAVE] = { "convolution of samples", "embeddings", SLOT_CONV, DIM_WAVE,
        DIM_WAVE_IN, PER_WAVE, OF_WAVE },
    [W_WAVE_NORM] = { "norm of a convolution of samples", "norms", SLOT_NORM, DIM_WAVE,
        DIM_NONE, PER_WAVE, OF_NORM },
    [W_EXP_GATE] = { "gate of an expert", "mlp", SLOT_LINEAR, DIM_FX,
        DIM_D, PER_EXPERT, OF_ROUTER },
    [W_EXP_UP] = { "first linear of an expert", "mlp", SLOT_LINEAR, DIM_FX,
        DIM_D, PER_EXPERT, OF_ROUTER },
    [W_EXP_DOWN] = { "last linear of an expert", "mlp", SLOT_LINEAR, DIM_D,
        DIM_FX, PER_EXPERT, OF_ROUTER },
    [W_FORMER_UP] = { "first linear of a former mlp", "mlp", SLOT_LINEAR, DIM_UP,
        DIM_INNER, PER_FORMER, OF_MLP },
    [W_FORMER_DOWN] = { "last linear of a former mlp", "mlp", SLOT_LINEAR, DIM_INNER,
        DIM_F, PER_FORMER, OF_MLP },
    [W_FORMER_NORM] = { "norm of a former mlp", "norms", SLOT_NORM, DIM_INNER,
        DIM_NONE, PER_FORMER, OF_NORM },
};

/* What a head that does not predict tokens reads: the last row, or what its dense layer
 * makes of it. */
static int head_input(const struct family *family, const struct config *config)
{
    if (config->head.task->dense != NULL)
        return config->head.d_dense > 0 ? config->head.d_dense : config->d_model;
    if (config->head.task->rows == HEAD_FIRST_MEAN)
        return 2 * family_slot_dim(family, config, DIM_END);
    return family_has(family, W_FINAL_PROJ) ? config->d_embed :
           family_slot_dim(family, config, DIM_END);
}

int family_grid(const struct config *config, int axis)
{
    return config->front.image[axis] / config->front.patch[axis];
}

bool family_slot_attends(enum slot s)
{
    return s >= W_Q && s <= W_TAPS_O;
}

bool family_slot_mixes(enum slot s)
{
    return s >= W_MIX_IN && s <= W_MIX_OUT;
}

/* The sizes of a mixer; the first linear of MIXER_DELTA gives queries, keys, values and gates. */
static int mixer_dim(const struct family *family, const struct config *config, enum dim d)
{
    bool conv = family->mixer == MIXER_CONV;
    int keys = config->mix.n_key_heads * config->mix.d_key,
        values = config->mix.n_heads * config->mix.d_value;

    switch (d) {
    case DIM_MIX_IN:       return conv ? 3 * config->d_model : 2 * keys + 2 * values;
    case DIM_MIX_CHANNELS: return conv ? config->d_model : 2 * keys + values;
    case DIM_MIX_OUT:      return conv ? config->d_model : values;
    case DIM_MIX_TAPS:     return config->mix.n_taps;
    case DIM_MIX_RATES:    return 2 * config->mix.n_heads;
    case DIM_MIX_HEADS:    return config->mix.n_heads;
    default:               return config->mix.d_value;
    }
}

int family_slot_dim(const struct family *family, const struct config *config, enum dim d)
{
    return family_wave_dim(family, config, d, 0);
}

int family_wave_dim(const struct family *family, const struct config *config, enum dim d, int i)
{
    bool full = family->qk_norm != QK_NORM_HEAD;
    int hd = config->n_heads * config->d_head, gd = config->n_kv_heads * config->d_head;
    int gv = config->n_kv_heads * config->d_value;
    bool both = family->norm_place == PLACE_REVERSIBLE;
    int inner = config->bottleneck.d > 0 ? config->bottleneck.d : config->d_model;
    int out = config->d_out > 0 ? config->d_out : config->d_model, end = both ? 2 * out : out;
    bool rest = family_has(family, W_HEAD_REST) && config->head.task == NULL;

    switch (d) {
    case DIM_D:       return config->d_model;
    case DIM_E:       return config->d_embed;
    case DIM_EMB:     return family_has(family, W_EMB_PROJ) ? config->d_embed : config->d_model;
    case DIM_EMB_NORM:
        return family_slot_dim(family, config,
                               quirks_of(family)->proj_before_norm ? DIM_D : DIM_EMB);
    case DIM_HD:      return hd;
    case DIM_GD:      return gd;
    case DIM_Q:       return quirks_of(family)->q_gated ? 2 * hd : hd;
    case DIM_GV:      return gv;
    case DIM_HV:      return config->n_heads * config->d_value;
    case DIM_QKV:     return hd + gd + gv;
    case DIM_Q_NORM:  return full ? hd : config->d_head;
    case DIM_K_NORM:  return full ? gd : config->d_head;
    case DIM_F:       return config->d_ff;
    case DIM_UP:
        return family_mlp(family, config) == MLP_GATED_FUSED ? 2 * config->d_ff : config->d_ff;
    case DIM_TASK:    return config->n_tasks;
    case DIM_BOXES:   return config->n_boxes;
    case DIM_PAIRS:   return config->rotary.n_columns / 2;
    case DIM_V:       return config->n_vocab;
    case DIM_POS:
        return config->n_positions + (family->positions == POS_TABLE ? family->pos_offset : 0);
    case DIM_BUCKETS: return config->bias.n_buckets;
    case DIM_GRID:
        return (2 * family_grid(config, 0) - 1) * (2 * family_grid(config, 1) - 1) + 3;
    case DIM_H:       return config->n_heads;
    case DIM_REL:     return 2 * config->relative.span;
    case DIM_TWO:     return 2;
    case DIM_CONV:    return config->d_model / config->front.conv_groups;
    case DIM_CONV_ROWS: return config->front.conv_width;
    case DIM_WAVE:    return config->front.wave.channels[i];
    case DIM_WAVE_IN: return i > 0 ? config->front.wave.channels[i - 1] : 1;
    case DIM_DISTANCES: return config->relative.n_distances;
    case DIM_ONE_HEAD: return config->d_head;
    case DIM_KEY_INPUT: return config->cross.d_key > 0 ? config->cross.d_key : config->d_model;
    case DIM_VALUE_INPUT:
        return config->cross.d_value > 0 ? config->cross.d_value : config->d_model;
    case DIM_TYPE:    return config->n_types;
    case DIM_CHANNELS: return config->front.n_channels;
    case DIM_MEL:     return config->front.n_mel;
    case DIM_HEAD:    return config->head.task != NULL ? head_outputs(config) :
                             config->head.one_number ? 1 : config->n_vocab;
    case DIM_HEAD_IN: return config->head.task != NULL ? head_input(family, config) : both ? end :
                             config->head.one_number ? config->d_model :
                             config->head.d_in > 0 ? config->head.d_in : config->d_embed;
    case DIM_OUT:     return config->d_out > 0 ? config->d_out : inner;
    case DIM_INNER:   return inner;
    case DIM_READ:
        return config->bottleneck.all || config->bottleneck.shared ? inner : config->d_model;
    case DIM_READ_V:  return config->bottleneck.all ? inner : config->d_model;
    case DIM_TOK_IN:  return config->trigrams ? 3 * config->d_embed : config->d_embed;
    case DIM_BUCKETS_H: return config->bias.n_buckets * config->n_heads;
    case DIM_TAPS:    return config->n_taps;
    case DIM_TAPS_H:  return config->n_taps * config->n_heads;
    case DIM_MADE:    return config->n_heads * config->d_value *
                             (quirks_of(family)->side_conv ? 2 : 1);
    case DIM_REST:
        return config->d_model > config->d_embed ? config->d_model - config->d_embed : 0;
    case DIM_TRANSFORM: return family_slot_dim(family, config, rest ? DIM_D : DIM_HEAD_IN);
    case DIM_END:     return end;
    case DIM_AXIS_0:  return config->axial.shape[0];
    case DIM_AXIS_1:  return config->axial.shape[1];
    case DIM_WIDTH_0: return config->axial.width[0];
    case DIM_WIDTH_1: return config->axial.width[1];
    case DIM_EXPERTS: return config->experts.n;
    case DIM_FX:      return config->experts.d_ff;
    case DIM_FX2:     return 2 * config->experts.d_ff;
    case DIM_ONE:     return 1;
    case DIM_FS:      return config->experts.d_shared > 0 ? config->experts.d_shared :
                             config->experts.n_shared * config->experts.d_ff;
    case DIM_LANG:    return config->language.d;
    case DIM_STREAMS: return config->streams.n;
    case DIM_STREAMS_2: return config->streams.n * config->streams.n;
    case DIM_SKIP:    return config->streams.d_skip;
    case DIM_INPUT:   return config->streams.d_input;
    case DIM_INPUTS:  return config->n_layers * config->streams.d_input;
    case DIM_INPUT_V: return config->streams.n_vocab;
    case DIM_MIX_IN:
    case DIM_MIX_OUT:
    case DIM_MIX_CHANNELS:
    case DIM_MIX_TAPS:
    case DIM_MIX_RATES:
    case DIM_MIX_HEADS:
    case DIM_MIX_VALUE: return mixer_dim(family, config, d);
    case DIM_Q_RANK:  return config->latent.q_rank;
    case DIM_KV_RANK: return config->latent.kv_rank;
    case DIM_KV_A:    return config->latent.kv_rank + config->latent.d_rope;
    case DIM_KV_B:    return config->n_heads * (config->latent.d_nope + config->d_value);
    case DIM_NONE:    break;
    }
    assert(0);
    return 0;
}

bool family_slot_in_out(const struct family *family, enum slot s)
{
    if (family->order == ORDER_IN_OUT_QKV)
        return s == W_Q || s == W_K || s == W_V || s == W_REL_K;
    if (family->order == ORDER_IN_OUT_EXPERTS)
        return family_slots[s].kind == SLOT_EXPERTS;
    return (family->order == ORDER_IN_OUT && family_slots[s].kind == SLOT_LINEAR) ||
           s == W_HEAD_REST;
}

bool family_slot_is_grouped(const struct config *config, enum slot s)
{
    return config->mlp_groups > 1 && (s == W_UP || s == W_DOWN);
}

bool family_slot_is_linear(enum slot s)
{
    return s == W_HEAD ||
           (family_slots[s].kind == SLOT_LINEAR && s != W_ROUTER && s != W_SHARED_SCORE &&
            s != W_MODES && s != W_PREDICT && s != W_CORRECT);
}

const char *family_slot_names(const struct family *family, const struct config *config, enum slot s)
{
    const struct head_task *task = config->head.task;

    if (task != NULL && s == W_HEAD_DENSE)
        return task->dense;
    if (task != NULL && s == W_HEAD_NORM)
        return task->norm;
    if (task != NULL && s == W_HEAD)
        return task->out;
    return task != NULL && s == W_HEAD_BIAS ? NULL : family_names(family, s);
}

enum bias_rule family_slot_bias(const struct family *family, const struct config *config,
                                enum slot s)
{
    enum bias_group group = family_slots[s].group;
    enum bias_rule rule = s == W_HEAD_BIAS ? family->head_bias : family->biased[group];

    if (family->bare)
        return BIAS_AS_STORED;
    if (group == OF_K && rule == BIAS_USUAL)
        rule = family->biased[OF_QKV];
    if (group == OF_QK_NORM && rule == BIAS_USUAL)
        rule = family->biased[OF_NORM];
    if (group == OF_ROUTER && rule == BIAS_USUAL)
        return BIAS_NEVER;
    if ((group == OF_NORM || group == OF_QK_NORM) && !family_norm_has_bias(family))
        return BIAS_NEVER;
    if (group == OF_HEAD && config->head.task != NULL)       /* a decoder's `score` has none */
        return config->head.task->rows == HEAD_LAST ? BIAS_NEVER : BIAS_ALWAYS;
    if (group == OF_HEAD && config->head.one_number)
        return BIAS_ALWAYS;
    if (rule == BIAS_USUAL && group == OF_HEAD)         /* the tied one may be stored twice */
        return family_has(family, W_HEAD_BIAS) ? BIAS_AS_STORED : BIAS_NEVER;
    if (rule == BIAS_USUAL)
        return BIAS_ALWAYS;
    if (rule > BIAS_AS_STORED)
        rule = config->has_bias[rule] ? BIAS_ALWAYS : BIAS_NEVER;
    return rule;
}
