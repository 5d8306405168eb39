/* SPDX-License-Identifier: MIT
 * What a pass is asked for, checked before it runs. */
#include "run/check.h"

#include "run/chunks.h"
#include "run/cross.h"
#include "run/front.h"
#include "run/mask.h"

static int check_ids(const struct pass *p, int t, struct err *e)
{
    const struct model *m = p->m;
    const struct batch *b = p->b;
    const struct config *c = &m->config;
    int first = b->start[t] - pass_before(p, t);
    bool has_types = m->slot[W_TYPE].weight != NULL;

    for (int i = b->start[t]; i < b->start[t + 1]; i++) {
        if (b->id[i] < 0 || b->id[i] >= c->n_vocab)
            return err_set(e, ERR_INPUT, "token %d: id %d is not in the vocabulary of "
                           "%s (0 to %d)", i - first, b->id[i], m->name,
                           c->n_vocab - 1);
        if (has_types && b->type != NULL &&
            (b->type[i] < 0 || b->type[i] >= c->n_types))
            return err_set(e, ERR_INPUT, "token %d: type %d is not one of the %d that "
                           "%s has", i - first, b->type[i], c->n_types, m->name);
    }
    return 0;
}

static int check_masks(const struct pass *p, int t, struct err *e)
{
    const struct change *c = p->want->change;
    const struct mask *self = c == NULL ? NULL : c->mask, *cross = cross_mask(p);
    const int *key = p->key_start;
    int T = pass_tokens(p, t), H = p->m->config.n_heads;
    int number = pass_number(p, t);

    if (self != NULL && p->m->family->stack_id != STACK_CROSS &&
        mask_check(self, number, T, T, H, e) != 0)
        return -1;
    return cross == NULL || key == NULL ? 0 :
           mask_check(cross, number, T,
                      cross_masked_keys(p, STACK_CROSS, key[t + 1] - key[t]), H, e);
}

static int check_values(const struct pass *p, int t, struct err *e)
{
    const struct model *m = p->m;
    const struct batch *b = p->b;
    int n = pass_tokens(p, t), found;

    if (b->values == NULL)
        return err_set(e, ERR_INPUT, "%s reads an array of numbers, not ids", m->name);
    found = front_positions(m, &b->values[t], e);
    if (found >= 0 && found != n)
        return err_set(e, ERR_INPUT, "the array yields %d positions, expected %d", found, n);
    return found < 0 ? -1 : 0;
}

static int check_text(const struct pass *p, int t, struct err *e)
{
    const struct model *m = p->m;
    int n_new = pass_tokens(p, t), n = pass_before(p, t) + n_new;

    if (n_new <= 0)
        return err_set(e, ERR_INPUT, "the text has no tokens");
    if (n > m->max_tokens)
        return err_set(e, ERR_INPUT, "the text has %d tokens, %s takes at most %d "
                       "(--truncate cuts it)", n, m->name, m->max_tokens);
    return (m->family->front != FRONT_TOKENS ? check_values : check_ids)(p, t, e);
}

int check_pass(const struct pass *p, struct err *e)
{
    for (int t = 0; t < p->b->n_texts; t++)
        if (check_text(p, t, e) != 0 || cross_check(p, t, e) != 0 ||
            check_masks(p, t, e) != 0 ||
            chunks_check_rotations(p->m, p->want->rotations, pass_tokens(p, t), e) != 0)
            return -1;
    return 0;
}
