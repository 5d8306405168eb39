/* SPDX-License-Identifier: MIT
 * Metrics of single positions: weight on the previous token, itself, the next, the first. */
#include "analysis/metric.h"

static bool token_prev(const struct metric_row *row, double *v)
{
    *v = metric_weight(row, row->query - 1);
    return row->query >= 1 && metric_has(row, row->query - 1);
}

static bool token_next(const struct metric_row *row, double *v)
{
    *v = metric_weight(row, row->query + 1);
    return row->query <= row->queries->n - 2 && metric_has(row, row->query + 1);
}

/* Of a picture patches i and j, one before the other, are in one row of it. */
static bool are_in_row(const struct metric_row *row, int i, int j)
{
    int first = row->queries->n_before, columns = row->queries->columns;

    return !metric_in_plane(row) || (metric_is_patch(row, i) && metric_is_patch(row, j) &&
                                     (i - first) / columns == (j - first) / columns);
}

static bool prev(const struct metric_row *row, double *v)
{
    return token_prev(row, v) && are_in_row(row, row->query - 1, row->query);
}

static bool self(const struct metric_row *row, double *v)
{
    *v = metric_weight(row, row->query);
    return true;
}

static bool place_next(const struct metric_row *row, double *v)
{
    return token_next(row, v) && are_in_row(row, row->query, row->query + 1);
}

static bool first(const struct metric_row *row, double *v)
{
    *v = metric_weight(row, 0);
    return metric_has(row, 0);
}

/* As first, without the row of the first token, which has no choice in a decoder; where
 * queries and keys are of two texts, all rows. */
static bool bos(const struct metric_row *row, double *v)
{
    *v = metric_weight(row, 0);
    return metric_has(row, 0) && (row->query > 0 || row->two_axes);
}

/* ---- the same of blocks ---- */

static int prev_block(const struct metric_block *block, double *sum)
{
    *sum = metric_sum_away(block, -1);
    return block->n_rows - (block->row.query == 0);
}

static int self_block(const struct metric_block *block, double *sum)
{
    *sum = metric_sum_away(block, 0);
    return block->n_rows;
}

static int next_block(const struct metric_block *block, double *sum)
{
    *sum = metric_sum_away(block, 1);
    return block->n_rows - (block->row.query + block->n_rows == block->row.queries->n);
}

/* From row t on. */
static double sum_first(const struct metric_block *block, int t)
{
    return block->row.key0 > 0 ? 0 :
           metric_sum(block->row.a + (size_t)t * block->stride, block->stride, block->n_rows - t);
}

static int first_block(const struct metric_block *block, double *sum)
{
    *sum = sum_first(block, 0);
    return block->n_rows;
}

static int bos_block(const struct metric_block *block, double *sum)
{
    int t = block->row.query == 0 && !block->row.two_axes;

    *sum = sum_first(block, t);
    return block->n_rows - t;
}

const struct metric_rule metric_token_prev = { .row = token_prev, .block = prev_block };
const struct metric_rule metric_token_next = { .row = token_next, .block = next_block };
const struct metric_rule metric_prev = { .row = prev, .block = prev_block };
const struct metric_rule metric_self = { .row = self, .block = self_block };
const struct metric_rule metric_next = { .row = place_next, .block = next_block };
const struct metric_rule metric_first = { .row = first, .block = first_block };
const struct metric_rule metric_bos = { .row = bos, .block = bos_block };

/* ---- of all rows at once ---- */

struct places { double first, prev, mass; int n_first; };

static size_t places_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct places);
}

static void places_take(void *state, const struct metric_row *rows, int n)
{
    struct places *places = state;

    (void)n;
    if (metric_sees(rows, 0)) {
        places->first += metric_weight(rows, 0);
        places->n_first++;
    }
    places->prev += metric_weight(rows, rows->query - 1);
    for (int j = 0; j < rows->n_keys; j++)
        places->mass += (double)rows->a[j];
}

static void places_take_block(void *state, const struct metric_block *block)
{
    struct places *places = state;

    for (int t = 0; t < block->n_rows; t++) {
        struct metric_row row = metric_block_row(block, t);
        bool sees = metric_sees(&row, 0);

        places->first += sees ? metric_weight(&row, 0) : 0;
        places->n_first += sees;
    }
    places->prev += metric_sum_away(block, -1);
    places->mass += metric_sum_double(metric_block_shape(block)->mass, block->n_rows);
}

/* The mean over the rows that see the first token.
 * Source: Gu et al. 2024, of its first key. */
static bool alpha_0(const void *state, int layer, int head, double *v)
{
    const struct places *places = state;

    (void)layer;
    (void)head;
    *v = places->first / places->n_first;
    return places->n_first > 0;
}

/* Their threshold: 1 or 0. */
static bool sink_0(const void *state, int layer, int head, double *v)
{
    bool defined = alpha_0(state, layer, head, v);

    *v = *v > 0.3;
    return defined;
}

/* All that lies on the token before, of all weight: the row of the first token, which has
 * none, counts.  Source: TransformerLens' head detector, "mul". */
static bool tl_prev(const void *state, int layer, int head, double *v)
{
    const struct places *places = state;

    (void)layer;
    (void)head;
    *v = places->prev / places->mass;
    return places->mass > 0;
}

static const struct metric_state places = { SCOPE_HEAD, places_size, places_take,
                                            .take_block = places_take_block };

const struct metric_rule metric_alpha_0 = { .state = &places, .value = alpha_0 };
const struct metric_rule metric_sink_0 = { .state = &places, .value = sink_0 };
const struct metric_rule metric_sink_share = { .state = &places, .value = sink_0 };
const struct metric_rule metric_tl_prev = { .state = &places, .value = tl_prev };
