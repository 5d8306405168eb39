/* SPDX-License-Identifier: MIT
 * Text files line by line, plain and gzip. */
#include "folder.h"
#include "pty.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <zlib.h>

#include "base/lines.h"

struct line { const char *s; size_t n; };

static void expect_lines(const char *path, const struct line *want, int n)
{
    struct err e = { ERR_NONE, "" };
    struct lines *l = lines_open(path, &e);
    const char *s;
    size_t size;

    if (l == NULL)
        fail_msg("%s", e.msg);
    for (int i = 0; i < n; i++) {
        assert_int_equal(lines_next(l, &s, &size, &e), 1);
        assert_int_equal(size, want[i].n);
        assert_memory_equal(s, want[i].s, size);
    }
    assert_int_equal(lines_next(l, &s, &size, &e), 0);
    assert_int_equal(lines_next(l, &s, &size, &e), 0);
    lines_close(l);
}

static void reads_lines(void **state)
{
    static const char text[] = "one\ntwo\r\n\n\r\nnul\0in\rside\nlast";
    static const struct line want[] = {
        { "one", 3 }, { "two", 3 }, { "", 0 }, { "", 0 }, { "nul\0in\rside", 11 }, { "last", 4 },
    };
    gzFile gz;

    (void)state;
    write_file(at("text"), text, sizeof text - 1);
    expect_lines(at("text"), want, 6);
    gz = gzopen(at("no-ending"), "wb");     /* gzip is seen by its content */
    gzwrite(gz, text, sizeof text - 1);
    gzclose(gz);
    expect_lines(at("no-ending"), want, 6);
    write_file(at("text"), "x\n", 2);
    expect_lines(at("text"), (struct line[]){ { "x", 1 } }, 1);
    write_file(at("text"), "", 0);
    expect_lines(at("text"), NULL, 0);
}

/* NULL is no text: zlib's checksum starts anew with it. */
static void an_empty_line_is_a_line(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct lines *l;
    const char *s = NULL;
    size_t size;

    (void)state;
    write_file(at("text"), "\n", 1);
    l = lines_open(at("text"), &e);
    assert_int_equal(lines_next(l, &s, &size, &e), 1);
    assert_non_null(s);
    assert_int_equal(size, 0);
    lines_close(l);
}

/* A terminal whose last line has no newline is not read again after its end. */
static void a_terminal_ends_once(void **state)
{
    struct pty p;

    (void)state;
    pty_open(&p);
    assert_int_equal(write(p.test, "one\nkey\004\004", 9), 9);
    alarm(60);
    expect_lines(p.name, (struct line[]){ { "one", 3 }, { "key", 3 } }, 2);
    alarm(0);
    pty_close(&p);
}

/* Lines around and over the size of the reader's buffer. */
static void reads_long_lines(void **state)
{
    enum { LONG = 300001 };
    char *text = malloc(2 * LONG + 2);
    struct line want[] = { { text, 65536 }, { text, 65535 }, { text, LONG } };
    FILE *f;

    (void)state;
    for (int i = 0; i < 2 * LONG; i++)
        text[i] = (char)('a' + i % 26);
    f = fopen(at("long"), "wb");
    for (int i = 0; i < 3; i++)
        fprintf(f, "%.*s\n", (int)want[i].n, text);
    fclose(f);
    expect_lines(at("long"), want, 3);
    free(text);
}

static void refuses_a_damaged_gzip(void **state)
{
    char text[4096], packed[4096];
    const char *s;
    size_t size, n;
    struct err e = { ERR_NONE, "" };
    struct lines *l;
    FILE *f;
    gzFile gz;
    int rc;

    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 50 == 49 ? '\n' : (char)('!' + (i * i * 7 + i / 3) % 90);
    gz = gzopen(at("gz"), "wb");
    gzwrite(gz, text, sizeof text);
    gzclose(gz);
    f = fopen(at("gz"), "rb");
    n = fread(packed, 1, sizeof packed, f);
    fclose(f);
    write_file(at("gz"), packed, n / 2);    /* cut */
    l = lines_open(at("gz"), &e);
    while ((rc = lines_next(l, &s, &size, &e)) == 1)
        continue;
    assert_int_equal(rc, -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.msg, "truncated"));
    lines_close(l);
    packed[n - 6] ^= 0x55;                  /* the checksum */
    write_file(at("gz"), packed, n);
    l = lines_open(at("gz"), &e);
    while ((rc = lines_next(l, &s, &size, &e)) == 1)
        continue;
    assert_int_equal(rc, -1);
    assert_int_equal(e.kind, ERR_INPUT);
    lines_close(l);
}

static void expect_rest(const char *bytes, const char *want)
{
    struct err e = { ERR_NONE, "" };
    struct lines *l;
    const char *s = NULL;
    size_t size = 0;

    write_file(at("rest"), bytes, strlen(bytes));
    l = lines_open(at("rest"), &e);
    assert_non_null(l);
    assert_int_equal(lines_rest(l, &s, &size, &e), want != NULL);
    if (want != NULL) {
        assert_int_equal(size, strlen(want));
        assert_memory_equal(s, want, size);
    }
    assert_int_equal(lines_rest(l, &s, &size, &e), 0);
    lines_close(l);
}

static void reads_all_as_one_text(void **state)
{
    (void)state;
    expect_rest("one\ntwo\n", "one\ntwo");
    expect_rest("one\r\ntwo\r\n", "one\r\ntwo");
    expect_rest("one\n\n", "one\n");
    expect_rest("one\r", "one\r");
    expect_rest("\n", "");
    expect_rest("", NULL);
}

/* Also where the reader is ahead of the lines, as in a small file. */
static void knows_the_share_that_is_read(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct lines *l;
    const char *s;
    size_t size;
    gzFile gz = gzopen(at("gz"), "wb");

    (void)state;
    write_file(at("four"), "aaa\nbbb\nccc\nddd\n", 16);
    l = lines_open(at("four"), &e);
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(lines_next(l, &s, &size, &e), 1);
        assert_true(fabs(lines_share(l) - i / 4.0) < 1e-12);
    }
    lines_close(l);
    for (int i = 0; i < 20000; i++)
        gzprintf(gz, "%d\n", 10000 + i * 7919 % 10007);
    gzclose(gz);
    l = lines_open(at("gz"), &e);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(lines_next(l, &s, &size, &e), 1);
    assert_true(fabs(lines_share(l) - 0.5) < 0.2);
    lines_close(l);
}

/* Standard input is a pipe, which is read once, but kept. */
static void keeps_standard_input(void **state)
{
    struct err e = { ERR_NONE, "" };
    int ends[2], kept = dup(0);

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "one\ntwo\n", 8), 8);
    close(ends[1]);
    dup2(ends[0], 0);
    close(ends[0]);
    for (int i = 0; i < 3; i++) {
        assert_true(lines_wait_stdin(0));
        assert_int_equal(lines_keep_stdin(&e), 0);
        expect_lines("-", (struct line[]){ { "one", 3 }, { "two", 3 } }, 2);
    }
    dup2(kept, 0);
    close(kept);
}

/* Nothing is known of what has no size, or of which nothing was read. */
static void knows_no_share_of_a_pipe(void **state)
{
    struct err e = { ERR_NONE, "" };
    int ends[2], kept = dup(0);
    struct lines *l;
    const char *s;
    size_t size;

    (void)state;
    write_file(at("one"), "one\n", 4);
    l = lines_open(at("one"), &e);
    assert_true(isnan(lines_share(l)));
    lines_close(l);
    write_file(at("grows"), "", 0);
    l = lines_open(at("grows"), &e);
    assert_true(isnan(lines_share(l)));
    write_file(at("grows"), "later\n", 6);
    assert_int_equal(lines_next(l, &s, &size, &e), 1);
    assert_true(isnan(lines_share(l)));
    lines_close(l);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "one\n", 4), 4);
    dup2(ends[0], 0);
    l = lines_open("-", &e);
    assert_int_equal(close(ends[0]) + close(ends[1]), 0);
    assert_int_equal(lines_next(l, &s, &size, &e), 1);
    assert_true(isnan(lines_share(l)));
    lines_close(l);
    dup2(kept, 0);
    close(kept);
}

/* Each as soon as it is written, and nothing after it is waited for. */
static void reads_what_was_written_so_far(void **state)
{
    struct err e = { ERR_NONE, "" };
    int ends[2], kept = dup(0);
    struct lines *l;
    const char *s;
    size_t size;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    dup2(ends[0], 0);
    close(ends[0]);
    l = lines_open("-", &e);
    assert_false(lines_ready(l));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write(ends[1], "one\ntwo\nth", 10), 10);
        assert_int_equal(lines_next(l, &s, &size, &e), 1);
        assert_int_equal(size, i == 0 ? 3 : 5);         /* "thone" */
        assert_true(lines_ready(l));
        assert_int_equal(lines_next(l, &s, &size, &e), 1);
        assert_false(lines_ready(l));
    }
    close(ends[1]);
    assert_int_equal(lines_next(l, &s, &size, &e), 1);
    assert_memory_equal(s, "th", size);
    assert_int_equal(lines_next(l, &s, &size, &e), 0);
    lines_close(l);
    dup2(kept, 0);
    close(kept);
    write_file(at("file"), "one", 3);
    l = lines_open(at("file"), &e);
    assert_true(lines_ready(l));
    lines_close(l);
}

/* What a pipe begins with says whether it is gzip; one byte of both does not. */
static void reads_a_pipe_of_gzip(void **state)
{
    static const char plain[] = "\x1fone\n";
    char packed[100];
    size_t n;
    FILE *f;
    gzFile gz = gzopen(at("gz"), "wb");

    (void)state;
    gzputs(gz, "one\ntwo\n");
    gzclose(gz);
    f = fopen(at("gz"), "rb");
    n = fread(packed, 1, sizeof packed, f);
    fclose(f);
    for (int i = 0; i < 2; i++) {
        int ends[2], kept = dup(0);

        assert_int_equal(pipe(ends), 0);
        assert_true(write(ends[1], i == 0 ? packed : plain, i == 0 ? n : 5) > 0);
        close(ends[1]);
        dup2(ends[0], 0);
        close(ends[0]);
        if (i == 0)
            expect_lines("-", (struct line[]){ { "one", 3 }, { "two", 3 } }, 2);
        else
            expect_lines("-", (struct line[]){ { "\x1fone", 4 } }, 1);
        dup2(kept, 0);
        close(kept);
    }
}

/* A file that grew is read on; no more than all of it is done. */
static void a_share_is_at_most_one(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct lines *l;
    const char *s;
    size_t size;

    (void)state;
    write_file(at("grows"), "a\n", 2);
    l = lines_open(at("grows"), &e);
    write_file(at("grows"), "a\nb\nc\n", 6);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lines_next(l, &s, &size, &e), 1);
    assert_true(lines_share(l) == 1);
    lines_close(l);
}

/* ---- standard input that cannot be read, or kept ---- */

/* fd becomes standard input; what the copy of it fails with. */
static void cannot_be_kept(int fd, const char *want)
{
    struct err e = { ERR_NONE, "" };
    int kept = dup(0), rc;

    dup2(fd, 0);
    close(fd);
    rc = lines_keep_stdin(&e);
    dup2(kept, 0);
    close(kept);
    assert_int_equal(rc, -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_string_equal(e.msg, want);
}

/* Nobody reads what is only written. */
static void refuses_what_cannot_be_read(void **state)
{
    struct err e = { ERR_NONE, "" };
    int kept = dup(0);
    struct lines *l;
    const char *s;
    size_t size;

    (void)state;
    cannot_be_kept(open("/dev/null", O_WRONLY),
                   "standard input: it cannot be copied: Bad file descriptor");
    dup2(open("/dev/null", O_WRONLY), 0);
    l = lines_open("-", &e);
    assert_int_equal(lines_next(l, &s, &size, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_string_equal(e.msg, "standard input: Bad file descriptor");
    lines_close(l);
    close(0);
    assert_null(lines_open("-", &e));
    assert_string_equal(e.msg, "-: Bad file descriptor");
    assert_int_equal(lines_keep_stdin(&e), 0);      /* nothing, which is soon found out */
    assert_null(lines_open("-", &e));
    dup2(kept, 0);
    close(kept);
}

/* A pipe with n bytes, which it holds. */
static int pipe_of(size_t n)
{
    char byte = 'x';
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(write(ends[1], &byte, 1), 1);
    close(ends[1]);
    return ends[0];
}

/* The copy does not fit: seen at its end, or in its middle. */
static void a_copy_may_not_fit(void **state)
{
    struct rlimit before, small;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){ 10, before.rlim_max };
    for (size_t n = 100; n <= 20000; n *= 200) {
        int fd = pipe_of(n);

        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        cannot_be_kept(fd, "standard input: it cannot be copied: File too large");
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void no_descriptor_for_a_copy(void **state)
{
    struct err e = { ERR_NONE, "" };
    struct rlimit before, few;
    int rc;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){ 0, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    rc = lines_keep_stdin(&e);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(rc, -1);
    assert_string_equal(e.msg, "no room for a temporary file: Too many open files");
}

/* A file with a name may be changed by others: it is copied as a pipe is. */
static void keeps_a_file(void **state)
{
    struct err e = { ERR_NONE, "" };
    int kept = dup(0);

    (void)state;
    write_file(at("one"), "one\n", 4);
    dup2(open(at("one"), O_RDONLY), 0);
    assert_int_equal(lines_keep_stdin(&e), 0);
    write_file(at("one"), "other\n", 6);
    for (int i = 0; i < 2; i++)
        expect_lines("-", (struct line[]){ { "one", 3 } }, 1);
    dup2(kept, 0);
    close(kept);
}

static void refuses_to_read_lines_of_nothing(void **state)
{
    struct err e;

    (void)state;
    assert_null(lines_open(at("none"), &e));
    assert_int_equal(e.kind, ERR_INPUT);
    assert_null(lines_open(dir, &e));
    assert_non_null(strstr(e.msg, "is a folder"));
    lines_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(reads_lines), IN_FOLDER(reads_long_lines),
        IN_FOLDER(reads_all_as_one_text), IN_FOLDER(knows_the_share_that_is_read),
        IN_FOLDER(keeps_standard_input), IN_FOLDER(refuses_a_damaged_gzip),
        IN_FOLDER(refuses_to_read_lines_of_nothing), IN_FOLDER(knows_no_share_of_a_pipe),
        IN_FOLDER(a_share_is_at_most_one), IN_FOLDER(refuses_what_cannot_be_read),
        IN_FOLDER(a_copy_may_not_fit), IN_FOLDER(no_descriptor_for_a_copy),
        IN_FOLDER(keeps_a_file), IN_FOLDER(reads_what_was_written_so_far),
        IN_FOLDER(reads_a_pipe_of_gzip), IN_FOLDER(an_empty_line_is_a_line),
        IN_FOLDER(a_terminal_ends_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
