/* SPDX-License-Identifier: MIT
 *
 * report, in parts:
 *
 *     report.c      the command; the pass over a text, and its weights
 *     two.c         two models or two texts, to one page
 *     look.c        what attentions read: which keys are seen, queries and keys
 *     ablate.c      what heads are worth, from a file
 *     text.c        what the page knows of a text beside them: JSON
 *     live.c        the program and the model, for a page that is typed into */
#ifndef TASK_REPORT_H
#define TASK_REPORT_H

#include "analysis/codes.h"
#include "analysis/stats.h"
#include "task/job.h"
#include "report/page.h"
#include "run/neuron.h"

struct report_args {
    struct shared_args shared;
    struct opt_list models;     /* two: compared */
    bool compare;               /* the two texts */
    bool live;                  /* the page answers by itself */
    const char *metric;
    int precision, max_size;    /* 0: 8 bits, 1: 16, 2: the model's weights as f16, 3: as q8_0;
                                   MiB */
    int neuron;                 /* enum report_neuron */
    /* Given twice with two models: one for each; of one, the first's. */
    struct opt_list types, ablates;     /* shared.types, and a file of what heads are worth */
    const char *ablate;         /* of ablates, as report_with_words has it; NULL: none */
};

enum { REPORT_COSTS = 4 };      /* numbers of a head that ablate may have */

/* When the page has queries and keys. */
enum report_neuron { NEURON_AUTO, NEURON_ALWAYS, NEURON_NEVER };

/*
 * What the attention of a layer reads, of the heads that are shown.  Keys that several heads
 * share stand once.
 */
struct report_look {
    int layer;                  /* -1: nothing has been looked at */
    int n_seen;                 /* masks: 0: all keys are seen, or those up to the query;
                                   1: all heads have one; else of each head */
    size_t seen_bytes;          /* of a mask: [queries] rows of whole bytes */
    const unsigned char *seen;  /* [n_seen] bit 0 of the first byte: key 0 */
    bool has_vectors;
    int n_heads;
    int *group;                 /* [n_heads] whose keys */
    float *scale, *cap;         /* [n_heads] */
    bool part[N_NEURON_PART];
    struct packed vectors;
};

struct report_job {
    struct job job;
    const struct report_args *args;
    const struct cmd *command;      /* whose options these are */
    struct report_job *first;       /* whose results the page is of; itself where it is one */
    bool is_open;                   /* of the first: its results are */
    int side;                       /* of what is compared, 0 or 1; -1: nothing is */
    struct metric_choice choice;
    struct metric_set set;          /* what choice names */
    int bits;                       /* of a weight */
    struct report_cost {
        const char *name, *unit, *help;
        double *value;              /* [layers, heads] NAN: unknown */
    } cost[REPORT_COSTS];                      /* [n_costs] of --ablate */
    int n_costs;
    const char *const *type;        /* [layers, heads] of --types; NULL: not given */
    const struct head_id *head;     /* [n_heads], layer by layer */
    int n_heads;
    int *place;                     /* [layers, heads] among those of the layer; -1: not shown */
    uint64_t size;                  /* of the texts so far, in bytes: weights, queries and keys */
    uint64_t vectors_size;          /* queries and keys of them */
    bool has_vectors;               /* of the text at hand */
    const struct tap *stats_tap;    /* NULL: no metric looks */
    struct report_look look;        /* at the layer at hand */
    double vectors_error;           /* how far a number of a query or key is off, at most */
    int n_texts;                    /* that are in the page */
    struct arena *packed;           /* what is packed of the text at hand */
    struct pack *words, *codes;     /* what is known of it; weights, queries and keys */
    struct report_block {
        int layer;
        bool triangle;
        struct packed bytes;
        struct report_look look;
    } *block;                       /* [n_blocks] of the text at hand; [layers] */
    int n_blocks;
};

/*
 * Packs what is known of the text: tokens, heads, statistics, types.  found: of the pass;
 * error: how far a weight may be from what the page has.
 *
 * Errors (ERR_SYSTEM): no memory.
 */
int report_text(struct report_job *j, struct arena *a, const struct item *item,
                const struct stats *found, double error, struct packed *packed,
                struct err *e);

/* What runs each text. */
extern const struct job_kind report_kind;

/* Words are numbered where there is a text to number them in; the model is the first. */
struct report_args report_with_words(const struct report_args *args);

/* ---- two.c ---- */

/* Two models, or with --compare two texts, one after the other. */
int report_two(const struct job_kind *kind, const struct report_args *args, int n_operands,
               char **operands, const struct env *env, struct err *e);

/* Of the second, before its texts: it goes on where the first ended.  ERR_INPUT: other heads. */
int report_go_on(struct report_job *j, struct err *e);

/* ---- ablate.c ---- */

/* Errors (ERR_INPUT): those of heads_file_read, with the path; no numbers. */
int report_ablate(struct report_job *j, const char *path, struct err *e);

/* ---- live.c ---- */

/* ERR_USAGE: the program has no module, or of these options no page can answer. */
int report_live_check(const struct report_args *args, struct err *e);

/*
 * After the first text: the module, the model and how the page was asked for.  Errors: ERR_INPUT:
 * no
 * tokeniser, or a model that is too large; those of file_hold; ERR_SYSTEM: no memory.
 */
int report_live(FILE *f, struct report_job *j, const struct item *item, struct err *e);

/* ---- look.c ---- */

/* Bytes of queries and keys of a text, unpacked, and what its scores have beside them. */
uint64_t report_vectors_bytes(const struct report_job *j, int n_queries, int n_keys);

/* Before the pass: looks at each layer, and lets the metrics look. */
struct tap report_tap(struct report_job *j);

#endif
