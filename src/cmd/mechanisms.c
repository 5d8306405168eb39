/* SPDX-License-Identifier: MIT
 * mechanisms: a layer's own queries, keys and values under each mechanism. */
#include "cmd/mechanisms.h"

#include <math.h>
#include <string.h>

struct mechanisms_args {
    struct shared_args shared;
    const char *only, *additive;
    int repeats, columns;
    bool propagate, outputs_only;
    struct mechanism_params params;
};

enum { MOST = 1000000 };            /* of a number of tokens */

static const struct opt_values only_values = { .words = mechanism_names, .between = ',' };

#define F(f) offsetof(struct mechanisms_args, f)
#define P(f) offsetof(struct mechanisms_args, params.f)
static const struct opt opts[] = {
    WORDS(0, "only", "NAMES", F(only), &only_values,
          "only these mechanisms: exact,local,..; see mha-viz-mechanisms(7)"),
    FLAG(0, "propagate", F(propagate),
         "also run each in all layers, and report the change of the last hidden state"),
    FLAG(0, "outputs-only", F(outputs_only),
         "compute no rows, for long texts: no JS, links and entropy"),
    INT(0, "repeats", "N", F(repeats), "5", 0, 1000,
        "times are medians of N runs; 0: measure no times"),
    INT('c', "columns", "N", F(columns), "5", 1, 64, "mechanisms per row of a picture"),
    END
};

static const struct opt param_opts[] = {
    INT(0, "window", "N", P(window), "4", 1, MOST, "local, global: tokens on either side"),
    INT(0, "n-global", "N", P(n_global), "1", 1, MOST,
        "global: the first N tokens see all tokens and are seen by all"),
    INT(0, "stride", "N", P(stride), "0", 0, MOST,
        "strided, fixed: stride in tokens; 0: the square root of the text's length"),
    INT(0, "n-columns", "N", P(n_columns), "1", 1, MOST,
        "fixed: the last N tokens of each stride are seen by all"),
    INT(0, "block", "N", P(block), "8", 1, MOST, "block: tokens per block"),
    INT(0, "top-k", "N", P(top_k), "4", 1, MOST, "top-k: keys per row"),
    INT(0, "features", "N", P(n_features), "256", 1, 65536, "favor: random features"),
    INT(0, "buckets", "N", P(n_buckets), "0", 0, 65536,
        "lsh: number of buckets, an even number; 0: two per chunk"),
    INT(0, "rounds", "N", P(n_rounds), "2", 1, 64, "lsh: rounds of hashing"),
    INT(0, "chunk", "N", P(chunk), "4", 1, MOST, "lsh: tokens per chunk of the sorted text"),
    PATH(0, "additive", "FILE", F(additive),
         "additive: .safetensors with W, U [a, d] and v [a]; without it, drawn at random"),
    INT(0, "seed", "N", F(shared.asked.seed), "1", 0, 2147483647,
        "seed of what additive, favor and lsh draw, and of the random input of a bare layer"),
    END
};
static const struct opt_group param_group = { "mechanisms", param_opts };
#undef F
#undef P

static const struct opt_group *const groups[] = {
    &output_all.group, &param_group, &figure_group, &model_group, &layer_group, &rows_group,
    &attention_group, &qkv_group, &text_group, &select_group, &mask_group, NULL
};

static const char *const examples[] = {
    "mha-viz mechanisms",
    "mha-viz mechanisms --only local,block,favor --propagate 'the cat saw the dog'",
    "mha-viz mechanisms -l 1 -H 0 -o mechanisms.png",
    NULL
};

struct job {
    struct session s;
    const struct mechanisms_args *args;
    struct wanted want;
    struct mechanisms_opts opts;
    struct results results;
    bool *layer;                    /* [L] */
    bool only[N_MECHANISM];
};

/* ---- what is asked for ---- */

static int find_mechanism(const char *name, size_t n, struct err *e)
{
    char typed[32];

    snprintf(typed, sizeof typed, "%.*s", (int)(n < 31 ? n : 31), name);
    for (int id = 0; id < N_MECHANISM; id++)
        if (strcmp(mechanism_names[id], typed) == 0)
            return id;
    if (opts_nearest(typed, mechanism_names) != NULL)
        return err_set(e, ERR_USAGE, "--only: unknown mechanism '%s'; did you mean '%s'?",
                       typed, opts_nearest(typed, mechanism_names));
    return err_set(e, ERR_USAGE, "--only: unknown mechanism '%s'; see mha-viz-mechanisms(7)",
                   typed);
}

static int parse_only(struct job *j, struct err *e)
{
    const char *s = j->args->only;

    if (s == NULL)
        return 0;
    j->opts.only = j->only;
    for (;; s++) {
        size_t n = strcspn(s, ",");
        int id = find_mechanism(s, n, e);

        if (id < 0)
            return -1;
        j->only[id] = true;
        s += n;
        if (*s == '\0')
            return 0;
    }
}

/* Without -l the layer that a heatmap shows. */
static void pick_layers(struct job *j)
{
    const struct config *c = &j->s.shown->config;
    int last = c->n_layers - 1;

    j->layer = arena_alloc(j->s.a, (size_t)c->n_layers, sizeof *j->layer);
    if (j->want.layer != NULL)
        memcpy(j->layer, j->want.layer, (size_t)c->n_layers * sizeof *j->layer);
    else
        j->layer[c->card.layer >= 0 ? c->card.layer : last < 6 ? last : 6] = true;
    j->want.layer = j->layer;
}

static int count(const bool *list, int n, int *first)
{
    int all = 0;

    for (int i = n - 1; i >= 0; i--)
        if (list[i]) {
            all++;
            *first = i;
        }
    return all;
}

static int check_picture(struct job *j, struct err *e)
{
    const struct asked *asked = &j->args->shared.asked;
    const struct config *c = &j->s.shown->config;
    int layer = 0, head = 0;

    if (!output_is_picture(&j->results.output))
        return 0;
    if (j->args->outputs_only)
        return err_set(e, ERR_USAGE, "--outputs-only: a picture requires rows");
    if (count(j->layer, c->n_layers, &layer) > 1)
        return err_set(e, ERR_USAGE, "--%s: '%s' selects several layers; a picture shows one",
                       session_names_heads(asked) ? "head" : "layer",
                       session_names_heads(asked) ? asked->head : asked->layer);
    if (j->want.head != NULL &&
        count(&j->want.head[layer * j->want.head_stride], c->n_heads, &head) > 1)
        return err_set(e, ERR_USAGE, "--head: '%s' selects several heads; a picture shows one",
                       asked->head);
    j->opts.kept_head = head;
    return 0;
}

static int check(struct job *j, int n_operands, struct err *e)
{
    const struct mechanisms_args *args = j->args;

    j->opts = (struct mechanisms_opts){ .params = args->params, .repeats = args->repeats,
                                        .rows = !args->outputs_only, .kept_head = -1 };
    j->opts.params.seed = (uint64_t)args->shared.asked.seed;
    if (args->params.n_buckets % 2 != 0)
        return err_set(e, ERR_USAGE, "--buckets: %d is odd", args->params.n_buckets);
    if (output_plan(&j->results.output, &args->shared.common.output, &output_all, NULL, j->s.a,
                    e) != 0 ||
        parse_only(j, e) != 0 ||
        session_select(&j->s, n_operands, false, &j->want, e) != 0)
        return -1;
    pick_layers(j);
    j->opts.heads = &j->want;
    if (check_picture(j, e) != 0)
        return -1;
    if (args->additive == NULL)
        return 0;
    j->opts.additive = additive_read(j->s.a, args->additive, j->s.shown->config.d_head,
                                     &j->opts.params.additive_width, e);
    return j->opts.additive != NULL ? 0 : -1;
}

/* ---- one text ---- */

/* Each mechanism in every layer, against the hidden states of the model's own. */
static int propagate(struct job *j, struct arena *a, struct texts *texts,
                     struct mechanisms_text *t, const float *own, int64_t n,
                     struct err *e)
{
    struct wanted want = j->want;
    float *hidden = arena_alloc_raw(a, (size_t)n, sizeof *hidden);

    want.layer = NULL;
    want.hidden = hidden;
    for (int id = 0; id < N_MECHANISM; id++) {
        struct mechanisms_replacement r = { .id = (enum mechanism_id)id,
                                            .opts = &j->opts, .a = a };
        struct tap tap = mechanisms_replacement_tap(&r);
        struct err failed = { ERR_NONE, "" };

        if (j->opts.only != NULL && !j->opts.only[id])
            continue;
        want.tap = &tap;
        if (session_forward(&j->s, texts, &want, NULL, 0, a, &failed) == 0) {
            t->change[id] = mechanisms_change(hidden, own, n);
            continue;
        }
        if (r.refused == NULL) {
            *e = failed;
            return -1;
        }
        t->refused[id] = arena_strdup(a, failed.msg);
    }
    return 0;
}

static int measure(struct job *j, struct arena *a, const struct item *item,
                   struct mechanisms_text *t, struct err *e)
{
    struct wanted want = j->want;
    int T = session_queries(&j->s, item)->n, S = session_keys(&j->s, item)->n;
    int64_t n = (int64_t)T * j->s.shown->d_hidden;
    struct texts texts;
    struct mechanisms *c;
    struct tap tap;

    *t = (struct mechanisms_text){ .s = &j->s, .item = item, .layer = j->layer,
                                   .propagated = j->args->propagate,
                                   .kept_head = j->opts.kept_head };
    for (int id = 0; id < N_MECHANISM; id++)
        t->change[id] = NAN;
    texts_pack(&texts, a, item, 1);
    t->c = c = mechanisms_new(a, j->s.shown, &j->opts, T, S, j->s.par);
    tap = mechanisms_tap(c);
    want.tap = &tap;
    if (j->args->propagate)
        want.hidden = arena_alloc_raw(a, (size_t)n, sizeof(float));
    if (session_forward(&j->s, &texts, &want, NULL, 0, a, e) != 0)
        return -1;
    return j->args->propagate ? propagate(j, a, &texts, t, want.hidden, n, e) : 0;
}

static int one_report(void *self, struct arena *a, const struct item *item,
                      struct err *e)
{
    struct job *j = self;
    struct mechanisms_text t;

    if (measure(j, a, item, &t, e) != 0)
        return -1;
    if (results_begin(&j->results, a, item, e) != 0)
        return -1;
    t.named = j->results.named;
    if (j->results.report.format == REPORT_TABLE)
        mechanisms_table(&t, a, j->results.report.file);
    else
        mechanisms_row(&t, a, &j->results.report);
    return results_end(&j->results, e);
}

static int one_picture(void *self, struct arena *a, const struct item *item,
                       const char *path, struct err *e)
{
    struct job *j = self;
    struct mechanisms_text t;
    int layer = 0;

    if (measure(j, a, item, &t, e) != 0)
        return -1;
    count(j->layer, j->s.shown->config.n_layers, &layer);
    return mechanisms_picture(&t, a, layer, &j->args->shared.figure, j->args->columns,
                              figure_format(&j->results.output), path, e);
}

/* ---- all texts ---- */

static int run_job(struct job *j, int n_operands, char **operands, struct err *e)
{
    struct input *in;

    if (j->s.model->precomputed != NULL)
        return err_set(e, ERR_USAGE, "--attention has no queries, keys and values; give a "
                       "model or --qkv");
    if (check(j, n_operands, e) != 0)
        return -1;
    in = input_open(&j->s, n_operands, operands, e);
    if (in == NULL)
        return -1;
    if (output_is_picture(&j->results.output))
        return input_result(in, input_to_files(&j->s, in, &j->results.output, one_picture,
                                               j, e), e);
    if (results_open(&j->results, mechanisms_report(j->s.a, j->args->propagate), in, e) != 0)
        return -1;
    return results_close(&j->results, in, input_each(in, one_report, j, e), e);
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

const struct cmd cmd_mechanisms = {
    .name = "mechanisms",
    .summary = "compare mechanisms of attention on a model's own queries and keys",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct mechanisms_args), .examples = examples,
    .max_operands = 2, .run = run,
};
