/* SPDX-License-Identifier: MIT
 * The numbers of a config, and names, shapes and types of tensors -> a hash. */
#include <string.h>

#include "base/bytes.h"
#include "model/model_priv.h"

static uint64_t fnv(uint64_t h, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return h;
}

/* The low size_bytes of v, in the order of little-endian processors everywhere. */
static uint64_t fnv_number(uint64_t h, uint64_t v, int size_bytes)
{
    unsigned char bytes[8];

    bytes_put(bytes, v, size_bytes);
    return fnv(h, bytes, (size_t)size_bytes);
}

uint64_t model_hash(const struct model *m)
{
    const struct config *config = &m->config;
    const int numbers[] = { config->n_layers, config->n_heads,    config->n_kv_heads,
                            config->d_model,  config->d_head,     config->d_ff,
                            config->n_vocab,  config->n_positions };
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        h = fnv_number(h, (uint64_t)numbers[i], 4);
    for (int i = 0; i < weights_count(m->weights); i++) {
        const struct tensor *tensor = weights_at(m->weights, i);

        h = fnv(h, tensor->name, strlen(tensor->name));
        for (int k = 0; k < tensor->n_dims; k++)
            h = fnv_number(h, (uint64_t)tensor->shape[k], 8);
        h = fnv_number(h, tensor->dtype, 4);
    }
    return h;
}
