/* SPDX-License-Identifier: MIT
 * The forward pass of all families: embeddings -> layers -> head. */
#include "run/run.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/family_slots.h"
#include "model/quirks.h"
#include "run/attend.h"
#include "run/cached.h"
#include "run/check.h"
#include "run/embed.h"
#include "run/logits.h"
#include "run/mlp.h"
#include "run/pass.h"
#include "run/precomputed.h"
#include "run/project.h"
#include "run/special/altup.h"
#include "run/special/chunks.h"
#include "run/special/conv.h"
#include "run/special/cross.h"
#include "run/special/distance.h"
#include "run/special/mixer.h"
#include "run/special/relative.h"
#include "run/special/rotary.h"
#include "run/special/sparse.h"
#include "run/special/side_conv.h"
#include "run/stage.h"

static int last_layer(const struct model *model, const struct wanted *want)
{
    int last = model->config.n_layers - 1;

    if (want->leave != NULL)
        return want->leave->layer - 1;
    if (want->hidden != NULL || want->logits != NULL || want->layer == NULL)
        return last;
    while (last > 0 && !want->layer[last])
        last--;
    return last;
}

/* ---- room ---- */

static void run_make_room(struct pass *pass)
{
    const struct config *config = &pass->m->config;
    size_t N = (size_t)pass->N, D = (size_t)config->d_model;
    size_t out = (size_t)model_attention_width(pass->m);
    size_t inner = (size_t)family_slot_dim(pass->m->family, config, DIM_INNER);
    size_t mlp_rows = N < MLP_ROWS ? N : MLP_ROWS;

    pass->x = stage_floats(pass, N, D > out ? D : out);
    pass->x2 = pass_has_two_streams(pass) || config->bottleneck.d > 0 ?
                stage_floats(pass, N, inner) : pass->x;
    pass->x3 = pass_has_two_streams(pass) ? pass->x : pass->x2;
    pass->a = stage_floats(pass, N, D > inner ? D : inner);
    if (pass->m->norm_place == PLACE_PARALLEL || family_has(pass->m->family, W_SKIP_DOWN))
        pass->late = stage_floats(pass, N, D);
    if (config->streams.n > 0)
        pass->streams = stage_floats(pass, N, (size_t)model_stream_width(pass->m));
    project_room(pass);
    pass->qkv = stage_floats(pass, N, (size_t)pass->m->place.width);
    pass->z = stage_floats(pass, N, (size_t)family_slot_dim(pass->m->family, config, DIM_HV));
    pass->up = stage_floats(pass, mlp_rows, (size_t)mlp_width(pass->m));
    if (pass->m->mlp == MLP_GATED)
        pass->gate = stage_floats(pass, mlp_rows, (size_t)config->d_ff);
    if (pass->want->memory != NULL)
        pass->memory_kv = stage_floats(
            pass, (size_t)pass->key_start[pass->b->n_texts],
            (size_t)family_slot_dim(pass->m->family, config, DIM_GD) +
                   (size_t)family_slot_dim(pass->m->family, config, DIM_GV));
    if (pass->want->cache != NULL)
        pass->cached = arena_alloc(pass->call, (size_t)pass->b->n_texts, sizeof *pass->cached);
    if (quirks_of(pass->m->family)->side_conv)
        pass->mixed = stage_floats(pass, N,
                                   (size_t)family_slot_dim(pass->m->family, config, DIM_HV));
    if (pass->m->slot[W_CONV].weight != NULL || config->streams.n > 0)
        pass->embedded = stage_floats(pass, N, D);
    rotary_tables(pass);
    relative_rows(pass);
    sparse_room(pass);
    chunks_draw_rotations(pass);
}

/* ---- the pass ---- */

/* What an attention reads: x normed before it, or x as it is; within bottlenecks the narrower
 * stream, or a projection of its own. */
static void attention_input(struct pass *pass, int l, const struct param *norm)
{
    static const struct param identity;
    const struct param *slot = pass->m->layer[l].slot;
    int inner = family_slot_dim(pass->m->family, &pass->m->config, DIM_INNER);

    if (pass->m->config.bottleneck.all) {
        memcpy(pass->a, pass->x2, (size_t)pass->N * (size_t)inner * sizeof *pass->a);
        return;
    }
    if (slot[W_READ].weight != NULL) {
        stage_linear(pass, pass->a, inner, pass->x, pass->m->config.d_model, pass->N,
                     &slot[W_READ]);
        stage_norm(pass, pass->a, pass->a, pass->N, inner, &slot[W_READ_NORM]);
        return;
    }
    stage_norm(pass, pass->a, pass->x, pass->N, pass->m->config.d_model,
               pass->m->norm_place == PLACE_POST ? &identity : norm);
}

/* out[n, D] = z[n, H d_v] through the output projection of the stack, if it has one, and its
 * norm; times the branch's multiplier and its scale. */
static void project_out(struct pass *pass, int l, enum stack_id stack, float *out,
                        const float *z, int n)
{
    const struct param *slot = pass->m->layer[l].slot;
    const struct param *param = &slot[stack == STACK_CROSS ? W_CROSS_O : W_O];
    int D = model_attention_width(pass->m);

    if (param->weight == NULL)
        memcpy(out, z, (size_t)n * (size_t)D * sizeof *out);
    else
        stage_linear(pass, out, D, z, param->matrix.K, n, param);
    side_conv_add(pass, l, stack, out, D);
    stage_norm(pass, out, out, n, D, &slot[W_ATT_OUT]);
    stage_scale(pass, out, n, D, pass->m->config.multiplier.branch,
                stack == STACK_CROSS ? NULL : slot[W_ATT_SCALE].vector);
}

void run_attention_output(const struct model *model, int layer, enum stack_id stack,
                          float *out, const float *z, int n, struct par *par,
                          struct arena *call)
{
    struct pass pass = { .m = model, .par = par, .call = call };

    project_out(&pass, layer, stack, out, z, n);
}

/* out = what the attention of this stack adds, after its output projection. */
static void attention_output(struct pass *pass, int l, enum stack_id stack, float *out)
{
    if (pass_taps(pass, l, stack) && pass->want->tap->made != NULL)
        pass->want->tap->made(pass->want->tap->self, l, stack, pass->z, pass->N,
                              family_slot_dim(pass->m->family, &pass->m->config, DIM_HV));
    project_out(pass, l, stack, out, pass->z, pass->N);
    if (pass_taps(pass, l, stack) && pass->want->tap->given != NULL)
        pass->want->tap->given(pass->want->tap->self, l, stack, out, pass->N,
                               model_attention_width(pass->m));
}

/* late = a + norm(up(down a)), of what attention reads. */
static void skip_attention(struct pass *pass, const struct param *slot)
{
    int D = pass->m->config.d_model, rank = pass->m->config.streams.d_skip;
    float *low;

    if (slot[W_SKIP_DOWN].weight == NULL)
        return;
    low = stage_floats(pass, (size_t)pass->N, (size_t)rank);
    stage_linear(pass, low, rank, pass->a, D, pass->N, &slot[W_SKIP_DOWN]);
    stage_linear(pass, pass->late, D, low, rank, pass->N, &slot[W_SKIP_UP]);
    stage_norm(pass, pass->late, pass->late, pass->N, D, &slot[W_SKIP_NORM]);
    stage_add(pass, pass->late, pass->a, pass->N, D);
}

/* x2 = x2 + out of this stack's attention, and of what stands beside it, over sqrt 2; then
 * normed where the norm is after the sum. */
static void run_join(struct pass *pass, int l, enum stack_id stack, const float *out)
{
    const struct param *slot = pass->m->layer[l].slot;
    const struct param *norm = &slot[stack == STACK_CROSS ? W_CROSS_NORM : W_ATT_NORM];
    int D = family_slot_dim(pass->m->family, &pass->m->config, DIM_INNER);

    stage_add(pass, pass->x2, out, pass->N, D);
    if (slot[W_SKIP_DOWN].weight != NULL) {
        stage_add(pass, pass->x2, pass->late, pass->N, D);
        stage_scale(pass, pass->x2, pass->N, D, sqrt(0.5), NULL);
    }
    stage_step(pass, STREAM_ATTENTION, l, stack, NULL, pass->x2, 0, pass->N);
    if (pass->m->norm_place != PLACE_POST)
        return;
    stage_norm(pass, pass->x2, pass->x2, pass->N, D, norm);
    stage_step(pass, STREAM_NORM, l, stack, norm, pass->x2, 0, pass->N);
}

/* False where an attention gives its weights and nothing else. */
static bool reads_values(const struct pass *pass, int l, enum stack_id stack, bool keep_out)
{
    return keep_out || pass->cached != NULL || pass->want->weighting != WEIGHTING_PLAIN ||
           pass_taps(pass, l, stack);
}

static int attend_self(struct pass *pass, int l, bool keep_out, struct err *e)
{
    const struct layer_plan *plan = &pass->m->layer[l];
    const struct head_place *place = &pass->m->place;
    struct arena_mark mark = arena_mark(pass->call);
    struct heads heads = {
        .stack = pass->m->family->stack_id, .q = pass->qkv, .kv = pass->qkv,
        .q_stride = place->width, .kv_stride = place->width, .q_at = place->q,
        .k_at = place->k, .v_at = place->v, .key_start = pass->b->start,
        .lo = plan->lo, .hi = plan->hi, .biased = true,
        .mask = pass->want->change != NULL ? pass->want->change->mask : NULL,
    };
    int status;

    attention_input(pass, l, &plan->slot[W_ATT_NORM]);
    if (keep_out)
        skip_attention(pass, plan->slot);
    project_self(pass, plan, reads_values(pass, l, heads.stack, keep_out));
    side_conv_rows(pass, l, keep_out);
    distance_terms(pass, &heads, plan->distance, plan->scale);
    distance_buckets(pass, l, &heads);
    cached_append(pass, l, &heads);
    relative_project(pass, plan);
    sparse_set(pass, plan, &heads);
    chunks_set(pass, plan, &heads);
    status = attend_layer(pass, l, &heads, keep_out, e);
    arena_reset(pass->call, mark);
    return status;
}

static int attend_cross(struct pass *pass, int l, bool keep_out, struct err *e)
{
    const struct layer_plan *plan = &pass->m->layer[l];
    const struct config *config = &pass->m->config;
    const struct head_place *place = &pass->m->place;
    struct arena_mark mark = arena_mark(pass->call);
    struct heads heads = {
        .stack = STACK_CROSS, .q = pass->qkv, .kv = pass->memory_kv,
        .q_stride = config->n_heads * config->d_head,
        .kv_stride = config->n_kv_heads * (config->d_head + config->d_value),
        .q_at = place->q, .k_at = place->cross_k, .v_at = place->cross_v,
        .key_start = pass->key_start, .lo = INT_MAX, .hi = INT_MAX,
        .mask = cross_mask(pass),
    };
    int status;

    attention_input(pass, l, &plan->slot[W_CROSS_NORM]);
    cross_project(pass, plan);
    distance_terms(pass, &heads, plan->cross_distance, plan->scale);
    cached_append_memory(pass, l, &heads);
    status = attend_layer(pass, l, &heads, keep_out, e);
    arena_reset(pass->call, mark);
    return status;
}

/* A layer that is one attention only, to its own input or to another. */
static int run_attention(struct pass *pass, int l, bool keep_out, struct err *e)
{
    bool own = pass->m->family->stack_id != STACK_CROSS;

    if ((own ? attend_self : attend_cross)(pass, l, keep_out, e) != 0)
        return -1;
    if (keep_out)
        attention_output(pass, l, own ? pass->m->family->stack_id : STACK_CROSS, pass->x);
    return 0;
}

/* The narrower stream of a layer with bottlenecks begins. */
static void enter_bottleneck(struct pass *pass, int l)
{
    const struct param *slot = pass->m->layer[l].slot;

    if (slot[W_IN].weight == NULL)
        return;
    stage_linear(pass, pass->x2, slot[W_IN].matrix.N, pass->x, slot[W_IN].matrix.K, pass->N,
                 &slot[W_IN]);
    stage_norm(pass, pass->x2, pass->x2, pass->N, slot[W_IN].matrix.N, &slot[W_IN_NORM]);
}

/* x = norm(x + what it ended with, projected). */
static void leave_bottleneck(struct pass *pass, int l)
{
    const struct param *slot = pass->m->layer[l].slot;
    int D = pass->m->config.d_model;

    if (slot[W_OUT].weight == NULL)
        return;
    stage_linear(pass, pass->a, D, pass->x2, slot[W_OUT].matrix.K, pass->N, &slot[W_OUT]);
    stage_add(pass, pass->x, pass->a, pass->N, D);
    stage_norm(pass, pass->x, pass->x, pass->N, D, &slot[W_OUT_NORM]);
}

/* A layer that does not attend, unless nothing after its sum is wanted. */
static void run_mixer(struct pass *pass, int l, bool last)
{
    enum stack_id own = pass->m->family->stack_id;

    if (last)
        return;
    attention_input(pass, l, &pass->m->layer[l].slot[W_ATT_NORM]);
    mixer_run(pass, l, pass->a);
    stage_add(pass, pass->x2, pass->a, pass->N, pass->m->config.d_model);
    stage_step(pass, STREAM_MIXER, l, own, NULL, pass->x2, 0, pass->N);
    mlp_add(pass, &pass->m->layer[l]);
}

/* One layer; *ended: nothing after its last attention is wanted. */
static int run_layer(struct pass *pass, int l, bool *ended, struct err *e)
{
    const struct param *slot = pass->m->layer[l].slot;
    bool last = l == pass->last && pass->want->hidden == NULL && pass->want->logits == NULL &&
                pass->want->leave == NULL;
    bool cross = pass_has_memory(pass);
    bool only_self = last && !(cross && (pass_wants(pass, l, STACK_CROSS) ||
                                         pass_taps(pass, l, STACK_CROSS)));
    enum stack_id own = pass->m->family->stack_id;
    float *out = pass->m->norm_place == PLACE_PARALLEL ? pass->late : pass->a;

    *ended = last;
    if (pass->m->family->bare && slot[W_UP].weight == NULL)
        return run_attention(pass, l, !last, e);
    if (pass->m->layer[l].mixer != MIXER_NONE) {
        run_mixer(pass, l, last);
        return 0;
    }
    enter_bottleneck(pass, l);
    if (attend_self(pass, l, !only_self, e) != 0)
        return -1;
    if (only_self)
        return 0;
    if (pass->m->config.norm.residual_from) {
        memcpy(pass->x, pass->a,
               (size_t)pass->N * (size_t)pass->m->config.d_model * sizeof *pass->x);
        stage_step(pass, STREAM_NORM, l, own, &slot[W_ATT_NORM], pass->x, 0, pass->N);
    }
    attention_output(pass, l, own, out);
    if (pass->m->norm_place == PLACE_PARALLEL) {
        mlp_add(pass, &pass->m->layer[l]);
        run_join(pass, l, own, out);
        return 0;
    }
    run_join(pass, l, own, out);
    if (cross) {
        if (attend_cross(pass, l, !last, e) != 0)
            return -1;
        if (last)
            return 0;
        attention_output(pass, l, STACK_CROSS, out);
        run_join(pass, l, STACK_CROSS, out);
    }
    mlp_add(pass, &pass->m->layer[l]);
    leave_bottleneck(pass, l);
    if (l == 0 && pass->m->slot[W_CONV].weight != NULL)
        conv_add(pass);
    return 0;
}

/* Shows the streams that the layer reads to the tap. */
static void enter(const struct pass *pass, int l)
{
    const struct tap *tap = pass->want->tap;

    if (tap != NULL && tap->enter != NULL)
        tap->enter(tap->self, l, pass->m->family->stack_id,
                   pass->streams != NULL ? pass->streams : pass->x,
                   pass->streams != NULL      ? pass->streams :
                   pass_has_two_streams(pass) ? pass->x2 :
                                                pass->x,
                   pass->N, model_stream_width(pass->m));
}

static int run_layers(struct pass *pass, struct err *e)
{
    struct progress *progress = par_progress(pass->par);
    int first = pass->want->resume != NULL ? pass->want->resume->layer :
                0, n = pass->last + 1 - first;
    bool ended = false;
    int status = 0;

    progress_begin(progress, "layer", n);
    for (int l = first; l <= pass->last && !ended && status == 0; l++) {
        enter(pass, l);
        if (pass->streams != NULL)
            altup_enter(pass, &pass->m->layer[l]);
        status = run_layer(pass, l, &ended, e);
        if (pass->streams != NULL && !ended && status == 0)
            altup_leave(pass, &pass->m->layer[l]);
        progress_tokens(progress, (double)pass->N / n);
        progress_step(progress);
    }
    progress_end(progress);
    return status;
}

/* ---- rows that a file holds ---- */

/* Attention whose rows a file holds, in place of a layer. */
static int precomputed_layer(struct pass *pass, int l, enum stack_id stack,
                             const struct precomputed_layer *layer,
                             const int *key_start, int hi, struct err *e)
{
    const struct heads heads = { .stack = stack, .key_start = key_start, .lo = INT_MAX,
                                 .hi = hi, .precomputed = layer };

    if (layer->rows == NULL || !pass_wants(pass, l, stack))
        return 0;
    return attend_layer(pass, l, &heads, false, e);
}

/* The same for all layers. */
static int run_precomputed(struct pass *pass, struct err *e)
{
    const struct precomputed *precomputed = pass->m->precomputed;

    if (precomputed_check(pass, e) != 0)
        return -1;
    for (int layer = 0; layer <= pass->last; layer++) {
        if (precomputed->self != NULL &&
            precomputed_layer(pass, layer, pass->m->family->stack_id, &precomputed->self[layer],
                              pass->b->start, pass->m->layer[layer].hi, e) != 0)
            return -1;
        if (precomputed->cross != NULL &&
            precomputed_layer(pass, layer, STACK_CROSS, &precomputed->cross[layer],
                              pass->key_start, INT_MAX, e) != 0)
            return -1;
    }
    return 0;
}

/* ---- all of it ---- */

/* The embeddings, as the first layer reads them. */
static void run_begin(struct pass *pass)
{
    size_t size = (size_t)pass->N * (size_t)pass->m->config.d_model * sizeof *pass->x;

    embed_batch(pass);
    if (pass->embedded != NULL)
        memcpy(pass->embedded, pass->x, size);
    if (pass->streams != NULL)
        altup_begin(pass);
    if (pass_has_two_streams(pass))
        memcpy(pass->x2, pass->x, size);
    stage_step(pass, STREAM_BEGIN, 0, pass->m->family->stack_id, NULL, pass->x2, 0, pass->N);
    if (pass_has_two_streams(pass))
        stage_step(pass, STREAM_BEGIN, 0, pass->m->family->stack_id, NULL, pass->x, 0, pass->N);
}

/* The streams that an earlier pass had where this one begins. */
static void resume(struct pass *pass, const struct resume *from)
{
    size_t size = (size_t)pass->N * (size_t)pass->m->config.d_model * sizeof *pass->x;

    if (pass->streams != NULL) {
        embed_batch(pass);
        memcpy(pass->embedded, pass->x, size);
        memcpy(pass->streams, from->x, size * (size_t)pass->m->config.streams.n);
        return;
    }
    memcpy(pass->x, from->x, size);
    if (pass->embedded != NULL)
        memcpy(pass->embedded, from->x, size);
    if (pass_has_two_streams(pass))
        memcpy(pass->x2, from->x2, size);
}

/* The streams for the pass that goes on. */
static void run_leave(const struct pass *pass, const struct leave *to)
{
    size_t size = (size_t)pass->N * (size_t)pass->m->config.d_model * sizeof *pass->x;

    if (pass->streams != NULL)
        memcpy(to->x, pass->streams, size * (size_t)pass->m->config.streams.n);
    else
        memcpy(to->x, pass->x, size);
    if (to->x2 != NULL)
        memcpy(to->x2, pass->x2, size);
}

static bool changes_only_numbers(const struct change *change)
{
    return change == NULL || (change->mask == NULL && change->memory_mask == NULL &&
                              change->noise == NULL &&
                              change->intervention == NULL);
}

int run_forward(const struct model *model, const struct batch *batch, const struct wanted *want,
                const struct sink *sinks, int n_sinks, struct par *par,
                struct arena *call, struct err *e)
{
    struct pass pass = { .m = model, .b = batch, .want = want, .sinks = sinks, .n_sinks = n_sinks,
                         .par = par, .call = call, .N = batch->start[batch->n_texts],
                         .last = last_layer(model, want) };
    struct arena_mark mark = arena_mark(call);
    int before, status;

    assert(want->cache == NULL || changes_only_numbers(want->change));
    assert(want->cache == NULL ||
           (n_sinks == 0 && want->tap == NULL && want->resume == NULL));
    pass.key_start = cross_key_start(&pass);
    if (model->precomputed != NULL)
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
