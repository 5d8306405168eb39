/* SPDX-License-Identifier: MIT
 *
 * Private interface of the command ablate: its job, and the results of one text.
 *
 *     heads.c           options -> the measure, the sets of heads that are replaced
 *     means.c           mean outputs, of a corpus or a file
 *     pass.c            a text -> a stored pass, and passes that resume at its layers
 *     measure.c         their outputs -> change of the loss, KL divergence
 *     memory.c          bytes of these passes, for --max-memory
 *     direct.c          the direct effect, by attribution of logits
 *     text.c            all results of one text
 *     time.c            expected time of the whole run
 *     greedy.c          --greedy: one head after the other
 *     patch.c           --patch: outputs from one text in the run of another
 *     sums.c            sums over texts to and from files
 *     shown.c           choice, order and names of numbers, for all reports
 *     record.c, summary.c, greedy_record.c, patch_record.c,
 *     picture.c         tables, rows and pictures */
#ifndef TASK_ABLATE_H
#define TASK_ABLATE_H

#include <time.h>

#include "analysis/summary.h"
#include "task/common/answer.h"
#include "task/parts/parts.h"

enum { ABLATE_RANDOM = 10 };        /* random sets that a chosen set is compared with */

enum ablate_with { ABLATE_ZERO, ABLATE_MEAN, ABLATE_RESAMPLE, ABLATE_UNIFORM };
extern const char *const ablate_withs[];        /* in the order of enum ablate_with, then NULL */

enum ablate_measure {
    ABLATE_NEXT,                /* loss of each next token */
    ABLATE_MASKED,              /* loss of tokens that are masked in turn */
    ABLATE_HIDDEN               /* change of the last hidden state, without an output head */
};
extern const char *const ablate_measures[];     /* in the order of enum ablate_measure, then NULL */

/* Effects of a replacement: change of the loss, KL divergence, direct effect, change of the hidden
 * state; NaN: undefined. */
enum ablate_number { ABLATE_DLOSS, ABLATE_KL, ABLATE_DIRECT, ABLATE_CHANGE, N_ABLATE };
extern const char *const ablate_metrics[];      /* as enum ablate_number, then "patch", NULL */

struct ablate_args {
    struct shared_args shared;
    int with, sample, mask_id, metric;
    const char *means, *means_out;
    const char *patch, *patch_ids;      /* NULL: not given */
    struct answer_args answer;
    bool by_position, yes;
    int greedy;                 /* of enum ablate_greedy */
    const char *points;         /* numbers of heads on its curve; NULL: 1, 2, 4, ... and all */
    bool together, summary, reverse;
    int sort;                   /* 0: by layer; else 1 + enum ablate_number */
};

/* A head whose output is replaced. */
struct ablate_head {
    enum stack_id stack;
    int layer, head;
};

/* A set of the job's heads, replaced at once. */
struct ablate_set {
    const int *head;            /* [n] indices into job.head */
    int n;
    int row;                    /* the only row that is replaced; -1: all rows */
};

enum ablate_greedy { GREEDY_OFF, GREEDY_ONCE, GREEDY_EXACT };

/* Start of the first group of sets, and end of its passes, for an estimate of the time. */
struct ablate_time {
    struct timespec begun, run;
    bool told;                  /* the estimate was made, and a note given if it is long */
};

struct ablate_greedy_job;
struct ablate_run;
struct rng;
struct ablate_means;
struct ablate_partners;

struct ablate_job {
    struct job job;
    const struct ablate_args *args;
    const struct model *m;      /* the model whose output is measured: of a pair, the decoder */
    enum ablate_measure measure;
    bool has_direct;            /* direct effects are defined: its output head is linear */
    int mask_id;                /* id of the mask token; -1 if there is none */
    int widest;                 /* largest width of a row of heads' outputs, over all stacks */
    enum stack_id stack;        /* the stack whose heads are replaced; N_STACK: all */
    bool of_encoder;            /* --stack encoder of a pair, whose decoder runs, too */
    struct asked asked;         /* if of_encoder: the request without --stack */
    struct ablate_head *head;   /* [n_heads] heads of all sets; the first n_asked were selected by
                                   options */
    int n_heads, n_asked;
    struct ablate_set *set;     /* [n_sets] each selected head alone; with --together a set of all
                                   of them, then the random sets it is compared with */
    int n_sets;
    struct answer answer;       /* of --patch */
    struct ablate_time time;
    double work_after;          /* passes per text that follow those of the single heads */
    struct ablate_greedy_job *greedy;   /* NULL: no --greedy */
    struct ablate_means *means;         /* of --with mean; else NULL */
    struct ablate_partners *partners;   /* of --with resample; else NULL */
    struct summary *summary;    /* over texts, of [n_sets, N_ABLATE]; NULL: no --summary */
    struct summary *rows;       /* over texts, of [n_sets + 1]: changes of the loss summed over
                                   rows, and the loss without a change; NULL: no --summary */
    double *row_value;          /* [n_sets + 1] the same for one text */
    const struct record *record;        /* record of the table's rows */
    int64_t n_texts, n_rows, n_partnerless;
};

/* ---- memory ---- */

enum { ABLATE_TRAILS = 32 };        /* rows whose trails (run/trail.h) are in memory at once */

/* Bytes of a text beside its pass, for input_keeps. */
double ablate_keeps(void *self, const struct item *item);
/* Copies of a text in one pass, at least 1, and rows of logits at once: most, or fewer under
 * --max-memory. */
int ablate_copies(const struct ablate_run *run, int most);
int ablate_rows_at_once(const struct ablate_job *job, int most);

/* The model that has a stack's heads: the model or its decoder. */
const struct model *ablate_model(const struct ablate_job *job, enum stack_id stack);

/* A random set with as many heads in each layer as the chosen set. */
void ablate_random(const struct ablate_job *job, const struct ablate_set *chosen,
                   struct rng *rng, struct ablate_set *out);

/* Called before the session's selection: makes a pair run whole, whichever stack is chosen. */
void ablate_before_select(struct ablate_job *job);

/* Sets stack, measure, heads and sets from the options.  Errors: ERR_USAGE, ERR_INPUT. */
int ablate_choose(struct ablate_job *job, struct err *e);

/* ---- replacements of heads' outputs ---- */

struct ablate_values {
    /* [N_STACK][L] rows [T or more, H d_v], or one row for all; NULL: zeros */
    float **z[N_STACK];
    bool one_row;
};

/* ---- one text, run ---- */

/* A stored pass over a text, from whose layers others resume, and the rows that are measured. */
struct ablate_run {
    const struct ablate_job *j;
    struct arena *a;
    struct item item;           /* the text, or the text with a token masked */
    int T, S;                   /* tokens of the text; of a pair's encoder, else 0 */
    const int *row, *id;        /* [n_rows] rows whose loss counts, and the tokens to predict */
    int n_rows;
    float **x[2], **x2[2];      /* of the model, of its decoder: [L] input streams of layers */
    float *encoded;             /* [S, D] encoder's output; NULL if there is none */
    float *hidden;              /* [T, d_hidden] last hidden states */
    float **z[N_STACK];         /* [L] heads' outputs [T, H d_v]; NULL if not stored */
    float **uniform[N_STACK];   /* [L] the same for uniform weights; NULL if not stored */
    double *sum;                /* [widest] scratch */
    const struct ablate_values *values; /* replacements; NULL: zeros, or uniform */
};

/*
 * Runs the item and stores what passes from its layers require; keep_z: heads' outputs too, and
 * with ABLATE_UNIFORM their replacements.  Errors: those of session_forward.
 */
int ablate_run(struct ablate_run *run, bool keep_z, struct err *e);

/*
 * hidden[n_sets, T, d_hidden] = the last hidden states with the heads of each set replaced, by
 * one pass over a copy of the text for each set.
 */
int ablate_run_sets(const struct ablate_run *run, const struct ablate_set *set, int n_sets,
                    float *hidden, struct err *e);

/* How many sets, from the first on, can share a pass: they begin at one layer, and fit into
 * memory. */
int ablate_group(const struct ablate_run *run, const struct ablate_set *set, int n_sets);

/* ---- effects ---- */

/* Sums of loss and KL divergence over a run's rows. */
struct ablate_sums {
    double nll, kl;
};

/*
 * out[n] = the sums over the run's rows for hidden[n, T, d_hidden]; *clean: the loss of the run
 * itself.
 */
void ablate_measure(const struct ablate_run *run, const float *hidden, int n,
                    struct ablate_sums *out, double *clean);

/* sum[n_heads] += first-order changes of the loss, over the run's rows. */
int ablate_direct(const struct ablate_run *run, double *sum, struct err *e);

/* ---- results of one text ---- */

struct ablate_found {
    double (*of)[N_ABLATE];     /* [n_sets] effects of each set */
    double loss;
    int n_rows;
    const int *masked;          /* [n_masked] positions of masked tokens */
    int n_masked;
    bool partnerless;           /* no replacements: with resample, no earlier text of its length;
                                   by_position, no other text as long */
};

/* Computes the effect of each set in the text.  Errors: those of the passes. */
int ablate_text(struct ablate_job *job, struct arena *a, const struct item *item,
                const struct ablate_set *set, int n_sets, struct ablate_found *out,
                struct err *e);

/* ---- time ---- */

void ablate_time_begin(struct ablate_time *time);
void ablate_time_run(struct ablate_time *time);        /* the passes have ended */

/*
 * Called after the first n of all sets of a text: a note if the whole run will take more than ten
 * seconds; ERR_USAGE if more than an hour, without --yes.  n_runs: runs per text (masked tokens).
 */
int ablate_time_check(struct ablate_job *job, const struct ablate_run *run,
                      const struct ablate_set *all, int n_all, int n, int n_runs,
                      struct err *e);

/* "about 40 seconds", "about 3 hours" */
const char *ablate_time_text(struct arena *a, double seconds);

/* ---- --greedy ---- */

int ablate_greedy_check(const struct ablate_job *job, struct err *e);
int ablate_greedy_open(struct ablate_job *job, struct err *e);
/* The single heads of a text; and the curve, if it is the only text. */
int ablate_greedy_text(struct ablate_job *job, struct arena *a, const struct item *item,
                       struct err *e);
/* The same, as a picture. */
int ablate_greedy_picture(struct ablate_job *job, struct arena *a, const struct item *item,
                          const char *path, struct err *e);
int ablate_greedy_end(struct ablate_job *job, struct err *e);

/* A point of the curve. */
struct ablate_point {
    int n_heads;
    double of[N_ABLATE];
    double mean, low, high;     /* of random sets: their dloss, or change */
};

struct ablate_curve {
    const int *order;           /* [n_asked] heads, in the order of their replacement */
    const double *step;         /* [n_asked] the effect by which each was chosen */
    const struct ablate_point *point;       /* [n_points] */
    int n_points;
    int64_t n_texts, n_rows;
    double loss;
};

extern const struct record ablate_greedy_record;

void ablate_greedy_columns(struct ablate_job *job);
void ablate_greedy_write(struct ablate_job *job, struct arena *a, const struct ablate_curve *curve);

/* Draws the curve of the chosen heads, and that of random sets with their range.  of: the text, for
 * the caption: ", “the cat sat”". */
int ablate_greedy_draw(const struct ablate_job *job, struct arena *a,
                       const struct ablate_curve *curve, const char *of, const char *path,
                       struct err *e);

/* ---- --patch ---- */

/* Effects of patching one head; NaN: undefined. */
struct ablate_patch {
    double patch, kl;
};

struct ablate_patched {
    struct item item, other;
    int row, answer, against;   /* ids of two tokens; against -1: the logit of answer alone */
    double difference[2];       /* of their logits, in the text and in the other text */
    struct ablate_patch *head;  /* [n_asked] */
    struct ablate_patch **at;   /* [n_asked][rows of the head's queries] patching one row; NULL:
                                   no --by-position */
};

static inline bool ablate_patches(const struct ablate_job *job)
{
    return job->args->patch != NULL || job->args->patch_ids != NULL;
}

/* Checks the options against the open model.  ERR_USAGE, ERR_INPUT: it does not predict tokens. */
int ablate_patch_prepare(struct ablate_job *job, struct err *e);

/* Errors: ERR_INPUT: the two texts differ in their number of tokens; those of the passes. */
int ablate_patch_text(struct ablate_job *job, struct arena *a, const struct item *item,
                      struct ablate_patched *out, struct err *e);

/* The query tokens of a head. */
const struct tokens *ablate_rows_of(const struct ablate_job *job, const struct item *item,
                                    const struct ablate_head *head);

extern const struct record ablate_patch_record;

void ablate_patch_columns(struct ablate_job *job);
int ablate_patch_write(struct ablate_job *job, struct arena *a,
                       const struct ablate_patched *patched, struct err *e);
int ablate_patch_draw(const struct ablate_job *job, const struct ablate_patched *patched,
                      const char *path, struct arena *a, struct err *e);

/* ---- means, partners ---- */

/*
 * Sets the mean outputs of --with mean: from --means, else over all texts of the input, which is
 * read for that; writes them to --means-out.
 */
int ablate_means(struct ablate_job *job, struct err *e);
/* The replacements for the outputs of this text; NULL: with --by-position, fewer than two texts are
 * as long. */
const struct ablate_values *ablate_means_values(const struct ablate_job *job,
                                                const struct item *item);

struct ablate_partners *ablate_partners_new(struct arena *like);
/* Stores a text of another shard, which may be the partner of a later one. */
void ablate_partner_passed(void *self, const struct item *item);

/*
 * *out: the outputs of the nearest earlier text with as many tokens; NULL if there is none.  Then
 * stores the text for later ones.
 */
int ablate_partner(struct ablate_job *job, struct arena *a, const struct item *item,
                   const struct ablate_values **out, struct err *e);

/* ---- reports ---- */

extern const struct record ablate_record, ablate_summary_record;

/* Sets the records of the job, without columns that are not measured. */
void ablate_columns(struct ablate_job *job);
void ablate_summary_columns(struct ablate_job *job);

int ablate_write(struct ablate_job *job, struct arena *a, const struct item *item,
                 const struct ablate_found *found, struct err *e);
void ablate_write_summary(struct ablate_job *job, struct arena *a);

/* ---- --summary, --shard, --resume, merge ---- */

/* Allocates the sums over texts. */
void ablate_summary_open(struct ablate_job *job);
void ablate_summary_add(struct ablate_job *job, const struct item *item,
                        const struct ablate_found *found);

/* Functions of task/parts/parts.h. */
void ablate_sums_describe(void *self, json_t *run, json_t *part);
void ablate_sums_words(void *self, struct words *words);
int ablate_sums_open(void *self, const struct sums *part, struct err *e);

/* Whether the selected heads are of more than one stack. */
bool ablate_several_stacks(const struct ablate_job *job);
struct head_id ablate_head_id(const struct ablate_head *head);
const struct head_id *ablate_head_ids(const struct ablate_job *job);     /* [n_asked] */

/* Indices of the selected heads in the order of --sort and --reverse; value(of, head, number): the
 * sort key, number an index into ablate_metrics. */
int *ablate_order(const struct ablate_job *job, struct arena *a,
                  double (*value)(const void *of, int head, int number), const void *of);

/* The number that a picture shows, by --metric. */
enum ablate_number ablate_shown(const struct ablate_job *job);

/* Draws value[n_asked] as cells: one row per layer, one column per head. */
int ablate_draw(const struct ablate_job *job, const char *caption, const double *value,
                const char *path, struct arena *a, struct err *e);

#endif
