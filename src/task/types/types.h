/* SPDX-License-Identifier: MIT
 * Private interface of the command types: its job, and the results for each head. */
#ifndef TASK_TYPES_H
#define TASK_TYPES_H

#include "analysis/rests.h"
#include "analysis/summary.h"
#include "analysis/types.h"
#include "gold/alignment.h"
#include "gold/arcs.h"
#include "gold/conllu.h"
#include "gold/coreference.h"
#include "gold/gold.h"
#include "gold/pharaoh.h"
#include "task/parts/parts.h"

struct types_args {
    struct shared_args shared;
    const char *probe, *threshold, *gold, *align, *gold_pairs;
    int taxonomy;
    bool no_probe;
};

enum types_probe { TYPES_OF_INDUCTION, TYPES_OF_DUPLICATE, TYPES_OF_PREVIOUS,
                   TYPES_OF_RETRIEVAL, TYPES_OF_QR, TYPES_OF_COPY, TYPES_OF_SUCCESSOR,
                   TYPES_OF_FUNCTION_VECTORS, N_TYPES_PROBE };
extern const char *const types_probe_names[];       /* in the order of enum types_probe, then NULL
                                                       */

/* Number of scores of probes; the index of one is its enum types_score - N_TYPES_TEXT. */
enum { N_TYPES_PROBED = N_TYPES_SCORE - N_TYPES_TEXT };

enum { TYPES_LINKS = 2 };       /* most sets of links between words in one pass */

struct gold_run;

struct types_job {
    struct job job;
    const struct types_args *args;
    struct types_rules rules;
    bool wants[N_TYPES_PROBE];
    bool has_texts;             /* texts are given */
    const char *refusal;        /* why the probes of random texts did not run; NULL if they ran, or
                                   were not wanted */
    int n_random, n_tokens;     /* random texts, and tokens that each repeats; 0: none */
    const char *deaf;           /* why the needle in a haystack did not run; NULL as for refusal */
    const char *weightless;     /* the same for scores of weights (copying, successors) */
    int n_asked, n_answered;    /* haystack texts, and those answered rightly; n_asked 0: none */
    const char *unranked;       /* why the ranking of documents did not run */
    int n_ranked;               /* texts of documents; 0: none */
    const char *untried;        /* why the few-shot tasks did not run */
    int n_trials;               /* few-shot texts */
    bool probed;                /* the probes ran, or their scores were read */
    bool words_probed;          /* the same, for the sums being written or read */
    struct metric_opts opts;    /* options of the texts' scores */
    bool uncounted;             /* no counts of tokens are known */
    int64_t n_texts;
    struct summary *scores;     /* over texts, of [L, H, N_TYPES_TEXT] */
    double *score;              /* the same for one text; NaN: undefined */
    int64_t *n_rows;            /* [L, H] rows that see a key */
    struct rests *rests;        /* [L, H] counts of the strongest keys of long texts */
    struct gold_run *gold_run;  /* state of the run over --gold's trees */
    struct gold *gold;          /* scores by --gold, heads by types_place; NULL: no --gold */
    const struct pharaoh *align;        /* links of --align; NULL: no --align */
    struct alignment_counts (*aligned)[TYPES_LINKS];    /* [L, H] for rows whose input is a word,
                                                           and for rows that predict it */
    const struct types_pair *pair;      /* [n_pairs] of --gold-pairs, text by text */
    int n_pairs;                /* -1: no --gold-pairs */
    int64_t n_weighed;          /* pairs in the texts so far */
    struct summary *weighed;    /* over texts, of [L, H, 2]: weight of pairs, and of others at the
                                   same distance */
    double *weight;             /* the same for one text */
    int64_t n_mentions;         /* in --gold; 0: it has no Entity= */
    struct coreference_rules coreference;
    struct coreference_hits *resolved;  /* [L, H]; NULL if there are no mentions */
    uint32_t gold_crc;          /* CRC-32 of the file */
    int64_t n_sentences, n_unusable;    /* sentences read so far; those that could not be used */
    struct err unheard;         /* error of the first unusable one, if no warning was given */
    int64_t n_pieces;           /* pieces of documents with mentions, read so far */
    struct parts_texts done;    /* sentences of the run that this one resumes; n 0: none */
    int64_t n_words, n_unscored;        /* words of the sentences; those without a token */
    double (*probe)[N_TYPES_PROBED];    /* [L, H] scores of probes; NaN: unknown */
};

/* Index of a head in those arrays. */
static inline size_t types_place(const struct types_job *job, int layer, int head)
{
    return (size_t)layer * (size_t)job->job.s.n_heads + (size_t)head;
}

/* ---- texts.c ---- */

/* Links between words, to be computed in a pass. */
struct types_links {
    const struct arcs_words *words;     /* [texts] */
    struct arcs *arcs;          /* out: set by the pass */
};

/* Runs n texts, and adds the scores of their heads to the sums of job. */
int types_texts_add(struct types_job *job, struct arena *a, const struct item *items, int n,
                    struct types_links *links, int n_links, struct err *e);

/* Bytes of a word in its text. */
struct types_span { int start, end; };

/* The words of a text, separated by blanks. */
struct types_blanks {
    struct types_span *at;      /* [n] */
    int n;
};
struct types_blanks types_blanks(struct arena *a, const char *text, size_t size);

/* [tokens] index of the word that has the token's first character; -1: none. */
int *types_words(struct arena *a, const struct types_span *word, int n_words, const char *text,
                 const struct tokens *tokens);

/* ---- sums.c: functions of task/parts/parts.h ---- */

/* Sets the rules of labels.  ERR_USAGE: --threshold is not a list of them. */
int types_rules_open(struct types_job *job, bool causal, struct err *e);
/* Allocates the sums over texts. */
void types_sums_new(struct types_job *job);
void types_sums_describe(void *self, json_t *run, json_t *part);
void types_sums_words(void *self, struct words *words);
int types_sums_add(void *self, const struct sums *part, struct err *e);
int types_sums_open(void *self, const struct sums *part, struct err *e);

/* ---- gold.c ---- */

/* ERR_USAGE: --gold together with other texts, or for a model or stack that its sentences cannot be
 * run with. */
int types_gold_check(const struct types_job *job, struct err *e);
/* Reads the trees of --gold.  Errors: those of conllu_read. */
int types_gold_open(struct types_job *job, struct err *e);
/* Runs their sentences; unusable ones are left out. */
int types_gold_run(struct types_job *job, struct err *e);

/* ---- copy.c ---- */

/* Scores from weights alone: copying and successors; or sets job->weightless. */
void types_copy_run(struct types_job *job);

/* ---- pairs.c ---- */

struct types_pair {
    int64_t text;
    struct arcs_pair words;
};

/* Reads --gold-pairs.  ERR_USAGE: input without words; ERR_INPUT, with the line: not a number of a
 * text and two words. */
int types_pairs_open(struct types_job *job, struct err *e);
/* As types_texts_add, and adds the weight of pairs; ERR_INPUT: a word that the text does not have.
 * */
int types_pairs_add(struct types_job *job, struct arena *a, const struct item *items, int n,
                    struct err *e);
/* The weight of a head's pairs / that of others at the same distance; NaN if there are none. */
double types_pairs_lift(const struct types_job *job, int layer, int head);
void types_pairs_new(struct types_job *job);      /* allocates the sums of these weights */

/* ---- align.c ---- */

/* Reads --align.  ERR_USAGE: no cross-attention, or input without words; ERR_INPUT: those of
 * pharaoh_read. */
int types_align_open(struct types_job *job, struct err *e);
/* As types_texts_add, and counts the alignments of heads.  Also ERR_INPUT: a line that does not fit
 * its texts. */
int types_align_add(struct types_job *job, struct arena *a, const struct item *items, int n,
                    struct err *e);
/* After the last text: ERR_INPUT if there are more lines than texts. */
int types_align_end(const struct types_job *job, struct err *e);

/* ---- coref.c ---- */

/* Checks and counts the mentions of --gold: ERR_INPUT. */
int types_coref_read(struct types_job *job, const struct conllu *trees, struct err *e);
/* Runs its documents that have mentions, in pieces of 128 words or one sentence. */
int types_coref_run(struct types_job *job, const struct conllu *trees, struct err *e);

/* ---- relation.c ---- */

extern const struct record types_relation_record;
/* The rows of that record, if --gold is given. */
struct list types_relation_rows(const struct types_job *job, struct arena *a);
/* The same for parts of speech. */
extern const struct record types_tag_record;
struct list types_tag_rows(const struct types_job *job, struct arena *a);
/* Sets the relation that the head follows, if any: the one in which it exceeds the baseline of a
 * fixed offset most. */
void types_relation_of(const struct types_job *job, int layer, int head, struct types_head *h);

/* ---- probe.c ---- */

/* Sets the wanted probes.  ERR_USAGE: --probe is not a list of them, or contradicts other options.
 * */
int types_probe_choose(struct types_job *job, struct err *e);
/* Runs them.  Errors: those of the pass; ERR_USAGE: the model cannot be probed, and there is no
 * text, or --probe is given. */
int types_probe_run(struct types_job *job, struct err *e);

/* ---- retrieval.c ---- */

/* Runs the needle in a haystack; or sets job->deaf. */
int types_retrieval_run(struct types_job *job, struct err *e);

/* ---- ranking.c, vectors.c ---- */

/* Runs the question that one of several documents answers; or sets job->unranked. */
int types_ranking_run(struct types_job *job, struct err *e);
/* Runs the probe of function vectors, heads whose output carries a few-shot task; or sets
 * job->untried. */
int types_vectors_run(struct types_job *job, struct err *e);

/* ---- record.c ---- */

extern const struct record types_record;
/* Writes the report. */
void types_write(struct types_job *job, struct report *report);

#endif
