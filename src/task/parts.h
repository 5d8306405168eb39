/* SPDX-License-Identifier: MIT
 *
 * Sums over some of a command's texts, in a file: what --shard writes, merge reports, and
 * --resume goes on from.  A command gives a struct parts_kind, and its struct begins with a
 * struct job. */
#ifndef TASK_PARTS_H
#define TASK_PARTS_H

#include "analysis/words.h"
#include "task/job.h"
#include "task/sums.h"

/* Texts that were read so far. */
struct parts_texts {
    int64_t n;
    int n_parts;                /* pieces of the last one: input_count_parts */
    int64_t n_bad;              /* could not be used */
    uint32_t crc;
};

/* self: the command's own struct. */
struct parts_kind {
    const struct cmd *cmd;
    size_t job_size;            /* of that struct */
    /* Adds members: to run, which is the same in all parts, and to part.  NULL: there are none. */
    void (*describe)(void *self, json_t *run, json_t *part);
    /* Counts, puts or takes all that was summed; NULL: put and add do. */
    void (*words)(void *self, struct words *w);
    void (*put)(void *self, struct sums *out);          /* sets out's words */
    /* Adds them, or, before words, what part->part says; errors without the path. */
    int (*add)(void *self, const struct sums *part, struct err *e);
    /* Of merge: fills the struct with what it is at the end of a run without texts, job->record
       too.  Of the model, names and sizes are known.  Errors without the path. */
    int (*open)(void *self, const struct sums *part, struct err *e);
    void (*report)(void *self);
    /* Of merge, for parts of some of the layers; NULL: there are none.  Adds what part, which
       has heads of its own, was summed to, to whole, whose heads from first on these are;
       errors without the path. */
    int (*place)(void *whole, const void *part, int first, struct err *e);
    /* Of texts that are not job->in's: how many were read, and reading on.  NULL: they are. */
    struct parts_texts (*texts)(const void *self);
    const char *(*file)(const void *self);      /* that they are in; NULL: that of -f */
    int (*skip)(void *self, const struct parts_texts *done, struct err *e);
};

/*
 * Before anything else: --shard into j->shard; whether it, or --summary, asks for sums into
 * j->of_many.  ERR_USAGE: it is no shard, or beside --format.
 */
int parts_choose(struct job *j, const struct parts_kind *kind, bool summary, struct err *e);

/* With the model open, of these heads[n]: what parts say of both.  Errors: model_hash_data. */
int parts_open(struct job *j, const struct head_id *heads, int n, struct err *e);

/* The member of a run that has the hash of the model's weights, of commands that say it. */
extern const char parts_weights_key[];

/* What is the same in all parts of a run, but for its texts; and what is of this one. */
void parts_describe(struct job *j, json_t **run, json_t **part);
struct parts_texts parts_texts(const struct job *j);

/* Writes sums as they are now; ferror says whether that failed. */
void parts_put(struct job *j, const json_t *run, const json_t *part, FILE *f);
/* Adds what such a file holds.  ERR_INPUT, with its path: it is not what its header says. */
int parts_add(struct job *j, const struct sums *part, struct err *e);

/* What the texts of this shard were summed to; ferror says whether that failed. */
void parts_write(struct job *j, FILE *f);

/*
 * Reports what part[n] of one whole come to, as args say; first is one of them, and those that
 * were let go of are read again.  Errors: those of the output and of sums_read_again; ERR_INPUT,
 * with the part's path: what it holds is not what its header says.
 */
int parts_report(const struct parts_kind *kind, const struct common_args *args,
                 const struct sums *first, const struct sums *part, int n, const struct env *env,
                 struct err *e);

/* ---- options ---- */

/*
 * args as the options of a run say, of a command line that parts_describe has described.
 * ERR_INPUT: they are no such options.
 */
int parts_read_options(const struct cmd *c, const json_t *run, struct arena *a, void *args,
                       struct err *e);

/*
 * Of a run over some of the layers, with another's stream: whether the command line says
 * anything else of what is summed.  *none: it says nothing.  ERR_USAGE: it says something else
 * (found, expected).
 */
int parts_check_options(const struct cmd *c, const struct env *env, const json_t *run, bool *none,
                        struct err *e);

/* ---- members that commands add ---- */

/* A checksum. */
json_t *parts_hex(struct arena *a, uint64_t v);

#endif
