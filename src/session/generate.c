/* SPDX-License-Identifier: MIT
 * Texts that are open -> the same with the tokens that the model adds to them. */
#include <string.h>

#include "session/texts.h"
#include "run/generate.h"

/* Texts that are continued in one pass a step: weights are read once for all. */
enum { GROUP_TEXTS = 64 };
static const double GROUP_BYTES = (double)((size_t)256 << 20);

struct group {
    struct item *item[GROUP_TEXTS];
    struct continuation text[GROUP_TEXTS];
    int n;
    double bytes;
};

/* The model that continues: an encoder-decoder's decoder. */
static const struct model *continuing(const struct session *s)
{
    return s->model->decoder != NULL ? s->model->decoder : s->model;
}

static struct tokens *tokens_of(const struct session *s, struct item *item)
{
    return s->model->decoder != NULL ? &item->target : &item->tokens;
}

/* The tokens that a text gets at most: there may be no room for all. */
static int most(const struct session *s, struct item *item)
{
    int room = continuing(s)->max_tokens - tokens_of(s, item)->n;

    return room < s->n_generate ? room : s->n_generate;
}

/* A text joins the group, unless its keys and values would be too many. */
static bool join(struct group *g, const struct session *s, struct item *item,
                 struct arena *a)
{
    const struct tokens *t = tokens_of(s, item);
    int n = t->n + most(s, item), *id;
    double bytes = generate_memory(continuing(s), n,
                                   s->model->decoder != NULL ? item->tokens.n : 0);

    if (g->n == GROUP_TEXTS || (g->n > 0 && g->bytes + bytes > GROUP_BYTES))
        return false;
    id = arena_alloc(a, (size_t)n, sizeof *id);
    memcpy(id, t->id, (size_t)t->n * sizeof *id);
    g->text[g->n] = (struct continuation){ .n_prompt = t->n, .most = most(s, item),
                                           .id = id, .type = t->type };
    g->item[g->n++] = item;
    g->bytes += bytes;
    return true;
}

/* What the encoder makes of the group's sources. */
static int encode(const struct session *s, const struct group *g, struct memory *memory,
                  struct arena *a, struct err *e)
{
    struct item *items = arena_alloc(a, (size_t)g->n, sizeof *items);
    const struct change change = { .precision = s->change.precision };
    struct wanted want = { .change = &change };
    struct texts t;

    for (int i = 0; i < g->n; i++) {
        items[i] = *g->item[i];
        items[i].open = false;
    }
    texts_pack(&t, a, items, g->n);
    want.hidden = arena_alloc_raw(a, (size_t)t.source.start[g->n],
                                  (size_t)s->model->d_hidden * sizeof *want.hidden);
    *memory = (struct memory){ want.hidden, t.source.start };
    return run_forward(s->model, &t.source, &want, NULL, 0, s->par, a, e);
}

static int run_group(const struct session *s, struct group *g, struct arena *a,
                     struct err *e)
{
    struct arena_mark mark = arena_mark(a);
    bool encoded = s->model->decoder != NULL;
    struct memory memory;
    int rc = encoded ? encode(s, g, &memory, a, e) : 0;

    if (rc == 0)
        rc = run_generate(continuing(s), s->rules, encoded ? &memory : NULL, g->text,
                          g->n, s->change.precision, s->par, a, e);
    arena_reset(a, mark);
    return rc;
}

/* What the tokens stand for, one label after another. */
static void set_generated(struct item *item, const struct tokens *t, struct arena *a)
{
    size_t n = 0;
    char *text;

    for (int i = 0; i < t->n; i++)
        n += t->special[i] ? 0 : t->label_size[i];
    text = arena_alloc(a, n + 1, 1);
    item->n_generated = t->n;
    item->generated = text;
    item->generated_size = n;
    for (int i = 0; i < t->n; i++) {
        size_t size = t->special[i] ? 0 : t->label_size[i];

        memcpy(text, t->label[i], size);
        text += size;
    }
}

static void add_tokens(const struct session *s, struct item *item,
                       const struct continuation *c, struct arena *a)
{
    struct tokens *t = tokens_of(s, item), added, whole;

    tok_describe(s->target_tok != NULL ? s->target_tok : s->tok, a, c->id + c->n_prompt,
                 NULL, c->n - c->n_prompt, &added);
    set_generated(item, &added, a);
    tok_join(a, t, &added, &whole);
    *t = whole;
}

/* Where the model's positions, and not the end of the text or N, were the limit. */
static void say_short(const struct session *s, struct item *item)
{
    err_warn(s->env->warn, "text %d: %d of %d tokens are generated: %s takes at most %d",
             item->index + 1, item->n_generated, s->n_generate,
             s->model->name, continuing(s)->max_tokens);
}

/* By an end that the model chose, or by one that stands where there is no more room. */
static bool is_whole(const struct session *s, const struct continuation *c)
{
    bool forced = s->rules->forced_last.n > 0 && c->n == c->n_prompt + c->most;

    return c->most == s->n_generate || (c->ended && !forced);
}

static void close_items(const struct session *s, const struct group *g, struct arena *a)
{
    for (int i = 0; i < g->n; i++) {
        const struct continuation *c = &g->text[i];

        add_tokens(s, g->item[i], c, a);
        g->item[i]->open = false;
        if (!is_whole(s, c))
            say_short(s, g->item[i]);
    }
}

int session_generate(const struct session *s, struct item *items, int n,
                     struct arena *a, struct err *e)
{
    struct group *g = arena_alloc(a, 1, sizeof *g);

    for (int i = 0; i < n;) {
        *g = (struct group){ .n = 0 };
        for (; i < n; i++) {
            if (items[i].open && most(s, &items[i]) <= 0) {
                items[i].open = false;
                say_short(s, &items[i]);
            }
            if (items[i].open && !join(g, s, &items[i], a))
                break;
        }
        if (g->n > 0 && run_group(s, g, a, e) != 0)
            return -1;
        close_items(s, g, a);
    }
    return 0;
}
