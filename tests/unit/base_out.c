/* SPDX-License-Identifier: MIT
 * Outputs that are there completely or not at all. */
#include "out_written.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

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

/* ---- names ---- */

static void a_name_without_a_folder(void **state)
{
    char before[4000];

    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(dir), 0);
    write_to("o", OUT_DURABLE, "here");
    assert_int_equal(chdir(before), 0);
    check_written(at("o"), "here", 0);
}

/* A link that leads nowhere gets its file, by as many steps as the system takes. */
static void links_that_lead_nowhere(void **state)
{
    struct out o;
    struct err e;
    char name[16], to[16];

    (void)state;
    assert_int_equal(symlink(at("absolute"), at("link")), 0);
    write_to(at("link"), 0, "absolute");
    check_written(at("absolute"), "absolute", 1);
    for (int i = 0; i <= 40; i++) {
        snprintf(name, sizeof name, "l%d", i);
        snprintf(to, sizeof to, "l%d", i + 1);
        assert_int_equal(symlink(to, at(name)), 0);
    }
    write_to(at("l1"), 0, "forty");
    check_written(at("l41"), "forty", 2 + 41);
    unlink(at("l41"));
    assert_int_equal(out_open(&o, at("l0"), 0, &e), -1);
    assert_non_null(strstr(e.msg, "/l0: cannot be written: Too many levels of symbolic links"));
    assert_int_equal(entries(), 2 + 41);
}

/* /dev/fd/N is the descriptor; a name that is only like it is one of a file. */
static void descriptors(void **state)
{
    char path[64];
    struct out o;
    struct err e;
    int fd = open(at("log"), O_RDWR | O_CREAT | O_APPEND, 0600);

    (void)state;
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    write_to(path, 0, "one ");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    write_to(path, OUT_SEEKABLE | OUT_DURABLE, "two");
    check_written(at("log"), "one two", 0);
    for (int i = 0; i < 3; i++) {
        static const char *const likes[] = { "/dev/fd/x", "/dev/fd/1x", "/dev/fd/99999999999" };

        assert_int_equal(out_open(&o, likes[i], 0, &e), -1);
        assert_null(strstr(e.msg, "Bad file descriptor"));
    }
    close(fd);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_int_equal(out_open(&o, path, 0, &e), -1);
    assert_non_null(strstr(e.msg, "cannot be written: Bad file descriptor"));
}

/* The names of the standard streams stand for what they are now. */
static void standard_streams_by_name(void **state)
{
    static const char *const names[] = { "/dev/stdout", "/dev/stderr" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        int kept = dup(i + 1), fd = open(at("o"), O_RDWR | O_CREAT | O_APPEND, 0600);

        fflush(NULL);
        dup2(fd, i + 1);
        close(fd);
        write_to(names[i], 0, names[i]);
        dup2(kept, i + 1);
        close(kept);
    }
    check_written(at("o"), "/dev/stdout/dev/stderr", 0);
}

/* What cannot be opened at all: a socket. */
static void what_cannot_be_opened(void **state)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct out o;
    struct err e;

    (void)state;
    strcpy(name.sun_path, at("socket"));
    assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(out_open(&o, at("socket"), 0, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_non_null(strstr(e.msg, "/socket: cannot be written: No such device or address"));
    close(fd);
}

/* ---- many at once, and none after the end ---- */

/* More than are listed for signals: the rest are written just so. */
static void many_at_once(void **state)
{
    enum { N = 20 };
    struct out o[N];
    char name[N][400];
    struct err e;

    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(name[i], sizeof name[i], "%s/o%d", dir, i);
        assert_int_equal(out_open(&o[i], name[i], 0, &e), 0);
    }
    assert_int_equal(entries(), N);
    for (int i = N - 1; i >= 0; i--)
        if (i % 2 == 0)
            assert_int_equal(out_commit(&o[i], &e), 0);
        else
            out_abort(&o[i]);
    assert_int_equal(entries(), N / 2);
}

static void *write_one(void *path)
{
    struct out o;
    struct err e;

    if (out_open(&o, path, 0, &e) == 0)
        out_commit(&o, &e);
    _exit(9);                   /* it should have waited for the end */
}

/* What another thread begins after the end of all leaves nothing. */
static void nothing_begins_after_the_end(void **state)
{
    char path[400];
    int status;
    pid_t pid;

    (void)state;
    strcpy(path, at("late"));
    pid = fork();
    if (pid == 0) {
        pthread_t other;

        out_remove_unfinished();
        pthread_create(&other, NULL, write_one, path);
        usleep(200000);
        exit(0);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(entries(), 0);
}

/* As a run that is ended and begins again, three times. */
static void what_is_kept_goes_on(void **state)
{
    int64_t n = 0;
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_open(&o, at("o"), OUT_PARTIAL, &e), 0);
    fputs("one", o.file);
    assert_int_equal(out_keep(&o, &n, &e), 0);
    assert_int_equal(n, 3);
    fputs("half", o.file);
    out_abort(&o);                          /* it stays */
    assert_true(file_exists(at("o.partial")) && !file_exists(at("o")));
    assert_int_equal(out_go_on(&o, at("o"), 3, false, &e), 0);
    fputs("two", o.file);
    assert_int_equal(out_keep(&o, &n, &e), 0);
    assert_int_equal(n, 6);
    assert_int_equal(out_commit(&o, &e), 0);
    check_written(at("o"), "onetwo", 0);
    /* It was ended after that, before it said so: only then. */
    assert_int_equal(out_go_on(&o, at("o"), 6, false, &e), -1);
    assert_non_null(strstr(e.msg, "o.partial: No such file or directory, expected 6 bytes"));
    assert_int_equal(out_go_on(&o, at("o"), 5, true, &e), -1);
    assert_int_equal(out_go_on(&o, at("o"), 6, true, &e), 0);
    assert_int_equal(out_commit(&o, &e), 0);
    check_written(at("o"), "onetwo", 0);
    write_file(at("o.partial"), "short", 5);
    assert_int_equal(out_go_on(&o, at("o"), 6, false, &e), -1);
    assert_non_null(strstr(e.msg, "o.partial: has 5 bytes, expected 6 at least"));
}

/* What is no file of the run's, and one that nobody may shorten. */
static void what_cannot_go_on(void **state)
{
    char path[64];
    struct out o;
    struct err e;
    int fd = memfd_create("kept", MFD_ALLOW_SEALING);

    (void)state;
    assert_int_equal(mkfifo(at("pipe.partial"), 0600), 0);
    assert_int_equal(out_go_on(&o, at("pipe"), 0, false, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.msg, "/pipe.partial: is not a file, expected one with 0 bytes"));
    if (fd < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
        return;
    assert_int_equal(write(fd, "onetwo", 6), 6);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(symlink(path, at("o.partial")), 0);
    assert_int_equal(out_go_on(&o, at("o"), 3, false, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_non_null(strstr(e.msg, "/o.partial: cannot be cut to 3 bytes: Operation not permitted"));
    assert_true(o.file == NULL && o.temp == NULL && o.target == NULL);
    close(fd);
}

/* What is unfinished stands before what has the name already, which is left. */
static void an_ended_run_that_was_not(void **state)
{
    struct out o;
    struct err e;

    (void)state;
    assert_int_equal(out_go_on(&o, at("o"), 3, true, &e), -1);      /* neither is there */
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.msg, "/o.partial: No such file or directory, expected 3 bytes"));
    write_file(at("o"), "old", 3);
    write_file(at("o.partial"), "newer", 5);
    assert_int_equal(out_go_on(&o, at("o"), 3, true, &e), 0);
    out_abort(&o);
    check_written(at("o"), "old", 1);
    check_written(at("o.partial"), "new", 1);
}

static void what_is_a_file(void **state)
{
    (void)state;
    write_file(at("file"), "", 0);
    assert_true(out_is_file(at("file")) && out_is_file(at("none")) && out_is_file(at("none/o")));
    assert_false(out_is_file(""));
    assert_false(out_is_file("-"));
    assert_false(out_is_file("/dev/stdout"));
    assert_false(out_is_file("/dev/null"));
    assert_false(out_is_file(dir));
    assert_false(out_is_file(at("file/x")));        /* a file is no folder */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(is_there_after_the_commit_only),
        IN_FOLDER(an_abort_leaves_what_was_there),
        IN_FOLDER(permissions_follow_the_umask), IN_FOLDER(says_where_it_cannot_write),
        IN_FOLDER(a_pipe_gets_what_was_sought), IN_FOLDER(a_link_stays_a_link),
        IN_FOLDER(signals_and_exit_leave_nothing),
        IN_FOLDER(a_signal_to_another_thread_leaves_nothing),
        IN_FOLDER(standard_output), IN_FOLDER(a_name_without_a_folder),
        IN_FOLDER(links_that_lead_nowhere), IN_FOLDER(descriptors),
        IN_FOLDER(standard_streams_by_name),
        IN_FOLDER(what_cannot_be_opened), IN_FOLDER(many_at_once),
        IN_FOLDER(nothing_begins_after_the_end), IN_FOLDER(what_is_kept_goes_on),
        IN_FOLDER(what_cannot_go_on), IN_FOLDER(an_ended_run_that_was_not),
        IN_FOLDER(what_is_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
