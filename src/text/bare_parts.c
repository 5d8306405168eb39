/* SPDX-License-Identifier: MIT
 * tokenizer_config.json and special_tokens_map.json -> the settings and special tokens of
 * the tokenizer.json that is being built. */
#include "text/bare.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

json_t *bare_object(const struct bare *bare, const char *name, struct err *e)
{
    const struct span *span;
    json_t *root;

    if (!file_exists(file_join(bare->a, bare->dir, name)))
        return json_hold(bare->a, json_object());
    span = file_hold(bare->a, file_join(bare->a, bare->dir, name), e);
    if (span == NULL)
        return NULL;
    root = json_read(bare->a, *span, JSON_ALLOW_NUL, e);
    file_drop(bare->a, span);
    if (root != NULL && !json_is_object(root)) {
        err_set(e, ERR_INPUT, "it is not a JSON object");
        json_drop(bare->a, root);
        root = NULL;
    }
    if (root == NULL)
        err_under(e, "%s", name);
    return root;
}

bool bare_setting(const struct bare *bare, const char *key, bool def)
{
    const json_t *j = json_object_get(bare->config, key);

    return json_is_boolean(j) ? json_is_true(j) : def;
}

/* ---- special tokens ---- */

/* What names the attribute: the map counts only where the config lists no tokens. */
static const json_t *find_attribute(const struct bare *bare, const char *key)
{
    const json_t *value = NULL;

    if (json_object_get(bare->config, "added_tokens_decoder") == NULL)
        value = json_object_get(bare->map, key);
    return value != NULL ? value : json_object_get(bare->config, key);
}

/* The text of a token that is given as "x" or {"content": "x", …}. */
static const char *token_text(const json_t *j)
{
    const json_t *content = json_is_object(j) ? json_object_get(j, "content") : j;

    return json_string_value(content);
}

const char *bare_special(const struct bare *bare, const char *key, const char *def)
{
    const json_t *value = find_attribute(bare, key);
    const char *text = token_text(value);

    return text != NULL ? text : value != NULL && json_is_null(value) ? NULL : def;
}

void bare_add_token(struct bare *bare, const json_t *flags, const char *content)
{
    json_t *value;

    if (content == NULL || json_object_get(bare->seen, content) != NULL)
        return;
    json_put(bare->a, bare->seen, content, json_true());
    value = json_add(bare->a, bare->added, json_object());
    if (json_is_object(flags))
        json_put_all(bare->a, value, flags);
    json_put(bare->a, value, "content", json_string(content));
    if (!json_is_object(flags) || json_object_get(flags, "special") == NULL)
        json_put(bare->a, value, "special", json_true());
}

struct listed {
    long long id;
    const json_t *token;
};

static int by_id(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* added_tokens_decoder {"id": token}, by id. */
static void add_listed(struct bare *bare)
{
    json_t *list = json_object_get(bare->config, "added_tokens_decoder"), *value;
    struct listed *listed = arena_alloc(bare->a, json_object_size(list), sizeof *listed);
    const char *key;
    size_t count = 0;

    json_object_foreach(list, key, value)
        listed[count++] = (struct listed){ strtoll(key, NULL, 10), value };
    if (count > 0)
        qsort(listed, count, sizeof *listed, by_id);
    for (size_t i = 0; i < count; i++)
        bare_add_token(bare, listed[i].token, token_text(listed[i].token));
}

void bare_add_specials(struct bare *bare, const struct flavour *flavour)
{
    static const char *const extra[] = {
        "extra_special_tokens", "additional_special_tokens"
    };
    json_t *lstrip;

    lstrip = json_hold(bare->a, json_pack("{sb}", "lstrip", 1));
    add_listed(bare);
    for (int i = 0; i < FLAVOUR_TOKENS && flavour->tokens[i][0] != NULL; i++) {
        const json_t *flags = find_attribute(bare, flavour->tokens[i][0]);
        bool takes = flavour->style.mask_takes_blanks && !json_is_object(flags) &&
                     strcmp(flavour->tokens[i][0], "mask_token") == 0;

        bare_add_token(bare, takes ? lstrip : flags,
                       bare_special(bare, flavour->tokens[i][0], flavour->tokens[i][1]));
    }
    for (int k = 0; k < 2; k++) {
        const json_t *list = find_attribute(bare, extra[k]);

        for (size_t i = 0; i < json_array_size(list); i++)
            bare_add_token(bare, json_array_get(list, i),
                      token_text(json_array_get(list, i)));
    }
    json_drop(bare->a, lstrip);
}

/* ---- words ---- */

char *bare_word(struct arena *a, const char **s)
{
    size_t count;
    char *word;

    *s += strspn(*s, " ");
    count = strcspn(*s, " ");
    word = count > 0 ? arena_strndup(a, *s, count) : NULL;
    *s += count;
    return word;
}

/* ---- the whole ---- */

void bare_begin(struct bare *bare)
{
    bare->root = json_hold(bare->a, json_object());
    bare->added = json_put(bare->a, bare->root, "added_tokens", json_array());
    bare->seen = json_hold(bare->a, json_object());
}

json_t *bare_end(struct bare *bare, int failed)
{
    json_drop(bare->a, bare->seen);
    if (failed == 0)
        return bare->root;
    json_drop(bare->a, bare->root);
    return NULL;
}
