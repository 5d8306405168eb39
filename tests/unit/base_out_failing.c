/* SPDX-License-Identifier: MIT
 * Writes, flushes and renames that fail: what is said, and what is left. */
#include "out_written.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* This stands before the C library's: 0, or -1 with this errno. */
static int sync_fails;
static int n_syncs;

int fsync(int fd)
{
    (void)fd;
    n_syncs++;
    errno = sync_fails;
    return sync_fails == 0 ? 0 : -1;
}

/* The library's calls, which the linker sends here (--wrap), while there is no memory for them. */
static enum { ALL_HAVE_MEMORY, MALLOC, STRDUP, FDOPEN } lacks;

void *__real_malloc(size_t size);
char *__real_strdup(const char *s);
FILE *__real_fdopen(int fd, const char *mode);
void *__wrap_malloc(size_t size);
char *__wrap_strdup(const char *s);
FILE *__wrap_fdopen(int fd, const char *mode);

void *__wrap_malloc(size_t size)
{
    return lacks == MALLOC ? NULL : __real_malloc(size);
}

char *__wrap_strdup(const char *s)
{
    return lacks == STRDUP ? NULL : __real_strdup(s);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
    errno = ENOMEM;
    return lacks == FDOPEN ? NULL : __real_fdopen(fd, mode);
}

static void a_full_disk_is_seen(void **state)
{
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, "/dev/full", 0, &e), 0);
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
    assert_int_equal(out_open(&o, "/dev/full", 0, &e), 0);
    assert_true(fwrite(big, 1, sizeof big, o.file) < sizeof big);
    assert_int_equal(out_commit(&o, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
}

/* ---- copies ---- */

static void commit_fails(const char *path, int flags, size_t n_bytes)
{
    struct out o;
    struct err e = { ERR_NONE, "" };

    if (out_open(&o, path, flags, &e) != 0)
        fail_msg("%s", e.msg);
    for (size_t i = 0; i < n_bytes; i++)
        fputc('x', o.file);
    assert_int_equal(out_commit(&o, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_string_equal(e.msg, "/dev/full: write failed: No space left on device");
}

static void a_copy_onto_a_full_disk(void **state)
{
    (void)state;
    commit_fails("/dev/full", OUT_SEEKABLE, 10);            /* at its flush */
    commit_fails("/dev/full", OUT_SEEKABLE, 1 << 17);       /* in its middle */
}

/* What was written to the temporary file cannot be read back. */
static void a_copy_that_cannot_be_read(void **state)
{
    struct out o;
    struct err e;
    int nowhere = open("/dev/null", O_WRONLY);

    (void)state;
    assert_int_equal(out_open(&o, "/dev/null", OUT_SEEKABLE, &e), 0);
    fputs("new", o.file);
    fflush(o.file);
    assert_true(dup2(nowhere, fileno(o.file)) >= 0);
    assert_int_equal(out_commit(&o, &e), -1);
    assert_string_equal(e.msg, "/dev/null: write failed: Bad file descriptor");
    close(nowhere);
}

/* ---- at the end, and before ---- */

/* What cannot even be closed was not written, for all we know. */
static void a_close_that_fails(void **state)
{
    (void)state;
    for (int flags = 0; flags <= OUT_SEEKABLE; flags += OUT_SEEKABLE) {
        struct out o;
        struct err e;

        assert_int_equal(out_open(&o, "/dev/null", flags, &e), 0);
        close(fileno(o.stream != NULL ? o.stream : o.file));
        assert_int_equal(out_commit(&o, &e), -1);
        assert_string_equal(e.msg, "/dev/null: write failed: Bad file descriptor");
        assert_true(o.file == NULL && o.stream == NULL);
    }
}

/* The reason of a failure is asked for before the end, which comes later. */
static void a_check_says_why(void **state)
{
    static char big[1 << 17];
    struct out o;
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_int_equal(out_open(&o, "/dev/full", 0, &e), 0);
    assert_int_equal(out_check(&o, &e), 0);
    assert_true(fwrite(big, 1, sizeof big, o.file) < sizeof big);
    assert_int_equal(out_check(&o, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_non_null(strstr(e.msg, "/dev/full: write failed: "));
    out_abort(&o);
}

/* Standard output is named so, and stays open. */
static void standard_output_that_is_full(void **state)
{
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        struct out o;
        struct err e;
        bool good = freopen("/dev/full", "wb", stdout) != NULL &&
                    out_open(&o, "-", 0, &e) == 0 && fputs("x", o.file) != EOF &&
                    out_commit(&o, &e) != 0 && fileno(stdout) >= 0 &&
                    strcmp(e.msg, "standard output: write failed: No space left on device") == 0;

        exit(good ? 0 : 9);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

/* A folder took the name meanwhile. */
static void a_name_that_is_taken(void **state)
{
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, at("o"), 0, &e), 0);
    assert_int_equal(mkdir(at("o"), 0700), 0);
    assert_int_equal(out_commit(&o, &e), -1);
    assert_non_null(strstr(e.msg, "/o: write failed: Is a directory"));
    assert_int_equal(entries(), 1);
}

/* ---- the disk ---- */

/* The file, then its folder; a file system that does not flush is no failure. */
static void durable_files_are_flushed(void **state)
{
    static const int no_flush[] = { 0, EINVAL, EROFS };
    struct out o;
    struct err e;

    (void)state;
    for (int i = 0; i < 3; i++) {
        sync_fails = no_flush[i];
        n_syncs = 0;
        write_to(at("o"), OUT_DURABLE, "new");
        assert_int_equal(n_syncs, 2);
        write_to(at("o"), 0, "new");
        write_to("/dev/null", OUT_DURABLE, "new");
        assert_int_equal(n_syncs, 2);
    }
    sync_fails = EIO;
    assert_int_equal(out_open(&o, at("o"), OUT_DURABLE, &e), 0);
    assert_int_equal(out_commit(&o, &e), -1);
    sync_fails = 0;
    assert_non_null(strstr(e.msg, "/o: write failed: Input/output error"));
    check_written(at("o"), "new", 0);
}

/* The folder cannot be opened to flush it: the file has its name all the same. */
static void no_descriptor_for_the_folder(void **state)
{
    struct rlimit before, few;
    struct out o;
    struct err e;
    int rc;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(out_open(&o, at("o"), OUT_DURABLE, &e), 0);
    fputs("new", o.file);
    few = (struct rlimit){ 0, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    n_syncs = 0;
    rc = out_commit(&o, &e);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(rc, 0);
    assert_int_equal(n_syncs, 1);
    check_written(at("o"), "new", 0);
}

/* ---- what a run would go on with ---- */

static void keep_fails(const char *onto, size_t n_bytes, const char *why)
{
    struct out o;
    struct err e = { ERR_NONE, "" };
    int64_t n = -1;
    int fd = open(onto, O_WRONLY);

    assert_int_equal(out_open(&o, at("o"), OUT_PARTIAL, &e), 0);
    if (fd >= 0)
        assert_true(dup2(fd, fileno(o.file)) >= 0);
    for (size_t i = 0; i < n_bytes; i++)
        fputc('x', o.file);
    assert_int_equal(out_keep(&o, &n, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_non_null(strstr(e.msg, "/o: write failed: "));
    assert_non_null(strstr(e.msg, why));
    assert_int_equal(n, -1);
    out_abort(&o);
    assert_int_equal(entries(), 0);         /* nothing was kept */
    if (fd >= 0)
        close(fd);
}

static void what_is_not_on_the_disk_is_not_kept(void **state)
{
    (void)state;
    keep_fails("/dev/full", 10, "No space left on device");
    keep_fails("/dev/full", 1 << 17, "");                   /* long before */
    sync_fails = EIO;
    keep_fails("none", 10, "Input/output error");
    sync_fails = 0;
}

/* What was lost stays lost, though later writes succeed. */
static void a_disk_that_has_room_again(void **state)
{
    static char big[1 << 17];
    struct out o;
    struct err e = { ERR_NONE, "" };
    int64_t n = -1;
    int full = open("/dev/full", O_WRONLY), own;

    (void)state;
    assert_int_equal(out_open(&o, at("o"), OUT_PARTIAL, &e), 0);
    own = dup(fileno(o.file));
    assert_true(own >= 0 && dup2(full, fileno(o.file)) >= 0);
    assert_true(fwrite(big, 1, sizeof big, o.file) < sizeof big);
    assert_true(dup2(own, fileno(o.file)) >= 0);
    assert_int_equal(out_keep(&o, &n, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_non_null(strstr(e.msg, "/o: write failed: "));
    assert_int_equal(n, -1);
    out_abort(&o);
    close(own);
    close(full);
}

/* ---- memory ---- */

static void nothing_is_opened_without_memory(void **state)
{
    static const int flags[] = { 0, OUT_PARTIAL };
    struct out o;
    struct err e;

    (void)state;
    for (lacks = MALLOC; lacks <= FDOPEN; lacks++)
        for (int i = 0; i < 2; i++) {
            assert_int_equal(out_open(&o, at("o"), flags[i], &e), -1);
            assert_int_equal(e.kind, ERR_SYSTEM);
            assert_non_null(strstr(e.msg, "/o: no memory"));
            assert_int_equal(entries(), 0);
        }
    lacks = FDOPEN;
    assert_int_equal(out_open(&o, "/dev/fd/1", 0, &e), -1);
    assert_string_equal(e.msg, "/dev/fd/1: cannot be written: Cannot allocate memory");
    lacks = ALL_HAVE_MEMORY;
}

static void no_run_goes_on_without_memory(void **state)
{
    struct out o;
    struct err e;

    (void)state;
    write_file(at("o.partial"), "one", 3);
    for (lacks = MALLOC; lacks <= FDOPEN; lacks++) {
        assert_int_equal(out_go_on(&o, at("o"), 3, true, &e), -1);
        assert_int_equal(e.kind, ERR_SYSTEM);
        assert_non_null(strstr(e.msg, "/o: no memory"));
        assert_true(o.file == NULL && o.temp == NULL && o.target == NULL);
    }
    lacks = ALL_HAVE_MEMORY;
    check_written(at("o.partial"), "one", 0);
}

/* The folder is not flushed then; the file is there. */
static void no_memory_for_the_folder(void **state)
{
    struct out o;
    struct err e;
    int rc;

    (void)state;
    assert_int_equal(out_open(&o, at("o"), OUT_DURABLE, &e), 0);
    fputs("new", o.file);
    n_syncs = 0;
    lacks = MALLOC;
    rc = out_commit(&o, &e);
    lacks = ALL_HAVE_MEMORY;
    assert_int_equal(rc, 0);
    assert_int_equal(n_syncs, 1);
    check_written(at("o"), "new", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_full_disk_is_seen), IN_FOLDER(an_early_failure_is_seen),
        IN_FOLDER(a_copy_onto_a_full_disk), IN_FOLDER(a_copy_that_cannot_be_read),
        IN_FOLDER(a_close_that_fails), IN_FOLDER(a_check_says_why),
        IN_FOLDER(standard_output_that_is_full),
        IN_FOLDER(a_name_that_is_taken), IN_FOLDER(durable_files_are_flushed),
        IN_FOLDER(no_descriptor_for_the_folder),
        IN_FOLDER(what_is_not_on_the_disk_is_not_kept),
        IN_FOLDER(a_disk_that_has_room_again),
        IN_FOLDER(nothing_is_opened_without_memory),
        IN_FOLDER(no_run_goes_on_without_memory), IN_FOLDER(no_memory_for_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
