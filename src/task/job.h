/* SPDX-License-Identifier: MIT
 *
 * What commands over texts have in common: open the session, plan the output, select, open
 * the texts, run text after text, close.  A command gives a struct job_kind, and a struct
 * of its own that begins with a struct job:
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

#include "task/records.h"
#include "task/results.h"
#include "session/shard.h"

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
    struct texts texts;         /* of the pass: job_pack */
    bool all_stacks;            /* set by check: as session_select takes it */
    double (*keeps)(void *self, const struct item *item);   /* kind's */
    const struct record *record;    /* of reports: kind's, or what prepare sets */
    /* Of a command with --shard and --resume, see task/parts.h. */
    const struct parts_kind *parts;     /* NULL: of another */
    struct shard shard;
    bool of_many;               /* one report, or sums, of all texts */
    const struct head_id *heads;        /* [n_heads] whose sums these are */
    int n_heads;
    uint64_t hash;              /* of the model, for files of sums */
    const char *weights;        /* records_weights, of commands whose reports are read again; NULL:
                                   another */
    int64_t n_bad;              /* at the end: texts that could not be used */
    struct layers *layers;      /* of --hidden-out, --hidden-in; NULL: not asked for */
    struct state *state;        /* of --resume; NULL: not asked for */
};

/* self: the command's own struct, which begins with the struct job. */
struct job_kind {
    const struct output_set *outputs;
    const char *name;           /* of the file without -o: output_plan; NULL: none */
    const struct record *record;    /* of reports; NULL: prepare sets job->record */
    const struct shared_reader *readers;    /* shared_check_readers; NULL: there are none */
    bool tokens_only;           /* no model is opened, and nothing selected */
    /* What --seed is of beside the random input of a bare layer, as shared_check_seed says it, and
       whether this run draws it: asked after prepare.  NULL: nothing. */
    const char *drawn;
    bool (*draws)(const void *self);
    int (*check)(void *self, struct err *e);        /* before the selection; NULL: nothing */
    int (*prepare)(void *self, struct err *e);      /* after it; NULL: nothing */
    /*
     * One text, or several that share a pass: each is written by results_text, or between
     * results_begin and results_end in the record's format.
     */
    int (*text)(void *self, struct arena *a, const struct item *item, struct err *e);
    int (*texts)(void *self, struct arena *a, const struct item *items, int n,
                 struct err *e);
    /* Bytes that a text takes beside its pass, for --max-memory; NULL: none. */
    double (*keeps)(void *self, const struct item *item);
    void (*begin)(void *self);      /* with the input open; NULL: nothing */
    /* After the last text, of all that could be used: one report, which NULL has per text,
       or in its place the sums of --shard; or one picture, in a file that it opens.  Fails with
       ERR_USAGE before them where the output is a folder, or the input one text. */
    int (*end)(void *self, struct err *e);
    /* One picture of several texts, at most most_texts, to a file at path that it opens; option:
       what asked for it.  NULL: no such picture. */
    int (*figure)(void *self, struct arena *a, struct item *items, int n, const char *path,
                  struct err *e);
    int most_texts;
    const char *option;
    /* One picture or set of arrays, to a file at path that it opens; NULL: reports only. */
    int (*file)(void *self, struct arena *a, const struct item *item, const char *path,
                struct err *e);
};

/* Errors: those of the session, its input, its output and kind's functions. */
int job_run(struct job *job, const struct job_kind *kind, const struct env *env,
            struct err *e);

/*
 * The same without results: kind's texts, for what the command reports by itself.  The session
 * stays open, also after an error.
 */
int job_gather(struct job *job, const struct job_kind *kind, const struct env *env,
               struct err *e);

/*
 * Calls fn for each text of the run, in all shards, once more from the beginning, before the
 * texts are worked on or meanwhile; what cannot be used is not named again.  Errors: those of
 * input_each.
 */
int job_again(struct job *job,
              int (*fn)(void *self, struct arena *a, const struct item *item, struct err *e),
              void *self, struct err *e);

/*
 * The pass over n texts, with what the job wants: pack them, make sinks for what is attended
 * to, run.  Memory is of arena a; errors: those of session_forward.
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
