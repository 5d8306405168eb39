/* SPDX-License-Identifier: MIT
 * Words of a command line -> options, set. */
#include <string.h>

#include "base/str.h"
#include "cli/formers.h"
#include "lib/lib.h"

static const struct opt *lib_options_find(const struct opts *opts, const char *name, size_t n)
{
    const char *now;

    for (int i = 0; i < opts->n; i++)
        if (strlen(opts->opt[i]->name) == n && strncmp(opts->opt[i]->name, name, n) == 0)
            return opts->opt[i];
    now = former_now(opts->cmd, name, n);
    return now != NULL ? lib_options_find(opts, now, strlen(now)) : NULL;
}

const struct opt *options_find(const struct opts *opts, const char *name)
{
    return lib_options_find(opts, name, strlen(name));
}

bool options_has(const struct opt_group *group, const struct opt *opt)
{
    for (const struct opt *row = group->opts; row->name != NULL; row++)
        if (strcmp(row->name, opt->name) == 0)
            return true;
    return false;
}

int options_any(const char *command, const struct opt *opt, struct err *e)
{
    (void)command, (void)opt, (void)e;
    return 0;
}

/* One option, and its value: behind "=", or the next word. */
static int lib_options_take(struct opts *opts, const char *command, const char *const **word,
                            options_allowed *allowed, struct err *e)
{
    const char *text = *(*word)++;
    size_t n = strcspn(text, "=");
    const struct opt *option;

    if (!str_starts_with(text, "--"))
        return err_set(e, ERR_USAGE, "options: '%s' is not an option, expected --NAME", text);
    option = lib_options_find(opts, text + 2, n - 2);
    if (option == NULL)
        return opts_unknown(opts, text + 2);
    if (options_has(&common_group, option))
        return err_set(e, ERR_USAGE, "--%s: is of the program, not of the library", option->name);
    if (allowed(command, option, e) != 0)
        return -1;
    if (text[n] == '=' && option->arg == NULL)
        return err_set(e, ERR_USAGE, "--%s takes no value", option->name);
    if (text[n] == '=')
        return opts_give(opts, option, text + n + 1);
    if (!opt_takes_next(option))
        return opts_give(opts, option, option->alone);
    if (**word == NULL)
        return err_set(e, ERR_USAGE, "--%s requires a value: %s", option->name, option->arg);
    return opts_give(opts, option, *(*word)++);
}

int options_take(struct opts *opts, const char *command, const char *const *word,
                 options_allowed *allowed, struct err *e)
{
    opts->e = e;
    while (word != NULL && *word != NULL)
        if (lib_options_take(opts, command, &word, allowed, e) != 0)
            return -1;
    return 0;
}

/* The next word that matters to options_alike; NULL: there is none. */
static const char *next_of_both(const struct opts *opts, const char *const **word)
{
    while (*word != NULL && **word != NULL) {
        const char *text = *(*word)++;
        size_t n = strcspn(text, "=");
        const struct opt *option = n > 2 ? lib_options_find(opts, text + 2, n - 2) : NULL;

        if (option == NULL || (option->type != OPT_LIST && strcmp(option->name, "truncate") != 0))
            return text;
        *word += option->type == OPT_LIST && text[n] != '=' && **word != NULL;
    }
    return NULL;
}

bool options_alike(const struct opts *opts, const char *const *x, const char *const *y)
{
    const char *of_x, *of_y;

    do {
        of_x = next_of_both(opts, &x);
        of_y = next_of_both(opts, &y);
    } while (of_x != NULL && of_y != NULL && strcmp(of_x, of_y) == 0);
    return of_x == NULL && of_y == NULL;
}

const char *const *options_copy(struct arena *a, const char *const *word)
{
    const char **copy;
    int n = 0;

    if (word == NULL)
        return NULL;
    while (word[n] != NULL)
        n++;
    copy = arena_alloc(a, (uint64_t)n + 1, sizeof *copy);
    for (int i = 0; i < n; i++)
        copy[i] = arena_strdup(a, word[i]);
    return copy;
}
