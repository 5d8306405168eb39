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

static int take_map(struct shards *s, const json_t *map, struct err *e)
{
    struct arena *a = s->w->a;
    const char *name;
    json_t *part;

    if (!json_is_object(map))
        return err_set(e, ERR_INPUT, "%s: has no \"weight_map\" that is an object",
                       s->index);
    s->place = arena_alloc(a, json_object_size(map), sizeof *s->place);
    json_object_foreach((json_t *)(uintptr_t)map, name, part) {
        if (!json_is_string(part))
            return err_set(e, ERR_INPUT, "%s: weight_map: %s: is not a string, expected "
                           "the name of a file", s->index, str_shown(a, name));
        s->place[s->n++] = (struct place){ arena_strdup(a, name),
                                           arena_strdup(a, json_string_value(part)) };
    }
    if (s->n == 0)
        return err_set(e, ERR_INPUT, "%s: weight_map is empty", s->index);
    qsort(s->place, (size_t)s->n, sizeof *s->place, by_part);
    return 0;
}

static int read_index(struct shards *s, struct err *e)
{
    struct arena *a = s->w->a;
    const struct span *bytes = file_hold(a, s->index, e);
    json_t *root;
    int status;

    if (bytes == NULL)
        return -1;
    if (bytes->size > INDEX_MAX_BYTES) {
        err_set(e, ERR_INPUT, "%s: %zu bytes, expected at most %zu", s->index, bytes->size,
                INDEX_MAX_BYTES);
        file_drop(a, bytes);
        return -1;
    }
    root = json_read(a, *bytes, JSON_REJECT_DUPLICATES, e);
    file_drop(a, bytes);
    if (root == NULL)
        return err_under(e, "%s", s->index);
    status = take_map(s, json_object_get(root, "weight_map"), e);
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
static bool leads_out(struct shards *s, const char *part)
{
    struct arena *a = s->w->a;
    const char *slash = strrchr(part, '/');
    const char *dir, *sub;
    bool out = false;

    if (slash == NULL)
        return false;
    dir = file_real(a, s->dir);
    sub = file_real(a, file_join(a, s->dir, arena_strndup(a, part, (size_t)(slash - part))));
    if (dir != NULL && sub != NULL) {
        size_t count = strlen(dir);

        out = strncmp(dir, sub, count) != 0 ||
              (count > 1 && sub[count] != '/' && sub[count] != '\0');
    }
    return out;
}

static int check_part(struct shards *s, const char *part, struct err *e)
{
    if (part[0] == '\0' || part[0] == '/' || climbs(part) || leads_out(s, part))
        return err_set(e, ERR_INPUT, "%s: weight_map: file \"%s\", expected a name inside "
                       "the folder", s->index, str_shown(s->w->a, part));
    return 0;
}

static const struct tensor *shards_find(const struct tensor *tensor, int n, const char *name)
{
    struct weights weights = { .tensor = (struct tensor *)(uintptr_t)tensor, .n = n };

    return weights_find(&weights, name);
}

/* n > 0: the part has a tensor that the index names. */
static int shards_append(struct shards *s, const struct tensor *tensor, int n, struct err *e)
{
    struct weights *weights = s->w;
    size_t want = (size_t)weights->n + (size_t)n;

    if (n > INT_MAX - weights->n)
        return err_set(e, ERR_INPUT, "%s: over %d tensors", s->index, INT_MAX);
    if (want > s->room) {
        s->room = 2 * want;
        weights->tensor = arena_grow(weights->a, weights->tensor, (size_t)weights->n,
                                     s->room, sizeof *weights->tensor);
    }
    memcpy(weights->tensor + weights->n, tensor, (size_t)n * sizeof *tensor);
    weights->n += n;
    return 0;
}

/* The part that holds place[first], place[first + 1] .. place[end - 1]. */
static int shards_read_part(struct shards *s, int first, int end, struct err *e)
{
    struct weights *weights = s->w;
    const char *path = file_join(weights->a, s->dir, s->place[first].part);
    const struct tensor *tensor;
    struct span bytes;
    int count;

    if (check_part(s, s->place[first].part, e) != 0 ||
        weights_map(weights, path, &bytes, e) != 0)
        return -1;
    tensor = safetensors_read(weights->a, bytes, path, &count, NULL, e);
    if (tensor == NULL)
        return -1;
    for (int i = first; i < end; i++)
        if (shards_find(tensor, count, s->place[i].name) == NULL)
            return err_set(e, ERR_INPUT, "%s: has no %s, which %s expects there", path,
                           str_shown(weights->a, s->place[i].name), s->index);
    return shards_append(s, tensor, count, e);
}

int shards_read(struct weights *w, const char *dir, const char *index, struct err *e)
{
    struct shards shards = { .w = w, .dir = dir, .index = index };

    if (read_index(&shards, e) != 0)
        return -1;
    for (int i = 0, end; i < shards.n; i = end) {
        for (end = i + 1; end < shards.n; end++)
            if (strcmp(shards.place[end].part, shards.place[i].part) != 0)
                break;
        if (shards_read_part(&shards, i, end, e) != 0)
            return -1;
    }
    return weights_sort(w->a, w->tensor, w->n, e) != 0 ? err_under(e, "%s", index) : 0;
}
