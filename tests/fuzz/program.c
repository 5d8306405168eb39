/* SPDX-License-Identifier: MIT
 * A whole command line and its files: arguments, one a line, then files, each after a line
 * "== NAME".  They lie in a folder of their own, beside small models (support/folder.h).
 * Whatever it is: an exit status that is known, one line for an error, nothing left of a run
 * that failed, the same bytes with other threads, no descriptor lost, and an end in time.
 * file_tags=threads */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmds.h"
#include "cmd/program.h"
#include "support/folder.h"
#include "support/streams.h"

enum { MAX_ARGS = 48, MAX_SIZE = 1 << 20 };

const size_t fuzz_cuts = 3;

/* Of the processor, under libFuzzer; a machine that replays the seeds may be a slow one.
 * Sanitisers take more. */
#if defined __SANITIZE_ADDRESS__ || defined __clang__
static const double MOST_SECONDS = 30;
#else
static const double MOST_SECONDS = 10;
#endif

struct line {
    int n;
    char *arg[MAX_ARGS + 3];    /* mha-viz, those of the input, -t N, NULL */
};

struct result {
    enum err_kind status;
    struct caught out, said;    /* standard output and standard error */
    struct folder_left left;
};

/* ---- the command line ---- */

/*
 * A number of 3 to 9 digits becomes its first two: what takes long because it was asked to,
 * as a thousand runs, is no fault.  Longer ones are out of every range.
 */
static void shorten_numbers(char *s)
{
    char *to = s;

    while (*s != '\0') {
        size_t digits = strspn(s, "0123456789"), kept = digits > 2 && digits < 10 ? 2 : digits;

        if (digits == 0)
            kept = digits = 1;
        memmove(to, s, kept);
        to += kept;
        s += digits;
    }
    *to = '\0';
}

/* Only files of the folder are read and written. */
static bool is_harmless(const char *arg)
{
    static const char *const devices[] = { "/dev/null", "/dev/full", "/dev/stdout", "/dev/stdin" };
    const char *slash = strchr(arg, '/');

    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (strcmp(arg, devices[i]) == 0)
            return true;
    return strstr(arg, "..") == NULL && (slash == NULL || folder_has(arg, slash));
}

/* The arguments of the text, cut in place; -1: it is not one to run. */
static int cut(struct line *line, char *text)
{
    static char name[] = "mha-viz";

    line->n = 0;
    line->arg[line->n++] = name;
    for (char *s = text, *end; *s != '\0' && line->n < MAX_ARGS; s = end) {
        end = s + strcspn(s, "\n");
        if (*end == '\n')
            *end++ = '\0';
        shorten_numbers(s);
        if (!is_harmless(s))
            return -1;
        line->arg[line->n++] = s;
    }
    line->arg[line->n] = NULL;
    return 0;
}

/* ---- one run ---- */

static double seconds_used(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* The next file would have this number: a run that keeps none open leaves it as it was. */
static int next_descriptor(void)
{
    int fd = dup(0);

    close(fd);
    return fd;
}

/* What main does, without the process around it; that too ends at once without memory. */
static enum err_kind run(struct line *line)
{
    const struct cmd *command = NULL;
    struct err e = { ERR_NONE, "" };
    struct arena a;
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) != 0)
        err_set(&e, ERR_SYSTEM, "out of memory");
    else if (program_run(line->n, line->arg, &command, &a, &e) != 0)
        assert(e.kind != ERR_NONE);
    if (e.kind != ERR_NONE)
        program_complain(stderr, command, &e);
    arena_finish(&a);
    return e.kind;
}

/* ---- the input ---- */

struct input {
    char *text;                 /* a copy, with a NUL after it */
    char *files;                /* "\n== " of the first file, or end */
    char *end;
};

static char *next_file(char *s, const char *end)
{
    char *found = memmem(s, (size_t)(end - s), "\n== ", 4);

    return found != NULL ? found : s + (end - s);
}

static void write_files(const struct input *in)
{
    for (char *s = in->files, *next; s < in->end; s = next) {
        char *name = s + 4, *data = memchr(name, '\n', (size_t)(in->end - name));
        char text[64];

        if (data == NULL)
            return;
        snprintf(text, sizeof text, "%.*s", (int)(data - name < 60 ? data - name : 60), name);
        next = next_file(data, in->end);
        data += data < next;
        folder_write(text, data, (size_t)(next - data));
    }
}

static struct result run_apart(const struct line *line, const struct input *in)
{
    struct line own = *line;            /* getopt_long puts it in order */
    struct result r;
    double start = seconds_used();
    int fd;

    folder_enter();
    fd = next_descriptor();
    write_files(in);
    streams_open("stdin");
    r.status = run(&own);
    streams_close(&r.out, &r.said);
    r.left = folder_leave();
    assert(next_descriptor() == fd && "a file stayed open");
    assert((fuzz_replays() || seconds_used() - start < MOST_SECONDS) && "it takes too long");
    return r;
}

/* ---- what holds of every run ---- */

/* Lines of standard error that are no warning and no note. */
static int count_errors(const char *said)
{
    int n = 0;

    for (const char *s = said; *s != '\0'; s += strcspn(s, "\n") + 1) {
        assert(strncmp(s, "mha-viz: ", 9) == 0 && strchr(s, '\n') != NULL);
        n += strncmp(s + 9, "warning: ", 9) != 0 && strncmp(s + 9, "note: ", 6) != 0;
    }
    return n;
}

static void check(const struct result *r, bool many)
{
    int n_errors = count_errors(r->said.text);

    assert(strlen(r->said.text) == r->said.size);
    assert(r->status >= ERR_NONE && r->status <= ERR_SYSTEM);
    assert(r->status == ERR_NEGATIVE ? n_errors <= 1 : n_errors == (r->status != ERR_NONE));
    assert(!r->left.unfinished);
    if (r->status == ERR_USAGE || (r->status != ERR_NONE && r->status != ERR_NEGATIVE && !many))
        assert(r->left.n == 0);
}

/* mechanisms measures times, info says what memory that many threads take. */
static bool tells_threads(const char *command)
{
    return strcmp(command, "mechanisms") == 0 || strcmp(command, "info") == 0;
}

/* The same with other threads. */
static void check_again(const struct result *r, const struct line *line, const struct input *in)
{
    static char option[] = "-t3";
    struct line other = { line->n + 1, { line->arg[0], line->arg[1], option } };
    struct result again;

    if (line->n < 2 || cmd_find(line->arg[1]) == NULL || tells_threads(line->arg[1]))
        return;
    memcpy(other.arg + 3, line->arg + 2, (size_t)(line->n - 1) * sizeof *line->arg);
    again = run_apart(&other, in);
    assert(again.status == r->status && again.left.hash == r->left.hash);
    assert(again.out.size == r->out.size &&
           memcmp(again.out.text, r->out.text, r->out.size) == 0);
    assert(strcmp(again.said.text, r->said.text) == 0);
    free(again.out.text);
    free(again.said.text);
}

/* Several texts: some may be used although another is wrong. */
static bool has_many(const struct line *line, const struct input *in)
{
    for (int i = 1; i < line->n; i++)
        if (strncmp(line->arg[i], "-f", 2) == 0 || strncmp(line->arg[i], "--file", 6) == 0 ||
            strcmp(line->arg[i], "-") == 0)
            return true;
    return memmem(in->files, (size_t)(in->end - in->files), "== stdin\n", 9) != NULL;
}

static void feed(struct input *in)
{
    struct line line;
    struct result r;

    in->files = next_file(in->text, in->end);
    if (memchr(in->text, '\0', (size_t)(in->files - in->text)) != NULL)
        return;
    *in->files = '\0';
    if (cut(&line, in->text) != 0)
        return;
    r = run_apart(&line, in);
    check(&r, has_many(&line, in));
    if (r.out.size % 4 == 0)
        check_again(&r, &line, in);
    free(r.out.text);
    free(r.said.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in;

    if (size > MAX_SIZE)
        return 0;
    in.text = malloc(size + 2);
    assert(in.text != NULL);
    memcpy(in.text, data, size);
    in.text[size] = in.text[size + 1] = '\0';
    in.end = in.text + size;
    feed(&in);
    free(in.text);
    return 0;
}
