/* SPDX-License-Identifier: MIT
 * Edit distances between names, and the least of them. */
#include "base/nearest.h"

#include <string.h>

enum { NAME_MAX_BYTES = 255 };

static int least(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : b < c ? b : c;
}

int nearest_distance(const char *a, const char *b)
{
    size_t count = strlen(a), m = strlen(b);
    int row[3][NAME_MAX_BYTES + 1];     /* i - 2, i - 1 and i, in turns */
    int *two = row[0], *one = row[1], *now = row[2];

    if (count > NAME_MAX_BYTES || m > NAME_MAX_BYTES)
        return strcmp(a, b) == 0 ? 0 : NEAREST_FAR;
    for (size_t k = 0; k <= m; k++)
        one[k] = (int)k;
    for (size_t i = 1; i <= count; i++) {
        int *free_row = two;

        now[0] = (int)i;
        for (size_t k = 1; k <= m; k++) {
            now[k] = least(one[k] + 1, now[k - 1] + 1,
                           one[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
                two[k - 2] + 1 < now[k])
                now[k] = two[k - 2] + 1;
        }
        two = one;
        one = now;
        now = free_row;
    }
    return one[m];
}

const char *nearest_name(const char *typed, const char *const *names)
{
    size_t count = strlen(typed);
    int n_begun = 0, best = NEAREST_FAR;
    const char *begun = NULL, *nearest = NULL;

    for (; *names != NULL; names++) {
        int distance = nearest_distance(typed, *names);

        if (count > 0 && strncmp(*names, typed, count) == 0) {
            n_begun++;
            begun = *names;
        }
        /* A short word must be nearly right, or any word would do. */
        if (distance < best && distance <= 3 && distance <= 1 + (int)count / 4) {
            best = distance;
            nearest = *names;
        }
    }
    return n_begun == 1 ? begun : nearest;
}
