/* SPDX-License-Identifier: MIT
 * Lines of plain and of compressed files, one at a time. */
#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* gzread passes plain text through, so one reader serves both; but it waits until its buffer is
 * full, and what someone types, or writes and waits for the answer, is to be read at once. */
struct lines {
    gzFile gz;
    int fd;                     /* gz's */
    bool begun;                 /* something was read */
    bool typed;                 /* a terminal or a pipe, and no gzip */
    bool ended;                 /* so it did: a terminal may be read on behind its end */
    int64_t file_size;          /* -1: it is not a file */
    char *path, *line;
    char chunk[1 << 16];
    size_t at, n;               /* of chunk */
    double file_at, text_at;    /* bytes up to the chunk's end: of the file, and unpacked */
    size_t size, cap;           /* of line */
    size_t of_last;             /* bytes of its last line, where it is several */
};

/* A file of a few MiB may be unpacked to a thousand times as many. */
static const size_t LINE_MAX_BYTES = (size_t)1 << 26, TEXT_MAX_BYTES = (size_t)1 << 30;

/* ---- standard input ---- */

/* A file without a name is the copy of lines_keep_stdin. */
static bool is_kept(void)
{
    struct stat info;

    return fstat(0, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 0;
}

/* The copy has a new position each time. */
static int open_stdin(void)
{
    return is_kept() ? open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC) : dup(0);
}

static int copy_stdin(FILE *to)
{
    char bytes[1 << 16];
    ssize_t count;

    while ((count = read(0, bytes, sizeof bytes)) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 || fwrite(bytes, 1, (size_t)count, to) != (size_t)count)
            return -1;
    }
    return fflush(to) == 0 && dup2(fileno(to), 0) == 0 ? 0 : -1;
}

int lines_keep_stdin(struct err *e)
{
    FILE *copy;
    int status;

    if (is_kept())
        return 0;
    copy = tmpfile();
    if (copy == NULL)
        return err_set(e, ERR_SYSTEM, "no room for a temporary file: %s", strerror(errno));
    status = copy_stdin(copy);
    if (status != 0)
        err_set(e, ERR_SYSTEM, "standard input: it cannot be copied: %s", strerror(errno));
    fclose(copy);
    return status;
}

/* ---- files ---- */

struct lines *lines_open(const char *path, struct err *e)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? open_stdin() : open(path, O_RDONLY | O_CLOEXEC);
    struct lines *lines;
    struct stat info;

    if (fd < 0) {
        err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, &info) != 0)
        info = (struct stat){ .st_mode = 0 };
    if (S_ISDIR(info.st_mode)) {
        close(fd);
        err_set(e, ERR_INPUT, "%s: is a folder, expected a file of lines", path);
        return NULL;
    }
    lines = calloc(1, sizeof *lines);
    if (lines != NULL)
        lines->path = strdup(is_stdin ? "standard input" : path);
    if (lines != NULL && lines->path != NULL)
        lines->gz = gzdopen(fd, "rb");
    if (lines == NULL || lines->gz == NULL) {
        close(fd);
        if (lines != NULL)
            free(lines->path);
        free(lines);
        err_set(e, ERR_SYSTEM, "%s: no memory", path);
        return NULL;
    }
    lines->fd = fd;
    lines->file_size = S_ISREG(info.st_mode) ? info.st_size : -1;
    return lines;
}

/* The first byte of a pipe, once there is one, which stays in it; -1: it ends, or is no pipe. */
static int peek(int fd)
{
    unsigned char byte;
    int copy[2], first = -1;
    ssize_t n;

    if (pipe2(copy, O_CLOEXEC) != 0)
        return -1;
    do
        n = tee(fd, copy[1], 1, 0);
    while (n < 0 && errno == EINTR);
    if (n == 1 && read(copy[0], &byte, 1) == 1)
        first = byte;
    close(copy[0]);
    close(copy[1]);
    return first;
}

/* Waits for its beginning. */
static bool is_typed(const struct lines *l)
{
    enum { GZIP = 0x1f };
    int first;

    if (l->file_size >= 0)
        return false;
    if (isatty(l->fd))
        return true;
    first = peek(l->fd);
    return first >= 0 && first != GZIP;
}

static int fill_typed(struct lines *l, struct err *e)
{
    ssize_t got;

    if (l->ended)
        return 0;
    do
        got = read(l->fd, l->chunk, sizeof l->chunk);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return err_set(e, ERR_INPUT, "%s: %s", l->path, strerror(errno));
    l->at = 0;
    l->n = (size_t)got;
    l->ended = got == 0;
    return got > 0;
}

static int fill_packed(struct lines *l, struct err *e)
{
    int got = gzread(l->gz, l->chunk, sizeof l->chunk), code;
    const char *why = gzerror(l->gz, &code);

    if (code == Z_MEM_ERROR)
        return err_set(e, ERR_SYSTEM, "%s: no memory", l->path);
    if (got < 0 || code == Z_BUF_ERROR)
        return err_set(e, ERR_INPUT, "%s: %s", l->path,
                       code == Z_ERRNO ? strerror(errno) :
                       code == Z_BUF_ERROR ? "gzip data truncated" : why);
    l->at = 0;
    l->n = (size_t)got;
    l->file_at = (double)gzoffset(l->gz);
    l->text_at = (double)gztell(l->gz);
    return got > 0;
}

static int lines_fill(struct lines *l, struct err *e)
{
    if (!l->begun)
        l->typed = is_typed(l);
    l->begun = true;
    return l->typed ? fill_typed(l, e) : fill_packed(l, e);
}

/* Whether s[n], of a line or of several, may follow. */
static int lines_check_size(struct lines *l, const char *s, size_t n, struct err *e)
{
    const char *first = memchr(s, '\n', n), *last = memrchr(s, '\n', n);

    l->of_last += first != NULL ? (size_t)(first - s) : n;
    if (l->of_last > LINE_MAX_BYTES)
        return err_set(e, ERR_INPUT, "%s: a line of more than 64 MiB", l->path);
    if (n > TEXT_MAX_BYTES - l->size)
        return err_set(e, ERR_INPUT, "%s: has more than 1 GiB", l->path);
    if (last != NULL)
        l->of_last = (size_t)(s + n - last) - 1;
    return 0;
}

static int lines_append(struct lines *l, const char *s, size_t n, struct err *e)
{
    if (n == 0)
        return 0;               /* an empty first line has no memory yet */
    if (lines_check_size(l, s, n, e) != 0)
        return -1;
    if (l->size + n > l->cap) {
        size_t cap = 2 * (l->size + n) + 256;
        char *cursor = realloc(l->line, cap);

        if (cursor == NULL)
            return err_set(e, ERR_SYSTEM, "%s: no memory for a line of %zu bytes",
                           l->path, cap);
        l->line = cursor;
        l->cap = cap;
    }
    memcpy(l->line + l->size, s, n);
    l->size += n;
    return 0;
}

/* Up to ending, or to the end of the file; returns as lines_next. */
static int read_to(struct lines *l, const char *ending, struct err *e)
{
    bool any = false;

    l->size = l->of_last = 0;
    for (;;) {
        const char *end = NULL;
        size_t count;

        if (l->at == l->n) {
            int more = lines_fill(l, e);

            if (more <= 0)
                return more < 0 ? -1 : any;
        }
        any = true;
        if (ending != NULL)
            end = memchr(l->chunk + l->at, *ending, l->n - l->at);
        count = end != NULL ? (size_t)(end - l->chunk) - l->at : l->n - l->at;
        if (lines_append(l, l->chunk + l->at, count, e) != 0)
            return -1;
        l->at += count;
        if (end != NULL) {
            l->at++;
            return 1;
        }
    }
}

static bool drop_last(struct lines *l, char byte)
{
    bool last = l->size > 0 && l->line[l->size - 1] == byte;

    l->size -= last;
    return last;
}

int lines_next(struct lines *l, const char **line, size_t *size, struct err *e)
{
    int status = read_to(l, "\n", e);

    if (status <= 0)
        return status;
    drop_last(l, '\r');
    *line = l->line != NULL ? l->line : "";
    *size = l->size;
    return 1;
}

bool lines_ready(const struct lines *l)
{
    return l->file_size >= 0 || memchr(l->chunk + l->at, '\n', l->n - l->at) != NULL;
}

int lines_rest(struct lines *l, const char **text, size_t *size, struct err *e)
{
    int status = read_to(l, NULL, e);

    if (status <= 0)
        return status;
    if (drop_last(l, '\n'))
        drop_last(l, '\r');
    *text = l->line;
    *size = l->size;
    return 1;
}

bool lines_wait_stdin(int at_most_ms)
{
    struct pollfd at = { .fd = 0, .events = POLLIN };

    return poll(&at, 1, at_most_ms) != 0;
}

double lines_share(const struct lines *l)
{
    double text = l->text_at - (double)(l->n - l->at);
    double share = l->file_at / (double)l->file_size * text / l->text_at;

    return l->file_size <= 0 || !(l->text_at > 0) ? (double)NAN : share < 1 ? share : 1;
}

void lines_close(struct lines *l)
{
    if (l == NULL)
        return;
    gzclose(l->gz);
    free(l->path);
    free(l->line);
    free(l);
}
