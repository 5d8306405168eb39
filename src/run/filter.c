/* SPDX-License-Identifier: MIT
 * Rows of attention -> the rows without hidden tokens, with tokens merged into words. */
#include "run/filter.h"

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

static bool is_merged(const struct text *t)
{
    return t->queries.given->group != NULL || t->keys.given->group != NULL;
}

static void slot_init(struct slot *s, struct arena *a, const struct text *t)
{
    size_t n_tokens = (size_t)t->keys.given->n, n_words = (size_t)t->keys.n;

    s->weight = arena_alloc_raw(a, n_tokens, sizeof *s->weight);
    s->hidden = arena_alloc_raw(a, n_tokens, 1);
    if (!is_merged(t))
        return;
    s->sum = arena_alloc(a, n_words, sizeof *s->sum);
    s->seen = arena_alloc(a, n_words, 1);
}

static struct filtered *filtered_new(struct arena *a, const struct filter *f, int H,
                                     const struct sink *to, int n, struct kind kind)
{
    struct filtered *self = arena_alloc(a, 1, sizeof *self);
    size_t count = (size_t)f->n_texts * (size_t)H;

    *self = (struct filtered){ .f = f, .to = to, .n = n, .H = H, .kind = kind };
    self->text = arena_alloc(a, (size_t)f->n_texts, sizeof *self->text);
    self->slot = arena_alloc(a, count, sizeof *self->slot);
    self->rows = arena_alloc(a, count, sizeof *self->rows);
    for (int i = 0; i < f->n_texts; i++) {
        struct text *text = &self->text[i];

        text->queries = filter_side_of(a, &f->text[i].queries);
        text->keys = filter_side_of(a, &f->text[i].keys);
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
static void filter_leave_out(struct slot *s, const struct filter_side *keys, const struct rows *r,
                             int t)
{
    const float *weight = r->weight + (size_t)t * r->stride;
    const unsigned char *hidden = r->hidden != NULL ? r->hidden + (size_t)t * r->stride : NULL;
    double left = 0;

    s->n_visible = 0;
    for (int j = 0; j < r->n_keys; j++) {
        s->hidden[j] = is_out(hidden, j) || is_out(keys->out, r->key0 + j);
        s->weight[j] = s->hidden[j] ? 0 : weight[j];
        left += (double)s->weight[j];
        s->n_visible += !s->hidden[j];
    }
    s->mass = keys->out != NULL ? left + s->null_mass : 1;
    if (left > 0 || keys->out == NULL)
        return;
    memset(s->hidden, 1, (size_t)r->n_keys);
    s->n_visible = 0;
}

static void divide(struct slot *s, int n)
{
    for (int j = 0; j < n && s->n_visible > 0; j++)
        s->weight[j] = (float)((double)s->weight[j] / s->mass);
    if (s->n_visible > 0)
        s->null_mass /= s->mass;
    s->mass = 1;
}

/* Of the divided row. */
static double entropy_of(const struct slot *s, int n)
{
    double sum = 0;

    for (int j = 0; j < n; j++) {
        double w = (double)s->weight[j] / s->mass;

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
static void filter_add_row(struct slot *s, const struct filter_side *keys, const struct rows *r)
{
    if (s->n_visible == 0)
        return;
    for (int j = 0; j < r->n_keys; j++) {
        int group = filter_group_of(keys, r->key0 + j);

        s->sum[group] += (double)s->weight[j];
        s->seen[group] |= !s->hidden[j];
    }
    s->nulls += s->null_mass;
    s->n_rows++;
}

/* The mean of the rows of a word, which takes the place of the last of them. */
static void mean_row(struct slot *s, int n)
{
    double left = 0;

    s->n_visible = 0;
    for (int j = 0; j < n; j++) {
        s->weight[j] = s->n_rows > 0 ? (float)(s->sum[j] / s->n_rows) : 0;
        s->hidden[j] = !s->seen[j];
        s->n_visible += s->seen[j];
        left += (double)s->weight[j];
        s->sum[j] = 0;
        s->seen[j] = 0;
    }
    s->null_mass = s->n_rows > 0 ? s->nulls / s->n_rows : 0;
    s->mass = left > 0 ? left + s->null_mass : 1;
    s->nulls = 0;
    s->n_rows = 0;
}

/* ---- a row to the sinks ---- */

/* Row t of r in the slot; false: more rows of its word come, or all of it is left out. */
static bool filter_take_row(const struct filtered *self, const struct rows *r, int t,
                            struct slot *s, struct rows *out)
{
    const struct text *text = &self->text[r->text];
    const struct filter_side *queries = text->queries.given, *keys = text->keys.given;
    int query = r->row0 + t, to = filter_group_of(queries, query), n_keys = r->n_keys;
    bool merged = is_merged(text), gone = is_out(queries->out, query);

    if (!gone) {
        s->null_mass = r->null_mass != NULL ? r->null_mass[t] : 0;
        filter_leave_out(s, keys, r, t);
        s->entropy = keys->out != NULL && s->n_visible > 0 ? entropy_of(s, n_keys) :
                                                             r->entropy[t];
        if (self->kind.divided)
            divide(s, n_keys);
        if (merged)
            filter_add_row(s, keys, r);
    }
    if (merged && query + 1 < queries->n && filter_group_of(queries, query + 1) == to)
        return false;
    if (merged) {
        n_keys = text->keys.n;
        mean_row(s, n_keys);
        s->entropy = entropy_of(s, n_keys);
    }
    *out = (struct rows){
        .text = r->text, .stack = r->stack, .layer = r->layer, .head = r->head,
        .row0 = to, .n_rows = 1, .key0 = merged ? 0 : r->key0, .n_keys = n_keys,
        .n_queries = text->queries.n, .n_all_keys = text->keys.n, .stride = (size_t)n_keys,
        .weight = s->weight, .hidden = s->hidden, .n_visible = &s->n_visible,
        .entropy = &s->entropy, .out = text->keys.out,
        .null_mass = r->null_mass != NULL ? &s->null_mass : NULL,
    };
    return !is_out(text->queries.out, to);
}

/* Where nothing is left out, rows are as good as divided, and are made once. */
static bool filter_is_of(const struct filter *f, const struct sink *to, struct kind kind)
{
    bool divided = f->leaves_out && (to->divided || f->renorm);

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

int filter_sinks(struct arena *a, const struct filter *f, int n_heads, const struct sink *to,
                 int n, struct sink *out)
{
    int count = 0;

    for (int i = 0; i < 2 * (SINK_TEXTS + 1); i++) {
        const struct kind kind = { (enum sink_scope)(i / 2), i % 2 != 0 };
        bool any = false;

        for (int k = 0; k < n; k++)
            any |= filter_is_of(f, &to[k], kind);
        if (any)
            out[count++] = (struct sink){ .scope = kind.scope, .take = filter_take,
                                          .done = filter_done,
                                          .self = filtered_new(a, f, n_heads, to, n, kind) };
    }
    return count;
}
