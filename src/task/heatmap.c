/* SPDX-License-Identifier: MIT
 * heatmap: heads as a grid of heatmaps. */
#include <math.h>

#include "analysis/map.h"
#include "session/shown/average.h"
#include "task/common/best.h"
#include "task/common/job.h"
#include "task/figure/format.h"
#include "task/figure/picture.h"
#include "task/types/file.h"

struct heatmap_args {
    struct shared_args shared;
    int columns, pool;
    bool rollout, grid, compare;
    double vmin, vmax;
};

#define F(f) offsetof(struct heatmap_args, f)
static const struct opt opts[] = {
    INT('c', "columns", "N", F(columns), NULL, 1, 64,
        "heads per row; by default 4, or as many as fit"),
    REAL(0, "vmin", "W", F(vmin), NULL, -INFINITY, INFINITY,
         "weight at the low end of the colour scale, for all heads"),
    REAL(0, "vmax", "W", F(vmax), NULL, -INFINITY, INFINITY,
         "weight at the high end of the colour scale, for all heads"),
    CHOICE(0, "pool", "NAME", F(pool), "max", pool_names,
           "what a cell shows of its weights if a text has more tokens than pixels"),
    FLAG(0, "rollout", F(rollout),
         "draw one map: how much of each input token is in each output token (attention "
         "rollout)",
         .excludes = "average|best"),
    FLAG(0, "compare", F(compare), "draw two texts, or the texts of -f, side by side",
         .excludes = "best: texts are compared in the same heads"),
    FLAG(0, "grid", F(grid),
         "with --image or --audio: draw the maps without the picture or the spectrogram"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_pictures.group, &figure_group, &panel_group, &sheet_group, &hide_group,
    &region_group, &average_group, &best_group,
    &weight_group, &shard_group, &split_group, &memory_group, &types_group, PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz heatmap",
    "mha-viz heatmap -o cat.svg 'the cat saw the dog and the cat ran'",
    "mha-viz heatmap -l all --width 174mm -o sheet.pdf 'the cat sat'",
    "mha-viz heatmap --compare -H 3 --shared -o two.png 'the cat sat' 'the cat ran'",
    "mha-viz heatmap -l 0 -H 0,2 --cmap magma --shared -o two.png 我喜欢吃苹果",
    NULL
};

struct heatmap_job {
    struct job job;
    const struct heatmap_args *args;
    struct picture picture;
    bool drawn;                 /* a text before this one */
};

static struct picture_place place_at(const struct heatmap_job *job, const char *path)
{
    const struct output *output = &job->job.results.output;

    return (struct picture_place){ .format = figure_format(output), .path = path,
                                   .terminal = &output->terminal };
}

static double heatmap_keeps(void *self, const struct item *item)
{
    const struct heatmap_job *job = self;
    const struct picture_place place = place_at(job, NULL);

    return picture_keeps(&job->picture, job->job.s.a, item, &place);
}

/* The picture of the heads that are the best in this text. */
static int plan_best(const struct heatmap_job *job, struct arena *a, const struct item *item,
                     struct picture *picture, struct err *e)
{
    struct session *session;
    struct wanted want;

    if (best_heads(&job->job.s, &job->job.want, &job->args->shared.best, a, item, &session,
                   &want, e) != 0)
        return -1;
    return picture_plan(picture, session, &want, &job->picture.look, e);
}

static int heatmap_draw(struct heatmap_job *job, struct arena *a, const struct item *items, int n,
                        const char *path, struct err *e)
{
    const struct output *output = &job->job.results.output;
    const struct picture_place place = place_at(job, path);

    struct picture picture = job->picture;

    output_part(output, &job->drawn);
    if ((job->args->shared.best.n > 0 && plan_best(job, a, items, &picture, e) != 0) ||
        picture_draw(&picture, a, items, n, &place, e) != 0)
        return -1;
    output_tell(output, &job->args->shared.common.output, path);
    return 0;
}

static int heatmap_one_text(void *self, struct arena *a, const struct item *item,
                            const char *path, struct err *e)
{
    return heatmap_draw(self, a, item, 1, path, e);
}

static int all_texts(void *self, struct arena *a, struct item *items, int n, const char *path,
                     struct err *e)
{
    return heatmap_draw(self, a, items, n, path, e);
}

static int check_range(const struct heatmap_args *args, struct err *e)
{
    if (!(args->vmin >= args->vmax))        /* also where one is not given: NaN */
        return 0;
    return err_set(e, ERR_USAGE, "--vmin, --vmax: %g is not below %g", args->vmin,
                   args->vmax);
}

static int heatmap_check(void *self, struct err *e)
{
    struct heatmap_job *job = self;

    return check_range(job->args, e);
}

static int heatmap_prepare(void *self, struct err *e)
{
    struct heatmap_job *job = self;
    const struct heatmap_args *args = job->args;
    struct picture_look look = {
        &args->shared.figure, args->columns, args->pool, args->vmin, args->vmax, NULL,
        args->rollout, args->grid,
    };

    if (args->compare && session_averages(&job->job.s, AVERAGE_TEXTS))
        return err_set(e, ERR_USAGE, "--compare, --average texts: only one of them can be given");
    if (types_file_labels(&job->job.s, args->shared.types, &look.type, e) != 0)
        return -1;
    if (best_check(&args->shared.best, e) != 0)
        return -1;
    return picture_plan(&job->picture, &job->job.s, &job->job.want, &look, e);
}

static const struct job_kind kind = { .outputs = &output_pictures, .name = "heatmap",
                                      .check = heatmap_check, .prepare = heatmap_prepare,
                                      .keeps = heatmap_keeps, .file = heatmap_one_text };
static const struct job_kind kind_beside = {
    .outputs = &output_pictures, .name = "heatmap", .check = heatmap_check,
    .prepare = heatmap_prepare,
    .keeps = heatmap_keeps, .figure = all_texts, .most_texts = FIGURE_BESIDE, .option = "--compare",
};

static int heatmap_run(const void *args, int n_operands, char **operands, const struct env *env,
                       struct err *e)
{
    struct heatmap_args own = *(const struct heatmap_args *)args;
    struct heatmap_job job = { .job = { &own, n_operands, operands }, .args = &own };

    own.shared.asked.apart = own.compare;
    return job_run(&job.job, own.compare ? &kind_beside : &kind, env, e);
}

const struct cmd cmd_heatmap = {
    .name = "heatmap", .summary = "draw the heads of layers as a grid of heatmaps",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct heatmap_args), .examples = examples,
    .max_operands = 2, .run = heatmap_run,
};
