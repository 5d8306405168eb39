/* SPDX-License-Identifier: MIT
 * export: the attention itself, as arrays that NumPy reads. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd/shared.h"
#include "report/report.h"
#include "weights/npz.h"

struct export_args {
    struct shared_args shared;
    const char *out;
    int format;
    bool hidden, logits;
};

enum format { FORMAT_NPZ, FORMAT_NPY };
static const char *const formats[] = { "auto", "npz", "npy", NULL };

#define F(f) offsetof(struct export_args, f)
static const struct opt opts[] = {
    { 'o', "output", "FILE", OPT_STRING, F(out), NULL, 0, 0, NULL,
      "write here: .npz, .npy, - for standard output, DIR/ for a file a text; needed" },
    { 0, "format", "NAME", OPT_CHOICE, F(format), "auto", 0, 0, formats,
      "npz: an array a layer; npy: one array, layers x heads x queries x keys; "
      "auto: by the ending of -o" },
    { 0, "hidden", NULL, OPT_FLAG, F(hidden), NULL, 0, 0, NULL,
      "also the hidden states after the final norm (npz)" },
    { 0, "logits", NULL, OPT_FLAG, F(logits), NULL, 0, 0, NULL,
      "also the logits (npz)" },
    { 0 }
};
#undef F

static const struct opt *const shared[] = { model_opts, text_opts, select_opts, NULL };

static const char *const examples[] = {
    "mha-viz export -o cat.npz 'the cat saw the dog and the cat ran'",
    "mha-viz export -l 1 -H 0-1 --format npy -o heads.npy 我喜欢吃苹果",
    NULL
};

struct job {
    struct session s;
    const struct export_args *args;
    struct wanted want;
    enum format format;
    int n_heads, n_layers;          /* wanted */
    int *head_place, *layer_place;  /* [H], [L] among the wanted; -1: not */
};

/* ---- the sink: rows to their place in the file ---- */

struct writer {
    const struct job *j;
    struct npz *z;              /* NULL: npy */
    int *array;                 /* [L] number in the npz */
    float *all;                 /* npy: [layers, heads, T, T] */
};

static void put(const struct writer *w, const struct rows *r, int query, int key,
                const float *weights, int n)
{
    int T = r->n_queries;
    int64_t at = (((int64_t)w->j->head_place[r->head] * T) + query) * T + key;

    if (w->z != NULL) {
        npz_put(w->z, w->array[r->layer], at, weights, n);
        return;
    }
    at += (int64_t)w->j->layer_place[r->layer] * w->j->n_heads * T * T;
    memcpy(w->all + at, weights, (size_t)n * sizeof *weights);
}

static void take(void *self, const struct rows *r, int n_heads)
{
    (void)n_heads;
    for (int t = 0; t < r->n_rows; t++)
        put(self, r, r->row0 + t, r->key0, r->weight + (size_t)t * r->stride, r->n_keys);
}

/* ---- one text ---- */

static char *tokens_json(struct arena *a, const struct tokens *t, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    struct jsonw j;
    char *copy;

    jsonw_init(&j, f);
    jsonw_array(&j);
    for (int i = 0; i < t->n; i++)
        jsonw_string(&j, t->piece[i]);
    jsonw_end(&j, ']');
    jsonw_newline(&j);
    fclose(f);
    copy = arena_strndup(a, text, *n);
    free(text);
    return copy;
}

static void add_floats(struct npz *z, const char *name, int64_t rows, int64_t columns,
                       const float *values)
{
    const int64_t shape[] = { rows, columns };

    npz_put(z, npz_add(z, name, DTYPE_F32, 2, shape), 0, values, rows * columns);
}

static int forward(struct job *j, struct arena *a, const struct item *item,
                   struct wanted *want, struct writer *w, struct err *e)
{
    int start[] = { 0, item->tokens.n };
    struct batch b = { 1, start, item->tokens.id, item->tokens.type };
    struct sink sink = { SINK_HEAD, take, NULL, w };

    return run_forward(j->s.model, &b, want, &sink, 1, j->s.par, a, e);
}

static int write_npz(struct job *j, struct arena *a, const struct item *item, FILE *f,
                     struct err *e)
{
    const struct config *c = &j->s.model->config;
    int64_t T = item->tokens.n, shape[] = { j->n_heads, T, T };
    struct npz *z = npz_new(a, f);
    struct writer w = { .j = j, .z = z };
    struct wanted want = j->want;
    size_t n_json;
    char *json = tokens_json(a, &item->tokens, &n_json);

    w.array = arena_alloc(a, (size_t)c->n_layers, sizeof *w.array);
    for (int l = 0; l < c->n_layers; l++)
        if (j->layer_place[l] >= 0)
            w.array[l] = npz_add(z, arena_printf(a, "attn.%d", l), DTYPE_F32, 3, shape);
    if (j->args->hidden)
        want.hidden = arena_alloc(a, (size_t)(T * j->s.model->d_hidden), sizeof(float));
    if (j->args->logits)
        want.logits = arena_alloc(a, (size_t)(T * j->s.model->n_logits), sizeof(float));
    if (forward(j, a, item, &want, &w, e) != 0) {
        npz_abort(z);
        return -1;
    }
    npz_put(z, npz_add(z, "ids", DTYPE_I32, 1, &T), 0, item->tokens.id, T);
    if (j->args->hidden)
        add_floats(z, "hidden", T, j->s.model->d_hidden, want.hidden);
    if (j->args->logits)
        add_floats(z, "logits", T, j->s.model->n_logits, want.logits);
    npz_add_bytes(z, "tokens.json", json, n_json);
    return npz_finish(z, e);
}

static int write_npy(struct job *j, struct arena *a, const struct item *item, FILE *f,
                     struct err *e)
{
    int64_t T = item->tokens.n, shape[] = { j->n_layers, j->n_heads, T, T };
    struct writer w = { .j = j };

    /* In two factors, so that a product beyond 64 bits is seen as too much. */
    w.all = arena_alloc(a, (size_t)(shape[0] * shape[1]), (size_t)(T * T) * sizeof *w.all);
    if (forward(j, a, item, &j->want, &w, e) != 0)
        return -1;
    return npy_write(f, DTYPE_F32, 4, shape, w.all, e);
}

static int one_text(void *self, struct arena *a, const struct item *item,
                    const char *path, struct err *e)
{
    struct job *j = self;
    struct out out;
    int rc;

    if (out_open(&out, path, true, e) != 0)
        return -1;
    rc = (j->format == FORMAT_NPY ? write_npy : write_npz)(j, a, item, out.file, e);
    if (rc == 0)
        return out_commit(&out, e);
    out_abort(&out);
    if (e->kind == ERR_SYSTEM)          /* a write that failed, of a file not named */
        err_under(e, "%s", strcmp(path, "-") == 0 ? "standard output" : path);
    return -1;
}

/* ---- all texts ---- */

static int *places(struct arena *a, const bool *list, int n, int *n_wanted)
{
    int *place = arena_alloc(a, (size_t)n, sizeof *place);

    for (int i = 0; i < n; i++)
        place[i] = list == NULL || list[i] ? (*n_wanted)++ : -1;
    return place;
}

static int check(struct job *j, struct err *e)
{
    const struct config *c = &j->s.model->config;
    int format;

    if (j->args->out == NULL)
        return err_set(e, ERR_USAGE, "want -o FILE");
    if (output_format(j->args->out, j->args->format - 1, formats + 1, &format, e) != 0 ||
        session_wanted(&j->s, &j->want, e) != 0)
        return -1;
    j->format = (enum format)format;
    if (j->format == FORMAT_NPY && (j->args->hidden || j->args->logits))
        return err_set(e, ERR_USAGE, "--%s: wants an npz",
                       j->args->hidden ? "hidden" : "logits");
    if (j->args->logits && !j->s.model->has_head)
        return err_set(e, ERR_INPUT, "--logits: %s has no head in its weights",
                       j->s.model->name);
    j->layer_place = places(j->s.a, j->want.layer, c->n_layers, &j->n_layers);
    j->head_place = places(j->s.a, j->want.head, c->n_heads, &j->n_heads);
    return 0;
}

static int run_job(struct job *j, int n_operands, char **operands, struct err *e)
{
    struct input *in;

    if (check(j, e) != 0)
        return -1;
    in = input_open(&j->s, n_operands, operands, e);
    if (in == NULL)
        return -1;
    return input_close(in, input_to_files(in, j->args->out, formats[j->format + 1],
                                          one_text, j, e), e);
}

static int run(const void *args, int n_operands, char **operands, const struct env *env,
               struct err *e)
{
    struct job j = { .args = args };
    int rc = session_open(&j.s, &j.args->shared, false, env, e);

    if (rc == 0)
        rc = run_job(&j, n_operands, operands, e);
    session_close(&j.s);
    return rc;
}

const struct cmd cmd_export = {
    .name = "export", .summary = "write the attention weights themselves, for NumPy",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .shared = shared,
    .args_size = sizeof(struct export_args), .examples = examples,
    .max_operands = 2, .run = run,
};
