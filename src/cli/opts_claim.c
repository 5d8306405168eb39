/* SPDX-License-Identifier: MIT
 * Values of options -> claims of the files that a run reads, and of those that it writes. */
#include <string.h>

#include "base/claims.h"
#include "cli/opt.h"

struct claiming {
    const void *args;
    struct arena *a;
};

/* "-f texts.txt" */
static const char *claim_name(struct arena *a, const struct opt *o, const char *value)
{
    return o->short_name != 0 ? arena_printf(a, "-%c %s", o->short_name, value) :
                                arena_printf(a, "--%s %s", o->name, value);
}

const char *opt_path(const struct opt_values *values, const char *piece)
{
    for (int i = 0; values->words != NULL && values->words[i] != NULL; i++) {
        const char *word = values->words[i];
        size_t n = strlen(word);

        if (strcmp(piece, word) == 0)
            return NULL;
        if (n > 0 && word[n - 1] == ':' && strncmp(piece, word, n) == 0)
            return piece + n;
    }
    return piece;
}

/* One of several values, or the only one. */
static void claim_piece(const struct claiming *c, const struct opt *o, const char *piece)
{
    const char *path = opt_path(o->values, piece);

    if (path != NULL && o->values->written)
        claims_write(c->a, claim_name(c->a, o, path), path);
    else if (path != NULL)
        claims_read(c->a, claim_name(c->a, o, path), path);
}

static void claim_value(const struct claiming *c, const struct opt *o, const char *value)
{
    const char between[2] = { o->values->between, '\0' };

    while (value != NULL) {
        size_t n = strcspn(value, between);

        claim_piece(c, o, arena_strndup(c->a, value, n));
        value = value[n] != '\0' ? value + n + 1 : NULL;
    }
}

static void claim_option(void *self, const struct opt_group *group, const struct opt *o)
{
    const struct claiming *c = self;
    const void *at = (const char *)c->args + o->field;
    const struct opt_list *list = at;

    (void)group;
    if (o->values == NULL || !o->values->files)
        return;
    if (o->type == OPT_STRING)
        claim_value(c, o, *(const char *const *)at);
    for (int i = 0; o->type == OPT_LIST && i < list->n; i++)
        claim_value(c, o, list->item[i]);
}

int opts_claim(const struct cmd *c, const void *args, struct arena *a, struct err *e)
{
    struct claiming claiming = { args, a };

    opts_each(c, claim_option, &claiming);
    return claims_check(a, a, e);
}
