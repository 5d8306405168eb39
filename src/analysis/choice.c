/* SPDX-License-Identifier: MIT
 * Names of metrics -> the choice of metrics that are computed. */
#include "analysis/choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

const char *const metric_names[] = {
#define METRIC(id, name, ...) name,
#include "analysis/metrics.def"
#undef METRIC
    NULL
};

/* What --metric takes. */
const char *const metric_words[] = {
    "basic", "all", "scale", "cache", "streaming",      /* groups that no metric has the name of */
#define METRIC(id, name, ...) name,
#include "analysis/metrics.def"
#undef METRIC
    NULL
};

/* All that is of every text has what is basic. */
static void add_group(struct metric_choice *choice, enum metric_group group)
{
    for (int i = 0; i < N_METRIC; i++)
        choice->wanted[i] |= metric_table[i].group == group ||
                             (group == METRIC_ALL && metric_table[i].group == METRIC_BASIC);
}

struct metric_choice metric_choice_basic(void)
{
    struct metric_choice choice = { 0 };

    add_group(&choice, METRIC_BASIC);
    return choice;
}

/* Which budget a name has in it; -1: none.  *at: where. */
static int budget_in(const char *name, const char **at)
{
    const struct metric_opts usual = metric_opts_default();

    for (int i = 0; i < METRIC_BUDGETS; i++) {
        char number[16];

        snprintf(number, sizeof number, "_%d", usual.budget[i]);
        *at = strstr(name, number);
        if (*at != NULL)
            return i;
    }
    return -1;
}

static const char *choice_name_of(struct arena *a, int i, const struct metric_opts *opts)
{
    const char *name = metric_table[i].name, *at, *end;
    int place;

    if (metric_table[i].group != METRIC_CACHE)
        return name;
    place = budget_in(name, &at);
    if (opts->budget[place] == 0)
        return "";
    end = at + 1 + strspn(at + 1, "0123456789");
    return arena_printf(a, "%.*s_%d%s", (int)(at - name), name, opts->budget[place], end);
}

const char *const *metric_names_of(struct arena *a, const struct metric_opts *opts)
{
    const char **names = arena_alloc(a, N_METRIC, sizeof *names);

    for (int i = 0; i < N_METRIC; i++)
        names[i] = choice_name_of(a, i, opts);
    return names;
}

const char *metric_nearest(const char *name, const char *const *names)
{
    static const struct { const char *typed, *name; } other[] = {
        { "previous", "prev" }, { "prev_token", "prev" }, { "previous_token", "prev" },
        { "current", "self" }, { "diagonal", "self" }, { "following", "next" },
        { "next_token", "next" }, { "cls", "first" }, { "first_token", "first" },
        { "max", "max_mean" }, { "sharpness", "max_mean" },
        { "effective_keys", "neff" }, { "perplexity", "neff" }, { "kl", "kl_uniform" },
        { "rank", "erank" }, { "duplicate_token", "duplicate" }, { "logit", "max_logit" },
        { "locality", "local_4" }, { "span", "distance_abs" }, { "mean_distance", "distance_abs" },
        { "sink", "sinks" }, { "distances", "distance" }, { "jsd", "js" },
    };

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        for (int k = 0; strcmp(name, other[i].typed) == 0 && names[k] != NULL; k++)
            if (strcmp(names[k], other[i].name) == 0)
                return names[k];
    return nearest_name(name, names);
}

static int choice_unknown(const char *name, struct err *e)
{
    const char *meant = metric_nearest(name, metric_words);

    return err_set(e, ERR_USAGE, "'%s' is not a metric%s%s%s", name,
                   meant != NULL ? "; did you mean '" : "; `mha-viz help metrics` lists them",
                   meant != NULL ? meant : "", meant != NULL ? "'?" : "");
}

static int choice_find(const char *const *names, const char *name)
{
    for (int i = 0; i < N_METRIC && name[0] != '\0'; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

int metric_find(const char *name)
{
    return choice_find(metric_names, name);
}

int metric_choice_find(const struct metric_choice *choice, const char *name)
{
    return choice_find(choice->names != NULL ? choice->names : metric_names, name);
}

void metric_choice_drop_unnamed(struct metric_choice *choice)
{
    for (int i = 0; i < N_METRIC && choice->names != NULL; i++)
        if (choice->names[i][0] == '\0')
            choice->wanted[i] = choice->named[i] = false;
}

static int add_metric(struct metric_choice *choice, const char *name, struct err *e)
{
    int i = metric_choice_find(choice, name);

    if (i < 0)
        return choice_unknown(name, e);
    choice->wanted[i] = choice->named[i] = true;
    return 0;
}

static bool is_quantile(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && strcmp(name + n - 3, "_p5") == 0;
}

/* As if each of its numbers but quantiles had been named, and the metric that has its name. */
static int name_group(struct metric_choice *choice, enum metric_group group)
{
    for (int i = 0; i < N_METRIC; i++)
        if (metric_table[i].group == group &&
            ((metric_table[i].kind == METRIC_NUMBER && !is_quantile(metric_table[i].name)) ||
             strcmp(metric_table[i].name, metric_group_names[group]) == 0))
            choice->named[i] = true;
    return 0;
}

static int add_name(struct metric_choice *choice, const char *name, struct err *e)
{
    for (int group = 0; group < N_METRIC_GROUP; group++)
        if (metric_group_names[group] != NULL && strcmp(name, metric_group_names[group]) == 0) {
            add_group(choice, (enum metric_group)group);
            return group > METRIC_ALL ? name_group(choice, (enum metric_group)group) : 0;
        }
    return add_metric(choice, name, e);
}

int metric_choice_add(struct metric_choice *choice, const char *list, struct err *e)
{
    for (const char *s = list;; s++) {
        size_t n = strcspn(s, ",");
        char name[64] = "";

        /* A longer one is nobody's name, and its beginning is enough to say so. */
        memcpy(name, s, n < sizeof name ? n : sizeof name - 1);
        if (add_name(choice, name, e) != 0)
            return -1;
        s += n;
        if (*s == '\0')
            return 0;
    }
}

int metric_choice_drop(struct metric_choice *choice, enum metric_kind kind, const char *why,
                       struct err *e)
{
    static const char *const is[] = { "a number", "a list", "a word", "the number of a cluster",
                                      "a matrix" };

    for (int i = 0; i < N_METRIC; i++) {
        if (metric_table[i].kind != kind)
            continue;
        if (choice->named[i])
            return err_set(e, ERR_USAGE, "'%s' is %s: %s", metric_table[i].name, is[kind], why);
        choice->wanted[i] = false;
    }
    return 0;
}

struct metric_choice metric_choice_take_between(struct metric_choice *choice)
{
    struct metric_choice taken = { .names = choice->names };

    for (int i = 0; i < N_METRIC; i++) {
        if (!metric_table[i].rule->between)
            continue;
        taken.wanted[i] = choice->wanted[i];
        taken.named[i] = choice->named[i];
        choice->wanted[i] = choice->named[i] = false;
    }
    return taken;
}

bool metric_choice_any(const struct metric_choice *choice)
{
    for (int i = 0; i < N_METRIC; i++)
        if (choice->wanted[i])
            return true;
    return false;
}

const struct metric *metric_choice_list(const struct metric_choice *choice, struct arena *a, int *n)
{
    struct metric *list = arena_alloc(a, N_METRIC, sizeof *list);

    *n = 0;
    for (int i = 0; i < N_METRIC; i++)
        if (choice->wanted[i]) {
            list[*n] = metric_table[i];
            if (choice->names != NULL)
                list[*n].name = choice->names[i];
            (*n)++;
        }
    return list;
}

void metric_choice_spread(const struct metric_choice *choice, const double *value,
                          double all[N_METRIC])
{
    int n = 0;

    for (int i = 0; i < N_METRIC; i++)
        all[i] = choice->wanted[i] ? value[n++] : (double)NAN;
}

int metric_choice_place(const struct metric_choice *choice, enum metric_id id)
{
    int n = 0;

    for (int i = 0; i < (int)id; i++)
        n += choice->wanted[i];
    return n;
}

bool metric_choice_chosen(const struct metric_choice *choice, int place)
{
    bool any = false, chosen = false;
    int n = 0;

    for (int i = 0; i < N_METRIC; i++) {
        any |= choice->named[i];
        if (choice->wanted[i] && n++ == place)
            chosen = choice->named[i];
    }
    return chosen || !any;
}

int metric_choice_shown(const struct metric_choice *choice)
{
    int n = 0;

    for (int i = 0; i < N_METRIC; i++)
        n += choice->wanted[i] && (choice->named[i] || metric_table[i].group == METRIC_BASIC);
    return n;
}
