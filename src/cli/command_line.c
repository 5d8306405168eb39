/* SPDX-License-Identifier: MIT
 * A command line -> the same without options that do not affect results. */
#include <string.h>

#include "cli/opt.h"
#include "cli/shell.h"

struct line {
    struct arena *a;
    const struct cmd *c;
    const char *const *without;     /* names of options, NULL ends */
    bool names;                     /* absolute paths are shortened to names */
    const char **word;
    int n;
};

struct search {
    const char *name;           /* [n] of a long option; NULL: a short one */
    size_t n;
    char letter;
    const struct opt *found;
};

static void command_line_look(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct search *search = self;

    (void)group;
    if (search->name != NULL ? strlen(opt->name) == search->n &&
                                   strncmp(opt->name, search->name, search->n) == 0 :
                               opt->short_name == search->letter)
        search->found = opt;
}

static const struct opt *command_line_find(const struct line *line, struct search s)
{
    opts_each(line->c, command_line_look, &s);
    return s.found;
}

static bool command_line_is_left_out(const struct line *line, const struct opt *opt)
{
    for (int i = 0; opt != NULL && line->without[i] != NULL; i++)
        if (strcmp(opt->name, line->without[i]) == 0)
            return true;
    return false;
}

static void command_line_append(struct line *line, const char *s)
{
    line->word[line->n++] = s;
}

/* Such as /dev/fd/63, which is a stream and no file of that name. */
static bool is_device(const char *path, size_t n)
{
    return n > 5 && strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
}

/* "/home/me/bert/" -> "bert"; "/", devices and what is relative stay. */
static const char *last_component(struct arena *a, const char *path, size_t n)
{
    size_t end = n, begin;

    if (is_device(path, n))
        return arena_strndup(a, path, n);
    while (end > 1 && path[end - 1] == '/')
        end--;
    begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    return n == 0 || path[0] != '/' || begin == end ? arena_strndup(a, path, n) :
                                                      arena_strndup(a, path + begin, end - begin);
}

/* Of several paths each, and after a word that stands before one; none gets longer. */
static const char *short_paths(struct arena *a, const struct opt_values *values, const char *value)
{
    const char ends[2] = { values->between, '\0' };
    char *text = arena_alloc(a, strlen(value) + 1, 1), *end = text;

    for (size_t n;; value += n + 1) {
        const char *piece, *path;
        size_t n_word;

        n = strcspn(value, ends);
        piece = arena_strndup(a, value, n);
        path = opt_path(values, piece);
        n_word = path != NULL ? (size_t)(path - piece) : n;
        memcpy(end, piece, n_word);
        end = stpcpy(end + n_word, last_component(a, piece + n_word, n - n_word));
        if (value[n] == '\0')
            return text;
        *end++ = values->between;
    }
}

const char *command_line_path(struct arena *a, const char *path)
{
    return last_component(a, path, strlen(path));
}

/* What is kept of the value of an option. */
static const char *shown_value(const struct line *line, const struct opt *opt, const char *value)
{
    bool is_path = (opt->type == OPT_STRING || opt->type == OPT_LIST) && opt->values != NULL &&
                   opt->values->files;

    return line->names && is_path ? short_paths(line->a, opt->values, value) : value;
}

/* A long option and, where it stands in the next argument, its value; how many there are. */
static int add_long(struct line *line, char **argv)
{
    const char *name = argv[0] + 2;
    size_t count = strcspn(name, "=");
    const struct opt *option = command_line_find(line, (struct search){ .name = name, .n = count });
    int used = option != NULL && opt_takes_next(option) && name[count] == '\0' ? 2 : 1;

    if (command_line_is_left_out(line, option))
        return used;
    if (option == NULL || name[count] == '\0')
        command_line_append(line, argv[0]);
    else
        command_line_append(line, arena_printf(line->a, "--%s=%s", option->name,
                                               shown_value(line, option, name + count + 1)));
    if (used == 2)
        command_line_append(line, shown_value(line, option, argv[1]));
    return used;
}

/* The same of short options in one argument, "-qt4". */
static int add_shorts(struct line *line, char **argv)
{
    char *kept = arena_strdup(line->a, "-");

    for (const char *text = argv[0] + 1; *text != '\0'; text++) {
        const struct opt *option = command_line_find(line, (struct search){ .letter = *text });
        int used = text[1] == '\0' ? 2 : 1;

        if (option == NULL || option->arg == NULL) {
            if (!command_line_is_left_out(line, option))
                kept = arena_printf(line->a, "%s%c", kept, *text);
            continue;
        }
        if (!command_line_is_left_out(line, option))
            kept = arena_printf(line->a, "%s%c%s", kept, *text,
                                shown_value(line, option, text + 1));
        if (kept[1] != '\0')
            command_line_append(line, kept);
        if (used == 2 && !command_line_is_left_out(line, option))
            command_line_append(line, shown_value(line, option, argv[1]));
        return used;
    }
    if (kept[1] != '\0')
        command_line_append(line, kept);
    return 1;
}

static const char **words(struct line *line, int argc, char **argv, int *n)
{
    int i = 1;

    line->word = arena_alloc(line->a, (uint64_t)argc, sizeof *line->word);
    while (i < argc && strcmp(argv[i], "--") != 0)
        if (argv[i][0] != '-' || argv[i][1] == '\0')
            command_line_append(line, argv[i++]);
        else
            i += (argv[i][1] == '-' ? add_long : add_shorts)(line, argv + i);
    while (i < argc)
        command_line_append(line, argv[i++]);
    *n = line->n;
    return line->word;
}

const char **command_line_words(struct arena *a, const struct cmd *cmd, int argc, char **argv,
                                const char *const *without, int *n)
{
    struct line line = { .a = a, .c = cmd, .without = without };

    return words(&line, argc, argv, n);
}

/* Of options without a short name. */
static bool command_line_is_given(struct arena *a, const struct cmd *cmd, int argc, char **argv,
                                  const char *name)
{
    const char *const none[] = { NULL }, *const without[] = { name, NULL };
    int n_all, n;

    command_line_words(a, cmd, argc, argv, none, &n_all);
    command_line_words(a, cmd, argc, argv, without, &n);
    return n < n_all;
}

/* A part of a run is of many texts, too, and need not say so. */
static bool is_of_many(const struct line *line, int argc, char **argv, bool is_part)
{
    bool can = command_line_find(line, (struct search){ .name = "summary",
                                                        .n = strlen("summary") }) != NULL;

    return can && (is_part || command_line_is_given(line->a, line->c, argc, argv, "summary"));
}

/* A blank before each. */
static const char *command_line_joined(struct arena *a, const char *first, const char **word, int n)
{
    size_t size = strlen(first) + 1;
    char *text, *end;

    for (int i = 0; i < n; i++) {
        word[i] = shell_word(a, word[i]);
        size += 1 + strlen(word[i]);
    }
    text = arena_alloc(a, size, 1);
    end = stpcpy(text, first);
    for (int i = 0; i < n; i++) {       /* merge may have tens of thousands of them */
        *end++ = ' ';
        end = stpcpy(end, word[i]);
    }
    return text;
}

const char *command_line_rest(struct arena *a, const struct cmd *cmd, int argc, char **argv,
                              bool names)
{
    /* Of a process that has some of the layers, the first two are its own, too. */
    static const char *const without[] = {
        "layer", "head", "threads", "output", "shard", "resume", "format", "json", "tsv", "csv",
        "provenance", "summary", "quiet", "verbose", "profile", "hidden-in", "hidden-out", NULL
    };
    bool of_layers = command_line_is_given(a, cmd, argc, argv, "hidden-in") ||
                     command_line_is_given(a, cmd, argc, argv, "hidden-out");
    bool is_part = of_layers || command_line_is_given(a, cmd, argc, argv, "shard");
    struct line line = { .a = a, .c = cmd, .without = of_layers ? without : without + 2,
                         .names = names };
    int n;
    const char **word = words(&line, argc, argv, &n);

    return command_line_joined(a, is_of_many(&line, argc, argv, is_part) ? " --summary" : "", word,
                               n);
}
