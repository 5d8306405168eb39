/* SPDX-License-Identifier: MIT
 * adapter_config.json -> ranks, factors and patterns, all checked. */
#include "model/adapter/config.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/json_field.h"
#include "base/str.h"
#include "model/adapter/pattern.h"

enum { MOST_RANK = 1 << 16, MOST_PATTERNS = 4096 };

/* ---- reading ---- */

static int adapter_config_wrong(const struct adapter_config *config, const char *key,
                                const char *expected, struct err *e)
{
    json_field_wrong(key, json_object_get(config->root, key), expected, e);
    return err_under(e, "%s", config->file);
}

static const json_t *adapter_config_value_of(const struct adapter_config *config, const char *key)
{
    const json_t *value = json_object_get(config->root, key);

    return json_is_null(value) ? NULL : value;
}

/* Options that change what is computed, and have no row here: null, false or empty. */
static int check_none(const struct adapter_config *config, struct err *e)
{
    static const char *const keys[] = {
        "alora_invocation_tokens", "arrow_config", "kasa_config", "layer_replication",
        "lora_bias", "monteclora_config", "target_parameters", "trainable_token_indices",
        "use_bdlora", "use_qalora", "velora_config",
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = adapter_config_value_of(config, keys[i]);

        if (value != NULL && !json_is_false(value) &&
            !(json_is_object(value) && json_object_size(value) == 0) &&
            !(json_is_array(value) && json_array_size(value) == 0))
            return adapter_config_wrong(config, keys[i], "null: it is not supported", e);
    }
    return 0;
}

/* Which biases were trained: those are tensors of the adapter. */
static int check_bias(const struct adapter_config *config, struct err *e)
{
    static const char *const good[] = { "none", "all", "lora_only" };
    const json_t *value = adapter_config_value_of(config, "bias");
    const char *text = json_string_value(value);

    for (size_t i = 0; text != NULL && i < sizeof good / sizeof *good; i++)
        if (strcmp(text, good[i]) == 0)
            return 0;
    return value == NULL ? 0 : adapter_config_wrong(config, "bias", "none, all or lora_only", e);
}

/* Some ways to begin take what the factors hold out of the base. */
static int check_start(const struct adapter_config *config, struct err *e)
{
    static const char *const good[] = { "gaussian", "eva", "orthogonal" };
    const json_t *value = adapter_config_value_of(config, "init_lora_weights");
    const char *text = json_string_value(value);

    if (value == NULL || json_is_boolean(value))
        return 0;
    for (size_t i = 0; text != NULL && i < sizeof good / sizeof *good; i++)
        if (strcmp(text, good[i]) == 0)
            return 0;
    return adapter_config_wrong(config, "init_lora_weights",
                                "true, false, gaussian, eva or orthogonal: others "
                                "change the base",
                                e);
}

/* An object of numbers, or nothing. */
static int read_patterns(const struct adapter_config *config, const char *key, double least,
                         const json_t **out, struct err *e)
{
    const json_t *value = adapter_config_value_of(config, key);
    const char *pattern;
    json_t *number;

    if (value != NULL && (!json_is_object(value) || json_object_size(value) > MOST_PATTERNS))
        return adapter_config_wrong(config, key, "an object of at most 4096 numbers", e);
    json_object_foreach((json_t *)(uintptr_t)value, pattern, number)
        if (!json_is_number(number) || !(json_number_value(number) >= least) ||
            !(json_number_value(number) <= MOST_RANK))
            return adapter_config_wrong(
                config, key, least > 0 ? "ranks of 1 to 65536" : "numbers from 0 to 65536", e);
    *out = json_object_size(value) > 0 ? value : NULL;
    return 0;
}

static bool is_names(const json_t *value)
{
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!json_is_string(json_array_get(value, i)))
            return false;
    return json_is_array(value);
}

static int read_names(struct adapter_config *config, struct err *e)
{
    config->targets = adapter_config_value_of(config, "target_modules");
    config->saved = adapter_config_value_of(config, "modules_to_save");
    if (config->targets != NULL && !json_is_string(config->targets) && !is_names(config->targets))
        return adapter_config_wrong(config, "target_modules", "a string or a list of strings", e);
    return config->saved == NULL || is_names(config->saved) ? 0 :
           adapter_config_wrong(config, "modules_to_save", "a list of strings", e);
}

static int adapter_config_read_numbers(struct adapter_config *config, struct err *e)
{
    const json_t *root = config->root;

    return json_field_int(root, "r", 1, MOST_RANK, &config->r, e) != 0 ||
           json_field_real(root, "lora_alpha", 0, 1e9, &config->alpha, e) != 0 ||
           json_field_bool(root, "use_rslora", false, &config->rslora, e) != 0 ||
           json_field_bool(root, "use_dora", false, &config->dora, e) != 0 ||
           json_field_bool(root, "fan_in_fan_out", false, &config->in_out, e) != 0 ?
               err_under(e, "%s", config->file) : 0;
}

static int read_root(struct adapter_config *config, struct err *e)
{
    const char *type = json_string_value(adapter_config_value_of(config, "peft_type"));

    if (type == NULL || strcmp(type, "LORA") != 0)
        return adapter_config_wrong(config, "peft_type", "\"LORA\"", e);
    return check_none(config, e) != 0 || check_bias(config, e) != 0 ||
           check_start(config, e) != 0 ||
           adapter_config_read_numbers(config, e) != 0 ||
           read_patterns(config, "rank_pattern", 1, &config->ranks, e) != 0 ||
           read_patterns(config, "alpha_pattern", 0, &config->alphas, e) != 0 ? -1 :
           read_names(config, e);
}

int adapter_read_config(struct adapter_config *config, struct arena *a, struct span bytes,
                        const char *file, struct err *e)
{
    *config = (struct adapter_config){ .file = file, .steps = PATTERN_STEPS };
    config->root = json_read(a, bytes, 0, e);
    if (config->root == NULL)
        return err_under(e, "%s", file);
    if (read_root(config, e) == 0)
        return 0;
    json_drop(a, config->root);
    return -1;
}

/* ---- patterns ---- */

static int under(const struct adapter_config *config, const char *key, struct err *e)
{
    return err_under(e, "%s: %s", config->file, key);
}

/* The value of the first pattern that matches; without one *value stays. */
static int find_pattern(struct adapter_config *config, const json_t *patterns,
                        const char *key, const char *module, double *value, struct err *e)
{
    const char *pattern;
    json_t *number;

    json_object_foreach((json_t *)(uintptr_t)patterns, pattern, number) {
        bool found;

        if (pattern_matches_end(pattern, module, &config->steps, &found, e) != 0)
            return under(config, key, e);
        if (!found)
            continue;
        *value = json_number_value(number);
        return 0;
    }
    return 0;
}

int adapter_scale(struct adapter_config *config, const char *module, int64_t rank,
                  double *scale, struct err *e)
{
    double alpha = config->alpha, r = config->r;

    if (find_pattern(config, config->ranks, "rank_pattern", module, &r, e) != 0 ||
        find_pattern(config, config->alphas, "alpha_pattern", module, &alpha, e) != 0)
        return -1;
    if ((double)rank != r)
        return err_set(e, ERR_INPUT, "%s: %s has rank %g, but its factors are of rank %lld",
                       config->file, module, r, (long long)rank);
    *scale = config->rslora ? alpha / sqrt(r) : alpha / r;
    return 0;
}

static int check_matches(struct adapter_config *config, const char *key, const char *pattern,
                         int (*match)(const char *, const char *, int *, bool *, struct err *),
                         const char *const *module, int n, struct err *e)
{
    bool found = false;

    for (int i = 0; i < n && !found; i++)
        if (match(pattern, module[i], &config->steps, &found, e) != 0)
            return under(config, key, e);
    return found ? 0 :
           err_set(e, ERR_INPUT, "%s: %s: \"%.80s\" matches none of the %d module%s that the "
                   "adapter has", config->file, key, pattern, n, str_plural(n));
}

static int match_name(const char *text, const char *name, int *steps, bool *found,
                      struct err *e)
{
    (void)steps;
    (void)e;
    *found = pattern_is_end(text, name);
    return 0;
}

static int check_targets(struct adapter_config *config, const char *const *module, int n,
                         struct err *e)
{
    static const char key[] = "target_modules";
    const char *text = json_string_value(config->targets);

    if (text != NULL && strcmp(text, "all-linear") != 0)
        return check_matches(config, key, text, pattern_matches_all, module, n, e);
    for (size_t i = 0; i < json_array_size(config->targets); i++)
        if (check_matches(config, key, json_string_value(json_array_get(config->targets, i)),
                          match_name, module, n, e) != 0)
            return -1;
    return 0;
}

int adapter_check_patterns(struct adapter_config *config, const char *const *module, int n,
                           struct err *e)
{
    const struct { const char *key; const json_t *patterns; } row[] = {
        { "rank_pattern", config->ranks }, { "alpha_pattern", config->alphas },
    };
    const char *pattern;
    json_t *number;

    for (int i = 0; i < 2; i++)
        json_object_foreach((json_t *)(uintptr_t)row[i].patterns, pattern, number)
            if (check_matches(config, row[i].key, pattern, pattern_matches_end, module, n, e) != 0)
                return -1;
    return check_targets(config, module, n, e);
}

bool adapter_saves(const struct adapter_config *config, const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot != NULL ? (size_t)(dot - name) : strlen(name);

    for (size_t i = 0; i < json_array_size(config->saved); i++) {
        const char *saved = json_string_value(json_array_get(config->saved, i));
        const char *at = strstr(name, saved);
        size_t n_saved = strlen(saved);

        /* The module, or one that it is part of. */
        if (at != NULL && (at == name || at[-1] == '.') && (size_t)(at - name) + n_saved <= n &&
            (at[n_saved] == '.'))
            return true;
    }
    return false;
}
