/* SPDX-License-Identifier: MIT
 * The strongest key of each text -> the share of texts in which it is the same. */
#include "analysis/rests.h"

#include <math.h>

void rests_add(struct rests *rests, const struct token_list *keys, int key)
{
    int from_end = keys->n - 1 - key;

    if (keys->id == NULL)
        return;
    rests->n++;
    rests->token[keys->id[key] % RESTS_TOKENS]++;
    if (key < RESTS_PLACES)
        rests->from_start[key]++;
    if (from_end < RESTS_PLACES)
        rests->from_end[from_end]++;
}

static int64_t rests_largest(int64_t found, const int64_t *count, int n)
{
    for (int i = 0; i < n; i++)
        if (count[i] > found)
            found = count[i];
    return found;
}

double rests_same(const struct rests *rests)
{
    int64_t most = rests_largest(0, rests->token, RESTS_TOKENS);

    most = rests_largest(most, rests->from_start, RESTS_PLACES);
    most = rests_largest(most, rests->from_end, RESTS_PLACES);
    return rests->n > 0 ? (double)most / (double)rests->n : (double)NAN;
}

static void counts_words(struct words *words, int64_t *count, int n)
{
    for (int i = 0; i < n; i++)
        words_count(words, &count[i]);
}

void rests_words(struct words *words, struct rests *rests)
{
    words_count(words, &rests->n);
    counts_words(words, rests->token, RESTS_TOKENS);
    counts_words(words, rests->from_start, RESTS_PLACES);
    counts_words(words, rests->from_end, RESTS_PLACES);
}
