/* SPDX-License-Identifier: MIT
 * A seed -> a needle-in-a-haystack text: filler sentences, one of them the needle, a question. */
#include "gold/haystack.h"

#include <string.h>

#include "base/rng.h"
#include "session/source/random.h"

enum { MOST_TOKENS = 512, N_WORDS = 8 };

static const char *const words[] = {
    "alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india",
    "juliet", "kilo", "lima", "mike", "november", "oscar", "papa", "quebec", "romeo",
    "sierra", "tango", "uniform", "victor", "whiskey", "yankee", "zulu",
};
enum { N_NAMES = sizeof words / sizeof *words };

static const char *const sentences[] = {
    "The river runs past the old mill.", "A dog sleeps in the warm sun.",
    "The children walk home from school.", "He puts the cup on the table.",
    "The train leaves in the morning.", "She reads a book by the window.",
    "The wind moves the leaves of the tree.", "They eat bread and drink tea.",
    "The man opens the door of the house.", "Birds sing in the green garden.",
    "The woman buys apples in the town.", "Snow falls on the quiet street.",
};
enum { N_SENTENCES = sizeof sentences / sizeof *sentences };

static const char needle[] = " The pass key is";
/* Its end stands nowhere else: induction alone does not lead to the words. */
static const char question[] = " What is the pass key? Answer:";

const char *haystack_unreadable(const struct session *session)
{
    const char *why = random_refusal(session);

    if (why != NULL || session->tok != NULL)
        return why;
    return session->tok_err.absent ? "it has no tokeniser" : session->tok_err.msg;
}

const char *haystack_refusal(const struct session *session)
{
    const char *why = haystack_unreadable(session);

    if (why != NULL)
        return why;
    return session->model->has_head && session->model->config.head.task == NULL ?
               NULL :
               "it predicts no tokens";
}

/* " alpha bravo ..": N_WORDS of them, no two alike. */
static const char *draw_words(struct arena *a, int seed, int i)
{
    const char *bag[N_NAMES], *text = "";
    struct rng rng;

    memcpy(bag, words, sizeof bag);
    rng_seed(&rng, (uint64_t)seed * HAYSTACK_LENGTHS * HAYSTACK_DEPTHS + (uint64_t)i);
    for (int k = 0; k < N_WORDS; k++) {
        int other = k + (int)(((uint64_t)rng_bits(&rng) * (uint64_t)(N_NAMES - k)) >> 32);
        const char *word = bag[other];

        bag[other] = bag[k];
        text = arena_printf(a, "%s %s", text, word);
    }
    return text;
}

/* n sentences, the first of them this one, each after a blank. */
static const char *filler(struct arena *a, int first, int n)
{
    const char *text = "";

    for (int k = first; k < first + n; k++)
        text = arena_printf(a, "%s %s", text, sentences[k % N_SENTENCES]);
    return text;
}

void haystack_span(const struct tokens *tokens, int from, int to, int *first, int *n)
{
    *first = *n = 0;
    for (int i = 0; i < tokens->n; i++)
        if (tokens->bytes[i].end > from && tokens->bytes[i].start < to) {
            *first = *n == 0 ? i : *first;
            (*n)++;
        }
}

/* The text with n sentences, `before` of them before the needle; all parts begin with a blank,
 * of which the text leaves out the first. */
static int haystack_encode(const struct session *session, struct arena *a, const char *key, int n,
                           int before, struct haystack *out, struct err *e)
{
    const char *head = arena_printf(a, "%s%s", filler(a, 0, before), needle);
    const char *middle = arena_printf(a, "%s%s.%s%s", head, key, filler(a, before, n - before),
                                      question);
    const char *text = arena_printf(a, "%s%s", middle, key) + 1;
    const struct tok_input in = { .text = text, .text_size = strlen(text),
                                  .no_special = session->asked->no_special };
    int from = (int)strlen(head), again = (int)strlen(middle), size = (int)strlen(key) - 1;
    struct retrieval_places *places = &out->places;

    out->item = (struct item){ .text = text, .text_size = strlen(text) };
    if (tok_encode(session->tok, a, &in, &out->item.tokens, e) != 0)
        return -1;
    haystack_span(&out->item.tokens, from, from + size, &places->needle, &places->n_needle);
    haystack_span(&out->item.tokens, again, again + size, &places->gold, &places->n_gold);
    return 0;
}

int haystack_text(const struct session *session, struct arena *a, int seed, int i,
                  struct haystack *out, struct err *e)
{
    const char *key = draw_words(a, seed, i);
    int depth = i % HAYSTACK_DEPTHS, most = session->model->max_tokens;
    int low = 0, high = MOST_TOKENS / 2;

    most = most < MOST_TOKENS ? most : MOST_TOKENS;
    most >>= HAYSTACK_LENGTHS - 1 - i / HAYSTACK_DEPTHS;
    while (low < high) {
        int n = (low + high + 1) / 2;

        if (haystack_encode(session, a, key, n, 0, out, e) != 0)
            return -1;
        if (out->item.tokens.n <= most)
            low = n;
        else
            high = n - 1;
    }
    if (haystack_encode(session, a, key, low, low * depth / (HAYSTACK_DEPTHS - 1), out, e) != 0)
        return -1;
    return out->item.tokens.n <= most && low > 0 && out->places.n_needle > 0 &&
           out->places.gold > 0;
}
