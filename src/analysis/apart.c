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

static struct pair *pair_of(const struct apart *s, int x, int y)
{
    return &s->pair[x >= y ? n_pairs(x) + (uint64_t)y : n_pairs(y) + (uint64_t)x];
}

/* ---- sums ---- */

static void apart_pair_add(struct pair *p, double js)
{
    if (isnan(js))
        return;
    fixed_add(&p->sum, fixed_of(js));
    p->n++;
}

void apart_add(struct apart *s, const struct stats_list *const *js)
{
    int n = 0;

    for (int x = 0; x < s->n; x++)
        if (js[x]->n >= 0)
            s->seen[n++] = x;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            apart_pair_add(pair_of(s, s->seen[i], s->seen[k]), js[s->seen[i]]->v[k]);
}

uint64_t apart_n_words(int n)
{
    return 3 * n_pairs(n);
}

void apart_words(struct words *w, struct apart *s)
{
    for (uint64_t i = 0; i < n_pairs(s->n); i++) {
        struct pair *p = &s->pair[i];

        words_fixed(w, &p->sum);
        words_count(w, &p->n);
        w->impossible |= p->sum.whole < 0 || p->sum.whole > p->n;
    }
}

/* ---- the mean ---- */

/* Of a head and itself it is defined in every text that says something of the head. */
static void number_heads(const struct apart *s, struct apart_mean *m)
{
    for (int x = 0; x < s->n; x++)
        m->index[x] = pair_of(s, x, x)->n > 0 ? m->n++ : -1;
}

/* True if all are defined. */
static bool apart_fill(const struct apart *s, struct apart_mean *m)
{
    bool all = m->n > 0;

    for (int x = 0; x < s->n; x++)
        for (int y = 0; y < s->n; y++) {
            const struct pair *p = pair_of(s, x, y);

            if (m->index[x] < 0 || m->index[y] < 0)
                continue;
            m->js[(size_t)m->index[x] * (size_t)m->n + (size_t)m->index[y]] =
                p->n > 0 ? fixed_real(p->sum) / (double)p->n : (double)NAN;
            all &= p->n > 0;
        }
    return all;
}

struct apart_mean apart_mean(const struct apart *s, int n_clusters, struct arena *a,
                             struct progress *progress)
{
    struct apart_mean m = { .index = arena_alloc(a, (uint64_t)s->n, sizeof *m.index) };
    uint64_t n;

    number_heads(s, &m);
    n = (uint64_t)m.n;
    m.js = arena_alloc(a, n, n * sizeof *m.js);
    if (!apart_fill(s, &m))
        return m;
    m.place = arena_alloc(a, n, 2 * sizeof *m.place);
    scaling_plane(m.place, m.js, m.n, a, progress);
    if (n_clusters == 0)
        return m;
    m.cluster = arena_alloc(a, n, sizeof *m.cluster);
    scaling_clusters(m.cluster, m.js, m.n, n_clusters, a, progress);
    return m;
}

double apart_cluster(const struct apart_mean *m, int head)
{
    return m->cluster != NULL && m->index[head] >= 0 ? m->cluster[m->index[head]] : (double)NAN;
}
