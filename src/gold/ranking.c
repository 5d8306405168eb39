/* SPDX-License-Identifier: MIT
 * Rows with and without a question -> the weight that it adds on the document that answers it. */
#include "gold/ranking.h"

#include <math.h>

struct ranking {
    struct slots slots;
    struct ranking_places places;
    double *sum;                /* [slots, n_gold] weight of the rows */
    double *cal;                /* [n_gold] of the head at hand */
};

struct ranking *ranking_new(struct arena *a, const struct model *model,
                            const struct attended *texts, const struct wanted *want,
                            const struct ranking_places *places)
{
    struct ranking *r = arena_alloc(a, 1, sizeof *r);

    *r = (struct ranking){ .slots = slots_of(model, texts, want), .places = *places };
    r->sum = arena_alloc(a, slots_count(&r->slots) * (uint64_t)places->n_gold, sizeof *r->sum);
    r->cal = arena_alloc(a, (uint64_t)places->n_gold, sizeof *r->cal);
    return r;
}

static void ranking_take(void *self, const struct rows *rows, int n_heads)
{
    struct ranking *r = self;
    const struct ranking_places *at = &r->places;
    double *sum = r->sum + slots_at(&r->slots, rows->text, rows->layer, rows->head) *
                               (size_t)at->n_gold;

    (void)n_heads;
    for (int t = 0; t < rows->n_rows; t++) {
        int i = rows->row0 + t - at->query[rows->text];

        if (i < 0 || i >= at->n_query[rows->text])
            continue;
        for (int k = 0; k < at->n_gold; k++) {
            int j = at->gold + k - rows->key0;

            if (j >= 0 && j < rows->n_keys)
                sum[k] += (double)rows->weight[(size_t)t * rows->stride + (size_t)j];
        }
    }
}

struct sink ranking_sink(struct ranking *ranking)
{
    return (struct sink){ .scope = SINK_HEAD, .take = ranking_take, .self = ranking,
                          .divided = true };
}

double ranking_sum(const double *cal, int n)
{
    double mean = 0, squares = 0, least, sum = 0;

    for (int i = 0; i < n; i++)
        mean += cal[i] / n;
    for (int i = 0; i < n; i++)
        squares += (cal[i] - mean) * (cal[i] - mean);
    least = mean - 2 * sqrt(squares / (n - 1));
    for (int i = 0; i < n && n > 1; i++)
        sum += cal[i] > least ? cal[i] : 0;
    return sum;
}

double ranking_score(const struct ranking *ranking, int layer, int head)
{
    int n = ranking->places.n_gold;
    const double *with = ranking->sum +
                         slots_at(&ranking->slots, RANKING_ASKED, layer, head) * (size_t)n;
    const double *without = ranking->sum +
                            slots_at(&ranking->slots, RANKING_NOT_ASKED, layer, head) * (size_t)n;

    for (int k = 0; k < n; k++)
        ranking->cal[k] = with[k] / ranking->places.n_query[RANKING_ASKED] -
                          without[k] / ranking->places.n_query[RANKING_NOT_ASKED];
    return ranking_sum(ranking->cal, n);
}
