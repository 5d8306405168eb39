/* SPDX-License-Identifier: MIT
 * The numbers of a config, and names, shapes and types of tensors -> a hash. */
#include <string.h>

#include "model/model_priv.h"

static uint64_t fnv(uint64_t h, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return h;
}

uint64_t model_hash(const struct model *m)
{
    const struct config *config = &m->config;
    const int numbers[] = { config->n_layers, config->n_heads,    config->n_kv_heads,
                            config->d_model,  config->d_head,     config->d_ff,
                            config->n_vocab,  config->n_positions };
    uint64_t h = fnv(0xcbf29ce484222325u, numbers, sizeof numbers);

    for (int i = 0; i < weights_count(m->weights); i++) {
        const struct tensor *tensor = weights_at(m->weights, i);

        h = fnv(h, tensor->name, strlen(tensor->name));
        h = fnv(h, tensor->shape, (size_t)tensor->n_dims * sizeof tensor->shape[0]);
        h = fnv(h, &tensor->dtype, sizeof tensor->dtype);
    }
    return h;
}
