/* SPDX-License-Identifier: MIT
 * --gold: sentences with dependency trees -> scores of heads for each syntactic relation. */
#include <string.h>
#include <zlib.h>

#include "base/lines.h"
#include "base/str.h"
#include "gold/conllu.h"
#include "session/encode.h"
#include "session/source/source.h"
#include "task/parts/state.h"
#include "task/types/types.h"

enum { BATCH_SENTENCES = 64, BATCH_TOKENS = 2048 };

/* The file, and a batch of its sentences. */
struct gold_run {
    struct types_job *j;
    const struct conllu *trees;
    int *relation, *tag;        /* [all words] */
    int *first;                 /* [sentences] its first word among all */
    int next;                   /* the sentence that is read next */
    struct item item[BATCH_SENTENCES];
    struct arcs_words words[BATCH_SENTENCES];
    int n, n_tokens;
};

/* ---- before any is run ---- */

int types_gold_check(const struct types_job *job, struct err *e)
{
    const struct session *s = &job->job.s;

    if (job->job.n_operands > 0)
        return err_set(e, ERR_USAGE, "--gold: its sentences are the texts, and no other text "
                       "can be given");
    if (s->stack == STACK_CROSS || session_query_side(s) != SIDE_SOURCE)
        return err_set(e, ERR_USAGE, "--gold is of the encoder, or of a model without one: "
                       "expected -s encoder");
    return 0;
}

static int types_gold_read_file(struct types_job *job, struct gold_run *run, struct err *e)
{
    struct session *s = &job->job.s;
    struct lines *lines = source_open_lines(s, job->args->gold, e);
    const char *text;
    size_t size = 0;
    int status;

    if (lines == NULL)
        return -1;
    status = lines_rest(lines, &text, &size, e);
    if (status >= 0) {
        const char *copy = arena_strndup(s->a, status > 0 ? text : "", status > 0 ? size : 0);

        const struct span bytes = { (const unsigned char *)copy, status > 0 ? size : 0 };

        job->gold_crc = (uint32_t)crc32_z(0, bytes.data, bytes.size);
        run->trees = conllu_read(s->a, bytes, job->args->gold, e);
    }
    lines_close(lines);
    return run->trees != NULL ? 0 : -1;
}

/* All relations and tags are known before the first sentence is run. */
static void number_names(struct types_job *job, struct gold_run *run)
{
    const struct conllu *trees = run->trees;
    struct arena *a = job->job.s.a;
    int n = 0;

    run->first = arena_alloc(a, (uint64_t)trees->n, sizeof *run->first);
    for (int i = 0; i < trees->n; i++) {
        run->first[i] = n;
        n += trees->sentence[i].n;
    }
    run->relation = arena_alloc(a, (uint64_t)n, sizeof *run->relation);
    run->tag = arena_alloc(a, (uint64_t)n, sizeof *run->tag);
    for (int i = 0; i < trees->n; i++)
        for (int k = 0; k < trees->sentence[i].n; k++) {
            const struct conllu_word *word = &trees->sentence[i].word[k];

            run->relation[run->first[i] + k] = gold_relation(job->gold, word->relation);
            run->tag[run->first[i] + k] = gold_tag(job->gold, word->tag);
        }
    job->n_words = n;
}

/* ---- a batch ---- */

static struct arcs_words types_gold_words_of(const struct conllu_sentence *sentence,
                                             const struct tokens *tokens, struct arena *a)
{
    struct types_span *span = arena_alloc(a, (uint64_t)sentence->n, sizeof *span);

    for (int i = 0; i < sentence->n; i++)
        span[i] = (struct types_span){ sentence->word[i].start, sentence->word[i].end };
    return (struct arcs_words){ .of = types_words(a, span, sentence->n, sentence->text, tokens),
                                .n = sentence->n };
}

/* Adds the next sentence; one that cannot be used is named, and left out. */
static int add_sentence(struct gold_run *run, struct arena *a, struct err *e)
{
    struct types_job *j = run->j;
    const struct session *s = &j->job.s;
    const struct conllu_sentence *sentence = &run->trees->sentence[run->next];
    struct item *item = &run->item[run->n];

    *item = (struct item){ .index = run->next++, .text = sentence->text,
                           .text_size = sentence->size, .of_several = true };
    j->n_sentences++;
    if (!shard_has(&j->job.shard, item->index))
        return 0;
    if (encode_text(s, a, item, e) != 0 || encode_fit(s, a, item, e) != 0) {
        if (e->kind != ERR_INPUT)
            return -1;
        err_warn_left_out(s->env->warn, &j->unheard, j->args->gold, "line %lld: %s",
                          (long long)sentence->line, e->msg);
        j->n_unusable++;
        return 0;
    }
    run->words[run->n] = types_gold_words_of(sentence, &item->tokens, a);
    run->n_tokens += item->tokens.n;
    run->n++;
    return 0;
}

static void add_tree(struct gold_run *run, struct arena *a, const struct arcs *arcs, int text)
{
    struct types_job *j = run->j;
    int number = (int)run->item[text].index;
    const struct conllu_sentence *s = &run->trees->sentence[number];
    int *head = arena_alloc(a, (uint64_t)s->n, sizeof *head);
    bool *scored = arena_alloc(a, (uint64_t)s->n, sizeof *scored);
    const struct gold_tree tree = { s->n, head, run->relation + run->first[number],
                                    run->tag + run->first[number], scored, number % 2 != 0 };

    for (int i = 0; i < s->n; i++)
        head[i] = s->word[i].head;
    for (int i = 0; i < run->item[text].tokens.n; i++)
        if (run->words[text].of[i] >= 0)
            scored[run->words[text].of[i]] = true;
    for (int i = 0; i < s->n; i++)
        j->n_unscored += !scored[i];
    gold_add_tree(j->gold, &tree);
    for (int l = 0, h = -1; session_next_head(&j->job.s, &j->job.want, &l, &h);) {
        int place = (int)types_place(j, l, h);

        gold_add_head(j->gold, &tree, place, arcs_looks_at(arcs, text, l, h),
                      arcs_is_looked_at_by(arcs, text, l, h));
        gold_add_mass(j->gold, &tree, place, arcs_mass(arcs, text, l, h));
    }
}

static int run_batch(struct gold_run *run, struct err *e)
{
    struct arena *a = run->j->job.s.a;
    struct types_links links = { .words = run->words };

    run->n = run->n_tokens = 0;
    while (run->next < run->trees->n && run->n < BATCH_SENTENCES &&
           run->n_tokens < BATCH_TOKENS)
        if (add_sentence(run, a, e) != 0)
            return -1;
    if (run->n == 0)
        return 0;
    if (types_texts_add(run->j, a, run->item, run->n, &links, 1, e) != 0)
        return -1;
    for (int i = 0; i < run->n; i++)
        add_tree(run, a, links.arcs, i);
    return 0;
}

int types_gold_open(struct types_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct gold_run *run = arena_alloc(s->a, 1, sizeof *run);

    run->j = job;
    job->gold_run = run;
    job->gold = gold_new(s->a, s->n_layers * s->n_heads, job->rules.causal);
    if (types_gold_read_file(job, run, e) != 0)
        return -1;
    if (s->tok == NULL) {
        *e = s->tok_err;
        return -1;
    }
    if (types_coref_read(job, run->trees, e) != 0)
        return -1;
    number_names(job, run);
    return 0;
}

/* Those of a run before this one are done. */
static void skip_sentences(struct gold_run *run)
{
    struct types_job *j = run->j;
    int64_t done = j->done.n < run->trees->n ? j->done.n : run->trees->n;

    run->next = (int)done;
    j->n_sentences = done;
    j->n_unusable = j->done.n_bad;
}

int types_gold_run(struct types_job *job, struct err *e)
{
    struct session *s = &job->job.s;
    struct progress *progress = s->env->progress;
    struct gold_run *run = job->gold_run;
    struct arena_mark mark = arena_mark(s->a);
    int status = 0;

    skip_sentences(run);
    progress_begin(progress, "sentence", run->trees->n);
    while (status == 0 && run->next < run->trees->n) {
        int before = run->next;

        status = run_batch(run, e);
        arena_reset(s->a, mark);
        if (status == 0)
            status = state_batch_done(&job->job, e);
        while (status == 0 && before++ < run->next)
            progress_step(progress);
    }
    progress_end(progress);
    return status == 0 ? types_coref_run(job, run->trees, e) : status;
}
