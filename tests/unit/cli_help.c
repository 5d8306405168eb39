/* SPDX-License-Identifier: MIT
 *
 * Help of a small command, word by word, and of the real commands: lines fit a terminal,
 * -h fits one screen, no heading appears twice. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "cmd/cmds.h"

/* ---- a small command ---- */

struct toy_args {
    struct common_args common;
    int columns, cmap, seed;
    double eps;
    const char *output, *mask;
    bool shared;
};

#define F(f) offsetof(struct toy_args, f)

static const char *const cmaps[] = { "viridis", "magma", "inferno", NULL };

static const struct opt own[] = {
    INT('c', "columns", "N", F(columns), "4", 1, 64, "heads per row of the grid"),
    CHOICE(0, "cmap", "NAME", F(cmap), "magma", cmaps,
           "colours of a cell, from the least to the greatest of what is drawn there"),
    REAL(0, "eps", "X", F(eps), "1e-9", 0, 1, "added to each weight",
         .needs = "shared-scale: it is so"),
    FLAG(0, "shared-scale", F(shared), "one scale for all",
         .excludes = "mask-with-a-long-name|missing"),
    END
};
static const struct opt output_opts[] = {
    PATH('o', "output", "FILE", F(output), "write here"), END
};
static const struct opt mask_opts[] = {
    STRING(0, "mask-with-a-long-name", "SPEC", F(mask), "hide keys"), END
};
static const struct opt seed_opts[] = {
    INT('s', "seed", "N", F(seed), NULL, 0, 2147483647, "seed of the mask"), END
};

static const struct opt_group output_group = { "output", output_opts };
static const struct opt_group mask_group = { "all masks", mask_opts };
static const struct opt_group seed_group = { "all masks", seed_opts };
static const struct opt_group *const groups[] = { &output_group, &mask_group, &seed_group,
                                                  NULL };
static const char *const examples[] = { "mha-viz toy -c 3 \"a b\"", NULL };

static const struct cmd toy = {
    .name = "toy", .summary = "play with options", .operands = "[TEXT [TEXT_B]]",
    .opts = own, .groups = groups, .args_size = sizeof(struct toy_args),
    .examples = examples, .max_operands = 2,
};

static char *help_of(const struct cmd *c, void (*print)(FILE *, const struct cmd *))
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    print(f, c);
    fclose(f);
    return text;
}

static void test_command(void **state)
{
    char *text = help_of(&toy, help_command);

    (void)state;
    assert_string_equal(text,
        "usage: mha-viz toy [OPTIONS] [TEXT [TEXT_B]]\n"
        "\n"
        "play with options\n"
        "\n"
        "Options:\n"
        "  -c, --columns N     heads per row of the grid (1..64) [4]\n"
        "      --cmap NAME     colours of a cell, from the least to the greatest of "
        "what\n"
        "                      is drawn there; one of viridis, magma, inferno [magma]\n"
        "      --eps X         added to each weight (0..1) [1e-9] [requires\n"
        "                      --shared-scale]\n"
        "      --shared-scale  one scale for all [not with --mask-with-a-long-name]\n"
        "\n"
        "Output:\n"
        "  -o, --output FILE   write here\n"
        "\n"
        "All masks:\n"
        "      --mask-with-a-long-name SPEC\n"
        "                      hide keys [not with --shared-scale]\n"
        "  -s, --seed N        seed of the mask (at least 0)\n"
        "\n"
        "Program:\n"
        "  -t, --threads N     number of threads; 0: one per processor (0..1024) [0]\n"
        "  -q, --quiet         print no warnings and no progress\n"
        "  -v, --verbose       print more about what is read and done\n"
        "      --profile       print to standard error where the time went\n"
        "  -h, --help          show this help; -h shows only the command's own options\n"
        "\n"
        "Examples:\n"
        "  mha-viz toy -c 3 \"a b\"\n");
    free(text);
}

static void test_short(void **state)
{
    char *text = help_of(&toy, help_short);

    (void)state;
    assert_string_equal(text,
        "usage: mha-viz toy [OPTIONS] [TEXT [TEXT_B]]\n"
        "\n"
        "play with options\n"
        "\n"
        "Most used:\n"
        "  -o, --output FILE   write here\n"
        "\n"
        "Options:\n"
        "  -c, --columns N     heads per row of the grid (1..64) [4]\n"
        "      --cmap NAME     colours of a cell, from the least to the greatest of "
        "what\n"
        "                      is drawn there; one of viridis, magma, inferno [magma]\n"
        "      --eps X         added to each weight (0..1) [1e-9]\n"
        "      --shared-scale  one scale for all\n"
        "\n"
        "Shared options: output (-o), all masks (-s), program (-t -q -v -h)\n"
        "\n"
        "`mha-viz help toy` describes all options and shows examples;\n"
        "`mha-viz help toy GROUP` describes one group; write blanks in GROUP as -.\n");
    free(text);
}

static void test_group(void **state)
{
    char *text, names[80];
    size_t n;
    FILE *f = open_memstream(&text, &n);

    (void)state;
    assert_true(help_group(f, &toy, "all-masks", names, sizeof names));
    assert_false(help_group(f, &toy, "masks", names, sizeof names));
    fclose(f);
    assert_string_equal(names, "options, output, all-masks, program");
    assert_string_equal(text,
        "\n"
        "All masks:\n"
        "      --mask-with-a-long-name SPEC\n"
        "                      hide keys [not with --shared-scale]\n"
        "  -s, --seed N        seed of the mask (at least 0)\n");
    free(text);
}

/* ---- the real commands ---- */

static int check_lines(const char *text)
{
    int n_lines = 0;

    for (size_t n; *text != '\0'; text += n + (text[n] == '\n'), n_lines++) {
        size_t columns = 0;

        n = strcspn(text, "\n");
        for (size_t i = 0; i < n; i++)
            columns += (text[i] & 0xc0) != 0x80;
        assert_in_range(columns, 0, 80);
        assert_true(n == 0 || text[n - 1] != ' ');
    }
    return n_lines;
}

static void test_program(void **state)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    (void)state;
    help_program(f, cmd_table);
    fclose(f);
    assert_in_range(check_lines(text), 1, 25);
    for (int i = 0; cmd_table[i] != NULL; i++)
        assert_non_null(strstr(text, cmd_table[i]->name));
    free(text);
}

static void test_real_commands(void **state)
{
    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++) {
        char *whole = help_of(cmd_table[i], help_command);
        char *first = help_of(cmd_table[i], help_short);

        check_lines(whole);
        if (check_lines(first) > 32)
            fail_msg("%s -h: more than 32 lines", cmd_table[i]->name);
        free(whole);
        free(first);
    }
}

/* Groups that share a heading follow one another, or it would be printed twice. */
static void test_headings(void **state)
{
    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++) {
        const struct opt_group *const *all = cmd_table[i]->groups;

        for (int x = 0; all != NULL && all[x] != NULL; x++)
            for (int y = 0; y < x - 1; y++)
                if (strcmp(all[x]->name, all[y]->name) == 0 &&
                    strcmp(all[x]->name, all[x - 1]->name) != 0)
                    fail_msg("%s --help: '%s' appears twice", cmd_table[i]->name,
                             all[x]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_short), cmocka_unit_test(test_group),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_real_commands),
        cmocka_unit_test(test_headings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
