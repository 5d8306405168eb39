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
static const char *claim_name(struct arena *a, const struct opt *opt, const char *value)
{
    return opt->short_name != 0 ? arena_printf(a, "-%c %s", opt->short_name, value) :
                                  arena_printf(a, "--%s %s", opt->name, value);
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
static void claim_piece(const struct claiming *claiming, const struct opt *opt, const char *piece)
{
    const char *path = opt_path(opt->values, piece);

    if (path != NULL && opt->values->written)
        claims_write(claiming->a, claim_name(claiming->a, opt, path), path);
    else if (path != NULL)
        claims_read(claiming->a, claim_name(claiming->a, opt, path), path);
}

static void claim_value(const struct claiming *claiming, const struct opt *opt, const char *value)
{
    const char between[2] = { opt->values->between, '\0' };

    while (value != NULL) {
        size_t n = strcspn(value, between);

        claim_piece(claiming, opt, arena_strndup(claiming->a, value, n));
        value = value[n] != '\0' ? value + n + 1 : NULL;
    }
}

static void claim_option(void *self, const struct opt_group *group, const struct opt *opt)
{
    const struct claiming *c = self;
    const void *at = (const char *)c->args + opt->field;
    const struct opt_list *list = at;

    (void)group;
    if (opt->values == NULL || !opt->values->files)
        return;
    if (opt->type == OPT_STRING)
        claim_value(c, opt, *(const char *const *)at);
    for (int i = 0; opt->type == OPT_LIST && i < list->n; i++)
        claim_value(c, opt, list->item[i]);
}

int opts_claim(const struct cmd *cmd, const void *args, struct arena *a, struct err *e)
{
    struct claiming claiming = { args, a };

    opts_each(cmd, claim_option, &claiming);
    return claims_check(a, a, e);
}
