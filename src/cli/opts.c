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

void opts_range(char dst[RANGE_SIZE], const struct opt *o)
{
    bool whole = o->type == OPT_INT;
    bool low = whole ? o->min > INT_MIN : o->min > -DBL_MAX;
    bool high = whole ? o->max < INT_MAX : o->max < DBL_MAX;
    char min[NUMBER_SIZE], max[NUMBER_SIZE];

    dst[0] = '\0';
    if (o->type != OPT_INT && o->type != OPT_REAL)
        return;
    if (low)
        number_double(min, o->min);
    if (high)
        number_double(max, o->max);
    if (low && high)
        snprintf(dst, RANGE_SIZE, "%s..%s", min, max);
    else if (low)
        snprintf(dst, RANGE_SIZE, "at least %s", min);
    else if (high)
        snprintf(dst, RANGE_SIZE, "at most %s", max);
}

static int not_a_number(struct opts *p, const struct opt *o, const char *text)
{
    const char *kind = o->type == OPT_INT ? "whole number" : "number";
    char range[RANGE_SIZE];

    opts_range(range, o);
    return err_set(p->e, ERR_USAGE, "--%s: '%s' is not a %s%s%s%s", o->name, text,
                   kind, range[0] != '\0' ? " (" : "", range,
                   range[0] != '\0' ? ")" : "");
}

static int opts_out_of_range(struct opts *p, const struct opt *o, const char *text)
{
    char range[RANGE_SIZE];

    opts_range(range, o);
    if (range[0] == '\0')
        return err_set(p->e, ERR_USAGE, "--%s: '%s' is too large", o->name, text);
    return err_set(p->e, ERR_USAGE, "--%s: '%s' is not %s%s", o->name, text,
                   range[0] == 'a' ? "" : "in ", range);
}

static int set_int(struct opts *p, const struct opt *o, const char *text)
{
    size_t sign = text[0] == '-' || text[0] == '+';
    size_t digits = strspn(text + sign, "0123456789");
    long long v;

    if (digits == 0 || text[sign + digits] != '\0')
        return not_a_number(p, o, text);
    v = strtoll(text, NULL, 10);        /* too many digits: the type's limit */
    if (v < INT_MIN || v > INT_MAX || (double)v < o->min || (double)v > o->max)
        return opts_out_of_range(p, o, text);
    *(int *)(void *)(p->args + o->field) = (int)v;
    return 0;
}

static int set_real(struct opts *p, const struct opt *o, const char *text)
{
    char *end;
    double value;

    /* strtod alone would take " 1", "nan", "inf" and "0x1p3". */
    if (text[0] == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
        return not_a_number(p, o, text);
    value = strtod(text, &end);
    if (*end != '\0')
        return not_a_number(p, o, text);
    if (!isfinite(value) || value < o->min || value > o->max)
        return opts_out_of_range(p, o, text);
    *(double *)(void *)(p->args + o->field) = value;
    return 0;
}

/* Appends to dst[size] what fits. */
static void opts_append(char *dst, size_t size, const char *before, const char *s)
{
    size_t count = strlen(dst);

    snprintf(dst + count, size - count, "%s%s", before, s);
}

static int not_a_choice(struct opts *p, const struct opt *o, const char *text)
{
    char all[400] = "", hint[HINTS_SIZE];

    for (const struct former *f = o->former; f != NULL && f->name != NULL; f++)
        if (strcmp(f->name, text) == 0)
            return err_set(p->e, ERR_USAGE, "--%s: '%s' was renamed: %s", o->name, text,
                           f->now);
    for (int i = 0; o->choices[i] != NULL; i++)
        opts_append(all, sizeof all, i > 0 ? ", " : "", o->choices[i]);
    hints_choice(hint, o, text);
    return err_set(p->e, ERR_USAGE, "--%s: '%s' is not one of %s%s", o->name, text, all, hint);
}

static int set_choice(struct opts *p, const struct opt *o, const char *text)
{
    for (int i = 0; o->choices[i] != NULL; i++)
        if (strcmp(o->choices[i], text) == 0) {
            *(int *)(void *)(p->args + o->field) = i;
            return 0;
        }
    return not_a_choice(p, o, text);
}

static int add_item(struct opts *p, const struct opt *o, const char *text)
{
    int most = (int)o->max;
    struct opt_list *list = (void *)(p->args + o->field);

    if (list->n == most)
        return err_set(p->e, ERR_USAGE, "--%s: '%s' is one too many: at most %d",
                       o->name, text, most);
    list->place[list->n] = p->n_given;
    list->item[list->n++] = text;
    return 0;
}

/* A text, a file or a list: the last alone would drop what was asked for before. */
static int set_string(struct opts *p, const struct opt *o, const char *text)
{
    const char **value = (void *)(p->args + o->field);

    if (*value != NULL)
        return err_set(p->e, ERR_USAGE, "--%s: given twice, as '%.60s' and '%.60s', expected "
                       "once", o->name, *value, text);
    *value = text;
    return 0;
}

static int set_alias(struct opts *p, const struct opt *o);

int opts_set(struct opts *p, const struct opt *o, const char *text)
{
    switch (o->type) {
    case OPT_FLAG:
        *(bool *)(void *)(p->args + o->field) = true;
        return 0;
    case OPT_INT:
        return set_int(p, o, text);
    case OPT_REAL:
        return set_real(p, o, text);
    case OPT_STRING:
        return set_string(p, o, text);
    case OPT_LIST:
        return add_item(p, o, text);
    case OPT_CHOICE:
        return set_choice(p, o, text);
    case OPT_ALIAS:
        return set_alias(p, o);
    case OPT_HELP:
        break;
    }
    return 0;
}

/* "format=json": the value is given to the option of that name. */
static int set_alias(struct opts *p, const struct opt *o)
{
    size_t count = strcspn(o->def, "=");
    int i = 0;

    while (i < p->n && (strlen(p->opt[i]->name) != count ||
                        strncmp(p->opt[i]->name, o->def, count) != 0))
        i++;
    assert(i < p->n && p->opt[i]->type != OPT_ALIAS && o->def[count] == '=');
    return opts_set(p, p->opt[i], o->def + count + 1);
}

bool opts_is_given(const struct common_args *c, size_t field)
{
    for (int i = 0; i < c->given.n; i++)
        if (c->given.field[i] == field)
            return true;
    return false;
}

int opts_give(struct opts *p, const struct opt *o, const char *text)
{
    struct common_args *common = (void *)p->args;

    p->n_given++;
    if (o->type != OPT_ALIAS && o->type != OPT_HELP && !opts_is_given(common, o->field))
        common->given.field[common->given.n++] = o->field;
    return opts_set(p, o, text);
}

static void opts_add(void *self, const struct opt_group *group, const struct opt *o)
{
    struct opts *p = self;

    (void)group;
    assert(p->n < OPTS_MOST);
    p->opt[p->n++] = o;
}

int opts_begin(struct opts *p, const struct cmd *c, void *args, struct err *e)
{
    *p = (struct opts){ .cmd = c, .args = args, .e = e };
    opts_each(c, opts_add, p);
    memset(args, 0, c->args_size);
    for (int i = 0; i < p->n; i++) {
        const struct opt *option = p->opt[i];

        if (option->type == OPT_ALIAS)
            continue;
        if (option->def != NULL && opts_set(p, option, option->def) != 0)
            return err_under(e, "the default of an option");
        if (option->def == NULL && option->type == OPT_REAL)
            *(double *)(void *)(p->args + option->field) = NAN;
    }
    return 0;
}

int opts_unknown(const struct opts *p, const char *typed)
{
    char name[64], hint[HINTS_SIZE];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    hints_option(hint, p, name);
    return err_set(p->e, ERR_USAGE, "--%s: unknown option%s", name, hint);
}
