/* SPDX-License-Identifier: MIT
 * Rows and outputs of each mechanism -> arrays of an npz: "rows.LAYER.MECHANISM" [heads,
 * queries, keys] and "out.LAYER.MECHANISM" [queries, width]. */
#include <string.h>

#include "task/mechanisms/mechanisms.h"
#include "task/provenance.h"
#include "weights/npz.h"

int mechanisms_npz_begin(struct mechanisms_npz *n, const struct arena *like, const char *path,
                         struct err *e)
{
    if (out_open(&n->out, path, OUT_SEEKABLE, e) != 0)
        return -1;
    arena_init(&n->arena, like->full, like->self);
    n->z = npz_new(&n->arena, n->out.file);
    return 0;
}

/* ---- what a pass hands over ---- */

static void mechanisms_npz_take(void *self, int layer, enum mechanism_id id, const float *rows,
                                const float *out)
{
    struct mechanisms_npz *n = self;
    const struct config *config = &n->s->shown->config;
    int64_t T = session_queries(n->s, n->item)->n, S = session_keys(n->s, n->item)->n;
    int64_t D = model_attention_width(n->s->shown);
    int64_t shape[] = { 0, T, S }, place = 0;
    int array;

    for (int h = 0; h < config->n_heads; h++)
        shape[0] += wanted_head(n->want, layer, h);
    array = npz_add(n->z, arena_printf(&n->arena, "rows.%d.%s", layer, mechanism_names[id]),
                    DTYPE_F32, 3, shape);
    for (int h = 0; h < config->n_heads; h++)
        if (wanted_head(n->want, layer, h))
            npz_put(n->z, array, place++ * T * S, rows + h * T * S, T * S);
    npz_put(n->z, npz_add(n->z, arena_printf(&n->arena, "out.%d.%s", layer, mechanism_names[id]),
                          DTYPE_F32, 2, (const int64_t[]){ T, D }), 0, out, T * D);
}

struct mechanisms_arrays mechanisms_npz_arrays(struct mechanisms_npz *n)
{
    return (struct mechanisms_arrays){ mechanisms_npz_take, n };
}

/* ---- what goes with them ---- */

/* With -H, "heads.LAYER": the numbers of the heads that rows are of. */
static void mechanisms_npz_add_heads(struct mechanisms_npz *n)
{
    const struct config *config = &n->s->shown->config;
    int *head = arena_alloc(&n->arena, (size_t)config->n_heads, sizeof *head);

    for (int l = 0; n->want->head != NULL && l < config->n_layers; l++) {
        int64_t count = 0;

        for (int h = 0; h < config->n_heads; h++)
            if (wanted_head(n->want, l, h))
                head[count++] = h;
        if (wanted_layer(n->want, l) && count > 0)
            npz_put(n->z, npz_add(n->z, arena_printf(&n->arena, "heads.%d", l), DTYPE_I32, 1,
                                  &count), 0, head, count);
    }
}

/* Tokens and heads; completes the npz. */
static int complete(struct mechanisms_npz *n, struct err *e)
{
    const struct tokens *queries = session_queries(n->s, n->item);
    const struct tokens *keys = session_keys(n->s, n->item);

    mechanisms_npz_add_heads(n);
    npz_add_strings(n->z, "tokens", queries->piece, queries->n);
    if (keys != queries)
        npz_add_strings(n->z, "key_tokens", keys->piece, keys->n);
    provenance_add_array(n->z, n->s, &n->arena, n->item);
    return npz_finish(n->z, e);
}

int mechanisms_npz_end(struct mechanisms_npz *n, int rc, struct err *e)
{
    if (rc != 0)
        npz_abort(n->z);
    else
        rc = complete(n, e);
    arena_finish(&n->arena);
    if (rc == 0)
        return out_commit(&n->out, e);
    out_abort(&n->out);
    return rc;
}
