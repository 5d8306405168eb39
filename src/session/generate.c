/* SPDX-License-Identifier: MIT
 * --generate: texts -> the texts with the tokens that the model generates after them. */
#include <string.h>

#include "base/str.h"
#include "run/generate.h"
#include "session/memory.h"
#include "session/shown/shown.h"
#include "session/texts.h"

struct group {
    struct generate_group room;
    struct item **item;             /* [room.n] */
    struct continuation *text;      /* [room.n] */
};

/* The model that continues: an encoder-decoder's decoder. */
static const struct model *continuing(const struct session *session)
{
    return session->model->decoder != NULL ? session->model->decoder : session->model;
}

static struct tokens *tokens_of(const struct session *session, struct item *item)
{
    return session->model->decoder != NULL ? &item->target : &item->tokens;
}

/* The tokens that a text gets at most: there may be no room for all. */
static int most(const struct session *session, struct item *item)
{
    int room = continuing(session)->max_tokens - tokens_of(session, item)->n;

    return room < session->n_generate ? room : session->n_generate;
}

/* A text joins the group, if there is room for it. */
static bool generate_join_item(struct group *group, const struct session *session,
                               struct item *item, struct arena *a)
{
    const struct tokens *tokens = tokens_of(session, item);
    int count = tokens->n + most(session, item), at = group->room.n, *id;

    if (!generate_join(&group->room, continuing(session), count,
                       session->model->decoder != NULL ? item->tokens.n : 0))
        return false;
    id = arena_alloc(a, (size_t)count, sizeof *id);
    memcpy(id, tokens->id, (size_t)tokens->n * sizeof *id);
    group->text[at] = (struct continuation){ .n_prompt = tokens->n,
                                             .most = most(session, item),
                                             .id = id,
                                             .type = tokens->type };
    group->item[at] = item;
    return true;
}

/* Bytes that the texts of a group need, with keys and values that are cached. */
static double needed(const struct session *session, const struct group *group)
{
    int n_tokens = 0, n_target = 0;

    for (int i = 0; i < group->room.n; i++) {
        n_tokens += group->item[i]->tokens.n +
                    (session->model->decoder == NULL ? group->text[i].most : 0);
        n_target += group->item[i]->target.n + group->text[i].most;
    }
    return memory_of_pass(session, n_tokens,
                          session->model->decoder != NULL ? n_target : 0) + group->room.bytes;
}

static int run_group(const struct session *session, struct group *group, struct arena *a,
                     struct err *e)
{
    struct arena_mark mark = arena_mark(a);
    int count = group->room.n, status;
    struct item *items = arena_alloc(a, (size_t)count, sizeof *items);
    const struct change numbers = { .precision = session->change.precision,
                                    .fast = session->change.fast };
    struct texts texts;

    for (int i = 0; i < count; i++) {
        items[i] = *group->item[i];
        items[i].open = false;
    }
    texts_pack(&texts, a, items, count);
    status = run_generate_pair(session->model, session->rules,
                               session->model->decoder != NULL ? &texts.source : NULL, group->text,
                               count, &numbers, memory_spare(session, needed(session, group)),
                               session->par, a, e);
    arena_reset(a, mark);
    return status;
}

/* What the tokens stand for, one label after another. */
static void set_generated(struct item *item, const struct tokens *tokens, struct arena *a)
{
    size_t count = 0;
    char *text;

    for (int i = 0; i < tokens->n; i++)
        count += tokens->special[i] ? 0 : tokens->label_size[i];
    text = arena_alloc(a, count + 1, 1);
    item->n_generated = tokens->n;
    item->generated = text;
    item->generated_size = count;
    for (int i = 0; i < tokens->n; i++) {
        size_t size = tokens->special[i] ? 0 : tokens->label_size[i];

        memcpy(text, tokens->label[i], size);
        text += size;
    }
}

static void generate_add_tokens(const struct session *session, struct item *item,
                                const struct continuation *continuation, struct arena *a)
{
    struct tokens *tokens = tokens_of(session, item), added, whole;

    tok_describe(session->target_tok != NULL ? session->target_tok : session->tok, a,
                 continuation->id + continuation->n_prompt, NULL,
                 continuation->n - continuation->n_prompt, &added);
    set_generated(item, &added, a);
    tok_join(a, tokens, &added, &whole);
    *tokens = whole;
}

/* Where the model's positions, and not the end of the text or N, were the limit. */
static void say_short(const struct session *session, struct item *item)
{
    err_warn(session->env->warn, "text %lld%s: %d of %d token%s %s generated: %s takes at most %d",
             (long long)item->index + 1, item_part(session->a, item), item->n_generated,
             session->n_generate, str_plural(session->n_generate),
             item->n_generated == 1 ? "is" : "are", session->model->name,
             continuing(session)->max_tokens);
}

/* By an end that the model chose, or by one that stands where there is no more room. */
static bool generate_is_whole(const struct session *session,
                              const struct continuation *continuation)
{
    bool forced = session->rules->forced_last.n > 0 &&
                  continuation->n == continuation->n_prompt + continuation->most;

    return continuation->most == session->n_generate || (continuation->ended && !forced);
}

static int close_items(const struct session *session, const struct group *group, struct arena *a,
                       struct err *e)
{
    for (int i = 0; i < group->room.n; i++) {
        const struct continuation *continuation = &group->text[i];

        generate_add_tokens(session, group->item[i], continuation, a);
        group->item[i]->open = false;
        if (!generate_is_whole(session, continuation))
            say_short(session, group->item[i]);
        if (shown_fill(session, a, group->item[i], e) != 0)
            return -1;
    }
    return 0;
}

int session_generate(const struct session *session, struct item *items, int n,
                     struct arena *a, struct err *e)
{
    struct group group;

    group.item = arena_alloc(a, (size_t)n, sizeof *group.item);
    group.text = arena_alloc(a, (size_t)n, sizeof *group.text);
    for (int i = 0; i < n;) {
        group.room = (struct generate_group){ .n = 0 };
        for (; i < n; i++) {
            if (items[i].open && most(session, &items[i]) <= 0) {
                items[i].open = false;
                say_short(session, &items[i]);
                if (shown_fill(session, a, &items[i], e) != 0)
                    return -1;
            }
            if (items[i].open && !generate_join_item(&group, session, &items[i], a))
                break;
        }
        if (group.room.n > 0 && run_group(session, &group, a, e) != 0)
            return -1;
        if (close_items(session, &group, a, e) != 0)
            return -1;
    }
    return 0;
}
