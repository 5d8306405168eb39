/* SPDX-License-Identifier: MIT
 * What records say of --weight, --hide, --renorm and --merge. */
#include "analysis/choice.h"
#include "task/records.h"

/* Metrics that are of divided rows: all of them with --renorm. */
static struct list divided_metrics(struct arena *a, const struct metric_choice *computed,
                                   bool all)
{
    const char **name = arena_alloc(a, N_METRIC, sizeof *name);
    int n = 0;

    for (int i = 0; i < N_METRIC; i++)
        if (computed->wanted[i] && (all || metric_table[i].rule->divided))
            name[n++] = metric_table[i].name;
    return (struct list){ name, n };
}

struct records_shown records_shown_asked(const struct session *s)
{
    return (struct records_shown){ .weight = weighting_names[s->asked->weight],
                                   .hide = shown_list(s),
                                   .merge = merge_names[s->asked->merge],
                                   .renorm = s->asked->renorm };
}

struct records_shown records_shown(const struct session *s, struct arena *a,
                                   const struct item *item,
                                   const struct metric_choice *computed)
{
    struct records_shown shown = records_shown_asked(s);

    shown.divided = divided_metrics(a, computed, shown.renorm);
    shown.hidden.at = shown_hidden(a, item, session_query_side(s), &shown.hidden.n);
    shown.hidden_key.at = shown_hidden(a, item, session_key_side(s), &shown.hidden_key.n);
    return shown;
}

const struct record *records_without_shown(const struct session *s, const struct record *r)
{
    static const char *const of_hide[] = { "hide", "renorm", "hidden", "hidden_key",
                                           "divided", NULL };
    static const char *const of_merge[] = { "merge", NULL };
    static const char *const of_weight[] = { "weight", NULL };

    if (s->asked->weight == WEIGHTING_PLAIN)
        r = record_without(s->a, r, IN_TSV | IN_JSON, of_weight);
    if (shown_list(s) == NULL)
        r = record_without(s->a, r, IN_TSV | IN_JSON, of_hide);
    if (s->asked->merge == MERGE_NONE)
        r = record_without(s->a, r, IN_TSV | IN_JSON, of_merge);
    return r;
}

const char *records_shown_line(const struct session *s, struct arena *a,
                               const struct item *item,
                               const struct metric_choice *computed)
{
    const char *text = shown_text(s, a, item), *names = "";
    struct list divided = divided_metrics(a, computed, false);

    if (text == NULL || !shown_hides(s, item) || s->asked->renorm || divided.n == 0)
        return text != NULL ? arena_printf(a, "%s\n", text) : NULL;
    for (int i = 0; i < divided.n; i++)
        names = arena_printf(a, "%s%s%s", names, i > 0 ? ", " : "",
                             ((const char *const *)divided.at)[i]);
    return arena_printf(a, "%s (%s: of rows divided by what is left)\n", text, names);
}
