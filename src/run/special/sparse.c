/* SPDX-License-Identifier: MIT
 * Global tokens and blocks -> the keys that rows see, and how often each counts in the softmax. */
#include "run/special/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "nn/bias.h"
#include "nn/visible.h"
#include "run/stage.h"

/* ---- global tokens ---- */

/* A row sees its window and the global keys; a global row sees all. */
static void hide_far(const void *self, int text, int head, unsigned char *hidden,
                     size_t stride, int row0, int n_rows, int key0, int n_keys)
{
    const struct heads *heads = self;
    const unsigned char *global = heads->global + heads->key_start[text];

    (void)head;
    for (int t = 0; t < n_rows; t++) {
        unsigned char *row = hidden + (size_t)t * stride;
        struct key_range window = visible_window(heads->lo, heads->hi, key0 + n_keys,
                                                 row0 + t);

        if (global[row0 + t])
            continue;
        for (int j = key0; j < key0 + n_keys; j++)
            if ((j < window.first || j >= window.end) && !global[j])
                row[j - key0] = 1;
    }
}

static void project_global(struct pass *pass, const struct layer_plan *plan)
{
    static const enum slot slots[] = { W_Q_GLOBAL, W_K_GLOBAL, W_V_GLOBAL };
    int column = 0;

    for (int i = 0; i < 3; i++) {
        const struct param *param = &plan->slot[slots[i]];

        stage_linear(pass, pass->qkv_global + column, pass->m->place.width, pass->a,
                     pass->m->config.d_model, pass->N, param);
        column += param->matrix.N;
    }
}

/* ---- blocks of keys ---- */

static bool in_blocks(const struct pass *pass, int text)
{
    const struct config *config = &pass->m->config;

    return pass_tokens(pass, text) >
           (5 + 2 * (int64_t)config->sparse.n_random) * config->sparse.block;
}

/* A row sees the first block and the last, its own and the two beside it. */
static void hide_blocks(const void *self, int text, int head, unsigned char *hidden,
                        size_t stride, int row0, int n_rows, int key0, int n_keys)
{
    const struct pass *pass = self;
    int block = pass->m->config.sparse.block,
        last = (pass_tokens(pass, text) - 1) / block;

    (void)head;
    if (!in_blocks(pass, text))
        return;
    for (int t = 0; t < n_rows; t++) {
        unsigned char *row = hidden + (size_t)t * stride;
        int own = (row0 + t) / block;

        if (own == 0 || own == last)
            continue;
        for (int j = 0; j < n_keys; j++) {
            int b = (key0 + j) / block;

            if (b > 0 && b < last && abs(b - own) > 1)
                row[j] = 1;
        }
    }
}

/* For rows between the first block and the last, the first is counted several times. */
static const struct bias_copies *copies_of(struct pass *pass)
{
    int block = pass->m->config.sparse.block, count = pass->b->n_texts;
    struct bias_copies *copies = arena_alloc(pass->call, (size_t)count, sizeof *copies);

    for (int t = 0; t < count; t++) {
        copies[t] = (struct bias_copies){ .copies = 1 };
        if (in_blocks(pass, t))
            copies[t] = (struct bias_copies){
                .first = block, .end = (pass_tokens(pass, t) - 1) / block * block,
                .n_keys = block, .copies = 1 + pass->m->config.sparse.n_random };
    }
    return copies;
}

/* ---- both ---- */

void sparse_room(struct pass *pass)
{
    if (pass->m->config.sparse.block > 0)
        pass->copies = copies_of(pass);
    if (pass->b->global != NULL && family_has(pass->m->family, W_Q_GLOBAL) &&
        memchr(pass->b->global, 1, (size_t)pass->N) != NULL)
        pass->qkv_global = arena_alloc_raw(pass->call, (uint64_t)pass->N *
                                           (uint64_t)pass->m->place.width, sizeof(float));
}

void sparse_set(struct pass *pass, const struct layer_plan *plan, struct heads *heads)
{
    if (pass->copies != NULL) {
        heads->hide = hide_blocks;
        heads->hide_self = pass;
        heads->copies = pass->copies;
    }
    if (pass->qkv_global != NULL) {
        project_global(pass, plan);
        heads->hide = hide_far;
        heads->hide_self = heads;
        heads->global = pass->b->global;
        heads->global_qkv = pass->qkv_global;
    }
}
