/* SPDX-License-Identifier: MIT
 * The arguments of a pass -> an error, or none, before it runs. */
#include "run/check.h"

#include "base/str.h"
#include "nn/quantise.h"
#include "run/mask.h"
#include "run/special/chunks.h"
#include "run/special/cross.h"
#include "run/special/front.h"

static int check_ids(const struct pass *pass, int t, struct err *e)
{
    const struct model *model = pass->m;
    const struct batch *batch = pass->b;
    const struct config *config = &model->config;
    int first = batch->start[t] - pass_before(pass, t);
    bool has_types = model->slot[W_TYPE].weight != NULL;

    for (int i = batch->start[t]; i < batch->start[t + 1]; i++) {
        if (batch->id[i] < 0 || batch->id[i] >= config->n_vocab)
            return err_set(e, ERR_INPUT, "token %d: id %d is not in the vocabulary of "
                           "%s (0 to %d)", i - first, batch->id[i], model->name,
                           config->n_vocab - 1);
        if (has_types && batch->type != NULL &&
            (batch->type[i] < 0 || batch->type[i] >= config->n_types))
            return err_set(e, ERR_INPUT,
                           "token %d: type %d is not one of the %d that "
                           "%s has",
                           i - first, batch->type[i], config->n_types, model->name);
    }
    return 0;
}

static int check_masks(const struct pass *pass, int t, struct err *e)
{
    const struct change *change = pass->want->change;
    const struct mask *self = change == NULL ? NULL : change->mask,
                      *cross = cross_mask(pass);
    const int *key = pass->key_start;
    int T = pass_tokens(pass, t), H = pass->m->config.n_heads;
    int64_t number = pass_number(pass, t);
    int all, masked;

    if (self != NULL && pass->m->family->stack_id != STACK_CROSS &&
        mask_check(self, number, T, T, false, H, e) != 0)
        return -1;
    if (cross == NULL || key == NULL)
        return 0;
    all = key[t + 1] - key[t];
    masked = cross_masked_keys(pass, STACK_CROSS, all);
    return mask_check(cross, number, T, masked, all > masked, H, e);
}

static int check_values(const struct pass *pass, int t, struct err *e)
{
    const struct model *model = pass->m;
    const struct batch *batch = pass->b;
    int count = pass_tokens(pass, t), found;

    if (batch->values == NULL)
        return err_set(e, ERR_INPUT, "%s reads an array of numbers, not ids",
                       model->name);
    found = front_positions(model, &batch->values[t], e);
    if (found >= 0 && found != count)
        return err_set(e, ERR_INPUT, "the array yields %d position%s, expected %d", found,
                       str_plural(found), count);
    return found < 0 ? -1 : 0;
}

static int run_check_text(const struct pass *pass, int t, struct err *e)
{
    const struct model *model = pass->m;
    int n_new = pass_tokens(pass, t), count = pass_before(pass, t) + n_new;

    if (n_new <= 0)
        return err_set(e, ERR_INPUT, "the text has no tokens");
    if (count > model->max_tokens)
        return err_set(e, ERR_INPUT, "the text has %d token%s, %s takes at most %d "
                       "(--truncate cuts it)", count, str_plural(count), model->name,
                       model->max_tokens);
    return (model->family->front != FRONT_TOKENS ? check_values : check_ids)(pass, t, e);
}

/* ---- precision ---- */

static int run_check_width(const struct param *w, enum precision precision, struct err *e)
{
    int block = quantise_block(precision);

    if (w->weight == NULL || !w->is_linear || w->matrix.K % block == 0)
        return 0;
    err_set(e, ERR_INPUT, "%s: %s: has rows of %d weights, which the blocks of %d of "
            "--dtype %s do not divide", w->weight->file, w->weight->name, w->matrix.K, block,
            precision_names[precision]);
    return err_reaches(e, ERR_OF_ALL);
}

static bool ends_early(const struct pass *pass)
{
    return pass->want->hidden == NULL && pass->want->logits == NULL;
}

/* What the pass leaves out of its last layer: see run_layer. */
static bool run_check_is_left_out(const struct pass *pass, int l, int s)
{
    bool cross = pass_has_memory(pass) && (pass_wants(pass, l, STACK_CROSS) ||
                                           pass_taps(pass, l, STACK_CROSS));

    if (l < pass->last || !ends_early(pass))
        return false;
    return s >= W_MLP_NORM || s == W_CROSS_O || (s >= W_O && !cross);
}

static int check_layer(const struct pass *pass, int l, enum precision precision, struct err *e)
{
    const struct layer_plan *plan = &pass->m->layer[l];

    for (int s = 0; s < N_SLOT; s++)
        if (!run_check_is_left_out(pass, l, s) &&
            run_check_width(&plan->slot[s], precision, e) != 0)
            return -1;
    for (int i = 0; plan->former != NULL && i < pass->m->config.n_mlps - 1 &&
                    !run_check_is_left_out(pass, l, W_UP); i++)
        if (run_check_width(&plan->former[i].up, precision, e) != 0 ||
            run_check_width(&plan->former[i].down, precision, e) != 0)
            return -1;
    for (int x = 0; plan->expert != NULL && x < pass->m->config.experts.n &&
                    !run_check_is_left_out(pass, l, W_EXP_UP); x++)
        if (run_check_width(&plan->expert[x].gate, precision, e) != 0 ||
            run_check_width(&plan->expert[x].up, precision, e) != 0 ||
            run_check_width(&plan->expert[x].down, precision, e) != 0)
            return -1;
    return 0;
}

static bool is_of_head(int s)
{
    return s == W_HEAD_DENSE || s == W_HEAD_NORM || s == W_HEAD || s == W_HEAD_REST ||
           s == W_HEAD_BIAS;
}

/* The linears that the pass meets can be rounded as it is asked to. */
static int check_linears(const struct pass *pass, struct err *e)
{
    enum precision precision = pass->want->change != NULL ? pass->want->change->precision :
                                                            PRECISION_F32;

    if (quantise_block(precision) == 1)
        return 0;
    for (int l = 0; l <= pass->last; l++)
        if (check_layer(pass, l, precision, e) != 0)
            return -1;
    for (int s = 0; s < N_SLOT; s++)
        if ((pass->want->logits != NULL || !is_of_head(s)) &&
            (s != W_FINAL_PROJ || !ends_early(pass)) &&
            run_check_width(&pass->m->slot[s], precision, e) != 0)
            return -1;
    return 0;
}

int check_pass(const struct pass *pass, struct err *e)
{
    for (int t = 0; t < pass->b->n_texts; t++)
        if (run_check_text(pass, t, e) != 0 || cross_check(pass, t, e) != 0 ||
            check_masks(pass, t, e) != 0 ||
            chunks_check_rotations(pass->m, pass->want->rotations, pass_tokens(pass, t), e) != 0)
            return -1;
    return check_linears(pass, e);
}

static bool has_linears(const struct model *model)
{
    return model->precomputed == NULL && model->family->front != FRONT_QKV;
}

int check_precision(const struct model *model, enum precision precision, struct err *e)
{
    if (model->precomputed != NULL || has_linears(model) || !precision_is_of_linears(precision))
        return 0;
    return err_set(e, ERR_USAGE, "--dtype %s quantises linears, of which %s has none",
                   precision_names[precision], model->name);
}

int check_fast(const struct model *model, const struct change *change, struct err *e)
{
    const char *name = fast_names[change->fast];
    char why[128];

    if (change->fast == FAST_NONE || model->precomputed != NULL)
        return 0;
    if (change->precision != PRECISION_F32)
        return err_set(e, ERR_USAGE, "--fast %s, --dtype %s: only one of them can be given: "
                       "--dtype simulates numbers with the products of floats", name,
                       precision_names[change->precision]);
    if (!has_linears(model))
        return err_set(e, ERR_USAGE, "--fast %s multiplies in linears, of which %s has none",
                       name, model->name);
    if (fast_kernel(change->fast) != NULL)
        return 0;
    fast_why_not(why, sizeof why, change->fast);
    return err_set(e, ERR_USAGE, "--fast %s: %s", name, why);
}
