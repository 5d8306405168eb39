/* SPDX-License-Identifier: MIT
 * diff: changes of each head between two models, precisions, masks or texts. */
#include "task/diff/diff.h"

#include <string.h>

#include "base/claims.h"
#include "base/str.h"
#include "task/common/provenance.h"
#include "task/common/results.h"

static const struct former former_metrics[] = {
    { "links", "links_kept" }, { "links_changed", "links_kept" }, { "flips", "links_kept" },
    { NULL, NULL }
};

static const struct opt_values dtype_values = { .words = precision_names };
static const struct opt_values fast_values = { .words = fast_names };

#define F(f) offsetof(struct diff_args, f)
static const struct opt opts[] = {
    SEVERAL('m', "model", "PATH|NAME", F(models), OPT_MOST, &model_values,
            "folder, file or name of a model; given again: compare the first model with each "
            "of the others"),
    LIST(0, "attention", "FILE", F(attentions), &opt_files,
         "precomputed attention (.npz, .npy) as one or both sides",
         .excludes = "file"),
    LIST(0, "dtype", "NAME", F(dtypes), &dtype_values,
         "round operands of products to this format; given twice: compare the two formats"),
    LIST(0, "fast", "NAME", F(fasts), &fast_values,
         "multiply in linear layers with fewer bits; given twice: compare the two formats"),
    STRING(0, "from", "TOKEN", F(from),
           "compare only the row of this token: a word, word#2 (its second occurrence), or a "
           "position from 0"),
    FLAG(0, "summary", F(summary), "report means over all texts, with 95 % intervals",
         .excludes = "nearest"),
    INT_OR_ALONE("bootstrap", "B", F(bootstrap), "1000", 2, 10000,
                 "with --summary: also a bootstrap interval, of B replicates",
         .needs = "summary"),
    REAL(0, "tolerance", "JS", F(tolerance), NULL, 0, 1,
         "exit with status 1 if the mean divergence of a head exceeds JS nats"),
    END
};

static const struct opt side_opts[] = {
    CHOICE(0, "sort", "NAME", F(sort), "layer", diff_sorts,
           "order of the heads; numbers: the largest first"),
    FLAG(0, "reverse", F(reverse), "reverse the order"),
    FLAG(0, "nearest", F(nearest),
         "also report, for each head, the head of the second side that is most like it"),
    LIST(0, "mask", "SPEC", F(masks), &mask_values,
         "hide keys on both sides, such as causal, padding:N or FILE.npy; given twice: one "
         "mask for each side; none: only what the model hides"),
    LIST(0, "ids", "LIST", F(ids), NULL,
         "token ids instead of a text: 101,7592,102; given twice: the two texts",
         .excludes = "input|image|audio"),
    LIST(0, "type-ids", "LIST", F(type_ids), NULL,
         "types of --ids, one per id; given twice: one list for each text", .needs = "ids"),
    LIST(0, "decoder-ids", "LIST", F(decoder_ids), NULL,
         "token ids for the decoder of an encoder-decoder; given twice: one list for each "
         "text"),
    LIST(0, "global", "LIST", F(globals), &global_values,
         "positions, from 0, of the tokens that see all tokens: 0,5-7, or all, or none "
         "(longformer); given twice: one list for each side"),
    LIST(0, "input", "FILE", F(inputs), &opt_files,
         ".npy instead of a text; given twice: compare the two inputs",
         .excludes = "image|audio"),
    LIST(0, "image", "FILE", F(images), &opt_files,
         "PNG or JPEG instead of a text (vit); given twice: compare the two pictures",
         .excludes = "audio"),
    LIST(0, "audio", "FILE", F(audios), &opt_files,
         ".wav instead of a text (whisper); given twice: compare the two sounds"),
    END
};
static const struct opt_group side_group = { "both sides", side_opts };

static const struct opt picture_opts[] = {
    CHOICE_RENAMED(0, "metric", "NAME", F(metric), "entropy", diff_metrics, former_metrics,
                   "what a picture shows per layer and head; entropy: the signed change of the "
                   "entropy"),
    OUTPUT(0, "heatmap", "FILE", F(heatmap),
           "draw the signed difference of the weights of each head into this file",
         .excludes = "summary"),
    END
};
static const struct opt_group picture_group = { "figure", picture_opts };
#undef F

static const struct opt_group *const groups[] = {
    &side_group, &output_all.group, &picture_group, &sheet_group, &layer_group, &rows_group,
    &seed_group, &qkv_group, &text_group, &select_group, &hide_group, &weight_group,
    &mask_group, NULL
};

static const char *const examples[] = {
    "mha-viz diff 'the cat saw the dog' 'the dog saw the cat'",
    "mha-viz diff --dtype f32 --dtype bf16 -o bf16.png 'the cat saw the dog'",
    "mha-viz diff --from dog 'the cat saw the dog' 'the dog ran'",
    "mha-viz diff --dtype f32 --dtype bf16 --summary -f samples/english.txt",
    NULL
};

struct diff_job {
    const struct diff_args *args;
    struct arena *a;
    struct diff_sides sides;
    struct results *results;            /* of all comparisons */
    struct output heatmap;              /* of --heatmap */
    struct diff_summary *summary;       /* NULL: not asked for */
    struct {
        double js;
        int layer, head;
    } worst;                            /* the head that differs most, of all texts */
    int64_t n_pairs;                    /* comparisons */
    int64_t n_loose, n_moved;           /* of texts that share little; where the tokens of
                                           --from stand at two positions */
};

/* ---- notes ---- */

/* Of one pair of texts, at once. */
static void say_loose(const struct diff_job *job, const struct diff_pair *pair)
{
    err_warn(pair->sides->env.note, "the texts share %d of %d token%s, special ones not counted; "
             "%s are compared %s", pair->n_shared, pair->n_tokens, str_plural(pair->n_tokens),
             job->args->from != NULL ? "keys" : "rows and keys", diff_pair_way(pair));
}

static void note(struct diff_job *job, const struct diff_pair *pair)
{
    bool loose = diff_pair_is_loose(pair);

    job->n_pairs++;
    job->n_loose += loose;
    job->n_moved += job->sides.side[0].at != job->sides.side[1].at;
    if (loose && !diff_is_file(&job->sides))
        say_loose(job, pair);
}

/* Of a file, at its end. */
static void say_all_loose(const struct diff_job *job)
{
    if (job->n_loose > 0 && diff_is_file(&job->sides))
        err_warn(job->sides.env.note, "in %lld of %lld pairs the texts share under 20 %% of their "
                 "tokens; %s, else where both texts have them", (long long)job->n_loose,
                 (long long)job->n_pairs,
                 job->args->from != NULL ?
                     "keys are compared by position where the token stands at one position" :
                     "rows and keys are compared by position where both have the same number");
}

/* A mean of --from over keys that are compared in two ways. */
static void say_moved(const struct diff_job *job)
{
    if (job->summary != NULL && job->n_moved > 0 && job->n_moved < job->n_pairs)
        err_warn(job->sides.env.note, "--from: in %lld of %lld %ss the token stands at two "
                 "positions: keys are compared where both texts have them, in the others by "
                 "position",
                 (long long)job->n_moved, (long long)job->n_pairs,
                 job->sides.texts ? "pair" : "text");
}

/* ---- one comparison ---- */

static void keep_worst(struct diff_job *job, int layer, int head, double js)
{
    if (!(js > job->worst.js))
        return;
    job->worst.js = js;
    job->worst.layer = layer;
    job->worst.head = head;
}

static double of_pair(const void *pair, int layer, int head, enum diff_number i)
{
    return diff_number(pair, layer, head, i);
}

static int print_pair(struct diff_job *job, const struct diff_pair *pair, struct err *e)
{
    const struct item *item = &job->sides.side[0].item;
    const struct output *output = &job->results->output;

    if (output_is_picture(output))
        return diff_draw(&(struct diff_picture){ &job->sides, diff_title(pair, job->a), false,
                                                 of_pair, pair },
                         output, output_name(output, job->a, item->index, 0), job->a, e);
    if (results_begin(job->results, job->a, item, e) != 0)
        return -1;
    if (job->results->report.format == REPORT_TABLE)
        results_part(job->results);
    diff_report(pair, job->a, &job->results->report);
    return results_end(job->results, e);
}

static int one_pair(struct diff_job *job, struct err *e)
{
    const struct diff_side *side = &job->sides.side[0];
    struct diff_pair pair = { .sides = &job->sides };

    if (diff_pair_run(&pair, &job->sides, job->a, e) != 0)
        return -1;
    note(job, &pair);
    if (job->summary != NULL) {
        diff_summary_add(job->summary, &pair);
        return 0;
    }
    for (int l = 0, h = -1; session_next_head(&side->s, &side->want, &l, &h);)
        keep_worst(job, l, h, diff_number(&pair, l, h, DIFF_JS));
    if (pair.maps != NULL &&
        diff_draw_heatmap(&pair, &job->heatmap,
                          output_name(&job->heatmap, job->a, side->item.index, 0), job->a, e) != 0)
        return -1;
    return print_pair(job, &pair, e);
}

static int all_pairs(struct diff_job *job, struct err *e)
{
    struct arena_mark mark = arena_mark(job->a);
    struct diff_side *side = &job->sides.side[0];
    int status;

    input_begin(side->in);
    while ((status = diff_next(&job->sides, job->a, e)) == 1) {
        input_work(side->in);
        if (one_pair(job, e) != 0 && input_fail(side->in, &side->item, e) != 0)
            return -1;
        input_worked(side->in, 1);
        arena_reset(job->a, mark);
    }
    input_end(side->in);
    return status;
}

/* ---- all of them ---- */

static double of_summary(const void *summary, int layer, int head, enum diff_number i)
{
    return diff_summary_of(summary, layer, head, i).mean;
}

static int print_summary(struct diff_job *job, struct err *e)
{
    const struct diff_side *side = &job->sides.side[0];
    const struct output *output = &job->results->output;

    for (int l = 0, h = -1; session_next_head(&side->s, &side->want, &l, &h);)
        keep_worst(job, l, h, of_summary(job->summary, l, h, DIFF_JS));
    if (output_is_picture(output))
        return diff_draw(&(struct diff_picture){ &job->sides,
                                                 diff_summary_title(job->summary, job->a),
                                                 true, of_summary, job->summary },
                         output, output->path, job->a, e);
    diff_summary_report(job->summary, job->a, &job->results->report);
    return 0;
}

static int run_pairs(struct diff_job *job, struct err *e)
{
    if (all_pairs(job, e) != 0)
        return -1;
    say_all_loose(job);
    say_moved(job);
    return job->summary != NULL ? print_summary(job, e) : 0;
}

static const struct record *diff_choose_record(struct diff_job *job)
{
    const struct record *record;

    if (job->summary == NULL)
        return diff_record_of(&job->sides, &diff_record, job->a);
    record = records_without_shown(&job->sides.side[0].s, &diff_summary_record);
    if (job->sides.called == NULL)
        record = record_without(job->a, record, IN_ALL, diff_of_models);
    return job->args->bootstrap > 0 ? record : records_without_bootstrap(job->a, record);
}

/* ---- the command ---- */

static int plan_heatmap(struct diff_job *job, struct err *e)
{
    const struct output_args args = {
        .path = job->args->heatmap, .metadata = job->args->shared.common.output.metadata
    };

    if (args.path == NULL)
        return shown_check_numbers(&job->sides.side[0].s, e);
    if (strcmp(args.path, "-") == 0 && strcmp(job->results->output.path, "-") == 0)
        return err_set(e, ERR_USAGE, "--heatmap -: standard output has the report: expected a "
                       "file, or -o FILE");
    if (output_plan(&job->heatmap, &args, &output_pictures, NULL, job->a, e) != 0)
        return err_under(e, "--heatmap");
    if (diff_is_file(&job->sides) && !job->heatmap.folder)
        return err_set(e, ERR_USAGE, "%s: several texts require a folder for their pictures: "
                       "--heatmap DIR/", input_name(job->sides.side[0].in));
    return shared_check_figure(&job->args->shared, &job->results->output, &job->heatmap, e);
}

static int check_output(const struct diff_job *job, struct err *e)
{
    const struct output *output = &job->results->output;
    bool several = diff_is_file(&job->sides);

    if (job->args->summary && !several)
        return err_set(e, ERR_USAGE, "--summary requires several texts: -f FILE, or arrays "
                       "of several");
    if ((job->args->sort > 0 || job->args->reverse) && output_is_picture(output))
        return err_set(e, ERR_USAGE, "%s is of the table, TSV and JSON",
                       job->args->sort > 0 ? "--sort" : "--reverse");
    if (job->args->nearest && output_is_picture(output))
        return err_set(e, ERR_USAGE, "--nearest: a picture does not show it: expected a report");
    if (job->args->summary && output->folder)
        return err_set(e, ERR_USAGE, "--summary gives one report: expected a file, not the "
                       "folder %s", output->path);
    if (output_is_picture(output) && several && !output->folder && !job->args->summary)
        return shared_several(&job->sides.side[0].s, job->sides.side[0].in,
                              " for their pictures: -o DIR/, or --summary", e);
    return 0;
}

static int open_job(struct diff_job *job, const struct env *env, int n_operands, char **operands,
                    struct err *e)
{
    if (diff_open(&job->sides, env, n_operands, operands, e) != 0 || check_output(job, e) != 0 ||
        plan_heatmap(job, e) != 0)
        return -1;
    if (job->args->summary)
        job->summary = diff_summary_new(job->a, &job->sides);
    return 0;
}

/* Lines that a side could not use. */
static int inputs_result(const struct diff_job *job, int status, struct err *e)
{
    status = input_result(job->sides.side[0].in, status, e);
    return input_result(job->sides.side[1].in, status, e);
}

/* Those of several texts are parted by results_part. */
static bool has_one_table(const struct diff_job *job)
{
    return job->results->report.format == REPORT_TABLE &&
           (job->summary != NULL || !diff_is_file(&job->sides));
}

/* Each of job[n], one after the other, to the results of all. */
static int diff_report_pairs(struct diff_job *job, int n, struct err *e)
{
    struct input *first = job[0].sides.side[0].in;
    int status = 0;

    if (output_is_picture(&job[0].results->output))
        return inputs_result(&job[0], run_pairs(&job[0], e), e);
    job[0].results->run = job[0].sides.side[0].s.provenance;
    if (results_open(job[0].results, diff_choose_record(&job[0]), first, e) != 0)
        return -1;
    for (int k = 0; k < n && status == 0; k++) {
        if (k > 0 && has_one_table(&job[k]))
            putc('\n', job[k].results->report.file);
        status = run_pairs(&job[k], e);
    }
    status = results_close(job[0].results, first, status, e);
    for (int k = 0; k < n; k++)
        status = inputs_result(&job[k], status, e);
    return status;
}

static int check_tolerance(const struct diff_job *job, int n, struct err *e)
{
    for (int k = 0; k < n; k++)
        if (job[k].worst.js > job[k].args->tolerance)
            return err_set(e, ERR_NEGATIVE, "%s%sL%dH%d differs by %.3g nats, more than %g",
                           n > 1 ? job[k].sides.called : "", n > 1 ? ": " : "",
                           job[k].worst.layer, job[k].worst.head, job[k].worst.js,
                           job[k].args->tolerance);
    return 0;
}

/* The same with the first model and the k-th of the others. */
static const struct diff_args *args_of(struct arena *a, const struct diff_args *args, int k)
{
    struct diff_args *own = arena_alloc(a, 1, sizeof *own);

    *own = *args;
    own->models.n = 2;
    own->models.item[1] = args->models.item[k + 1];
    own->models.place[1] = args->models.place[k + 1];
    return own;
}

/* What is said of the run: its models, one after the other. */
static int open_provenance(struct diff_job *job, int n, struct err *e)
{
    struct session *first = &job[0].sides.side[0].s;
    const struct output *heatmap = job[0].args->heatmap != NULL ? &job[0].heatmap : NULL;

    if (provenance_open(first, &job[0].results->output, heatmap, e) != 0)
        return -1;
    for (int k = 0; k < n; k++)
        if (provenance_add(first, &job[k].sides.side[1].s, e) != 0)
            return -1;
    return 0;
}

static int run_jobs(struct diff_job *job, int n, const struct env *env, int n_operands,
                    char **operands, struct err *e)
{
    const struct output *output = &job[0].results->output;

    if (output_plan(&job[0].results->output, &job[0].args->shared.common.output, &output_all,
                    NULL, job[0].a, e) != 0 ||
        (job[0].args->heatmap == NULL &&
         shared_check_figure(&job[0].args->shared, output, NULL, e) != 0))
        return -1;
    if (n > 1 && (output_is_picture(output) || output->folder || job[0].args->heatmap != NULL))
        return err_set(e, ERR_USAGE, "--model: given %d times, expected twice where a %s is "
                       "written", n + 1, output->folder ? "folder" : "picture");
    for (int k = 0; k < n; k++)
        if (open_job(&job[k], env, n_operands, operands, e) != 0)
            return -1;
    /* Their files are known only now. */
    if (claims_check(env->arena, env->arena, e) != 0 || open_provenance(job, n, e) != 0 ||
        diff_report_pairs(job, n, e) != 0)
        return -1;
    return check_tolerance(job, n, e);
}

static int diff_run(const void *args, int n_operands, char **operands, const struct env *env,
                    struct err *e)
{
    const struct diff_args *given = args;
    int n = given->models.n > 2 ? given->models.n - 1 : 1, status;
    struct diff_job *job = arena_alloc(env->arena, (uint64_t)n, sizeof *job);
    struct results *results = arena_alloc(env->arena, 1, sizeof *results);

    for (int k = 0; k < n; k++) {
        job[k] = (struct diff_job){ .args = given, .a = env->arena, .results = results };
        if (n > 1) {
            job[k].args = args_of(env->arena, given, k);
            job[k].sides.called = given->models.item[k + 1];
        }
        job[k].sides.args = job[k].args;
    }
    status = run_jobs(job, n, env, n_operands, operands, e);
    for (int k = n - 1; k >= 0; k--)
        diff_close(&job[k].sides);
    return status;
}

const struct cmd cmd_diff = {
    .name = "diff", .summary = "compare the heads of two models, precisions, masks or texts",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct diff_args), .examples = examples,
    .max_operands = 2, .run = diff_run,
    .records = (const struct record *const[]){ &diff_record, &diff_summary_record, NULL },
};
