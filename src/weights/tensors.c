/* SPDX-License-Identifier: MIT
 * The tensors of opened weights, sorted by name, and their mapped files. */
#include <stdlib.h>
#include <string.h>

#include "weights/adapted.h"
#include "weights/weights_priv.h"

/* ---- files ---- */

static void keep_map(struct weights *weights, const struct span *map)
{
    if ((weights->n_maps & (weights->n_maps - 1)) == 0)     /* 0, 1, 2, 4, .. */
        weights->map = arena_grow(weights->a, weights->map, (size_t)weights->n_maps,
                                  2 * (size_t)weights->n_maps + 1, sizeof *weights->map);
    weights->map[weights->n_maps++] = map;
}

int weights_map(struct weights *weights, const char *path, struct span *out, struct err *e)
{
    const struct span *map = file_hold(weights->a, path, e);

    if (map == NULL)
        return -1;
    *out = *map;
    keep_map(weights, map);
    return 0;
}

void weights_adopt(struct weights *weights, struct weights *from)
{
    for (int i = 0; i < from->n_maps; i++)
        keep_map(weights, from->map[i]);
    from->n_maps = 0;
}

/* ---- tensors ---- */

static int tensors_by_name(const void *a, const void *b)
{
    const struct tensor *s = a, *t = b;

    return strcmp(s->name, t->name);
}

int weights_sort(struct arena *a, struct tensor *tensor, int n, struct err *e)
{
    if (n > 0)
        qsort(tensor, (size_t)n, sizeof *tensor, tensors_by_name);
    for (int i = 1; i < n; i++) {
        const struct tensor *s = &tensor[i - 1], *t = &tensor[i];

        if (strcmp(s->name, t->name) != 0)
            continue;
        if (s->file == t->file)
            return err_set(e, ERR_INPUT, "%s: appears twice", str_shown(a, t->name));
        return err_set(e, ERR_INPUT, "%s: is both in %s and in %s",
                       str_shown(a, t->name), s->file, t->file);
    }
    return 0;
}

int weights_count(const struct weights *weights)
{
    return weights->n;
}

const struct tensor *weights_at(const struct weights *weights, int i)
{
    return &weights->tensor[i];
}

const struct tensor *weights_find(const struct weights *weights, const char *name)
{
    struct tensor key = { .name = name };

    return weights->n == 0 ? NULL :
                             bsearch(&key, weights->tensor, (size_t)weights->n,
                                     sizeof *weights->tensor, tensors_by_name);
}

/* How many tensors stand before those whose names begin so; after: or are such. */
static int count_before(const struct weights *weights, const char *begin, bool after)
{
    size_t size = strlen(begin);
    int low = 0, high = weights->n;

    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strncmp(weights->tensor[middle].name, begin, size);

        if (order < 0 || (after && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int weights_range(const struct weights *weights, const char *begin, int *first)
{
    *first = count_before(weights, begin, false);
    return count_before(weights, begin, true) - *first;
}

const char *weights_note(const struct weights *weights, const char *key)
{
    for (int i = 0; i < weights->n_notes; i++)
        if (strcmp(weights->note[i].key, key) == 0)
            return weights->note[i].value;
    return NULL;
}

int weights_replace(struct weights *weights, struct tensor *tensor, int n, struct err *e)
{
    if (weights_sort(weights->a, tensor, n, e) != 0)
        return -1;
    weights->tensor = tensor;
    weights->n = n;
    return 0;
}

const char *weights_most_type(const struct weights *weights)
{
    int64_t size[N_DTYPE] = { 0 }, packed = 0, most = 0;
    const char *name = "";

    for (int i = 0; i < weights->n; i++) {
        const struct tensor *tensor = &weights->tensor[i];
        bool is_packed = tensor->maker != NULL && tensor->maker->quantised;
        int64_t *sum = is_packed ? &packed : &size[tensor->dtype];

        *sum += tensor_stored_bytes(tensor);
        if (*sum > most) {
            most = *sum;
            name = is_packed ? tensor->maker->how : dtype_table[tensor->dtype].name;
        }
    }
    return name;
}

struct quantised {
    const char *how;
    int64_t n_elements, n_bytes;
};

/* What an adapter changes may be quantised itself. */
static void add_quantised(struct quantised *sum, const struct tensor *tensor)
{
    if (tensor->maker == NULL)
        return;
    if (!tensor->maker->quantised) {
        for (int i = 0; i < tensor->maker->n_parts; i++)
            add_quantised(sum, &tensor->maker->part[i]);
        return;
    }
    sum->how = sum->how != NULL ? sum->how : tensor->maker->how;
    sum->n_elements += tensor->n_elements;
    sum->n_bytes += tensor_stored_bytes(tensor);
}

const char *weights_quantised(const struct weights *weights, double *bits)
{
    struct quantised sum = { .how = NULL };

    for (int i = 0; i < weights->n; i++)
        add_quantised(&sum, &weights->tensor[i]);
    if (sum.how != NULL)
        *bits = 8 * (double)sum.n_bytes / (double)sum.n_elements;
    return sum.how;
}
