/* SPDX-License-Identifier: MIT
 * Rows of attention -> integer codes of weights, by a sink. */
#include "analysis/codes.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"

struct codes {
    struct codes_shape shape;
    const int *place;           /* [layers, heads] */
    int *count;                 /* [layers] heads that are asked for */
    float *max;                 /* [heads, queries] of the layer at hand */
    unsigned char *code;        /* [heads, queries, keys] of bits / 8 bytes */
    float *error;               /* [heads] the largest so far */
    void (*ready)(void *self, const struct codes_layer *layer);
    void *self;
};

static size_t codes_size_of(const struct codes_shape *shape)
{
    return (size_t)shape->bits / 8;
}

struct codes *codes_new(struct arena *a, const struct codes_shape *shape, const int *place,
                        void (*ready)(void *self, const struct codes_layer *layer), void *self)
{
    struct codes *c = arena_alloc(a, 1, sizeof *c);
    int L = shape->n_layers, H = shape->n_heads, most = 0;
    uint64_t T = (uint64_t)shape->n_queries, S = (uint64_t)shape->n_keys;

    *c = (struct codes){ .shape = *shape, .place = place, .ready = ready, .self = self };
    c->count = arena_alloc(a, (uint64_t)L, sizeof *c->count);
    for (int l = 0; l < L; l++) {
        for (int h = 0; h < H; h++)
            c->count[l] += place[l * H + h] >= 0;
        most = c->count[l] > most ? c->count[l] : most;
    }
    c->max = arena_alloc(a, (uint64_t)most * T, sizeof *c->max);
    c->code = arena_alloc(a, (uint64_t)most * T, S * codes_size_of(shape));
    c->error = arena_alloc(a, (uint64_t)most, sizeof *c->error);
    return c;
}

uint64_t codes_layer_bytes(const struct codes_shape *shape, int n_heads)
{
    uint64_t rows = (uint64_t)n_heads * (uint64_t)shape->n_queries;

    return rows * (sizeof(float) + (uint64_t)shape->n_keys * codes_size_of(shape));
}

enum { LANES = 32 };            /* weights that a processor's vectors may take at once */

/* The larger of two of each lane. */
static inline void keep_largest(float lane[LANES], const float *v)
{
    for (int i = 0; i < LANES; i++)
        lane[i] = v[i] > lane[i] ? v[i] : lane[i];
}

static float codes_largest(const float *w, int n)
{
    float lane[LANES] = { 0 }, max = 0;
    int j = 0;

    for (; j + LANES <= n; j += LANES)
        keep_largest(lane, w + j);
    for (int i = 0; i < LANES; i++)
        max = lane[i] > max ? lane[i] : max;
    for (; j < n; j++)
        max = w[j] > max ? w[j] : max;
    return max;
}

/* Codes of LANES weights, whose largest is max > 0, and how far off each is. */
static inline void codes_encode(int code[LANES], float off[LANES], const float *w, float max,
                                float top)
{
    for (int j = 0; j < LANES; j++) {
        float above = w[j] > 0 ? w[j] : 0, share;

        code[j] = (int)(top * sqrtf(above / max) + 0.5f);
        share = (float)code[j] * (1 / top);
        off[j] = fabsf(max * share * share - w[j]);
    }
}

/* One row to p; returns how far off a weight is at most. */
static float encode_row(unsigned char *p, const float *w, int n, float max, int bits)
{
    float top = (float)((1 << bits) - 1), off[LANES], most[LANES] = { 0 }, last[LANES] = { 0 };
    int code[LANES];

    for (int j = 0; j < n; j += LANES) {
        int m = n - j < LANES ? n - j : LANES;

        if (m < LANES)
            memcpy(last, w + j, (size_t)m * sizeof *w);
        codes_encode(code, off, m < LANES ? last : w + j, max, top);
        keep_largest(most, off);
        for (int i = 0; i < m; i++)
            if (bits == 8)
                p[j + i] = (unsigned char)code[i];
            else
                bytes_put(p + 2 * ((size_t)j + (size_t)i), (uint64_t)code[i], 2);
    }
    return codes_largest(most, LANES);
}

static void codes_take(void *self, const struct rows *rows, int n)
{
    struct codes *c = self;
    const struct codes_shape *shape = &c->shape;
    int place = c->place[rows->layer * shape->n_heads + rows->head];

    (void)n;
    for (int t = 0; t < rows->n_rows; t++) {
        const float *w = rows->weight + (size_t)t * rows->stride;
        size_t row = (size_t)place * (size_t)shape->n_queries + (size_t)(rows->row0 + t);
        size_t at = row * (size_t)shape->n_keys + (size_t)rows->key0;
        float error;

        c->max[row] = codes_largest(w, rows->n_keys);
        if (c->max[row] == 0)
            continue;
        error = encode_row(c->code + at * codes_size_of(shape), w, rows->n_keys, c->max[row],
                           shape->bits);
        c->error[place] = error > c->error[place] ? error : c->error[place];
    }
}

/* ---- a layer that is complete ---- */

static bool is_zero(const unsigned char *p, size_t n)
{
    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

static bool is_triangle(const struct codes *codes, int n_heads)
{
    size_t T = (size_t)codes->shape.n_queries, size = codes_size_of(&codes->shape);

    if (codes->shape.n_queries != codes->shape.n_keys)
        return false;
    for (size_t row = 0; row < (size_t)n_heads * T; row++) {
        size_t seen = row % T + 1;

        if (!is_zero(codes->code + (row * T + seen) * size, (T - seen) * size))
            return false;
    }
    return true;
}

/* The triangles move together, in place; returns how many codes stay. */
static size_t close_up(struct codes *codes, int n_heads)
{
    size_t T = (size_t)codes->shape.n_queries, size = codes_size_of(&codes->shape), to = 0;

    for (size_t row = 0; row < (size_t)n_heads * T; row++) {
        size_t seen = row % T + 1;

        memmove(codes->code + to * size, codes->code + row * T * size, seen * size);
        to += seen;
    }
    return to;
}

static void codes_done(void *self, int text, int layer)
{
    struct codes *c = self;
    int n_heads = c->count[layer];
    size_t rows = (size_t)n_heads * (size_t)c->shape.n_queries;
    size_t n_codes = rows * (size_t)c->shape.n_keys, all = n_codes;
    bool triangle;

    (void)text;
    if (n_heads == 0)
        return;
    triangle = is_triangle(c, n_heads);
    if (triangle)
        n_codes = close_up(c, n_heads);
    c->ready(c->self, &(struct codes_layer){
        .layer = layer, .n_heads = n_heads, .n_queries = c->shape.n_queries,
        .n_keys = c->shape.n_keys, .triangle = triangle, .max = c->max, .code = c->code,
        .n_codes = n_codes });
    memset(c->max, 0, rows * sizeof *c->max);
    memset(c->code, 0, all * codes_size_of(&c->shape));
}

struct sink codes_sink(struct codes *codes)
{
    return (struct sink){ SINK_HEAD, codes_take, codes_done, codes };
}

double codes_error(const struct codes *codes)
{
    float error = 0;

    for (int l = 0, most = 0; l < codes->shape.n_layers; l++)
        for (; most < codes->count[l]; most++)
            error = codes->error[most] > error ? codes->error[most] : error;
    return (double)error;
}
