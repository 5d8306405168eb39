/* SPDX-License-Identifier: MIT
 * export: attention weights, as NumPy arrays or as a long table. */
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "task/export/inner.h"
#include "task/export/table.h"
#include "task/job.h"
#include "task/provenance.h"
#include "weights/npz.h"

struct export_args {
    struct shared_args shared;
    bool all, hidden, logits;
};

#define F(f) offsetof(struct export_args, f)
static const struct opt opts[] = {
    FLAG(0, "all", F(all),
         "also write queries, keys, values, scores and the output of each attention (npz)",
         .excludes = "average"),
    FLAG(0, "hidden", F(hidden), "also write the hidden states after the final norm (npz)"),
    FLAG(0, "logits", F(logits), "also write the logits (npz)"),
    FLAG(0, "word-ids", F(shared.asked.word_ids),
         "also write the number of the word to which each token belongs, as --merge words "
         "counts words (npz)",
         .excludes = "pretokenized: --pretokenized gives pieces, not words; "
                     "ids|input|image|audio: words are of a text"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_arrays.group, &average_group, &weight_group, &shard_group, &split_group, &memory_group,
    PASS_GROUPS, NULL
};

static const char *const examples[] = {
    "mha-viz export -o cat.npz 'the cat saw the dog and the cat ran'",
    "mha-viz export -l 1 -H 0-1 --format npy -o heads.npy 我喜欢吃苹果",
    NULL
};

struct export_job {
    struct job job;
    const struct export_args *args;
    int n_layers;                   /* wanted */
    int *n_heads;                   /* [L] wanted */
    int *head_place, *layer_place;  /* [L, H], [L] among the wanted; -1: not */
};

/* ---- the sink: rows to their place in the file ---- */

struct writer {
    const struct export_job *j;
    struct npz *z;              /* NULL: npy */
    int *array[N_STACK];        /* [L] number in the npz */
    struct inner inner;         /* --all */
    int *sum;                   /* [L] the same where copies of keys are summed; NULL:
                                   the model counts keys once */
    int *sink;                  /* [L] the same of what a sink of the model takes; NULL: it has
                                   none */
    float *all;                 /* npy: [layers, heads, queries, keys] */
};

static int64_t export_place_of(const struct export_job *j, int layer, int head)
{
    return j->head_place[layer * j->job.s.n_heads + head];
}

static void export_put(const struct writer *w, const struct rows *r, int query, int key,
                       const float *weights, const float *sums, int n)
{
    int64_t T = r->n_queries, S = r->n_all_keys;
    int64_t at = (export_place_of(w->j, r->layer, r->head) * T + query) * S + key;

    if (w->z != NULL) {
        npz_put(w->z, w->array[r->stack][r->layer], at, weights, n);
        if (w->sum != NULL)
            npz_put(w->z, w->sum[r->layer], at, sums, n);
        return;
    }
    at += (int64_t)w->j->layer_place[r->layer] * w->j->n_heads[r->layer] * T * S;
    memcpy(w->all + at, weights, (size_t)n * sizeof *weights);
}

static void put_sinks(const struct writer *w, const struct rows *r)
{
    int64_t at = export_place_of(w->j, r->layer, r->head) * r->n_queries + r->row0;

    for (int t = 0; t < r->n_rows; t++) {
        float taken = (float)r->null_mass[t];

        npz_put(w->z, w->sink[r->layer], at + t, &taken, 1);
    }
}

static void export_take(void *self, const struct rows *r, int n_heads)
{
    const struct writer *w = self;
    const float *single = r->single != NULL ? r->single : r->weight;

    (void)n_heads;
    if (w->sink != NULL && r->null_mass != NULL)
        put_sinks(w, r);
    for (int t = 0; t < r->n_rows; t++)
        export_put(self, r, r->row0 + t, r->key0, single + (size_t)t * r->stride,
                   r->weight + (size_t)t * r->stride, r->n_keys);
}

/* ---- one text ---- */

static void add_floats(struct npz *z, const char *name, int64_t rows, int64_t columns,
                       const float *values)
{
    const int64_t shape[] = { rows, columns };

    npz_put(z, npz_add(z, name, DTYPE_F32, 2, shape), 0, values, rows * columns);
}

static int export_forward(struct export_job *j, struct arena *a, const struct item *item,
                          struct wanted *want, struct writer *w, struct err *e)
{
    struct sink sink = { SINK_HEAD, export_take, NULL, w };
    struct texts texts;

    texts_pack(&texts, a, item, 1);
    return session_forward(&j->job.s, &texts, want, &sink, 1, a, e);
}

/* Decoders that look at an encoder, or at a bare layer's memory. */
static bool has_two(const struct export_job *j)
{
    return j->job.s.model->decoder != NULL || model_has_cross(j->job.s.model);
}

/* The wanted heads of a layer of m, which may have fewer than another stack. */
static int export_heads_of(const struct export_job *j, const struct model *m, int layer)
{
    int n = 0;

    for (int h = 0; h < m->config.n_heads; h++)
        n += export_place_of(j, layer, h) >= 0;
    return n;
}

/* An array "PREFIX.LAYER" for each layer that is wanted, n_keys 0: of a number a row; [L] their
 * numbers. */
static int *add_layers(struct export_job *j, struct arena *a, struct npz *z, const char *prefix,
                       const struct model *m, int n_queries, int n_keys)
{
    int L = m->config.n_layers;
    int *array = arena_alloc(a, (size_t)L, sizeof *array);

    for (int l = 0; l < L; l++) {
        const int64_t shape[] = { export_heads_of(j, m, l), n_queries, n_keys };

        if (j->layer_place[l] >= 0)
            array[l] = npz_add(z, arena_printf(a, "%s.%d", prefix, l), DTYPE_F32,
                               n_keys > 0 ? 3 : 2, shape);
    }
    return array;
}

/* Adds the arrays of one stack: "attn.0", or "dec.0" and "cross.0" of a decoder that
 * follows an encoder; "eff.0" where the model counts keys several times; "sink.0" where it has
 * a sink that is not a key. */
static void add_stack(struct export_job *j, struct arena *a, struct writer *w,
                      const struct model *m, enum stack_id stack, int n_queries,
                      int n_keys)
{
    const struct session *s = &j->job.s;
    bool single = stack == STACK_ENCODER || !has_two(j);
    const char *prefix = stack == STACK_CROSS ? "cross" : single ? "attn" : "dec";

    if ((s->stack != stack && s->stack != N_STACK) ||
        !model_has_stack(s->model, stack))
        return;
    m = s->average != NULL ? s->shown : m;
    w->array[stack] = add_layers(j, a, w->z, prefix, m, n_queries, n_keys);
    if (m->config.sparse.block > 0)
        w->sum = add_layers(j, a, w->z, "eff", m, n_queries, n_keys);
    if (stack != STACK_CROSS && session_has_sinks(s, &j->job.want))
        w->sink = add_layers(j, a, w->z, "sink", m, n_queries, 0);
    for (int l = 0; j->args->all && l < m->config.n_layers; l++)
        if (j->layer_place[l] >= 0)
            export_inner_add(&w->inner, m, stack, prefix, l, (struct inner_shape){
                export_heads_of(j, m, l), n_queries, n_keys });
}

static void add_stacks(struct export_job *j, struct arena *a, struct writer *w,
                       const struct item *item)
{
    const struct model *m = j->job.s.model;
    int S = item->tokens.n, T = item->target.n;

    if (m->family->stack_id != STACK_CROSS)
        add_stack(j, a, w, m, m->family->stack_id, S, S);
    if (item->keys.n > 0)
        add_stack(j, a, w, m, STACK_CROSS, S, item->keys.n);
    if (m->decoder == NULL || T == 0)
        return;
    add_stack(j, a, w, m->decoder, STACK_DECODER, T, T);
    add_stack(j, a, w, m->decoder, STACK_CROSS, T, S);
}

/* With -H, "heads.LAYER": the numbers of the heads that the rows of a layer's arrays are. */
static void export_add_heads(const struct export_job *j, struct arena *a, struct npz *z)
{
    int H = j->job.s.n_heads;

    for (int l = 0; j->job.want.head != NULL && l < j->job.s.n_layers; l++) {
        int *head = arena_alloc(a, (size_t)H, sizeof *head);
        int64_t n = j->n_heads[l];

        if (j->layer_place[l] < 0)
            continue;
        for (int h = 0; h < H; h++)
            if (export_place_of(j, l, h) >= 0)
                head[export_place_of(j, l, h)] = h;
        npz_put(z, npz_add(z, arena_printf(a, "heads.%d", l), DTYPE_I32, 1, &n), 0, head, n);
    }
}

static void export_add_tokens(struct npz *z, const struct tokens *t, const char *ids,
                              const char *pieces, const char *words)
{
    int64_t n = t->n;

    if (t->id != NULL)
        npz_put(z, npz_add(z, ids, DTYPE_I32, 1, &n), 0, t->id, n);
    if (t->word != NULL)
        npz_put(z, npz_add(z, words, DTYPE_I32, 1, &n), 0, t->word, n);
    npz_add_strings(z, pieces, t->piece, t->n);
}

/* The names of a classifier's outputs. */
static void add_labels(struct arena *a, struct npz *z, const struct model *m)
{
    const char **label = arena_alloc(a, (size_t)m->n_logits, sizeof *label);

    if (m->config.head.task == NULL || head_label(&m->config, 0, a) == NULL)
        return;
    for (int i = 0; i < m->n_logits; i++)
        label[i] = head_label(&m->config, i, a);
    npz_add_strings(z, "labels", label, m->n_logits);
}

static int write_npz(struct export_job *j, struct arena *a, const struct item *item, FILE *f,
                     struct err *e)
{
    const struct model *m = j->job.s.shown;
    int64_t T = session_queries(&j->job.s, item)->n, rows = model_head_rows(m, (int)T);
    struct writer w = { .j = j, .z = npz_new(a, f) };
    struct wanted want = j->job.want;
    struct tap tap = export_inner_tap(&w.inner);

    w.inner = (struct inner){ .a = a, .z = w.z, .head_place = j->head_place,
                              .n_heads = j->job.s.n_heads };
    add_stacks(j, a, &w, item);
    if (j->args->all)
        want.tap = &tap;
    if (j->args->hidden || j->args->all)    /* all: the last layer's output is made for it */
        want.hidden = arena_alloc(a, (uint64_t)(T * m->d_hidden), sizeof(float));
    if (j->args->logits)
        want.logits = arena_alloc(a, (uint64_t)(rows * m->n_logits), sizeof(float));
    if (export_forward(j, a, item, &want, &w, e) != 0) {
        npz_abort(w.z);
        return -1;
    }
    export_add_heads(j, a, w.z);
    if (item->tokens.n > 0)
        export_add_tokens(w.z, &item->tokens, "ids", "tokens", "words");
    if (item->target.n > 0)
        export_add_tokens(w.z, &item->target, "decoder_ids", "decoder_tokens",
                          "decoder_words");
    if (item->generated != NULL)
        npz_put(w.z, npz_add(w.z, "n_generated", DTYPE_I32, 1, (int64_t[]){ 1 }), 0,
                &item->n_generated, 1);
    if (want.weighting != WEIGHTING_PLAIN)
        npz_add_strings(w.z, "weight", &weighting_names[want.weighting], 1);
    if (j->args->hidden)
        add_floats(w.z, "hidden", T, m->d_hidden, want.hidden);
    if (j->args->logits) {
        add_floats(w.z, "logits", rows, m->n_logits, want.logits);
        add_labels(a, w.z, m);
    }
    provenance_add_array(w.z, &j->job.s, a, item);
    return npz_finish(w.z, e);
}

static int first_layer(const struct export_job *j)
{
    int l = 0;

    while (j->layer_place[l] < 0)
        l++;
    return l;
}

static int write_npy(struct export_job *j, struct arena *a, const struct item *item, FILE *f,
                     struct err *e)
{
    int64_t T = session_queries(&j->job.s, item)->n, S = session_keys(&j->job.s, item)->n;
    int64_t shape[] = { j->n_layers, j->n_heads[first_layer(j)], T, S };
    struct writer w = { .j = j };

    /* In two factors, so that a product beyond 64 bits is seen as too much. */
    w.all = arena_alloc(a, (uint64_t)(shape[0] * shape[1]), (uint64_t)(T * S) * sizeof *w.all);
    if (export_forward(j, a, item, &j->job.want, &w, e) != 0)
        return -1;
    return npy_write(f, DTYPE_F32, 4, shape, w.all, e);
}

static bool is_npy(const struct export_job *j)
{
    return j->job.results.output.format == OUTPUT_NPY;
}

static bool is_table(const struct export_job *j)
{
    return output_is_report(&j->job.results.output);
}

static int one_table(void *self, struct arena *a, const struct item *item, struct err *e)
{
    return export_table(self, a, item, e);
}

static int export_one_text(void *self, struct arena *a, const struct item *item,
                           const char *path, struct err *e)
{
    struct export_job *j = self;
    struct out out;
    int rc;

    if (out_open(&out, path, OUT_SEEKABLE | OUT_DURABLE, e) != 0)
        return -1;
    rc = (is_npy(j) ? write_npy : write_npz)(j, a, item, out.file, e);
    if (rc == 0)
        return out_commit(&out, e);
    out_abort(&out);
    if (e->kind == ERR_SYSTEM)          /* a write that failed, of a file not named */
        err_under(e, "%s", strcmp(path, "-") == 0 ? "standard output" : path);
    return -1;
}

/* ---- all texts ---- */

/* Where each wanted head stands among those of its layer, and each layer. */
static void export_set_places(struct export_job *j)
{
    int L = j->job.s.n_layers, H = j->job.s.n_heads;

    j->n_heads = arena_alloc(j->job.s.a, (size_t)L, sizeof *j->n_heads);
    j->layer_place = arena_alloc(j->job.s.a, (size_t)L, sizeof *j->layer_place);
    j->head_place = arena_alloc(j->job.s.a, (size_t)L, (size_t)H * sizeof *j->head_place);
    for (int l = 0; l < L; l++) {
        j->layer_place[l] = wanted_layer(&j->job.want, l) ? j->n_layers++ : -1;
        for (int h = 0; h < H; h++)
            j->head_place[l * H + h] = wanted_head(&j->job.want, l, h) ? j->n_heads[l]++ : -1;
    }
}

static int check_npz(const struct export_job *j, struct err *e)
{
    const struct export_args *args = j->args;

    if (args->all || args->hidden || args->logits || args->shared.asked.word_ids)
        return err_set(e, ERR_USAGE, "--%s requires an npz", args->all ? "all" :
                       args->hidden ? "hidden" : args->logits ? "logits" : "word-ids");
    return 0;
}

/* One array has the same heads in each layer: nothing in it says which they are. */
static int check_npy(const struct export_job *j, struct err *e)
{
    const int *first = j->head_place + first_layer(j) * j->job.s.n_heads;
    size_t size = (size_t)j->job.s.n_heads * sizeof *first;

    for (int l = 0; l < j->job.s.n_layers; l++)
        if (j->layer_place[l] >= 0 &&
            memcmp(j->head_place + l * j->job.s.n_heads, first, size) != 0)
            return err_set(e, ERR_USAGE, "--head: '%s' names different heads in its layers; "
                           "this requires an npz", j->job.s.asked->head);
    return 0;
}

static int export_check(void *self, struct err *e)
{
    struct export_job *j = self;

    (void)e;
    j->job.all_stacks = !is_npy(j) && !is_table(j);
    return 0;
}

static int export_prepare(void *self, struct err *e)
{
    struct export_job *j = self;
    const struct session *s = &j->job.s;

    export_set_places(j);
    if ((is_npy(j) || is_table(j)) && check_npz(j, e) != 0)
        return -1;
    if (is_npy(j) && check_npy(j, e) != 0)
        return -1;
    if (j->args->logits && s->model->decoder != NULL && s->shown == s->model)
        return err_set(e, ERR_USAGE, "--logits are the decoder's: expected TEXT_B, "
                       "--decoder-ids or --generate N");
    if (j->args->logits && model_check_head(s->model, s->shown, e) != 0)
        return err_under(e, "--logits");
    return 0;
}

/* An npy in whole; of an npz what is written last. */
static double export_keeps(void *self, const struct item *item)
{
    const struct export_job *j = self;
    const struct model *m = j->job.s.shown;
    double T = session_queries(&j->job.s, item)->n, S = session_keys(&j->job.s, item)->n;

    if (is_table(j))
        return export_table_keeps(&j->job, item);
    if (is_npy(j))
        return sizeof(float) * T * S * j->n_layers * j->n_heads[first_layer(j)];
    return sizeof(float) * T * ((j->args->hidden || j->args->all ? m->d_hidden : 0) +
                                (j->args->logits ? m->n_logits : 0));
}

static const struct job_kind kind = { .outputs = &output_arrays, .check = export_check,
                                      .keeps = export_keeps,
                                      .prepare = export_prepare, .record = &export_table_record,
                                      .text = one_table, .file = export_one_text };

static int export_run(const void *args, int n_operands, char **operands, const struct env *env,
                      struct err *e)
{
    struct export_job j = { .job = { args, n_operands, operands }, .args = args };

    return job_run(&j.job, &kind, env, e);
}

const struct cmd cmd_export = {
    .name = "export", .summary = "write the attention weights as arrays for NumPy",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct export_args), .examples = examples,
    .max_operands = 2, .run = export_run,
};
