/* SPDX-License-Identifier: MIT
 * A config.json, a NUL and a safetensors file: refused with a message, or a model
 * that runs. */
#include "fuzz.h"

#include <string.h>

#include "model/model.h"
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
static void forward(const struct model *m, struct arena *a, struct err *e)
{
    enum { N = 9 };
    const bool by_id = m->family->front == FRONT_TOKENS;
    const struct values v = ones(m, a);
    const int n = !by_id ? front_positions(m, &v, e) : m->max_tokens < N ? m->max_tokens : N;
    const int start[] = { 0, n }, id[N] = { 0, m->config.n_vocab - 1 };
    const unsigned char global[N] = { 0, 1 };
    const struct batch batch = { 1, start, by_id ? id : NULL, NULL, by_id ? NULL : &v,
                                 by_id ? global : NULL };
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

/* What model_open does with a folder. */
static int open(struct model *m, struct arena *a, struct span config,
                struct span weights, struct err *e)
{
    m->name = "m";
    m->weights = weights_open_memory(a, weights, "w", e);
    if (m->weights == NULL)
        return -1;
    if (config_read(&m->config, &m->family, a, config, "c", e) != 0)
        return -1;
    return model_bind(m, a, e);
}

static void feed(struct span config, struct span weights)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct model *m = arena_alloc(&a, 1, sizeof *m);

        if (open(m, &a, config, weights, &e) == 0)
            forward(m, &a, &e);
        else
            assert(e.kind == ERR_INPUT && e.msg[0] != '\0');
        model_close(m);
    }
    arena_finish(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size > 0 ? memchr(data, 0, size) : NULL;
    size_t n = nul != NULL ? (size_t)(nul - data) : size;
    size_t rest = nul != NULL ? size - n - 1 : 0;

    feed((struct span){ data, n }, (struct span){ rest > 0 ? nul + 1 : data, rest });
    return 0;
}
