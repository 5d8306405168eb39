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

static int copy_stdin(FILE *file)
{
    char bytes[1 << 16];
    ssize_t count;

    while ((count = read(0, bytes, sizeof bytes)) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 || fwrite(bytes, 1, (size_t)count, file) != (size_t)count)
            return -1;
    }
    return fflush(file) == 0 && dup2(fileno(file), 0) == 0 ? 0 : -1;
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
static bool is_typed(const struct lines *lines)
{
    enum { GZIP = 0x1f };
    int first;

    if (lines->file_size >= 0)
        return false;
    if (isatty(lines->fd))
        return true;
    first = peek(lines->fd);
    return first >= 0 && first != GZIP;
}

static int fill_typed(struct lines *lines, struct err *e)
{
    ssize_t got;

    if (lines->ended)
        return 0;
    do
        got = read(lines->fd, lines->chunk, sizeof lines->chunk);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return err_set(e, ERR_INPUT, "%s: %s", lines->path, strerror(errno));
    lines->at = 0;
    lines->n = (size_t)got;
    lines->ended = got == 0;
    return got > 0;
}

static int fill_packed(struct lines *lines, struct err *e)
{
    int got = gzread(lines->gz, lines->chunk, sizeof lines->chunk), code;
    const char *why = gzerror(lines->gz, &code);

    if (code == Z_MEM_ERROR)
        return err_set(e, ERR_SYSTEM, "%s: no memory", lines->path);
    if (got < 0 || code == Z_BUF_ERROR)
        return err_set(e, ERR_INPUT, "%s: %s", lines->path,
                       code == Z_ERRNO ? strerror(errno) :
                       code == Z_BUF_ERROR ? "gzip data truncated" : why);
    lines->at = 0;
    lines->n = (size_t)got;
    lines->file_at = (double)gzoffset(lines->gz);
    lines->text_at = (double)gztell(lines->gz);
    return got > 0;
}

static int lines_fill(struct lines *lines, struct err *e)
{
    if (!lines->begun)
        lines->typed = is_typed(lines);
    lines->begun = true;
    return lines->typed ? fill_typed(lines, e) : fill_packed(lines, e);
}

/* Whether s[n], of a line or of several, may follow. */
static int lines_check_size(struct lines *lines, const char *s, size_t n, struct err *e)
{
    const char *first = memchr(s, '\n', n), *last = memrchr(s, '\n', n);

    lines->of_last += first != NULL ? (size_t)(first - s) : n;
    if (lines->of_last > LINE_MAX_BYTES)
        return err_set(e, ERR_INPUT, "%s: a line of more than 64 MiB", lines->path);
    if (n > TEXT_MAX_BYTES - lines->size)
        return err_set(e, ERR_INPUT, "%s: has more than 1 GiB", lines->path);
    if (last != NULL)
        lines->of_last = (size_t)(s + n - last) - 1;
    return 0;
}

static int lines_append(struct lines *lines, const char *s, size_t n, struct err *e)
{
    if (n == 0)
        return 0;               /* an empty first line has no memory yet */
    if (lines_check_size(lines, s, n, e) != 0)
        return -1;
    if (lines->size + n > lines->cap) {
        size_t cap = 2 * (lines->size + n) + 256;
        char *cursor = realloc(lines->line, cap);

        if (cursor == NULL)
            return err_set(e, ERR_SYSTEM, "%s: no memory for a line of %zu bytes",
                           lines->path, cap);
        lines->line = cursor;
        lines->cap = cap;
    }
    memcpy(lines->line + lines->size, s, n);
    lines->size += n;
    return 0;
}

/* Up to ending, or to the end of the file; returns as lines_next. */
static int read_to(struct lines *lines, const char *ending, struct err *e)
{
    bool any = false;

    lines->size = lines->of_last = 0;
    for (;;) {
        const char *end = NULL;
        size_t count;

        if (lines->at == lines->n) {
            int more = lines_fill(lines, e);

            if (more <= 0)
                return more < 0 ? -1 : any;
        }
        any = true;
        if (ending != NULL)
            end = memchr(lines->chunk + lines->at, *ending, lines->n - lines->at);
        count = end != NULL ? (size_t)(end - lines->chunk) - lines->at : lines->n - lines->at;
        if (lines_append(lines, lines->chunk + lines->at, count, e) != 0)
            return -1;
        lines->at += count;
        if (end != NULL) {
            lines->at++;
            return 1;
        }
    }
}

static bool drop_last(struct lines *lines, char byte)
{
    bool last = lines->size > 0 && lines->line[lines->size - 1] == byte;

    lines->size -= last;
    return last;
}

int lines_next(struct lines *lines, const char **line, size_t *size, struct err *e)
{
    int status = read_to(lines, "\n", e);

    if (status <= 0)
        return status;
    drop_last(lines, '\r');
    *line = lines->line != NULL ? lines->line : "";
    *size = lines->size;
    return 1;
}

bool lines_ready(const struct lines *lines)
{
    return lines->file_size >= 0 || memchr(lines->chunk + lines->at, '\n',
                                           lines->n - lines->at) != NULL;
}

int lines_rest(struct lines *lines, const char **text, size_t *size, struct err *e)
{
    int status = read_to(lines, NULL, e);

    if (status <= 0)
        return status;
    if (drop_last(lines, '\n'))
        drop_last(lines, '\r');
    *text = lines->line;
    *size = lines->size;
    return 1;
}

bool lines_wait_stdin(int at_most_ms)
{
    struct pollfd at = { .fd = 0, .events = POLLIN };

    return poll(&at, 1, at_most_ms) != 0;
}

double lines_share(const struct lines *lines)
{
    double text = lines->text_at - (double)(lines->n - lines->at);
    double share = lines->file_at / (double)lines->file_size * text / lines->text_at;

    return lines->file_size <= 0 || !(lines->text_at > 0) ? (double)NAN : share < 1 ? share : 1;
}

void lines_close(struct lines *lines)
{
    if (lines == NULL)
        return;
    gzclose(lines->gz);
    free(lines->path);
    free(lines->line);
    free(lines);
}
