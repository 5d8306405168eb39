/* SPDX-License-Identifier: MIT
 * Masks that modules store among their parameters -> whether a layer is causal. */
#include <string.h>

#include "model/layer/layer_priv.h"

/* What they are called; numbers beside them that only fill what is hidden. */
static const char *const names[] = {
    "bias", "mask", "tril", "causal_mask", "masked_bias", "IGNORE", NULL
};

/* One square, [1, .., T, T]; or a single number. */
static bool is_square(const struct tensor *tensor)
{
    int count = tensor->n_dims;
    int64_t T = count > 1 ? tensor->shape[count - 1] : 0;

    if (tensor->n_elements == 1)
        return count == 0 || tensor->shape[0] == 1;
    return count > 1 && tensor->shape[count - 2] == T && tensor->n_elements == T * T;
}

/* Nothing but one number on one side of the diagonal, and another on the other. */
static bool is_triangular(struct arena *a, const struct tensor *tensor)
{
    struct arena_mark mark = arena_mark(a);
    int64_t T = tensor->n_dims > 1 ? tensor->shape[tensor->n_dims - 1] : 0;
    float *row = arena_alloc_raw(a, (size_t)T + 1, sizeof *row), below = 0, above = 0;
    bool same = T > 1;

    for (int64_t i = 0; same && i < T; i++) {
        tensor_read(row, tensor, i * T, T);
        if (i == 0) {
            below = row[0];
            above = row[T - 1];
        }
        for (int64_t j = 0; same && j < T; j++)
            same = row[j] == (j <= i ? below : above);
    }
    arena_reset(a, mark);
    return same && below != above;
}

bool layer_is_mask(const struct tensor *tensor, const char *scope)
{
    const char *name = tensor->name + strlen(scope);

    if (strncmp(tensor->name, scope, strlen(scope)) != 0 || !is_square(tensor))
        return false;
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Sets gone[i] of each tensor i that is a mask of the attention.  True: one is causal. */
static bool find_masks(struct look *look, const char *scope, bool *gone)
{
    int first, count = weights_range(look->w, scope, &first);
    bool causal = false;

    for (int i = first; i < first + count; i++) {
        const struct tensor *tensor = weights_at(look->w, i);

        if (layer_is_mask(tensor, scope)) {
            gone[i] = true;
            causal = causal || is_triangular(look->a, tensor);
        }
    }
    return causal;
}

bool layer_take_masks(struct look *look, const char *const *scope, int n_scopes)
{
    int count = weights_count(look->w), n_kept = 0;
    struct tensor *kept = arena_alloc(look->a, (size_t)count + 1, sizeof *kept);
    bool *gone = arena_alloc(look->a, (size_t)count + 1, sizeof *gone), causal = false;
    struct err none = { ERR_NONE, "" };

    for (int s = 0; s < n_scopes; s++)
        causal = find_masks(look, scope[s], gone) || causal;
    for (int i = 0; i < count; i++)
        if (!gone[i])
            kept[n_kept++] = *weights_at(look->w, i);
    if (n_kept < count) {
        look->keeps_mask = true;
        weights_replace(look->w, kept, n_kept, &none);
    }
    return causal;
}
