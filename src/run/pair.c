/* SPDX-License-Identifier: MIT
 * An encoder's pass, then its decoder's over what it made. */
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
    encoder->noise_relative = all->noise_relative;
}

int run_pair(const struct model *m, const struct batch *source, const struct batch *target,
             const struct wanted *want, const struct sink *sinks, int n_sinks,
             struct par *par, struct arena *call, struct err *e)
{
    bool shown = want->stacks == 0 || (want->stacks >> STACK_ENCODER & 1) != 0;
    size_t count = (size_t)source->start[source->n_texts];
    float *hidden = m->precomputed != NULL ?
                        NULL :
                        arena_alloc_raw(call, count * (size_t)m->config.d_model,
                                        sizeof *hidden);
    struct change before = { 0 }, after = { 0 };
    struct wanted encoder = { .layer = want->layer, .head = want->head,
                              .head_stride = want->head_stride, .change = &before,
                              .hidden = hidden, .tap = shown ? want->tap : NULL };
    struct memory memory = { .x = hidden, .start = source->start };
    struct wanted decoder = *want;

    split_change(want->change, &before, &after);
    if (run_forward(m, source, &encoder, sinks, shown ? n_sinks : 0, par, call, e) != 0)
        return -1;
    decoder.memory = &memory;
    decoder.change = &after;
    return run_forward(m->decoder, target, &decoder, sinks, n_sinks, par, call, e);
}
