/* SPDX-License-Identifier: MIT
 * A report of types -> the labels of heads. */
#include "cmd/types/file.h"

#include <string.h>

#include "base/json.h"
#include "base/json_field.h"
#include "model/builtin.h"

static int check_text(const json_t *o, const char *key, const char *want, struct err *e)
{
    const char *text;
    size_t n;

    if (json_field_text(o, key, &text, &n, e) != 0)
        return -1;
    if (strlen(want) == n && memcmp(text, want, n) == 0)
        return 0;
    return err_set(e, ERR_INPUT, "%s: found \"%s\", expected \"%s\"", key, text, want);
}

/* Absent or null: NULL. */
static int read_label(const struct session *s, const json_t *head, const char **label,
                      struct err *e)
{
    const char *text;
    size_t n;

    *label = NULL;
    if (json_object_get(head, "primary") == NULL ||
        json_is_null(json_object_get(head, "primary")))
        return 0;
    if (json_field_text(head, "primary", &text, &n, e) != 0)
        return -1;
    *label = arena_strndup(s->a, text, n);
    return 0;
}

static int read_head(const struct session *s, const json_t *head, const char **label,
                     struct err *e)
{
    const struct config *config = &s->shown->config;
    int l, h;

    if (check_text(head, "stack", family_stack_names[s->stack], e) != 0 ||
        json_field_int(head, "layer", 0, config->n_layers - 1, &l, e) != 0 ||
        json_field_int(head, "head", 0, config->n_heads - 1, &h, e) != 0)
        return -1;
    return read_label(s, head, &label[l * config->n_heads + h], e);
}

static int read_report(const struct session *s, const json_t *root, const char **label,
                       struct err *e)
{
    const json_t *heads;

    if (check_text(root, "schema", "mha-viz/types/1", e) != 0 ||
        check_text(root, "model", s->name, e) != 0 ||
        json_field_list(root, "heads", &heads, e) != 0)
        return -1;
    for (size_t i = 0; heads != NULL && i < json_array_size(heads); i++)
        if (read_head(s, json_array_get(heads, i), label, e) != 0)
            return err_under(e, "heads[%zu]", i);
    return 0;
}

static const char **read_bytes(const struct session *s, struct span bytes, struct err *e)
{
    const struct config *config = &s->shown->config;
    const char **label = arena_alloc(s->a, (uint64_t)config->n_layers * (uint64_t)config->n_heads,
                                     sizeof(char *));
    json_t *root = json_read(s->a, bytes, 0, e);
    int status = root != NULL ? read_report(s, root, label, e) : -1;

    json_drop(s->a, root);
    return status == 0 ? label : NULL;
}

static bool is_builtin(const struct session *s)
{
    return s->model->precomputed == NULL && builtin_is(s->path);
}

/* The file is right, so that it can only be of another stack. */
static const char **read_builtin(const struct session *s)
{
    struct builtin builtin;
    struct err ignored;

    if (!is_builtin(s) || builtin_find(&builtin, s->path, &ignored) != 0)
        return NULL;
    return read_bytes(s, builtin.types, &ignored);
}

int types_file_labels(const struct session *s, const char *path, const char *const **label,
                      struct err *e)
{
    struct span bytes;

    *label = NULL;
    if (path == NULL)
        *label = read_builtin(s);
    if (path == NULL || strcmp(path, "none") == 0)
        return 0;
    if (file_map(path, &bytes, e) != 0)
        return -1;
    *label = read_bytes(s, bytes, e);
    file_unmap(bytes);
    return *label != NULL ? 0 : err_under(e, "%s", path);
}
