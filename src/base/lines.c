/* SPDX-License-Identifier: MIT
 * Lines of plain and of compressed files, one at a time. */
#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* gzread passes plain text through, so one reader serves both. */
struct lines {
    gzFile gz;
    char *path, *line;
    char chunk[1 << 16];
    size_t at, n;               /* of chunk */
    size_t size, cap;           /* of line */
};

static const size_t LINE_MAX_BYTES = (size_t)1 << 30;

struct lines *lines_open(const char *path, struct err *e)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(0) : open(path, O_RDONLY | O_CLOEXEC);
    struct lines *lines;
    struct stat info;

    if (fd < 0) {
        err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        close(fd);
        err_set(e, ERR_INPUT, "%s: is a folder, expected a file of lines", path);
        return NULL;
    }
    lines = calloc(1, sizeof *lines);
    if (lines != NULL)
        lines->gz = gzdopen(fd, "rb");
    if (lines == NULL || lines->gz == NULL) {
        close(fd);
        free(lines);
        err_set(e, ERR_SYSTEM, "%s: no memory", path);
        return NULL;
    }
    lines->path = strdup(is_stdin ? "standard input" : path);
    return lines;
}

static int fill(struct lines *l, struct err *e)
{
    int got = gzread(l->gz, l->chunk, sizeof l->chunk), code;
    const char *why = gzerror(l->gz, &code);

    if (got < 0 || code == Z_BUF_ERROR)
        return err_set(e, ERR_INPUT, "%s: %s", l->path,
                       code == Z_ERRNO ? strerror(errno) :
                       code == Z_BUF_ERROR ? "gzip data truncated" : why);
    l->at = 0;
    l->n = (size_t)got;
    return got > 0;
}

static int append(struct lines *l, const char *s, size_t n, struct err *e)
{
    if (n == 0)
        return 0;               /* an empty first line has no memory yet */
    if (n > LINE_MAX_BYTES - l->size)
        return err_set(e, ERR_INPUT, "%s: a line of more than 1 GiB", l->path);
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

int lines_next(struct lines *l, const char **line, size_t *size, struct err *e)
{
    bool any = false;

    l->size = 0;
    for (;;) {
        const char *end;
        size_t count;

        if (l->at == l->n) {
            int more = fill(l, e);

            if (more < 0)
                return -1;
            if (more == 0)
                break;
        }
        any = true;
        end = memchr(l->chunk + l->at, '\n', l->n - l->at);
        count = end != NULL ? (size_t)(end - l->chunk) - l->at : l->n - l->at;
        if (append(l, l->chunk + l->at, count, e) != 0)
            return -1;
        l->at += count;
        if (end != NULL) {
            l->at++;
            break;
        }
    }
    if (!any)
        return 0;
    if (l->size > 0 && l->line[l->size - 1] == '\r')
        l->size--;
    *line = l->line;
    *size = l->size;
    return 1;
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
