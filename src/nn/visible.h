/* SPDX-License-Identifier: MIT
 *
 * Visibility: the keys that a row sees.  Only here this is decided. */
#ifndef NN_VISIBLE_H
#define NN_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nn/attend.h"

/* Keys [first, end); empty if end <= first. */
struct key_range {
    int64_t first, end;
};

/* Keys own - lo .. own + hi, clipped to [0, S); INT_MAX: no limit on that side. */
struct key_range visible_window(int lo, int hi, int S, int64_t own);

/* The keys that the row sees by lo and hi alone. */
struct key_range visible_range(const struct attend *attend, int64_t row);

/*
 * The range of keys that any of rows row0 .. row0 + n_rows - 1 sees by lo and hi; the first is
 * rounded down to a multiple of 32 (PANEL).  { 0, 0 } if none.
 */
struct key_range visible_keys(const struct attend *attend, int row0, int n_rows);

/* True if attend->hidden hides key j of row t, both counted within the block. */
static inline bool visible_is_hidden(const struct attend *attend, int t, int64_t j)
{
    return attend->hidden != NULL &&
           attend->hidden[(size_t)t * attend->hidden_stride + (size_t)j] != 0;
}

/* True if the row sees the key; attend->hidden has all rows and all keys. */
bool visible(const struct attend *attend, int row, int key);

/* Number of keys that the row sees; attend->hidden has all rows and all keys. */
int visible_count(const struct attend *attend, int row);

/* True if row t of the block sees any key of range, counted from the block's first key. */
bool visible_any(const struct attend *attend, int t, struct key_range range);

/*
 * hidden[t * stride + j] = 1 where row row0 + t does not see key key0 + j by lo and hi,
 * else 0; n_visible[t] = number of keys that it sees.  The keys are those of visible_keys.
 * Returns true if any key is hidden.
 */
bool visible_mark(const struct attend *attend, unsigned char *hidden, size_t stride,
                  int *n_visible, int row0, int n_rows, int key0, int n_keys);

#endif
