/* SPDX-License-Identifier: MIT
 * Rows by distance -> terms of the scores of each text and head. */
#include "run/distance.h"

#include "nn/precision.h"
#include "nn/bias.h"
#include "nn/relative.h"
#include "run/stage.h"

/* In lower precision, queries (all in p->qkv) as they go into any product. */
static void round_queries(struct pass *p, const struct heads *h)
{
    for (int i = 0; i < p->N; i++)
        for (int head = 0; head < p->m->config.n_heads; head++) {
            float *q = p->qkv + i * h->q_stride + h->q_at[head];

            precision_round(pass_precision(p), q, q, p->m->config.d_head);
        }
}

static const float *run_distance_pack_rows(struct pass *p, const float *rows)
{
    const struct config *config = &p->m->config;
    size_t size = relative_packed(config->relative.n_distances, config->d_head);
    float *packed = arena_alloc_raw(p->call, size, sizeof *packed);

    relative_pack(packed, rows, config->d_head, config->relative.n_distances,
                  config->d_head);
    precision_round(pass_precision(p), packed, packed, (int64_t)size);
    return packed;
}

/*
 * The row that each distance of query and key reads: row T - 1 is that of none, or the
 * middle one, where those that are too far read the first and the last.
 */
static struct distances distances_of(struct pass *p, const struct heads *h, int text)
{
    int T = pass_tokens(p, text), count = p->m->config.relative.n_distances;
    int S = h->key_start[text + 1] - h->key_start[text], reach = (T > S ? T : S) - 1;
    int none = p->m->config.relative.clip ? count / 2 : T - 1;
    int *row = arena_alloc_raw(p->call, 2 * (size_t)reach + 1, sizeof *row), *begin, end;

    for (int i = 0; i <= 2 * reach; i++) {
        row[i] = none + i - reach;
        row[i] = row[i] < 0 ? 0 : row[i] < count ? row[i] : count - 1;
    }
    end = row[2 * reach] + 1;
    begin = arena_alloc_raw(p->call, relative_begins(end), sizeof *begin);
    relative_find_begins(begin, row, reach, end);
    return (struct distances){ reach, row, begin };
}

void distance_terms(struct pass *p, struct heads *h, const float *rows, float scale)
{
    const struct config *config = &p->m->config;
    int H = config->n_heads, n_texts = p->b->n_texts;
    struct relative_positions *bias;
    struct distances *at;
    struct score_term *term;
    const float *packed;

    if (rows == NULL)
        return;
    if (pass_precision(p) != PRECISION_F32)
        round_queries(p, h);
    packed = run_distance_pack_rows(p, rows);
    at = arena_alloc_raw(p->call, (size_t)n_texts, sizeof *at);
    bias = arena_alloc_raw(p->call, (uint64_t)n_texts * (uint64_t)H, sizeof *bias);
    term = arena_alloc_raw(p->call, (uint64_t)n_texts * (uint64_t)H, sizeof *term);
    for (int t = 0; t < n_texts; t++) {
        at[t] = distances_of(p, h, t);
        for (int i = t * H; i < (t + 1) * H; i++) {
            bias[i] = (struct relative_positions){
                .at = &at[t], .by_query = packed, .d = config->d_head,
                .q = h->q + p->b->start[t] * h->q_stride + h->q_at[i - t * H],
                .q_stride = h->q_stride, .scale = config->relative.clip ? scale : 1,
            };
            term[i] = (struct score_term){ relative_positions, &bias[i] };
        }
    }
    h->terms = term;
}

/* The bucket of each distance that the texts hold. */
static const int *buckets_of(struct pass *p)
{
    const struct config *config = &p->m->config;
    int longest = 0, *bucket;

    for (int t = 0; t < p->b->n_texts; t++)
        if (pass_before(p, t) + pass_tokens(p, t) > longest)
            longest = pass_before(p, t) + pass_tokens(p, t);
    bucket = arena_alloc_raw(p->call, (size_t)longest, sizeof *bucket);
    for (int i = 0; i < longest; i++)
        bucket[i] = bias_bucket_of_sum(i, config->bias.n_buckets, config->bias.max_distance);
    return bucket;
}

void distance_buckets(struct pass *p, int l, struct heads *h)
{
    const struct param *param = &p->m->layer[l].slot[W_BUCKETS];
    int H = p->m->config.n_heads, n_texts = p->b->n_texts, width = param->matrix.N;
    struct bias_rows *bias;
    struct score_term *term;
    const int *bucket;
    float *value;

    if (param->weight == NULL)
        return;
    value = stage_floats(p, (size_t)p->N, (size_t)width);
    stage_linear(p, value, width, p->a, param->matrix.K, p->N, param);
    bucket = buckets_of(p);
    bias = arena_alloc_raw(p->call, (uint64_t)n_texts * (uint64_t)H, sizeof *bias);
    term = arena_alloc_raw(p->call, (uint64_t)n_texts * (uint64_t)H, sizeof *term);
    for (int i = 0; i < n_texts * H; i++) {
        bias[i] = (struct bias_rows){ value + (int64_t)p->b->start[i / H] * width + i % H, width,
                                      H, pass_before(p, i / H), bucket };
        term[i] = (struct score_term){ bias_rows, &bias[i] };
    }
    h->terms = term;
}
