/* SPDX-License-Identifier: MIT
 * Colours and widths that variables promise. */
#include "folder.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/terminal.h"
#include "unit/pty.h"

static void test_colours(void **state)
{
    static const struct {
        const char *term, *colorterm, *no_color;
        enum terminal_way want;
    } cases[] = {
        { NULL, NULL, NULL, TERMINAL_DIGITS },
        { "", "truecolor", NULL, TERMINAL_DIGITS },
        { "dumb", "truecolor", NULL, TERMINAL_DIGITS },
        { "vt100", NULL, NULL, TERMINAL_DIGITS },
        { "xterm-mono", NULL, NULL, TERMINAL_DIGITS },
        { "rxvt-m", "truecolor", NULL, TERMINAL_DIGITS },
        { "rxvt-mine", NULL, NULL, TERMINAL_256 },
        { "xterm", NULL, NULL, TERMINAL_256 },
        { "xterm", "", "", TERMINAL_256 },
        { "screen.xterm-256color", NULL, NULL, TERMINAL_256 },
        { "nobody-256color", "yes", NULL, TERMINAL_256 },
        { "vt100", "24bit", NULL, TERMINAL_TRUE },
        { "xterm-256color", "truecolor", NULL, TERMINAL_TRUE },
        { "xterm-256color", "truecolor", "", TERMINAL_TRUE },
        { "xterm-256color", "truecolor", "0", TERMINAL_DIGITS },
        { "xterm-direct", NULL, NULL, TERMINAL_TRUE },
        { "xterm-kitty", NULL, NULL, TERMINAL_TRUE },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(terminal_colours(cases[i].term, cases[i].colorterm, cases[i].no_color),
                         cases[i].want);
}

static void test_columns(void **state)
{
    (void)state;
    assert_int_equal(terminal_columns(NULL), 0);
    assert_int_equal(terminal_columns(""), 0);
    assert_int_equal(terminal_columns("0"), 0);
    assert_int_equal(terminal_columns("-1"), 0);
    assert_int_equal(terminal_columns(" 80"), 0);
    assert_int_equal(terminal_columns("80x"), 0);
    assert_int_equal(terminal_columns("x80"), 0);
    assert_int_equal(terminal_columns("65536"), 0);
    assert_int_equal(terminal_columns("99999999999999999999"), 0);
    assert_int_equal(terminal_columns("1"), 1);
    assert_int_equal(terminal_columns("65535"), 65535);
}

/* xterm, foot, kitty; an answer that is not whole, and none. */
static void test_answer(void **state)
{
    static const struct { const char *answer; enum terminal_way want; } cases[] = {
        { "", TERMINAL_256 },
        { "\033[?1;2c", TERMINAL_256 },
        { "\033[?62;22c", TERMINAL_256 },
        { "\033[?64;14;44c", TERMINAL_256 },
        { "\033[?62;4", TERMINAL_256 },
        { "\033[?4c", TERMINAL_SIXEL },
        { "\033[?62;4;22c", TERMINAL_SIXEL },
        { "typed\033[?62;22;4c", TERMINAL_SIXEL },
        { "\033_Gi=31;ENOTSUP\033\\\033[?62;4c", TERMINAL_SIXEL },
        { "\033_Gi=31;OK\033\\\033[?62;c", TERMINAL_KITTY },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(terminal_answer(cases[i].answer, TERMINAL_256), cases[i].want);
}

/* A file is no terminal: 80 columns of digits, or what COLUMNS says. */
static void test_file(void **state)
{
    struct terminal t;

    (void)state;
    setenv("TERM", "xterm-kitty", 1);
    unsetenv("COLUMNS");
    terminal_find(&t, "/dev/null", true);
    assert_false(t.is);
    assert_int_equal(t.columns, 80);
    assert_int_equal(t.way, TERMINAL_DIGITS);
    setenv("COLUMNS", "132", 1);
    terminal_find(&t, "/nowhere/at/all", false);
    assert_false(terminal_is("/nowhere/at/all"));
    assert_false(terminal_is("/proc/self/status"));
    assert_false(terminal_is("/proc"));
    assert_int_equal(t.columns, 132);
}

/* It is not opened to see what it is: its reader would find an end. */
static void test_pipe(void **state)
{
    struct pollfd reader = { .events = POLLIN };

    (void)state;
    assert_int_equal(mkfifo(at("pipe"), 0600), 0);
    reader.fd = open(at("pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(reader.fd >= 0);
    assert_false(terminal_is(at("pipe")));
    assert_int_equal(poll(&reader, 1, 0), 0);
    close(reader.fd);
}

/* Its columns, its pixels, and what stands in for them where it does not say. */
static void test_sizes(void **state)
{
    static const struct { struct winsize size; int columns, width_px; } cases[] = {
        { { .ws_col = 100, .ws_xpixel = 1100 }, 100, 1100 },
        { { .ws_col = 100 }, 100, 800 },
        { { .ws_xpixel = 1100 }, 132, 1100 },
        { { .ws_col = 0 }, 132, 1056 },
    };
    struct terminal t;
    struct pty p;

    (void)state;
    pty_open(&p);
    setenv("TERM", "linux", 1);
    unsetenv("COLORTERM");
    unsetenv("NO_COLOR");
    setenv("COLUMNS", "132", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ioctl(p.own, TIOCSWINSZ, &cases[i].size), 0);
        for (int ask = 0; ask < 2; ask++) {
            terminal_find(&t, p.name, ask != 0);
            assert_true(t.is);
            assert_int_equal(t.columns, cases[i].columns);
            assert_int_equal(t.width_px, cases[i].width_px);
            assert_int_equal(t.way, TERMINAL_256);
        }
    }
    assert_true(terminal_is(p.name));
    pty_close(&p);
    assert_false(terminal_is(p.name));
}

static int is_there_a_terminal(int fd, const void *with)
{
    (void)fd;
    (void)with;
    return terminal_is("/dev/tty");
}

/* Standard output is what was opened as it. */
static int is_output_a_terminal(int fd, const void *path)
{
    int out = open(path, O_WRONLY | O_NOCTTY);

    (void)fd;
    return out >= 0 && dup2(out, STDOUT_FILENO) >= 0 ? terminal_is("-") : 9;
}

static void test_standard_output(void **state)
{
    struct pty p;

    (void)state;
    pty_open(&p);
    assert_int_equal(pty_run(&p, true, is_output_a_terminal, p.name), 1);
    assert_int_equal(pty_run(&p, true, is_output_a_terminal, "/dev/null"), 0);
    pty_close(&p);
}

/* /dev/tty is there for all, but cannot be opened by who has no terminal. */
static void test_own_terminal(void **state)
{
    struct pty p;

    (void)state;
    pty_open(&p);
    assert_int_equal(pty_run(&p, true, is_there_a_terminal, NULL), 1);
    assert_int_equal(pty_run(&p, false, is_there_a_terminal, NULL), 0);
    pty_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_answer),
        cmocka_unit_test(test_file),
        IN_FOLDER(test_pipe),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_standard_output),
        cmocka_unit_test(test_own_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
