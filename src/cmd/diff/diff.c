/* SPDX-License-Identifier: MIT
 * diff: what changed in each head, between two models, precisions, masks or texts. */
#include "cmd/diff/diff.h"

#include <string.h>

#include "base/str.h"
#include "cmd/results.h"

static const struct former former_metrics[] = {
    { "links", "links_kept" }, { "links_changed", "links_kept" }, { "flips", "links_kept" },
    { NULL, NULL }
};

static const struct opt_values dtype_values = { .words = precision_names };

#define F(f) offsetof(struct diff_args, f)
static const struct opt opts[] = {
    LIST('m', "model", "PATH|NAME", F(models), &model_values,
         "a model, as elsewhere; given twice: the two that are compared"),
    LIST(0, "attention", "FILE", F(attentions), &opt_files,
         ".npz or .npy of precomputed attention, to compare with another or a model"),
    LIST(0, "dtype", "NAME", F(dtypes), &dtype_values,
         "round the operands of products, or of linears, to this format; given twice: the two "
         "that are compared"),
    STRING(0, "at", "TOKEN", F(at),
           "compare only the row of this token: a word, word#2 (its second occurrence), or a "
           "position from 0"),
    FLAG(0, "summary", F(summary),
         "of several texts: mean of each number, 95 % interval"),
    INT_OR_ALONE("bootstrap", "B", F(bootstrap), "1000", 2, 10000,
                 "with --summary: another interval, of B replicates of the texts"),
    REAL(0, "tolerance", "JS", F(tolerance), NULL, 0, 1,
         "exit with status 1 if the mean divergence of a head exceeds this, in nats"),
    END
};

static const struct opt side_opts[] = {
    LIST(0, "mask", "SPEC", F(masks), &mask_values,
         "hide keys, as elsewhere, on both sides; given twice: one for each; none: only "
         "what the model hides"),
    LIST(0, "ids", "LIST", F(ids), NULL,
         "token ids instead of a text: 101,7592,102; given twice: the two texts"),
    LIST(0, "type-ids", "LIST", F(type_ids), NULL,
         "types of --ids, one per id; given twice: one list for each text"),
    LIST(0, "decoder-ids", "LIST", F(decoder_ids), NULL,
         "token ids for the decoder of an encoder-decoder; given twice: one list for each "
         "text"),
    LIST(0, "global", "LIST", F(globals), &global_values,
         "tokens that see all tokens, from 0: 0,5-7 or all or none (longformer); given "
         "twice: one list for each side"),
    LIST(0, "input", "FILE", F(inputs), &opt_files,
         ".npy instead of a text; given twice: the two that are compared"),
    END
};
static const struct opt_group side_group = { "both sides", side_opts };

static const struct opt picture_opts[] = {
    CHOICE_RENAMED(0, "metric", "NAME", F(metric), "entropy", diff_metrics, former_metrics,
                   "what a picture shows per layer and head; entropy: its signed change"),
    PATH(0, "heatmap", "FILE", F(heatmap),
         "draw the signed difference of the weights, a heatmap of each head, into this file"),
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
    "mha-viz diff --at dog 'the cat saw the dog' 'the dog ran'",
    "mha-viz diff --dtype f32 --dtype bf16 --summary -f samples/english.txt",
    NULL
};

struct job {
    const struct diff_args *args;
    struct arena *a;
    struct diff_sides sides;
    struct results results;
    struct output heatmap;              /* of --heatmap */
    struct diff_summary *summary;       /* NULL: not asked for */
    struct {
        double js;
        int layer, head;
    } worst;                            /* the head that differs most, of all texts */
    int64_t n_pairs;                    /* comparisons */
    int64_t n_loose, n_moved;           /* of texts that share little; where the tokens of
                                           --at stand at two positions */
};

/* ---- notes ---- */

/* Of one pair of texts, at once. */
static void say_loose(const struct job *j, const struct diff_pair *p)
{
    err_warn(p->sides->env.note, "the texts share %d of %d token%s, special ones not counted; "
             "%s are compared %s", p->n_shared, p->n_tokens, str_plural(p->n_tokens),
             j->args->at != NULL ? "keys" : "rows and keys", diff_pair_way(p));
}

static void note(struct job *j, const struct diff_pair *p)
{
    bool loose = diff_pair_is_loose(p);

    j->n_pairs++;
    j->n_loose += loose;
    j->n_moved += j->sides.side[0].at != j->sides.side[1].at;
    if (loose && !diff_is_file(&j->sides))
        say_loose(j, p);
}

/* Of a file, at its end. */
static void say_all_loose(const struct job *j)
{
    if (j->n_loose > 0 && diff_is_file(&j->sides))
        err_warn(j->sides.env.note, "in %lld of %lld pairs the texts share under 20 %% of their "
                 "tokens; %s, else where both texts have them", (long long)j->n_loose,
                 (long long)j->n_pairs,
                 j->args->at != NULL ?
                     "keys are compared by position where the token stands at one position" :
                     "rows and keys are compared by position where both have the same number");
}

/* A mean of --at over keys that are compared in two ways. */
static void say_moved(const struct job *j)
{
    if (j->summary != NULL && j->n_moved > 0 && j->n_moved < j->n_pairs)
        err_warn(j->sides.env.note, "--at: in %lld of %lld %ss the token stands at two positions: "
                 "keys are compared where both texts have them, in the others by position",
                 (long long)j->n_moved, (long long)j->n_pairs,
                 j->sides.texts ? "pair" : "text");
}

/* ---- one comparison ---- */

static void keep_worst(struct job *j, int layer, int head, double js)
{
    if (!(js > j->worst.js))
        return;
    j->worst.js = js;
    j->worst.layer = layer;
    j->worst.head = head;
}

static double of_pair(const void *pair, int layer, int head, enum diff_number i)
{
    return diff_number(pair, layer, head, i);
}

static int print_pair(struct job *j, const struct diff_pair *p, struct err *e)
{
    const struct item *item = &j->sides.side[0].item;
    const struct output *output = &j->results.output;

    if (output_is_picture(output))
        return diff_draw(&(struct diff_picture){ &j->sides, diff_title(p, j->a), false,
                                                 of_pair, p },
                         output, output_name(output, j->a, item->index, 0), j->a, e);
    if (results_begin(&j->results, j->a, item, e) != 0)
        return -1;
    if (j->results.report.format == REPORT_TABLE)
        results_part(&j->results);
    diff_report(p, j->a, &j->results.report);
    return results_end(&j->results, e);
}

static int one_pair(struct job *j, struct err *e)
{
    const struct diff_side *side = &j->sides.side[0];
    struct diff_pair pair = { .sides = &j->sides };

    if (diff_pair_run(&pair, &j->sides, j->a, e) != 0)
        return -1;
    note(j, &pair);
    if (j->summary != NULL) {
        diff_summary_add(j->summary, &pair);
        return 0;
    }
    for (int l = 0, h = -1; session_next_head(&side->s, &side->want, &l, &h);)
        keep_worst(j, l, h, diff_number(&pair, l, h, DIFF_JS));
    if (pair.maps != NULL &&
        diff_draw_heatmap(&pair, &j->heatmap,
                          output_name(&j->heatmap, j->a, side->item.index, 0), j->a, e) != 0)
        return -1;
    return print_pair(j, &pair, e);
}

static int all_pairs(struct job *j, struct err *e)
{
    struct arena_mark mark = arena_mark(j->a);
    struct diff_side *side = &j->sides.side[0];
    int status;

    input_begin(side->in);
    while ((status = diff_next(&j->sides, j->a, e)) == 1) {
        input_work(side->in);
        if (one_pair(j, e) != 0 && input_fail(side->in, &side->item, e) != 0)
            return -1;
        input_worked(side->in, 1);
        arena_reset(j->a, mark);
    }
    input_end(side->in);
    return status;
}

/* ---- all of them ---- */

static double of_summary(const void *summary, int layer, int head, enum diff_number i)
{
    return diff_summary_of(summary, layer, head, i).mean;
}

static int print_summary(struct job *j, struct err *e)
{
    const struct diff_side *side = &j->sides.side[0];
    const struct output *output = &j->results.output;

    for (int l = 0, h = -1; session_next_head(&side->s, &side->want, &l, &h);)
        keep_worst(j, l, h, of_summary(j->summary, l, h, DIFF_JS));
    if (output_is_picture(output))
        return diff_draw(&(struct diff_picture){ &j->sides,
                                                 diff_summary_title(j->summary, j->a),
                                                 true, of_summary, j->summary },
                         output, output->path, j->a, e);
    diff_summary_report(j->summary, j->a, &j->results.report);
    return 0;
}

static int run_pairs(struct job *j, struct err *e)
{
    if (all_pairs(j, e) != 0)
        return -1;
    say_all_loose(j);
    say_moved(j);
    return j->summary != NULL ? print_summary(j, e) : 0;
}

static const struct record *record_of(struct job *j)
{
    const struct record *record;

    if (j->summary == NULL)
        return diff_record_of(&j->sides, &diff_record, j->a);
    record = records_without_shown(&j->sides.side[0].s, &diff_summary_record);
    return j->args->bootstrap > 0 ? record : records_without_bootstrap(j->a, record);
}

static int report(struct job *j, struct err *e)
{
    struct input *first = j->sides.side[0].in, *second = j->sides.side[1].in;
    int status;

    if (output_is_picture(&j->results.output)) {
        status = input_result(first, run_pairs(j, e), e);
        return input_result(second, status, e);
    }
    if (results_open(&j->results, record_of(j), first, e) != 0)
        return -1;
    status = results_close(&j->results, first, run_pairs(j, e), e);
    return input_result(second, status, e);
}

/* ---- the command ---- */

static int plan_heatmap(struct job *j, struct err *e)
{
    const struct output_args args = { .path = j->args->heatmap };

    if (args.path == NULL)
        return 0;
    if (j->args->summary)
        return err_set(e, ERR_USAGE, "--heatmap, --summary: only one of them can be given");
    if (strcmp(args.path, "-") == 0 && strcmp(j->results.output.path, "-") == 0)
        return err_set(e, ERR_USAGE, "--heatmap -: standard output has the report: expected a "
                       "file, or -o FILE");
    if (output_plan(&j->heatmap, &args, &output_pictures, NULL, j->a, e) != 0)
        return err_under(e, "--heatmap");
    if (diff_is_file(&j->sides) && !j->heatmap.folder)
        return err_set(e, ERR_USAGE, "%s: several texts require a folder for their pictures: "
                       "--heatmap DIR/", input_name(j->sides.side[0].in));
    return 0;
}

static int check_output(const struct job *j, struct err *e)
{
    const struct output *output = &j->results.output;
    bool several = diff_is_file(&j->sides);

    if (j->args->bootstrap > 0 && !j->args->summary)
        return err_set(e, ERR_USAGE, "--bootstrap requires --summary");
    if (j->args->summary && !several)
        return err_set(e, ERR_USAGE, "--summary requires several texts: -f FILE, or arrays "
                       "of several");
    if (j->args->summary && output->folder)
        return err_set(e, ERR_USAGE, "--summary gives one report: expected a file, not the "
                       "folder %s", output->path);
    if (output_is_picture(output) && several && !output->folder && !j->args->summary)
        return err_set(e, ERR_USAGE, "%s: several texts require a folder for their pictures: "
                       "-o DIR/, or --summary", input_name(j->sides.side[0].in));
    return 0;
}

static int run_job(struct job *j, const struct env *env, int n_operands, char **operands,
                   struct err *e)
{
    if (output_plan(&j->results.output, &j->args->shared.common.output, &output_all, NULL,
                    j->a, e) != 0 ||
        diff_open(&j->sides, env, n_operands, operands, e) != 0 || check_output(j, e) != 0 ||
        plan_heatmap(j, e) != 0)
        return -1;
    if (j->args->summary)
        j->summary = diff_summary_new(j->a, &j->sides);
    if (report(j, e) != 0)
        return -1;
    if (j->worst.js > j->args->tolerance)
        return err_set(e, ERR_NEGATIVE, "L%dH%d differs by %.3g nats, more than %g",
                       j->worst.layer, j->worst.head, j->worst.js, j->args->tolerance);
    return 0;
}

static int run(const void *args, int n_operands, char **operands, const struct env *env,
               struct err *e)
{
    struct job job = { .args = args, .a = env->arena, .sides = { .args = args } };
    int status = run_job(&job, env, n_operands, operands, e);

    diff_close(&job.sides);
    return status;
}

const struct cmd cmd_diff = {
    .name = "diff", .summary = "compare the heads of two models, precisions, masks or texts",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct diff_args), .examples = examples,
    .max_operands = 2, .run = run,
    .records = (const struct record *const[]){ &diff_record, &diff_summary_record, NULL },
};
