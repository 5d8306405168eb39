/* SPDX-License-Identifier: MIT
 * stats: a report a head, as a table, TSV or JSON lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "cmd/shared.h"
#include "report/report.h"

enum format { FORMAT_TABLE, FORMAT_TSV, FORMAT_JSON };
static const char *const formats[] = { "table", "tsv", "json", NULL };

/* "layer": as the heads stand in the model; then the metrics, largest first. */
static const char *const sorts[] = {
    "layer",
#define METRIC(name, ...) #name,
#include "analysis/metrics.def"
#undef METRIC
    NULL
};

struct stats_args {
    struct shared_args shared;
    const char *out;
    int format, top, sort;
    double entropy_eps;
    bool reverse, links;
};

#define F(f) offsetof(struct stats_args, f)
static const struct opt opts[] = {
    { 'o', "output", "FILE", OPT_STRING, F(out), "-", 0, 0, NULL,
      "write here; - is standard output" },
    { 0, "format", "NAME", OPT_CHOICE, F(format), "table", 0, 0, formats,
      "of the report" },
    { 0, "json", NULL, OPT_ALIAS, 0, "format=json", 0, 0, NULL, "an object a text" },
    { 0, "tsv", NULL, OPT_ALIAS, 0, "format=tsv", 0, 0, NULL, "a row a head" },
    { 0, "sort", "NAME", OPT_CHOICE, F(sort), "layer", 0, 0, sorts,
      "order of the heads: by a metric, the largest first" },
    { 0, "reverse", NULL, OPT_FLAG, F(reverse), NULL, 0, 0, NULL,
      "the other way round" },
    { 0, "top", "K", OPT_INT, F(top), "10", 0, 100000, NULL,
      "strongest links of each head that JSON lists" },
    { 0, "links", NULL, OPT_FLAG, F(links), NULL, 0, 0, NULL,
      "in the table: the strongest link of every row of every head" },
    { 0, "entropy-eps", "E", OPT_REAL, F(entropy_eps), "0", 0, 1, NULL,
      "entropy as -sum a ln(a + E); 0: exactly" },
    { 0 }
};
#undef F

static const struct opt *const shared[] = { model_opts, attention_opts, qkv_opts,
                                           layer_opts, text_opts, rows_opts,
                                           seed_opts, select_opts, mask_opts, generate_opts,
                                           dtype_opts, NULL };

static const char *const examples[] = {
    "mha-viz stats",
    "mha-viz stats --sort entropy --reverse 'the cat saw the dog and the cat ran'",
    "mha-viz stats --tsv -f samples/english.txt | cut -f 1,3,4,5",
    NULL
};

struct job {
    struct session s;
    const struct stats_args *args;
    struct wanted want;
    struct out out;
    bool header;                /* the TSV's first line was written */
};

/* ---- JSON ---- */

static void json_links(struct jsonw *j, const char *key, const struct link *l, int n)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (int i = 0; i < n; i++) {
        jsonw_array(j);
        jsonw_int(j, l[i].query);
        if (l[i].key < 0)
            jsonw_null(j);
        else
            jsonw_int(j, l[i].key);
        jsonw_float(j, l[i].weight);
        jsonw_end(j, ']');
    }
    jsonw_end(j, ']');
}

static void json_head(struct jsonw *j, const struct head_stats *hs, int n_top)
{
    jsonw_object(j);
    jsonw_member_string(j, "stack", stack_names[hs->stack]);
    jsonw_member_int(j, "layer", hs->layer);
    jsonw_member_int(j, "head", hs->head);
    for (int k = 0; k < N_METRIC; k++) {
        jsonw_member_double(j, metric_table[k].name, hs->mean[k]);
    }
    jsonw_member_int(j, "rows_skipped", hs->n_skipped);
    json_links(j, "links", hs->link, hs->n_links);
    json_links(j, "top", hs->top, hs->n_top < n_top ? hs->n_top : n_top);
    jsonw_end(j, '}');
}

static void json_text(struct jsonw *j, const struct item *item)
{
    jsonw_key(j, "text");
    jsonw_string_n(j, item->text, item->text_size);
    if (item->input != NULL) {
        jsonw_member_string(j, "input", item->input);
    }
    if (item->pair != NULL) {
        jsonw_key(j, "pair");
        jsonw_string_n(j, item->pair, item->pair_size);
    }
    if (item->generated != NULL) {
        jsonw_key(j, "generated");
        jsonw_string_n(j, item->generated, item->generated_size);
        jsonw_member_int(j, "n_generated", item->n_generated);
    }
}

static void json_pieces(struct jsonw *j, const char *key, const struct tokens *t)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (int i = 0; i < t->n; i++)
        jsonw_string(j, t->piece[i]);
    jsonw_end(j, ']');
}

static void json_ids(struct jsonw *j, const char *key, const struct tokens *t)
{
    jsonw_key(j, key);
    if (t->id == NULL) {
        jsonw_null(j);
        return;
    }
    jsonw_array(j);
    for (int i = 0; i < t->n; i++)
        jsonw_int(j, t->id[i]);
    jsonw_end(j, ']');
}

/* The queries' tokens; those of the keys beside them where they are of another text. */
static void json_tokens(struct jsonw *j, const struct session *s, const struct item *item)
{
    json_pieces(j, "tokens", session_queries(s, item));
    json_ids(j, "ids", session_queries(s, item));
    if (s->stack != STACK_CROSS)
        return;
    json_pieces(j, "tokens_key", session_keys(s, item));
    json_ids(j, "ids_key", session_keys(s, item));
}

static void print_json(struct job *job, const struct item *item,
                       const struct head_stats *const *heads, int n)
{
    struct jsonw j;

    jsonw_init(&j, job->out.file);
    jsonw_object(&j);
    jsonw_member_string(&j, "schema", "mha-viz/stats/1");
    jsonw_member_int(&j, "index", item->index);
    json_text(&j, item);
    jsonw_member_string(&j, "model", job->s.model->name);
    jsonw_member_string(&j, "family", job->s.model->family->name);
    json_tokens(&j, &job->s, item);
    jsonw_key(&j, "heads");
    jsonw_array(&j);
    for (int i = 0; i < n; i++)
        json_head(&j, heads[i], job->args->top);
    jsonw_end(&j, ']');
    jsonw_end(&j, '}');
    jsonw_newline(&j);
}

/* ---- TSV ---- */

static void tsv_int(FILE *f, bool first, int v)
{
    char s[16];

    tsv_field(f, first, s, (size_t)snprintf(s, sizeof s, "%d", v));
}

static void tsv_string(FILE *f, bool first, const char *s)
{
    tsv_field(f, first, s, strlen(s));
}

/* Empty where a text has no two words. */
static void tsv_words(FILE *f, struct link l)
{
    if (l.key < 0) {
        for (int i = 0; i < 3; i++)
            tsv_string(f, false, "");
        return;
    }
    tsv_int(f, false, l.query);
    tsv_int(f, false, l.key);
    tsv_double(f, false, (double)l.weight);
}

static void print_tsv(struct job *job, const struct item *item,
                      const struct head_stats *const *heads, int n)
{
    static const char *const before[] = { "index", "stack", "layer", "head" };
    static const char *const after[] = { "link_query", "link_key", "link_weight",
                                          "rows_skipped" };
    FILE *f = job->out.file;

    if (!job->header) {
        for (int i = 0; i < 4; i++)
            tsv_string(f, i == 0, before[i]);
        for (int k = 0; k < N_METRIC; k++)
            tsv_string(f, false, metric_table[k].name);
        for (int i = 0; i < 4; i++)
            tsv_string(f, false, after[i]);
        tsv_end(f);
        job->header = true;
    }
    for (int i = 0; i < n; i++) {
        tsv_int(f, true, item->index);
        tsv_string(f, false, stack_names[heads[i]->stack]);
        tsv_int(f, false, heads[i]->layer);
        tsv_int(f, false, heads[i]->head);
        for (int k = 0; k < N_METRIC; k++)
            tsv_double(f, false, heads[i]->mean[k]);
        tsv_words(f, heads[i]->words);
        tsv_int(f, false, heads[i]->n_skipped);
        tsv_end(f);
    }
}

/* ---- table ---- */

/* The text of token i as a person reads it: trimmed, whitespace made visible. */
static const char *shown(struct arena *a, const struct tokens *t, int i)
{
    const char *s = t->label[i];
    size_t n = t->label_size[i];

    while (n > 1 && *s == ' ') {
        s++;
        n--;
    }
    if (n == 0 || (n == 1 && *s == ' '))
        return "␣";
    return report_clean(a, s, n);
}

static const char *link_text(const struct session *s, struct arena *a,
                             const struct item *item, struct link l)
{
    if (l.key < 0)
        return "-";
    return arena_printf(a, "%s(%d) → %s(%d) %.3f",
                        shown(a, session_queries(s, item), l.query), l.query,
                        shown(a, session_keys(s, item), l.key), l.key,
                        (double)l.weight);
}

/* "-0.000" would look as if a sign said something. */
static double not_minus_zero(double v)
{
    return fabs(v) < 0.0005 ? 0 : v;
}

static void print_table(struct job *job, struct arena *a, const struct item *item,
                        const struct head_stats *const *heads, int n)
{
    struct table_column columns[N_METRIC + 2] = { { "head", ALIGN_LEFT } };
    struct table *t;

    for (int k = 0; k < N_METRIC; k++)
        columns[k + 1] = (struct table_column){ metric_table[k].heading, ALIGN_RIGHT };
    columns[N_METRIC + 1] = (struct table_column){ "strongest link", ALIGN_LEFT };
    t = table_new(a, columns, N_METRIC + 2);
    for (int i = 0; i < n; i++) {
        table_cell(t, "L%dH%d", heads[i]->layer, heads[i]->head);
        for (int k = 0; k < N_METRIC; k++) {
            if (isnan(heads[i]->mean[k]))
                table_cell(t, "-");
            else
                table_cell(t, "%.3f", not_minus_zero(heads[i]->mean[k]));
        }
        table_cell(t, "%s", link_text(&job->s, a, item, heads[i]->words));
    }
    table_print(t, job->out.file);
}

/* A column of links a head would be unreadable: a table a head. */
static void print_links(struct job *job, struct arena *a, const struct item *item,
                        const struct head_stats *const *heads, int n)
{
    static const struct table_column columns[] = {
        { "head", ALIGN_LEFT }, { "query", ALIGN_RIGHT }, { "", ALIGN_LEFT },
        { "key", ALIGN_RIGHT }, { "", ALIGN_LEFT }, { "weight", ALIGN_RIGHT },
    };

    for (int i = 0; i < n; i++) {
        struct table *t = table_new(a, columns, 6);

        for (int k = 0; k < heads[i]->n_links; k++) {
            struct link l = heads[i]->link[k];

            table_cell(t, "L%dH%d", heads[i]->layer, heads[i]->head);
            table_cell(t, "%d", l.query);
            table_cell(t, "%s", shown(a, session_queries(&job->s, item), l.query));
            table_cell(t, l.key < 0 ? "-" : "%d", l.key);
            table_cell(t, "%s", l.key < 0 ? "-" :
                       shown(a, session_keys(&job->s, item), l.key));
            table_cell(t, "%.4f", (double)l.weight);
        }
        table_print(t, job->out.file);
    }
}

/* ---- one text ---- */

struct ranked {
    const struct head_stats *head;
    double key;
    int place;
};

static int by_key(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;

    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->place - b->place;
}

/* The wanted heads of a text in the order that --sort and --reverse say. */
static const struct head_stats **sorted(const struct job *j, struct arena *a,
                                        const struct stats *s, int text, int *n)
{
    const struct config *c = &j->s.shown->config;
    size_t max = (size_t)c->n_layers * (size_t)c->n_heads;
    struct ranked *order = arena_alloc(a, max, sizeof *order);
    const struct head_stats **heads = arena_alloc(a, max, sizeof *heads);

    *n = 0;
    for (int l = 0; l < c->n_layers; l++)
        for (int h = 0; h < c->n_heads; h++) {
            const struct head_stats *hs = stats_head(s, text, l, h);
            double key = 0;

            if (hs == NULL)
                continue;
            if (j->args->sort > 0)
                key = hs->mean[j->args->sort - 1];
            order[*n] = (struct ranked){ hs, isnan(key) ? -INFINITY : key, *n };
            (*n)++;
        }
    qsort(order, (size_t)*n, sizeof *order, by_key);
    for (int i = 0; i < *n; i++)
        heads[i] = order[j->args->reverse ? *n - 1 - i : i].head;
    return heads;
}

/* Above the table: what the model added, from its first letter on. */
static void print_generated(FILE *f, struct arena *a, const struct item *item)
{
    size_t blank = strspn(item->generated, " ");

    fprintf(f, "generated: “%s”\n",
            report_clean(a, item->generated + blank, item->generated_size - blank));
}

static void print_text(struct job *j, struct arena *a, const struct item *item,
                       const struct stats *s, int text, bool named)
{
    int n;
    const struct head_stats **heads = sorted(j, a, s, text, &n);

    if (j->args->format == FORMAT_JSON) {
        print_json(j, item, heads, n);
    } else if (j->args->format == FORMAT_TSV) {
        print_tsv(j, item, heads, n);
    } else {
        if (named)
            fprintf(j->out.file, "%stext %d\n", item->index > 0 ? "\n" : "",
                    item->index + 1);
        if (item->generated != NULL)
            print_generated(j->out.file, a, item);
        (j->args->links ? print_links : print_table)(j, a, item, heads, n);
    }
}

/* ---- batches ---- */

enum { BATCH_TEXTS = 256, BATCH_TOKENS = 4096 };    /* weights are read once a batch */

struct load {
    struct item item[BATCH_TEXTS];
    int n;
};

static int run_load(struct job *j, struct input *in, struct load *load, struct err *e);

/* Finds the texts of a batch that cannot be run, one by one. */
static int run_singly(struct job *j, struct input *in, const struct load *load,
                      struct err *e)
{
    struct load *one = arena_alloc(j->s.a, 1, sizeof *one);

    one->n = 1;
    for (int i = 0; i < load->n; i++) {
        one->item[0] = load->item[i];
        if (run_load(j, in, one, e) == 0)
            continue;
        if (e->kind != ERR_INPUT)
            return -1;
        input_reject(in, &load->item[i], e);
    }
    return 0;
}

static int load_failed(struct job *j, struct input *in, const struct load *load,
                       struct err *e)
{
    return e->kind == ERR_INPUT && load->n > 1 ? run_singly(j, in, load, e) : -1;
}

static int run_load(struct job *j, struct input *in, struct load *load, struct err *e)
{
    struct arena *a = j->s.a;
    const struct metric_opts metric_opts = { j->args->entropy_eps };
    struct texts texts;
    struct attended attended;
    struct stats *s;
    struct sink sink;

    if (session_generate(&j->s, load->item, load->n, a, e) != 0)
        return load_failed(j, in, load, e);
    texts_pack(&texts, a, load->item, load->n);
    attended = session_attended(&j->s, &texts);
    s = stats_new(a, j->s.shown, &attended, &j->want, &metric_opts,
                  j->args->format == FORMAT_JSON ? j->args->top : 0);
    sink = stats_sink(s);
    if (session_forward(&j->s, &texts, &j->want, &sink, 1, a, e) != 0)
        return load_failed(j, in, load, e);
    for (int i = 0; i < load->n; i++)
        print_text(j, a, &load->item[i], s, i, input_is_file(in));
    return 0;
}

static int all_texts(struct job *j, struct input *in, struct err *e)
{
    struct load *load = arena_alloc(j->s.a, 1, sizeof *load);
    struct arena_mark mark = arena_mark(j->s.a);
    int rc;

    do {
        int n_tokens = 0;

        load->n = 0;
        do {
            rc = input_next(in, j->s.a, &load->item[load->n], e);
            if (rc == 1) {
                const struct item *item = &load->item[load->n++];

                n_tokens += item->tokens.n + item->target.n +
                            (item->open ? j->s.n_generate : 0);
            }
        } while (rc == 1 && load->n < BATCH_TEXTS && n_tokens < BATCH_TOKENS);
        if (rc < 0)
            return -1;
        if (load->n > 0 && run_load(j, in, load, e) != 0) {
            if (e->kind != ERR_INPUT || !input_is_file(in))
                return -1;
            input_reject(in, &load->item[0], e);
        }
        arena_reset(j->s.a, mark);
    } while (rc == 1);
    return 0;
}

static int run_job(struct job *j, int n_operands, char **operands, struct err *e)
{
    struct input *in;
    int rc;

    if (session_wanted(&j->s, n_operands, false, &j->want, e) != 0)
        return -1;
    in = input_open(&j->s, n_operands, operands, e);
    if (in == NULL || out_open(&j->out, j->args->out, false, e) != 0)
        return -1;
    rc = all_texts(j, in, e);
    return input_end(in, &j->out, rc, e);
}

static int run(const void *args, int n_operands, char **operands, const struct env *env,
               struct err *e)
{
    struct job j = { .args = args };
    int rc = session_open(&j.s, &j.args->shared.asked, false, env, e);

    if (rc == 0)
        rc = run_job(&j, n_operands, operands, e);
    session_close(&j.s);
    return rc;
}

const struct cmd cmd_stats = {
    .name = "stats", .summary = "report entropy, strongest links and more for each head",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .shared = shared,
    .args_size = sizeof(struct stats_args), .examples = examples,
    .max_operands = 2, .run = run,
};
