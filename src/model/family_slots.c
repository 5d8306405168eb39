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
static int head_input(const struct family *f, const struct config *c)
{
    if (c->head.task->dense != NULL)
        return c->head.d_dense > 0 ? c->head.d_dense : c->d_model;
    if (c->head.task->rows == HEAD_FIRST_MEAN)
        return 2 * family_slot_dim(f, c, DIM_END);
    return family_has(f, W_FINAL_PROJ) ? c->d_embed : family_slot_dim(f, c, DIM_END);
}

int family_grid(const struct config *c, int axis)
{
    return c->front.image[axis] / c->front.patch[axis];
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
static int mixer_dim(const struct family *f, const struct config *c, enum dim d)
{
    bool conv = f->mixer == MIXER_CONV;
    int keys = c->mix.n_key_heads * c->mix.d_key, values = c->mix.n_heads * c->mix.d_value;

    switch (d) {
    case DIM_MIX_IN:       return conv ? 3 * c->d_model : 2 * keys + 2 * values;
    case DIM_MIX_CHANNELS: return conv ? c->d_model : 2 * keys + values;
    case DIM_MIX_OUT:      return conv ? c->d_model : values;
    case DIM_MIX_TAPS:     return c->mix.n_taps;
    case DIM_MIX_RATES:    return 2 * c->mix.n_heads;
    case DIM_MIX_HEADS:    return c->mix.n_heads;
    default:               return c->mix.d_value;
    }
}

int family_slot_dim(const struct family *f, const struct config *c, enum dim d)
{
    return family_wave_dim(f, c, d, 0);
}

int family_wave_dim(const struct family *f, const struct config *c, enum dim d, int i)
{
    bool full = f->qk_norm != QK_NORM_HEAD;
    int hd = c->n_heads * c->d_head, gd = c->n_kv_heads * c->d_head;
    int gv = c->n_kv_heads * c->d_value;
    bool both = f->norm_place == PLACE_REVERSIBLE;
    int inner = c->bottleneck.d > 0 ? c->bottleneck.d : c->d_model;
    int out = c->d_out > 0 ? c->d_out : c->d_model, end = both ? 2 * out : out;
    bool rest = family_has(f, W_HEAD_REST) && c->head.task == NULL;

    switch (d) {
    case DIM_D:       return c->d_model;
    case DIM_E:       return c->d_embed;
    case DIM_EMB:     return family_has(f, W_EMB_PROJ) ? c->d_embed : c->d_model;
    case DIM_EMB_NORM:
        return family_slot_dim(f, c, quirks_of(f)->proj_before_norm ? DIM_D : DIM_EMB);
    case DIM_HD:      return hd;
    case DIM_GD:      return gd;
    case DIM_Q:       return quirks_of(f)->q_gated ? 2 * hd : hd;
    case DIM_GV:      return gv;
    case DIM_HV:      return c->n_heads * c->d_value;
    case DIM_QKV:     return hd + gd + gv;
    case DIM_Q_NORM:  return full ? hd : c->d_head;
    case DIM_K_NORM:  return full ? gd : c->d_head;
    case DIM_F:       return c->d_ff;
    case DIM_UP:      return family_mlp(f, c) == MLP_GATED_FUSED ? 2 * c->d_ff : c->d_ff;
    case DIM_TASK:    return c->n_tasks;
    case DIM_BOXES:   return c->n_boxes;
    case DIM_PAIRS:   return c->rotary.n_columns / 2;
    case DIM_V:       return c->n_vocab;
    case DIM_POS:     return c->n_positions + (f->positions == POS_TABLE ? f->pos_offset : 0);
    case DIM_BUCKETS: return c->bias.n_buckets;
    case DIM_GRID:    return (2 * family_grid(c, 0) - 1) * (2 * family_grid(c, 1) - 1) + 3;
    case DIM_H:       return c->n_heads;
    case DIM_REL:     return 2 * c->relative.span;
    case DIM_TWO:     return 2;
    case DIM_CONV:    return c->d_model / c->front.conv_groups;
    case DIM_CONV_ROWS: return c->front.conv_width;
    case DIM_WAVE:    return c->front.wave.channels[i];
    case DIM_WAVE_IN: return i > 0 ? c->front.wave.channels[i - 1] : 1;
    case DIM_DISTANCES: return c->relative.n_distances;
    case DIM_ONE_HEAD: return c->d_head;
    case DIM_KEY_INPUT: return c->cross.d_key > 0 ? c->cross.d_key : c->d_model;
    case DIM_VALUE_INPUT: return c->cross.d_value > 0 ? c->cross.d_value : c->d_model;
    case DIM_TYPE:    return c->n_types;
    case DIM_CHANNELS: return c->front.n_channels;
    case DIM_MEL:     return c->front.n_mel;
    case DIM_HEAD:    return c->head.task != NULL ? head_outputs(c) :
                             c->head.one_number ? 1 : c->n_vocab;
    case DIM_HEAD_IN: return c->head.task != NULL ? head_input(f, c) : both ? end :
                             c->head.one_number ? c->d_model :
                             c->head.d_in > 0 ? c->head.d_in : c->d_embed;
    case DIM_OUT:     return c->d_out > 0 ? c->d_out : inner;
    case DIM_INNER:   return inner;
    case DIM_READ:    return c->bottleneck.all || c->bottleneck.shared ? inner : c->d_model;
    case DIM_READ_V:  return c->bottleneck.all ? inner : c->d_model;
    case DIM_TOK_IN:  return c->trigrams ? 3 * c->d_embed : c->d_embed;
    case DIM_BUCKETS_H: return c->bias.n_buckets * c->n_heads;
    case DIM_TAPS:    return c->n_taps;
    case DIM_TAPS_H:  return c->n_taps * c->n_heads;
    case DIM_MADE:    return c->n_heads * c->d_value * (quirks_of(f)->taps ? 2 : 1);
    case DIM_REST:    return c->d_model > c->d_embed ? c->d_model - c->d_embed : 0;
    case DIM_TRANSFORM: return family_slot_dim(f, c, rest ? DIM_D : DIM_HEAD_IN);
    case DIM_END:     return end;
    case DIM_AXIS_0:  return c->axial.shape[0];
    case DIM_AXIS_1:  return c->axial.shape[1];
    case DIM_WIDTH_0: return c->axial.width[0];
    case DIM_WIDTH_1: return c->axial.width[1];
    case DIM_EXPERTS: return c->experts.n;
    case DIM_FX:      return c->experts.d_ff;
    case DIM_FX2:     return 2 * c->experts.d_ff;
    case DIM_ONE:     return 1;
    case DIM_FS:      return c->experts.d_shared > 0 ? c->experts.d_shared :
                             c->experts.n_shared * c->experts.d_ff;
    case DIM_LANG:    return c->language.d;
    case DIM_STREAMS: return c->streams.n;
    case DIM_STREAMS_2: return c->streams.n * c->streams.n;
    case DIM_SKIP:    return c->streams.d_skip;
    case DIM_INPUT:   return c->streams.d_input;
    case DIM_INPUTS:  return c->n_layers * c->streams.d_input;
    case DIM_INPUT_V: return c->streams.n_vocab;
    case DIM_MIX_IN:
    case DIM_MIX_OUT:
    case DIM_MIX_CHANNELS:
    case DIM_MIX_TAPS:
    case DIM_MIX_RATES:
    case DIM_MIX_HEADS:
    case DIM_MIX_VALUE: return mixer_dim(f, c, d);
    case DIM_Q_RANK:  return c->latent.q_rank;
    case DIM_KV_RANK: return c->latent.kv_rank;
    case DIM_KV_A:    return c->latent.kv_rank + c->latent.d_rope;
    case DIM_KV_B:    return c->n_heads * (c->latent.d_nope + c->d_value);
    case DIM_NONE:    break;
    }
    assert(0);
    return 0;
}

bool family_slot_in_out(const struct family *f, enum slot s)
{
    if (f->order == ORDER_IN_OUT_QKV)
        return s == W_Q || s == W_K || s == W_V || s == W_REL_K;
    if (f->order == ORDER_IN_OUT_EXPERTS)
        return family_slots[s].kind == SLOT_EXPERTS;
    return (f->order == ORDER_IN_OUT && family_slots[s].kind == SLOT_LINEAR) || s == W_HEAD_REST;
}

bool family_slot_is_grouped(const struct config *c, enum slot s)
{
    return c->mlp_groups > 1 && (s == W_UP || s == W_DOWN);
}

bool family_slot_is_linear(enum slot s)
{
    return s == W_HEAD ||
           (family_slots[s].kind == SLOT_LINEAR && s != W_ROUTER && s != W_SHARED_SCORE &&
            s != W_MODES && s != W_PREDICT && s != W_CORRECT);
}

const char *family_slot_names(const struct family *f, const struct config *c, enum slot s)
{
    const struct head_task *task = c->head.task;

    if (task != NULL && s == W_HEAD_DENSE)
        return task->dense;
    if (task != NULL && s == W_HEAD_NORM)
        return task->norm;
    if (task != NULL && s == W_HEAD)
        return task->out;
    return task != NULL && s == W_HEAD_BIAS ? NULL : family_names(f, s);
}

enum bias_rule family_slot_bias(const struct family *f, const struct config *c, enum slot s)
{
    enum bias_group group = family_slots[s].group;
    enum bias_rule rule = s == W_HEAD_BIAS ? f->head_bias : f->biased[group];

    if (f->bare)
        return BIAS_AS_STORED;
    if (group == OF_K && rule == BIAS_USUAL)
        rule = f->biased[OF_QKV];
    if (group == OF_QK_NORM && rule == BIAS_USUAL)
        rule = f->biased[OF_NORM];
    if (group == OF_ROUTER && rule == BIAS_USUAL)
        return BIAS_NEVER;
    if ((group == OF_NORM || group == OF_QK_NORM) && !family_norm_has_bias(f))
        return BIAS_NEVER;
    if (group == OF_HEAD && c->head.task != NULL)       /* a decoder's `score` has none */
        return c->head.task->rows == HEAD_LAST ? BIAS_NEVER : BIAS_ALWAYS;
    if (group == OF_HEAD && c->head.one_number)
        return BIAS_ALWAYS;
    if (rule == BIAS_USUAL && group == OF_HEAD)         /* the tied one may be stored twice */
        return family_has(f, W_HEAD_BIAS) ? BIAS_AS_STORED : BIAS_NEVER;
    if (rule == BIAS_USUAL)
        return BIAS_ALWAYS;
    if (rule > BIAS_AS_STORED)
        rule = c->has_bias[rule] ? BIAS_ALWAYS : BIAS_NEVER;
    return rule;
}
