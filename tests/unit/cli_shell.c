/* SPDX-License-Identifier: MIT
 * Words and command lines as a POSIX shell reads them: compared with what sh makes of them. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/shell.h"
#include "cmd/cmds.h"

static struct arena arena;

static const char *const words[] = {
    "", "a", "hello world", "it's", "'", "''", "a'b'c", "\"", "$HOME `id` $(id) \\", "~", "~/x",
    "*", "a=b", "=ls", "-l", "--title=my title", "\t", "\n", "a\nb\n", "\n\n", "\x01\x1b[31m",
    "\x7f", "\xff", "a\xe6\x88", "我喜欢吃苹果", "#x", "!x", "{a,b}", "x%sy%d%%", "é\xcc\x81",
    "\u202e", "\ufffe", "\xf4\x8f\xbf\xbf", "\\n", "a'\x02'b", "'\x02\n\x03'",
};

enum { N_WORDS = sizeof words / sizeof *words };

/* What sh -c "printf %s WORD" writes, in *n bytes; to be freed. */
static char *as_sh_reads(const char *word, size_t *n)
{
    char *line = arena_printf(&arena, "printf '%%s' %s", word), *got = malloc(4096);
    FILE *f = popen(line, "r");

    assert_non_null(f);
    assert_non_null(got);
    *n = fread(got, 1, 4096, f);
    assert_int_equal(pclose(f), 0);
    return got;
}

static void test_words_are_read_as_they_were(void **state)
{
    (void)state;
    for (int i = 0; i < N_WORDS; i++) {
        const char *word = shell_word(&arena, words[i]);
        size_t n;
        char *got = as_sh_reads(word, &n);

        assert_int_equal(n, strlen(words[i]));
        assert_memory_equal(got, words[i], n);
        free(got);
    }
}

/* Also of bytes that are not. */
static void test_words_are_utf8_without_controls(void **state)
{
    (void)state;
    for (int i = 0; i < N_WORDS; i++) {
        const char *word = shell_word(&arena, words[i]);
        int code, length;

        for (size_t at = 0; word[at] != '\0'; at += (size_t)length) {
            length = utf8_decode(word + at, strlen(word + at), &code);
            assert_true(length > 0);
            assert_true(code == '\n' || !utf8_is_control(code));
            assert_false(utf8_is_noncharacter(code));
        }
    }
}

static void test_words_that_need_no_quotes(void **state)
{
    (void)state;
    assert_string_equal(shell_word(&arena, "models/bert-base_2.0"), "models/bert-base_2.0");
    assert_string_equal(shell_word(&arena, "--cmap=magma"), "--cmap=magma");
    assert_string_equal(shell_word(&arena, "the cat"), "'the cat'");
    assert_string_equal(shell_word(&arena, "it's"), "'it'\\''s'");
    assert_string_equal(shell_word(&arena, "a\x1b"), "'a'\"$(printf '\\033')\"");
}

/* ---- command lines ---- */

static void check_rest(bool names, const char *want, int argc, const char *const *argv)
{
    char **copy = arena_alloc(&arena, (uint64_t)argc + 1, sizeof *copy);

    for (int i = 0; i < argc; i++)
        copy[i] = arena_strdup(&arena, argv[i]);
    assert_string_equal(command_line_rest(&arena, cmd_find(argv[0]), argc, copy, names), want);
}

#define CHECK(names, want, ...) do { \
    static const char *const argv[] = { __VA_ARGS__ }; \
    check_rest(names, want, (int)(sizeof argv / sizeof *argv), argv); \
} while (0)

static void test_what_changes_no_byte_is_left_out(void **state)
{
    (void)state;
    CHECK(true, " -l 0 'the cat'", "heatmap", "-t4", "-l", "0", "-o", "a.svg", "the cat");
    CHECK(true, " -l0 -- '-t 3'", "heatmap", "-qt", "4", "-vl0", "--output=x", "--", "-t 3");
    CHECK(true, " --summary -f x", "stats", "--summary", "--json", "-f", "x", "--shard", "1/2");
    CHECK(true, " --summary -f x", "stats", "--tsv", "--summary", "-f", "x", "--resume=s",
          "--format", "json");
    CHECK(true, " --metadata=paths", "heatmap", "--metadata=paths", "--format=svg");
}

static void test_absolute_paths_are_shortened(void **state)
{
    (void)state;
    CHECK(true, " -m bert -f a.txt", "heatmap", "-m", "/home/me/bert", "-f", "/tmp/a.txt");
    CHECK(true, " -mbert --file=a.txt", "heatmap", "-m/home/me/bert/", "--file=/tmp/a.txt");
    CHECK(true, " --file=/dev/fd/63", "heatmap", "--file=/dev/fd/63");
    CHECK(true, " --file=a.txt", "heatmap", "--file=/dev/shm/a.txt");
    CHECK(true, " -m ../bert -f x/a.txt", "heatmap", "-m", "../bert", "-f", "x/a.txt");
    CHECK(true, " -m / /home/me", "heatmap", "-m", "/", "/home/me");
    CHECK(true, " --mask causal+m.npy", "heatmap", "--mask", "causal+/home/me/m.npy");
    CHECK(true, " --mask keys:m.npy+none", "heatmap", "--mask", "keys:/home/me/m.npy+none");
    CHECK(true, " --qkv q.npy,k.npy", "heatmap", "--qkv", "/a/q.npy,/b/k.npy");
    CHECK(true, " --title /home/me", "heatmap", "--title", "/home/me");
    CHECK(false, " -m /home/me/bert", "heatmap", "-m", "/home/me/bert");
}

static void fail_full(void *self, size_t size_bytes)
{
    (void)self;
    (void)size_bytes;
    fail_msg("no memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_read_as_they_were),
        cmocka_unit_test(test_words_are_utf8_without_controls),
        cmocka_unit_test(test_words_that_need_no_quotes),
        cmocka_unit_test(test_what_changes_no_byte_is_left_out),
        cmocka_unit_test(test_absolute_paths_are_shortened),
    };
    int failed;

    arena_init(&arena, fail_full, NULL);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_finish(&arena);
    return failed;
}
