/* SPDX-License-Identifier: MIT
 * Strings -> a tree of bytes whose edges are in one hash table. */
#include <string.h>

#include "text/tok_priv.h"

struct trie_edge {
    uint64_t key;           /* node << 8 | byte, plus 1; 0: free */
    uint32_t to;
};

static size_t trie_place(const struct trie *trie, uint64_t key)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & trie->mask;

    while (trie->edge[i].key != 0 && trie->edge[i].key != key)
        i = (i + 1) & trie->mask;
    return i;
}

static void new_table(struct trie *trie, struct arena *a, size_t size)
{
    struct trie_edge *old = trie->edge;
    size_t old_size = trie->edge != NULL ? trie->mask + 1 : 0;

    trie->edge = arena_alloc(a, size, sizeof *trie->edge);
    trie->mask = size - 1;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].key != 0)
            trie->edge[trie_place(trie, old[i].key)] = old[i];
}

static uint32_t new_node(struct trie *trie, struct arena *a)
{
    if (trie->n_nodes == trie->cap) {
        size_t cap = trie->cap > 0 ? 2 * trie->cap : 64;

        trie->value = arena_grow(a, trie->value, trie->cap, cap, sizeof *trie->value);
        trie->cap = cap;
    }
    trie->value[trie->n_nodes] = -1;
    return (uint32_t)trie->n_nodes++;
}

void trie_init(struct trie *trie, struct arena *a)
{
    memset(trie, 0, sizeof *trie);
    new_table(trie, a, 64);
    new_node(trie, a);
}

void trie_reserve(struct trie *trie, struct arena *a, size_t n)
{
    size_t size = trie->mask + 1;

    while (size < 4 * n)
        size *= 2;
    if (size > trie->mask + 1)
        new_table(trie, a, size);
}

static uint64_t edge_key(uint32_t node, char byte)
{
    return ((uint64_t)node << 8 | (unsigned char)byte) + 1;
}

void trie_add(struct trie *trie, struct arena *a, const char *s, size_t n, int value)
{
    uint32_t node = 0;

    if (n == 0)
        return;
    trie->begins[(unsigned char)s[0]] = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = edge_key(node, s[i]);
        size_t at = trie_place(trie, key);

        if (trie->edge[at].key == 0) {
            trie->edge[at].key = key;
            trie->edge[at].to = new_node(trie, a);
            node = trie->edge[at].to;
            if (++trie->n_edges * 2 > trie->mask)
                new_table(trie, a, 2 * (trie->mask + 1));
        } else {
            node = trie->edge[at].to;
        }
    }
    if (trie->value[node] < 0)
        trie->value[node] = value;
}

size_t trie_skip(const struct trie *trie, const char *s, size_t n)
{
    size_t i = 0;

    while (i < n && !trie->begins[(unsigned char)s[i]])
        i++;
    return i;
}

uint32_t trie_step(const struct trie *trie, uint32_t node, char byte)
{
    size_t at = trie_place(trie, edge_key(node, byte));

    return trie->edge[at].key != 0 ? trie->edge[at].to : 0;
}

int trie_longest(const struct trie *trie, const char *s, size_t n, size_t *length,
                 size_t *seen)
{
    uint32_t node = 0;
    int best = -1;
    size_t i = 0;

    for (; i < n; i++) {
        size_t at = trie_place(trie, edge_key(node, s[i]));

        if (trie->edge[at].key == 0)
            break;
        node = trie->edge[at].to;
        if (trie->value[node] >= 0) {
            best = trie->value[node];
            *length = i + 1;
        }
    }
    *seen += i;
    return best;
}
