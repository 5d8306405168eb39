/* SPDX-License-Identifier: MIT
 * Tokens, or ones in the shape that the model reads -> its pass. */
#include "support/forward.h"

#include <assert.h>

#include "run/run.h"

static void take(void *self, const struct rows *r, int n_heads)
{
    float *sum = self;

    assert(n_heads == 1 && r->n_rows > 0 && r->key0 + r->n_keys <= r->n_all_keys);
    for (int t = 0; t < r->n_rows; t++)
        for (int j = 0; j < r->n_keys; j++)
            *sum += r->weight[(size_t)t * r->stride + (size_t)j];
}

/* Ones of the shape that the model reads. */
static struct values ones(const struct model *m, struct arena *a)
{
    struct values v = { 0 };
    size_t n = 1;
    float *x;

    v.n_dims = front_dims(m, v.dim);
    for (int i = 0; i < v.n_dims; i++) {
        v.dim[i] = v.dim[i] < 0 ? 3 : v.dim[i];
        n *= (size_t)v.dim[i];
    }
    x = arena_alloc(a, n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    v.x = x;
    return v;
}

/* Enough tokens for blocks of keys of 1, and one that is global. */
void forward_run(const struct model *m, struct arena *a, struct err *e)
{
    enum { N = 9 };
    const bool by_id = m->family->front == FRONT_TOKENS;
    const struct values v = ones(m, a);
    const int n = !by_id ? front_positions(m, &v, e) : m->max_tokens < N ? m->max_tokens : N;
    const int start[] = { 0, n }, id[N] = { 0, m->config.n_vocab - 1 };
    const unsigned char global[N] = { 0, 1 };
    const struct batch batch = { 1, start, by_id ? id : NULL, .values = by_id ? NULL : &v,
                                 .global = by_id ? global : NULL };
    const struct wanted want = {
        .hidden = arena_alloc(a, (size_t)n * (size_t)m->d_hidden, sizeof(float)),
        .logits = m->has_head ? arena_alloc(a, (size_t)n * (size_t)m->n_logits,
                                            sizeof(float)) : NULL,
    };
    struct par *par = par_new(1, e);
    float sum = 0;
    const struct sink sink = { SINK_HEAD, take, NULL, &sum };

    assert(n > 0 && par != NULL);
    if (run_forward(m, &batch, &want, &sink, 1, par, a, e) != 0)
        assert(e->kind == ERR_INPUT && e->msg[0] != '\0');
    par_free(par);
}
