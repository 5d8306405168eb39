/* SPDX-License-Identifier: MIT
 * stability: noise on the embeddings, and what it changes in each head and in the
 * model's output. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "analysis/stability.h"
#include "base/rng.h"
#include "cmd/shared.h"
#include "report/report.h"

enum format { FORMAT_TABLE, FORMAT_JSON };
static const char *const formats[] = { "table", "json", NULL };

struct stability_args {
    struct shared_args shared;
    const char *out;
    int format, runs;
    double noise;
    bool relative_noise, heads_alone;
};

#define F(f) offsetof(struct stability_args, f)
static const struct opt opts[] = {
    { .type = OPT_STRING, .short_name = 'o', .name = "output", .arg = "FILE",
      .field = F(out), .def = "-", .values = &opt_files,
      .help = "write here; - is standard output" },
    CHOICE(0, "format", "NAME", F(format), "table", formats, "report format"),
    ALIAS("json", "format=json", "one object per text"),
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
    &model_group, &layer_group, &rows_group, &attention_group, &qkv_group,
    &text_group, &select_group, &generate_group, &mask_group, &dtype_group, NULL
};

static const char *const examples[] = {
    "mha-viz stability",
    "mha-viz stability --runs 5 --noise 0.1 --heads-alone -l 0 'the cat saw a dog'",
    NULL
};

struct job {
    struct session s;
    const struct stability_args *args;
    struct wanted want;
    struct out out;
    bool named;                 /* texts of a file have their numbers above them */
};

/* One text's packed runs, and what came of them. */
struct trial {
    const struct job *j;
    struct arena *a;
    struct texts texts;
    struct change change;
    float *hidden;              /* [1 + runs, T, d_hidden] */
    int64_t n;                  /* numbers of hidden a run */
    struct stability *heads;
    struct output_change whole;
    struct output_change *alone;    /* [L, H]; NULL: not asked for */
};

/* ---- the runs ---- */

/* The same text 1 + runs times; the first has no noise. */
static int pack_runs(struct trial *t, const struct item *item, struct err *e)
{
    int n = t->j->args->runs + 1;
    int longer = item->tokens.n > item->target.n ? item->tokens.n : item->target.n;
    struct item *copies;

    if (longer > INT_MAX / n)
        return err_set(e, ERR_INPUT, "%d tokens, %d times: want %d in one batch at the most",
                       longer, n, INT_MAX);
    copies = arena_alloc(t->a, (size_t)n, sizeof *copies);
    for (int i = 0; i < n; i++)
        copies[i] = *item;
    texts_pack(&t->texts, t->a, copies, n);
    return 0;
}

/* Run by run what torch.randn would give for [T, E] of a generator seeded once. */
static void make_noise(struct trial *t)
{
    const struct stability_args *args = t->j->args;
    int64_t E = t->j->s.model->config.d_embed, n = t->texts.source.start[1] * E;
    float *noise = arena_alloc(t->a, (size_t)(args->runs + 1), (size_t)n * sizeof *noise);
    struct rng rng;

    rng_seed(&rng, (uint64_t)args->shared.asked.seed);
    for (int r = 1; r <= args->runs; r++)
        rng_normal_fill(&rng, noise + r * n, n);
    for (int64_t i = n; i < (args->runs + 1) * n; i++)
        noise[i] *= (float)args->noise;
    t->change.noise = noise;
    t->change.noise_relative = args->relative_noise;
}

static int forward(struct trial *t, const struct sink *sinks, int n_sinks, struct err *e)
{
    const struct session *s = &t->j->s;
    struct wanted want = t->j->want;

    want.change = &t->change;
    want.hidden = t->hidden;
    return session_forward(s, &t->texts, &want, sinks, n_sinks, t->a, e);
}

/* All heads of layer l but h are silenced. */
static int run_alone(struct trial *t, bool *silent, int l, int h, struct err *e)
{
    const struct config *c = &t->j->s.shown->config;
    int H = c->n_heads;

    memset(silent, 0, (size_t)c->n_layers * (size_t)H * sizeof *silent);
    for (int i = 0; i < H; i++)
        silent[l * H + i] = i != h;
    if (forward(t, NULL, 0, e) != 0)
        return -1;
    t->alone[l * H + h] = output_change(t->hidden, t->n, t->j->args->runs);
    return 0;
}

static int run_all_alone(struct trial *t, struct err *e)
{
    const struct config *c = &t->j->s.shown->config;
    size_t n = (size_t)c->n_layers * (size_t)c->n_heads;
    bool *silent = arena_alloc(t->a, n, sizeof *silent);

    t->alone = arena_alloc(t->a, n, sizeof *t->alone);
    t->change.silent = silent;
    t->change.silent_stack = t->j->s.stack;
    for (int l = 0, h = -1; session_next_head(&t->j->s, &t->j->want, &l, &h); )
        if (run_alone(t, silent, l, h, e) != 0)
            return -1;
    return 0;
}

static int run_trial(struct trial *t, const struct item *item, struct err *e)
{
    const struct session *s = &t->j->s;
    struct sink sink;

    if (pack_runs(t, item, e) != 0)
        return -1;
    t->change = s->change;
    make_noise(t);
    t->n = (int64_t)session_queries(s, item)->n * s->shown->d_hidden;
    t->hidden = arena_alloc(t->a, (size_t)(t->j->args->runs + 1),
                            (size_t)t->n * sizeof *t->hidden);
    t->heads = stability_new(t->a, s->shown);
    sink = stability_sink(t->heads);
    if (forward(t, &sink, 1, e) != 0)
        return -1;
    t->whole = output_change(t->hidden, t->n, t->j->args->runs);
    return t->j->args->heads_alone ? run_all_alone(t, e) : 0;
}

/* ---- reports ---- */

static void head_row(struct trial *t, struct table *table, int l, int h)
{
    struct head_change c = stability_head(t->heads, l, h);

    table_cell(table, "L%dH%d", l, h);
    table_number(table, "%.3g", c.js);
    table_number(table, "%.3f", c.flips);
    if (t->alone != NULL) {
        const struct output_change *o = &t->alone[l * t->j->s.shown->config.n_heads + h];

        table_cell(table, "%.4g", o->mean_variance);
        table_number(table, "%.4g", o->relative);
    }
}

static void print_table(struct trial *t, FILE *f, const struct item *item, bool named)
{
    static const struct table_column columns[] = {
        { "head", ALIGN_LEFT }, { "JS", ALIGN_RIGHT }, { "flips", ALIGN_RIGHT },
        { "alone", ALIGN_RIGHT }, { "relative", ALIGN_RIGHT },
    };
    struct table *table = table_new(t->a, columns, t->alone != NULL ? 5 : 3);
    const struct stability_args *args = t->j->args;

    if (named)
        fprintf(f, "%stext %d\n", item->index > 0 ? "\n" : "", item->index + 1);
    fprintf(f, "mean_variance  %.6g\nmax_variance   %.6g\n", t->whole.mean_variance,
            t->whole.max_variance);
    if (!isnan(t->whole.relative))
        fprintf(f, "relative       %.6g\n", t->whole.relative);
    fprintf(f, "%d runs, noise %.4g%s, seed %d (MT19937)\n\n", args->runs, args->noise,
            args->relative_noise ? " of the embeddings" : "", args->shared.asked.seed);
    for (int l = 0, h = -1; session_next_head(&t->j->s, &t->j->want, &l, &h); )
        head_row(t, table, l, h);
    table_print(table, f);
}

static void json_change(struct jsonw *w, const struct output_change *c)
{
    jsonw_member_double(w, "mean_variance", c->mean_variance);
    jsonw_member_double(w, "max_variance", c->max_variance);
    jsonw_member_double(w, "relative", c->relative);
}

static void json_head(struct trial *t, struct jsonw *w, int l, int h)
{
    struct head_change c = stability_head(t->heads, l, h);

    jsonw_object(w);
    jsonw_member_string(w, "stack", stack_names[t->j->s.stack]);
    jsonw_member_int(w, "layer", l);
    jsonw_member_int(w, "head", h);
    jsonw_member_double(w, "js", c.js);
    jsonw_member_double(w, "flips", c.flips);
    if (t->alone != NULL) {
        jsonw_key(w, "alone");
        jsonw_object(w);
        json_change(w, &t->alone[l * t->j->s.shown->config.n_heads + h]);
        jsonw_end(w, '}');
    }
    jsonw_end(w, '}');
}

static void print_json(struct trial *t, FILE *f, const struct item *item)
{
    const struct stability_args *args = t->j->args;
    struct jsonw w;

    jsonw_init(&w, f);
    jsonw_object(&w);
    jsonw_member_string(&w, "schema", "mha-viz/stability/1");
    jsonw_member_int(&w, "index", item->index);
    jsonw_key(&w, "text");
    jsonw_string_n(&w, item->text, item->text_size);
    jsonw_member_string(&w, "model", t->j->s.model->name);
    jsonw_member_int(&w, "runs", args->runs);
    jsonw_member_double(&w, "noise", args->noise);
    jsonw_member_bool(&w, "noise_relative", args->relative_noise);
    jsonw_member_int(&w, "seed", args->shared.asked.seed);
    jsonw_member_string(&w, "generator", "MT19937, torch.randn");
    json_change(&w, &t->whole);
    jsonw_key(&w, "heads");
    jsonw_array(&w);
    for (int l = 0, h = -1; session_next_head(&t->j->s, &t->j->want, &l, &h); )
        json_head(t, &w, l, h);
    jsonw_end(&w, ']');
    jsonw_end(&w, '}');
    jsonw_newline(&w);
}

/* ---- the command ---- */

static int one_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct job *j = self;
    struct trial t = { .j = j, .a = a };

    if (run_trial(&t, item, e) != 0)
        return -1;
    if (j->args->format == FORMAT_JSON)
        print_json(&t, j->out.file, item);
    else
        print_table(&t, j->out.file, item, j->named);
    return 0;
}

static int run_job(struct job *j, int n_operands, char **operands, struct err *e)
{
    struct input *in;

    if (j->s.model->ready != NULL || j->s.model->family->front == FRONT_QKV)
        return err_set(e, ERR_USAGE, "%s: noise wants a model or a layer to go through, "
                       "-m", j->s.model->ready != NULL ? "--attention" : "--qkv");
    if (session_wanted(&j->s, n_operands, false, &j->want, e) != 0)
        return -1;
    in = input_open(&j->s, n_operands, operands, e);
    if (in == NULL || out_open(&j->out, j->args->out, false, e) != 0)
        return -1;
    j->named = input_is_file(in);
    return input_end(in, &j->out, input_each(in, one_text, j, e), e);
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

const struct cmd cmd_stability = {
    .name = "stability", .summary = "measure what noise on the embeddings changes",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct stability_args), .examples = examples,
    .max_operands = 2, .run = run,
};
