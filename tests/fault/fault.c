/* SPDX-License-Identifier: MIT
 *
 * Runs a command again and again; in each run another of its allocations, threads or system
 * calls fails, or is met by a signal.  What must hold of every run:
 *
 *   exit 0     the output is that of a run in which nothing failed, byte for byte
 *   exit 3, 4  one line says why (4 where memory failed); what went to standard output is a
 *              beginning of that output (with a piece left out, where one write alone failed)
 *   a signal   only where one was sent
 *   always     each file is whole or absent, and no other file is there (after SIGKILL, a
 *              temporary one may be)
 *
 *     fault PRELOAD KIND[+] MOST COMMAND...
 *
 * KIND: alloc, thread, open, read, write, mmap, madvise, fsync, rename: the n-th such call fails,
 * with + also all that follow; signal, kill: SIGTERM, SIGKILL at the n-th system call.  MOST: so
 * many values of n are tried, evenly spread; 0: all; /10: every tenth, but a hundred at least; ~
 * behind it: standard output is of times, and not compared.  The command runs in an empty folder
 * that has an empty folder "out".  Prints one line for each run that was wrong, and one of
 * counts; status 1 where there is a wrong one, 77 where system calls cannot be traced. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/trace.h"

enum { SECONDS = 600, UNTRACEABLE = 77, MAX_FILES = 64 };

enum kind { KIND_ALLOC = TRACE_KINDS + 1, KIND_THREAD };    /* beside those of trace.h */

struct fault {
    const char *preload;
    char **command;
    int kind;                   /* of trace.h, or enum kind */
    bool from, timed;
    char root[32];              /* folder of: good, run, stdout, stderr */
    char *said, *text;          /* of the good run's standard output; of a run's error */
    size_t said_size;
    unsigned long tried, same, errors, ended, wrong;
};

_Noreturn static void stop(const char *why)
{
    fprintf(stderr, "fault: %s: %s\n", why, strerror(errno));
    exit(2);
}

static void *checked(void *p)
{
    if (p == NULL)
        stop("memory");
    return p;
}

/* ---- folders and files ---- */

static const char *in(const struct fault *f, const char *name)
{
    static char path[4][512];
    static int i;

    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "%s/%s", f->root, name);
    return path[i];
}

/* The whole file, with a NUL after it; NULL: it is not there. */
static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t n = 0, cap = 0;

    if (file == NULL)
        return NULL;
    do {
        cap = 2 * cap + 65536;
        bytes = checked(realloc(bytes, cap));
        n += fread(bytes + n, 1, cap - n - 1, file);
    } while (n == cap - 1);
    fclose(file);
    bytes[n] = '\0';
    *size = n;
    return bytes;
}

/* Calls fn for each file in the folder and in its folder "out"; stops where fn is false. */
static bool each_file(const char *folder, bool (*fn)(const char *name, void *self), void *self)
{
    static const char *const parts[] = { "", "out/" };

    for (int i = 0; i < 2; i++) {
        char path[600];
        struct dirent *entry;
        DIR *dir;
        bool go_on = true;

        snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
        dir = opendir(path);
        while (go_on && dir != NULL && (entry = readdir(dir)) != NULL) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                strcmp(entry->d_name, "out") == 0)
                continue;
            snprintf(path, sizeof path, "%s%s", parts[i], entry->d_name);
            go_on = fn(path, self);
        }
        if (dir != NULL)
            closedir(dir);
        if (!go_on)
            return false;
    }
    return true;
}

static bool remove_one(const char *name, void *self)
{
    char path[1200];

    snprintf(path, sizeof path, "%s/%s", (const char *)self, name);
    return remove(path) == 0;
}

static void empty(const char *folder)
{
    char name[512];

    snprintf(name, sizeof name, "%s", folder);
    each_file(name, remove_one, name);
    snprintf(name, sizeof name, "%s/out", folder);
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) ||
        (mkdir(name, 0777) != 0 && errno != EEXIST))
        stop(folder);
}

/* ---- one run ---- */

static void redirect(const char *path, int fd)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (file < 0 || dup2(file, fd) != fd)
        _exit(126);
    close(file);
}

/* The good run is traced for its counts. */
static bool is_traced(const struct fault *f, unsigned long at)
{
    return f->kind < TRACE_KINDS || at == 0;
}

_Noreturn static void start(const struct fault *f, const char *folder, unsigned long at)
{
    char number[32];
    int none = open("/dev/null", O_RDONLY);

    dup2(none, STDIN_FILENO);
    redirect(in(f, "stdout"), STDOUT_FILENO);
    redirect(in(f, "stderr"), STDERR_FILENO);
    if (chdir(folder) != 0)
        _exit(126);
    snprintf(number, sizeof number, "%lu%s", at, f->from ? "+" : "");
    setenv("LD_PRELOAD", f->preload, 1);
    if (f->kind == KIND_ALLOC)
        setenv("FAULT_ALLOC", number, 1);
    if (f->kind == KIND_THREAD)
        setenv("FAULT_THREAD", number, 1);
    alarm(SECONDS);
    if (is_traced(f, at))
        trace_me();
    execv(f->command[0], f->command);
    _exit(126);
}

/* at 0: nothing fails, and *counts says how many calls there were. */
static int run(const struct fault *f, const char *folder, unsigned long at,
               struct trace *counts)
{
    struct trace trace = { .kind = f->kind < TRACE_KINDS ? (enum trace_kind)f->kind :
                                                           TRACE_NOTHING,
                           .at = at, .from = f->from };
    int child, status = 0;

    empty(folder);
    child = fork();
    if (child < 0)
        stop("fork");
    if (child == 0)
        start(f, folder, at);
    if (is_traced(f, at))
        status = trace_child(child, &trace);
    else
        waitpid(child, &status, 0);
    if (counts != NULL)
        *counts = trace;
    return status;
}

/* ---- what came of it ---- */

struct compared {
    const struct fault *f;
    const char *why;            /* NULL: nothing is wrong */
};

static bool is_temporary(const char *name)
{
    return strstr(name, ".mha-viz-") != NULL;
}

static bool compare_one(const char *name, void *self)
{
    struct compared *c = self;
    char path[600];
    char *good, *here;
    size_t n_good, n_here;

    if (c->f->kind == TRACE_KILL && is_temporary(name))
        return true;
    snprintf(path, sizeof path, "good/%s", name);
    good = read_whole(in(c->f, path), &n_good);
    snprintf(path, sizeof path, "run/%s", name);
    here = read_whole(in(c->f, path), &n_here);
    if (good == NULL)
        c->why = is_temporary(name) ? "a temporary file is left" : "a file that no run writes";
    else if (here == NULL || n_good != n_here || memcmp(good, here, n_good) != 0)
        c->why = "a file with other bytes";
    free(good);
    free(here);
    return c->why == NULL;
}

static bool count_one(const char *name, void *self)
{
    (void)name;
    ++*(int *)self;
    return true;
}

static int n_files(const char *folder)
{
    int n = 0;

    each_file(folder, count_one, &n);
    return n;
}

static char *read_said(const struct fault *f, size_t *n)
{
    char *said = read_whole(in(f, "stdout"), n);

    if (f->timed)
        *n = 0;
    return said;
}

/* All of it, or of a run that did not succeed a beginning. */
static const char *check_output(const struct fault *f, bool whole)
{
    size_t n;
    char *here = read_said(f, &n);
    bool same = here != NULL && n <= f->said_size && memcmp(here, f->said, n) == 0 &&
                (!whole || n == f->said_size);

    free(here);
    if (!same)
        return "other bytes on standard output";
    return whole && n_files(in(f, "run")) != n_files(in(f, "good")) ? "a file is missing" : NULL;
}

/* One line that is no warning. */
static const char *check_message(const struct fault *f)
{
    int lines = 0;

    for (const char *line = f->text; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (strchr(line, '\n') == NULL)
            return "an unfinished line";
        /* Fontconfig warns by itself, as of settings that cannot be opened. */
        if (strncmp(line, "Fontconfig ", 11) == 0)
            continue;
        if (strncmp(line, "mha-viz: ", 9) != 0)
            return "not a message of the program";
        lines += strncmp(line, "mha-viz: warning: ", 18) != 0;
    }
    return lines == 1 ? NULL : lines == 0 ? "no message" : "several messages";
}

static const char *check_exit(struct fault *f, int code)
{
    if (code == 0) {
        f->same++;
        return check_output(f, true);
    }
    f->errors++;
    if (code != 4 && (code != 3 || f->kind == KIND_ALLOC || f->kind == TRACE_MMAP))
        return "the wrong exit status";
    if ((f->kind != TRACE_WRITE || f->from) && check_output(f, false) != NULL)
        return check_output(f, false);
    return check_message(f);
}

static const char *check_signal(struct fault *f, int sig)
{
    f->ended++;
    if (sig == SIGALRM)
        return "does not end";
    if (sig != (f->kind == TRACE_KILL ? SIGKILL : f->kind == TRACE_SIGNAL ? SIGTERM : 0))
        return "was ended by a signal";
    return check_output(f, false);
}

static void judge(struct fault *f, unsigned long at, int status)
{
    struct compared compared = { .f = f };
    size_t n;

    f->tried++;
    f->text = checked(read_whole(in(f, "stderr"), &n));
    compared.why = WIFSIGNALED(status) ? check_signal(f, WTERMSIG(status)) :
                                         check_exit(f, WEXITSTATUS(status));
    if (compared.why == NULL)
        each_file(in(f, "run"), compare_one, &compared);
    if (compared.why != NULL) {
        f->wrong++;
        printf("    at %lu: %s (%s %d): %.300s\n", at, compared.why,
               WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), f->text);
    }
    free(f->text);
}

/* ---- all runs ---- */

static unsigned long points_of(const struct fault *f, const struct trace *counts)
{
    return f->kind == KIND_ALLOC ? counts->allocs : f->kind == KIND_THREAD ? counts->threads :
                                                    counts->made[f->kind];
}

static void read_kind(struct fault *f, char *name)
{
    size_t n = strlen(name);

    f->from = n > 0 && name[n - 1] == '+';
    if (f->from)
        name[n - 1] = '\0';
    f->kind = strcmp(name, "alloc") == 0 ? (int)KIND_ALLOC :
              strcmp(name, "thread") == 0 ? (int)KIND_THREAD : (int)trace_kind(name);
    if (f->kind == TRACE_KINDS) {
        fprintf(stderr, "fault: %s: no such kind\n", name);
        exit(2);
    }
}

static void clean_up(const struct fault *f)
{
    empty(in(f, "run"));
    empty(in(f, "good"));
    rmdir(in(f, "run/out"));
    rmdir(in(f, "good/out"));
    rmdir(in(f, "run"));
    rmdir(in(f, "good"));
    remove(in(f, "stdout"));
    remove(in(f, "stderr"));
    rmdir(f->root);
}

/* MOST of the command line, of so many points. */
static unsigned long tries_of(const char *most, unsigned long points)
{
    unsigned long n = strtoul(most + (*most == '/'), NULL, 10);

    if (*most == '/' && n > 0)
        n = points / n > 100 ? points / n : 100;
    return n == 0 || n > points ? points : n;
}

static void run_all(struct fault *f, unsigned long points, unsigned long tries)
{
    for (unsigned long i = 0; i < tries; i++) {
        unsigned long at = 1 + i * points / tries;

        judge(f, at, run(f, in(f, "run"), at, NULL));
    }
    printf("%lu of %lu: %lu the same, %lu errors, %lu ended, %lu wrong\n", f->tried, points,
           f->same, f->errors, f->ended, f->wrong);
}

int main(int argc, char **argv)
{
    struct fault f = { .root = "/tmp/mha-viz-fault-XXXXXX" };
    struct trace counts;
    unsigned long points;
    int status;

    if (argc < 5) {
        fprintf(stderr, "usage: fault PRELOAD KIND[+] MOST COMMAND...\n");
        return 2;
    }
    f.preload = argv[1];
    f.command = argv + 4;
    read_kind(&f, argv[2]);
    if (mkdtemp(f.root) == NULL)
        stop(f.root);
    status = run(&f, in(&f, "good"), 0, &counts);
    f.timed = strchr(argv[3], '~') != NULL;
    f.said = checked(read_said(&f, &f.said_size));
    points = points_of(&f, &counts);
    if (status == 0)
        run_all(&f, points, tries_of(argv[3], points));
    else if (status != -1)
        printf("the command itself fails: status %d\n", WEXITSTATUS(status));
    clean_up(&f);
    free(f.said);
    return status == -1 ? UNTRACEABLE : status != 0 || f.wrong > 0;
}
