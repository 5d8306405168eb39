/* SPDX-License-Identifier: MIT
 *
 * Checks the values of options and stores them in the args struct of a command. */
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/hints.h"

/* ---- values ---- */

void opts_range(char dst[RANGE_SIZE], const struct opt *opt)
{
    bool whole = opt->type == OPT_INT;
    bool low = whole ? opt->min > INT_MIN : opt->min > -DBL_MAX;
    bool high = whole ? opt->max < INT_MAX : opt->max < DBL_MAX;
    char min[NUMBER_SIZE], max[NUMBER_SIZE];

    dst[0] = '\0';
    if (opt->type != OPT_INT && opt->type != OPT_REAL)
        return;
    if (low)
        number_double(min, opt->min);
    if (high)
        number_double(max, opt->max);
    if (low && high)
        snprintf(dst, RANGE_SIZE, "%s..%s", min, max);
    else if (low)
        snprintf(dst, RANGE_SIZE, "at least %s", min);
    else if (high)
        snprintf(dst, RANGE_SIZE, "at most %s", max);
}

static int not_a_number(struct opts *opts, const struct opt *opt, const char *text)
{
    const char *kind = opt->type == OPT_INT ? "whole number" : "number";
    char range[RANGE_SIZE];

    opts_range(range, opt);
    return err_set(opts->e, ERR_USAGE, "--%s: '%s' is not a %s%s%s%s", opt->name, text,
                   kind, range[0] != '\0' ? " (" : "", range,
                   range[0] != '\0' ? ")" : "");
}

static int opts_out_of_range(struct opts *opts, const struct opt *opt, const char *text)
{
    char range[RANGE_SIZE];

    opts_range(range, opt);
    if (range[0] == '\0')
        return err_set(opts->e, ERR_USAGE, "--%s: '%s' is too large", opt->name, text);
    return err_set(opts->e, ERR_USAGE, "--%s: '%s' is not %s%s", opt->name, text,
                   range[0] == 'a' ? "" : "in ", range);
}

static int set_int(struct opts *opts, const struct opt *opt, const char *text)
{
    size_t sign = text[0] == '-' || text[0] == '+';
    size_t digits = strspn(text + sign, "0123456789");
    long long v;

    if (digits == 0 || text[sign + digits] != '\0')
        return not_a_number(opts, opt, text);
    v = strtoll(text, NULL, 10);        /* too many digits: the type's limit */
    if (v < INT_MIN || v > INT_MAX || (double)v < opt->min || (double)v > opt->max)
        return opts_out_of_range(opts, opt, text);
    *(int *)(void *)(opts->args + opt->field) = (int)v;
    return 0;
}

static int set_real(struct opts *opts, const struct opt *opt, const char *text)
{
    char *end;
    double value;

    /* strtod alone would take " 1", "nan", "inf" and "0x1p3". */
    if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
        return not_a_number(opts, opt, text);
    value = strtod(text, &end);
    if (*end != '\0')
        return not_a_number(opts, opt, text);
    if (!isfinite(value) || value < opt->min || value > opt->max)
        return opts_out_of_range(opts, opt, text);
    *(double *)(void *)(opts->args + opt->field) = value;
    return 0;
}

/* Appends to dst[size] what fits. */
static void opts_append(char *dst, size_t size, const char *before, const char *s)
{
    size_t count = strlen(dst);

    snprintf(dst + count, size - count, "%s%s", before, s);
}

static int not_a_choice(struct opts *opts, const struct opt *opt, const char *text)
{
    char all[400] = "", hint[HINTS_SIZE];

    for (const struct former *f = opt->former; f != NULL && f->name != NULL; f++)
        if (strcmp(f->name, text) == 0)
            return err_set(opts->e, ERR_USAGE, "--%s: '%s' was renamed: %s", opt->name, text,
                           f->now);
    for (int i = 0; opt->choices[i] != NULL; i++)
        opts_append(all, sizeof all, i > 0 ? ", " : "", opt->choices[i]);
    hints_choice(hint, opt, text);
    return err_set(opts->e, ERR_USAGE, "--%s: '%s' is not one of %s%s", opt->name, text, all, hint);
}

static int set_choice(struct opts *opts, const struct opt *opt, const char *text)
{
    for (int i = 0; opt->choices[i] != NULL; i++)
        if (strcmp(opt->choices[i], text) == 0) {
            *(int *)(void *)(opts->args + opt->field) = i;
            return 0;
        }
    return not_a_choice(opts, opt, text);
}

static int add_item(struct opts *opts, const struct opt *opt, const char *text)
{
    int most = (int)opt->max;
    struct opt_list *list = (void *)(opts->args + opt->field);

    if (list->n == most)
        return err_set(opts->e, ERR_USAGE, "--%s: '%s' is one too many: at most %d",
                       opt->name, text, most);
    list->place[list->n] = opts->n_given;
    list->item[list->n++] = text;
    return 0;
}

/* A text, a file or a list: the last alone would drop what was asked for before. */
static int set_string(struct opts *opts, const struct opt *opt, const char *text)
{
    const char **value = (void *)(opts->args + opt->field);

    if (*value != NULL)
        return err_set(opts->e, ERR_USAGE, "--%s: given twice, as '%.60s' and '%.60s', expected "
                       "once", opt->name, *value, text);
    *value = text;
    return 0;
}

static int set_alias(struct opts *opts, const struct opt *opt);

int opts_set(struct opts *opts, const struct opt *opt, const char *text)
{
    switch (opt->type) {
    case OPT_FLAG:
        *(bool *)(void *)(opts->args + opt->field) = true;
        return 0;
    case OPT_INT:
        return set_int(opts, opt, text);
    case OPT_REAL:
        return set_real(opts, opt, text);
    case OPT_STRING:
        return set_string(opts, opt, text);
    case OPT_LIST:
        return add_item(opts, opt, text);
    case OPT_CHOICE:
        return set_choice(opts, opt, text);
    case OPT_ALIAS:
        return set_alias(opts, opt);
    case OPT_HELP:
        break;
    }
    return 0;
}

/* "format=json": the value is given to the option of that name. */
static int set_alias(struct opts *opts, const struct opt *opt)
{
    size_t count = strcspn(opt->def, "=");
    int i = 0;

    while (i < opts->n && (strlen(opts->opt[i]->name) != count ||
                           strncmp(opts->opt[i]->name, opt->def, count) != 0))
        i++;
    assert(i < opts->n && opts->opt[i]->type != OPT_ALIAS && opt->def[count] == '=');
    return opts_set(opts, opts->opt[i], opt->def + count + 1);
}

bool opts_is_given(const struct common_args *args, size_t field)
{
    for (int i = 0; i < args->given.n; i++)
        if (args->given.field[i] == field)
            return true;
    return false;
}

int opts_give(struct opts *opts, const struct opt *opt, const char *text)
{
    struct common_args *common = (void *)opts->args;

    opts->n_given++;
    if (opt->type != OPT_ALIAS && opt->type != OPT_HELP && !opts_is_given(common, opt->field))
        common->given.field[common->given.n++] = opt->field;
    return opts_set(opts, opt, text);
}

static void opts_add(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct opts *p = self;

    (void)group;
    assert(p->n < OPTS_MOST);
    p->opt[p->n++] = opt;
}

int opts_begin(struct opts *opts, const struct cmd *cmd, void *args, struct err *e)
{
    *opts = (struct opts){ .cmd = cmd, .args = args, .e = e };
    opts_each(cmd, opts_add, opts);
    memset(args, 0, cmd->args_size);
    for (int i = 0; i < opts->n; i++) {
        const struct opt *option = opts->opt[i];

        if (option->type == OPT_ALIAS)
            continue;
        if (option->def != NULL && opts_set(opts, option, option->def) != 0)
            return err_under(e, "the default of an option");
        if (option->def == NULL && option->type == OPT_REAL)
            *(double *)(void *)(opts->args + option->field) = NAN;
    }
    return 0;
}

int opts_unknown(const struct opts *opts, const char *typed)
{
    char name[64], hint[HINTS_SIZE];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    hints_option(hint, opts, name);
    return err_set(opts->e, ERR_USAGE, "--%s: unknown option%s", name, hint);
}
