/* SPDX-License-Identifier: MIT
 * A JSON report of heads -> its objects, one per head. */
#include "task/common/heads_file.h"

#include <string.h>

#include "base/json_field.h"
#include "task/common/records.h"

/* One of the texts; of the first, where it is none. */
static int heads_file_check_text(const json_t *o, const char *key, const char *const *want,
                                 struct err *e)
{
    const char *text;
    size_t n;

    if (json_field_text(o, key, &text, &n, e) != 0)
        return -1;
    for (int i = 0; want[i] != NULL; i++)
        if (strlen(want[i]) == n && memcmp(text, want[i], n) == 0)
            return 0;
    return err_set(e, ERR_INPUT, "%s: found \"%s\", expected \"%s\"", key, text, want[0]);
}

/* Whatever the name of the model is, which may have been given to another since. */
static int check_weights(const struct session *session, const json_t *root, struct err *e)
{
    const char *want = records_weights(session->a, session->model), *found, *name;
    size_t n;

    if (json_field_text(root, "model", &name, &n, e) != 0 ||
        json_field_text(root, "weights_hash", &found, &n, e) != 0)
        return -1;
    return strcmp(found, want) == 0 ? 0 :
           err_set(e, ERR_INPUT, "weights_hash: found %.40s, of %.200s, expected %s, of %s", found,
                   name, want, session->name);
}

struct reading {
    const struct session *s;
    int (*each)(void *self, int layer, int head, const json_t *o, struct err *e);
    void *self;
};

static int heads_file_read_head(const struct reading *reading, const json_t *head, struct err *e)
{
    const struct config *config = &reading->s->shown->config;
    const char *const stacks[] = { family_stack_names[reading->s->stack], NULL };
    int l, h;

    if (heads_file_check_text(head, "stack", stacks, e) != 0 ||
        json_field_int(head, "layer", 0, config->n_layers - 1, &l, e) != 0 ||
        json_field_int(head, "head", 0, config->n_heads - 1, &h, e) != 0)
        return -1;
    return reading->each(reading->self, l, h, head, e);
}

static int read_root(const struct reading *reading, const json_t *root, const char *const *schemas,
                     struct err *e)
{
    const json_t *heads;

    if (heads_file_check_text(root, "schema", schemas, e) != 0 ||
        check_weights(reading->s, root, e) != 0 || json_field_list(root, "heads", &heads, e) != 0)
        return -1;
    for (size_t i = 0; heads != NULL && i < json_array_size(heads); i++)
        if (heads_file_read_head(reading, json_array_get(heads, i), e) != 0)
            return err_under(e, "heads[%zu]", i);
    return 0;
}

int heads_file_read(const struct session *session, struct span bytes, const char *const *schemas,
                    int (*each)(void *self, int layer, int head, const json_t *o, struct err *e),
                    void *self, struct err *e)
{
    const struct reading reading = { session, each, self };
    json_t *root = json_read(session->a, bytes, 0, e);
    int status = root != NULL ? read_root(&reading, root, schemas, e) :
                                err_under(e, "expected JSON with the schema %s", schemas[0]);

    json_drop(session->a, root);
    return status;
}
