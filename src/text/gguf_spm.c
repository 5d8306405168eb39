/* SPDX-License-Identifier: MIT
 * The keys of a GGUF whose pieces have scores -> vocabulary, scores and character map
 * of the tokeniser, and the steps around them. */
#include "text/gguf_source.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

enum { LONGEST = 512 };         /* bytes of a piece */

#define MARK GGUF_MARK

/* What holds where a GGUF has no key for it, as in llama.cpp. */
struct defaults {
    int unk, bos, eos;          /* -1: none */
    bool add_bos, add_eos;
};

/* Where the key is not there: the token of that id, if there is one. */
static int read_special_or(const struct gguf_source *source, const char *key, int id,
                           const char **out)
{
    *out = id >= 0 && id < source->n ? source->piece[id] : NULL;
    return gguf_source_special(source, key, out);
}

static const struct gguf_value *scores_of(const struct gguf_source *source)
{
    const struct gguf_value *value = gguf_source_value(source, "scores");

    if (value == NULL)
        err_set(source->e, ERR_INPUT, "has no tokenizer.ggml.scores");
    else if (!gguf_is_real(value) || !value->is_array || value->n != source->n)
        gguf_source_wrong(source, value, arena_printf(source->a, "an array of %d F32", source->n));
    else
        return value;
    return NULL;
}

/* The type of token i; where none are said, names tell which are bytes. */
static int gguf_spm_type_of(const struct gguf_source *source, const struct gguf_value *types, int i)
{
    if (types != NULL)
        return (int)gguf_int(types, i);
    return byte_level_of_piece(source->piece[i], strlen(source->piece[i])) >= 0 ? BYTE : NORMAL;
}

static int check_scored(const struct gguf_source *source, struct text piece, int type, int i,
                        double score)
{
    if (piece.n > LONGEST)
        return err_set(source->e, ERR_INPUT, "tokenizer.ggml.tokens: token %d has %zu bytes, "
                       "expected at most %d", i, piece.n, LONGEST);
    if (type == BYTE && byte_level_of_piece(piece.s, piece.n) < 0)
        return err_set(source->e, ERR_INPUT, "tokenizer.ggml.tokens: token %d is \"%.80s\", but "
                       "of type byte, expected <0x00> to <0xFF>", i, piece.s);
    if (!isfinite(score))
        return err_set(source->e, ERR_INPUT, "tokenizer.ggml.scores: token %d has a score "
                       "that is not finite", i);
    return 0;
}

/* What the model finds in a text; bytes, control tokens and the unknown one are not. */
static bool gguf_spm_is_found(const char *piece, int type, const char *unk)
{
    return (type == NORMAL || type == USER_DEFINED || type == UNDEFINED) &&
           strcmp(piece, unk) != 0;
}

/* Pieces and scores go to the tokeniser itself, as those of a SentencePiece model. */
static int set_scored(const struct gguf_source *source, const char *unk, bool *bytes)
{
    const struct gguf_value *types = gguf_source_value(source, "token_type");
    const struct gguf_value *scores = scores_of(source);
    struct tok *tok = source->t;

    if (scores == NULL)
        return -1;
    vocab_init(&tok->vocab, source->a, (size_t)source->n);
    tok->scored = arena_alloc(source->a, (size_t)source->n, sizeof *tok->scored);
    for (int i = 0; i < source->n; i++) {
        struct text piece = { source->piece[i], strlen(source->piece[i]) };
        double score = gguf_real(scores, i);
        int type = gguf_spm_type_of(source, types, i);

        if (check_scored(source, piece, type, i, score) != 0)
            return -1;
        *bytes = *bytes || type == BYTE;
        /* A list may hold a piece twice: the first id is found. */
        if (vocab_find(&tok->vocab, piece.s, piece.n) >= 0)
            continue;
        if (vocab_add(&tok->vocab, source->a, piece, i, source->e) != 0)
            return -1;
        if (gguf_spm_is_found(piece.s, type, unk))
            tok->scored[tok->n_scored++] = (struct scored){ piece, score, i, false };
    }
    tok->vocab.n_model = tok->vocab.n;
    return 0;
}

static int read_scored(struct gguf_source *source, const struct defaults *defaults,
                       const char **unk, bool *bytes)
{
    const char *bos, *eos;
    bool add_bos = defaults->add_bos, add_eos = defaults->add_eos;

    if (gguf_source_pieces(source, false) != 0)
        return -1;
    if (source->n == 0)
        return err_set(source->e, ERR_INPUT, "tokenizer.ggml.tokens: is empty");
    if (gguf_source_added(source) != 0 ||
        read_special_or(source, "unknown_token_id", defaults->unk, unk) != 0 ||
        read_special_or(source, "bos_token_id", defaults->bos, &bos) != 0 ||
        read_special_or(source, "eos_token_id", defaults->eos, &eos) != 0 ||
        gguf_source_flag(source, "add_bos_token", &add_bos) != 0 ||
        gguf_source_flag(source, "add_eos_token", &add_eos) != 0)
        return -1;
    if (*unk == NULL)
        return err_set(source->e, ERR_INPUT, "has no tokenizer.ggml.unknown_token_id");
    if (set_scored(source, *unk, bytes) != 0)
        return -1;
    if (**unk != '\0')
        gguf_source_add(source, vocab_find(&source->t->vocab, *unk, strlen(*unk)), *unk, true);
    template_put(source->t, source->root, add_bos ? bos : NULL, add_eos ? eos : NULL, true);
    return 0;
}

static void set_json(const struct gguf_source *source, const char *section, const char *text)
{
    json_put_text(source->a, source->root, section, text);
}

#define REPLACE(kind, what, by) \
    "{\"type\":\"Replace\",\"pattern\":{\"" kind "\":\"" what "\"},\"content\":\"" by "\"}"
#define SEQUENCE(list) "{\"type\":\"Sequence\",\"normalizers\":[" list "]}"

int gguf_spm_bpe(struct gguf_source *source)
{
    static const struct defaults defaults = { .unk = 0,
                                              .bos = 1,
                                              .eos = 2,
                                              .add_bos = true };
    bool bytes = false, prefix = true;
    const char *unk;

    if (read_scored(source, &defaults, &unk, &bytes) != 0 ||
        gguf_source_flag(source, "add_space_prefix", &prefix) != 0)
        return -1;
    json_put(source->a, source->root, "model",
        json_pack("{ss sn sn ss sb sb}", "type", "BPE", "vocab", "merges", "unk_token",
                  unk, "fuse_unk", 1, "byte_fallback", (int)bytes));
    source->t->given.vocab = source->t->given.merges_by_score = true;
    set_json(source, "normalizer", prefix ?
             SEQUENCE("{\"type\":\"Prepend\",\"prepend\":\"" MARK "\"},"
                      REPLACE("String", " ", MARK)) :
             SEQUENCE(REPLACE("String", " ", MARK)));
    source->t->blank = (struct text){ MARK, sizeof MARK - 1 };
    return 0;
}

static int read_map(const struct gguf_source *source)
{
    const struct gguf_value *value = gguf_source_value(source, "precompiled_charsmap");
    unsigned char *map;

    if (value == NULL || (value->is_array && value->n == 0))
        return 0;
    if (!value->is_array || (value->type != GGUF_U8 && value->type != GGUF_I8))
        return gguf_source_wrong(source, value, "an array of U8");
    map = arena_alloc_raw(source->a, (size_t)value->n, 1);
    memcpy(map, value->data, (size_t)value->n);
    source->t->map = (struct span){ map, (size_t)value->n };
    source->t->given.map = value->n > 0;
    return 0;
}

/*
 * Words are cut as T5's tokenizer.json cuts them; it trims texts and puts a blank in
 * front.  Other models get what their keys say.
 */
static int set_t5_steps(const struct gguf_source *source)
{
    bool prefix = true, trim = true;
    const char *map, *metaspace;

    if (read_map(source) != 0 || gguf_source_flag(source, "add_space_prefix", &prefix) != 0 ||
        gguf_source_flag(source, "remove_extra_whitespaces", &trim) != 0)
        return -1;
    map = source->t->map.size == 0 ? "" :
        "{\"type\":\"Precompiled\",\"precompiled_charsmap\":null}";
    set_json(source, "normalizer", arena_printf(source->a, SEQUENCE("%s%s%s"), map,
             *map != '\0' && trim && !prefix ? "," : "", !trim || prefix ? "" :
             REPLACE("Regex", "\\\\A +| +\\\\z", "") "," REPLACE("Regex", " {2,}", " ")));
    metaspace = arena_printf(source->a, "{\"type\":\"Metaspace\",\"replacement\":\"" MARK "\","
                             "\"prepend_scheme\":\"%s\",\"split\":%s}",
                             prefix ? "always" : "never",
                             prefix && trim ? "true" : "false");
    set_json(source, "pre_tokenizer", arena_printf(source->a, "{\"type\":\"Sequence\","
             "\"pretokenizers\":[%s%s]}",
             prefix && trim ? "{\"type\":\"WhitespaceSplit\"}," : "", metaspace));
    return 0;
}

int gguf_spm_unigram(struct gguf_source *source)
{
    static const struct defaults defaults = { .unk = 2,
                                              .bos = -1,
                                              .eos = 1,
                                              .add_eos = true };
    bool bytes = false;
    const char *unk;

    if (read_scored(source, &defaults, &unk, &bytes) != 0)
        return -1;
    json_put(source->a, source->root, "model",
        json_pack("{ss sn si sb}", "type", "Unigram", "vocab", "unk_id",
                  vocab_find(&source->t->vocab, unk, strlen(unk)), "byte_fallback",
                  (int)bytes));
    source->t->given.scored = true;
    return set_t5_steps(source);
}
