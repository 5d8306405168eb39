/* SPDX-License-Identifier: MIT
 * The values of a layer -> their norms, before or after the output projection. */
#include "run/value_norms.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "nn/linear.h"
#include "nn/precision.h"
#include "nn/quantise.h"
#include "run/stage.h"
#include "run/weighting.h"

enum { KEYS = 128 };            /* that are projected at a time */

const char *const weighting_names[] = { "plain", "norm", "value", NULL };

struct value_norms_job {
    const struct pass *p;
    const struct heads *heads;
    const struct param *out;    /* the output projection; NULL: lengths of values */
    const float *by;            /* [D] on what it gives; NULL: 1 */
    enum precision precision;   /* that its inputs and its elements are rounded to */
    int n_keys;
    float *own, *global;        /* [H, n_keys] */
};

/* Columns of the output projection that one head's values meet. */
struct heads_part {
    struct matrix w;            /* these inputs alone: whole stored blocks */
    int skip;                   /* inputs of w before the head's own */
};

static struct heads_part value_norms_part_of(const struct value_norms_job *job, int head)
{
    int d = job->p->m->config.d_value, first = head * d, block = 1;
    struct heads_part part = { job->out->matrix, 0 };
    struct matrix *w = &part.w;

    w->precision = job->precision;
    if (w->block > 1)
        block = w->block;
    if (w->order_in_out) {
        linear_skip(w, first * w->stride);
        w->K = d;
        return part;
    }
    part.skip = first % block;
    first -= part.skip;
    linear_skip(w, first);
    w->K = (part.skip + d + block - 1) / block * block;
    return part;
}

/* x[n, width] = the values from row `key` of kv on, after skip zeros, and zeros after them. */
static void value_norms_read_values(const struct value_norms_job *job, float *x, int width,
                                    int skip, const float *kv, int key, int n)
{
    int d = job->p->m->config.d_value;

    memset(x, 0, (size_t)n * (size_t)width * sizeof *x);
    for (int i = 0; i < n; i++)
        precision_round(job->precision, x + (int64_t)i * width + skip,
                        kv + (key + i) * job->heads->kv_stride, d);
}

static float value_norms_length(const float *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return (float)sqrt(sum);
}

static void value_lengths(const struct value_norms_job *job, float *norm, const float *kv,
                          struct arena *scratch)
{
    int d = job->p->m->config.d_value;
    float *x = arena_alloc_raw(scratch, (size_t)d, sizeof *x);

    for (int key = 0; key < job->n_keys; key++) {
        value_norms_read_values(job, x, d, 0, kv, key, 1);
        norm[key] = value_norms_length(x, d);
    }
}

static void written_lengths(const struct value_norms_job *job, float *norm, const float *kv,
                            int head, struct arena *scratch)
{
    struct heads_part part = value_norms_part_of(job, head);
    const struct matrix *w = &part.w;
    float *x = arena_alloc_raw(scratch, KEYS * (size_t)w->K, sizeof *x);
    float *y = arena_alloc_raw(scratch, KEYS * (size_t)w->N, sizeof *y);
    float *room = arena_alloc_raw(scratch, linear_scratch(w->K), sizeof *room);
    double times = job->p->m->config.multiplier.branch;
    float branch = times > 0 ? (float)times : 1;

    for (int key = 0; key < job->n_keys; key += KEYS) {
        int n = job->n_keys - key < KEYS ? job->n_keys - key : KEYS;

        value_norms_read_values(job, x, w->K, part.skip, kv, key, n);
        for (int n0 = 0; n0 < w->N; n0 += PANEL)
            linear_panel(y, w->N, x, w->K, n, w, NULL, n0, room);
        for (int64_t i = 0; job->by != NULL && i < (int64_t)n * w->N; i++)
            y[i] *= job->by[i % w->N];
        for (int i = 0; i < n; i++)
            norm[key + i] = branch * value_norms_length(y + (int64_t)i * w->N, w->N);
    }
}

static void lengths(const struct value_norms_job *job, float *norm, const float *kv, int head,
                    struct arena *scratch)
{
    const struct config *config = &job->p->m->config;
    struct arena_mark mark = arena_mark(scratch);

    if (norm == NULL)
        return;
    kv += job->heads->v_at[head / (config->n_heads / config->n_kv_heads)];
    norm += (int64_t)head * job->n_keys;
    if (job->out != NULL)
        written_lengths(job, norm, kv, head, scratch);
    else
        value_lengths(job, norm, kv, scratch);
    arena_reset(scratch, mark);
}

static void value_norms_head_task(void *self, int head, struct arena *scratch)
{
    const struct value_norms_job *job = self;

    lengths(job, job->own, job->heads->kv, head, scratch);
    lengths(job, job->global, job->heads->global_qkv, head, scratch);
}

const struct value_norms *value_norms_of(struct pass *pass, int l, const struct heads *heads)
{
    const struct param *slot = pass->m->layer[l].slot;
    const struct param *out = &slot[heads->stack == STACK_CROSS ? W_CROSS_O : W_O];
    size_t H = (size_t)pass->m->config.n_heads;
    struct value_norms_job job = { .p = pass, .heads = heads,
                                   .n_keys = heads->key_start[pass->b->n_texts] };
    struct value_norms *norms;

    if (pass->want->weighting == WEIGHTING_PLAIN)
        return NULL;
    assert(heads->precomputed == NULL && heads->cached == NULL);
    job.precision = pass_precision(pass);
    if (pass->want->weighting == WEIGHTING_NORM && out->weight != NULL) {
        job.out = out;
        job.by = heads->stack == STACK_CROSS ? NULL : slot[W_ATT_SCALE].vector;
        job.precision = pass_linear_precision(pass, out);
        assert(!precision_is_of_linears(job.precision));
    }
    job.own = stage_floats(pass, H, (size_t)job.n_keys);
    if (heads->global_qkv != NULL)
        job.global = stage_floats(pass, H, (size_t)job.n_keys);
    par_for(pass->par, (int)H, value_norms_head_task, &job);
    norms = arena_alloc(pass->call, 1, sizeof *norms);
    *norms = (struct value_norms){ job.n_keys, job.own, job.global };
    return norms;
}
