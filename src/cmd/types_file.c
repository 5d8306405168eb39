/* SPDX-License-Identifier: MIT
 * A report of types -> the labels of heads. */
#include "cmd/types_file.h"

#include <string.h>

#include "base/json.h"
#include "base/json_field.h"

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

const char *const *types_file_read(const struct session *s, const char *path, struct err *e)
{
    const struct config *config = &s->shown->config;
    const char **label = arena_alloc(s->a, (uint64_t)config->n_layers * (uint64_t)config->n_heads,
                                     sizeof(char *));
    struct span bytes;
    json_t *root;
    int status;

    if (file_map(path, &bytes, e) != 0)
        return NULL;
    root = json_read(s->a, bytes, 0, e);
    status = root != NULL ? read_report(s, root, label, e) : -1;
    json_drop(s->a, root);
    file_unmap(bytes);
    if (status == 0)
        return label;
    err_under(e, "%s", path);
    return NULL;
}
