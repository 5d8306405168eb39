/* SPDX-License-Identifier: MIT
 * stability: noise on the embeddings -> the changes of each head and of the model's output. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "analysis/stability.h"
#include "base/rng.h"
#include "base/str.h"
#include "task/common/job.h"
#include "task/common/records.h"

struct stability_args {
    struct shared_args shared;
    int runs;
    double noise;
    bool relative_noise, heads_alone;
};

#define F(f) offsetof(struct stability_args, f)
static const struct opt opts[] = {
    INT(0, "runs", "N", F(runs), "10", 1, 1000, "number of runs with noise"),
    REAL(0, "noise", "SIGMA", F(noise), "0.01", 0, 1e6,
         "standard deviation of the noise on the token embeddings"),
    FLAG(0, "relative-noise", F(relative_noise),
         "--noise is in units of the root mean square of the text's embeddings"),
    INT(0, "seed", "N", F(shared.asked.seed), "1", 0, 2147483647,
        "seed of the noise, which is that of torch.randn after manual_seed(N)"),
    FLAG(0, "heads-alone", F(heads_alone),
         "also test each head by itself, with all others of its layer silenced"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_reports.group, &model_group, &layer_group, &rows_group, &attention_group, &qkv_group,
    &text_group, &select_group, &weight_group, &generate_group, &mask_group, &dtype_group, NULL
};

static const char *const examples[] = {
    "mha-viz stability",
    "mha-viz stability --runs 5 --noise 0.1 --heads-alone -l 0 'the cat saw a dog'",
    NULL
};

struct stability_job {
    struct job job;
    const struct stability_args *args;
};

/* One text's packed runs, and what came of them. */
struct trial {
    const struct stability_job *j;
    struct arena *a;
    struct texts texts;
    struct change change;
    float *hidden;              /* [1 + runs, T, d_hidden] */
    int64_t n;                  /* numbers of hidden a run */
    struct stability *heads;
    struct stability_output whole;
    struct stability_output *alone;    /* [L, H]; NULL: not asked for */
};

/* ---- the runs ---- */

/* The same text 1 + runs times; the first has no noise. */
static int pack_runs(struct trial *trial, const struct item *item, struct err *e)
{
    int count = trial->j->args->runs + 1;
    int longer = item->tokens.n > item->target.n ? item->tokens.n : item->target.n;
    struct item *copies;

    if (longer > INT_MAX / count)
        return err_set(e, ERR_INPUT, "%d token%s, %d times: at most %d fit one batch",
                       longer, str_plural(longer), count, INT_MAX);
    copies = arena_alloc(trial->a, (size_t)count, sizeof *copies);
    for (int i = 0; i < count; i++)
        copies[i] = *item;
    texts_pack(&trial->texts, trial->a, copies, count);
    return 0;
}

/* Run by run what torch.randn would give for [T, E] of a generator seeded once. */
static void make_noise(struct trial *trial)
{
    const struct stability_args *args = trial->j->args;
    int64_t E = trial->j->job.s.model->config.d_embed, count = trial->texts.source.start[1] * E;
    float *noise = arena_alloc(trial->a, (size_t)(args->runs + 1),
                               (size_t)count * sizeof *noise);
    struct rng rng;

    rng_seed(&rng, (uint64_t)args->shared.asked.seed);
    for (int r = 1; r <= args->runs; r++)
        rng_normal_fill(&rng, noise + r * count, count);
    for (int64_t i = count; i < (args->runs + 1) * count; i++)
        noise[i] *= (float)args->noise;
    trial->change.noise = noise;
    trial->change.noise_relative = args->relative_noise;
}

static int stability_forward(struct trial *trial, const struct sink *sinks, int n_sinks,
                             struct err *e)
{
    const struct session *session = &trial->j->job.s;
    struct wanted want = trial->j->job.want;

    want.change = &trial->change;
    want.hidden = trial->hidden;
    return session_forward(session, &trial->texts, &want, sinks, n_sinks, trial->a, e);
}

/* The only head of its layer that is heard. */
struct alone {
    const struct config *config;
    enum stack_id stack;
    int layer, head;
};

static void silence_others(void *self, int layer, enum stack_id stack, float *z, int n_rows)
{
    const struct alone *alone = self;
    int H = alone->config->n_heads;
    size_t d = (size_t)alone->config->d_value;

    for (int i = 0; layer == alone->layer && stack == alone->stack && i < n_rows * H; i++)
        if (i % H != alone->head)
            memset(z + (size_t)i * d, 0, d * sizeof *z);
}

static int run_alone(struct trial *trial, int l, int h, struct err *e)
{
    const struct config *config = &trial->j->job.s.shown->config;
    int H = config->n_heads;
    struct alone alone = { config, trial->j->job.s.stack, l, h };
    struct intervention intervention = { silence_others, &alone };

    trial->change.intervention = &intervention;
    if (stability_forward(trial, NULL, 0, e) != 0)
        return -1;
    trial->alone[l * H + h] = stability_output(trial->hidden, trial->n, trial->j->args->runs);
    return 0;
}

static int run_all_alone(struct trial *trial, struct err *e)
{
    const struct config *config = &trial->j->job.s.shown->config;
    struct progress *progress = trial->j->job.s.env->progress;
    size_t count = (size_t)config->n_layers * (size_t)config->n_heads;
    int n;

    trial->alone = arena_alloc(trial->a, count, sizeof *trial->alone);
    records_heads(&trial->j->job.s, &trial->j->job.want, trial->a, &n);
    progress_begin(progress, "head", n);
    for (int l = 0, h = -1; session_next_head(&trial->j->job.s, &trial->j->job.want, &l, &h); ) {
        if (run_alone(trial, l, h, e) != 0)
            return -1;
        progress_step(progress);
    }
    progress_end(progress);
    return 0;
}

static int run_trial(struct trial *trial, const struct item *item, struct err *e)
{
    const struct session *session = &trial->j->job.s;
    struct sink sink;

    if (pack_runs(trial, item, e) != 0)
        return -1;
    trial->change = session->change;
    make_noise(trial);
    trial->n = (int64_t)session_queries(session, item)->n * session->shown->d_hidden;
    trial->hidden = arena_alloc(trial->a, (size_t)(trial->j->args->runs + 1),
                                (size_t)trial->n * sizeof *trial->hidden);
    trial->heads = stability_new(trial->a, session->shown);
    sink = stability_sink(trial->heads);
    if (stability_forward(trial, &sink, 1, e) != 0)
        return -1;
    trial->whole = stability_output(trial->hidden, trial->n, trial->j->args->runs);
    return trial->j->args->heads_alone ? run_all_alone(trial, e) : 0;
}

/* ---- records ---- */

#define F(f) offsetof(struct stability_output, f)
static const struct column alone_columns[] = {
    { "mean_variance", "mean of the runs' variances", NULL, "alone", "%.4g", COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(mean_variance) },
    { "max_variance", "the largest of them", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .field = F(max_variance) },
    { "relative", "mean_variance / variance of the output", NULL, NULL, "%.4g", COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(relative) },
};
#undef F

static const struct record alone_record = {
    .help = "what the noise changes in the output", .size = sizeof(struct stability_output),
    RECORD_COLUMNS(alone_columns),
};

struct head_row {
    struct head_id id;
    struct head_change change;
    const struct stability_output *alone;      /* NULL: not asked for */
};

#define F(f) offsetof(struct head_row, f)
static const struct column head_columns[] = {
    HEAD_COLUMNS,
    { "js", "Jensen-Shannon divergence of rows with and without noise", "nats", "JS", "%.3g",
      COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN, .field = F(change.js) },
    { "links_kept", "share of the rows whose strongest key stays the same", NULL,
      "links kept", "%.3f", COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN,
      .field = F(change.links_kept), .most = 1 },
    { "alone", "the output where all other heads of the layer are silenced",
      .kind = COLUMN_RECORD, .where = IN_ALL, .null = NULL_ABSENT, .of = &alone_record,
      .field = F(alone) },
};
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

struct text_row {
    struct records_text_id id;
    int runs, seed;
    double noise;
    bool relative_noise;
    const char *generator, *weight;
    struct stability_output change;
    struct list heads;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS,
    { "runs", "runs with noise", .kind = COLUMN_INT, .where = IN_TABLE | IN_JSON,
      .field = F(runs) },
    { "noise", "standard deviation of the noise", .kind = COLUMN_REAL,
      .where = IN_TABLE | IN_JSON, .field = F(noise) },
    { "noise_relative", "whether noise is relative to the text's embeddings",
      .kind = COLUMN_BOOL, .where = IN_TABLE | IN_JSON, .field = F(relative_noise) },
    { "seed", "of the generator", .kind = COLUMN_INT, .where = IN_TABLE | IN_JSON,
      .field = F(seed) },
    { "generator", "of the noise", .kind = COLUMN_TEXT, .where = IN_TABLE | IN_JSON,
      .field = F(generator) },
    WEIGHT_COLUMN(F(weight), IN_TSV | IN_JSON),
    { "mean_variance", "mean of the runs' variances", .kind = COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(change.mean_variance) },
    { "max_variance", "the largest of them", .kind = COLUMN_REAL, .where = IN_ALL,
      .null = NULL_SHOWN, .field = F(change.max_variance) },
    { "relative", "mean_variance / variance of the output", .kind = COLUMN_REAL,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(change.relative) },
    HEADS_COLUMN(&head_record, F(heads)),
};
#undef F

static const struct record text_record = {
    .schema = "mha-viz/stability/2", .help = "what noise on a text's embeddings changes",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

/* ---- reports ---- */

static struct list stability_head_rows(const struct trial *trial)
{
    const struct session *session = &trial->j->job.s;
    int count;
    const struct head_id *id = records_heads(session, &trial->j->job.want, trial->a, &count);
    struct head_row *row = arena_alloc(trial->a, (size_t)count, sizeof *row);

    for (int i = 0; i < count; i++) {
        int layer = id[i].layer, head = id[i].head;

        row[i] = (struct head_row){ id[i], stability_head(trial->heads, layer, head), NULL };
        if (trial->alone != NULL)
            row[i].alone = &trial->alone[layer * session->shown->config.n_heads + head];
    }
    return (struct list){ row, count };
}

/* Above the table: the output, and what was done. */
static const char *stability_lead(const struct trial *trial)
{
    const struct stability_args *args = trial->j->args;
    const char *relative = "", *weights = shown_asked(&trial->j->job.s, trial->a, SHOWN_NUMBERS);

    if (!isnan(trial->whole.relative))
        relative = arena_printf(trial->a, "relative       %.6g\n", trial->whole.relative);
    return arena_printf(trial->a, "mean_variance  %.6g\nmax_variance   %.6g\n%s"
                        "%d run%s, noise %.4g%s, seed %d (MT19937)%s%s\n\n",
                        trial->whole.mean_variance, trial->whole.max_variance, relative,
                        args->runs, str_plural(args->runs), args->noise,
                        args->relative_noise ? " of the embeddings" : "",
                        args->shared.asked.seed, weights != NULL ? "; " : "",
                        weights != NULL ? weights : "");
}

static struct text_row stability_text_row(const struct trial *trial, const struct item *item)
{
    const struct stability_args *args = trial->j->args;

    return (struct text_row){
        .id = records_text_id(&trial->j->job.s, item), .runs = args->runs,
        .seed = args->shared.asked.seed,
        .noise = args->noise, .relative_noise = args->relative_noise,
        .generator = "MT19937, torch.randn",
        .weight = weighting_names[trial->j->job.s.asked->weight], .change = trial->whole,
        .heads = stability_head_rows(trial),
    };
}

/* ---- the command ---- */

static int stability_one_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    static const char *const alone[] = { "alone", NULL };
    struct stability_job *job = self;
    struct trial trial = { .j = job, .a = a };
    const struct record *record = &head_record;
    struct text_row row;

    if (run_trial(&trial, item, e) != 0)
        return -1;
    row = stability_text_row(&trial, item);
    if (trial.alone == NULL)
        record = record_without(a, record, IN_TABLE, alone);
    return results_text(&job->job.results, a, item, &(struct results_text){
        &row, record, &row.heads, 1, .lead = stability_lead(&trial) }, e);
}

static int stability_check(void *self, struct err *e)
{
    struct stability_job *job = self;
    const struct model *model = job->job.s.model;

    if (model->precomputed == NULL && model->family->front != FRONT_QKV)
        return 0;
    return err_set(e, ERR_USAGE, "%s: noise requires a model or a layer, -m",
                   model->precomputed != NULL ? "--attention" : "--qkv");
}

static int stability_prepare(void *self, struct err *e)
{
    struct stability_job *job = self;

    (void)e;
    job->job.record = records_without_shown(&job->job.s, &text_record);
    return 0;
}

static bool stability_draws(const void *self)
{
    return ((const struct stability_job *)self)->args->noise > 0;
}

static const struct job_kind kind = { .drawn = "--noise above 0 and ", .draws = stability_draws,
                                      .outputs = &output_reports, .check = stability_check,
                                      .prepare = stability_prepare, .text = stability_one_text };

static int stability_run(const void *args, int n_operands, char **operands, const struct env *env,
                         struct err *e)
{
    struct stability_job job = { .job = { args, n_operands, operands }, .args = args };

    return job_run(&job.job, &kind, env, e);
}

const struct cmd cmd_stability = {
    .name = "stability", .summary = "measure the effect of noise on the embeddings",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct stability_args), .examples = examples,
    .max_operands = 2, .run = stability_run,
    .records = (const struct record *const[]){ &text_record, NULL },
};
