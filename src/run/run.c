/* SPDX-License-Identifier: MIT
 * embed -> layers -> head: the only forward pass. */
#include "run/run.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "run/run_priv.h"

static int last_layer(const struct model *m, const struct wanted *want)
{
    int last = m->config.n_layers - 1;

    if (want->hidden != NULL || want->logits != NULL || want->layer == NULL)
        return last;
    while (last > 0 && !want->layer[last])
        last--;
    return last;
}

/* ---- memory ---- */

static float *floats(struct pass *p, size_t rows, size_t columns)
{
    return arena_alloc_raw(p->call, rows * columns, sizeof(float));
}

static void make_room(struct pass *p)
{
    const struct config *c = &p->m->config;
    size_t N = (size_t)p->N, D = (size_t)c->d_model;
    size_t mlp_rows = N < MLP_ROWS ? N : MLP_ROWS;

    p->x = floats(p, N, D);
    p->x2 = p->m->norm_place == PLACE_REVERSIBLE ? floats(p, N, D) : p->x;
    p->a = floats(p, N, D);
    if (p->m->norm_place == PLACE_PARALLEL)
        p->late = floats(p, N, D);
    p->qkv = floats(p, N, (size_t)p->m->place.width);
    p->z = floats(p, N, (size_t)family_slot_dim(p->m->family, c, DIM_HV));
    p->up = floats(p, mlp_rows, (size_t)family_slot_dim(p->m->family, c, DIM_UP));
    if (p->m->mlp == MLP_GATED)
        p->gate = floats(p, mlp_rows, (size_t)c->d_ff);
    if (p->want->memory != NULL)
        p->memory_kv = floats(p, (size_t)p->key_start[p->b->n_texts],
                              (size_t)family_slot_dim(p->m->family, c, DIM_GD) +
                              (size_t)family_slot_dim(p->m->family, c, DIM_GV));
    if (p->want->cache != NULL)
        p->kept = arena_alloc(p->call, (size_t)p->b->n_texts, sizeof *p->kept);
    if (p->m->slot[W_CONV].weight != NULL)
        p->embedded = floats(p, N, D);
    pass_turns(p);
    pass_relative(p);
    pass_sparse_room(p);
    pass_rotations(p);
}

double run_memory(const struct model *m, int n_tokens, int n_threads)
{
    const struct config *c = &m->config;
    double N = n_tokens, D = c->d_model, z = (double)c->n_heads * c->d_value;
    /* Normed and not; a second stream, and both side by side at the end. */
    double streams = m->norm_place == PLACE_REVERSIBLE ? 5 * D : 2 * D;
    double latent = (double)latent_room(m, n_tokens) + (double)front_room(m, n_tokens);
    double mlp = (N < MLP_ROWS ? N : MLP_ROWS) * c->d_ff *
                 (m->mlp == MLP_PLAIN ? 1 : 2);
    int sets = m->family->stack.name[W_Q_GLOBAL] != NULL ? 2 : 1;   /* of q, k and v */
    double blocks = c->sparse.block > 0 ? 2.25 : 1.25;     /* of weights, and a byte each */
    double head = sets * (double)attention_packed(n_tokens, c->d_head, c->d_value) +
                  blocks * ATTEND_ROWS * (double)attention_stride(n_tokens);

    return sizeof(float) * (N * (streams + sets * m->place.width + z) + latent + mlp +
                            head * n_threads + relative_memory(m, n_tokens) +
                            conv_memory(m, n_tokens)) + chunk_memory(m, n_tokens);
}

/* ---- the pass ---- */

/* What an attention reads: x normed before it, or x as it is. */
static void attention_input(struct pass *p, const struct param *norm)
{
    static const struct param identity;

    pass_norm(p, p->a, p->x, p->N, p->m->config.d_model,
              p->m->norm_place == PLACE_POST ? &identity : norm);
}

/* out[n, D] = z[n, H d_v] through the output projection of the stack, and its norm. */
static void project_out(struct pass *p, int l, enum stack_id stack, float *out,
                        const float *z, int n)
{
    const struct param *slot = p->m->layer[l].slot;
    const struct param *o = &slot[stack == STACK_CROSS ? W_CROSS_O : W_O];
    int D = p->m->config.d_model;

    if (p->m->family->front == FRONT_QKV)
        memcpy(out, z, (size_t)n * (size_t)D * sizeof *out);
    else
        pass_linear(p, out, D, z, o->matrix.K, n, o);
    pass_norm(p, out, out, n, D, &slot[W_ATT_OUT]);
}

void run_attention_output(const struct model *m, int layer, enum stack_id stack,
                          float *out, const float *z, int n, struct par *par)
{
    struct pass p = { .m = m, .par = par };

    project_out(&p, layer, stack, out, z, n);
}

/* What the attention of this stack gives, behind its output projection. */
static void attention_output(struct pass *p, int l, enum stack_id stack, float *out)
{
    project_out(p, l, stack, out, p->z, p->N);
    if (pass_taps(p, l, stack) && p->want->tap->given != NULL)
        p->want->tap->given(p->want->tap->self, l, stack, out, p->N,
                            p->m->config.d_model);
}

/* x2 = x2 + out, with the norm behind the sum where that is its place. */
static void join(struct pass *p, const float *out, const struct param *norm)
{
    int D = p->m->config.d_model;

    nn_add(p->x2, out, (int64_t)p->N * D);
    if (p->m->norm_place == PLACE_POST)
        pass_norm(p, p->x2, p->x2, p->N, D, norm);
}

static int attend_self(struct pass *p, int l, bool keep_out, struct err *e)
{
    const struct layer_plan *plan = &p->m->layer[l];
    const struct head_place *place = &p->m->place;
    struct arena_mark mark = arena_mark(p->call);
    struct heads h = {
        .stack = p->m->family->stack_id, .q = p->qkv, .kv = p->qkv,
        .q_stride = place->width, .kv_stride = place->width, .q_at = place->q,
        .k_at = place->k, .v_at = place->v, .key_start = p->b->start,
        .lo = plan->lo, .hi = plan->hi, .biased = true,
        .mask = p->want->change != NULL ? p->want->change->mask : NULL,
    };
    int rc;

    attention_input(p, &plan->slot[W_ATT_NORM]);
    pass_project(p, plan);
    pass_distances(p, &h, plan->distance, plan->scale);
    pass_keep(p, l, &h);
    pass_prepare(p, plan);
    pass_sparse(p, plan, &h);
    pass_chunks(p, plan, &h);
    rc = pass_attend(p, l, &h, keep_out, e);
    arena_reset(p->call, mark);
    return rc;
}

static int attend_cross(struct pass *p, int l, bool keep_out, struct err *e)
{
    const struct layer_plan *plan = &p->m->layer[l];
    const struct config *c = &p->m->config;
    const struct head_place *place = &p->m->place;
    struct arena_mark mark = arena_mark(p->call);
    struct heads h = {
        .stack = STACK_CROSS, .q = p->qkv, .kv = p->memory_kv,
        .q_stride = c->n_heads * c->d_head,
        .kv_stride = c->n_kv_heads * (c->d_head + c->d_value),
        .q_at = place->q, .k_at = place->cross_k, .v_at = place->cross_v,
        .key_start = p->key_start, .lo = INT_MAX, .hi = INT_MAX,
        .mask = pass_cross_mask(p),
    };
    int rc;

    attention_input(p, &plan->slot[W_CROSS_NORM]);
    pass_project_cross(p, plan);
    pass_distances(p, &h, plan->cross_distance, plan->scale);
    pass_keep_memory(p, l, &h);
    rc = pass_attend(p, l, &h, keep_out, e);
    arena_reset(p->call, mark);
    return rc;
}

/* A layer that is one attention, to its own input or to another. */
static int run_attention(struct pass *p, int l, bool keep_out, struct err *e)
{
    bool own = p->m->family->stack_id != STACK_CROSS;

    if ((own ? attend_self : attend_cross)(p, l, keep_out, e) != 0)
        return -1;
    if (keep_out)
        attention_output(p, l, own ? p->m->family->stack_id : STACK_CROSS, p->x);
    return 0;
}

/* A layer; *ended where nothing behind its last attention is wanted. */
static int run_layer(struct pass *p, int l, bool *ended, struct err *e)
{
    const struct param *slot = p->m->layer[l].slot;
    bool last = l == p->last && p->want->hidden == NULL && p->want->logits == NULL;
    bool cross = pass_has_memory(p);
    bool only_self = last && !(cross && (pass_wants(p, l, STACK_CROSS) ||
                                         pass_taps(p, l, STACK_CROSS)));
    float *out = p->m->norm_place == PLACE_PARALLEL ? p->late : p->a;

    *ended = last;
    if (p->m->family->bare && slot[W_UP].weight == NULL)
        return run_attention(p, l, !last, e);
    if (attend_self(p, l, !only_self, e) != 0)
        return -1;
    if (only_self)
        return 0;
    if (p->m->config.norm.residual_from)
        memcpy(p->x, p->a, (size_t)p->N * (size_t)p->m->config.d_model * sizeof *p->x);
    attention_output(p, l, p->m->family->stack_id, out);
    if (p->m->norm_place == PLACE_PARALLEL) {
        pass_mlp(p, &p->m->layer[l]);
        join(p, out, &slot[W_ATT_NORM]);
        return 0;
    }
    join(p, out, &slot[W_ATT_NORM]);
    if (cross) {
        if (attend_cross(p, l, !last, e) != 0)
            return -1;
        if (last)
            return 0;
        attention_output(p, l, STACK_CROSS, out);
        join(p, out, &slot[W_CROSS_NORM]);
    }
    pass_mlp(p, &p->m->layer[l]);
    if (l == 0 && p->embedded != NULL)
        pass_conv(p);
    return 0;
}

static int run_layers(struct pass *p, struct err *e)
{
    bool ended = false;

    for (int l = 0; l <= p->last && !ended; l++)
        if (run_layer(p, l, &ended, e) != 0)
            return -1;
    return 0;
}

static bool changes_only_precision(const struct change *c)
{
    return c == NULL || (c->mask == NULL && c->memory_mask == NULL && c->noise == NULL &&
                         c->silent == NULL);
}

int run_forward(const struct model *m, const struct batch *b, const struct wanted *want,
                const struct sink *sinks, int n_sinks, struct par *par,
                struct arena *call, struct err *e)
{
    struct pass p = { .m = m, .b = b, .want = want, .sinks = sinks, .n_sinks = n_sinks,
                      .par = par, .call = call, .N = b->start[b->n_texts],
                      .last = last_layer(m, want) };
    struct arena_mark mark = arena_mark(call);
    int rc;

    assert(want->cache == NULL || changes_only_precision(want->change));
    assert(want->cache == NULL || (n_sinks == 0 && want->tap == NULL));
    p.key_start = pass_key_start(&p);
    if (m->precomputed != NULL)
        return pass_ready(&p, e);
    if (pass_check(&p, e) != 0)
        return -1;
    make_room(&p);
    pass_embed(&p);
    if (p.embedded != NULL)
        memcpy(p.embedded, p.x, (size_t)p.N * (size_t)m->config.d_model * sizeof *p.x);
    if (p.x2 != p.x)
        memcpy(p.x2, p.x, (size_t)p.N * (size_t)m->config.d_model * sizeof *p.x);
    rc = run_layers(&p, e);
    if (rc == 0) {
        pass_head(&p);
        pass_kept(&p);
    }
    arena_reset(call, mark);
    return rc;
}
