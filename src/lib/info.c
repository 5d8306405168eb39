/* SPDX-License-Identifier: MIT
 * Information about metrics, and about options of tasks. */
#include <string.h>

#include "analysis/choice.h"
#include "lib/lib.h"
#include "task/tasks.h"

/* As much of it as the caller's version has. */
static enum mhaviz_status lib_info_give(const struct sized *type, void *to, const void *found,
                                        struct mhaviz_error *error)
{
    struct err e;
    size_t size = sized_size(type, to, &e);

    if (size == 0)
        return border_say(error, MHAVIZ_USAGE, e.msg);
    memcpy((char *)to + sizeof size, (const char *)found + sizeof size, size - sizeof size);
    return border_say(error, MHAVIZ_OK, "");
}

static enum mhaviz_status lib_info_unknown(const char *what, const char *name, const char *meant,
                                           struct mhaviz_error *error)
{
    struct err e;

    err_set(&e, ERR_USAGE, "'%s' is not a %s%s%s%s", name, what,
            meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
            meant != NULL ? "'?" : "");
    return border_say(error, MHAVIZ_USAGE, e.msg);
}

enum mhaviz_status mhaviz_metric_info(const char *metric, struct mhaviz_metric_info *info,
                                      struct mhaviz_error *error)
{
    struct mhaviz_metric_info found = { .page = "mha-viz-metrics(7)" };
    const char *group;
    int id;

    if (metric == NULL || info == NULL)
        return border_missing(error, metric == NULL ? "metric" : "info");
    id = metric_find(metric);
    if (id < 0)
        return lib_info_unknown("metric", metric, metric_nearest(metric, metric_names), error);
    group = metric_group_names[metric_table[id].group];
    found.name = metric_names[id];
    found.unit = metric_table[id].unit;
    found.group = metric_table[id].group == METRIC_BASIC ? "basic" : group != NULL ? group : "";
    found.formula = metric_table[id].help;
    return lib_info_give(&sized_metric_info, info, &found, error);
}

struct search {
    const char *task;
    int i;                      /* options before the one that is looked for; -1: it was found */
    struct mhaviz_option_info *found;
};

static void lib_info_look(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct search *s = self;
    struct err e;

    if (group == &common_group || opt->type == OPT_HELP || make_allows(s->task, opt, &e) != 0 ||
        s->i < 0 || s->i-- > 0)
        return;
    *s->found = (struct mhaviz_option_info){
        .name = opt->name, .value = opt->arg, .help = opt->help,
        .group = group != NULL ? group->name : ""
    };
}

enum mhaviz_status mhaviz_option_info(const char *task, int i, struct mhaviz_option_info *info,
                                      struct mhaviz_error *error)
{
    struct mhaviz_option_info found = { .name = NULL };
    struct search search = { task, i < 0 ? -1 : i, &found };
    const struct cmd *c;

    if (task == NULL || info == NULL)
        return border_missing(error, task == NULL ? "task" : "info");
    c = task_find(task);
    if (c == NULL)
        return lib_info_unknown("task", task, NULL, error);
    opts_each(c, lib_info_look, &search);
    return lib_info_give(&sized_option_info, info, &found, error);
}
