/* SPDX-License-Identifier: MIT
 * Positions -> angles; queries and keys rotated by them. */
#include "run/rotary.h"

#include <limits.h>

#include "nn/rope.h"

static struct rotary make_table(struct pass *p, const struct rope_plan *r,
                                const float *inv_freq, int end)
{
    int n = end - p->rotary_first;
    size_t size = (size_t)n * (size_t)(r->width / 2);
    struct rotary table = { arena_alloc_raw(p->call, size, sizeof(float)),
                      arena_alloc_raw(p->call, size, sizeof(float)) };

    rope_table(table.cos, table.sin, inv_freq, r->width, r->factor, p->rotary_first, n);
    return table;
}

void rotary_tables(struct pass *p)
{
    int longest = 0;

    p->rotary_first = INT_MAX;
    for (int t = 0; t < p->b->n_texts; t++) {
        int before = pass_before(p, t), n = before + pass_tokens(p, t);

        longest = n > longest ? n : longest;
        p->rotary_first = before < p->rotary_first ? before : p->rotary_first;
    }
    for (int i = 0; i < 2; i++) {
        const struct rope_plan *r = &p->m->rope[i];

        if (r->inv_freq != NULL)
            p->rotary[i][0] = make_table(p, r, r->inv_freq, longest);
        if (r->long_inv_freq != NULL && longest > r->long_above)
            p->rotary[i][1] = make_table(p, r, r->long_inv_freq, longest);
    }
}

struct job {
    const struct pass *p;
    const struct layer_plan *plan;
};

static void rotate_text(void *self, int t, struct arena *scratch)
{
    const struct job *j = self;
    const struct pass *p = j->p;
    const struct rope_plan *r = &p->m->rope[j->plan->rope];
    const struct head_place *place = &p->m->place;
    int first = p->b->start[t], n = p->b->start[t + 1] - first, before = pass_before(p, t);
    bool is_long = r->long_inv_freq != NULL && before + n > r->long_above;
    struct rotary rotary = p->rotary[j->plan->rope][is_long];

    (void)scratch;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < place->n_runs; k++) {
            int64_t at = (int64_t)(before + i - p->rotary_first) * (r->width / 2);
            float *row = p->qkv + (int64_t)(first + i) * place->width;

            rope_apply(row + k * place->run_stride + r->first, place->run_heads,
                       p->m->config.d_head, r->width, r->layout, rotary.cos + at,
                       rotary.sin + at);
        }
}

void rotary_rotate(struct pass *p, const struct layer_plan *plan)
{
    struct job j = { p, plan };

    if (p->m->rope[plan->rope].inv_freq != NULL)
        par_for(p->par, p->b->n_texts, rotate_text, &j);
}
