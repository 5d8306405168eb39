/* SPDX-License-Identifier: MIT
 * Any bytes as an .npz or .npy: refused with a message, or every array it
 * hands out can be found and read, and no two have one name. */
#include "fuzz.h"

#include <string.h>

#include "base/utf8.h"
#include "weights/npz.h"

static void use(const struct weights *w)
{
    for (int i = 0; i < weights_count(w); i++) {
        const struct tensor *t = weights_at(w, i);
        float x;

        assert(weights_find(w, t->name) == t);
        if (t->n_elements == 0)
            continue;
        tensor_read(&x, t, 0, 1);
        tensor_read(&x, t, t->n_elements - 1, 1);
    }
}

static void use_strings(const struct weights *w, struct arena *a)
{
    const struct tensor *t = npz_strings(w, "tokens");
    struct err e = { 0 };

    for (int64_t i = 0; t != NULL && i < t->shape[0]; i++) {
        size_t n;
        const char *s = npz_string(t, i, a, &n, &e);

        assert(s != NULL ? utf8_check(s, n) == n : e.kind == ERR_INPUT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct weights *w = npz_open_memory(&a, (struct span){ data, size }, "f", &e);

        if (w != NULL) {
            use(w);
            use_strings(w, &a);
        } else {
            assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        }
        weights_close(w);
    }
    arena_finish(&a);
    return 0;
}
