/* SPDX-License-Identifier: MIT
 * --average, --weight, --hide, --renorm and --merge -> the fields of records about them. */
#include "session/shown/average.h"
#include "task/common/records.h"

struct records_shown records_shown_asked(const struct session *session)
{
    return (struct records_shown){ .average = session->asked->average,
                                   .weight = weighting_names[session->asked->weight],
                                   .hide = shown_list(session),
                                   .merge = merge_names[session->asked->merge],
                                   .renorm = session->asked->renorm };
}

struct records_shown records_shown(const struct session *session, struct arena *a,
                                   const struct item *item)
{
    struct records_shown shown = records_shown_asked(session);

    shown.hidden.at = shown_hidden(a, item, session_query_side(session), &shown.hidden.n);
    shown.hidden_key.at = shown_hidden(a, item, session_key_side(session), &shown.hidden_key.n);
    return shown;
}

const struct record *records_without_shown(const struct session *session,
                                           const struct record *record)
{
    static const char *const of_hide[] = { "hide", "renorm", "hidden", "hidden_key", NULL };
    static const char *const of_average[] = { "average", NULL };
    static const char *const of_merge[] = { "merge", NULL };
    static const char *const of_weight[] = { "weight", NULL };

    if (session->asked->weight == WEIGHTING_PLAIN)
        record = record_without(session->a, record, IN_TSV | IN_JSON, of_weight);
    if (session->average == NULL)
        record = record_without(session->a, record, IN_TSV | IN_JSON, of_average);
    if (shown_list(session) == NULL)
        record = record_without(session->a, record, IN_TSV | IN_JSON, of_hide);
    if (session->asked->merge == MERGE_NONE)
        record = record_without(session->a, record, IN_TSV | IN_JSON, of_merge);
    return record;
}

/* Those of n parts that are not NULL, with semicolons between; NULL: none is. */
static const char *joined(struct arena *a, const char *const *part, int n)
{
    const char *text = NULL;

    for (int i = 0; i < n; i++)
        if (part[i] != NULL)
            text = text == NULL ? part[i] : arena_printf(a, "%s; %s", text, part[i]);
    return text;
}

const char *records_shown_line(const struct session *session, struct arena *a,
                               const struct item *item)
{
    const char *shown = shown_text(session, a, item, SHOWN_WEIGHTS);
    const char *part[] = {
        item->n_several > 0 ? item->input : NULL, average_text(session, a), shown,
        shown != NULL && shown_hides(session, item) && !session->asked->renorm ?
            "metrics are of rows divided by what is left" : NULL,
    };
    const char *text = joined(a, part, 4);

    return text != NULL ? arena_printf(a, "%s\n", text) : NULL;
}
