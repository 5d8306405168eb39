/* SPDX-License-Identifier: MIT
 * --gold-pairs: pairs of words of the same or a related sense -> the weight that heads put on them,
 * relative to words at the same distance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/list.h"
#include "session/source/source.h"
#include "task/types/types.h"

/* ---- the file ---- */

static bool types_pairs_number(const char **s, char stop, long long most, long long *v)
{
    *v = list_number(s);
    if (*v < 0 || *v > most || **s != stop)
        return false;
    *s += stop != '\0';
    return true;
}

/* "0\t3\t7": text 0, from word 3 to word 7. */
static int read_pair(const char *line, size_t size, struct types_pair *pair, struct err *e)
{
    const char *s = line;
    long long text, query, key;

    if (strlen(line) != size || !types_pairs_number(&s, '\t', INT64_MAX - 1, &text) ||
        !types_pairs_number(&s, '\t', 1 << 24, &query) ||
        !types_pairs_number(&s, '\0', 1 << 24, &key))
        return err_set(e, ERR_INPUT, "'%s' is not a text and two of its words, from 0, with tabs "
                       "between", line);
    if (query == key)
        return err_set(e, ERR_INPUT, "word %lld is paired with itself", query);
    *pair = (struct types_pair){ text, { (int)query, (int)key } };
    return 0;
}

static int types_pairs_by_place(const void *x, const void *y)
{
    const struct types_pair *a = x, *b = y;

    if (a->text != b->text)
        return a->text < b->text ? -1 : 1;
    return a->words.query != b->words.query ? a->words.query - b->words.query :
                                              a->words.key - b->words.key;
}

static int types_pairs_add_line(struct types_job *job, struct types_pair **all, int *room,
                                const char *line, size_t size, struct err *e)
{
    if (job->n_pairs == *room) {
        struct types_pair *more = arena_alloc(job->job.s.a, 2 * (uint64_t)*room, sizeof *more);

        memcpy(more, *all, (size_t)*room * sizeof *more);
        *all = more;
        *room *= 2;
    }
    if (read_pair(line, size, &(*all)[job->n_pairs], e) != 0)
        return -1;
    job->n_pairs++;
    return 0;
}

static int types_pairs_read_lines(struct types_job *job, struct lines *lines, struct err *e)
{
    struct arena *a = job->job.s.a;
    int room = 64, status;
    struct types_pair *all = arena_alloc(a, (uint64_t)room, sizeof *all);
    const char *line;
    size_t size;

    for (int64_t n = 1; (status = lines_next(lines, &line, &size, e)) == 1; n++)
        if (types_pairs_add_line(job, &all, &room, arena_strndup(a, line, size), size, e) != 0)
            return err_under(e, "%s: line %lld", job->args->gold_pairs, (long long)n);
    qsort(all, (size_t)job->n_pairs, sizeof *all, types_pairs_by_place);
    job->pair = all;
    return status;
}

void types_pairs_new(struct types_job *job)
{
    const struct summary_kind kind = { .n = 2 * job->job.s.n_layers * job->job.s.n_heads };

    job->weighed = summary_new(job->job.s.a, &kind);
    job->weight = arena_alloc(job->job.s.a, (uint64_t)kind.n, sizeof *job->weight);
}

int types_pairs_open(struct types_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct lines *lines;
    int status;

    if (!job->has_texts || s->stack == STACK_CROSS || session_query_side(s) != SIDE_SOURCE)
        return err_set(e, ERR_USAGE, "--gold-pairs: its words are those of a TEXT or -f FILE, in "
                       "an encoder or a model without one");
    lines = source_open_lines(s, job->args->gold_pairs, e);
    if (lines == NULL)
        return -1;
    job->n_pairs = 0;
    status = types_pairs_read_lines(job, lines, e);
    lines_close(lines);
    types_pairs_new(job);
    return status;
}

/* ---- texts ---- */

/* The text's own, each once. */
static struct arcs_pair *pairs_of(const struct types_job *job, struct arena *a, int64_t text,
                                  int *n)
{
    struct arcs_pair *pair = arena_alloc(a, (uint64_t)job->n_pairs, sizeof *pair);

    *n = 0;
    for (int i = 0; i < job->n_pairs; i++)
        if (job->pair[i].text == text &&
            (i == 0 || types_pairs_by_place(&job->pair[i], &job->pair[i - 1]) != 0))
            pair[(*n)++] = job->pair[i].words;
    return pair;
}

static int set_words(const struct types_job *job, struct arena *a, const struct item *item,
                     struct arcs_words *words, struct err *e)
{
    struct types_blanks blanks = types_blanks(a, item->text, item->text_size);
    int n, most = 0;
    struct arcs_pair *pair = pairs_of(job, a, item->index, &n);

    for (int i = 0; i < n; i++) {
        most = pair[i].query > most ? pair[i].query : most;
        most = pair[i].key > most ? pair[i].key : most;
    }
    if (n > 0 && (most >= blanks.n || item->tokens.bytes == NULL))
        return err_set(e, ERR_INPUT, "%s: word %d of text %lld: it has %d words",
                       job->args->gold_pairs, most, (long long)item->index, blanks.n);
    *words = (struct arcs_words){
        .of = types_words(a, blanks.at, blanks.n, item->text, &item->tokens), .n = blanks.n,
        .pair = pair, .n_pairs = n
    };
    return 0;
}

int types_pairs_add(struct types_job *job, struct arena *a, const struct item *items, int n,
                    struct err *e)
{
    const struct session *s = &job->job.s;
    struct arcs_words *words = arena_alloc(a, (uint64_t)n, sizeof *words);
    struct types_links links = { .words = words };

    for (int i = 0; i < n; i++)
        if (set_words(job, a, &items[i], &words[i], e) != 0)
            return -1;
    if (types_texts_add(job, a, items, n, &links, 1, e) != 0)
        return -1;
    for (int i = 0; i < n; i++) {
        job->n_weighed += words[i].n_pairs;
        for (int l = 0, h = -1; session_next_head(s, &job->job.want, &l, &h);) {
            struct arcs_weight weight = arcs_pairs(links.arcs, i, l, h);
            double *of = job->weight + 2 * types_place(job, l, h);

            of[0] = weight.pairs;
            of[1] = weight.even;
        }
        summary_add(job->weighed, items[i].index, job->weight);
    }
    return 0;
}

double types_pairs_lift(const struct types_job *job, int layer, int head)
{
    int place = 2 * (int)types_place(job, layer, head);
    double even = summary_total(job->weighed, place + 1);

    return even > 0 ? summary_total(job->weighed, place) / even : (double)NAN;
}
