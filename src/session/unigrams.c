/* SPDX-License-Identifier: MIT
 * The bytes of a file of counts -> the count of each token. */
#include "session/unigrams.h"

#include <string.h>

#include "base/list.h"

static const long long most_count = 1LL << 53;

struct reading {
    const char *name;
    int n_ids;
    int64_t *count;             /* [n_ids] -1: not listed */
    bool any;                   /* one is above 0 */
};

static bool unigrams_parse(const char *s, long long *id, long long *count)
{
    *id = list_number(&s);
    if (*id < 0 || *s++ != '\t')
        return false;
    *count = list_number(&s);
    if (*s == '\r')
        s++;
    return *count >= 0 && *count <= most_count && *s == '\0';
}

static int unigrams_read_line(struct reading *reading, const char *text, size_t size, struct err *e)
{
    char line[64] = "";
    long long id, count;

    memcpy(line, text, size < sizeof line ? size : sizeof line - 1);
    if (strlen(line) != size || !unigrams_parse(line, &id, &count))
        return err_set(e, ERR_INPUT, "'%s' is not an id, a tabulator and a count", line);
    if (id >= reading->n_ids)
        return err_set(e, ERR_INPUT, "id %lld: expected 0 to %d", id, reading->n_ids - 1);
    if (reading->count[id] >= 0)
        return err_set(e, ERR_INPUT, "id %lld is there twice", id);
    reading->count[id] = count;
    reading->any = reading->any || count > 0;
    return 0;
}

static bool is_header(const char *text, size_t size)
{
    static const char header[] = "id\tcount";

    return size >= strlen(header) && memcmp(text, header, strlen(header)) == 0 &&
           (size == strlen(header) || (size == strlen(header) + 1 && text[size - 1] == '\r'));
}

static int unigrams_read_lines(struct reading *reading, struct span bytes, struct err *e)
{
    const char *at = (const char *)bytes.data, *end = at + bytes.size;

    for (int64_t i = 0; at < end; i++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((feed != NULL ? feed : end) - at);

        if (!(i == 0 && is_header(at, size)) && unigrams_read_line(reading, at, size, e) != 0)
            return err_under(e, "%s: line %lld", reading->name, (long long)i + 1);
        at += size + (feed != NULL);
    }
    return 0;
}

int unigrams_read(struct span bytes, const char *name, int n_ids, int64_t *count,
                  struct err *e)
{
    struct reading r = { name, n_ids, count, false };

    for (int id = 0; id < n_ids; id++)
        count[id] = -1;
    if (unigrams_read_lines(&r, bytes, e) != 0)
        return -1;
    if (!r.any)
        return err_set(e, ERR_INPUT, "%s: holds no count above 0, expected a line per token: "
                       "id, tabulator, count", name);
    for (int id = 0; id < n_ids; id++)
        if (count[id] < 0)
            count[id] = 0;
    return 0;
}
