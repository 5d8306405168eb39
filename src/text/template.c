/* SPDX-License-Identifier: MIT
 * The tokens around a text -> the post-processor of a tokenizer.json built from older files or
 * from GGUF. */
#include <string.h>

#include "base/json.h"
#include "text/tok_priv.h"

static void add_special(struct arena *a, json_t *list, const char *piece, int type)
{
    if (piece != NULL)
        json_add(a, list, json_pack("{s{ss si}}", "SpecialToken", "id", piece, "type_id",
                                    type));
}

static void template_add_text(struct arena *a, json_t *list, const char *which, int type)
{
    json_add(a, list, json_pack("{s{ss si}}", "Sequence", "id", which, "type_id", type));
}

static void add_one(struct arena *a, json_t *list, const char *before, const char *after)
{
    add_special(a, list, before, 0);
    template_add_text(a, list, "A", 0);
    add_special(a, list, after, 0);
}

/* The vocabulary is in the JSON, or already in the tokeniser; -1: it lacks the piece. */
static json_int_t id_of(const struct tok *tok, const json_t *root, const char *piece)
{
    const json_t *vocab = json_object_get(json_object_get(root, "model"), "vocab");
    const json_t *id = json_object_get(vocab, piece);

    if (tok->vocab.n > 0)
        return vocab_find(&tok->vocab, piece, strlen(piece));
    return id != NULL ? json_integer_value(id) : -1;
}

static void set_special(const struct tok *tok, const json_t *root, json_t *specials,
                        const char *piece)
{
    json_int_t id = piece != NULL ? id_of(tok, root, piece) : -1;

    if (id >= 0)
        json_put(tok->a, specials, piece,
                 json_pack("{ss s[I] s[s]}", "id", piece, "ids", id, "tokens", piece));
}

void template_put(const struct tok *tok, json_t *root, const char *before,
                  const char *after, bool before_pair)
{
    struct arena *a = tok->a;
    json_t *value = json_put(a, root, "post_processor",
                             json_pack("{ss}", "type", "TemplateProcessing"));
    json_t *single = json_put(a, value, "single", json_array());
    json_t *pair = json_put(a, value, "pair", json_array());
    json_t *specials = json_put(a, value, "special_tokens", json_object());

    add_one(a, single, before, after);
    add_one(a, pair, before, after);
    add_special(a, pair, before_pair ? before : NULL, 1);
    template_add_text(a, pair, "B", 1);
    add_special(a, pair, after, 1);
    set_special(tok, root, specials, before);
    set_special(tok, root, specials, after);
}
