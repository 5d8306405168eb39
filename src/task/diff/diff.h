/* SPDX-License-Identifier: MIT
 *
 * Private interface of the command diff: its two sides, one comparison, and its reports.
 *
 *     sides.c         options -> two sides, opened: two models, precisions, masks or texts
 *     pair.c          a text of each side -> two passes, compared
 *     summary.c       comparisons of many texts -> means
 *     record.c, picture.c    tables, rows and pictures
 *     maps.c, heatmap.c      the weights of both, their difference drawn */
#ifndef TASK_DIFF_H
#define TASK_DIFF_H

#include "analysis/compare.h"
#include "session/shown/place.h"
#include "task/common/records.h"

/* The numbers of a head, in the order of its columns. */
enum diff_number {
    DIFF_JS, DIFF_ENTROPY_FIRST, DIFF_ENTROPY_SECOND, DIFF_ENTROPY_CHANGE, DIFF_LINKS_KEPT,
    DIFF_LARGEST, N_DIFF
};

extern const char *const diff_metrics[];        /* those that a picture can show; NULL ends */
extern const char *const diff_sorts[];          /* "layer", then as enum diff_number; NULL ends */

struct diff_args {
    struct shared_args shared;
    /* Options given twice, once for each side. */
    struct opt_list models, attentions, dtypes, fasts, masks, ids, type_ids, decoder_ids, globals,
                    inputs, images, audios;
    const char *from;
    const char *heatmap;        /* file for a picture of the weights' difference; NULL: none */
    bool summary, nearest;
    int bootstrap;              /* replicates; 0: none */
    int metric;                 /* index into diff_metrics */
    int sort;                   /* 0: by layer; else 1 + enum diff_number */
    bool reverse;
    double tolerance;
};

/* ---- what is compared ---- */

/* One of the two sides. */
struct diff_side {
    struct asked asked;
    struct session s;
    bool open;                  /* s is open */
    struct wanted want;
    struct input *in;
    struct item item;           /* its present text */
    int at;                     /* the only row that is compared; -1: all rows */
};

struct diff_sides {
    const struct diff_args *args;
    const char *called;         /* with more than two models, the second side's, as given; NULL:
                                   at most two */
    struct env env;             /* of both sessions, each of which reads standard input */
    struct diff_side side[2];
    bool texts;                 /* two texts are compared, not one text run in two ways */
    struct place at;            /* --from, if it is given */
};

/*
 * Opens both sides; the left one is that given first on the command line.
 *
 * Errors: the options make no difference, or more than one; those of sessions and inputs; sides
 * that differ in layers and heads.
 */
int diff_open(struct diff_sides *sides, const struct env *env, int n_operands, char **operands,
              struct err *e);
void diff_close(struct diff_sides *sides);

/* The next text of both sides; returns as input_next. */
int diff_next(struct diff_sides *sides, struct arena *a, struct err *e);

/* The name of a side's text in messages; NULL if there is only one text. */
const char *diff_text_name(const struct diff_sides *sides, const struct diff_side *side);

bool diff_is_file(const struct diff_sides *sides);      /* there may be more than one text */

/* The name of a side in titles; whole: for all its texts. */
const char *diff_side_name(const struct diff_sides *sides, int i, bool whole, struct arena *a);

/* ---- one comparison ---- */

struct map;
struct diff_maps;               /* the weights of both sides */

struct diff_pair {
    const struct diff_sides *sides;
    const struct compare *compare;
    const struct diff_maps *maps;       /* all weights; NULL if not stored */
    struct axis_pair queries, keys;
    int n_paired;               /* number of queries that are compared */
    int n_shared, n_tokens;     /* query tokens that both texts have; tokens of the longer text */
};

/* Errors: those of the passes; --from names no token of a text. */
int diff_pair_run(struct diff_pair *pair, struct diff_sides *sides, struct arena *a, struct err *e);

/* How keys, and rows if there are several, are paired: "by position". */
const char *diff_pair_way(const struct diff_pair *pair);

/* Whether the two texts share too few tokens for the comparison to say much about heads. */
bool diff_pair_is_loose(const struct diff_pair *pair);

/* Number i of a head; NaN: undefined. */
double diff_number(const struct diff_pair *pair, int layer, int head, enum diff_number i);

/* The heads in the order of --sort and --reverse, [*n] in arena a; value(of, ...): the sort key, of
 * a struct diff_pair or diff_summary. */
const struct head_id *diff_order(const struct diff_sides *sides, struct arena *a,
                                 double (*value)(const void *of, int layer, int head,
                                                 enum diff_number i), const void *of, int *n);

/* ---- reports ---- */

/* The options of a side, apart from its text: the first member of its row. */
struct diff_side_id {
    const char *model, *dtype, *fast;
    const char *mask, *global;      /* as given; NULL if not given */
};

struct diff_side_id diff_side_id(const struct diff_sides *sides, int i);

#define DIFF_SIDE_F(f) offsetof(struct diff_side_id, f)
#define DIFF_SIDE_COLUMNS \
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON, \
      .field = DIFF_SIDE_F(model) }, \
    { "dtype", "to what inputs of products are rounded", .kind = COLUMN_TEXT, \
      .where = IN_JSON, .choices = precision_names, .field = DIFF_SIDE_F(dtype) }, \
    { "fast", "what linears multiply in", .kind = COLUMN_TEXT, \
      .where = IN_JSON, .choices = fast_names, .field = DIFF_SIDE_F(fast) }, \
    { "mask", "as --mask has it", .kind = COLUMN_TEXT, .where = IN_JSON, \
      .null = NULL_ABSENT, .field = DIFF_SIDE_F(mask) }, \
    { "global", "as --global has it", .kind = COLUMN_TEXT, .where = IN_JSON, \
      .null = NULL_ABSENT, .field = DIFF_SIDE_F(global) }

#define DIFF_MODEL_COLUMN(at) \
    { "model_second", "with several --model: the second side's, as it is given", \
      .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON, .optional = true, \
      .null = NULL_SHOWN, .field = at }

extern const struct record diff_record;
extern const char *const diff_of_models[];      /* columns for several models, then NULL */

/* record without the columns of --from, --nearest or several models, unless these are given. */
const struct record *diff_record_of(const struct diff_sides *sides, const struct record *record,
                                    struct arena *a);

/* "A → B", and which rows are compared if not all. */
const char *diff_title(const struct diff_pair *pair, struct arena *a);

/* Writes it in the report's format; a table has its title above, and an empty line before it if it
 * follows another. */
void diff_report(const struct diff_pair *pair, struct arena *a, struct report *report);

/* ---- all comparisons ---- */

struct diff_summary;

struct diff_summary *diff_summary_new(struct arena *a, const struct diff_sides *sides);
void diff_summary_add(struct diff_summary *summary, const struct diff_pair *pair);

/* Number i of a head, over the comparisons in which it is defined. */
struct summary_estimate diff_summary_of(const struct diff_summary *summary, int layer, int head,
                                        enum diff_number i);

extern const struct record diff_summary_record;

const char *diff_summary_title(const struct diff_summary *summary, struct arena *a);
void diff_summary_report(const struct diff_summary *summary, struct arena *a,
                         struct report *report);

/* ---- pictures ---- */

/* A picture of one number per head: one row per layer, one column per head. */
struct diff_picture {
    const struct diff_sides *sides;
    const char *title;
    bool whole;                 /* over all texts */
    double (*value)(const void *of, int layer, int head, enum diff_number i);
    const void *of;             /* a struct diff_pair or diff_summary */
};

int diff_draw(const struct diff_picture *picture, const struct output *output, const char *path,
              struct arena *a, struct err *e);

/* Allocates the weights of both sides for their present texts. */
struct diff_maps *diff_maps_new(struct arena *a, const struct diff_sides *sides);

/* Sets sinks[layers] for the pass of a side; returns their number. */
int diff_maps_sinks(const struct diff_maps *maps, const struct diff_sides *sides, int side,
                    struct sink *sinks);

/* The weights of a wanted layer. */
const struct map *diff_map(const struct diff_maps *maps, int side, int layer);

/* Draws the signed difference of pair->maps, one heatmap per head, over the tokens that both texts
 * have. ERR_INPUT: there are none. */
int diff_draw_heatmap(const struct diff_pair *pair, const struct output *output, const char *path,
                      struct arena *a, struct err *e);

#endif
