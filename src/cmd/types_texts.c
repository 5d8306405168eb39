/* SPDX-License-Identifier: MIT
 * Texts, run -> sums of what heads do with them. */
#include <math.h>

#include "analysis/stats.h"
#include "cmd/types.h"

static void add_head(struct types_job *j, const struct head_stats *head, int n_queries)
{
    struct types_sums *sums = &j->sums[types_place(j, head->layer, head->head)];

    for (int i = 0; i < N_TYPES_TEXT; i++)
        if (!isnan(head->value[i])) {
            sums->sum[i] += head->value[i];
            sums->n[i]++;
        }
    sums->n_rows += n_queries - head->n_skipped;
}

static void add_text(struct types_job *j, const struct stats *stats, const struct item *item,
                     int text)
{
    const struct session *s = &j->job.s;
    int n_queries = session_queries(s, item)->n, n_hidden;

    shown_hidden(s->a, item, session_query_side(s), &n_hidden);
    for (int l = 0, h = -1; session_next_head(s, &j->job.want, &l, &h);)
        add_head(j, stats_head(stats, text, l, h), n_queries - n_hidden);
    j->n_texts++;
}

int types_texts_add(struct types_job *j, struct arena *a, const struct item *items, int n,
                    const struct arcs_words *words, struct arcs **arcs, struct err *e)
{
    static const struct metric_set set = { types_metrics, N_TYPES_TEXT, { 0, 1 } };
    struct attended attended = job_pack(&j->job, a, items, n);
    struct stats *stats = stats_new(a, j->job.s.shown, &attended, &j->job.want, &set);
    struct sink sinks[STATS_SINKS + 1];
    int n_sinks = stats_sinks(stats, sinks);

    if (words != NULL) {
        *arcs = arcs_new(a, j->job.s.shown, &attended, &j->job.want, words);
        sinks[n_sinks++] = arcs_sink(*arcs);
    }
    if (job_forward(&j->job, a, sinks, n_sinks, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        add_text(j, stats, &items[i], i);
    return 0;
}
