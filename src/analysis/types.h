/* SPDX-License-Identifier: MIT
 *
 * Types of heads: scores from texts and probes -> the labels that hold, and the primary one.
 * types_scores.def has the scores and thresholds, types.def the labels. */
#ifndef ANALYSIS_TYPES_H
#define ANALYSIS_TYPES_H

#include <stdint.h>

#include "analysis/metric.h"
#include "base/err.h"

/* Scores, those from texts first. */
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

/* The scores of fixed offsets are adjacent. */
enum { TYPES_OFFSET_FIRST = TYPES_offset_m8, TYPES_OFFSETS = TYPES_offset_8 - TYPES_offset_m8 + 1 };

enum types_threshold {
#define THRESHOLD(id, ...) TYPES_AT_##id,
#include "analysis/types_scores.def"
#undef THRESHOLD
    N_TYPES_THRESHOLD
};

extern const char *const types_threshold_names[];   /* as enum types_threshold, then NULL */

enum types_taxonomy { TYPES_MHA_VIZ, TYPES_CLARK, TYPES_KOVALEVA };
extern const char *const types_taxonomy_names[];    /* as enum types_taxonomy, then NULL */

enum type_id {
#define TYPE(id, ...) TYPE_##id,
#include "analysis/types.def"
#undef TYPE
    N_TYPE
};

/* The metrics that are the scores from texts, in the order of enum types_score: [N_TYPES_TEXT]. */
extern const struct metric types_metrics[N_TYPES_TEXT];

struct types_rules {
    enum types_taxonomy taxonomy;
    double threshold[N_TYPES_THRESHOLD];
    bool causal;                /* causal heads, which have no labels "next", separator and block */
};

/* The rules with the thresholds of types_scores.def. */
struct types_rules types_rules(enum types_taxonomy taxonomy, bool causal);

/*
 * Sets thresholds from a list "induction:0.5,local:0.8".  ERR_USAGE: not such a list; an unknown
 * name, with the nearest known one; a threshold below 0.
 */
int types_rules_set(struct types_rules *rules, const char *list, struct err *e);

/* The data of a head; NaN: a score that is unknown. */
struct types_head {
    double score[N_TYPES_SCORE];
    int layer, n_layers;
    int64_t n_rows, n_texts;    /* rows and texts behind the scores from texts; n_texts 0: none */
    int64_t n_long;             /* texts behind sink_long */
    double same;                /* share of these whose sink is the same token or position
                                   (rests.h); NaN: unknown */
    bool partial;               /* scores from texts may be missing, so a label that does not hold
                                   implies nothing */
    const char *relation;       /* syntactic relation that the head follows; NULL if none is known
                                   */
    double accuracy;            /* accuracy for relation */
    double lift;                /* over pairs of related words; NaN: unknown, or too few pairs */
    bool resolves;              /* resolves coreference better than both baselines */
    double resolved;            /* share of mentions resolved */
};

struct types_label {
    enum type_id type;
    const char *name;           /* "sink-first" */
    const char *caption;        /* "rests on the first token" */
    double score;               /* the score that decided; NaN for a label that holds by default */
    const char *by;             /* name of that score, "probe.induction", "argmax_self"; NULL if
                                   none */
    bool links;                 /* it is a share of strongest links, not of weight */
};

struct types_found {
    struct types_label label[N_TYPE];   /* all that hold, in the order of types.def */
    int n;
    int primary;                /* index of the first that is not a mere tag; -1: none */
};

void types_find(const struct types_rules *rules, const struct types_head *head,
                struct types_found *found);

/* ---- kinds: a coarser classification of heads, by what and how far they attend ---- */

enum types_kind { TYPES_SYNTACTIC, TYPES_SEMANTIC, TYPES_COREFERENCE, TYPES_POSITIONAL,
                  TYPES_GLOBAL, TYPES_NEAR, TYPES_MIDDLE, TYPES_FAR, N_TYPES_KIND };
extern const char *const types_kind_names[];        /* as enum types_kind, then NULL */

/* Sets the kinds that hold. */
void types_kinds(const struct types_rules *rules, const struct types_head *head,
                 bool kind[N_TYPES_KIND]);

#endif
