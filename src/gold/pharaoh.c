/* SPDX-License-Identifier: MIT
 * The bytes of a file of alignments -> links. */
#include "gold/pharaoh.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { MOST_WORD = 1 << 24 };

static bool pharaoh_word(const char **s, int *v)
{
    long long n = list_number(s);

    *v = (int)n;
    return n >= 0 && n < MOST_WORD;
}

/* "1-2", and nothing after it. */
static bool pharaoh_parse(const char *s, struct pharaoh_link *link)
{
    if (!pharaoh_word(&s, &link->source) || (*s != '-' && *s != '?' && *s != 'p'))
        return false;
    link->sure = *s++ == '-';
    return pharaoh_word(&s, &link->target) && *s == '\0';
}

/* By words; of one pair the sure one first. */
static int by_words(const void *x, const void *y)
{
    const struct pharaoh_link *a = x, *b = y;

    if (a->source != b->source)
        return a->source - b->source;
    return a->target != b->target ? a->target - b->target : b->sure - a->sure;
}

static int unique(struct pharaoh_link *link, int n)
{
    int kept = 0;

    qsort(link, (size_t)n, sizeof *link, by_words);
    for (int i = 0; i < n; i++)
        if (kept == 0 || link[i].source != link[kept - 1].source ||
            link[i].target != link[kept - 1].target)
            link[kept++] = link[i];
    return kept;
}

static bool pharaoh_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int pharaoh_read_line(struct arena *a, const char *text, size_t size,
                             struct pharaoh_line *out, struct err *e)
{
    struct pharaoh_link *link = arena_alloc(a, size / 2 + 1, sizeof *link);
    const char *end = text + size;
    int n = 0;

    while (text < end) {
        size_t length = 0;
        char part[32] = "";

        while (text < end && pharaoh_is_blank(*text))
            text++;
        while (text + length < end && !pharaoh_is_blank(text[length]))
            length++;
        if (length == 0)
            break;
        memcpy(part, text, length < sizeof part ? length : sizeof part - 1);
        if (strlen(part) != length || !pharaoh_parse(part, &link[n]))
            return err_set(e, ERR_INPUT, "'%s' is not a link of two words, such as 0-2 or 0?2",
                           part);
        n++;
        text += length;
    }
    *out = (struct pharaoh_line){ link, unique(link, n) };
    return 0;
}

struct pharaoh *pharaoh_read(struct arena *a, struct span bytes, const char *name,
                             struct err *e)
{
    struct pharaoh *all = arena_alloc(a, 1, sizeof *all);
    const char *at = (const char *)bytes.data, *end = at + bytes.size;
    uint64_t most = 1;

    for (size_t i = 0; i < bytes.size; i++)
        most += bytes.data[i] == '\n';
    all->line = arena_alloc(a, most, sizeof *all->line);
    while (at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const char *stop = feed != NULL ? feed : end;

        if (pharaoh_read_line(a, at, (size_t)(stop - at), &all->line[all->n], e) != 0) {
            err_under(e, "%s: line %lld", name, (long long)all->n + 1);
            return NULL;
        }
        all->n++;
        at = feed != NULL ? feed + 1 : end;
    }
    return all;
}
