/* SPDX-License-Identifier: MIT
 * Lines and texts whose numbers no 32 bits hold: the file begins near line 2^31. */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/program.h"
#include "session/source/source.h"
#include "unit/folder.h"

static const int64_t LINES_BEFORE = 2147483646;

struct source *__real_source_lines(const struct session *s, struct err *e);
struct source *__wrap_source_lines(const struct session *s, struct err *e);

/* The linker puts it in the place of source_lines (Makefile). */
struct source *__wrap_source_lines(const struct session *s, struct err *e)
{
    struct source *source = __real_source_lines(s, e);

    if (source != NULL)
        source->n = LINES_BEFORE;
    return source;
}

/* What the program writes to standard error goes to the file "said". */
static int run(const char *const *words, struct err *e)
{
    const struct cmd *command = NULL;
    struct arena arena;
    int n = 0, kept = dup(2), said = open(at("said"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    int status;

    while (words[n] != NULL)
        n++;
    arena_init(&arena, NULL, NULL);
    dup2(said, 2);
    status = program_run(n, (char **)words, &command, &arena, e);
    dup2(kept, 2);
    close(kept);
    close(said);
    arena_finish(&arena);
    return status;
}

#define RUN(e, ...) run((const char *[]){ "mha-viz", __VA_ARGS__, "-f", at("lines"), NULL }, e)

static void has(const char *file, const char *want)
{
    static char text[1 << 20];
    FILE *f = fopen(at(file), "rb");

    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    if (strstr(text, want) == NULL)
        fail_msg("%s: expected \"%s\" in: %s", file, want, text);
}

static void put(const char *lines)
{
    write_file(at("lines"), lines, strlen(lines));
}

static void texts_have_their_numbers(void **state)
{
    struct err e;

    (void)state;
    put("a cat\nthe key\na dog\n");
    assert_int_equal(RUN(&e, "tokens", "--json", "-o", at("a")), 0);
    has("a", "\"index\":2147483646,");
    has("a", "\"index\":2147483648,");
    assert_int_equal(RUN(&e, "stats", "--tsv", "-l", "0", "-o", at("a")), 0);
    has("a", "\n2147483648\t");
    assert_int_equal(RUN(&e, "stats", "-l", "0", "-o", at("a")), 0);
    has("a", "text 2147483649\n");
    assert_int_equal(RUN(&e, "mechanisms", "--only", "exact", "--runs", "0", "-o", at("a")),
                     0);
    has("a", "text 2147483649, layer");
    assert_int_equal(RUN(&e, "diff", "--dtype", "f32", "--dtype", "bf16", "--json", "-o",
                         at("a")), 0);
    has("a", "\"index\":2147483648,");
}

static void a_line_that_cannot_be_used_is_named(void **state)
{
    struct err e;

    (void)state;
    put("a cat\nthe key\na \xff dog\n");
    assert_int_equal(RUN(&e, "tokens", "-o", at("a")), -1);
    has("said", "lines: line 2147483649: ");
    assert_non_null(strstr(e.msg, ": 1 of 2147483649 lines could not be used"));
}

static void files_are_numbered(void **state)
{
    struct err e;

    (void)state;
    put("a cat\nthe key\n");
    assert_int_equal(mkdir(at("pictures"), 0700), 0);
    if (RUN(&e, "heatmap", "--format", "svg", "-o", at("pictures/")) != 0)
        fail_msg("%s", e.msg);
    assert_int_equal(unlink(at("pictures/2147483647.svg")), 0);
    assert_int_equal(unlink(at("pictures/2147483648.svg")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(texts_have_their_numbers), IN_FOLDER(a_line_that_cannot_be_used_is_named),
        IN_FOLDER(files_are_numbered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
