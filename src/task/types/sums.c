/* SPDX-License-Identifier: MIT
 * The sums of texts and probes -> a part (parts.h), and back.  Probes do not depend on the
 * texts, so only the part of the first shard has them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_field.h"
#include "task/types/types.h"

static uint64_t types_sums_count_heads(const struct types_job *job)
{
    return (uint64_t)job->job.s.n_layers * (uint64_t)job->job.s.n_heads;
}

void types_sums_new(struct types_job *job)
{
    uint64_t count = types_sums_count_heads(job);
    struct arena *a = job->job.s.a;
    const struct summary_kind kind = { .n = (int)count * N_TYPES_TEXT };

    job->scores = summary_new(a, &kind);
    job->score = arena_alloc(a, (uint64_t)kind.n, sizeof *job->score);
    for (int i = 0; i < kind.n; i++)
        job->score[i] = NAN;
    job->n_rows = arena_alloc(a, count, sizeof *job->n_rows);
    job->rests = arena_alloc(a, count, sizeof *job->rests);
    job->probe = arena_alloc(a, count, sizeof *job->probe);
    for (uint64_t i = 0; i < count; i++)
        for (int k = 0; k < N_TYPES_PROBED; k++)
            job->probe[i][k] = NAN;
}

int types_rules_open(struct types_job *job, bool causal, struct err *e)
{
    const struct types_args *args = job->args;

    job->rules = types_rules((enum types_taxonomy)args->taxonomy, causal);
    if (args->threshold != NULL && types_rules_set(&job->rules, args->threshold, e) != 0)
        return err_under(e, "--threshold");
    return 0;
}

/* ---- members ---- */

static json_t *names(struct arena *a, const struct gold *gold, int n,
                     const char *(*name)(const struct gold *gold, int i))
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_add(a, list, json_shown(a, name(gold, i)));
    return list;
}

static void describe_gold(const struct types_job *job, json_t *run)
{
    struct arena *a = job->job.s.a;

    json_put(a, run, "relations",
             names(a, job->gold, gold_relations(job->gold), gold_relation_name));
    json_put(a, run, "tags", names(a, job->gold, gold_tags(job->gold), gold_tag_name));
    json_put(a, run, "words", json_integer(job->n_words));
    json_put(a, run, "mentions", json_integer(job->n_mentions));
}

void types_sums_describe(void *self, json_t *run, json_t *part)
{
    struct types_job *j = self;
    struct arena *a = j->job.s.a;
    json_t *probes;

    json_put(a, run, "causal", json_boolean(j->rules.causal));
    if (j->gold != NULL)
        describe_gold(j, run);
    j->words_probed = j->probed;
    if (!j->probed)
        return;
    probes = json_put(a, part, "probes", json_object());
    json_put(a, probes, "texts", json_integer(j->n_random));
    json_put(a, probes, "tokens", json_integer(j->n_tokens));
    json_put(a, probes, "questions", json_integer(j->n_asked));
    json_put(a, probes, "answered", json_integer(j->n_answered));
    json_put(a, probes, "rankings", json_integer(j->n_ranked));
    json_put(a, probes, "trials", json_integer(j->n_trials));
    json_put(a, probes, "texts refused", json_shown(a, j->refusal));
    json_put(a, probes, "questions refused", json_shown(a, j->deaf));
    json_put(a, probes, "rankings refused", json_shown(a, j->unranked));
    json_put(a, probes, "trials refused", json_shown(a, j->untried));
    json_put(a, probes, "weights refused", json_shown(a, j->weightless));
}

/* ---- numbers ---- */

static void count_words(struct words *words, int64_t *x, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        words_count(words, &x[i]);
}

/* As their bits: they are no sums. */
static void probe_words(struct words *words, double (*probe)[N_TYPES_PROBED], uint64_t n)
{
    for (uint64_t i = 0; i < n * N_TYPES_PROBED; i++) {
        double *x = &probe[i / N_TYPES_PROBED][i % N_TYPES_PROBED];
        uint64_t bits;

        memcpy(&bits, x, sizeof bits);
        bits = words_next(words, bits);
        if (words->from != NULL)
            memcpy(x, &bits, sizeof bits);
    }
}

static void aligned_words(struct words *words, struct alignment_counts *counts, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        words_count(words, &counts[i].links);
        words_count(words, &counts[i].sure);
        words_count(words, &counts[i].hit_sure);
        words_count(words, &counts[i].hit_possible);
    }
}

static void coreference_words(struct words *words, struct types_job *job)
{
    words_count(words, &job->coreference.n);
    words_count(words, &job->coreference.nearest);
    words_count(words, &job->coreference.head_match);
    for (uint64_t i = 0; i < types_sums_count_heads(job); i++) {
        words_count(words, &job->resolved[i].any_word);
        words_count(words, &job->resolved[i].mentions);
    }
}

void types_sums_words(void *self, struct words *words)
{
    struct types_job *j = self;
    uint64_t count = types_sums_count_heads(j);

    words_count(words, &j->n_texts);
    summary_words(words, j->scores);
    count_words(words, j->n_rows, count);
    for (uint64_t i = 0; i < count; i++)
        rests_words(words, &j->rests[i]);
    if (j->gold != NULL) {
        words_count(words, &j->n_unscored);
        gold_words(words, j->gold);
    }
    if (j->resolved != NULL)
        coreference_words(words, j);
    if (j->align != NULL)
        aligned_words(words, j->aligned[0], count * TYPES_LINKS);
    if (j->n_pairs >= 0) {
        words_count(words, &j->n_weighed);
        summary_words(words, j->weighed);
    }
    if (j->words_probed)
        probe_words(words, j->probe, count);
}

/* ---- from a part ---- */

/* NULL: there is nothing against it. */
static const char *read_reason(struct arena *a, const json_t *probes, const char *key)
{
    const char *text = json_string_value(json_object_get(probes, key));

    return text != NULL ? arena_strdup(a, text) : NULL;
}

int types_sums_add(void *self, const struct sums *part, struct err *e)
{
    struct types_job *j = self;
    struct arena *a = j->job.s.a;
    const json_t *probes = json_object_get(part->part, "probes");

    j->words_probed = probes != NULL;
    if (probes == NULL)
        return 0;
    j->probed = true;
    if (json_field_int(probes, "texts", 0, INT32_MAX, &j->n_random, e) != 0 ||
        json_field_int(probes, "tokens", 0, INT32_MAX, &j->n_tokens, e) != 0 ||
        json_field_int(probes, "questions", 0, INT32_MAX, &j->n_asked, e) != 0 ||
        json_field_int(probes, "answered", 0, j->n_asked, &j->n_answered, e) != 0 ||
        json_field_int(probes, "rankings", 0, INT32_MAX, &j->n_ranked, e) != 0 ||
        json_field_int(probes, "trials", 0, INT32_MAX, &j->n_trials, e) != 0)
        return err_under(e, "probes");
    j->refusal = read_reason(a, probes, "texts refused");
    j->deaf = read_reason(a, probes, "questions refused");
    j->unranked = read_reason(a, probes, "rankings refused");
    j->untried = read_reason(a, probes, "trials refused");
    j->weightless = read_reason(a, probes, "weights refused");
    return 0;
}

/* ---- merge ---- */

/* Names of relations or tags, in their order. */
static int read_names(struct types_job *job, const struct sums *part, const char *key,
                      int (*add)(struct gold *g, const char *name), struct err *e)
{
    const json_t *list;
    size_t n;

    if (json_field_list(part->run, key, &list, e) != 0)
        return -1;
    n = json_array_size(list);
    /* Each has a number of each head at least. */
    if (n * types_sums_count_heads(job) > part->n)
        return err_set(e, ERR_INPUT, "has %" PRIu64 " numbers, expected some of each of %zu %s",
                       part->n, n, key);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(list, i));

        if (name == NULL || add(job->gold, arena_strdup(job->job.s.a, name)) != (int)i)
            return json_field_wrong(key, json_array_get(list, i), "a name that comes once", e);
    }
    return 0;
}

static int open_gold(struct types_job *job, const struct sums *part, struct err *e)
{
    struct arena *a = job->job.s.a;
    int n_words, n_mentions;

    job->gold = gold_new(a, (int)types_sums_count_heads(job), job->rules.causal);
    if (read_names(job, part, "relations", gold_relation, e) != 0 ||
        read_names(job, part, "tags", gold_tag, e) != 0 ||
        json_field_int(part->run, "words", 0, INT32_MAX, &n_words, e) != 0 ||
        json_field_int(part->run, "mentions", 0, INT32_MAX, &n_mentions, e) != 0)
        return -1;
    job->n_words = n_words;
    job->n_mentions = n_mentions;
    if (n_mentions > 0)
        job->resolved = arena_alloc(a, types_sums_count_heads(job), sizeof *job->resolved);
    return 0;
}

int types_sums_open(void *self, const struct sums *part, struct err *e)
{
    struct types_job *j = self;
    struct arena *a = j->job.s.a;
    bool causal;

    j->args = j->job.args;
    j->has_texts = true;
    if (types_sums_count_heads(j) * N_TYPES_TEXT > part->n)
        return err_set(e, ERR_INPUT, "has %" PRIu64 " numbers, expected %d of each head at least",
                       part->n, (int)N_TYPES_TEXT);
    if (json_field_bool(part->run, "causal", false, &causal, e) != 0 ||
        types_rules_open(j, causal, e) != 0)
        return -1;
    types_sums_new(j);
    if (j->args->align != NULL) {
        j->align = arena_alloc(a, 1, sizeof *j->align);
        j->aligned = arena_alloc(a, types_sums_count_heads(j), sizeof *j->aligned);
    }
    j->n_pairs = j->args->gold_pairs != NULL ? 0 : -1;
    if (j->n_pairs == 0)
        types_pairs_new(j);
    j->job.record = records_without_shown(&j->job.s, &types_record);
    return j->args->gold != NULL ? open_gold(j, part, e) : 0;
}
