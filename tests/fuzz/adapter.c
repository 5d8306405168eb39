/* SPDX-License-Identifier: MIT
 * An adapter_config.json, a NUL and an adapter_model.safetensors, for a base of four tensors:
 * refused with a message, or every element of what is merged can be read. */
#include "fuzz.h"

#include <string.h>

#include "base/bytes.h"
#include "model/adapter.h"
#include "weights/weights.h"

/* Numbers 0, 1, 2 .. of bytes as bits of floats. */
static struct weights *base(struct arena *a, struct err *e)
{
    static const char header[] =
        "{\"h.0.q.weight\":{\"dtype\":\"F32\",\"shape\":[3,5],\"data_offsets\":[0,60]},"
        "\"h.0.q.bias\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[60,72]},"
        "\"h.0.o.weight\":{\"dtype\":\"F16\",\"shape\":[4,4],\"data_offsets\":[72,104]},"
        "\"wte.weight\":{\"dtype\":\"F32\",\"shape\":[7,3],\"data_offsets\":[104,188]}}";
    size_t n = sizeof header - 1;
    unsigned char *bytes = arena_alloc(a, 8 + n + 188, 1);

    bytes_put(bytes, n, 8);
    memcpy(bytes + 8, header, n);
    for (int i = 0; i < 188; i++)
        bytes[8 + n + (size_t)i] = (unsigned char)i;
    return weights_open_memory(a, (struct span){ bytes, 8 + n + 188 }, "base", e);
}

static int look(struct arena *a, struct span config, struct span weights, struct err *e)
{
    struct adapter_files files = { .config = config, .config_name = "c" };
    struct weights *w = base(a, e);

    assert(w != NULL);
    files.from = weights_open_memory(a, weights, "w", e);
    if (files.from == NULL || adapter_merge_files(w, a, &files, e) != 0)
        return -1;
    for (int i = 0; i < weights_count(w); i++) {
        const struct tensor *t = weights_at(w, i);
        float *x = arena_alloc(a, (size_t)t->n_elements + 1, sizeof *x);

        assert(weights_find(w, t->name) == t);
        tensor_read(x, t, 0, t->n_elements);
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
