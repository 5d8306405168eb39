/* SPDX-License-Identifier: MIT
 * Rows of attention on repeated random texts -> scores of heads. */
#include "gold/probe.h"

#include <math.h>
#include <stdlib.h>

static const int offsets[] = {
#define OFFSET(id, k) k,
#include "analysis/offsets.def"
#undef OFFSET
};
enum { N_OFFSETS = sizeof offsets / sizeof *offsets };

struct sums { double of[PROBE_OFFSET], offset[N_OFFSETS]; };

struct probe {
    struct slots slots;
    struct probe_shape shape;
    struct sums *sums;          /* of each slot */
};

struct probe *probe_new(struct arena *a, const struct model *model, const struct attended *texts,
                        const struct wanted *want, struct probe_shape shape)
{
    struct probe *probe = arena_alloc(a, 1, sizeof *probe);

    *probe = (struct probe){ .slots = slots_of(model, texts, want), .shape = shape };
    probe->sums = arena_alloc(a, slots_count(&probe->slots), sizeof *probe->sums);
    return probe;
}

/* Weight of row t on this key; 0 where the block does not have it. */
static double weight(const struct rows *rows, int t, int key)
{
    if (key < rows->key0 || key >= rows->key0 + rows->n_keys)
        return 0;
    return (double)rows->weight[(size_t)t * rows->stride + (size_t)(key - rows->key0)];
}

/* Row t, whose query is drawn token i. */
static void probe_add_row(struct sums *sums, const struct rows *rows, int t, int i,
                          const struct probe_shape *shape)
{
    int key = rows->row0 + t, n = shape->n;

    sums->of[PROBE_SELF] += weight(rows, t, key);
    sums->of[PROBE_FIRST] += key > 0 ? weight(rows, t, 0) : 0;
    if (i >= 1)
        sums->of[PROBE_PREVIOUS] += weight(rows, t, key - 1);
    if (i + 1 < 2 * n)
        sums->of[PROBE_NEXT] += weight(rows, t, key + 1);
    if (i >= n) {
        sums->of[PROBE_INDUCTION] += weight(rows, t, key - n + 1);
        sums->of[PROBE_DUPLICATE] += weight(rows, t, key - n);
    } else if (shape->both) {
        sums->of[PROBE_DUPLICATE] += weight(rows, t, key + n);
    }
    for (int k = 0; k < N_OFFSETS; k++)
        if (i + offsets[k] >= 0 && i + offsets[k] < 2 * n)
            sums->offset[k] += weight(rows, t, key + offsets[k]);
}

static void probe_take(void *self, const struct rows *rows, int n_heads)
{
    struct probe *probe = self;
    const struct probe_shape shape = probe->shape;
    struct sums *sums = &probe->sums[slots_at(&probe->slots, rows->text, rows->layer,
                                              rows->head)];

    (void)n_heads;
    for (int t = 0; t < rows->n_rows; t++) {
        int i = rows->row0 + t - shape.lead;

        if (i >= 0 && i < 2 * shape.n)
            probe_add_row(sums, rows, t, i, &shape);
    }
}

struct sink probe_sink(struct probe *probe)
{
    return (struct sink){ SINK_HEAD, probe_take, NULL, probe };
}

/* Rows of a text that a score is the mean of; 0: there are none. */
static int probe_count_rows(const struct probe_shape *shape, enum probe_score score)
{
    int n = shape->n;

    switch (score) {
    case PROBE_INDUCTION: return shape->both ? 0 : n;
    case PROBE_DUPLICATE: return shape->both ? 2 * n : n;
    case PROBE_PREVIOUS: return 2 * n - 1;
    case PROBE_NEXT: return shape->both ? 2 * n - 1 : 0;
    case PROBE_FIRST: return 2 * n - (shape->lead == 0);
    default: return 2 * n;
    }
}

/* The mean of the largest offset, or which one that is. */
static double best_offset(const struct probe *probe, int layer, int head, bool which)
{
    double best = NAN;
    int at = -1;

    for (int k = 0; k < N_OFFSETS; k++) {
        int rows = 2 * probe->shape.n - abs(offsets[k]);
        double sum = 0;

        for (int text = 0; text < probe->slots.texts.n_texts; text++)
            sum += probe->sums[slots_at(&probe->slots, text, layer, head)].offset[k];
        if (rows > 0 && (at < 0 || sum / rows > best)) {
            best = sum / rows;
            at = k;
        }
    }
    if (at < 0)
        return NAN;
    return which ? offsets[at] : best / probe->slots.texts.n_texts;
}

double probe_score(const struct probe *probe, enum probe_score score, int layer, int head)
{
    int n = probe_count_rows(&probe->shape, score);
    double sum = 0;

    if (score >= PROBE_OFFSET)
        return best_offset(probe, layer, head, score == PROBE_OFFSET_K);
    for (int text = 0; text < probe->slots.texts.n_texts; text++)
        sum += probe->sums[slots_at(&probe->slots, text, layer, head)].of[score];
    return n > 0 ? sum / ((double)n * probe->slots.texts.n_texts) : NAN;
}
