/* SPDX-License-Identifier: MIT
 * Rows of tokens -> the strongest links between words. */
#include "gold/arcs.h"

#include <string.h>

struct links {
    double *sum;                /* [words of keys] of the rows of the word at hand */
    double *mass;               /* [the same] of all rows, but for the first key */
    double *most;               /* [the same] that a word's column has had */
    int *looks_at, *looked_at;  /* [words], [words of keys] */
    int n_rows;                 /* of the word at hand so far */
    double pairs;               /* weight of the pairs that were given */
    struct distance { double sum; int n; } *apart;      /* [2 words - 1] of the others, by key -
                                                           query + words - 1; NULL: none given */
};

struct arcs {
    struct slots slots;
    const struct arcs_words *words;
    struct links *links;        /* of each slot */
    struct arena *a;
};

static void arcs_start(void *self, size_t at, int text)
{
    struct arcs *arcs = self;
    const struct arcs_words *words = &arcs->words[text];
    struct links *links = &arcs->links[at];
    uint64_t n = (uint64_t)words->n;
    uint64_t n_keys = (uint64_t)(words->key_of != NULL ? words->n_keys : words->n);

    links->sum = arena_alloc(arcs->a, n_keys, sizeof *links->sum);
    links->mass = arena_alloc(arcs->a, n_keys, sizeof *links->mass);
    links->most = arena_alloc(arcs->a, n_keys, sizeof *links->most);
    links->looks_at = arena_alloc(arcs->a, n, sizeof *links->looks_at);
    links->looked_at = arena_alloc(arcs->a, n_keys, sizeof *links->looked_at);
    if (words->n_pairs > 0)
        links->apart = arena_alloc(arcs->a, 2 * n, sizeof *links->apart);
    for (int i = 0; words->key_of != NULL && i < words->n; i++)
        links->looks_at[i] = -1;
}

struct arcs *arcs_new(struct arena *a, const struct model *model, const struct attended *texts,
                      const struct wanted *want, const struct arcs_words *words)
{
    struct arcs *arcs = arena_alloc(a, 1, sizeof *arcs);

    *arcs = (struct arcs){ .slots = slots_of(model, texts, want), .words = words, .a = a };
    arcs->links = arena_alloc(a, slots_count(&arcs->slots), sizeof *arcs->links);
    slots_each(&arcs->slots, arcs_start, arcs);
    return arcs;
}

static void arcs_add_row(struct links *links, const int *word, const struct rows *rows, int t)
{
    const float *weight = rows->weight + (size_t)t * rows->stride;

    for (int j = 0; j < rows->n_keys; j++) {
        int of = word[rows->key0 + j];

        if (of < 0)
            continue;
        links->sum[of] += (double)weight[j];
        links->mass[of] += rows->key0 + j > 0 ? (double)weight[j] : 0;
    }
    links->n_rows++;
}

static bool arcs_is_given(const struct arcs_words *words, int query, int key)
{
    for (int i = 0; i < words->n_pairs; i++)
        if (words->pair[i].query == query && words->pair[i].key == key)
            return true;
    return false;
}

static void add_pair(struct links *links, const struct arcs_words *words, int query, int key,
                     double weight)
{
    struct distance *apart = &links->apart[key - query + words->n - 1];

    if (arcs_is_given(words, query, key)) {
        links->pairs += weight;
        return;
    }
    apart->sum += weight;
    apart->n++;
}

static void end_word(struct links *links, int word, const struct arcs_words *words)
{
    int n = words->key_of != NULL ? words->n_keys : words->n;
    double most = 0;

    for (int j = 0; j < n; j++) {
        double mean = links->sum[j] / links->n_rows;

        if (links->apart != NULL)
            add_pair(links, words, word, j, mean);
        if (words->key_of == NULL && j == word)
            continue;
        if (mean > most) {
            most = mean;
            links->looks_at[word] = j;
        }
        if (mean > links->most[j]) {
            links->most[j] = mean;
            links->looked_at[j] = word;
        }
    }
    memset(links->sum, 0, (size_t)n * sizeof *links->sum);
    links->n_rows = 0;
}

static void arcs_take(void *self, const struct rows *rows, int n_heads)
{
    struct arcs *arcs = self;
    const struct arcs_words *words = &arcs->words[rows->text];
    struct links *links = &arcs->links[slots_at(&arcs->slots, rows->text, rows->layer,
                                                rows->head)];

    (void)n_heads;
    for (int t = 0; t < rows->n_rows; t++) {
        int i = rows->row0 + t, word = words->of[i];

        if (word < 0)
            continue;
        arcs_add_row(links, words->key_of != NULL ? words->key_of : words->of, rows, t);
        if (i + 1 == rows->n_queries || words->of[i + 1] != word)
            end_word(links, word, words);
    }
}

struct sink arcs_sink(struct arcs *arcs)
{
    return (struct sink){ SINK_HEAD, arcs_take, NULL, arcs };
}

const int *arcs_looks_at(const struct arcs *arcs, int text, int layer, int head)
{
    return arcs->links[slots_at(&arcs->slots, text, layer, head)].looks_at;
}

const int *arcs_is_looked_at_by(const struct arcs *arcs, int text, int layer, int head)
{
    return arcs->links[slots_at(&arcs->slots, text, layer, head)].looked_at;
}

const double *arcs_mass(const struct arcs *arcs, int text, int layer, int head)
{
    return arcs->links[slots_at(&arcs->slots, text, layer, head)].mass;
}

struct arcs_weight arcs_pairs(const struct arcs *arcs, int text, int layer, int head)
{
    const struct arcs_words *words = &arcs->words[text];
    const struct links *links = &arcs->links[slots_at(&arcs->slots, text, layer, head)];
    struct arcs_weight weight = { links->pairs, 0 };

    for (int i = 0; i < words->n_pairs; i++) {
        int away = words->pair[i].key - words->pair[i].query;
        const struct distance *apart = &links->apart[away + words->n - 1];

        weight.even += apart->n > 0 ? apart->sum / apart->n : 0;
    }
    return weight;
}
