/* SPDX-License-Identifier: MIT
 * Outputs that are there completely or not at all. */
#include "folder.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/out.h"

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
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static void is_there_after_the_commit_only(void **state)
{
    char text[64];
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, at("o"), 0, &e), 0);
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
    assert_int_equal(out_open(&o, at("o"), OUT_SEEKABLE, &e), 0);
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
    assert_int_equal(out_open(&o, at("o"), 0, &e), 0);
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
    assert_int_equal(out_open(&o, at("none/o"), 0, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_non_null(strstr(e.msg, "/none/o: cannot be written: its folder does not exist"));
    assert_int_equal(out_open(&o, dir, 0, &e), -1);
    assert_non_null(strstr(e.msg, "is a folder"));
    write_file(at("file"), "", 0);
    assert_int_equal(out_open(&o, at("file/o"), 0, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_int_equal(out_open(&o, "", 0, &e), -1);
    assert_int_equal(e.kind, ERR_USAGE);
    assert_int_equal(entries(), 1);
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

/* What is seekable is copied into a pipe at the commit, and not at all after an abort. */
static void a_pipe_gets_what_was_sought(void **state)
{
    char text[64] = "";
    struct out o;
    struct err e;
    int fd;

    (void)state;
    assert_int_equal(mkfifo(at("pipe"), 0600), 0);
    fd = open(at("pipe"), O_RDONLY | O_NONBLOCK);
    assert_int_equal(out_open(&o, at("pipe"), OUT_SEEKABLE, &e), 0);
    fputs("new", o.file);
    assert_int_equal(fseek(o.file, 0, SEEK_SET), 0);
    fputs("N", o.file);
    assert_int_equal(read(fd, text, sizeof text), -1);      /* nothing yet */
    assert_int_equal(out_commit(&o, &e), 0);
    assert_int_equal(read(fd, text, sizeof text), 3);
    assert_string_equal(text, "New");
    assert_int_equal(out_open(&o, at("pipe"), OUT_SEEKABLE, &e), 0);
    fputs("more", o.file);
    out_abort(&o);
    assert_int_equal(read(fd, text, sizeof text), 0);
    close(fd);
    assert_int_equal(entries(), 1);
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
    assert_int_equal(out_open(&o, at("link"), 0, &e), 0);
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
        if (out_open(&o, at("o"), 0, &e) != 0)
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

static void *signal_after(void *us)
{
    sigset_t none;

    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    usleep(*(useconds_t *)us);
    raise(SIGTERM);
    return NULL;
}

/* The handler runs in a thread that knows nothing of what the other one is about to do. */
static void a_signal_to_another_thread_leaves_nothing(void **state)
{
    (void)state;
    for (useconds_t us = 0; us < 200; us += 2) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            pthread_t other;
            struct out o;
            struct err e;
            sigset_t all;

            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, NULL);
            signal(SIGTERM, on_signal);
            pthread_create(&other, NULL, signal_after, &us);
            while (out_open(&o, at("o"), 0, &e) == 0)
                out_abort(&o);
            _exit(9);
        }
        waitpid(pid, &status, 0);
        assert_int_equal(status, SIGTERM);
        assert_int_equal(entries(), 0);
    }
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
    const struct CMUnitTest tests[] = {
        IN_FOLDER(is_there_after_the_commit_only),
        IN_FOLDER(an_abort_leaves_what_was_there),
        IN_FOLDER(permissions_follow_the_umask), IN_FOLDER(says_where_it_cannot_write),
        IN_FOLDER(a_full_disk_is_seen), IN_FOLDER(an_early_failure_is_seen),
        IN_FOLDER(a_pipe_gets_what_was_sought), IN_FOLDER(a_link_stays_a_link),
        IN_FOLDER(signals_and_exit_leave_nothing),
        IN_FOLDER(a_signal_to_another_thread_leaves_nothing),
        IN_FOLDER(standard_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
