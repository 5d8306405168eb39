/* SPDX-License-Identifier: MIT
 * The user's mask -> hidden keys, and numbers that are added to scores. */
#include "run/mask.h"

#include "base/str.h"

#include <math.h>

/* The row of an array for query t. */
static const float *array_row(const struct mask_array *m, int64_t text, int64_t head,
                              int64_t t)
{
    int64_t b = m->n_batch > 1 ? text : 0, h = m->n_heads > 1 ? head : 0;

    t = m->T > 1 ? t : 0;
    return m->values->x + ((b * m->n_heads + h) * m->T + t) * m->S;
}

/* Where a cell of the scores lies; S: of the text. */
struct cell { int64_t text, head, t, j, S; };

static bool hides(const struct mask *m, const struct cell *c)
{
    if ((m->causal && c->j > c->t) || c->j >= c->S - m->n_padding)
        return true;
    for (int i = 0; i < m->n_arrays; i++)
        if (array_row(&m->array[i], c->text, c->head, c->t)[c->j] == -INFINITY)
            return true;
    for (int i = 0; i < m->n_blocks; i++) {
        struct mask_block block = m->block[i];

        if (c->t >= block.q0 && c->t <= block.q1 && c->j >= block.k0 && c->j <= block.k1)
            return true;
    }
    return false;
}

bool mask_is_by_head(const struct mask *m)
{
    for (int i = 0; m != NULL && i < m->n_arrays; i++)
        if (m->array[i].n_heads > 1)
            return true;
    return false;
}

bool mask_is_causal(const struct mask *m)
{
    return m != NULL && m->causal && m->n_padding == 0 && m->n_blocks == 0 &&
           m->n_arrays == 0 && m->hidden_score == -INFINITY;
}

bool mask_hides(const struct mask *m)
{
    return m != NULL && m->hidden_score == -INFINITY;
}

bool mask_adds(const struct mask *m)
{
    bool adds = m != NULL && m->hidden_score != -INFINITY;

    for (int i = 0; m != NULL && i < m->n_arrays; i++)
        adds = adds || m->array[i].values->adds;
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
static void add_arrays(const struct mask *m, const struct cell *c, float *score)
{
    for (int i = 0; i < m->n_arrays; i++) {
        float x = array_row(&m->array[i], c->text, c->head, c->t)[c->j];

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
static int misfit(const struct mask_array *m, int64_t T, int64_t S, int H, struct err *e)
{
    if (m->keys_alone)
        err_set(e, ERR_INPUT, "%s: the mask has the shape %s, expected [%lld] or "
                "[texts,%lld]: there %s %lld key%s", m->name, m->shape, (long long)S,
                (long long)S, S == 1 ? "is" : "are", (long long)S, str_plural(S));
    else
        err_set(e, ERR_INPUT, "%s: the mask has the shape %s, expected [%lld,%lld], "
                "[%d,%lld,%lld], [texts,%lld,%lld] or [texts,%d,%lld,%lld]: there are %d "
                "head%s, %lld quer%s and %lld key%s", m->name, m->shape, (long long)T,
                (long long)S, H, (long long)T, (long long)S, (long long)T, (long long)S, H,
                (long long)T, (long long)S, H, str_plural(H), (long long)T,
                str_plural_y(T), (long long)S, str_plural(S));
    return err_reaches(e, m->n_heads != 1 && m->n_heads != H ? ERR_OF_ALL : ERR_OF_MANY);
}

static int check_array(const struct mask_array *m, int64_t text, int64_t T, int64_t S, int H,
                       struct err *e)
{
    if ((m->T != 1 && m->T != T) || m->S != S || (m->n_heads != 1 && m->n_heads != H))
        return misfit(m, T, S, H, e);
    if (m->n_batch == 1 || text < m->n_batch)
        return 0;
    err_set(e, ERR_INPUT, "%s: the mask has the shape %s, for %lld text%s, and this is number "
            "%lld", m->name, m->shape, (long long)m->n_batch, str_plural(m->n_batch),
            (long long)text + 1);
    return err_reaches(e, ERR_OF_ALL);
}

static int read_array(const struct mask_array *m, struct err *e)
{
    return m->values->x != NULL ? 0 : m->values->read(m->values, e);
}

static bool hides_everything(const struct mask *m, int64_t text, int64_t T, int64_t S, int H)
{
    struct cell cell = { .text = text, .S = S };

    for (cell.head = 0; cell.head < (mask_is_by_head(m) ? H : 1); cell.head++)
        for (cell.t = 0; cell.t < T; cell.t++)
            for (cell.j = 0; cell.j < S; cell.j++)
                if (!hides(m, &cell))
                    return false;
    return true;
}

int mask_check(const struct mask *m, int64_t text, int64_t T, int64_t S, bool more, int H,
               struct err *e)
{
    for (int i = 0; i < m->n_arrays; i++)
        if (check_array(&m->array[i], text, T, S, H, e) != 0)
            return -1;
    if (more ? m->n_padding > S : m->n_padding >= S)
        return err_set(e, ERR_INPUT, "%s: hides %d key%s, the text has %lld", m->name,
                       m->n_padding, str_plural(m->n_padding), (long long)S);
    for (int i = 0; i < m->n_blocks; i++) {
        struct mask_block block = m->block[i];

        if (block.q1 >= T || block.k1 >= S)
            return err_set(e, ERR_INPUT,
                           "%s: queries %d-%d, keys %d-%d: the text has "
                           "queries 0 to %lld, keys 0 to %lld",
                           m->name, block.q0, block.q1, block.k0, block.k1,
                           (long long)T - 1, (long long)S - 1);
    }
    for (int i = 0; i < m->n_arrays; i++)
        if (read_array(&m->array[i], e) != 0)
            return -1;
    if (!more && hides_everything(m, text, T, S, H))
        return err_set(e, ERR_INPUT, "%s: hides all keys from all queries", m->name);
    return 0;
}
