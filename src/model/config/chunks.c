/* SPDX-License-Identifier: MIT
 * config.json -> chunked attention (Reformer): its layers, lengths of chunks, hashing, and axial
 * positions. */
#include <string.h>

#include "model/config/config_priv.h"

enum {
    MAX_CHUNK = 1 << 20,        /* tokens */
    MAX_FACTOR = 1 << 16,       /* so many columns of random numbers are drawn */
    MAX_BUCKETS = 1 << 30,      /* and the most tokens that chunks are padded to */
    MAX_ROUNDS = 64,
    MAX_FACTORS = 16
};

#define F(f) offsetof(struct config, f)
static const struct key keys[] = {
    { KEY_INT, F(d_head), 1, 1 << 16, NAMES("attention_head_size") },
    { KEY_INT, F(d_ff), 1, 1 << 24, NAMES("feed_forward_size") },
    { KEY_INT, F(chunked.near.len), 1, MAX_CHUNK, NAMES("local_attn_chunk_length") },
    { KEY_INT, F(chunked.near.before), 0, 1 << 16, NAMES("local_num_chunks_before") },
    { KEY_INT, F(chunked.near.after), 0, 1 << 16, NAMES("local_num_chunks_after") },
    { KEY_INT, F(chunked.hashed.len), 1, MAX_CHUNK, NAMES("lsh_attn_chunk_length") },
    { KEY_INT, F(chunked.hashed.before), 0, 1 << 16, NAMES("lsh_num_chunks_before") },
    { KEY_INT, F(chunked.hashed.after), 0, 1 << 16, NAMES("lsh_num_chunks_after") },
    { KEY_INT, F(chunked.n_hashes), 1, MAX_ROUNDS, NAMES("num_hashes") },
    { KEY_BOOL, F(axial.on), 0, 0, NAMES("axial_pos_embds") },
};
#undef F

/* attn_layers ["local", "lsh"]; without it the two alternate, as in the library. */
static int read_kinds(const struct reader *reader, const json_t *root)
{
    const json_t *list = config_value(root, "attn_layers");
    int count = list != NULL ? (int)json_array_size(list) : reader->c->n_layers;
    enum layer_kind *kind;

    if (count < 1 || count > 1 << 16)
        return config_wrong(reader, "attn_layers", list, "a list of \"local\" and \"lsh\"");
    kind = arena_alloc(reader->a, (size_t)count, sizeof *kind);
    for (int layer = 0; layer < count; layer++) {
        const json_t *value = json_array_get(list, (size_t)layer);
        const char *text = list == NULL ? (layer % 2 == 0 ? "local" : "lsh")
                                     : json_string_value(value);

        if (text == NULL || (strcmp(text, "local") != 0 && strcmp(text, "lsh") != 0))
            return config_wrong(reader, "attn_layers", value, "\"local\" or \"lsh\"");
        kind[layer] = text[1] == 'o' ? LAYER_CHUNKS : LAYER_HASHED;
    }
    reader->c->n_layers = count;
    reader->c->layer_kind = kind;
    return 0;
}

static bool has_kind(const struct config *config, enum layer_kind kind)
{
    for (int l = 0; l < config->n_layers; l++)
        if (config->layer_kind[l] == kind)
            return true;
    return false;
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* A text longer than the shorter chunk is padded so that both kinds divide it. */
static int set_padding(const struct reader *reader)
{
    struct config *config = reader->c;
    int a = has_kind(config, LAYER_CHUNKS) ? config->chunked.near.len :
                                             config->chunked.hashed.len;
    int b = has_kind(config, LAYER_HASHED) ? config->chunked.hashed.len : a;
    int64_t both = a / gcd(a, b) * b;

    if (both > MAX_BUCKETS)
        return err_set(reader->e, ERR_INPUT, "%s: chunks of %d and %d tokens: expected a common "
                       "multiple of at most %d", reader->file, a, b, MAX_BUCKETS);
    config->chunked.pad_to = (int)both;
    config->chunked.pad_above = a < b ? a : b;
    return 0;
}

/* num_buckets 64, or [64, 128]: the number of buckets in factors. */
static int read_buckets(const struct reader *reader, const json_t *root)
{
    const json_t *value = config_value(root, "num_buckets");
    bool list = json_is_array(value);
    size_t count = list ? json_array_size(value) : 1;
    int *factor = arena_alloc(reader->a, MAX_FACTORS, sizeof *factor);
    int64_t all = 1;

    if (value == NULL)
        return 0;
    for (size_t i = 0; i < count && count <= MAX_FACTORS; i++) {
        const json_t *one = list ? json_array_get(value, i) : value;
        json_int_t f = json_integer_value(one);     /* 0 where it is not an integer */

        if (f < 2 || f > MAX_FACTOR || f % 2 != 0 || all * f > MAX_BUCKETS)
            break;
        all *= f;
        factor[reader->c->chunked.n_factors++] = (int)f;
    }
    reader->c->chunked.factor = factor;
    if (count > 0 && reader->c->chunked.n_factors == (int)count)
        return 0;
    return config_wrong(reader, "num_buckets", value,
                        "an even number up to 65536, or a list of "
                        "them with a product of at most 1073741824");
}

static int read_hashing(const struct reader *reader, const json_t *root)
{
    const json_t *seed = config_value(root, "hash_seed");

    if (!has_kind(reader->c, LAYER_HASHED))
        return 0;
    if (seed != NULL && !json_is_integer(seed))
        return config_wrong(reader, "hash_seed", seed, "a whole number or null");
    reader->c->chunked.has_seed = seed != NULL;
    reader->c->chunked.seed = json_integer_value(seed);
    if ((double)reader->c->chunked.n_hashes * reader->c->n_positions > MAX_BUCKETS)
        return err_set(reader->e, ERR_INPUT, "%s: num_hashes: %d rounds of %d positions, "
                       "expected at most %d in all", reader->file, reader->c->chunked.n_hashes,
                       reader->c->n_positions, MAX_BUCKETS);
    return read_buckets(reader, root);
}

static int read_two(const struct reader *reader, const json_t *root, const char *name,
                    int max, int *two)
{
    const json_t *value = config_value(root, name);

    if (value == NULL)
        return 0;
    for (size_t i = 0; i < 2; i++) {
        json_int_t n = json_integer_value(json_array_get(value, i));

        if (n < 1 || n > max || json_array_size(value) != 2)
            return config_wrong(reader, name, value, "a list of two numbers above 0");
        two[i] = (int)n;
    }
    return 0;
}

static int read_grid(const struct reader *reader, const json_t *root)
{
    struct config *config = reader->c;

    if (!config->axial.on)
        return 0;
    if (read_two(reader, root, "axial_pos_shape", 1 << 15, config->axial.shape) != 0 ||
        read_two(reader, root, "axial_pos_embds_dim", 1 << 20, config->axial.width) != 0)
        return -1;
    if (config->axial.width[0] + config->axial.width[1] != config->d_model)
        return err_set(reader->e, ERR_INPUT,
                       "%s: axial_pos_embds_dim: found %d and %d, "
                       "expected the hidden_size %d as their sum",
                       reader->file, config->axial.width[0], config->axial.width[1],
                       config->d_model);
    return 0;
}

int config_chunks(const struct reader *reader, const struct family *family, const json_t *root)
{
    if (family->defaults.chunked.hashed.len == 0)
        return 0;
    reader->c->n_layers = family->defaults.n_layers;      /* num_hidden_layers says nothing here */
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (config_key(reader, &keys[i], root, reader->c) != 0)
            return -1;
    if (read_kinds(reader, root) != 0 || set_padding(reader) != 0 ||
        read_hashing(reader, root) != 0)
        return -1;
    return read_grid(reader, root);
}
