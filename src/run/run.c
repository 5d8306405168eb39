/* SPDX-License-Identifier: MIT
 * embed -> layers -> head: the only forward pass. */
#include "run/run.h"

#include <string.h>

#include "run/run_priv.h"

/* ---- what is asked for, checked once ---- */

static int check_text(const struct model *m, const struct batch *b, int t,
                      struct err *e)
{
    const struct config *c = &m->config;
    int n = b->start[t + 1] - b->start[t];
    bool has_types = m->slot[W_TYPE].weight != NULL;

    if (n <= 0)
        return err_set(e, ERR_INPUT, "the text yields no token");
    if (n > m->max_tokens)
        return err_set(e, ERR_INPUT, "the text has %d tokens, %s takes %d at the most "
                       "(--truncate cuts it)", n, m->name, m->max_tokens);
    for (int i = b->start[t]; i < b->start[t + 1]; i++) {
        if (b->id[i] < 0 || b->id[i] >= c->n_vocab)
            return err_set(e, ERR_INPUT, "token %d: id %d is not in the vocabulary of "
                           "%s (0 to %d)", i - b->start[t], b->id[i], m->name,
                           c->n_vocab - 1);
        if (has_types && b->type != NULL &&
            (b->type[i] < 0 || b->type[i] >= c->n_types))
            return err_set(e, ERR_INPUT, "token %d: type %d is not one of the %d that "
                           "%s has", i - b->start[t], b->type[i], c->n_types, m->name);
    }
    return 0;
}

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
    p->a = floats(p, N, D);
    if (p->m->norm_place == PLACE_PARALLEL)
        p->late = floats(p, N, D);
    p->qkv = floats(p, N, (size_t)p->m->place.width);
    p->z = floats(p, N, (size_t)slot_dim(p->m->family, c, DIM_HV));
    p->up = floats(p, mlp_rows, (size_t)slot_dim(p->m->family, c, DIM_UP));
    if (p->m->family->mlp == MLP_GATED)
        p->gate = floats(p, mlp_rows, (size_t)c->d_ff);
    pass_turns(p);
}

double run_memory(const struct model *m, int n_tokens, int n_threads)
{
    const struct config *c = &m->config;
    double N = n_tokens, D = c->d_model, hd = (double)c->n_heads * c->d_head;
    double kv = 2.0 * c->n_kv_heads * c->d_head;
    double mlp = (N < MLP_ROWS ? N : MLP_ROWS) * c->d_ff *
                 (m->family->mlp == MLP_PLAIN ? 1 : 2);
    double head = (double)attend_packed(n_tokens, c->d_head, c->d_head) +
                  1.25 * ATTEND_ROWS * (double)attend_stride(n_tokens);

    return sizeof(float) * (N * (2 * D + 2 * hd + kv) + mlp + head * n_threads);
}

/* ---- the pass ---- */

/* What the attention reads: x normed before it, or x as it is. */
static void attention_input(struct pass *p, const struct layer_plan *plan)
{
    static const struct param identity;

    pass_norm(p, p->a, p->x, p->N, p->m->config.d_model,
              p->m->norm_place == PLACE_POST ? &identity : &plan->slot[W_ATT_NORM]);
}

static void attention_output(struct pass *p, const struct layer_plan *plan, float *out)
{
    int D = p->m->config.d_model;

    pass_linear(p, out, D, p->z, plan->slot[W_O].matrix.K, p->N, &plan->slot[W_O]);
    pass_norm(p, out, out, p->N, D, &plan->slot[W_ATT_OUT]);
}

/* The rest of a layer behind its attention. */
static void join(struct pass *p, const struct layer_plan *plan)
{
    int D = p->m->config.d_model;
    int64_t n = (int64_t)p->N * D;

    if (p->m->norm_place == PLACE_PARALLEL) {
        attention_output(p, plan, p->late);
        pass_mlp(p, plan);
        add_to(p->x, p->late, n);
        return;
    }
    if (p->m->config.residual_from_norm)
        memcpy(p->x, p->a, (size_t)n * sizeof *p->x);
    attention_output(p, plan, p->a);
    add_to(p->x, p->a, n);
    if (p->m->norm_place == PLACE_POST)
        pass_norm(p, p->x, p->x, p->N, D, &plan->slot[W_ATT_NORM]);
    pass_mlp(p, plan);
}

static int run_layers(struct pass *p, struct err *e)
{
    bool beyond = p->want->hidden != NULL || p->want->logits != NULL;

    for (int l = 0; l <= p->last; l++) {
        const struct layer_plan *plan = &p->m->layer[l];

        attention_input(p, plan);
        pass_project(p, plan);
        if (pass_attend(p, l, e) != 0)
            return -1;
        if (l == p->last && !beyond)
            break;
        join(p, plan);
    }
    return 0;
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

    for (int t = 0; t < b->n_texts; t++)
        if (check_text(m, b, t, e) != 0)
            return -1;
    make_room(&p);
    pass_embed(&p);
    rc = run_layers(&p, e);
    if (rc == 0)
        pass_head(&p);
    arena_reset(call, mark);
    return rc;
}
