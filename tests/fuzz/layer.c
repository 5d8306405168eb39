/* SPDX-License-Identifier: MIT
 * Two bytes of options and a safetensors file: refused with a message, or a bare layer
 * that runs. */
#include "fuzz.h"

#include "model/model.h"
#include "run/run.h"

enum { ROWS = 3, OPTIONS = 2, MAX_NUMBERS = 1 << 20 };

static void take(void *self, const struct rows *r, int n_heads)
{
    float *sum = self;

    assert(n_heads == 1 && r->n_rows > 0 && r->key0 + r->n_keys <= r->n_all_keys);
    for (int t = 0; t < r->n_rows; t++)
        for (int j = 0; j < r->n_keys; j++)
            *sum += r->weight[(size_t)t * r->stride + (size_t)j];
}

static const float *ones(struct arena *a, int width)
{
    float *x = arena_alloc(a, ROWS * (size_t)width, sizeof *x);

    for (int i = 0; i < ROWS * width; i++)
        x[i] = 1;
    return x;
}

static void forward(const struct model *m, struct arena *a, struct err *e)
{
    const struct config *c = &m->config;
    const int n = m->max_tokens < ROWS ? m->max_tokens : ROWS;
    const int start[] = { 0, n };
    const struct values v = { 2, { n, c->d_model }, ones(a, c->d_model) };
    const struct batch batch = { .n_texts = 1, .start = start, .values = &v };
    const struct memory memory = { ones(a, c->cross.d_key), start,
                                   ones(a, c->cross.d_value) };
    const struct wanted want = {
        .hidden = arena_alloc(a, (size_t)n * (size_t)m->d_hidden, sizeof(float)),
        .memory = model_has_cross(m) ? &memory : NULL,
    };
    struct par *par = par_new(1, e);
    float sum = 0;
    const struct sink sink = { SINK_HEAD, take, NULL, &sum };

    assert(n > 0 && par != NULL);
    if (run_forward(m, &batch, &want, &sink, 1, par, a, e) != 0)
        assert(e->kind == ERR_INPUT && e->msg[0] != '\0');
    par_free(par);
}

/* What model_open_layer does with a file. */
static int open(struct model *m, struct arena *a, const struct layer_asked *asked,
                struct span bytes, struct err *e)
{
    m->name = "m";
    m->weights = weights_open_memory(a, bytes, "w", e);
    if (m->weights == NULL)
        return -1;
    if (layer_describe(&m->config, &m->family, a, m->weights, "w", asked, &m->note, e) != 0)
        return -1;
    return model_bind(m, a, e);
}

static void feed(const struct layer_asked *asked, struct span bytes)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct model *m = arena_alloc(&a, 1, sizeof *m);

        if (open(m, &a, asked, bytes, &e) != 0)
            assert(e.kind != ERR_NONE && e.msg[0] != '\0');
        else if (m->place.width <= MAX_NUMBERS)
            forward(m, &a, &e);
        model_close(m);
    }
    arena_finish(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct layer_asked asked;

    if (size < OPTIONS)
        return 0;
    asked = (struct layer_asked){
        .heads = data[0], .norm_first = data[1] & 1,
        .activation = data[1] & 2 ? "gelu" : NULL, .relative = data[1] & 4 ? "shaw" : NULL,
        .memory = data[1] & 8,
    };
    feed(&asked, (struct span){ data + OPTIONS, size - OPTIONS });
    return 0;
}
