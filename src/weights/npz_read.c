/* SPDX-License-Identifier: MIT
 *
 * .npz or .npy -> tensors, borrowed from the mapped file or from what was inflated. */
#include "weights/npz.h"

#include "base/utf8.h"
#include "weights/weights_priv.h"
#include "weights/zip.h"

/* One array, of numbers or of strings. */
static int add_array(struct weights *weights, const struct zip_entry *x, const char *file,
                     struct err *e)
{
    struct tensor tensor = { .file = file };
    bool strings = false;

    tensor.name = arena_strndup(weights->a, x->name, x->n_name - (sizeof NPY - 1));
    if (npy_parse(&tensor, &strings, x->bytes, x->size, e) != 0)
        return err_under(e, "%s", str_shown(weights->a, x->name));
    if (strings)
        weights->strings[weights->n_strings++] = tensor;
    else
        weights->tensor[weights->n++] = tensor;
    return 0;
}

/* No name twice, also of one array of numbers and one of strings. */
static int sort_arrays(struct weights *weights, struct err *e)
{
    if (weights_sort(weights->a, weights->tensor, weights->n, e) != 0 ||
        weights_sort(weights->a, weights->strings, weights->n_strings, e) != 0)
        return -1;
    for (int i = 0; i < weights->n_strings; i++)
        if (weights_find(weights, weights->strings[i].name) != NULL)
            return err_set(e, ERR_INPUT, "%s: appears twice",
                           str_shown(weights->a, weights->strings[i].name));
    return 0;
}

static int sort_out(struct weights *weights, struct zip *zip, const char *file, struct err *e)
{
    weights->tensor = arena_alloc(weights->a, (size_t)zip->n, sizeof *weights->tensor);
    weights->strings = arena_alloc(weights->a, (size_t)zip->n, sizeof *weights->strings);
    weights->plain = arena_alloc(weights->a, (size_t)zip->n, sizeof *weights->plain);
    for (uint64_t i = 0; i < zip->n; i++) {
        struct zip_entry *entry = &zip->entry[i];

        if (!str_ends_with(entry->name, NPY))
            weights->plain[weights->n_plain++] = (struct named_span){ entry->name, entry->bytes };
        else if (add_array(weights, entry, file, e) != 0)
            return -1;
    }
    return sort_arrays(weights, e);
}

static int open_zip(struct weights *weights, struct span bytes, const char *file, bool shapes_only,
                    struct err *e)
{
    struct zip zip = { .a = weights->a, .file = bytes, .shapes_only = shapes_only };

    return zip_read(&zip, e) != 0 ? -1 : sort_out(weights, &zip, file, e);
}

static int open_bytes(struct weights *weights, struct span bytes, const char *file,
                      bool shapes_only, struct err *e)
{
    if (bytes.size >= 4 && memcmp(bytes.data, "PK", 2) == 0)
        return open_zip(weights, bytes, file, shapes_only, e) != 0 ? err_under(e, "%s", file) : 0;
    if (bytes.size == 0 || bytes.data[0] != 0x93)
        return err_set(e, ERR_INPUT, "%s: is neither .npz nor .npy", file);
    weights->tensor = arena_alloc(weights->a, 1, sizeof *weights->tensor);
    weights->n = 1;
    weights->tensor->name = "";
    weights->tensor->file = file;
    return npy_parse(weights->tensor, NULL, bytes, bytes.size, e) != 0 ? err_under(e, "%s", file) :
           0;
}

struct weights *npz_open_memory(struct arena *a, struct span bytes, const char *name,
                                struct err *e)
{
    struct weights *weights = arena_alloc(a, 1, sizeof *weights);

    weights->a = a;
    return open_bytes(weights, bytes, arena_strdup(a, name), false, e) == 0 ? weights : NULL;
}

static struct weights *npz_read_open_file(struct arena *a, const char *path, bool shapes_only,
                                          struct err *e)
{
    struct weights *weights = arena_alloc(a, 1, sizeof *weights);
    struct span bytes;

    weights->a = a;
    if (weights_map(weights, path, &bytes, e) == 0 &&
        open_bytes(weights, bytes, arena_strdup(a, path), shapes_only, e) == 0)
        return weights;
    weights_close(weights);
    return NULL;
}

struct weights *npz_open(struct arena *a, const char *path, struct err *e)
{
    return npz_read_open_file(a, path, false, e);
}

static struct weights *npz_read_open_one(struct arena *a, const char *path, bool shapes_only,
                                         const struct tensor **only, struct err *e)
{
    struct weights *weights = npz_read_open_file(a, path, shapes_only, e);

    if (weights == NULL)
        return NULL;
    if (weights->n == 1) {
        *only = &weights->tensor[0];
        return weights;
    }
    err_set(e, ERR_INPUT, "%s: holds %d arrays, expected one (a .npy)", path, weights->n);
    weights_close(weights);
    return NULL;
}

struct weights *npz_open_one(struct arena *a, const char *path,
                             const struct tensor **only, struct err *e)
{
    return npz_read_open_one(a, path, false, only, e);
}

int npz_shape(struct arena *a, const char *path, struct tensor *out, struct err *e)
{
    const struct tensor *only;
    struct weights *weights = npz_read_open_one(a, path, true, &only, e);

    if (weights == NULL)
        return -1;
    *out = *only;
    out->data = NULL;
    weights_close(weights);
    return 0;
}

struct span npz_bytes(const struct weights *weights, const char *name)
{
    for (int i = 0; i < weights->n_plain; i++)
        if (strcmp(weights->plain[i].name, name) == 0)
            return weights->plain[i].bytes;
    return (struct span){ NULL, 0 };
}

const struct tensor *npz_strings(const struct weights *weights, const char *name)
{
    for (int i = 0; i < weights->n_strings; i++)
        if (strcmp(weights->strings[i].name, name) == 0)
            return &weights->strings[i];
    return NULL;
}

char *npz_string(const struct tensor *strings, int64_t i, struct arena *a, size_t *size,
                 struct err *e)
{
    size_t width = (size_t)strings->shape[1];
    const unsigned char *p = strings->data + (size_t)i * width * 4;
    char *text = arena_alloc(a, width + 1, 4);

    while (width > 0 && bytes_get(p + (width - 1) * 4, 4) == 0)
        width--;
    *size = 0;
    for (size_t k = 0; k < width; k++) {
        uint64_t cp = bytes_get(p + k * 4, 4);

        if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000)) {
            err_set(e, ERR_INPUT, "%s[%lld]: %llx is not a Unicode code point",
                    strings->name, (long long)i, (unsigned long long)cp);
            return NULL;
        }
        *size += (size_t)utf8_encode((int)cp, text + *size);
    }
    return text;
}
