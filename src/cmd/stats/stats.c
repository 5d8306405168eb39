/* SPDX-License-Identifier: MIT
 * stats: a report per head, as a table, TSV or JSON lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/links.h"
#include "analysis/spectral.h"
#include "analysis/top.h"
#include "cmd/metric_fields.h"
#include "cmd/stats/stats.h"
#include "session/mark.h"

static const struct opt_values sort_values = { .words = stats_sorts };
static const struct opt_values compute_values = { .words = metric_words, .between = ',' };

#define F(f) offsetof(struct stats_args, f)
static const struct opt opts[] = {
    SEVERAL('m', "model", "PATH", F(models), OPT_MOST, &model_values,
            "model, as elsewhere; given again, with --summary: a summary of each"),
    WORDS(0, "compute", "LIST", F(compute), &compute_values,
          "metrics: basic (default), all, a group, or names, with commas between"),
    WORDS(0, "sort", "NAME", F(sort), &sort_values,
          "order of the heads: layer (default), or a metric, the largest first"),
    FLAG(0, "reverse", F(reverse), "reverse the order"),
    INT(0, "top", "K", F(top), "10", 0, 100000,
        "number of strongest links of each head in JSON"),
    FLAG(0, "links", F(links), "table of the strongest link of each row of each head"),
    INT(0, "clusters", "K", F(clusters), "8", 1, 100000, "js_cluster: at most K clusters"),
    REAL(0, "entropy-eps", "E", F(entropy_eps), "0", 0, 1,
         "entropy and entropy_norm: -sum a ln(a + E); 0: exactly"),
    END
};

static const struct opt cache_opts[] = {
    STRING(0, "budgets", "LIST", F(budgets),
           "with --compute cache: up to three numbers of keys that are kept; 16,64,256"),
    STRING(0, "stream", "S,R", F(stream),
           "with --compute cache, streaming: the first S keys are kept, the last R; 4,64"),
    INT(0, "prompt", "N", F(prompt), "0", 0, 1 << 24,
        "cache_snapkv: tokens of the prompt; 0: half of the text"),
    INT(0, "snap-window", "W", F(snap_window), "32", 1, 1 << 20,
        "cache_snapkv: rows at the prompt's end that choose, and whose keys are kept"),
    END
};

static const struct opt summary_opts[] = {
    FLAG(0, "summary", F(summary),
         "of several texts: mean of each metric over the texts, 95 % interval"),
    INT_OR_ALONE("bootstrap", "B", F(bootstrap), "1000", 2, 10000,
                 "with --summary: another interval, of B replicates of the texts"),
    STRING(0, "by", "KEY", F(shared.asked.by),
           "with --summary, --jsonl: a summary for each value of this key, and differences"),
    FLAG(0, "reliability", F(reliability),
         "with --summary: how alike two halves of the texts are"),
    END
};
#undef F
static const struct opt_group summary_group = { "many texts", summary_opts };
static const struct opt_group cache_group = { "caches", cache_opts };

static const struct opt_group *const groups[] = {
    &cache_group, &summary_group, &shard_group, &resume_group, &split_group, &memory_group,
    &types_group,
    &output_reports.group, &hide_group,
    &weight_group, PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz stats",
    "mha-viz stats --sort entropy --reverse 'the cat saw the dog and the cat ran'",
    "mha-viz stats --tsv -f samples/english.txt | cut -f 1,3,4,5",
    NULL
};

/* ---- records ---- */

#define F(f) offsetof(struct link, f)
static const struct column link_columns[] = {
    { "query", "position of the query, from 0", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(query) },
    { "key", "position of the key, from 0; null: the row sees no key", .kind = COLUMN_INT,
      .where = IN_JSON, .null = NULL_SHOWN, .field = F(key) },
    { "weight", "weight of the query on the key", .kind = COLUMN_FLOAT, .where = IN_JSON,
      .field = F(weight) },
};
#undef F

static const struct record link_record = {
    .help = "a link", .size = sizeof(struct link), .tuple = true,
    RECORD_COLUMNS(link_columns),
};

struct head_row {
    struct head_id id;
    struct metric_fields metrics;
    struct link words;          /* query and key -1: there is none */
    double weight;              /* of words; NaN */
    const char *type;           /* by --types; NULL: none is known */
    const char *strongest;      /* words as a person reads them; NULL: none */
    int n_skipped, n_tokens;
    struct list links, top, types;
};

#define F(f) offsetof(struct head_row, f)
static const struct column head_columns[] = {
    HEAD_COLUMNS,
#define METRIC(...) METRIC_COLUMN(F(metrics), __VA_ARGS__)
#include "analysis/metrics.def"
#undef METRIC
    { "type", "what the head is, by --types, or by the file of a built-in model", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .null = NULL_SHOWN, .optional = true, .field = F(type) },
    { "strongest", "strongest link between two different tokens, neither of them special",
      .heading = "strongest link", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .null = NULL_SHOWN, .field = F(strongest) },
    { "link_query", "query of the strongest link between two different tokens",
      .kind = COLUMN_INT, .where = IN_TSV, .null = NULL_SHOWN, .field = F(words.query) },
    { "link_key", "its key", .kind = COLUMN_INT, .where = IN_TSV, .null = NULL_SHOWN,
      .field = F(words.key) },
    { "link_weight", "its weight", .kind = COLUMN_REAL, .where = IN_TSV,
      .null = NULL_SHOWN, .field = F(weight) },
    { "rows_skipped", "rows that see no key: they are in no mean", "rows",
      .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .field = F(n_skipped) },
    { "n_tokens", "number of the queries' tokens", "tokens", .kind = COLUMN_INT,
      .where = IN_TSV, .field = F(n_tokens) },
    { "links", "the strongest link of every row", .kind = COLUMN_RECORD, .list = true,
      .where = IN_JSON, .of = &link_record, .field = F(links) },
    { "top", "the strongest links of the head, the strongest first",
      .kind = COLUMN_RECORD, .list = true, .where = IN_JSON, .of = &link_record,
      .field = F(top) },
    { "types", "labels of mha-viz-types(1) that hold by the metrics computed, without probes",
      .kind = COLUMN_TEXT, .list = true, .where = IN_JSON, .field = F(types) },
};
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

struct text_row {
    struct records_text_id id;
    struct list tokens, labels, ids, tokens_key, labels_key, ids_key;
    struct records_shown shown;
    struct metric_maps maps;
    struct list heads;
};

#define F(f) offsetof(struct text_row, f)
static const struct column text_columns[] = {
    TEXT_COLUMNS_SPLIT,
    { "tokens", "pieces of the vocabulary, the queries in order", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .field = F(tokens) },
    { "labels", "the text that each of the tokens stands for", .kind = COLUMN_SPAN,
      .list = true, .where = IN_JSON, .field = F(labels) },
    { "ids", "ids of the tokens; null for arrays", .kind = COLUMN_INT, .list = true,
      .where = IN_JSON, .null = NULL_SHOWN, .field = F(ids) },
    { "tokens_key", "pieces of the keys, where they are of another text",
      .kind = COLUMN_TEXT, .list = true, .where = IN_JSON, .optional = true,
      .field = F(tokens_key) },
    { "labels_key", "the text that each of tokens_key stands for", .kind = COLUMN_SPAN,
      .list = true, .where = IN_JSON, .optional = true, .field = F(labels_key) },
    { "ids_key", "ids of tokens_key; null for arrays", .kind = COLUMN_INT, .list = true,
      .where = IN_JSON, .optional = true, .null = NULL_SHOWN, .field = F(ids_key) },
    SHOWN_COLUMNS(F(shown)),
#define METRIC(...) METRIC_MAP_COLUMN(F(maps), __VA_ARGS__)
#include "analysis/metrics.def"
#undef METRIC
    HEADS_COLUMN(&head_record, F(heads)),
};
#undef F

static const struct record text_record = {
    .schema = "mha-viz/stats/1", .help = "what each head does with a text",
    .size = sizeof(struct text_row), RECORD_COLUMNS(text_columns),
};

/* A row of the table of --links. */
struct link_row {
    struct head_id id;
    int query, key;
    const char *query_label, *key_label;
    double weight;
};

#define F(f) offsetof(struct link_row, f)
static const struct column row_columns[] = {
    HEAD_COLUMNS,
    { "query", "position", .kind = COLUMN_INT, .where = IN_TABLE, .field = F(query) },
    { "", "text of the query", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .field = F(query_label) },
    { "key", "position", .kind = COLUMN_INT, .where = IN_TABLE, .null = NULL_SHOWN,
      .field = F(key) },
    { "", "text of the key", .kind = COLUMN_TEXT, .where = IN_TABLE, .null = NULL_SHOWN,
      .field = F(key_label) },
    { "weight", "weight", NULL, NULL, "%.4f", COLUMN_REAL, .where = IN_TABLE,
      .field = F(weight) },
};
#undef F

static const struct record row_record = {
    .help = "the strongest link of a row", .size = sizeof(struct link_row),
    RECORD_COLUMNS(row_columns),
};

/* ---- rows ---- */

/* What the sinks of a pass found. */
struct found {
    struct stats *stats;
    struct links *links;
    struct top *top;            /* NULL: not asked for */
};

static struct head_row head_row(const struct stats_job *j, const struct found *found,
                                int text, struct head_id id, int n_tokens)
{
    const struct head_stats *head = stats_head(found->stats, text, id.layer, id.head);
    const struct head_links *links = links_head(found->links, text, id.layer, id.head);
    struct head_row row = {
        .id = id, .words = links->words, .weight = (double)links->words.weight,
        .n_skipped = head->n_skipped, .n_tokens = n_tokens, .type = stats_type(j, id),
        .links = { links->row, links->n_rows },
    };

    if (found->top != NULL) {
        const struct head_top *top = top_head(found->top, text, id.layer, id.head);

        row.top = (struct list){ top->link, top->n };
    }
    metric_fields(&j->choice, head, &row.metrics);
    if (row.words.key < 0) {
        row.words.query = -1;
        row.weight = NAN;
    }
    return row;
}

static struct text_row text_row(const struct stats_job *job, struct arena *a,
                                const struct item *item, struct list heads)
{
    const struct session *session = &job->job.s;
    const struct tokens *queries = session_queries(session, item),
                        *keys = session_keys(session, item);

    return (struct text_row){
        .id = records_text_id(session, item), .tokens = records_pieces(queries),
        .labels = records_labels(a, queries), .ids = records_ids(queries),
        .tokens_key = records_pieces(keys), .labels_key = records_labels(a, keys),
        .ids_key = records_ids(keys), .shown = records_shown(session, a, item, &job->choice),
        .heads = heads,
    };
}

/* One table per head: a column of links per head would be unreadable. */
static struct list *link_tables(const struct job *job, struct arena *a,
                                const struct item *item, const struct list *heads)
{
    const struct tokens *queries = session_queries(&job->s, item);
    const struct tokens *keys = session_keys(&job->s, item);
    const struct head_row *head = heads->at;
    struct list *tables = arena_alloc(a, (size_t)heads->n, sizeof *tables);

    for (int i = 0; i < heads->n; i++) {
        const struct link *link = head[i].links.at;
        struct link_row *row = arena_alloc(a, (size_t)head[i].links.n, sizeof *row);

        for (int k = 0; k < head[i].links.n; k++)
            row[k] = (struct link_row){
                head[i].id, link[k].query, link[k].key,
                records_token(a, queries, link[k].query),
                link[k].key < 0 ? NULL : records_token(a, keys, link[k].key),
                (double)link[k].weight,
            };
        tables[i] = (struct list){ row, head[i].links.n };
    }
    return tables;
}

/* ---- one text ---- */

/* The selected heads of a text, sorted. */
static const struct stats_rank *ranking(const struct stats_job *j, struct arena *a,
                                        const struct stats *s, int text, int *n)
{
    const struct head_id *id = records_heads(&j->job.s, &j->job.want, a, n);
    struct stats_rank *rank = arena_alloc(a, (size_t)*n, sizeof *rank);

    for (int i = 0; i < *n; i++) {
        const struct head_stats *head = stats_head(s, text, id[i].layer, id[i].head);
        double value[N_METRIC];

        metric_choice_spread(&j->choice, head->value, value);
        rank[i] = (struct stats_rank){ id[i], j->sort >= 0 ? value[j->sort] : 0, i };
    }
    stats_sort(j, rank, *n);
    return rank;
}

static struct list head_rows(const struct stats_job *j, struct arena *a,
                             const struct item *item, const struct found *found, int text)
{
    int n;
    const struct stats_rank *order = ranking(j, a, found->stats, text, &n);
    int n_tokens = session_queries(&j->job.s, item)->n, n_hidden;
    struct head_row *row = arena_alloc(a, (size_t)n, sizeof *row);

    shown_hidden(a, item, session_query_side(&j->job.s), &n_hidden);
    for (int i = 0; i < n; i++) {
        const char *link;

        row[i] = head_row(j, found, text, order[i].id, n_tokens);
        row[i].types = stats_types(j, a, row[i].metrics.value,
                                   n_tokens - n_hidden - row[i].n_skipped, 1);
        link = records_link(a, &j->job.s, item, row[i].words);
        if (link != NULL)
            row[i].strongest = arena_printf(a, "%s %.3f", link, row[i].weight);
    }
    return (struct list){ row, n };
}

/* What the model added, from its first letter on; NULL: nothing. */
static const char *generated(struct arena *a, const struct item *item)
{
    size_t blank;

    if (item->generated == NULL)
        return NULL;
    blank = strspn(item->generated, " ");
    return arena_printf(a, "generated: “%s”\n",
                        report_clean(a, item->generated + blank,
                                     item->generated_size - blank));
}

/* Above the table; NULL: nothing. */
static const char *lead(const struct stats_job *j, struct arena *a, const struct item *item)
{
    const char *first = generated(a, item);
    const char *second = records_shown_line(&j->job.s, a, item, &j->choice);

    if (first == NULL || second == NULL)
        return first != NULL ? first : second;
    return arena_printf(a, "%s%s", first, second);
}

static int print_text(struct stats_job *j, struct arena *a, const struct item *item,
                      const struct found *found, int text, struct err *e)
{
    struct text_row row = text_row(j, a, item, head_rows(j, a, item, found, text));
    int n_queries = session_queries(&j->job.s, item)->n;
    int n_keys = session_keys(&j->job.s, item)->n;
    struct results_text out = { &row, j->head_record, &row.heads, 1,
                                lead(j, a, item) };

    metric_fields_maps(a, &j->choice, found->stats, text, n_queries, n_keys, &row.maps);
    if (j->args->links) {
        out.record = &row_record;
        out.tables = link_tables(&j->job, a, item, &row.heads);
        out.n_tables = row.heads.n;
    }
    return results_text(&j->job.results, a, item, &out, e);
}

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
        s->model->precomputed == NULL)
        job->set.opts.spectral = spectral_of(s->a, s->shown, s->par);
}

static int prepare(void *self, struct err *e)
{
    struct stats_job *job = self;
    const struct session *s = &job->job.s;

    if (stats_settle(job, e) != 0)
        return -1;
    job->causal = s->stack != STACK_CROSS && mark_looks_back(s->shown);
    look_at_weights(job);
    if (job->job.of_many)
        return open_summary(job, e);
    job->job.record = records_without_shown(&job->job.s, &text_record);
    leave_out_keys(job);
    job->job.record = stats_without_metrics(job, job->job.record);
    job->head_record = stats_without_metrics(job, &head_record);
    return stats_types_open(job, e) != 0 ? -1 : parts_open(&job->job, NULL, 0, e);
}

static int end(void *self, struct err *e)
{
    struct stats_job *job = self;

    (void)e;
    stats_summary_report(job, NULL, &job->job.results.report, false);
    return 0;
}

static int summarise(struct stats_job *j, struct arena *a, const struct item *items, int n,
                     struct stats *stats, struct err *e)
{
    struct sink sinks[STATS_SINKS];

    if (job_forward(&j->job, a, sinks, stats_sinks(stats, sinks), e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (stats_summary_add(j, &items[i], stats, i, e) != 0)
            return -1;
    return 0;
}

static int texts(void *self, struct arena *a, const struct item *items, int n, struct err *e)
{
    struct stats_job *job = self;
    const struct model *shown = job->job.s.shown;
    const struct wanted *want = &job->job.want;
    struct sink sinks[STATS_SINKS + 2];
    struct found found = { .top = NULL };
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
    for (int i = 0; i < n; i++)
        if (print_text(job, a, &items[i], &found, i, e) != 0)
            return -1;
    return 0;
}

static int check(void *self, struct err *e)
{
    struct stats_job *job = self;
    const struct stats_args *args = job->args;
    bool of_many = job->job.of_many;

    if (of_many && args->links)
        return err_set(e, ERR_USAGE, "--summary, --links: only one of them can be given");
    if (of_many && args->shared.types != NULL)
        return err_set(e, ERR_USAGE, "--summary, --types: only one of them can be given");
    if (args->bootstrap > 0 && !of_many)
        return err_set(e, ERR_USAGE, "--bootstrap requires --summary");
    if (args->shared.asked.by != NULL && !of_many)
        return err_set(e, ERR_USAGE, "--by requires --summary");
    if (args->reliability && !of_many)
        return err_set(e, ERR_USAGE, "--reliability requires --summary");
    return 0;
}

/* Links, columns and metrics of each head; of some metrics maps. */
static double keeps(void *self, const struct item *item)
{
    static const enum metric_id maps[] = { METRIC_rollout, METRIC_flow, METRIC_erank,
                                           METRIC_erank_sq, METRIC_stable_rank };
    const struct stats_job *j = self;
    double T = session_queries(&j->job.s, item)->n, S = session_keys(&j->job.s, item)->n;
    double heads = 0, bytes = 0;

    for (int l = 0, h = -1; session_next_head(&j->job.s, &j->job.want, &l, &h);)
        heads++;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        bytes += j->choice.wanted[maps[i]] ? 3 * sizeof(double) * T * S : 0;
    return bytes + heads * (N_METRIC * sizeof(double) + T * sizeof(struct link) +
                            S * sizeof(double));
}

static const struct job_kind kind = { .outputs = &output_reports, .check = check,
                                      .prepare = prepare, .keeps = keeps, .texts = texts };
static const struct job_kind summary_kind = { .outputs = &output_reports, .check = check,
                                              .prepare = prepare, .keeps = keeps, .texts = texts,
                                              .end = end };

static void report(void *self)
{
    struct stats_job *job = self;

    stats_summary_report(job, NULL, &job->job.results.report, false);
}

extern const struct cmd cmd_stats;

const struct parts_kind stats_parts = {
    .cmd = &cmd_stats, .job_size = sizeof(struct stats_job), .describe = stats_sums_describe,
    .put = stats_sums_put, .add = stats_sums_add, .open = stats_sums_open, .report = report,
};

static int run_one(const struct stats_args *args, int n_operands, char **operands,
                   const struct env *env, struct err *e)
{
    struct stats_job job = { .job = { args, n_operands, operands }, .args = args };

    job.job.s.a = env->arena;
    if (parts_choose(&job.job, &stats_parts, job.args->summary, e) != 0 ||
        stats_choose(&job, e) != 0)
        return -1;
    return job_run(&job.job, job.job.of_many ? &summary_kind : &kind, env, e);
}

static int run(const void *args, int n_operands, char **operands, const struct env *env,
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
    .name = "stats", .summary = "report entropy, strongest links and more for each head",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct stats_args), .examples = examples,
    .max_operands = 2, .run = run,
    .records = (const struct record *const[]){ &text_record, &stats_summary_record, NULL },
};
