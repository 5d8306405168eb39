/* SPDX-License-Identifier: MIT
 * A path, or nothing, -> config, weights and their binding. */
#include "model/model.h"

#include "model/gguf.h"
#include "model/hub.h"

static struct span span_between(const unsigned char *begin, const unsigned char *end)
{
    return (struct span){ begin, (size_t)(end - begin) };
}

/* From builtin.S. */
extern const unsigned char builtin_config[], builtin_config_end[];
extern const unsigned char builtin_tokenizer[], builtin_tokenizer_end[];
extern const unsigned char builtin_weights[], builtin_weights_end[];

struct span builtin_file(enum builtin_file which)
{
    switch (which) {
    case BUILTIN_CONFIG:
        return span_between(builtin_config, builtin_config_end);
    case BUILTIN_TOKENIZER:
        return span_between(builtin_tokenizer, builtin_tokenizer_end);
    case BUILTIN_WEIGHTS:
        break;
    }
    return span_between(builtin_weights, builtin_weights_end);
}

static int open_builtin(struct model *m, struct arena *a, struct err *e)
{
    static const char name[] = "built-in model";

    m->name = name;
    m->weights = weights_open_memory(a, builtin_file(BUILTIN_WEIGHTS), name, e);
    if (m->weights == NULL)
        return -1;
    return config_read(&m->config, &m->family, a, builtin_file(BUILTIN_CONFIG),
                       "built-in config.json", e);
}

/* Weights first: a lone .bin is best answered by how to convert it. */
static int open_path(struct model *m, struct arena *a, const char *path, struct err *e)
{
    const char *config;
    struct span bytes;
    int rc;

    if (!file_exists(path))
        return err_set(e, ERR_INPUT, "%s: no such model: want a Hugging Face folder "
                       "(config.json, model.safetensors), a .safetensors file or a "
                       ".gguf file", path);
    m->name = hub_name(a, path);
    m->weights = weights_open(a, path, e);
    if (m->weights == NULL)
        return -1;
    m->dir = file_folder(a, path);
    if (weights_gguf(m->weights) != NULL) {
        m->dir = weights_gguf(m->weights)->file;
        return gguf_config(&m->config, &m->family, a, m->weights, e);
    }
    config = file_join(a, m->dir, "config.json");
    if (file_map(config, &bytes, e) != 0)
        return -1;
    rc = config_read(&m->config, &m->family, a, bytes, config, e);
    file_unmap(bytes);
    return rc;
}

struct model *model_open(struct arena *a, const char *path, struct err *e)
{
    struct model *m = arena_alloc(a, 1, sizeof *m);
    int rc = path != NULL ? open_path(m, a, path, e) : open_builtin(m, a, e);

    if (rc == 0)
        rc = model_bind(m, a, e);
    if (rc != 0) {
        model_close(m);
        return NULL;
    }
    if (m->config.model_name != NULL)
        m->name = m->config.model_name;
    return m;
}

void model_close(struct model *m)
{
    if (m != NULL && m->weights != NULL)
        weights_close(m->weights);
}
