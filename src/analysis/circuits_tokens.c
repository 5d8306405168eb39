/* SPDX-License-Identifier: MIT
 * Folded weights between embedding and unembedding -> copying in full, ranks, successors. */
#include <math.h>
#include <string.h>

#include "analysis/circuits.h"
#include "analysis/eigen.h"
#include "run/special/first.h"
#include "run/special/fold.h"
#include "run/stage.h"

/* Rows of logits at a time, and of the vocabulary. */
enum { LOGIT_ROWS = 64, VOCABULARY_ROWS = 512 };

/* Logits of a token that are nearer to each other than this say nothing. */
static const double SPREAD_LEAST = 1e-4;

/* What does not vary by head. */
struct unembed {
    const struct model *m;
    struct pass *p;
    int D, V, d_v;
    struct param head;          /* W_U without its bias */
    const float *gain;          /* [D] of the final norm; NULL: there is none */
    bool centred, normed;       /* the final norm takes the mean away; there is one */
    float *constant;            /* [V] W_U b + b_U */
    double scale;               /* of logits */
    int n;                      /* rows: the sample, then of each class x and mlp0 */
    const int *id;              /* [n] whose token each row is */
    float *x;                   /* [n, D] */
};

bool circuits_has_tokens(const struct model *model)
{
    return first_is_known(model) && model->has_head && model->config.head.task == NULL &&
           model->slot[W_HEAD_DENSE].weight == NULL && !model->config.head.one_number &&
           model->slot[W_FINAL_PROJ].weight == NULL &&
           model->slot[W_HEAD].matrix.K == model->config.d_model &&
           model->slot[W_HEAD].matrix.N == model->slot[W_TOK].matrix.N;
}

/* ---- in full ---- */

/* to[n, D] = rows first .. first + n - 1 of a matrix that is stored row by row. */
static void circuits_tokens_read_rows(float *to, const struct matrix *matrix, int first, int n)
{
    for (int i = 0; i < n; i++)
        linear_row(to + (int64_t)i * matrix->K, matrix, first + i);
}

/* Rows of W_U as the final norm hands them on. */
static void fold_head(const struct unembed *unembed, float *x, int n)
{
    for (int64_t i = 0; unembed->gain != NULL && i < n; i++)
        for (int k = 0; k < unembed->D; k++)
            x[i * unembed->D + k] *= unembed->gain[k];
    if (fold_is_centred(unembed->m))
        fold_centre(x, n, unembed->D);
}

/* sum[D] += the rows of x[n, D] */
static void circuits_tokens_add_rows(double *sum, const float *x, int n, int D)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < D; k++)
            sum[k] += (double)x[(int64_t)i * D + k];
}

static void circuits_tokens_transpose(float *to, const float *x, int n, int D)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < D; k++)
            to[k * n + i] = x[i * D + k];
}

/*
 * (W_U W_E)[D, D], summed over the vocabulary: W_U folded, and without its mean over the
 * tokens; W_E as the stream is centred.
 */
static float *token_square(const struct unembed *unembed)
{
    struct arena *a = unembed->p->call;
    int D = unembed->D;
    uint64_t square = (uint64_t)D * (uint64_t)D;
    float *e = stage_floats(unembed->p, VOCABULARY_ROWS, (size_t)D);
    float *w = stage_floats(unembed->p, VOCABULARY_ROWS, (size_t)D);
    float *turned = stage_floats(unembed->p, VOCABULARY_ROWS, (size_t)D);
    float *part = arena_alloc_raw(a, square, sizeof *part);
    double *sum = arena_alloc(a, square, sizeof *sum);
    double *sum_e = arena_alloc(a, (uint64_t)D, sizeof *sum_e);
    double *sum_w = arena_alloc(a, (uint64_t)D, sizeof *sum_w);

    for (int first = 0; first < unembed->V; first += VOCABULARY_ROWS) {
        int n = unembed->V - first < VOCABULARY_ROWS ? unembed->V - first : VOCABULARY_ROWS;
        struct param right = fold_param(e, D, n, true);

        circuits_tokens_read_rows(e, &unembed->m->slot[W_TOK].matrix, first, n);
        if (fold_is_centred(unembed->m))
            fold_centre(e, n, D);
        circuits_tokens_read_rows(w, &unembed->head.matrix, first, n);
        fold_head(unembed, w, n);
        circuits_tokens_transpose(turned, w, n, D);
        stage_linear(unembed->p, part, D, turned, n, D, &right);
        for (uint64_t i = 0; i < square; i++)
            sum[i] += (double)part[i];
        circuits_tokens_add_rows(sum_e, e, n, D);
        circuits_tokens_add_rows(sum_w, w, n, D);
    }
    for (uint64_t i = 0; i < square; i++)
        part[i] = (float)(sum[i] - sum_w[i / (uint64_t)D] * sum_e[i % (uint64_t)D] / unembed->V);
    return part;
}

struct full {
    const struct fold *f;
    const float *o;             /* [H d_v, D] W_O W_U W_E */
    double *copy;               /* [H] */
};

static void full_head(void *self, int h, struct arena *scratch)
{
    const struct full *job = self;
    const struct fold *f = job->f;
    int64_t n = f->d_v, D = f->D;
    const float *o = job->o + h * n * D, *v = f->v + h / (f->H / f->G) * n * D;
    double *a = arena_alloc_raw(scratch, (uint64_t)n, (uint64_t)n * sizeof *a);

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;

            for (int64_t k = 0; k < D; k++)
                sum += (double)o[i * D + k] * (double)v[j * D + k];
            a[i * n + j] = sum;
        }
    job->copy[h] = eigen_share(a, f->d_v, scratch);
}

static void copy_in_full(const struct unembed *unembed, const float *square,
                         const struct fold *fold, double *copy)
{
    int rows = fold->H * fold->d_v;
    struct param right = fold_param(square, fold->D, fold->D, true);
    float *o = stage_floats(unembed->p, (size_t)rows, (size_t)fold->D);

    stage_linear(unembed->p, o, fold->D, fold->o, fold->D, rows, &right);
    par_for(unembed->p->par, fold->H, full_head, &(struct full){ fold, o, copy });
}

/* ---- logits of one head ---- */

/* One head between the rows and their logits. */
struct through {
    const struct unembed *u;
    float *y;                   /* [n, d_v] what it reads, over what the final norm divides by */
    float *written;             /* [d_v, V] */
    float *logits;              /* [LOGIT_ROWS, V] */
};

/* What the final norm divides by, for y[d_v] and the products of the rows that it adds up. */
static double divisor(const struct unembed *unembed, const double *gram, const float *y)
{
    double squares = 0, eps = unembed->m->config.norm.eps;

    for (int i = 0; i < unembed->d_v; i++)
        for (int j = 0; j < unembed->d_v; j++)
            squares += (double)y[i] * (double)y[j] * gram[(int64_t)i * unembed->d_v + j];
    squares = squares > 0 ? squares : 0;
    return unembed->m->family->norm == NORM_DEVIATION ?
               sqrt(squares / (unembed->D > 1 ? unembed->D - 1 : 1)) + eps :
               sqrt(squares / unembed->D + eps);
}

static double *gram_of(struct arena *a, const float *o, int n, int D)
{
    double *gram = arena_alloc_raw(a, (uint64_t)n, (uint64_t)n * sizeof *gram);

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;

            for (int64_t k = 0; k < D; k++)
                sum += (double)o[i * D + k] * (double)o[j * D + k];
            gram[i * n + j] = gram[j * n + i] = sum;
        }
    return gram;
}

/* The head's output rows o[d_v, D] through the final norm's mean and gain to the vocabulary. */
static void pass_through(struct through *through, const struct fold *fold, int h,
                         const float *values)
{
    const struct unembed *u = through->u;
    int d_v = u->d_v, D = u->D, g = h / (fold->H / fold->G);
    float *o = stage_floats(u->p, (size_t)d_v, (size_t)D);
    const double *gram;

    memcpy(o, fold->o + (int64_t)h * d_v * D, (size_t)d_v * (size_t)D * sizeof *o);
    if (u->centred)
        fold_centre(o, d_v, D);
    gram = gram_of(u->p->call, o, d_v, D);
    for (int64_t i = 0; i < u->n; i++) {
        const float *from = values + (i * fold->G + g) * d_v;
        double by = u->normed ? divisor(u, gram, from) : 1;

        for (int k = 0; k < d_v; k++)
            through->y[i * d_v + k] = (float)((double)from[k] / by);
    }
    for (int64_t i = 0; u->gain != NULL && i < d_v; i++)
        for (int k = 0; k < D; k++)
            o[i * D + k] *= u->gain[k];
    stage_linear(u->p, through->written, u->V, o, D, d_v, &u->head);
}

/* logits of rows first .. first + n - 1 */
static void to_logits(const struct through *through, int first, int n)
{
    struct param head = fold_param(through->written, through->u->V, through->u->d_v, true);

    head.bias = through->u->constant;
    stage_linear(through->u->p, through->logits, through->u->V,
                 through->y + (int64_t)first * through->u->d_v, through->u->d_v, n, &head);
}

/* ---- scores ---- */

struct rank {
    bool usable;
    int higher, lower;          /* logits above and below the token's own */
};

struct ranking {
    const struct through *t;
    const int *id;              /* of the rows at hand */
    struct rank *rank;
};

static void rank_row(void *self, int i, struct arena *scratch)
{
    const struct ranking *job = self;
    const struct unembed *u = job->t->u;
    const float *x = job->t->logits + (int64_t)i * u->V;
    float own = x[job->id[i]], least = own, most = own;
    struct rank *to = &job->rank[i];

    (void)scratch;
    *to = (struct rank){ 0 };
    for (int k = 0; k < u->V; k++) {
        to->higher += x[k] > own;
        to->lower += x[k] < own;
        least = fminf(least, x[k]);
        most = fmaxf(most, x[k]);
    }
    to->usable = ((double)most - (double)least) * u->scale >= SPREAD_LEAST;
}

/* Shares of usable rows whose rank is among the first, and the last. */
static void share_ranks(const struct rank *rank, int n, double *high, double *low)
{
    int usable = 0, highest = 0, lowest = 0;

    for (int i = 0; i < n; i++) {
        usable += rank[i].usable;
        highest += rank[i].usable && rank[i].higher < CIRCUITS_RANK;
        lowest += rank[i].usable && rank[i].lower < CIRCUITS_RANK;
    }
    *high = usable > 0 ? (double)highest / usable : NAN;
    *low = usable > 0 ? (double)lowest / usable : NAN;
}

/* Whether the highest logit within the class is that of the member after i. */
static bool is_next(const struct circuits_class *class, int i, const float *logits)
{
    int best = 0;

    for (int k = 1; k < class->n; k++)
        if (logits[class->id[k]] > logits[class->id[best]])
            best = k;
    return best == class->next[i];
}

/* Members of a class that count, and those whose next is the highest. */
struct hits { int usable, found; };

/* Of a class whose rows are `rank`'s, with is_next already asked. */
static struct hits hits_of(const struct circuits_class *class, const struct rank *rank,
                           const bool *next)
{
    struct hits hits = { 0, 0 };

    for (int i = 0; i < class->n; i++) {
        bool counts = class->next[i] >= 0 && rank[i].usable;

        hits.usable += counts;
        hits.found += counts && next[i];
    }
    return hits;
}

static double share_of(struct hits hits)
{
    return hits.usable > 0 ? (double)hits.found / hits.usable : NAN;
}

/* The probability of so many hits or more where each has the probability p < 1. */
static double chance_of(struct hits hits, double p)
{
    double term = 1, sum = 0;

    for (int i = 0; i < hits.usable; i++)
        term *= 1 - p;
    for (int i = 0; i <= hits.usable; i++) {
        sum += i >= hits.found ? term : 0;
        term *= (double)(hits.usable - i) / (i + 1) * p / (1 - p);
    }
    return fmin(sum, 1);
}

/* Classes that are large enough for hits to mean something. */
static int count_tested(const struct circuits_tokens *tokens)
{
    int count = 0;

    for (int k = 0; k < tokens->n_classes; k++) {
        int members = 0;

        for (int i = 0; i < tokens->class[k].n; i++)
            members += tokens->class[k].next[i] >= 0;
        count += members >= CIRCUITS_MEMBERS;
    }
    return count;
}

/* Of one class of one head, which is the best of all classes of all heads. */
static double successor_p(const struct circuits *circuits, const struct circuits_tokens *tokens,
                          int k, struct hits hits)
{
    if (hits.usable < CIRCUITS_MEMBERS)
        return NAN;
    return fmin(chance_of(hits, 1. / tokens->class[k].n) * circuits->L * circuits->H *
                    count_tested(tokens),
                1);
}

/* The class and the member that row `row` is of, after those of the sample; -1: none. */
static int circuits_tokens_class_of(const struct circuits_tokens *tokens, int row, int *member)
{
    row -= tokens->n;
    for (int c = 0; row >= 0 && c < tokens->n_classes; c++) {
        int n = tokens->class[c].n;

        if (row < 2 * n) {
            *member = row % n;
            return c;
        }
        row -= 2 * n;
    }
    return -1;
}

static void score_head(struct circuits *circuits, int at, const struct through *through,
                       const struct circuits_tokens *tokens)
{
    const struct unembed *u = through->u;
    struct rank *rank = arena_alloc(u->p->call, (uint64_t)u->n, sizeof *rank);
    bool *next = arena_alloc(u->p->call, (uint64_t)u->n, sizeof *next);
    int row = tokens->n, member = 0;

    for (int first = 0; first < u->n; first += LOGIT_ROWS) {
        int n = u->n - first < LOGIT_ROWS ? u->n - first : LOGIT_ROWS;

        to_logits(through, first, n);
        par_for(u->p->par, n, rank_row, &(struct ranking){ through, u->id + first, rank + first });
        for (int i = 0; i < n; i++) {
            int k = circuits_tokens_class_of(tokens, first + i, &member);

            if (k >= 0)
                next[first + i] = is_next(&tokens->class[k], member,
                                          through->logits + (int64_t)i * u->V);
        }
    }
    share_ranks(rank, tokens->n, &circuits->copy_rank[at], &circuits->negative_copy[at]);
    for (int k = 0; k < tokens->n_classes; k++) {
        const struct circuits_class *class = &tokens->class[k];
        int64_t to = (int64_t)at * tokens->n_classes + k;
        struct hits hits = hits_of(class, rank + row, next + row);

        circuits->successor[to] = share_of(hits);
        circuits->successor_p[to] = successor_p(circuits, tokens, k, hits);
        circuits->successor_mlp[to] = share_of(hits_of(class, rank + row + class->n,
                                                       next + row + class->n));
        row += 2 * class->n;
    }
}

/* ---- the model ---- */

/* What is added to every token's logits: the final norm's bias through W_U, and b_U. */
static float *constant_of(const struct unembed *unembed)
{
    const struct param *slot = unembed->m->slot;
    struct param head = slot[W_HEAD];
    float *row = arena_alloc(unembed->p->call, (uint64_t)unembed->D, sizeof *row);
    float *to = stage_floats(unembed->p, 1, (size_t)unembed->V);

    if (slot[W_HEAD_BIAS].vector != NULL)
        head.bias = slot[W_HEAD_BIAS].vector;
    if (slot[W_FINAL_NORM].bias != NULL)
        memcpy(row, slot[W_FINAL_NORM].bias, (size_t)unembed->D * sizeof *row);
    stage_linear(unembed->p, to, unembed->V, row, unembed->D, 1, &head);
    return to;
}

/* The rows: the sample, and of each class with the embedding and without. */
static void make_rows(struct unembed *unembed, const struct circuits_tokens *tokens)
{
    struct arena *a = unembed->p->call;
    int64_t D = unembed->D, row = tokens->n;
    int *id;
    float *mlp;

    unembed->n = tokens->n;
    for (int c = 0; c < tokens->n_classes; c++)
        unembed->n += 2 * tokens->class[c].n;
    unembed->id = id = arena_alloc_raw(a, (uint64_t)unembed->n, sizeof *id);
    memcpy(id, tokens->id, (size_t)tokens->n * sizeof *id);
    for (int c = 0; c < tokens->n_classes; c++)
        for (int k = 0; k < 2; k++, row += tokens->class[c].n)
            memcpy(id + row, tokens->class[c].id, (size_t)tokens->class[c].n * sizeof *id);
    unembed->x = arena_alloc_raw(a, (uint64_t)unembed->n, (uint64_t)D * sizeof *unembed->x);
    mlp = arena_alloc_raw(a, (uint64_t)unembed->n, (uint64_t)D * sizeof *mlp);
    if (unembed->n > 0)
        first_rows(unembed->x, mlp, unembed->m, unembed->p->par, a, id, unembed->n);
    row = tokens->n;
    for (int c = 0; c < tokens->n_classes; c++) {
        int64_t n = tokens->class[c].n;

        memcpy(unembed->x + (row + n) * D, mlp + (row + n) * D, (size_t)(n * D) * sizeof *mlp);
        row += 2 * n;
    }
}

static void one_layer(struct circuits *circuits, const struct unembed *unembed, const float *square,
                      int l, const struct circuits_tokens *tokens)
{
    struct pass *p = unembed->p;
    struct fold f = fold_layer(p->call, unembed->m, l);
    struct param v = fold_param(f.v, f.G * f.d_v, f.D, false);
    float *values = stage_floats(p, (size_t)unembed->n, (size_t)(f.G * f.d_v));
    struct through t = {
        unembed, stage_floats(p, (size_t)unembed->n, (size_t)f.d_v),
        stage_floats(p, (size_t)f.d_v, (size_t)unembed->V),
        stage_floats(p, LOGIT_ROWS, (size_t)unembed->V),
    };

    copy_in_full(unembed, square, &f, circuits->copy_full + l * circuits->H);
    if (unembed->n == 0)
        return;
    stage_linear(p, values, f.G * f.d_v, unembed->x, f.D, unembed->n, &v);
    for (int h = 0; h < f.H; h++) {
        struct arena_mark mark = arena_mark(p->call);

        pass_through(&t, &f, h, values);
        score_head(circuits, l * circuits->H + h, &t, tokens);
        arena_reset(p->call, mark);
        progress_step(par_progress(p->par));
    }
}

void circuits_unembed(struct circuits *circuits, struct arena *a, const struct model *model,
                      const struct circuits_tokens *tokens, struct par *par)
{
    const struct wanted want = { 0 };
    const struct param *norm = &model->slot[W_FINAL_NORM];
    struct pass p = { .m = model, .want = &want, .par = par, .call = a };
    struct unembed u = {
        .m = model, .p = &p, .D = model->config.d_model, .V = model->slot[W_HEAD].matrix.N,
        .d_v = model->config.d_value, .head = model->slot[W_HEAD], .gain = norm->vector,
        .normed = norm->vector != NULL, .scale = model->config.head.scale > 0 ?
                                                     model->config.head.scale : 1,
    };
    const float *square;

    u.centred = u.normed && family_centres(model->family);
    u.head.bias = NULL;
    u.constant = constant_of(&u);
    make_rows(&u, tokens);
    square = token_square(&u);
    progress_begin(par_progress(par), "head", (int64_t)circuits->L * circuits->H);
    for (int l = 0; l < circuits->L; l++) {
        struct arena_mark mark = arena_mark(a);

        if (model_has_layer(model, l))
            one_layer(circuits, &u, square, l, tokens);
        arena_reset(a, mark);
    }
    progress_end(par_progress(par));
}
