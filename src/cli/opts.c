/* SPDX-License-Identifier: MIT
 *
 * argv -> a command's args struct, along its tables of options.  getopt_long finds
 * the options and their values; what a value may be is checked here. */
#include "cli/opt.h"

#include <assert.h>
#include <float.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"

enum { MAX_OPTS = 128, LONG = 256 };     /* LONG + i: what getopt returns for opt i */

struct parse {
    const struct cmd *cmd;
    unsigned char *args;
    struct err *e;
    const struct opt *opt[MAX_OPTS];
    int n;
    int n_given;                        /* options met on the command line so far */
    struct option longs[MAX_OPTS + 1];  /* the same, for getopt_long */
    char shorts[2 * MAX_OPTS + 2];
};

static bool has_name(const struct opt *o, const char *name)
{
    for (; o != NULL && o->name != NULL; o++)
        if (strcmp(o->name, name) == 0)
            return true;
    return false;
}

/* Among the command's own options and those of its first n_groups groups. */
static bool is_taken(const struct cmd *c, int n_groups, const char *name)
{
    for (int i = 0; i < n_groups; i++)
        if (has_name(c->groups[i]->opts, name))
            return true;
    return has_name(c->opts, name);
}

void opts_each(const struct cmd *c,
               void (*fn)(void *self, const struct opt_group *group, const struct opt *o),
               void *self)
{
    int n_groups = 0;

    for (const struct opt *o = c->opts; o != NULL && o->name != NULL; o++)
        fn(self, NULL, o);
    for (; c->groups != NULL && c->groups[n_groups] != NULL; n_groups++)
        for (const struct opt *o = c->groups[n_groups]->opts; o->name != NULL; o++)
            if (!is_taken(c, n_groups, o->name))
                fn(self, c->groups[n_groups], o);
    for (const struct opt *o = common_group.opts; o->name != NULL; o++)
        if (!is_taken(c, n_groups, o->name))
            fn(self, &common_group, o);
}

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

static int not_a_number(struct parse *p, const struct opt *o, const char *text)
{
    const char *kind = o->type == OPT_INT ? "whole number" : "number";
    char range[RANGE_SIZE];

    opts_range(range, o);
    return err_set(p->e, ERR_USAGE, "--%s: '%s' is not a %s%s%s%s", o->name, text,
                   kind, range[0] != '\0' ? " (" : "", range,
                   range[0] != '\0' ? ")" : "");
}

static int out_of_range(struct parse *p, const struct opt *o, const char *text)
{
    char range[RANGE_SIZE];

    opts_range(range, o);
    if (range[0] == '\0')
        return err_set(p->e, ERR_USAGE, "--%s: '%s' is too large", o->name, text);
    return err_set(p->e, ERR_USAGE, "--%s: '%s' is not %s%s", o->name, text,
                   range[0] == 'a' ? "" : "in ", range);
}

static int set_int(struct parse *p, const struct opt *o, const char *text)
{
    size_t sign = text[0] == '-' || text[0] == '+';
    size_t digits = strspn(text + sign, "0123456789");
    long long v;

    if (digits == 0 || text[sign + digits] != '\0')
        return not_a_number(p, o, text);
    v = strtoll(text, NULL, 10);        /* too many digits: the type's limit */
    if (v < INT_MIN || v > INT_MAX || (double)v < o->min || (double)v > o->max)
        return out_of_range(p, o, text);
    *(int *)(void *)(p->args + o->field) = (int)v;
    return 0;
}

static int set_real(struct parse *p, const struct opt *o, const char *text)
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
        return out_of_range(p, o, text);
    *(double *)(void *)(p->args + o->field) = value;
    return 0;
}

/* Appends to dst[size] what fits. */
static void append(char *dst, size_t size, const char *before, const char *s)
{
    size_t count = strlen(dst);

    snprintf(dst + count, size - count, "%s%s", before, s);
}

static int not_a_choice(struct parse *p, const struct opt *o, const char *text)
{
    /* Of one letter or digit, any other is near. */
    const char *meant = strlen(text) > 1 ? nearest_name(text, o->choices) : NULL;
    char all[400] = "";

    for (const struct former *f = o->former; f != NULL && f->name != NULL; f++)
        if (strcmp(f->name, text) == 0)
            return err_set(p->e, ERR_USAGE, "--%s: '%s' was renamed: %s", o->name, text,
                           f->now);
    for (int i = 0; o->choices[i] != NULL; i++)
        append(all, sizeof all, i > 0 ? ", " : "", o->choices[i]);
    return err_set(p->e, ERR_USAGE, "--%s: '%s' is not one of %s%s%s%s", o->name,
                   text, all, meant != NULL ? "; did you mean '" : "",
                   meant != NULL ? meant : "", meant != NULL ? "'?" : "");
}

static int set_choice(struct parse *p, const struct opt *o, const char *text)
{
    for (int i = 0; o->choices[i] != NULL; i++)
        if (strcmp(o->choices[i], text) == 0) {
            *(int *)(void *)(p->args + o->field) = i;
            return 0;
        }
    return not_a_choice(p, o, text);
}

static int add_item(struct parse *p, const struct opt *o, const char *text)
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
static int set_string(struct parse *p, const struct opt *o, const char *text)
{
    const char **value = (void *)(p->args + o->field);

    if (*value != NULL)
        return err_set(p->e, ERR_USAGE, "--%s: given twice, as '%.60s' and '%.60s', expected "
                       "once", o->name, *value, text);
    *value = text;
    return 0;
}

static int set_alias(struct parse *p, const struct opt *o);

static int set_value(struct parse *p, const struct opt *o, const char *text)
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
static int set_alias(struct parse *p, const struct opt *o)
{
    size_t count = strcspn(o->def, "=");
    int i = 0;

    while (i < p->n && (strlen(p->opt[i]->name) != count ||
                        strncmp(p->opt[i]->name, o->def, count) != 0))
        i++;
    assert(i < p->n && p->opt[i]->type != OPT_ALIAS && o->def[count] == '=');
    return set_value(p, p->opt[i], o->def + count + 1);
}

static int set_defaults(struct parse *p)
{
    memset(p->args, 0, p->cmd->args_size);
    for (int i = 0; i < p->n; i++) {
        const struct opt *option = p->opt[i];

        if (option->type == OPT_ALIAS)
            continue;
        if (option->def != NULL && set_value(p, option, option->def) != 0)
            return err_under(p->e, "the default of an option");
        if (option->def == NULL && option->type == OPT_REAL)
            *(double *)(void *)(p->args + option->field) = NAN;
    }
    return 0;
}

/* ---- getopt ---- */

static void add(void *self, const struct opt_group *group, const struct opt *o)
{
    struct parse *parse = self;
    bool takes_value = o->arg != NULL;
    int has = !takes_value ? no_argument : o->alone != NULL ? optional_argument :
              required_argument;
    size_t at = strlen(parse->shorts);

    (void)group;
    assert(parse->n < MAX_OPTS);
    parse->longs[parse->n] = (struct option){
        o->name, has, NULL, LONG + parse->n
    };
    if (o->short_name != 0) {
        parse->shorts[at++] = o->short_name;
        if (takes_value)
            parse->shorts[at] = ':';
    }
    parse->opt[parse->n++] = o;
}

/* The option for what getopt returned or left in optopt; NULL: none. */
static const struct opt *option_of(const struct parse *p, int got)
{
    if (got >= LONG && got < LONG + p->n)
        return p->opt[got - LONG];
    for (int i = 0; i < p->n; i++)
        if (got != 0 && p->opt[i]->short_name == got)
            return p->opt[i];
    return NULL;
}

static int unknown_long(struct parse *p, const char *typed)
{
    const char *names[MAX_OPTS + 1] = { NULL }, *meant;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    for (int i = 0; i < p->n; i++)
        names[i] = p->opt[i]->name;
    meant = nearest_name(name, names);
    if (meant == NULL)
        return err_set(p->e, ERR_USAGE, "--%s: unknown option", name);
    return err_set(p->e, ERR_USAGE, "--%s: unknown option; did you mean --%s?",
                   name, meant);
}

/* getopt met something that it does not know ('?') or that lacks a value (':'). */
static int misuse(struct parse *p, int got, char *const *argv)
{
    const char *element = argv[optind - 1];
    const struct opt *option = option_of(p, optopt);

    if (got == ':' && option != NULL)
        return err_set(p->e, ERR_USAGE, "--%s requires a value: %s", option->name,
                       option->arg);
    if (option != NULL)
        return err_set(p->e, ERR_USAGE, "--%s takes no value", option->name);
    if (optopt == 0)
        return unknown_long(p, element + 2);
    return err_set(p->e, ERR_USAGE, "-%c: unknown option%s", optopt,
                   p->cmd->max_operands > 0 ?
                   "; -- goes before a text that begins with -" : "");
}

/*
 * getopt_long takes "--col" for "--columns", and a script that says so would break
 * with the next option that begins so: only whole names count here.
 */
static int check_whole(struct parse *p, const struct opt *o, char *const *argv)
{
    bool apart = o->arg != NULL && optarg == argv[optind - 1];
    const char *typed = argv[optind - (apart ? 2 : 1)] + 2;
    size_t count = strlen(o->name);

    if (strncmp(typed, o->name, count) == 0 &&
        (typed[count] == '\0' || typed[count] == '='))
        return 0;
    return unknown_long(p, typed);
}

static int parse_options(struct parse *p, int argc, char **argv)
{
    int got;

    optind = 0;         /* glibc: start anew */
    opterr = 0;
    while ((got = getopt_long(argc, argv, p->shorts, p->longs, NULL)) != -1) {
        const struct opt *option = option_of(p, got);

        if (got == '?' || got == ':')
            return misuse(p, got, argv);
        if (got >= LONG && check_whole(p, option, argv) != 0)
            return -1;
        if (option->type == OPT_HELP)
            return got >= LONG ? OPTS_HELP : OPTS_SHORT_HELP;
        p->n_given++;
        if (set_value(p, option, optarg != NULL ? optarg : option->alone) != 0)
            return -1;
    }
    return 0;
}

static int too_many(const struct cmd *c, const char *operand, struct err *e)
{
    bool texts = strstr(c->operands, "TEXT") != NULL;

    if (c->max_operands == 0)
        return err_set(e, ERR_USAGE, "%s: unexpected operand '%s', expected none", c->name,
                       operand);
    return err_set(e, ERR_USAGE, "%s: unexpected operand '%s', expected at most %d%s", c->name,
                   operand, c->max_operands,
                   texts ? "; a text with spaces goes in quotes" : "");
}

int opts_parse(const struct cmd *c, int argc, char **argv, void *args,
               int *n_operands, char ***operands, struct err *e)
{
    struct parse parse = { .cmd = c, .args = args, .e = e, .shorts = ":" };
    int status;

    opts_each(c, add, &parse);
    status = set_defaults(&parse);
    if (status == 0)
        status = parse_options(&parse, argc, argv);
    if (status < 0)
        return err_under(e, "%s", c->name);
    *n_operands = argc - optind;
    *operands = argv + optind;
    if (status == 0 && *n_operands > c->max_operands)
        return too_many(c, (*operands)[c->max_operands], e);
    return status;
}
