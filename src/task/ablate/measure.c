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
static void measure_gather(const struct block *block, float *to, const float *hidden)
{
    size_t width = (size_t)block->r->j->m->d_hidden;

    for (int i = 0; i < block->n; i++)
        memcpy(to + (size_t)i * width, hidden + (size_t)block->row[i] * width, width * sizeof *to);
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

static void clean_block(struct block *block, struct arena *a, double *sum)
{
    const struct ablate_job *j = block->r->j;
    struct wanted want = { .change = j->job.want.change };
    size_t n = (size_t)block->n, V = (size_t)block->V;
    float *rows = arena_alloc_raw(a, n, (uint64_t)j->m->d_hidden * sizeof *rows);

    block->clean = arena_alloc_raw(a, n, V * sizeof *block->clean);
    block->p = arena_alloc_raw(a, n, V * sizeof *block->p);
    block->log_sum = arena_alloc_raw(a, n, sizeof *block->log_sum);
    block->nll = arena_alloc_raw(a, n, sizeof *block->nll);
    measure_gather(block, rows, block->r->hidden);
    run_logits(j->m, &want, block->clean, rows, block->n, j->job.s.par, a);
    par_for(j->job.s.par, block->n, clean_row, block);
    for (int i = 0; i < block->n; i++)
        *sum += block->nll[i];
}

/* The same rows of several sets; hidden [n, T, d_hidden]. */
static void changed_block(struct block *block, const float *hidden, int n, struct arena *a,
                          struct ablate_sums *out)
{
    const struct ablate_job *j = block->r->j;
    struct wanted want = { .change = j->job.want.change };
    int64_t width = j->m->d_hidden;
    struct arena_mark mark = arena_mark(a);
    size_t count = (size_t)n * (size_t)block->n;
    float *rows = arena_alloc_raw(a, count, (uint64_t)width * sizeof *rows);
    float *logits = arena_alloc_raw(a, count, (uint64_t)block->V * sizeof *logits);

    for (int i = 0; i < n; i++)
        measure_gather(block, rows + (int64_t)i * block->n * width,
                       hidden + (int64_t)i * block->r->T * width);
    block->changed = logits;
    block->each = arena_alloc_raw(a, count, sizeof *block->each);
    run_logits(j->m, &want, logits, rows, n * block->n, j->job.s.par, a);
    par_for(j->job.s.par, n * block->n, changed_row, block);
    for (int i = 0; i < n * block->n; i++) {
        out[i / block->n].nll += block->each[i].nll;
        out[i / block->n].kl += block->each[i].kl;
    }
    arena_reset(a, mark);
}

/* Rows whose logits are computed at once. */
static int rows_at_once(int V)
{
    return MOST_LOGITS / V > 1 ? MOST_LOGITS / V : 1;
}

void ablate_measure(const struct ablate_run *run, const float *hidden, int n,
                    struct ablate_sums *out, double *clean)
{
    int V = run->j->m->n_logits, most = ablate_rows_at_once(run->j, rows_at_once(V));
    int rows = least(MOST_ROWS, most);

    memset(out, 0, (size_t)n * sizeof *out);
    *clean = 0;
    for (int row = 0; row < run->n_rows; row += rows) {
        struct arena_mark mark = arena_mark(run->a);
        struct block block = { .r = run, .row = run->row + row, .id = run->id + row,
                               .n = least(rows, run->n_rows - row), .V = V };
        int sets = most / block.n;

        clean_block(&block, run->a, clean);
        for (int i = 0; i < n; i += sets)
            changed_block(&block, hidden + (int64_t)i * run->T * run->j->m->d_hidden,
                          least(sets, n - i), run->a, out + i);
        arena_reset(run->a, mark);
    }
}
