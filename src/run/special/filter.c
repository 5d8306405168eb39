/* SPDX-License-Identifier: MIT
 * Rows of attention -> the rows without hidden tokens, with tokens merged into words. */
#include "run/special/filter.h"

#include <string.h>

#include "base/elementary.h"

/* The row at hand of one head of one text. */
struct slot {
    float *weight;              /* [keys' tokens]: of tokens, then of words */
    unsigned char *hidden;      /* [keys' tokens] */
    double *sum;                /* [words] of the rows of a word so far; NULL: not merged */
    unsigned char *seen;        /* [words] a piece sees one of the key */
    int n_rows;                 /* in sum */
    double entropy;
    double mass;                /* weights and null_mass */
    double null_mass, nulls;    /* nulls: of the rows in sum */
    int n_visible;
};

struct side {
    const struct filter_side *given;
    int n;                      /* that come out: words, or tokens */
    unsigned char *out;         /* [n] 1: all of it is left out; NULL: none is */
};

struct text {
    struct side queries, keys;
};

struct kind {
    enum sink_scope scope;
    bool divided;
};

/* All sinks of one kind. */
struct filtered {
    const struct filter *f;
    const struct sink *to;      /* [n] of any kind */
    int n, H;
    struct kind kind;
    struct text *text;          /* [texts] */
    struct slot *slot;          /* [texts, H] */
    struct rows *rows;          /* [texts H] to be given: of a call together */
};

/* ---- before the pass ---- */

static struct side filter_side_of(struct arena *a, const struct filter_side *given)
{
    struct side side = { given, given->group != NULL ? given->n_groups : given->n, NULL };

    if (given->out == NULL)
        return side;
    side.out = arena_alloc(a, (size_t)side.n, 1);
    memset(side.out, 1, (size_t)side.n);
    for (int i = 0; i < given->n; i++)
        side.out[given->group != NULL ? given->group[i] : i] &= given->out[i];
    return side;
}

static bool is_merged(const struct text *text)
{
    return text->queries.given->group != NULL || text->keys.given->group != NULL;
}

static void slot_init(struct slot *slot, struct arena *a, const struct text *text)
{
    size_t n_tokens = (size_t)text->keys.given->n, n_words = (size_t)text->keys.n;

    slot->weight = arena_alloc_raw(a, n_tokens, sizeof *slot->weight);
    slot->hidden = arena_alloc_raw(a, n_tokens, 1);
    if (!is_merged(text))
        return;
    slot->sum = arena_alloc(a, n_words, sizeof *slot->sum);
    slot->seen = arena_alloc(a, n_words, 1);
}

static struct filtered *filtered_new(struct arena *a, const struct filter *filter, int H,
                                     const struct sink *to, int n, struct kind kind)
{
    struct filtered *self = arena_alloc(a, 1, sizeof *self);
    size_t count = (size_t)filter->n_texts * (size_t)H;

    *self = (struct filtered){ .f = filter, .to = to, .n = n, .H = H, .kind = kind };
    self->text = arena_alloc(a, (size_t)filter->n_texts, sizeof *self->text);
    self->slot = arena_alloc(a, count, sizeof *self->slot);
    self->rows = arena_alloc(a, count, sizeof *self->rows);
    for (int i = 0; i < filter->n_texts; i++) {
        struct text *text = &self->text[i];

        text->queries = filter_side_of(a, &filter->text[i].queries);
        text->keys = filter_side_of(a, &filter->text[i].keys);
        for (int h = 0; h < H; h++)
            slot_init(&self->slot[i * H + h], a, text);
    }
    return self;
}

/* ---- a row of tokens ---- */

static bool is_out(const unsigned char *out, int i)
{
    return out != NULL && out[i];
}

/* Fills the slot's keys from the row's first on; what is left out is hidden. */
static void filter_leave_out(struct slot *slot, const struct filter_side *keys,
                             const struct rows *rows, int t)
{
    const float *weight = rows->weight + (size_t)t * rows->stride;
    const unsigned char *hidden = rows->hidden != NULL ? rows->hidden + (size_t)t * rows->stride :
                                  NULL;
    double left = 0;

    slot->n_visible = 0;
    for (int j = 0; j < rows->n_keys; j++) {
        slot->hidden[j] = is_out(hidden, j) || is_out(keys->out, rows->key0 + j);
        slot->weight[j] = slot->hidden[j] ? 0 : weight[j];
        left += (double)slot->weight[j];
        slot->n_visible += !slot->hidden[j];
    }
    slot->mass = keys->out != NULL ? left + slot->null_mass : 1;
    if (left > 0 || keys->out == NULL)
        return;
    memset(slot->hidden, 1, (size_t)rows->n_keys);
    slot->n_visible = 0;
}

static void divide(struct slot *slot, int n)
{
    for (int j = 0; j < n && slot->n_visible > 0; j++)
        slot->weight[j] = (float)((double)slot->weight[j] / slot->mass);
    if (slot->n_visible > 0)
        slot->null_mass /= slot->mass;
    slot->mass = 1;
}

/* Of the divided row. */
static double entropy_of(const struct slot *slot, int n)
{
    double sum = 0;

    for (int j = 0; j < n; j++) {
        double w = (double)slot->weight[j] / slot->mass;

        sum -= w > 0 ? w * elementary_log(w) : 0;
    }
    return sum;
}

/* ---- a row of words ---- */

static int filter_group_of(const struct filter_side *side, int i)
{
    return side->group != NULL ? side->group[i] : i;
}

/* Adds the slot's row of tokens to that of its query's word. */
static void filter_add_row(struct slot *slot, const struct filter_side *keys,
                           const struct rows *rows)
{
    if (slot->n_visible == 0)
        return;
    for (int j = 0; j < rows->n_keys; j++) {
        int group = filter_group_of(keys, rows->key0 + j);

        slot->sum[group] += (double)slot->weight[j];
        slot->seen[group] |= !slot->hidden[j];
    }
    slot->nulls += slot->null_mass;
    slot->n_rows++;
}

/* The mean of the rows of a word, which takes the place of the last of them. */
static void mean_row(struct slot *slot, int n)
{
    double left = 0;

    slot->n_visible = 0;
    for (int j = 0; j < n; j++) {
        slot->weight[j] = slot->n_rows > 0 ? (float)(slot->sum[j] / slot->n_rows) : 0;
        slot->hidden[j] = !slot->seen[j];
        slot->n_visible += slot->seen[j];
        left += (double)slot->weight[j];
        slot->sum[j] = 0;
        slot->seen[j] = 0;
    }
    slot->null_mass = slot->n_rows > 0 ? slot->nulls / slot->n_rows : 0;
    slot->mass = left > 0 ? left + slot->null_mass : 1;
    slot->nulls = 0;
    slot->n_rows = 0;
}

/* ---- a row to the sinks ---- */

/* Row t of rows in the slot; false: more rows of its word come, or all of it is left out. */
static bool filter_take_row(const struct filtered *self, const struct rows *rows, int t,
                            struct slot *slot, struct rows *out)
{
    const struct text *text = &self->text[rows->text];
    const struct filter_side *queries = text->queries.given, *keys = text->keys.given;
    int query = rows->row0 + t, to = filter_group_of(queries, query), n_keys = rows->n_keys;
    bool merged = is_merged(text), gone = is_out(queries->out, query);

    if (!gone) {
        slot->null_mass = rows->null_mass != NULL ? rows->null_mass[t] : 0;
        filter_leave_out(slot, keys, rows, t);
        slot->entropy = keys->out != NULL && slot->n_visible > 0 ? entropy_of(slot, n_keys) :
                                                                   rows->entropy[t];
        if (self->kind.divided)
            divide(slot, n_keys);
        if (merged)
            filter_add_row(slot, keys, rows);
    }
    if (merged && query + 1 < queries->n && filter_group_of(queries, query + 1) == to)
        return false;
    if (merged) {
        n_keys = text->keys.n;
        mean_row(slot, n_keys);
        slot->entropy = entropy_of(slot, n_keys);
    }
    *out = (struct rows){
        .text = rows->text, .stack = rows->stack, .layer = rows->layer, .head = rows->head,
        .row0 = to, .n_rows = 1, .key0 = merged ? 0 : rows->key0, .n_keys = n_keys,
        .n_queries = text->queries.n, .n_all_keys = text->keys.n, .stride = (size_t)n_keys,
        .weight = slot->weight, .hidden = slot->hidden, .n_visible = &slot->n_visible,
        .entropy = &slot->entropy, .out = text->keys.out,
        .null_mass = rows->null_mass != NULL ? &slot->null_mass : NULL,
    };
    return !is_out(text->queries.out, to);
}

/* Where nothing is left out, rows are as good as divided, and are made once. */
static bool filter_is_of(const struct filter *filter, const struct sink *to, struct kind kind)
{
    bool divided = filter->leaves_out && (to->divided || filter->renorm);

    return to->scope == kind.scope && divided == kind.divided;
}

static void filter_take(void *filtered, const struct rows *rows, int n)
{
    const struct filtered *self = filtered;
    int at = self->kind.scope == SINK_TEXTS ? rows[0].head * self->f->n_texts :
                                         rows[0].text * self->H;
    struct rows *out = self->rows + (self->kind.scope == SINK_HEAD ? at + rows[0].head : at);

    for (int t = 0; t < rows[0].n_rows; t++) {
        bool whole = false;

        for (int i = 0; i < n; i++)
            whole = filter_take_row(self, &rows[i], t,
                                    &self->slot[rows[i].text * self->H + rows[i].head], &out[i]);
        for (int k = 0; whole && k < self->n; k++)
            if (filter_is_of(self->f, &self->to[k], self->kind))
                self->to[k].take(self->to[k].self, out, n);
    }
}

static void filter_done(void *filtered, int text, int layer)
{
    const struct filtered *self = filtered;

    for (int k = 0; k < self->n; k++)
        if (filter_is_of(self->f, &self->to[k], self->kind) && self->to[k].done != NULL)
            self->to[k].done(self->to[k].self, text, layer);
}

int filter_sinks(struct arena *a, const struct filter *filter, int n_heads, const struct sink *to,
                 int n, struct sink *out)
{
    int count = 0;

    for (int i = 0; i < 2 * (SINK_TEXTS + 1); i++) {
        const struct kind kind = { (enum sink_scope)(i / 2), i % 2 != 0 };
        bool any = false;

        for (int k = 0; k < n; k++)
            any |= filter_is_of(filter, &to[k], kind);
        if (any)
            out[count++] = (struct sink){ .scope = kind.scope, .take = filter_take,
                                          .done = filter_done,
                                          .self = filtered_new(a, filter, n_heads, to, n, kind) };
    }
    return count;
}
