/* SPDX-License-Identifier: MIT
 * Hidden states with and without a replacement -> losses and divergences, a block of rows at a
 * time, so that the logits of all rows are never in memory. */
#include <string.h>

#include "analysis/effect.h"
#include "task/ablate/ablate.h"

/* Logits that are computed at once: 64 MiB of floats; and rows of one block. */
enum { MOST_LOGITS = 16 << 20, MOST_ROWS = 64 };

/* Rows [n] of the run, and what changed of them. */
struct block {
    const struct ablate_run *r;
    const int *row, *id;        /* [n] */
    int n, V;
    float *clean;               /* [n, V] logits */
    double *p, *log_sum, *nll;  /* [n, V], [n], [n] of them */
    const float *changed;       /* [n_sets * n, V] */
    struct ablate_sums *each;   /* [n_sets * n] */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* to[n, d_hidden] = the block's rows of hidden states. */
static void measure_gather(const struct block *b, float *to, const float *hidden)
{
    size_t width = (size_t)b->r->j->m->d_hidden;

    for (int i = 0; i < b->n; i++)
        memcpy(to + (size_t)i * width, hidden + (size_t)b->row[i] * width, width * sizeof *to);
}

static void clean_row(void *self, int i, struct arena *scratch)
{
    struct block *b = self;
    const float *logits = b->clean + (int64_t)i * b->V;

    (void)scratch;
    b->log_sum[i] = effect_log_sum(logits, b->V);
    b->nll[i] = b->log_sum[i] - (double)logits[b->id[i]];
    effect_softmax(b->p + (int64_t)i * b->V, logits, b->log_sum[i], b->V);
}

static void changed_row(void *self, int i, struct arena *scratch)
{
    struct block *b = self;
    const float *logits = b->changed + (int64_t)i * b->V;
    int64_t at = i % b->n;
    double log_sum = effect_log_sum(logits, b->V);

    (void)scratch;
    b->each[i].nll = log_sum - (double)logits[b->id[at]];
    b->each[i].kl = effect_kl(b->p + at * b->V, b->clean + at * b->V, b->log_sum[at], logits,
                              log_sum, b->V);
}

static void clean_block(struct block *b, struct arena *a, double *sum)
{
    const struct ablate_job *j = b->r->j;
    struct wanted want = { .change = j->job.want.change };
    size_t n = (size_t)b->n, V = (size_t)b->V;
    float *rows = arena_alloc_raw(a, n, (uint64_t)j->m->d_hidden * sizeof *rows);

    b->clean = arena_alloc_raw(a, n, V * sizeof *b->clean);
    b->p = arena_alloc_raw(a, n, V * sizeof *b->p);
    b->log_sum = arena_alloc_raw(a, n, sizeof *b->log_sum);
    b->nll = arena_alloc_raw(a, n, sizeof *b->nll);
    measure_gather(b, rows, b->r->hidden);
    run_logits(j->m, &want, b->clean, rows, b->n, j->job.s.par, a);
    par_for(j->job.s.par, b->n, clean_row, b);
    for (int i = 0; i < b->n; i++)
        *sum += b->nll[i];
}

/* The same rows of several sets; hidden [n, T, d_hidden]. */
static void changed_block(struct block *b, const float *hidden, int n, struct arena *a,
                          struct ablate_sums *out)
{
    const struct ablate_job *j = b->r->j;
    struct wanted want = { .change = j->job.want.change };
    int64_t width = j->m->d_hidden;
    struct arena_mark mark = arena_mark(a);
    size_t count = (size_t)n * (size_t)b->n;
    float *rows = arena_alloc_raw(a, count, (uint64_t)width * sizeof *rows);
    float *logits = arena_alloc_raw(a, count, (uint64_t)b->V * sizeof *logits);

    for (int i = 0; i < n; i++)
        measure_gather(b, rows + (int64_t)i * b->n * width, hidden + (int64_t)i * b->r->T * width);
    b->changed = logits;
    b->each = arena_alloc_raw(a, count, sizeof *b->each);
    run_logits(j->m, &want, logits, rows, n * b->n, j->job.s.par, a);
    par_for(j->job.s.par, n * b->n, changed_row, b);
    for (int i = 0; i < n * b->n; i++) {
        out[i / b->n].nll += b->each[i].nll;
        out[i / b->n].kl += b->each[i].kl;
    }
    arena_reset(a, mark);
}

/* Rows whose logits are computed at once. */
static int rows_at_once(int V)
{
    return MOST_LOGITS / V > 1 ? MOST_LOGITS / V : 1;
}

void ablate_measure(const struct ablate_run *r, const float *hidden, int n,
                    struct ablate_sums *out, double *clean)
{
    int V = r->j->m->n_logits, most = ablate_rows_at_once(r->j, rows_at_once(V));
    int rows = least(MOST_ROWS, most);

    memset(out, 0, (size_t)n * sizeof *out);
    *clean = 0;
    for (int row = 0; row < r->n_rows; row += rows) {
        struct arena_mark mark = arena_mark(r->a);
        struct block block = { .r = r, .row = r->row + row, .id = r->id + row,
                               .n = least(rows, r->n_rows - row), .V = V };
        int sets = most / block.n;

        clean_block(&block, r->a, clean);
        for (int i = 0; i < n; i += sets)
            changed_block(&block, hidden + (int64_t)i * r->T * r->j->m->d_hidden,
                          least(sets, n - i), r->a, out + i);
        arena_reset(r->a, mark);
    }
}
