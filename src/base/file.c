/* SPDX-License-Identifier: MIT
 * Reading by mapping or by lines, writing beside and renaming. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- in ---- */

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" :
           S_ISSOCK(mode) ? "a socket" : "a device";
}

int file_map(const char *path, struct span *out, struct err *e)
{
    struct stat st;
    void *p;
    /* O_NONBLOCK: a fifo must not make the open wait for a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return err_set(e, ERR_INPUT, "%s: is %s, want a file", path,
                       kind_of(st.st_mode));
    }
    out->data = (const unsigned char *)"";
    out->size = (size_t)st.st_size;
    if (out->size == 0) {
        close(fd);
        return 0;
    }
    p = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return err_set(e, ERR_SYSTEM, "%s: cannot be mapped: %s", path,
                       strerror(errno));
    out->data = p;
    return 0;
}

void file_unmap(struct span s)
{
    if (s.size > 0)
        munmap((void *)(uintptr_t)s.data, s.size);
}

bool file_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

bool file_is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *file_folder(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (file_is_dir(path))
        return path;
    if (slash == NULL)
        return ".";
    return slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

char *file_join(struct arena *a, const char *dir, const char *name)
{
    size_t n = strlen(dir);

    return arena_printf(a, "%s%s%s", dir, n > 0 && dir[n - 1] == '/' ? "" : "/",
                        name);
}

/* ---- lines ---- */

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
    struct lines *l;
    struct stat st;

    if (fd < 0) {
        err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        err_set(e, ERR_INPUT, "%s: is a folder, want a file of lines", path);
        return NULL;
    }
    l = calloc(1, sizeof *l);
    if (l != NULL)
        l->gz = gzdopen(fd, "rb");
    if (l == NULL || l->gz == NULL) {
        close(fd);
        free(l);
        err_set(e, ERR_SYSTEM, "%s: no memory", path);
        return NULL;
    }
    l->path = strdup(is_stdin ? "standard input" : path);
    return l;
}

static int fill(struct lines *l, struct err *e)
{
    int got = gzread(l->gz, l->chunk, sizeof l->chunk), code;
    const char *why = gzerror(l->gz, &code);

    if (got < 0 || code == Z_BUF_ERROR)
        return err_set(e, ERR_INPUT, "%s: %s", l->path,
                       code == Z_ERRNO ? strerror(errno) :
                       code == Z_BUF_ERROR ? "the gzip data end early" : why);
    l->at = 0;
    l->n = (size_t)got;
    return got > 0;
}

static int append(struct lines *l, const char *s, size_t n, struct err *e)
{
    if (n == 0)
        return 0;               /* an empty first line has no memory yet */
    if (n > LINE_MAX_BYTES - l->size)
        return err_set(e, ERR_INPUT, "%s: a line of over 1 GiB", l->path);
    if (l->size + n > l->cap) {
        size_t cap = 2 * (l->size + n) + 256;
        char *p = realloc(l->line, cap);

        if (p == NULL)
            return err_set(e, ERR_SYSTEM, "%s: no memory for a line of %zu bytes",
                           l->path, cap);
        l->line = p;
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
        size_t n;

        if (l->at == l->n) {
            int more = fill(l, e);

            if (more < 0)
                return -1;
            if (more == 0)
                break;
        }
        any = true;
        end = memchr(l->chunk + l->at, '\n', l->n - l->at);
        n = end != NULL ? (size_t)(end - l->chunk) - l->at : l->n - l->at;
        if (append(l, l->chunk + l->at, n, e) != 0)
            return -1;
        l->at += n;
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

/* ---- out ---- */

/*
 * What the signal handler must remove.  A handler can reach nothing but a
 * global: this list and the flag are the program's only mutable ones here.
 */
enum { MAX_TEMP = 16 };
static char *volatile unfinished[MAX_TEMP];

static void remember(char *temp)
{
    for (int i = 0; i < MAX_TEMP; i++)
        if (unfinished[i] == NULL) {
            unfinished[i] = temp;
            return;
        }
}

static void forget(const char *temp)
{
    for (int i = 0; i < MAX_TEMP; i++)
        if (unfinished[i] == temp)
            unfinished[i] = NULL;
}

static void remove_unfinished(void)
{
    for (int i = 0; i < MAX_TEMP; i++)
        if (unfinished[i] != NULL)
            unlink(unfinished[i]);
}

static void on_signal(int sig)
{
    remove_unfinished();
    signal(sig, SIG_DFL);
    raise(sig);
}

void out_on_signal(void)
{
    struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    atexit(remove_unfinished);
}

static const char temp_ending[] = ".tmp-XXXXXX";

/* PATH.tmp-XXXXXX; where PATH is a link, beside the file that it leads to. */
static char *name_beside(const char *path)
{
    char *real = realpath(path, NULL), *temp;
    const char *target = real != NULL ? real : path;
    size_t n = strlen(target);

    temp = malloc(n + sizeof temp_ending);
    if (temp != NULL) {
        memcpy(temp, target, n);
        memcpy(temp + n, temp_ending, sizeof temp_ending);
    }
    free(real);
    return temp;
}

/* Gives the temporary file the name that it stands beside. */
static int rename_to_target(const char *temp)
{
    char *target = strndup(temp, strlen(temp) - (sizeof temp_ending - 1));
    int rc = target != NULL ? rename(temp, target) : -1;

    free(target);
    return rc;
}

static int open_beside(struct out *o, struct err *e)
{
    mode_t mask = umask(0);
    int fd;

    umask(mask);
    o->temp = name_beside(o->path);
    if (o->temp == NULL)
        return err_set(e, ERR_SYSTEM, "%s: no memory", o->path);
    fd = mkstemp(o->temp);
    if (fd < 0) {
        free(o->temp);
        o->temp = NULL;
        return err_set(e, ERR_SYSTEM, "%s: cannot be written: %s", o->path,
                       errno == ENOENT ? "its folder is not there" : strerror(errno));
    }
    remember(o->temp);
    fchmod(fd, 0666 & ~mask);
    o->file = fdopen(fd, "wb+");
    return o->file != NULL ? 0 : err_set(e, ERR_SYSTEM, "%s: no memory", o->path);
}

int out_open(struct out *o, const char *path, bool seekable, struct err *e)
{
    struct stat st;

    *o = (struct out){ .path = path };
    if (path[0] == '\0')
        return err_set(e, ERR_USAGE, "the output has an empty name, want a file's");
    if (strcmp(path, "-") == 0) {
        o->file = seekable ? tmpfile() : stdout;
        if (o->file == NULL)
            return err_set(e, ERR_SYSTEM, "no room for a temporary file: %s",
                           strerror(errno));
        return 0;
    }
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(e, ERR_SYSTEM, "%s: is a folder, want a file name", path);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        /* A device or a pipe is written as it is: it cannot be replaced. */
        o->file = fopen(path, seekable ? "wb+" : "wb");
        if (o->file == NULL)
            return err_set(e, ERR_SYSTEM, "%s: cannot be written: %s", path,
                           strerror(errno));
        return 0;
    }
    return open_beside(o, e);
}

static int copy_to_stdout(FILE *f)
{
    char buf[1 << 16];
    size_t n;

    if (fseek(f, 0, SEEK_SET) != 0)
        return -1;
    while ((n = fread(buf, 1, sizeof buf, f)) > 0)
        if (fwrite(buf, 1, n, stdout) != n)
            return -1;
    return ferror(f) ? -1 : 0;
}

int out_commit(struct out *o, struct err *e)
{
    bool is_stdout = o->file == stdout, ok;

    ok = fflush(o->file) == 0 && !ferror(o->file);
    if (ok && !is_stdout && strcmp(o->path, "-") == 0)
        ok = copy_to_stdout(o->file) == 0 && fflush(stdout) == 0;
    if (!is_stdout) {
        if (fclose(o->file) != 0)
            ok = false;
        o->file = NULL;
    }
    if (ok && o->temp != NULL)
        ok = rename_to_target(o->temp) == 0;
    if (!ok) {
        int why = errno;

        out_abort(o);
        return err_set(e, ERR_SYSTEM, "%s: write failed: %s",
                       strcmp(o->path, "-") == 0 ? "standard output" : o->path,
                       strerror(why));
    }
    if (o->temp != NULL)
        forget(o->temp);
    free(o->temp);
    o->temp = NULL;
    return 0;
}

void out_abort(struct out *o)
{
    if (o->file != NULL && o->file != stdout)
        fclose(o->file);
    o->file = NULL;
    if (o->temp != NULL) {
        unlink(o->temp);
        forget(o->temp);
        free(o->temp);
        o->temp = NULL;
    }
}
