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
#ifndef CMD_JOB_H
#define CMD_JOB_H

#include "cmd/records.h"
#include "cmd/results.h"

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
    const struct record *record;    /* of reports: kind's, or what prepare sets */
};

/* self: the command's own struct, which begins with the struct job. */
struct job_kind {
    const struct output_set *outputs;
    const char *name;           /* of the file without -o: output_plan; NULL: none */
    const struct record *record;    /* of reports; NULL: prepare sets job->record */
    bool tokens_only;           /* no model is opened, and nothing selected */
    int (*check)(void *self, struct err *e);        /* before the selection; NULL: nothing */
    int (*prepare)(void *self, struct err *e);      /* after it; NULL: nothing */
    /*
     * One text, or several that share a pass: each is written by results_text, or between
     * results_begin and results_end in the record's format.
     */
    int (*text)(void *self, struct arena *a, const struct item *item, struct err *e);
    int (*texts)(void *self, struct arena *a, const struct item *items, int n,
                 struct err *e);
    /* Before the first text, with the input open; NULL: nothing. */
    int (*begin)(void *self, struct err *e);
    /* After the last text, of all that could be used: one report, which NULL has per text;
       or one picture, in a file that it opens; fails with ERR_USAGE before them where the output is a folder, or the input one text. */
    int (*end)(void *self, struct err *e);
    /* When the result stands where it belongs; NULL: nothing. */
    void (*done)(void *self);
    /* One picture or set of arrays, to a file at path that it opens; NULL: reports only. */
    int (*file)(void *self, struct arena *a, const struct item *item, const char *path,
                struct err *e);
};

/* Errors: those of the session, its input, its output and kind's functions. */
int job_run(struct job *job, const struct job_kind *kind, const struct env *env,
            struct err *e);

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
