/* SPDX-License-Identifier: MIT
 * generation_config.json, config.json or GGUF's keys -> struct generation. */
#include "model/generation.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/json_field.h"
#include "model/config/config_priv.h"
#include "weights/gguf.h"

/* ---- values ---- */

#define F(f) offsetof(struct generation, f)
static const struct key numbers[] = {
    { KEY_INT, F(no_repeat), 0, 1 << 20, NAMES("no_repeat_ngram_size") },
    { KEY_INT, F(min_length), 0, 1 << 30, NAMES("min_length") },
    { KEY_INT, F(min_new), 0, 1 << 30, NAMES("min_new_tokens") },
    { KEY_REAL, F(penalty), 1e-6, 1e6, NAMES("repetition_penalty") },
};

static const struct { size_t field; const char *name; } lists[] = {
    { F(end), "eos_token_id" },
    { F(forced_last), "forced_eos_token_id" },
    { F(suppressed), "suppress_tokens" },
    { F(suppressed_first), "begin_suppress_tokens" },
};
#undef F

/* Keys that would change the choice, and the number that does not. */
static const struct { const char *name; double harmless; } refused[] = {
    { "sequence_bias", -1 }, { "guidance_scale", 1 },
    { "encoder_repetition_penalty", 1 }, { "encoder_no_repeat_ngram_size", 0 },
    { "exponential_decay_length_penalty", -1 }, { "watermarking_config", -1 },
};

static int read_id(const struct reader *reader, const char *key, const json_t *v, int *id)
{
    return json_value_int(v, key, INT_MIN, INT_MAX, id, reader->e) != 0
           ? err_under(reader->e, "%s", reader->file) : 0;
}

/* One id, or a list of them. */
static int read_ids(const struct reader *reader, const char *key, const json_t *v,
                    struct id_list *out)
{
    int *id, count;

    if (!json_is_array(v)) {
        id = arena_alloc(reader->a, 1, sizeof *id);
        *out = (struct id_list){ 1, id };
        return read_id(reader, key, v, id);
    }
    if (json_value_ints(reader->a, v, key, INT_MIN, INT_MAX, &id, &count, reader->e) != 0)
        return err_under(reader->e, "%s", reader->file);
    *out = (struct id_list){ count, id };
    return 0;
}

static int read_bad(const struct reader *reader, const json_t *root, struct generation *generation)
{
    static const char key[] = "bad_words_ids";
    const json_t *value = config_value(root, key);
    struct id_list *bad;

    if (value == NULL)
        return 0;
    if (!json_is_array(value))
        return config_wrong(reader, key, value, "a list of lists of ids");
    bad = arena_alloc(reader->a, json_array_size(value), sizeof *bad);
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *one = json_array_get(value, i);

        if (json_array_size(one) == 0)
            return config_wrong(reader, key, value, "a list of lists of ids");
        if (read_ids(reader, key, one, &bad[i]) != 0)
            return -1;
    }
    generation->n_bad = (int)json_array_size(value);
    generation->bad = bad;
    return 0;
}

static int generation_refuse(const struct reader *reader, const json_t *root)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const json_t *value = config_value(root, refused[i].name);

        if (value != NULL && !(json_is_number(value) &&
                               json_number_value(value) == refused[i].harmless))
            return config_wrong(reader, refused[i].name, value,
                                "null: it is not supported for --generate");
    }
    return 0;
}

/* A token that will be put there, so it must be one. */
static int must_exist(const struct reader *reader, const struct model *model, const char *key,
                      int id)
{
    if (id >= 0 && id < model->config.n_vocab)
        return 0;
    return err_set(reader->e, ERR_INPUT, "%s: %s: found %d, expected one of the vocabulary (0 "
                   "to %d)", reader->file, key, id, model->config.n_vocab - 1);
}

static int read_one(const struct reader *reader, const struct model *model, const json_t *root,
                    const char *key, int *id)
{
    const json_t *value = config_value(root, key);

    if (value == NULL)
        return 0;
    return read_id(reader, key, value, id) != 0 ? -1 : must_exist(reader, model, key, *id);
}

/* ---- where they stand ---- */

/* Object by object: what is set in a later one wins. */
static int generation_read_object(const struct reader *reader, const struct model *model,
                                  const json_t *root, struct generation *generation)
{
    const char *start = config_value(root, "decoder_start_token_id") != NULL
                        ? "decoder_start_token_id" : "bos_token_id";

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (config_key(reader, &numbers[i], root, generation) != 0)
            return -1;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const json_t *value = config_value(root, lists[i].name);

        if (value != NULL && read_ids(reader, lists[i].name, value,
                                      (void *)((char *)generation + lists[i].field)) != 0)
            return -1;
    }
    for (int i = 0; i < generation->forced_last.n; i++)
        if (must_exist(reader, model, "forced_eos_token_id", generation->forced_last.id[i]) != 0)
            return -1;
    if (model->decoder != NULL && read_one(reader, model, root, start, &generation->start) != 0)
        return -1;
    return generation_refuse(reader, root) != 0 || read_bad(reader, root, generation) != 0 ||
           read_one(reader, model, root, "forced_bos_token_id",
                    &generation->forced_first) != 0 ? -1 : 0;
}

/* What stands where nothing is said. */
static struct generation unruled(const struct model *model)
{
    return (struct generation){ .start = model->config.decoder.start_id, .forced_first = -1,
                                .penalty = 1 };
}

int generation_read_json(struct generation *generation, struct arena *a, const struct model *model,
                         struct span bytes, const char *name, struct err *e)
{
    struct reader reader = { NULL, a, name, e };
    const json_t *part;
    json_t *root;
    int status;

    *generation = unruled(model);
    root = json_read(a, bytes, 0, e);
    if (root == NULL)
        return err_under(e, "%s", name);
    part = config_value(root, "text_config");
    status = !json_is_object(root) ?
                          err_set(e, ERR_INPUT, "%s: is not a JSON object", name) :
             (part != NULL && generation_read_object(&reader, model, part, generation) != 0) ||
                     generation_read_object(&reader, model, root, generation) != 0 ?
                          -1 :
                          0;
    json_drop(a, root);
    return status;
}

/* The end of a text, and of a turn. */
static void read_gguf(struct generation *generation, struct arena *a, const struct gguf *file)
{
    static const char *const keys[] = { "tokenizer.ggml.eos_token_id",
                                        "tokenizer.ggml.eot_token_id" };
    int *id = arena_alloc(a, 2, sizeof *id), count = 0;

    for (int i = 0; i < 2; i++) {
        const struct gguf_value *value = gguf_find(file, keys[i]);

        if (value != NULL && !value->is_array && gguf_is_int(value) &&
            gguf_int(value, 0) >= 0 && gguf_int(value, 0) <= INT_MAX)
            id[count++] = (int)gguf_int(value, 0);
    }
    generation->end = (struct id_list){ count, id };
}

int generation_read(struct generation *generation, struct arena *a, const struct model *model,
                    struct err *e)
{
    const struct span *bytes;
    const char *path;
    int status;

    if (model->config_json.data != NULL)
        return generation_read_json(generation, a, model, model->config_json, "config.json", e);
    if (weights_gguf(model->weights) != NULL) {
        *generation = unruled(model);
        read_gguf(generation, a, weights_gguf(model->weights));
        return 0;
    }
    path = file_join(a, model->dir, "generation_config.json");
    if (!file_exists(path))
        path = file_join(a, model->dir, "config.json");
    bytes = file_hold(a, path, e);
    if (bytes == NULL)
        return -1;
    status = generation_read_json(generation, a, model, *bytes, path, e);
    file_drop(a, bytes);
    return status;
}

bool model_predicts_next(const struct model *model)
{
    if (model->family->bias == BIAS_XL || model->config.head.task != NULL)
        return false;
    for (int l = 0; l < model->config.n_layers; l++)
        if (model->layer[l].hi > 0)
            return false;
    return true;
}
