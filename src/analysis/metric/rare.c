/* SPDX-License-Identifier: MIT
 * Metrics of attention to the tokens of a text that are rare in a corpus.
 * Source: Voita et al. 2019, section 5.3. */
#include <math.h>
#include <stdlib.h>

#include "analysis/metric.h"

enum { N_COMMON = 500 };

/* ---- counts ---- */

struct counted {
    int64_t count;
    int id;
};

static int by_count(const void *x, const void *y)
{
    const struct counted *a = x, *b = y;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->id - b->id;
}

struct metric_counts *metric_counts_new(struct arena *a, const int64_t *count, int n)
{
    struct metric_counts *counts = arena_alloc(a, 1, sizeof *counts);
    unsigned char *common = arena_alloc(a, (uint64_t)n, 1);
    struct arena_mark mark = arena_mark(a);
    struct counted *order = arena_alloc(a, (uint64_t)n, sizeof *order);
    int n_seen = 0;

    for (int id = 0; id < n; id++)
        if (count[id] > 0)
            order[n_seen++] = (struct counted){ count[id], id };
    qsort(order, (size_t)n_seen, sizeof *order, by_count);
    for (int i = 0; i < n_seen && i < N_COMMON; i++)
        common[order[i].id] = 1;
    arena_reset(a, mark);
    *counts = (struct metric_counts){ count, common, n };
    return counts;
}

static int64_t count_of(const struct metric_counts *counts, int id)
{
    return id < counts->n ? counts->count[id] : 0;
}

/* ---- rows ---- */

struct rares {
    const struct metric_counts *counts;
    const struct token_list *keys;      /* NULL: no row was seen yet */
    bool defined;               /* the text has a token that is not common */
    int n_rows, n_rarest, n_rare;       /* rows with two different keys, and of them those
                                           that look at the rarest, and at one of two */
    int place;                  /* of the token that gets most: 0 the rarest of the text, 1 the
                                   next, 2 any other; -1: undefined */
    double rho;                 /* NaN: undefined */
    struct column {
        double sum;             /* what the key gets */
        int n;                  /* rows that see it */
    } *at;                      /* [n_keys] */
};

static size_t rares_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct rares);
}

static void rares_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct rares *all = state;

    all->counts = shape->opts->counts;
    all->rho = NAN;
    all->place = -1;
    if (all->counts != NULL)
        all->at = arena_alloc(a, (uint64_t)shape->n_keys, sizeof *all->at);
}

static bool has_uncommon(const struct metric_counts *counts, const struct token_list *keys)
{
    for (int j = 0; j < keys->n; j++)
        if (!metric_ends(keys, j) && (keys->id[j] >= counts->n || !counts->common[keys->id[j]]))
            return true;
    return false;
}

/* The two rarest of some ids; of equally rare ones that which comes first. */
struct rarest {
    int id[2];                  /* -1: there is none */
    int64_t count[2];
};

static const struct rarest NO_ID = { { -1, -1 }, { 0, 0 } };

static void add_id(struct rarest *rarest, const struct metric_counts *counts, int id)
{
    int64_t n = count_of(counts, id);

    if (id == rarest->id[0] || id == rarest->id[1])
        return;
    if (rarest->id[0] < 0 || n < rarest->count[0])
        *rarest = (struct rarest){ { id, rarest->id[0] }, { n, rarest->count[0] } };
    else if (rarest->id[1] < 0 || n < rarest->count[1])
        *rarest = (struct rarest){ { rarest->id[0], id }, { rarest->count[0], n } };
}

static void count_row(struct rares *all, const struct metric_row *row)
{
    struct rarest rarest = NO_ID;
    int strongest = metric_strongest(row);

    if (strongest < 0)
        return;
    for (int j = row->key0; j < row->key0 + row->n_keys; j++)
        if (!metric_ends(row->keys, j) && metric_sees(row, j))
            add_id(&rarest, all->counts, row->keys->id[j]);
    if (rarest.id[1] < 0)
        return;
    all->n_rows++;
    all->n_rarest += row->keys->id[strongest] == rarest.id[0];
    all->n_rare += row->keys->id[strongest] == rarest.id[0] ||
                   row->keys->id[strongest] == rarest.id[1];
}

static void rares_take(void *state, const struct metric_row *rows, int n)
{
    struct rares *all = state;

    (void)n;
    if (all->counts == NULL || rows->keys->id == NULL)
        return;
    if (all->keys == NULL)
        all->defined = has_uncommon(all->counts, rows->keys);
    all->keys = rows->keys;
    if (!all->defined)
        return;
    count_row(all, rows);
    for (int j = rows->key0; j < rows->key0 + rows->n_keys; j++)
        if (metric_sees(rows, j)) {
            all->at[j].sum += metric_weight(rows, j);
            all->at[j].n++;
        }
}

/* ---- ranks ---- */

struct ranked {
    double v;
    int at;
};

static int by_value(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (a->v != b->v)
        return a->v < b->v ? -1 : 1;
    return a->at - b->at;
}

/* r[n] in any order -> rank[n], from 0; equal values share the mean of theirs. */
static void set_ranks(struct ranked *ranked, int n, double *rank)
{
    int to;

    qsort(ranked, (size_t)n, sizeof *ranked, by_value);
    for (int from = 0; from < n; from = to) {
        to = from + 1;
        while (to < n && ranked[to].v == ranked[from].v)
            to++;
        for (int i = from; i < to; i++)
            rank[ranked[i].at] = (from + to - 1) / 2.0;
    }
}

/* Pearson's, of ranks of n values; NaN where those of one are equal. */
static double rare_correlation(const double *x, const double *y, int n)
{
    double middle = (n - 1) / 2.0, xx = 0, yy = 0, xy = 0;

    for (int i = 0; i < n; i++) {
        xx += (x[i] - middle) * (x[i] - middle);
        yy += (y[i] - middle) * (y[i] - middle);
        xy += (x[i] - middle) * (y[i] - middle);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

/* What a key gets of a row that sees it, in the mean. */
static double gets_of(const struct rares *all, int j)
{
    return all->at[j].sum / all->at[j].n;
}

/* Of what the text's tokens get, those that end it left out. */
static void find_place(struct rares *all)
{
    struct rarest rarest = NO_ID;
    int best = -1;

    for (int j = 0; all->defined && j < all->keys->n; j++) {
        if (metric_ends(all->keys, j) || all->at[j].n == 0)
            continue;
        add_id(&rarest, all->counts, all->keys->id[j]);
        if (best < 0 || gets_of(all, j) > gets_of(all, best))
            best = j;
    }
    if (rarest.id[1] < 0)
        return;
    all->place = all->keys->id[best] == rarest.id[0] ? 0 :
                 all->keys->id[best] == rarest.id[1] ? 1 : 2;
}

/* Of what keys get and how often they occur. */
static void rares_finish(void *state, struct arena *scratch, struct progress *progress)
{
    struct rares *all = state;
    uint64_t most = all->keys != NULL ? (uint64_t)all->keys->n : 0;
    struct ranked *gets = arena_alloc(scratch, most, sizeof *gets);
    struct ranked *occurs = arena_alloc(scratch, most, sizeof *occurs);
    double *x = arena_alloc(scratch, most, sizeof *x), *y = arena_alloc(scratch, most, sizeof *y);
    int n = 0;

    (void)progress;
    find_place(all);
    for (int j = 0; all->defined && j < all->keys->n; j++)
        if (all->at[j].n > 0) {
            gets[n] = (struct ranked){ gets_of(all, j), n };
            occurs[n] = (struct ranked){ (double)count_of(all->counts, all->keys->id[j]), n };
            n++;
        }
    if (n < 2)
        return;
    set_ranks(gets, n, x);
    set_ranks(occurs, n, y);
    all->rho = rare_correlation(x, y, n);
}

/* ---- numbers ---- */

static bool rare1(const void *state, int layer, int head, double *v)
{
    const struct rares *all = state;

    (void)layer;
    (void)head;
    *v = (double)all->n_rarest / all->n_rows;
    return all->n_rows > 0;
}

static bool rare2(const void *state, int layer, int head, double *v)
{
    const struct rares *all = state;

    (void)layer;
    (void)head;
    *v = (double)all->n_rare / all->n_rows;
    return all->n_rows > 0;
}

static bool rare1_text(const void *state, int layer, int head, double *v)
{
    const struct rares *all = state;

    (void)layer;
    (void)head;
    *v = all->place == 0;
    return all->place >= 0;
}

static bool rare2_text(const void *state, int layer, int head, double *v)
{
    const struct rares *all = state;

    (void)layer;
    (void)head;
    *v = all->place <= 1;
    return all->place >= 0;
}

static bool rare_rho(const void *state, int layer, int head, double *v)
{
    const struct rares *all = state;

    (void)layer;
    (void)head;
    *v = all->rho;
    return !isnan(all->rho);
}

static const struct metric_state rares = { SCOPE_HEAD, rares_size, rares_take, rares_finish,
                                           .start = rares_start };

const struct metric_rule metric_rare1 = { .state = &rares, .value = rare1, .counts = true };
const struct metric_rule metric_rare2 = { .state = &rares, .value = rare2, .counts = true };
const struct metric_rule metric_rare1_text = { .state = &rares, .value = rare1_text,
                                               .counts = true };
const struct metric_rule metric_rare2_text = { .state = &rares, .value = rare2_text,
                                               .counts = true };
const struct metric_rule metric_rare_rho = { .state = &rares, .value = rare_rho, .counts = true };
