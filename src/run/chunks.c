/* SPDX-License-Identifier: MIT
 * Positions or hashed queries -> chunks, and the keys that their rows see. */
#include "run/chunks.h"

#include <limits.h>
#include <math.h>

#include "base/rng.h"
#include "nn/chunks.h"
#include "nn/lsh.h"

/* n tokens and the padding that fills their last chunk. */
static int padded(const struct config *c, int n)
{
    bool pads = c->chunked.pad_to > 0 && n > c->chunked.pad_above;
    int over = pads ? n % c->chunked.pad_to : 0;

    return over > 0 ? n - over + c->chunked.pad_to : n;
}

/* ---- buckets and rotations ---- */

struct buckets {
    int n_factors, factor[2];
    const int *given;           /* instead of factor, where the config has them */
    int width;                  /* of rotations */
    int power;                  /* of 2, where the text says how many; else 0 */
};

/* About two chunks of tokens per bucket, as transformers has it. */
static struct buckets buckets_of(const struct config *c, int n_padded)
{
    struct buckets b = { .n_factors = 1 };
    int len = c->chunked.hashed.len, limit = (int)sqrt(c->n_positions / len);

    if (c->chunked.n_factors > 0) {
        b.given = c->chunked.factor;
        b.n_factors = c->chunked.n_factors;
        for (int i = 0; i < b.n_factors; i++)
            b.width += b.given[i] / 2;
        return b;
    }
    while ((int64_t)1 << b.power <= n_padded / len)
        b.power++;
    limit = 2 * (limit > len ? limit : len);
    if ((int64_t)1 << b.power > limit) {
        b.n_factors = 2;
        b.factor[0] = 1 << b.power / 2;
        b.factor[1] = 1 << (b.power - b.power / 2);
    } else {
        b.factor[0] = 1 << b.power;
    }
    b.width = (b.factor[0] + b.factor[1]) / 2;
    return b;
}

/* A text that is one chunk is not hashed. */
static bool is_hashed(const struct model *m, int n_padded)
{
    return m->n_hashed > 0 && n_padded > m->config.chunked.hashed.len;
}

static size_t rotation_size(const struct config *c, int width)
{
    return (size_t)c->n_heads * (size_t)c->d_head * (size_t)c->chunked.n_hashes *
           (size_t)width;
}

void chunks_draw_rotations(struct pass *p)
{
    const struct config *c = &p->m->config;

    for (int t = 0; t < p->b->n_texts && p->want->rotations == NULL; t++) {
        int n = padded(c, pass_tokens(p, t));
        struct buckets b;
        struct rng r;
        float *x;

        if (!is_hashed(p->m, n))
            continue;
        b = buckets_of(c, n);
        if (p->rotation[b.power] != NULL)
            continue;
        x = arena_alloc_raw(p->call, rotation_size(c, b.width), sizeof *x);
        rng_seed(&r, (uint64_t)c->chunked.seed);
        rng_normal_fill(&r, x, (int64_t)rotation_size(c, b.width));
        p->rotation[b.power] = x;
    }
}

int chunks_check_rotations(const struct model *m, const struct rotations *r, int n_tokens,
                           struct err *e)
{
    int n = padded(&m->config, n_tokens), width;

    if (r == NULL || !is_hashed(m, n))
        return 0;
    width = buckets_of(&m->config, n).width;
    return r->width == width ? 0 :
           err_set(e, ERR_INPUT, "the rotations have %d columns, expected %d for a text of "
                   "%d tokens", r->width, width, n_tokens);
}

double chunks_memory(const struct model *m, int n_tokens)
{
    const struct config *c = &m->config;
    int n = padded(c, n_tokens);

    if (!is_hashed(m, n))
        return 0;
    return sizeof(float) * ((double)c->n_heads * c->chunked.n_hashes * n_tokens +
                            (double)rotation_size(c, buckets_of(c, n).width));
}

/* ---- chunks ---- */

struct chunk_job {
    const struct pass *p;
    const struct layer_plan *plan;
    struct chunk_view *view;    /* [texts, H] */
};

static const float *rotation_of(const struct chunk_job *j, const struct buckets *b,
                                int head)
{
    const struct config *c = &j->p->m->config;
    const struct rotations *given = j->p->want->rotations;
    size_t all = rotation_size(c, b->width);
    const float *x = given == NULL ? j->p->rotation[b->power] :
                     given->x + (given->n_sets > 1 ? (size_t)j->plan->hash_set * all : 0);

    return x + all / (size_t)c->n_heads * (size_t)head;
}

/* Chunks of one head of one text, by rank. */
static void hash_task(void *self, int i, struct arena *scratch)
{
    const struct chunk_job *j = self;
    const struct pass *p = j->p;
    const struct config *c = &p->m->config;
    struct chunk_view *v = &j->view[i];
    int text = i / c->n_heads, head = i % c->n_heads, T = v->T, n = padded(c, T);
    struct buckets b = buckets_of(c, n);
    struct lsh l = { .d = c->d_head, .n_rounds = c->chunked.n_hashes,
                     .n_factors = b.n_factors, .width = b.width,
                     .factor = b.given != NULL ? b.given : b.factor };
    const float *q = p->qkv + p->m->place.q[head] +
                     (int64_t)p->b->start[text] * p->m->place.width;
    size_t columns = (size_t)l.n_rounds * (size_t)l.width;
    uint64_t *sorted;
    int *bucket, *order;

    if (v->chunk == NULL)
        return;
    l.rotation = rotation_of(j, &b, head);
    bucket = arena_alloc_raw(scratch, (size_t)T * (size_t)l.n_rounds, sizeof *bucket);
    lsh_buckets(bucket, arena_alloc_raw(scratch, columns, sizeof(double)), q,
                p->m->place.width, &l, T);
    order = arena_alloc_raw(scratch, (size_t)T, sizeof *order);
    sorted = arena_alloc_raw(scratch, (size_t)T, sizeof *sorted);
    for (int r = 0; r < l.n_rounds; r++) {
        int *round = v->chunk + (int64_t)r * T;

        lsh_order(order, sorted, bucket + (int64_t)r * T, T);
        /* Padding has the last bucket, so that it fills up each round. */
        for (int t = 0; t < T; t++)
            round[order[t]] = (int)(((int64_t)r * n + t) / c->chunked.hashed.len);
    }
}

/* The views of the heads of one text; chunks by position are the same for all heads. */
static void text_view(const struct chunk_job *j, int text, int T)
{
    const struct config *c = &j->p->m->config;
    const struct chunks *ch = &j->plan->chunks;
    int H = c->n_heads, n = padded(c, T);
    int rounds = j->plan->hashed ? c->chunked.n_hashes : 1;
    size_t size = (size_t)T * (size_t)rounds;
    struct chunk_view v = { .T = T, .n_rounds = rounds, .own_last = j->plan->hashed };
    int *chunk = NULL, *seen;

    if (n > ch->len) {
        v.n_chunks = (int)((int64_t)rounds * n / ch->len);
        v.seen = seen = arena_alloc_raw(j->p->call, (size_t)v.n_chunks, sizeof *seen);
        chunks_seen(seen, v.n_chunks, ch->before, ch->after);
    }
    for (int h = 0; h < H; h++) {
        if (n > ch->len && (chunk == NULL || j->plan->hashed))
            chunk = arena_alloc_raw(j->p->call, size, sizeof *chunk);
        v.chunk = chunk;
        j->view[text * H + h] = v;
    }
    for (int t = 0; chunk != NULL && !j->plan->hashed && t < T; t++)
        chunk[t] = t / ch->len;
}

static void hide(const void *self, int text, int head, unsigned char *hidden,
                 size_t stride, int row0, int n_rows, int key0, int n_keys)
{
    const struct chunk_job *j = self;
    const struct chunk_view *v = &j->view[text * j->p->m->config.n_heads + head];

    for (int t = 0; v->chunk != NULL && t < n_rows; t++, hidden += stride)
        for (int s = 0; s < n_keys; s++)
            if (chunks_times(v, row0 + t, key0 + s) == 0)
                hidden[s] = 1;
}

/* True if a key is counted more than once, or a row's own score is set. */
static bool has_term(const struct chunk_view *v)
{
    bool more = v->n_rounds > 1 && v->chunk != NULL;

    for (int i = 0; i < v->n_chunks; i++)
        more = more || v->seen[i] > 1;
    return more || v->own_last;
}

void chunks_set(struct pass *p, const struct layer_plan *plan, struct heads *h)
{
    int H = p->m->config.n_heads, n = p->b->n_texts * H;
    struct chunk_job *j = arena_alloc(p->call, 1, sizeof *j);
    struct score_term *term;

    if (plan->chunks.len == 0)
        return;
    *j = (struct chunk_job){ p, plan, arena_alloc(p->call, (size_t)n, sizeof *j->view) };
    for (int t = 0; t < p->b->n_texts; t++)
        text_view(j, t, pass_tokens(p, t));
    if (plan->hashed)
        par_for(p->par, n, hash_task, j);
    term = arena_alloc(p->call, (size_t)n, sizeof *term);
    for (int i = 0; i < n; i++) {
        if (j->view[i].chunk != NULL)
            h->hide = hide;
        if (has_term(&j->view[i]))
            term[i] = (struct score_term){ chunks_term, &j->view[i] };
    }
    h->hide_self = j;
    h->terms = term;
}
