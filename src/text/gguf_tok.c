/* SPDX-License-Identifier: MIT
 * The tokeniser's keys of a GGUF -> a tokenizer.json. */
#include "text/gguf_source.h"

#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

/* ---- keys ---- */

/* *out is NULL where the key is not there. */
static int gguf_tok_read_text(const struct gguf_source *source, const char *key, const char **out)
{
    const struct gguf_value *value = gguf_source_value(source, key);
    struct gguf_strings all;
    struct span text;

    *out = NULL;
    if (value == NULL)
        return 0;
    if (value->type != GGUF_STRING || value->is_array)
        return gguf_source_wrong(source, value, "a STRING");
    all = gguf_strings(value);
    gguf_next(&all, &text);
    *out = arena_strndup(source->a, (const char *)text.data, text.size);
    return 0;
}

static void put_vocab(const struct gguf_source *source, json_t *model)
{
    json_t *vocab = json_put(source->a, model, "vocab", json_object());

    for (int i = 0; i < source->n; i++) {
        /* A list may hold a piece twice, an object may not: the first id is found. */
        if (json_object_get(vocab, source->piece[i]) == NULL)
            json_put(source->a, vocab, source->piece[i], json_integer(i));
    }
}

/* ---- WordPiece ---- */

/* A vocabulary with capitals outside of brackets is one of cased text. */
static bool has_capitals(const struct gguf_source *source)
{
    for (int i = 0; i < source->n; i++)
        if (source->piece[i][0] != '[' && strpbrk(source->piece[i], "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            return true;
    return false;
}

static int build_bert(struct gguf_source *source)
{
    const char *unk = "[UNK]", *cls = "[CLS]", *sep = "[SEP]";

    if (gguf_source_pieces(source, true) != 0 || gguf_source_added(source) != 0 ||
        gguf_source_special(source, "unknown_token_id", &unk) != 0 ||
        gguf_source_special(source, "bos_token_id", &cls) != 0 ||
        gguf_source_special(source, "cls_token_id", &cls) != 0 ||
        gguf_source_special(source, "eos_token_id", &sep) != 0 ||
        gguf_source_special(source, "seperator_token_id", &sep) != 0)
        return -1;
    put_vocab(source, json_put(source->a, source->root, "model",
                               json_pack("{ss ss}", "type", "WordPiece", "unk_token", unk)));
    json_put(source->a, source->root, "normalizer",
        json_pack("{ss sb sb sn sb}", "type", "BertNormalizer", "clean_text", 1,
                  "handle_chinese_chars", 1, "strip_accents", "lowercase",
                  (int)!has_capitals(source)));
    json_put(source->a, source->root, "pre_tokenizer",
                        json_pack("{ss}", "type", "BertPreTokenizer"));
    template_put(source->t, source->root, cls, sep, false);
    return 0;
}

/* ---- byte-level BPE ---- */

static int put_merges(const struct gguf_source *source, json_t *model)
{
    const struct gguf_value *value = gguf_source_strings(source, "merges");
    struct gguf_strings all;
    struct span text;
    json_t *list;

    if (value == NULL)
        return -1;
    list = json_put(source->a, model, "merges", json_array());
    all = gguf_strings(value);
    for (int i = 0; gguf_next(&all, &text); i++) {
        const char *bytes = (const char *)text.data;
        const char *space = text.size > 1 ? memchr(bytes + 1, ' ', text.size - 1) : NULL;
        json_t *pair;

        if (space == NULL || utf8_check(bytes, text.size) != text.size)
            return err_set(source->e, ERR_INPUT, "%s: merge %d is not two pieces with a space "
                           "between", value->key, i);
        pair = json_add(source->a, list, json_array());
        json_add(source->a, pair, json_stringn(bytes, (size_t)(space - bytes)));
        json_add(source->a, pair,
                 json_stringn(space + 1, (size_t)(bytes + text.size - space - 1)));
    }
    return 0;
}

static int read_pre(const struct gguf_source *source, bool *ignore_merges)
{
    const char *pre, *all = "";

    if (gguf_tok_read_text(source, "pre", &pre) != 0)
        return -1;
    if (pre != NULL && gguf_pre(source->a, source->root, pre, ignore_merges))
        return 0;
    for (int i = 0; gguf_pre_name(i) != NULL; i++)
        all = arena_printf(source->a, "%s%s%s", all, i > 0 ? ", " : "", gguf_pre_name(i));
    if (pre == NULL)
        return err_set(source->e, ERR_INPUT, "has no tokenizer.ggml.pre, without which it is "
                       "not known how words are cut");
    return err_set(source->e, ERR_INPUT, "tokenizer.ggml.pre: found \"%s\", expected one of %s",
                   pre, all);
}

static int build_bpe(struct gguf_source *source)
{
    const char *bos = NULL, *eos = NULL;
    bool add_bos = false, add_eos = false, ignore_merges = false;
    json_t *model;

    if (gguf_source_pieces(source, false) != 0 || gguf_source_added(source) != 0 ||
        read_pre(source, &ignore_merges) != 0 ||
        gguf_source_special(source, "bos_token_id", &bos) != 0 ||
        gguf_source_special(source, "eos_token_id", &eos) != 0 ||
        gguf_source_flag(source, "add_bos_token", &add_bos) != 0 ||
        gguf_source_flag(source, "add_eos_token", &add_eos) != 0)
        return -1;
    model = json_put(source->a, source->root, "model", json_pack("{ss sb}", "type", "BPE",
                     "ignore_merges", (int)ignore_merges));
    put_vocab(source, model);
    if (put_merges(source, model) != 0)
        return -1;
    json_put(source->a, source->root, "decoder", json_pack("{ss}", "type", "ByteLevel"));
    template_put(source->t, source->root, add_bos ? bos : NULL, add_eos ? eos : NULL, true);
    return 0;
}

/* ---- the whole ---- */

static const struct {
    const char *model;
    int (*build)(struct gguf_source *s);
} models[] = {
    { "bert", build_bert },
    { "gpt2", build_bpe },
    { "llama", gguf_spm_bpe },
    { "t5", gguf_spm_unigram },
};

static int build(struct gguf_source *source)
{
    const char *model;

    if (gguf_tok_read_text(source, "model", &model) != 0)
        return -1;
    if (model == NULL) {
        err_set(source->e, ERR_INPUT, "has no tokenizer.ggml.model");
        return err_is_absent(source->e);
    }
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcmp(models[i].model, model) == 0)
            return models[i].build(source);
    return err_set(source->e, ERR_INPUT, "tokenizer.ggml.model: \"%s\" is not supported, "
                   "expected bert, gpt2, llama or t5", model);
}

json_t *gguf_tok_read(struct tok *tok, const struct gguf *gguf, struct err *e)
{
    struct gguf_source source = { .t = tok, .a = tok->a, .g = gguf, .e = e };

    source.root = json_hold(source.a, json_object());
    if (build(&source) == 0)
        return source.root;
    json_drop(source.a, source.root);
    return NULL;
}
