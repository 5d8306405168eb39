/* SPDX-License-Identifier: MIT
 * model: all heads of all layers in one picture. */
#include "task/model/model.h"

#include <string.h>

#include "analysis/map.h"
#include "base/lines.h"
#include "base/str.h"
#include "task/common/provenance.h"
#include "task/types/file.h"

static const struct opt_values metric_values = { .words = metric_names };

#define F(f) offsetof(struct model_view_args, f)
static const struct opt opts[] = {
    WORDS(0, "metric", "NAME", F(metric), &metric_values,
          "map of this metric, or of type, instead of thumbnails; a column of --table"),
    PATH(0, "table", "FILE", F(table),
         "read the numbers of heads from this TSV or CSV, with columns layer and head; no model "
         "is run",
         .excludes = "file|model|ids|input|image|audio|attention|qkv|layer|head|stack|types: no "
                     "model is run"),
    WORDS(0, "sort", "NAME", F(sort), &metric_values,
          "order the heads of each layer by type, or by this metric or column"),
    FLAG(0, "mds", F(mds), "draw heads as points with their names; near points attend alike",
         .excludes = "table|metric|sort"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_figures.group, &figure_group, &panel_group, &sheet_group, &hide_group, &region_group,
    &average_group, &weight_group, &types_group, PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz model",
    "mha-viz model --metric entropy -o entropy.pdf 'the cat saw the dog and ran'",
    "mha-viz model --metric type -f samples/english.txt -o types.svg",
    NULL
};

/* ---- one text ---- */

/* The maps of all layers, as one sink. */
struct maps_of { struct map **map; };

static void model_task_take(void *self, const struct rows *rows, int n)
{
    struct maps_of *maps = self;
    struct sink sink = map_sink(maps->map[rows->layer]);

    sink.take(sink.self, rows, n);
}

static void model_task_done(void *self, int text, int layer)
{
    struct maps_of *maps = self;
    struct sink sink = map_sink(maps->map[layer]);

    sink.done(sink.self, text, layer);
}

/* Side by side: those that any layer shows. */
static int model_task_count_heads(const struct model_view_job *job)
{
    const struct config *config = &job->job.s.shown->config;
    int n = 0;

    for (int h = 0; h < config->n_heads; h++)
        for (int l = 0; l < config->n_layers; l++)
            if (wanted_layer(&job->job.want, l) && wanted_head(&job->job.want, l, h)) {
                n++;
                break;
            }
    return n;
}

/* [layers] of as many cells as the sheet has room for. */
static struct map **maps_new(const struct model_view_job *job, struct arena *a,
                             const struct item *item, struct err *e)
{
    const struct session *s = &job->job.s;
    const struct config *config = &s->shown->config;
    struct map **map = arena_alloc(a, (size_t)config->n_layers, sizeof *map);
    int rows, cols, pool;
    struct map_axis queries, keys;

    if (figure_axis(&queries, s, item, true, a, &rows, e) != 0 ||
        figure_axis(&keys, s, item, false, a, &cols, e) != 0)
        return NULL;
    keys.sink = session_has_sinks(s, &job->job.want);
    cols += keys.sink;
    if (figure_plan_board(&job->args->shared.figure, figure_format(&job->job.results.output),
                          rows > cols ? rows : cols, model_task_count_heads(job), &pool, e) != 0)
        return NULL;
    for (int l = 0; l < config->n_layers; l++)
        if (wanted_layer(&job->job.want, l))
            map[l] = map_new(a, 0, l, config->n_heads, queries, keys, pool, POOL_MAX);
    return map;
}

/* The pass over texts, with what the metrics find of them. */
static struct stats *run_pass(struct model_view_job *job, struct arena *a,
                              const struct item *items, int n, struct map **map,
                              struct err *e)
{
    struct attended attended = job_pack(&job->job, a, items, n);
    struct stats *stats = stats_new(a, job->job.s.shown, &attended, &job->job.want, &job->set);
    struct maps_of maps = { map };
    struct sink sinks[STATS_SINKS + 1];
    int n_sinks = job->set.n > 0 ? stats_sinks(stats, sinks) : 0;

    job->job.want.tap = stats_tap(stats);
    if (map != NULL)
        sinks[n_sinks++] = (struct sink){ SINK_HEAD, model_task_take, model_task_done, &maps };
    return job_forward(&job->job, a, sinks, n_sinks, e) == 0 ? stats : NULL;
}

static void model_task_tell(const struct model_view_job *job, const char *path)
{
    output_tell(&job->job.results.output, &job->args->shared.common.output, path);
}

static const char *model_task_text_of(struct arena *a, const struct item *item)
{
    const char *cut = item->n_cut > 0 ? arena_printf(a, "; cut to %d token%s", item->tokens.n,
                                                     str_plural(item->tokens.n)) : "";

    return arena_printf(a, "%s%s", figure_text(a, item), cut);
}

static bool writes_numbers(const struct model_view_job *job)
{
    return output_is_report(&job->job.results.output);
}

static int model_task_draw(struct model_view_job *job, const struct model_view_picture *picture,
                           struct arena *a, struct err *e)
{
    if (writes_numbers(job))
        return model_view_write(job, picture, a, e);
    return (picture->j->args->mds ? model_view_draw_plane : model_view_draw)(picture, a, e);
}

/* A picture of its own. */
static int model_task_one_text(void *self, struct arena *a, const struct item *item,
                               const char *path, struct err *e)
{
    struct model_view_job *j = self;
    bool thumbnails = j->metric.by == BY_NOTHING && !j->args->mds;
    struct map **map = thumbnails ? maps_new(j, a, item, e) : NULL;
    struct model_view_sums *sums = model_view_sums_new(j, a);
    struct model_view_picture picture = { j, { 0, NULL }, map, model_task_text_of(a, item),
                                          figure_format(&j->job.results.output), path, item };
    const struct stats *stats;

    if (thumbnails && map == NULL)
        return -1;
    stats = run_pass(j, a, item, 1, map, e);
    if (stats == NULL)
        return -1;
    model_view_add(j, sums, item, stats, 0);
    picture.heads = model_view_means(j, sums, a);
    if (model_task_draw(j, &picture, a, e) != 0)
        return -1;
    model_task_tell(j, path);
    return 0;
}

/* ---- many texts ---- */

static int model_task_texts(void *self, struct arena *a, const struct item *items, int n,
                            struct err *e)
{
    struct model_view_job *j = self;
    const struct output *output = &j->job.results.output;
    const struct stats *stats;

    if (output->folder) {
        for (int i = 0; i < n; i++)
            if (model_task_one_text(j, a, &items[i], output_name(output, a, items[i].index, 0),
                                    e) != 0)
                return -1;
        return 0;
    }
    stats = run_pass(j, a, items, n, NULL, e);
    if (stats == NULL)
        return -1;
    for (int i = 0; i < n; i++)
        model_view_add(j, j->sums, &items[i], stats, i);
    if (j->n_texts == 0)
        j->first = arena_strdup(j->kept, model_task_text_of(a, &items[0]));
    j->n_texts += n;
    return 0;
}

/* Whether what an option names has a mean over the texts. */
static int check_mean(const struct model_view_job *job, const char *option,
                      const struct model_view_key *key, struct err *e)
{
    enum metric_kind kind = key->by == BY_METRIC ? metric_table[key->id].kind : METRIC_NUMBER;

    if (job->n_texts == 1 || kind != METRIC_WORD)
        return 0;
    return err_set(e, ERR_USAGE, "%s %s: a word has no mean over %lld texts: expected one text, "
                   "or -o DIR/ for a picture of each", option, key->name,
                   (long long)job->n_texts);
}

static int draw_means(struct model_view_job *job, struct err *e)
{
    const struct output *output = &job->job.results.output;
    struct arena *a = job->job.s.a;
    const char *of = job->first;

    if (output->folder || job->n_texts == 0)
        return 0;
    if (check_mean(job, "--metric", &job->metric, e) != 0 ||
        check_mean(job, "--sort", &job->sort, e) != 0)
        return -1;
    if (job->metric.by == BY_TYPE && job->type != NULL)
        of = "";                /* not by the texts */
    else if (job->n_texts > 1)
        of = arena_printf(a, ", mean of %lld texts of %s", (long long)job->n_texts,
                          input_name(job->job.in) != NULL ? input_name(job->job.in) : "the input");
    if (model_task_draw(job, &(struct model_view_picture){
            job, model_view_means(job, job->sums, a), NULL, of, figure_format(output),
            output->path, NULL }, a, e) != 0)
        return -1;
    model_task_tell(job, output->path);
    return 0;
}

/* What is drawn. */
enum { THUMBNAILS = 1, NUMBERS = 2, WORDS = 4, POINTS = 8 };

static int drawn_as(const struct model_view_args *args)
{
    int id = args->metric != NULL ? metric_find(args->metric) : -1;

    if (args->mds)
        return POINTS;
    if (args->metric == NULL && args->table == NULL)
        return THUMBNAILS;
    return args->table == NULL && (id < 0 || metric_table[id].kind == METRIC_WORD) ? WORDS :
                                                                                   NUMBERS;
}

#define F(f) offsetof(struct model_view_args, shared.f)
static const struct {
    const char *option;
    size_t field;
    int drawn;                  /* where it has an effect */
    const char *of;
} readers[] = {
    { "--shared", F(figure.shared_scale), THUMBNAILS, "thumbnails" },
    { "--scale", F(figure.scale), THUMBNAILS | NUMBERS, "thumbnails and numbers" },
    { "--clip", F(figure.clip), THUMBNAILS | NUMBERS, "thumbnails and numbers" },
    { "--cmap", F(figure.cmap), THUMBNAILS | NUMBERS | POINTS, "thumbnails, numbers and points" },
    { "--from", F(asked.from), THUMBNAILS, "thumbnails" },
    { "--to", F(asked.to), THUMBNAILS, "thumbnails" },
    { "--cell", F(figure.cell), THUMBNAILS | NUMBERS | WORDS, "thumbnails, numbers and types" },
};
#undef F

/* Options that the picture does not read. */
static int check_readers(const struct model_view_args *args, struct err *e)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (opts_is_given(&args->shared.common, readers[i].field) &&
            (readers[i].drawn & drawn_as(args)) == 0)
            return err_set(e, ERR_USAGE, "%s is of %s, which are not drawn here",
                           readers[i].option, readers[i].of);
    return 0;
}

/* Of what heatmaps have and boards do not. */
static int check_figure(const struct figure_args *figure, struct err *e)
{
    const char *given = figure->numbers ? "--numbers" : figure->letters ? "--letters" :
                        figure->no_titles ? "--no-titles" : NULL;

    if (given != NULL)
        return err_set(e, ERR_USAGE, "%s is of mha-viz heatmap: cells of a model have no titles, "
                       "and --metric writes numbers without it", given);
    return figure_check_page(figure, e) != 0 ? -1 : figure_check_clip(figure, e);
}

static int model_task_check(void *self, struct err *e)
{
    const struct model_view_job *j = self;
    const struct model_view_args *args = j->args;

    if (args->table == NULL && (args->mds || args->metric != NULL) &&
        shown_check_numbers(&j->job.s, e) != 0)
        return -1;
    if (writes_numbers(j) && args->table != NULL)
        return err_set(e, ERR_USAGE, "--table: its numbers are there already");
    if (writes_numbers(j) && args->sort != NULL)
        return err_set(e, ERR_USAGE, "--sort is of pictures: rows stand layer by layer");
    if (writes_numbers(j) && drawn_as(args) == THUMBNAILS)
        return err_set(e, ERR_USAGE, "thumbnails have no number of each head: expected --metric "
                       "or --mds with --tsv and --json; export has the weights");
    return check_readers(args, e) != 0 ? -1 : check_figure(&args->shared.figure, e);
}

static int model_task_prepare(void *self, struct err *e)
{
    struct model_view_job *j = self;

    if (types_file_labels(&j->job.s, j->args->shared.types, &j->type, e) != 0 ||
        model_view_choose(j, e) != 0)
        return -1;
    if (j->args->shared.types != NULL && !model_view_has_types(j))
        return err_set(e, ERR_USAGE, "--types is of --metric type, --sort type and --mds: "
                       "expected one of them");
    if (!j->of_mean)
        return 0;
    j->kept = arena_child(j->job.s.a);
    j->sums = model_view_sums_new(j, j->kept);
    return 0;
}

static const struct job_kind kind_of_texts = { .outputs = &output_figures, .name = "model",
                                               .check = model_task_check,
                                               .prepare = model_task_prepare,
                                               .file = model_task_one_text };
static const struct job_kind kind_of_means = { .outputs = &output_figures, .name = "model",
                                               .check = model_task_check,
                                               .prepare = model_task_prepare,
                                               .texts = model_task_texts };

static int run_means(struct model_view_job *job, const struct env *env, struct err *e)
{
    int status;

    job->of_mean = true;
    status = job_gather(&job->job, &kind_of_means, env, e);
    if (status == 0)
        status = draw_means(job, e);
    if (status == 0)
        status = input_result(job->job.in, status, e);
    session_close(&job->job.s);
    return status;
}

/* ---- a table ---- */

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

static int read_table(struct model_view_job *job, struct arena *a,
                      struct model_view_heads *heads, struct err *e)
{
    const struct model_view_args *args = job->args;
    struct lines *lines = lines_open(args->table, e);
    const char *text = "";
    size_t size = 0;
    int rc;

    if (lines == NULL)
        return -1;
    rc = lines_rest(lines, &text, &size, e);
    if (rc >= 0) {
        struct span bytes = { (const unsigned char *)text, size };

        rc = model_table_read(a, bytes, &job->metric.name, args->sort, heads, e);
        if (rc != 0)
            rc = err_under(e, "%s", is_stdin(args->table) ? "standard input" : args->table);
    }
    lines_close(lines);
    return rc;
}

static int run_table(struct model_view_job *job, const struct env *env, struct err *e)
{
    const struct model_view_args *args = job->args;
    struct session *s = &job->job.s;
    struct output *output = &job->job.results.output;
    struct model_view_picture picture = { .j = job, .of = "" };

    s->a = env->arena;
    s->env = env;
    if (output_plan(output, &args->shared.common.output, &output_figures, "model", s->a,
                    e) != 0 || shared_check_figure(&args->shared, output, NULL, e) != 0 ||
        model_task_check(job, e) != 0 || model_view_choose(job, e) != 0)
        return -1;
    if (output->folder)
        return err_set(e, ERR_USAGE, "--table: expected a file for one picture, not the folder "
                       "%s", output->path);
    job->metric.by = BY_COLUMN;
    if (read_table(job, s->a, &picture.heads, e) != 0 || provenance_open(s, output, NULL, e) != 0)
        return -1;
    picture.format = figure_format(output);
    picture.path = output->path;
    if (model_view_draw(&picture, s->a, e) != 0)
        return -1;
    model_task_tell(job, output->path);
    return 0;
}

static int model_task_run(const void *args, int n_operands, char **operands, const struct env *env,
                          struct err *e)
{
    struct model_view_job j = { .job = { args, n_operands, operands }, .args = args };

    if (j.args->table != NULL)
        return n_operands > 0 ? err_set(e, ERR_USAGE, "a text, --table: only one of them can be "
                                        "given: no model is run") : run_table(&j, env, e);
    if (j.args->metric != NULL || j.args->mds)
        return run_means(&j, env, e);
    return job_run(&j.job, &kind_of_texts, env, e);
}

const struct cmd cmd_model = {
    .name = "model", .summary = "draw all heads of all layers, as maps or as a number per head",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct model_view_args), .examples = examples,
    .max_operands = 2, .run = model_task_run,
    .records = (const struct record *const[]){ &model_view_record, NULL },
};
