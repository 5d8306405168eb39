/* SPDX-License-Identifier: MIT
 * Metrics of the pattern of a head's map: stripes, the diagonal, blocks.  The classes are those of
 * Kovaleva et al. 2019, who distinguish them by eye; the deciding numbers are this project's. */
#include "analysis/metric.h"

enum offset { BEFORE, ITSELF, AFTER, N_OFFSET };

struct patterns {
    struct offset_sum { double sum; int n; } offset[N_OFFSET];
    double within, chance;      /* sums over the rows of n_block */
    int n_block;                /* rows that are no special token, and see such a key */
    bool segments[2];           /* that hold such rows */
    bool in_segments;           /* the text has more than one */
    int n_rows, n_keys;
    double column[];            /* [n_keys] sums */
};

static size_t patterns_size(const struct metric_shape *shape)
{
    return sizeof(struct patterns) + (size_t)shape->n_keys * sizeof(double);
}

static bool is_special(const struct token_list *list, int i)
{
    return list->special != NULL && list->special[i];
}

static bool has_segments(const struct token_list *list)
{
    for (int i = 1; list->type != NULL && i < list->n; i++)
        if (list->type[i] != list->type[0])
            return true;
    return false;
}

/* Weight and keys of the query's segment, of the row without special tokens. */
static void take_block(struct patterns *all, const struct metric_row *row)
{
    const int *type = row->keys->type;
    double within = 0, mass = 0;
    int n_within = 0, count = 0;

    if (!all->in_segments || row->two_axes || is_special(row->queries, row->query))
        return;
    for (int j = row->key0; j < row->key0 + row->n_keys; j++) {
        bool same = type[j] == type[row->query];

        if (is_special(row->keys, j) || !metric_sees(row, j))
            continue;
        mass += metric_weight(row, j);
        within += same ? metric_weight(row, j) : 0;
        n_within += same;
        count++;
    }
    if (mass <= 0)
        return;
    all->within += within / mass;
    all->chance += (double)n_within / count;
    all->segments[type[row->query] != 0] = true;
    all->n_block++;
}

static void patterns_take(void *state, const struct metric_row *rows, int n)
{
    struct patterns *all = state;

    (void)n;
    for (int j = rows->key0; j < rows->key0 + rows->n_keys; j++)
        all->column[j] += metric_weight(rows, j);
    for (int k = 0; k < N_OFFSET && !rows->two_axes; k++) {
        int j = rows->query + k - ITSELF;

        if (j >= 0 && j < rows->keys->n && metric_has(rows, j)) {
            all->offset[k].sum += metric_weight(rows, j);
            all->offset[k].n++;
        }
    }
    if (all->n_rows == 0)
        all->in_segments = has_segments(rows->keys);
    take_block(all, rows);
    all->n_keys = rows->keys->n;
    all->n_rows++;
}

static void take_offset(struct offset_sum *offset, const struct metric_block *block, int away)
{
    int first = block->row.query + away, last = first + block->n_rows - 1,
        end = block->row.keys->n - 1;

    offset->sum += metric_sum_away(block, away);
    first = first < 0 ? 0 : first;
    last = last > end ? end : last;
    offset->n += last >= first ? last - first + 1 : 0;
}

static void patterns_take_block(void *state, const struct metric_block *block)
{
    const struct facts_rows rows = metric_block_facts(block);
    struct patterns *all = state;

    facts_columns(all->column + block->row.key0, &rows);
    for (int k = 0; k < N_OFFSET && !block->row.two_axes; k++)
        take_offset(&all->offset[k], block, k - ITSELF);
    if (all->n_rows == 0)
        all->in_segments = has_segments(block->row.keys);
    for (int t = 0; t < block->n_rows && all->in_segments; t++) {
        struct metric_row row = metric_block_row(block, t);

        take_block(all, &row);
    }
    all->n_keys = block->row.keys->n;
    all->n_rows += block->n_rows;
}

/* The largest two means over all rows. */
static double vertical(const struct patterns *all)
{
    double first = 0, second = 0;

    for (int j = 0; j < all->n_keys; j++)
        if (all->column[j] > first) {
            second = first;
            first = all->column[j];
        } else if (all->column[j] > second) {
            second = all->column[j];
        }
    return (first + second) / all->n_rows;
}

/* Each offset's mean over the rows that have such a key. */
static double diagonal(const struct patterns *all)
{
    double sum = 0;

    for (int k = 0; k < N_OFFSET; k++)
        sum += all->offset[k].n > 0 ? all->offset[k].sum / all->offset[k].n : 0;
    return sum;
}

static double rest(const struct patterns *all)
{
    return 1 - vertical(all) - diagonal(all);
}

/* (within - chance) / (1 - chance), their means; of two segments only. */
static bool block(const struct patterns *all, double *v)
{
    if (!all->segments[0] || !all->segments[1])
        return false;
    *v = (all->within - all->chance) / (all->n_block - all->chance);
    return true;
}

const char *const metric_kovaleva_words[] = {
    "vertical", "diagonal", "vertical+diagonal", "block", "heterogeneous", NULL
};

/* The first that holds. */
int metric_kovaleva_class(double vertical, double diagonal, double block)
{
    if (vertical >= 0.6)
        return 0;
    if (diagonal >= 0.5)
        return 1;
    if (vertical + diagonal >= 0.7 && vertical >= 0.2 && diagonal >= 0.2)
        return 2;
    return block >= 0.5 ? 3 : 4;
}

static int pattern_class_of(const struct patterns *all)
{
    double b;

    if (!block(all, &b))
        b = 0;
    return metric_kovaleva_class(vertical(all), diagonal(all), b);
}

static bool block_value(const void *state, int layer, int head, double *v)
{
    (void)layer;
    (void)head;
    return block(state, v);
}

#define OF_ROWS(id, formula) \
    static bool value_##id(const void *state, int layer, int head, double *v) \
    { \
        const struct patterns *all = state; \
        \
        (void)layer; \
        (void)head; \
        *v = formula(all); \
        return all->n_rows > 0; \
    }
OF_ROWS(vertical, vertical)
OF_ROWS(diagonal, diagonal)
OF_ROWS(rest, rest)
OF_ROWS(kovaleva, pattern_class_of)
#undef OF_ROWS

/* The same state twice, since keys of another text have no diagonal but stripes. */
static const struct metric_state stripes = { SCOPE_HEAD, patterns_size, patterns_take,
                                             .take_block = patterns_take_block };
static const struct metric_state patterns = { SCOPE_HEAD, patterns_size, patterns_take,
                                              .take_block = patterns_take_block };

const struct metric_rule metric_pattern_vertical = { .state = &stripes,
                                                     .value = value_vertical };
const struct metric_rule metric_pattern_diagonal = { .state = &patterns,
                                                     .value = value_diagonal };
const struct metric_rule metric_pattern_block = { .state = &patterns, .value = block_value };
const struct metric_rule metric_pattern_rest = { .state = &patterns, .value = value_rest };
const struct metric_rule metric_kovaleva = { .state = &patterns, .value = value_kovaleva,
                                             .words = metric_kovaleva_words };
