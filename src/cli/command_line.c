/* SPDX-License-Identifier: MIT
 * The command line as pictures tell it: without what cannot change what they show. */
#include <string.h>

#include "cli/opt.h"

struct line {
    struct arena *a;
    const struct cmd *c;
    char *text;
};

struct search {
    const char *name;           /* [n] of a long option; NULL: a short one */
    size_t n;
    char letter;
    const struct opt *found;
};

static void look(void *self, const struct opt_group *group, const struct opt *o)
{
    struct search *search = self;

    (void)group;
    if (search->name != NULL ? strlen(o->name) == search->n &&
                                   strncmp(o->name, search->name, search->n) == 0 :
                               o->short_name == search->letter)
        search->found = o;
}

static const struct opt *find(const struct line *line, struct search s)
{
    opts_each(line->c, look, &s);
    return s.found;
}

static bool is_left_out(const struct opt *o)
{
    return strcmp(o->name, "threads") == 0 || strcmp(o->name, "output") == 0;
}

static void append(struct line *line, const char *s)
{
    line->text = arena_printf(line->a, "%s %s", line->text, s);
}

/* A long option and, where it stands in the next argument, its value; how many there are. */
static int add_long(struct line *line, char **argv)
{
    const char *name = argv[0] + 2;
    size_t count = strcspn(name, "=");
    const struct opt *option = find(line, (struct search){ .name = name, .n = count });
    int used = option != NULL && opt_takes_next(option) && name[count] == '\0' ? 2 : 1;

    for (int i = 0; i < used && !(option != NULL && is_left_out(option)); i++)
        append(line, argv[i]);
    return used;
}

/* The same of short options in one argument, "-qt4". */
static int add_shorts(struct line *line, char **argv)
{
    char *kept = arena_strdup(line->a, "-");

    for (const char *text = argv[0] + 1; *text != '\0'; text++) {
        const struct opt *option = find(line, (struct search){ .letter = *text });
        int used = text[1] == '\0' ? 2 : 1;

        if (option == NULL || option->arg == NULL) {
            kept = arena_printf(line->a, "%s%c", kept, *text);
            continue;
        }
        if (!is_left_out(option))
            kept = arena_printf(line->a, "%s%s", kept, text);
        if (kept[1] != '\0')
            append(line, kept);
        if (used == 2 && !is_left_out(option))
            append(line, argv[1]);
        return used;
    }
    append(line, kept);
    return 1;
}

char *command_line_text(struct arena *a, const struct cmd *c, int argc, char **argv)
{
    struct line line = { a, c, arena_printf(a, "mha-viz %s", c->name) };
    int i = 1;

    while (i < argc && strcmp(argv[i], "--") != 0)
        if (argv[i][0] != '-' || argv[i][1] == '\0')
            append(&line, argv[i++]);
        else
            i += (argv[i][1] == '-' ? add_long : add_shorts)(&line, argv + i);
    while (i < argc)
        append(&line, argv[i++]);
    return line.text;
}
