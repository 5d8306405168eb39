/* SPDX-License-Identifier: MIT
 * Positions -> angles; queries and keys rotated by them. */
#include "run/special/rotary.h"

#include <limits.h>

#include "nn/rope.h"

static struct rotary make_table(struct pass *pass, const struct rope_plan *plan,
                                const float *inv_freq, float factor, int end)
{
    int count = end - pass->rotary_first;
    size_t size = (size_t)count * (size_t)(plan->width / 2);
    struct rotary table = { arena_alloc_raw(pass->call, size, sizeof(float)),
                      arena_alloc_raw(pass->call, size, sizeof(float)) };

    rope_table(table.cos, table.sin, inv_freq, plan->width, factor, pass->rotary_first,
               count);
    return table;
}

void rotary_tables(struct pass *pass)
{
    int longest = 0;

    pass->rotary_first = INT_MAX;
    for (int t = 0; t < pass->b->n_texts; t++) {
        int before = pass_before(pass, t), count = before + pass_tokens(pass, t);

        longest = count > longest ? count : longest;
        pass->rotary_first = before < pass->rotary_first ? before : pass->rotary_first;
    }
    for (int i = 0; i < 2; i++) {
        const struct rope_plan *plan = &pass->m->rope[i];

        if (plan->inv_freq != NULL)
            pass->rotary[i][0] = make_table(pass, plan, plan->inv_freq, plan->factor, longest);
        if (plan->long_inv_freq != NULL && longest > plan->long_above)
            pass->rotary[i][1] = make_table(pass, plan, plan->long_inv_freq,
                                            plan->long_factor, longest);
    }
}

struct rotary_job {
    const struct pass *p;
    const struct layer_plan *plan;
};

static void rotate_text(void *self, int t, struct arena *scratch)
{
    const struct rotary_job *job = self;
    const struct pass *pass = job->p;
    const struct rope_plan *plan = &pass->m->rope[job->plan->rope];
    const struct head_place *place = &pass->m->place;
    int first = pass->b->start[t], count = pass->b->start[t + 1] - first,
        before = pass_before(pass, t);
    bool is_long = plan->long_inv_freq != NULL && before + count > plan->long_above;
    struct rotary rotary = pass->rotary[job->plan->rope][is_long];

    (void)scratch;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < place->n_runs; k++) {
            int64_t at = (int64_t)(before + i - pass->rotary_first) * (plan->width / 2);
            float *row = pass->qkv + (int64_t)(first + i) * place->width;

            rope_apply(row + place->run[k] + plan->first, place->run_heads,
                       pass->m->config.d_head, plan->width, plan->layout, rotary.cos + at,
                       rotary.sin + at);
        }
}

void rotary_rotate(struct pass *pass, const struct layer_plan *plan)
{
    struct rotary_job job = { pass, plan };

    if (plan->rope >= 0 && pass->m->rope[plan->rope].inv_freq != NULL)
        par_for(pass->par, pass->b->n_texts, rotate_text, &job);
}
