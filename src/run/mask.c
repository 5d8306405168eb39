/* SPDX-License-Identifier: MIT
 * The user's mask -> hidden keys, and numbers that are added to scores. */
#include "run/mask.h"

#include "base/str.h"

#include <math.h>

/* The row of an array for query t. */
static const float *array_row(const struct mask_array *array, int64_t text, int64_t head,
                              int64_t t)
{
    int64_t b = array->n_batch > 1 ? text : 0, h = array->n_heads > 1 ? head : 0;

    t = array->T > 1 ? t : 0;
    return array->values->x + ((b * array->n_heads + h) * array->T + t) * array->S;
}

/* Where a cell of the scores lies; S: of the text. */
struct cell { int64_t text, head, t, j, S; };

static bool hides(const struct mask *mask, const struct cell *cell)
{
    if ((mask->causal && cell->j > cell->t) || cell->j >= cell->S - mask->n_padding)
        return true;
    for (int i = 0; i < mask->n_arrays; i++)
        if (array_row(&mask->array[i], cell->text, cell->head, cell->t)[cell->j] == -INFINITY)
            return true;
    for (int i = 0; i < mask->n_blocks; i++) {
        struct mask_block block = mask->block[i];

        if (cell->t >= block.q0 && cell->t <= block.q1 && cell->j >= block.k0 &&
            cell->j <= block.k1)
            return true;
    }
    return false;
}

bool mask_is_by_head(const struct mask *mask)
{
    for (int i = 0; mask != NULL && i < mask->n_arrays; i++)
        if (mask->array[i].n_heads > 1)
            return true;
    return false;
}

bool mask_is_causal(const struct mask *mask)
{
    return mask != NULL && mask->causal && mask->n_padding == 0 && mask->n_blocks == 0 &&
           mask->n_arrays == 0 && mask->hidden_score == -INFINITY;
}

bool mask_hides(const struct mask *mask)
{
    return mask != NULL && mask->hidden_score == -INFINITY;
}

bool mask_adds(const struct mask *mask)
{
    bool adds = mask != NULL && mask->hidden_score != -INFINITY;

    for (int i = 0; mask != NULL && i < mask->n_arrays; i++)
        adds = adds || mask->array[i].values->adds;
    return adds;
}

void mask_hide(const struct mask_view *v, unsigned char *hidden, size_t stride,
               int row0, int n_rows, int key0, int n_keys)
{
    struct cell cell = { .text = v->text, .head = v->head, .S = v->S };

    for (int t = 0; t < n_rows; t++)
        for (int j = 0; j < n_keys && key0 + j < v->S; j++) {
            cell.t = row0 + t;
            cell.j = key0 + j;
            if (hides(v->mask, &cell))
                hidden[(size_t)t * stride + (size_t)j] = 1;
        }
}

/* What the arrays add to the score of a cell. */
static void add_arrays(const struct mask *mask, const struct cell *cell, float *score)
{
    for (int i = 0; i < mask->n_arrays; i++) {
        float x = array_row(&mask->array[i], cell->text, cell->head, cell->t)[cell->j];

        if (x != -INFINITY)
            *score += x;
    }
}

void mask_add(const void *self, float *score, size_t stride, int row0, int n_rows,
              int key0, int n_keys)
{
    const struct mask_view *view = self;
    const struct mask *mask = view->mask;
    bool sets = mask->hidden_score != -INFINITY;
    struct cell cell = { .text = view->text, .head = view->head, .S = view->S };

    for (int t = 0; t < n_rows; t++) {
        float *s = score + (size_t)t * stride;

        /* Blocks of columns are padded beyond the last key. */
        for (int j = 0; j < n_keys && key0 + j < view->S; j++) {
            cell.t = row0 + t;
            cell.j = key0 + j;
            if (sets && hides(mask, &cell))
                s[j] = mask->hidden_score;
            else
                add_arrays(mask, &cell, &s[j]);
        }
    }
}

/* ---- does it fit? ---- */

/* Both shapes of an array that does not fit. */
static int misfit(const struct mask_array *array, int64_t T, int64_t S, int H, struct err *e)
{
    if (array->keys_alone)
        err_set(e, ERR_INPUT, "%s: the mask has the shape %s, expected [%lld] or "
                "[texts,%lld]: there %s %lld key%s", array->name, array->shape, (long long)S,
                (long long)S, S == 1 ? "is" : "are", (long long)S, str_plural(S));
    else
        err_set(e, ERR_INPUT, "%s: the mask has the shape %s, expected [%lld,%lld], "
                "[%d,%lld,%lld], [texts,%lld,%lld] or [texts,%d,%lld,%lld]: there are %d "
                "head%s, %lld quer%s and %lld key%s", array->name, array->shape, (long long)T,
                (long long)S, H, (long long)T, (long long)S, (long long)T, (long long)S, H,
                (long long)T, (long long)S, H, str_plural(H), (long long)T,
                str_plural_y(T), (long long)S, str_plural(S));
    return err_reaches(e, array->n_heads != 1 && array->n_heads != H ? ERR_OF_ALL : ERR_OF_MANY);
}

static int check_array(const struct mask_array *array, int64_t text, int64_t T, int64_t S, int H,
                       struct err *e)
{
    if ((array->T != 1 && array->T != T) || array->S != S ||
        (array->n_heads != 1 && array->n_heads != H))
        return misfit(array, T, S, H, e);
    if (array->n_batch == 1 || text < array->n_batch)
        return 0;
    err_set(e, ERR_INPUT,
            "%s: the mask has the shape %s, for %lld text%s, and this is number "
            "%lld",
            array->name, array->shape, (long long)array->n_batch, str_plural(array->n_batch),
            (long long)text + 1);
    return err_reaches(e, ERR_OF_ALL);
}

static int read_array(const struct mask_array *array, struct err *e)
{
    return array->values->x != NULL ? 0 : array->values->read(array->values, e);
}

static bool hides_everything(const struct mask *mask, int64_t text, int64_t T, int64_t S, int H)
{
    struct cell cell = { .text = text, .S = S };

    for (cell.head = 0; cell.head < (mask_is_by_head(mask) ? H : 1); cell.head++)
        for (cell.t = 0; cell.t < T; cell.t++)
            for (cell.j = 0; cell.j < S; cell.j++)
                if (!hides(mask, &cell))
                    return false;
    return true;
}

int mask_check(const struct mask *mask, int64_t text, int64_t T, int64_t S, bool more, int H,
               struct err *e)
{
    for (int i = 0; i < mask->n_arrays; i++)
        if (check_array(&mask->array[i], text, T, S, H, e) != 0)
            return -1;
    if (more ? mask->n_padding > S : mask->n_padding >= S)
        return err_set(e, ERR_INPUT, "%s: hides %d key%s, the text has %lld", mask->name,
                       mask->n_padding, str_plural(mask->n_padding), (long long)S);
    for (int i = 0; i < mask->n_blocks; i++) {
        struct mask_block block = mask->block[i];

        if (block.q1 >= T || block.k1 >= S)
            return err_set(e, ERR_INPUT,
                           "%s: queries %d-%d, keys %d-%d: the text has "
                           "queries 0 to %lld, keys 0 to %lld",
                           mask->name, block.q0, block.q1, block.k0, block.k1,
                           (long long)T - 1, (long long)S - 1);
    }
    for (int i = 0; i < mask->n_arrays; i++)
        if (read_array(&mask->array[i], e) != 0)
            return -1;
    if (!more && hides_everything(mask, text, T, S, H))
        return err_set(e, ERR_INPUT, "%s: hides all keys from all queries", mask->name);
    return 0;
}
