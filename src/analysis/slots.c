/* SPDX-License-Identifier: MIT
 * Texts and wanted heads -> slots, their indices in arrays. */
#include "analysis/slots.h"

struct slots slots_of(const struct model *model, const struct attended *texts,
                      const struct wanted *want)
{
    return (struct slots){
        .texts = *texts, .L = model->config.n_layers, .H = model->config.n_heads, .want = want,
        .stack = (int)(texts->two_axes ? STACK_CROSS : model->family->stack_id),
    };
}

size_t slots_count(const struct slots *slots)
{
    return (size_t)slots->texts.n_texts * (size_t)slots->L * (size_t)slots->H;
}

size_t slots_at(const struct slots *slots, int text, int layer, int head)
{
    return ((size_t)text * (size_t)slots->L + (size_t)layer) * (size_t)slots->H + (size_t)head;
}

static bool slots_is_wanted(const struct slots *slots, int layer, int head)
{
    return wanted_layer(slots->want, layer) && wanted_head(slots->want, layer, head);
}

void slots_each(const struct slots *slots, void (*fn)(void *self, size_t at, int text),
                void *self)
{
    for (int text = 0; text < slots->texts.n_texts; text++)
        for (int layer = 0; layer < slots->L; layer++)
            for (int head = 0; head < slots->H; head++)
                if (slots_is_wanted(slots, layer, head))
                    fn(self, slots_at(slots, text, layer, head), text);
}
