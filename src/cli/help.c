/* SPDX-License-Identifier: MIT
 * --help, printed from the tables and wrapped to a terminal of 80 columns. */
#include "cli/opt.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

enum { WIDTH = 80, LABEL_MAX = 28 };

struct text {
    char s[1024];
    size_t n;
};

static void add(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

static void add(struct text *t, const char *fmt, ...)
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
    struct text t = { .n = 0 };

    if (o->short_name != 0)
        add(&t, "-%c, ", o->short_name);
    else
        add(&t, "    ");
    add(&t, "--%s%s%s", o->name, o->arg != NULL ? " " : "",
        o->arg != NULL ? o->arg : "");
    return t;
}

/* "heads per row of the grid, 1..64 [4]" */
static struct text description(const struct opt *o)
{
    struct text t = { .n = 0 };
    char range[RANGE_SIZE];

    add(&t, "%s", o->help);
    for (int i = 0; o->type == OPT_CHOICE && o->choices[i] != NULL; i++)
        add(&t, "%s%s", i == 0 ? "; one of " : ", ", o->choices[i]);
    opts_range(range, o);
    if (range[0] != '\0')
        add(&t, ", %s", range);
    if (o->def != NULL && o->type != OPT_ALIAS)
        add(&t, " [%s]", o->def);
    return t;
}

/* Columns of s[n]: a character each, as help texts are narrow. */
static int columns_of(const char *s, int n)
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
        int n = (int)strcspn(s, " "), columns = columns_of(s, n);

        if (!first && at + 1 + columns > WIDTH) {
            fprintf(f, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            putc(' ', f);
            at++;
        }
        fprintf(f, "%.*s", n, s);
        at += columns;
        s += n;
        s += strspn(s, " ");
    }
    putc('\n', f);
}

static void print_entry(FILE *f, const char *name, const char *text, int width)
{
    int n = (int)strlen(name), indent = 2 + width + 2;

    if (n > width)
        fprintf(f, "  %s\n%*s", name, indent, "");
    else
        fprintf(f, "  %-*s  ", width, name);
    print_wrapped(f, text, indent, indent);
}

/* One walk over the options, either to measure or to print a group of them. */
struct walk {
    FILE *f;                    /* NULL: measure */
    const struct cmd *cmd;
    bool own;                   /* the group to print */
    int width;                  /* of the labels */
};

static void visit(void *self, const struct opt *o)
{
    struct walk *w = self;
    struct text name = label(o), text;

    if (w->f == NULL) {
        if (name.n <= LABEL_MAX && (int)name.n > w->width)
            w->width = (int)name.n;
    } else if (opts_is_own(w->cmd, o) == w->own) {
        text = description(o);
        print_entry(w->f, name.s, text.s, w->width);
    }
}

static void print_group(FILE *f, const struct cmd *c, bool own, int width)
{
    struct walk w = { f, c, own, width };

    fprintf(f, "\n%s:\n", own ? "Options" : "Common options");
    opts_each(c, visit, &w);
}

static void print_command(FILE *f, const struct cmd *c)
{
    struct walk measure = { .cmd = c };

    fprintf(f, "usage: mha-viz %s [OPTIONS]%s%s\n\n", c->name,
            c->operands[0] != '\0' ? " " : "", c->operands);
    print_wrapped(f, c->summary, 0, 0);
    opts_each(c, visit, &measure);
    if (c->opts != NULL && c->opts->name != NULL)
        print_group(f, c, true, measure.width);
    print_group(f, c, false, measure.width);
    if (c->examples != NULL && c->examples[0] != NULL)
        fprintf(f, "\nExamples:\n");
    for (int i = 0; c->examples != NULL && c->examples[i] != NULL; i++)
        fprintf(f, "  %s\n", c->examples[i]);
}

static void print_program(FILE *f, const struct cmd *const *table)
{
    enum { NAME_WIDTH = 13 };

    fprintf(f, "usage: mha-viz COMMAND [OPTIONS] [OPERANDS]\n\n"
               "see what the attention heads of a transformer do\n\nCommands:\n");
    for (int i = 0; table[i] != NULL; i++)
        print_entry(f, table[i]->name, table[i]->summary, NAME_WIDTH);
    print_entry(f, "help", "show this help, or that of a COMMAND", NAME_WIDTH);
    fprintf(f, "\nOptions:\n");
    print_entry(f, "-h, --help", "show this help", NAME_WIDTH);
    print_entry(f, "    --version", "show the versions of the program, its "
                "libraries and its kernel", NAME_WIDTH);
    fprintf(f, "\n`mha-viz COMMAND --help` lists the options of a command.\n");
}

void help_print(FILE *f, const struct cmd *const *table, const struct cmd *c)
{
    if (c != NULL)
        print_command(f, c);
    else
        print_program(f, table);
}
