/* SPDX-License-Identifier: MIT
 * A text of each side -> paired tokens, two passes, the change of each head. */
#include "base/str.h"
#include "task/diff/diff.h"

/* ---- tokens in common ---- */

/* The pieces that no template put there. */
static struct compare_names own_pieces(struct arena *a, const struct tokens *tokens)
{
    const char **piece = arena_alloc(a, (size_t)tokens->n, sizeof *piece);
    int count = 0;

    for (int i = 0; i < tokens->n; i++)
        if (!tokens->special[i])
            piece[count++] = tokens->piece[i];
    return (struct compare_names){ piece, count };
}

static void count_shared(struct diff_pair *pair, struct arena *a, const struct tokens *x,
                         const struct tokens *y)
{
    struct compare_names first = own_pieces(a, x), second = own_pieces(a, y);

    pair->n_shared = compare_shared(a, first, second);
    pair->n_tokens = first.n > second.n ? first.n : second.n;
}

bool diff_pair_is_loose(const struct diff_pair *pair)
{
    return pair->sides->texts && pair->n_shared * 5 < pair->n_tokens;
}

/* ---- one token of each ---- */

/* An error of one of two texts; returns -1. */
static int under_text(const struct diff_sides *sides, const struct diff_side *side, struct err *e)
{
    const char *name = diff_text_name(sides, side);

    return name != NULL ? err_under(e, "%s", name) : -1;
}

static int find_token(const struct diff_sides *sides, struct diff_side *side, struct err *e)
{
    const struct item_shown *shown = &side->item.shown[session_query_side(&side->s)];

    side->at = place_query(&sides->at, "--from", &side->s, &side->item, e);
    if (side->at >= 0 && (shown->words_out == NULL || !shown->words_out[side->at]))
        return 0;
    if (side->at >= 0)
        err_set(e, ERR_INPUT, "--from: token %d is hidden (--hide)", side->at);
    return under_text(sides, side, e);
}

static int find_tokens(struct diff_sides *sides, struct err *e)
{
    if (sides->args->from == NULL)
        return 0;
    return find_token(sides, &sides->side[0], e) != 0 ||
           find_token(sides, &sides->side[1], e) != 0 ? -1 : 0;
}

/* ---- pairs of tokens ---- */

const char *diff_pair_way(const struct diff_pair *pair)
{
    const struct diff_side *x = &pair->sides->side[0], *y = &pair->sides->side[1];
    bool equal = session_queries(&x->s, &x->item)->n == session_queries(&y->s, &y->item)->n;

    if (x->at != y->at)
        return "where both texts have them";
    return equal ? "by position" :
           x->at >= 0 ? "by position before the token, after it where both texts have them" :
                        "where both texts have them";
}

/* The keys, or the queries where --from is not given.  Among the keys the tokens of --from are a
 * pair. */
static struct axis_pair pair_of(struct diff_pair *pair, struct arena *a, const struct tokens *x,
                                const struct tokens *y)
{
    const struct diff_side *side = pair->sides->side;
    struct compare_names first = { x->piece, x->n }, second = { y->piece, y->n };
    int *first_of = arena_alloc(a, (size_t)y->n, sizeof *first_of);
    int at[2] = { side[0].at, side[1].at };
    bool own = x == session_queries(&side[0].s, &side[0].item);

    pair->n_paired = own && at[0] >= 0 ?
                         compare_pair_around(a, first, second, at, first_of) :
                         compare_pair(a, first, second, first_of);
    return (struct axis_pair){ x->n, y->n, first_of };
}

/* One of each. */
static struct axis_pair pair_of_at(struct diff_pair *pair, struct arena *a,
                                   const struct tokens *x, const struct tokens *y)
{
    const struct diff_side *side = pair->sides->side;
    int *first_of = arena_alloc(a, (size_t)y->n, sizeof *first_of);

    for (int i = 0; i < y->n; i++)
        first_of[i] = i == side[1].at ? side[0].at : -1;
    pair->n_paired = 1;
    return (struct axis_pair){ x->n, y->n, first_of };
}

/* ---- the two passes ---- */

/* Rows of a file beside those of a layer: the same rows. */
static int check_rows(const struct diff_sides *sides, int n_first, int n_second, struct err *e)
{
    const struct diff_side *x = &sides->side[0], *y = &sides->side[1];

    if (sides->args->attentions.n != 1 || !x->s.model->family->bare ||
        !y->s.model->family->bare || n_first == n_second)
        return 0;
    return err_set(e, ERR_INPUT, "%s has %d row%s, %s %d: expected the same number",
                   x->s.model->name, n_first, str_plural(n_first), y->s.model->name,
                   n_second);
}

static int diff_pair_forward(const struct diff_pair *pair, int i, struct sink sink, struct arena *a,
                             struct err *e)
{
    const struct diff_side *side = &pair->sides->side[i];
    struct sink *sinks = arena_alloc(a, (size_t)side->s.shown->config.n_layers + 1,
                                     sizeof *sinks);
    int n_sinks = pair->maps != NULL ? diff_maps_sinks(pair->maps, pair->sides, i, sinks) : 0;
    struct texts texts;

    sinks[n_sinks++] = sink;
    texts_pack(&texts, a, &side->item, 1);
    return session_forward(&side->s, &texts, &side->want, sinks, n_sinks, a, e) == 0 ? 0 :
           under_text(pair->sides, side, e);
}

int diff_pair_run(struct diff_pair *pair, struct diff_sides *sides, struct arena *a, struct err *e)
{
    const struct diff_side *x = &sides->side[0], *y = &sides->side[1];
    const struct config *config = &x->s.shown->config;
    const struct tokens *first = session_queries(&x->s, &x->item);
    const struct tokens *second = session_queries(&y->s, &y->item);
    struct compare *compare;

    pair->sides = sides;
    if (check_rows(sides, first->n, second->n, e) != 0 || find_tokens(sides, e) != 0)
        return -1;
    count_shared(pair, a, first, second);
    pair->keys = pair_of(pair, a, session_keys(&x->s, &x->item), session_keys(&y->s, &y->item));
    pair->queries = sides->args->from != NULL ? pair_of_at(pair, a, first, second) :
                                              pair_of(pair, a, first, second);
    compare = compare_new(a, config->n_layers, config->n_heads, pair->queries, pair->keys);
    compare_only(compare, x->at, y->at);
    if (sides->args->nearest)
        compare_all(compare, a);
    pair->compare = compare;
    if (sides->args->heatmap != NULL)
        pair->maps = diff_maps_new(a, sides);
    if (diff_pair_forward(pair, 0, compare_first(compare), a, e) != 0)
        return -1;
    return diff_pair_forward(pair, 1, compare_second(compare), a, e);
}

double diff_number(const struct diff_pair *pair, int layer, int head, enum diff_number i)
{
    struct head_difference d = compare_head(pair->compare, layer, head);

    switch (i) {
    case DIFF_JS:
        return d.js;
    case DIFF_ENTROPY_FIRST:
        return d.entropy_first;
    case DIFF_ENTROPY_SECOND:
        return d.entropy_second;
    case DIFF_ENTROPY_CHANGE:
        return d.entropy_second - d.entropy_first;
    case DIFF_LINKS_KEPT:
        return d.links_kept;
    case DIFF_LARGEST:
    case N_DIFF:
        break;
    }
    return d.largest;
}
