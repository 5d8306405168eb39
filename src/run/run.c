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
    if (n > c->n_positions)
        return err_set(e, ERR_INPUT, "the text has %d tokens, %s takes %d at the most "
                       "(--truncate cuts it)", n, m->name, c->n_positions);
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

static int longest_text(const struct batch *b)
{
    int longest = 0;

    for (int t = 0; t < b->n_texts; t++)
        if (b->start[t + 1] - b->start[t] > longest)
            longest = b->start[t + 1] - b->start[t];
    return longest;
}

static void make_room(struct pass *p)
{
    const struct config *c = &p->m->config;
    size_t N = (size_t)p->N, D = (size_t)c->d_model, F = (size_t)c->d_ff;
    size_t mlp_rows = N < MLP_ROWS ? N : MLP_ROWS;

    p->qkv_width = (c->n_heads + 2 * c->n_kv_heads) * c->d_head;
    p->x = floats(p, N, D);
    p->a = floats(p, N, D);
    p->qkv = floats(p, N, (size_t)p->qkv_width);
    p->z = floats(p, N, (size_t)c->n_heads * (size_t)c->d_head);
    p->up = floats(p, mlp_rows, F);
    if (p->m->family->mlp == MLP_GATED)
        p->gate = floats(p, mlp_rows, F);
    if (p->m->inv_freq != NULL) {
        int longest = longest_text(p->b), half = c->d_head / 2;

        p->cos = floats(p, (size_t)longest, (size_t)half);
        p->sin = floats(p, (size_t)longest, (size_t)half);
        rope_table(p->cos, p->sin, p->m->inv_freq, c->d_head, 1.0f, 0, longest);
    }
}

double run_memory(const struct model *m, int n_tokens, int n_threads)
{
    const struct config *c = &m->config;
    double N = n_tokens, D = c->d_model, hd = (double)c->n_heads * c->d_head;
    double kv = 2.0 * c->n_kv_heads * c->d_head;
    double mlp = (N < MLP_ROWS ? N : MLP_ROWS) * c->d_ff *
                 (m->family->mlp == MLP_GATED ? 2 : 1);
    double head = (double)attend_packed(n_tokens, c->d_head, c->d_head) +
                  1.25 * ATTEND_ROWS * (double)attend_stride(n_tokens);

    return sizeof(float) * (N * (2 * D + 2 * hd + kv) + mlp + head * n_threads);
}

/* ---- the pass ---- */

/* What the attention reads: x normed before it, or x as it is. */
static void attention_input(struct pass *p, const struct layer_plan *plan)
{
    static const struct param identity;

    pass_norm(p, p->a, p->x, p->N, p->m->family->place == PLACE_PRE ?
              &plan->slot[W_ATT_NORM] : &identity);
}

static void attention_output(struct pass *p, const struct layer_plan *plan)
{
    const struct param *o = &plan->slot[W_O];

    pass_linear(p, p->a, p->m->config.d_model, p->z, o->matrix.K, p->N, &o->matrix,
                o->bias);
    add_to(p->x, p->a, (int64_t)p->N * p->m->config.d_model);
    if (p->m->family->place == PLACE_POST)
        pass_norm(p, p->x, p->x, p->N, &plan->slot[W_ATT_NORM]);
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
        attention_output(p, plan);
        pass_mlp(p, plan);
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
