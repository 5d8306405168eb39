/* SPDX-License-Identifier: MIT
 *
 * What a head is: its scores of texts and probes -> the labels that hold, and the primary one.
 * types_scores.def has the scores and thresholds, types.def the labels. */
#ifndef ANALYSIS_TYPES_H
#define ANALYSIS_TYPES_H

#include <stdint.h>

#include "analysis/metric.h"
#include "base/err.h"

/* Those of texts first. */
enum types_score {
#define TEXT_SCORE(id, ...) TYPES_##id,
#include "analysis/types_scores.def"
#undef TEXT_SCORE
    N_TYPES_TEXT,
    TYPES_BEFORE_PROBES = N_TYPES_TEXT - 1,
#define PROBE_SCORE(id, ...) TYPES_probe_##id,
#include "analysis/types_scores.def"
#undef PROBE_SCORE
    N_TYPES_SCORE
};

/* Those of fixed offsets lie side by side. */
enum { TYPES_OFFSET_FIRST = TYPES_offset_m8, TYPES_OFFSETS = TYPES_offset_8 - TYPES_offset_m8 + 1 };

enum types_threshold {
#define THRESHOLD(id, ...) TYPES_AT_##id,
#include "analysis/types_scores.def"
#undef THRESHOLD
    N_TYPES_THRESHOLD
};

extern const char *const types_threshold_names[];   /* by enum types_threshold, then NULL */

enum types_taxonomy { TYPES_MHA_VIZ, TYPES_CLARK, TYPES_KOVALEVA };
extern const char *const types_taxonomy_names[];    /* by enum types_taxonomy, then NULL */

enum type_id {
#define TYPE(id, ...) TYPE_##id,
#include "analysis/types.def"
#undef TYPE
    N_TYPE
};

/* What the texts' scores are computed of, in the order of enum types_score: [N_TYPES_TEXT]. */
extern const struct metric types_metrics[N_TYPES_TEXT];

struct types_rules {
    enum types_taxonomy taxonomy;
    double threshold[N_TYPES_THRESHOLD];
    bool causal;                /* a head that looks back alone: it has no next, no separator
                                   and no block */
};

/* With the thresholds of types_scores.def. */
struct types_rules types_rules(enum types_taxonomy taxonomy, bool causal);

/*
 * Sets what the list "induction:0.5,local:0.8" names.  ERR_USAGE: it is no such list; a name
 * that does not exist, with the nearest one that does; a threshold below 0.
 */
int types_rules_set(struct types_rules *r, const char *list, struct err *e);

/* What is known of a head; NaN: a score that is not. */
struct types_head {
    double score[N_TYPES_SCORE];
    int layer, n_layers;
    int64_t n_rows, n_texts;    /* that the texts' scores are of; n_texts 0: there is none */
    int64_t n_long;             /* texts that sink_long is of */
    double same;                /* the share of them with the same token or place; NaN: it is
                                   not known */
    bool partial;               /* scores may lack that texts would give: so nothing follows
                                   from a label that does not hold */
    const char *relation;       /* of syntax that the head follows; NULL: none is known */
    double accuracy;            /* of relation */
    double lift;                /* over pairs of related words; NaN: not known, or of too few */
    bool resolves;              /* finds what mentions mean better than both rules */
    double resolved;            /* share of mentions */
};

struct types_label {
    enum type_id type;
    const char *name;           /* "sink-first" */
    const char *caption;        /* "rests on the first token" */
    double score;               /* that decided; NaN: of what holds since nothing else does */
    const char *by;             /* "probe.induction", "argmax_self": its name; NULL: it is no
                                   score */
    bool links;                 /* a share of strongest links, not of weight */
};

struct types_found {
    struct types_label label[N_TYPE];   /* all that hold, in the order of types.def */
    int n;
    int primary;                /* the first of them that is no tag; -1: none holds */
};

void types_find(const struct types_rules *r, const struct types_head *h,
                struct types_found *found);

/* ---- as the documents sort heads: where and how widely ---- */

enum types_kind { TYPES_SYNTACTIC, TYPES_SEMANTIC, TYPES_COREFERENCE, TYPES_POSITIONAL,
                  TYPES_GLOBAL, TYPES_NEAR, TYPES_MIDDLE, TYPES_FAR, N_TYPES_KIND };
extern const char *const types_kind_names[];        /* by enum types_kind, then NULL */

/* Sets those that hold. */
void types_kinds(const struct types_rules *r, const struct types_head *h,
                 bool kind[N_TYPES_KIND]);

#endif
