/* SPDX-License-Identifier: MIT
 *
 * A job: the frame of all commands over texts: open the session, plan the output, select, open the
 * texts, run text after text, close.  A command provides a struct job_kind, and a struct of its own
 * that begins with a struct job:
 *
 *     static const struct job_kind kind = { .outputs = &output_reports,
 *                                           .record = &record, .text = text };
 *
 *     static int run(const void *args, int n_operands, char **operands,
 *                    const struct env *env, struct err *e)
 *     {
 *         struct my_job j = { .job = { args, n_operands, operands }, .args = args };
 *
 *         return job_run(&j.job, &kind, env, e);
 *     }
 */
#ifndef TASK_JOB_H
#define TASK_JOB_H

#include "session/shard.h"
#include "task/common/records.h"
#include "task/common/results.h"

struct layers;
struct parts_kind;
struct state;

struct job {
    const void *args;           /* begins with a struct shared_args */
    int n_operands;
    char **operands;
    struct session s;
    struct wanted want;
    struct input *in;
    struct results results;
    struct texts texts;         /* the batch of the pass, from job_pack */
    bool all_stacks;            /* argument `all` of session_select; set by check */
    double (*keeps)(void *self, const struct item *item);   /* kind's */
    const struct record *record;    /* record of reports: kind's, or set by prepare */
    /* For commands with --shard and --resume, see task/parts/parts.h. */
    const struct parts_kind *parts;     /* NULL for other commands */
    struct shard shard;
    bool of_many;               /* one report, or sums, over all texts */
    const struct head_id *heads;        /* [n_heads] heads of the sums */
    int n_heads;
    uint64_t hash;              /* hash of the model, for files of sums */
    const char *weights;        /* records_weights, for commands whose reports are read again; else
                                   NULL */
    int64_t n_bad;              /* at the end: texts that could not be used */
    struct layers *layers;      /* state of --hidden-out, --hidden-in; NULL without them */
    struct state *state;        /* state of --resume; NULL without it */
};

/* self: the command's own struct, which begins with the struct job. */
struct job_kind {
    const struct output_set *outputs;
    const char *name;           /* file name without -o, for output_plan; NULL: none */
    const struct record *record;    /* record of reports; NULL: prepare sets job->record */
    const struct shared_reader *readers;    /* for shared_check_readers; NULL if there are none */
    bool tokens_only;           /* no model is opened, and nothing selected */
    /* What the command draws with --seed, besides the random input of a bare layer, as `what` of
       shared_check_seed; and whether this run draws it, called after prepare.  NULL: nothing. */
    const char *drawn;
    bool (*draws)(const void *self);
    int (*check)(void *self, struct err *e);        /* called before the selection; may be NULL */
    int (*prepare)(void *self, struct err *e);      /* called after the selection; may be NULL */
    /*
     * Runs one text, or several in one pass, and writes each by results_text, or between
     * results_begin and results_end in the record's format.
     */
    int (*text)(void *self, struct arena *a, const struct item *item, struct err *e);
    int (*texts)(void *self, struct arena *a, const struct item *items, int n,
                 struct err *e);
    /* Bytes that a text takes beside its pass, for --max-memory; NULL: 0. */
    double (*keeps)(void *self, const struct item *item);
    void (*begin)(void *self);      /* called with the input open; may be NULL */
    /* After the last text: writes one report over all usable texts, or with --shard their sums; or
       one picture, to a file that it opens.  The job fails with ERR_USAGE before the texts if the
       output is a folder, or the input one text.  NULL: a report per text. */
    int (*end)(void *self, struct err *e);
    /* Draws one picture of several texts, at most most_texts, to a file at path that it opens;
       option: the option that asks for it.  NULL: no such picture. */
    int (*figure)(void *self, struct arena *a, struct item *items, int n, const char *path,
                  struct err *e);
    int most_texts;
    const char *option;
    /* Writes one picture or set of arrays, to a file at path that it opens; NULL: reports only. */
    int (*file)(void *self, struct arena *a, const struct item *item, const char *path,
                struct err *e);
};

/* Errors: those of the session, its input, its output and kind's functions. */
int job_run(struct job *job, const struct job_kind *kind, const struct env *env,
            struct err *e);

/*
 * The same without results, for commands that write their own report: runs kind's texts.  The
 * session stays open, also after an error.
 */
int job_gather(struct job *job, const struct job_kind *kind, const struct env *env,
               struct err *e);

/*
 * Calls fn for each text of the input, of all shards, in an additional run through it, before the
 * texts are processed or meanwhile; no second warnings for unusable ones.  Errors: those of
 * input_each.
 */
int job_again(struct job *job,
              int (*fn)(void *self, struct arena *a, const struct item *item, struct err *e),
              void *self, struct err *e);

/*
 * The pass over n texts, with the job's wanted outputs: pack them, make sinks, run.  Memory is
 * allocated in arena a; errors: those of session_forward.
 *
 *     struct attended attended = job_pack(job, a, item, 1);
 *     struct links *links = links_new(a, job->s.shown, &attended, &job->want);
 *     struct sink sink = links_sink(links);
 *
 *     if (job_forward(job, a, &sink, 1, e) != 0)
 *         return -1;
 */
struct attended job_pack(struct job *job, struct arena *a, const struct item *items, int n);
int job_forward(const struct job *job, struct arena *a, const struct sink *sinks,
                int n_sinks, struct err *e);

#endif
