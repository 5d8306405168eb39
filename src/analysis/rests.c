/* SPDX-License-Identifier: MIT
 * The strongest key of each text -> the share of texts in which it is the same. */
#include "analysis/rests.h"

#include <math.h>

void rests_add(struct rests *r, const struct token_list *keys, int key)
{
    int from_end = keys->n - 1 - key;

    if (keys->id == NULL)
        return;
    r->n++;
    r->token[keys->id[key] % RESTS_TOKENS]++;
    if (key < RESTS_PLACES)
        r->from_start[key]++;
    if (from_end < RESTS_PLACES)
        r->from_end[from_end]++;
}

static int64_t rests_largest(int64_t found, const int64_t *count, int n)
{
    for (int i = 0; i < n; i++)
        if (count[i] > found)
            found = count[i];
    return found;
}

double rests_same(const struct rests *r)
{
    int64_t most = rests_largest(0, r->token, RESTS_TOKENS);

    most = rests_largest(most, r->from_start, RESTS_PLACES);
    most = rests_largest(most, r->from_end, RESTS_PLACES);
    return r->n > 0 ? (double)most / (double)r->n : (double)NAN;
}

static void counts_words(struct words *w, int64_t *count, int n)
{
    for (int i = 0; i < n; i++)
        words_count(w, &count[i]);
}

void rests_words(struct words *w, struct rests *r)
{
    words_count(w, &r->n);
    counts_words(w, r->token, RESTS_TOKENS);
    counts_words(w, r->from_start, RESTS_PLACES);
    counts_words(w, r->from_end, RESTS_PLACES);
}
