/* SPDX-License-Identifier: MIT
 * model.safetensors.index.json -> the parts it names -> one list of tensors.
 * Each name is matched with its part both ways. */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>

#include "base/json.h"
#include "weights/weights_priv.h"

/* The largest models have some 100,000 tensors, 10 MB of index. */
static const size_t INDEX_MAX_BYTES = 64 << 20;

struct place {
    const char *name, *part;
};

struct shards {
    struct weights *w;
    const char *dir, *index;
    struct place *place;        /* [n] sorted by part, then name */
    int n;
    size_t room;                /* of w->tensor */
};

/* ---- the index ---- */

static int by_part(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int order = strcmp(p->part, q->part);

    return order != 0 ? order : strcmp(p->name, q->name);
}

static int take_map(struct shards *shards, const json_t *map, struct err *e)
{
    struct arena *a = shards->w->a;
    const char *name;
    json_t *part;

    if (!json_is_object(map))
        return err_set(e, ERR_INPUT, "%s: has no \"weight_map\" that is an object",
                       shards->index);
    shards->place = arena_alloc(a, json_object_size(map), sizeof *shards->place);
    json_object_foreach((json_t *)(uintptr_t)map, name, part) {
        if (!json_is_string(part))
            return err_set(e, ERR_INPUT, "%s: weight_map: %s: is not a string, expected "
                           "the name of a file", shards->index, str_shown(a, name));
        shards->place[shards->n++] = (struct place){ arena_strdup(a, name),
                                                     arena_strdup(a, json_string_value(part)) };
    }
    if (shards->n == 0)
        return err_set(e, ERR_INPUT, "%s: weight_map is empty", shards->index);
    qsort(shards->place, (size_t)shards->n, sizeof *shards->place, by_part);
    return 0;
}

static int read_index(struct shards *shards, struct err *e)
{
    struct arena *a = shards->w->a;
    const struct span *bytes = file_hold(a, shards->index, e);
    json_t *root;
    int status;

    if (bytes == NULL)
        return -1;
    if (bytes->size > INDEX_MAX_BYTES) {
        err_set(e, ERR_INPUT, "%s: %zu bytes, expected at most %zu", shards->index, bytes->size,
                INDEX_MAX_BYTES);
        file_drop(a, bytes);
        return -1;
    }
    root = json_read(a, *bytes, JSON_REJECT_DUPLICATES, e);
    file_drop(a, bytes);
    if (root == NULL)
        return err_under(e, "%s", shards->index);
    status = take_map(shards, json_object_get(root, "weight_map"), e);
    json_drop(a, root);
    return status;
}

/* ---- the parts ---- */

/* True where a component of the path is "..". */
static bool climbs(const char *path)
{
    for (const char *cursor = path; cursor != NULL; cursor = strchr(cursor, '/')) {
        cursor += *cursor == '/';
        if (cursor[0] == '.' && cursor[1] == '.' &&
            (cursor[2] == '/' || cursor[2] == '\0'))
            return true;
    }
    return false;
}

/*
 * True where a subfolder of the part's name is a link that leads out of the
 * folder.  The part itself may be a link to anywhere: caches are built so.
 */
static bool leads_out(struct shards *shards, const char *part)
{
    struct arena *a = shards->w->a;
    const char *slash = strrchr(part, '/');
    const char *dir, *sub;
    bool out = false;

    if (slash == NULL)
        return false;
    dir = file_real(a, shards->dir);
    sub = file_real(a, file_join(a, shards->dir, arena_strndup(a, part, (size_t)(slash - part))));
    if (dir != NULL && sub != NULL) {
        size_t count = strlen(dir);

        out = strncmp(dir, sub, count) != 0 ||
              (count > 1 && sub[count] != '/' && sub[count] != '\0');
    }
    return out;
}

static int check_part(struct shards *shards, const char *part, struct err *e)
{
    if (part[0] == '\0' || part[0] == '/' || climbs(part) || leads_out(shards, part))
        return err_set(e, ERR_INPUT, "%s: weight_map: file \"%s\", expected a name inside "
                       "the folder", shards->index, str_shown(shards->w->a, part));
    return 0;
}

static const struct tensor *shards_find(const struct tensor *tensor, int n, const char *name)
{
    struct weights weights = { .tensor = (struct tensor *)(uintptr_t)tensor, .n = n };

    return weights_find(&weights, name);
}

/* n > 0: the part has a tensor that the index names. */
static int shards_append(struct shards *shards, const struct tensor *tensor, int n, struct err *e)
{
    struct weights *weights = shards->w;
    size_t want = (size_t)weights->n + (size_t)n;

    if (n > INT_MAX - weights->n)
        return err_set(e, ERR_INPUT, "%s: over %d tensors", shards->index, INT_MAX);
    if (want > shards->room) {
        shards->room = 2 * want;
        weights->tensor = arena_grow(weights->a, weights->tensor, (size_t)weights->n,
                                     shards->room, sizeof *weights->tensor);
    }
    memcpy(weights->tensor + weights->n, tensor, (size_t)n * sizeof *tensor);
    weights->n += n;
    return 0;
}

/* The part that holds place[first], place[first + 1] .. place[end - 1]. */
static int shards_read_part(struct shards *shards, int first, int end, struct err *e)
{
    struct weights *weights = shards->w;
    const char *path = file_join(weights->a, shards->dir, shards->place[first].part);
    const struct tensor *tensor;
    struct span bytes;
    int count;

    if (check_part(shards, shards->place[first].part, e) != 0 ||
        weights_map(weights, path, &bytes, e) != 0)
        return -1;
    tensor = safetensors_read(weights->a, bytes, path, &count, NULL, e);
    if (tensor == NULL)
        return -1;
    for (int i = first; i < end; i++)
        if (shards_find(tensor, count, shards->place[i].name) == NULL)
            return err_set(e, ERR_INPUT, "%s: has no %s, which %s expects there", path,
                           str_shown(weights->a, shards->place[i].name), shards->index);
    return shards_append(shards, tensor, count, e);
}

int shards_read(struct weights *weights, const char *dir, const char *index, struct err *e)
{
    struct shards shards = { .w = weights, .dir = dir, .index = index };

    if (read_index(&shards, e) != 0)
        return -1;
    for (int i = 0, end; i < shards.n; i = end) {
        for (end = i + 1; end < shards.n; end++)
            if (strcmp(shards.place[end].part, shards.place[i].part) != 0)
                break;
        if (shards_read_part(&shards, i, end, e) != 0)
            return -1;
    }
    return weights_sort(weights->a, weights->tensor, weights->n,
                        e) != 0 ? err_under(e, "%s", index) : 0;
}
