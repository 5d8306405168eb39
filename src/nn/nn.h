/* SPDX-License-Identifier: MIT
 *
 * The sums: no input or output, no allocation, no failure.  Preconditions are
 * asserted; model/bind.c and cmd/ established them.
 *
 * Dimensions, here and everywhere:
 *     L layers   H query heads   G key/value heads   T tokens (queries)
 *     S keys     D model width   d head width        F mlp width   V vocabulary
 *
 * The same bytes.  Each output is summed in one fixed order, k (or the key) from
 * 0 upwards, one addition (or fused multiply-add) an element, in one accumulator:
 * so a result depends neither on the number of rows in the product, nor on a
 * row's place among them, nor on blocking or threads.  Sums over a row (softmax,
 * norms) run in 16 lanes, lane = absolute index mod 16, and the lanes are added
 * in one fixed tree.  Kernels (plain C, AVX2, AVX-512) agree within a relative
 * error of 1e-5 of the sum of magnitudes; the plain C one is the reference. */
#ifndef NN_NN_H
#define NN_NN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- kernels, chosen once at start ---- */

enum kernel { KERNEL_C, KERNEL_AVX2, KERNEL_AVX512, N_KERNEL };

/*
 * Chooses the fastest kernel that this processor has, or the one named ("c",
 * "avx2", "avx512"; NULL: fastest).  Returns 0, or -1 where the name is unknown
 * or the processor lacks it.  Called once by main before any thread starts
 * (tests call it between runs).  Default without a call: KERNEL_C.
 */
int nn_choose_kernel(const char *name);
enum kernel nn_kernel(void);
const char *nn_kernel_name(enum kernel k);

/* ---- precision ---- */

/* What the inputs of a product are rounded to, before it; products and sums are in
 * single precision whatever it is. */
enum precision { PRECISION_F32, PRECISION_BF16, PRECISION_F16, N_PRECISION };
extern const char *const precision_names[];     /* "f32", "bf16", "f16", NULL */

/* y[i] = the nearest number of that format to x[i], ties to even; too large for f16:
 * infinite.  y may be x. */
void precision_round(enum precision to, float *y, const float *x, int64_t n);

/* ---- linear ---- */

enum element { ELEMENT_OTHER, ELEMENT_F16, ELEMENT_BF16 };

/*
 * The matrix of a linear as it lies in the file.
 *     order_in_out false:  w[n][k], y = x w^T     (torch Linear)
 *     order_in_out true:   w[k][n], y = x w       (GPT-2's Conv1D; also values)
 * to_f32 decodes n elements, whole blocks; NULL: data are floats, aligned to 4 bytes.
 */
struct matrix {
    const unsigned char *data;
    int size_bytes;                 /* of one stored block */
    int block;                      /* elements that are stored together: 0 or 1: each
                                       by itself; else 32 or 256, K and stride are
                                       multiples of it, and order_in_out is false */
    void (*to_f32)(float *out, const unsigned char *data, int64_t n);
    enum element element;           /* what to_f32 decodes; vector units do it faster */
    int N, K;                       /* outputs, inputs */
    int64_t stride;                 /* elements from one stored row to the next */
    bool order_in_out;
    enum precision precision;       /* that its elements are rounded to */
};

enum { PANEL = 32 };                /* outputs that are packed and computed together */

/* Floats of scratch that linear_panel needs: K * PANEL and room to decode. */
size_t linear_scratch(int K);

/*
 * Outputs [n0, min(n0 + PANEL, N)) of y = x w (+ bias):
 *
 *     y[m][n] = bias[n] + sum over k of x[m][k] * w[n][k]
 *
 * The sum starts at 0 and runs over k upwards; the bias is added last.
 * x        [M, K], row m at x + m * x_stride
 * y        [M, N], row m at y + m * y_stride; only these columns are written
 * bias     [N] or NULL
 * n0       a multiple of PANEL
 * scratch  linear_scratch(K) floats, aligned to 64 bytes
 *
 * Panels are what threads share out.  May not overlap.
 */
void linear_panel(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                  int M, const struct matrix *w, const float *bias, int n0,
                  float *scratch);

/* ---- norms, activations ---- */

/*
 * y = (x - mean) / sqrt(var + eps) * weight + bias, mean and var of each row of
 * [T, D] in double, var divided by D.  weight, bias [D] or NULL.  y may be x.
 */
void norm_layer(float *y, const float *x, const float *weight, const float *bias,
                float eps, int T, int D);

/* y = x / sqrt(mean(x^2) + eps) * weight. */
void norm_rms(float *y, const float *x, const float *weight, float eps, int T, int D);

enum act {
    ACT_GELU,           /* x/2 (1 + erf(x / sqrt 2)) */
    ACT_GELU_TANH,      /* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
    ACT_QUICK_GELU,     /* x sigmoid(1.702 x) */
    ACT_SILU,           /* x sigmoid(x) */
    ACT_RELU, ACT_TANH,
    N_ACT
};

/* y[i] = act(y[i]); within 2e-7 (1 + |y|) of the formula in double. */
void act_apply(enum act act, float *y, int64_t n);

/* y[i] = act(gate[i]) * y[i]. */
void act_gated(enum act act, float *y, const float *gate, int64_t n);

/* y[i] += x[i] */
void add_to(float *y, const float *x, int64_t n);

/* ---- rotary positions ---- */

enum rope_layout {
    ROPE_HALVES,        /* pairs (i, i + r/2): Hugging Face's LLaMA */
    ROPE_PAIRS          /* pairs (2i, 2i + 1): GPT-J */
};

/*
 * cos[p][i] = factor cos(p f_i), sin likewise, rounded where the reference rounds:
 * the angle p f_i, its cosine and the product with factor, each to float.
 * inv_freq [r/2]; cos, sin [n_pos, r/2] for positions pos0 .. pos0 + n_pos - 1.
 */
void rope_table(float *cos, float *sin, const float *inv_freq, int r, float factor,
                int pos0, int n_pos);

/*
 * Rotates the first r columns of n_heads heads of width d in one row in place:
 * (a, b) -> (a cos - b sin, b cos + a sin).  cos, sin [r/2] of its position.
 */
void rope_apply(float *row, int n_heads, int d, int r, enum rope_layout layout,
                const float *cos, const float *sin);

/* ---- attention ---- */

enum { ATTEND_ROWS = 32 };          /* query rows of a block; a constant */

/*
 * Adds to scaled scores, or sets them: score[t * stride + j] is row row0 + t, key
 * key0 + j.  add NULL: nothing.
 */
struct score_term {
    void (*add)(const void *self, float *score, size_t stride, int row0, int n_rows,
                int key0, int n_keys);
    const void *self;
};

enum { SCORE_TERMS = 3 };         /* two of a family, and the user's mask */

/* What is hidden, added and scaled for one head of one text. */
struct attend {
    int S;              /* keys */
    int d, d_v;         /* widths of q and k, and of v */
    float scale;        /* scores are scale * q.k */
    int lo, hi;         /* row i sees keys i + offset - lo .. i + offset + hi,
                           clipped to [0, S); INT_MAX: no limit */
    int offset;         /* key index of row 0's own position; 0 for self-attention */
    float cap;          /* above 0: scores become cap tanh(score / cap) */
    struct score_term term[SCORE_TERMS];    /* then, in this order; row0 is offset + row */
    /*
     * Of the block at hand: hidden[t * hidden_stride + j] is 1 where its row t does
     * not see key key0 + j (attend_keys says key0), whatever lo and hi say.  NULL:
     * they say it all.
     */
    const unsigned char *hidden;
    size_t hidden_stride;
    enum precision precision;   /* that weights are rounded to before they meet values;
                                   those handed out are not */
    float *round_room;          /* [ATTEND_ROWS * attend_stride(S)], where that is not f32 */
};

/* The keys that any of rows row0 .. row0 + n_rows - 1 sees by lo and hi; key0 is
 * rounded down to a multiple of 32. */
void attend_keys(const struct attend *at, int row0, int n_rows, int *key0, int *n_keys);

/* ALiBi: slope * key (the same softmax as slope * (key - row)).  Press et al. 2022. */
struct bias_alibi {
    float slope;
    bool rounded;           /* slope and product to bfloat16, then times factor: Falcon */
    float factor;
};
void bias_alibi(const void *self, float *score, size_t stride, int row0, int n_rows,
                int key0, int n_keys);

/* slope[H] of ALiBi: powers of 2^(-8/p), p the largest power of two <= H, then the
 * odd powers of 2^(-4/p). */
void alibi_slopes(float *slope, int H);

/*
 * Buckets of relative positions: value[bucket(key - row)].  One way: only the past
 * counts, all buckets are its; both ways: half of them for keys behind the row.
 * Half of those are exact distances, the others grow logarithmically up to max.
 * Source: Raffel et al. 2020, section 2.1.
 */
struct bias_buckets {
    const float *value;     /* [n_buckets] of this head */
    int n_buckets, max_distance;
    bool both_ways;
};
void bias_buckets(const void *self, float *score, size_t stride, int row0, int n_rows,
                  int key0, int n_keys);
int relative_bucket(int distance, bool both_ways, int n_buckets, int max_distance);

/*
 * DeBERTa's buckets of distances: those up to half of n_buckets (at least 2) as they
 * are, longer ones by logarithm up to max_distance - 1, which is beyond that half, and
 * on from there, but no further than 2.5 n_buckets; the sign is the distance's.
 * Source: transformers modeling_deberta_v2.py, make_log_bucket_position.
 */
int log_bucket(int distance, int n_buckets, int max_distance);

/* Which row of a table of positions the distance query - key reads. */
struct distances {
    int reach;              /* distances are -reach .. reach */
    const int *row;         /* [2 reach + 1] of -reach first; they never decrease */
    const int *begin;       /* [distances_begins]: where each PANEL of rows begins */
};

/* begin from the rest; n_rows: of the table, 1 more than the last of row. */
size_t distances_begins(int n_rows);
void distances_begin(int *begin, const int *row, int reach, int n_rows);

/* Packs n_rows rows of width d, row r at rows + r * stride, for the two below. */
size_t relative_packed(int n_rows, int d);
void relative_pack(float *packed, const float *rows, int64_t stride, int n_rows, int d);

/*
 * Positions by content: with r the row that i - j reads,
 *
 *     score[i][j] += scale * (q[i].A[r] + add[r] + k[j].B[r])
 *
 * A product of 32 queries with a panel of A, or of 32 keys with one of B, gives what
 * its distances read, so that this costs as much as the scores, not a sum a score.
 * Text rows and keys are at most reach apart.  add is rounded up to whole panels.
 * Source: He et al. 2021, eq. 4 (A positions' keys, B their queries); Dai et al. 2019,
 * section 3.3 (A alone).
 */
struct bias_relative {
    const struct distances *at;
    const float *by_query, *by_key;     /* A and B, packed; NULL: none */
    const float *add;                   /* NULL: none */
    const float *q, *k;                 /* of the text's first token */
    int64_t q_stride, k_stride;
    int d;
    float scale;
};
void bias_relative(const void *self, float *score, size_t stride, int row0, int n_rows,
                   int key0, int n_keys);

/*
 * Segments: score[i][j] += scale * (q[i].A[s] + add[s]), s 1 where the types of tokens
 * i and j differ, else 0.  Yang et al. 2019, section 2.4.
 */
struct bias_segments {
    const int *type;                    /* of the text's tokens */
    const float *by_query;              /* A [2, d], packed */
    const float *add;                   /* [PANEL] */
    const float *q;
    int64_t q_stride;
    int d;
    float scale;
};
void bias_segments(const void *self, float *score, size_t stride, int row0, int n_rows,
                   int key0, int n_keys);

/*
 * Keys [0, n_keys) stand `copies` times in the softmax of rows [first, end): adds
 * ln copies to their scores, so that a weight is that of all copies together.
 * BigBird, where what should be blocks chosen by chance is the first block, again.
 */
struct bias_copies {
    int first, end, n_keys;
    int copies;             /* 1: nothing is added */
};
void bias_copies(const void *self, float *score, size_t stride, int row0, int n_rows,
                 int key0, int n_keys);

/*
 * Chunks: a row of chunk c sees the keys of chunks c - before .. c + after, cyclic, once
 * for each time that a chunk comes up.  Tokens are cut into chunks n_rounds times, by
 * their positions or by ranks of their own; all rounds stand in one row, one behind the
 * other.  seen[j] is how often a chunk comes up that stands j behind the row's own.
 */
struct chunk_view {
    int *chunk;             /* [n_rounds, T] of each token; NULL: every key is seen once */
    int T, n_rounds;
    int n_chunks;           /* of all rounds */
    const int *seen;        /* [n_chunks] */
    bool own_last;          /* a row sees itself only where it sees nothing else */
};

/* seen[n_chunks] as above. */
void chunk_seen(int *seen, int n_chunks, int before, int after);

/* How often row i sees key j: 0: not at all. */
int chunk_times(const struct chunk_view *v, int i, int j);

/*
 * For a key that is seen m times: + ln m, which is the softmax over m copies of it; before
 * that, -1e5 in place of a row's score with itself where it is a last resort.  self is a
 * struct chunk_view.
 */
void chunk_term(const void *self, float *score, size_t stride, int row0, int n_rows,
                int key0, int n_keys);

/*
 * Random rotations into buckets: in each round r, with R_r [d, width],
 *
 *     bucket = sum over factors i of argmax [x R_ri; -x R_ri] * (product of factors before)
 *
 * where R_ri are the next factor[i] / 2 columns of R_r; the first of equal maxima counts.
 * Source: Andoni et al. 2015; Kitaev et al. 2020, section 2.
 */
struct lsh {
    int d, n_rounds, n_factors;
    const int *factor;          /* [n_factors] even; half their sum is width */
    int width;
    const float *rotation;      /* [d, n_rounds, width] of this head */
};

/* bucket[n_rounds, T] of x [T, d], row t at x + t * x_stride; room n_rounds * width. */
void lsh_buckets(int *bucket, double *room, const float *x, int64_t x_stride,
                 const struct lsh *l, int T);

/* rank[T]: the place of each token by bucket, then by position; room [T]. */
void lsh_ranks(int *rank, uint64_t *room, const int *bucket, int T);

/* Floats from one row of attend_block's weights to the next, at least, of S keys. */
size_t attend_stride(int S);

/* Floats that attend_pack needs for keys and values together. */
size_t attend_packed(int S, int d, int d_v);

/*
 * Packs keys k [S, d] (row s at k + s * k_stride) and values v [S, d_v] of one
 * head for attend_block; lanes follow absolute key numbers.
 */
void attend_pack(float *packed, const float *k, int64_t k_stride, const float *v,
                 int64_t v_stride, int S, int d, int d_v);

/*
 * One block of query rows row0 .. row0 + n_rows - 1 (n_rows <= ATTEND_ROWS):
 *
 *     w[t][s] = softmax over visible s of scale * q[t].k[s]      out = w v
 *
 * q        [n_rows, d], row t at q + t * q_stride
 * packed   from attend_pack
 * w        out: [n_rows, w_stride], aligned to 64 bytes; columns [*key0,
 *          *key0 + *n_keys) of each row are at w[t * w_stride + 0 ..]: hidden keys
 *          exactly 0; a row without a visible key is all 0, its entropy and out
 *          too.  w_stride >= attend_stride(S), a multiple of 16.
 * key0, n_keys   out: what attend_keys says
 * entropy  out: [n_rows] nats, -sum w ln w over visible keys, from ln Z - sum(e x)/Z
 *          in double; within 1e-6 of the formula on the returned weights; NULL: not wanted
 * out      out: [n_rows, d_v], row t at out + t * out_stride; NULL: not wanted
 *
 * Where a score that a row sees is NaN or infinite, all weights of the row that
 * are not hidden, its entropy and out are NaN.  A hidden key adds 0 * v to out:
 * nothing, unless its v is not finite.
 */
void attend_block(float *w, size_t w_stride, int *key0, int *n_keys, double *entropy,
                  float *out, int64_t out_stride, const float *q, int64_t q_stride,
                  const float *packed, const struct attend *at, int row0, int n_rows);

/*
 * The same for all T rows in plain C and double, every weight kept: the
 * reference of everything faster in this folder.
 *
 * q [T, d], k [S, d], v [S, d_v], w [T, S], out [T, d_v]; visible as in attend,
 * where hidden has all T rows and S keys.
 * Source: Vaswani et al. 2017, eq. 1.
 */
void attention_reference(double *w, double *out, const float *q, const float *k,
                         const float *v, const struct attend *at, int T);

#endif
