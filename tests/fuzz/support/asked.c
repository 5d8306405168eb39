/* SPDX-License-Identifier: MIT
 * A model is opened and closed at once. */
#include "support/asked.h"

#include "fuzz.h"
#include "model/model.h"

bool asked_open(struct span weights, struct span config, struct err *e)
{
    const struct model_files files = { .weights = weights, .config = config };
    struct model *volatile m = NULL;
    struct arena a;
    jmp_buf out;

    *e = (struct err){ ERR_NONE, "" };
    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0)
        m = model_open_memory(&a, &files, "m", e);
    if (m != NULL)
        model_close(m);
    arena_finish(&a);
    return e->kind == ERR_NONE;
}
