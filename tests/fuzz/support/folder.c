/* SPDX-License-Identifier: MIT
 * The folder of a run: made anew for each, removed after it. */
#include "support/folder.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OWN = 16, MAX_NAME = 40 };

/* Files of tests/ref, and the names that they have in the folder. */
static const struct { const char *name, *from; } given[] = {
    { "config.json", "bert/config.json" }, { "model.safetensors", "bert/model.safetensors" },
    { "tokenizer.json", "bert/tokenizer.json" }, { "llama.gguf", "gguf_llama/model.gguf" },
    { "gpt2/config.json", NULL }, { "gpt2/tokenizer.json", NULL },
    { "gpt2/model.safetensors.index.json", NULL },
    { "gpt2/model-00001-of-00003.safetensors", NULL },
    { "gpt2/model-00002-of-00003.safetensors", NULL },
    { "gpt2/model-00003-of-00003.safetensors", NULL },
    { "bart/config.json", NULL }, { "bart/model.safetensors", NULL },
    { "bart/tokenizer.json", NULL },
    { "vit/config.json", "families/vit/config.json" },
    { "vit/model.safetensors", "families/vit/model.safetensors" },
    { "reformer/config.json", "families/reformer/config.json" },
    { "reformer/model.safetensors", "families/reformer/model.safetensors" },
    { "longformer/config.json", "families/longformer/config.json" },
    { "longformer/model.safetensors", "families/longformer/model.safetensors" },
    { "layer.safetensors", "layers/q_linear.safetensors" },
    { "decoder.safetensors", "layers/torch_decoder_layer.safetensors" },
    { "shaw.safetensors", "layers/shaw.safetensors" },
    { "rows.npz", "precomputed/plain.npz" }, { "decoder.npz", "precomputed/decoder.npz" },
};
enum { N_GIVEN = sizeof given / sizeof given[0] };
static const char *const folders[] = { "out", "gpt2", "bart", "vit", "reformer", "longformer" };
enum { N_FOLDERS = sizeof folders / sizeof folders[0] };

/* Of the process: made by the first run, gone at its end.  A run gets links of copies, which
 * it replaces when it writes to them. */
static char base[PATH_MAX - 32];
static ino_t copy[N_GIVEN];
static int home = -1;
/* Of one run: the names that its input wrote. */
static char own[MAX_OWN][MAX_NAME];
static int n_own;

/* A fault of this machine, not of the input. */
static void stop(const char *what)
{
    perror(what);
    abort();
}

/* The copy of a given file; base is the folder that one is in. */
static const char *copy_name(int i)
{
    static char name[16];

    snprintf(name, sizeof name, "%d", i);
    return name;
}

static void copy_given(int i)
{
    static char bytes[1 << 20];
    char path[PATH_MAX];
    struct stat info;
    FILE *from, *to;

    snprintf(path, sizeof path, "tests/ref/%s",
             given[i].from != NULL ? given[i].from : given[i].name);
    from = fopen(path, "rb");
    snprintf(path, sizeof path, "%s/%s", base, copy_name(i));
    to = fopen(path, "wb");
    if (from == NULL || to == NULL)
        stop(given[i].name);
    fwrite(bytes, 1, fread(bytes, 1, sizeof bytes, from), to);
    if (!feof(from) || fclose(to) != 0 || stat(path, &info) != 0)
        stop(path);
    fclose(from);
    copy[i] = info.st_ino;
}

static void remove_base(void)
{
    if (chdir(base) != 0)
        return;
    for (int i = 0; i < N_GIVEN; i++)
        unlink(copy_name(i));
    if (fchdir(home) == 0)
        rmdir(base);
}

static void make_base(void)
{
    const char *where = getenv("TMPDIR");

    if (home >= 0)
        return;
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(base, sizeof base, "%s/mha-viz-fuzz-XXXXXX", where != NULL ? where : "/tmp");
    if (home < 0 || mkdtemp(base) == NULL)
        stop(base);
    for (int i = 0; i < N_GIVEN; i++)
        copy_given(i);
    setenv("HF_HOME", base, 1);         /* no model of this machine */
    setenv("HF_HUB_CACHE", base, 1);
    atexit(remove_base);
}

void folder_enter(void)
{
    char from[32];
    int rc;

    make_base();
    n_own = 0;
    rc = chdir(base) | mkdir("run", 0700) | chdir("run");
    for (int i = 0; i < N_FOLDERS; i++)
        rc |= mkdir(folders[i], 0700);
    for (int i = 0; i < N_GIVEN; i++) {
        snprintf(from, sizeof from, "../%s", copy_name(i));
        rc |= link(from, given[i].name);
    }
    if (rc != 0)
        stop(base);
}

static bool is_folder(const char *name, size_t size)
{
    for (int i = 0; i < N_FOLDERS; i++)
        if (strlen(folders[i]) == size && memcmp(folders[i], name, size) == 0)
            return true;
    return false;
}

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-.";
    size_t size = strlen(name);

    return size > 0 && size < MAX_NAME && strspn(name, letters) == size && name[0] != '.' &&
           !is_folder(name, size);
}

static bool is_own(const char *name)
{
    for (int i = 0; i < n_own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return false;
}

/* Still the file that was given, not one of the run in its place. */
static bool is_given(const char *name)
{
    struct stat info;

    for (int i = 0; i < N_GIVEN; i++)
        if (strcmp(given[i].name, name) == 0)
            return lstat(name, &info) == 0 && info.st_ino == copy[i];
    return false;
}

void folder_write(const char *name, const char *data, size_t size)
{
    FILE *f;

    if (!is_name(name) || is_own(name) || n_own == MAX_OWN)
        return;
    unlink(name);
    f = fopen(name, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        stop(name);
    strcpy(own[n_own++], name);
}

bool folder_has(const char *path, const char *slash)
{
    size_t size = (size_t)(slash - path);

    return (size == 1 && path[0] == '.') || is_folder(path, size);
}

/* ---- after the run ---- */

static uint64_t add_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3;
    return hash;
}

static uint64_t hash_file(const char *path)
{
    uint64_t hash = add_bytes(0xcbf29ce484222325, path, strlen(path));
    unsigned char bytes[4096];
    FILE *f = fopen(path, "rb");
    size_t n;

    while (f != NULL && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
        hash = add_bytes(hash, bytes, n);
    if (f != NULL)
        fclose(f);
    return hash;
}

/* A file of the run, or one that was there; it is removed. */
static void take(struct folder_left *left, const char *path, const char *name)
{
    if (!is_own(path) && !is_given(path)) {
        left->n++;
        left->hash += hash_file(path);
        left->unfinished |= strncmp(name, ".mha-viz-", 9) == 0;
    }
    unlink(path);
}

static void take_folder(struct folder_left *left, const char *folder)
{
    DIR *dir = opendir(folder != NULL ? folder : ".");
    struct dirent *d;

    while (dir != NULL && (d = readdir(dir)) != NULL) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s%s%s", folder != NULL ? folder : "",
                 folder != NULL ? "/" : "", d->d_name);
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        if (!(folder == NULL && is_folder(path, strlen(path))))
            take(left, path, d->d_name);
    }
    if (dir != NULL)
        closedir(dir);
    if (folder != NULL && rmdir(folder) != 0)
        stop(folder);
}

struct folder_left folder_leave(void)
{
    struct folder_left left = { 0, false, 0 };

    for (int i = 0; i < N_FOLDERS; i++)
        take_folder(&left, folders[i]);
    take_folder(&left, NULL);
    if (chdir("..") != 0 || rmdir("run") != 0 || fchdir(home) != 0)
        stop(base);
    return left;
}
