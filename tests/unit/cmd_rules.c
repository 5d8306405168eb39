/* SPDX-License-Identifier: MIT
 * What options of the commands say of one another: names that exist, and each rule of each command,
 * as the rows have it, broken on a command line. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/rules.h"
#include "cmd/cmds.h"
#include "cmd/program.h"

static struct arena arena;

/* ---- names ---- */

/* A row, and the commands that have it. */
struct row {
    const struct opt *opt;
    const char *name;           /* of the option that is looked for, [n] */
    size_t n;
    bool has_row, found;        /* of a command: it has this row; it has both */
};

static void see_row(void *self, const struct opt_group *group, const struct opt *o)
{
    struct row *row = self;

    (void)group;
    row->has_row |= o == row->opt;
}

static void see_name(void *self, const struct opt_group *group, const struct opt *o)
{
    struct row *row = self;

    (void)group;
    row->found |= row->has_row && strlen(o->name) == row->n &&
                  strncmp(o->name, row->name, row->n) == 0;
}

static void check_name(const struct opt *o, const char *name, size_t n)
{
    struct row row = { .opt = o, .name = name, .n = n };

    for (int i = 0; cmd_table[i] != NULL; i++) {
        row.has_row = false;
        opts_each(cmd_table[i], see_row, &row);
        opts_each(cmd_table[i], see_name, &row);
    }
    if (!row.found)
        fail_msg("--%s: no command with this row has --%.*s", o->name, (int)n, name);
}

/* The names of a column, which may go on with a value. */
static void check_names(const struct opt *o, const char *s, bool values)
{
    while (s != NULL && *s != '\0') {
        size_t n_terms = strcspn(s, ":;"), n_rule = strcspn(s, ";");

        for (size_t i = 0; i < n_terms;) {
            size_t n = strcspn(s + i, "|:;"), n_name = strcspn(s + i, "=|:;");

            if (n_name < n && !values)
                fail_msg("--%s excludes a value: '%.*s'", o->name, (int)n, s + i);
            check_name(o, s + i, n_name);
            i += n + (s[i + n] == '|');
        }
        if (n_terms < n_rule && (s[n_terms + 1] != ' ' || n_rule < n_terms + 3))
            fail_msg("--%s: '%.*s': expected ': ' and why", o->name, (int)n_rule, s);
        s += n_rule + strspn(s + n_rule, "; ");
    }
}

static void check_option(void *self, const struct opt_group *group, const struct opt *o)
{
    (void)self;
    (void)group;
    check_names(o, o->needs, true);
    check_names(o, o->excludes, false);
}

static void test_names_exist(void **state)
{
    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++)
        opts_each(cmd_table[i], check_option, NULL);
}

/* Options are told apart by where they are set. */
struct fields {
    const struct cmd *cmd;
    const struct opt *opt[OPTS_MOST];
    int n;
};

static void check_field(void *self, const struct opt_group *group, const struct opt *o)
{
    struct fields *all = self;

    (void)group;
    if (o->type == OPT_ALIAS || o->type == OPT_HELP)
        return;
    for (int i = 0; i < all->n; i++)
        if (all->opt[i]->field == o->field)
            fail_msg("%s: --%s and --%s are set in one place", all->cmd->name,
                     all->opt[i]->name, o->name);
    all->opt[all->n++] = o;
}

static void test_each_option_has_a_place(void **state)
{
    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++) {
        struct fields all = { .cmd = cmd_table[i] };

        opts_each(cmd_table[i], check_field, &all);
    }
}

/* ---- broken rules ---- */

enum { WORDS_MOST = 16 };

struct line {
    char *word[WORDS_MOST];
    int n;
};

/* What an option that is given says: a choice that is not its default. */
static const char *value_of(const struct opt *o)
{
    const char *preset = o->def != NULL ? o->def : o->type == OPT_CHOICE ? o->choices[0] : "";

    switch (o->type) {
    case OPT_INT:
    case OPT_REAL:
        return arena_printf(&arena, "%.9g", o->min > -1e38 ? o->min : 0.0);
    case OPT_CHOICE:
        return o->choices[strcmp(o->choices[0], preset) == 0];
    default:
        return "x";
    }
}

static void give(struct line *line, const struct rule_term *t)
{
    const char *value = t->value >= 0 && t->of == t->opt ? t->opt->choices[t->value] :
                                                           value_of(t->opt);

    assert_in_range(line->n, 0, WORDS_MOST - 1);
    line->word[line->n++] = t->opt->arg == NULL ?
        arena_printf(&arena, "--%s", t->opt->name) :
        arena_printf(&arena, "--%s=%s", t->opt->name, value);
}

static struct line begin_line(const struct cmd *c)
{
    return (struct line){ { arena_strdup(&arena, "mha-viz"), arena_strdup(&arena, c->name) }, 2 };
}

/* Whether s has "--name", and not as the beginning of a longer one. */
static bool has_name(const char *s, const char *name)
{
    const char *dashed = arena_printf(&arena, "--%s", name);
    size_t n = strlen(dashed);

    for (; (s = strstr(s, dashed)) != NULL; s += n)
        if (s[n] == '\0' || strchr(" ,:", s[n]) != NULL)
            return true;
    return false;
}

static const char *joined(const struct line *line)
{
    const char *text = "";

    for (int i = 0; i < line->n; i++)
        text = arena_printf(&arena, "%s%s%s", text, i > 0 ? " " : "", line->word[i]);
    return text;
}

/* The program ends with status 2 and one line, which names both. */
static void refused(struct line *line, const struct opt *x, const struct opt *y)
{
    const struct cmd *c;
    struct err e = { ERR_NONE, "" };
    int status;

    status = program_run(line->n, line->word, &c, &arena, &e);
    if (status != -1 || e.kind != ERR_USAGE)
        fail_msg("%s: expected misuse, found '%s'", joined(line), e.msg);
    if (!has_name(e.msg, x->name) || !has_name(e.msg, y->name))
        fail_msg("%s: --%s or --%s is not in '%s'", joined(line), x->name, y->name, e.msg);
}

/* The same says nothing of a rule where it is kept. */
static void kept(const struct cmd *c, struct line *line, const struct opt *x)
{
    void *args = arena_alloc(&arena, 1, c->args_size);
    char **operands;
    struct err e = { ERR_NONE, "" };
    int n;

    assert_int_equal(opts_parse(c, NULL, line->n - 1, line->word + 1, args, &n, &operands, &e),
                     0);
    if (rules_check(c, args, &e) != 0 &&
        strstr(e.msg, arena_printf(&arena, "--%s requires", x->name)) != NULL)
        fail_msg("%s: '%s'", joined(line), e.msg);
}

struct breaking {
    const struct cmd *cmd;
    const struct opt *last;     /* whose needs before this rule are in line */
    struct line line;
    int n_needs, n_excludes;    /* of all commands */
};

static void break_need(struct breaking *b, const struct rule *r)
{
    if (b->last != r->self.opt) {
        b->last = r->self.opt;
        b->line = begin_line(b->cmd);
        give(&b->line, &r->self);
    }
    for (int i = 0; i < r->n; i++) {
        struct line good = b->line;

        refused(&b->line, r->self.opt, r->term[i].opt);
        give(&good, &r->term[i]);
        if (strchr(r->self.opt->needs, ';') == NULL)
            kept(b->cmd, &good, r->self.opt);
        b->n_needs++;
    }
    give(&b->line, &r->term[0]);        /* for its next */
}

static void break_rule(void *self, const struct rule *r)
{
    struct breaking *b = self;

    if (r->needs) {
        break_need(b, r);
        return;
    }
    for (int i = 0; i < r->n; i++) {
        struct line line = begin_line(b->cmd), turned = begin_line(b->cmd);

        give(&line, &r->self);
        give(&line, &r->term[i]);
        refused(&line, r->self.opt, r->term[i].opt);
        give(&turned, &r->term[i]);
        give(&turned, &r->self);
        refused(&turned, r->self.opt, r->term[i].opt);
        b->n_excludes++;
    }
}

static void test_each_rule_is_kept(void **state)
{
    struct breaking b = { .n_needs = 0 };

    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++) {
        b.cmd = cmd_table[i];
        b.last = NULL;
        rules_each(b.cmd, break_rule, &b);
    }
    print_message("%d exclusions, %d needs\n", b.n_excludes, b.n_needs);
    assert_in_range(b.n_excludes, 300, 3000);
    assert_in_range(b.n_needs, 50, 500);
}

/* ---- both rows know ---- */

struct pairs {
    const struct cmd *cmd;
    const struct opt *x[OPTS_MOST * 8], *y[OPTS_MOST * 8];
    int n;
};

static bool excludes(const struct cmd *c, const struct opt *x, const struct opt *y)
{
    const struct opt *all[OPTS_MOST];
    int n = rules_excluded(c, x, all);

    for (int i = 0; i < n; i++)
        if (all[i] == y)
            return true;
    return false;
}

static void check_pair(struct pairs *p, const struct opt *x, const struct opt *y)
{
    if (!excludes(p->cmd, x, y) || !excludes(p->cmd, y, x))
        fail_msg("%s: only one of --%s, --%s excludes the other", p->cmd->name, x->name, y->name);
    if (x == y)
        fail_msg("%s: --%s excludes itself", p->cmd->name, x->name);
    for (int i = 0; i < p->n; i++)
        if ((p->x[i] == x && p->y[i] == y) || (p->x[i] == y && p->y[i] == x))
            fail_msg("%s: --%s, --%s: written twice", p->cmd->name, x->name, y->name);
    assert_in_range(p->n, 0, OPTS_MOST * 8 - 1);
    p->x[p->n] = x;
    p->y[p->n++] = y;
}

static void see_pair(void *self, const struct rule *r)
{
    for (int i = 0; !r->needs && i < r->n; i++)
        check_pair(self, r->self.opt, r->term[i].opt);
}

static void test_exclusions_are_of_both(void **state)
{
    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++) {
        static struct pairs pairs;

        pairs.cmd = cmd_table[i];
        pairs.n = 0;
        rules_each(pairs.cmd, see_pair, &pairs);
    }
}

/* An option that needs another does not exclude it. */
static void see_need(void *self, const struct rule *r)
{
    const struct cmd *c = self;
    bool possible = !r->needs;

    for (int i = 0; i < r->n; i++)
        possible |= !excludes(c, r->self.opt, r->term[i].opt);
    if (!possible)
        fail_msg("%s: --%s excludes what it needs", c->name, r->self.opt->name);
}

static void test_needs_are_possible(void **state)
{
    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++)
        rules_each(cmd_table[i], see_need, (void *)(uintptr_t)cmd_table[i]);
}

/* ---- a small command ---- */

struct toy_args {
    struct common_args common;
    bool one, two, three;
    int how, number;
};

#define F(f) offsetof(struct toy_args, f)
static const char *const hows[] = { "plain", "mean", NULL };
static const struct opt toy_opts[] = {
    FLAG(0, "one", F(one), "first", .needs = "missing|how=mean: it is so; two"),
    FLAG(0, "two", F(two), "second", .needs = "missing"),
    FLAG(0, "three", F(three), "third", .excludes = "missing|number; short: both say how; two"),
    CHOICE(0, "how", "WHAT", F(how), "plain", hows, "how"),
    INT(0, "number", "N", F(number), "3", 0, 9, "a number"),
    ALIAS("short", "how=mean", "short for --how mean"),
    END
};
#undef F

static const struct cmd toy = { .name = "toy", .operands = "", .opts = toy_opts,
                                .args_size = sizeof(struct toy_args) };

#define SAYS(want, ...) do { \
    char *argv[] = { (char *)(uintptr_t)"toy", __VA_ARGS__, NULL }; \
    struct toy_args args; \
    struct err e = { ERR_NONE, "" }; \
    char **operands; \
    int n; \
    assert_int_equal(opts_parse(&toy, NULL, (int)(sizeof argv / sizeof *argv) - 1, argv, &args, \
                                &n, &operands, &e), 0); \
    assert_int_equal(rules_check(&toy, &args, &e), (want)[0] == '\0' ? 0 : -1); \
    assert_string_equal(e.msg, want); \
} while (0)

static void test_words(void **state)
{
    char needed[RULES_NEEDED_SIZE];

    (void)state;
    SAYS("--one requires --how mean: it is so", "--one");
    SAYS("--one requires --how mean: it is so", "--one", "--how=plain");
    SAYS("--one requires --two", "--one", "--how", "mean");
    SAYS("--one requires --two", "--one", "--short");
    SAYS("", "--one", "--short", "--two");
    SAYS("", "--two");
    SAYS("--three, --number: only one of them can be given", "--number=3", "--three");
    SAYS("--three, --short: only one of them can be given: both say how", "--three", "--how=mean");
    SAYS("--three, --two: only one of them can be given", "--two", "--three");
    SAYS("", "--three", "--how=plain");
    rules_needed(needed, &toy, &toy_opts[0]);
    assert_string_equal(needed, "--how mean, and --two");
    rules_needed(needed, &toy, &toy_opts[1]);
    assert_string_equal(needed, "");
}

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_exist),
        cmocka_unit_test(test_each_option_has_a_place),
        cmocka_unit_test(test_each_rule_is_kept),
        cmocka_unit_test(test_exclusions_are_of_both),
        cmocka_unit_test(test_needs_are_possible),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, begin, finish);
}
