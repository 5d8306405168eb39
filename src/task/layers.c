/* SPDX-License-Identifier: MIT
 * A run over some of the layers -> a stream of hidden states for the next process, and back. */
#include "task/layers.h"

#include <string.h>

#include "task/parts.h"
#include "run/front.h"

/* ---- what may be asked for ---- */

static const char *layers_name_of(const struct layers_args *args)
{
    return args->in != NULL ? "--hidden-in" : "--hidden-out";
}

static int layers_check(const struct job *j, const struct layers_args *args, struct err *e)
{
    const struct shared_args *shared = j->args;
    const char *report = shared->common.output.path;
    const struct {
        bool given;
        const char *why;
    } refused[] = {
        { shared->common.output.format > 0, "-o is of sums, which have no format: give --format "
                                            "to `mha-viz merge`" },
        { args->in == NULL && j->n_operands > 0,
          "TEXT cannot be given with it: expected -f FILE, or texts on standard input" },
        { args->in != NULL && j->n_operands > 0, "the stream has the texts: expected no other" },
        { args->out != NULL && report != NULL && strcmp(report, "-") == 0 &&
          strcmp(args->out, "-") == 0, "-o is standard output, too: expected a file for the "
                                       "sums" },
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return err_set(e, ERR_USAGE, "%s: %s", layers_name_of(args), refused[i].why);
    return 0;
}

int layers_choose(struct job *j, const struct layers_args *args, struct stream *in, struct err *e)
{
    struct arena *a = j->s.a;

    if (args->in == NULL && args->out == NULL)
        return 0;
    if (layers_check(j, args, e) != 0)
        return -1;
    j->layers = arena_alloc(a, 1, sizeof *j->layers);
    j->layers->args = *args;
    j->of_many = true;
    return args->in == NULL ? 0 : stream_open(a, args->in, in, e);
}

static int check_model(const struct job *j, struct err *e)
{
    const struct session *s = &j->s;
    const struct model *m = s->model;
    int64_t dim[4];
    const char *why = m->decoder != NULL || model_has_cross(m) ? "has several stacks" :
                      m->family->bare || m->precomputed != NULL ? "is no whole model" :
                      front_dims(m, dim) > 0 ? "reads no tokens" : NULL;

    return why == NULL ? 0 :
                         err_set(e, ERR_USAGE,
                                 "%s: %s %s: expected one stack of layers over "
                                 "the tokens of a text",
                                 layers_name_of(&j->layers->args), m->name, why);
}

/* Of those that are shown. */
static int first_shown(const struct job *j)
{
    int l = 0;

    while (l < j->s.n_layers && !wanted_layer(&j->want, l))
        l++;
    return l;
}

static int last_shown(const struct job *j)
{
    int l = j->s.n_layers - 1;

    while (l > 0 && !wanted_layer(&j->want, l))
        l--;
    return l;
}

static bool asked_for(const struct job *j)
{
    return j->s.asked->layer != NULL || session_names_heads(j->s.asked);
}

/* Whether a layer from l on attends: the others of a hybrid are of no part by themselves. */
static bool any_from(const struct job *j, int l)
{
    while (l < j->s.n_layers && !model_has_layer(j->s.model, l))
        l++;
    return l < j->s.n_layers;
}

/* All that are left. */
static void show_rest(struct job *j)
{
    bool *layer = arena_alloc(j->s.a, (uint64_t)j->s.n_layers, sizeof *layer);

    for (int l = j->layers->first; l < j->s.n_layers; l++)
        layer[l] = model_has_layer(j->s.model, l);
    j->want.layer = layer;
}

int layers_select(struct job *j, struct err *e)
{
    struct layers *layers = j->layers;
    const struct stream *in;

    if (layers == NULL)
        return 0;
    in = j->s.asked->stream;
    if (check_model(j, e) != 0)
        return -1;
    if (j->s.model->config.streams.n > 0)
        return err_set(e, ERR_INPUT, "%s: its layers mix several streams, and attend to keys of "
                       "earlier layers: --hidden-out and --hidden-in hold one stream",
                       j->s.name);
    layers->first = in != NULL ? in->layer : 0;
    layers->end = j->s.n_layers;
    if (layers->first >= j->s.n_layers)
        return err_set(e, ERR_INPUT, "%s: begins with layer %d, but %s has %d", in->name,
                       layers->first, j->s.name, j->s.n_layers);
    if (!any_from(j, layers->first))
        return err_set(e, ERR_INPUT, "%s: begins with layer %d, from which on %s has no attention",
                       in->name, layers->first, j->s.name);
    if (!asked_for(j))
        show_rest(j);
    if (first_shown(j) < layers->first)
        return err_set(e, ERR_USAGE, "--layer: %d: %s begins with layer %d", first_shown(j),
                       in->name, layers->first);
    if (layers->args.out != NULL)
        layers->end = last_shown(j) + 1;
    if (layers->args.out != NULL && !any_from(j, layers->end))
        return err_set(e, ERR_USAGE, "--hidden-out: layer %d is the last: expected -l with layers "
                       "before it", layers->end - 1);
    return 0;
}

/* ---- streams ---- */

static int layers_check_same(struct job *j, const json_t *run, const struct stream *in,
                             struct err *e)
{
    const struct sums own = { .path = "this run", .run = run };
    const struct sums other = { .path = in->name, .run = in->run };

    return sums_check_same(j->s.a, &other, &own, e);
}

/* As a pass over the model leaves them. */
static int n_streams(const struct model *m)
{
    return m->norm_place == PLACE_REVERSIBLE ? 2 : 1;
}

static int layers_check_width(const struct job *j, const struct stream *in, struct err *e)
{
    const struct model *m = j->s.model;

    if (in->width == m->config.d_model && in->n_streams == n_streams(m))
        return 0;
    return err_set(e, ERR_INPUT, "%s: has %d streams of width %d, expected %d of %d of %s",
                   in->name, in->n_streams, in->width, n_streams(m), m->config.d_model,
                   j->s.name);
}

int layers_begin(struct job *j, struct err *e)
{
    struct layers *layers = j->layers;
    const struct stream *in;
    json_t *run, *part;

    if (layers == NULL)
        return 0;
    in = j->s.asked->stream;
    parts_describe(j, &run, &part);
    if (in != NULL && (layers_check_same(j, run, in, e) != 0 || layers_check_width(j, in, e) != 0))
        return -1;
    if (layers->args.out == NULL)
        return 0;
    if (out_open(&layers->out, layers->args.out, 0, e) != 0)
        return -1;
    layers->stream = (struct stream){ .file = layers->out.file, .run = run, .layer = layers->end,
                                      .width = j->s.model->config.d_model,
                                      .n_streams = n_streams(j->s.model),
                                      .unigrams = layers->unigrams };
    stream_begin(j->s.a, &layers->stream);
    return 0;
}

void layers_pack(struct job *j, struct arena *a)
{
    struct layers *layers = j->layers;
    const struct batch *b = &j->texts.source;
    uint64_t n;

    if (layers == NULL || layers->out.file == NULL)
        return;
    n = (uint64_t)b->start[b->n_texts] * (uint64_t)layers->stream.width;
    layers->leave = (struct leave){ .layer = layers->end };
    layers->leave.x = arena_alloc_raw(a, n, sizeof(float));
    if (layers->stream.n_streams > 1)
        layers->leave.x2 = arena_alloc_raw(a, n, sizeof(float));
    j->want.leave = &layers->leave;
}

int layers_pass_on(struct job *j, struct arena *a, const struct item *items, int n,
                   struct err *e)
{
    const struct layers *layers = j->layers;
    const struct leave *leave;

    if (layers == NULL || layers->out.file == NULL)
        return 0;
    leave = &layers->leave;
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)j->texts.source.start[i] * (size_t)layers->stream.width;
        const float *x[2] = { leave->x + at, leave->x2 != NULL ? leave->x2 + at : NULL };

        stream_text(a, &layers->stream, &items[i], x);
    }
    fflush(layers->out.file);
    return out_check(&layers->out, e);
}

double layers_keep(const struct job *j, const struct item *item)
{
    const struct layers *layers = j->layers;
    double stream;

    if (layers == NULL)
        return 0;
    stream = (double)item->tokens.n * j->s.model->config.d_model * sizeof(float) *
             n_streams(j->s.model);
    /* What was read, and its copy in the batch; what is left, and its block. */
    return 2 * stream * ((layers->args.in != NULL) + (layers->args.out != NULL));
}

int layers_end(struct job *j, int rc, struct err *e)
{
    struct layers *layers = j->layers;
    struct parts_texts texts;
    struct stream_end end;

    if (layers == NULL || layers->out.file == NULL)
        return rc;
    if (rc != 0) {
        out_abort(&layers->out);
        return rc;
    }
    texts = parts_texts(j);
    end = (struct stream_end){ texts.n, texts.n_bad, texts.crc };
    stream_finish(j->s.a, &layers->stream, &end);
    return out_commit(&layers->out, e);
}
