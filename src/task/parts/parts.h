/* SPDX-License-Identifier: MIT
 *
 * A part: sums over some of a command's texts, in a file, that --shard writes, merge reports and
 * --resume continues.  A command provides a struct parts_kind, and its struct begins with a struct
 * job. */
#ifndef TASK_PARTS_H
#define TASK_PARTS_H

#include "analysis/words.h"
#include "task/common/job.h"
#include "task/parts/sums.h"

/* The texts read so far. */
struct parts_texts {
    int64_t n;
    int n_parts;                /* pieces of the last text: input_count_parts */
    int64_t n_bad;              /* texts that could not be used */
    uint32_t crc;               /* CRC-32 of their lines */
};

/* self: the command's own struct. */
struct parts_kind {
    const struct cmd *cmd;
    size_t job_size;            /* size of that struct */
    /* Adds members to run, which is the same in all parts, and to part.  NULL if there are none. */
    void (*describe)(void *self, json_t *run, json_t *part);
    /* Counts, writes or reads all sums as words (analysis/words.h); NULL: put and add do it. */
    void (*words)(void *self, struct words *w);
    void (*put)(void *self, struct sums *out);          /* sets out's words */
    /* Adds part's words; or, if words is set, only the members of part->part, before it.  Errors
       have no path. */
    int (*add)(void *self, const struct sums *part, struct err *e);
    /* For merge: fills the struct as at the end of a run without texts, including job->record.
       Only names and sizes of the model are known.  Errors have no path. */
    int (*open)(void *self, const struct sums *part, struct err *e);
    void (*report)(void *self);
    /* For merge, of parts that have some of the layers; NULL if the command has none.  Adds the
     * sums
       of part to the heads of whole from index first on; errors have no path. */
    int (*place)(void *whole, const void *part, int first, struct err *e);
    /* For commands whose texts are not job->in: the texts read so far, their file, and skipping.
       NULL: the texts are job->in's. */
    struct parts_texts (*texts)(const void *self);
    const char *(*file)(const void *self);      /* NULL: the file of -f */
    int (*skip)(void *self, const struct parts_texts *done, struct err *e);
};

/*
 * Called first of all: sets job->shard from --shard, and job->of_many if it, or --summary, is
 * given.
 * ERR_USAGE: not a shard, or together with --format.
 */
int parts_choose(struct job *job, const struct parts_kind *kind, bool summary, struct err *e);

/* Called with the model open: stores the hash of the model and heads[n], which parts record.
 * Errors: those of model_hash_data. */
int parts_open(struct job *job, const struct head_id *heads, int n, struct err *e);

/* Key of the hash of the model's weights in run, for commands that record it. */
extern const char parts_weights_key[];

/* *run: the description that all parts of a run share, without its texts; *part: that of this part.
 * */
void parts_describe(struct job *job, json_t **run, json_t **part);
struct parts_texts parts_texts(const struct job *job);

/* Writes the present sums; ferror tells whether that failed. */
void parts_put(struct job *job, const json_t *run, const json_t *part, FILE *file);
/* Adds the sums of such a file.  ERR_INPUT, with its path: its data do not fit its header. */
int parts_add(struct job *job, const struct sums *part, struct err *e);

/* Writes the sums of this shard's texts; ferror tells whether that failed. */
void parts_write(struct job *job, FILE *file);

/*
 * Reports the total of part[n] of one whole, by the options args; first is one of them.  Parts
 * whose data were dropped are read again.  Errors: those of the output and of sums_read_again;
 * ERR_INPUT, with the part's path: its data do not fit its header.
 */
int parts_report(const struct parts_kind *kind, const struct common_args *args,
                 const struct sums *first, const struct sums *part, int n, const struct env *env,
                 struct err *e);

/* ---- options ---- */

/*
 * Sets args from the options in the description of a run, as parts_describe wrote them.
 * ERR_INPUT: not valid options.
 */
int parts_read_options(const struct cmd *cmd, const json_t *run, struct arena *a, void *args,
                       struct err *e);

/*
 * For a run that continues another's layers: checks that the command line agrees with the stream on
 * all options that affect sums.  *none: it gives no such option.  ERR_USAGE: one differs (found,
 * expected).
 */
int parts_check_options(const struct cmd *cmd, const struct env *env, const json_t *run, bool *none,
                        struct err *e);

/* ---- members that commands add ---- */

/* A checksum in hexadecimal. */
json_t *parts_hex(struct arena *a, uint64_t v);

#endif
