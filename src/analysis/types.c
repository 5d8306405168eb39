/* SPDX-License-Identifier: MIT
 * Scores and thresholds of heads -> labels. */
#include "analysis/types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

const char *const types_taxonomy_names[] = { "mha-viz", "clark", "kovaleva", NULL };

const char *const types_threshold_names[] = {
#define THRESHOLD(id, name, ...) name,
#include "analysis/types_scores.def"
#undef THRESHOLD
    NULL
};

/* ---- thresholds ---- */

struct types_rules types_rules(enum types_taxonomy taxonomy, bool causal)
{
    return (struct types_rules){ taxonomy, {
#define THRESHOLD(id, name, value, help) [TYPES_AT_##id] = value,
#include "analysis/types_scores.def"
#undef THRESHOLD
    }, causal };
}

static int find_threshold(const char *name, struct err *e)
{
    const char *meant;

    for (int i = 0; i < N_TYPES_THRESHOLD; i++)
        if (strcmp(name, types_threshold_names[i]) == 0)
            return i;
    meant = nearest_name(name, types_threshold_names);
    return err_set(e, ERR_USAGE, "'%s' is not a threshold%s%s%s", name,
                   meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                   meant != NULL ? "'?" : "");
}

/* "induction:0.5" of n bytes. */
static int set_one(struct types_rules *rules, const char *s, size_t n, struct err *e)
{
    char part[64] = "", *colon, *end;
    double value;
    int i;

    memcpy(part, s, n < sizeof part ? n : sizeof part - 1);
    colon = strchr(part, ':');
    if (colon == NULL)
        return err_set(e, ERR_USAGE, "'%s' is not a threshold and its value, such as "
                       "induction:0.5", part);
    *colon = '\0';
    i = find_threshold(part, e);
    if (i < 0)
        return -1;
    value = strtod(colon + 1, &end);
    /* strtod alone would take "nan" and "0x1" */
    if (end == colon + 1 || *end != '\0' || !(value >= 0) ||
        strspn(colon + 1, "0123456789.e-") != strlen(colon + 1))
        return err_set(e, ERR_USAGE, "%s: '%s' is not a number of at least 0", part, colon + 1);
    rules->threshold[i] = value;
    return 0;
}

int types_rules_set(struct types_rules *rules, const char *list, struct err *e)
{
    for (const char *s = list;; s++) {
        size_t n = strcspn(s, ",");

        if (set_one(rules, s, n, e) != 0)
            return -1;
        s += n;
        if (*s == '\0')
            return 0;
    }
}

/* ---- rules ---- */

enum group { PROBE, PROBE_TAG, TEXT, TAG, CLARK, KOVALEVA };
enum relation { AT_LEAST, ABOVE, RULE };

/* One head, and what was found of it so far. */
struct case_of {
    const struct types_rules *r;
    const struct types_head *h;
    const struct types_found *found;
    int *by;                    /* enum types_score that decides, which a rule may change; -1: it
                                   is no such score */
};

static double types_at(const struct case_of *c, enum types_threshold i)
{
    return c->r->threshold[i];
}

static bool types_has(const struct case_of *c, enum type_id type)
{
    for (int i = 0; i < c->found->n; i++)
        if (c->found->label[i].type == type)
            return true;
    return false;
}

static bool rule_undetermined(const struct case_of *c, double *score)
{
    *score = NAN;
    return (double)c->h->n_rows < types_at(c, TYPES_AT_rows) ||
           (double)c->h->n_texts < types_at(c, TYPES_AT_texts);
}

/* On any one token. */
static bool rule_dormant(const struct case_of *c, double *score)
{
    return *score < types_at(c, TYPES_AT_dormant) &&
           (c->h->score[TYPES_alpha_0] > types_at(c, TYPES_AT_sink) ||
            c->h->score[TYPES_sink_other] > types_at(c, TYPES_AT_sink));
}

static bool rule_streaming(const struct case_of *c, double *score)
{
    return *score < types_at(c, TYPES_AT_streaming);
}

/* Enough of the weight on one offset; or of the strongest links, where they are strong. */
static bool on_offset(const struct case_of *c, enum types_score argmax, double *score)
{
    double weight = *score;

    if (weight >= types_at(c, TYPES_AT_offset))
        return true;
    *c->by = (int)argmax;
    *score = c->h->score[argmax];
    return *score >= types_at(c, TYPES_AT_argmax) &&
           weight >= types_at(c, TYPES_AT_argmax_lift) * c->h->score[TYPES_key_even];
}

/* The offsets that have no label of their own, and those that have. */
static bool rule_offset(const struct case_of *c, double *score)
{
    *score = -1;
    for (int i = TYPES_OFFSET_FIRST; i < TYPES_OFFSET_FIRST + TYPES_OFFSETS; i++)
        if (c->h->score[i] > *score) {      /* NaN: passed over */
            *c->by = i;
            *score = c->h->score[i];
        }
    return *score >= types_at(c, TYPES_AT_offset);
}

/* From layer floor(2 L / 3) on. */
static bool rule_negative_copy(const struct case_of *c, double *score)
{
    return *score >= types_at(c, TYPES_AT_negative_copy) &&
           c->h->layer >= 2 * c->h->n_layers / 3;
}

static bool rule_successor(const struct case_of *c, double *score)
{
    return *score > types_at(c, TYPES_AT_successor) &&
           c->h->score[TYPES_probe_successor_p] <= types_at(c, TYPES_AT_successor_p);
}

/* Places in random tokens; texts, where there are any, say more of them. */
static bool is_place(const struct case_of *c, double score)
{
    return c->h->n_texts == 0 && score >= types_at(c, TYPES_AT_offset);
}

static bool rule_probe_next(const struct case_of *c, double *score)
{
    return is_place(c, *score);
}

static bool rule_probe_self(const struct case_of *c, double *score)
{
    return is_place(c, *score);
}

static bool rule_probe_offset(const struct case_of *c, double *score)
{
    return is_place(c, *score);
}

static bool rule_probe_first(const struct case_of *c, double *score)
{
    return c->h->n_texts == 0 && *score > types_at(c, TYPES_AT_sink);
}

static bool rule_previous(const struct case_of *c, double *score)
{
    return !types_has(c, TYPE_probe_previous) && on_offset(c, TYPES_argmax_prev, score);
}

static bool rule_next(const struct case_of *c, double *score)
{
    return !c->r->causal && on_offset(c, TYPES_argmax_next, score);
}

static bool rule_self(const struct case_of *c, double *score)
{
    return on_offset(c, TYPES_argmax_self, score);
}

/* Half of what uniform rows leave too: they find one of two tokens with 2 / n.  Of rows that are
 * all but uniform the largest weight says nothing. */
static bool rule_rare_token(const struct case_of *c, double *score)
{
    double even = fmin(2 * c->h->score[TYPES_key_even], 1);     /* not known: 1 */

    return *score >= types_at(c, TYPES_AT_rare) &&
           !(c->h->score[TYPES_entropy_norm] >= types_at(c, TYPES_AT_broad)) &&
           *score - even >= types_at(c, TYPES_AT_local_lift) * (1 - even);
}

/* Over long texts, as many of them as decide a label, and not on another word in each. */
static bool rule_sink_elsewhere(const struct case_of *c, double *score)
{
    double enough = types_at(c, TYPES_AT_texts);

    return (double)c->h->n_long >= fmin(enough, (double)c->h->n_texts) &&
           *score > types_at(c, TYPES_AT_weak) && !(c->h->score[TYPES_alpha_0] >= *score) &&
           !(c->h->same < types_at(c, TYPES_AT_same));
}

static bool rule_separator(const struct case_of *c, double *score)
{
    return !c->r->causal && *score > types_at(c, TYPES_AT_separator);
}

static bool rule_syntactic(const struct case_of *c, double *score)
{
    *c->by = -1;
    *score = c->h->accuracy;
    return c->h->relation != NULL;
}

static bool rule_coreference(const struct case_of *c, double *score)
{
    *c->by = -1;
    *score = c->h->resolved;
    return c->h->resolves;
}

/* Of one offset, at which half of the rows or more look. */
static bool has_offset(const struct case_of *c)
{
    return types_has(c, TYPE_probe_previous) || types_has(c, TYPE_probe_next) ||
           types_has(c, TYPE_probe_self) || types_has(c, TYPE_probe_offset) ||
           types_has(c, TYPE_previous) || types_has(c, TYPE_next) || types_has(c, TYPE_self) ||
           types_has(c, TYPE_offset);
}

/* Not because the texts are short, and not of one offset. */
static bool rule_local(const struct case_of *c, double *score)
{
    double even = c->h->score[TYPES_local_even];

    return *score >= types_at(c, TYPES_AT_local) &&
           *score - even >= types_at(c, TYPES_AT_local_lift) * (1 - even) && even < 1 &&
           !has_offset(c);
}

/* Over all, not over a segment alone. */
static bool rule_broad(const struct case_of *c, double *score)
{
    return *score >= types_at(c, TYPES_AT_broad) && !types_has(c, TYPE_block);
}

/* What looks nearby stays within its segment, whatever that is. */
static bool rule_block(const struct case_of *c, double *score)
{
    return !c->r->causal && *score >= types_at(c, TYPES_AT_block) && !types_has(c, TYPE_local) &&
           !has_offset(c);
}

/* Nothing else holds, tags apart. */
static bool rule_heterogeneous(const struct case_of *c, double *score)
{
    *score = NAN;
    return !c->h->partial &&
           c->found->n == types_has(c, TYPE_undetermined) + types_has(c, TYPE_copying) +
                                    types_has(c, TYPE_weak) + types_has(c, TYPE_streaming);
}

static bool rule_clark_sep(const struct case_of *c, double *score)
{
    return !c->r->causal && *score > types_at(c, TYPES_AT_clark_mass);
}

static bool rule_clark_other(const struct case_of *c, double *score)
{
    *score = NAN;
    return c->found->n == types_has(c, TYPE_undetermined);
}

/* The class of the mean numbers. */
static bool is_class(const struct case_of *c, enum type_id type)
{
    const double *score = c->h->score;

    return metric_kovaleva_class(score[TYPES_pattern_vertical], score[TYPES_pattern_diagonal],
                                 score[TYPES_pattern_block]) == (int)type - TYPE_vertical;
}

#define CLASS(id) \
    static bool rule_##id(const struct case_of *c, double *score) \
    { \
        (void)score; \
        return is_class(c, TYPE_##id); \
    }
CLASS(vertical)
CLASS(diagonal)
CLASS(both)
CLASS(kovaleva_block)
#undef CLASS

static bool rule_kovaleva_rest(const struct case_of *c, double *score)
{
    *score = NAN;
    return is_class(c, TYPE_kovaleva_rest);
}

/* ---- labels ---- */

struct type {
    const char *name;
    enum group group;
    enum types_score score;
    enum relation relation;
    enum types_threshold threshold;
    bool (*rule)(const struct case_of *c, double *score);   /* RULE */
    const char *caption;
};

#define RULE_AT_LEAST(id) NULL
#define RULE_ABOVE(id) NULL
#define RULE_RULE(id) rule_##id
#define SCORE_PROBE(score) TYPES_probe_##score
#define SCORE_PROBE_TAG(score) TYPES_probe_##score
#define SCORE_TEXT(score) TYPES_##score
#define SCORE_TAG(score) TYPES_##score
#define SCORE_CLARK(score) TYPES_##score
#define SCORE_KOVALEVA(score) TYPES_##score
static const struct type types[N_TYPE] = {
#define TYPE(id, label, of, by, relation, threshold, about) \
    [TYPE_##id] = { label, of, SCORE_##of(by), relation, TYPES_AT_##threshold, \
                    RULE_##relation(id), about },
#include "analysis/types.def"
#undef TYPE
};

static const char *const offset_names[TYPES_OFFSETS] = {
#define OFFSET(id, k) [TYPES_##id - TYPES_OFFSET_FIRST] = k < 0 ? "offset " #k : "offset +" #k,
#include "analysis/offsets.def"
#undef OFFSET
};

static const int offset_of[TYPES_OFFSETS] = {
#define OFFSET(id, k) [TYPES_##id - TYPES_OFFSET_FIRST] = k,
#include "analysis/offsets.def"
#undef OFFSET
};

/* As reports have them. */
static const char *const score_names[N_TYPES_SCORE] = {
#define TEXT_SCORE(id, label, ...) [TYPES_##id] = label,
#define PROBE_SCORE(id, label, ...) [TYPES_probe_##id] = "probe." label,
#include "analysis/types_scores.def"
#undef TEXT_SCORE
#undef PROBE_SCORE
};

static bool types_is_of(const struct types_rules *rules, const struct types_head *head,
                        enum group group)
{
    bool has_texts = head->n_texts > 0;

    switch (group) {
    case PROBE:
    case PROBE_TAG: return rules->taxonomy == TYPES_MHA_VIZ;
    case CLARK: return has_texts && rules->taxonomy == TYPES_CLARK;
    case KOVALEVA: return has_texts && rules->taxonomy == TYPES_KOVALEVA;
    default: return has_texts && rules->taxonomy == TYPES_MHA_VIZ;
    }
}

/* "offset -2", or the name of the label; by: the score that decided it. */
static const char *types_name_of(enum type_id id, const struct types_head *head, int by)
{
    if (id == TYPE_offset)
        return offset_names[by - TYPES_OFFSET_FIRST];
    for (int i = 0; id == TYPE_probe_offset && i < TYPES_OFFSETS; i++)
        if (offset_of[i] == (int)head->score[TYPES_probe_offset_k])
            return offset_names[i];
    return types[id].name;
}

static bool types_holds(const struct case_of *c, const struct type *type, double *score)
{
    *c->by = (int)type->score;
    *score = c->h->score[type->score];
    switch (type->relation) {
    case AT_LEAST: return *score >= types_at(c, type->threshold);
    case ABOVE: return *score > types_at(c, type->threshold);
    default: return type->rule(c, score);
    }
}

/* In another taxonomy too, a few rows decide nothing. */
static bool is_asked(const struct case_of *c, enum type_id id)
{
    return types_is_of(c->r, c->h, types[id].group) ||
           (id == TYPE_undetermined && c->h->n_texts > 0);
}

void types_find(const struct types_rules *rules, const struct types_head *head,
                struct types_found *found)
{
    int by;
    const struct case_of c = { rules, head, found, &by };

    found->n = 0;
    found->primary = -1;
    for (int i = 0; i < N_TYPE; i++) {
        const struct type *type = &types[i];
        double score;

        if (!is_asked(&c, (enum type_id)i) || !types_holds(&c, type, &score))
            continue;
        found->label[found->n] = (struct types_label){
            (enum type_id)i, types_name_of((enum type_id)i, head, by),
            type->caption, score, isnan(score) || by < 0 ? NULL : score_names[by],
            by == TYPES_argmax_prev || by == TYPES_argmax_next || by == TYPES_argmax_self };
        if (found->primary < 0 && type->group != TAG && type->group != PROBE_TAG)
            found->primary = found->n;
        found->n++;
    }
}

/* ---- the documents' types ---- */

const char *const types_kind_names[] = { "syntactic", "semantic", "coreference", "positional",
                                         "global", "local", "middle", "long-range", NULL };

void types_kinds(const struct types_rules *r, const struct types_head *head,
                 bool kind[N_TYPES_KIND])
{
    const double *score = head->score;
    struct types_rules rules = *r;
    struct types_found found;
    struct case_of c = { &rules, head, &found, NULL };

    rules.taxonomy = TYPES_MHA_VIZ;
    types_find(&rules, head, &found);
    kind[TYPES_POSITIONAL] = has_offset(&c);
    kind[TYPES_SYNTACTIC] = types_has(&c, TYPE_syntactic);
    kind[TYPES_SEMANTIC] = head->lift >= r->threshold[TYPES_AT_semantic];
    kind[TYPES_COREFERENCE] = types_has(&c, TYPE_coreference);
    kind[TYPES_GLOBAL] = types_has(&c, TYPE_broad);
    kind[TYPES_NEAR] = score[TYPES_near] >= 0.5;
    kind[TYPES_FAR] = !kind[TYPES_NEAR] && score[TYPES_far] >= 0.5;
    kind[TYPES_MIDDLE] = score[TYPES_near] < 0.5 && score[TYPES_far] < 0.5;
}
