/* SPDX-License-Identifier: MIT
 * --generate: texts -> the texts with the tokens that the model generates after them. */
#include <string.h>

#include "base/str.h"
#include "run/generate.h"
#include "session/memory.h"
#include "session/shown.h"
#include "session/texts.h"

struct group {
    struct generate_group room;
    struct item **item;             /* [room.n] */
    struct continuation *text;      /* [room.n] */
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

/* A text joins the group, if there is room for it. */
static bool generate_join_item(struct group *g, const struct session *s, struct item *item,
                               struct arena *a)
{
    const struct tokens *tokens = tokens_of(s, item);
    int count = tokens->n + most(s, item), at = g->room.n, *id;

    if (!generate_join(&g->room, continuing(s), count,
                       s->model->decoder != NULL ? item->tokens.n : 0))
        return false;
    id = arena_alloc(a, (size_t)count, sizeof *id);
    memcpy(id, tokens->id, (size_t)tokens->n * sizeof *id);
    g->text[at] = (struct continuation){ .n_prompt = tokens->n,
                                         .most = most(s, item),
                                         .id = id,
                                         .type = tokens->type };
    g->item[at] = item;
    return true;
}

/* Bytes that the texts of a group need, with keys and values that are cached. */
static double needed(const struct session *s, const struct group *g)
{
    int n_tokens = 0, n_target = 0;

    for (int i = 0; i < g->room.n; i++) {
        n_tokens += g->item[i]->tokens.n + (s->model->decoder == NULL ? g->text[i].most : 0);
        n_target += g->item[i]->target.n + g->text[i].most;
    }
    return memory_of_pass(s, n_tokens, s->model->decoder != NULL ? n_target : 0) + g->room.bytes;
}

static int run_group(const struct session *s, struct group *g, struct arena *a,
                     struct err *e)
{
    struct arena_mark mark = arena_mark(a);
    int count = g->room.n, status;
    struct item *items = arena_alloc(a, (size_t)count, sizeof *items);
    const struct change numbers = { .precision = s->change.precision, .fast = s->change.fast };
    struct texts texts;

    for (int i = 0; i < count; i++) {
        items[i] = *g->item[i];
        items[i].open = false;
    }
    texts_pack(&texts, a, items, count);
    status = run_generate_pair(s->model, s->rules,
                               s->model->decoder != NULL ? &texts.source : NULL, g->text,
                               count, &numbers, memory_spare(s, needed(s, g)), s->par, a, e);
    arena_reset(a, mark);
    return status;
}

/* What the tokens stand for, one label after another. */
static void set_generated(struct item *item, const struct tokens *t, struct arena *a)
{
    size_t count = 0;
    char *text;

    for (int i = 0; i < t->n; i++)
        count += t->special[i] ? 0 : t->label_size[i];
    text = arena_alloc(a, count + 1, 1);
    item->n_generated = t->n;
    item->generated = text;
    item->generated_size = count;
    for (int i = 0; i < t->n; i++) {
        size_t size = t->special[i] ? 0 : t->label_size[i];

        memcpy(text, t->label[i], size);
        text += size;
    }
}

static void generate_add_tokens(const struct session *s, struct item *item,
                                const struct continuation *c, struct arena *a)
{
    struct tokens *tokens = tokens_of(s, item), added, whole;

    tok_describe(s->target_tok != NULL ? s->target_tok : s->tok, a, c->id + c->n_prompt,
                 NULL, c->n - c->n_prompt, &added);
    set_generated(item, &added, a);
    tok_join(a, tokens, &added, &whole);
    *tokens = whole;
}

/* Where the model's positions, and not the end of the text or N, were the limit. */
static void say_short(const struct session *s, struct item *item)
{
    err_warn(s->env->warn, "text %lld%s: %d of %d token%s %s generated: %s takes at most %d",
             (long long)item->index + 1, item_part(s->a, item), item->n_generated, s->n_generate,
             str_plural(s->n_generate),
             item->n_generated == 1 ? "is" : "are",
             s->model->name, continuing(s)->max_tokens);
}

/* By an end that the model chose, or by one that stands where there is no more room. */
static bool generate_is_whole(const struct session *s, const struct continuation *c)
{
    bool forced = s->rules->forced_last.n > 0 && c->n == c->n_prompt + c->most;

    return c->most == s->n_generate || (c->ended && !forced);
}

static int close_items(const struct session *s, const struct group *g, struct arena *a,
                       struct err *e)
{
    for (int i = 0; i < g->room.n; i++) {
        const struct continuation *continuation = &g->text[i];

        generate_add_tokens(s, g->item[i], continuation, a);
        g->item[i]->open = false;
        if (!generate_is_whole(s, continuation))
            say_short(s, g->item[i]);
        if (shown_fill(s, a, g->item[i], e) != 0)
            return -1;
    }
    return 0;
}

int session_generate(const struct session *s, struct item *items, int n,
                     struct arena *a, struct err *e)
{
    struct group group;

    group.item = arena_alloc(a, (size_t)n, sizeof *group.item);
    group.text = arena_alloc(a, (size_t)n, sizeof *group.text);
    for (int i = 0; i < n;) {
        group.room = (struct generate_group){ .n = 0 };
        for (; i < n; i++) {
            if (items[i].open && most(s, &items[i]) <= 0) {
                items[i].open = false;
                say_short(s, &items[i]);
                if (shown_fill(s, a, &items[i], e) != 0)
                    return -1;
            }
            if (items[i].open && !generate_join_item(&group, s, &items[i], a))
                break;
        }
        if (group.room.n > 0 && run_group(s, &group, a, e) != 0)
            return -1;
        if (close_items(s, &group, a, e) != 0)
            return -1;
    }
    return 0;
}
