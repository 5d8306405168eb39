/* SPDX-License-Identifier: MIT
 * The numbers of a config, and names, shapes and types of tensors -> a hash; another includes the
 * contents of tensors and of the tokeniser's files. */
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
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

uint64_t model_hash(const struct model *model)
{
    const struct config *config = &model->config;
    const int numbers[] = { config->n_layers, config->n_heads,    config->n_kv_heads,
                            config->d_model,  config->d_head,     config->d_ff,
                            config->n_vocab,  config->n_positions };
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        h = fnv_number(h, (uint64_t)numbers[i], 4);
    for (int i = 0; i < weights_count(model->weights); i++) {
        const struct tensor *tensor = weights_at(model->weights, i);

        h = fnv(h, tensor->name, strlen(tensor->name));
        for (int k = 0; k < tensor->n_dims; k++)
            h = fnv_number(h, (uint64_t)tensor->shape[k], 8);
        h = fnv_number(h, tensor->dtype, 4);
        if (tensor->maker != NULL)
            h = fnv(h, tensor->maker->how, strlen(tensor->maker->how));
    }
    return h;
}

/* ---- what they hold ---- */

enum { SAMPLE = 4096, MOST_OF_FILE = 16 << 20 };

static uint64_t fnv_ends(uint64_t h, const unsigned char *data, uint64_t n_bytes)
{
    uint64_t count = n_bytes < SAMPLE ? n_bytes : SAMPLE;

    return fnv(fnv(h, data, (size_t)count), data + (n_bytes - count), (size_t)count);
}

/* Of one that is made: what it is made from. */
static uint64_t fnv_tensor(uint64_t h, const struct tensor *tensor)
{
    if (tensor->maker == NULL)
        return fnv_ends(h, tensor->data, (uint64_t)tensor_stored_bytes(tensor));
    for (int i = 0; i < tensor->maker->n_parts; i++)
        h = fnv_tensor(h, &tensor->maker->part[i]);
    return h;
}

static uint64_t fnv_weights(uint64_t h, const struct weights *weights)
{
    for (int i = 0; i < weights_count(weights); i++)
        h = fnv_tensor(h, weights_at(weights, i));
    return h;
}

uint64_t model_hash_weights(const struct model *model)
{
    return fnv_weights(model->hash, model->weights);
}

static bool hash_ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), n_end = strlen(end);

    return n >= n_end && strcmp(name + n - n_end, end) == 0;
}

/* Config, tokeniser and vocabulary, which lie beside the weights. */
static bool is_of_texts(const char *name)
{
    return (hash_ends_with(name, ".json") && !hash_ends_with(name, ".index.json")) ||
           hash_ends_with(name, ".txt") || hash_ends_with(name, ".model");
}

static int fnv_file(uint64_t *h, const char *path, struct err *e)
{
    struct span span;

    if (file_map(path, &span, e) != 0)
        return -1;
    *h = fnv(*h, span.data, span.size < MOST_OF_FILE ? span.size : MOST_OF_FILE);
    file_unmap(span);
    return 0;
}

/* Its name, and what it holds; of a folder of such a name nothing. */
static int fnv_named(uint64_t *h, struct arena *a, const char *dir, const char *name,
                     struct err *e)
{
    const char *path = file_join(a, dir, name);

    if (file_is_dir(path))
        return 0;
    *h = fnv(*h, name, strlen(name));
    return fnv_file(h, path, e);
}

static int fnv_files(uint64_t *h, struct arena *a, const char *dir, struct err *e)
{
    size_t n;
    const char **name;

    if (!file_is_dir(dir))
        return fnv_file(h, dir, e);
    name = file_list(a, dir, &n);
    if (n == 0)
        return err_set(e, ERR_SYSTEM, "%s: its files cannot be listed", dir);
    for (size_t i = 0; i < n; i++)
        if (is_of_texts(name[i]) && fnv_named(h, a, dir, name[i], e) != 0)
            return -1;
    return 0;
}

int model_hash_data(const struct model *model, struct arena *a, uint64_t *hash, struct err *e)
{
    struct arena_mark mark = arena_mark(a);
    int status = 0;

    *hash = model_hash_weights(model);
    if (model->dir != NULL)
        status = fnv_files(hash, a, model->dir, e);
    arena_reset(a, mark);
    return status;
}
