/* SPDX-License-Identifier: MIT */
#include "base/lines.h"
#include "base/out.h"
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

/* ---- a folder of its own for each test ---- */

static char dir[64];

static const char *at(const char *name)
{
    static char path[4][400];
    static int i;

    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "%s/%s", dir, name);
    return path[i];
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void read_file(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(text, 1, size - 1, f);
    text[n] = '\0';
    fclose(f);
}

static int entries(void)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    int n = 0;

    while ((e = readdir(d)) != NULL)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static int setup(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/mha-viz-test-XXXXXX");
    return mkdtemp(dir) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    DIR *d = opendir(dir);
    struct dirent *e;

    (void)state;
    while ((e = readdir(d)) != NULL)
        remove(at(e->d_name));
    closedir(d);
    return rmdir(dir);
}

/* ---- mapping ---- */

static void maps_a_file(void **state)
{
    struct span s;
    struct err e;

    (void)state;
    write_file(at("a"), "hello", 5);
    assert_int_equal(file_map(at("a"), &s, &e), 0);
    assert_int_equal(s.size, 5);
    assert_memory_equal(s.data, "hello", 5);
    file_unmap(s);
    write_file(at("empty"), "", 0);
    assert_int_equal(file_map(at("empty"), &s, &e), 0);
    assert_int_equal(s.size, 0);
    file_unmap(s);
}

static void refuses_what_is_no_file(void **state)
{
    struct span s;
    struct err e;

    (void)state;
    assert_int_equal(file_map(at("none"), &s, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.msg, "/none: No such file"));
    assert_int_equal(file_map(dir, &s, &e), -1);
    assert_non_null(strstr(e.msg, "expected a file"));
    assert_int_equal(mkfifo(at("fifo"), 0600), 0);
    assert_int_equal(file_map(at("fifo"), &s, &e), -1);     /* and does not wait */
    assert_int_equal(file_map("/dev/zero", &s, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_int_equal(file_map(at("a/b"), &s, &e), -1);
}

static void names(void **state)
{
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_string_equal(file_join(&a, "x", "y"), "x/y");
    assert_string_equal(file_join(&a, "x/", "y"), "x/y");
    assert_string_equal(file_join(&a, "/", "y"), "/y");
    assert_true(file_is_dir(dir) && file_exists(dir));
    assert_false(file_exists(at("none")) || file_is_dir(at("none")));
    arena_finish(&a);
}

/* ---- lines ---- */

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

/* ---- outputs ---- */

static void is_there_after_the_commit_only(void **state)
{
    char text[64];
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, at("o"), false, &e), 0);
    fputs("new", o.file);
    fflush(o.file);
    assert_false(file_exists(at("o")));
    assert_int_equal(entries(), 1);         /* the temporary one */
    assert_int_equal(out_commit(&o, &e), 0);
    assert_int_equal(entries(), 1);
    read_file(at("o"), text, sizeof text);
    assert_string_equal(text, "new");
    out_abort(&o);                          /* nothing happens */
    assert_true(file_exists(at("o")));
}

static void an_abort_leaves_what_was_there(void **state)
{
    char text[64];
    struct out o;
    struct err e;

    (void)state;
    write_file(at("o"), "old", 3);
    assert_int_equal(out_open(&o, at("o"), true, &e), 0);
    fputs("new", o.file);
    out_abort(&o);
    assert_int_equal(entries(), 1);
    read_file(at("o"), text, sizeof text);
    assert_string_equal(text, "old");
}

static void permissions_follow_the_umask(void **state)
{
    mode_t mask = umask(027);
    struct stat st;
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, at("o"), false, &e), 0);
    assert_int_equal(out_commit(&o, &e), 0);
    umask(mask);
    stat(at("o"), &st);
    assert_int_equal(st.st_mode & 0777, 0640);
}

static void says_where_it_cannot_write(void **state)
{
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, at("none/o"), false, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_non_null(strstr(e.msg, "/none/o: cannot be written: its folder does not exist"));
    assert_int_equal(out_open(&o, dir, false, &e), -1);
    assert_non_null(strstr(e.msg, "is a folder"));
    write_file(at("file"), "", 0);
    assert_int_equal(out_open(&o, at("file/o"), false, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_int_equal(out_open(&o, "", false, &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    assert_int_equal(entries(), 1);
}

static void a_full_disk_is_seen(void **state)
{
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, "/dev/full", false, &e), 0);
    fputs("x", o.file);
    assert_int_equal(out_commit(&o, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_string_equal(e.msg, "/dev/full: write failed: No space left on device");
}

/* A write that failed before the commit, and whose buffer is long gone. */
static void an_early_failure_is_seen(void **state)
{
    static char big[1 << 20];
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, "/dev/full", false, &e), 0);
    assert_true(fwrite(big, 1, sizeof big, o.file) < sizeof big);
    assert_int_equal(out_commit(&o, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
}

/* The file of a link changes, not the link. */
static void a_link_stays_a_link(void **state)
{
    char text[64];
    struct stat st;
    struct out o;
    struct err e;

    (void)state;
    write_file(at("real"), "old", 3);
    assert_int_equal(symlink(at("real"), at("link")), 0);
    assert_int_equal(out_open(&o, at("link"), false, &e), 0);
    fputs("new", o.file);
    assert_int_equal(out_commit(&o, &e), 0);
    lstat(at("link"), &st);
    assert_true(S_ISLNK(st.st_mode));
    read_file(at("real"), text, sizeof text);
    assert_string_equal(text, "new");
}

static void on_signal(int sig)
{
    out_remove_unfinished();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Ends a child by a signal, or by exit, in the middle of a write. */
static void end_midway(int sig, int want_status)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        struct out o;
        struct err e;

        signal(SIGTERM, on_signal);
        signal(SIGINT, on_signal);
        atexit(out_remove_unfinished);
        if (out_open(&o, at("o"), false, &e) != 0)
            _exit(9);
        fputs("half", o.file);
        fflush(o.file);
        if (sig != 0)
            raise(sig);
        exit(4);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, want_status);
    assert_int_equal(entries(), 0);
}

static void signals_and_exit_leave_nothing(void **state)
{
    (void)state;
    end_midway(SIGTERM, SIGTERM);
    end_midway(SIGINT, SIGINT);
    end_midway(0, 4 << 8);
}

/* Standard output, as a stream and as one that must be sought in. */
static void standard_output(void **state)
{
    char text[64];

    (void)state;
    for (int seekable = 0; seekable < 2; seekable++) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            struct out o;
            struct err e;

            if (freopen(at("stdout"), "wb", stdout) == NULL ||
                out_open(&o, "-", seekable != 0, &e) != 0)
                _exit(9);
            fputs("abc", o.file);
            if (seekable) {
                fseek(o.file, 1, SEEK_SET);
                fputs("B", o.file);
            }
            _exit(out_commit(&o, &e) == 0 ? 0 : 8);
        }
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
        read_file(at("stdout"), text, sizeof text);
        assert_string_equal(text, seekable ? "aBc" : "abc");
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(maps_a_file), TEST(refuses_what_is_no_file), TEST(names),
        TEST(reads_lines), TEST(reads_long_lines), TEST(refuses_a_damaged_gzip),
        TEST(refuses_to_read_lines_of_nothing), TEST(is_there_after_the_commit_only),
        TEST(an_abort_leaves_what_was_there), TEST(permissions_follow_the_umask),
        TEST(says_where_it_cannot_write), TEST(a_full_disk_is_seen),
        TEST(an_early_failure_is_seen), TEST(a_link_stays_a_link),
        TEST(signals_and_exit_leave_nothing), TEST(standard_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
