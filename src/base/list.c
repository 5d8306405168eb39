/* SPDX-License-Identifier: MIT
 * Numbers, ranges and lists as typed by users -> members. */
#include "base/list.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

long long list_number(const char **s)
{
    char *end;
    long long number;

    if (!isdigit((unsigned char)**s))
        return -1;
    number = strtoll(*s, &end, 10);      /* too many digits: LLONG_MAX */
    *s = end;
    return number;
}

bool list_range(const char **s, long long *first, long long *last)
{
    *first = *last = list_number(s);
    if (*first >= 0 && **s == '-') {
        ++*s;
        *last = list_number(s);
    }
    return *first >= 0 && *last >= *first;
}

int list_next(const char **s, long long *first, long long *last)
{
    if (!list_range(s, first, last) || (**s != ',' && **s != '\0'))
        return -1;
    return *(*s)++ == ',';
}

/* ---- members ---- */

/* "last", or "-2", at *s: the distance from the end, from 1; 0: neither. */
static long long from_end(const char **s)
{
    static const char last[] = "last";
    long long number;

    if (strncmp(*s, last, strlen(last)) == 0) {
        *s += strlen(last);
        return 1;
    }
    if (**s != '-')
        return 0;
    ++*s;
    number = list_number(s);
    return number > 0 ? number : 0;
}

/* As list_next; *first and *last are -1, -2, … where they count from the end. */
static int next_member(const struct list_of *of, const char **s, long long *first,
                       long long *last)
{
    if (!of->from_end || isdigit((unsigned char)**s))
        return list_next(s, first, last);
    *first = *last = -from_end(s);
    if (*first == 0 || (**s != ',' && **s != '\0'))
        return -1;
    return *(*s)++ == ',';
}

static bool can_be_meant(const struct list_of *of, long long i)
{
    return of->has == NULL || of->has[i];
}

/* How many there are to count from the end. */
static int list_count(const struct list_of *of)
{
    int n = 0;

    for (int i = 0; i < of->n; i++)
        n += can_be_meant(of, i);
    return n;
}

static int list_out_of_range(const struct list_of *of, long long i, const char *list, struct err *e)
{
    if (i == LLONG_MAX || i == -LLONG_MAX)        /* not what was typed */
        return err_set(e, ERR_USAGE, "%s: '%.40s' is out of range: %s has %ss 0 to %d",
                       of->option, list, of->owner, of->member, of->n - 1);
    if (i < 0)
        return err_set(e, ERR_USAGE, "%s: %lld is out of range: from the end, %s has %ss -1 "
                       "to %d", of->option, i, of->owner, of->member, -list_count(of));
    return err_set(e, ERR_USAGE, "%s: %lld is out of range: %s has %ss 0 to %d", of->option,
                   i, of->owner, of->member, of->n - 1);
}

/* The member that -1 and so on mean. */
static long long counted(const struct list_of *of, long long from_last)
{
    long long i = of->n - 1;

    for (; !can_be_meant(of, i) || ++from_last < 0; i--)
        continue;
    return i;
}

/* A part of the list, of members that exist. */
static int set_part(const struct list_of *of, const char *list, long long first, long long last,
                    bool *out, struct err *e)
{
    bool any = false;
    long long i;

    if (last >= of->n)
        return list_out_of_range(of, first >= of->n ? first : last, list, e);
    if (first < -list_count(of))
        return list_out_of_range(of, first, list, e);
    if (first < 0)
        first = last = counted(of, first);
    for (i = first; i <= last; i++)
        if (can_be_meant(of, i))
            out[i] = any = true;
    if (any)
        return 0;
    return first == last ? err_set(e, ERR_USAGE, "%s: %s, not %lld", of->option, of->holds, first) :
                           err_set(e, ERR_USAGE, "%s: %s, none of %lld to %lld", of->option,
                                   of->holds, first, last);
}

int list_members(const struct list_of *of, const char *list, bool *out, struct err *e)
{
    bool all = strcmp(list, "all") == 0;
    const char *text = list;
    int more = all ? 0 : 1;

    for (int i = 0; all && out != NULL && i < of->n; i++)
        out[i] = can_be_meant(of, i);
    while (more > 0) {
        long long first, last;

        more = next_member(of, &text, &first, &last);
        if (more < 0)
            return err_set(e, ERR_USAGE, "%s: '%.40s' is not a list like %s", of->option,
                           list, of->like);
        if (out != NULL && set_part(of, list, first, last, out, e) != 0)
            return -1;
    }
    return 0;
}

void list_ranks(const struct list_of *of, const char *list, int *rank)
{
    bool all = strcmp(list, "all") == 0;
    int n = 0;

    for (int i = 0; i < of->n; i++)
        rank[i] = all ? i : -1;
    for (int more = all ? 0 : 1; more > 0;) {
        long long first, last;

        more = next_member(of, &list, &first, &last);
        if (first < 0)
            first = last = counted(of, first);
        for (long long i = first; i <= last; i++)
            if (rank[i] < 0)
                rank[i] = n++;
    }
}

/* ---- ids ---- */

int list_parse_ids(struct arena *a, const char *option, const char *list, int **id, int *n,
                   struct err *e)
{
    const char *text = list;
    int more = 1;

    *id = arena_alloc(a, strlen(list) / 2 + 1, sizeof **id);
    *n = 0;
    while (more > 0) {
        long long number = list_number(&text);

        if (number < 0 || number > INT_MAX || (*text != ',' && *text != '\0'))
            return err_set(e, ERR_USAGE, "%s: '%.40s' is not a list of ids like "
                           "101,7592,102", option, list);
        (*id)[(*n)++] = (int)number;
        more = *text++ == ',';
    }
    return 0;
}

const char *list_text(struct arena *a, const bool *set, int n)
{
    const char *text = "";

    for (int i = 0; i < n; i++) {
        int first = i;

        if (!set[i])
            continue;
        while (i + 1 < n && set[i + 1])
            i++;
        text = arena_printf(a, i == first ? "%s%s%d" : "%s%s%d-%d", text,
                            text[0] != '\0' ? "," : "", first, i);
    }
    return text;
}
