/* SPDX-License-Identifier: MIT
 * A seed -> a text of short documents with a question about one of them. */
#include "gold/documents.h"

#include <string.h>

#include "base/rng.h"
#include "gold/haystack.h"

static const struct {
    const char *text, *question;
} documents[DOCUMENT_TEXTS] = {
    { "The king lives in the white castle on the hill.", "Where does the king live?" },
    { "The farmer sells his apples at the market.", "What does the farmer sell?" },
    { "The ship sails to the island in the spring.", "Where does the ship sail?" },
    { "The teacher drinks black tea in the morning.", "What does the teacher drink?" },
    { "The cat sleeps under the kitchen table.", "Where does the cat sleep?" },
    { "The doctor reads the letter by the window.", "What does the doctor read?" },
    { "The soldier hides the gold in the forest.", "What does the soldier hide?" },
    { "The girl plays the piano in the evening.", "What does the girl play?" },
    { "The train stops at the bridge at noon.", "Where does the train stop?" },
    { "The boy paints the fence in green.", "What does the boy paint?" },
    { "The baker opens his shop before dawn.", "When does the baker open his shop?" },
    { "The bird builds its nest in the old tree.", "Where does the bird build its nest?" },
};

/* order[N_DOCUMENTS] of them, gold among them. */
static void documents_draw(int seed, int gold, int *order)
{
    int bag[DOCUMENT_TEXTS], place;
    struct rng rng;

    for (int k = 0; k < DOCUMENT_TEXTS; k++)
        bag[k] = k;
    bag[0] = gold;
    bag[gold] = 0;
    rng_seed(&rng, (uint64_t)seed * DOCUMENT_TEXTS + (uint64_t)gold);
    for (int k = 1; k < N_DOCUMENTS; k++) {
        int other = k + (int)(((uint64_t)rng_bits(&rng) * (uint64_t)(DOCUMENT_TEXTS - k)) >> 32);
        int kept = bag[other];

        bag[other] = bag[k];
        bag[k] = kept;
    }
    place = (int)(((uint64_t)rng_bits(&rng) * N_DOCUMENTS) >> 32);
    memcpy(order, bag, N_DOCUMENTS * sizeof *order);
    order[0] = order[place];
    order[place] = gold;
}

static int documents_encode(const struct session *session, struct arena *a, const char *text,
                            struct item *out, struct err *e)
{
    const struct tok_input in = { .text = text, .text_size = strlen(text),
                                  .no_special = session->asked->no_special };

    *out = (struct item){ .text = text, .text_size = strlen(text) };
    return tok_encode(session->tok, a, &in, &out->tokens, e);
}

/* Token for token the same up to this one. */
static bool begin_alike(const struct tokens *x, const struct tokens *y, int n)
{
    return n <= x->n && n <= y->n && memcmp(x->id, y->id, (size_t)n * sizeof *x->id) == 0;
}

int documents_text(const struct session *session, struct arena *a, int seed, int i,
                   struct documents *out, struct err *e)
{
    struct ranking_places *places = &out->places;
    const char *text = "", *asked[N_RANKING] = { documents[i].question, "N/A" };
    int order[N_DOCUMENTS], from = 0, size = (int)strlen(documents[i].text), begins;

    documents_draw(seed, i, order);
    for (int k = 0; k < N_DOCUMENTS; k++) {
        if (order[k] == i)
            from = (int)strlen(text);
        text = arena_printf(a, "%s%s ", text, documents[order[k]].text);
    }
    begins = (int)strlen(text);
    for (int k = 0; k < N_RANKING; k++) {
        const char *whole = arena_printf(a, "%sQuestion: %s Answer:", text, asked[k]);
        const struct tokens *tokens = &out->item[k].tokens;

        if (documents_encode(session, a, whole, &out->item[k], e) != 0)
            return -1;
        haystack_span(tokens, begins, (int)strlen(whole), &places->query[k],
                      &places->n_query[k]);
        if (tokens->n > session->model->max_tokens || places->n_query[k] == 0)
            return 0;
    }
    haystack_span(&out->item[0].tokens, from, from + size, &places->gold, &places->n_gold);
    return places->n_gold > 0 &&
           begin_alike(&out->item[0].tokens, &out->item[1].tokens,
                       places->gold + places->n_gold);
}
