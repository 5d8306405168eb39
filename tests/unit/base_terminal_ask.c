/* SPDX-License-Identifier: MIT
 * What a terminal is asked, when, and what is made of its answer or its silence. */
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>

#include "base/terminal.h"
#include "unit/pty.h"

/* ---- calls of the library, which the linker sends here (--wrap) ---- */

/* A clock that goes on by a step each time it is looked at: no machine is too slow for it. */
static int step_ms;

int __wrap_clock_gettime(clockid_t id, struct timespec *now);

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
    static int ms;

    (void)id;
    ms += step_ms;
    *now = (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    return 0;
}

/* The call that finds the terminal gone; volatile, for compilers take it that none of these
 * calls comes back here. */
enum { IS_THERE, AT_NAME, AT_GET, AT_SET, AT_WRITE, AT_READ };
static volatile int gone;

static bool goes(int at)
{
    errno = EIO;
    return gone == at;
}

int __real_ttyname_r(int fd, char *name, size_t size);
int __real_tcgetattr(int fd, struct termios *t);
int __real_tcsetattr(int fd, int when, const struct termios *t);
ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __real_read(int fd, void *bytes, size_t n);
int __wrap_ttyname_r(int fd, char *name, size_t size);
int __wrap_tcgetattr(int fd, struct termios *t);
int __wrap_tcsetattr(int fd, int when, const struct termios *t);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_read(int fd, void *bytes, size_t n);

int __wrap_ttyname_r(int fd, char *name, size_t size)
{
    return goes(AT_NAME) ? ENODEV : __real_ttyname_r(fd, name, size);
}

int __wrap_tcgetattr(int fd, struct termios *t)
{
    return goes(AT_GET) ? -1 : __real_tcgetattr(fd, t);
}

int __wrap_tcsetattr(int fd, int when, const struct termios *t)
{
    return goes(AT_SET) ? -1 : __real_tcsetattr(fd, when, t);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    return goes(AT_WRITE) ? -1 : __real_write(fd, bytes, n);
}

/* What hung up is always at its end, and is read once. */
static volatile int n_reads;

ssize_t __wrap_read(int fd, void *bytes, size_t n)
{
    n_reads++;
    return goes(AT_READ) ? 0 : __real_read(fd, bytes, n);
}

/* ---- a terminal ---- */

/* Another process is in front of the terminal; no other descriptor can be opened. */
enum { BEHIND = 1, NO_DESCRIPTOR = 2 };

struct asked {
    const char *term, *answer;  /* term NULL: TERM is not set; the answer is there at once */
    enum terminal_way otherwise, want;
    bool is_asked;
    int step_ms, gone, how;
};

/* The way; 90: the terminal's modes or the signals held are not as they were; 91: it was read
 * again though it is gone. */
static int ask_and_compare(int fd, enum terminal_way otherwise)
{
    struct termios before, after;
    sigset_t held_before, held_after;
    enum terminal_way way;
    int then = gone;

    gone = IS_THERE;
    tcgetattr(fd, &before);
    sigprocmask(SIG_SETMASK, NULL, &held_before);
    gone = then;
    way = terminal_ask(fd, otherwise);
    if (gone == AT_READ && n_reads != 1)
        return 91;
    gone = IS_THERE;
    tcgetattr(fd, &after);
    sigprocmask(SIG_SETMASK, NULL, &held_after);
    return before.c_lflag == after.c_lflag && before.c_cc[VMIN] == after.c_cc[VMIN] &&
           sigismember(&held_before, SIGTERM) == sigismember(&held_after, SIGTERM) ? (int)way : 90;
}

static int ask_without_descriptor(int fd, enum terminal_way otherwise)
{
    struct rlimit before, none;
    int way;

    getrlimit(RLIMIT_NOFILE, &before);
    none = (struct rlimit){ 0, before.rlim_max };
    setrlimit(RLIMIT_NOFILE, &none);
    way = ask_and_compare(fd, otherwise);
    setrlimit(RLIMIT_NOFILE, &before);
    return way;
}

static int ask_behind(int fd, enum terminal_way otherwise)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        setpgid(0, 0);
        exit(ask_and_compare(fd, otherwise));
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 92;
}

static int ask(int fd, const void *with)
{
    const struct asked *a = with;

    if (a->term != NULL)
        setenv("TERM", a->term, 1);
    else
        unsetenv("TERM");
    step_ms = a->step_ms;
    gone = a->gone;
    n_reads = 0;
    return a->how == BEHIND ? ask_behind(fd, a->otherwise) :
           a->how == NO_DESCRIPTOR ? ask_without_descriptor(fd, a->otherwise) :
                                     ask_and_compare(fd, a->otherwise);
}

static void check_asked(const struct asked *a)
{
    static const char question[] = "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c";
    char seen[4096];
    struct pty p;

    pty_open(&p);
    assert_int_equal(write(p.test, a->answer, strlen(a->answer)), strlen(a->answer));
    assert_int_equal(pty_run(&p, true, ask, a), a->want);
    pty_written(&p, seen, sizeof seen);
    assert_true((strstr(seen, question) != NULL) == a->is_asked);
}

/* ---- tests ---- */

#define SIXEL "\033[?62;4;22c"

static void an_answer_is_understood(void **state)
{
    static const struct asked cases[] = {
        { "xterm", SIXEL, TERMINAL_256, TERMINAL_SIXEL, true, 1 },
        { NULL, SIXEL, TERMINAL_TRUE, TERMINAL_SIXEL, true, 1 },
        { "xterm", "typed\033[?62;22c", TERMINAL_TRUE, TERMINAL_TRUE, true, 1 },
        { "xterm", "\033_Gi=31;OK\033\\\033[?62;c", TERMINAL_256, TERMINAL_KITTY, true, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_asked(&cases[i]);
}

static void who_is_not_asked(void **state)
{
    static const struct asked cases[] = {
        { "linux", SIXEL, TERMINAL_256, TERMINAL_256, false, 1 },
        { "linux-16color", SIXEL, TERMINAL_256, TERMINAL_256, false, 1 },
        { "xterm", SIXEL, TERMINAL_DIGITS, TERMINAL_DIGITS, false, 1 },
        { "xterm", SIXEL, TERMINAL_256, TERMINAL_256, false, 1, .how = BEHIND },
        { "xterm", SIXEL, TERMINAL_256, TERMINAL_256, false, 1, .how = NO_DESCRIPTOR },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_asked(&cases[i]);
}

/* No answer, one that is not whole, one that comes when its time is over. */
static void silence_ends(void **state)
{
    static const struct asked cases[] = {
        { "xterm", "", TERMINAL_TRUE, TERMINAL_TRUE, true, 499 },
        { "xterm", "\033[?62;4", TERMINAL_TRUE, TERMINAL_TRUE, true, 200 },
        { "xterm", SIXEL, TERMINAL_TRUE, TERMINAL_TRUE, true, 500 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_asked(&cases[i]);
}

/* Something else talks: no more is read than there is room for. */
static void talk_without_end(void **state)
{
    char talk[601];
    struct asked a = { "xterm", talk, TERMINAL_256, TERMINAL_256, true, 1 };

    (void)state;
    memset(talk, 'x', sizeof talk);
    strcpy(talk + sizeof talk - sizeof SIXEL, SIXEL);       /* too late */
    check_asked(&a);
}

static void a_terminal_that_goes_away(void **state)
{
    (void)state;
    for (int at = AT_NAME; at <= AT_READ; at++) {
        struct asked a = { "xterm", SIXEL, TERMINAL_256, TERMINAL_256, at == AT_READ, 1,
                           .gone = at };

        check_asked(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_understood),
        cmocka_unit_test(who_is_not_asked),
        cmocka_unit_test(silence_ends),
        cmocka_unit_test(talk_without_end),
        cmocka_unit_test(a_terminal_that_goes_away),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
