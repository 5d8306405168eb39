/* SPDX-License-Identifier: MIT
 * Rows of attention on a needle in a haystack -> retrieval scores of heads. */
#include "gold/retrieval.h"

struct retrieval {
    struct slots slots;
    struct retrieval_places places;
    const int *id;
    int *key;                   /* [slots, n_gold] that each row looks at most */
};

struct retrieval *retrieval_new(struct arena *a, const struct model *model,
                                const struct attended *texts, const struct wanted *want,
                                const struct retrieval_places *places)
{
    struct retrieval *r = arena_alloc(a, 1, sizeof *r);

    *r = (struct retrieval){ .slots = slots_of(model, texts, want), .places = *places,
                             .id = texts->text[0].keys.id };
    r->key = arena_alloc(a, slots_count(&r->slots) * (uint64_t)places->n_gold, sizeof *r->key);
    return r;
}

/* The first of the largest. */
static int retrieval_strongest(const struct rows *rows, int t)
{
    const float *weight = rows->weight + (size_t)t * rows->stride;
    int best = 0;

    for (int j = 1; j < rows->n_keys; j++)
        if (weight[j] > weight[best])
            best = j;
    return rows->key0 + best;
}

static void retrieval_take(void *self, const struct rows *rows, int n_heads)
{
    struct retrieval *r = self;
    int *key = r->key + slots_at(&r->slots, 0, rows->layer, rows->head) *
                            (size_t)r->places.n_gold;

    (void)n_heads;
    for (int t = 0; t < rows->n_rows; t++) {
        int gold = rows->row0 + t + 1 - r->places.gold;

        if (gold >= 0 && gold < r->places.n_gold)
            key[gold] = retrieval_strongest(rows, t);
    }
}

struct sink retrieval_sink(struct retrieval *retrieval)
{
    return (struct sink){ SINK_HEAD, retrieval_take, NULL, retrieval };
}

static bool is_hit(const struct retrieval *retrieval, const int *key, int gold)
{
    return key[gold] >= retrieval->places.needle &&
           key[gold] < retrieval->places.needle + retrieval->places.n_needle &&
           retrieval->id[key[gold]] == retrieval->id[retrieval->places.gold + gold];
}

/* Among those before place i of n ids there is the same. */
static bool is_again(const int *id, int i)
{
    for (int k = 0; k < i; k++)
        if (id[k] == id[i])
            return true;
    return false;
}

static bool hits_id(const struct retrieval *retrieval, const int *key, int id)
{
    for (int i = 0; i < retrieval->places.n_gold; i++)
        if (retrieval->id[retrieval->places.gold + i] == id && is_hit(retrieval, key, i))
            return true;
    return false;
}

struct retrieval_found retrieval_of(const struct retrieval *retrieval, int layer, int head)
{
    const int *key = retrieval->key +
                     slots_at(&retrieval->slots, 0, layer, head) * (size_t)retrieval->places.n_gold;
    const int *needle = retrieval->id + retrieval->places.needle;
    int n_ids = 0, n_hit_ids = 0, n_hits = 0;

    for (int i = 0; i < retrieval->places.n_gold; i++)
        n_hits += is_hit(retrieval, key, i);
    for (int i = 0; i < retrieval->places.n_needle; i++)
        if (!is_again(needle, i)) {
            n_ids++;
            n_hit_ids += hits_id(retrieval, key, needle[i]);
        }
    return (struct retrieval_found){ (double)n_hit_ids / n_ids,
                                     (double)n_hits / retrieval->places.n_needle,
                                     is_hit(retrieval, key, 0), n_hits > 0 };
}

int retrieval_known(const struct retrieval_places *places, const int *id, const float *logits,
                    int n)
{
    int known = 0;

    for (int i = 0; i < places->n_gold; i++) {
        const float *row = logits + (size_t)(places->gold + i - 1) * (size_t)n;
        int best = 0;

        for (int k = 1; k < n; k++)
            if (row[k] > row[best])
                best = k;
        known += best == id[places->gold + i];
    }
    return known;
}
