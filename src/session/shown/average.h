/* SPDX-License-Identifier: MIT
 *
 * --average: heads, layers or texts are shown by the means of their maps.  Everything after the
 * pass sees a model of one head in each layer, or of one layer, and one text. */
#ifndef SESSION_AVERAGE_H
#define SESSION_AVERAGE_H

#include "analysis/average.h"
#include "session/input.h"
#include "session/texts.h"

/* What is averaged, and what is shown without it. */
struct session_average {
    unsigned over;              /* enum average_over; not 0 */
    const struct model *of;     /* the shown model, with all of its layers and heads */
    const bool *layer, *head;   /* that were selected, as of struct wanted */
    int head_stride;
    const bool *layers, *heads;     /* [layers] and [heads] of which one is selected */
    int n_layers, n_heads;      /* how many those are */
};

/*
 * After the selection: reads --average; where heads or layers are averaged, session->shown, its
 * counts and ranks, and *want, are those of the means.  ERR_USAGE: neither heads, layers, texts,
 * several of them with commas between, both (heads,layers) nor none.
 */
int average_select(struct session *session, struct wanted *want, struct err *e);

/* Whether --average lists anything but none. */
bool average_is_asked(const struct asked *asked);

/* Whether session shows means over one of these: enum average_over. */
static inline bool session_averages(const struct session *session, unsigned over)
{
    return session->average != NULL && (session->average->over & over) != 0;
}

/* Whether heads that are shown have weights of their own: neither are rows all that the model has,
 * nor are heads or layers averaged. */
static inline bool session_has_weights(const struct session *session)
{
    return session->model->precomputed == NULL &&
           !session_averages(session, AVERAGE_HEADS | AVERAGE_LAYERS);
}

/* Of a report of parts, whose heads are means already: session->average as --average says, with
 * no model behind it. */
int average_of_parts(struct session *session, struct err *e);

/* For captions and tables: "mean of heads 0-3", "mean of layers 0-5, heads 0-3", of heads by name
 * "mean of L1H0,L2H3", of parts "mean of heads"; NULL: neither heads nor layers are averaged. */
const char *average_text(const struct session *session, struct arena *a);
/* The selected heads that the mean of a layer, or of a head, is of: "L1H0,L2H0"; -1: of any. */
const char *average_names(const struct session *session, struct arena *a, int layer, int head);

/*
 * Of texts: *out, of a, with the tokens that all of them have; where they differ, a token is named
 * "*" and has no id.  ERR_INPUT: they are not of one length.
 */
int average_texts(const struct session *session, struct arena *a, const struct item *items, int n,
                  const char *name, struct item *out, struct err *e);

/* The pass over the texts, or over those that item->several lists, and the means to the sinks. */
int average_forward(const struct session *session, const struct texts *texts,
                    const struct wanted *want, const struct sink *sinks, int n_sinks,
                    struct arena *a, struct err *e);

/* Bytes that the means of a text take beside its pass. */
double average_memory(const struct session *session, const struct item *item);

#endif
