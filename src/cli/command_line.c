/* SPDX-License-Identifier: MIT
 * A command line without the options that do not matter to whoever reads it. */
#include <string.h>

#include "cli/opt.h"

struct line {
    struct arena *a;
    const struct cmd *c;
    const char *const *without;     /* names of options, NULL ends */
    const char **word;
    int n;
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

static bool is_left_out(const struct line *line, const struct opt *o)
{
    for (int i = 0; o != NULL && line->without[i] != NULL; i++)
        if (strcmp(o->name, line->without[i]) == 0)
            return true;
    return false;
}

static void append(struct line *line, const char *s)
{
    line->word[line->n++] = s;
}

/* A long option and, where it stands in the next argument, its value; how many there are. */
static int add_long(struct line *line, char **argv)
{
    const char *name = argv[0] + 2;
    size_t count = strcspn(name, "=");
    const struct opt *option = find(line, (struct search){ .name = name, .n = count });
    int used = option != NULL && opt_takes_next(option) && name[count] == '\0' ? 2 : 1;

    for (int i = 0; i < used && !is_left_out(line, option); i++)
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
            if (!is_left_out(line, option))
                kept = arena_printf(line->a, "%s%c", kept, *text);
            continue;
        }
        if (!is_left_out(line, option))
            kept = arena_printf(line->a, "%s%s", kept, text);
        if (kept[1] != '\0')
            append(line, kept);
        if (used == 2 && !is_left_out(line, option))
            append(line, argv[1]);
        return used;
    }
    if (kept[1] != '\0')
        append(line, kept);
    return 1;
}

const char **command_line_words(struct arena *a, const struct cmd *c, int argc, char **argv,
                                const char *const *without, int *n)
{
    struct line line = { .a = a, .c = c, .without = without };
    int i = 1;

    line.word = arena_alloc(a, (uint64_t)argc, sizeof *line.word);
    while (i < argc && strcmp(argv[i], "--") != 0)
        if (argv[i][0] != '-' || argv[i][1] == '\0')
            append(&line, argv[i++]);
        else
            i += (argv[i][1] == '-' ? add_long : add_shorts)(&line, argv + i);
    while (i < argc)
        append(&line, argv[i++]);
    *n = line.n;
    return line.word;
}

char *command_line_text(struct arena *a, const struct cmd *c, int argc, char **argv)
{
    static const char *const without[] = { "threads", "output", NULL };
    int n;
    const char **word = command_line_words(a, c, argc, argv, without, &n);
    char *text = arena_printf(a, "mha-viz %s", c->name);

    for (int i = 0; i < n; i++)
        text = arena_printf(a, "%s %s", text, word[i]);
    return text;
}
