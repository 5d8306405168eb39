/* SPDX-License-Identifier: MIT
 * Rows of two passes -> differences of heads: one sink stores rows, the other compares. */
#include "analysis/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/divergence.h"
#include "run/row.h"

struct sums {
    double js, entropy[2], largest;
    int n_rows[2];              /* that see keys, on each side */
    int n_paired, n_kept;
    int strongest[2];           /* key of the row that was compared last, on each side */
};

/* A head of the first side with one of the second. */
struct match {
    double js;                  /* sum over rows */
    int n;
};

struct compare {
    int L, H;
    struct match *match;        /* [L, H of the second side, L, H of the first] of
                                   compare_all; NULL: not asked for */
    struct axis_pair queries, keys;
    int only[2];                /* the rows that count; -1: all */
    float *first;               /* [L, H, queries, keys] rows of the first side */
    bool *sees;                 /* [L, H, queries] a row of it sees keys */
    struct sums *sums;          /* [L, H] */
    float *room;                /* [L, H, 2, all keys] a row of each side, over keys of
                                   both */
};

static int n_all(const struct compare *compare)
{
    return compare->keys.n_first + compare->keys.n_second;
}

struct compare *compare_new(struct arena *a, int L, int H, struct axis_pair queries,
                            struct axis_pair keys)
{
    struct compare *compare = arena_alloc(a, 1, sizeof *compare);
    uint64_t heads = (uint64_t)L * (uint64_t)H, rows = heads * (uint64_t)queries.n_first;

    *compare = (struct compare){ .L = L, .H = H, .queries = queries, .keys = keys,
                                 .only = { -1, -1 } };
    compare->first = arena_alloc(a, rows, (size_t)keys.n_first * sizeof *compare->first);
    compare->sees = arena_alloc(a, rows, sizeof *compare->sees);
    compare->sums = arena_alloc(a, heads, sizeof *compare->sums);
    compare->room = arena_alloc(a, heads * 2,
                                (size_t)n_all(compare) * sizeof *compare->room);
    return compare;
}

void compare_only(struct compare *compare, int first, int second)
{
    compare->only[0] = first;
    compare->only[1] = second;
}

void compare_all(struct compare *compare, struct arena *a)
{
    uint64_t heads = (uint64_t)compare->L * (uint64_t)compare->H;

    compare->match = arena_alloc(a, heads, heads * sizeof *compare->match);
}

/* Whether row t of a block counts. */
static bool compare_counts(const struct compare *compare, int side, const struct rows *rows, int t)
{
    return rows->n_visible[t] > 0 &&
           (compare->only[side] < 0 || compare->only[side] == rows->row0 + t);
}

static size_t compare_head_at(const struct compare *compare, int layer, int head)
{
    return (size_t)layer * (size_t)compare->H + (size_t)head;
}

static void add_entropy(struct sums *sums, int side, const struct rows *rows, int t)
{
    sums->entropy[side] += rows->entropy[t];
    sums->n_rows[side]++;
}

/* ---- the first pass ---- */

static void compare_store(void *self, const struct rows *rows, int n)
{
    struct compare *compare = self;
    size_t head = compare_head_at(compare, rows->layer, rows->head);

    (void)n;
    for (int t = 0; t < rows->n_rows; t++) {
        size_t row = head * (size_t)compare->queries.n_first + (size_t)(rows->row0 + t);

        row_spread(rows, t, compare->first + row * (size_t)compare->keys.n_first);
        compare->sees[row] = rows->n_visible[t] > 0;
        if (compare_counts(compare, 0, rows, t))
            add_entropy(&compare->sums[head], 0, rows, t);
    }
}

/* ---- the second ---- */

/* Of all keys those of the first side come first, then those that only the second has. */
static void spread_second(const struct compare *compare, const struct rows *rows, int t,
                          float *out)
{
    const float *w = rows->weight + (size_t)t * rows->stride;

    memset(out, 0, (size_t)n_all(compare) * sizeof *out);
    for (int j = 0; j < rows->n_keys; j++) {
        int first = compare->keys.first_of[rows->key0 + j];

        out[first >= 0 ? first : compare->keys.n_first + rows->key0 + j] = w[j];
    }
}

static void compare_row(const struct compare *compare, struct sums *sums, const float *p,
                        const float *q)
{
    sums->strongest[0] = row_strongest(p, n_all(compare));
    sums->strongest[1] = row_strongest(q, n_all(compare));
    sums->n_kept += sums->strongest[0] == sums->strongest[1];
    sums->n_paired++;
    for (int j = 0; j < n_all(compare); j++)
        sums->largest = fmax(sums->largest, fabs((double)p[j] - (double)q[j]));
    sums->js += divergence_js(p, q, n_all(compare));
}

/* Row `first` of every head of the first side -> p, with the row q of one of the second. */
static void match_row(const struct compare *compare, struct match *match, int first, float *p,
                      const float *q)
{
    size_t n_keys = (size_t)compare->keys.n_first;

    for (int head = 0; head < compare->L * compare->H; head++) {
        size_t row = (size_t)head * (size_t)compare->queries.n_first + (size_t)first;

        if (!compare->sees[row])
            continue;
        memset(p, 0, (size_t)n_all(compare) * sizeof *p);
        memcpy(p, compare->first + row * n_keys, n_keys * sizeof *p);
        match[head].js += divergence_js(p, q, n_all(compare));
        match[head].n++;
    }
}

static void compare_take(void *self, const struct rows *rows, int n)
{
    struct compare *c = self;
    size_t head = compare_head_at(c, rows->layer, rows->head), n_keys = (size_t)c->keys.n_first;
    float *p = c->room + head * 2 * (size_t)n_all(c), *q = p + n_all(c);

    (void)n;
    for (int t = 0; t < rows->n_rows; t++) {
        int first = c->queries.first_of[rows->row0 + t];
        size_t row = head * (size_t)c->queries.n_first + (size_t)first;

        if (!compare_counts(c, 1, rows, t))
            continue;
        add_entropy(&c->sums[head], 1, rows, t);
        if (first < 0 || !c->sees[row])
            continue;
        memset(p, 0, (size_t)n_all(c) * sizeof *p);
        memcpy(p, c->first + row * n_keys, n_keys * sizeof *p);
        spread_second(c, rows, t, q);
        compare_row(c, &c->sums[head], p, q);
        if (c->match != NULL)
            match_row(c, c->match + head * (size_t)(c->L * c->H), first, p, q);
    }
}

struct sink compare_first(struct compare *compare)
{
    return (struct sink){ .scope = SINK_HEAD, .take = compare_store, .self = compare,
                          .divided = true };
}

struct sink compare_second(struct compare *compare)
{
    return (struct sink){ .scope = SINK_HEAD, .take = compare_take, .self = compare,
                          .divided = true };
}

struct head_difference compare_head(const struct compare *compare, int layer, int head)
{
    const struct sums *sums = &compare->sums[compare_head_at(compare, layer, head)];

    return (struct head_difference){
        .js = sums->js / sums->n_paired,
        .links_kept = (double)sums->n_kept / sums->n_paired,
        .entropy_first = sums->entropy[0] / sums->n_rows[0],
        .entropy_second = sums->entropy[1] / sums->n_rows[1],
        .largest = sums->n_paired > 0 ? sums->largest : NAN,
    };
}

double compare_best(const struct compare *compare, int layer, int head, int best[2])
{
    size_t heads = (size_t)compare->L * (size_t)compare->H;
    double least = NAN;

    best[0] = best[1] = -1;
    for (size_t i = 0; compare->match != NULL && i < heads; i++) {
        const struct match *match =
            &compare->match[i * heads + compare_head_at(compare, layer, head)];
        double js = match->js / match->n;

        if (match->n == 0 || js >= least)
            continue;
        least = js;
        best[0] = (int)i / compare->H;
        best[1] = (int)i % compare->H;
    }
    return least;
}

/* A key of both sides as one of the second. */
static int second_of(const struct compare *compare, int key)
{
    int j = 0;

    if (key >= compare->keys.n_first)
        return key - compare->keys.n_first;
    while (j < compare->keys.n_second && compare->keys.first_of[j] != key)
        j++;
    return j < compare->keys.n_second ? j : -1;
}

void compare_strongest(const struct compare *compare, int layer, int head, int key[2])
{
    const struct sums *sums = &compare->sums[compare_head_at(compare, layer, head)];

    key[0] = key[1] = -1;
    if (compare->only[0] < 0 || sums->n_paired == 0)
        return;
    key[0] = sums->strongest[0];
    key[1] = second_of(compare, sums->strongest[1]);
}

/* ---- pairing ---- */

/* length[i][j]: of the longest common subsequence of x[i ..] and y[j ..]. */
static int *common(struct arena *a, struct compare_names x, struct compare_names y)
{
    size_t stride = (size_t)y.n + 1;
    int *length = arena_alloc(a, ((size_t)x.n + 1), stride * sizeof *length);

    for (int i = x.n - 1; i >= 0; i--)
        for (int j = y.n - 1; j >= 0; j--) {
            int *l = length + (size_t)i * stride + (size_t)j;

            if (strcmp(x.name[i], y.name[j]) == 0)
                l[0] = l[stride + 1] + 1;
            else
                l[0] = l[stride] > l[1] ? l[stride] : l[1];
        }
    return length;
}

/* first_of[y.n] along a longest common subsequence, counted from first; returns its length. */
static int pair_common(struct arena *a, struct compare_names x, struct compare_names y,
                       int first, int *first_of)
{
    struct arena_mark mark = arena_mark(a);
    size_t stride = (size_t)y.n + 1;
    const int *length = common(a, x, y);
    int i = 0, j = 0, count = length[0];

    for (int k = 0; k < y.n; k++)
        first_of[k] = -1;
    while (i < x.n && j < y.n) {
        const int *l = length + (size_t)i * stride + (size_t)j;

        if (strcmp(x.name[i], y.name[j]) == 0)
            first_of[j++] = first + i++;
        else if (l[stride] >= l[1])
            i++;
        else
            j++;
    }
    arena_reset(a, mark);
    return count;
}

/* places: by place where there are equally many. */
static int pair_part(struct arena *a, struct compare_names x, struct compare_names y,
                     int first, bool places, int *first_of)
{
    if (!places || x.n != y.n)
        return pair_common(a, x, y, first, first_of);
    for (int k = 0; k < y.n; k++)
        first_of[k] = first + k;
    return x.n;
}

int compare_pair(struct arena *a, struct compare_names first, struct compare_names second,
                 int *first_of)
{
    return pair_part(a, first, second, 0, true, first_of);
}

static struct compare_names after(struct compare_names x, int n)
{
    return (struct compare_names){ x.name + n, x.n - n };
}

int compare_pair_around(struct arena *a, struct compare_names first,
                        struct compare_names second, const int at[2], int *first_of)
{
    int x = at[0] + 1, y = at[1] + 1;
    bool places = at[0] == at[1];
    int before = pair_part(a, (struct compare_names){ first.name, at[0] },
                           (struct compare_names){ second.name, at[1] }, 0, places, first_of);

    first_of[at[1]] = at[0];
    return before + 1 +
           pair_part(a, after(first, x), after(second, y), x, places, first_of + y);
}

static int compare_by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static const char **sorted(struct arena *a, struct compare_names x)
{
    const char **all = arena_alloc(a, (size_t)x.n, sizeof *all);

    if (x.n > 0) {
        memcpy(all, x.name, (size_t)x.n * sizeof *all);
        qsort(all, (size_t)x.n, sizeof *all, compare_by_name);
    }
    return all;
}

int compare_shared(struct arena *a, struct compare_names first, struct compare_names second)
{
    struct arena_mark mark = arena_mark(a);
    const char **x = sorted(a, first), **y = sorted(a, second);
    int i = 0, j = 0, count = 0;

    while (i < first.n && j < second.n) {
        int order = strcmp(x[i], y[j]);

        count += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    arena_reset(a, mark);
    return count;
}
