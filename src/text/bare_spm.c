/* SPDX-License-Identifier: MIT
 * A SentencePiece model -> the tokenizer.json that the transformers library would
 * build around it; pieces and scores are put into the tokeniser directly. */
#include "text/bare.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "text/spm.h"

const char *spm_file(const struct bare *bare)
{
    static const char *const names[] = {
        "spiece.model", "tokenizer.model", "sentencepiece.bpe.model", "spm.model",
        "source.spm"
    };
    const char *path = file_join(bare->a, bare->dir, "target.spm");

    if (bare->target && file_exists(path))
        return path;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        path = file_join(bare->a, bare->dir, names[i]);
        if (file_exists(path))
            return path;
    }
    return NULL;
}

/* ---- the model ---- */

static void set_model(struct bare *bare, const struct spm *spm, int unk)
{
    bool bpe = spm->model == SPM_BPE, words = spm->model == SPM_WORD;
    json_t *value = bpe || words ?
        json_pack("{ss sn sn ss sb sb}", "type", bpe ? "BPE" : "WordLevel", "vocab",
                  "merges", "unk_token", spm->v[spm->unk].s.s, "fuse_unk", 1, "byte_fallback",
                  (int)spm->byte_fallback) :
        json_pack("{ss sn si sb}", "type", "Unigram", "vocab", "unk_id", unk,
                  "byte_fallback", (int)spm->byte_fallback);

    json_put(bare->a, bare->root, "model", value);
    bare->t->given.vocab = bpe || words;
    bare->t->given.merges_by_score = bpe;
    bare->t->given.words = words;
    bare->t->given.scored = !bpe && !words;
}

/* Its own settings say what its steps are. */
static bool is_own(const struct bare *bare)
{
    return bare->flavour->style.normal == NULL;
}

/*
 * Control pieces are special; those that the user defined are found as they are, by
 * SentencePiece itself in what its normaliser leaves.
 */
static void bare_spm_add_tokens(struct bare *bare, const struct spm *spm)
{
    json_t *plain = json_hold(bare->a, json_pack("{sb sb}", "special", 0, "normalized", 0));
    json_t *user = json_hold(bare->a, json_pack("{sb sb}", "special", 0, "normalized",
                                                (int)is_own(bare)));

    for (size_t i = 0; i < spm->n; i++) {
        const struct spm_piece *piece = &spm->v[i];

        if (strlen(piece->s.s) != piece->s.n ||
            vocab_find(&bare->t->vocab, piece->s.s, piece->s.n) < 0)
            continue;
        if (piece->type == SPM_CONTROL)
            bare_add_token(bare, NULL, piece->s.s);
        else if (piece->type == SPM_USER && spm->model != SPM_WORD)
            bare_add_token(bare, user, piece->s.s);
    }
    for (size_t i = 0; bare->flavour->style.vocab_json != NULL && i < bare->t->vocab.n; i++) {
        const struct piece *p = &bare->t->vocab.v[i];

        if (p->n > 4 && memcmp(p->s, ">>", 2) == 0 &&
            memcmp(p->s + p->n - 2, "<<", 2) == 0)
            bare_add_token(bare, plain, p->s);             /* Marian's languages */
    }
    bare->t->given.plain_added = is_own(bare);
    json_drop(bare->a, plain);
    json_drop(bare->a, user);
}

/* ---- steps ---- */

#define METASPACE(scheme, split) \
    "{\"type\":\"Metaspace\",\"replacement\":\"" MARK "\"," \
    "\"prepend_scheme\":\"" scheme "\",\"split\":" split "}"
#define REPLACE(kind, what, by) \
    "{\"type\":\"Replace\",\"pattern\":{\"" kind "\":\"" what "\"},\"content\":\"" by "\"}"
#define SPLIT(what, behaviour) \
    "{\"type\":\"Split\",\"pattern\":{\"String\":\"" what "\"},\"behavior\":\"" behaviour "\"}"

/* A word for each step; it counts where the setting, if it has one, is `when`. */
static const struct word {
    const char *name, *json, *setting;
    bool def, when;
} words[] = {
    { "quotes", REPLACE("String", "``", "\\\"") "," REPLACE("String", "''", "\\\"") },
    { "accents", "{\"type\":\"NFKD\"},{\"type\":\"StripAccents\"}", "keep_accents",
      false, false },
    { "lower", "{\"type\":\"Lowercase\"}", "do_lower_case", true, true },
    { "maybe-lower", "{\"type\":\"Lowercase\"}", "do_lower_case", false, true },
    { "strip", "{\"type\":\"Strip\"}" },
    { "trim", REPLACE("Regex", "\\\\A +|[ " MARK "]+\\\\z", "") },
    { "collapse", REPLACE("Regex", " {2,}", " ") },
    { "map-collapse", REPLACE("Regex", " {2,}", " ") },     /* where there is a map */
    { "prefix", "{\"type\":\"Prepend\",\"prepend\":\"" MARK "\"}" },
    { "suffix", REPLACE("Regex", "\\\\z", MARK) },
    { "marks", REPLACE("String", " ", MARK) },
    { "map", "{\"type\":\"Precompiled\",\"precompiled_charsmap\":null}" },
    { "words", "{\"type\":\"WhitespaceSplit\"}" },
    { "metaspace", METASPACE("always", "true") },
    { "metaspace-prefix", METASPACE("always", "true"), "add_prefix_space", true, true },
    { "metaspace-bare", METASPACE("never", "true"), "add_prefix_space", true, false },
    { "whole-first", METASPACE("first", "false") },
    { "before-marks", SPLIT(MARK, "MergedWithNext") },
    { "blanks", SPLIT(" ", "MergedWithPrevious") },
    { NULL }
};

static const char *step_of_word(const struct bare *bare, const char *name)
{
    const struct word *word = words;

    while (strcmp(word->name, name) != 0)
        word++;
    if (strstr(name, "map") != NULL && bare->t->map.size == 0)
        return NULL;
    if (word->setting != NULL && bare_setting(bare, word->setting, word->def) != word->when)
        return NULL;
    return word->json;
}

/* {"type": "Sequence", list: [the steps that the words stand for]} */
void spm_steps(struct bare *bare, const char *section, const char *list, const char *text)
{
    const char *all = "", *step;
    char *word;

    while ((word = bare_word(bare->a, &text)) != NULL) {
        step = step_of_word(bare, word);
        if (step != NULL)
            all = arena_printf(bare->a, "%s%s%s", all, all[0] != '\0' ? "," : "", step);
    }
    all = arena_printf(bare->a, "{\"type\":\"Sequence\",\"%s\":[%s]}", list, all);
    json_put_text(bare->a, bare->root, section, all);
}

/* ---- templates ---- */

/* The piece of the text's language; what has no target has the source's. */
static const char *language(const struct bare *bare)
{
    const struct spm_style *style = &bare->flavour->style;
    const char *source = bare_special(bare, "src_lang", style->language != NULL ? style->language :
                                                                                  "en_XX");
    const char *code = bare->target ? bare_special(bare, "tgt_lang", source) : source;

    return style->around == NULL || code == NULL ? code :
           arena_printf(bare->a, "%s%s%s", style->around, code, style->around);
}

static int check_language(const struct bare *bare, struct err *e)
{
    const char *name = language(bare);

    if (strstr(bare->flavour->style.single, "lang") == NULL ||
        (name != NULL && vocab_find(&bare->t->vocab, name, strlen(name)) >= 0))
        return 0;
    return err_set(e, ERR_INPUT, "tokenizer_config.json: the language \"%.40s\" is not "
                   "in the vocabulary", name != NULL ? name : "null");
}

static const char *default_of(const struct bare *bare, const char *attribute)
{
    for (int i = 0; i < FLAVOUR_TOKENS && bare->flavour->tokens[i][0] != NULL; i++)
        if (strcmp(bare->flavour->tokens[i][0], attribute) == 0)
            return bare->flavour->tokens[i][1];
    return NULL;
}

/* NULL says here that there is no such slot. */
static json_t *need(const struct bare *bare, json_t *made)
{
    if (made == NULL)
        arena_fail(bare->a, 0);
    return made;
}

/* "bos_token+": with the type 0 or that after a colon; NULL where it is not there. */
static json_t *open_slot(const struct bare *bare, char *word, json_t *specials)
{
    char *colon = strchr(word, ':'), *end;
    int type = colon != NULL ? colon[1] - '0' : 0, id;
    const char *name;

    if (colon != NULL)
        *colon = '\0';
    if (strcmp(word, "A") == 0 || strcmp(word, "B") == 0)
        return need(bare, json_pack("{s{ss si}}", "Sequence", "id", word, "type_id", type));
    end = word + strlen(word) - 1;
    if (*end == '+' || *end == '-') {
        bool def = *end == '+';

        *end = '\0';
        if (!bare_setting(bare, arena_printf(bare->a, "add_%s", word), def))
            return NULL;
    }
    name = strcmp(word, "lang") == 0 ? language(bare)
                                     : bare_special(bare, word, default_of(bare, word));
    id = name != NULL ? vocab_find(&bare->t->vocab, name, strlen(name)) : -1;
    if (id < 0)
        return NULL;
    json_put(bare->a, specials, name, json_pack("{ss s[i] s[s]}", "id", name, "ids",
                                                  id, "tokens", name));
    return need(bare, json_pack("{s{ss si}}", "SpecialToken", "id", name, "type_id", type));
}

static void open_slots(const struct bare *bare, const char *text, json_t *list,
                       json_t *specials)
{
    char *word;

    while ((word = bare_word(bare->a, &text)) != NULL) {
        json_t *slot = open_slot(bare, word, specials);

        if (slot != NULL)
            json_add(bare->a, list, slot);
    }
}

static void set_template(struct bare *bare, const struct spm_style *style)
{
    json_t *value = json_put(bare->a, bare->root, "post_processor",
                             json_pack("{ss}", "type", "TemplateProcessing"));
    json_t *specials = json_put(bare->a, value, "special_tokens", json_object());

    open_slots(bare, style->single, json_put(bare->a, value, "single", json_array()), specials);
    open_slots(bare, style->pair, json_put(bare->a, value, "pair", json_array()), specials);
}

/* ---- all of it ---- */

/* What its character map leaves as it is. */
static void keep_user(struct tok *tok, const struct spm *spm)
{
    tok->kept = arena_alloc(tok->a, 1, sizeof *tok->kept);
    trie_init(tok->kept, tok->a);
    for (size_t i = 0; i < spm->n; i++)
        if (spm->v[i].type == SPM_USER)
            trie_add(tok->kept, tok->a, spm->v[i].s.s, spm->v[i].s.n, (int)i);
}

/* What the model's own settings say, where the class says nothing else. */
static void set_own_steps(struct bare *bare, const struct spm *spm)
{
    const char *end = !spm->prefix ? "marks" : spm->suffix ? "marks suffix" : "prefix marks";

    bare->t->given.map_longest = true;
    bare->t->blank = (struct text){ MARK, sizeof MARK - 1 };
    keep_user(bare->t, spm);
    spm_steps(bare, "normalizer", "normalizers",
              arena_printf(bare->a, "%s %s", spm->trim ? "map trim collapse" : "map", end));
    if (spm->model == SPM_WORD)       /* also where blanks end words: as SentencePiece */
        spm_steps(bare, "pre_tokenizer", "pretokenizers", "before-marks");
}

/* The library's classes read no other ones, and put blanks in front of words. */
static int check_class(const struct bare *bare, const struct spm *spm, struct err *e)
{
    if (is_own(bare) || (!spm->suffix && (spm->model == SPM_UNIGRAM || spm->model == SPM_BPE)))
        return 0;
    return err_set(e, ERR_INPUT, "a model of type %s%s, which %s does not read",
                   spm->model == SPM_WORD ? "word" : spm->model == SPM_CHAR ? "char" :
                   spm->model == SPM_BPE ? "bpe" : "unigram",
                   spm->suffix ? " with blanks after words" : "", bare->flavour->classes[0]);
}

int spm_build_from(struct bare *bare, struct span file, struct err *e)
{
    const struct spm_style *style = &bare->flavour->style;
    unsigned char *map;
    struct spm spm;
    int unk;

    if (spm_read(bare->a, file, &spm, e) != 0)
        return -1;
    if (!spm.escape)
        return err_set(e, ERR_INPUT, "spaces that are not written as \"" MARK
                       "\" are not supported");
    unk = check_class(bare, &spm, e) == 0 ? spm_vocab(bare, &spm, e) : -1;
    if (unk < 0)
        return -1;
    map = arena_alloc_raw(bare->a, spm.map.size, 1);
    if (spm.map.size > 0)
        memcpy(map, spm.map.data, spm.map.size);
    bare->t->map = (struct span){ map, spm.map.size };
    bare->t->given.map = spm.map.size > 0;
    set_model(bare, &spm, unk);
    if (style->normal != NULL) {
        spm_steps(bare, "normalizer", "normalizers", style->normal);
        spm_steps(bare, "pre_tokenizer", "pretokenizers", style->presplit);
    } else {
        set_own_steps(bare, &spm);
    }
    if (check_language(bare, e) != 0)
        return -1;
    set_template(bare, style);
    bare_spm_add_tokens(bare, &spm);
    return 0;
}

int spm_build(struct bare *bare, struct err *e)
{
    const struct span *span = file_hold(bare->a, bare->model_file, e);
    int failed;

    if (span == NULL)
        return -1;
    failed = spm_build_from(bare, *span, e);
    file_drop(bare->a, span);
    return failed == 0 ? 0 : err_under(e, "%s", strrchr(bare->model_file, '/') + 1);
}
