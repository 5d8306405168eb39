/* SPDX-License-Identifier: MIT
 * Queries, keys and values of a layer -> rows of attention for the sinks, and the heads' outputs,
 * computed by all threads. */
#include "run/attend.h"

#include <assert.h>
#include <string.h>

#include "run/head_rows.h"
#include "run/precomputed.h"
#include "run/sink.h"
#include "run/stage.h"
#include "run/tap.h"
#include "run/value_norms.h"

/* ---- rows to the sinks ---- */

static void attend_give(const struct pass *pass, enum sink_scope scope, const struct rows *rows,
                        int n_heads)
{
    struct meter *meter = par_meter(pass->par);
    int64_t since = meter_within_begin(meter);

    for (int s = 0; s < pass->n_sinks; s++)
        if (pass->sinks[s].scope == scope)
            pass->sinks[s].take(pass->sinks[s].self, rows, n_heads);
    meter_within_end(meter, since);
}

static bool head_wanted(const struct attend_job *job, int head)
{
    return job->wanted && wanted_head(job->p->want, job->layer, head);
}

/* The next block of a head, and what its products take: scores, and values where the output is
 * wanted. */
static void attend_block(const struct attend_job *job, struct head_rows *head, int row0,
                         struct rows *rows)
{
    const struct config *config = &job->p->m->config;

    head_rows_block(head, row0, rows);
    meter_flop(par_meter(job->p->par), (int64_t)2 * rows->n_rows * rows->n_keys *
                                         (config->d_head + (job->keep_out ? config->d_value : 0)));
}

/* Whether the block from row0 on is worth its while: of a text of one block it always is. */
static bool goes_on(const struct attend_job *job, int row0, int n_queries,
                    const struct arena *scratch)
{
    return row0 < n_queries && (row0 == 0 || !par_leaves(job->p->par, scratch));
}

/* Block after block of the rows of several heads, for sinks that compare them. */
static void attend_together(const struct attend_job *job, struct head_rows *const *head,
                            int n, int n_queries, enum sink_scope scope,
                            struct arena *scratch)
{
    struct rows *rows = arena_alloc(scratch, (size_t)n, sizeof *rows);

    for (int row0 = 0; goes_on(job, row0, n_queries, scratch); row0 += ATTEND_ROWS) {
        int given = 0;

        for (int i = 0; i < n; i++) {
            attend_block(job, head[i], row0, &rows[given]);
            if (head_wanted(job, rows[given].head))
                attend_give(job->p, SINK_HEAD, &rows[given++], 1);
        }
        if (given > 0)
            attend_give(job->p, scope, rows, given);
    }
}

/* ---- what one task does ---- */

/* One head of one text. */
static void attend_head_task(void *self, int i, struct arena *scratch)
{
    const struct attend_job *job = self;
    int H = job->p->m->config.n_heads, text = i / H, head = i % H;
    struct head_rows *head_rows;

    if (!job->keep_out && !head_wanted(job, head))
        return;
    head_rows = head_rows_new(scratch, job, text, head);
    for (int row0 = 0; goes_on(job, row0, pass_tokens(job->p, text), scratch);
         row0 += ATTEND_ROWS) {
        struct rows rows;

        attend_block(job, head_rows, row0, &rows);
        if (head_wanted(job, head))
            attend_give(job->p, SINK_HEAD, &rows, 1);
    }
}

/* All heads of one text. */
static void layer_task(void *self, int text, struct arena *scratch)
{
    const struct attend_job *job = self;
    int H = job->p->m->config.n_heads;
    struct head_rows **head = arena_alloc(scratch, (size_t)H, sizeof *head);

    for (int h = 0; h < H; h++)
        head[h] = head_rows_new(scratch, job, text, h);
    attend_together(job, head, H, pass_tokens(job->p, text), SINK_LAYER, scratch);
}

/* One head of all texts. */
static void texts_task(void *self, int head, struct arena *scratch)
{
    const struct attend_job *job = self;
    int count = job->p->b->n_texts;
    struct head_rows **of = arena_alloc(scratch, (size_t)count, sizeof *of);

    for (int t = 0; t < count; t++)
        of[t] = head_rows_new(scratch, job, t, head);
    attend_together(job, of, count, pass_tokens(job->p, 0), SINK_TEXTS, scratch);
}

/* Shares the layer out in the units in which its sinks take rows. */
static void attend_share_out(struct pass *pass, struct attend_job *job)
{
    int n_texts = pass->b->n_texts, H = pass->m->config.n_heads;
    bool has[SINK_TEXTS + 1] = { false };

    for (int s = 0; s < pass->n_sinks; s++)
        has[pass->sinks[s].scope] = true;
    assert(!has[SINK_LAYER] || !has[SINK_TEXTS]);
    if (has[SINK_LAYER])
        par_for(pass->par, n_texts, layer_task, job);
    else if (has[SINK_TEXTS])
        par_for(pass->par, H, texts_task, job);
    else
        par_for(pass->par, n_texts * H, attend_head_task, job);
}

/* ---- a layer ---- */

static void intervene(const struct pass *pass, int l, enum stack_id stack)
{
    const struct change *change = pass->want->change;

    if (change != NULL && change->intervention != NULL)
        change->intervention->apply(change->intervention->self, l, stack, pass->z, pass->N);
}

/* y sigmoid(gate), head by head. */
static void gate_rows(void *self, int i, struct arena *scratch)
{
    const struct pass *p = self;
    const struct config *config = &p->m->config;
    int64_t H = config->n_heads, d = config->d_value, first = (int64_t)i * ROW_CHUNK;

    (void)scratch;
    for (int64_t r = first; r < first + stage_rows_of(p->N, i); r++)
        for (int64_t h = 0; h < H; h++)
            heads_gate(p->z + (r * H + h) * d,
                       p->qkv + r * p->m->place.width + p->m->place.gate[h], config->d_value);
}

static void gate(struct pass *pass)
{
    if (pass->m->place.gate != NULL)
        stage_rows(pass, pass->N, gate_rows, pass);
}

static int check_finite(const struct attend_job *job, struct err *e)
{
    int H = job->p->m->config.n_heads;

    for (int i = 0; i < job->p->b->n_texts * H; i++) {
        if (job->bad_row[i] < 0)
            continue;
        if (job->heads->precomputed != NULL)
            return precomputed_error(job->heads->precomputed, job->p->call, i % H,
                                     job->bad_row[i], e);
        return err_set(e, ERR_INPUT, "%s: layer %d, head %d: the attention of row "
                       "%d is not finite: the weights hold NaN or infinities, or "
                       "overflow", job->p->m->name, job->layer, i % H, job->bad_row[i]);
    }
    return 0;
}

int attend_layer(struct pass *pass, int l, const struct heads *heads, bool keep_out,
                 struct err *e)
{
    int n_texts = pass->b->n_texts, count = n_texts * pass->m->config.n_heads;
    struct arena_mark mark = arena_mark(pass->call);
    struct attend_job job = { .p = pass, .heads = heads, .layer = l, .keep_out = keep_out,
                              .wanted = pass_wants(pass, l, heads->stack) };
    bool replaced = false;
    int before, status;

    if (tap_show(pass, l, heads, &replaced, e) != 0)
        return -1;
    if (replaced) {
        gate(pass);
        return 0;
    }
    job.bad_row = arena_alloc_raw(pass->call, (size_t)count, sizeof *job.bad_row);
    memset(job.bad_row, 0xff, (size_t)count * sizeof *job.bad_row);     /* -1 */
    if (job.wanted)
        job.norms = value_norms_of(pass, l, heads);
    before = meter_enter(par_meter(pass->par), METER_ATTENTION);
    attend_share_out(pass, &job);
    meter_leave(par_meter(pass->par), before);
    if (keep_out) {
        gate(pass);
        intervene(pass, l, heads->stack);
    }
    status = check_finite(&job, e);
    arena_reset(pass->call, mark);
    for (int t = 0; status == 0 && job.wanted && t < n_texts; t++)
        for (int s = 0; s < pass->n_sinks; s++)
            if (pass->sinks[s].done != NULL)
                pass->sinks[s].done(pass->sinks[s].self, t, l);
    return status;
}
