/* SPDX-License-Identifier: MIT
 *
 * The program's main(): signals, the standard streams, and the only place that prints
 * errors and returns the exit status (base/err.h). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/lack.h"
#include "base/maps.h"
#include "base/out.h"
#include "base/signals.h"
#include "cli/console.h"
#include "cmd/program.h"

/*
 * The number of a standard stream that is closed would go to the next file opened, and
 * messages would be written into it.  A descriptor that fails when it is used takes its
 * place.
 */
static void hold_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            exit(ERR_SYSTEM);
}

/* ---- the end of the process ---- */

static void on_signal(int sig)
{
    if (signals_is_put_off(sig))
        return;
    console_hide();
    out_remove_unfinished();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Writes all of the texts, with nothing that a handler may not call. */
static void main_say(const char *const *text, int n)
{
    for (int i = 0; i < n; i++) {
        size_t size = strlen(text[i]);

        if (write(STDERR_FILENO, text[i], size) != (ssize_t)size)
            return;
    }
}

/*
 * A page of a mapped file that is not there: the file became shorter after its size was
 * taken, or the disk failed.  Any other such signal is a fault of the program.
 */
static void on_bus_error(int sig, siginfo_t *info, void *context)
{
    char name[4096];

    (void)context;
    out_remove_unfinished();
    if (info->si_code == BUS_ADRERR && maps_name(info->si_addr, name, sizeof name)) {
        const char *const text[] = { "mha-viz: ", name, ": changed while it was read: a part "
                                     "of it is no longer there\n" };

        main_say(text, 3);
        _exit(ERR_INPUT);
    }
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Nothing changes for a signal that whoever started the program chose to ignore (nohup). */
static void handle(int sig, void (*handler)(int sig))
{
    struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART }, before;

    sigfillset(&act.sa_mask);
    if (sigaction(sig, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(sig, &act, NULL);
}

/* However it ends, nothing half-written is left: also where memory runs out in a write. */
static void leave_nothing_unfinished(void)
{
    static const int deadly[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU,
                                  SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2 };
    struct sigaction bus = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        handle(deadly[i], on_signal);
    sigfillset(&bus.sa_mask);
    sigaction(SIGBUS, &bus, NULL);
    signal(SIGXFSZ, SIG_IGN);       /* a file that may not grow is a write that fails */
    atexit(out_remove_unfinished);
}

static void out_of_memory(void *self, size_t size_bytes)
{
    (void)self;
    console_hide();
    if (size_bytes > 0)
        fprintf(stderr, "mha-viz: out of memory: needed %zu more bytes\n", size_bytes);
    else                            /* of a library, which does not say how much */
        fprintf(stderr, "mha-viz: out of memory\n");
    exit(ERR_SYSTEM);
}

/* At an allocation of any library, whose locks may be held: so no exit handlers. */
static void end_unheard(const char *why)
{
    const char *const text[] = { "mha-viz: ", why, "\n" };

    console_hide();
    out_remove_unfinished();
    main_say(text, 3);
    _exit(ERR_SYSTEM);
}

/* A full disk is seen here at the latest. */
static int close_stdout(struct err *e)
{
    bool failed = ferror(stdout) != 0;

    /* What failed before says why, and fclose may have nothing left to write. */
    if (!failed)
        errno = 0;
    failed |= fclose(stdout) != 0;
    if (!failed)
        return 0;
    /* SIGPIPE may be blocked; a closed pipe needs no message then either. */
    if (errno == EPIPE) {
        *e = (struct err){ .kind = ERR_SYSTEM };
        return -1;
    }
    return err_set(e, ERR_SYSTEM, "standard output: write failed%s%s",
                   errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
}

int main(int argc, char **argv)
{
    struct err e = { ERR_NONE, "" };
    const struct cmd *command = NULL;
    struct arena arena;
    int status;

    hold_standard_streams();
    signal(SIGPIPE, SIG_DFL);
    leave_nothing_unfinished();
    lack_ends(end_unheard);
    arena_init(&arena, out_of_memory, NULL);
    status = program_run(argc, argv, &command, &arena, &e);
    if (status == 0)
        status = close_stdout(&e);
    if (status != 0)
        program_complain(stderr, command, &e);
    arena_finish(&arena);
    return status != 0 ? (int)e.kind : 0;
}
