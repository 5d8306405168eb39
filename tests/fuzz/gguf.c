/* SPDX-License-Identifier: MIT
 * Any bytes as a GGUF file: refused with a message, or every key can be read, every
 * tensor found and read, a config, a tokeniser and a model that runs are made of it or refused. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "model/gguf.h"
#include "support/forward.h"
#include "text/gguf_tok.h"
#include "text/tok.h"

static void use_value(struct arena *a, const struct gguf_value *v)
{
    struct gguf_strings all;
    struct span s;
    volatile unsigned char last = 0;

    assert(gguf_kind(a, v) != NULL);
    if (v->n > 0 && gguf_is_int(v))
        (void)gguf_int(v, v->n - 1);
    if (v->n > 0 && gguf_is_real(v))
        (void)gguf_real(v, v->n - 1);
    if (v->type != GGUF_STRING)
        return;
    for (all = gguf_strings(v); gguf_next(&all, &s); )
        last = s.size > 0 ? s.data[s.size - 1] : 0;
    (void)last;
}

static void use(struct arena *a, const struct weights *w)
{
    const struct gguf *g = weights_gguf(w);
    const struct family *f;
    struct config c;
    struct err e = { 0 };

    for (int i = 0; g != NULL && i < g->n; i++) {
        assert(gguf_find(g, g->value[i].key) == &g->value[i]);
        use_value(a, &g->value[i]);
    }
    for (int i = 0; i < weights_count(w); i++) {
        const struct tensor *t = weights_at(w, i);
        float x;

        assert(weights_find(w, t->name) == t);
        if (t->n_elements == 0)
            continue;
        tensor_read(&x, t, 0, 1);
        tensor_read(&x, t, t->n_elements - 1, 1);
    }
    if (g != NULL && gguf_config(&c, &f, a, w, &e) != 0)
        assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
}

static void use_tok(struct arena *a, const struct gguf *g)
{
    static const char text[] = "ab a1 <x>";
    const struct tok_input in = { .text = text, .text_size = sizeof text - 1 };
    struct err e = { 0 };
    struct tok *t = gguf_tok_open(a, g, "f", &e);
    struct tokens out;

    if (t != NULL)
        (void)tok_encode(t, a, &in, &out, &e);
    else
        assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
    tok_close(t);
}

static void use_model(struct arena *a, struct span bytes)
{
    const struct model_files files = { .weights = bytes };
    struct err e = { 0 };
    struct model *m = model_open_memory(a, &files, "f", &e);

    if (m == NULL) {
        assert(e.kind == ERR_INPUT && e.msg[0] != '\0');
        return;
    }
    forward_run(m, a, &e);
    model_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct weights *w = weights_open_memory(&a, (struct span){ data, size }, "f", &e);

        if (w != NULL)
            use(&a, w);
        if (w != NULL && weights_gguf(w) != NULL)
            use_tok(&a, weights_gguf(w));
        else
            assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        weights_close(w);
        use_model(&a, (struct span){ data, size });
    }
    arena_finish(&a);
    return 0;
}
