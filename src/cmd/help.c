/* SPDX-License-Identifier: MIT
 * The words after `mha-viz help` -> help on a command, options, metrics, or a page of the manual.
 * */
#include "cmd/help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/choice.h"
#include "base/file.h"
#include "base/nearest.h"
#include "cli/formers.h"
#include "cli/help.h"
#include "cmd/cmds.h"
#include "cmd/manual.h"
#include "cmd/options.h"

/* ---- metrics ---- */

enum { NAME_WIDTH = 22 };

/* "-sum a ln a of each row, mean over rows: 0 looks at one key (nats)" */
static const char *help_line_of(struct arena *a, const struct metric *metric)
{
    return metric->unit[0] != '\0' ? arena_printf(a, "%s (%s)", metric->help, metric->unit) :
           metric->help;
}

static const char *asked_by(struct arena *a, enum metric_group group)
{
    if (group == METRIC_BASIC)
        return "computed where no metric is named, by name, or all with --metric basic";
    if (metric_group_names[group] == NULL)
        return "computed by name alone";
    return arena_printf(a, "computed by name, or all with --metric %s",
                        metric_group_names[group]);
}

static void list_metrics(struct arena *a)
{
    printf("`mha-viz help metrics NAME` says how one is computed, as mha-viz-metrics(7).\n");
    for (int group = 0; group < N_METRIC_GROUP; group++) {
        printf("\n%s:\n", asked_by(a, (enum metric_group)group));
        for (int i = 0; i < N_METRIC; i++)
            if ((int)metric_table[i].group == group)
                help_entry(stdout, metric_table[i].name, help_line_of(a, &metric_table[i]),
                           NAME_WIDTH);
    }
}

static int describe_metric(const char *name, struct arena *a, struct err *e)
{
    int id = metric_find(name);
    const char *meant = id < 0 ? metric_nearest(name, metric_names) : NULL, *text;

    if (id < 0)
        return err_set(e, ERR_USAGE, "help metrics: '%s' is not a metric%s%s%s", name,
                       meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                       meant != NULL ? "'?" : "");
    printf("%s\n", name);
    help_wrapped(stdout, arena_printf(a, "In one line: %s; %s.", help_line_of(a, &metric_table[id]),
                                      asked_by(a, metric_table[id].group)), 2);
    text = manual_metric(a, name);
    for (const char *end; text != NULL; text = end != NULL ? end + 2 : NULL) {
        size_t n;

        end = strstr(text, "\n\n");
        n = end != NULL ? (size_t)(end - text) : strlen(text);
        putchar('\n');
        help_wrapped(stdout, arena_strndup(a, text, n), 2);
    }
    putchar('\n');
    help_wrapped(stdout, "a(i,j) is the weight of query i on key j, T the number of tokens, and "
                 "n(i) the number of keys that row i sees; a metric is a mean over the rows i for "
                 "which it is defined, unless it says otherwise.", 2);
    return 0;
}

/* ---- pages ---- */

static const struct topic { const char *name, *about; } topics[] = {
    { "metrics", "what is measured of each head, with formulas, ranges and sources" },
    { "options", "the options of all commands: what each means, and which commands have it" },
    { "tutorial", "from one attention layer by hand to a figure for a paper" },
    { "heads", "what the heads of a model do, and which of them the model does not need" },
    { "models", "families of models, files and tokenisers that are read" },
    { "layers", "bare layers, and attention that another program computed" },
    { "mechanisms", "the attention mechanisms that are compared, with their costs" },
    { "performance", "how fast mha-viz is beside other programs, and how that was measured" },
    { "python", "the Python module" },
};

enum { N_TOPICS = sizeof topics / sizeof *topics };

static void list_topics(void)
{
    printf("`mha-viz help topic NAME` opens a page of the manual.\n\n");
    for (int i = 0; i < N_TOPICS; i++)
        help_entry(stdout, topics[i].name, topics[i].about, 11);
}

/*
 * The file of a page that lies beside the program, as it does where it was built, or as it is
 * installed; NULL: man is to look for it.
 */
static const char *page_file(const char *program, const char *name, struct arena *a)
{
    static const char *const beside[] = { "man", "../share/man/man7" };

    for (int i = 0; strchr(program, '/') != NULL && i < 2; i++) {
        const char *path = arena_printf(a, "%s/%s/mha-viz-%s.7", file_folder(a, program), beside[i],
                                        name);

        if (file_exists(path))
            return path;
    }
    return NULL;
}

static bool is_topic(const char *name)
{
    for (int i = 0; i < N_TOPICS; i++)
        if (strcmp(topics[i].name, name) == 0)
            return true;
    return false;
}

static int open_page(const char *program, const char *name, struct arena *a, struct err *e)
{
    const char *names[N_TOPICS + 1] = { NULL }, *meant, *path;
    int i = 0;

    while (i < N_TOPICS && strcmp(topics[i].name, name) != 0) {
        names[i] = topics[i].name;
        i++;
    }
    meant = i == N_TOPICS ? nearest_name(name, names) : NULL;
    if (i == N_TOPICS)
        return err_set(e, ERR_USAGE, "help topic: no page '%s'%s%s%s", name,
                       meant != NULL ? "; did you mean '" : "; `mha-viz help topic` lists them",
                       meant != NULL ? meant : "", meant != NULL ? "'?" : "");
    path = page_file(program, name, a);
    if (path != NULL)
        execlp("man", "man", "-l", path, (char *)NULL);
    else
        execlp("man", "man", "7", arena_printf(a, "mha-viz-%s", name), (char *)NULL);
    return err_set(e, ERR_SYSTEM, "help topic: man could not be run: %s (Debian: man-db)%s%s",
                   strerror(errno), path != NULL ? "; the page is " : "", path != NULL ? path : "");
}

/* ---- options ---- */

static void describe_option(const struct option_name *name, struct arena *a)
{
    const struct opt *row = name->first;

    help_entry(stdout, arena_printf(a, "--%s%s%s", row->name, row->arg != NULL ? " " : "",
                                    row->arg != NULL ? row->arg : ""),
               arena_printf(a, "%s (%s)", name->meaning, option_commands(a, name)), NAME_WIDTH);
}

/* Whether "--output", "output" or "-o" is the option. */
static bool is_option(const struct option_name *o, const char *name)
{
    const struct opt *row = o->first;

    if (name[0] == '-' && name[1] != '-' && strlen(name) == 2)
        return row->short_name == name[1];
    return strcmp(name + strspn(name, "-"), row->name) == 0;
}

static int no_option(const char *name, const struct option_name *o, int n, struct arena *a,
                     struct err *e)
{
    const char *bare = name + strspn(name, "-"), *now = former_name(bare);
    const char **names = arena_alloc(a, (uint64_t)n + 1, sizeof *names), *meant;

    for (int i = 0; i < n; i++)
        names[i] = o[i].first->name;
    if (now != NULL)
        return err_set(e, ERR_USAGE, "help options: --%s is called --%s now", bare, now);
    meant = nearest_name(bare, names);
    return err_set(e, ERR_USAGE, "help options: no command has %s%s%s%s%s",
                   name[0] == '-' ? "" : "--", name, meant != NULL ? "; did you mean --" : "",
                   meant != NULL ? meant : "", meant != NULL ? "?" : "");
}

/* All options, or the one of this name; NULL: all. */
static int list_options(const char *name, struct arena *a, struct err *e)
{
    int n;
    const struct option_name *o = option_names(a, &n);

    if (name == NULL)
        printf("What a long name means, and the commands that have it; `mha-viz help COMMAND` "
               "says more.\n\n");
    for (int i = 0; i < n; i++) {
        if (name != NULL && !is_option(&o[i], name))
            continue;
        describe_option(&o[i], a);
        if (name != NULL)
            return 0;
    }
    return name == NULL ? 0 : no_option(name, o, n, a, e);
}

/* ---- commands ---- */

static int describe_group(const struct cmd *cmd, const char *name, struct err *e)
{
    char names[300];

    if (help_group(stdout, cmd, name, names, sizeof names))
        return 0;
    return err_set(e, ERR_USAGE, "help %s: no group of options '%s', expected one of %s", cmd->name,
                   name, names);
}

static int too_many(char *const *word, int most, struct err *e)
{
    return err_set(e, ERR_USAGE, "help: unexpected operand '%s', expected at most %d", word[most],
                   most);
}

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

int help_run(const char *program, char *const *word, int n, struct arena *a, struct err *e)
{
    const struct cmd *command;

    if (n > 2)
        return too_many(word, 2, e);
    if (n == 0 || is_help(word[0]))
        help_program(stdout, cmd_table);
    else if (strcmp(word[0], "metrics") == 0 && n == 2)
        return describe_metric(word[1], a, e);
    else if (strcmp(word[0], "metrics") == 0)
        list_metrics(a);
    else if (strcmp(word[0], "options") == 0)
        return list_options(n == 2 ? word[1] : NULL, a, e);
    else if (strcmp(word[0], "topic") == 0 && n == 2)
        return open_page(program, word[1], a, e);
    else if (strcmp(word[0], "topic") == 0)
        list_topics();
    else if (n == 1 && metric_find(word[0]) >= 0)
        return describe_metric(word[0], a, e);
    else if (n == 1 && is_topic(word[0]) && cmd_find(word[0]) == NULL)
        return open_page(program, word[0], a, e);
    else if ((command = cmd_known(word[0], a, e)) == NULL)
        return -1;
    else if (n == 2)
        return describe_group(command, word[1], e);
    else
        help_command(stdout, command);
    return 0;
}
