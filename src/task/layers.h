/* SPDX-License-Identifier: MIT
 *
 * --hidden-out, --hidden-in: a run over some of the layers, which another process goes on with.
 * Its results are sums, as of a shard; merge joins those of all layers.
 *
 * Without these options layers is NULL, and all of the functions of a job do nothing. */
#ifndef TASK_LAYERS_H
#define TASK_LAYERS_H

#include "base/out.h"
#include "task/job.h"
#include "session/stream.h"

/* Of the command line. */
struct layers_args {
    const char *in, *out;       /* "-", or files; NULL: not given */
};

struct layers {
    struct layers_args args;
    int first;                  /* the layer that the pass begins with */
    int end;                    /* that which the next process begins with; the number of layers:
                                   there is none */
    struct unigrams unigrams;   /* for the stream, where tokens were counted */
    struct leave leave;
    struct stream stream;       /* that is written, to out */
    struct out out;             /* file NULL: not open */
};

/*
 * Before anything else, into j->layers.  With args->in: *in is open up to its first text.
 * ERR_USAGE: beside options or texts that it cannot be given with; errors of stream_open.
 */
int layers_choose(struct job *j, const struct layers_args *args, struct stream *in,
                  struct err *e);

/*
 * With the selection made: which layers the pass runs, and, of those that are selected by
 * default, which are shown.  ERR_USAGE: a model that is no stack of layers over tokens; layers
 * before those that the stream begins with; no layer is left for the stream.
 */
int layers_select(struct job *j, struct err *e);

/* With the texts open, and j->parts: reads what the stream is of, and begins that which is
 * written.  ERR_INPUT: it is of another run (found, expected); errors of out_open. */
int layers_begin(struct job *j, struct err *e);

/* Around a pass over the packed texts items[n]. */
void layers_pack(struct job *j, struct arena *a);
int layers_pass_on(struct job *j, struct arena *a, const struct item *items, int n,
                   struct err *e);
/* Bytes of both streams of a text. */
double layers_keep(const struct job *j, const struct item *item);

/* After the last text; rc as of output_close. */
int layers_end(struct job *j, int rc, struct err *e);

#endif
