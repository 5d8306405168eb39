/* SPDX-License-Identifier: MIT
 * config.json -> experts and their groups, whose numbers must be consistent. */
#include <string.h>

#include "base/str.h"
#include "model/config/config_priv.h"

/* Groups count where the family has them, and the method that asks for them. */
static int read_method(const struct reader *reader, const struct family *family,
                       const json_t *root)
{
    const json_t *method = config_value(root, "topk_method");
    const char *text = json_string_value(method);
    bool limited = text != NULL && strcmp(text, "group_limited_greedy") == 0;

    if (family->group_score == GROUPS_MAX && method != NULL && !limited &&
        (text == NULL || strcmp(text, "greedy") != 0))
        return config_wrong(reader, "topk_method", method, "\"greedy\" or "
                            "\"group_limited_greedy\"");
    if (family->group_score == GROUPS_NONE || (family->group_score == GROUPS_MAX && !limited))
        reader->c->experts.n_groups = reader->c->experts.n_chosen_groups = 0;
    else if (reader->c->experts.n_groups == 0 || reader->c->experts.n_chosen_groups == 0)
        return err_set(reader->e, ERR_INPUT, "%s: topk_method group_limited_greedy requires "
                       "n_group and topk_group", reader->file);
    return 0;
}

static int check_groups(const struct reader *reader, const struct family *family)
{
    const struct config *config = reader->c;
    int count = config->experts.n_groups, size = config->experts.n / count;

    if (config->experts.n % count != 0)
        return err_set(reader->e, ERR_INPUT, "%s: n_group: found %d, expected a divisor of the "
                       "%d expert%s", reader->file, count, config->experts.n,
                       str_plural(config->experts.n));
    if (config->experts.n_chosen_groups > count)
        return err_set(reader->e, ERR_INPUT, "%s: topk_group: found %d, expected at most the %d "
                       "group%s", reader->file, config->experts.n_chosen_groups, count,
                       str_plural(count));
    if (family->group_score != GROUPS_TOP2)
        return 0;
    if (size < 2)
        return err_set(reader->e, ERR_INPUT, "%s: n_group: %d group%s of one expert, expected "
                       "two in each", reader->file, count, str_plural(count));
    if (config->experts.n_chosen > config->experts.n_chosen_groups * size)
        return err_set(reader->e, ERR_INPUT,
                       "%s: num_experts_per_tok: found %d, expected at "
                       "most the %d expert%s of topk_group %d",
                       reader->file, config->experts.n_chosen,
                       config->experts.n_chosen_groups * size,
                       str_plural(config->experts.n_chosen_groups * size),
                       config->experts.n_chosen_groups);
    return 0;
}

/* Where gates have a limit, their activation is x sigmoid(1.702 x). */
static int check_gates(const struct reader *reader, const json_t *root)
{
    const json_t *alpha = config_value(root, "swiglu_alpha");

    return alpha == NULL || json_number_value(alpha) == 1.702 ? 0 :
           config_wrong(reader, "swiglu_alpha", alpha, "1.702");
}

int config_experts(const struct reader *reader, const struct family *family, const json_t *root)
{
    struct config *config = reader->c;

    if (!family_has(family, W_ROUTER))
        config->experts.n = 0;
    if (config->experts.n == 0)
        return 0;
    if (config->experts.n_chosen == 0)
        return err_set(reader->e, ERR_INPUT, "%s: has no num_experts_per_tok", reader->file);
    if (config->experts.n_chosen > config->experts.n)
        return err_set(reader->e, ERR_INPUT,
                       "%s: num_experts_per_tok: found %d, expected at "
                       "most the %d expert%s",
                       reader->file, config->experts.n_chosen, config->experts.n,
                       str_plural(config->experts.n));
    if (family->score == SCORE_SPARSEMIXER && config->experts.n_chosen != 2)
        return err_set(reader->e, ERR_INPUT, "%s: num_experts_per_tok: found %d of %d, expected 2",
                       reader->file, config->experts.n_chosen, config->experts.n);
    if (family_has(family, W_EXPS_UP) &&
        (double)config->experts.n * (2.0 * config->experts.d_ff + config->d_model) > 1 << 30)
        return err_set(reader->e, ERR_INPUT, "%s: %d experts of width %d: expected at most %d rows",
                       reader->file, config->experts.n, config->experts.d_ff, 1 << 30);
    if ((double)config->experts.n_shared * config->experts.d_ff > 1 << 24)
        return err_set(reader->e, ERR_INPUT,
                       "%s: %d shared expert%s of width %d: expected at "
                       "most %d columns",
                       reader->file, config->experts.n_shared, str_plural(config->experts.n_shared),
                       config->experts.d_ff, 1 << 24);
    if (read_method(reader, family, root) != 0 ||
        (config->experts.limit > 0 && check_gates(reader, root) != 0))
        return -1;
    return config->experts.n_groups > 0 ? check_groups(reader, family) : 0;
}
