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

static void help_add(struct text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

static void help_add(struct text *text, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    text->n += (size_t)vsnprintf(text->s + text->n, sizeof text->s - text->n, fmt, ap);
    va_end(ap);
    assert(text->n < sizeof text->s);
}

/* "-c, --columns N" */
static struct text label(const struct opt *opt)
{
    struct text text = { .n = 0 };

    if (opt->short_name != 0)
        help_add(&text, "-%c, ", opt->short_name);
    else
        help_add(&text, "    ");
    if (opt->alone != NULL)
        help_add(&text, "--%s[=%s]", opt->name, opt->arg);
    else
        help_add(&text, "--%s%s%s", opt->name, opt->arg != NULL ? " " : "",
                 opt->arg != NULL ? opt->arg : "");
    return text;
}

/* "heads per row of the grid (1..64) [4]" */
static struct text description(const struct opt *opt)
{
    struct text text = { .n = 0 };
    char range[RANGE_SIZE];

    help_add(&text, "%s", opt->help);
    for (int i = 0; opt->type == OPT_CHOICE && opt->choices[i] != NULL; i++)
        help_add(&text, "%s%s", i == 0 ? "; one of " : ", ", opt->choices[i]);
    opts_range(range, opt);
    if (range[0] != '\0')
        help_add(&text, " (%s)", range);
    if (opt->alone != NULL)
        help_add(&text, " [without a value: %s]", opt->alone);
    if (opt->def != NULL && opt->type != OPT_ALIAS)
        help_add(&text, " [%s]", opt->def);
    return text;
}

/* "[requires --span]", "[not with --answer-id]" */
static void add_rules(struct text *text, const struct cmd *cmd, const struct opt *opt)
{
    const struct opt *excluded[OPTS_MOST];
    char needed[RULES_NEEDED_SIZE];
    int n = rules_excluded(cmd, opt, excluded);

    rules_needed(needed, cmd, opt);
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
static void print_wrapped(FILE *file, const char *s, int at, int indent)
{
    for (bool first = true; *s != '\0'; first = false) {
        int count = (int)strcspn(s, " "), columns = help_columns_of(s, count);

        if (!first && at + 1 + columns > WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            putc(' ', file);
            at++;
        }
        fprintf(file, "%.*s", count, s);
        at += columns;
        s += count;
        s += strspn(s, " ");
    }
    putc('\n', file);
}

void help_entry(FILE *file, const char *name, const char *text, int width)
{
    int count = (int)strlen(name), indent = 2 + width + 2;

    if (count > width)
        fprintf(file, "  %s\n%*s", name, indent, "");
    else
        fprintf(file, "  %-*s  ", width, name);
    print_wrapped(file, text, indent, indent);
}

void help_wrapped(FILE *file, const char *text, int indent)
{
    fprintf(file, "%*s", indent, "");
    print_wrapped(file, text, indent, indent);
}

/* One walk over the options: to measure their labels, or to print them. */
struct walk {
    FILE *f;                    /* NULL: measure */
    const struct cmd *cmd;      /* whose rules are printed; NULL: none are */
    const char *heading;        /* of the group that was printed last; NULL: none */
    int width;                  /* of the labels */
};

static void help_measure(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct walk *walk = self;
    struct text name = label(opt);

    (void)group;
    if (name.n <= LABEL_MAX && (int)name.n > walk->width)
        walk->width = (int)name.n;
}

/* What every user needs first: the model, the texts, layers and heads, where it goes. */
static bool is_first(const struct opt_group *group, const struct opt *opt)
{
    return group != NULL && opt->short_name != 0 && strchr("mflHo", opt->short_name) != NULL;
}

static void measure_first(void *self, const struct opt_group *group, const struct opt *opt)
{
    if (group == NULL || is_first(group, opt))
        help_measure(self, group, opt);
}

static void print_option(struct walk *walk, const struct opt *opt)
{
    struct text name = label(opt), text = description(opt);

    if (walk->cmd != NULL)
        add_rules(&text, walk->cmd, opt);
    help_entry(walk->f, name.s, text.s, walk->width);
}

/* "Layers and heads:" above the first option of a group. */
static void print_heading(struct walk *walk, const char *name)
{
    if (walk->heading != NULL && strcmp(walk->heading, name) == 0)
        return;
    fprintf(walk->f, "\n%c%s:\n", toupper((unsigned char)name[0]), name + 1);
    walk->heading = name;
}

static void visit(void *self, const struct opt_group *group, const struct opt *opt)
{
    print_heading(self, group != NULL ? group->name : "options");
    print_option(self, opt);
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
static void visit_first(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct walk *walk = self;
    struct text name = label(opt);

    if (!is_first(group, opt))
        return;
    print_heading(walk, "most used");
    fprintf(walk->f, "  %-*s  %.*s\n", walk->width, name.s,
            (int)part_that_fits(opt->help, WIDTH - walk->width - 4), opt->help);
}

static void visit_own(void *self, const struct opt_group *group, const struct opt *opt)
{
    if (group == NULL)
        visit(self, group, opt);
}

static void print_top(FILE *file, const struct cmd *cmd)
{
    fprintf(file, "usage: mha-viz %s [OPTIONS]%s%s\n\n", cmd->name,
            cmd->operands[0] != '\0' ? " " : "", cmd->operands);
    print_wrapped(file, cmd->summary, 0, 0);
}

void help_command(FILE *file, const struct cmd *cmd)
{
    struct walk walk = { .f = file, .cmd = cmd };

    print_top(file, cmd);
    opts_each(cmd, help_measure, &walk);
    opts_each(cmd, visit, &walk);
    if (cmd->examples != NULL && cmd->examples[0] != NULL)
        fprintf(file, "\nExamples:\n");
    for (int i = 0; cmd->examples != NULL && cmd->examples[i] != NULL; i++)
        fprintf(file, "  %s\n", cmd->examples[i]);
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

static void visit_group(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct find *find = self;
    const char *name = group != NULL ? group->name : "options";

    if (find->last == NULL || strcmp(find->last, name) != 0)
        add_name(find, name);
    find->last = name;
    if (!is_typed(name, find->heading))
        return;
    find->found = true;
    visit(&find->walk, group, opt);
}

bool help_group(FILE *file, const struct cmd *cmd, const char *heading, char *names, size_t size)
{
    struct find find = { .walk = { .f = file, .cmd = cmd }, .heading = heading, .names = names,
                         .size = size };

    names[0] = '\0';
    opts_each(cmd, help_measure, &find.walk);
    opts_each(cmd, visit_group, &find);
    return find.found;
}

/* ---- one screen ---- */

/* The groups as "text (-f), layers and heads (-l -H -s)". */
struct names {
    struct text text;
    const char *group;          /* the last; NULL: none */
    bool letters;               /* of the last group there is one, and no ')' yet */
};

static void end_group(struct names *names)
{
    if (names->letters)
        help_add(&names->text, ")");
    names->letters = false;
}

static void name_group(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct names *names = self;

    if (group == NULL)
        return;
    if (names->group == NULL || strcmp(names->group, group->name) != 0) {
        end_group(names);
        help_add(&names->text, "%s%s", names->group != NULL ? ", " : "", group->name);
        names->group = group->name;
    }
    if (opt->short_name != 0) {
        help_add(&names->text, "%s-%c", names->letters ? " " : " (", opt->short_name);
        names->letters = true;
    }
}

void help_short(FILE *file, const struct cmd *cmd)
{
    struct walk walk = { .f = file };
    struct names names = { .group = NULL };

    print_top(file, cmd);
    opts_each(cmd, measure_first, &walk);
    opts_each(cmd, visit_first, &walk);
    opts_each(cmd, visit_own, &walk);
    help_add(&names.text, "Shared options: ");
    opts_each(cmd, name_group, &names);
    end_group(&names);
    putc('\n', file);
    print_wrapped(file, names.text.s, 0, 2);
    fprintf(file, "\n`mha-viz help %s` describes all options and shows examples;\n"
                  "`mha-viz help %s GROUP` describes one group; write blanks in GROUP as -.\n",
            cmd->name, cmd->name);
}

/* ---- the program ---- */

void help_program(FILE *file, const struct cmd *const *table)
{
    enum { NAME_WIDTH = 10 };

    fprintf(file, "usage: mha-viz COMMAND [OPTIONS] [OPERANDS] | --version\n\n"
                  "see what the attention heads of a transformer do\n\n");
    for (int i = 0; table[i] != NULL; i++)
        if (!table[i]->minor)
            help_entry(file, table[i]->name, table[i]->summary, NAME_WIDTH);
    fprintf(file, "  %-*s  ", NAME_WIDTH, "others");
    for (int i = 0, n = 0; table[i] != NULL; i++)
        if (table[i]->minor)
            fprintf(file, "%s%s", n++ > 0 ? ", " : "", table[i]->name);
    fprintf(file,
            "\n\nFor a command: `mha-viz COMMAND -h`, or `mha-viz help COMMAND` for all options,\n"
            "for the metrics: `mha-viz help metrics`, for other pages: `mha-viz help topic`.\n");
}
