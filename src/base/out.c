/* SPDX-License-Identifier: MIT
 * A path -> an output that is written to a temporary file, then renamed. */
#include "base/out.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signals.h"

/*
 * Temporary files that are not complete, for a signal handler, which can reach nothing but
 * a global.  Slots are taken and given back atomically, so any thread may open outputs; of
 * more than MAX_TEMP at once the rest are not listed.
 */
enum { MAX_TEMP = 16 };
static _Atomic(char *) unfinished[MAX_TEMP];

static void remember(char *temp)
{
    for (int i = 0; i < MAX_TEMP; i++) {
        char *none = NULL;

        if (atomic_compare_exchange_strong(&unfinished[i], &none, temp))
            return;
    }
}

static void forget(char *temp)
{
    for (int i = 0; i < MAX_TEMP; i++) {
        char *own = temp;

        if (atomic_compare_exchange_strong(&unfinished[i], &own, NULL))
            return;
    }
}

/*
 * The list and the disk differ for a moment: none begins, and all have ended, when what is
 * unfinished is removed, be it by a handler in another thread, as one of pango's.
 */
static atomic_int changing;
static atomic_bool ending;

static void change_begin(sigset_t *before)
{
    signals_hold(before);
    atomic_fetch_add(&changing, 1);
    if (!atomic_load(&ending))
        return;
    atomic_fetch_sub(&changing, 1);
    for (;;)
        pause();                /* the process ends */
}

static void change_end(const sigset_t *before)
{
    atomic_fetch_sub(&changing, 1);
    signals_let(before);
}

void out_remove_unfinished(void)
{
    atomic_store(&ending, true);
    while (atomic_load(&changing) > 0)
        sched_yield();
    for (int i = 0; i < MAX_TEMP; i++) {
        const char *temp = atomic_load(&unfinished[i]);

        if (temp != NULL)
            unlink(temp);
    }
}

/* ---- names ---- */

static const char temp_name[] = ".mha-viz-XXXXXX";

/* The length of the folder's part of a path, with its slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* The folder of path, then name; NULL: no memory. */
static char *name_in_folder(const char *path, const char *name)
{
    size_t folder = folder_length(path), size = strlen(name) + 1;
    char *joined = malloc(folder + size);

    if (joined != NULL) {
        memcpy(joined, path, folder);
        memcpy(joined + folder, name, size);
    }
    return joined;
}

/* "PATH.partial"; NULL: no memory. */
static char *partial_name(const char *path)
{
    static const char end[] = ".partial";
    size_t n = strlen(path);
    char *name = malloc(n + sizeof end);

    if (name != NULL) {
        memcpy(name, path, n);
        memcpy(name + n, end, sizeof end);
    }
    return name;
}

/* Follows the link at *path by one step; false: it is not a link.  NULL: there is no memory. */
static bool follow_link(char **path)
{
    char to[PATH_MAX], *next;
    ssize_t n = readlink(*path, to, sizeof to - 1);

    if (n < 0)
        return false;
    to[n] = '\0';
    next = to[0] == '/' ? strdup(to) : name_in_folder(*path, to);
    free(*path);
    *path = next;
    return true;
}

char *out_target(const char *path)
{
    char *real = realpath(path, NULL);

    if (real != NULL)
        return real;
    real = strdup(path);
    for (int i = 0; i < 40 && real != NULL && follow_link(&real); i++)
        ;
    return real;
}

/* The descriptor that the name stands for; -1: it is that of a file. */
static int descriptor_of(const char *path)
{
    static const char *const folder[] = { "/dev/fd/", "/proc/self/fd/" };

    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (int i = 0; i < 2; i++) {
        const char *digits = path + strlen(folder[i]);
        char *end;
        long long fd;

        if (strncmp(path, folder[i], strlen(folder[i])) != 0 || !isdigit((unsigned char)*digits))
            continue;
        fd = strtoll(digits, &end, 10);      /* too many: LLONG_MAX */
        if (*end == '\0' && fd <= INT_MAX)
            return (int)fd;
    }
    return -1;
}

/* ---- open ---- */

/* What there is beside the streams. */
static void out_drop(struct out *out)
{
    free(out->temp);
    free(out->target);
    free(out->buffer);
    out->temp = out->target = out->buffer = NULL;
}

/* file, with fewer and larger writes than a stream makes by itself, if there is memory for them. */
static bool out_open_file(struct out *out, int fd, const char *mode)
{
    enum { BUFFER = 1 << 16 };

    out->file = fdopen(fd, mode);
    if (out->file != NULL)
        out->buffer = malloc(BUFFER);
    if (out->buffer != NULL)
        setvbuf(out->file, out->buffer, _IOFBF, BUFFER);
    return out->file != NULL;
}

/* The mode of the file that is replaced; else what umask leaves. */
static mode_t mode_for(const char *target)
{
    struct stat info;
    mode_t mask;

    if (stat(target, &info) == 0)
        return info.st_mode & 0777;
    mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* From its creation on the file is one that a signal removes. */
static int create_temp(char *temp, int flags)
{
    sigset_t before;
    int fd, why;

    change_begin(&before);
    fd = flags & OUT_PARTIAL ? open(temp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) :
                               mkstemp(temp);
    why = errno;
    if (fd >= 0)
        remember(temp);
    change_end(&before);
    errno = why;
    return fd;
}

static int open_beside(struct out *out, struct err *e)
{
    int fd;

    out->target = out_target(out->path);
    out->temp = out->target == NULL ? NULL : out->flags & OUT_PARTIAL ? partial_name(out->target) :
                name_in_folder(out->target, temp_name);
    if (out->temp == NULL) {
        out_drop(out);
        return err_set(e, ERR_SYSTEM, "%s: no memory", out->path);
    }
    fd = create_temp(out->temp, out->flags);
    if (fd < 0) {
        out_drop(out);
        return err_set(e, ERR_SYSTEM, "%s: cannot be written: %s", out->path,
                       errno == ENOENT ? "its folder does not exist" : strerror(errno));
    }
    fchmod(fd, mode_for(out->target));
    if (out_open_file(out, fd, "wb+"))
        return 0;
    close(fd);
    out_abort(out);
    return err_set(e, ERR_SYSTEM, "%s: no memory", out->path);
}

/* A stream for the descriptor, where it stands; NULL, and errno. */
static FILE *stream_of(int fd)
{
    int own = dup(fd);
    FILE *stream = own >= 0 ? fdopen(own, "wb") : NULL;

    if (stream == NULL && own >= 0)
        close(own);
    return stream;
}

/* Standard output, a descriptor, a device or a pipe is written as it is. */
static int open_stream(struct out *out, struct err *e)
{
    int fd = descriptor_of(out->path);
    FILE *stream = strcmp(out->path, "-") == 0 ? stdout :
                   fd >= 0 ? stream_of(fd) : fopen(out->path, "wb");

    if (stream == NULL)
        return err_set(e, ERR_SYSTEM, "%s: cannot be written: %s", out->path, strerror(errno));
    out->file = out->flags & OUT_SEEKABLE ? tmpfile() : stream;
    if (out->file == stream)
        return 0;
    out->stream = stream;
    if (out->file != NULL)
        return 0;
    err_set(e, ERR_SYSTEM, "no room for a temporary file: %s", strerror(errno));
    out_abort(out);
    return -1;
}

int out_open(struct out *out, const char *path, int flags, struct err *e)
{
    struct stat info;
    bool there;

    *out = (struct out){ .path = path, .flags = flags };
    if (path[0] == '\0')
        return err_set(e, ERR_USAGE, "the output has an empty name, expected that of a file");
    if (strcmp(path, "-") == 0 || descriptor_of(path) >= 0)
        return open_stream(out, e);
    there = stat(path, &info) == 0;
    if (!there && errno == ELOOP)
        return err_set(e, ERR_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
    if (there && S_ISDIR(info.st_mode))
        return err_set(e, ERR_SYSTEM, "%s: is a folder, expected a file name", path);
    return there && !S_ISREG(info.st_mode) ? open_stream(out, e) : open_beside(out, e);
}

/* ---- commit ---- */

static int out_copy(FILE *from, FILE *file)
{
    char buf[1 << 16];
    size_t n;

    rewind(from);
    while ((n = fread(buf, 1, sizeof buf, from)) > 0)
        if (fwrite(buf, 1, n, file) != n)
            return -1;
    return ferror(from) || fflush(file) != 0 ? -1 : 0;
}

/* Standard output stays open. */
static int close_stream(FILE **stream)
{
    int rc = *stream != NULL && *stream != stdout ? fclose(*stream) : 0;

    *stream = NULL;
    return rc;
}

/* Until it is on the disk; what cannot be flushed there, as a pipe, is left. */
static int flush_to_disk(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -1;
}

/* The new name of a file is on the disk when its folder is; until then the old file is. */
static void flush_folder(const char *target)
{
    char *folder = name_in_folder(target, ".");
    int fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

/* The temporary file takes its name, and is no longer one that a signal removes. */
static int take_name(struct out *out)
{
    sigset_t before;
    int rc, why;

    change_begin(&before);
    rc = rename(out->temp, out->target);
    why = errno;
    if (rc == 0)
        forget(out->temp);
    change_end(&before);
    errno = why;
    return rc;
}

/* All is written to the file, or copied where it goes. */
static bool complete(struct out *out)
{
    bool ok = fflush(out->file) == 0;

    if (ok && out->stream != NULL)
        ok = out_copy(out->file, out->stream) == 0;
    if (ok && out->temp != NULL && out->flags & OUT_DURABLE)
        ok = flush_to_disk(fileno(out->file)) == 0;
    ok = ok && close_stream(&out->stream) == 0;
    if (out->file != stdout)
        ok = close_stream(&out->file) == 0 && ok;
    return ok;
}

static int write_failed(const struct out *out, int why, struct err *e)
{
    return err_set(e, ERR_SYSTEM, "%s: write failed: %s",
                   strcmp(out->path, "-") == 0 ? "standard output" : out->path, strerror(why));
}

int out_write(const struct out *out, const void *bytes, size_t n, struct err *e)
{
    return fwrite(bytes, 1, n, out->file) == n ? 0 : write_failed(out, errno, e);
}

/*
 * Why a write failed, whose errno is gone: what is left in the buffer is written once more; where
 * nothing is, one byte, to a file of our own, which will not be completed.
 */
static int find_reason(const struct out *out)
{
    errno = EIO;
    if (fflush(out->file) == 0 && out->temp != NULL && write(fileno(out->file), "", 1) == 1)
        errno = EIO;
    return errno;
}

int out_check(const struct out *out, struct err *e)
{
    return ferror(out->file) ? write_failed(out, find_reason(out), e) : 0;
}

int out_commit(struct out *out, struct err *e)
{
    bool ok;

    if (out_check(out, e) != 0) {
        out_abort(out);
        return -1;
    }
    ok = complete(out);
    if (ok && out->temp != NULL)
        ok = take_name(out) == 0;
    if (!ok) {
        int why = errno;

        out_abort(out);
        return write_failed(out, why, e);
    }
    if (out->temp != NULL && out->flags & OUT_DURABLE)
        flush_folder(out->target);
    out_drop(out);
    return 0;
}

void out_abort(struct out *out)
{
    sigset_t before;

    close_stream(&out->file);
    close_stream(&out->stream);
    if (out->temp != NULL && !out->kept) {
        change_begin(&before);
        unlink(out->temp);
        forget(out->temp);
        change_end(&before);
    }
    out_drop(out);
}

/* ---- going on ---- */

bool out_is_file(const char *path)
{
    struct stat info;

    return path[0] != '\0' && strcmp(path, "-") != 0 && descriptor_of(path) < 0 &&
           (stat(path, &info) == 0 ? S_ISREG(info.st_mode) : errno == ENOENT);
}

int out_keep(struct out *out, int64_t *n, struct err *e)
{
    off_t at = -1;

    if (out_check(out, e) != 0)
        return -1;
    if (fflush(out->file) == 0 && flush_to_disk(fileno(out->file)) == 0)
        at = ftello(out->file);
    if (at < 0)
        return write_failed(out, errno, e);
    if (!out->kept)
        forget(out->temp);
    out->kept = true;
    *n = at;
    return 0;
}

/* Cuts the file to n bytes, and goes to their end. */
static int out_cut(int fd, const char *name, int64_t n, struct err *e)
{
    struct stat info = { .st_size = 0 };

    fstat(fd, &info);
    if (!S_ISREG(info.st_mode))
        return err_set(e, ERR_INPUT, "%s: is not a file, expected one with %lld bytes of a run to "
                       "go on with", name, (long long)n);
    if (info.st_size < n)
        return err_set(e, ERR_INPUT, "%s: has %lld bytes, expected %lld at least of a run to go "
                       "on with", name, (long long)info.st_size, (long long)n);
    if (ftruncate(fd, n) != 0)
        return err_set(e, ERR_SYSTEM, "%s: cannot be cut to %lld bytes: %s", name, (long long)n,
                       strerror(errno));
    lseek(fd, 0, SEEK_END);
    return 0;
}

/* A file of n bytes or more, which is cut to them; -1: it is not. */
static int open_kept(const struct out *out, int64_t n, struct err *e)
{
    int fd = open(out->temp, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return err_set(e, ERR_INPUT, "%s: %s, expected %lld bytes of a run to go on with",
                       out->temp, strerror(errno), (long long)n);
    if (out_cut(fd, out->temp, n, e) == 0)
        return fd;
    close(fd);
    return -1;
}

/* A run that was ended after its output had taken its name, and before it said so. */
static void take_back(const struct out *out, int64_t n)
{
    struct stat info;

    if (stat(out->temp, &info) != 0 && stat(out->target, &info) == 0 && info.st_size == n)
        rename(out->target, out->temp);
}

int out_go_on(struct out *out, const char *path, int64_t n, bool ended, struct err *e)
{
    int fd;

    *out = (struct out){ .path = path, .flags = OUT_PARTIAL, .kept = true };
    out->target = out_target(path);
    out->temp = out->target != NULL ? partial_name(out->target) : NULL;
    if (out->temp == NULL) {
        out_drop(out);
        return err_set(e, ERR_SYSTEM, "%s: no memory", path);
    }
    if (ended)
        take_back(out, n);
    fd = open_kept(out, n, e);
    if (fd >= 0 && out_open_file(out, fd, "wb"))
        return 0;
    if (fd >= 0) {
        close(fd);
        err_set(e, ERR_SYSTEM, "%s: no memory", path);
    }
    out_drop(out);
    return -1;
}
