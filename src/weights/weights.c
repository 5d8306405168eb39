/* SPDX-License-Identifier: MIT
 * A path or bytes -> the format that reads them -> tensors in order of name. */
#include "weights/weights.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "weights/gguf.h"
#include "weights/weights_priv.h"

/* ---- formats: a row each ---- */

static bool is_safetensors(struct span bytes)
{
    return bytes.size > 8 && bytes_get(bytes.data, 8) <= bytes.size - 8 &&
           bytes.data[8] == '{';
}

static int open_safetensors(struct weights *weights, struct span bytes, const char *file,
                            struct err *e)
{
    weights->tensor = safetensors_read(weights->a, bytes, file, &weights->n, weights, e);
    return weights->tensor != NULL ? 0 : -1;
}

static const struct {
    const char *ending;
    bool (*sniff)(struct span bytes);
    int (*open)(struct weights *w, struct span bytes, const char *file, struct err *e);
} format[] = {
    { ".gguf", gguf_is, gguf_tensors_open },
    { ".safetensors", is_safetensors, open_safetensors },
};
enum { N_FORMAT = sizeof format / sizeof *format };

/* What a clone without Git LFS leaves in place of the weights. */
static bool is_pointer(struct span bytes)
{
    static const char begin[] = "version https://git-lfs.github.com/spec/";

    return bytes.size >= sizeof begin - 1 &&
           memcmp(bytes.data, begin, sizeof begin - 1) == 0;
}

/* The content says what it is; the name only where the content is damaged. */
static int open_bytes(struct weights *weights, struct span bytes, const char *file,
                      struct err *e)
{
    if (is_pointer(bytes))
        return err_set(e, ERR_INPUT, "%s: is a Git LFS pointer, not the weights; run "
                       "in that folder: git lfs pull", file);
    for (int i = 0; i < N_FORMAT; i++)
        if (format[i].sniff(bytes))
            return format[i].open(weights, bytes, file, e);
    if (foreign_file(weights->a, file, bytes, e))
        return -1;
    for (int i = 0; i < N_FORMAT; i++)
        if (str_ends_with(file, format[i].ending))
            return format[i].open(weights, bytes, file, e);
    return err_set(e, ERR_INPUT, "%s: is not a file of weights, expected .safetensors or "
                   ".gguf", file);
}

/* ---- paths ---- */

/* Also a link that leads nowhere is present: its own message is the better one. */
static bool present(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

static int weights_open_file(struct weights *weights, const char *path, struct err *e)
{
    struct span bytes;

    return weights_map(weights, path, &bytes, e) != 0 ? -1 : open_bytes(weights, bytes, path, e);
}

/* A .safetensors file under another name than the library's, the first; NULL: none. */
static const char *other_in(struct arena *a, const char *dir)
{
    size_t count;
    const char **name = file_list(a, dir, &count);

    for (size_t i = 0; i < count; i++)
        if (str_ends_with(name[i], ".safetensors"))
            return name[i];
    return NULL;
}

/* model-00001-of-00004.safetensors */
static bool is_part(const char *name)
{
    const char *of = strstr(name, "-of-");

    return of != NULL && of > name && isdigit((unsigned char)of[-1]) &&
           isdigit((unsigned char)of[4]);
}

static int say_none(struct weights *weights, const char *dir, struct err *e)
{
    const char *other = other_in(weights->a, dir);

    if (other == NULL)
        return err_set(e, ERR_INPUT, "%s: holds no weights, expected model.safetensors, "
                       "model.safetensors.index.json or a .gguf file", dir);
    if (is_part(other))
        return err_set(e, ERR_INPUT, "%s: holds parts (%s), but no "
                       "model.safetensors.index.json that lists their tensors", dir,
                       str_shown(weights->a, other));
    return err_set(e, ERR_INPUT, "%s: holds no model.safetensors, but %s: give its path if "
                   "that is the model", dir, str_shown(weights->a, other));
}

static int open_dir(struct weights *weights, const char *dir, struct err *e)
{
    const char *one = file_join(weights->a, dir, "model.safetensors");
    const char *index = file_join(weights->a, dir, "model.safetensors.index.json");
    const char *gguf;

    if (present(one))
        return weights_open_file(weights, one, e);
    if (present(index))
        return shards_read(weights, dir, index, e);
    if (gguf_in_folder(weights->a, dir, &gguf, e) != 0)
        return -1;
    if (gguf != NULL)
        return weights_open_file(weights, gguf, e);
    if (other_in(weights->a, dir) == NULL && foreign_dir(weights->a, dir, e))
        return -1;
    return say_none(weights, dir, e);
}

/* Any part stands for all where the index is beside it. */
static int open_path(struct weights *weights, const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/');
    const char *dir = slash == NULL ? "." :
                      arena_strndup(weights->a, path, (size_t)(slash - path) + 1);
    const char *index = file_join(weights->a, dir, "model.safetensors.index.json");

    if (file_is_dir(path))
        return open_dir(weights, path, e);
    if (str_ends_with(path, ".safetensors.index.json"))
        return shards_read(weights, dir, path, e);
    if (str_ends_with(path, ".safetensors") && present(path) && present(index) &&
        is_part(slash == NULL ? path : slash + 1))
        return shards_read(weights, dir, index, e);
    return weights_open_file(weights, arena_strdup(weights->a, path), e);
}

static struct weights *new_weights(struct arena *a)
{
    struct weights *weights = arena_alloc(a, 1, sizeof *weights);

    weights->a = a;
    return weights;
}

struct weights *weights_open(struct arena *a, const char *path, struct err *e)
{
    struct weights *weights = new_weights(a);

    if (open_path(weights, path, e) == 0)
        return weights;
    weights_close(weights);
    return NULL;
}

struct weights *weights_open_memory(struct arena *a, struct span bytes,
                                    const char *name, struct err *e)
{
    struct weights *weights = new_weights(a);
    const char *file = arena_strdup(a, name);
    int status = gguf_is(bytes) ? gguf_tensors_open(weights, bytes, file, e)
                            : open_safetensors(weights, bytes, file, e);

    return status == 0 ? weights : NULL;
}

void weights_close(struct weights *weights)
{
    if (weights == NULL)
        return;
    for (int i = 0; i < weights->n_maps; i++)
        file_drop(weights->a, weights->map[i]);
    weights->n_maps = 0;
}
