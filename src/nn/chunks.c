/* SPDX-License-Identifier: MIT
 * Chunks of tokens -> the keys that rows see, and how often each counts. */
#include "nn/chunks.h"

#include <assert.h>
#include <stdint.h>

#include "base/elementary.h"

void chunks_seen(int *seen, int n_chunks, int before, int after)
{
    assert(n_chunks > 0 && before >= 0 && after >= 0);
    for (int j = 0; j < n_chunks; j++)
        seen[j] = 0;
    for (int64_t o = -(int64_t)before; o <= after; o++)
        seen[(o % n_chunks + n_chunks) % n_chunks]++;
}

int chunks_times(const struct chunk_view *v, int i, int j)
{
    int times = 0;

    if (v->chunk == NULL)
        return 1;
    for (int r = 0; r < v->n_rounds; r++) {
        int own = v->chunk[(int64_t)r * v->T + i];

        for (int k = 0; k < v->n_rounds; k++) {
            int off = v->chunk[(int64_t)k * v->T + j] - own;

            times += v->seen[off < 0 ? off + v->n_chunks : off];
        }
    }
    return times;
}

void chunks_term(const void *self, float *score, size_t stride, int row0, int n_rows,
                 int key0, int n_keys)
{
    const struct chunk_view *view = self;

    for (int t = 0; t < n_rows; t++, score += stride)
        for (int s = 0; s < n_keys; s++) {
            int times = chunks_times(view, row0 + t, key0 + s);

            if (view->own_last && row0 + t == key0 + s)
                score[s] = CHUNKS_LAST_RESORT;
            if (times > 1)
                score[s] += (float)elementary_log(times);
        }
}
