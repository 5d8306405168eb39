/* SPDX-License-Identifier: MIT
 * Metrics of bounded key/value caches: the share of weight that rows retain with the best choice of
 * keys, and with rules that know only earlier rows. */
#include <math.h>
#include <string.h>

#include "analysis/metric.h"
#include "base/sort.h"

enum policy { ORACLE, RECENCY, H2O, H2O_EVEN, SNAPKV, N_POLICY };

/* Keys by what they got, the most first; equal ones, but for 1e-6, by position. */
struct ballot {
    double *vote;               /* [n_keys] as they are counted */
    int *order;                 /* [n] */
    int n;
};

/* Heads that share keys and values: what one of them votes for, all keep. */
struct shared {
    double *sum;                /* [n_keys] weight of the rows so far */
    double *late;               /* [n_keys] of the last rows of the prompt */
    int *seen;                  /* [n_keys] rows that saw the key */
    struct ballot total, mean, snap;
};

/* Of one head, rule and budget: the weight kept, over rows. */
struct kept {
    double sum, best;           /* best: of as many keys, had each row chosen */
    double agreed;              /* SNAPKV: share of the keys that each row would choose, too */
    int n;
    float *least;               /* [min(n, n_least)] the smallest, ascending */
};

struct caches {
    const struct metric_opts *opts;
    int n_keys, n_shared, heads_each, n_least;
    bool looks_ahead;           /* a row sees a key after it: nothing is defined */
    struct shared *shared;      /* [n_shared] */
    struct kept (*kept)[N_POLICY][METRIC_BUDGETS];      /* [H] */
    float *sorted;              /* [n_keys] of the row at hand, and as much room */
    struct ballot own;          /* what it would choose of the prompt */
};

/* ---- before the rows ---- */

static size_t cache_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct caches);
}

static struct ballot ballot_new(int n_keys, struct arena *a)
{
    return (struct ballot){ arena_alloc(a, (uint64_t)n_keys, sizeof(double)),
                            arena_alloc(a, (uint64_t)n_keys, sizeof(int)), 0 };
}

static void cache_start(void *state, const struct metric_shape *shape, struct arena *a)
{
    struct caches *all = state;
    int n = shape->n_keys, H = shape->n_heads;

    all->opts = shape->opts;
    all->n_keys = n;
    all->n_shared = shape->n_kv_heads > 0 ? shape->n_kv_heads : H;
    all->heads_each = H / all->n_shared;
    all->n_least = shape->n_queries / 20 + 2;
    all->shared = arena_alloc(a, (uint64_t)all->n_shared, sizeof *all->shared);
    for (int g = 0; g < all->n_shared; g++)
        all->shared[g] = (struct shared){
            arena_alloc(a, (uint64_t)n, sizeof(double)),
            arena_alloc(a, (uint64_t)n, sizeof(double)), arena_alloc(a, (uint64_t)n, sizeof(int)),
            ballot_new(n, a), ballot_new(n, a), ballot_new(n, a),
        };
    all->kept = arena_alloc(a, (uint64_t)H, sizeof *all->kept);
    for (int i = 0; i < H * N_POLICY * METRIC_BUDGETS; i++)
        (&all->kept[0][0][0])[i].least = arena_alloc(a, (uint64_t)all->n_least, sizeof(float));
    all->sorted = arena_alloc(a, 2 * (uint64_t)n, sizeof *all->sorted);
    all->own = ballot_new(n, a);
}

/* ---- votes ---- */

static bool before(const struct ballot *ballot, int x, int y)
{
    return ballot->vote[x] != ballot->vote[y] ? ballot->vote[x] > ballot->vote[y] : x < y;
}

/* Insertion over keys that stand `gap` apart. */
static void settle(struct ballot *ballot, int gap)
{
    for (int i = gap; i < ballot->n; i++) {
        int key = ballot->order[i], k = i;

        for (; k >= gap && before(ballot, key, ballot->order[k - gap]); k -= gap)
            ballot->order[k] = ballot->order[k - gap];
        ballot->order[k] = key;
    }
}

/* So that sums of floats and of doubles come to the same order. */
static double counted(double vote)
{
    return floor(vote * 1e6 + 0.5);
}

/* Keys up to this one; a row changes little of the order, so it is nearly right. */
static void reorder(struct ballot *ballot, int n)
{
    for (; ballot->n < n; ballot->n++)
        ballot->order[ballot->n] = ballot->n;
    settle(ballot, 1);
}

/* What SnapKV chooses by: each key with its neighbours, nothing beyond the ends. */
static void pool(struct shared *shared, int n)
{
    for (int j = 0; j < n; j++) {
        double sum = 0;

        for (int k = j - 2; k <= j + 2; k++)
            sum += k >= 0 && k < n ? shared->late[k] : 0;
        shared->snap.vote[j] = counted(sum / 5);
        shared->snap.order[j] = j;
    }
    shared->snap.n = n;
    for (int gap = n / 2; gap > 0; gap /= 2)
        settle(&shared->snap, gap);
}

static int prompt_of(const struct caches *all)
{
    return all->opts->prompt > 0 ? all->opts->prompt : all->n_keys / 2;
}

static void vote(struct caches *all, const struct metric_row *row)
{
    struct shared *s = &all->shared[row->head / all->heads_each];
    int prompt = prompt_of(all), prefix = prompt - all->opts->snap_window;

    for (int j = row->key0; j < row->key0 + row->n_keys && j <= row->query; j++)
        if (metric_sees(row, j)) {
            s->sum[j] += metric_weight(row, j);
            s->seen[j]++;
            s->total.vote[j] = counted(s->sum[j]);
            s->mean.vote[j] = counted(s->sum[j] / s->seen[j]);
            if (j < prefix && row->query >= prefix && row->query < prompt)
                s->late[j] += metric_weight(row, j);
        }
}

/* ---- what is kept of a row ---- */

static void cache_keep(const struct caches *all, struct kept *kept, double mass, double best)
{
    int at = kept->n < all->n_least ? kept->n : all->n_least;

    kept->sum += mass;
    kept->best += best;
    kept->n++;
    if (at == all->n_least && !((float)mass < kept->least[--at]))
        return;
    for (; at > 0 && (float)mass < kept->least[at - 1]; at--)
        kept->least[at] = kept->least[at - 1];
    kept->least[at] = (float)mass;
}

/* Weight of the keys from .. to - 1. */
static double mass_of(const struct metric_row *row, int from, int to)
{
    double sum = 0;

    for (int j = from > 0 ? from : 0; j < to; j++)
        sum += metric_weight(row, j);
    return sum;
}

/* Of the n keys that come first in the ballot, of those before `end` that the row sees. */
static double elected(const struct metric_row *row, const struct ballot *ballot, int n, int end)
{
    double sum = 0;

    for (int i = 0; i < ballot->n && n > 0; i++)
        if (ballot->order[i] < end && metric_sees(row, ballot->order[i])) {
            sum += metric_weight(row, ballot->order[i]);
            n--;
        }
    return sum;
}

static double cache_largest(const struct caches *all, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (double)all->sorted[i];
    return sum;
}

/* Keys below `end` by what the row gives them, where it sees them. */
static void rank_own(struct caches *all, const struct metric_row *row, int end)
{
    struct ballot *b = &all->own;

    b->n = 0;
    for (int j = 0; j < end; j++)
        if (metric_sees(row, j)) {
            b->vote[j] = counted(metric_weight(row, j));
            b->order[b->n++] = j;
        }
    for (int gap = b->n > 1 ? b->n / 2 : 0; gap > 0; gap /= 2)
        settle(b, gap);
}

/* Of the n keys that the ballot elects, of those before `end` that the row sees, the share that
 * are among the row's own n. */
static double agreement(const struct caches *all, const struct metric_row *row,
                        const struct ballot *ballot, int n, int end)
{
    const struct ballot *own = &all->own;
    int last = own->n < n ? own->n - 1 : n - 1, left = n, same = 0;

    for (int i = 0; i < ballot->n && left > 0; i++)
        if (ballot->order[i] < end && metric_sees(row, ballot->order[i])) {
            same += ballot->order[i] == own->order[last] ||
                    before(own, ballot->order[i], own->order[last]);
            left--;
        }
    return (double)same / n;
}

/* Of `chosen` keys before the prompt's last rows, and of all after those. */
static void keep_snap(struct caches *all, const struct metric_row *row, struct kept *kept,
                      int chosen, double best)
{
    const struct ballot *b = &all->shared[row->head / all->heads_each].snap;
    int prefix = prompt_of(all) - all->opts->snap_window;

    cache_keep(all, kept, mass_of(row, prefix, row->query + 1) + elected(row, b, chosen, prefix),
               best);
    rank_own(all, row, prefix);
    kept->agreed += agreement(all, row, b, chosen, prefix);
}

/* A row that sees more than k keys, k of which are kept. */
static void keep_budget(struct caches *all, const struct metric_row *row, int place)
{
    const struct metric_opts *o = all->opts;
    const struct shared *s = &all->shared[row->head / all->heads_each];
    struct kept (*kept)[METRIC_BUDGETS] = all->kept[row->head];
    int k = o->budget[place], last = row->query + 1, recent = last - (k - k / 2);
    int first = o->stream_first, prompt = prompt_of(all);
    double best = cache_largest(all, k);

    cache_keep(all, &kept[ORACLE][place], best, best);
    if (k > first)
        cache_keep(all, &kept[RECENCY][place],
                   mass_of(row, 0, first) + mass_of(row, last - (k - first), last), best);
    cache_keep(all, &kept[H2O][place],
               mass_of(row, recent, last) + elected(row, &s->total, k / 2, recent), best);
    cache_keep(all, &kept[H2O_EVEN][place],
               mass_of(row, recent, last) + elected(row, &s->mean, k / 2, recent), best);
    if (o->snap_window < k && k <= prompt && row->query >= prompt)
        keep_snap(all, row, &kept[SNAPKV][place], k - o->snap_window, best);
}

static void keep_row(struct caches *all, const struct metric_row *row)
{
    memcpy(all->sorted, row->a, (size_t)row->n_keys * sizeof *all->sorted);
    sort_down(all->sorted, all->sorted + row->n_keys, row->n_keys);
    for (int place = 0; place < METRIC_BUDGETS; place++)
        if (all->opts->budget[place] > 0 && row->n_visible > all->opts->budget[place])
            keep_budget(all, row, place);
}

static void cache_take(void *state, const struct metric_row *rows, int n)
{
    struct caches *all = state;
    int query = rows->query, prompt = prompt_of(all), prefix = prompt - all->opts->snap_window;

    for (int i = 0; i < n; i++)
        all->looks_ahead = all->looks_ahead || metric_looks_ahead(&rows[i]);
    if (all->looks_ahead)
        return;
    for (int g = 0; g < all->n_shared; g++) {
        if (query >= prompt && prefix > 0 && all->shared[g].snap.n == 0)
            pool(&all->shared[g], prefix);
        reorder(&all->shared[g].total, query);
        reorder(&all->shared[g].mean, query);
    }
    for (int i = 0; i < n; i++)
        keep_row(all, &rows[i]);
    for (int i = 0; i < n; i++)
        vote(all, &rows[i]);
}

/* ---- numbers ---- */

static const struct kept *kept_of(const struct caches *all, int head, enum policy policy, int place)
{
    const struct kept *kept = &all->kept[head][policy][place];

    return all->looks_ahead || kept->n == 0 ? NULL : kept;
}

static bool kept_mean(const struct caches *all, int head, enum policy policy, int place, double *v)
{
    const struct kept *kept = kept_of(all, head, policy, place);

    if (kept != NULL)
        *v = kept->sum / kept->n;
    return kept != NULL;
}

/* The quantile 0.05 over the rows (of type 7). */
static bool kept_p5(const struct caches *all, int head, enum policy policy, int place, double *v)
{
    const struct kept *kept = kept_of(all, head, policy, place);
    double at;
    int low;

    if (kept == NULL)
        return false;
    at = 0.05 * (kept->n - 1);
    low = (int)at;
    *v = (double)kept->least[low];
    if (at > low)
        *v += (at - low) * ((double)kept->least[low + 1] - *v);
    return true;
}

/* Against the best choice in the same rows. */
static bool kept_share(const struct caches *all, int head, enum policy policy, int place,
                       double *v)
{
    const struct kept *kept = kept_of(all, head, policy, place);

    if (kept == NULL || !(kept->best > 0))
        return false;
    *v = kept->sum / kept->best;
    return true;
}

static bool kept_agreement(const struct caches *all, int head, enum policy policy, int place,
                           double *v)
{
    const struct kept *kept = kept_of(all, head, policy, place);

    if (kept != NULL)
        *v = kept->agreed / kept->n;
    return kept != NULL;
}

static const struct metric_state cache = { SCOPE_LAYER, cache_size, cache_take,
                                           .start = cache_start };

#define KEPT(id, of, policy, place) \
    static bool value_##id(const void *state, int layer, int head, double *v) \
    { \
        (void)layer; \
        return of(state, head, policy, place, v); \
    } \
    const struct metric_rule metric_cache_##id = { .state = &cache, .value = value_##id };
#define BUDGETS(id, policy) \
    KEPT(id##_16, kept_mean, policy, 0) \
    KEPT(id##_16_p5, kept_p5, policy, 0) \
    KEPT(id##_64, kept_mean, policy, 1) \
    KEPT(id##_64_p5, kept_p5, policy, 1) \
    KEPT(id##_256, kept_mean, policy, 2) \
    KEPT(id##_256_p5, kept_p5, policy, 2)
#define CHOICES(id, policy) \
    BUDGETS(id, policy) \
    KEPT(id##_16_share, kept_share, policy, 0) \
    KEPT(id##_64_share, kept_share, policy, 1) \
    KEPT(id##_256_share, kept_share, policy, 2)
BUDGETS(oracle, ORACLE)
CHOICES(recency, RECENCY)
/* Source: Zhang et al. 2023, of weights over all keys. */
CHOICES(h2o, H2O)
CHOICES(h2o_even, H2O_EVEN)
/* Source: Li et al. 2024. */
CHOICES(snapkv, SNAPKV)
KEPT(snapkv_16_agree, kept_agreement, SNAPKV, 0)
KEPT(snapkv_64_agree, kept_agreement, SNAPKV, 1)
KEPT(snapkv_256_agree, kept_agreement, SNAPKV, 2)
#undef CHOICES
#undef BUDGETS
#undef KEPT
