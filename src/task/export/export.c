/* SPDX-License-Identifier: MIT
 * export: attention weights, as NumPy arrays or as a long table. */
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "task/common/job.h"
#include "task/common/provenance.h"
#include "task/export/inner.h"
#include "task/export/table.h"
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

static int64_t export_place_of(const struct export_job *job, int layer, int head)
{
    return job->head_place[layer * job->job.s.n_heads + head];
}

static void export_put(const struct writer *writer, const struct rows *rows, int query, int key,
                       const float *weights, const float *sums, int n)
{
    int64_t T = rows->n_queries, S = rows->n_all_keys;
    int64_t at = (export_place_of(writer->j, rows->layer, rows->head) * T + query) * S + key;

    if (writer->z != NULL) {
        npz_put(writer->z, writer->array[rows->stack][rows->layer], at, weights, n);
        if (writer->sum != NULL)
            npz_put(writer->z, writer->sum[rows->layer], at, sums, n);
        return;
    }
    at += (int64_t)writer->j->layer_place[rows->layer] * writer->j->n_heads[rows->layer] * T * S;
    memcpy(writer->all + at, weights, (size_t)n * sizeof *weights);
}

static void put_sinks(const struct writer *writer, const struct rows *rows)
{
    int64_t at = export_place_of(writer->j, rows->layer, rows->head) * rows->n_queries + rows->row0;

    for (int t = 0; t < rows->n_rows; t++) {
        float taken = (float)rows->null_mass[t];

        npz_put(writer->z, writer->sink[rows->layer], at + t, &taken, 1);
    }
}

static void export_take(void *self, const struct rows *rows, int n_heads)
{
    const struct writer *w = self;
    const float *single = rows->single != NULL ? rows->single : rows->weight;

    (void)n_heads;
    if (w->sink != NULL && rows->null_mass != NULL)
        put_sinks(w, rows);
    for (int t = 0; t < rows->n_rows; t++)
        export_put(self, rows, rows->row0 + t, rows->key0, single + (size_t)t * rows->stride,
                   rows->weight + (size_t)t * rows->stride, rows->n_keys);
}

/* ---- one text ---- */

static void add_floats(struct npz *npz, const char *name, int64_t rows, int64_t columns,
                       const float *values)
{
    const int64_t shape[] = { rows, columns };

    npz_put(npz, npz_add(npz, name, DTYPE_F32, 2, shape), 0, values, rows * columns);
}

static int export_forward(struct export_job *job, struct arena *a, const struct item *item,
                          struct wanted *want, struct writer *writer, struct err *e)
{
    struct sink sink = { SINK_HEAD, export_take, NULL, writer };
    struct texts texts;

    texts_pack(&texts, a, item, 1);
    return session_forward(&job->job.s, &texts, want, &sink, 1, a, e);
}

/* Decoders that look at an encoder, or at a bare layer's memory. */
static bool has_two(const struct export_job *job)
{
    return job->job.s.model->decoder != NULL || model_has_cross(job->job.s.model);
}

/* The wanted heads of a layer of model, which may have fewer than another stack. */
static int export_heads_of(const struct export_job *job, const struct model *model, int layer)
{
    int n = 0;

    for (int h = 0; h < model->config.n_heads; h++)
        n += export_place_of(job, layer, h) >= 0;
    return n;
}

/* An array "PREFIX.LAYER" for each layer that is wanted, n_keys 0: of a number a row; [L] their
 * numbers. */
static int *add_layers(struct export_job *job, struct arena *a, struct npz *npz, const char *prefix,
                       const struct model *model, int n_queries, int n_keys)
{
    int L = model->config.n_layers;
    int *array = arena_alloc(a, (size_t)L, sizeof *array);

    for (int l = 0; l < L; l++) {
        const int64_t shape[] = { export_heads_of(job, model, l), n_queries, n_keys };

        if (job->layer_place[l] >= 0)
            array[l] = npz_add(npz, arena_printf(a, "%s.%d", prefix, l), DTYPE_F32,
                               n_keys > 0 ? 3 : 2, shape);
    }
    return array;
}

/* Adds the arrays of one stack: "attn.0", or "dec.0" and "cross.0" of a decoder that
 * follows an encoder; "eff.0" where the model counts keys several times; "sink.0" where it has
 * a sink that is not a key. */
static void add_stack(struct export_job *job, struct arena *a, struct writer *writer,
                      const struct model *model, enum stack_id stack, int n_queries,
                      int n_keys)
{
    const struct session *s = &job->job.s;
    bool single = stack == STACK_ENCODER || !has_two(job);
    const char *prefix = stack == STACK_CROSS ? "cross" : single ? "attn" : "dec";

    if ((s->stack != stack && s->stack != N_STACK) ||
        !model_has_stack(s->model, stack))
        return;
    model = s->average != NULL ? s->shown : model;
    writer->array[stack] = add_layers(job, a, writer->z, prefix, model, n_queries, n_keys);
    if (model->config.sparse.block > 0)
        writer->sum = add_layers(job, a, writer->z, "eff", model, n_queries, n_keys);
    if (stack != STACK_CROSS && session_has_sinks(s, &job->job.want))
        writer->sink = add_layers(job, a, writer->z, "sink", model, n_queries, 0);
    for (int l = 0; job->args->all && l < model->config.n_layers; l++)
        if (job->layer_place[l] >= 0)
            export_inner_add(&writer->inner, model, stack, prefix, l, (struct inner_shape){
                export_heads_of(job, model, l), n_queries, n_keys });
}

static void add_stacks(struct export_job *job, struct arena *a, struct writer *writer,
                       const struct item *item)
{
    const struct model *m = job->job.s.model;
    int S = item->tokens.n, T = item->target.n;

    if (m->family->stack_id != STACK_CROSS)
        add_stack(job, a, writer, m, m->family->stack_id, S, S);
    if (item->keys.n > 0)
        add_stack(job, a, writer, m, STACK_CROSS, S, item->keys.n);
    if (m->decoder == NULL || T == 0)
        return;
    add_stack(job, a, writer, m->decoder, STACK_DECODER, T, T);
    add_stack(job, a, writer, m->decoder, STACK_CROSS, T, S);
}

/* With -H, "heads.LAYER": the numbers of the heads that the rows of a layer's arrays are. */
static void export_add_heads(const struct export_job *job, struct arena *a, struct npz *npz)
{
    int H = job->job.s.n_heads;

    for (int l = 0; job->job.want.head != NULL && l < job->job.s.n_layers; l++) {
        int *head = arena_alloc(a, (size_t)H, sizeof *head);
        int64_t n = job->n_heads[l];

        if (job->layer_place[l] < 0)
            continue;
        for (int h = 0; h < H; h++)
            if (export_place_of(job, l, h) >= 0)
                head[export_place_of(job, l, h)] = h;
        npz_put(npz, npz_add(npz, arena_printf(a, "heads.%d", l), DTYPE_I32, 1, &n), 0, head, n);
    }
}

static void export_add_tokens(struct npz *npz, const struct tokens *tokens, const char *ids,
                              const char *pieces, const char *words)
{
    int64_t n = tokens->n;

    if (tokens->id != NULL)
        npz_put(npz, npz_add(npz, ids, DTYPE_I32, 1, &n), 0, tokens->id, n);
    if (tokens->word != NULL)
        npz_put(npz, npz_add(npz, words, DTYPE_I32, 1, &n), 0, tokens->word, n);
    npz_add_strings(npz, pieces, tokens->piece, tokens->n);
}

/* The names of a classifier's outputs. */
static void add_labels(struct arena *a, struct npz *npz, const struct model *model)
{
    const char **label = arena_alloc(a, (size_t)model->n_logits, sizeof *label);

    if (model->config.head.task == NULL || head_label(&model->config, 0, a) == NULL)
        return;
    for (int i = 0; i < model->n_logits; i++)
        label[i] = head_label(&model->config, i, a);
    npz_add_strings(npz, "labels", label, model->n_logits);
}

static int write_npz(struct export_job *job, struct arena *a, const struct item *item, FILE *file,
                     struct err *e)
{
    const struct model *m = job->job.s.shown;
    int64_t T = session_queries(&job->job.s, item)->n, rows = model_head_rows(m, (int)T);
    struct writer w = { .j = job, .z = npz_new(a, file) };
    struct wanted want = job->job.want;
    struct tap tap = export_inner_tap(&w.inner);

    w.inner = (struct inner){ .a = a, .z = w.z, .head_place = job->head_place,
                              .n_heads = job->job.s.n_heads };
    add_stacks(job, a, &w, item);
    if (job->args->all)
        want.tap = &tap;
    if (job->args->hidden || job->args->all)    /* all: the last layer's output is made for it */
        want.hidden = arena_alloc(a, (uint64_t)(T * m->d_hidden), sizeof(float));
    if (job->args->logits)
        want.logits = arena_alloc(a, (uint64_t)(rows * m->n_logits), sizeof(float));
    if (export_forward(job, a, item, &want, &w, e) != 0) {
        npz_abort(w.z);
        return -1;
    }
    export_add_heads(job, a, w.z);
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
    if (job->args->hidden)
        add_floats(w.z, "hidden", T, m->d_hidden, want.hidden);
    if (job->args->logits) {
        add_floats(w.z, "logits", rows, m->n_logits, want.logits);
        add_labels(a, w.z, m);
    }
    provenance_add_array(w.z, &job->job.s, a, item);
    return npz_finish(w.z, e);
}

static int first_layer(const struct export_job *job)
{
    int l = 0;

    while (job->layer_place[l] < 0)
        l++;
    return l;
}

static int write_npy(struct export_job *job, struct arena *a, const struct item *item, FILE *file,
                     struct err *e)
{
    int64_t T = session_queries(&job->job.s, item)->n, S = session_keys(&job->job.s, item)->n;
    int64_t shape[] = { job->n_layers, job->n_heads[first_layer(job)], T, S };
    struct writer w = { .j = job };

    /* In two factors, so that a product beyond 64 bits is seen as too much. */
    w.all = arena_alloc(a, (uint64_t)(shape[0] * shape[1]), (uint64_t)(T * S) * sizeof *w.all);
    if (export_forward(job, a, item, &job->job.want, &w, e) != 0)
        return -1;
    return npy_write(file, DTYPE_F32, 4, shape, w.all, e);
}

static bool is_npy(const struct export_job *job)
{
    return job->job.results.output.format == OUTPUT_NPY;
}

static bool is_table(const struct export_job *job)
{
    return output_is_report(&job->job.results.output);
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
static void export_set_places(struct export_job *job)
{
    int L = job->job.s.n_layers, H = job->job.s.n_heads;

    job->n_heads = arena_alloc(job->job.s.a, (size_t)L, sizeof *job->n_heads);
    job->layer_place = arena_alloc(job->job.s.a, (size_t)L, sizeof *job->layer_place);
    job->head_place = arena_alloc(job->job.s.a, (size_t)L, (size_t)H * sizeof *job->head_place);
    for (int l = 0; l < L; l++) {
        job->layer_place[l] = wanted_layer(&job->job.want, l) ? job->n_layers++ : -1;
        for (int h = 0; h < H; h++)
            job->head_place[l * H + h] = wanted_head(&job->job.want, l, h) ? job->n_heads[l]++ : -1;
    }
}

static int check_npz(const struct export_job *job, struct err *e)
{
    const struct export_args *args = job->args;

    if (args->all || args->hidden || args->logits || args->shared.asked.word_ids)
        return err_set(e, ERR_USAGE, "--%s requires an npz", args->all ? "all" :
                       args->hidden ? "hidden" : args->logits ? "logits" : "word-ids");
    return 0;
}

/* One array has the same heads in each layer: nothing in it says which they are. */
static int check_npy(const struct export_job *job, struct err *e)
{
    const int *first = job->head_place + first_layer(job) * job->job.s.n_heads;
    size_t size = (size_t)job->job.s.n_heads * sizeof *first;

    for (int l = 0; l < job->job.s.n_layers; l++)
        if (job->layer_place[l] >= 0 &&
            memcmp(job->head_place + l * job->job.s.n_heads, first, size) != 0)
            return err_set(e, ERR_USAGE, "--head: '%s' names different heads in its layers; "
                           "this requires an npz", job->job.s.asked->head);
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
