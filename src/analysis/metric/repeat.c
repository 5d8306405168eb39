/* SPDX-License-Identifier: MIT
 * Metrics of repetition: weight on earlier copies of the query's token, and on the tokens after
 * them. Source: TransformerLens' head detector, "mul": the weight on those keys / all weight; rows
 * without such a key count, so a text with few repetitions has a low maximum: its coverage. */
#include "analysis/metric.h"

/* Of one pattern of keys. */
struct target { double mass; int n_rows; };

struct repeats {
    struct target duplicate, induction;
    double mass;
    int n_rows;                 /* those whose tokens have ids */
};

static size_t repeats_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct repeats);
}

/* Adds the keys that hold the id, but the query, shifted to the one after where after is 1.
 * Their places end before `end`. */
static void repeat_add(struct target *target, const struct metric_row *row, int after, int end)
{
    const int *id = row->keys->id;
    bool found = false;

    if (end > row->key0 + row->n_keys)
        end = row->key0 + row->n_keys;
    for (int j = row->key0 > after ? row->key0 : after; j < end; j++)
        if (id[j - after] == id[row->query] && j - after != row->query && metric_sees(row, j)) {
            target->mass += (double)row->a[j - row->key0];
            found = true;
        }
    target->n_rows += found;
}

/* Both patterns; where the token stands twice in a row, its follower is the query itself. */
static void repeats_take(void *state, const struct metric_row *rows, int n)
{
    struct repeats *all = state;

    (void)n;
    if (rows->keys->id == NULL)
        return;
    repeat_add(&all->duplicate, rows, 0, rows->keys->n);
    repeat_add(&all->induction, rows, 1, rows->query + 1);
    for (int j = 0; j < rows->n_keys; j++)
        all->mass += (double)rows->a[j];
    all->n_rows++;
}

static bool repeat_score(const struct repeats *all, const struct target *target, double *v)
{
    *v = target->mass / all->mass;
    return all->mass > 0;
}

/* The share of rows that have such a key: what a perfect head scores. */
static bool coverage(const struct repeats *all, const struct target *target, double *v)
{
    *v = (double)target->n_rows / all->n_rows;
    return all->n_rows > 0;
}

static bool covered(const struct repeats *all, const struct target *target, double *v)
{
    double share;

    if (!coverage(all, target, &share) || share <= 0 || !repeat_score(all, target, v))
        return false;
    *v /= share;
    return true;
}

static const struct metric_state repeats = { SCOPE_HEAD, repeats_size, repeats_take };

#define REPEAT(id, of, target) \
    static bool value_##id(const void *state, int layer, int head, double *v) \
    { \
        const struct repeats *all = state; \
        \
        (void)layer; \
        (void)head; \
        return of(all, &all->target, v); \
    } \
    const struct metric_rule metric_##id = { .state = &repeats, .value = value_##id };
REPEAT(duplicate, repeat_score, duplicate)
REPEAT(duplicate_coverage, coverage, duplicate)
REPEAT(duplicate_covered, covered, duplicate)
REPEAT(induction, repeat_score, induction)
REPEAT(induction_coverage, coverage, induction)
REPEAT(induction_covered, covered, induction)
#undef REPEAT
