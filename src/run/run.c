/* SPDX-License-Identifier: MIT
 * The forward pass of all families: embeddings -> layers -> head. */
#include "run/run.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/family_slots.h"
#include "model/quirks.h"
#include "run/altup.h"
#include "run/attend.h"
#include "run/cached.h"
#include "run/check.h"
#include "run/chunks.h"
#include "run/conv.h"
#include "run/cross.h"
#include "run/distance.h"
#include "run/embed.h"
#include "run/logits.h"
#include "run/mixer.h"
#include "run/mlp.h"
#include "run/pass.h"
#include "run/precomputed.h"
#include "run/project.h"
#include "run/relative.h"
#include "run/rotary.h"
#include "run/sparse.h"
#include "run/stage.h"
#include "run/taps.h"

static int last_layer(const struct model *m, const struct wanted *want)
{
    int last = m->config.n_layers - 1;

    if (want->leave != NULL)
        return want->leave->layer - 1;
    if (want->hidden != NULL || want->logits != NULL || want->layer == NULL)
        return last;
    while (last > 0 && !want->layer[last])
        last--;
    return last;
}

/* ---- room ---- */

static void run_make_room(struct pass *p)
{
    const struct config *config = &p->m->config;
    size_t N = (size_t)p->N, D = (size_t)config->d_model;
    size_t out = (size_t)model_attention_width(p->m);
    size_t inner = (size_t)family_slot_dim(p->m->family, config, DIM_INNER);
    size_t mlp_rows = N < MLP_ROWS ? N : MLP_ROWS;

    p->x = stage_floats(p, N, D > out ? D : out);
    p->x2 = pass_has_two_streams(p) || config->bottleneck.d > 0 ?
                stage_floats(p, N, inner) : p->x;
    p->x3 = pass_has_two_streams(p) ? p->x : p->x2;
    p->a = stage_floats(p, N, D > inner ? D : inner);
    if (p->m->norm_place == PLACE_PARALLEL || family_has(p->m->family, W_SKIP_DOWN))
        p->late = stage_floats(p, N, D);
    if (config->streams.n > 0)
        p->streams = stage_floats(p, N, (size_t)model_stream_width(p->m));
    project_room(p);
    p->qkv = stage_floats(p, N, (size_t)p->m->place.width);
    p->z = stage_floats(p, N, (size_t)family_slot_dim(p->m->family, config, DIM_HV));
    p->up = stage_floats(p, mlp_rows, (size_t)mlp_width(p->m));
    if (p->m->mlp == MLP_GATED)
        p->gate = stage_floats(p, mlp_rows, (size_t)config->d_ff);
    if (p->want->memory != NULL)
        p->memory_kv = stage_floats(
            p, (size_t)p->key_start[p->b->n_texts],
            (size_t)family_slot_dim(p->m->family, config, DIM_GD) +
                (size_t)family_slot_dim(p->m->family, config, DIM_GV));
    if (p->want->cache != NULL)
        p->cached = arena_alloc(p->call, (size_t)p->b->n_texts, sizeof *p->cached);
    if (quirks_of(p->m->family)->taps)
        p->mixed = stage_floats(p, N, (size_t)family_slot_dim(p->m->family, config, DIM_HV));
    if (p->m->slot[W_CONV].weight != NULL || config->streams.n > 0)
        p->embedded = stage_floats(p, N, D);
    rotary_tables(p);
    relative_rows(p);
    sparse_room(p);
    chunks_draw_rotations(p);
}

/* ---- the pass ---- */

/* What an attention reads: x normed before it, or x as it is; within bottlenecks the narrower
 * stream, or a projection of its own. */
static void attention_input(struct pass *p, int l, const struct param *norm)
{
    static const struct param identity;
    const struct param *slot = p->m->layer[l].slot;
    int inner = family_slot_dim(p->m->family, &p->m->config, DIM_INNER);

    if (p->m->config.bottleneck.all) {
        memcpy(p->a, p->x2, (size_t)p->N * (size_t)inner * sizeof *p->a);
        return;
    }
    if (slot[W_READ].weight != NULL) {
        stage_linear(p, p->a, inner, p->x, p->m->config.d_model, p->N, &slot[W_READ]);
        stage_norm(p, p->a, p->a, p->N, inner, &slot[W_READ_NORM]);
        return;
    }
    stage_norm(p, p->a, p->x, p->N, p->m->config.d_model,
               p->m->norm_place == PLACE_POST ? &identity : norm);
}

/* out[n, D] = z[n, H d_v] through the output projection of the stack, if it has one, and its
 * norm; times the branch's multiplier and its scale. */
static void project_out(struct pass *p, int l, enum stack_id stack, float *out,
                        const float *z, int n)
{
    const struct param *slot = p->m->layer[l].slot;
    const struct param *param = &slot[stack == STACK_CROSS ? W_CROSS_O : W_O];
    int D = model_attention_width(p->m);

    if (param->weight == NULL)
        memcpy(out, z, (size_t)n * (size_t)D * sizeof *out);
    else
        stage_linear(p, out, D, z, param->matrix.K, n, param);
    taps_add(p, l, stack, out, D);
    stage_norm(p, out, out, n, D, &slot[W_ATT_OUT]);
    stage_scale(p, out, n, D, p->m->config.multiplier.branch,
                stack == STACK_CROSS ? NULL : slot[W_ATT_SCALE].vector);
}

void run_attention_output(const struct model *m, int layer, enum stack_id stack,
                          float *out, const float *z, int n, struct par *par,
                          struct arena *call)
{
    struct pass pass = { .m = m, .par = par, .call = call };

    project_out(&pass, layer, stack, out, z, n);
}

/* out = what the attention of this stack adds, after its output projection. */
static void attention_output(struct pass *p, int l, enum stack_id stack, float *out)
{
    if (pass_taps(p, l, stack) && p->want->tap->made != NULL)
        p->want->tap->made(p->want->tap->self, l, stack, p->z, p->N,
                           family_slot_dim(p->m->family, &p->m->config, DIM_HV));
    project_out(p, l, stack, out, p->z, p->N);
    if (pass_taps(p, l, stack) && p->want->tap->given != NULL)
        p->want->tap->given(p->want->tap->self, l, stack, out, p->N,
                            model_attention_width(p->m));
}

/* late = a + norm(up(down a)), of what attention reads. */
static void skip_attention(struct pass *p, const struct param *slot)
{
    int D = p->m->config.d_model, rank = p->m->config.streams.d_skip;
    float *low;

    if (slot[W_SKIP_DOWN].weight == NULL)
        return;
    low = stage_floats(p, (size_t)p->N, (size_t)rank);
    stage_linear(p, low, rank, p->a, D, p->N, &slot[W_SKIP_DOWN]);
    stage_linear(p, p->late, D, low, rank, p->N, &slot[W_SKIP_UP]);
    stage_norm(p, p->late, p->late, p->N, D, &slot[W_SKIP_NORM]);
    stage_add(p, p->late, p->a, p->N, D);
}

/* x2 = x2 + out of this stack's attention, and of what stands beside it, over sqrt 2; then
 * normed where the norm is after the sum. */
static void run_join(struct pass *p, int l, enum stack_id stack, const float *out)
{
    const struct param *slot = p->m->layer[l].slot;
    const struct param *norm = &slot[stack == STACK_CROSS ? W_CROSS_NORM : W_ATT_NORM];
    int D = family_slot_dim(p->m->family, &p->m->config, DIM_INNER);

    stage_add(p, p->x2, out, p->N, D);
    if (slot[W_SKIP_DOWN].weight != NULL) {
        stage_add(p, p->x2, p->late, p->N, D);
        stage_scale(p, p->x2, p->N, D, sqrt(0.5), NULL);
    }
    stage_step(p, STREAM_ATTENTION, l, stack, NULL, p->x2, 0, p->N);
    if (p->m->norm_place != PLACE_POST)
        return;
    stage_norm(p, p->x2, p->x2, p->N, D, norm);
    stage_step(p, STREAM_NORM, l, stack, norm, p->x2, 0, p->N);
}

/* False where an attention gives its weights and nothing else. */
static bool reads_values(const struct pass *p, int l, enum stack_id stack, bool keep_out)
{
    return keep_out || p->cached != NULL || p->want->weighting != WEIGHTING_PLAIN ||
           pass_taps(p, l, stack);
}

static int attend_self(struct pass *p, int l, bool keep_out, struct err *e)
{
    const struct layer_plan *plan = &p->m->layer[l];
    const struct head_place *place = &p->m->place;
    struct arena_mark mark = arena_mark(p->call);
    struct heads heads = {
        .stack = p->m->family->stack_id, .q = p->qkv, .kv = p->qkv,
        .q_stride = place->width, .kv_stride = place->width, .q_at = place->q,
        .k_at = place->k, .v_at = place->v, .key_start = p->b->start,
        .lo = plan->lo, .hi = plan->hi, .biased = true,
        .mask = p->want->change != NULL ? p->want->change->mask : NULL,
    };
    int status;

    attention_input(p, l, &plan->slot[W_ATT_NORM]);
    if (keep_out)
        skip_attention(p, plan->slot);
    project_self(p, plan, reads_values(p, l, heads.stack, keep_out));
    taps_rows(p, l, keep_out);
    distance_terms(p, &heads, plan->distance, plan->scale);
    distance_buckets(p, l, &heads);
    cached_append(p, l, &heads);
    relative_project(p, plan);
    sparse_set(p, plan, &heads);
    chunks_set(p, plan, &heads);
    status = attend_layer(p, l, &heads, keep_out, e);
    arena_reset(p->call, mark);
    return status;
}

static int attend_cross(struct pass *p, int l, bool keep_out, struct err *e)
{
    const struct layer_plan *plan = &p->m->layer[l];
    const struct config *config = &p->m->config;
    const struct head_place *place = &p->m->place;
    struct arena_mark mark = arena_mark(p->call);
    struct heads heads = {
        .stack = STACK_CROSS, .q = p->qkv, .kv = p->memory_kv,
        .q_stride = config->n_heads * config->d_head,
        .kv_stride = config->n_kv_heads * (config->d_head + config->d_value),
        .q_at = place->q, .k_at = place->cross_k, .v_at = place->cross_v,
        .key_start = p->key_start, .lo = INT_MAX, .hi = INT_MAX,
        .mask = cross_mask(p),
    };
    int status;

    attention_input(p, l, &plan->slot[W_CROSS_NORM]);
    cross_project(p, plan);
    distance_terms(p, &heads, plan->cross_distance, plan->scale);
    cached_append_memory(p, l, &heads);
    status = attend_layer(p, l, &heads, keep_out, e);
    arena_reset(p->call, mark);
    return status;
}

/* A layer that is one attention only, to its own input or to another. */
static int run_attention(struct pass *p, int l, bool keep_out, struct err *e)
{
    bool own = p->m->family->stack_id != STACK_CROSS;

    if ((own ? attend_self : attend_cross)(p, l, keep_out, e) != 0)
        return -1;
    if (keep_out)
        attention_output(p, l, own ? p->m->family->stack_id : STACK_CROSS, p->x);
    return 0;
}

/* The narrower stream of a layer with bottlenecks begins. */
static void enter_bottleneck(struct pass *p, int l)
{
    const struct param *slot = p->m->layer[l].slot;

    if (slot[W_IN].weight == NULL)
        return;
    stage_linear(p, p->x2, slot[W_IN].matrix.N, p->x, slot[W_IN].matrix.K, p->N, &slot[W_IN]);
    stage_norm(p, p->x2, p->x2, p->N, slot[W_IN].matrix.N, &slot[W_IN_NORM]);
}

/* x = norm(x + what it ended with, projected). */
static void leave_bottleneck(struct pass *p, int l)
{
    const struct param *slot = p->m->layer[l].slot;
    int D = p->m->config.d_model;

    if (slot[W_OUT].weight == NULL)
        return;
    stage_linear(p, p->a, D, p->x2, slot[W_OUT].matrix.K, p->N, &slot[W_OUT]);
    stage_add(p, p->x, p->a, p->N, D);
    stage_norm(p, p->x, p->x, p->N, D, &slot[W_OUT_NORM]);
}

/* A layer that does not attend, unless nothing after its sum is wanted. */
static void run_mixer(struct pass *p, int l, bool last)
{
    enum stack_id own = p->m->family->stack_id;

    if (last)
        return;
    attention_input(p, l, &p->m->layer[l].slot[W_ATT_NORM]);
    mixer_run(p, l, p->a);
    stage_add(p, p->x2, p->a, p->N, p->m->config.d_model);
    stage_step(p, STREAM_MIXER, l, own, NULL, p->x2, 0, p->N);
    mlp_add(p, &p->m->layer[l]);
}

/* One layer; *ended: nothing after its last attention is wanted. */
static int run_layer(struct pass *p, int l, bool *ended, struct err *e)
{
    const struct param *slot = p->m->layer[l].slot;
    bool last = l == p->last && p->want->hidden == NULL && p->want->logits == NULL &&
                p->want->leave == NULL;
    bool cross = pass_has_memory(p);
    bool only_self = last && !(cross && (pass_wants(p, l, STACK_CROSS) ||
                                         pass_taps(p, l, STACK_CROSS)));
    enum stack_id own = p->m->family->stack_id;
    float *out = p->m->norm_place == PLACE_PARALLEL ? p->late : p->a;

    *ended = last;
    if (p->m->family->bare && slot[W_UP].weight == NULL)
        return run_attention(p, l, !last, e);
    if (p->m->layer[l].mixer != MIXER_NONE) {
        run_mixer(p, l, last);
        return 0;
    }
    enter_bottleneck(p, l);
    if (attend_self(p, l, !only_self, e) != 0)
        return -1;
    if (only_self)
        return 0;
    if (p->m->config.norm.residual_from) {
        memcpy(p->x, p->a, (size_t)p->N * (size_t)p->m->config.d_model * sizeof *p->x);
        stage_step(p, STREAM_NORM, l, own, &slot[W_ATT_NORM], p->x, 0, p->N);
    }
    attention_output(p, l, own, out);
    if (p->m->norm_place == PLACE_PARALLEL) {
        mlp_add(p, &p->m->layer[l]);
        run_join(p, l, own, out);
        return 0;
    }
    run_join(p, l, own, out);
    if (cross) {
        if (attend_cross(p, l, !last, e) != 0)
            return -1;
        if (last)
            return 0;
        attention_output(p, l, STACK_CROSS, out);
        run_join(p, l, STACK_CROSS, out);
    }
    mlp_add(p, &p->m->layer[l]);
    leave_bottleneck(p, l);
    if (l == 0 && p->m->slot[W_CONV].weight != NULL)
        conv_add(p);
    return 0;
}

/* Shows the streams that the layer reads to the tap. */
static void enter(const struct pass *p, int l)
{
    const struct tap *tap = p->want->tap;

    if (tap != NULL && tap->enter != NULL)
        tap->enter(tap->self, l, p->m->family->stack_id, p->streams != NULL ? p->streams : p->x,
                   p->streams != NULL ? p->streams : pass_has_two_streams(p) ? p->x2 : p->x, p->N,
                   model_stream_width(p->m));
}

static int run_layers(struct pass *p, struct err *e)
{
    struct progress *progress = par_progress(p->par);
    int first = p->want->resume != NULL ? p->want->resume->layer : 0, n = p->last + 1 - first;
    bool ended = false;
    int status = 0;

    progress_begin(progress, "layer", n);
    for (int l = first; l <= p->last && !ended && status == 0; l++) {
        enter(p, l);
        if (p->streams != NULL)
            altup_enter(p, &p->m->layer[l]);
        status = run_layer(p, l, &ended, e);
        if (p->streams != NULL && !ended && status == 0)
            altup_leave(p, &p->m->layer[l]);
        progress_tokens(progress, (double)p->N / n);
        progress_step(progress);
    }
    progress_end(progress);
    return status;
}

/* ---- rows that a file holds ---- */

/* Attention whose rows a file holds, in place of a layer. */
static int precomputed_layer(struct pass *p, int l, enum stack_id stack,
                             const struct precomputed_layer *layer,
                             const int *key_start, int hi, struct err *e)
{
    const struct heads heads = { .stack = stack, .key_start = key_start, .lo = INT_MAX,
                                 .hi = hi, .precomputed = layer };

    if (layer->rows == NULL || !pass_wants(p, l, stack))
        return 0;
    return attend_layer(p, l, &heads, false, e);
}

/* The same for all layers. */
static int run_precomputed(struct pass *p, struct err *e)
{
    const struct precomputed *precomputed = p->m->precomputed;

    if (precomputed_check(p, e) != 0)
        return -1;
    for (int layer = 0; layer <= p->last; layer++) {
        if (precomputed->self != NULL &&
            precomputed_layer(p, layer, p->m->family->stack_id, &precomputed->self[layer],
                              p->b->start, p->m->layer[layer].hi, e) != 0)
            return -1;
        if (precomputed->cross != NULL &&
            precomputed_layer(p, layer, STACK_CROSS, &precomputed->cross[layer],
                              p->key_start, INT_MAX, e) != 0)
            return -1;
    }
    return 0;
}

/* ---- all of it ---- */

/* The embeddings, as the first layer reads them. */
static void run_begin(struct pass *p)
{
    size_t size = (size_t)p->N * (size_t)p->m->config.d_model * sizeof *p->x;

    embed_batch(p);
    if (p->embedded != NULL)
        memcpy(p->embedded, p->x, size);
    if (p->streams != NULL)
        altup_begin(p);
    if (pass_has_two_streams(p))
        memcpy(p->x2, p->x, size);
    stage_step(p, STREAM_BEGIN, 0, p->m->family->stack_id, NULL, p->x2, 0, p->N);
    if (pass_has_two_streams(p))
        stage_step(p, STREAM_BEGIN, 0, p->m->family->stack_id, NULL, p->x, 0, p->N);
}

/* The streams that an earlier pass had where this one begins. */
static void resume(struct pass *p, const struct resume *from)
{
    size_t size = (size_t)p->N * (size_t)p->m->config.d_model * sizeof *p->x;

    if (p->streams != NULL) {
        embed_batch(p);
        memcpy(p->embedded, p->x, size);
        memcpy(p->streams, from->x, size * (size_t)p->m->config.streams.n);
        return;
    }
    memcpy(p->x, from->x, size);
    if (p->embedded != NULL)
        memcpy(p->embedded, from->x, size);
    if (pass_has_two_streams(p))
        memcpy(p->x2, from->x2, size);
}

/* The streams for the pass that goes on. */
static void run_leave(const struct pass *p, const struct leave *to)
{
    size_t size = (size_t)p->N * (size_t)p->m->config.d_model * sizeof *p->x;

    if (p->streams != NULL)
        memcpy(to->x, p->streams, size * (size_t)p->m->config.streams.n);
    else
        memcpy(to->x, p->x, size);
    if (to->x2 != NULL)
        memcpy(to->x2, p->x2, size);
}

static bool changes_only_numbers(const struct change *c)
{
    return c == NULL || (c->mask == NULL && c->memory_mask == NULL && c->noise == NULL &&
                         c->intervention == NULL);
}

int run_forward(const struct model *m, const struct batch *b, const struct wanted *want,
                const struct sink *sinks, int n_sinks, struct par *par,
                struct arena *call, struct err *e)
{
    struct pass pass = { .m = m, .b = b, .want = want, .sinks = sinks, .n_sinks = n_sinks,
                         .par = par, .call = call, .N = b->start[b->n_texts],
                         .last = last_layer(m, want) };
    struct arena_mark mark = arena_mark(call);
    int before, status;

    assert(want->cache == NULL || changes_only_numbers(want->change));
    assert(want->cache == NULL ||
           (n_sinks == 0 && want->tap == NULL && want->resume == NULL));
    pass.key_start = cross_key_start(&pass);
    if (m->precomputed != NULL)
        return run_precomputed(&pass, e);
    if (check_pass(&pass, e) != 0)
        return -1;
    before = meter_enter(par_meter(par), METER_PASS);
    run_make_room(&pass);
    if (want->resume != NULL)
        resume(&pass, want->resume);
    else
        run_begin(&pass);
    status = run_layers(&pass, e);
    if (status == 0 && want->leave != NULL)
        run_leave(&pass, want->leave);
    if (status == 0 && pass.streams != NULL && (want->hidden != NULL || want->logits != NULL))
        altup_merge(&pass, pass.x, pass.streams, pass.N, pass.a);
    if (status == 0) {
        logits_write(&pass);
        cached_advance(&pass);
    }
    arena_reset(call, mark);
    meter_leave(par_meter(par), before);
    return status;
}
