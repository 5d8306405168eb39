/* SPDX-License-Identifier: MIT
 * Mapping files, and names of folders and files. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claims.h"

static const char *file_kind_of(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : "a device";
}

/* The system's own limits, or its disk, and not what the file is. */
static bool is_of_system(int error)
{
    return error == ENOMEM || error == EMFILE || error == ENFILE || error == EIO;
}

/* *info: of the file, once it is known to be one. */
static int file_map_info(const char *path, struct span *out, struct stat *info, struct err *e)
{
    void *p;
    /* O_NONBLOCK: a fifo must not make the open wait for a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return err_set(e, is_of_system(errno) ? ERR_SYSTEM : ERR_INPUT, "%s: %s", path,
                       strerror(errno));
    if (fstat(fd, info) != 0 || !S_ISREG(info->st_mode)) {
        close(fd);
        return err_set(e, ERR_INPUT, "%s: is %s, expected a file", path,
                       file_kind_of(info->st_mode));
    }
    if ((uint64_t)info->st_size > SIZE_MAX / 2) {
        close(fd);
        return err_set(e, ERR_SYSTEM, "%s: holds %lld bytes, more than the %zu that this "
                       "processor can map", path, (long long)info->st_size, SIZE_MAX / 2);
    }
    out->data = (const unsigned char *)"";
    out->size = (size_t)info->st_size;
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

int file_map(const char *path, struct span *out, struct err *e)
{
    struct stat info;

    return file_map_info(path, out, &info, e);
}

void file_unmap(struct span s)
{
    if (s.size > 0)
        munmap((void *)(uintptr_t)s.data, s.size);
}

static void release_map(void *what)
{
    file_unmap(*(const struct span *)what);
}

const struct span *file_hold(struct arena *a, const char *path, struct err *e)
{
    struct span *held = arena_alloc(a, 1, sizeof *held);
    struct stat info;

    if (file_map_info(path, held, &info, e) != 0)
        return NULL;
    claims_read_open(a, path, &info);
    arena_own(a, release_map, held);
    return held;
}

void file_drop(struct arena *a, const struct span *held)
{
    if (held != NULL)
        arena_release(a, held);
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

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void release_dir(void *what)
{
    closedir(what);
}

const char **file_list(struct arena *a, const char *dir, size_t *n)
{
    DIR *folder = opendir(dir);
    size_t room = 16;
    const char **name;

    *n = 0;
    if (folder == NULL && errno == ENOMEM)
        arena_fail(a, 0);
    if (folder == NULL)
        return NULL;
    arena_own(a, release_dir, folder);
    name = arena_alloc(a, room, sizeof *name);
    for (struct dirent *dirent; (dirent = readdir(folder)) != NULL; ) {
        if (strcmp(dirent->d_name, ".") == 0 || strcmp(dirent->d_name, "..") == 0)
            continue;
        if (*n == room) {
            name = arena_grow(a, name, *n, 2 * room, sizeof *name);
            room *= 2;
        }
        name[(*n)++] = arena_strdup(a, dirent->d_name);
    }
    arena_release(a, folder);
    qsort(name, *n, sizeof *name, by_bytes);
    return name;
}

const char *file_real(struct arena *a, const char *path)
{
    char room[PATH_MAX];
    const char *real = realpath(path, room);

    if (real == NULL && errno == ENOMEM)
        arena_fail(a, 0);
    return real != NULL ? arena_strdup(a, real) : NULL;
}

char *file_join(struct arena *a, const char *dir, const char *name)
{
    size_t count = strlen(dir);

    return arena_printf(a, "%s%s%s", dir, count > 0 && dir[count - 1] == '/' ? "" : "/",
                        name);
}
