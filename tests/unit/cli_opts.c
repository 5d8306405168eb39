/* SPDX-License-Identifier: MIT
 *
 * The option machinery on a small command of its own, and the tables of the real
 * commands: names once, ranges and defaults that make sense. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"

/* ---- a small command ---- */

struct toy_args {
    struct common_args common;
    int columns, cmap, format, depth;
    double vmin, eps;
    const char *output, *title;
    struct opt_list models;
    bool shared;
};

#define F(f) offsetof(struct toy_args, f)

static const char *const cmaps[] = { "viridis", "magma", "inferno", NULL };
static const struct former former_cmaps[] = { { "lava", "magma" }, { NULL, NULL } };
static const char *const formats[] = { "table", "tsv", "json", NULL };

static const struct opt own[] = {
    INT('c', "columns", "N", F(columns), "4", 1, 64, "heads per row of the grid"),
    CHOICE_RENAMED(0, "cmap", "NAME", F(cmap), "magma", cmaps, former_cmaps, "colour map"),
    REAL(0, "vmin", "X", F(vmin), NULL, -INFINITY, INFINITY, "least value of the scale"),
    REAL(0, "eps", "X", F(eps), "1e-9", 0, 1, "added to each weight"),
    LIST('m', "model", "PATH", F(models), &opt_files, "given twice: compared"),
    INT_OR_ALONE("depth", "N", F(depth), "7", 1, 9, "how deep"),
    FLAG(0, "shared-scale", F(shared), "one scale for all"),
    END
};

static const struct opt output_opts[] = {
    STRING('m', "model", "PATH", F(title), "hidden by the command's own of this name"),
    PATH('o', "output", "FILE", F(output), "write here"),
    STRING(0, "title", "TEXT", F(title), "title above the picture"),
    CHOICE(0, "format", "NAME", F(format), "table", formats, "report format"),
    ALIAS("json", "format=json", "short for --format json"),
    END
};

static const struct opt_group output_group = { "output", output_opts };
static const struct opt_group *const groups[] = { &output_group, NULL };

static const struct cmd toy = {
    .name = "toy", .summary = "play with options", .operands = "[TEXT [TEXT_B]]",
    .opts = own, .groups = groups, .args_size = sizeof(struct toy_args), .max_operands = 2,
};

static const struct opt other_opts[] = {
    FLAG(0, "reverse", F(shared), "the last first"),
    CHOICE(0, "scale", "NAME", F(format), "table", formats, "scale of the colours"),
    END
};
static const struct cmd first = { .name = "first", .opts = other_opts };
static const struct cmd second = { .name = "second", .opts = other_opts };
static const struct cmd third = { .name = "third", .opts = other_opts + 1 };
static const struct cmd fourth = { .name = "fourth", .opts = other_opts + 1 };
static const struct cmd fifth = { .name = "fifth", .opts = other_opts + 1 };
static const struct cmd *const siblings[] = { &first, &second, &third, &fourth, &fifth, NULL };

/* Parses "toy" and the words after it (NULL ends) as they stand. */
struct parsed {
    struct toy_args args;
    int status, n;
    char **operands;
    struct err e;
    char *argv[16];
};

static void parse(struct parsed *p, ...)
{
    int argc = 1;
    va_list ap;
    char *word;

    memset(p, 0x5a, sizeof *p);         /* opts_parse must set every field */
    p->e = (struct err){ ERR_NONE, "" };
    p->argv[0] = (char *)(uintptr_t)"toy";
    va_start(ap, p);
    while ((word = va_arg(ap, char *)) != NULL)
        p->argv[argc++] = word;
    va_end(ap);
    p->argv[argc] = NULL;
    p->status = opts_parse(&toy, siblings, argc, p->argv, &p->args, &p->n, &p->operands, &p->e);
}

#define GOOD(p, ...) do { \
    parse(p, __VA_ARGS__, NULL); \
    assert_string_equal((p)->e.msg, ""); \
    assert_int_equal((p)->status, 0); \
} while (0)

#define BAD(want, ...) do { \
    struct parsed bad; \
    parse(&bad, __VA_ARGS__, NULL); \
    assert_int_equal(bad.status, -1); \
    assert_int_equal(bad.e.kind, ERR_USAGE); \
    assert_string_equal(bad.e.msg, "toy: " want); \
} while (0)

/* ---- good ---- */

static void test_defaults(void **state)
{
    struct parsed p;

    (void)state;
    parse(&p, NULL);
    assert_int_equal(p.status, 0);
    assert_int_equal(p.n, 0);
    assert_int_equal(p.args.columns, 4);
    assert_int_equal(p.args.cmap, 1);
    assert_int_equal(p.args.format, 0);
    assert_true(isnan(p.args.vmin));
    assert_true(p.args.eps == 1e-9);
    assert_null(p.args.output);
    assert_int_equal(p.args.models.n, 0);
    assert_null(p.args.title);
    assert_false(p.args.shared);
    assert_false(p.args.common.quiet);
    assert_int_equal(p.args.common.threads, 0);
}

static void test_forms(void **state)
{
    struct parsed p;

    (void)state;
    GOOD(&p, "-c", "3", "--cmap=inferno", "text", "-qv", "--vmin", "-1.5e-3",
         "-t2", "-o", "", "--shared-scale", "-");
    assert_int_equal(p.args.columns, 3);
    assert_int_equal(p.args.cmap, 2);
    assert_true(p.args.vmin == -1.5e-3);
    assert_string_equal(p.args.output, "");
    assert_true(p.args.shared && p.args.common.quiet && p.args.common.verbose);
    assert_int_equal(p.args.common.threads, 2);
    assert_int_equal(p.n, 2);
    assert_string_equal(p.operands[0], "text");
    assert_string_equal(p.operands[1], "-");
}

/* Of texts the first would be lost; of numbers and choices the last stands for a change. */
static void test_given_twice(void **state)
{
    struct parsed p;

    (void)state;
    GOOD(&p, "-c", "3", "-c", "5", "--json", "--format", "tsv", "--shared-scale",
         "--shared-scale");
    assert_int_equal(p.args.columns, 5);
    assert_int_equal(p.args.format, 1);
    BAD("--output: given twice, as 'a' and 'b', expected once", "-o", "a", "--output", "b");
    BAD("--title: given twice, as '' and '', expected once", "--title=", "--title=");
}

static void test_double_dash(void **state)
{
    struct parsed p;

    (void)state;
    GOOD(&p, "-c", "5", "--", "-c", "--json");
    assert_int_equal(p.args.columns, 5);
    assert_int_equal(p.args.format, 0);
    assert_int_equal(p.n, 2);
    assert_string_equal(p.operands[0], "-c");
}

static void test_last_wins(void **state)
{
    struct parsed p;

    (void)state;
    GOOD(&p, "-c", "5", "--columns", "6", "--title", "--title", "--columns=7");
    assert_int_equal(p.args.columns, 7);
    assert_string_equal(p.args.title, "--title");
    GOOD(&p, "--json", "--format", "tsv");
    assert_int_equal(p.args.format, 1);
}

static void test_alias(void **state)
{
    struct parsed p;

    (void)state;
    GOOD(&p, "--json");
    assert_int_equal(p.args.format, 2);
    GOOD(&p, "--format=tsv", "--json");
    assert_int_equal(p.args.format, 2);
}

static void test_list(void **state)
{
    struct parsed p;

    (void)state;
    GOOD(&p, "--columns", "2", "-m", "a", "text", "--json", "--model=b");
    assert_int_equal(p.args.models.n, 2);
    assert_true(p.args.models.place[0] == 2 && p.args.models.place[1] == 4);
    assert_string_equal(p.args.models.item[0], "a");
    assert_string_equal(p.args.models.item[1], "b");
    BAD("--model: 'c' is one too many: at most 2", "-m", "a", "-m", "b", "-m", "c");
}

/* A value of such an option goes after '=': the next word is a text, if it is no value. */
static void test_alone(void **state)
{
    struct parsed p;

    (void)state;
    GOOD(&p, "text");
    assert_int_equal(p.args.depth, 0);
    GOOD(&p, "--depth", "a text");
    assert_int_equal(p.args.depth, 7);
    assert_int_equal(p.n, 1);
    BAD("--depth 3: its value stands after '=': expected --depth=3, or the operand '3' before it",
        "--depth", "3");
    GOOD(&p, "--depth=3");
    assert_int_equal(p.args.depth, 3);
    BAD("--depth: '10' is not in 1..9", "--depth=10");
    BAD("--depth: '' is not a whole number (1..9)", "--depth=");
    BAD("--dep: unknown option; did you mean --depth?", "--dep=3");
}

static void test_help_asked(void **state)
{
    struct parsed p;

    (void)state;
    parse(&p, "text", "--help", NULL);
    assert_int_equal(p.status, OPTS_HELP);
    parse(&p, "-qh", NULL);
    assert_int_equal(p.status, OPTS_SHORT_HELP);
}

static void test_edges_of_ranges(void **state)
{
    struct parsed p;

    (void)state;
    GOOD(&p, "-c", "1", "--eps", "0");
    assert_int_equal(p.args.columns, 1);
    assert_true(p.args.eps == 0);
    GOOD(&p, "-c", "064", "--eps=1", "--vmin=1e300");
    assert_int_equal(p.args.columns, 64);
    GOOD(&p, "-c", "+2", "--eps=.5");
    assert_true(p.args.eps == 0.5);
}

/* ---- bad ---- */

static void test_bad_whole_numbers(void **state)
{
    (void)state;
    BAD("--columns: '0' is not in 1..64", "--columns", "0");
    BAD("--columns: '65' is not in 1..64", "-c65");
    BAD("--columns: '-1' is not in 1..64", "-c", "-1");
    BAD("--columns: '4294967297' is not in 1..64", "-c", "4294967297");
    BAD("--columns: '99999999999999999999' is not in 1..64", "-c",
        "99999999999999999999");
    BAD("--columns: '4x' is not a whole number (1..64)", "-c", "4x");
    BAD("--columns: ' 4' is not a whole number (1..64)", "-c", " 4");
    BAD("--columns: '' is not a whole number (1..64)", "--columns=");
    BAD("--columns: '-' is not a whole number (1..64)", "-c", "-");
    BAD("--columns: '0x4' is not a whole number (1..64)", "-c", "0x4");
    BAD("--columns: '4.0' is not a whole number (1..64)", "-c", "4.0");
    BAD("--columns: '1e1' is not a whole number (1..64)", "-c", "1e1");
}

static void test_bad_numbers(void **state)
{
    (void)state;
    BAD("--eps: '1.5' is not in 0..1", "--eps", "1.5");
    BAD("--eps: 'nan' is not a number (0..1)", "--eps", "nan");
    BAD("--vmin: 'inf' is not a number", "--vmin", "inf");
    BAD("--vmin: '1e999' is too large", "--vmin", "1e999");
    BAD("--vmin: '0x1p3' is not a number", "--vmin", "0x1p3");
    BAD("--vmin: '1,5' is not a number", "--vmin", "1,5");
    BAD("--vmin: '1e' is not a number", "--vmin", "1e");
    BAD("--vmin: '.' is not a number", "--vmin", ".");
    BAD("--vmin: '' is not a number", "--vmin", "");
}

static void test_bad_choices(void **state)
{
    (void)state;
    BAD("--cmap: 'viridsi' is not one of viridis, magma, inferno; "
        "did you mean 'viridis'?", "--cmap", "viridsi");
    BAD("--cmap: 'lava' was renamed: magma", "--cmap=lava");
    BAD("--cmap: 'jett' is not one of viridis, magma, inferno", "--cmap=jett");
    BAD("--cmap: 'in' is not one of viridis, magma, inferno; "
        "did you mean 'inferno'?", "--cmap=in");
    BAD("--format: '' is not one of table, tsv, json", "--format", "");
}

static void test_bad_options(void **state)
{
    (void)state;
    BAD("--colunms: unknown option; did you mean --columns?", "--colunms", "4");
    BAD("--colunms: unknown option; did you mean --columns?", "--colunms=4");
    BAD("--zebra: unknown option", "--zebra");
    BAD("-x: unknown option; -- goes before a text that begins with -", "-qx");
    BAD("--columns requires a value: N", "--columns");
    BAD("--columns requires a value: N", "x", "-c");
    BAD("--json takes no value", "--json=1");
    BAD("--\\x1b[2J: unknown option", "--\x1b[2J");
}

/* What getopt_long would take for the only name that begins so. */
static void test_no_abbreviations(void **state)
{
    (void)state;
    BAD("--col: unknown option; did you mean --columns?", "--col", "4");
    BAD("--col: unknown option; did you mean --columns?", "--col=4");
    BAD("--shared: unknown option; did you mean --shared-scale?", "--shared");
    BAD("--verb: unknown option; did you mean --verbose?", "--verb", "text");
    BAD("--c: unknown option", "--c", "4");
}

/* What other programs call it, what other commands have, and what is spelt nearly so. */
static void test_hints(void **state)
{
    (void)state;
    BAD("--colour: unknown option; did you mean --cmap?", "--colour", "red");
    BAD("--Palette: unknown option; did you mean --cmap?", "--Palette=red");
    BAD("--shared_scale: unknown option; did you mean --shared-scale?", "--shared_scale");
    BAD("--out: unknown option; did you mean --output?", "--out");
    BAD("--title-text: unknown option; did you mean --title?", "--title-text", "x");
    BAD("--figsize: unknown option", "--figsize");
    BAD("--device: unknown option; everything runs on the processor; --threads chooses on how many "
        "cores", "--device", "cuda");
    BAD("--reverse: unknown option; first and second have --reverse", "--reverse");
    BAD("--scale: unknown option; first, second, third and 2 more commands have --scale",
        "--scale=row");
    BAD("--log-scale: unknown option; first, second, third and 2 more commands have --scale log",
        "--log-scale");
    BAD("--norm: unknown option; first, second, third and 2 more commands have --scale",
        "--norm=log");
    BAD("--colu: unknown option; did you mean --columns?", "--colu=4");
    BAD("--tims: unknown option", "--tims");
    BAD("-j: unknown option; did you mean --threads?", "-j", "4");
    BAD("-n: unknown option; everything runs on the processor; --threads chooses on how many "
        "cores", "-ngl", "4");
    BAD("--cmap: 'rocket' is not one of viridis, magma, inferno; did you mean 'magma'?",
        "--cmap=rocket");
}

static void find_option(void *self, const struct opt_group *group, const struct opt *o)
{
    const struct opt **found = self;

    (void)group;
    if (found[0]->name != NULL && strcmp(found[0]->name, o->name) == 0)
        found[1] = o;
}

static const struct opt *option_of_any(const char *name, size_t n)
{
    char whole[64];
    struct opt like = { .name = whole };
    const struct opt *found[2] = { &like, NULL };

    snprintf(whole, sizeof whole, "%.*s", (int)n, name);
    for (int i = 0; cmd_table[i] != NULL && found[1] == NULL; i++)
        opts_each(cmd_table[i], find_option, found);
    return found[1];
}

static bool is_choice(const struct opt *o, const char *name)
{
    for (int i = 0; o->choices[i] != NULL; i++)
        if (strcmp(o->choices[i], name) == 0)
            return true;
    return false;
}

/* A hint names options and choices that there are, and stands for what there is not. */
static void check_hint(const char *typed, const char *meant)
{
    const char *value = strchr(typed, '=');
    const struct opt *o = value != NULL ? option_of_any(typed, (size_t)(value - typed)) : NULL;

    if (value != NULL && (o == NULL || !is_choice(o, meant) || is_choice(o, value + 1)))
        fail_msg("%s: %s", typed, meant);
    for (const char *at = meant; value == NULL && strncmp(at, "--", 2) == 0;) {
        if (option_of_any(at + 2, strcspn(at, "| ") - 2) == NULL)
            fail_msg("%s: there is no %s", typed, at);
        at += strcspn(at, "|");
        at += *at == '|';
    }
}

static void test_rows_of_hints(void **state)
{
    (void)state;
#define HINT(typed, meant) check_hint(typed, meant);
#include "cli/hints.def"
#undef HINT
}

static void test_too_many_operands(void **state)
{
    (void)state;
    BAD("unexpected operand 'c', expected at most 2; "
        "a text with spaces goes in quotes", "a", "b", "c", "d");
}

/* ---- names ---- */

static void check_unknown(const char *name, const char *want)
{
    struct arena arena;
    struct err e = { ERR_NONE, "" };

    arena_init(&arena, NULL, NULL);
    assert_null(cmd_known(name, &arena, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    assert_string_equal(e.msg, want);
    arena_finish(&arena);
}

static void test_commands(void **state)
{
    (void)state;
    assert_non_null(cmd_find("completion"));
    assert_null(cmd_find("complet"));
    assert_null(cmd_find(""));
    check_unknown("completoin", "'completoin' is not a command; did you mean 'completion'?");
    check_unknown("hlep", "'hlep' is not a command; did you mean 'help'?");
    check_unknown("plot", "'plot' is not a command; did you mean 'heatmap'?");
    check_unknown("zzzzzz", "'zzzzzz' is not a command");
    check_unknown("it's a cat", "'it's a cat' is not a command; of a text: mha-viz heatmap "
                                "'it'\\''s a cat'");
}

/* ---- the tables of the real commands ---- */

enum { MOST = 160 };             /* options of a command */

struct seen {
    const struct cmd *cmd;
    const char *name[MOST];
    char letter[MOST];
    int n;
};

/* That an alias names an option and a value that are there. */
static void check_alias(const struct cmd *c, const struct opt *o)
{
    char name[64], *argv[] = { (char *)(uintptr_t)c->name, name, NULL }, **operands;
    struct err e = { ERR_NONE, "" };
    void *args = calloc(1, c->args_size);
    int n;

    snprintf(name, sizeof name, "--%s", o->name);
    assert_int_equal(opts_parse(c, NULL, 2, argv, args, &n, &operands, &e), 0);
    free(args);
}

static void check_row(void *self, const struct opt_group *group, const struct opt *o)
{
    struct seen *s = self;
    bool flag = o->type == OPT_FLAG || o->type == OPT_ALIAS || o->type == OPT_HELP;
    bool number = o->type == OPT_INT || o->type == OPT_REAL;

    (void)group;
    assert_true(s->n < MOST);
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->name[i], o->name) == 0 ||
            (o->short_name != 0 && s->letter[i] == o->short_name))
            fail_msg("%s: --%s: its name or letter appears twice", s->cmd->name,
                     o->name);
    if (flag != (o->arg == NULL))
        fail_msg("%s: --%s: a flag has no arg, all others have", s->cmd->name, o->name);
    if (number && !(o->min < o->max))
        fail_msg("%s: --%s: an empty range", s->cmd->name, o->name);
    if ((o->type == OPT_CHOICE) != (o->choices != NULL))
        fail_msg("%s: --%s: choices", s->cmd->name, o->name);
    if (o->help == NULL || o->help[strlen(o->help) - 1] == '.')
        fail_msg("%s: --%s: help is one line without a full stop", s->cmd->name,
                 o->name);
    if (o->type == OPT_ALIAS)
        check_alias(s->cmd, o);
    s->name[s->n] = o->name;
    s->letter[s->n++] = o->short_name;
}

static void test_real_tables(void **state)
{
    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++) {
        const struct cmd *c = cmd_table[i];
        struct seen s = { .cmd = c };
        char *argv[] = { (char *)(uintptr_t)c->name, NULL }, **operands;
        struct err e = { ERR_NONE, "" };
        void *args = calloc(1, c->args_size);
        int n;

        opts_each(c, check_row, &s);
        assert_true(c->args_size >= sizeof(struct common_args));
        assert_int_equal(opts_parse(c, NULL, 1, argv, args, &n, &operands, &e), 0);
        free(args);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_given_twice), cmocka_unit_test(test_double_dash),
        cmocka_unit_test(test_last_wins),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_help_asked),
        cmocka_unit_test(test_edges_of_ranges),
        cmocka_unit_test(test_bad_whole_numbers),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_bad_choices),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_no_abbreviations),
        cmocka_unit_test(test_hints), cmocka_unit_test(test_rows_of_hints),
        cmocka_unit_test(test_too_many_operands),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_real_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
