/* SPDX-License-Identifier: MIT
 * Sums -> a file, and back. */
#include "task/parts/sums.h"

#include <inttypes.h>
#include <zlib.h>

#include "base/bytes.h"

enum { MAGIC = 16, SIZE = 8, CRC = 4 };

static const char magic[MAGIC] = "mha-viz/sums/1\n";

/* ---- to a file ---- */

static const char *head_text(struct arena *a, const struct sums *sums)
{
    json_t *root = json_hold(a, json_object());
    const char *text;

    json_put_all(a, json_put(a, root, "run", json_object()), sums->run);
    json_put_all(a, json_put(a, root, "part", json_object()), sums->part);
    text = json_text(a, root);
    json_drop(a, root);
    return text;
}

void sums_write(struct arena *a, const struct sums *sums, FILE *file)
{
    const char *head = head_text(a, sums);
    uint64_t n_head = strlen(head), n_words = sums->n * 8, n = 0;
    unsigned char *bytes = arena_alloc(a, MAGIC + 2 * SIZE + n_head + n_words + CRC, 1);

    memcpy(bytes, magic, MAGIC);
    n = MAGIC;
    bytes_put(bytes + n, n_head, SIZE);
    n += SIZE;
    memcpy(bytes + n, head, (size_t)n_head);
    n += n_head;
    bytes_put(bytes + n, sums->n, SIZE);
    n += SIZE;
    bytes_copy(bytes + n, sums->word, (size_t)sums->n, 8);
    n += n_words;
    bytes_put(bytes + n, crc32_z(0, bytes, (size_t)n), CRC);
    fwrite(bytes, 1, (size_t)(n + CRC), file);
}

/* ---- from a file ---- */

static int cut_short(uint64_t found, uint64_t expected, struct err *e)
{
    return err_set(e, ERR_INPUT, "is cut short: has %" PRIu64 " bytes, expected %" PRIu64, found,
                   expected);
}

/* Where its parts lie, which are whole. */
static int find_parts(const struct span *file, struct span *head, struct span *words,
                      struct err *e)
{
    const unsigned char *data = file->data;
    uint64_t size = file->size, least = MAGIC + 2 * SIZE + CRC, n;

    if (size < MAGIC || memcmp(data, magic, MAGIC) != 0)
        return err_set(e, ERR_INPUT, "is no part that --shard wrote: expected a file that "
                       "begins with mha-viz/sums/1");
    if (size < least)
        return cut_short(size, least, e);
    n = bytes_get(data + MAGIC, SIZE);
    if (n > size - least)
        return cut_short(size, n <= UINT64_MAX - least ? least + n : n, e);
    *head = (struct span){ data + MAGIC + SIZE, (size_t)n };
    least += n;
    n = bytes_get(head->data + head->size, SIZE);
    if (n != (size - least) / 8 || (size - least) % 8 != 0)
        return cut_short(size, n <= (UINT64_MAX - least) / 8 ? least + 8 * n : n, e);
    *words = (struct span){ head->data + head->size + SIZE, (size_t)n * 8 };
    return 0;
}

static int check_crc(const struct span *file, uint32_t *crc, struct err *e)
{
    size_t n = file->size - CRC;
    uint64_t found = crc32_z(0, file->data, n), expected = bytes_get(file->data + n, CRC);

    *crc = (uint32_t)found;
    if (found == expected)
        return 0;
    return err_set(e, ERR_INPUT, "is damaged: its bytes have the checksum %08" PRIx64
                   ", expected %08" PRIx64, found, expected);
}

static int sums_read_head(struct arena *a, struct span head, struct sums *out, struct err *e)
{
    const json_t *root = json_read(a, head, JSON_REJECT_DUPLICATES, e);

    if (root == NULL)
        return -1;
    out->run = json_object_get(root, "run");
    out->part = json_object_get(root, "part");
    if (!json_is_object(out->run) || !json_is_object(out->part))
        return err_set(e, ERR_INPUT, "its header has no run or no part, expected both");
    return 0;
}

int sums_read_memory(struct arena *a, struct span bytes, struct sums *out, struct err *e)
{
    struct span head = { NULL, 0 }, words = { NULL, 0 };
    uint64_t *word;

    *out = (struct sums){ .n = 0 };
    if (find_parts(&bytes, &head, &words, e) != 0 || check_crc(&bytes, &out->crc, e) != 0 ||
        sums_read_head(a, head, out, e) != 0)
        return -1;
    out->n = words.size / 8;
    word = arena_alloc(a, out->n, sizeof *word);
    bytes_copy(word, words.data, (size_t)out->n, 8);
    out->word = word;
    return 0;
}

int sums_read(struct arena *a, const char *path, struct sums *out, struct err *e)
{
    const struct span *file = file_hold(a, path, e);
    int status;

    if (file == NULL)
        return -1;
    status = sums_read_memory(a, *file, out, e);
    file_drop(a, file);
    out->path = path;
    return status != 0 ? err_under(e, "%s", path) : 0;
}

int sums_read_again(struct arena *a, const struct sums *first, struct sums *out, struct err *e)
{
    if (sums_read(a, first->path, out, e) != 0)
        return -1;
    return out->crc == first->crc ? 0 :
           err_set(e, ERR_INPUT, "%s: has changed since it was read first", first->path);
}

/* ---- what they are of ---- */

static const char *sums_shown(struct arena *a, const json_t *value)
{
    return value != NULL ? json_text(a, value) : "nothing";
}

int sums_check_same(struct arena *a, const struct sums *first, const struct sums *other,
                    struct err *e)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)first->run, key, value) {
        const json_t *found = json_object_get(other->run, key);

        if (found == NULL || !json_equal(value, found))
            return err_set(e, ERR_INPUT, "%s: does not go with %s: %s: found %.150s, expected "
                           "%.150s", other->path, first->path, key, sums_shown(a, found),
                           sums_shown(a, value));
    }
    if (json_object_size(first->run) != json_object_size(other->run))
        return err_set(e, ERR_INPUT, "%s: does not go with %s", other->path, first->path);
    return 0;
}
