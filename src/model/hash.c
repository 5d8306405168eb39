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
    const struct config *c = &m->config;
    const int numbers[] = { c->n_layers, c->n_heads, c->n_kv_heads, c->d_model,
                            c->d_head, c->d_ff, c->n_vocab, c->n_positions };
    uint64_t h = fnv(0xcbf29ce484222325u, numbers, sizeof numbers);

    for (int i = 0; i < weights_count(m->weights); i++) {
        const struct tensor *t = weights_at(m->weights, i);

        h = fnv(h, t->name, strlen(t->name));
        h = fnv(h, t->shape, (size_t)t->n_dims * sizeof t->shape[0]);
        h = fnv(h, &t->dtype, sizeof t->dtype);
    }
    return h;
}
