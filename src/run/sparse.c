/* SPDX-License-Identifier: MIT
 * Global tokens and blocks -> the keys that rows see, and how often each counts in the softmax. */
#include "run/sparse.h"

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

static void project_global(struct pass *p, const struct layer_plan *plan)
{
    static const enum slot slots[] = { W_Q_GLOBAL, W_K_GLOBAL, W_V_GLOBAL };
    int column = 0;

    for (int i = 0; i < 3; i++) {
        const struct param *param = &plan->slot[slots[i]];

        stage_linear(p, p->qkv_global + column, p->m->place.width, p->a,
                     p->m->config.d_model, p->N, param);
        column += param->matrix.N;
    }
}

/* ---- blocks of keys ---- */

static bool in_blocks(const struct pass *p, int text)
{
    const struct config *config = &p->m->config;

    return pass_tokens(p, text) >
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
static const struct bias_copies *copies_of(struct pass *p)
{
    int block = p->m->config.sparse.block, count = p->b->n_texts;
    struct bias_copies *copies = arena_alloc(p->call, (size_t)count, sizeof *copies);

    for (int t = 0; t < count; t++) {
        copies[t] = (struct bias_copies){ .copies = 1 };
        if (in_blocks(p, t))
            copies[t] = (struct bias_copies){
                .first = block, .end = (pass_tokens(p, t) - 1) / block * block,
                .n_keys = block, .copies = 1 + p->m->config.sparse.n_random };
    }
    return copies;
}

/* ---- both ---- */

void sparse_room(struct pass *p)
{
    if (p->m->config.sparse.block > 0)
        p->copies = copies_of(p);
    if (p->b->global != NULL && family_has(p->m->family, W_Q_GLOBAL) &&
        memchr(p->b->global, 1, (size_t)p->N) != NULL)
        p->qkv_global = arena_alloc_raw(p->call, (uint64_t)p->N *
                                        (uint64_t)p->m->place.width, sizeof(float));
}

void sparse_set(struct pass *p, const struct layer_plan *plan, struct heads *h)
{
    if (p->copies != NULL) {
        h->hide = hide_blocks;
        h->hide_self = p;
        h->copies = p->copies;
    }
    if (p->qkv_global != NULL) {
        project_global(p, plan);
        h->hide = hide_far;
        h->hide_self = h;
        h->global = p->b->global;
        h->global_qkv = p->qkv_global;
    }
}
