/* SPDX-License-Identifier: MIT
 * A seed -> texts of random tokens, repeated once. */
#include "session/source/random.h"

#include <string.h>

#include "base/rng.h"
#include "session/shown/mark.h"

enum { MOST_TOKENS = 50 };

const char *random_unreadable(const struct session *session)
{
    const struct model *m = session->model;
    int64_t dim[4];

    if (m->precomputed != NULL || m->family->bare || front_dims(m, dim) > 0)
        return "it reads no tokens";
    if (m->decoder != NULL)
        return "it has an encoder";
    return NULL;
}

const char *random_refusal(const struct session *session)
{
    const char *why = random_unreadable(session);

    if (why != NULL)
        return why;
    return mark_looks_back(session->model) ? NULL : "its tokens see those that follow";
}

/* ---- which tokens ---- */

static bool is_listed(const struct id_list *list, int id)
{
    for (int i = 0; i < list->n; i++)
        if (list->id[i] == id)
            return true;
    return false;
}

static bool is_unused(const char *piece)
{
    static const char *const begins[] = { "[unused", "<unused", "<reserved", "<|reserved",
                                          "<extra_id_", NULL };

    for (int i = 0; begins[i] != NULL; i++)
        if (strncmp(piece, begins[i], strlen(begins[i])) == 0)
            return true;
    return piece[0] == '\0';
}

static bool is_ordinary(const struct session *session, const struct tokens *all, int id)
{
    const struct config *config = &session->model->config;
    const char *piece = session->tok != NULL ? tok_piece(session->tok, id) : "?";

    return piece != NULL && !is_unused(piece) && !all->special[id] && id != config->head.pad_id &&
           !is_listed(&config->bos, id) && !is_listed(&config->eos, id);
}

/* Ids in order: [*n] of a. */
static int *ordinary_ids(const struct session *session, struct arena *a, int *n)
{
    int n_vocab = session->model->config.n_vocab;
    int *id = arena_alloc(a, (uint64_t)n_vocab, sizeof *id);
    struct tokens all;

    for (int i = 0; i < n_vocab; i++)
        id[i] = i;
    tok_describe(session->tok, a, id, NULL, n_vocab, &all);
    *n = 0;
    for (int i = 0; i < n_vocab; i++)
        if (is_ordinary(session, &all, i))
            id[(*n)++] = i;
    return id;
}

/* What the template puts before a text: its ids are in lead[most]. */
static int lead_ids(const struct session *session, struct arena *a, int *lead, int most)
{
    const struct tok_input empty = { .text = "" };
    struct err ignored = { ERR_NONE, "" };
    struct tokens tokens;
    int n = 0;

    if (session->tok == NULL || session->asked->no_special ||
        tok_encode(session->tok, a, &empty, &tokens, &ignored) != 0) {
        arena_pass_over(a, &ignored);
        return 0;
    }
    while (n < tokens.n && n < most && tokens.special[n] &&
           (n == 0 || !is_listed(&session->model->config.eos, tokens.id[n]))) {
        lead[n] = tokens.id[n];
        n++;
    }
    return n;
}

/* ---- the texts ---- */

/* id[n] = n of ordinary[m], which are shuffled. */
static void random_draw(struct rng *rng, int *id, int n, int *ordinary, int m)
{
    for (int k = 0; k < n; k++) {
        int other = k + (int)(((uint64_t)rng_bits(rng) * (uint64_t)(m - k)) >> 32);

        id[k] = ordinary[other];
        ordinary[other] = ordinary[k];
        ordinary[k] = id[k];
    }
}

static void random_fill(const struct session *session, struct arena *a, struct item *item, int *id,
                        int lead, int n)
{
    int count = lead + 2 * n;

    memcpy(id + lead + n, id + lead, (size_t)n * sizeof *id);
    *item = (struct item){ .text = "" };
    tok_describe(session->tok, a, id, NULL, count, &item->tokens);
}

void random_texts(const struct session *session, struct arena *a, int seed, int n_texts,
                  struct random_texts *out)
{
    enum { MOST_LEAD = 4 };
    int n_ordinary, *ordinary = ordinary_ids(session, a, &n_ordinary);
    int lead[MOST_LEAD];
    struct rng rng;

    *out = (struct random_texts){ .n_texts = n_texts, .n = MOST_TOKENS };
    out->lead = lead_ids(session, a, lead, MOST_LEAD);
    if (out->n > (session->model->max_tokens - out->lead) / 2)
        out->n = (session->model->max_tokens - out->lead) / 2;
    if (out->n > n_ordinary)
        out->n = n_ordinary;
    if (out->n < 0)
        out->n = 0;
    out->item = arena_alloc(a, (uint64_t)n_texts, sizeof *out->item);
    rng_seed(&rng, (uint64_t)seed);
    for (int t = 0; t < n_texts; t++) {
        int *id = arena_alloc(a, (uint64_t)(out->lead + 2 * out->n), sizeof *id);
        int *bag = arena_alloc(a, (uint64_t)n_ordinary, sizeof *bag);

        memcpy(id, lead, (size_t)out->lead * sizeof *id);
        memcpy(bag, ordinary, (size_t)n_ordinary * sizeof *bag);
        random_draw(&rng, id + out->lead, out->n, bag, n_ordinary);
        random_fill(session, a, &out->item[t], id, out->lead, out->n);
    }
}
