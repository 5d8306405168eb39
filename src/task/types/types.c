/* SPDX-License-Identifier: MIT
 * types: the type of each head, by probes and by its attention in texts. */
#include "task/types/types.h"

#include <limits.h>

#include "base/str.h"
#include "session/shown/mark.h"
#include "task/common/counts.h"
#include "task/common/provenance.h"
#include "task/parts/state.h"

static const char *const threshold_words[] = {
#define THRESHOLD(id, name, ...) name ":",
#include "analysis/types_scores.def"
#undef THRESHOLD
    NULL
};

static const struct opt_values probe_values = { .words = types_probe_names, .between = ',' };
static const struct opt_values threshold_values = { .words = threshold_words, .between = ',' };

/* Of files that say what the words of a text are. */
#define AS_IT_SAYS \
    "hide|hide-special|merge: special tokens are left out, and pieces are merged, as it says"

#define F(f) offsetof(struct types_args, f)
static const struct opt opts[] = {
    CHOICE(0, "taxonomy", "NAME", F(taxonomy), "mha-viz", types_taxonomy_names,
           "the set of labels that heads can have"),
    WORDS(0, "threshold", "LIST", F(threshold), &threshold_values,
          "thresholds of labels, such as induction:0.5,local:0.8"),
    WORDS(0, "probe", "LIST", F(probe), &probe_values,
          "probes to run, separated by commas; by default all",
         .excludes = "no-probe"),
    FLAG(0, "no-probe", F(no_probe), "run no probes; use only what the texts show"),
    PATH(0, "gold", "FILE", F(gold),
         ".conllu of sentences with dependency trees, instead of a text: find the heads that "
         "follow each relation",
         .excludes = "split; file|ids|input|image|audio|attention|qkv: its sentences are the "
                     "texts; " AS_IT_SAYS),
    PATH(0, "gold-pairs", "FILE", F(gold_pairs),
         ".tsv of pairs of related words: in each line the numbers of the text and of its two "
         "words, from 0",
         .excludes = "split; gold|align: its words are those of a TEXT or -f FILE; " AS_IT_SAYS),
    PATH(0, "align", "FILE", F(align),
         "word alignments to compare cross-attention with: for each text a line such as 0-0 "
         "1-2",
         .excludes = "split; gold: it is of cross-attention; " AS_IT_SAYS),
    INT(0, "seed", "N", F(shared.asked.seed), "1", 0, INT_MAX,
        "seed of the probes' random tokens, and of the random input of a bare layer"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &rare_group, &shard_group, &resume_group, &split_group, &memory_group, &output_reports.group,
    &hide_group,
    &weight_group, &model_group, &layer_group, &rows_group,
    &attention_group, &qkv_group, &text_group, &select_group, &generate_group, &mask_group,
    &dtype_group, NULL
};

static const char *const examples[] = {
    "mha-viz types",
    "mha-viz types -f samples/english.txt",
    "mha-viz types --threshold induction:0.3 --json -l 4",
    NULL
};

/* ---- texts ---- */

static int add_texts(void *self, struct arena *a, const struct item *items, int n,
                     struct err *e)
{
    struct types_job *j = self;

    if (j->n_pairs >= 0)
        return types_pairs_add(j, a, items, n, e);
    return j->align != NULL ? types_align_add(j, a, items, n, e) :
                              types_texts_add(j, a, items, n, NULL, 0, e);
}

/* The sentences of --gold are not counted. */
static int count_tokens(struct types_job *job, struct err *e)
{
    const struct session *s = &job->job.s;
    struct unigrams c = { NULL, 0 };
    bool given = job->args->shared.unigrams != NULL;

    job->opts = metric_opts_default();
    if (given && !job->has_texts)
        return err_set(e, ERR_USAGE, "--unigrams requires a TEXT, -f FILE or --gold FILE");
    if (job->has_texts && (job->args->gold == NULL || given) &&
        counts_take(&job->job, "rare-token", &c, e) != 0)
        return -1;
    if (c.count != NULL)
        job->opts.counts = metric_counts_new(s->a, c.count, c.n);
    job->uncounted = c.count == NULL && job->has_texts && job->args->gold == NULL;
    return 0;
}

/* Texts, or trees, are opened before the state of a run is read. */
static int open_texts(struct types_job *j, struct err *e)
{
    struct job *job = &j->job;

    if (j->args->gold != NULL)
        return types_gold_open(j, e);
    if (j->has_texts)
        job->in = input_open(&job->s, job->n_operands, job->operands, e);
    if (j->has_texts && job->in == NULL)
        return -1;
    return !j->args->no_probe ? 0 : shared_check_seed(&j->args->shared, job->in, "probes, and of ",
                                                      e);
}

static int read_texts(struct types_job *j, struct err *e)
{
    struct job *job = &j->job;

    if (j->args->gold != NULL)
        return types_gold_run(j, e);
    if (job->in == NULL)
        return 0;
    if (input_batches(job->in, &job->s, add_texts, j, e) != 0)
        return -1;
    return j->align != NULL ? types_align_end(j, e) : 0;
}

/* ---- parts ---- */

static struct parts_texts types_texts_of(const void *self)
{
    const struct types_job *j = self;
    const struct input *in = j->job.in;

    if (j->gold != NULL)
        return (struct parts_texts){ .n = j->n_sentences + j->n_pieces, .n_bad = j->n_unusable,
                                     .crc = j->gold_crc };
    return (struct parts_texts){ input_count(in), input_count_parts(in), input_count_bad(in),
                                 input_crc(in) };
}

static const char *file_of(const void *self)
{
    const struct types_args *args = ((const struct types_job *)self)->args;

    return args->gold != NULL ? args->gold : args->shared.asked.file;
}

static int skip(void *self, const struct parts_texts *done, struct err *e)
{
    struct types_job *j = self;

    j->done = *done;
    return j->gold != NULL ? 0 : input_skip(j->job.in, done->n, done->n_parts, done->n_bad, e);
}

static void report_parts(void *self)
{
    struct types_job *j = self;

    j->n_unusable = j->job.n_bad;
    types_write(j, &j->job.results.report);
}

extern const struct cmd cmd_types;

const struct parts_kind types_parts = {
    .cmd = &cmd_types, .job_size = sizeof(struct types_job), .describe = types_sums_describe,
    .words = types_sums_words, .add = types_sums_add, .open = types_sums_open,
    .report = report_parts, .texts = types_texts_of, .file = file_of, .skip = skip,
};

/* ---- the command ---- */

/* Standard input is read with -f - alone, for without a text there are probes. */
static bool has_texts(const struct types_job *job)
{
    const struct asked *asked = &job->args->shared.asked;

    return job->args->gold != NULL || job->job.n_operands > 0 || asked->file != NULL ||
           asked->ids != NULL || asked_array(asked) != NULL || asked->attention != NULL ||
           asked->qkv != NULL || job->job.s.model->family->bare;
}

static int check_split(const struct types_job *job, struct err *e)
{
    return job->args->shared.asked.split == NULL || job->has_texts ? 0 :
           err_set(e, ERR_USAGE, "--split requires a TEXT, -f FILE or --ids");
}

/* Options of a text where there is none; --no-special is of the words of probes, too. */
static int check_no_text(const struct types_job *job, struct err *e)
{
    static const struct opt_group *const of_text[] = { &text_group, &rows_group };

    for (size_t i = 0; i < sizeof of_text / sizeof *of_text; i++)
        for (const struct opt *o = of_text[i]->opts; o->name != NULL; o++)
            if (opts_is_given(&job->args->shared.common, o->field) &&
                strcmp(o->name, "no-special") != 0)
                return err_set(e, ERR_USAGE, "--%s: there is no text: expected a TEXT or -f FILE",
                               o->name);
    return 0;
}

static int types_check(struct types_job *job, struct err *e)
{
    const struct output *output = &job->job.results.output;
    const struct session *s = &job->job.s;

    if (output->folder)
        return err_set(e, ERR_USAGE, "types gives one report: expected a file, not the folder "
                       "%s", output->path);
    if (shown_check_numbers(s, e) != 0)
        return -1;
    job->has_texts = has_texts(job);
    if (!job->has_texts && check_no_text(job, e) != 0)
        return -1;
    if (job->job.shard.n > 0 && file_of(job) == NULL)
        return err_set(e, ERR_USAGE, "--shard requires -f FILE, or --gold FILE");
    if (types_rules_open(job, s->stack != STACK_CROSS && mark_looks_back(s->shown), e) != 0 ||
        (job->args->gold != NULL && types_gold_check(job, e) != 0))
        return -1;
    return check_split(job, e) != 0 ? -1 : types_probe_choose(job, e);
}

static int open_sums(struct types_job *job, struct err *e)
{
    int n;
    const struct head_id *head = records_heads(&job->job.s, &job->job.want, job->job.s.a, &n);

    types_sums_new(job);
    job->job.weights = records_weights(job->job.s.a, job->job.s.model);
    if (parts_open(&job->job, head, n, e) != 0 ||
        (job->args->align != NULL && types_align_open(job, e) != 0))
        return -1;
    job->n_pairs = -1;
    return job->args->gold_pairs != NULL ? types_pairs_open(job, e) : 0;
}

/* What is of the model alone is of one shard. */
static int probe(struct types_job *job, struct err *e)
{
    if (job->job.shard.k > 0 || job->probed)
        return 0;
    job->probed = true;
    return types_probe_run(job, e);
}

static int result(const struct types_job *job, int status, struct err *e)
{
    if (status == 0 && job->gold != NULL && job->n_unusable > 0) {
        err_set(e, ERR_INPUT, "%s: %lld of %lld sentence%s could not be used", job->args->gold,
                (long long)job->n_unusable, (long long)job->n_sentences,
                str_plural(job->n_sentences));
        return err_because(e, &job->unheard);
    }
    return job->job.in != NULL ? input_result(job->job.in, status, e) : status;
}

static int types_report(struct types_job *job, struct err *e)
{
    struct results *results = &job->job.results;
    int status;

    results->run = job->job.s.provenance;
    if (results_open(results, records_without_shown(&job->job.s, &types_record), NULL, e) != 0)
        return -1;
    status = probe(job, e) == 0 ? read_texts(job, e) : -1;
    if (status == 0 && job->job.shard.n > 0)
        parts_write(&job->job, results->output.out.file);
    else if (status == 0)
        types_write(job, &results->report);
    if (output_close(&results->output, status, e) != 0)
        return -1;
    return state_done(&job->job, e) == 0 ? result(job, 0, e) : -1;
}

static int types_run_session(struct types_job *j, struct err *e)
{
    struct job *job = &j->job;
    const struct output_set *outputs = job->shard.n > 0 ? &output_sums : &output_reports;

    if (output_plan(&job->results.output, &j->args->shared.common.output, outputs, NULL,
                    job->s.a, e) != 0 ||
        state_check(job, e) != 0 ||
        session_select(&job->s, job->n_operands, false, &job->want, e) != 0 ||
        types_check(j, e) != 0 || count_tokens(j, e) != 0 || open_sums(j, e) != 0 ||
        open_texts(j, e) != 0 || provenance_open(&job->s, &job->results.output, NULL, e) != 0 ||
        state_begin(job, e) != 0)
        return -1;
    return types_report(j, e);
}

static int types_run(const void *args, int n_operands, char **operands, const struct env *env,
                     struct err *e)
{
    struct types_job job = { .job = { args, n_operands, operands }, .args = args };
    int status;

    if (parts_choose(&job.job, &types_parts, true, e) != 0)
        return -1;
    status = session_open(&job.job.s, &job.args->shared.asked, false, env, e);
    if (status == 0)
        status = types_run_session(&job, e);
    session_close(&job.job.s);
    return status;
}

const struct cmd cmd_types = {
    .name = "types", .summary = "find the type of each head, with probes and with texts",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct types_args), .examples = examples,
    .max_operands = 2, .run = types_run,
    .records = (const struct record *const[]){ &types_record, NULL },
};
