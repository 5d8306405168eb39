/* SPDX-License-Identifier: MIT
 * A pass over texts of random ids with everything kept, for the tests of run/. */
#ifndef UNIT_RUN_ROOM_H
#define UNIT_RUN_ROOM_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/run.h"

/* What the sinks were given. */
struct room {
    int n_texts, L, H;
    const int *start;
    float *attn;                /* [texts] of [L, H, n, n] */
    double *entropy;            /* [texts] of [L, H, n] */
    int *seen;                  /* the same: how often each row came */
    int *done;                  /* [texts, L] how often */
    int out_of_order;           /* rows of a head, or of a layer, that did not follow */
    int head_counts;            /* calls with another number of heads than wanted */
    int n_heads_wanted;
    float *hidden, *logits;
};

static inline size_t room_rows(const struct room *r, int text, int layer, int head)
{
    size_t n = (size_t)(r->start[text + 1] - r->start[text]);

    return (size_t)r->start[text] * (size_t)r->L * (size_t)r->H +
           ((size_t)layer * (size_t)r->H + (size_t)head) * n;
}

/* The map [n, n] of a head. */
static inline float *room_map(const struct room *r, int text, int layer, int head)
{
    size_t n = (size_t)(r->start[text + 1] - r->start[text]), before = 0;

    for (int t = 0; t < text; t++) {
        size_t m = (size_t)(r->start[t + 1] - r->start[t]);

        before += (size_t)r->L * (size_t)r->H * m * m;
    }
    return r->attn + before + ((size_t)layer * (size_t)r->H + (size_t)head) * n * n;
}

static inline void room_keep(struct room *r, const struct rows *rows)
{
    float *map = room_map(r, rows->text, rows->layer, rows->head);
    size_t at = room_rows(r, rows->text, rows->layer, rows->head);

    for (int t = 0; t < rows->n_rows; t++) {
        size_t row = (size_t)(rows->row0 + t);

        if (row > 0 && r->seen[at + row - 1] == 0)
            r->out_of_order++;
        r->seen[at + row]++;
        r->entropy[at + row] = rows->entropy[t];
        memcpy(map + row * (size_t)rows->n_all_keys + rows->key0,
               rows->weight + (size_t)t * rows->stride,
               (size_t)rows->n_keys * sizeof *map);
    }
}

static inline void room_take_head(void *self, const struct rows *rows, int n_heads)
{
    struct room *r = self;

    __atomic_fetch_add(&r->head_counts, n_heads != 1, __ATOMIC_RELAXED);
    room_keep(r, rows);
}

static inline void room_take_layer(void *self, const struct rows *rows, int n_heads)
{
    struct room *r = self;

    __atomic_fetch_add(&r->head_counts, n_heads != r->n_heads_wanted, __ATOMIC_RELAXED);
    for (int h = 0; h < n_heads; h++) {
        if (rows[h].row0 != rows[0].row0 || rows[h].text != rows[0].text ||
            (h > 0 && rows[h].head <= rows[h - 1].head))
            r->out_of_order++;
        room_keep(r, &rows[h]);
    }
}

static inline void room_done(void *self, int text, int layer)
{
    struct room *r = self;

    r->done[text * r->L + layer]++;
}

static inline struct sink room_sink(struct room *r, enum sink_scope scope)
{
    return (struct sink){ scope, scope == SINK_HEAD ? room_take_head : room_take_layer,
                          room_done, r };
}

static inline void room_init(struct room *r, struct arena *a, const struct model *m,
                             const struct batch *b)
{
    size_t LH = (size_t)m->config.n_layers * (size_t)m->config.n_heads, cells = 0;
    size_t N = (size_t)b->start[b->n_texts];

    *r = (struct room){ .n_texts = b->n_texts, .L = m->config.n_layers,
                        .H = m->config.n_heads, .start = b->start,
                        .n_heads_wanted = m->config.n_heads };
    for (int t = 0; t < b->n_texts; t++) {
        size_t n = (size_t)(b->start[t + 1] - b->start[t]);

        cells += LH * n * n;
    }
    r->attn = arena_alloc(a, cells, sizeof *r->attn);
    r->entropy = arena_alloc(a, LH * N, sizeof *r->entropy);
    r->seen = arena_alloc(a, LH * N, sizeof *r->seen);
    r->done = arena_alloc(a, (size_t)b->n_texts * (size_t)r->L, sizeof *r->done);
    r->hidden = arena_alloc(a, N * (size_t)m->d_hidden, sizeof(float));
    if (m->has_head)
        r->logits = arena_alloc(a, N * (size_t)m->config.n_vocab, sizeof(float));
}

/* The model of a folder: of a larger model's texts, or of its pictures where only those are. */
static inline struct model *room_open(struct arena *a, const char *path, struct err *e)
{
    const struct layer_asked pictures = { .tower = TOWER_PICTURE };
    struct model *m = model_open(a, path, e);

    return m != NULL ? m : model_open_layer(a, path, &pictures, e);
}

/* It has texts of ids, or pictures, and one stack: room_batch makes what it reads. */
static inline bool room_reads(const struct model *m)
{
    bool tokens = m->family->front == FRONT_TOKENS && m->config.n_vocab > 0;

    return m->decoder == NULL && (tokens || m->family->front == FRONT_PATCH);
}

/* Pictures of -1 .. 1, as chance (seed) has them; each yields all positions of m. */
static inline struct batch room_pictures(struct arena *a, const struct model *m, int n_texts,
                                         unsigned seed)
{
    int *start = arena_alloc(a, (size_t)n_texts + 1, sizeof *start);
    struct values *values = arena_alloc(a, (size_t)n_texts, sizeof *values);

    for (int t = 0; t < n_texts; t++) {
        int64_t n = 1;
        float *x;

        start[t + 1] = start[t] + m->config.n_positions;
        values[t].n_dims = front_dims(m, values[t].dim);
        for (int i = 0; i < values[t].n_dims; i++)
            n *= values[t].dim[i];
        x = arena_alloc(a, (uint64_t)n, sizeof *x);
        for (int64_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            x[i] = (float)(seed >> 8) / (1 << 23) - 1;
        }
        values[t].x = x;
    }
    return (struct batch){ .n_texts = n_texts, .start = start, .values = values };
}

/* Texts of these lengths, ids and types as chance (seed) has them; or as many pictures. */
static inline struct batch room_batch(struct arena *a, const struct model *m,
                                      const int *lengths, int n_texts, unsigned seed)
{
    int *start = arena_alloc(a, (size_t)n_texts + 1, sizeof *start), *id, *type;
    int types = m->config.n_types > 0 ? m->config.n_types :
                m->family->bias == BIAS_XL ? 3 : 1;

    if (m->family->front == FRONT_PATCH)
        return room_pictures(a, m, n_texts, seed);
    for (int t = 0; t < n_texts; t++)
        start[t + 1] = start[t] + lengths[t];
    id = arena_alloc(a, (size_t)start[n_texts], sizeof *id);
    type = arena_alloc(a, (size_t)start[n_texts], sizeof *type);
    for (int i = 0; i < start[n_texts]; i++) {
        seed = seed * 1664525u + 1013904223u;
        id[i] = (int)(seed >> 8) % m->config.n_vocab;
        type[i] = (int)(seed >> 4) % types;
    }
    return (struct batch){ n_texts, start, id, type };
}

#endif
