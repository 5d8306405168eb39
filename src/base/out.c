/* SPDX-License-Identifier: MIT
 * Writing beside a name, then renaming. */
#include "base/out.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

void out_remove_unfinished(void)
{
    for (int i = 0; i < MAX_TEMP; i++) {
        const char *temp = atomic_load(&unfinished[i]);

        if (temp != NULL)
            unlink(temp);
    }
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
                       errno == ENOENT ? "its folder does not exist" : strerror(errno));
    }
    remember(o->temp);
    fchmod(fd, 0666 & ~mask);
    o->file = fdopen(fd, "wb+");
    return o->file != NULL ? 0 : err_set(e, ERR_SYSTEM, "%s: no memory", o->path);
}

/* Standard output, a device or a pipe is written as it is: it cannot be replaced. */
static int open_stream(struct out *o, bool seekable, struct err *e)
{
    FILE *stream = strcmp(o->path, "-") == 0 ? stdout : fopen(o->path, "wb");

    if (stream == NULL)
        return err_set(e, ERR_SYSTEM, "%s: cannot be written: %s", o->path, strerror(errno));
    o->file = seekable ? tmpfile() : stream;
    if (o->file == stream)
        return 0;
    o->stream = stream;
    if (o->file != NULL)
        return 0;
    err_set(e, ERR_SYSTEM, "no room for a temporary file: %s", strerror(errno));
    out_abort(o);
    return -1;
}

int out_open(struct out *o, const char *path, bool seekable, struct err *e)
{
    struct stat st;

    *o = (struct out){ .path = path };
    if (path[0] == '\0')
        return err_set(e, ERR_USAGE, "the output has an empty name, expected that of a file");
    if (strcmp(path, "-") == 0)
        return open_stream(o, seekable, e);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(e, ERR_SYSTEM, "%s: is a folder, expected a file name", path);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return open_stream(o, seekable, e);
    return open_beside(o, e);
}

static int copy(FILE *from, FILE *to)
{
    char buf[1 << 16];
    size_t n;

    if (fseek(from, 0, SEEK_SET) != 0)
        return -1;
    while ((n = fread(buf, 1, sizeof buf, from)) > 0)
        if (fwrite(buf, 1, n, to) != n)
            return -1;
    return ferror(from) || fflush(to) != 0 ? -1 : 0;
}

/* Standard output stays open. */
static int close_stream(FILE **stream)
{
    int rc = *stream != NULL && *stream != stdout ? fclose(*stream) : 0;

    *stream = NULL;
    return rc;
}

int out_commit(struct out *o, struct err *e)
{
    bool ok = fflush(o->file) == 0 && !ferror(o->file);

    if (ok && o->stream != NULL)
        ok = copy(o->file, o->stream) == 0;
    ok = ok && close_stream(&o->stream) == 0;
    if (o->file != stdout)
        ok = close_stream(&o->file) == 0 && ok;
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
    close_stream(&o->file);
    close_stream(&o->stream);
    if (o->temp != NULL) {
        unlink(o->temp);
        forget(o->temp);
        free(o->temp);
        o->temp = NULL;
    }
}
