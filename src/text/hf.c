/* SPDX-License-Identifier: MIT
 * tokenizer.json, or other tokeniser files of a folder -> struct tok. */
#include <string.h>

#include "base/json.h"
#include "base/json_field.h"
#include "text/gguf_tok.h"
#include "text/tok_priv.h"

static int hf_open_model(struct tok *tok, const json_t *root, struct err *e)
{
    const json_t *model = json_object_get(root, "model");

    if (!json_is_object(model))
        return err_set(e, ERR_INPUT, "\"model\" is missing or not an object");
    return step_open(tok, &step_models, model, &tok->model, e);
}

/* What pieces are written in, where only the decoder says so. */
static void look_at_decoder(struct tok *tok, const json_t *j, int depth)
{
    const char *type = json_string_value(json_object_get(j, "type"));
    const json_t *list = json_object_get(j, "decoders");
    const char *mark = json_string_value(
        json_object_get(json_object_get(j, "pattern"), "String"));
    const char *content = json_string_value(json_object_get(j, "content"));

    if (type == NULL)
        return;
    if (strcmp(type, "ByteLevel") == 0)
        tok->byte_level = true;
    if (strcmp(type, "Metaspace") == 0)
        mark = json_string_value(json_object_get(j, "replacement"));
    else if (strcmp(type, "Replace") != 0 || content == NULL ||
             strcmp(content, " ") != 0)
        mark = NULL;
    if (mark != NULL)
        tok->blank = (struct text){ arena_strdup(tok->a, mark), strlen(mark) };
    for (size_t i = 0; depth < 8 && i < json_array_size(list); i++)
        look_at_decoder(tok, json_array_get(list, i), depth + 1);
}

/* tokenizer.json, parsed. */
static int read_json(struct tok *tok, const json_t *root, struct err *e)
{
    const json_t *added;

    if (!json_is_object(root))
        return err_set(e, ERR_INPUT, "it is not a JSON object");
    if (hf_open_model(tok, root, e) != 0 ||
        step_open(tok, &normal_table, json_object_get(root, "normalizer"), &tok->normal,
                  e) != 0 ||
        step_open(tok, &presplit_table, json_object_get(root, "pre_tokenizer"),
                  &tok->presplit, e) != 0 ||
        json_field_list(root, "added_tokens", &added, e) != 0 ||
        added_open(tok, added, e) != 0 ||
        step_open(tok, &finish_table, json_object_get(root, "post_processor"),
                  &tok->finish, e) != 0)
        return -1;
    look_at_decoder(tok, json_object_get(root, "decoder"), 0);
    return 0;
}

/* Patterns are compiled to memory of their own. */
static void hf_release(void *what)
{
    struct tok *tok = what;

    regex_close(tok->regexes);
    tok->regexes = NULL;
}

static struct tok *new_tok(struct arena *a, const char *name)
{
    struct tok *tok = arena_alloc(a, 1, sizeof *tok);

    tok->a = a;
    tok->name = arena_strdup(a, name);
    tok->prefix.s = tok->suffix.s = "";
    tok->unknown = -1;
    arena_own(a, hf_release, tok);
    return tok;
}

/* Takes root, which may be NULL after an error. */
static struct tok *open_root(struct tok *tok, json_t *root, struct err *e)
{
    int failed = root == NULL ? -1 : read_json(tok, root, e);

    json_drop(tok->a, root);
    if (failed == 0)
        return tok;
    err_under(e, "%s", tok->name);
    tok_close(tok);
    return NULL;
}

struct tok *tok_open_memory(struct arena *a, struct span json, const char *name,
                            struct err *e)
{
    struct tok *tok = new_tok(a, name);
    struct span rest = skim_vocab(tok, json);
    json_t *root = json_read(a, rest, JSON_ALLOW_NUL, e);

    if (root == NULL && rest.data != json.data)
        root = json_read(a, json, JSON_ALLOW_NUL, e);           /* for its line and column */
    return open_root(tok, root, e);
}

struct tok *tok_open_sentencepiece(struct arena *a, struct span model, const char *name,
                                   struct err *e)
{
    struct tok *tok = new_tok(a, name);

    return open_root(tok, spm_root(tok, model, e), e);
}

struct tok *gguf_tok_open(struct arena *a, const struct gguf *gguf, const char *name,
                          struct err *e)
{
    struct tok *tok = new_tok(a, name);

    return open_root(tok, gguf_tok_read(tok, gguf, e), e);
}

static struct tok *open_gguf(struct arena *a, const char *any, struct err *e)
{
    const char *path = gguf_first_part(a, any);
    struct gguf *gguf = gguf_open(a, path, e);
    struct tok *tok;

    if (gguf == NULL)
        return NULL;
    tok = gguf_tok_open(a, gguf, path, e);
    gguf_close(a, gguf);
    return tok;
}

/* The GGUF of a folder that holds no other tokeniser; NULL: none. */
static const char *lone_gguf(struct arena *a, const char *dir)
{
    const char *path;
    struct err none;

    if (file_exists(file_join(a, dir, "vocab.txt")) ||
        file_exists(file_join(a, dir, "vocab.json")) ||
        gguf_in_folder(a, dir, &path, &none) != 0)
        return NULL;
    return path;
}

static struct tok *open_dir(struct arena *a, const char *dir, bool target, struct err *e)
{
    const char *path = file_join(a, dir, "tokenizer.json"), *gguf;
    const struct span *span;
    struct tok *tok;

    if (file_exists(dir) && !file_is_dir(dir))
        return open_gguf(a, dir, e);
    if (!file_exists(path)) {
        gguf = lone_gguf(a, dir);
        if (gguf != NULL)
            return open_gguf(a, gguf, e);
        tok = new_tok(a, dir);
        return open_root(tok, bare_read(tok, dir, target, e), e);
    }
    span = file_hold(a, path, e);
    if (span == NULL)
        return NULL;
    tok = tok_open_memory(a, *span, path, e);
    file_drop(a, span);
    return tok;
}

struct tok *tok_open(struct arena *a, const char *dir, struct err *e)
{
    return open_dir(a, dir, false, e);
}

struct tok *tok_open_target(struct arena *a, const char *dir, struct err *e)
{
    return open_dir(a, dir, true, e);
}

void tok_close(struct tok *tok)
{
    if (tok != NULL)
        arena_release(tok->a, tok);
}
