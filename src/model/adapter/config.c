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

static int adapter_config_wrong(const struct adapter_config *c, const char *key,
                                const char *expected, struct err *e)
{
    json_field_wrong(key, json_object_get(c->root, key), expected, e);
    return err_under(e, "%s", c->file);
}

static const json_t *adapter_config_value_of(const struct adapter_config *c, const char *key)
{
    const json_t *value = json_object_get(c->root, key);

    return json_is_null(value) ? NULL : value;
}

/* Options that change what is computed, and have no row here: null, false or empty. */
static int check_none(const struct adapter_config *c, struct err *e)
{
    static const char *const keys[] = {
        "alora_invocation_tokens", "arrow_config", "kasa_config", "layer_replication",
        "lora_bias", "monteclora_config", "target_parameters", "trainable_token_indices",
        "use_bdlora", "use_qalora", "velora_config",
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = adapter_config_value_of(c, keys[i]);

        if (value != NULL && !json_is_false(value) &&
            !(json_is_object(value) && json_object_size(value) == 0) &&
            !(json_is_array(value) && json_array_size(value) == 0))
            return adapter_config_wrong(c, keys[i], "null: it is not supported", e);
    }
    return 0;
}

/* Which biases were trained: those are tensors of the adapter. */
static int check_bias(const struct adapter_config *c, struct err *e)
{
    static const char *const good[] = { "none", "all", "lora_only" };
    const json_t *value = adapter_config_value_of(c, "bias");
    const char *text = json_string_value(value);

    for (size_t i = 0; text != NULL && i < sizeof good / sizeof *good; i++)
        if (strcmp(text, good[i]) == 0)
            return 0;
    return value == NULL ? 0 : adapter_config_wrong(c, "bias", "none, all or lora_only", e);
}

/* Some ways to begin take what the factors hold out of the base. */
static int check_start(const struct adapter_config *c, struct err *e)
{
    static const char *const good[] = { "gaussian", "eva", "orthogonal" };
    const json_t *value = adapter_config_value_of(c, "init_lora_weights");
    const char *text = json_string_value(value);

    if (value == NULL || json_is_boolean(value))
        return 0;
    for (size_t i = 0; text != NULL && i < sizeof good / sizeof *good; i++)
        if (strcmp(text, good[i]) == 0)
            return 0;
    return adapter_config_wrong(c, "init_lora_weights",
                                "true, false, gaussian, eva or orthogonal: others "
                                "change the base",
                                e);
}

/* An object of numbers, or nothing. */
static int read_patterns(const struct adapter_config *c, const char *key, double least,
                         const json_t **out, struct err *e)
{
    const json_t *value = adapter_config_value_of(c, key);
    const char *pattern;
    json_t *number;

    if (value != NULL && (!json_is_object(value) || json_object_size(value) > MOST_PATTERNS))
        return adapter_config_wrong(c, key, "an object of at most 4096 numbers", e);
    json_object_foreach((json_t *)(uintptr_t)value, pattern, number)
        if (!json_is_number(number) || !(json_number_value(number) >= least) ||
            !(json_number_value(number) <= MOST_RANK))
            return adapter_config_wrong(
                c, key, least > 0 ? "ranks of 1 to 65536" : "numbers from 0 to 65536", e);
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

static int read_names(struct adapter_config *c, struct err *e)
{
    c->targets = adapter_config_value_of(c, "target_modules");
    c->saved = adapter_config_value_of(c, "modules_to_save");
    if (c->targets != NULL && !json_is_string(c->targets) && !is_names(c->targets))
        return adapter_config_wrong(c, "target_modules", "a string or a list of strings", e);
    return c->saved == NULL || is_names(c->saved) ? 0 :
           adapter_config_wrong(c, "modules_to_save", "a list of strings", e);
}

static int adapter_config_read_numbers(struct adapter_config *c, struct err *e)
{
    const json_t *root = c->root;

    return json_field_int(root, "r", 1, MOST_RANK, &c->r, e) != 0 ||
           json_field_real(root, "lora_alpha", 0, 1e9, &c->alpha, e) != 0 ||
           json_field_bool(root, "use_rslora", false, &c->rslora, e) != 0 ||
           json_field_bool(root, "use_dora", false, &c->dora, e) != 0 ||
           json_field_bool(root, "fan_in_fan_out", false, &c->in_out, e) != 0 ?
               err_under(e, "%s", c->file) : 0;
}

static int read_root(struct adapter_config *c, struct err *e)
{
    const char *type = json_string_value(adapter_config_value_of(c, "peft_type"));

    if (type == NULL || strcmp(type, "LORA") != 0)
        return adapter_config_wrong(c, "peft_type", "\"LORA\"", e);
    return check_none(c, e) != 0 || check_bias(c, e) != 0 || check_start(c, e) != 0 ||
           adapter_config_read_numbers(c, e) != 0 ||
           read_patterns(c, "rank_pattern", 1, &c->ranks, e) != 0 ||
           read_patterns(c, "alpha_pattern", 0, &c->alphas, e) != 0 ? -1 : read_names(c, e);
}

int adapter_read_config(struct adapter_config *c, struct arena *a, struct span bytes,
                        const char *file, struct err *e)
{
    *c = (struct adapter_config){ .file = file, .steps = PATTERN_STEPS };
    c->root = json_read(a, bytes, 0, e);
    if (c->root == NULL)
        return err_under(e, "%s", file);
    if (read_root(c, e) == 0)
        return 0;
    json_drop(a, c->root);
    return -1;
}

/* ---- patterns ---- */

static int under(const struct adapter_config *c, const char *key, struct err *e)
{
    return err_under(e, "%s: %s", c->file, key);
}

/* The value of the first pattern that matches; without one *value stays. */
static int find_pattern(struct adapter_config *c, const json_t *patterns,
                        const char *key, const char *module, double *value, struct err *e)
{
    const char *pattern;
    json_t *number;

    json_object_foreach((json_t *)(uintptr_t)patterns, pattern, number) {
        bool found;

        if (pattern_matches_end(pattern, module, &c->steps, &found, e) != 0)
            return under(c, key, e);
        if (!found)
            continue;
        *value = json_number_value(number);
        return 0;
    }
    return 0;
}

int adapter_scale(struct adapter_config *c, const char *module, int64_t rank,
                  double *scale, struct err *e)
{
    double alpha = c->alpha, r = c->r;

    if (find_pattern(c, c->ranks, "rank_pattern", module, &r, e) != 0 ||
        find_pattern(c, c->alphas, "alpha_pattern", module, &alpha, e) != 0)
        return -1;
    if ((double)rank != r)
        return err_set(e, ERR_INPUT, "%s: %s has rank %g, but its factors are of rank %lld",
                       c->file, module, r, (long long)rank);
    *scale = c->rslora ? alpha / sqrt(r) : alpha / r;
    return 0;
}

static int check_matches(struct adapter_config *c, const char *key, const char *pattern,
                         int (*match)(const char *, const char *, int *, bool *, struct err *),
                         const char *const *module, int n, struct err *e)
{
    bool found = false;

    for (int i = 0; i < n && !found; i++)
        if (match(pattern, module[i], &c->steps, &found, e) != 0)
            return under(c, key, e);
    return found ? 0 :
           err_set(e, ERR_INPUT, "%s: %s: \"%.80s\" matches none of the %d module%s that the "
                   "adapter has", c->file, key, pattern, n, str_plural(n));
}

static int match_name(const char *text, const char *name, int *steps, bool *found,
                      struct err *e)
{
    (void)steps;
    (void)e;
    *found = pattern_is_end(text, name);
    return 0;
}

static int check_targets(struct adapter_config *c, const char *const *module, int n,
                         struct err *e)
{
    static const char key[] = "target_modules";
    const char *text = json_string_value(c->targets);

    if (text != NULL && strcmp(text, "all-linear") != 0)
        return check_matches(c, key, text, pattern_matches_all, module, n, e);
    for (size_t i = 0; i < json_array_size(c->targets); i++)
        if (check_matches(c, key, json_string_value(json_array_get(c->targets, i)), match_name,
                          module, n, e) != 0)
            return -1;
    return 0;
}

int adapter_check_patterns(struct adapter_config *c, const char *const *module, int n,
                           struct err *e)
{
    const struct { const char *key; const json_t *patterns; } row[] = {
        { "rank_pattern", c->ranks }, { "alpha_pattern", c->alphas },
    };
    const char *pattern;
    json_t *number;

    for (int i = 0; i < 2; i++)
        json_object_foreach((json_t *)(uintptr_t)row[i].patterns, pattern, number)
            if (check_matches(c, row[i].key, pattern, pattern_matches_end, module, n, e) != 0)
                return -1;
    return check_targets(c, module, n, e);
}

bool adapter_saves(const struct adapter_config *c, const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot != NULL ? (size_t)(dot - name) : strlen(name);

    for (size_t i = 0; i < json_array_size(c->saved); i++) {
        const char *saved = json_string_value(json_array_get(c->saved, i));
        const char *at = strstr(name, saved);
        size_t n_saved = strlen(saved);

        /* The module, or one that it is part of. */
        if (at != NULL && (at == name || at[-1] == '.') && (size_t)(at - name) + n_saved <= n &&
            (at[n_saved] == '.'))
            return true;
    }
    return false;
}
