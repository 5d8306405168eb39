/* SPDX-License-Identifier: MIT
 * --global, or the defaults of the model's class -> a text's global tokens. */
#include "session/shown/global.h"

#include <string.h>

#include "base/list.h"

static bool is_word(const char *list, const char *word)
{
    return strcmp(list, word) == 0;
}

static bool has_global(const struct model *model)
{
    return family_has(model->family, W_Q_GLOBAL);
}

static int global_members(const char *list, int n, bool *out, struct err *e)
{
    const struct list_of of = { .option = "--global", .like = "0,3-5, all or none",
                                .owner = "the text", .member = "token", .n = n };

    return is_word(list, "none") ? 0 : list_members(&of, list, out, e);
}

int global_check(const struct session *session, struct err *e)
{
    const char *list = session->asked->global;

    if (list == NULL)
        return 0;
    if (session->model == NULL)
        return err_set(e, ERR_USAGE, "--global: tokens are the same whichever of them see all");
    if (!has_global(session->model))
        return err_set(e, ERR_USAGE, "--global: %s has no global tokens (only longformer "
                       "and led do)", session->model->name);
    return global_members(list, 0, NULL, e);
}

static int by_option(struct arena *a, const char *list, unsigned char *global, int n,
                     struct err *e)
{
    bool *is_global = arena_alloc(a, (size_t)n, sizeof *is_global);

    if (global_members(list, n, is_global, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        global[i] = is_global[i];
    return 0;
}

static int by_object(const struct item *item, unsigned char *global, struct err *e)
{
    int count = item->tokens.n;

    for (int i = 0; i < item->n_global_at; i++) {
        if (item->global_at[i] >= count)
            return err_set(e, ERR_INPUT, "global: %d is out of range: the text has tokens "
                           "0 to %d", item->global_at[i], count - 1);
        global[item->global_at[i]] = 1;
    }
    return 0;
}

/* The question ends at the first separator; a second one stands before the answer. */
static int by_separators(const struct config *config, const struct tokens *tokens,
                         unsigned char *global, struct err *e)
{
    int n_seps = 0, first = 0;

    for (int i = 0; i < tokens->n; i++) {
        if (tokens->id[i] == config->sparse.sep_id && n_seps++ == 0)
            first = i;
    }
    if (n_seps != 3)
        return err_set(e, ERR_INPUT,
                       "separators (id %d): found %d in the text, expected "
                       "3, of a question and its answer, or --global",
                       config->sparse.sep_id, n_seps);
    for (int i = 0; i < tokens->n; i++)
        global[i] = config->sparse.rule == GLOBAL_QUESTION ? i < first : i > first + 1;
    return 0;
}

static int by_rule(const struct config *config, const struct tokens *tokens, unsigned char *global,
                   struct err *e)
{
    switch (config->sparse.rule) {
    case GLOBAL_NONE:
        break;
    case GLOBAL_FIRST:
        global[0] = 1;
        break;
    case GLOBAL_QUESTION:
    case GLOBAL_ANSWER:
        return by_separators(config, tokens, global, e);
    }
    return 0;
}

int global_fill(const struct session *session, struct arena *a, struct item *item,
                struct err *e)
{
    const struct model *model = session->model;
    int count = item->tokens.n, status;
    unsigned char *global;

    if (item->global != NULL)
        return 0;
    if (!has_global(model))
        return item->global_at == NULL ? 0 :
               err_set(e, ERR_INPUT, "global: %s has no global tokens (only longformer "
                       "and led do)", model->name);
    global = arena_alloc(a, (size_t)count, 1);
    status = item->global_at != NULL ? by_object(item, global, e) :
         session->asked->global != NULL ? by_option(a, session->asked->global, global, count, e) :
         by_rule(&model->config, &item->tokens, global, e);
    item->global = global;
    return status;
}
