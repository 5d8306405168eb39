/* SPDX-License-Identifier: MIT
 * A seed -> a few-shot text: five examples of a small task and a sixth without its answer. */
#include "gold/shots.h"

#include <string.h>

#include "base/rng.h"

enum { MOST_PAIRS = 26 };

const char *const shots_names[N_SHOT_TASKS] = { "next letter", "capital letter", "digit" };

static const char *const digits[] = { "zero", "one", "two", "three", "four", "five", "six",
                                      "seven", "eight", "nine" };

static int n_pairs(int task)
{
    return task == 0 ? MOST_PAIRS - 1 : task == 1 ? MOST_PAIRS : 10;
}

static const char *asks(struct arena *a, int task, int k)
{
    return arena_printf(a, "%c", (task == 2 ? '0' : 'a') + k);
}

static const char *answers(struct arena *a, int task, int k)
{
    return task == 2 ? digits[k] : arena_printf(a, "%c", task == 0 ? 'b' + k : 'A' + k);
}

static int below(struct rng *rng, int n)
{
    return (int)(((uint64_t)rng_bits(rng) * (uint64_t)n) >> 32);
}

static void swap(int *x, int *y)
{
    int kept = *x;

    *x = *y;
    *y = kept;
}

/* pair[N_SHOTS + 1], the last of which is asked; whose[N_SHOTS]: an order of the answers in
 * which none stands with its own. */
static void shots_draw(int seed, int task, int i, int *pair, int *whose)
{
    int bag[MOST_PAIRS], n = n_pairs(task);
    struct rng rng;

    for (int k = 0; k < n; k++)
        bag[k] = k;
    rng_seed(&rng, ((uint64_t)seed * N_SHOT_TASKS + (uint64_t)task) * 1000 + (uint64_t)i);
    for (int k = 0; k <= N_SHOTS; k++)
        swap(&bag[k], &bag[k + below(&rng, n - k)]);
    memcpy(pair, bag, (N_SHOTS + 1) * sizeof *pair);
    for (int k = 0; k < N_SHOTS; k++)
        whose[k] = k;
    for (int k = N_SHOTS - 1; k > 0; k--)       /* Sattolo: one cycle */
        swap(&whose[k], &whose[below(&rng, k)]);
}

static int shots_encode(const struct session *session, struct arena *a, const char *text,
                        struct tokens *out, struct err *e)
{
    const struct tok_input in = { .text = text, .text_size = strlen(text),
                                  .no_special = session->asked->no_special };

    return tok_encode(session->tok, a, &in, out, e);
}

/* Without what the template ends a text with. */
static int n_before(const struct tokens *tokens)
{
    int n = tokens->n;

    while (n > 0 && tok_is_frame(tokens, n - 1))
        n--;
    return n;
}

int shots_text(const struct session *session, struct arena *a, int seed, int task, int i,
               bool shuffled, struct shots *out, struct err *e)
{
    int pair[N_SHOTS + 1], whose[N_SHOTS], n;
    const char *text = "", *whole;
    struct tokens with;

    shots_draw(seed, task, i, pair, whose);
    for (int k = 0; k < N_SHOTS; k++)
        text = arena_printf(a, "%sQ: %s A: %s ", text, asks(a, task, pair[k]),
                            answers(a, task, pair[shuffled ? whose[k] : k]));
    text = arena_printf(a, "%sQ: %s A:", text, asks(a, task, pair[N_SHOTS]));
    whole = arena_printf(a, "%s %s", text, answers(a, task, pair[N_SHOTS]));
    out->item = (struct item){ .text = text, .text_size = strlen(text) };
    if (shots_encode(session, a, text, &out->item.tokens, e) != 0 ||
        shots_encode(session, a, whole, &with, e) != 0)
        return -1;
    n = out->item.tokens.n = n_before(&out->item.tokens);
    if (n == 0 || with.n <= n || with.n > session->model->max_tokens || with.special[n])
        return 0;
    out->answer = with.id[n];
    return memcmp(with.id, out->item.tokens.id, (size_t)n * sizeof *with.id) == 0;
}
