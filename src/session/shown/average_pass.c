/* SPDX-License-Identifier: MIT
 * A pass over texts -> the means of its rows, as rows of the model that is shown. */
#include "session/shown/average.h"
#include "session/pass.h"
#include "session/shown/shown.h"

static struct wanted wanted_of(const struct session_average *average, const struct wanted *want,
                               struct arena *a)
{
    int L = average->of->config.n_layers;
    struct wanted all = *want;
    bool *layer = arena_alloc(a, (size_t)L, sizeof *layer);

    all.layer = average->layer;
    all.head = average->head;
    all.head_stride = average->head_stride;
    for (int l = 0; l < L; l++)
        layer[l] = wanted_layer(&all, l) &&
                   ((average->over & AVERAGE_LAYERS) != 0 || wanted_layer(want, l));
    all.layer = layer;
    return all;
}

static struct average_size size_of(const struct session *session, const struct item *item,
                                   const struct wanted *want)
{
    return (struct average_size){ item_side(item, session_query_side(session))->n,
                                  item_side(item, session_key_side(session))->n,
                                  session_has_sinks(session, want),
                                  session->average->of->config.sparse.block > 0 };
}

/* The sums of these texts. */
static struct average *run(const struct session *session, const struct texts *texts,
                           const struct wanted *want, struct arena *a, struct err *e)
{
    const struct session_average *of = session->average;
    const struct wanted all = wanted_of(of, want, a);
    int n = texts->source.n_texts;
    struct average_size *size = arena_alloc(a, (size_t)n, sizeof *size);
    struct average *average;
    struct sink sink;

    for (int i = 0; i < n; i++)
        size[i] = size_of(session, &texts->item[i], want);
    average = average_new(a, of->of, &all, of->over, size, n);
    sink = average_sink(average);
    return session_pass(session, texts, &all, &sink, 1, a, e) == 0 ? average : NULL;
}

/* The sums of the texts that an item lists, one after the other. */
static struct average *run_several(const struct session *session, const struct item *item,
                                   const struct wanted *want, struct arena *a, struct err *e)
{
    struct average *sum = NULL;

    for (int i = 0; i < item->n_several; i++) {
        struct arena *work = arena_child(a);
        struct texts one;
        struct average *average;

        texts_pack(&one, work, &item->several[i], 1);
        average = run(session, &one, want, work, e);
        if (average != NULL && sum == NULL)
            sum = average_texts_new(a, average);
        if (average != NULL)
            average_add(sum, average);
        arena_release(a, work);
        if (average == NULL)
            return NULL;
    }
    return sum;
}

int average_forward(const struct session *session, const struct texts *texts,
                    const struct wanted *want, const struct sink *sinks, int n_sinks,
                    struct arena *a, struct err *e)
{
    const struct average *average;

    if (want->tap != NULL)
        return err_set(e, ERR_USAGE, "--average: a mean of maps has no values or outputs, which "
                       "one of the metrics reads");
    average = texts->item[0].n_several > 0 ? run_several(session, &texts->item[0], want, a, e) :
                                             run(session, texts, want, a, e);
    if (average == NULL)
        return -1;
    n_sinks = shown_sinks(session, texts, a, &sinks, n_sinks);
    for (int i = 0; i < texts->source.n_texts; i++)
        average_feed(average, i, a, (int)session->stack, want, sinks, n_sinks);
    return 0;
}

double average_memory(const struct session *session, const struct item *item)
{
    const struct session_average *average = session->average;
    struct average_size size;

    if (average == NULL)
        return 0.0;
    size = (struct average_size){ item_side(item, session_query_side(session))->n,
                                  item_side(item, session_key_side(session))->n, true,
                                  average->of->config.sparse.block > 0 };
    return average_bytes(average->over, &size, average->n_layers, average->n_heads);
}
