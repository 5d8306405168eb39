/* SPDX-License-Identifier: MIT
 * Rows and outputs of each mechanism -> arrays of an npz: "rows.LAYER.MECHANISM" [heads,
 * queries, keys] and "out.LAYER.MECHANISM" [queries, width]. */
#include <string.h>

#include "task/common/provenance.h"
#include "task/mechanisms/mechanisms.h"
#include "weights/npz.h"

int mechanisms_npz_begin(struct mechanisms_npz *npz, const struct arena *like, const char *path,
                         struct err *e)
{
    if (out_open(&npz->out, path, OUT_SEEKABLE, e) != 0)
        return -1;
    arena_init(&npz->arena, like->full, like->self);
    npz->z = npz_new(&npz->arena, npz->out.file);
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

struct mechanisms_arrays mechanisms_npz_arrays(struct mechanisms_npz *npz)
{
    return (struct mechanisms_arrays){ mechanisms_npz_take, npz };
}

/* ---- what goes with them ---- */

/* With -H, "heads.LAYER": the numbers of the heads that rows are of. */
static void mechanisms_npz_add_heads(struct mechanisms_npz *npz)
{
    const struct config *config = &npz->s->shown->config;
    int *head = arena_alloc(&npz->arena, (size_t)config->n_heads, sizeof *head);

    for (int l = 0; npz->want->head != NULL && l < config->n_layers; l++) {
        int64_t count = 0;

        for (int h = 0; h < config->n_heads; h++)
            if (wanted_head(npz->want, l, h))
                head[count++] = h;
        if (wanted_layer(npz->want, l) && count > 0)
            npz_put(npz->z, npz_add(npz->z, arena_printf(&npz->arena, "heads.%d", l), DTYPE_I32, 1,
                                    &count), 0, head, count);
    }
}

/* Tokens and heads; completes the npz. */
static int complete(struct mechanisms_npz *npz, struct err *e)
{
    const struct tokens *queries = session_queries(npz->s, npz->item);
    const struct tokens *keys = session_keys(npz->s, npz->item);

    mechanisms_npz_add_heads(npz);
    npz_add_strings(npz->z, "tokens", queries->piece, queries->n);
    if (keys != queries)
        npz_add_strings(npz->z, "key_tokens", keys->piece, keys->n);
    provenance_add_array(npz->z, npz->s, &npz->arena, npz->item);
    return npz_finish(npz->z, e);
}

int mechanisms_npz_end(struct mechanisms_npz *npz, int rc, struct err *e)
{
    if (rc != 0)
        npz_abort(npz->z);
    else
        rc = complete(npz, e);
    arena_finish(&npz->arena);
    if (rc == 0)
        return out_commit(&npz->out, e);
    out_abort(&npz->out);
    return rc;
}
