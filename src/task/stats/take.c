/* SPDX-License-Identifier: MIT
 * --hidden-in: the options of the process that ran the earlier layers -> those of this one. */
#include "task/stats/stats.h"

/* What each process has of its own. */
static void keep_own(struct stats_args *args, const struct stats_args *own)
{
    args->shared.common = own->shared.common;
    args->models = own->models;
    args->shared.asked.model = own->shared.asked.model;
    args->shared.asked.layer = own->shared.asked.layer;
    args->shared.asked.head = own->shared.asked.head;
    args->layers = own->layers;
}

int stats_take_options(const struct cmd *cmd, struct stats_args *args, struct stream *stream,
                       const struct env *env, struct err *e)
{
    struct stats_args own = *args;
    bool none;

    if (parts_check_options(cmd, env, stream->run, &none, e) != 0)
        return -1;
    if (none && parts_read_options(cmd, stream->run, env->arena, args, e) != 0)
        return err_under(e, "%s", stream->name);
    keep_own(args, &own);
    args->shared.asked.stream = stream;
    return 0;
}
