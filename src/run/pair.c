/* SPDX-License-Identifier: MIT
 * The pass of an encoder, then that of its decoder with the encoder's output as memory. */
#include "run/pair.h"

/* Noise is put into the encoder; all else is for the decoder. */
static void split_change(const struct change *all, struct change *encoder,
                         struct change *decoder)
{
    if (all == NULL)
        return;
    *decoder = *all;
    decoder->noise = NULL;
    encoder->noise = all->noise;
    encoder->precision = all->precision;
    encoder->fast = all->fast;
    encoder->intervention = all->intervention;
    encoder->noise_relative = all->noise_relative;
}

/* The last end token of the encoder's text; -1: none. */
static int last_end(const struct model *model, const struct batch *batch, int text)
{
    for (int i = batch->start[text + 1] - 1; i >= batch->start[text]; i--)
        if (batch->id[i] == model->config.head.eos_id)
            return i - batch->start[text];
    return -1;
}

/* Which rows of the decoder its head reads, where end tokens of the encoder's text say so. */
static int find_rows(const struct model *model, const struct batch *source,
                     const struct batch *target, const int **rows, struct arena *a,
                     struct err *e)
{
    int *row = arena_alloc(a, (size_t)source->n_texts, sizeof *row);

    for (int t = 0; t < source->n_texts; t++) {
        int n = source->start[t + 1] - source->start[t];

        row[t] = last_end(model, source, t);
        if (row[t] < 0)
            return err_set(e, ERR_INPUT, "the text has no end token (id %d), where the head of "
                           "%s reads it", model->config.head.eos_id, model->config.head.class_name);
        if (target->start[t + 1] - target->start[t] != n)
            return err_set(e, ERR_INPUT, "the decoder has %d tokens, expected the %d of the "
                           "text: the head of %s reads where that ends",
                           target->start[t + 1] - target->start[t], n,
                           model->config.head.class_name);
    }
    *rows = row;
    return 0;
}

/* Runs model over source; *memory: what it makes of it. */
static int pair_encode(const struct model *model, const struct batch *source,
                       const struct wanted *want, const struct change *change,
                       const struct sink *sinks, int n_sinks, struct memory *memory,
                       struct par *par, struct arena *call, struct err *e)
{
    bool shown = want->stacks == 0 || (want->stacks >> STACK_ENCODER & 1) != 0;
    size_t count = (size_t)source->start[source->n_texts];
    float *hidden = model->precomputed != NULL || want->encoded != NULL ?
                        want->encoded :
                        arena_alloc_raw(call, count * (uint64_t)model->config.d_model,
                                        sizeof *hidden);
    struct wanted encoder = { .layer = want->layer, .head = want->head,
                              .head_stride = want->head_stride, .change = change,
                              .hidden = hidden, .resume = want->resume,
                              .tap = shown ? want->tap : NULL };

    *memory = (struct memory){ .x = hidden, .start = source->start };
    return run_forward(model, source, &encoder, sinks, shown ? n_sinks : 0, par, call, e);
}

int run_pair(const struct model *model, const struct batch *source, const struct batch *target,
             const struct wanted *want, const struct sink *sinks, int n_sinks,
             struct par *par, struct arena *call, struct err *e)
{
    struct change before = { 0 }, after = { 0 };
    struct wanted decoder = *want;
    struct memory memory;

    split_change(want->change, &before, &after);
    if (want->memory == NULL) {
        if (pair_encode(model, source, want, &before, sinks, n_sinks, &memory, par, call, e) != 0)
            return -1;
        decoder.memory = &memory;
        decoder.resume = NULL;
    }
    if (want->logits != NULL && model->decoder->config.head.task != NULL &&
        head_scope(&model->decoder->config) == HEAD_LAST_EOS &&
        find_rows(model, source, target, &decoder.head_row, call, e) != 0)
        return -1;
    decoder.change = &after;
    return run_forward(model->decoder, target, &decoder, sinks, n_sinks, par, call, e);
}
