/* SPDX-License-Identifier: MIT
 * Texts of one length -> the tokens of their mean. */
#include <string.h>

#include "base/str.h"
#include "session/shown/average.h"
#include "session/shown/shown.h"

static bool same_label(const struct tokens *x, const struct tokens *y, int i)
{
    return x->label_size[i] == y->label_size[i] &&
           memcmp(x->label[i], y->label[i], x->label_size[i]) == 0;
}

/* Names of tokens that differ, and what else they do not have in common. */
static void join(struct tokens *all, const struct tokens *next, int *one_word)
{
    for (int i = 0; i < all->n; i++) {
        if (!same_label(all, next, i) || (all->id != NULL && all->id[i] != next->id[i])) {
            all->piece[i] = all->label[i] = "*";
            all->label_size[i] = 1;
            all->id = NULL;
        }
        all->special[i] &= next->special[i];
        all->type[i] = all->type[i] == next->type[i] ? all->type[i] : 0;
        if (all->word != NULL && (next->word == NULL || all->word[i] != next->word[i]))
            *one_word = 0;
    }
}

#define COPY(field) \
    all.field = memcpy(arena_alloc(a, n, sizeof *all.field), first->field, n * sizeof *all.field)

/* The tokens of the first text, of which join changes some, as tokens of no text. */
static struct tokens copy(struct arena *a, const struct tokens *first)
{
    struct tokens all = *first;
    size_t n = (size_t)all.n;

    if (n == 0)
        return all;
    all.bytes = arena_alloc(a, n, sizeof *all.bytes);
    all.chars = arena_alloc(a, n, sizeof *all.chars);
    COPY(type);
    COPY(special);
    COPY(piece);
    COPY(label);
    COPY(label_size);
    return all;
}

static int join_side(struct arena *a, const struct item *items, int n, enum item_side side,
                     struct tokens *out, struct err *e)
{
    const struct tokens *first = item_side(&items[0], side);
    int one_word = 1;

    *out = copy(a, first);
    for (int k = 1; k < n; k++) {
        const struct tokens *next = item_side(&items[k], side);

        if (next->n != first->n)
            return err_set(e, ERR_INPUT, "--average texts: text %lld%s has %d tokens, text %lld%s "
                           "has %d: expected texts of one length",
                           (long long)items[k].index + 1, item_part(a, &items[k]), next->n,
                           (long long)items[0].index + 1, item_part(a, &items[0]), first->n);
        join(out, next, &one_word);
    }
    if (!one_word)
        out->word = NULL;
    return 0;
}

int average_texts(const struct session *session, struct arena *a, const struct item *items, int n,
                  const char *name, struct item *out, struct err *e)
{
    *out = (struct item){ .text = "", .several = items, .n_several = n };
    out->input = arena_printf(a, "mean of %d text%s%s%s", n, str_plural(n),
                              name != NULL ? " of " : "", name != NULL ? name : "");
    out->n_generated = items[0].n_generated;
    for (int i = 1; i < n; i++)
        out->n_generated = items[i].n_generated == out->n_generated ? out->n_generated : 0;
    if (join_side(a, items, n, SIDE_SOURCE, &out->tokens, e) != 0 ||
        join_side(a, items, n, SIDE_TARGET, &out->target, e) != 0 ||
        join_side(a, items, n, SIDE_KEYS, &out->keys, e) != 0)
        return -1;
    return shown_fill(session, a, out, e);
}
