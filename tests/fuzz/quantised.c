/* SPDX-License-Identifier: MIT
 * A config.json with a quantization_config, a NUL and a safetensors file: refused with a
 * message, or every element of every tensor can be read. */
#include "fuzz.h"

#include <string.h>

#include "model/config.h"
#include "model/family.h"
#include "weights/quantised.h"
#include "weights/weights.h"

/* All at once, and again in pieces: the same bytes. */
static void use(const struct tensor *t, struct arena *a)
{
    enum { MOST = 1 << 16 };
    int n = t->n_elements < MOST ? (int)t->n_elements : MOST;
    float *all = arena_alloc(a, (size_t)n + 1, sizeof *all), piece[7];
    int64_t last = t->n_elements - n;

    tensor_read(all, t, last, n);
    for (int i = 0; i < n; i += 7) {
        int count = n - i < 7 ? n - i : 7;

        tensor_read(piece, t, last + i, count);
        assert(memcmp(piece, all + i, (size_t)count * sizeof *piece) == 0);
    }
}

static int look(struct arena *a, struct span config, struct span weights, struct err *e)
{
    const struct family *family;
    struct config c;
    struct weights *w;

    if (config_read(&c, &family, a, config, "c", TOWER_NONE, e) != 0)
        return -1;
    w = weights_open_memory(a, weights, "w", e);
    if (w == NULL || weights_dequantise(w, &c.quantisation, e) != 0)
        return -1;
    for (int i = 0; i < weights_count(w); i++) {
        assert(weights_find(w, weights_at(w, i)->name) == weights_at(w, i));
        if (weights_at(w, i)->maker != NULL)
            use(weights_at(w, i), a);
    }
    return 0;
}

static void feed(struct span config, struct span weights)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0 && look(&a, config, weights, &e) != 0)
        assert(e.kind == ERR_INPUT && e.msg[0] != '\0');
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
