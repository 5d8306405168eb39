/* SPDX-License-Identifier: MIT
 * Rotary positions in config.json: rope_theta and rope_scaling (transformers 4),
 * rope_parameters (5), flat or one object per kind of layer. */
#include <string.h>

#include "model/config/config_priv.h"
#include "model/quirks.h"

#define F(f) offsetof(struct rope, f)
static const struct key keys[] = {
    { KEY_REAL, F(theta), 1, 1e12, NAMES("rope_theta") },
    { KEY_REAL, F(factor), 1e-3, 1e6, NAMES("factor") },
    { KEY_REAL, F(low), 1e-3, 1e6, NAMES("low_freq_factor") },
    { KEY_REAL, F(high), 1e-3, 1e6, NAMES("high_freq_factor") },
    { KEY_REAL, F(beta_fast), 1e-3, 1e6, NAMES("beta_fast") },
    { KEY_REAL, F(beta_slow), 1e-3, 1e6, NAMES("beta_slow") },
    { KEY_REAL, F(mscale), 0, 1e6, NAMES("mscale") },
    { KEY_REAL, F(mscale_all), 0, 1e6, NAMES("mscale_all_dim") },
    { KEY_REAL, F(attention_factor), 1e-3, 1e6, NAMES("attention_factor") },
    { KEY_REAL, F(short_mscale), 1e-3, 1e6, NAMES("short_mscale") },
    { KEY_REAL, F(long_mscale), 1e-3, 1e6, NAMES("long_mscale") },
    { KEY_INT, F(original), 1, 1 << 30, NAMES("original_max_position_embeddings") },
};
static const struct key base_keys[] = {
    { KEY_REAL, F(theta), 1, 1e12, NAMES("rope_theta", "rotary_emb_base", "global_rope_theta") },
    { KEY_REAL, F(theta), 1, 1e12, NAMES("rope_local_base_freq", "local_rope_theta") },
};
#undef F

const struct key *config_rope_key(const char *name)
{
    const struct key *found = config_find_in(keys, sizeof keys / sizeof keys[0], name);

    return found != NULL ? found :
           config_find_in(base_keys, sizeof base_keys / sizeof base_keys[0], name);
}

/* "dynamic" changes nothing up to max_position_embeddings, the longest text here. */
static const struct { const char *name; enum rope_scaling scaling; } types[] = {
    { "default", ROPE_DEFAULT }, { "dynamic", ROPE_DEFAULT }, { "linear", ROPE_LINEAR },
    { "llama3", ROPE_LLAMA3 }, { "yarn", ROPE_YARN }, { "longrope", ROPE_LONG },
    { "su", ROPE_LONG },
};

static int read_type(const struct reader *reader, const json_t *object, struct rope *rope)
{
    const json_t *type = config_value(object, "rope_type");
    const char *text;

    if (type == NULL)
        type = config_value(object, "type");
    text = json_string_value(type);
    for (size_t i = 0; text != NULL && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, text) == 0) {
            rope->scaling = types[i].scaling;
            if (i == 0)         /* nothing is scaled, whatever else is there */
                rope->mscale_all = 0;
            return 0;
        }
    if (type == NULL)
        rope->mscale_all = 0;
    return type == NULL ? 0 :
           config_wrong(reader, "rope_type", type, "one that is supported (default, dynamic, "
                        "linear, llama3, yarn, longrope)");
}

static int read_factors(const struct reader *reader, const json_t *object, const char *key,
                        int n, const float **out)
{
    const json_t *list = config_value(object, key);
    float *v = arena_alloc(reader->a, (size_t)n, sizeof *v);

    if ((int)json_array_size(list) != n)
        return err_set(reader->e, ERR_INPUT, "%s: %s: has %zu numbers, expected %d", reader->file,
                       key, json_array_size(list), n);
    for (int i = 0; i < n; i++) {
        v[i] = (float)json_number_value(json_array_get(list, (size_t)i));
        if (!(v[i] > 0))
            return err_set(reader->e, ERR_INPUT, "%s: %s[%d]: is not a number above 0",
                           reader->file, key, i);
    }
    *out = v;
    return 0;
}

static int config_rope_read_object(const struct reader *reader, const json_t *object,
                                   struct rope *rope)
{
    const json_t *truncate = config_value(object, "truncate");

    if (!json_is_object(object))
        return config_wrong(reader, "rope_parameters", object, "an object");
    *rope = (struct rope){ .theta = rope->theta };      /* a family's scaling is of no object */
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (config_key(reader, &keys[i], object, rope) != 0)
            return -1;
    rope->no_truncate = json_is_false(truncate);
    if (read_type(reader, object, rope) != 0)
        return -1;
    /* A factor that is null, not absent, follows from the two lengths. */
    if (rope->scaling == ROPE_YARN && json_is_null(json_object_get(object, "factor")) &&
        rope->original > 0)
        rope->factor = (double)reader->c->n_positions / rope->original;
    if (rope->scaling != ROPE_LONG)
        return 0;
    rope->n_factors = reader->c->rotary.n_columns / 2;
    return read_factors(reader, object, "short_factor", rope->n_factors,
                        &rope->short_factor) != 0 ? -1 :
           read_factors(reader, object, "long_factor", rope->n_factors, &rope->long_factor);
}

static int config_rope_check(const struct reader *reader, const struct rope *rope)
{
    if (rope->scaling != ROPE_DEFAULT && rope->scaling != ROPE_LONG && rope->factor == 0)
        return err_set(reader->e, ERR_INPUT, "%s: the rope scaling has no factor", reader->file);
    if (rope->scaling == ROPE_LLAMA3 &&
        (rope->original == 0 || !(rope->low > 0 && rope->high > rope->low)))
        return err_set(reader->e, ERR_INPUT, "%s: rope type llama3 requires low_freq_factor "
                       "below high_freq_factor, and original_max_position_embeddings",
                       reader->file);
    return 0;
}

static const json_t *parameters(const json_t *root)
{
    const json_t *object = config_value(root, "rope_parameters");

    return object != NULL ? object : config_value(root, "rope_scaling");
}

#define F(f) offsetof(struct config, rotary.f)
static const struct key share = { KEY_REAL, F(share), 0, 1, NAMES("partial_rotary_factor") };
static const struct key pct = { KEY_REAL, F(share), 0, 1, NAMES("rotary_pct") };
static const struct key dim = { KEY_INT, F(n_columns), 1, 1 << 16, NAMES("rotary_dim") };
#undef F

int config_rope_share(const struct reader *reader, const struct family *family, const json_t *root)
{
    const json_t *object = parameters(root);
    const struct key *top = family->rotated == ROTATED_SHARE ? &share :
                            family->rotated == ROTATED_PCT ? &pct :
                            family->rotated == ROTATED_DIM ? &dim : NULL;

    if (top == NULL)
        return 0;
    if (top == &dim && json_is_null(json_object_get(root, "rotary_dim")))
        return err_set(reader->e, ERR_INPUT, "%s: rotary_dim: found null, expected a number",
                       reader->file);
    if (config_key(reader, top, root, reader->c) != 0)
        return -1;
    return top != &dim && json_is_object(object) ? config_key(reader, &share, object, reader->c) :
           0;
}

/* Elsewhere the reference library ignores the share, and cannot run what scales as well. */
static int check_share(const struct reader *reader, const struct family *family, const json_t *root)
{
    const json_t *object = parameters(root), *value = config_value(object, share.name[0]);

    if (value == NULL)
        value = config_value(root, share.name[0]);
    if (value == NULL || family->rotated != ROTATED_ALL || json_number_value(value) == 1 ||
        reader->c->rotary.rope[0].scaling == ROPE_DEFAULT)
        return 0;
    return config_wrong(reader, share.name[0], value,
                        arena_printf(reader->a,
                                     "1: %s rotates all columns where the rope is scaled",
                                     family->name));
}

static const struct key interval = {
    KEY_INT, offsetof(struct config, rotary.off_every), 1, 1 << 16, NAMES("no_rope_layer_interval")
};

/* no_rope_layers: [1, 1, 1, 0]: those that are 0 are not rotated. */
static int read_layers(const struct reader *reader, const json_t *root)
{
    const json_t *list = config_value(root, "no_rope_layers");
    bool *layer = arena_alloc(reader->a, (size_t)reader->c->n_layers, sizeof *layer);

    if (list == NULL || (json_is_array(list) && json_array_size(list) == 0))
        return config_key(reader, &interval, root, reader->c);
    if ((int)json_array_size(list) != reader->c->n_layers)
        return config_wrong(reader, "no_rope_layers", list, "a list with one number per layer");
    for (int l = 0; l < reader->c->n_layers; l++) {
        const json_t *value = json_array_get(list, (size_t)l);

        if (!json_is_integer(value) && !json_is_boolean(value))
            return config_wrong(reader, "no_rope_layers", list, "a list with one number per layer");
        layer[l] = json_is_true(value) || json_integer_value(value) != 0;
    }
    reader->c->rotary.layer = layer;
    return 0;
}

bool config_rotates(const struct config *config, int l)
{
    return config->rotary.layer != NULL ? config->rotary.layer[l] :
           (l + 1) % config->rotary.off_every != 0;
}

int config_rope(const struct reader *reader, const struct family *family, const json_t *root)
{
    static const char *const kinds[] = { "full_attention", "sliding_attention" };
    const json_t *object = parameters(root), *top;
    struct rope *rope = reader->c->rotary.rope;

    if (!family_rotates(family, reader->c))
        return 0;
    if (config_key(reader, &base_keys[0], root, &rope[0]) != 0 ||
        config_key(reader, &base_keys[1], root, &rope[1]) != 0)
        return -1;
    if (json_is_object(object) && json_is_object(json_object_get(object, kinds[0]))) {
        for (int i = 0; i < 2; i++)
            if (json_object_get(object, kinds[i]) != NULL &&
                config_rope_read_object(reader, json_object_get(object, kinds[i]), &rope[i]) != 0)
                return -1;
    } else if (object != NULL && config_rope_read_object(reader, object, &rope[0]) != 0) {
        return -1;
    }
    /* The top-level key wins over the nested one. */
    top = config_value(root, "original_max_position_embeddings");
    if (json_is_integer(top) && json_integer_value(top) > 0 &&
        json_integer_value(top) <= 1 << 30)
        rope[0].original = (int)json_integer_value(top);
    if (rope[0].original == 0 && rope[0].scaling >= ROPE_YARN)
        rope[0].original = reader->c->n_positions;
    if (family->rope_rule == ROPE_BY_LIST && read_layers(reader, root) != 0)
        return -1;
    if (!quirks_of(family)->long_mscale)
        rope[0].long_mscale = rope[0].short_mscale = 0;
    else if (rope[0].scaling != ROPE_DEFAULT &&
             (rope[0].scaling != ROPE_LONG || rope[0].short_mscale == 0 ||
              rope[0].long_mscale == 0))
        return err_set(reader->e, ERR_INPUT, "%s: the rope scaling of %s must be of type longrope, "
                       "with short_mscale and long_mscale", reader->file, family->name);
    return config_rope_check(reader, &rope[0]) != 0 ||
           config_rope_check(reader, &rope[1]) != 0 ? -1 :
           check_share(reader, family, root);
}
