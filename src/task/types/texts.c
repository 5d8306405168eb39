/* SPDX-License-Identifier: MIT
 * Texts -> sums of the scores of heads over them. */
#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "task/types/types.h"

/* The scores, and after them the key that a head rests on. */
enum { N_METRICS = N_TYPES_TEXT + 1 };

static void types_texts_add_text(struct types_job *job, const struct stats *stats,
                                 const struct item *item, int text, const struct token_list *keys)
{
    const struct session *s = &job->job.s;
    int n_queries = session_queries(s, item)->n, n_hidden;

    shown_hidden(s->a, item, session_query_side(s), &n_hidden);
    for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);) {
        const struct head_stats *head = stats_head(stats, text, l, h);
        size_t place = types_place(job, l, h);

        memcpy(job->score + place * N_TYPES_TEXT, head->value, N_TYPES_TEXT * sizeof *job->score);
        job->n_rows[place] += n_queries - n_hidden - head->n_skipped;
        if (!isnan(head->value[N_TYPES_TEXT]))
            rests_add(&job->rests[place], keys, (int)head->value[N_TYPES_TEXT]);
    }
    summary_add(job->scores, item->index, job->score);
    job->n_texts++;
}

int types_texts_add(struct types_job *job, struct arena *a, const struct item *items, int n,
                    struct types_links *links, int n_links, struct err *e)
{
    struct metric metric[N_METRICS];
    const struct metric_set set = { metric, N_METRICS, job->opts };
    struct attended attended = job_pack(&job->job, a, items, n);
    struct sink sinks[STATS_SINKS + TYPES_LINKS];
    struct stats *stats;
    int n_sinks, status;

    memcpy(metric, types_metrics, sizeof types_metrics);
    metric[N_TYPES_TEXT] = (struct metric){ .name = "sink_key", .kind = METRIC_NUMBER,
                                            .rule = &metric_sink_key };
    stats = stats_new(a, job->job.s.shown, &attended, &job->job.want, &set);
    n_sinks = stats_sinks(stats, sinks);
    for (int i = 0; i < n_links; i++) {
        links[i].arcs = arcs_new(a, job->job.s.shown, &attended, &job->job.want, links[i].words);
        sinks[n_sinks++] = arcs_sink(links[i].arcs);
    }
    job->job.want.tap = stats_tap(stats);
    status = job_forward(&job->job, a, sinks, n_sinks, e);
    job->job.want.tap = NULL;
    if (status != 0)
        return -1;
    for (int i = 0; i < n; i++)
        types_texts_add_text(job, stats, &items[i], i, &attended.text[i].keys);
    return 0;
}

/* The word that holds the token's first character but blanks; -1: none. */
static int word_of(const struct types_span *word, int n_words, const char *text,
                   const struct tokens *tokens, int i)
{
    int at = tokens->bytes[i].start;

    while (at < tokens->bytes[i].end && text[at] == ' ')
        at++;
    for (int k = 0; k < n_words && at < tokens->bytes[i].end; k++)
        if (at >= word[k].start && at < word[k].end)
            return k;
    return -1;
}

int *types_words(struct arena *a, const struct types_span *word, int n_words, const char *text,
                 const struct tokens *tokens)
{
    int *of = arena_alloc(a, (uint64_t)tokens->n, sizeof *of);

    for (int i = 0; i < tokens->n; i++)
        of[i] = word_of(word, n_words, text, tokens, i);
    return of;
}

struct types_blanks types_blanks(struct arena *a, const char *text, size_t size)
{
    struct types_blanks words = { arena_alloc(a, size / 2 + 1, sizeof *words.at), 0 };
    int i = 0, end = (int)size;

    while (i < end) {
        int start;

        while (i < end && (text[i] == ' ' || text[i] == '\t'))
            i++;
        start = i;
        while (i < end && text[i] != ' ' && text[i] != '\t')
            i++;
        if (i > start)
            words.at[words.n++] = (struct types_span){ start, i };
    }
    return words;
}
