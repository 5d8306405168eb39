/* SPDX-License-Identifier: MIT
 * The sink that sums metrics and keeps links. */
#include "analysis/stats.h"

#include <math.h>
#include <string.h>

struct sums {
    double sum[N_METRIC];
    int n[N_METRIC];
};

struct stats {
    struct metric_opts opts;
    struct attended texts;
    int L, H, n_top;            /* n_top: asked for */
    struct head_stats *head;    /* [texts, L, H]; link NULL: not wanted */
    struct sums *sums;          /* the same */
};

static size_t at(const struct stats *s, int text, int layer, int head)
{
    return ((size_t)text * (size_t)s->L + (size_t)layer) * (size_t)s->H + (size_t)head;
}

static int n_keys(const struct attended *texts, int t)
{
    const struct batch *keys = texts->keys != NULL ? texts->keys : texts->queries;

    return keys->start[t + 1] - keys->start[t];
}

struct stats *stats_new(struct arena *a, const struct model *m,
                        const struct attended *texts, const struct wanted *want,
                        const struct metric_opts *opts, int n_top)
{
    struct stats *s = arena_alloc(a, 1, sizeof *s);
    const struct batch *b = texts->queries;
    enum stack_id stack = texts->keys != NULL ? STACK_CROSS : m->family->stack_id;
    size_t n;

    *s = (struct stats){ .opts = *opts, .texts = *texts, .L = m->config.n_layers,
                         .H = m->config.n_heads, .n_top = n_top };
    n = (size_t)b->n_texts * (size_t)s->L * (size_t)s->H;
    s->head = arena_alloc(a, n, sizeof *s->head);
    s->sums = arena_alloc(a, n, sizeof *s->sums);
    for (int t = 0; t < b->n_texts; t++)
        for (int l = 0; l < s->L; l++)
            for (int h = 0; h < s->H; h++) {
                struct head_stats *hs = &s->head[at(s, t, l, h)];
                int T = b->start[t + 1] - b->start[t];
                size_t all = (size_t)T * (size_t)n_keys(texts, t);

                if (!wanted_layer(want, l) || !wanted_head(want, l, h))
                    continue;
                *hs = (struct head_stats){ .stack = (int)stack,
                                           .layer = l, .head = h, .n_links = T,
                                           .words = { -1, -1, 0 } };
                hs->link = arena_alloc(a, (size_t)T, sizeof *hs->link);
                hs->top = arena_alloc(a, ((size_t)n_top < all ? (size_t)n_top : all) + 1,
                                      sizeof *hs->top);
            }
    return s;
}

static bool heavier(struct link x, struct link y)
{
    if (x.weight != y.weight)
        return x.weight > y.weight;
    return x.query != y.query ? x.query < y.query : x.key < y.key;
}

/* Keeps the n_top heaviest in order; there is room for one more. */
static void offer(struct head_stats *hs, int n_top, struct link x)
{
    int i = hs->n_top;

    if (i == n_top && !heavier(x, hs->top[i - 1]))
        return;
    for (; i > 0 && heavier(x, hs->top[i - 1]); i--)
        hs->top[i] = hs->top[i - 1];
    hs->top[i] = x;
    if (hs->n_top < n_top)
        hs->n_top++;
}

static bool is_hidden(const struct metric_row *r, int j)
{
    return r->hidden != NULL && r->hidden[j];
}

/* Of equal ones the first.  Hidden keys weigh nothing: they are passed at the start. */
static struct link strongest(const struct metric_row *r)
{
    int best = 0;

    while (best < r->n_keys && is_hidden(r, best))
        best++;
    if (best == r->n_keys)
        return (struct link){ r->query, -1, 0 };
    for (int j = best + 1; j < r->n_keys; j++)
        if (r->a[j] > r->a[best])
            best = j;
    return (struct link){ r->query, r->key0 + best, r->a[best] };
}

/* special: of the keys; cross: a key of the query's number is another token. */
static void take_words(struct head_stats *hs, const struct metric_row *r,
                       const unsigned char *special, bool cross)
{
    float least = hs->words.key < 0 ? -1 : hs->words.weight;

    for (int j = 0; j < r->n_keys; j++) {
        int key = r->key0 + j;

        if (r->a[j] > least && !is_hidden(r, j) && (cross || key != r->query) &&
            (special == NULL || !special[key])) {
            least = r->a[j];
            hs->words = (struct link){ r->query, key, least };
        }
    }
}

static void take_top(struct head_stats *hs, int n_top, const struct metric_row *r)
{
    for (int j = 0; j < r->n_keys; j++)
        if ((hs->n_top < n_top || r->a[j] > hs->top[n_top - 1].weight) &&
            !is_hidden(r, j))
            offer(hs, n_top, (struct link){ r->query, r->key0 + j, r->a[j] });
}

static void take_links(const struct stats *s, struct head_stats *hs,
                       struct metric_row *r, int text)
{
    const struct attended *x = &s->texts;
    const struct batch *keys = x->keys != NULL ? x->keys : x->queries;
    const unsigned char *key = x->key_special, *query = x->query_special;
    struct link best = strongest(r);

    hs->link[r->query] = best;
    r->max = (double)best.weight;
    if ((query == NULL || !query[x->queries->start[text] + r->query]) &&
        (hs->words.key < 0 || best.weight > hs->words.weight))
        take_words(hs, r, key != NULL ? key + keys->start[text] : NULL, x->keys != NULL);
    if (s->n_top > 0)
        take_top(hs, s->n_top, r);
}

static void take_metrics(const struct stats *s, struct sums *sums,
                         const struct metric_row *r)
{
    for (int k = 0; k < N_METRIC; k++) {
        double v;

        if (metric_table[k].one_axis && s->texts.keys != NULL)
            continue;
        if (metric_table[k].row(r, &s->opts, &v)) {
            sums->sum[k] += v;
            sums->n[k]++;
        }
    }
}

static void take(void *self, const struct rows *rows, int n_heads)
{
    struct stats *s = self;
    size_t i = at(s, rows->text, rows->layer, rows->head);

    (void)n_heads;
    for (int t = 0; t < rows->n_rows; t++) {
        size_t row = (size_t)t * rows->stride;
        struct metric_row r = {
            .query = rows->row0 + t, .key0 = rows->key0, .n_keys = rows->n_keys,
            .a = rows->weight + row,
            .hidden = rows->hidden != NULL ? rows->hidden + row : NULL,
            .n_visible = rows->n_visible[t], .n_queries = rows->n_queries,
            .n_all_keys = rows->n_all_keys, .entropy = rows->entropy[t],
        };

        take_links(s, &s->head[i], &r, rows->text);
        if (r.n_visible > 0)
            take_metrics(s, &s->sums[i], &r);
        else
            s->head[i].n_skipped++;
    }
}

static void done(void *self, int text, int layer)
{
    struct stats *s = self;

    for (int h = 0; h < s->H; h++) {
        size_t i = at(s, text, layer, h);

        for (int k = 0; k < N_METRIC; k++)
            s->head[i].mean[k] = s->sums[i].n[k] > 0 ?
                                 s->sums[i].sum[k] / s->sums[i].n[k] : (double)NAN;
    }
}

struct sink stats_sink(struct stats *s)
{
    return (struct sink){ SINK_HEAD, take, done, s };
}

const struct head_stats *stats_head(const struct stats *s, int text, int layer,
                                    int head)
{
    const struct head_stats *hs = &s->head[at(s, text, layer, head)];

    return hs->link != NULL ? hs : NULL;
}
