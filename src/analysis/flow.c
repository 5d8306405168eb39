/* SPDX-License-Identifier: MIT
 * Dinic's algorithm for maximum flow through fully connected layers. */
#include "analysis/flow.h"

#include <string.h>

static const double LEAST = 1e-12;      /* what is left of a capacity that is used up */

/* Node (l, i), l from 0 below the first layer: number l n + i. */
struct net {
    int n_layers, n, n_nodes;
    double *down, *up;      /* [n_layers, n, n] what is left: from (l + 1, i) to (l, j), back */
    int *level, *next, *queue;      /* [n_nodes] */
};

static size_t edge(const struct net *net, int layer, int i, int j)
{
    return ((size_t)layer * (size_t)net->n + (size_t)i) * (size_t)net->n + (size_t)j;
}

/* The neighbours of a node are tokens of the layer below, then of that above: k < 2 n.  What
 * is left towards the k-th, and its number; NULL: there is none. */
static double *way(const struct net *net, int node, int k, int *to, double **back)
{
    int l = node / net->n, i = node % net->n, j = k % net->n;
    bool below = k < net->n;
    size_t at;

    if (below ? l == 0 : l == net->n_layers)
        return NULL;
    *to = (below ? l - 1 : l + 1) * net->n + j;
    at = below ? edge(net, l - 1, i, j) : edge(net, l, j, i);
    *back = below ? &net->up[at] : &net->down[at];
    return below ? &net->down[at] : &net->up[at];
}

/* Distances from the source; false: the sink cannot be reached. */
static bool reach(struct net *net, int source, int sink)
{
    int head = 0, tail = 0;

    memset(net->level, 0, (size_t)net->n_nodes * sizeof *net->level);
    memset(net->next, 0, (size_t)net->n_nodes * sizeof *net->next);
    net->level[source] = 1;
    net->queue[tail++] = source;
    while (head < tail && net->level[sink] == 0) {
        int node = net->queue[head++], to;
        double *back;

        for (int k = 0; k < 2 * net->n; k++) {
            const double *left = way(net, node, k, &to, &back);

            if (left == NULL || *left <= LEAST || net->level[to] > 0)
                continue;
            net->level[to] = net->level[node] + 1;
            net->queue[tail++] = to;
        }
    }
    return net->level[sink] > 0;
}

/* Sends at most `most` from a node to the sink along ever greater distances. */
static double send(struct net *net, int node, int sink, double most)
{
    for (; node != sink && net->next[node] < 2 * net->n; net->next[node]++) {
        int to;
        double *back, *left = way(net, node, net->next[node], &to, &back), sent;

        if (left == NULL || *left <= LEAST || net->level[to] != net->level[node] + 1)
            continue;
        sent = send(net, to, sink, most < *left ? most : *left);
        if (sent > 0) {
            *left -= sent;
            *back += sent;
            return sent;
        }
    }
    return node == sink ? most : 0;
}

static double greatest(struct net *net, int source, int sink, struct progress *progress)
{
    double sum = 0, sent;

    while (reach(net, source, sink)) {
        progress_ran(progress, 2 * (int64_t)net->n_nodes * net->n);
        while ((sent = send(net, source, sink, 2)) > 0)
            sum += sent;
    }
    return sum;
}

void flow_all(double *out, const double *capacity, int n_layers, int n,
              struct arena *scratch, struct progress *progress)
{
    int n_nodes = (n_layers + 1) * n;
    size_t size = (size_t)n_layers * (size_t)n * (size_t)n * sizeof *capacity;
    struct net net = {
        n_layers, n, n_nodes, arena_alloc(scratch, 1, size), arena_alloc(scratch, 1, size),
        arena_alloc(scratch, (uint64_t)n_nodes, sizeof(int)),
        arena_alloc(scratch, (uint64_t)n_nodes, sizeof(int)),
        arena_alloc(scratch, (uint64_t)n_nodes, sizeof(int)),
    };

    for (int u = 0; u < n; u++) {
        double sum = 0;

        for (int v = 0; v < n; v++) {
            memcpy(net.down, capacity, size);
            memset(net.up, 0, size);
            out[u * n + v] = greatest(&net, n_layers * n + u, v, progress);
            sum += out[u * n + v];
        }
        for (int v = 0; v < n; v++)
            out[u * n + v] /= sum;
    }
}
