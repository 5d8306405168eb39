/* SPDX-License-Identifier: MIT
 * Divergences between heads, text by text -> exact sums -> a mean matrix, coordinates, clusters. */
#include "analysis/apart.h"

#include <math.h>

#include "analysis/scaling.h"

/* Of two heads, or of a head and itself. */
struct pair {
    struct fixed sum;
    int64_t n;                  /* texts in which it is defined */
};

struct apart {
    int n;
    struct pair *pair;          /* [n (n + 1) / 2] of y <= x: pair_of */
    int *seen;                  /* [n] the heads that a text says something of */
};

static uint64_t n_pairs(int n)
{
    return (uint64_t)n * ((uint64_t)n + 1) / 2;
}

struct apart *apart_new(struct arena *a, int n)
{
    struct apart *s = arena_alloc(a, 1, sizeof *s);

    *s = (struct apart){ n, arena_alloc(a, n_pairs(n), sizeof *s->pair),
                         arena_alloc(a, (uint64_t)n, sizeof *s->seen) };
    return s;
}

static struct pair *pair_of(const struct apart *apart, int x, int y)
{
    return &apart->pair[x >= y ? n_pairs(x) + (uint64_t)y : n_pairs(y) + (uint64_t)x];
}

/* ---- sums ---- */

static void apart_pair_add(struct pair *pair, double js)
{
    if (isnan(js))
        return;
    fixed_add(&pair->sum, fixed_of(js));
    pair->n++;
}

void apart_add(struct apart *apart, const struct stats_list *const *js)
{
    int n = 0;

    for (int x = 0; x < apart->n; x++)
        if (js[x]->n >= 0)
            apart->seen[n++] = x;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            apart_pair_add(pair_of(apart, apart->seen[i], apart->seen[k]),
                           js[apart->seen[i]]->v[k]);
}

uint64_t apart_n_words(int n)
{
    return 3 * n_pairs(n);
}

void apart_words(struct words *words, struct apart *apart)
{
    for (uint64_t i = 0; i < n_pairs(apart->n); i++) {
        struct pair *p = &apart->pair[i];

        words_fixed(words, &p->sum);
        words_count(words, &p->n);
        words->impossible |= p->sum.whole < 0 || p->sum.whole > p->n;
    }
}

/* ---- the mean ---- */

/* Of a head and itself it is defined in every text that says something of the head. */
static void number_heads(const struct apart *apart, struct apart_mean *mean)
{
    for (int x = 0; x < apart->n; x++)
        mean->index[x] = pair_of(apart, x, x)->n > 0 ? mean->n++ : -1;
}

/* True if all are defined. */
static bool apart_fill(const struct apart *apart, struct apart_mean *mean)
{
    bool all = mean->n > 0;

    for (int x = 0; x < apart->n; x++)
        for (int y = 0; y < apart->n; y++) {
            const struct pair *p = pair_of(apart, x, y);

            if (mean->index[x] < 0 || mean->index[y] < 0)
                continue;
            mean->js[(size_t)mean->index[x] * (size_t)mean->n + (size_t)mean->index[y]] =
                p->n > 0 ? fixed_real(p->sum) / (double)p->n : (double)NAN;
            all &= p->n > 0;
        }
    return all;
}

struct apart_mean apart_mean(const struct apart *apart, int n_clusters, struct arena *a,
                             struct progress *progress)
{
    struct apart_mean m = { .index = arena_alloc(a, (uint64_t)apart->n, sizeof *m.index) };
    uint64_t n;

    number_heads(apart, &m);
    n = (uint64_t)m.n;
    m.js = arena_alloc(a, n, n * sizeof *m.js);
    if (!apart_fill(apart, &m))
        return m;
    m.place = arena_alloc(a, n, 2 * sizeof *m.place);
    scaling_plane(m.place, m.js, m.n, a, progress);
    if (n_clusters == 0)
        return m;
    m.cluster = arena_alloc(a, n, sizeof *m.cluster);
    scaling_clusters(m.cluster, m.js, m.n, n_clusters, a, progress);
    return m;
}

double apart_cluster(const struct apart_mean *mean, int head)
{
    return mean->cluster != NULL && mean->index[head] >= 0 ? mean->cluster[mean->index[head]] :
           (double)NAN;
}
