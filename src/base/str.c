/* SPDX-License-Identifier: MIT
 * Functions on strings that the C library lacks. */
#include "base/str.h"

#include <string.h>

bool str_ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n >= k && memcmp(s + n - k, end, k) == 0;
}

bool str_starts_with(const char *s, const char *begin)
{
    return strncmp(s, begin, strlen(begin)) == 0;
}

const char *str_shown(struct arena *a, const char *name)
{
    enum { LONGEST = 160 };
    int count = LONGEST;

    if (strlen(name) <= LONGEST)
        return name;
    while (count > LONGEST - 4 && ((unsigned char)name[count] & 0xc0) == 0x80)
        count--;        /* not through the middle of a character */
    return arena_printf(a, "%.*s\xe2\x80\xa6", count, name);
}
