/* SPDX-License-Identifier: MIT
 * Metrics of distance: how far a query attends from its own position, in tokens. */
#include <math.h>
#include <stdlib.h>

#include "analysis/metric.h"

/* ---- in the plane of a picture ---- */

double metric_plane_away(const struct metric_row *row, int i, int j)
{
    int columns = row->queries->columns, first = row->queries->n_before;
    double down = (i - first) / columns - (j - first) / columns;
    double right = (i - first) % columns - (j - first) % columns;

    return sqrt(down * down + right * right);
}

/* What row a has on patches: its weight, that on those at most `within` away, and the sum of
 * a |key - query|. */
struct in_plane { double mass, near, distance; };

/* All 0 where the query is no patch. */
static struct in_plane plane_of(const struct metric_row *row, double within)
{
    struct in_plane found = { 0, 0, 0 };

    for (int j = row->key0; metric_is_patch(row, row->query) && j < row->key0 + row->n_keys; j++) {
        double a = metric_weight(row, j), away;

        if (!metric_is_patch(row, j) || !metric_has(row, j) || a <= 0)
            continue;
        away = metric_plane_away(row, row->query, j);
        found.mass += a;
        found.distance += a * away;
        found.near += away <= within ? a : 0;
    }
    return found;
}

/* ---- the mean ---- */

static bool token_distance(const struct metric_row *row, double *v)
{
    *v = metric_scan(row).distance;
    return true;
}

/* Source: Vig and Belinkov 2019, eq. 6, with no token left out. */
static bool token_distance_abs(const struct metric_row *row, double *v)
{
    *v = metric_scan(row).distance_abs;
    return true;
}

/* A plane has no sides that are before and after. */
static bool distance_signed(const struct metric_row *row, double *v)
{
    return token_distance(row, v) && !metric_in_plane(row);
}

/* Source: in the plane, the mean attention distance of Dosovitskiy et al. 2021, figure 7. */
static bool distance_abs(const struct metric_row *row, double *v)
{
    struct in_plane found;

    if (!metric_in_plane(row))
        return token_distance_abs(row, v);
    found = plane_of(row, 0);
    *v = found.distance / found.mass;
    return found.mass > 0;
}

static int distance_block(const struct metric_block *block, double *sum)
{
    *sum = block->sums.distance;
    return block->n_rows;
}

static int distance_abs_block(const struct metric_block *block, double *sum)
{
    *sum = block->sums.distance_abs;
    return block->n_rows;
}

const struct metric_rule metric_distance = { .row = distance_signed, .block = distance_block };
const struct metric_rule metric_distance_abs = { .row = distance_abs,
                                                 .block = distance_abs_block };
const struct metric_rule metric_token_distance = { .row = token_distance,
                                                   .block = distance_block };
const struct metric_rule metric_token_distance_abs = { .row = token_distance_abs,
                                                       .block = distance_abs_block };

/* ---- spread, and shares of what is near ---- */

/* Two passes: sqrt(sum a (d - m)^2), m = sum a d. */
static bool distance_sd(const struct metric_row *row, double *v)
{
    double mean = metric_scan(row).distance, sum = 0;

    for (int j = 0; j < row->n_keys; j++) {
        double away = row->key0 + j - row->query - mean;

        sum += (double)row->a[j] * away * away;
    }
    *v = sqrt(sum);
    return true;
}

static int distance_sd_block(const struct metric_block *block, double *sum)
{
    const struct facts_shape *shape = metric_block_shape(block);

    *sum = 0;
    for (int t = 0; t < block->n_rows; t++)
        *sum += sqrt(shape->spread[t]);
    return block->n_rows;
}

static int farther(int low, int high, int query)
{
    return abs(low - query) > abs(high - query) ? abs(low - query) : abs(high - query);
}

/* The distance to the farthest key that the row sees. */
static int farthest(const struct metric_row *row)
{
    int low = row->key0, high = row->key0 + row->n_keys - 1;

    while (!metric_sees(row, low))
        low++;
    while (!metric_sees(row, high))
        high--;
    return farther(low, high, row->query);
}

static bool distance_norm(const struct metric_row *row, double *v)
{
    int most = farthest(row);

    *v = metric_scan(row).distance_abs / (most > 1 ? most : 1);
    return true;
}

/* Of row t; where no key is hidden, it sees both ends. */
static int farthest_of(const struct metric_block *block, int t)
{
    struct metric_row row;

    if (block->row.hidden == NULL)
        return farther(block->row.key0, block->row.key0 + block->row.n_keys - 1,
                       block->row.query + t);
    row = metric_block_row(block, t);
    return farthest(&row);
}

static int distance_norm_block(const struct metric_block *block, double *sum)
{
    const struct facts_shape *shape = metric_block_shape(block);
    double share[ATTEND_ROWS];

    for (int t = 0; t < block->n_rows; t++) {
        int most = farthest_of(block, t);

        share[t] = shape->distance_abs[t] / (most > 1 ? most : 1);
    }
    *sum = metric_sum_double(share, block->n_rows);
    return block->n_rows;
}

static double near(const struct metric_row *row, int within)
{
    double sum = 0;

    for (int j = row->query - within; j <= row->query + within; j++)
        sum += metric_weight(row, j);
    return sum;
}

static double near_block(const struct metric_block *block, int within)
{
    const double *near = metric_block_near(block);
    double sum = 0;

    for (int d = 0; d <= within; d++)
        sum += near[d];
    return sum;
}

#define LOCAL(within) \
    static bool local_##within(const struct metric_row *r, double *v) \
    { \
        *v = metric_in_plane(r) ? plane_of(r, within).near : near(r, within); \
        return !metric_in_plane(r) || metric_is_patch(r, r->query); \
    } \
    \
    static int local_##within##_block(const struct metric_block *b, double *sum) \
    { \
        *sum = near_block(b, within); \
        return b->n_rows; \
    } \
    const struct metric_rule metric_local_##within = { .row = local_##within, \
                                                       .block = local_##within##_block };
LOCAL(1)
LOCAL(2)
LOCAL(4)
LOCAL(8)
LOCAL(16)
#undef LOCAL

const struct metric_rule metric_distance_sd = { .row = distance_sd, .block = distance_sd_block };
const struct metric_rule metric_distance_norm = { .row = distance_norm,
                                                  .block = distance_norm_block };

/* ---- of all rows at once ---- */

struct back { double distance, mass; };

static size_t back_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct back);
}

/* The keys up to the query, without the first. */
static void back_take(void *state, const struct metric_row *rows, int n)
{
    struct back *back = state;

    (void)n;
    for (int j = 1; j <= rows->query; j++) {
        back->distance += metric_weight(rows, j) * (rows->query - j);
        back->mass += metric_weight(rows, j);
    }
}

static void back_take_block(void *state, const struct metric_block *block)
{
    struct back *back = state;
    const struct facts_shape *shape = metric_block_shape(block);

    back->distance += metric_sum_double(shape->back, block->n_rows);
    back->mass += metric_sum_double(shape->back_mass, block->n_rows);
}

/* Source: Vig and Belinkov 2019, eq. 6, of one text. */
static bool distance_vig(const void *state, int layer, int head, double *v)
{
    const struct back *back = state;

    (void)layer;
    (void)head;
    *v = back->distance / back->mass;
    return back->mass > 0;
}

static const struct metric_state back = { SCOPE_HEAD, back_size, back_take,
                                          .take_block = back_take_block };

const struct metric_rule metric_distance_vig = { .state = &back, .value = distance_vig };
