/* SPDX-License-Identifier: MIT
 * A config.json, a NUL and a safetensors file: refused with a message, or a model
 * that runs. */
#include "fuzz.h"

#include <string.h>

#include "support/forward.h"

/* What model_open does with a folder. */
static int open(struct model *m, struct arena *a, struct span config,
                struct span weights, struct err *e)
{
    m->name = "m";
    m->weights = weights_open_memory(a, weights, "w", e);
    if (m->weights == NULL)
        return -1;
    if (config_read(&m->config, &m->family, a, config, "c", TOWER_NONE, e) != 0)
        return -1;
    return weights_dequantise(m->weights, &m->config.quantisation, e) != 0 ? -1 :
           model_bind(m, a, e);
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
            forward_run(m, &a, &e);
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
