/* SPDX-License-Identifier: MIT
 * Sizes of a model and of a text -> the bytes that a pass takes. */
#include <math.h>

#include "nn/attention.h"
#include "nn/fast.h"
#include "nn/quantise.h"
#include "run/change.h"
#include "run/mlp.h"
#include "run/run.h"
#include "run/special/chunks.h"
#include "run/special/conv.h"
#include "run/special/front_rows.h"
#include "run/special/latent.h"
#include "run/special/mixer.h"
#include "run/special/packed.h"
#include "run/special/relative.h"
#include "run/special/side_conv.h"
#include "run/stage.h"

/* Panels of the widest linear of a layer; the last part of a model is no wider. */
static double packed(const struct model *model, int n_tokens)
{
    double most = 0;

    for (int l = 0; l < model->config.n_layers; l++)
        for (int s = 0; s < N_SLOT; s++) {
            const struct param *param = &model->layer[l].slot[s];

            if (param->weight != NULL && param->matrix.K > 0)
                most = fmax(most, packed_memory(&param->matrix, n_tokens));
        }
    return most;
}

/* Of a token: keys and values that layers share, what mixes streams, inputs of layers. */
static double shared_room(const struct model *model)
{
    const struct config *config = &model->config;
    double n = config->streams.n;

    return (config->streams.n_shared > 0 ? 2.0 * (model->place.width - model->place.k[0]) : 0) +
           n + n * n + config->streams.d_skip + 2.0 * config->streams.d_input;
}

/* What inputs of a linear become before it, in words: of n_rows rows of K. */
static double rounded_words(const struct change *change, double n_rows, int K)
{
    const struct fast_kernel *fast = fast_kernel(change->fast);

    if (fast != NULL)
        return n_rows * fast_words(fast, K);
    return change->precision != PRECISION_F32 && quantise_block(change->precision) == 1 ?
               n_rows * (K + 1.0) :
               0;
}

/* The most that linears keep of rounded inputs, one after the other. */
static double rounded(const struct model *model, const struct change *change, double n_tokens)
{
    double most = 0;

    for (int l = 0; change != NULL && l < model->config.n_layers; l++)
        for (int s = 0; s < N_SLOT; s++) {
            const struct param *param = &model->layer[l].slot[s];
            bool is_mlp = s == W_UP || s == W_GATE || s == W_DOWN;
            double n_rows = is_mlp ? fmin(n_tokens, MLP_ROWS) : n_tokens;

            if (param->weight != NULL && param->matrix.K > 0)
                most = fmax(most, rounded_words(change, n_rows, param->matrix.K));
        }
    return most;
}

double run_memory(const struct model *model, const struct change *change, int n_tokens,
                  int n_threads)
{
    const struct config *config = &model->config;
    double N = n_tokens, D = config->d_model,
           z = (double)config->n_heads * config->d_value;
    /* x and a; with two streams also x2, and both side by side at the end. */
    double streams = model->norm_place == PLACE_REVERSIBLE ?
                         5 * D :
                     config->streams.n > 0 ?
                         4 * D + model_stream_width(model) + shared_room(model) :
                         2 * D + config->bottleneck.d;
    double latent = (double)latent_room(model, n_tokens) + (double)front_rows_room(model, n_tokens);
    double mlp = (N < MLP_ROWS ? N : MLP_ROWS) *
                 ((double)mlp_width(model) + (model->mlp == MLP_GATED ? config->d_ff : 0));
    int sets = family_has(model->family, W_Q_GLOBAL) ? 2 : 1;   /* of q, k and v */
    double blocks = config->sparse.block > 0 ? 2.25 :
                                               1.25; /* of weights, and a byte each */
    double mixer = mixer_memory(model, n_tokens);
    double head = sets * (double)attention_packed(n_tokens, config->d_head,
                                                  config->d_value) +
                  blocks * ATTEND_ROWS * (double)attention_stride(n_tokens);

    return sizeof(float) * (N * (streams + sets * model->place.width + z) + latent + mlp + mixer +
                            head * n_threads + relative_memory(model, n_tokens) +
                            conv_memory(model, n_tokens) + side_conv_memory(model, n_tokens) +
                            rounded(model, change, N)) +
           chunks_memory(model, n_tokens) + packed(model, n_tokens);
}
