/* SPDX-License-Identifier: MIT
 * One name, one meaning: the options of all commands.  The table of mha-viz-options(7) is written
 * anew, where options have changed, by
 *
 *     MHA_VIZ_WRITE=1 build/tests/unit/cmd_options */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/formers.h"
#include "cli/rules.h"
#include "cmd/cmds.h"
#include "cmd/options.h"

static const char PAGE[] = "man/mha-viz-options.7";

static struct arena arena;

/* ---- one name, one meaning ---- */

static void test_one_kind(void **state)
{
    int n;
    const struct option_name *o = option_names(&arena, &n);

    (void)state;
    assert_in_range(n, 150, 399);
    for (int i = 0; i < n; i++)
        if (o[i].has_kinds)
            fail_msg("--%s is a flag, a number or a text, by the command: %s", o[i].first->name,
                     option_commands(&arena, &o[i]));
}

static void test_one_meaning(void **state)
{
    int n;
    const struct option_name *o = option_names(&arena, &n);

    (void)state;
    for (int i = 0; i < n; i++) {
        if (o[i].has_wordings && !o[i].is_listed)
            fail_msg("--%s: its help differs by the command: give it another name where it means "
                     "something else, or its meaning in meanings.def", o[i].first->name);
        if (!o[i].has_wordings && o[i].is_listed)
            fail_msg("--%s: its help is the same everywhere: meanings.def needs no row",
                     o[i].first->name);
    }
}

/* What meanings.def names exists: else a row would stand for nothing. */
static void test_meanings_are_of_options(void **state)
{
    static const char *const listed[] = {
#define MEANING(name, meaning) name,
#include "cli/meanings.def"
#undef MEANING
    };
    int n;
    const struct option_name *o = option_names(&arena, &n);

    (void)state;
    for (size_t k = 0; k < sizeof listed / sizeof *listed; k++) {
        bool found = false;

        for (int i = 0; i < n; i++)
            found |= strcmp(o[i].first->name, listed[k]) == 0;
        if (!found)
            fail_msg("meanings.def: no command has --%s", listed[k]);
    }
}

/* ---- former names ---- */

static const struct former formers[] = {
#define FORMER(was, now) { was, now },
#include "cli/formers.def"
#undef FORMER
};

static void test_each_former_name_is_somewhere_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formers / sizeof *formers; i++) {
        bool taken = false;

        for (int k = 0; cmd_table[k] != NULL; k++)
            taken |= former_now(cmd_table[k], formers[i].name, strlen(formers[i].name)) != NULL;
        if (!taken)
            fail_msg("formers.def: no command takes --%s for --%s", formers[i].name,
                     formers[i].now);
    }
}

struct told {
    int n;
    char said[200];
};

static void tell(void *self, const char *was, const char *now)
{
    struct told *t = self;

    t->n++;
    snprintf(t->said, sizeof t->said, "%s -> %s", was, now);
}

/* argv of a command, NULL ends -> words with a blank between them. */
static const char *replaced(struct told *t, const char *const *argv)
{
    const char *text = "";
    char **out;
    int n = 0;

    while (argv[n] != NULL)
        n++;
    *t = (struct told){ 0 };
    out = formers_replace(&arena, cmd_find(argv[0]), n, (char **)(uintptr_t)argv, tell, t);
    for (int i = 0; i < n; i++)
        text = arena_printf(&arena, "%s%s%s", text, i > 0 ? " " : "", out[i]);
    return text;
}

#define REPLACED(want, count, ...) do { \
    struct told t; \
    assert_string_equal(replaced(&t, (const char *const[]){ __VA_ARGS__, NULL }), want); \
    assert_int_equal(t.n, count); \
} while (0)

static void test_former_names_are_replaced(void **state)
{
    struct told told;

    (void)state;
    REPLACED("stats --metric all x", 1, "stats", "--compute", "all", "x");
    REPLACED("stats --metric=all x", 1, "stats", "--compute=all", "x");
    REPLACED("heatmap --compare --from 3 a b", 2, "heatmap", "--beside", "--at", "3", "a", "b");
    /* a value, a text, and what another command has under this name */
    REPLACED("stats --by --compute -qo --compute -- --compute", 0, "stats", "--by", "--compute",
             "-qo", "--compute", "--", "--compute");
    REPLACED("trace --at 3 a", 0, "trace", "--at", "3", "a");
    REPLACED("stats --pairs -f x", 0, "stats", "--pairs", "-f", "x");
    REPLACED("tokens --compute all", 0, "tokens", "--compute", "all");
    replaced(&told, (const char *const[]){ "circuits", "--pairs", NULL });
    assert_string_equal(told.said, "pairs -> edges");
}

/* ---- the page ---- */

static const char *kind_text(const struct option_name *o)
{
    static const char *const kinds[] = { "\\(en", "whole number", "number", NULL };

    return kinds[o->kind] != NULL ? kinds[o->kind] : o->first->arg;
}

enum { COMMANDS_MOST = 32, NAMES_MOST = 400 };

/* What the commands' rows say of one another: by the places of the commands, and of the names. */
static bool has[COMMANDS_MOST][NAMES_MOST];
static bool excludes[COMMANDS_MOST][NAMES_MOST][NAMES_MOST];
static char needs[COMMANDS_MOST][NAMES_MOST][RULES_NEEDED_SIZE];

struct seeing {
    const struct option_name *o;
    int n, command;
};

static int place_of(const struct seeing *s, const struct opt *o)
{
    int i = 0;

    while (i < s->n && strcmp(s->o[i].first->name, o->name) != 0)
        i++;
    assert_in_range(i, 0, s->n - 1);
    return i;
}

static void see_option(void *self, const struct opt_group *group, const struct opt *o)
{
    const struct seeing *s = self;
    int i = place_of(s, o);

    (void)group;
    has[s->command][i] = true;
    rules_needed(needs[s->command][i], cmd_table[s->command], o);
}

static void see_rule(void *self, const struct rule *r)
{
    const struct seeing *s = self;
    int x = place_of(s, r->self.opt);

    for (int i = 0; !r->needs && i < r->n; i++) {
        int y = place_of(s, r->term[i].opt);

        excludes[s->command][x][y] = excludes[s->command][y][x] = true;
    }
}

static void see_all(const struct option_name *o, int n)
{
    struct seeing s = { o, n, 0 };

    assert_in_range(n, 1, NAMES_MOST);
    for (; cmd_table[s.command] != NULL; s.command++) {
        assert_in_range(s.command, 0, COMMANDS_MOST - 1);
        opts_each(cmd_table[s.command], see_option, &s);
        rules_each(cmd_table[s.command], see_rule, &s);
    }
}

/* Those of the commands that could which said so: "" all, "all but diff", or their names. */
static const char *where(const bool *said, const bool *could)
{
    const char *those = "", *others = "";
    int n_those = 0, n_others = 0;

    for (int k = 0; cmd_table[k] != NULL; k++)
        if (said[k])
            those = arena_printf(&arena, "%s%s%s", those, n_those++ > 0 ? ", " : "",
                                 cmd_table[k]->name);
        else if (could[k])
            others = arena_printf(&arena, "%s%s%s", others, n_others++ > 0 ? ", " : "",
                                  cmd_table[k]->name);
    return n_others == 0 ? "" : n_others < n_those ?
        arena_printf(&arena, "all but %s", others) : those;
}

/* "Requires --summary (diff); --summary or --shard (stats)." */
static void put_needs(FILE *f, int name)
{
    bool could[COMMANDS_MOST] = { false }, any = false;

    for (int k = 0; cmd_table[k] != NULL; k++)
        could[k] = has[k][name];
    for (int k = 0; cmd_table[k] != NULL; k++) {
        bool said[COMMANDS_MOST] = { false }, first = needs[k][name][0] != '\0';
        const char *place;

        for (int i = 0; cmd_table[i] != NULL; i++) {
            said[i] = strcmp(needs[i][name], needs[k][name]) == 0;
            first &= i >= k || !said[i];
        }
        if (!first)
            continue;
        place = where(said, could);
        fprintf(f, "%s%s%s%s%s", any ? "; " : "Requires ", needs[k][name],
                *place != '\0' ? " (" : "", place, *place != '\0' ? ")" : "");
        any = true;
    }
    fputs(any ? ".\n" : "", f);
}

/* Where a name is excluded: NULL, nowhere. */
static const char *excluded_in(int name, int other)
{
    bool said[COMMANDS_MOST] = { false }, could[COMMANDS_MOST] = { false }, any = false;

    for (int k = 0; cmd_table[k] != NULL; k++) {
        could[k] = has[k][name] && has[k][other];
        said[k] = excludes[k][name][other];
        any |= said[k];
    }
    return any ? where(said, could) : NULL;
}

/* "Not with --file, --gold; --ids, --key (all but diff)." */
static void put_excluded(FILE *f, int name, const struct option_name *o, int n)
{
    const char *place[NAMES_MOST], *group = "";
    bool any = false;

    for (int i = 0; i < n; i++)
        place[i] = excluded_in(name, i);
    while (group != NULL) {
        bool begun = false;
        const char *next = NULL;

        for (int i = 0; i < n; i++) {
            if (place[i] != NULL && strcmp(place[i], group) == 0) {
                fprintf(f, "%s--%s", begun ? ", " : any ? "; " : "Not with ", o[i].first->name);
                begun = any = true;
                place[i] = NULL;
            } else if (place[i] != NULL && next == NULL)
                next = place[i];
        }
        if (begun && *group != '\0')
            fprintf(f, " (%s)", group);
        group = next;
    }
    fputs(any ? ".\n" : "", f);
}

static void put_options(FILE *f)
{
    int n;
    const struct option_name *o = option_names(&arena, &n);

    see_all(o, n);
    fputs(".Bl -tag -width Ds\n", f);
    for (int i = 0; i < n; i++) {
        const struct opt *row = o[i].first;

        fputs(".It ", f);
        if (row->short_name != 0)
            fprintf(f, "Fl %c , ", row->short_name);
        fprintf(f, "Fl -%s", row->name);
        if (row->arg != NULL)
            fprintf(f, " Ar %s", row->arg);
        fprintf(f, "\n%s%s", o[i].meaning[0] == '.' ? "\\&" : "", o[i].meaning);
        if (o[i].kind == OPTION_WHOLE || o[i].kind == OPTION_REAL)
            fprintf(f, "; a %s", kind_text(&o[i]));
        fputs(".\n", f);
        put_needs(f, i);
        put_excluded(f, i, o, n);
        fprintf(f, "In %s.\n", option_commands(&arena, &o[i]));
    }
    fputs(".El\n", f);
}

static void put_formers(FILE *f)
{
    fputs(".Bl -column \"--relative\" \"--relative-positions\" commands\n"
          ".It Sy was Ta Sy is Ta Sy in\n", f);
    for (size_t i = 0; i < sizeof formers / sizeof *formers; i++) {
        fprintf(f, ".It Fl -%s Ta Fl -%s Ta", formers[i].name, formers[i].now);
        for (int k = 0, n = 0; cmd_table[k] != NULL; k++)
            if (former_now(cmd_table[k], formers[i].name, strlen(formers[i].name)) != NULL)
                fprintf(f, "%s %s", n++ > 0 ? " ," : "", cmd_table[k]->name);
        fputc('\n', f);
    }
    fputs(".El\n", f);
}

/* As mandoc counts it: a character beyond ASCII as its escape, \[u2026]. */
static size_t width_of(const char *s, size_t n)
{
    size_t width = 0;

    for (size_t i = 0; i < n; i++)
        width += (unsigned char)s[i] < 0x80 ? 1 : (unsigned char)s[i] >= 0xc0 ? 8 : 0;
    return width;
}

/* Where they are roff's, characters are escaped, and lines are at most 80 bytes. */
static void put_wrapped(FILE *f, const char *text)
{
    for (const char *line = text; *line != '\0';) {
        size_t n = strcspn(line, "\n"), column = 0;
        bool macro = line[0] == '.' && strncmp(line, ".\n", 2) != 0;

        for (size_t i = 0; i < n;) {
            size_t word = strcspn(line + i, " \n");

            if (i + word > n)
                word = n - i;
            if (!macro && column > 0 && column + 1 + width_of(line + i, word) > 78) {
                fputc('\n', f);
                column = 0;
            } else if (column > 0) {
                fputc(' ', f);
                column++;
            }
            if (!macro && column == 0 && (line[i] == '.' || line[i] == '\''))
                fputs("\\&", f);
            for (size_t k = 0; k < word; k++) {
                char byte = line[i + k];

                if (!macro && byte == '\\' && strchr("(&", line[i + k + 1]) == NULL)
                    fputs("\\e", f);
                else
                    fputc(byte, f);
            }
            column += width_of(line + i, word);
            i += word + (i + word < n);
        }
        fputc('\n', f);
        line += n + (line[n] == '\n');
    }
}

static char *written(void (*fn)(FILE *f))
{
    char *text, *wrapped;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    fn(f);
    fclose(f);
    f = open_memstream(&wrapped, &n);
    put_wrapped(f, text);
    fclose(f);
    free(text);
    return wrapped;
}

static char *page(void)
{
    FILE *f = fopen(PAGE, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(text);
    assert_non_null(f);
    assert_in_range(fread(text, 1, (1 << 20) - 1, f), 1, (1 << 20) - 2);
    fclose(f);
    return text;
}

/* A block of the page, from ".\" NAME" to ".\" end of NAME". */
static void keep(const char *name, void (*fn)(FILE *f))
{
    char *text = page(), *want = written(fn), *begin, *end;

    begin = strstr(text, arena_printf(&arena, ".\\\" %s\n", name));
    end = strstr(text, arena_printf(&arena, ".\\\" end of %s\n", name));
    assert_true(begin != NULL && end != NULL && begin < end);
    begin = strchr(begin, '\n') + 1;
    if (getenv("MHA_VIZ_WRITE") != NULL) {
        FILE *f = fopen(PAGE, "w");

        assert_non_null(f);
        fprintf(f, "%.*s%s%s", (int)(begin - text), text, want, end);
        fclose(f);
    } else if (strncmp(begin, want, strlen(want)) != 0 || begin + strlen(want) != end) {
        fail_msg("%s: the block of %s is not what the rows say: see the top of %s", PAGE, name,
                 __FILE__);
    }
    free(text);
    free(want);
}

static void test_page(void **state)
{
    (void)state;
    keep("options", put_options);
    keep("formers", put_formers);
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
        cmocka_unit_test(test_one_kind),
        cmocka_unit_test(test_one_meaning),
        cmocka_unit_test(test_meanings_are_of_options),
        cmocka_unit_test(test_each_former_name_is_somewhere_taken),
        cmocka_unit_test(test_former_names_are_replaced),
        cmocka_unit_test(test_page),
    };

    return cmocka_run_group_tests(tests, begin, finish);
}
