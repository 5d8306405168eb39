/* SPDX-License-Identifier: MIT
 * Rows of random tokens that come twice -> scores of heads. */
#include "analysis/probe.h"

struct sums { double of[N_PROBE_SCORE]; };

struct probe {
    struct slots slots;
    struct probe_shape shape;
    struct sums *sums;          /* of each slot */
};

struct probe *probe_new(struct arena *a, const struct model *m, const struct attended *texts,
                        const struct wanted *want, struct probe_shape shape)
{
    struct probe *probe = arena_alloc(a, 1, sizeof *probe);

    *probe = (struct probe){ .slots = slots_of(m, texts, want), .shape = shape };
    probe->sums = arena_alloc(a, slots_count(&probe->slots), sizeof *probe->sums);
    return probe;
}

/* Weight of row t on this key; 0 where the block does not have it. */
static double weight(const struct rows *r, int t, int key)
{
    if (key < r->key0 || key >= r->key0 + r->n_keys)
        return 0;
    return (double)r->weight[(size_t)t * r->stride + (size_t)(key - r->key0)];
}

static void take(void *self, const struct rows *rows, int n_heads)
{
    struct probe *probe = self;
    const struct probe_shape shape = probe->shape;
    struct sums *sums = &probe->sums[slots_at(&probe->slots, rows->text, rows->layer,
                                              rows->head)];

    (void)n_heads;
    for (int t = 0; t < rows->n_rows; t++) {
        int key = rows->row0 + t, i = key - shape.lead;

        if (i >= 1)
            sums->of[PROBE_PREVIOUS] += weight(rows, t, key - 1);
        if (i >= shape.n) {
            sums->of[PROBE_INDUCTION] += weight(rows, t, key - shape.n + 1);
            sums->of[PROBE_DUPLICATE] += weight(rows, t, key - shape.n);
        }
    }
}

struct sink probe_sink(struct probe *p)
{
    return (struct sink){ SINK_HEAD, take, NULL, p };
}

double probe_score(const struct probe *p, enum probe_score score, int layer, int head)
{
    int n = score == PROBE_PREVIOUS ? 2 * p->shape.n - 1 : p->shape.n;
    double sum = 0;

    for (int text = 0; text < p->slots.texts.n_texts; text++)
        sum += p->sums[slots_at(&p->slots, text, layer, head)].of[score];
    return sum / ((double)n * p->slots.texts.n_texts);
}
