/* SPDX-License-Identifier: MIT
 * An adapter's folder -> the base model that its config names. */
#include <jansson.h>

#include "base/json.h"
#include "base/str.h"
#include "model/adapter.h"
#include "model/hub.h"

bool adapter_is_alone(struct arena *a, const char *path)
{
    static const char *const models[] = { "model.safetensors", "model.safetensors.index.json" };
    const char **name;
    size_t n;

    if (!adapter_is_in(a, path))
        return false;
    for (int i = 0; i < 2; i++)
        if (file_exists(file_join(a, path, models[i])))
            return false;
    name = file_list(a, path, &n);
    for (size_t i = 0; i < n; i++)
        if (str_ends_with(name[i], ".gguf"))
            return false;
    return true;
}

static const char *adapter_base_member(struct arena *a, const json_t *root, const char *key)
{
    const char *text = json_string_value(json_object_get(root, key));

    return text != NULL && text[0] != '\0' ? arena_strdup(a, text) : NULL;
}

/* What it calls its base, and that one's revision; NULL: nothing. */
static const char *read_name(struct arena *a, const char *file, const char **revision,
                             struct err *e)
{
    const struct span *bytes = file_hold(a, file, e);
    json_t *root = bytes == NULL ? NULL : json_read(a, *bytes, 0, e);
    const char *name;

    file_drop(a, bytes);
    if (root == NULL) {
        if (bytes != NULL)
            err_under(e, "%s", file);
        return NULL;
    }
    name = adapter_base_member(a, root, "base_model_name_or_path");
    *revision = adapter_base_member(a, root, "revision");
    json_drop(a, root);
    if (name == NULL)
        err_set(e, ERR_INPUT, "%s: base_model_name_or_path names no base, expected its folder "
                "or its name in the cache", file);
    return name;
}

/* A path from the adapter's folder, or one from the root; else a name in the cache. */
static const char *adapter_base_find(struct arena *a, const char *dir, const char *name,
                                     const char *revision, const char **note, struct err *e)
{
    const char *path = name[0] == '/' ? name : file_join(a, dir, name);

    *note = NULL;
    if (file_exists(path))
        return path;
    if (revision != NULL)
        name = arena_printf(a, "%s@%s", name, revision);
    return hub_cached(a, name, note, e);
}

const char *adapter_base(struct arena *a, const char *dir, const char **note, struct err *e)
{
    const char *file = file_join(a, dir, "adapter_config.json"), *revision = NULL;
    const char *name = read_name(a, file, &revision, e);
    const char *path = name == NULL ? NULL : adapter_base_find(a, dir, name, revision, note, e);

    if (name != NULL && path == NULL)
        err_under(e, "%s: its base", file);
    if (path == NULL || !adapter_is_alone(a, path))
        return path;
    err_set(e, ERR_INPUT, "%s: its base %s is an adapter itself", file, path);
    return NULL;
}
