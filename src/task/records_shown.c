/* SPDX-License-Identifier: MIT
 * --average, --weight, --hide, --renorm and --merge -> the fields of records about them. */
#include "session/average.h"
#include "task/records.h"

struct records_shown records_shown_asked(const struct session *s)
{
    return (struct records_shown){ .average = s->asked->average,
                                   .weight = weighting_names[s->asked->weight],
                                   .hide = shown_list(s),
                                   .merge = merge_names[s->asked->merge],
                                   .renorm = s->asked->renorm };
}

struct records_shown records_shown(const struct session *s, struct arena *a,
                                   const struct item *item)
{
    struct records_shown shown = records_shown_asked(s);

    shown.hidden.at = shown_hidden(a, item, session_query_side(s), &shown.hidden.n);
    shown.hidden_key.at = shown_hidden(a, item, session_key_side(s), &shown.hidden_key.n);
    return shown;
}

const struct record *records_without_shown(const struct session *s, const struct record *r)
{
    static const char *const of_hide[] = { "hide", "renorm", "hidden", "hidden_key", NULL };
    static const char *const of_average[] = { "average", NULL };
    static const char *const of_merge[] = { "merge", NULL };
    static const char *const of_weight[] = { "weight", NULL };

    if (s->asked->weight == WEIGHTING_PLAIN)
        r = record_without(s->a, r, IN_TSV | IN_JSON, of_weight);
    if (s->average == NULL)
        r = record_without(s->a, r, IN_TSV | IN_JSON, of_average);
    if (shown_list(s) == NULL)
        r = record_without(s->a, r, IN_TSV | IN_JSON, of_hide);
    if (s->asked->merge == MERGE_NONE)
        r = record_without(s->a, r, IN_TSV | IN_JSON, of_merge);
    return r;
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

const char *records_shown_line(const struct session *s, struct arena *a,
                               const struct item *item)
{
    const char *shown = shown_text(s, a, item, SHOWN_WEIGHTS);
    const char *part[] = {
        item->n_several > 0 ? item->input : NULL, average_text(s, a), shown,
        shown != NULL && shown_hides(s, item) && !s->asked->renorm ?
            "metrics are of rows divided by what is left" : NULL,
    };
    const char *text = joined(a, part, 4);

    return text != NULL ? arena_printf(a, "%s\n", text) : NULL;
}
