/* SPDX-License-Identifier: MIT
 * A text -> the links that are shown of it. */
#include "task/links/links.h"

#include <math.h>

#include "session/shown/region.h"

const char *const links_betweens[] = { "all", "A-A", "A-B", "B-A", "B-B", NULL };

enum { MOST_LINES = 4000 };

/* second: 0 or 1, of the texts of a pair those that are shown; -1: both.  all: the others keep
 * their places.  not_end: no links end there; NULL: at all that are shown. */
static struct links_side links_find_side_of(struct arena *a, const struct item *item,
                                            enum item_side which, const struct tokens *tokens,
                                            const unsigned char *not_end, int second, bool all)
{
    const unsigned char *out = item->shown[which].words_out;
    struct links_side side = { tokens, arena_alloc(a, (size_t)tokens->n, sizeof(int)),
                         arena_alloc(a, (size_t)tokens->n, sizeof(bool)), 0 };

    for (int i = 0; i < tokens->n; i++) {
        bool shown = out == NULL || !out[i];
        bool of_text = second < 0 || (tokens->type[i] > 0) == (second == 1);

        side.is_end[i] = shown && of_text && (not_end == NULL || !not_end[i]);
        side.place[i] = shown && (of_text || all) ? side.n_shown++ : -1;
    }
    return side;
}

/* Which of two texts each token is of must be known. */
static int check_pair(const struct links_job *job, const struct item *item, struct err *e)
{
    const char *name = links_betweens[job->args->between];
    const struct tokens *t = session_queries(&job->job.s, item);

    if (job->args->between == LINKS_ALL)
        return 0;
    for (int i = 0; t->type != NULL && i < t->n; i++)
        if (t->type[i] > 0)
            return 0;
    if (item->pair == NULL)
        return err_set(e, ERR_INPUT, "--between %s: there is one text, expected a pair", name);
    return err_set(e, ERR_INPUT, "--between %s: %s: its tokeniser does not say which text of a "
                   "pair a token is of", name, job->job.s.model->name);
}

/* The places of those tokens that links may end at. */
static const int *ends_of(struct arena *a, const struct links_side *side)
{
    int *place = arena_alloc(a, (size_t)side->tokens->n, sizeof *place);

    for (int i = 0; i < side->tokens->n; i++)
        place[i] = side->is_end[i] ? side->place[i] : -1;
    return place;
}

double links_share(const struct links_args *args)
{
    return !isnan(args->top_share) ? args->top_share : isnan(args->min_weight) ? 70.0 : 100.0;
}

/* A sink that is not a key has a place of its own after the keys, unless links from one text to the
 * other are wanted. */
bool links_has_sink(const struct links_job *job)
{
    return session_has_sinks(&job->job.s, &job->job.want) && job->args->between == LINKS_ALL;
}

/* ---- one text ---- */

static int sides_of(const struct links_job *job, struct arena *a, const struct item *item,
                    struct links_found *found, struct err *e)
{
    static const int from[] = { -1, 0, 0, 1, 1 }, to[] = { -1, 0, 1, 0, 1 };
    const struct session *s = &job->job.s;
    int between = job->args->between;
    const unsigned char *not_from, *not_to;

    if (check_pair(job, item, e) != 0 || region_axis(s, item, true, a, &not_from, e) != 0 ||
        region_axis(s, item, false, a, &not_to, e) != 0)
        return -1;
    found->queries = links_find_side_of(a, item, session_query_side(s), session_queries(s, item),
                                        not_from, from[between], job->args->arcs);
    found->keys = links_find_side_of(a, item, session_key_side(s), session_keys(s, item), not_to,
                                     to[between], job->args->arcs);
    return found->queries.n_shown > 0 && found->keys.n_shown > 0 ? 0 :
           err_set(e, ERR_INPUT, "--between %s: nothing is shown of one of the texts",
                   links_betweens[between]);
}

int links_find(struct links_job *job, struct arena *a, const struct item *item,
               struct links_found *found, struct err *e)
{
    const struct links_args *args = job->args;
    const struct links_side *queries = &found->queries, *keys = &found->keys;
    struct strong_rule rule;
    struct strong *strong;
    struct sink sink;

    if (sides_of(job, a, item, found, e) != 0)
        return -1;
    rule = (struct strong_rule){
        .share = links_share(args) / 100.0, .most = MOST_LINES, .row = ends_of(a, queries),
        .least = isnan(args->min_weight) ? 0.0f : (float)args->min_weight,
        .col = ends_of(a, keys), .n_keys = keys->tokens->n,
        .sink = links_has_sink(job) ? keys->n_shown : -1,
    };
    strong = strong_new(a, job->job.s.shown, &job->job.want, &rule);
    sink = strong_sink(strong);
    job_pack(&job->job, a, item, 1);
    if (job_forward(&job->job, a, &sink, 1, e) != 0)
        return -1;
    found->links = strong_end(strong);
    return 0;
}
