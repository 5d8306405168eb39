/* SPDX-License-Identifier: MIT
 * stats: a report per head, as a table, TSV or JSON lines. */
#include "analysis/links.h"
#include "analysis/spectral.h"
#include "analysis/top.h"
#include "session/shown/average.h"
#include "session/shown/mark.h"
#include "task/common/counts.h"
#include "task/stats/stats.h"

static const struct opt_values sort_values = { .words = stats_sorts };
static const struct opt_values metric_values = { .words = metric_words, .between = ',' };

#define F(f) offsetof(struct stats_args, f)
static const struct opt opts[] = {
    SEVERAL('m', "model", "PATH", F(models), OPT_MOST, &model_values,
            "folder, file or name of a model; given again, with --summary: a summary of each "
            "model"),
    WORDS(0, "metric", "LIST", F(metric), &metric_values,
          "metrics: basic (default), all, a group, or names separated by commas"),
    WORDS(0, "sort", "NAME", F(sort), &sort_values,
          "order of the heads: layer (default), or a metric, the largest first"),
    FLAG(0, "reverse", F(reverse), "reverse the order"),
    INT(0, "best", "N", F(best), NULL, 1, 1 << 20, "with --sort: report only the first N heads",
        .needs = "sort: by what heads are the best"),
    INT(0, "top", "N", F(top), "10", 0, 100000,
        "links per head with --json, or keys with --metric received"),
    INT(0, "clusters", "K", F(clusters), "8", 1, 100000,
        "metric js_cluster: form at most K clusters"),
    REAL(0, "entropy-eps", "E", F(entropy_eps), "0", 0, 1,
         "metrics of entropy: ln(a + E), not ln(a)"),
    END
};

static const struct opt table_opts[] = {
    FLAG(0, "links", F(links),
         "report the strongest link of each row of each head, and nothing else",
         .excludes = "metric|types|shard|hidden-out|hidden-in"),
    FLAG(0, "legend", F(legend), "explain the columns below the table"),
    END
};

static const struct opt cache_opts[] = {
    STRING(0, "budgets", "LIST", F(budgets),
           "with --metric cache: up to three numbers of keys that are kept; by default "
           "16,64,256"),
    STRING(0, "stream", "S,R", F(stream),
           "with --metric streaming or cache: keep the first S keys and the last R; by default "
           "4,64"),
    INT(0, "prompt", "N", F(prompt), "0", 0, 1 << 24,
        "metric cache_snapkv: number of tokens of the prompt; 0: half of the text"),
    INT(0, "snap-window", "W", F(snap_window), "32", 1, 1 << 20,
        "metric cache_snapkv: number of rows, at the end of the prompt, that choose keys and "
        "whose own keys are kept"),
    END
};

/* A report of many texts, or sums for one. */
#define OF_MANY "summary|shard|hidden-out|hidden-in"

static const struct opt summary_opts[] = {
    FLAG(0, "summary", F(summary), "report means over all texts, with 95 % intervals",
         .excludes = "links|types"),
    INT_OR_ALONE("bootstrap", "B", F(bootstrap), "1000", 2, 10000,
                 "with --summary: also a bootstrap interval, of B replicates",
         .needs = OF_MANY),
    STRING(0, "by", "KEY", F(shared.asked.by),
           "with --summary and --jsonl: a summary for each value of this key, and the "
           "differences between them",
         .needs = OF_MANY "; jsonl"),
    FLAG(0, "reliability", F(reliability),
         "with --summary: report how well two halves of the texts agree",
         .needs = OF_MANY),
    END
};

/* What a part of the layers is without. */
#define OF_LAYERS \
    "shard|resume|generate|input|types|average; attention|qkv: a model is required"

static const struct opt layers_opts[] = {
    OUTPUT(0, "hidden-out", "FILE", F(layers.out),
           "write the texts and the hidden states after the layers of -l to this file (-: "
           "standard output), for --hidden-in; then -o gets sums for mha-viz merge",
         .excludes = OF_LAYERS),
    PATH(0, "hidden-in", "FILE", F(layers.in),
         "continue with the texts and hidden states that --hidden-out of another process "
         "wrote, with the same options; - is standard input",
         .excludes = OF_LAYERS "; file|ids: the stream has the texts"),
    END
};

/* Options that only these metrics read. */
static const struct {
    const char *option, *metrics;
    size_t field;
    enum metric_id first, last;
} readers[] = {
    { "--entropy-eps", "entropy or entropy_norm", F(entropy_eps), METRIC_entropy,
      METRIC_entropy_norm },
    { "--clusters", "js_cluster", F(clusters), METRIC_js_cluster, METRIC_js_cluster },
    { "--budgets", "metrics of the group cache", F(budgets), METRIC_cache_oracle_16,
      METRIC_cache_snapkv_256_agree },
    { "--stream", "metrics of the groups cache and streaming", F(stream), METRIC_cache_oracle_16,
      METRIC_stream_omitted },
    { "--prompt", "metrics of cache_snapkv", F(prompt), METRIC_cache_snapkv_16,
      METRIC_cache_snapkv_256_agree },
    { "--snap-window", "metrics of cache_snapkv", F(snap_window), METRIC_cache_snapkv_16,
      METRIC_cache_snapkv_256_agree },
};
#undef F
static const struct opt_group summary_group = { "many texts", summary_opts };
static const struct opt_group table_group = { "tables", table_opts };
static const struct opt_group cache_group = { "caches", cache_opts };
static const struct opt_group layers_group = { "many texts", layers_opts };

static const struct opt_group *const groups[] = {
    &table_group, &cache_group, &rare_group, &summary_group, &shard_group, &resume_group,
    &split_group, &memory_group, &layers_group, &types_group,
    &output_reports.group, &hide_group, &average_group,
    &weight_group, PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz stats",
    "mha-viz stats --sort entropy --reverse 'the cat saw the dog and the cat ran'",
    "mha-viz stats --tsv -f samples/english.txt | cut -f 1,3,4,5",
    NULL
};

/* ---- the command ---- */

/* Only cross-attention has keys of another text. */
static void leave_out_keys(struct stats_job *job)
{
    static const char *const of_keys[] = { "tokens_key", "labels_key", "ids_key",
                                           "hidden_key", NULL };
    const struct session *s = &job->job.s;

    if (s->stack != STACK_CROSS)
        job->job.record = record_without(s->a, job->job.record, IN_JSON, of_keys);
}

static int open_summary(struct stats_job *job, struct err *e)
{
    const struct session *s = &job->job.s;
    int n;
    const struct head_id *head = records_heads(s, &job->job.want, s->a, &n);

    stats_summary_open(job, head, n);
    return parts_open(&job->job, head, n, e);
}

/* What is of the weights alone, once for all texts. */
static void look_at_weights(struct stats_job *job)
{
    const struct session *s = &job->job.s;

    if (job->choice.wanted[METRIC_spectral] && s->stack != STACK_CROSS &&
        session_has_weights(s))
        job->set.opts.spectral = spectral_of(s->a, s->shown, s->par, s->env->warn);
}

static bool wants_counts(const struct metric_set *set)
{
    for (int k = 0; k < set->n; k++)
        if (set->metric[k].rule->counts)
            return true;
    return false;
}

/* How often tokens occur, where a metric asks; with --hidden-in as the process before found. */
static int count_tokens(struct stats_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct unigrams c = { NULL, 0 };
    bool streamed = s->asked->stream != NULL, given = job->args->shared.unigrams != NULL;

    if (given && !wants_counts(&job->set))
        return err_set(e, ERR_USAGE, "--unigrams is of metrics of rare tokens: expected them in "
                       "--metric or --sort");
    if (streamed && !given)
        c = s->asked->stream->unigrams;
    else if (wants_counts(&job->set) &&
             counts_take(&job->job, "metrics of rare tokens", &c, e) != 0)
        return -1;
    if (c.count != NULL)
        job->set.opts.counts = metric_counts_new(s->a, c.count, c.n);
    if (job->job.layers != NULL && !given)
        job->job.layers->unigrams = c;
    return 0;
}

/* What compares heads has neither replicates nor halves. */
static int check_means(const struct stats_job *job, struct err *e)
{
    const struct stats_args *args = job->args;

    if (!job->job.of_many || metric_choice_any(&job->choice) ||
        (args->bootstrap == 0 && !args->reliability))
        return 0;
    return err_set(e, ERR_USAGE, "%s is of means: js, mds and js_cluster have none; expected "
                   "another metric in --metric", args->reliability ? "--reliability" :
                   "--bootstrap");
}

static int stats_prepare(void *self, struct err *e)
{
    struct stats_job *job = self;
    const struct session *s = &job->job.s;

    if (job->job.of_many && session_averages(s, AVERAGE_TEXTS))
        return err_set(e, ERR_USAGE, "--summary, --average texts: only one of them can be given: "
                       "--summary is of means of numbers, --average of means of maps");
    if (stats_settle(job, e) != 0 || check_means(job, e) != 0 || count_tokens(job, e) != 0)
        return -1;
    job->causal = s->stack != STACK_CROSS && mark_looks_back(s->shown);
    look_at_weights(job);
    job->set.progress = par_progress(s->par);
    if (job->job.of_many)
        return open_summary(job, e);
    job->job.record = records_without_shown(s, stats_shows_keys(job) ? &stats_keys_record :
                                               job->args->links ? &stats_links_record :
                                                                  &stats_text_record);
    leave_out_keys(job);
    job->job.record = stats_without_metrics(job, job->job.record);
    job->head_record = stats_without_metrics(job, &stats_head_record);
    return stats_types_open(job, e) != 0 ? -1 : parts_open(&job->job, NULL, 0, e);
}

static int end(void *self, struct err *e)
{
    struct stats_job *job = self;

    (void)e;
    stats_summary_report(job, NULL, &job->job.results.report, false);
    return 0;
}

static int summarise(struct stats_job *job, struct arena *a, const struct item *items, int n,
                     struct stats *stats, struct err *e)
{
    struct sink sinks[STATS_SINKS];

    if (job_forward(&job->job, a, sinks, stats_sinks(stats, sinks), e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (stats_summary_add(job, &items[i], stats, i, e) != 0)
            return -1;
    return layers_pass_on(&job->job, a, items, n, e);
}

static int stats_texts(void *self, struct arena *a, const struct item *items, int n, struct err *e)
{
    struct stats_job *job = self;
    const struct model *shown = job->job.s.shown;
    const struct wanted *want = &job->job.want;
    struct sink sinks[STATS_SINKS + 2];
    struct stats_found found = { .top = NULL };
    struct attended attended = job_pack(&job->job, a, items, n);
    int n_sinks;

    found.stats = stats_new(a, shown, &attended, want, &job->set);
    job->job.want.tap = stats_tap(found.stats);
    if (job->summary != NULL)
        return summarise(job, a, items, n, found.stats, e);
    found.links = links_new(a, shown, &attended, want);
    n_sinks = stats_sinks(found.stats, sinks);
    sinks[n_sinks++] = links_sink(found.links);
    if (job->job.results.report.format == REPORT_JSON) {
        found.top = top_new(a, shown, &attended, want, job->args->top);
        sinks[n_sinks++] = top_sink(found.top);
    }
    if (job_forward(&job->job, a, sinks, n_sinks, e) != 0)
        return -1;
    return stats_print_texts(job, a, items, n, &found, e);
}

/* What compares heads of all layers, or goes through them. */
static int stats_check_layers(const struct stats_job *job, struct err *e)
{
    static const enum metric_id of_all[] = { METRIC_js, METRIC_mds, METRIC_js_cluster,
                                             METRIC_rollout, METRIC_flow };

    for (size_t i = 0; job->job.layers != NULL && i < sizeof of_all / sizeof *of_all; i++)
        if (job->choice.wanted[of_all[i]])
            return err_set(e, ERR_USAGE, "--metric: %s is of all layers: expected a run without "
                           "--hidden-out and --hidden-in", metric_table[of_all[i]].name);
    return 0;
}

static bool stats_is_wanted(const struct stats_job *job, enum metric_id first, enum metric_id last)
{
    bool any = false;

    for (int i = (int)first; i <= (int)last; i++)
        any |= job->choice.wanted[i];
    return any;
}

/* Options that nothing would read. */
static int check_readers(const struct stats_job *job, struct err *e)
{
    const struct stats_args *args = job->args;
    const struct common_args *common = &args->shared.common;

    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (opts_is_given(common, readers[i].field) &&
            !stats_is_wanted(job, readers[i].first, readers[i].last))
            return err_set(e, ERR_USAGE, "%s is of %s: expected one in --metric or --sort",
                           readers[i].option, readers[i].metrics);
    if (opts_is_given(common, offsetof(struct stats_args, top)) &&
        (job->job.of_many || args->links || (job->job.results.output.format != OUTPUT_JSON &&
                                             !stats_shows_keys(job))))
        return err_set(e, ERR_USAGE, "--top is of the JSON of a text's heads, or of the keys that "
                       "receive most: expected --json, or --metric received alone, without "
                       "--links, --summary and --sort");
    return 0;
}

static int stats_check(void *self, struct err *e)
{
    struct stats_job *job = self;
    const struct stats_args *args = job->args;
    bool of_many = job->job.of_many;

    if (check_readers(job, e) != 0 ||
        (of_many && shown_check_numbers(&job->job.s, e) != 0))
        return -1;
    if (of_many && args->shared.types != NULL)
        return err_set(e, ERR_USAGE, "--shard, --types: only one of them can be given");
    if (args->shared.types != NULL && job->job.results.output.format != OUTPUT_TABLE)
        return err_set(e, ERR_USAGE, "--types is of the table of a text: expected it without "
                       "--tsv and --json");
    if (args->legend && (of_many || job->job.results.output.format != OUTPUT_TABLE))
        return err_set(e, ERR_USAGE, "--legend is of the table of a text");
    if (args->reliability && output_is_report(&job->job.results.output) &&
        job->job.results.output.format != OUTPUT_TABLE &&
        job->job.results.output.format != OUTPUT_JSON)
        return err_set(e, ERR_USAGE, "--reliability is of the table and JSON: it is of a metric, "
                       "and lines of TSV are of heads");
    return stats_check_layers(job, e);
}

static bool compares_heads(const struct metric_set *set)
{
    for (int k = 0; k < set->n; k++)
        if (set->metric[k].rule->between)
            return true;
    return false;
}

/* Links, columns and metrics of each head; of some metrics maps. */
static double stats_keeps(void *self, const struct item *item)
{
    static const enum metric_id maps[] = { METRIC_rollout, METRIC_flow, METRIC_erank,
                                           METRIC_erank_sq, METRIC_stable_rank };
    const struct stats_job *j = self;
    double T = session_queries(&j->job.s, item)->n, S = session_keys(&j->job.s, item)->n;
    const struct config *config = &j->job.s.shown->config;
    double heads = 0, bytes = 0;

    for (int l = 0, h = -1; session_next_head(&j->job.s, &j->job.want, &l, &h);)
        heads++;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        bytes += j->choice.wanted[maps[i]] ? 3 * sizeof(double) * T * S : 0;
    if (compares_heads(&j->set))
        bytes += metric_between_bytes((double)config->n_layers * config->n_heads, T, S);
    return layers_keep(&j->job, item) + bytes +
           heads * (N_METRIC * sizeof(double) + T * sizeof(struct link) + S * sizeof(double));
}

static const struct job_kind kind = { .outputs = &output_reports, .check = stats_check,
                                      .prepare = stats_prepare, .keeps = stats_keeps,
                                      .texts = stats_texts };
static const struct job_kind summary_kind = { .outputs = &output_reports, .check = stats_check,
                                              .prepare = stats_prepare, .keeps = stats_keeps,
                                              .texts = stats_texts, .end = end };

static void stats_report(void *self)
{
    struct stats_job *job = self;

    stats_summary_report(job, NULL, &job->job.results.report, false);
}

extern const struct cmd cmd_stats;

const struct parts_kind stats_parts = {
    .cmd = &cmd_stats, .job_size = sizeof(struct stats_job), .describe = stats_sums_describe,
    .put = stats_sums_put, .add = stats_sums_add, .open = stats_sums_open, .report = stats_report,
    .place = stats_sums_place,
};

/* in: of --hidden-in, closed, until it is open. */
static int run_job(struct stats_args *args, struct stream *stream, int n_operands, char **operands,
                   const struct env *env, struct err *e)
{
    struct stats_job job = { .job = { args, n_operands, operands }, .args = args };

    job.job.s.a = env->arena;
    if (parts_choose(&job.job, &stats_parts, args->summary, e) != 0 ||
        layers_choose(&job.job, &args->layers, stream, e) != 0)
        return -1;
    if (stream->file != NULL && stats_take_options(&cmd_stats, args, stream, env, e) != 0)
        return -1;
    if (stats_choose(&job, e) != 0)
        return -1;
    return job_run(&job.job, job.job.of_many ? &summary_kind : &kind, env, e);
}

static int run_one(struct stats_args *args, int n_operands, char **operands,
                   const struct env *env, struct err *e)
{
    struct stream in = { .file = NULL };
    int status = run_job(args, &in, n_operands, operands, env, e);

    stream_close(&in);
    return status;
}

static int stats_run(const void *args, int n_operands, char **operands, const struct env *env,
                     struct err *e)
{
    struct stats_args *own = arena_alloc(env->arena, 1, sizeof *own);

    *own = *(const struct stats_args *)args;
    if (own->models.n > 1)
        return stats_models_run(&kind, &stats_parts, own, n_operands, operands, env, e);
    own->shared.asked.model = own->models.n > 0 ? own->models.item[0] : NULL;
    return run_one(own, n_operands, operands, env, e);
}

const struct cmd cmd_stats = {
    .name = "stats", .summary = "report entropy, strongest links and other numbers of each head",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct stats_args), .examples = examples,
    .max_operands = 2, .run = stats_run,
    .records = (const struct record *const[]){ &stats_text_record, &stats_links_record,
                                               &stats_summary_record, NULL },
};
