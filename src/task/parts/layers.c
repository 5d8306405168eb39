/* SPDX-License-Identifier: MIT
 * A run over some of the layers -> a stream of hidden states for the next process, and back. */
#include "task/parts/layers.h"

#include <string.h>

#include "run/special/front.h"
#include "task/parts/parts.h"

/* ---- what may be asked for ---- */

static const char *layers_name_of(const struct layers_args *args)
{
    return args->in != NULL ? "--hidden-in" : "--hidden-out";
}

static int layers_check(const struct job *job, const struct layers_args *args, struct err *e)
{
    const struct shared_args *shared = job->args;
    const char *report = shared->common.output.path;
    const struct {
        bool given;
        const char *why;
    } refused[] = {
        { shared->common.output.format > 0, "-o is of sums, which have no format: give --format "
                                            "to `mha-viz merge`" },
        { args->in == NULL && job->n_operands > 0,
          "TEXT cannot be given with it: expected -f FILE, or texts on standard input" },
        { args->in != NULL && job->n_operands > 0, "the stream has the texts: expected no other" },
        { args->out != NULL && report != NULL && strcmp(report, "-") == 0 &&
          strcmp(args->out, "-") == 0, "-o is standard output, too: expected a file for the "
                                       "sums" },
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return err_set(e, ERR_USAGE, "%s: %s", layers_name_of(args), refused[i].why);
    return 0;
}

int layers_choose(struct job *job, const struct layers_args *args, struct stream *stream,
                  struct err *e)
{
    struct arena *a = job->s.a;

    if (args->in == NULL && args->out == NULL)
        return 0;
    if (layers_check(job, args, e) != 0)
        return -1;
    job->layers = arena_alloc(a, 1, sizeof *job->layers);
    job->layers->args = *args;
    job->of_many = true;
    return args->in == NULL ? 0 : stream_open(a, args->in, stream, e);
}

static int check_model(const struct job *job, struct err *e)
{
    const struct session *s = &job->s;
    const struct model *m = s->model;
    int64_t dim[4];
    const char *why = m->decoder != NULL || model_has_cross(m) ? "has several stacks" :
                      m->family->bare || m->precomputed != NULL ? "is no whole model" :
                      front_dims(m, dim) > 0 ? "reads no tokens" : NULL;

    return why == NULL ? 0 :
                         err_set(e, ERR_USAGE,
                                 "%s: %s %s: expected one stack of layers over "
                                 "the tokens of a text",
                                 layers_name_of(&job->layers->args), m->name, why);
}

/* Of those that are shown. */
static int first_shown(const struct job *job)
{
    int l = 0;

    while (l < job->s.n_layers && !wanted_layer(&job->want, l))
        l++;
    return l;
}

static int last_shown(const struct job *job)
{
    int l = job->s.n_layers - 1;

    while (l > 0 && !wanted_layer(&job->want, l))
        l--;
    return l;
}

static bool asked_for(const struct job *job)
{
    return job->s.asked->layer != NULL || session_names_heads(job->s.asked);
}

/* Whether a layer from l on attends: the others of a hybrid are of no part by themselves. */
static bool any_from(const struct job *job, int l)
{
    while (l < job->s.n_layers && !model_has_layer(job->s.model, l))
        l++;
    return l < job->s.n_layers;
}

/* All that are left. */
static void show_rest(struct job *job)
{
    bool *layer = arena_alloc(job->s.a, (uint64_t)job->s.n_layers, sizeof *layer);

    for (int l = job->layers->first; l < job->s.n_layers; l++)
        layer[l] = model_has_layer(job->s.model, l);
    job->want.layer = layer;
}

int layers_select(struct job *job, struct err *e)
{
    struct layers *layers = job->layers;
    const struct stream *in;

    if (layers == NULL)
        return 0;
    in = job->s.asked->stream;
    if (check_model(job, e) != 0)
        return -1;
    if (job->s.model->config.streams.n > 0)
        return err_set(e, ERR_INPUT, "%s: its layers mix several streams, and attend to keys of "
                       "earlier layers: --hidden-out and --hidden-in hold one stream",
                       job->s.name);
    layers->first = in != NULL ? in->layer : 0;
    layers->end = job->s.n_layers;
    if (layers->first >= job->s.n_layers)
        return err_set(e, ERR_INPUT, "%s: begins with layer %d, but %s has %d", in->name,
                       layers->first, job->s.name, job->s.n_layers);
    if (!any_from(job, layers->first))
        return err_set(e, ERR_INPUT, "%s: begins with layer %d, from which on %s has no attention",
                       in->name, layers->first, job->s.name);
    if (!asked_for(job))
        show_rest(job);
    if (first_shown(job) < layers->first)
        return err_set(e, ERR_USAGE, "--layer: %d: %s begins with layer %d", first_shown(job),
                       in->name, layers->first);
    if (layers->args.out != NULL)
        layers->end = last_shown(job) + 1;
    if (layers->args.out != NULL && !any_from(job, layers->end))
        return err_set(e, ERR_USAGE, "--hidden-out: layer %d is the last: expected -l with layers "
                       "before it", layers->end - 1);
    return 0;
}

/* ---- streams ---- */

static int layers_check_same(struct job *job, const json_t *run, const struct stream *stream,
                             struct err *e)
{
    const struct sums own = { .path = "this run", .run = run };
    const struct sums other = { .path = stream->name, .run = stream->run };

    return sums_check_same(job->s.a, &other, &own, e);
}

/* As a pass over the model leaves them. */
static int n_streams(const struct model *model)
{
    return model->norm_place == PLACE_REVERSIBLE ? 2 : 1;
}

static int layers_check_width(const struct job *job, const struct stream *stream, struct err *e)
{
    const struct model *m = job->s.model;

    if (stream->width == m->config.d_model && stream->n_streams == n_streams(m))
        return 0;
    return err_set(e, ERR_INPUT, "%s: has %d streams of width %d, expected %d of %d of %s",
                   stream->name, stream->n_streams, stream->width, n_streams(m), m->config.d_model,
                   job->s.name);
}

int layers_begin(struct job *job, struct err *e)
{
    struct layers *layers = job->layers;
    const struct stream *in;
    json_t *run, *part;

    if (layers == NULL)
        return 0;
    in = job->s.asked->stream;
    parts_describe(job, &run, &part);
    if (in != NULL &&
        (layers_check_same(job, run, in, e) != 0 || layers_check_width(job, in, e) != 0))
        return -1;
    if (layers->args.out == NULL)
        return 0;
    if (out_open(&layers->out, layers->args.out, 0, e) != 0)
        return -1;
    layers->stream = (struct stream){ .file = layers->out.file, .run = run, .layer = layers->end,
                                      .width = job->s.model->config.d_model,
                                      .n_streams = n_streams(job->s.model),
                                      .unigrams = layers->unigrams };
    stream_begin(job->s.a, &layers->stream);
    return 0;
}

void layers_pack(struct job *job, struct arena *a)
{
    struct layers *layers = job->layers;
    const struct batch *b = &job->texts.source;
    uint64_t n;

    if (layers == NULL || layers->out.file == NULL)
        return;
    n = (uint64_t)b->start[b->n_texts] * (uint64_t)layers->stream.width;
    layers->leave = (struct leave){ .layer = layers->end };
    layers->leave.x = arena_alloc_raw(a, n, sizeof(float));
    if (layers->stream.n_streams > 1)
        layers->leave.x2 = arena_alloc_raw(a, n, sizeof(float));
    job->want.leave = &layers->leave;
}

int layers_pass_on(struct job *job, struct arena *a, const struct item *items, int n,
                   struct err *e)
{
    const struct layers *layers = job->layers;
    const struct leave *leave;

    if (layers == NULL || layers->out.file == NULL)
        return 0;
    leave = &layers->leave;
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)job->texts.source.start[i] * (size_t)layers->stream.width;
        const float *x[2] = { leave->x + at, leave->x2 != NULL ? leave->x2 + at : NULL };

        stream_text(a, &layers->stream, &items[i], x);
    }
    fflush(layers->out.file);
    return out_check(&layers->out, e);
}

double layers_keep(const struct job *job, const struct item *item)
{
    const struct layers *layers = job->layers;
    double stream;

    if (layers == NULL)
        return 0;
    stream = (double)item->tokens.n * job->s.model->config.d_model * sizeof(float) *
             n_streams(job->s.model);
    /* What was read, and its copy in the batch; what is left, and its block. */
    return 2 * stream * ((layers->args.in != NULL) + (layers->args.out != NULL));
}

int layers_end(struct job *job, int rc, struct err *e)
{
    struct layers *layers = job->layers;
    struct parts_texts texts;
    struct stream_end end;

    if (layers == NULL || layers->out.file == NULL)
        return rc;
    if (rc != 0) {
        out_abort(&layers->out);
        return rc;
    }
    texts = parts_texts(job);
    end = (struct stream_end){ texts.n, texts.n_bad, texts.crc };
    stream_finish(job->s.a, &layers->stream, &end);
    return out_commit(&layers->out, e);
}
