/* SPDX-License-Identifier: MIT
 * Positions or hashed queries -> chunks, and the keys that their rows see. */
#include "run/special/chunks.h"

#include <limits.h>
#include <math.h>

#include "base/rng.h"
#include "base/str.h"
#include "nn/chunks.h"
#include "nn/lsh.h"

/* n tokens and the padding that fills their last chunk. */
static int padded(const struct config *config, int n)
{
    bool pads = config->chunked.pad_to > 0 && n > config->chunked.pad_above;
    int over = pads ? n % config->chunked.pad_to : 0;

    return over > 0 ? n - over + config->chunked.pad_to : n;
}

/* ---- buckets and rotations ---- */

struct buckets {
    int n_factors, factor[2];
    const int *given;           /* instead of factor, where the config has them */
    int width;                  /* of rotations */
    int power;                  /* of 2, where the text says how many; else 0 */
};

/* About two chunks of tokens per bucket, as transformers has it. */
static struct buckets buckets_of(const struct config *config, int n_padded)
{
    struct buckets buckets = { .n_factors = 1 };
    int len = config->chunked.hashed.len, limit = (int)sqrt(config->n_positions / len);

    if (config->chunked.n_factors > 0) {
        buckets.given = config->chunked.factor;
        buckets.n_factors = config->chunked.n_factors;
        for (int i = 0; i < buckets.n_factors; i++)
            buckets.width += buckets.given[i] / 2;
        return buckets;
    }
    while ((int64_t)1 << buckets.power <= n_padded / len)
        buckets.power++;
    limit = 2 * (limit > len ? limit : len);
    if ((int64_t)1 << buckets.power > limit) {
        buckets.n_factors = 2;
        buckets.factor[0] = 1 << buckets.power / 2;
        buckets.factor[1] = 1 << (buckets.power - buckets.power / 2);
    } else {
        buckets.factor[0] = 1 << buckets.power;
    }
    buckets.width = (buckets.factor[0] + buckets.factor[1]) / 2;
    return buckets;
}

/* A text that is one chunk is not hashed. */
static bool is_hashed(const struct model *model, int n_padded)
{
    return model->n_hashed > 0 && n_padded > model->config.chunked.hashed.len;
}

static size_t rotation_size(const struct config *config, int width)
{
    return (size_t)config->n_heads * (size_t)config->d_head * (size_t)config->chunked.n_hashes *
           (size_t)width;
}

void chunks_draw_rotations(struct pass *pass)
{
    const struct config *config = &pass->m->config;

    for (int t = 0; t < pass->b->n_texts && pass->want->rotations == NULL; t++) {
        int count = padded(config, pass_tokens(pass, t));
        struct buckets buckets;
        struct rng rng;
        float *x;

        if (!is_hashed(pass->m, count))
            continue;
        buckets = buckets_of(config, count);
        if (pass->rotation[buckets.power] != NULL)
            continue;
        x = arena_alloc_raw(pass->call, rotation_size(config, buckets.width), sizeof *x);
        rng_seed(&rng, (uint64_t)config->chunked.seed);
        rng_normal_fill(&rng, x, (int64_t)rotation_size(config, buckets.width));
        pass->rotation[buckets.power] = x;
    }
}

int chunks_check_rotations(const struct model *model, const struct rotations *rotations,
                           int n_tokens, struct err *e)
{
    int count = padded(&model->config, n_tokens), width;

    if (rotations == NULL || !is_hashed(model, count))
        return 0;
    width = buckets_of(&model->config, count).width;
    return rotations->width == width ? 0 :
           err_set(e, ERR_INPUT, "the rotations have %d column%s, expected %d for a text of "
                   "%d token%s", rotations->width, str_plural(rotations->width), width, n_tokens,
                   str_plural(n_tokens));
}

double chunks_memory(const struct model *model, int n_tokens)
{
    const struct config *config = &model->config;
    int count = padded(config, n_tokens);

    if (!is_hashed(model, count))
        return 0;
    return sizeof(float) *
           ((double)config->n_heads * config->chunked.n_hashes * n_tokens +
            (double)rotation_size(config, buckets_of(config, count).width));
}

/* ---- chunks ---- */

struct chunk_job {
    const struct pass *p;
    const struct layer_plan *plan;
    struct chunk_view *view;    /* [texts, H] */
};

static const float *rotation_of(const struct chunk_job *job, const struct buckets *buckets,
                                int head)
{
    const struct config *config = &job->p->m->config;
    const struct rotations *given = job->p->want->rotations;
    size_t all = rotation_size(config, buckets->width);
    const float *x = given == NULL ? job->p->rotation[buckets->power] :
                     given->x + (given->n_sets > 1 ? (size_t)job->plan->hash_set * all : 0);

    return x + all / (size_t)config->n_heads * (size_t)head;
}

/* Chunks of one head of one text, by rank. */
static void hash_task(void *self, int i, struct arena *scratch)
{
    const struct chunk_job *job = self;
    const struct pass *pass = job->p;
    const struct config *config = &pass->m->config;
    struct chunk_view *view = &job->view[i];
    int text = i / config->n_heads, head = i % config->n_heads, T = view->T,
        count = padded(config, T);
    struct buckets buckets = buckets_of(config, count);
    struct lsh lsh = { .d = config->d_head, .n_rounds = config->chunked.n_hashes,
                       .n_factors = buckets.n_factors, .width = buckets.width,
                       .factor = buckets.given != NULL ? buckets.given : buckets.factor };
    const float *q = pass->qkv + pass->m->place.q[head] +
                     (int64_t)pass->b->start[text] * pass->m->place.width;
    size_t columns = (size_t)lsh.n_rounds * (size_t)lsh.width;
    uint64_t *sorted;
    int *bucket, *order;

    if (view->chunk == NULL)
        return;
    lsh.rotation = rotation_of(job, &buckets, head);
    bucket = arena_alloc_raw(scratch, (uint64_t)T * (uint64_t)lsh.n_rounds, sizeof *bucket);
    lsh_buckets(bucket, arena_alloc_raw(scratch, columns, sizeof(double)), q,
                pass->m->place.width, &lsh, T);
    order = arena_alloc_raw(scratch, (size_t)T, sizeof *order);
    sorted = arena_alloc_raw(scratch, (size_t)T, sizeof *sorted);
    for (int r = 0; r < lsh.n_rounds; r++) {
        int *round = view->chunk + (int64_t)r * T;

        lsh_order(order, sorted, bucket + (int64_t)r * T, T);
        /* Padding has the last bucket, so that it fills up each round. */
        for (int t = 0; t < T; t++)
            round[order[t]] = (int)(((int64_t)r * count + t) /
                                    config->chunked.hashed.len);
    }
}

/* The views of the heads of one text; chunks by position are the same for all heads. */
static void text_view(const struct chunk_job *job, int text, int T)
{
    const struct config *config = &job->p->m->config;
    const struct chunks *chunks = &job->plan->chunks;
    int H = config->n_heads, count = padded(config, T);
    int rounds = job->plan->hashed ? config->chunked.n_hashes : 1;
    size_t size = (size_t)T * (size_t)rounds;
    struct chunk_view view = { .T = T, .n_rounds = rounds, .own_last = job->plan->hashed };
    int *chunk = NULL, *seen;

    if (count > chunks->len) {
        view.n_chunks = (int)(((int64_t)rounds * count + chunks->len - 1) / chunks->len);
        view.seen = seen = arena_alloc_raw(job->p->call, (size_t)view.n_chunks,
                                           sizeof *seen);
        chunks_seen(seen, view.n_chunks, chunks->before, chunks->after);
    }
    for (int head = 0; head < H; head++) {
        if (count > chunks->len && (chunk == NULL || job->plan->hashed))
            chunk = arena_alloc_raw(job->p->call, size, sizeof *chunk);
        view.chunk = chunk;
        job->view[text * H + head] = view;
    }
    for (int t = 0; chunk != NULL && !job->plan->hashed && t < T; t++)
        chunk[t] = t / chunks->len;
}

static void hide(const void *self, int text, int head, unsigned char *hidden,
                 size_t stride, int row0, int n_rows, int key0, int n_keys)
{
    const struct chunk_job *job = self;
    const struct chunk_view *view = &job->view[text * job->p->m->config.n_heads + head];

    for (int t = 0; view->chunk != NULL && t < n_rows; t++, hidden += stride)
        for (int s = 0; s < n_keys; s++)
            if (chunks_times(view, row0 + t, key0 + s) == 0)
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

void chunks_set(struct pass *pass, const struct layer_plan *plan, struct heads *heads)
{
    int H = pass->m->config.n_heads, count = pass->b->n_texts * H;
    struct chunk_job *job = arena_alloc(pass->call, 1, sizeof *job);
    struct score_term *term;

    if (plan->chunks.len == 0)
        return;
    *job = (struct chunk_job){ pass, plan,
                               arena_alloc(pass->call, (size_t)count, sizeof *job->view) };
    for (int t = 0; t < pass->b->n_texts; t++)
        text_view(job, t, pass_tokens(pass, t));
    if (plan->hashed)
        par_for(pass->par, count, hash_task, job);
    term = arena_alloc(pass->call, (size_t)count, sizeof *term);
    for (int i = 0; i < count; i++) {
        if (job->view[i].chunk != NULL)
            heads->hide = hide;
        if (has_term(&job->view[i]))
            term[i] = (struct score_term){ chunks_term, &job->view[i] };
    }
    heads->hide_self = job;
    heads->terms = term;
}
