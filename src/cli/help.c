/* SPDX-License-Identifier: MIT
 * The tables of options -> help, wrapped to a terminal of 80 columns. */
#include "cli/help.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "cli/rules.h"

enum { WIDTH = 80, LABEL_MAX = 28 };

struct text {
    char s[2048];
    size_t n;
};

static void help_add(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

static void help_add(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    t->n += (size_t)vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
    va_end(ap);
    assert(t->n < sizeof t->s);
}

/* "-c, --columns N" */
static struct text label(const struct opt *o)
{
    struct text text = { .n = 0 };

    if (o->short_name != 0)
        help_add(&text, "-%c, ", o->short_name);
    else
        help_add(&text, "    ");
    if (o->alone != NULL)
        help_add(&text, "--%s[=%s]", o->name, o->arg);
    else
        help_add(&text, "--%s%s%s", o->name, o->arg != NULL ? " " : "",
                 o->arg != NULL ? o->arg : "");
    return text;
}

/* "heads per row of the grid (1..64) [4]" */
static struct text description(const struct opt *o)
{
    struct text text = { .n = 0 };
    char range[RANGE_SIZE];

    help_add(&text, "%s", o->help);
    for (int i = 0; o->type == OPT_CHOICE && o->choices[i] != NULL; i++)
        help_add(&text, "%s%s", i == 0 ? "; one of " : ", ", o->choices[i]);
    opts_range(range, o);
    if (range[0] != '\0')
        help_add(&text, " (%s)", range);
    if (o->alone != NULL)
        help_add(&text, " [without a value: %s]", o->alone);
    if (o->def != NULL && o->type != OPT_ALIAS)
        help_add(&text, " [%s]", o->def);
    return text;
}

/* "[requires --span]", "[not with --answer-id]" */
static void add_rules(struct text *text, const struct cmd *c, const struct opt *o)
{
    const struct opt *excluded[OPTS_MOST];
    char needed[RULES_NEEDED_SIZE];
    int n = rules_excluded(c, o, excluded);

    rules_needed(needed, c, o);
    if (needed[0] != '\0')
        help_add(text, " [requires %s]", needed);
    for (int i = 0; i < n; i++)
        help_add(text, "%s--%s%s", i == 0 ? " [not with " : ", ", excluded[i]->name,
                 i == n - 1 ? "]" : "");
}

/* Columns of s[n]: one per character, as help texts are narrow. */
static int help_columns_of(const char *s, int n)
{
    int columns = 0;

    for (int i = 0; i < n; i++)
        columns += (s[i] & 0xc0) != 0x80;
    return columns;
}

/* Prints s from column at, its further lines from column indent. */
static void print_wrapped(FILE *f, const char *s, int at, int indent)
{
    for (bool first = true; *s != '\0'; first = false) {
        int count = (int)strcspn(s, " "), columns = help_columns_of(s, count);

        if (!first && at + 1 + columns > WIDTH) {
            fprintf(f, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            putc(' ', f);
            at++;
        }
        fprintf(f, "%.*s", count, s);
        at += columns;
        s += count;
        s += strspn(s, " ");
    }
    putc('\n', f);
}

void help_entry(FILE *f, const char *name, const char *text, int width)
{
    int count = (int)strlen(name), indent = 2 + width + 2;

    if (count > width)
        fprintf(f, "  %s\n%*s", name, indent, "");
    else
        fprintf(f, "  %-*s  ", width, name);
    print_wrapped(f, text, indent, indent);
}

void help_wrapped(FILE *f, const char *text, int indent)
{
    fprintf(f, "%*s", indent, "");
    print_wrapped(f, text, indent, indent);
}

/* One walk over the options: to measure their labels, or to print them. */
struct walk {
    FILE *f;                    /* NULL: measure */
    const struct cmd *cmd;      /* whose rules are printed; NULL: none are */
    const char *heading;        /* of the group that was printed last; NULL: none */
    int width;                  /* of the labels */
};

static void help_measure(void *self, const struct opt_group *group, const struct opt *o)
{
    struct walk *walk = self;
    struct text name = label(o);

    (void)group;
    if (name.n <= LABEL_MAX && (int)name.n > walk->width)
        walk->width = (int)name.n;
}

/* What every user needs first: the model, the texts, layers and heads, where it goes. */
static bool is_first(const struct opt_group *group, const struct opt *o)
{
    return group != NULL && o->short_name != 0 && strchr("mflHo", o->short_name) != NULL;
}

static void measure_first(void *self, const struct opt_group *group, const struct opt *o)
{
    if (group == NULL || is_first(group, o))
        help_measure(self, group, o);
}

static void print_option(struct walk *w, const struct opt *o)
{
    struct text name = label(o), text = description(o);

    if (w->cmd != NULL)
        add_rules(&text, w->cmd, o);
    help_entry(w->f, name.s, text.s, w->width);
}

/* "Layers and heads:" above the first option of a group. */
static void print_heading(struct walk *w, const char *name)
{
    if (w->heading != NULL && strcmp(w->heading, name) == 0)
        return;
    fprintf(w->f, "\n%c%s:\n", toupper((unsigned char)name[0]), name + 1);
    w->heading = name;
}

static void visit(void *self, const struct opt_group *group, const struct opt *o)
{
    print_heading(self, group != NULL ? group->name : "options");
    print_option(self, o);
}

/* How many bytes of a text fit into as many columns, without a part of a sentence; after "DIR/:"
 * a part would lack its meaning. */
static size_t part_that_fits(const char *s, int columns)
{
    size_t fits = strlen(s);

    if (help_columns_of(s, (int)fits) <= columns)
        return fits;
    fits = 0;
    for (size_t i = 0; s[i] != '\0' && help_columns_of(s, (int)i) <= columns; i++)
        if (strchr(",;", s[i]) != NULL && s[i + 1] == ' ')
            fits = i;
    return fits;
}

/* In a line each. */
static void visit_first(void *self, const struct opt_group *group, const struct opt *o)
{
    struct walk *walk = self;
    struct text name = label(o);

    if (!is_first(group, o))
        return;
    print_heading(walk, "most used");
    fprintf(walk->f, "  %-*s  %.*s\n", walk->width, name.s,
            (int)part_that_fits(o->help, WIDTH - walk->width - 4), o->help);
}

static void visit_own(void *self, const struct opt_group *group, const struct opt *o)
{
    if (group == NULL)
        visit(self, group, o);
}

static void print_top(FILE *f, const struct cmd *c)
{
    fprintf(f, "usage: mha-viz %s [OPTIONS]%s%s\n\n", c->name,
            c->operands[0] != '\0' ? " " : "", c->operands);
    print_wrapped(f, c->summary, 0, 0);
}

void help_command(FILE *f, const struct cmd *c)
{
    struct walk walk = { .f = f, .cmd = c };

    print_top(f, c);
    opts_each(c, help_measure, &walk);
    opts_each(c, visit, &walk);
    if (c->examples != NULL && c->examples[0] != NULL)
        fprintf(f, "\nExamples:\n");
    for (int i = 0; c->examples != NULL && c->examples[i] != NULL; i++)
        fprintf(f, "  %s\n", c->examples[i]);
}

/* ---- one heading ---- */

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Whether "bare layers" is typed so, with - for its blanks or without, in any case. */
static bool is_typed(const char *heading, const char *typed)
{
    while (*heading != '\0' && (same_letter(*heading, *typed) ||
                                (*heading == ' ' && *typed == '-'))) {
        heading++;
        typed++;
    }
    return *heading == '\0' && *typed == '\0';
}

struct find {
    struct walk walk;
    const char *heading;        /* as it is typed */
    bool found;
    char *names;                /* [size] */
    size_t size;
    const char *last;           /* the heading of the option before; NULL: it is the first */
};

static void add_name(struct find *find, const char *name)
{
    size_t end = strlen(find->names);

    snprintf(find->names + end, find->size - end, "%s%s", end > 0 ? ", " : "", name);
    for (; find->names[end] != '\0'; end++)
        if (find->names[end] == ' ' && (end == 0 || find->names[end - 1] != ','))
            find->names[end] = '-';
}

static void visit_group(void *self, const struct opt_group *group, const struct opt *o)
{
    struct find *find = self;
    const char *name = group != NULL ? group->name : "options";

    if (find->last == NULL || strcmp(find->last, name) != 0)
        add_name(find, name);
    find->last = name;
    if (!is_typed(name, find->heading))
        return;
    find->found = true;
    visit(&find->walk, group, o);
}

bool help_group(FILE *f, const struct cmd *c, const char *heading, char *names, size_t size)
{
    struct find find = { .walk = { .f = f, .cmd = c }, .heading = heading, .names = names,
                         .size = size };

    names[0] = '\0';
    opts_each(c, help_measure, &find.walk);
    opts_each(c, visit_group, &find);
    return find.found;
}

/* ---- one screen ---- */

/* The groups as "text (-f), layers and heads (-l -H -s)". */
struct names {
    struct text text;
    const char *group;          /* the last; NULL: none */
    bool letters;               /* of the last group there is one, and no ')' yet */
};

static void end_group(struct names *n)
{
    if (n->letters)
        help_add(&n->text, ")");
    n->letters = false;
}

static void name_group(void *self, const struct opt_group *group, const struct opt *o)
{
    struct names *names = self;

    if (group == NULL)
        return;
    if (names->group == NULL || strcmp(names->group, group->name) != 0) {
        end_group(names);
        help_add(&names->text, "%s%s", names->group != NULL ? ", " : "", group->name);
        names->group = group->name;
    }
    if (o->short_name != 0) {
        help_add(&names->text, "%s-%c", names->letters ? " " : " (", o->short_name);
        names->letters = true;
    }
}

void help_short(FILE *f, const struct cmd *c)
{
    struct walk walk = { .f = f };
    struct names names = { .group = NULL };

    print_top(f, c);
    opts_each(c, measure_first, &walk);
    opts_each(c, visit_first, &walk);
    opts_each(c, visit_own, &walk);
    help_add(&names.text, "Shared options: ");
    opts_each(c, name_group, &names);
    end_group(&names);
    putc('\n', f);
    print_wrapped(f, names.text.s, 0, 2);
    fprintf(f, "\n`mha-viz help %s` describes all options and shows examples;\n"
               "`mha-viz help %s GROUP` describes one group; write blanks in GROUP as -.\n",
            c->name, c->name);
}

/* ---- the program ---- */

void help_program(FILE *f, const struct cmd *const *table)
{
    enum { NAME_WIDTH = 10 };

    fprintf(f, "usage: mha-viz COMMAND [OPTIONS] [OPERANDS] | --version\n\n"
               "see what the attention heads of a transformer do\n\n");
    for (int i = 0; table[i] != NULL; i++)
        if (!table[i]->minor)
            help_entry(f, table[i]->name, table[i]->summary, NAME_WIDTH);
    fprintf(f, "  %-*s  ", NAME_WIDTH, "others");
    for (int i = 0, n = 0; table[i] != NULL; i++)
        if (table[i]->minor)
            fprintf(f, "%s%s", n++ > 0 ? ", " : "", table[i]->name);
    fprintf(f,
            "\n\nFor a command: `mha-viz COMMAND -h`, or `mha-viz help COMMAND` for all options,\n"
            "for the metrics: `mha-viz help metrics`, for other pages: `mha-viz help topic`.\n");
}
