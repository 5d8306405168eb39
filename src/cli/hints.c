/* SPDX-License-Identifier: MIT
 * An unknown word -> the option or choice that was probably meant. */
#include "cli/hints.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static const struct hint { const char *typed, *meant; } table[] = {
#define HINT(typed, meant) { typed, meant },
#include "cli/hints.def"
#undef HINT
    { NULL, NULL }
};

/* NULL: there is none. */
static const char *meant_by(const char *typed)
{
    const struct hint *row = table;

    while (row->typed != NULL && strcmp(row->typed, typed) != 0)
        row++;
    return row->meant;
}

static bool is_name(const struct opt *opt, const char *name, size_t n)
{
    return strlen(opt->name) == n && strncmp(opt->name, name, n) == 0;
}

static bool hints_has(const struct opts *opts, const char *name, size_t n)
{
    for (int i = 0; i < opts->n; i++)
        if (is_name(opts->opt[i], name, n))
            return true;
    return false;
}

/* ---- other commands ---- */

struct search {
    const char *name;           /* ends at a blank or | too */
    bool found;
};

static void hints_compare(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct search *search = self;

    (void)group;
    search->found |= is_name(opt, search->name, strcspn(search->name, "| "));
}

/* "; links and types have --min-weight", "; stats, diff, types and 4 more commands have --json"; of
 * name[size], which may go on with a value. */
static bool say_siblings(char dst[HINTS_SIZE], const struct opts *opts, const char *name,
                         size_t size)
{
    enum { SHOWN = 4 };
    const char *found[SHOWN];
    int n = 0, n_shown;
    size_t end = 0;

    for (int i = 0; opts->siblings != NULL && opts->siblings[i] != NULL; i++) {
        struct search search = { name, false };

        opts_each(opts->siblings[i], hints_compare, &search);
        if (search.found && n < SHOWN)
            found[n] = opts->siblings[i]->name;
        n += search.found;
    }
    n_shown = n <= SHOWN ? n : SHOWN - 1;
    for (int i = 0; i < n_shown; i++)
        end += (size_t)snprintf(dst + end, HINTS_SIZE - end, "%s%s",
                                i == 0 ? "; " : i == n - 1 ? " and " : ", ", found[i]);
    if (n > SHOWN)
        end += (size_t)snprintf(dst + end, HINTS_SIZE - end, " and %d more commands", n - n_shown);
    if (n > 0)
        snprintf(dst + end, HINTS_SIZE - end, " %s --%.*s", n > 1 ? "have" : "has", (int)size,
                 name);
    return n > 0;
}

/* ---- rows of hints.def ---- */

/* What stands after the next '|'; NULL: nothing. */
static const char *next_meant(const char *meant)
{
    const char *bar = strchr(meant, '|');

    return bar != NULL ? bar + 1 : NULL;
}

/* The first of "--from|--at" that the command has; a sentence as it stands. */
static bool say_meant(char dst[HINTS_SIZE], const struct opts *opts, const char *meant)
{
    if (strncmp(meant, "--", 2) != 0) {
        snprintf(dst, HINTS_SIZE, "; %s", meant);
        return true;
    }
    for (const char *at = meant; at != NULL; at = next_meant(at))
        if (hints_has(opts, at + 2, strcspn(at, "| ") - 2)) {
            snprintf(dst, HINTS_SIZE, "; did you mean %.*s?", (int)strcspn(at, "|"), at);
            return true;
        }
    return false;
}

/* Which commands have the first of them that some have. */
static bool say_meant_elsewhere(char dst[HINTS_SIZE], const struct opts *opts, const char *meant)
{
    for (const char *at = meant; at != NULL && strncmp(at, "--", 2) == 0; at = next_meant(at))
        if (say_siblings(dst, opts, at + 2, strcspn(at, "|") - 2))
            return true;
    return false;
}

/* ---- names of options ---- */

/* The shortest option that the name is the beginning of, or the longest that begins it. */
static const char *begun_with(const struct opts *opts, const char *name)
{
    const char *longer = NULL, *shorter = NULL;
    size_t count = strlen(name);

    for (int i = 0; i < opts->n; i++) {
        const char *other = opts->opt[i]->name;
        size_t n = strlen(other);

        if (n > count && count > 1 && strncmp(other, name, count) == 0 &&
            (longer == NULL || n < strlen(longer)))
            longer = other;
        if (n < count && n > 2 && strncmp(other, name, n) == 0 && name[n] == '-' &&
            (shorter == NULL || n > strlen(shorter)))
            shorter = other;
    }
    return longer != NULL ? longer : shorter;
}

/* In a short word each letter says much. */
static const char *nearest_to(const struct opts *opts, const char *name)
{
    enum { SHORT = 6 };
    const char *names[OPTS_MOST + 1] = { NULL }, *near;

    for (int i = 0; i < opts->n; i++)
        names[i] = opts->opt[i]->name;
    near = nearest_name(name, names);
    return near != NULL && strlen(name) <= SHORT && nearest_distance(name, near) > 1 ? NULL : near;
}

/* As options are spelt here: "Max_Length" -> "max-length". */
static void spell(char *name)
{
    for (; *name != '\0'; name++)
        *name = *name == '_' ? '-' : (char)tolower((unsigned char)*name);
}

void hints_option(char dst[HINTS_SIZE], const struct opts *opts, const char *name)
{
    char spelt[64];
    const char *meant, *near = NULL;

    dst[0] = '\0';
    snprintf(spelt, sizeof spelt, "%s", name);
    spell(spelt);
    meant = meant_by(spelt);
    if (hints_has(opts, spelt, strlen(spelt)))
        near = spelt;
    else if ((meant != NULL && say_meant(dst, opts, meant)) ||
             say_siblings(dst, opts, spelt, strlen(spelt)) ||
             (meant != NULL && say_meant_elsewhere(dst, opts, meant)))
        return;
    if (near == NULL)
        near = begun_with(opts, spelt);
    if (near == NULL)
        near = nearest_to(opts, spelt);
    if (near != NULL)
        snprintf(dst, HINTS_SIZE, "; did you mean --%s?", near);
}

void hints_letter(char dst[HINTS_SIZE], const struct opts *opts, const char *word, int letter)
{
    const char typed[] = { '-', (char)letter, '\0' };
    const char *meant = meant_by(word);

    dst[0] = '\0';
    if (meant == NULL)
        meant = meant_by(typed);
    if (meant != NULL)
        say_meant(dst, opts, meant);
}

/* ---- choices ---- */

void hints_choice(char dst[HINTS_SIZE], const struct opt *opt, const char *text)
{
    char typed[64];
    const char *meant;

    dst[0] = '\0';
    snprintf(typed, sizeof typed, "%s=%s", opt->name, text);
    meant = meant_by(typed);
    /* Of one letter or digit, any other is near. */
    if (meant == NULL && strlen(text) > 1)
        meant = nearest_name(text, opt->choices);
    if (meant != NULL)
        snprintf(dst, HINTS_SIZE, "; did you mean '%s'?", meant);
}
