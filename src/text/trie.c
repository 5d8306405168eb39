/* SPDX-License-Identifier: MIT
 * Strings -> a tree of bytes whose edges are in one hash table. */
#include <string.h>

#include "text/tok_priv.h"

struct trie_edge {
    uint64_t key;           /* node << 8 | byte, plus 1; 0: free */
    uint32_t to;
};

static size_t trie_place(const struct trie *t, uint64_t key)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & t->mask;

    while (t->edge[i].key != 0 && t->edge[i].key != key)
        i = (i + 1) & t->mask;
    return i;
}

static void new_table(struct trie *t, struct arena *a, size_t size)
{
    struct trie_edge *old = t->edge;
    size_t old_size = t->edge != NULL ? t->mask + 1 : 0;

    t->edge = arena_alloc(a, size, sizeof *t->edge);
    t->mask = size - 1;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].key != 0)
            t->edge[trie_place(t, old[i].key)] = old[i];
}

static uint32_t new_node(struct trie *t, struct arena *a)
{
    if (t->n_nodes == t->cap) {
        size_t cap = t->cap > 0 ? 2 * t->cap : 64;

        t->value = arena_grow(a, t->value, t->cap, cap, sizeof *t->value);
        t->cap = cap;
    }
    t->value[t->n_nodes] = -1;
    return (uint32_t)t->n_nodes++;
}

void trie_init(struct trie *t, struct arena *a)
{
    memset(t, 0, sizeof *t);
    new_table(t, a, 64);
    new_node(t, a);
}

void trie_reserve(struct trie *t, struct arena *a, size_t n)
{
    size_t size = t->mask + 1;

    while (size < 4 * n)
        size *= 2;
    if (size > t->mask + 1)
        new_table(t, a, size);
}

static uint64_t edge_key(uint32_t node, char byte)
{
    return ((uint64_t)node << 8 | (unsigned char)byte) + 1;
}

void trie_add(struct trie *t, struct arena *a, const char *s, size_t n, int value)
{
    uint32_t node = 0;

    if (n == 0)
        return;
    t->begins[(unsigned char)s[0]] = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = edge_key(node, s[i]);
        size_t at = trie_place(t, key);

        if (t->edge[at].key == 0) {
            t->edge[at].key = key;
            t->edge[at].to = new_node(t, a);
            node = t->edge[at].to;
            if (++t->n_edges * 2 > t->mask)
                new_table(t, a, 2 * (t->mask + 1));
        } else {
            node = t->edge[at].to;
        }
    }
    if (t->value[node] < 0)
        t->value[node] = value;
}

size_t trie_skip(const struct trie *t, const char *s, size_t n)
{
    size_t i = 0;

    while (i < n && !t->begins[(unsigned char)s[i]])
        i++;
    return i;
}

uint32_t trie_step(const struct trie *t, uint32_t node, char byte)
{
    size_t at = trie_place(t, edge_key(node, byte));

    return t->edge[at].key != 0 ? t->edge[at].to : 0;
}

int trie_longest(const struct trie *t, const char *s, size_t n, size_t *length,
                 size_t *seen)
{
    uint32_t node = 0;
    int best = -1;
    size_t i = 0;

    for (; i < n; i++) {
        size_t at = trie_place(t, edge_key(node, s[i]));

        if (t->edge[at].key == 0)
            break;
        node = t->edge[at].to;
        if (t->value[node] >= 0) {
            best = t->value[node];
            *length = i + 1;
        }
    }
    *seen += i;
    return best;
}
