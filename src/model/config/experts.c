/* SPDX-License-Identifier: MIT
 * config.json -> experts and their groups, whose numbers must be consistent. */
#include <string.h>

#include "base/str.h"
#include "model/config/config_priv.h"

/* Groups count where the family has them, and the method that asks for them. */
static int read_method(const struct reader *r, const struct family *f,
                       const json_t *root)
{
    const json_t *method = config_value(root, "topk_method");
    const char *text = json_string_value(method);
    bool limited = text != NULL && strcmp(text, "group_limited_greedy") == 0;

    if (f->group_score == GROUPS_MAX && method != NULL && !limited &&
        (text == NULL || strcmp(text, "greedy") != 0))
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
    const struct config *config = r->c;
    int count = config->experts.n_groups, size = config->experts.n / count;

    if (config->experts.n % count != 0)
        return err_set(r->e, ERR_INPUT, "%s: n_group: found %d, expected a divisor of the "
                       "%d expert%s", r->file, count, config->experts.n,
                       str_plural(config->experts.n));
    if (config->experts.n_chosen_groups > count)
        return err_set(r->e, ERR_INPUT, "%s: topk_group: found %d, expected at most the %d "
                       "group%s", r->file, config->experts.n_chosen_groups, count,
                       str_plural(count));
    if (f->group_score != GROUPS_TOP2)
        return 0;
    if (size < 2)
        return err_set(r->e, ERR_INPUT, "%s: n_group: %d group%s of one expert, expected "
                       "two in each", r->file, count, str_plural(count));
    if (config->experts.n_chosen > config->experts.n_chosen_groups * size)
        return err_set(r->e, ERR_INPUT,
                       "%s: num_experts_per_tok: found %d, expected at "
                       "most the %d expert%s of topk_group %d",
                       r->file, config->experts.n_chosen,
                       config->experts.n_chosen_groups * size,
                       str_plural(config->experts.n_chosen_groups * size),
                       config->experts.n_chosen_groups);
    return 0;
}

/* Where gates have a limit, their activation is x sigmoid(1.702 x). */
static int check_gates(const struct reader *r, const json_t *root)
{
    const json_t *alpha = config_value(root, "swiglu_alpha");

    return alpha == NULL || json_number_value(alpha) == 1.702 ? 0 :
           config_wrong(r, "swiglu_alpha", alpha, "1.702");
}

int config_experts(const struct reader *r, const struct family *f, const json_t *root)
{
    struct config *config = r->c;

    if (!family_has(f, W_ROUTER))
        config->experts.n = 0;
    if (config->experts.n == 0)
        return 0;
    if (config->experts.n_chosen == 0)
        return err_set(r->e, ERR_INPUT, "%s: has no num_experts_per_tok", r->file);
    if (config->experts.n_chosen > config->experts.n)
        return err_set(r->e, ERR_INPUT,
                       "%s: num_experts_per_tok: found %d, expected at "
                       "most the %d expert%s",
                       r->file, config->experts.n_chosen, config->experts.n,
                       str_plural(config->experts.n));
    if (f->score == SCORE_SPARSEMIXER && config->experts.n_chosen != 2)
        return err_set(r->e, ERR_INPUT, "%s: num_experts_per_tok: found %d of %d, expected 2",
                       r->file, config->experts.n_chosen, config->experts.n);
    if (family_has(f, W_EXPS_UP) &&
        (double)config->experts.n * (2.0 * config->experts.d_ff + config->d_model) > 1 << 30)
        return err_set(r->e, ERR_INPUT, "%s: %d experts of width %d: expected at most %d rows",
                       r->file, config->experts.n, config->experts.d_ff, 1 << 30);
    if ((double)config->experts.n_shared * config->experts.d_ff > 1 << 24)
        return err_set(r->e, ERR_INPUT,
                       "%s: %d shared expert%s of width %d: expected at "
                       "most %d columns",
                       r->file, config->experts.n_shared, str_plural(config->experts.n_shared),
                       config->experts.d_ff, 1 << 24);
    if (read_method(r, f, root) != 0 ||
        (config->experts.limit > 0 && check_gates(r, root) != 0))
        return -1;
    return config->experts.n_groups > 0 ? check_groups(r, f) : 0;
}
