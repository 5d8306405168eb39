/* SPDX-License-Identifier: MIT
 * Windows and masks -> the keys that a row sees. */
#include "nn/visible.h"

#include <limits.h>
#include <string.h>

#include "nn/nn.h"

struct key_range visible_window(int lo, int hi, int S, int64_t own)
{
    struct key_range range = {
        lo == INT_MAX ? 0 : own - lo, hi == INT_MAX ? S : own + hi + 1,
    };

    if (range.first < 0)
        range.first = 0;
    if (range.end > S)
        range.end = S;
    return range;
}

struct key_range visible_range(const struct attend *attend, int64_t row)
{
    return visible_window(attend->lo, attend->hi, attend->S, row + attend->offset);
}

/* Both ends of a row's range only grow with the row. */
struct key_range visible_keys(const struct attend *attend, int row0, int n_rows)
{
    struct key_range all = { visible_range(attend, row0).first,
                         visible_range(attend, row0 + n_rows - 1).end };

    if (all.end <= all.first)
        return (struct key_range){ 0, 0 };
    all.first -= all.first % PANEL;
    return all;
}

bool visible(const struct attend *attend, int row, int key)
{
    struct key_range r = visible_range(attend, row);

    return key >= r.first && key < r.end && !visible_is_hidden(attend, row, key);
}

int visible_count(const struct attend *attend, int row)
{
    struct key_range range = visible_range(attend, row);
    int count = 0;

    if (range.end <= range.first)
        return 0;
    if (attend->hidden == NULL)
        return (int)(range.end - range.first);
    for (int64_t j = range.first; j < range.end; j++)
        count += !visible_is_hidden(attend, row, j);
    return count;
}

bool visible_any(const struct attend *attend, int t, struct key_range range)
{
    for (int64_t j = range.first; j < range.end; j++)
        if (!visible_is_hidden(attend, t, j))
            return true;
    return false;
}

bool visible_mark(const struct attend *attend, unsigned char *hidden, size_t stride,
                  int *n_visible, int row0, int n_rows, int key0, int n_keys)
{
    bool any = false;

    for (int t = 0; t < n_rows; t++, hidden += stride) {
        struct key_range r = visible_range(attend, row0 + t);
        int64_t first = r.first < key0 ? 0 : r.first - key0;
        int64_t end = r.end - key0 > n_keys ? n_keys : r.end - key0;

        n_visible[t] = end > first ? (int)(end - first) : 0;
        if (n_visible[t] == n_keys) {
            memset(hidden, 0, (size_t)n_keys);
            continue;
        }
        memset(hidden, 1, (size_t)n_keys);
        memset(hidden + first, 0, (size_t)n_visible[t]);
        any = true;
    }
    return any;
}
