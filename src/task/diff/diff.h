/* SPDX-License-Identifier: MIT
 *
 * What the files of diff share: what is compared, one comparison, and how it is shown.
 *
 *     sides.c         what was asked -> two sides, opened
 *     pair.c          a text of each side -> two passes, compared
 *     summary.c       comparisons of many texts -> means
 *     record.c, picture.c    what is printed and drawn of them
 *     maps.c, heatmap.c      the weights of both, their difference drawn */
#ifndef TASK_DIFF_H
#define TASK_DIFF_H

#include "analysis/compare.h"
#include "task/records.h"
#include "session/place.h"

/* The numbers of a head, in the order of its columns. */
enum diff_number {
    DIFF_JS, DIFF_ENTROPY_FIRST, DIFF_ENTROPY_SECOND, DIFF_ENTROPY_CHANGE, DIFF_LINKS_KEPT,
    DIFF_LARGEST, N_DIFF
};

extern const char *const diff_metrics[];        /* that a picture shows; NULL ends */
extern const char *const diff_sorts[];          /* "layer", then by enum diff_number; NULL ends */

struct diff_args {
    struct shared_args shared;
    /* Given twice: one for each side. */
    struct opt_list models, attentions, dtypes, fasts, masks, ids, type_ids, decoder_ids, globals,
                    inputs, images, audios;
    const char *from;
    const char *heatmap;        /* a picture of the weights' difference; NULL: none */
    bool summary, nearest;
    int bootstrap;              /* replicates; 0: none */
    int metric;                 /* of diff_metrics */
    int sort;                   /* 0: by layer; else of enum diff_number, from 1 */
    bool reverse;
    double tolerance;
};

/* ---- what is compared ---- */

/* One of the two. */
struct diff_side {
    struct asked asked;
    struct session s;
    bool open;                  /* s is */
    struct wanted want;
    struct input *in;
    struct item item;           /* its text of the comparison */
    int at;                     /* the only row of it that counts; -1: all do */
};

struct diff_sides {
    const struct diff_args *args;
    const char *called;         /* of several models, the second one as it is given; NULL:
                                   there are two at most */
    struct env env;             /* of both sessions: each reads what - stands for */
    struct diff_side side[2];
    bool texts;                 /* two texts, not one in two ways */
    struct place at;            /* of --from, where it is given */
};

/*
 * Both sides, with the left the one that is given first on the command line.
 *
 * Errors: nothing that differs, or too much of it; those of sessions and inputs; sides whose
 * layers and heads are not the same.
 */
int diff_open(struct diff_sides *d, const struct env *env, int n_operands, char **operands,
              struct err *e);
void diff_close(struct diff_sides *d);

/* The next text of both sides; returns as input_next. */
int diff_next(struct diff_sides *d, struct arena *a, struct err *e);

/* What a message calls a side's text; NULL: there are not two. */
const char *diff_text_name(const struct diff_sides *d, const struct diff_side *side);

bool diff_is_file(const struct diff_sides *d);      /* there may be more than one text */

/* What a title calls a side; whole: of all its texts. */
const char *diff_side_name(const struct diff_sides *d, int i, bool whole, struct arena *a);

/* ---- one comparison ---- */

struct map;
struct diff_maps;               /* the weights of both sides */

struct diff_pair {
    const struct diff_sides *sides;
    const struct compare *compare;
    const struct diff_maps *maps;       /* NULL: they are not kept */
    struct axis_pair queries, keys;
    int n_paired;               /* queries that are compared */
    int n_shared, n_tokens;     /* of the queries' own tokens: pieces that both texts have;
                                   how many the longer has */
};

/* Errors: those of the passes; --from names no token of a text. */
int diff_pair_run(struct diff_pair *p, struct diff_sides *d, struct arena *a, struct err *e);

/* How its keys, and its rows where there are several, are compared: "by position". */
const char *diff_pair_way(const struct diff_pair *p);

/* Whether two texts have so little in common that the comparison says little of heads. */
bool diff_pair_is_loose(const struct diff_pair *p);

/* Number i of a head; NaN: undefined. */
double diff_number(const struct diff_pair *p, int layer, int head, enum diff_number i);

/* The heads in the order of --sort and --reverse, [*n] of a; value: of a struct diff_pair or
 * diff_summary. */
const struct head_id *diff_order(const struct diff_sides *d, struct arena *a,
                                 double (*value)(const void *of, int layer, int head,
                                                 enum diff_number i), const void *of, int *n);

/* ---- what is printed of it ---- */

/* What a side is, whatever its text: the first member of its row. */
struct diff_side_id {
    const char *model, *dtype, *fast;
    const char *mask, *global;      /* NULL: none is asked for */
};

struct diff_side_id diff_side_id(const struct diff_sides *d, int i);

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
extern const char *const diff_of_models[];      /* columns of several models, then NULL */

/* r without the columns that only --from, --nearest or several models fill, where they are
 * not given. */
const struct record *diff_record_of(const struct diff_sides *d, const struct record *r,
                                    struct arena *a);

/* "A → B", and what is compared of them where that is not all. */
const char *diff_title(const struct diff_pair *p, struct arena *a);

/* In the report's format; a table under its title, below an empty line where it is after
 * another. */
void diff_report(const struct diff_pair *p, struct arena *a, struct report *r);

/* ---- all comparisons ---- */

struct diff_summary;

struct diff_summary *diff_summary_new(struct arena *a, const struct diff_sides *d);
void diff_summary_add(struct diff_summary *s, const struct diff_pair *p);

/* Number i of a head, over the comparisons in which it is defined. */
struct summary_estimate diff_summary_of(const struct diff_summary *s, int layer, int head,
                                        enum diff_number i);

extern const struct record diff_summary_record;

const char *diff_summary_title(const struct diff_summary *s, struct arena *a);
void diff_summary_report(const struct diff_summary *s, struct arena *a, struct report *r);

/* ---- what is drawn ---- */

/* Layers below each other, heads side by side. */
struct diff_picture {
    const struct diff_sides *sides;
    const char *title;
    bool whole;                 /* of all texts */
    double (*value)(const void *of, int layer, int head, enum diff_number i);
    const void *of;             /* a struct diff_pair or diff_summary */
};

int diff_draw(const struct diff_picture *p, const struct output *output, const char *path,
              struct arena *a, struct err *e);

/* Of the texts that the sides have now. */
struct diff_maps *diff_maps_new(struct arena *a, const struct diff_sides *d);

/* Sinks of a side's pass into sinks[layers]; returns how many. */
int diff_maps_sinks(const struct diff_maps *m, const struct diff_sides *d, int side,
                    struct sink *sinks);

/* Of a layer that is wanted. */
const struct map *diff_map(const struct diff_maps *m, int side, int layer);

/* The signed difference of p->maps: tokens that both have, a heatmap of each head.
 * ERR_INPUT: there are none. */
int diff_draw_heatmap(const struct diff_pair *p, const struct output *output, const char *path,
                      struct arena *a, struct err *e);

#endif
