/* SPDX-License-Identifier: MIT
 * What the files of types share: what was asked, and what was found of each head. */
#ifndef TASK_TYPES_H
#define TASK_TYPES_H

#include "analysis/alignment.h"
#include "analysis/arcs.h"
#include "analysis/coreference.h"
#include "analysis/gold.h"
#include "analysis/rests.h"
#include "analysis/summary.h"
#include "analysis/types.h"
#include "task/parts.h"
#include "session/conllu.h"
#include "session/pharaoh.h"

struct types_args {
    struct shared_args shared;
    const char *probe, *threshold, *gold, *align, *gold_pairs;
    int taxonomy;
    bool no_probe;
};

enum types_probe { TYPES_OF_INDUCTION, TYPES_OF_DUPLICATE, TYPES_OF_PREVIOUS,
                   TYPES_OF_RETRIEVAL, TYPES_OF_QR, TYPES_OF_COPY, TYPES_OF_SUCCESSOR,
                   TYPES_OF_FUNCTION_VECTORS, N_TYPES_PROBE };
extern const char *const types_probe_names[];       /* by enum types_probe, then NULL */

/* Scores of probes; that of enum types_score is at its place less N_TYPES_TEXT. */
enum { N_TYPES_PROBED = N_TYPES_SCORE - N_TYPES_TEXT };

enum { TYPES_LINKS = 2 };       /* sets of links between words, of one pass, at most */

struct gold_run;

struct types_job {
    struct job job;
    const struct types_args *args;
    struct types_rules rules;
    bool wants[N_TYPES_PROBE];
    bool has_texts;             /* some were given */
    const char *refusal;        /* why there are no random texts; NULL: there are, or were not
                                   wanted */
    int n_random, n_tokens;     /* random texts, and tokens that each repeats; 0: none */
    const char *deaf;           /* why no question was asked; NULL: some were, or none wanted */
    const char *weightless;     /* why weights say nothing; NULL: they do, or were not asked */
    int n_asked, n_answered;    /* texts with a needle; n_asked 0: none */
    const char *unranked;       /* why no documents were shown; NULL: they were, or none
                                   wanted */
    int n_ranked;               /* texts of documents; 0: none */
    const char *untried;        /* why no task was tried; NULL: some were, or none wanted */
    int n_trials;               /* of the tasks */
    bool probed;                /* the probes ran, or what they found was read */
    bool words_probed;          /* so it is of the sums that are put or taken */
    struct metric_opts opts;    /* of the texts' scores */
    bool uncounted;             /* nothing says how often the texts' tokens occur */
    int64_t n_texts;
    struct summary *scores;     /* of [L, H, N_TYPES_TEXT] of texts */
    double *score;              /* the same of one text; NaN: undefined */
    int64_t *n_rows;            /* [L, H] that see a key */
    struct rests *rests;        /* [L, H] of long texts */
    struct gold_run *gold_run;  /* its trees */
    struct gold *gold;          /* of --gold; heads by types_place; NULL: not asked for */
    const struct pharaoh *align;        /* of --align; NULL: not asked for */
    struct alignment_counts (*aligned)[TYPES_LINKS];    /* [L, H] of the rows that read a word,
                                                           and of those that predict it */
    const struct types_pair *pair;      /* [n_pairs] of --gold-pairs, text by text */
    int n_pairs;                /* -1: not asked for */
    int64_t n_weighed;          /* those of the texts so far */
    struct summary *weighed;    /* of [L, H, 2] of texts: what pairs have, and would have */
    double *weight;             /* the same of one text */
    int64_t n_mentions;         /* in --gold; 0: it has no Entity= */
    struct coreference_rules coreference;
    struct coreference_hits *resolved;  /* [L, H]; NULL: there are no mentions */
    uint32_t gold_crc;          /* of the file */
    int64_t n_sentences, n_unusable;    /* read so far; of them, could not be used */
    struct err unheard;         /* why the first of them could not, where nobody was told */
    int64_t n_pieces;           /* of documents with mentions, read so far */
    struct parts_texts done;    /* of a run that this one goes on from; n 0: there is none */
    int64_t n_words, n_unscored;        /* of its sentences; without a token */
    double (*probe)[N_TYPES_PROBED];    /* [L, H] NaN: not known */
};

/* Where a head stands in those arrays. */
static inline size_t types_place(const struct types_job *j, int layer, int head)
{
    return (size_t)layer * (size_t)j->job.s.n_heads + (size_t)head;
}

/* ---- texts.c ---- */

/* Links between words that are wanted of a pass. */
struct types_links {
    const struct arcs_words *words;     /* [texts] */
    struct arcs *arcs;          /* after it */
};

/* Runs n texts, and adds what their heads do to j->sums. */
int types_texts_add(struct types_job *j, struct arena *a, const struct item *items, int n,
                    struct types_links *links, int n_links, struct err *e);

/* Bytes of a word in its text. */
struct types_span { int start, end; };

/* The words of a text that blanks part. */
struct types_blanks {
    struct types_span *at;      /* [n] */
    int n;
};
struct types_blanks types_blanks(struct arena *a, const char *text, size_t size);

/* [tokens] which of the words each is of, by its first character; -1: none. */
int *types_words(struct arena *a, const struct types_span *word, int n_words, const char *text,
                 const struct tokens *t);

/* ---- sums.c: functions of task/parts.h ---- */

/* The rules that were asked for.  ERR_USAGE: --threshold is no list of them. */
int types_rules_open(struct types_job *j, bool causal, struct err *e);
/* Room for what texts are summed to. */
void types_sums_new(struct types_job *j);
void types_sums_describe(void *self, json_t *run, json_t *part);
void types_sums_words(void *self, struct words *w);
int types_sums_add(void *self, const struct sums *part, struct err *e);
int types_sums_open(void *self, const struct sums *part, struct err *e);

/* ---- gold.c ---- */

/* ERR_USAGE: --gold beside other texts, or where no text of its own has rows. */
int types_gold_check(const struct types_job *j, struct err *e);
/* Reads the trees of --gold.  Errors: those of conllu_read. */
int types_gold_open(struct types_job *j, struct err *e);
/* Runs their sentences, those that could not be used left out. */
int types_gold_run(struct types_job *j, struct err *e);

/* ---- copy.c ---- */

/* What weights alone say: copying and successors; j->weightless says why they do not. */
void types_copy_run(struct types_job *j);

/* ---- pairs.c ---- */

struct types_pair {
    int64_t text;
    struct arcs_pair words;
};

/* Reads --gold-pairs.  ERR_USAGE: other words than those of texts; ERR_INPUT, with the line: what
 * is not a text and two words of it. */
int types_pairs_open(struct types_job *j, struct err *e);
/* types_texts_add, and the weight of the pairs; ERR_INPUT: a word that the text does not have. */
int types_pairs_add(struct types_job *j, struct arena *a, const struct item *items, int n,
                    struct err *e);
/* Of a head: the weight of its pairs / that of others as far apart; NaN: there is none. */
double types_pairs_lift(const struct types_job *j, int layer, int head);
void types_pairs_new(struct types_job *j);      /* room for the sums of these weights */

/* ---- align.c ---- */

/* Reads --align.  ERR_USAGE: no cross-attention, or words that are not as the texts have them;
 * ERR_INPUT: those of pharaoh_read. */
int types_align_open(struct types_job *j, struct err *e);
/* types_texts_add, and what alignments the heads make.  Also ERR_INPUT: a line that does not fit
 * its texts. */
int types_align_add(struct types_job *j, struct arena *a, const struct item *items, int n,
                    struct err *e);
/* After the last text: ERR_INPUT where there are more lines than texts. */
int types_align_end(const struct types_job *j, struct err *e);

/* ---- coref.c ---- */

/* Checks and counts the mentions of --gold: ERR_INPUT. */
int types_coref_read(struct types_job *j, const struct conllu *trees, struct err *e);
/* Runs its documents, where they have mentions, in pieces of 128 words or a sentence. */
int types_coref_run(struct types_job *j, const struct conllu *trees, struct err *e);

/* ---- relation.c ---- */

extern const struct record types_relation_record;
/* Rows of it, where --gold was given. */
struct list types_relation_rows(const struct types_job *j, struct arena *a);
/* The same of parts of speech. */
extern const struct record types_tag_record;
struct list types_tag_rows(const struct types_job *j, struct arena *a);
/* Sets the relation that the head follows, if it follows one: the one by which it is ahead of
 * the offset most. */
void types_relation_of(const struct types_job *j, int layer, int head, struct types_head *h);

/* ---- probe.c ---- */

/* Which probes are wanted.  ERR_USAGE: --probe is no list of them, or contradicts others. */
int types_probe_choose(struct types_job *j, struct err *e);
/* Runs them.  Errors: those of the pass; ERR_USAGE: the model cannot be probed, and no text was
 * given, or --probe asks for it. */
int types_probe_run(struct types_job *j, struct err *e);

/* ---- retrieval.c ---- */

/* The same of the needle in a haystack; j->deaf says why there is none. */
int types_retrieval_run(struct types_job *j, struct err *e);

/* ---- ranking.c, vectors.c ---- */

/* The same of a question that one of several documents answers; j->unranked says why not. */
int types_ranking_run(struct types_job *j, struct err *e);
/* The same of outputs of heads that make a task known; j->untried says why not. */
int types_vectors_run(struct types_job *j, struct err *e);

/* ---- record.c ---- */

extern const struct record types_record;
/* Writes the report. */
void types_write(struct types_job *j, struct report *r);

#endif
