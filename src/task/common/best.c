/* SPDX-License-Identifier: MIT
 * A metric of a text -> the heads of which it is the largest. */
#include "task/common/best.h"

#include <math.h>

#include "analysis/choice.h"
#include "analysis/spectral.h"
#include "analysis/stats.h"
#include "base/sort.h"
#include "session/select.h"
#include "session/shown/average.h"
#include "session/texts.h"

static const struct opt_values metric_values = { .words = metric_names };

#define F(f) offsetof(struct shared_args, best.f)
static const struct opt opts[] = {
    INT(0, "best", "N", F(n), NULL, 1, 4096,
        "show only the N heads with the largest --metric, by default of all layers",
        .needs = "metric: by what heads are the best", .excludes = "average"),
    FLAG(0, "reverse", F(reverse), "with --best: the N heads with the smallest --metric",
         .needs = "best"),
    WORDS(0, "metric", "NAME", F(metric), &metric_values,
          "with --best: the metric by which heads are chosen",
          .needs = "best: mha-viz model --metric draws a metric of all heads"),
    END
};
#undef F
const struct opt_group best_group = { "best heads", opts };

int best_check(const struct best_args *best, struct err *e)
{
    int id = best->metric != NULL ? metric_find(best->metric) : -1;
    const char *meant;

    if (best->n == 0)
        return 0;
    if (id >= 0 && metric_table[id].kind == METRIC_NUMBER && !metric_table[id].rule->counts &&
        !metric_table[id].rule->between)
        return 0;
    if (id >= 0)
        return err_set(e, ERR_USAGE, "--metric %s: expected a metric that is one number of a head "
                       "in one text", best->metric);
    meant = metric_nearest(best->metric, metric_names);
    return err_set(e, ERR_USAGE, "--metric: '%s' is not a metric%s%s%s", best->metric,
                   meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                   meant != NULL ? "'?" :
                   "; expected one, of those that `mha-viz help metrics` lists");
}

/* [layers, heads] of the session: the metric of each head; NaN if it is undefined or the head is
 * not wanted. */
static double *measure(const struct session *session, const struct wanted *want, const char *metric,
                       struct arena *a, const struct item *item, struct err *e)
{
    struct metric_set set = { .metric = &metric_table[metric_find(metric)], .n = 1,
                              .opts = metric_opts_default() };
    int n = session->n_layers * session->n_heads;
    double *value = arena_alloc_raw(a, (uint64_t)n, sizeof *value);
    struct wanted pass = *want;
    struct sink sinks[STATS_SINKS];
    struct attended attended;
    struct stats *stats;
    struct texts texts;

    if (metric_find(metric) == METRIC_spectral && session->stack != STACK_CROSS &&
        session_has_weights(session))
        set.opts.spectral = spectral_of(a, session->shown, session->par, session->env->warn);
    texts_pack(&texts, a, item, 1);
    attended = session_attended(session, &texts, a);
    stats = stats_new(a, session->shown, &attended, &pass, &set);
    pass.tap = stats_tap(stats);
    if (session_forward(session, &texts, &pass, sinks, stats_sinks(stats, sinks), a, e) != 0)
        return NULL;
    for (int i = 0; i < n; i++)
        value[i] = NAN;
    for (int l = 0, h = -1; session_next_head(session, want, &l, &h);)
        value[l * session->n_heads + h] = stats_head(stats, 0, l, h)->value[0];
    return value;
}

int best_heads(const struct session *session, const struct wanted *want,
               const struct best_args *best, struct arena *a, const struct item *item,
               struct session **of, struct wanted *its, struct err *e)
{
    int n = session->n_layers * session->n_heads, n_best = 0;
    const double *value = measure(session, want, best->metric, a, item, e);
    struct asked *asked = arena_alloc(a, 1, sizeof *asked);
    const char *names = NULL;
    const int *place;

    if (value == NULL)
        return -1;
    place = sort_places(a, value, n, best->reverse);
    for (; n_best < n && n_best < best->n && !isnan(value[place[n_best]]); n_best++)
        names = arena_printf(a, "%s%sL%dH%d", names != NULL ? names : "",
                             names != NULL ? "," : "", place[n_best] / session->n_heads,
                             place[n_best] % session->n_heads);
    if (names == NULL)
        return err_set(e, ERR_INPUT, "--metric %s: it is not defined for any head of this text",
                       best->metric);
    *asked = *session->asked;
    asked->layer = NULL;
    asked->head = names;
    asked->chosen = n_best == 1 ?
        arena_printf(a, "the head with the %s %s", best->reverse ? "smallest" : "largest",
                     best->metric) :
        arena_printf(a, "the %d heads with the %s %s", n_best,
                     best->reverse ? "smallest" : "largest", best->metric);
    *of = arena_alloc(a, 1, sizeof **of);
    **of = *session;
    (*of)->a = a;
    (*of)->asked = asked;
    *its = *want;
    return session_heads(*of, its, e);
}
