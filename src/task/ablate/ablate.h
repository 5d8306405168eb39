/* SPDX-License-Identifier: MIT
 *
 * What the files of ablate share: what was asked, and what came of one text.
 *
 *     heads.c           what was asked -> the heads that are replaced, what is measured
 *     means.c           mean outputs, of a corpus or a file
 *     pass.c            a text -> a pass that is kept, and passes that go on from its layers
 *     measure.c         their outputs -> change of the loss, divergence
 *     memory.c          what that takes, for --max-memory
 *     direct.c          the direct effect, by the attribution of logits
 *     text.c            all of one text
 *     time.c            how long all of it will take
 *     greedy.c          one head after the other
 *     patch.c           outputs of one text, put into the run of another
 *     sums.c            sums over texts to and from files
 *     shown.c           what reports of any kind share
 *     record.c, summary.c, greedy_record.c, patch_record.c,
 *     picture.c         what is printed and drawn */
#ifndef TASK_ABLATE_H
#define TASK_ABLATE_H

#include <time.h>

#include "analysis/summary.h"
#include "task/answer.h"
#include "task/parts.h"

enum { ABLATE_RANDOM = 10 };        /* random sets beside one that is chosen */

enum ablate_with { ABLATE_ZERO, ABLATE_MEAN, ABLATE_RESAMPLE, ABLATE_UNIFORM };
extern const char *const ablate_withs[];        /* by enum ablate_with, then NULL */

enum ablate_measure {
    ABLATE_NEXT,                /* the loss of each next token */
    ABLATE_MASKED,              /* that of tokens that are masked in turn */
    ABLATE_HIDDEN               /* no output head: the change of the last hidden state */
};
extern const char *const ablate_measures[];     /* by enum ablate_measure, then NULL */

/* What is known of a replacement; NaN: undefined. */
enum ablate_number { ABLATE_DLOSS, ABLATE_KL, ABLATE_DIRECT, ABLATE_CHANGE, N_ABLATE };
extern const char *const ablate_metrics[];      /* by enum ablate_number, then patch, NULL */

struct ablate_args {
    struct shared_args shared;
    int with, sample, mask_id, metric;
    const char *means, *means_out;
    const char *patch, *patch_ids;      /* NULL: not given */
    struct answer_args answer;
    bool by_position, yes;
    int greedy;                 /* of enum ablate_greedy */
    const char *points;         /* of its curve; NULL: 1, 2, 4, ... and all */
    bool together, summary, reverse;
    int sort;                   /* 0: by layer; else of enum ablate_number, from 1 */
};

/* A head whose output is replaced. */
struct ablate_head {
    enum stack_id stack;
    int layer, head;
};

/* Some of the job's heads that are replaced at once. */
struct ablate_set {
    const int *head;            /* [n] indices into job.head */
    int n;
    int row;                    /* of the only row that is replaced; -1: all are */
};

enum ablate_greedy { GREEDY_OFF, GREEDY_ONCE, GREEDY_EXACT };

/* When the first group of sets was run, and measured. */
struct ablate_time {
    struct timespec begun, run;
    bool told;                  /* what is expected was compared with what is too long */
};

struct ablate_greedy_job;
struct ablate_run;
struct rng;
struct ablate_means;
struct ablate_partners;

struct ablate_job {
    struct job job;
    const struct ablate_args *args;
    const struct model *m;      /* whose output is measured */
    enum ablate_measure measure;
    bool has_direct;            /* its head is linear */
    int mask_id;                /* -1: none */
    int widest;                 /* numbers in a row of heads' outputs, of any stack */
    enum stack_id stack;        /* whose heads are replaced; N_STACK: all */
    bool of_encoder;            /* --stack says the encoder of a pair, which runs whole */
    struct asked asked;         /* then: the same without --stack */
    struct ablate_head *head;   /* [n_heads] those of any set; the first n_asked of them are
                                   asked for */
    int n_heads, n_asked;
    struct ablate_set *set;     /* [n_sets] each asked head; with --together all of them, then
                                   the random sets that they are compared with */
    int n_sets;
    struct answer answer;       /* of --patch */
    struct ablate_time time;
    double work_after;          /* evaluations of a set of each text that follow those of the
                                   single heads */
    struct ablate_greedy_job *greedy;   /* NULL: not asked for */
    struct ablate_means *means;         /* NULL: not asked for */
    struct ablate_partners *partners;   /* the same */
    struct summary *summary;    /* of [n_sets, N_ABLATE]; NULL: not asked for */
    struct summary *rows;       /* of [n_sets + 1] changes of the loss over a text's rows, and
                                   the loss without a change; the same */
    double *row_value;          /* [n_sets + 1] of one text */
    const struct record *record;        /* of a row of the table */
    int64_t n_texts, n_rows, n_partnerless;
};

/* ---- memory ---- */

enum { ABLATE_TRAILS = 32 };        /* rows whose trails stand in memory at once */

/* Bytes of a text besides its pass: input_keeps. */
double ablate_keeps(void *self, const struct item *item);
/* With --max-memory fewer: copies of the text in a pass, at least 1; rows of logits. */
int ablate_copies(const struct ablate_run *r, int most);
int ablate_rows_at_once(const struct ablate_job *j, int most);

/* Heads of a stack: those of the model or of its decoder. */
const struct model *ablate_model(const struct ablate_job *j, enum stack_id stack);

/* As many heads of each layer as are chosen there, at random. */
void ablate_random(const struct ablate_job *j, const struct ablate_set *chosen,
                   struct rng *rng, struct ablate_set *out);

/* Before the session's selection: a pair runs whole, whichever stack's heads are replaced. */
void ablate_before_select(struct ablate_job *j);

/* The stack, measure, heads and sets that were asked for.  Errors: ERR_USAGE, ERR_INPUT. */
int ablate_choose(struct ablate_job *j, struct err *e);

/* ---- what stands in place of heads' outputs ---- */

struct ablate_values {
    /* [N_STACK][L] rows [T or more, H d_v], or one row for all; NULL: zeros */
    float **z[N_STACK];
    bool one_row;
};

/* ---- one text, run ---- */

/* One pass of a text that is kept, and what is looked at of it. */
struct ablate_run {
    const struct ablate_job *j;
    struct arena *a;
    struct item item;           /* its text, or the text with a token masked */
    int T, S;                   /* tokens; of a pair's encoder, else 0 */
    const int *row, *id;        /* [n_rows] rows whose loss counts, tokens that stand there */
    int n_rows;
    float **x[2], **x2[2];      /* of the model, of its decoder: [L] streams as layers begin */
    float *encoded;             /* [S, D]; NULL: no pair */
    float *hidden;              /* [T, d_hidden] */
    float **z[N_STACK];         /* [L] heads' outputs [T, H d_v]; NULL: not kept */
    float **uniform[N_STACK];   /* [L] what they are where weights are uniform; the same */
    double *sum;                /* [widest] scratch */
    const struct ablate_values *values; /* NULL: zeros, or uniform */
};

/*
 * Runs the item and keeps what passes from its layers need; keep_z: heads' outputs too, with
 * ABLATE_UNIFORM also what takes their place.  Errors: those of session_forward.
 */
int ablate_run(struct ablate_run *r, bool keep_z, struct err *e);

/*
 * hidden[n_sets, T, d_hidden] = the last hidden states where the heads of each set are
 * replaced, by one pass over a copy of the text for each.
 */
int ablate_run_sets(const struct ablate_run *r, const struct ablate_set *set, int n_sets,
                    float *hidden, struct err *e);

/* How many of the first sets share a pass: they begin at one layer, and memory allows it. */
int ablate_group(const struct ablate_run *r, const struct ablate_set *set, int n_sets);

/* ---- what it changes ---- */

/* Sums over a run's rows. */
struct ablate_sums {
    double nll, kl;
};

/*
 * out[n] = of hidden[n, T, d_hidden], the sums over the run's rows; *clean: those of the run
 * itself.
 */
void ablate_measure(const struct ablate_run *r, const float *hidden, int n,
                    struct ablate_sums *out, double *clean);

/* sum[n_heads] += first-order changes of the loss, over the run's rows. */
int ablate_direct(const struct ablate_run *r, double *sum, struct err *e);

/* ---- all of one text ---- */

struct ablate_found {
    double (*of)[N_ABLATE];     /* [n_sets] */
    double loss;
    int n_rows;
    const int *masked;          /* [n_masked] */
    int n_masked;
    bool partnerless;           /* ABLATE_RESAMPLE: nothing stands before it; by_position:
                                   no other text is as long */
};

/* What each set is worth in the text.  Errors: those of the passes. */
int ablate_text(struct ablate_job *j, struct arena *a, const struct item *item,
                const struct ablate_set *set, int n_sets, struct ablate_found *out,
                struct err *e);

/* ---- how long it takes ---- */

void ablate_time_begin(struct ablate_time *t);
void ablate_time_run(struct ablate_time *t);        /* the passes are done */

/*
 * After the first n of all the sets of a text: a note where all will take more than ten seconds;
 * ERR_USAGE where it will take more than an hour, without --yes.  n_runs: of the text.
 */
int ablate_time_check(struct ablate_job *j, const struct ablate_run *r,
                      const struct ablate_set *all, int n_all, int n, int n_runs,
                      struct err *e);

/* "about 40 seconds", "about 3 hours" */
const char *ablate_time_text(struct arena *a, double seconds);

/* ---- --greedy ---- */

int ablate_greedy_check(const struct ablate_job *j, struct err *e);
int ablate_greedy_open(struct ablate_job *j, struct err *e);
/* A text's single heads; and, where it is the only one, the curve. */
int ablate_greedy_text(struct ablate_job *j, struct arena *a, const struct item *item,
                       struct err *e);
/* The same, as a picture. */
int ablate_greedy_picture(struct ablate_job *j, struct arena *a, const struct item *item,
                          const char *path, struct err *e);
int ablate_greedy_end(struct ablate_job *j, struct err *e);

/* A point of the curve. */
struct ablate_point {
    int n_heads;
    double of[N_ABLATE];
    double mean, low, high;     /* of random sets: of dloss, or change */
};

struct ablate_curve {
    const int *order;           /* [n_asked] of heads */
    const double *step;         /* [n_asked] what each was chosen by */
    const struct ablate_point *point;       /* [n_points] */
    int n_points;
    int64_t n_texts, n_rows;
    double loss;
};

extern const struct record ablate_greedy_record;

void ablate_greedy_columns(struct ablate_job *j);
void ablate_greedy_write(struct ablate_job *j, struct arena *a, const struct ablate_curve *c);

/* The points as lines: those of the chosen heads, and of random sets with their range.  of: for the
 * caption, ", “the cat sat”". */
int ablate_greedy_draw(const struct ablate_job *j, struct arena *a, const struct ablate_curve *c,
                       const char *of, const char *path, struct err *e);

/* ---- --patch ---- */

/* Of one set; NaN: undefined. */
struct ablate_patch {
    double patch, kl;
};

struct ablate_patched {
    struct item item, other;
    int row, answer, against;   /* against -1: the logit of answer itself */
    double difference[2];       /* of the text, of the other one */
    struct ablate_patch *head;  /* [n_asked] */
    struct ablate_patch **at;   /* [n_asked][rows of the head's queries]; NULL: not asked for */
};

static inline bool ablate_patches(const struct ablate_job *j)
{
    return j->args->patch != NULL || j->args->patch_ids != NULL;
}

/* What the options say of the model.  ERR_USAGE, ERR_INPUT: it predicts no tokens. */
int ablate_patch_prepare(struct ablate_job *j, struct err *e);

/* ERR_INPUT: the texts have other numbers of tokens; those of the passes. */
int ablate_patch_text(struct ablate_job *j, struct arena *a, const struct item *item,
                      struct ablate_patched *out, struct err *e);

/* Tokens whose rows a head has. */
const struct tokens *ablate_rows_of(const struct ablate_job *j, const struct item *item,
                                    const struct ablate_head *head);

extern const struct record ablate_patch_record;

void ablate_patch_columns(struct ablate_job *j);
int ablate_patch_write(struct ablate_job *j, struct arena *a, const struct ablate_patched *p,
                       struct err *e);
int ablate_patch_draw(const struct ablate_job *j, const struct ablate_patched *p,
                      const char *path, struct arena *a, struct err *e);

/* ---- means, partners ---- */

/*
 * The means that --with mean puts in place of outputs: of --means, else of all texts of the
 * input, which is read for that; written to --means-out.
 */
int ablate_means(struct ablate_job *j, struct err *e);
/* What stands in for the outputs of this text; NULL: by position, fewer than two texts reach as
 * far as it does. */
const struct ablate_values *ablate_means_values(const struct ablate_job *j,
                                                const struct item *item);

struct ablate_partners *ablate_partners_new(struct arena *like);
/* A text that is not replaced in may be the partner of one after it. */
void ablate_partner_passed(void *self, const struct item *item);

/*
 * The values of the nearest text before this one that has as many tokens; NULL: none has.
 * Then the text is kept for those that follow.
 */
int ablate_partner(struct ablate_job *j, struct arena *a, const struct item *item,
                   const struct ablate_values **out, struct err *e);

/* ---- what is printed of it ---- */

extern const struct record ablate_record, ablate_summary_record;

/* Sets the records of the job: without columns that are not measured. */
void ablate_columns(struct ablate_job *j);
void ablate_summary_columns(struct ablate_job *j);

int ablate_write(struct ablate_job *j, struct arena *a, const struct item *item,
                 const struct ablate_found *found, struct err *e);
void ablate_write_summary(struct ablate_job *j, struct arena *a);

/* ---- --summary, --shard, --resume, merge ---- */

/* Room for what texts are summed to. */
void ablate_summary_open(struct ablate_job *j);
void ablate_summary_add(struct ablate_job *j, const struct item *item,
                        const struct ablate_found *found);

/* Functions of task/parts.h. */
void ablate_sums_describe(void *self, json_t *run, json_t *part);
void ablate_sums_words(void *self, struct words *w);
int ablate_sums_open(void *self, const struct sums *part, struct err *e);

/* Heads of more than one attention are asked for. */
bool ablate_several_stacks(const struct ablate_job *j);
struct head_id ablate_head_id(const struct ablate_head *h);
const struct head_id *ablate_head_ids(const struct ablate_job *j);     /* [n_asked] */

/* Places of the asked heads in the order of --sort and --reverse; value(of, i, number): what
 * sorts, by the number's place among metrics. */
int *ablate_order(const struct ablate_job *j, struct arena *a,
                  double (*value)(const void *of, int head, int number), const void *of);

/* The number that a picture shows. */
enum ablate_number ablate_shown(const struct ablate_job *j);

/* Layers below each other, heads side by side: value[n_asked]. */
int ablate_draw(const struct ablate_job *j, const char *caption, const double *value,
                const char *path, struct arena *a, struct err *e);

#endif
