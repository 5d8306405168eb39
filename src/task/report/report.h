/* SPDX-License-Identifier: MIT
 *
 * Private interface of the command report:
 *
 *     report.c      the command; the pass over a text, and its weights
 *     two.c         two models or two texts on one page
 *     look.c        the inputs of attentions: masks, queries and keys
 *     ablate.c      effects of ablating heads, from a file
 *     text.c        the rest of a text's data: tokens, heads, statistics, as JSON
 *     live.c        the program and the model, for a page on which texts are typed */
#ifndef TASK_REPORT_H
#define TASK_REPORT_H

#include "analysis/codes.h"
#include "analysis/stats.h"
#include "report/page.h"
#include "run/neuron.h"
#include "task/common/job.h"

struct report_args {
    struct shared_args shared;
    struct opt_list models;     /* if two, they are compared */
    bool compare;               /* the two texts are compared */
    bool live;                  /* the page runs the model itself */
    const char *metric;
    int precision, max_size;    /* precision: 0: weights in 8 bits, 1: 16, 2: the model as f16, 3:
                                   as q8_0; max_size in MiB */
    int neuron;                 /* enum report_neuron */
    /* With two models, given twice, one for each; given once, it is the first's. */
    struct opt_list types, ablates;     /* shared.types, and files of effects of ablation */
    const char *ablate;         /* one of ablates, set by report_with_words; NULL: none */
};

enum { REPORT_COSTS = 4 };      /* numbers of a head that ablate may have */

/* Whether the page has queries and keys. */
enum report_neuron { NEURON_AUTO, NEURON_ALWAYS, NEURON_NEVER };

/*
 * Inputs of a layer's attention ("look"), for the heads that are shown.  Keys that several heads
 * share are stored once.
 */
struct report_look {
    int layer;                  /* -1: none yet */
    int n_seen;                 /* number of masks: 0: full or causal attention; 1: one for all
                                   heads; else one per head */
    size_t seen_bytes;          /* bytes of a mask: [queries] rows of whole bytes */
    const unsigned char *seen;  /* [n_seen] masks, 1: visible; bit 0 of the first byte: key 0 */
    bool has_vectors;
    int n_heads;
    int *group;                 /* [n_heads] index of the head's keys */
    float *scale, *cap;         /* [n_heads] */
    bool part[N_NEURON_PART];   /* terms of scores that are stored */
    struct packed vectors;      /* queries, keys and these terms */
};

struct report_job {
    struct job job;
    const struct report_args *args;
    const struct cmd *command;      /* the command whose options these are */
    struct report_job *first;       /* the job that writes the page: the first of two, or itself */
    bool is_open;                   /* first job: its results are open */
    int side;                       /* index of the compared model or text, 0 or 1; -1: not compared
                                       */
    struct metric_choice choice;
    struct metric_set set;          /* computes the metrics of choice */
    int bits;                       /* bits per weight */
    struct report_cost {
        const char *name, *unit, *help;
        double *value;              /* [layers, heads] NAN: unknown */
    } cost[REPORT_COSTS];                      /* [n_costs] of --ablate */
    int n_costs;
    const char *const *type;        /* [layers, heads] of --types; NULL: not given */
    const struct head_id *head;     /* [n_heads], layer by layer */
    int n_heads;
    int *place;                     /* [layers, heads] index among the layer's shown heads; -1: not
                                       shown */
    uint64_t size;                  /* bytes of the texts so far: weights, queries and keys */
    uint64_t vectors_size;          /* bytes of queries and keys alone */
    bool has_vectors;               /* the present text has queries and keys */
    const struct tap *stats_tap;    /* the tap of metrics; NULL: none requires one */
    struct report_look look;        /* of the present layer */
    double vectors_error;           /* largest rounding error of a number of a query or key */
    int n_texts;                    /* texts in the page */
    struct arena *packed;           /* memory of packed data of the present text */
    struct pack *words, *codes;     /* packers: of its JSON; of weights, queries and keys */
    struct report_block {
        int layer;
        bool triangle;
        struct packed bytes;
        struct report_look look;
    } *block;                       /* [n_blocks] of the present text, in an array [layers] */
    int n_blocks;
};

/*
 * Packs the JSON of the text: tokens, heads, statistics, types.  found: results of the pass; error:
 * largest rounding error of a weight.
 *
 * Errors (ERR_SYSTEM): no memory.
 */
int report_text(struct report_job *job, struct arena *a, const struct item *item,
                const struct stats *found, double error, struct packed *packed,
                struct err *e);

/* The job that runs each text. */
extern const struct job_kind report_kind;

/* args with tokens numbered by words, if the input is text, and with the first model. */
struct report_args report_with_words(const struct report_args *args);

/* ---- two.c ---- */

/* Two models, or with --compare two texts, one after the other. */
int report_two(const struct job_kind *kind, const struct report_args *args, int n_operands,
               char **operands, const struct env *env, struct err *e);

/* For the second job, before its texts: continues the page of the first.  ERR_INPUT: other heads.
 * */
int report_go_on(struct report_job *job, struct err *e);

/* ---- ablate.c ---- */

/* Errors (ERR_INPUT): those of heads_file_read, with the path; no numbers. */
int report_ablate(struct report_job *job, const char *path, struct err *e);

/* ---- live.c ---- */

/* ERR_USAGE: the program has no WebAssembly module, or a live page does not support an option. */
int report_live_check(const struct report_args *args, struct err *e);

/*
 * Writes the module, the model and the options of the page, after the first text.  Errors:
 * ERR_INPUT: no tokeniser, or a model that is too large; those of file_hold; ERR_SYSTEM: no memory.
 */
int report_live(FILE *file, struct report_job *job, const struct item *item, struct err *e);

/* ---- look.c ---- */

/* Bytes of queries, keys and other terms of scores of a text, unpacked. */
uint64_t report_vectors_bytes(const struct report_job *job, int n_queries, int n_keys);

/* The tap of a pass: stores the inputs of each layer's attention, and calls the tap of metrics. */
struct tap report_tap(struct report_job *job);

#endif
