/* SPDX-License-Identifier: MIT
 * Metrics of single positions: weight on the previous token, itself, the next, the first. */
#include "analysis/metric.h"

static bool token_prev(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, r->query - 1);
    return r->query >= 1 && metric_has(r, r->query - 1);
}

static bool token_next(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, r->query + 1);
    return r->query <= r->queries->n - 2 && metric_has(r, r->query + 1);
}

/* Of a picture patches i and j, one before the other, are in one row of it. */
static bool are_in_row(const struct metric_row *r, int i, int j)
{
    int first = r->queries->n_before, columns = r->queries->columns;

    return !metric_in_plane(r) || (metric_is_patch(r, i) && metric_is_patch(r, j) &&
                                   (i - first) / columns == (j - first) / columns);
}

static bool prev(const struct metric_row *r, double *v)
{
    return token_prev(r, v) && are_in_row(r, r->query - 1, r->query);
}

static bool self(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, r->query);
    return true;
}

static bool place_next(const struct metric_row *r, double *v)
{
    return token_next(r, v) && are_in_row(r, r->query, r->query + 1);
}

static bool first(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, 0);
    return metric_has(r, 0);
}

/* As first, without the row of the first token, which has no choice in a decoder; where
 * queries and keys are of two texts, all rows. */
static bool bos(const struct metric_row *r, double *v)
{
    *v = metric_weight(r, 0);
    return metric_has(r, 0) && (r->query > 0 || r->two_axes);
}

/* ---- the same of blocks ---- */

static int prev_block(const struct metric_block *b, double *sum)
{
    *sum = metric_sum_away(b, -1);
    return b->n_rows - (b->row.query == 0);
}

static int self_block(const struct metric_block *b, double *sum)
{
    *sum = metric_sum_away(b, 0);
    return b->n_rows;
}

static int next_block(const struct metric_block *b, double *sum)
{
    *sum = metric_sum_away(b, 1);
    return b->n_rows - (b->row.query + b->n_rows == b->row.queries->n);
}

/* From row t on. */
static double sum_first(const struct metric_block *b, int t)
{
    return b->row.key0 > 0 ? 0 :
           metric_sum(b->row.a + (size_t)t * b->stride, b->stride, b->n_rows - t);
}

static int first_block(const struct metric_block *b, double *sum)
{
    *sum = sum_first(b, 0);
    return b->n_rows;
}

static int bos_block(const struct metric_block *b, double *sum)
{
    int t = b->row.query == 0 && !b->row.two_axes;

    *sum = sum_first(b, t);
    return b->n_rows - t;
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

static void places_take_block(void *state, const struct metric_block *b)
{
    struct places *places = state;

    for (int t = 0; t < b->n_rows; t++) {
        struct metric_row row = metric_block_row(b, t);
        bool sees = metric_sees(&row, 0);

        places->first += sees ? metric_weight(&row, 0) : 0;
        places->n_first += sees;
    }
    places->prev += metric_sum_away(b, -1);
    places->mass += metric_sum_double(metric_block_shape(b)->mass, b->n_rows);
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
