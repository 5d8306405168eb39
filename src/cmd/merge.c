/* SPDX-License-Identifier: MIT
 * merge: sums of the shards of a corpus -> the report of the whole. */
#include <string.h>

#include "base/json_field.h"
#include "task/parts/parts.h"

struct merge_args {
    struct common_args common;
};

static const struct opt_group *const groups[] = { &output_reports.group, NULL };

static const char *const examples[] = {
    "mha-viz stats --shard 0/2 -f samples/english.txt -o en0.part",
    "mha-viz stats --shard 1/2 -f samples/english.txt -o en1.part",
    "mha-viz merge en0.part en1.part",
    NULL
};

extern const struct parts_kind ablate_parts, stats_parts, types_parts;

/* Of commands that have sums. */
static const struct parts_kind *const kinds[] = { &ablate_parts, &stats_parts, &types_parts };

static const struct parts_kind *merge_kind_of(const struct sums *part, struct err *e)
{
    const json_t *name = json_object_get(part->run, "command");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (json_is_string(name) && strcmp(json_string_value(name), kinds[i]->cmd->name) == 0)
            return kinds[i];
    json_field_wrong("command", name, "the name of a command that has sums", e);
    err_under(e, "%s", part->path);
    return NULL;
}

/* Names of metrics and options are those of one version. */
static int check_version(const struct sums *part, struct err *e)
{
    const json_t *version = json_object_get(part->run, "version");

    if (json_is_string(version) && strcmp(json_string_value(version), MHA_VIZ_VERSION) == 0)
        return 0;
    json_field_wrong("version", version, MHA_VIZ_VERSION ", which this program is", e);
    return err_under(e, "%s", part->path);
}

/* Of processes that had some of the layers each. */
static bool merge_is_of_layers(const struct sums *part)
{
    return json_object_get(part->part, "first layer") != NULL;
}

static int merge_check_same(struct arena *a, const struct sums *part, int n, struct err *e)
{
    for (int i = 1; i < n; i++)
        if (sums_check_same(a, &part[0], &part[i], e) != 0)
            return -1;
    return 0;
}

/* Where its number says, once.  It is read again when it is its turn: there may be many. */
static int merge_place(const struct sums *part, int n_shards, struct sums *placed, struct err *e)
{
    int shard;

    if (json_field_int(part->part, "shard", 0, n_shards - 1, &shard, e) != 0)
        return err_under(e, "%s", part->path);
    if (placed[shard].path != NULL)
        return err_set(e, ERR_INPUT, "%s: is shard %d/%d, as %s is: expected each once",
                       part->path, shard, n_shards, placed[shard].path);
    placed[shard] = (struct sums){ .path = part->path, .crc = part->crc };
    return 0;
}

/* The shards of a whole, of which first is one. */
static int place_all(struct arena *a, const struct sums *first, char **path, int n,
                     struct sums *placed, struct err *e)
{
    struct arena *own = arena_child(a);
    int n_shards;

    if (json_field_int(first->run, "shards", 1, MOST_SHARDS, &n_shards, e) != 0)
        return err_under(e, "%s", first->path);
    for (int i = 0; i < n; i++) {
        struct arena_mark mark = arena_mark(own);
        struct sums part = *first;

        if (i > 0 && (sums_read(own, path[i], &part, e) != 0 ||
                      sums_check_same(own, first, &part, e) != 0))
            return -1;
        if (merge_place(&part, n_shards, placed, e) != 0)
            return -1;
        arena_reset(own, mark);
    }
    for (int i = 0; i < n_shards; i++)
        if (placed[i].path == NULL)
            return err_set(e, ERR_INPUT, "shard %d/%d is missing: there are %d of %d", i,
                           n_shards, n, n_shards);
    return 0;
}

static int merge_layers(const struct parts_kind *kind, const struct merge_args *merge,
                        struct sums *part, char **path, int n, const struct env *env,
                        struct err *e)
{
    for (int i = 1; i < n; i++)
        if (sums_read(env->arena, path[i], &part[i], e) != 0)
            return -1;
    return merge_check_same(env->arena, part, n, e) != 0 ? -1 :
           parts_report(kind, &merge->common, part, part, n, env, e);
}

static int merge_run(const void *args, int n_operands, char **operands, const struct env *env,
                     struct err *e)
{
    const struct merge_args *merge = args;
    struct arena *a = env->arena;
    struct sums *part = arena_alloc(a, (uint64_t)n_operands, sizeof *part);
    struct sums *placed = arena_alloc(a, MOST_SHARDS, sizeof *placed);
    const struct parts_kind *kind;

    if (n_operands == 0)
        return err_set(e, ERR_USAGE, "no PART: expected the files that --shard, --hidden-out or "
                       "--hidden-in wrote");
    if (sums_read(a, operands[0], &part[0], e) != 0)
        return -1;
    kind = merge_kind_of(&part[0], e);
    if (kind == NULL || check_version(&part[0], e) != 0)
        return -1;
    if (merge_is_of_layers(&part[0]))
        return merge_layers(kind, merge, part, operands, n_operands, env, e);
    if (place_all(a, &part[0], operands, n_operands, placed, e) != 0)
        return -1;
    return parts_report(kind, &merge->common, &part[0], placed, n_operands, env, e);
}

const struct cmd cmd_merge = {
    .name = "merge",
    .summary = "join the parts that runs with --shard or --hidden-out wrote",
    .operands = "PART...", .groups = groups,
    .args_size = sizeof(struct merge_args), .examples = examples,
    .max_operands = MOST_SHARDS, .minor = true, .run = merge_run,
};
