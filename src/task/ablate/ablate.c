/* SPDX-License-Identifier: MIT
 * ablate: the effect on a model's output when the output of a head is replaced. */
#include <limits.h>
#include <math.h>

#include "task/ablate/record.h"

static const char *const shown_metrics[] = { "auto", "dloss", "kl", "direct", "change", "patch",
                                             NULL };
static const char *const sorts[] = { "layer", "dloss", "kl", "direct", "change", "patch", NULL };

static const char *const greedies[] = { "off", "once", "exact", NULL };

#define F(f) offsetof(struct ablate_args, f)
static const struct opt opts[] = {
    CHOICE(0, "with", "WHAT", F(with), "zero", ablate_withs,
           "what replaces the output of a head; resample: its output on another text of as "
           "many tokens"),
    FLAG(0, "together", F(together), "replace the chosen heads together, and 10 random sets"),
    CHOICE_OR_ALONE("greedy", "HOW", F(greedy), "off", "once", greedies,
                    "replace more and more heads, the least important first; once: ranked "
                    "once; exact: ranked again after each head",
         .excludes = "together|patch|patch-ids|resume; "
                     "sort|reverse: --greedy orders the heads; "
                     "shard: each head is chosen by all texts"),
    STRING(0, "points", "LIST", F(points),
           "with --greedy: numbers of heads to report, such as 4,30%",
         .needs = "greedy"),
    FLAG(0, "yes", F(yes), "run even if that is expected to take more than an hour"),
    FLAG(0, "summary", F(summary), "report means over all texts, with 95 % intervals"),
    CHOICE(0, "sort", "NAME", F(sort), "layer", sorts,
           "order of the heads; numbers: the largest first"),
    FLAG(0, "reverse", F(reverse), "reverse the order"),
    END
};

static const struct opt draw_opts[] = {
    INT(0, "masked", "N", F(sample), "4", 1, 1 << 20,
        "masked language models: number of tokens of each text that are masked in turn"),
    INT(0, "mask-id", "N", F(mask_id), "-1", -1, INT_MAX,
        "id of the mask token; -1: the mask token of the tokeniser"),
    INT(0, "seed", "N", F(shared.asked.seed), "1", 0, INT_MAX,
        "seed of --masked, and of the random sets of heads"),
    END
};
static const struct opt_group draw_group = { "sampling", draw_opts };

static const struct opt mean_opts[] = {
    PATH(0, "means", "FILE", F(means),
         "with --with mean: read the means from this .npz, which --means-out wrote",
         .needs = "with=mean", .excludes = "means-out"),
    OUTPUT(0, "means-out", "FILE", F(means_out),
           "with --with mean: write the means to this .npz",
         .needs = "with=mean"),
    END
};
static const struct opt_group mean_group = { "means", mean_opts };

/* What has no meaning where one text's outputs are put into another's run. */
#define NOT_PATCHED "together|summary|shard|with|split|masked|mask-id"

static const struct opt patch_opts[] = {
    STRING(0, "patch", "TEXT_B", F(patch),
           "in the run of TEXT, replace the output of each head by its output on TEXT_B, which "
           "must have as many tokens",
         .excludes = "patch-ids|" NOT_PATCHED),
    STRING(0, "patch-ids", "LIST", F(patch_ids), "token ids instead of the text of --patch",
         .excludes = NOT_PATCHED),
    FLAG(0, "by-position", F(by_position),
         "with --patch: also replace the output of each query alone; with --with mean: use a "
         "mean for each position",
         .needs = "patch|patch-ids|with=mean"),
    STRING(0, "answer", "T", F(answer.answer),
           "with --patch: the token whose logit is reported; if neither --answer nor --against "
           "is given, what the model predicts for each text",
         .needs = "patch|patch-ids", .excludes = "answer-id"),
    STRING(0, "against", "T", F(answer.against),
           "with --patch: the token whose logit is subtracted",
         .needs = "patch|patch-ids", .excludes = "against-id"),
    INT(0, "answer-id", "N", F(answer.answer_id), "-1", -1, INT_MAX,
        "--answer as a token id; -1: none",
         .needs = "patch|patch-ids"),
    INT(0, "against-id", "N", F(answer.against_id), "-1", -1, INT_MAX,
        "--against as a token id; -1: none",
         .needs = "patch|patch-ids"),
    STRING(0, "at", "POS", F(answer.at),
           "with --patch: the token after which logits are taken: a position, from 0 or from "
           "the end (-1), a word, or word#2; by default the last",
         .needs = "patch|patch-ids"),
    END
};
static const struct opt_group patch_group = { "patching", patch_opts };

static const struct opt picture_opts[] = {
    CHOICE(0, "metric", "NAME", F(metric), "auto", shown_metrics,
           "what a picture shows per layer and head; auto: dloss, change or patch"),
    END
};
static const struct opt_group picture_group = { "figure", picture_opts };
#undef F

static const struct opt_group *const groups[] = {
    &shard_group, &resume_group, &split_group, &memory_group, &draw_group, &mean_group,
    &patch_group,
    &output_all.group, &picture_group, &sheet_group,
    &model_group, &layer_group, &rows_group, &text_group, &select_group, &generate_group,
    &mask_group, NULL
};

static const char *const examples[] = {
    "mha-viz ablate 'the cat saw the dog and the cat'",
    "mha-viz ablate --with mean --summary --sort dloss -f samples/english.txt",
    "mha-viz ablate --patch 'the dog saw it' --answer ' cat' 'the cat saw it'",
    "mha-viz ablate --greedy 'the cat saw the dog and the cat'",
    "mha-viz ablate --with uniform -o worth.png 'one two three, one two three'",
    NULL
};

/* ---- before the texts ---- */

static int ablate_check(void *self, struct err *e)
{
    struct ablate_job *j = self;
    const struct ablate_args *args = j->args;

    if (args->together && output_is_picture(&j->job.results.output))
        return err_set(e, ERR_USAGE, "--together: a picture shows heads one by one");
    ablate_before_select(j);
    return answer_begin(&j->answer, &args->answer, e) != 0 ? -1 : ablate_greedy_check(j, e);
}

/* --metric and --sort name a number that there is. */
static int check_metric(const struct ablate_job *job, const char *option, int asked,
                        struct err *e)
{
    int i = asked - 1;

    if (asked == 0 || (ablate_patches(job) && (i == N_ABLATE || i == ABLATE_KL)))
        return 0;
    if (ablate_patches(job) || i == N_ABLATE)
        return err_set(e, ERR_USAGE, ablate_patches(job) ? "%s: '%s': expected patch or kl" :
                       "%s: '%s' requires --patch", option, ablate_metrics[i]);
    if ((job->measure == ABLATE_HIDDEN) == (i == ABLATE_CHANGE)) {
        if (i != ABLATE_DIRECT || job->has_direct)
            return 0;
        return err_set(e, ERR_USAGE, "%s: '%s': the head of %s is not linear, or its streams "
                       "are mixed, so that no head writes into its logits by itself", option,
                       ablate_metrics[i], job->job.s.model->name);
    }
    return err_set(e, ERR_USAGE, "%s: '%s': %s has %s output head: expected %s", option,
                   ablate_metrics[i], job->job.s.model->name,
                   job->measure == ABLATE_HIDDEN ? "no" : "an",
                   job->measure == ABLATE_HIDDEN ? "change" : "dloss, kl or direct");
}

static int ablate_prepare(void *self, struct err *e)
{
    struct ablate_job *j = self;

    if (ablate_choose(j, e) != 0 || check_metric(j, "--metric", j->args->metric, e) != 0 ||
        check_metric(j, "--sort", j->args->sort, e) != 0 || ablate_means(j, e) != 0 ||
        (ablate_patches(j) && ablate_patch_prepare(j, e) != 0))
        return -1;
    if (j->args->greedy != GREEDY_OFF && ablate_greedy_open(j, e) != 0)
        return -1;
    if (j->args->greedy != GREEDY_OFF)
        ablate_greedy_columns(j);
    else if (ablate_patches(j))
        ablate_patch_columns(j);
    else if (j->job.of_many)
        ablate_summary_open(j);
    else
        ablate_columns(j);
    j->partners = ablate_partners_new(j->job.s.a);
    j->job.weights = records_weights(j->job.s.a, j->job.s.model);
    return parts_open(&j->job, ablate_head_ids(j), j->n_asked, e);
}

/* ---- texts ---- */

static void ablate_begin(void *self)
{
    struct ablate_job *j = self;

    if (j->args->with == ABLATE_RESAMPLE)
        input_tell_passed(j->job.in, ablate_partner_passed, j);
}

static int patch_text(struct ablate_job *job, struct arena *a, const struct item *item,
                      const char *path, struct err *e)
{
    struct ablate_patched patched;

    if (ablate_patch_text(job, a, item, &patched, e) != 0)
        return -1;
    return path != NULL ? ablate_patch_draw(job, &patched, path, a, e) :
                          ablate_patch_write(job, a, &patched, e);
}

static int ablate_one_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct ablate_job *j = self;
    struct ablate_found found;

    if (ablate_patches(j))
        return patch_text(j, a, item, NULL, e);
    if (j->greedy != NULL)
        return ablate_greedy_text(j, a, item, e);
    if (ablate_text(j, a, item, j->set, j->n_sets, &found, e) != 0)
        return -1;
    return ablate_write(j, a, item, &found, e);
}

static int ablate_add_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct ablate_job *j = self;
    struct ablate_found found;

    if (j->greedy != NULL)
        return ablate_greedy_text(j, a, item, e);
    if (ablate_text(j, a, item, j->set, j->n_sets, &found, e) != 0)
        return -1;
    ablate_summary_add(j, item, &found);
    return 0;
}

/* ---- pictures ---- */

static const char *ablate_caption(const struct ablate_job *job, struct arena *a, const char *of)
{
    return arena_printf(a, "%s: heads' outputs replaced by %s%s%s.", job->job.s.model->name,
                        ablate_with_text(job), of, figure_changes(a, job->job.s.asked));
}

static int draw_text(void *self, struct arena *a, const struct item *item, const char *path,
                     struct err *e)
{
    struct ablate_job *j = self;
    double *value = arena_alloc(a, (size_t)j->n_asked, sizeof *value);
    struct ablate_found found;

    if (ablate_patches(j))
        return patch_text(j, a, item, path, e);
    if (j->greedy != NULL)
        return ablate_greedy_picture(j, a, item, path, e);
    if (ablate_text(j, a, item, j->set, j->n_sets, &found, e) != 0)
        return -1;
    for (int i = 0; i < j->n_asked; i++)
        value[i] = found.of[i][ablate_shown(j)];
    return ablate_draw(j, ablate_caption(j, a, figure_text(a, item)), value, path, a, e);
}

static int end(void *self, struct err *e)
{
    struct ablate_job *j = self;
    struct arena *a = j->job.s.a;
    double *value;

    if (j->greedy != NULL)
        return ablate_greedy_end(j, e);
    if (!output_is_picture(&j->job.results.output)) {
        ablate_write_summary(j, a);
        return 0;
    }
    value = arena_alloc(a, (size_t)j->n_asked, sizeof *value);
    for (int i = 0; i < j->n_asked; i++)
        value[i] = summary_of(j->summary, i * N_ABLATE + (int)ablate_shown(j)).mean;
    return ablate_draw(j, ablate_caption(j, a, arena_printf(a, ", mean of %lld texts",
                                                            (long long)j->n_texts)),
                       value, j->job.results.output.path, a, e);
}

/* ---- the command ---- */

#define F(f) offsetof(struct ablate_args, f)
static const struct shared_reader readers[] = {
    { "--metric", F(metric), true }, { "--sort", F(sort), false },
    { "--reverse", F(reverse), false }, { NULL, 0, false }
};
#undef F

static bool ablate_draws(const void *self)
{
    const struct ablate_job *j = self;

    return j->args->together || j->args->greedy != GREEDY_OFF ||
           (j->measure == ABLATE_MASKED && !ablate_patches(j));
}

static const char drawn[] = "--masked of masked language models, --together, --greedy and ";

static const struct job_kind kind = { .drawn = drawn, .draws = ablate_draws, .readers = readers,
                                      .outputs = &output_all, .check = ablate_check,
                                      .prepare = ablate_prepare, .begin = ablate_begin,
                                      .keeps = ablate_keeps,
                                      .text = ablate_one_text, .file = draw_text };
static const struct job_kind summary_kind = { .drawn = drawn, .draws = ablate_draws,
                                              .readers = readers,
                                              .outputs = &output_all, .check = ablate_check,
                                              .prepare = ablate_prepare, .begin = ablate_begin,
                                              .keeps = ablate_keeps, .text = ablate_add_text,
                                              .end = end };

static void ablate_report(void *self)
{
    struct ablate_job *j = self;

    ablate_write_summary(j, j->job.s.a);
}

extern const struct cmd cmd_ablate;

const struct parts_kind ablate_parts = {
    .cmd = &cmd_ablate, .job_size = sizeof(struct ablate_job),
    .describe = ablate_sums_describe, .words = ablate_sums_words, .open = ablate_sums_open,
    .report = ablate_report,
};

static int ablate_run_command(const void *args, int n_operands, char **operands,
                              const struct env *env, struct err *e)
{
    struct ablate_job job = { .job = { args, n_operands, operands }, .args = args };
    struct env twice = *env;

    if (parts_choose(&job.job, &ablate_parts, job.args->summary, e) != 0)
        return -1;
    twice.again = (job.args->with == ABLATE_MEAN && job.args->means == NULL) ||
                  job.args->greedy != GREEDY_OFF;
    return job_run(&job.job, job.job.of_many ? &summary_kind : &kind, &twice, e);
}

const struct cmd cmd_ablate = {
    .name = "ablate",
    .summary = "replace the outputs of heads and report what the model loses",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct ablate_args), .examples = examples,
    .max_operands = 2, .run = ablate_run_command,
    .records = (const struct record *const[]){ &ablate_record, &ablate_summary_record,
                                                 &ablate_patch_record,
                                                 &ablate_greedy_record, NULL },
};
