/* SPDX-License-Identifier: MIT
 * A report of types -> the labels of heads. */
#include "task/types/file.h"

#include <string.h>

#include "base/json_field.h"
#include "model/builtin.h"
#include "session/shown/average.h"
#include "task/common/heads_file.h"

struct labels {
    const struct session *s;
    const char **label;         /* [layers, heads] */
};

/* Absent or null: NULL. */
static int read_label(void *self, int layer, int head, const json_t *o, struct err *e)
{
    const struct labels *labels = self;
    const char *text;
    size_t n;

    if (json_object_get(o, "primary") == NULL || json_is_null(json_object_get(o, "primary")))
        return 0;
    if (json_field_text(o, "primary", &text, &n, e) != 0)
        return -1;
    labels->label[layer * labels->s->shown->config.n_heads + head] =
        arena_strndup(labels->s->a, text, n);
    return 0;
}

static const char **types_file_read_bytes(const struct session *session, struct span bytes,
                                          struct err *e)
{
    static const char *const schemas[] = { "mha-viz/types/1", NULL };
    const struct config *config = &session->shown->config;
    struct labels labels = { session, arena_alloc(session->a, (uint64_t)config->n_layers *
                                                              (uint64_t)config->n_heads,
                                                              sizeof(char *)) };

    return heads_file_read(session, bytes, schemas, read_label, &labels, e) == 0 ? labels.label :
           NULL;
}

static bool is_builtin(const struct session *session)
{
    return session_has_weights(session) && builtin_is(session->path);
}

/* The file is right, so that it can only be of another stack. */
static const char **read_builtin(const struct session *session)
{
    struct builtin builtin;
    struct err ignored;

    if (!is_builtin(session) || builtin_find(&builtin, session->path, &ignored) != 0)
        return NULL;
    return types_file_read_bytes(session, builtin.types, &ignored);
}

int types_file_labels(const struct session *session, const char *path, const char *const **label,
                      struct err *e)
{
    struct span bytes;

    *label = NULL;
    if (path == NULL)
        *label = read_builtin(session);
    if (path == NULL || strcmp(path, "none") == 0)
        return 0;
    if (session_averages(session, AVERAGE_HEADS | AVERAGE_LAYERS))
        return err_set(e, ERR_USAGE, "--types, --average: a mean of heads or layers has no type");
    if (file_map(path, &bytes, e) != 0)
        return -1;
    *label = types_file_read_bytes(session, bytes, e);
    file_unmap(bytes);
    return *label != NULL ? 0 : err_under(e, "%s", path);
}
