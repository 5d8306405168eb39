/* SPDX-License-Identifier: MIT
 *
 * --hidden-out, --hidden-in: a run over some of the layers, which another process continues.  Its
 * results are sums, like those of a shard; merge joins those of all layers.
 *
 * Without these options j->layers is NULL, and all functions of a job do nothing. */
#ifndef TASK_LAYERS_H
#define TASK_LAYERS_H

#include "base/out.h"
#include "session/source/stream.h"
#include "task/common/job.h"

/* The options. */
struct layers_args {
    const char *in, *out;       /* "-", or files; NULL: not given */
};

struct layers {
    struct layers_args args;
    int first;                  /* first layer of this process */
    int end;                    /* first layer of the next process; the number of layers if there
                                   is none */
    struct unigrams unigrams;   /* counts of tokens for the stream, if any */
    struct leave leave;
    struct stream stream;       /* the stream that is written to out */
    struct out out;             /* file NULL: not open */
};

/*
 * Called first of all; sets job->layers.  With args->in it opens *in, up to its first text.
 * ERR_USAGE: options or texts that cannot be combined with it; errors of stream_open.
 */
int layers_choose(struct job *job, const struct layers_args *args, struct stream *stream,
                  struct err *e);

/*
 * Called after the selection: sets which layers the pass runs, and reduces a default selection to
 * them.  ERR_USAGE: the model is not a single stack of layers over tokens; selected layers before
 * the stream's; no layer is left for the stream.
 */
int layers_select(struct job *job, struct err *e);

/* Called with the texts open, and job->parts set: compares the stream's description with this run,
 * and begins the stream that is written.  ERR_INPUT: another run (found, expected); errors of
 * out_open. */
int layers_begin(struct job *job, struct err *e);

/* Before and after a pass over the packed texts items[n]: sets its start and end; writes the
 * stream. */
void layers_pack(struct job *job, struct arena *a);
int layers_pass_on(struct job *job, struct arena *a, const struct item *items, int n,
                   struct err *e);
/* Bytes of a text's hidden states, read and written. */
double layers_keep(const struct job *job, const struct item *item);

/* Ends the stream after the last text; rc as in output_close. */
int layers_end(struct job *job, int rc, struct err *e);

#endif
