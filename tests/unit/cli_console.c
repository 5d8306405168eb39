/* SPDX-License-Identifier: MIT
 * The line that says how far the work is, and which standard input holds texts. */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/console.h"

static void expect(const struct progress *p, double seconds, const char *want)
{
    char line[100];

    console_line(line, sizeof line, p, seconds);
    assert_string_equal(line, want);
}

static void says_what_is_known(void **state)
{
    struct progress p = { .tell = NULL };

    (void)state;
    progress_begin(&p, "text", 0);
    expect(&p, 2, "text 1");
    progress_tokens(&p, 13);
    expect(&p, 2, "text 1, 6.5 tokens/s");
    progress_reach(&p, 36, 0.2, 0.3);
    progress_tokens(&p, 3000);
    progress_begin(&p, "layer", 4);
    progress_step(&p);
    expect(&p, 2, "text 37, 22%, 1506 tokens/s, 7 s left");
    expect(&p, 200, "text 37, 22%, 15 tokens/s, 11:28 left");
    expect(&p, 3600, "text 37, 22%, 0.8 tokens/s, 3 h 26 min left");
}

static void names_the_work_that_has_several_units(void **state)
{
    struct progress p = { .tell = NULL };

    (void)state;
    progress_begin(&p, "text", 1);
    progress_begin(&p, "token", 1);
    progress_begin(&p, "layer", 4);
    expect(&p, 2, "layer 1 of 4, 0%");
    progress_end(&p);
    expect(&p, 2, "token 1 of 1, 0%");
    progress_step(&p);
    expect(&p, 2, "token 1 of 1, 100%");
}

static void counts_no_waiting(void **state)
{
    struct env env = { .quiet = true };
    struct console console;
    struct progress *p = &console.progress;
    int64_t start;

    (void)state;
    console_open(&console, &env);
    start = console.start_ns;
    progress_begin(p, "text", 0);
    assert_true(console.began_ns >= start);
    progress_wait(p, true);
    console.wait_ns -= 5000000000;      /* it began 5 s ago */
    progress_tick(p);
    assert_int_equal(console.start_ns, start);
    progress_wait(p, false);
    assert_int_equal(console.wait_ns, 0);
    assert_true(console.start_ns >= start + 5000000000);
    assert_true(console.began_ns >= console.start_ns);
    start = console.start_ns;
    progress_step(p);
    assert_int_equal(console.start_ns, start);
    progress_end(p);
}

static bool is_piped(int fd)
{
    struct env env = { .quiet = true };
    struct console console;
    int kept = dup(0);

    assert_int_equal(dup2(fd, 0), 0);
    console_open(&console, &env);
    assert_int_equal(dup2(kept, 0), 0);
    close(kept);
    assert_true(env.dash);
    assert_null(env.progress);
    assert_null(env.warn->fn);
    assert_null(env.note->fn);
    return env.piped;
}

static void takes_pipes_and_files_for_texts(void **state)
{
    char path[] = "/tmp/cli_console.XXXXXX";
    int ends[2], pair[2], file = mkstemp(path), null = open("/dev/null", O_RDONLY);
    int written = open(path, O_WRONLY), terminal = posix_openpt(O_RDWR | O_NOCTTY);

    (void)state;
    assert_true(file >= 0 && null >= 0 && written >= 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_true(is_piped(ends[0]));
    assert_true(is_piped(file));
    assert_false(is_piped(ends[1]));
    assert_false(is_piped(written));
    assert_false(is_piped(null));
    assert_false(is_piped(pair[0]));
    if (terminal >= 0)
        assert_false(is_piped(terminal));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_known),
        cmocka_unit_test(names_the_work_that_has_several_units),
        cmocka_unit_test(counts_no_waiting),
        cmocka_unit_test(takes_pipes_and_files_for_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
