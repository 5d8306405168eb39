/* SPDX-License-Identifier: MIT
 * Metrics of weight on classes of tokens: special ones, punctuation, separators; also relative to
 * uniform rows.  Source of the classes: Clark et al. 2019. */
#include "analysis/metric.h"

enum kind { SPECIAL, PUNCTUATION, SEPARATOR, N_KIND };

struct kinds {
    double mass[N_KIND];        /* sums over rows */
    double even[N_KIND];        /* what uniform rows would give: keys of the kind / n */
    double of_sep[2];           /* SEPARATOR's mass by whether the query is one */
    int n_rows, n_sep[2];
};

static size_t kinds_size(const struct metric_shape *shape)
{
    (void)shape;
    return sizeof(struct kinds);
}

/* The kinds that token i is of, a bit each. */
static unsigned tokens_kinds_of(const struct token_list *list, int i)
{
    int mark = list->mark != NULL ? list->mark[i] : 0;

    return (list->special != NULL && list->special[i] ? 1u << SPECIAL : 0) |
           ((mark & TOKEN_PUNCTUATION) != 0 ? 1u << PUNCTUATION : 0) |
           ((mark & TOKEN_SEPARATES) != 0 ? 1u << SEPARATOR : 0);
}

static void kinds_take(void *state, const struct metric_row *rows, int n)
{
    struct kinds *all = state;
    bool sep = (tokens_kinds_of(rows->queries, rows->query) >> SEPARATOR & 1) != 0;
    double mass[N_KIND] = { 0 };
    int count[N_KIND] = { 0 };

    (void)n;
    for (int j = rows->key0; j < rows->key0 + rows->n_keys; j++) {
        unsigned of = tokens_kinds_of(rows->keys, j);

        for (int kind = 0; of != 0 && metric_sees(rows, j) && kind < N_KIND; kind++)
            if ((of >> kind & 1) != 0) {
                mass[kind] += metric_weight(rows, j);
                count[kind]++;
            }
    }
    for (int kind = 0; kind < N_KIND; kind++) {
        all->mass[kind] += mass[kind];
        all->even[kind] += (double)count[kind] / rows->n_visible;
    }
    all->of_sep[sep] += mass[SEPARATOR];
    all->n_rows++;
    all->n_sep[sep]++;
}

static bool mass(const struct kinds *all, int kind, double *v)
{
    *v = all->mass[kind] / all->n_rows;
    return all->n_rows > 0;
}

static bool lift(const struct kinds *all, int kind, double *v)
{
    *v = all->mass[kind] / all->even[kind];
    return all->even[kind] > 0;
}

/* The rows that are separators, or those that are none. */
static bool of_sep(const struct kinds *all, int is_sep, double *v)
{
    *v = all->of_sep[is_sep] / all->n_sep[is_sep];
    return all->n_sep[is_sep] > 0;
}

static const struct metric_state kinds = { SCOPE_HEAD, kinds_size, kinds_take };

#define KIND(id, of, which) \
    static bool value_##id(const void *state, int layer, int head, double *v) \
    { \
        (void)layer; \
        (void)head; \
        return of(state, which, v); \
    } \
    const struct metric_rule metric_##id = { .state = &kinds, .value = value_##id };
KIND(special, mass, SPECIAL)
KIND(special_lift, lift, SPECIAL)
KIND(punct, mass, PUNCTUATION)
KIND(punct_lift, lift, PUNCTUATION)
KIND(sep, mass, SEPARATOR)
KIND(sep_lift, lift, SEPARATOR)
KIND(sep_from_sep, of_sep, 1)
KIND(sep_from_other, of_sep, 0)
#undef KIND

/* ---- the strongest key, tokens that end a text left out as rows and as keys ---- */

int metric_strongest(const struct metric_row *row)
{
    const unsigned char *mark = row->keys->mark;
    int best = row->key0 + metric_scan(row).strongest;

    if (metric_ends(row->queries, row->query))
        return -1;
    if (metric_sees(row, best) && !metric_ends(row->keys, best))
        return best;
    best = -1;
    for (int j = row->key0; j < row->key0 + row->n_keys; j++)
        if ((mark == NULL || (mark[j] & TOKEN_ENDS) == 0) &&
            (row->hidden == NULL || !row->hidden[j - row->key0]) &&
            (best < 0 || row->a[j - row->key0] > row->a[best - row->key0]))
            best = j;
    return best;
}

/* Source: Voita et al. 2019. */
static bool confidence(const struct metric_row *row, double *v)
{
    int j = metric_strongest(row);

    *v = metric_weight(row, j);
    return j >= 0;
}

/* Of the rows that have a key `away` from theirs. */
static bool is_strongest(const struct metric_row *row, int away, double *v)
{
    int want = row->query + away, j;

    if (want < 0 || want >= row->keys->n || !metric_has(row, want))
        return false;
    j = metric_strongest(row);
    *v = j == want;
    return j >= 0;
}

/* Source: Voita et al. 2019, "positional". */
#define ARGMAX(id, away) \
    static bool id(const struct metric_row *r, double *v) \
    { \
        return is_strongest(r, away, v); \
    } \
    const struct metric_rule metric_##id = { .row = id };
ARGMAX(argmax_prev, -1)
ARGMAX(argmax_self, 0)
ARGMAX(argmax_next, 1)
#undef ARGMAX

const struct metric_rule metric_confidence = { .row = confidence };
