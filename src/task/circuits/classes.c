/* SPDX-License-Identifier: MIT
 * A tokeniser -> the tokens whose embeddings are passed through each head. */
#include <string.h>

#include "base/rng.h"
#include "task/circuits/circuits.h"

/* ---- classes ---- */

static const char *const days[] = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
                                    "Saturday", "Sunday", NULL };
static const char *const months[] = { "January", "February", "March", "April", "May", "June",
                                      "July", "August", "September", "October", "November",
                                      "December", NULL };
enum { NUMBERS = 100, LETTERS = 26 };

/* One class before the tokeniser has seen it. */
struct members {
    const char *name;
    const char *const *word;    /* [n] */
    int n;
    bool wraps;                 /* the first comes after the last */
};

static int circuits_classes_count(const char *const *words)
{
    int n = 0;

    while (words[n] != NULL)
        n++;
    return n;
}

static const char *const *circuits_classes_numbers(struct arena *a)
{
    const char **word = arena_alloc(a, NUMBERS, sizeof *word);

    for (int i = 0; i < NUMBERS; i++)
        word[i] = arena_printf(a, "%d", i + 1);
    return word;
}

static const char *const *letters(struct arena *a)
{
    const char **word = arena_alloc(a, LETTERS, sizeof *word);

    for (int i = 0; i < LETTERS; i++)
        word[i] = arena_printf(a, "%c", 'A' + i);
    return word;
}

/* The id of a text that is one token, and no unknown one; -1: it is not. */
static int single(const struct circuits_job *job, const char *text)
{
    const struct tok *tok = job->s.tok;
    struct err ignored = { ERR_NONE, "" };
    struct tokens tokens;
    const struct tok_input in = { .text = text, .text_size = strlen(text), .no_special = true };

    if (tok_encode(tok, job->a, &in, &tokens, &ignored) != 0 || tokens.n != 1 ||
        tok_unknown(tok, &tokens) > 0 || tokens.id[0] >= job->s.shown->n_logits) {
        arena_pass_over(job->a, &ignored);
        return -1;
    }
    return tokens.id[0];
}

/* id[n] of each member after `before`; returns how many are single tokens. */
static int singles(const struct circuits_job *job, const struct members *of, const char *before,
                   int *id)
{
    int found = 0;

    for (int i = 0; i < of->n; i++) {
        id[i] = single(job, arena_printf(job->a, "%s%s", before, of->word[i]));
        found += id[i] >= 0;
    }
    return found;
}

/* Members with a space before them, or without one, whichever has more single tokens. */
static struct circuits_class circuits_class_of(const struct circuits_job *job,
                                               const struct members *of)
{
    int *id = arena_alloc(job->a, (size_t)of->n, sizeof *id);
    int *bare = arena_alloc(job->a, (size_t)of->n, sizeof *bare);
    int *kept = arena_alloc(job->a, (size_t)of->n, sizeof *kept);
    int *next = arena_alloc(job->a, (size_t)of->n, sizeof *next), n = 0;

    if (singles(job, of, " ", id) < singles(job, of, "", bare))
        id = bare;
    for (int i = 0; i < of->n; i++) {
        int after = i + 1 < of->n ? i + 1 : of->wraps ? 0 : -1;

        if (id[i] < 0)
            continue;
        next[n] = after < 0 || id[after] < 0 ? -1 : after == 0 ? 0 : n + 1;
        kept[n++] = id[i];
    }
    return (struct circuits_class){ of->name, n, kept, next };
}

static void choose_classes(struct circuits_job *job)
{
    const struct members members[N_CIRCUITS_CLASS] = {
        { "days", days, circuits_classes_count(days), true },
        { "months", months, circuits_classes_count(months), true },
        { "numbers", circuits_classes_numbers(job->a), NUMBERS, false },
        { "letters", letters(job->a), LETTERS, false },
    };
    struct circuits_class *class = arena_alloc(job->a, N_CIRCUITS_CLASS, sizeof *class);
    const int *none = arena_alloc(job->a, 0, sizeof *none);

    for (int i = 0; i < N_CIRCUITS_CLASS; i++)
        class[i] = job->s.tok != NULL && job->args->sample > 0 ?
                         circuits_class_of(job, &members[i]) :
                         (struct circuits_class){ members[i].name, 0, none, none };
    job->tokens.class = class;
    job->tokens.n_classes = N_CIRCUITS_CLASS;
}

/* ---- the sample ---- */

/* id[*n] = all tokens that are no special ones. */
static int *ordinary(const struct circuits_job *job, int *n)
{
    int V = job->s.shown->n_logits;
    int *id = arena_alloc(job->a, (size_t)V, sizeof *id);
    struct tokens tokens;

    for (int i = 0; i < V; i++)
        id[i] = i;
    *n = V;
    if (job->s.tok == NULL)
        return id;
    tok_describe(job->s.tok, job->a, id, NULL, V, &tokens);
    *n = 0;
    for (int i = 0; i < V; i++)
        if (!tokens.special[i] && tok_piece(job->s.tok, i) != NULL)
            id[(*n)++] = i;
    return id;
}

/* The first of a shuffle, drawn without replacement. */
static void choose_sample(struct circuits_job *job)
{
    int n, *id = ordinary(job, &n), most = job->args->sample < n ? job->args->sample : n;
    struct rng rng;

    rng_seed(&rng, (uint64_t)job->asked.seed);
    for (int i = 0; i < most; i++) {
        int k = i + (int)(rng_uniform(&rng) * (n - i)), swap = id[i];

        id[i] = id[k];
        id[k] = swap;
    }
    job->tokens.id = id;
    job->tokens.n = most;
}

void circuits_choose(struct circuits_job *job)
{
    choose_classes(job);
    if (circuits_has_tokens(job->s.shown))
        choose_sample(job);
}
