/* SPDX-License-Identifier: MIT
 * Paths -> claims of files that are read, and of files that are written. */
#include "base/claims.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"

struct claim {
    const char *as;             /* for messages */
    const char *path;
    dev_t device;               /* of the file; of its folder, where base is not NULL */
    ino_t inode;
    const char *base;           /* its name in the folder; NULL: it is there */
    const char *extension;      /* the folder is the claim: numbered files in it; NULL: a file */
};

/* Claims are memory of the arena: they only have to be found, each list by its function. */
static void end_read(void *what)
{
    (void)what;
}

static void end_write(void *what)
{
    (void)what;
}

/* ---- what a path leads to ---- */

/* The folder of path, and its name in that. */
static bool find_place(const char *path, struct arena *a, struct stat *folder, const char **base)
{
    const char *slash = strrchr(path, '/');

    *base = arena_strdup(a, slash != NULL ? slash + 1 : path);
    return stat(slash == NULL ? "." : slash == path ? "/" :
                arena_strndup(a, path, (size_t)(slash - path)), folder) == 0;
}

static bool find_missing(struct arena *a, const char *path, struct claim *out)
{
    char *target = out_target(path);
    struct stat folder;
    bool found = target != NULL && find_place(target, a, &folder, &out->base);

    free(target);
    if (!found)
        return false;           /* it cannot be written, and whoever tries says so */
    out->device = folder.st_dev;
    out->inode = folder.st_ino;
    return true;
}

static bool find_file(struct arena *a, const char *path, struct claim *out)
{
    struct stat info;

    if (!out_is_file(path))
        return false;
    if (stat(path, &info) != 0)
        return find_missing(a, path, out);
    out->device = info.st_dev;
    out->inode = info.st_ino;
    return true;
}

/* ---- the lists ---- */

static struct claim *claim_new(struct arena *a, const char *as, const char *path)
{
    struct claim *claim = arena_alloc(a, 1, sizeof *claim);

    *claim = (struct claim){ .as = arena_strdup(a, as), .path = arena_strdup(a, path) };
    return claim;
}

void claims_read(struct arena *a, const char *as, const char *path)
{
    struct claim found = { .base = NULL }, *claim;

    if (!find_file(a, path, &found) || found.base != NULL)
        return;
    claim = claim_new(a, as, path);
    claim->device = found.device;
    claim->inode = found.inode;
    arena_own(a, end_read, claim);
}

void claims_read_open(struct arena *a, const char *path, const struct stat *info)
{
    struct claim *claim = claim_new(a, path, path);

    claim->device = info->st_dev;
    claim->inode = info->st_ino;
    arena_own(a, end_read, claim);
}

void claims_write(struct arena *a, const char *as, const char *path)
{
    struct claim *claim = claim_new(a, as, path);

    if (find_file(a, path, claim))
        arena_own(a, end_write, claim);
}

void claims_write_in(struct arena *a, const char *folder, const char *extension)
{
    struct claim *claim;
    struct stat info;

    if (stat(folder, &info) != 0)
        return;
    claim = claim_new(a, folder, folder);
    claim->device = info.st_dev;
    claim->inode = info.st_ino;
    claim->extension = arena_strdup(a, extension);
    arena_own(a, end_write, claim);
}

/* ---- whether they meet ---- */

struct meeting {
    const struct arena *writes, *reads;
    const struct claim *one;    /* that is written */
    const struct claim *other;
};

static bool same_file(const struct claim *x, const struct claim *y)
{
    if (x->device != y->device || x->inode != y->inode)
        return false;
    return x->base == NULL ? y->base == NULL : y->base != NULL && strcmp(x->base, y->base) == 0;
}

/* "000001.EXTENSION", "000001-0001.EXTENSION" */
static bool is_numbered(const char *name, const char *extension)
{
    enum { DIGITS = 6 };
    size_t n = strspn(name, "0123456789");

    if (n < DIGITS)
        return false;
    if (name[n] == '-')
        n += 1 + strspn(name + n + 1, "0123456789");
    return name[n] == '.' && strcmp(name + n + 1, extension) == 0;
}

/* Whether a file is one of those that are written in a folder. */
static bool is_in(const struct claim *file, const struct claim *folder)
{
    char room[PATH_MAX], *real = realpath(file->path, room), *slash;
    struct stat info;

    slash = real != NULL ? strrchr(real, '/') : NULL;
    if (slash == NULL || !is_numbered(slash + 1, folder->extension))
        return false;
    slash[slash == real] = '\0';
    return stat(real, &info) == 0 && info.st_dev == folder->device &&
           info.st_ino == folder->inode;
}

static bool meets(const void *what, void *key)
{
    const struct claim *claim = what;
    const struct meeting *m = key;

    if (claim == m->one)
        return false;
    if (m->one->extension != NULL)
        return claim->extension == NULL && is_in(claim, m->one);
    return claim->extension == NULL && same_file(claim, m->one);
}

static bool meets_any(const void *what, void *key)
{
    struct meeting *m = key;

    m->one = what;
    m->other = arena_find(m->reads, end_read, meets, m);
    if (m->other == NULL)
        m->other = arena_find(m->writes, end_write, meets, m);
    return m->other != NULL;
}

int claims_check(const struct arena *writes, const struct arena *reads, struct err *e)
{
    struct meeting m = { .writes = writes, .reads = reads };

    if (arena_find(writes, end_write, meets_any, &m) == NULL)
        return 0;
    if (m.one->extension != NULL)
        return err_set(e, ERR_USAGE, "-o %.250s: a file in it may be %.250s, which is read: "
                       "expected another folder", m.one->as, m.other->as);
    return err_set(e, ERR_USAGE, "%.250s: is the same file as %.250s, which is %s: expected "
                   "another name", m.one->as, m.other->as,
                   arena_find(reads, end_read, meets, &m) != NULL ? "read" : "written, too");
}
