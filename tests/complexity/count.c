/* SPDX-License-Identifier: MIT
 * Counts the instructions that a command and its threads execute, by the processor's own
 * counter:
 *     count FILE COMMAND ARGUMENT...
 * writes the number to FILE and returns the command's status; 77 where the system has no
 * such counter or does not lend it. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_COUNTER = 77 };

/* Of a process and its threads, from its next exec on. */
static int open_counter(pid_t process)
{
    struct perf_event_attr what = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof what,
        .config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1, .enable_on_exec = 1,
        .inherit = 1, .pinned = 1, .exclude_kernel = 1, .exclude_hv = 1,
    };

    return (int)syscall(SYS_perf_event_open, &what, process, -1, -1, 0);
}

/* The child waits for a byte, so that the counter is there before it begins. */
_Noreturn static void begin(int from, char **command)
{
    char byte;

    if (read(from, &byte, 1) != 1)
        _exit(NO_COUNTER);
    close(from);
    execv(command[0], command);
    _exit(126);
}

static int tell(const char *path, int counter)
{
    uint64_t count;
    FILE *f = fopen(path, "w");

    if (f == NULL || read(counter, &count, sizeof count) != sizeof count || count == 0)
        return -1;
    fprintf(f, "%llu\n", (unsigned long long)count);
    return fclose(f);
}

int main(int argc, char **argv)
{
    int ends[2], status, counter;
    pid_t child;

    if (argc < 3 || pipe(ends) != 0 || (child = fork()) < 0)
        return 126;
    if (child == 0) {
        close(ends[1]);
        begin(ends[0], argv + 2);
    }
    close(ends[0]);
    counter = open_counter(child);
    if (counter >= 0 && write(ends[1], "", 1) != 1)
        return 126;
    close(ends[1]);
    if (waitpid(child, &status, 0) != child || counter < 0)
        return NO_COUNTER;
    if (tell(argv[1], counter) != 0)
        return NO_COUNTER;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
