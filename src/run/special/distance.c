/* SPDX-License-Identifier: MIT
 * Rows by distance -> terms of the scores of each text and head. */
#include "run/special/distance.h"

#include "nn/precision.h"
#include "nn/bias.h"
#include "nn/relative.h"
#include "run/stage.h"

/* In lower precision, queries (all in pass->qkv) as they go into any product. */
static void round_queries(struct pass *pass, const struct heads *heads)
{
    for (int i = 0; i < pass->N; i++)
        for (int head = 0; head < pass->m->config.n_heads; head++) {
            float *q = pass->qkv + i * heads->q_stride + heads->q_at[head];

            precision_round(pass_precision(pass), q, q, pass->m->config.d_head);
        }
}

static const float *run_distance_pack_rows(struct pass *pass, const float *rows)
{
    const struct config *config = &pass->m->config;
    size_t size = relative_packed(config->relative.n_distances, config->d_head);
    float *packed = arena_alloc_raw(pass->call, size, sizeof *packed);

    relative_pack(packed, rows, config->d_head, config->relative.n_distances,
                  config->d_head);
    precision_round(pass_precision(pass), packed, packed, (int64_t)size);
    return packed;
}

/*
 * The row that each distance of query and key reads: row T - 1 is that of none, or the
 * middle one, where those that are too far read the first and the last.
 */
static struct distances distances_of(struct pass *pass, const struct heads *heads, int text)
{
    int T = pass_tokens(pass, text), count = pass->m->config.relative.n_distances;
    int S = heads->key_start[text + 1] - heads->key_start[text], reach = (T > S ? T : S) - 1;
    int none = pass->m->config.relative.clip ? count / 2 : T - 1;
    int *row = arena_alloc_raw(pass->call, 2 * (size_t)reach + 1, sizeof *row), *begin, end;

    for (int i = 0; i <= 2 * reach; i++) {
        row[i] = none + i - reach;
        row[i] = row[i] < 0 ? 0 : row[i] < count ? row[i] : count - 1;
    }
    end = row[2 * reach] + 1;
    begin = arena_alloc_raw(pass->call, relative_begins(end), sizeof *begin);
    relative_find_begins(begin, row, reach, end);
    return (struct distances){ reach, row, begin };
}

void distance_terms(struct pass *pass, struct heads *heads, const float *rows, float scale)
{
    const struct config *config = &pass->m->config;
    int H = config->n_heads, n_texts = pass->b->n_texts;
    struct relative_positions *bias;
    struct distances *at;
    struct score_term *term;
    const float *packed;

    if (rows == NULL)
        return;
    if (pass_precision(pass) != PRECISION_F32)
        round_queries(pass, heads);
    packed = run_distance_pack_rows(pass, rows);
    at = arena_alloc_raw(pass->call, (size_t)n_texts, sizeof *at);
    bias = arena_alloc_raw(pass->call, (uint64_t)n_texts * (uint64_t)H, sizeof *bias);
    term = arena_alloc_raw(pass->call, (uint64_t)n_texts * (uint64_t)H, sizeof *term);
    for (int t = 0; t < n_texts; t++) {
        at[t] = distances_of(pass, heads, t);
        for (int i = t * H; i < (t + 1) * H; i++) {
            bias[i] = (struct relative_positions){
                .at = &at[t], .by_query = packed, .d = config->d_head,
                .q = heads->q + pass->b->start[t] * heads->q_stride + heads->q_at[i - t * H],
                .q_stride = heads->q_stride, .scale = config->relative.clip ? scale : 1,
            };
            term[i] = (struct score_term){ relative_positions, &bias[i] };
        }
    }
    heads->terms = term;
}

/* The bucket of each distance that the texts hold. */
static const int *buckets_of(struct pass *pass)
{
    const struct config *config = &pass->m->config;
    int longest = 0, *bucket;

    for (int t = 0; t < pass->b->n_texts; t++)
        if (pass_before(pass, t) + pass_tokens(pass, t) > longest)
            longest = pass_before(pass, t) + pass_tokens(pass, t);
    bucket = arena_alloc_raw(pass->call, (size_t)longest, sizeof *bucket);
    for (int i = 0; i < longest; i++)
        bucket[i] = bias_bucket_of_sum(i, config->bias.n_buckets, config->bias.max_distance);
    return bucket;
}

void distance_buckets(struct pass *pass, int l, struct heads *heads)
{
    const struct param *param = &pass->m->layer[l].slot[W_BUCKETS];
    int H = pass->m->config.n_heads, n_texts = pass->b->n_texts, width = param->matrix.N;
    struct bias_rows *bias;
    struct score_term *term;
    const int *bucket;
    float *value;

    if (param->weight == NULL)
        return;
    value = stage_floats(pass, (size_t)pass->N, (size_t)width);
    stage_linear(pass, value, width, pass->a, param->matrix.K, pass->N, param);
    bucket = buckets_of(pass);
    bias = arena_alloc_raw(pass->call, (uint64_t)n_texts * (uint64_t)H, sizeof *bias);
    term = arena_alloc_raw(pass->call, (uint64_t)n_texts * (uint64_t)H, sizeof *term);
    for (int i = 0; i < n_texts * H; i++) {
        bias[i] = (struct bias_rows){ value + (int64_t)pass->b->start[i / H] * width + i % H, width,
                                      H, pass_before(pass, i / H), bucket };
        term[i] = (struct score_term){ bias_rows, &bias[i] };
    }
    heads->terms = term;
}
