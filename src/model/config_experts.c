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
        r->c->experts.n_groups = r->c->experts.n_chosen_groups = 0;
    else if (r->c->experts.n_groups == 0 || r->c->experts.n_chosen_groups == 0)
        return err_set(r->e, ERR_INPUT, "%s: topk_method group_limited_greedy requires "
                       "n_group and topk_group", r->file);
    return 0;
}

static int check_groups(const struct reader *r, const struct family *f)
{
    const struct config *c = r->c;
    int n = c->experts.n_groups, size = c->experts.n / n;

    if (c->experts.n % n != 0)
        return err_set(r->e, ERR_INPUT, "%s: n_group: found %d, expected a divisor of the "
                       "%d experts", r->file, n, c->experts.n);
    if (c->experts.n_chosen_groups > n)
        return err_set(r->e, ERR_INPUT, "%s: topk_group: found %d, expected at most the %d "
                       "groups", r->file, c->experts.n_chosen_groups, n);
    if (f->group_score != GROUPS_TOP2)
        return 0;
    if (size < 2)
        return err_set(r->e, ERR_INPUT, "%s: n_group: %d groups of one expert, expected "
                       "two in each", r->file, n);
    if (c->experts.n_chosen > c->experts.n_chosen_groups * size)
        return err_set(r->e, ERR_INPUT, "%s: num_experts_per_tok: found %d, expected at "
                       "most the %d experts of topk_group %d", r->file, c->experts.n_chosen,
                       c->experts.n_chosen_groups * size, c->experts.n_chosen_groups);
    return 0;
}

int config_experts(const struct reader *r, const struct family *f, const json_t *root)
{
    struct config *c = r->c;

    if (f->stack.name[W_ROUTER] == NULL)
        c->experts.n = 0;
    if (c->experts.n == 0)
        return 0;
    if (c->experts.n_chosen == 0)
        return err_set(r->e, ERR_INPUT, "%s: has no num_experts_per_tok", r->file);
    if (c->experts.n_chosen > c->experts.n)
        return err_set(r->e, ERR_INPUT, "%s: num_experts_per_tok: found %d, expected at "
                       "most the %d experts", r->file, c->experts.n_chosen, c->experts.n);
    if ((double)c->experts.n_shared * c->experts.d_ff > 1 << 24)
        return err_set(r->e, ERR_INPUT, "%s: %d shared experts of width %d: expected at "
                       "most %d columns", r->file, c->experts.n_shared, c->experts.d_ff,
                       1 << 24);
    if (read_method(r, f, root) != 0)
        return -1;
    return c->experts.n_groups > 0 ? check_groups(r, f) : 0;
}
