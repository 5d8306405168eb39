/* SPDX-License-Identifier: MIT
 * mechanisms: a layer's own queries, keys and values under each mechanism. */
#include "task/common/job.h"
#include "task/mechanisms/mechanisms.h"

#include <math.h>
#include <string.h>

#include "analysis/mechanisms_check.h"
#include "base/nearest.h"
#include "base/str.h"

static const struct opt_values only_values = { .words = mechanism_names, .between = ',' };

#define F(f) offsetof(struct mechanisms_args, f)
static const struct opt opts[] = {
    WORDS(0, "only", "NAMES", F(only), &only_values,
          "only these mechanisms: exact,local,..; see mha-viz-mechanisms(7)"),
    FLAG(0, "propagate", F(propagate),
         "also run each mechanism in all layers, and report the change of the last hidden "
         "state"),
    FLAG(0, "outputs-only", F(outputs_only),
         "compute no rows of weights, for long texts: no JS, links and entropy"),
    FLAG(0, "error", F(error),
         "also run the model's own attention when one mechanism is chosen, to report its error",
         .excludes = "no-error"),
    FLAG(0, "no-error", F(no_error),
         "do not run the model's own attention: no error, JS and links"),
    INT(0, "runs", "N", F(runs), "5", 0, 1000,
        "times are medians of N runs; 0: measure no times"),
    INT('c', "columns", "N", F(columns), "5", 1, 64, "mechanisms per row of a picture"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_every.group, &mechanisms_group, &figure_group, &panel_group, &sheet_group,
    &model_group, &layer_group, &rows_group, &attention_group, &qkv_group, &text_group,
    &select_group,
    &mask_group, &dtype_group, NULL
};

static const char *const examples[] = {
    "mha-viz mechanisms",
    "mha-viz mechanisms --only local,block,favor --propagate 'the cat saw the dog'",
    "mha-viz mechanisms --budget 4 --runs 0 'the cat saw the dog'",
    "mha-viz mechanisms -l 1 -H 0 -o mechanisms.png",
    NULL
};

struct mechanisms_job {
    struct job job;
    const struct mechanisms_args *args;
    struct mechanisms_opts opts;
    bool *layer;                    /* [L] */
    bool only[N_MECHANISM];
    struct mechanisms_said said;
    int64_t n_texts, n_covered;     /* measured; by --budget, which leaves nothing out */
};

/* ---- what is asked for ---- */

static int find_mechanism(const char *name, size_t n, struct err *e)
{
    char typed[32];

    snprintf(typed, sizeof typed, "%.*s", (int)(n < 31 ? n : 31), name);
    for (int id = 0; id < N_MECHANISM; id++)
        if (strcmp(mechanism_names[id], typed) == 0)
            return id;
    if (nearest_name(typed, mechanism_names) != NULL)
        return err_set(e, ERR_USAGE, "--only: unknown mechanism '%s'; did you mean '%s'?",
                       typed, nearest_name(typed, mechanism_names));
    return err_set(e, ERR_USAGE, "--only: unknown mechanism '%s'; see mha-viz-mechanisms(7)",
                   typed);
}

static int parse_only(struct mechanisms_job *job, struct err *e)
{
    const char *text = job->args->only;

    if (text == NULL)
        return 0;
    job->opts.only = job->only;
    for (;; text++) {
        size_t count = strcspn(text, ",");
        int id = find_mechanism(text, count, e);

        if (id < 0)
            return -1;
        job->only[id] = true;
        text += count;
        if (*text == '\0')
            return 0;
    }
}

/* Without -l the layer that a heatmap shows. */
static void pick_layers(struct mechanisms_job *job)
{
    const struct config *config = &job->job.s.shown->config;
    const struct asked *asked = job->job.s.asked;

    job->layer = arena_alloc(job->job.s.a, (size_t)config->n_layers, sizeof *job->layer);
    if (asked->layer != NULL || session_names_heads(asked))
        memcpy(job->layer, job->job.want.layer, (size_t)config->n_layers * sizeof *job->layer);
    else
        job->layer[session_default_layer(&job->job.s)] = true;
    job->job.want.layer = job->layer;
}

static int mechanisms_count_chosen(const bool *list, int n, int *first)
{
    int all = 0;

    for (int i = n - 1; i >= 0; i--)
        if (list[i]) {
            all++;
            *first = i;
        }
    return all;
}

static int check_picture(struct mechanisms_job *job, struct err *e)
{
    const struct asked *asked = &job->args->shared.asked;
    const struct config *config = &job->job.s.shown->config;
    int layer = 0, head = 0;

    if (!output_is_picture(&job->job.results.output))
        return 0;
    if (figure_check_clip(&job->args->shared.figure, e) != 0 ||
        figure_check_page(&job->args->shared.figure, e) != 0)
        return -1;
    if (job->args->outputs_only)
        return err_set(e, ERR_USAGE, "--outputs-only: a picture requires rows");
    if (mechanisms_count_chosen(job->layer, config->n_layers, &layer) > 1)
        return err_set(e, ERR_USAGE, "--%s: '%s' selects several layers; a picture shows one",
                       session_names_heads(asked) ? "head" : "layer",
                       session_names_heads(asked) ? asked->head : asked->layer);
    if (job->job.want.head != NULL &&
        mechanisms_count_chosen(&job->job.want.head[layer * job->job.want.head_stride],
                                config->n_heads, &head) > 1)
        return err_set(e, ERR_USAGE, "--head: '%s' selects several heads; a picture shows one",
                       asked->head);
    job->opts.kept_head = head;
    return 0;
}

/* ---- one text ---- */

/* Each mechanism in every layer, against the hidden states of the model's own. */
static int propagate(struct mechanisms_job *job, struct arena *a, struct texts *texts,
                     struct mechanisms_text *text, const float *own, int64_t n,
                     struct err *e)
{
    struct progress *progress = job->job.s.env->progress;
    struct wanted want = job->job.want;
    float *hidden = arena_alloc_raw(a, (size_t)n, sizeof *hidden);

    want.layer = NULL;
    want.hidden = hidden;
    progress_begin(progress, "mechanism", mechanisms_count(&job->opts));
    for (int id = 0; id < N_MECHANISM; id++) {
        struct mechanisms_replacement replacement = { .id = (enum mechanism_id)id,
                                                      .opts = &job->opts, .a = a };
        struct tap tap = mechanisms_replacement_tap(&replacement);
        struct err failed = { ERR_NONE, "" };

        if (!mechanisms_covers(&job->opts, (enum mechanism_id)id))
            continue;
        want.tap = &tap;
        if (session_forward(&job->job.s, texts, &want, NULL, 0, a, &failed) == 0) {
            text->change[id] = mechanisms_change(hidden, own, n);
        } else if (replacement.refused != NULL) {
            text->refused[id] = arena_strdup(a, failed.msg);
        } else {
            *e = failed;
            return -1;
        }
        progress_step(progress);
    }
    progress_end(progress);
    return 0;
}

/* A budget that is larger than the text leaves nothing out. */
static int check_budget(struct mechanisms_job *job, int n_keys, struct err *e)
{
    int budget = job->opts.params.budget;

    job->n_texts++;
    if (budget <= n_keys)
        return 0;
    if (!input_is_file(job->job.in))
        return err_set(e, ERR_INPUT, "--budget: %d keys per row, but the text has %d; "
                       "expected at most %d", budget, n_keys, n_keys);
    job->n_covered++;
    return 0;
}

/* One line for all texts of a file. */
static void warn_covered(const struct mechanisms_job *job, const struct env *env)
{
    if (job->n_covered > 0)
        err_warn(env->warn, "--budget %d leaves nothing out of %lld of %lld text%s: %s fewer keys",
                 job->opts.params.budget, (long long)job->n_covered, (long long)job->n_texts,
                 str_plural(job->n_texts),
                 job->n_covered == 1 ? "it has" : "they have");
}

static int mechanisms_measure(struct mechanisms_job *job, struct arena *a, const struct item *item,
                              struct mechanisms_text *text, struct err *e)
{
    struct wanted want = job->job.want;
    int T = session_queries(&job->job.s, item)->n, S = session_keys(&job->job.s, item)->n;
    int64_t count = (int64_t)T * job->job.s.shown->d_hidden;
    struct texts texts;
    struct mechanisms *mechanisms;
    struct tap tap;

    if (check_budget(job, S, e) != 0)
        return -1;
    *text = (struct mechanisms_text){ .s = &job->job.s, .item = item, .layer = job->layer,
                                      .propagated = job->args->propagate,
                                      .kept_head = job->opts.kept_head };
    for (int id = 0; id < N_MECHANISM; id++)
        text->change[id] = NAN;
    texts_pack(&texts, a, item, 1);
    text->c = mechanisms = mechanisms_new(a, job->job.s.shown, &job->opts, T, S, job->job.s.par);
    tap = mechanisms_tap(mechanisms);
    want.tap = &tap;
    if (job->args->propagate)
        want.hidden = arena_alloc_raw(a, (size_t)count, sizeof(float));
    if (session_forward(&job->job.s, &texts, &want, NULL, 0, a, e) != 0)
        return -1;
    if (!job->args->propagate)
        return 0;
    if (mechanisms_check_hidden(job->job.s.shown, want.hidden, T, e) != 0)
        return -1;
    return propagate(job, a, &texts, text, want.hidden, count, e);
}

static int one_report(void *self, struct arena *a, const struct item *item,
                      struct err *e)
{
    struct mechanisms_job *job = self;
    struct mechanisms_text text;

    if (mechanisms_measure(job, a, item, &text, e) != 0)
        return -1;
    if (results_begin(&job->job.results, a, item, e) != 0)
        return -1;
    text.named = job->job.results.named;
    if (job->job.results.report.format == REPORT_TABLE)
        mechanisms_table(&text, a, job->job.results.report.file);
    else
        mechanisms_row(&text, a, &job->job.results.report);
    return results_end(&job->job.results, e);
}

static int mechanisms_one_picture(void *self, struct arena *a, const struct item *item,
                                  const char *path, struct err *e)
{
    struct mechanisms_job *job = self;
    struct mechanisms_text text;
    int layer = 0;

    if (mechanisms_measure(job, a, item, &text, e) != 0 ||
        mechanisms_say_left_out(&text, a, &job->said, e) != 0)
        return -1;
    mechanisms_count_chosen(job->layer, job->job.s.shown->config.n_layers, &layer);
    return mechanisms_picture(&text, a, layer, &job->args->shared.figure,
                              job->args->columns, &job->job.results.output, path, e);
}

static int one_npz(void *self, struct arena *a, const struct item *item, const char *path,
                   struct err *e)
{
    struct mechanisms_job *job = self;
    struct mechanisms_npz npz = { .s = &job->job.s, .want = &job->job.want,
                                  .item = item };
    struct mechanisms_arrays arrays = mechanisms_npz_arrays(&npz);
    struct mechanisms_text text;
    int status;

    if (mechanisms_npz_begin(&npz, a, path, e) != 0)
        return -1;
    job->opts.arrays = &arrays;
    status = mechanisms_measure(job, a, item, &text, e);
    job->opts.arrays = NULL;
    if (status == 0)
        status = mechanisms_say_left_out(&text, a, &job->said, e);
    return mechanisms_npz_end(&npz, status, e);
}

static int one_file(void *self, struct arena *a, const struct item *item, const char *path,
                    struct err *e)
{
    const struct mechanisms_job *job = self;

    return job->job.results.output.format == OUTPUT_NPZ ?
               one_npz(self, a, item, path, e) : mechanisms_one_picture(self, a, item, path, e);
}

/* ---- the command ---- */

static int mechanisms_check(void *self, struct err *e)
{
    struct mechanisms_job *job = self;
    const struct mechanisms_args *args = job->args;
    bool reports = output_is_report(&job->job.results.output);

    if (job->job.s.model->precomputed != NULL)
        return err_set(e, ERR_USAGE, "--attention has no queries, keys and values; give a "
                       "model or --qkv");
    job->opts = (struct mechanisms_opts){ .repeats = reports ? args->runs : 0,
                                          .rows = !args->outputs_only, .kept_head = -1 };
    if (mechanisms_params(args, &job->opts.params, e) != 0)
        return -1;
    if (args->outputs_only && job->job.results.output.format == OUTPUT_NPZ)
        return err_set(e, ERR_USAGE, "--outputs-only: an npz holds rows");
    if (parse_only(job, e) != 0 ||
        mechanisms_check_read(args, job->opts.only, job->job.s.a, e) != 0)
        return -1;
    job->opts.error = reports && !args->no_error &&
                      (args->error || mechanisms_count(&job->opts) > 1);
    return 0;
}

static int mechanisms_prepare(void *self, struct err *e)
{
    struct mechanisms_job *job = self;
    const struct mechanisms_args *args = job->args;

    pick_layers(job);
    job->opts.heads = &job->job.want;
    job->job.record = mechanisms_report(job->job.s.a, args->propagate);
    if (check_picture(job, e) != 0)
        return -1;
    if (args->additive == NULL)
        return 0;
    job->opts.additive = mechanisms_additive_read(job->job.s.a, args->additive,
                                                  job->job.s.shown->config.d_head,
                                                  &job->opts.params.additive_width, e);
    return job->opts.additive != NULL ? 0 : -1;
}

#define F(f) offsetof(struct mechanisms_args, f)
static const struct shared_reader readers[] = {
    { "--columns", F(columns), true }, { "--propagate", F(propagate), false },
    { "--error", F(error), false }, { "--no-error", F(no_error), false }, { NULL, 0, false }
};
#undef F

static bool mechanisms_draws(const void *self)
{
    const struct mechanisms_job *job = self;

    return mechanisms_draw(job->args, job->opts.only);
}

static const struct job_kind kind = { .drawn = "additive, favor and lsh, and of ",
                                      .draws = mechanisms_draws,
                                      .readers = readers, .outputs = &output_every,
                                      .check = mechanisms_check,
                                      .prepare = mechanisms_prepare, .text = one_report,
                                      .file = one_file };

static int mechanisms_run(const void *args, int n_operands, char **operands, const struct env *env,
                          struct err *e)
{
    struct mechanisms_job job = { .job = { args, n_operands, operands }, .args = args };
    int status;

    status = job_run(&job.job, &kind, env, e);
    warn_covered(&job, env);
    return status;
}

const struct cmd cmd_mechanisms = {
    .name = "mechanisms",
    .summary = "compare attention mechanisms on the queries and keys of a model",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct mechanisms_args), .examples = examples,
    .max_operands = 2, .run = mechanisms_run,
    .records = (const struct record *const[]){ &mechanisms_record, NULL },
};
