/* SPDX-License-Identifier: MIT
 * H2O, a cache of heavy hitters: a causal pass in which each row evicts keys beyond the budget.
 * Softmax is over the remaining keys, and its weights are added to their votes. */
#include <string.h>

#include "nn/keep.h"
#include "nn/mechanism/budget.h"
#include "nn/mechanism/carve.h"
#include "nn/mechanism/chosen.h"
#include "nn/visible.h"

struct cache {
    double *votes;              /* [S] */
    double *room;               /* of keep_heavy */
    int *at, *held;             /* [S]; [n] keys that no row has evicted, ascending */
    int n, next;                /* the first key that has not come yet */
};

static uint64_t h2o_share_out(struct cache **cache, const struct attention *a, void *base)
{
    struct carve carve = { base, 0 };
    uint64_t S = (uint64_t)a->at.S;
    struct cache shared = { 0 };

    *cache = carve_take(&carve, 1, sizeof **cache);
    shared.votes = carve_take(&carve, S, sizeof *shared.votes);
    shared.room = carve_take(&carve, S + (uint64_t)budget_keys(a),
                             sizeof *shared.room);
    shared.at = carve_take(&carve, S, sizeof *shared.at);
    shared.held = carve_take(&carve, S, sizeof *shared.held);
    if (base != NULL)
        **cache = shared;
    return carve.used;
}

static uint64_t h2o_shared(const struct attention *a)
{
    struct cache *cache;

    return h2o_share_out(&cache, a, NULL);
}

static void h2o_prepare(void *base, const struct attention *a)
{
    struct cache *cache;

    h2o_share_out(&cache, a, base);
    memset(cache->votes, 0, (size_t)a->at.S * sizeof *cache->votes);
}

/* Keys up to end come; those before first are gone for this row and all that follow. */
static void move_on(struct cache *cache, int first, int end)
{
    int gone = 0;

    while (gone < cache->n && cache->held[gone] < first)
        gone++;
    cache->n -= gone;
    memmove(cache->held, cache->held + gone, (size_t)cache->n * sizeof *cache->held);
    cache->next = cache->next > first ? cache->next : first;
    while (cache->next < end)
        cache->held[cache->n++] = cache->next++;
}

/* Of the keys that row i sees only the n kept ones stay. */
static void evict(struct cache *cache, const struct attention *a, int i, const int *key, int n)
{
    int left = 0, at = 0;

    for (int j = 0; j < cache->n; j++) {
        bool kept = at < n && key[at] == cache->held[j];

        at += kept;
        if (kept || visible_is_hidden(&a->at, i, cache->held[j]))
            cache->held[left++] = cache->held[j];
    }
    cache->n = left;
}

static int h2o_choose(int *key, void *base, const struct attention *a, int i, int first, int end)
{
    struct cache *cache = base;
    int budget = budget_keys(a), count = 0, kept;
    int recent = mechanism_recent(a->params);

    move_on(cache, first, end);
    for (int j = 0; j < cache->n; j++)
        if (!visible_is_hidden(&a->at, i, cache->held[j]))
            key[count++] = cache->held[j];
    kept = keep_heavy(key, count, cache->votes, recent, budget, cache->at, cache->room);
    if (kept < count)
        evict(cache, a, i, key, kept);
    return kept;
}

static void learn(void *base, const int *key, const double *w, int n)
{
    struct cache *cache = base;

    for (int j = 0; j < n; j++)
        cache->votes[key[j]] += w[j];
}

static const char *h2o_refuse(const struct attention *a)
{
    return a->cross || a->at.hi != 0 ?
               "it evicts keys as a decoder goes on, and rows here see later keys" : NULL;
}

static const struct chosen_steps steps = { h2o_shared, h2o_prepare, h2o_choose, learn };

const struct mechanism mechanism_h2o = {
    .name = "h2o",
    .formula = "softmax_j s_ij over the last r keys and the b - r with the most weight so far",
    .cost = "N b d", .growth = "N", .sparse = true,
    .source = "Zhang et al. 2023, algorithm 1",
    .refuse = h2o_refuse, .chosen = &steps, .room = chosen_room, .run = chosen_run,
    .reference_room = chosen_reference_room, .reference = chosen_reference,
};
