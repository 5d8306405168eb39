/* SPDX-License-Identifier: MIT
 * Stops at the entry and the exit of each system call of all threads. */
#include "fault/trace.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault/mark.h"

/* glibc has a struct of this name only where it has no <linux/ptrace.h>. */
struct call {
    unsigned char op;           /* 1: entry, 2: exit */
    unsigned char pad[3];
    unsigned arch;
    unsigned long long instruction, stack;
    unsigned long long number, arg[6];
};

enum { GET_CALL = 0x420e, CALL_ENTRY = 1, CALL_EXIT = 2, MAX_THREADS = 64 };

static const struct {
    const char *name;
    int error;
    long number[5];             /* system calls; 0 (read on x86-64) only as the first */
} kinds[TRACE_KINDS] = {
    [TRACE_NOTHING] = { "count", 0, { -1, -1, -1, -1, -1 } },
    [TRACE_OPEN] = { "open", EIO, { SYS_openat, SYS_openat2, -1, -1, -1 } },
    [TRACE_READ] = { "read", EIO, { SYS_read, SYS_pread64, SYS_readv, -1, -1 } },
    [TRACE_WRITE] = { "write", ENOSPC, { SYS_write, SYS_pwrite64, SYS_writev, -1, -1 } },
    [TRACE_MMAP] = { "mmap", ENOMEM, { SYS_mmap, SYS_mremap, -1, -1, -1 } },
    [TRACE_FSYNC] = { "fsync", EIO, { SYS_fsync, SYS_fdatasync, -1, -1, -1 } },
    [TRACE_RENAME] = { "rename", EIO, { SYS_renameat, SYS_renameat2,
#ifdef SYS_rename
                                        SYS_rename,
#else
                                        -1,
#endif
                                        -1, -1 } },
    [TRACE_MADVISE] = { "madvise", EINVAL, { SYS_madvise, -1, -1, -1, -1 } },
    [TRACE_SIGNAL] = { "signal", 0, { -1, -1, -1, -1, -1 } },
    [TRACE_KILL] = { "kill", 0, { -1, -1, -1, -1, -1 } },
};

const char *trace_name(enum trace_kind kind)
{
    return kinds[kind].name;
}

enum trace_kind trace_kind(const char *name)
{
    int kind = 0;

    while (kind < TRACE_KINDS && strcmp(kinds[kind].name, name) != 0)
        kind++;
    return (enum trace_kind)kind;
}

/* ---- one system call ---- */

/* The calls of threads that are to fail: their exit is still to come. */
struct tracer {
    struct trace *t;
    int child;
    bool active;
    int failing[MAX_THREADS];   /* thread ids; 0: free */
};

static bool is_of(enum trace_kind kind, const struct call *call)
{
    if (kind == TRACE_SIGNAL || kind == TRACE_KILL)
        return true;
    /* Messages are written to descriptor 2: without it none could be asked for. */
    if (kind == TRACE_WRITE && call->arg[0] == STDERR_FILENO)
        return false;
    for (int i = 0; i < 5; i++)
        if (kinds[kind].number[i] >= 0 && (long)call->number == kinds[kind].number[i])
            return true;
    return false;
}

#ifdef __x86_64__
/* No system call has this number: the kernel does nothing. */
static void skip_call(int thread)
{
    ptrace(PTRACE_POKEUSER, thread, offsetof(struct user, regs.orig_rax), -1L);
}

static void set_result(int thread, long result)
{
    ptrace(PTRACE_POKEUSER, thread, offsetof(struct user, regs.rax), result);
}

static const bool can_fail = true;
#else
static void skip_call(int thread)
{
    (void)thread;
}

static void set_result(int thread, long result)
{
    (void)thread;
    (void)result;
}

static const bool can_fail = false;
#endif

static void mark(struct tracer *r, const struct call *call)
{
    r->active = call->arg[2] == FAULT_BEGIN;
    if (r->active)
        return;
    r->t->allocs = (unsigned long)call->arg[3];
    r->t->threads = (unsigned long)call->arg[4];
}

static void fail_call(struct tracer *r, int thread)
{
    int i = 0;

    if (r->t->kind == TRACE_SIGNAL || r->t->kind == TRACE_KILL) {
        kill(r->child, r->t->kind == TRACE_KILL ? SIGKILL : SIGTERM);
        return;
    }
    while (i < MAX_THREADS - 1 && r->failing[i] != 0)
        i++;
    r->failing[i] = thread;
    skip_call(thread);
}

static void at_entry(struct tracer *r, int thread, const struct call *call)
{
    struct trace *t = r->t;

    if (call->number == SYS_kill && call->arg[1] == FAULT_MARK) {
        mark(r, call);
        return;
    }
    for (int kind = 1; r->active && kind < TRACE_KINDS; kind++) {
        unsigned long n;

        if (!is_of((enum trace_kind)kind, call))
            continue;
        n = ++t->made[kind];
        if ((int)t->kind == kind && t->at != 0 && (n == t->at || (t->from && n > t->at)))
            fail_call(r, thread);
    }
}

static void at_exit(struct tracer *r, int thread)
{
    for (int i = 0; i < MAX_THREADS; i++)
        if (r->failing[i] == thread) {
            r->failing[i] = 0;
            set_result(thread, -kinds[r->t->kind].error);
            return;
        }
}

/* ---- all of them ---- */

void trace_me(void)
{
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
}

/* The signal that the thread is given when it goes on: none for a stop of ours. */
static int handle_stop(struct tracer *r, int thread, int status)
{
    struct call call;
    int sig = WSTOPSIG(status);

    if (sig != (SIGTRAP | 0x80))
        return status >> 16 != 0 || sig == SIGSTOP || sig == SIGTRAP ? 0 : sig;
    if (ptrace((enum __ptrace_request)GET_CALL, thread, sizeof call, &call) <= 0)
        return 0;
    if (call.op == CALL_ENTRY)
        at_entry(r, thread, &call);
    else if (call.op == CALL_EXIT)
        at_exit(r, thread);
    return 0;
}

int trace_child(int child, struct trace *t)
{
    struct tracer tracer = { .t = t, .child = child };
    int status, thread;

    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) || !can_fail ||
        ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
               PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return -1;
    }
    ptrace(PTRACE_SYSCALL, child, 0, 0);
    while ((thread = waitpid(-1, &status, __WALL)) > 0) {
        if (WIFSTOPPED(status))
            ptrace(PTRACE_SYSCALL, thread, 0, (long)handle_stop(&tracer, thread, status));
        else if (thread == child)
            return status;
    }
    return -1;
}
