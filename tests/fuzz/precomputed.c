/* SPDX-License-Identifier: MIT
 * An .npz or .npy as precomputed attention: refused with a message, or all its rows
 * go to sinks of each kind, or one of them is named as no row of attention. */
#include "fuzz.h"

#include <string.h>

#include "model/precomputed.h"
#include "run/run.h"
#include "weights/npz.h"

static void take(void *self, const struct rows *r, int n)
{
    double *sum = self;

    for (int i = 0; i < n; i++)
        for (int t = 0; t < r[i].n_rows; t++) {
            assert(r[i].key0 + r[i].n_keys <= r[i].n_all_keys);
            assert(r[i].n_visible[t] <= r[i].n_keys);
            *sum += r[i].entropy[t];
            for (int j = 0; j < r[i].n_keys; j++)
                *sum += (double)r[i].weight[(size_t)t * r[i].stride + (size_t)j];
        }
}

static void forward(const struct model *m, const struct memory *memory, struct arena *a)
{
    const int start[] = { 0, m->precomputed->n_queries };
    const struct batch batch = { .n_texts = 1, .start = start };
    const struct wanted want = { .memory = memory };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);

    assert(par != NULL);
    for (int scope = SINK_HEAD; scope <= SINK_TEXTS; scope++) {
        double sum = 0;
        const struct sink sink = { (enum sink_scope)scope, take, NULL, &sum };

        if (run_forward(m, &batch, &want, &sink, 1, par, a, &e) != 0)
            assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
    }
    par_free(par);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0) {
        struct weights *w = npz_open_memory(&a, (struct span){ data, size }, "f", &e);
        struct model *m = w != NULL ? model_of_precomputed(&a, w, "f", &e) : NULL;

        if (m == NULL) {
            assert(e.kind == ERR_INPUT && strncmp(e.msg, "f: ", 3) == 0);
        } else {
            const int start[] = { 0, m->precomputed->n_queries };
            const struct memory memory = { .start = start };

            forward(m, NULL, &a);
            if (m->decoder != NULL)
                forward(m->decoder, &memory, &a);
        }
        model_close(m);
    }
    arena_finish(&a);
    return 0;
}
