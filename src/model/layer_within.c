/* SPDX-License-Identifier: MIT
 * A layer within another module, as "block.attn.q_linear.weight" -> its own names. */
#include <string.h>

#include "model/layer.h"

/* How many characters all names begin with. */
static size_t shared(const struct weights *w)
{
    const char *first = weights_at(w, 0)->name;
    size_t count = strlen(first);

    for (int i = 1; i < weights_count(w); i++) {
        const char *name = weights_at(w, i)->name;
        size_t same = 0;

        while (same < count && name[same] == first[same])
            same++;
        count = same;
    }
    return count;
}

/* All names without their first n characters, which leaves their order as it is. */
static int cut(struct weights *w, struct arena *a, size_t n, struct err *e)
{
    int n_tensors = weights_count(w);
    struct tensor *tensor = arena_alloc(a, (size_t)n_tensors, sizeof *tensor);

    for (int i = 0; i < n_tensors; i++) {
        tensor[i] = *weights_at(w, i);
        tensor[i].name += n;
    }
    return weights_replace(w, tensor, n_tensors, e);
}

bool layer_within(struct weights *w, struct arena *a)
{
    const char *first = weights_count(w) > 0 ? weights_at(w, 0)->name : "";
    size_t n = weights_count(w) > 0 ? shared(w) : 0, at = 0;
    struct err none = { ERR_NONE, "" };

    if (layer_is(w, a))
        return true;
    for (const char *dot = first; (dot = strchr(dot, '.')) != NULL; dot++) {
        size_t end = (size_t)(dot - first) + 1;

        if (end > n || cut(w, a, end - at, &none) != 0)
            return false;
        at = end;
        if (layer_is(w, a))
            return true;
    }
    return false;
}
