/* SPDX-License-Identifier: MIT
 * Scores and labels of each head -> the report of types. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "task/types/types.h"

/* ---- records ---- */

#define SCORE_COLUMN(place, label, about) \
    { .name = label, .help = about, .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, \
      .null = NULL_SHOWN, .field = (place) * sizeof(double) }
static const struct column score_columns[] = {
#define TEXT_SCORE(id, label, rule, one_axis, about) SCORE_COLUMN(TYPES_##id, label, about),
#include "analysis/types_scores.def"
#undef TEXT_SCORE
};
static const struct column probe_columns[] = {
#define PROBE_SCORE(id, label, about) \
    SCORE_COLUMN(TYPES_probe_##id - N_TYPES_TEXT, label, about),
#include "analysis/types_scores.def"
#undef PROBE_SCORE
};
static const struct column threshold_columns[] = {
#define THRESHOLD(id, label, value, about) SCORE_COLUMN(TYPES_AT_##id, label, about),
#include "analysis/types_scores.def"
#undef THRESHOLD
};
#undef SCORE_COLUMN

static const struct record score_record = {
    .help = "means over the texts in which each is defined",
    .size = N_TYPES_TEXT * sizeof(double), RECORD_COLUMNS(score_columns),
};
static const struct record probe_record = {
    .help = "what the probes found", .size = N_TYPES_PROBED * sizeof(double),
    RECORD_COLUMNS(probe_columns),
};
static const struct record threshold_record = {
    .help = "what --threshold sets", .size = N_TYPES_THRESHOLD * sizeof(double),
    RECORD_COLUMNS(threshold_columns),
};

struct head_row {
    struct head_id id;
    const char *primary, *caption;      /* NULL: no label holds */
    double primary_score;
    const char *primary_by;     /* NULL: no score of the report */
    const char *labels, *kinds, *also;  /* with commas between */
    struct list types, scores_of, by, kind, unknown;
    int64_t n_rows, n_texts;
    double aer[TYPES_LINKS];
    double same;                /* share of long texts */
    double lift;                /* over --gold-pairs */
    double any_word, mentions;  /* share of mentions that are resolved */
    const double *scores, *probe;
};

#define F(f) offsetof(struct head_row, f)
static const struct column head_columns[] = {
    HEAD_COLUMNS,
    { "primary", "the first label that holds, but tags", .kind = COLUMN_TEXT,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .field = F(primary) },
    { "score", "the score that decided it", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .field = F(primary_score) },
    { "score_name", "which score that is", .kind = COLUMN_TEXT, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .field = F(primary_by) },
    { "caption", "what the head is, in words", .heading = "what it is", .kind = COLUMN_TEXT,
      .where = IN_ALL, .null = NULL_SHOWN, .field = F(caption) },
    { "also", "the other labels that hold", .kind = COLUMN_TEXT, .where = IN_TABLE,
      .null = NULL_SHOWN, .field = F(also) },
    { "types", "all labels that hold", .kind = COLUMN_TEXT, .where = IN_TSV,
      .field = F(labels) },
    { "types", "all labels that hold, in the order in which the primary one is chosen",
      .kind = COLUMN_TEXT, .list = true, .where = IN_JSON, .field = F(types) },
    { "types_scores", "the score that decided each of types", .kind = COLUMN_REAL, .list = true,
      .null_items = true, .where = IN_JSON, .field = F(scores_of) },
    { "types_score_names", "which scores these are; null: none of scores and probe",
      .kind = COLUMN_TEXT, .list = true, .null_items = true, .where = IN_JSON, .field = F(by) },
    { "kinds", "as texts about attention sort heads", .kind = COLUMN_TEXT, .where = IN_TSV,
      .field = F(kinds) },
    { "kinds", "as texts about attention sort heads", .kind = COLUMN_TEXT, .list = true,
      .where = IN_JSON, .field = F(kind) },
    { "kinds_undetermined", "those of kinds that nothing here decides", .kind = COLUMN_TEXT,
      .list = true, .where = IN_JSON, .field = F(unknown) },
    { "n_rows", "rows that see a key", "rows", .kind = COLUMN_LONG, .where = IN_TSV | IN_JSON,
      .field = F(n_rows) },
    { "n_texts", "texts", "texts", .kind = COLUMN_LONG, .where = IN_TSV | IN_JSON,
      .field = F(n_texts) },
    { "sink_same", "of the texts of more than 32 tokens, the share where the key of sink_long is "
      "the same token or place", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .field = F(same) },
    { "aer", "--align: alignment error rate of the rows that read each word of the second text",
      .format = "%.3f", .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN,
      .optional = true, .field = F(aer) },
    { "aer_before", "the same of the rows before them, which predict each word",
      .format = "%.3f", .kind = COLUMN_REAL, .where = IN_ALL, .null = NULL_SHOWN,
      .optional = true, .field = F(aer) + sizeof(double) },
    { "coreference", "--gold: share of the mentions that look at an earlier one of the same thing "
      "most, of mentions' head words", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON,
      .null = NULL_SHOWN, .optional = true, .field = F(mentions) },
    { "coreference_any_word", "the same of all words", .kind = COLUMN_REAL,
      .where = IN_TSV | IN_JSON, .null = NULL_SHOWN, .optional = true, .field = F(any_word) },
    { "semantic_lift", "--gold-pairs: weight between the pairs' words / between others as far "
      "apart", .kind = COLUMN_REAL, .where = IN_TSV | IN_JSON, .null = NULL_SHOWN,
      .optional = true, .field = F(lift) },
    { "scores", "of the texts", .kind = COLUMN_RECORD, .where = IN_TSV | IN_JSON,
      .of = &score_record, .field = F(scores) },
    { "probe", "of the probes", .kind = COLUMN_RECORD, .where = IN_TSV | IN_JSON,
      .of = &probe_record, .field = F(probe) },
};
#undef F

static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head_row), RECORD_COLUMNS(head_columns),
};

struct types_row {
    const char *model, *weights, *family, *taxonomy, *refusal, *deaf, *unranked, *untried,
        *weightless, *commonplace;
    int64_t n_texts;
    int seed, n_random, n_tokens, n_asked, n_answered, n_ranked, n_trials;
    const double *thresholds;
    const char *gold;
    int64_t n_unusable, n_words, n_unscored, n_mentions, n_coreferent;
    double nearest, head_match;
    struct records_shown shown;
    struct list heads, relations, tags;
};

#define F(f) offsetof(struct types_row, f)
static const struct column types_columns[] = {
    { "model", "name of the model", .kind = COLUMN_TEXT, .where = IN_JSON, .field = F(model) },
    WEIGHTS_COLUMN(F(weights)),
    { "family", "name of the model's family", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_ABSENT, .field = F(family) },
    { "taxonomy", "which labels there are", .kind = COLUMN_TEXT, .where = IN_JSON,
      .choices = types_taxonomy_names, .field = F(taxonomy) },
    { "texts", "number of the texts that were given and used", .kind = COLUMN_LONG,
      .where = IN_JSON, .field = F(n_texts) },
    { "seed", "of the probes", .kind = COLUMN_INT, .where = IN_JSON, .null = NULL_SHOWN,
      .field = F(seed) },
    { "probe_texts", "texts of random tokens; 0: no probe ran", .kind = COLUMN_INT,
      .where = IN_JSON, .field = F(n_random) },
    { "probe_tokens", "tokens that each of them repeats", "tokens", .kind = COLUMN_INT,
      .where = IN_JSON, .field = F(n_tokens) },
    { "probe_refused", "why there were no such texts", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(refusal) },
    { "questions", "texts that were asked for what they hold", .kind = COLUMN_INT,
      .where = IN_JSON, .field = F(n_asked) },
    { "answered", "those that the model answered: fewer than 10 give no score",
      .kind = COLUMN_INT, .where = IN_JSON, .field = F(n_answered) },
    { "question_refused", "why there were no questions", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(deaf) },
    { "rankings", "texts of documents that were asked about", .kind = COLUMN_INT,
      .where = IN_JSON, .field = F(n_ranked) },
    { "rankings_refused", "why there were none", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(unranked) },
    { "trials", "texts that show a task by examples", .kind = COLUMN_INT, .where = IN_JSON,
      .field = F(n_trials) },
    { "trials_refused", "why there were none", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(untried) },
    { "weights_refused", "why weights say nothing", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(weightless) },
    { "rare_refused", "why no head can be rare-token", .kind = COLUMN_TEXT, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(commonplace) },
    { "thresholds", "of labels", .kind = COLUMN_RECORD, .where = IN_JSON,
      .of = &threshold_record, .field = F(thresholds) },
    { "gold", "the file of --gold", .kind = COLUMN_TEXT, .where = IN_JSON, .null = NULL_ABSENT,
      .field = F(gold) },
    { "gold_unusable", "its sentences that could not be used", .kind = COLUMN_LONG,
      .where = IN_JSON, .null = NULL_ABSENT, .field = F(n_unusable) },
    { "gold_words", "its words", .kind = COLUMN_LONG, .where = IN_JSON, .null = NULL_ABSENT,
      .field = F(n_words) },
    { "gold_words_without_token", "those of used sentences that no token is of: they are not "
      "scored", .kind = COLUMN_LONG, .where = IN_JSON, .null = NULL_ABSENT,
      .field = F(n_unscored) },
    { "mentions", "its mentions of things, by Entity=", .kind = COLUMN_LONG, .where = IN_JSON,
      .null = NULL_ABSENT, .field = F(n_mentions) },
    { "coreferent", "those with an earlier one of the same thing in their piece of 128 words",
      .kind = COLUMN_LONG, .where = IN_JSON, .null = NULL_ABSENT, .field = F(n_coreferent) },
    { "nearest_mention", "share of these whose nearest mention before is of the same thing",
      .kind = COLUMN_REAL, .where = IN_JSON, .null = NULL_ABSENT, .field = F(nearest) },
    { "head_match", "the same of the nearest with the same head word", .kind = COLUMN_REAL,
      .where = IN_JSON, .null = NULL_ABSENT, .field = F(head_match) },
    { "relations", "of --gold, one object each", .kind = COLUMN_RECORD, .list = true,
      .where = IN_JSON, .of = &types_relation_record, .null = NULL_ABSENT,
      .field = F(relations) },
    { "tags", "parts of speech of --gold, one object each", .kind = COLUMN_RECORD, .list = true,
      .where = IN_JSON, .of = &types_tag_record, .null = NULL_ABSENT, .field = F(tags) },
    SHOWN_OPTION_COLUMNS(F(shown)),
    HEADS_COLUMN(&head_record, F(heads)),
};
#undef F

const struct record types_record = {
    .schema = "mha-viz/types/1", .help = "what each head is", .size = sizeof(struct types_row),
    RECORD_COLUMNS(types_columns),
};

/* ---- a head ---- */

static struct types_head head_of(const struct types_job *job, int layer, int head)
{
    size_t place = types_place(job, layer, head);
    struct types_head found = { .layer = layer, .n_layers = job->job.s.n_layers,
                                .n_rows = job->n_rows[place], .n_texts = job->n_texts };
    int first = (int)place * N_TYPES_TEXT;

    types_relation_of(job, layer, head, &found);
    found.lift = job->n_pairs >= 0 &&
                         (double)job->n_weighed >= job->rules.threshold[TYPES_AT_pairs] ?
                     types_pairs_lift(job, layer, head) :
                     (double)NAN;
    found.resolves = job->resolved != NULL &&
                     coreference_holds(&job->coreference, &job->resolved[place],
                                       job->rules.threshold[TYPES_AT_arcs], &found.resolved);
    for (int i = 0; i < N_TYPES_TEXT; i++)
        found.score[i] = summary_of(job->scores, first + i).mean;
    found.n_long = summary_of(job->scores, first + TYPES_sink_long).n;
    found.same = rests_same(&job->rests[place]);
    for (int i = 0; i < N_TYPES_PROBED; i++)
        found.score[N_TYPES_TEXT + i] = job->probe[place][i];
    return found;
}

/* "induction", or "syntactic(det)" */
static const char *label_name(struct arena *a, const struct types_label *label,
                              const struct types_head *head)
{
    return label->type != TYPE_syntactic ? label->name :
           arena_printf(a, "%s(%s)", label->name, head->relation);
}

/* "induction (0.91)", "self (argmax_self 0.93)", or "undetermined (14 rows)" */
static const char *label_text(struct arena *a, const struct types_label *label,
                              const struct types_head *head)
{
    if (label->type == TYPE_undetermined)
        return arena_printf(a, "%s (%lld row%s, %lld text%s)", label->name,
                            (long long)head->n_rows, str_plural(head->n_rows),
                            (long long)head->n_texts, str_plural(head->n_texts));
    if (isnan(label->score))
        return label->name;
    return arena_printf(a, "%s (%s%s%.2f)", label_name(a, label, head),
                        label->links ? label->by : "", label->links ? " " : "", label->score);
}

static const char *types_append(struct arena *a, const char *text, const char *more)
{
    return text == NULL || *text == '\0' ? more : arena_printf(a, "%s, %s", text, more);
}

static void set_labels(struct arena *a, struct head_row *row, const struct types_found *found,
                       const struct types_head *head)
{
    const char **name = arena_alloc(a, N_TYPE, sizeof *name);
    const char **by = arena_alloc(a, N_TYPE, sizeof *by);
    double *score = arena_alloc(a, N_TYPE, sizeof *score);

    row->labels = "";
    for (int i = 0; i < found->n; i++) {
        const struct types_label *label = &found->label[i];

        name[i] = label_name(a, label, head);
        score[i] = label->score;
        by[i] = label->by;
        row->labels = types_append(a, row->labels, name[i]);
        if (i != found->primary)
            row->also = types_append(a, row->also, label_text(a, label, head));
    }
    row->types = (struct list){ name, found->n };
    row->scores_of = (struct list){ score, found->n };
    row->by = (struct list){ by, found->n };
    row->primary_score = NAN;
    if (found->primary < 0)
        return;
    row->primary = name[found->primary];
    row->primary_score = score[found->primary];
    row->primary_by = by[found->primary];
    row->caption = arena_printf(a, "%s: %s", label_text(a, &found->label[found->primary], head),
                                found->label[found->primary].caption);
}

/* Nothing here tells what a word means, and without trees what it depends on. */
static void set_kinds(struct arena *a, struct head_row *row, const bool kind[N_TYPES_KIND],
                      const struct types_head *head, bool gold, bool mentions)
{
    static const char *const ranges[] = { "local", "middle", "long-range" };
    const char **name = arena_alloc(a, N_TYPES_KIND, sizeof *name);
    const char **unknown = arena_alloc(a, 3 + N_TYPES_KIND, sizeof *unknown);
    int n = 0, n_unknown = 0;

    row->kinds = "";
    for (int i = 0; i < N_TYPES_KIND; i++)
        if (kind[i]) {
            name[n++] = types_kind_names[i];
            row->kinds = types_append(a, row->kinds, types_kind_names[i]);
        }
    if (!gold)
        unknown[n_unknown++] = "syntactic";
    if (isnan(head->lift))
        unknown[n_unknown++] = "semantic";
    if (!mentions)
        unknown[n_unknown++] = "coreference";
    for (int i = 0; i < 3 && isnan(head->score[TYPES_near]); i++)
        unknown[n_unknown++] = ranges[i];
    row->kind = (struct list){ name, n };
    row->unknown = (struct list){ unknown, n_unknown };
}

static void set_row(const struct types_job *job, struct arena *a, struct head_row *row,
                    struct head_id id)
{
    struct types_head *head = arena_alloc(a, 1, sizeof *head);
    struct types_found found;
    bool kind[N_TYPES_KIND];

    *head = head_of(job, id.layer, id.head);
    *row = (struct head_row){ .id = id, .n_rows = head->n_rows, .n_texts = head->n_texts,
                              .same = head->same, .scores = head->score,
                              .probe = head->score + N_TYPES_TEXT };
    for (int i = 0; i < TYPES_LINKS && job->align != NULL; i++)
        row->aer[i] = alignment_error(&job->aligned[types_place(job, id.layer, id.head)][i]);
    row->lift = job->n_pairs >= 0 ? types_pairs_lift(job, id.layer, id.head) : (double)NAN;
    row->mentions = row->any_word = NAN;
    if (job->resolved != NULL && job->coreference.n > 0) {
        const struct coreference_hits *hits = &job->resolved[types_place(job, id.layer, id.head)];

        row->mentions = (double)hits->mentions / (double)job->coreference.n;
        row->any_word = (double)hits->any_word / (double)job->coreference.n;
    }
    types_find(&job->rules, head, &found);
    set_labels(a, row, &found, head);
    types_kinds(&job->rules, head, kind);
    set_kinds(a, row, kind, head, job->gold != NULL, job->resolved != NULL);
}

static struct list types_head_rows(const struct types_job *job, struct arena *a)
{
    int n;
    const struct head_id *id = records_heads(&job->job.s, &job->job.want, a, &n);
    struct head_row *row = arena_alloc(a, (size_t)n, sizeof *row);

    for (int i = 0; i < n; i++)
        set_row(job, a, &row[i], id[i]);
    return (struct list){ row, n };
}

/* ---- all of them ---- */

/* Why no head can be rare-token; NULL: there is nothing against it, or no text. */
static const char *why_no_rare(const struct types_job *job, const struct list *heads)
{
    const struct head_row *row = heads->at;

    if (job->n_texts == 0)
        return NULL;
    for (int i = 0; i < heads->n; i++)
        if (!isnan(row[i].scores[TYPES_rare2]))
            return NULL;
    if (job->args->gold != NULL && job->args->shared.unigrams == NULL)
        return "tokens of --gold are not counted; --unigrams says how often they occur";
    if (job->uncounted)
        return job->job.s.tok == NULL && job->job.s.asked->ids == NULL ?
                   "what is read has no ids of tokens" :
                   "these texts cannot be read twice and are not counted; --unigrams says how "
                   "often their tokens occur";
    return job->args->shared.asked.merge == MERGE_WORDS ?
               "words have no counts, tokens have" :
               "no text has a token beyond the 500 most common ones";
}

/* Above the table: what the labels are of. */
static const char *types_lead(const struct types_job *job, const char *commonplace, struct arena *a)
{
    const struct session *s = &job->job.s;
    const char *text = s->name, *shown = shown_asked(s, a, SHOWN_NUMBERS);

    if (job->n_random > 0)
        text = arena_printf(a, "%s, %d probes of %d random tokens twice over (seed %d)", text,
                            job->n_random, job->n_tokens, s->asked->seed);
    else if (job->refusal != NULL)
        text = arena_printf(a, "%s, no probes: %s", text, job->refusal);
    if (job->n_asked > 0)
        text = arena_printf(a, "%s, %d of %d questions answered", text, job->n_answered,
                            job->n_asked);
    if (job->has_texts)
        text = arena_printf(a, "%s, %lld text%s", text, (long long)job->n_texts,
                            str_plural(job->n_texts));
    if (commonplace != NULL && (double)job->n_texts >= job->rules.threshold[TYPES_AT_texts])
        text = arena_printf(a, "%s; no rare-token: %s", text, commonplace);
    if (shown != NULL)
        text = arena_printf(a, "%s; %s", text, shown);
    return report_clean(a, text, strlen(text));
}

/* record without the columns of what was not asked for. */
static const struct record *without(const struct types_job *job, const struct record *record)
{
    static const char *const of_align[] = { "aer", "aer_before", NULL };

    static const char *const of_pairs[] = { "semantic_lift", NULL };
    static const char *const of_mentions[] = { "coreference", "coreference_any_word", NULL };

    if (job->align == NULL)
        record = record_without(job->job.s.a, record, IN_ALL, of_align);
    if (job->n_pairs < 0)
        record = record_without(job->job.s.a, record, IN_ALL, of_pairs);
    return job->resolved != NULL ? record : record_without(job->job.s.a, record, IN_ALL,
                                                           of_mentions);
}

static void write_gold(const struct types_row *row, struct arena *a, FILE *file)
{
    putc('\n', file);
    record_table(&types_relation_record, row->relations.at, row->relations.n, a, file);
    putc('\n', file);
    record_table(&types_tag_record, row->tags.at, row->tags.n, a, file);
}

void types_write(struct types_job *job, struct report *report)
{
    struct session *s = &job->job.s;
    struct list heads = types_head_rows(job, s->a);
    bool gold = job->gold != NULL;
    struct types_row row = {
        s->name, job->job.weights, s->model->family->name,
        types_taxonomy_names[job->rules.taxonomy],
        job->refusal, job->deaf, job->unranked, job->untried, job->weightless,
        why_no_rare(job, &heads), job->n_texts, s->asked->seed, job->n_random,
        job->n_tokens, job->n_asked, job->n_answered, job->n_ranked, job->n_trials,
        job->rules.threshold, job->args->gold, gold ? job->n_unusable : -1,
        gold ? job->n_words : -1, gold ? job->n_unscored : -1, gold ? job->n_mentions : -1,
        gold ? job->coreference.n : -1,
        (double)job->coreference.nearest / (double)job->coreference.n,
        (double)job->coreference.head_match / (double)job->coreference.n, records_shown_asked(s),
        heads, types_relation_rows(job, s->a), types_tag_rows(job, s->a)
    };

    if (!gold)
        row.relations.n = row.tags.n = -1;

    if (report->format == REPORT_TABLE) {
        fprintf(report->file, "%s\n", types_lead(job, row.commonplace, s->a));
        record_table(without(job, &head_record), heads.at, heads.n, s->a, report->file);
        if (gold)
            write_gold(&row, s->a, report->file);
        return;
    }
    report->record = without(job, report->record);
    report_row(report, &row);
}
