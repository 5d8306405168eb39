/* SPDX-License-Identifier: MIT
 * Prompts -> their greedy continuations, one token per pass over a cache. */
#include "run/generate.h"

#include <assert.h>
#include <string.h>

#include "run/cache.h"
#include "run/prepared.h"

enum { TURN_TOKENS = 16 };          /* that pay for turning the weights */

/* The texts that are not finished. */
struct active {
    struct cache **cache;           /* [n]; NULL: each pass is over the whole texts */
    struct continuation **text;     /* [n] */
    int n;
    struct prepared *prepared;      /* weights, for all passes */
};

double generate_memory(const struct model *model, int n_tokens, int n_memory)
{
    return cache_memory(model, n_tokens, n_memory) +
           (double)model->n_logits * (double)sizeof(float);
}

/* The tokens of each text after those that are cached. */
static struct batch generate_pack(const struct active *on, const struct model *model,
                                  struct arena *a)
{
    int *start = arena_alloc(a, (size_t)on->n + 1, sizeof *start), *id, *type;

    for (int i = 0; i < on->n; i++) {
        int count = on->text[i]->n;

        start[i + 1] = start[i] + count;
        if (on->cache != NULL)
            start[i + 1] -= cache_tokens(on->cache[i], model, count);
    }
    id = arena_alloc(a, (size_t)start[on->n], sizeof *id);
    type = arena_alloc(a, (size_t)start[on->n], sizeof *type);
    for (int i = 0; i < on->n; i++) {
        const struct continuation *continuation = on->text[i];
        int n = start[i + 1] - start[i], first = continuation->n - n;

        memcpy(id + start[i], continuation->id + first, (size_t)n * sizeof *id);
        for (int k = first; continuation->type != NULL && k < continuation->n_prompt; k++)
            type[start[i] + k - first] = continuation->type[k];
    }
    return (struct batch){ on->n, start, id, type };
}

static bool generate_ends(const struct generation *rules, int id)
{
    for (int i = 0; i < rules->end.n; i++)
        if (rules->end.id[i] == id)
            return true;
    return false;
}

/* Adds one token to each text; finished texts are dropped. */
static int generate_choose_all(const struct model *model, const struct generation *rules,
                               struct active *on, float *logits, struct arena *scratch,
                               struct err *e)
{
    int left = 0;

    for (int i = 0; i < on->n; i++) {
        struct continuation *continuation = on->text[i];
        int id = generate_choose(rules, continuation,
                                 logits + (size_t)i * (size_t)model->n_logits, model->n_logits,
                                 scratch);

        if (id < 0)
            return err_set(e, ERR_INPUT, "%s: the logits of token %d are not numbers: the "
                           "weights hold NaN, or overflow", model->name, continuation->n - 1);
        continuation->id[continuation->n++] = id;
        continuation->ended = generate_ends(rules, id);
        if (continuation->ended ||
            continuation->n == continuation->n_prompt + continuation->most)
            continue;
        on->text[left] = continuation;
        if (on->cache != NULL)
            on->cache[left] = on->cache[i];
        left++;
    }
    on->n = left;
    return 0;
}

/* The last token of each text. */
static const int *last_rows(const struct batch *batch, struct arena *call)
{
    int *row = arena_alloc(call, (size_t)batch->n_texts, sizeof *row);

    for (int t = 0; t < batch->n_texts; t++)
        row[t] = batch->start[t + 1] - batch->start[t] - 1;
    return row;
}

static int generate_step(const struct model *model, const struct generation *rules,
                         const struct memory *memory, struct active *on,
                         const struct change *change, struct par *par, struct arena *call,
                         struct err *e)
{
    struct arena_mark mark = arena_mark(call);
    struct batch batch = generate_pack(on, model, call);
    struct wanted want = { .memory = memory, .change = change, .cache = on->cache,
                           .prepared = on->prepared,
                           .only_row = last_rows(&batch, call) };
    int status;

    want.logits = arena_alloc_raw(call, (size_t)on->n,
                                  (size_t)model->n_logits * sizeof *want.logits);
    status = run_forward(model, &batch, &want, NULL, 0, par, call, e);
    if (status == 0)
        status = generate_choose_all(model, rules, on, want.logits, call, e);
    arena_reset(call, mark);
    return status;
}

/* The steps that the longest takes, at most. */
static int most(const struct continuation *text, int n)
{
    int longest = 0;

    for (int i = 0; i < n; i++)
        longest = text[i].most > longest ? text[i].most : longest;
    return longest;
}

int run_generate(const struct model *model, const struct generation *rules,
                 const struct memory *memory, struct continuation *text, int n_texts,
                 const struct change *change, double spare, struct par *par, struct arena *call,
                 struct err *e)
{
    struct arena_mark mark = arena_mark(call);
    struct progress *progress = par_progress(par);
    struct active on = { .n = n_texts };
    int status = 0;

    assert(memory == NULL || cache_fits(model));
    on.prepared = prepared_new(call, most(text, n_texts) >= TURN_TOKENS, spare);
    if (cache_fits(model))
        on.cache = arena_alloc(call, (size_t)n_texts, sizeof *on.cache);
    on.text = arena_alloc(call, (size_t)n_texts, sizeof *on.text);
    for (int i = 0; i < n_texts; i++) {
        int n_memory = memory != NULL ? memory->start[i + 1] - memory->start[i] : 0;

        assert(text[i].n_prompt > 0 && text[i].most > 0);
        text[i].n = text[i].n_prompt;
        on.text[i] = &text[i];
        if (on.cache != NULL)
            on.cache[i] = cache_new(call, model, text[i].n_prompt + text[i].most - 1,
                                    n_memory);
    }
    progress_begin(progress, "token", most(text, n_texts));
    while (status == 0 && on.n > 0) {
        status = generate_step(model, rules, memory, &on, change, par, call, e);
        memory = NULL;          /* its keys and values are cached */
        progress_step(progress);
    }
    progress_end(progress);
    arena_reset(call, mark);
    return status;
}
