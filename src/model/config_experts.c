/* SPDX-License-Identifier: MIT
 * What config.json says of experts and their groups: numbers that must fit each other. */
#include <string.h>

#include "model/config_priv.h"

/* Groups count where the family has them, and the method that asks for them. */
static int read_method(const struct reader *r, const struct family *f,
                       const json_t *root)
{
    const json_t *method = config_value(root, "topk_method");
    const char *s = json_string_value(method);
    bool limited = s != NULL && strcmp(s, "group_limited_greedy") == 0;

    if (f->group_score == GROUPS_MAX && method != NULL && !limited &&
        (s == NULL || strcmp(s, "greedy") != 0))
        return config_wrong(r, "topk_method", method, "\"greedy\" or "
                            "\"group_limited_greedy\"");
    if (f->group_score == GROUPS_NONE || (f->group_score == GROUPS_MAX && !limited))
        r->c->n_expert_groups = r->c->n_kept_groups = 0;
    else if (r->c->n_expert_groups == 0 || r->c->n_kept_groups == 0)
        return err_set(r->e, ERR_INPUT, "%s: topk_method group_limited_greedy wants "
                       "n_group and topk_group", r->file);
    return 0;
}

static int check_groups(const struct reader *r, const struct family *f)
{
    const struct config *c = r->c;
    int n = c->n_expert_groups, size = c->n_experts / n;

    if (c->n_experts % n != 0)
        return err_set(r->e, ERR_INPUT, "%s: n_group: found %d, want a divisor of the %d "
                       "experts", r->file, n, c->n_experts);
    if (c->n_kept_groups > n)
        return err_set(r->e, ERR_INPUT, "%s: topk_group: found %d, want at most the %d "
                       "groups", r->file, c->n_kept_groups, n);
    if (f->group_score != GROUPS_TOP2)
        return 0;
    if (size < 2)
        return err_set(r->e, ERR_INPUT, "%s: n_group: %d groups of one expert, want two "
                       "in each", r->file, n);
    if (c->n_chosen > c->n_kept_groups * size)
        return err_set(r->e, ERR_INPUT, "%s: num_experts_per_tok: found %d, want at most "
                       "the %d experts of topk_group %d", r->file, c->n_chosen,
                       c->n_kept_groups * size, c->n_kept_groups);
    return 0;
}

int config_experts(const struct reader *r, const struct family *f, const json_t *root)
{
    struct config *c = r->c;

    if (f->stack.name[W_ROUTER] == NULL)
        c->n_experts = 0;
    if (c->n_experts == 0)
        return 0;
    if (c->n_chosen == 0)
        return err_set(r->e, ERR_INPUT, "%s: has no num_experts_per_tok", r->file);
    if (c->n_chosen > c->n_experts)
        return err_set(r->e, ERR_INPUT, "%s: num_experts_per_tok: found %d, want at "
                       "most the %d experts", r->file, c->n_chosen, c->n_experts);
    if ((double)c->n_shared * c->d_expert > 1 << 24)
        return err_set(r->e, ERR_INPUT, "%s: %d shared experts of width %d: want %d "
                       "columns at the most", r->file, c->n_shared, c->d_expert, 1 << 24);
    if (read_method(r, f, root) != 0)
        return -1;
    return c->n_expert_groups > 0 ? check_groups(r, f) : 0;
}
