/* SPDX-License-Identifier: MIT
 * The pieces of a SentencePiece model -> the vocabulary of its tokeniser class, and the pieces
 * that are matched in texts. */
#include "text/bare.h"

#include <string.h>

#include "base/json.h"
#include "text/spm.h"

enum { MOST_OWN = 256 };        /* pieces that a class adds */

static int add_piece(struct tok *tok, const char *s, size_t n, struct err *e)
{
    struct text text = { s, n };

    return vocab_add(&tok->vocab, tok->a, text, (json_int_t)tok->vocab.n, e);
}

/* Control pieces have the name that tokenizer_config.json lists for their id. */
static int add_plain(struct bare *bare, const struct spm *spm, struct err *e)
{
    const json_t *list = json_object_get(bare->config, "added_tokens_decoder");

    for (size_t i = 0; i < spm->n; i++) {
        struct text text = spm->v[i].s;

        if (list != NULL && spm->v[i].type == SPM_CONTROL) {
            const json_t *value = json_object_get(list, arena_printf(bare->a, "%zu", i));
            const char *name = json_string_value(json_object_get(value, "content"));

            if (name != NULL)
                text = (struct text){ arena_strdup(bare->a, name), strlen(name) };
        }
        if (add_piece(bare->t, text.s, text.n, e) != 0)
            return -1;
    }
    return 0;
}

/* A piece of the class itself, found in a text too where no added token hides it. */
static int add_own(struct bare *bare, const char *s, float score, struct err *e)
{
    struct tok *tok = bare->t;
    struct text text = { s, strlen(s) };

    if (bare->flavour->style.own_special)
        bare_add_token(bare, NULL, s);
    tok->scored[tok->n_scored++] =
        (struct scored){ text, (double)score, (int)tok->vocab.n, false };
    return vocab_add(&tok->vocab, tok->a, text, (json_int_t)tok->vocab.n, e);
}

/* Of "<unk_*>", those of 2 to 102. */
static int add_numbered(struct bare *bare, const char *word, struct err *e)
{
    const char *star = strchr(word, '*');

    for (int i = 2; i <= 102; i++)
        if (add_own(bare, arena_printf(bare->a, "%.*s%d%s", (int)(star - word), word, i, star + 1),
                    -100, e) != 0)
            return -1;
    return 0;
}

static int bare_spm_vocab_add_words(struct bare *bare, const char *words, struct err *e)
{
    char *word;

    while ((word = bare_word(bare->a, &words)) != NULL) {
        bool worst = strcmp(word, "<unk>NOTUSED") == 0;

        if ((strchr(word, '*') != NULL ? add_numbered(bare, word, e)
                                       : add_own(bare, word, worst ? -100 : 0, e)) != 0)
            return -1;
    }
    return 0;
}

/* The pieces of the class, the model's after its first ones, and more of the class. */
static int add_framed(struct bare *bare, const struct spm *spm, struct err *e)
{
    const struct spm_style *style = &bare->flavour->style;

    if (bare_spm_vocab_add_words(bare, style->first, e) != 0)
        return -1;
    for (size_t i = style->skip; i < spm->n; i++)
        if (add_piece(bare->t, spm->v[i].s.s, spm->v[i].s.n, e) != 0)
            return -1;
    return bare_spm_vocab_add_words(bare, style->last, e);
}

static int add_json(struct bare *bare, const char *name, struct err *e)
{
    json_t *value = bare_object(bare, name, e);
    int failed = value != NULL ? vocab_read(&bare->t->vocab, bare->a, value, e) : -1;

    json_drop(bare->a, value);
    return failed == 0 ? 0 : err_under(e, "%s", name);
}

/* Pieces that are found in no text, behind those of a file. */
static int add_behind(struct bare *bare, const char *words, struct err *e)
{
    char *word;

    while ((word = bare_word(bare->a, &words)) != NULL)
        if (add_piece(bare->t, word, strlen(word), e) != 0)
            return -1;
    return 0;
}

/* Bytes and control pieces are not found in a text. */
static bool bare_spm_vocab_is_found(const struct spm *spm, const struct spm_piece *piece)
{
    int code;

    if (piece->type == SPM_USER)
        return true;
    return piece->type == SPM_NORMAL &&
           (spm->model != SPM_CHAR ||
            (piece->s.n > 0 && (size_t)chars_next(piece->s.s, piece->s.n, &code) == piece->s.n));
}

/* What the model finds in a text. */
static void set_scored(struct bare *bare, const struct spm *spm, int unk)
{
    struct tok *tok = bare->t;

    for (size_t i = 0; i < spm->n; i++) {
        const struct spm_piece *piece = &spm->v[i];
        int id = vocab_find(&tok->vocab, piece->s.s, piece->s.n);

        if (bare_spm_vocab_is_found(spm, piece))
            tok->scored[tok->n_scored++] = (struct scored){ piece->s,
                                                            (double)piece->score,
                                                            id >= 0 ? id : unk, false };
    }
}

int spm_vocab(struct bare *bare, const struct spm *spm, struct err *e)
{
    const struct spm_style *style = &bare->flavour->style;
    struct tok *tok = bare->t;
    int unk, failed;

    vocab_init(&tok->vocab, bare->a, spm->n);
    tok->scored = arena_alloc(bare->a, spm->n + MOST_OWN, sizeof *tok->scored);
    if (style->vocab_json != NULL) {
        failed = add_json(bare, bare->target && bare_setting(bare, "separate_vocabs", false) ?
                          style->target_json : style->vocab_json, e);
        if (failed == 0 && style->last != NULL)
            failed = add_behind(bare, style->last, e);
    } else
        failed = style->first != NULL ? add_framed(bare, spm, e) : add_plain(bare, spm, e);
    tok->vocab.n_model = tok->vocab.n;
    if (failed != 0)
        return -1;
    unk = vocab_find(&tok->vocab, spm->v[spm->unk].s.s, spm->v[spm->unk].s.n);
    if (unk < 0)
        return err_set(e, ERR_INPUT, "the vocabulary lacks the unknown piece \"%.80s\"",
                       spm->v[spm->unk].s.s);
    set_scored(bare, spm, unk);
    return unk;
}
