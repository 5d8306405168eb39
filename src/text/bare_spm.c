/* SPDX-License-Identifier: MIT
 * A SentencePiece model -> the tokenizer.json that the transformers library would
 * build around it; pieces and scores are put into the tokeniser directly. */
#include "text/bare.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "text/spm.h"

const char *spm_file(const struct bare *b)
{
    static const char *const names[] = {
        "spiece.model", "tokenizer.model", "sentencepiece.bpe.model", "spm.model",
        "source.spm"
    };
    const char *path = file_join(b->a, b->dir, "target.spm");

    if (b->target && file_exists(path))
        return path;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        path = file_join(b->a, b->dir, names[i]);
        if (file_exists(path))
            return path;
    }
    return NULL;
}

/* ---- the model ---- */

static void set_model(struct bare *b, const struct spm *m, int unk)
{
    bool bpe = m->model == SPM_BPE, words = m->model == SPM_WORD;
    json_t *value = bpe || words ?
        json_pack("{ss sn sn ss sb sb}", "type", bpe ? "BPE" : "WordLevel", "vocab",
                  "merges", "unk_token", m->v[m->unk].s.s, "fuse_unk", 1, "byte_fallback",
                  (int)m->byte_fallback) :
        json_pack("{ss sn si sb}", "type", "Unigram", "vocab", "unk_id", unk,
                  "byte_fallback", (int)m->byte_fallback);

    json_put(b->a, b->root, "model", value);
    b->t->given.vocab = bpe || words;
    b->t->given.merges_by_score = bpe;
    b->t->given.words = words;
    b->t->given.scored = !bpe && !words;
}

/* Its own settings say what its steps are. */
static bool is_own(const struct bare *b)
{
    return b->flavour->style.normal == NULL;
}

/*
 * Control pieces are special; those that the user defined are found as they are, by
 * SentencePiece itself in what its normaliser leaves.
 */
static void bare_spm_add_tokens(struct bare *b, const struct spm *m)
{
    json_t *plain = json_hold(b->a, json_pack("{sb sb}", "special", 0, "normalized", 0));
    json_t *user = json_hold(b->a, json_pack("{sb sb}", "special", 0, "normalized",
                                             (int)is_own(b)));

    for (size_t i = 0; i < m->n; i++) {
        const struct spm_piece *piece = &m->v[i];

        if (strlen(piece->s.s) != piece->s.n ||
            vocab_find(&b->t->vocab, piece->s.s, piece->s.n) < 0)
            continue;
        if (piece->type == SPM_CONTROL)
            bare_add_token(b, NULL, piece->s.s);
        else if (piece->type == SPM_USER && m->model != SPM_WORD)
            bare_add_token(b, user, piece->s.s);
    }
    for (size_t i = 0; b->flavour->style.vocab_json != NULL && i < b->t->vocab.n; i++) {
        const struct piece *p = &b->t->vocab.v[i];

        if (p->n > 4 && memcmp(p->s, ">>", 2) == 0 &&
            memcmp(p->s + p->n - 2, "<<", 2) == 0)
            bare_add_token(b, plain, p->s);             /* Marian's languages */
    }
    b->t->given.plain_added = is_own(b);
    json_drop(b->a, plain);
    json_drop(b->a, user);
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

static const char *step_of_word(const struct bare *b, const char *name)
{
    const struct word *word = words;

    while (strcmp(word->name, name) != 0)
        word++;
    if (strstr(name, "map") != NULL && b->t->map.size == 0)
        return NULL;
    if (word->setting != NULL && bare_setting(b, word->setting, word->def) != word->when)
        return NULL;
    return word->json;
}

/* {"type": "Sequence", list: [the steps that the words stand for]} */
void spm_steps(struct bare *b, const char *section, const char *list, const char *text)
{
    const char *all = "", *step;
    char *word;

    while ((word = bare_word(b->a, &text)) != NULL) {
        step = step_of_word(b, word);
        if (step != NULL)
            all = arena_printf(b->a, "%s%s%s", all, all[0] != '\0' ? "," : "", step);
    }
    all = arena_printf(b->a, "{\"type\":\"Sequence\",\"%s\":[%s]}", list, all);
    json_put_text(b->a, b->root, section, all);
}

/* ---- templates ---- */

/* The piece of the text's language; what has no target has the source's. */
static const char *language(const struct bare *b)
{
    const struct spm_style *style = &b->flavour->style;
    const char *source = bare_special(b, "src_lang", style->language != NULL ? style->language :
                                                                               "en_XX");
    const char *code = b->target ? bare_special(b, "tgt_lang", source) : source;

    return style->around == NULL || code == NULL ? code :
           arena_printf(b->a, "%s%s%s", style->around, code, style->around);
}

static int check_language(const struct bare *b, struct err *e)
{
    const char *name = language(b);

    if (strstr(b->flavour->style.single, "lang") == NULL ||
        (name != NULL && vocab_find(&b->t->vocab, name, strlen(name)) >= 0))
        return 0;
    return err_set(e, ERR_INPUT, "tokenizer_config.json: the language \"%.40s\" is not "
                   "in the vocabulary", name != NULL ? name : "null");
}

static const char *default_of(const struct bare *b, const char *attribute)
{
    for (int i = 0; i < FLAVOUR_TOKENS && b->flavour->tokens[i][0] != NULL; i++)
        if (strcmp(b->flavour->tokens[i][0], attribute) == 0)
            return b->flavour->tokens[i][1];
    return NULL;
}

/* NULL says here that there is no such slot. */
static json_t *need(const struct bare *b, json_t *made)
{
    if (made == NULL)
        arena_fail(b->a, 0);
    return made;
}

/* "bos_token+": with the type 0 or that after a colon; NULL where it is not there. */
static json_t *open_slot(const struct bare *b, char *word, json_t *specials)
{
    char *colon = strchr(word, ':'), *end;
    int type = colon != NULL ? colon[1] - '0' : 0, id;
    const char *name;

    if (colon != NULL)
        *colon = '\0';
    if (strcmp(word, "A") == 0 || strcmp(word, "B") == 0)
        return need(b, json_pack("{s{ss si}}", "Sequence", "id", word, "type_id", type));
    end = word + strlen(word) - 1;
    if (*end == '+' || *end == '-') {
        bool def = *end == '+';

        *end = '\0';
        if (!bare_setting(b, arena_printf(b->a, "add_%s", word), def))
            return NULL;
    }
    name = strcmp(word, "lang") == 0 ? language(b)
                                     : bare_special(b, word, default_of(b, word));
    id = name != NULL ? vocab_find(&b->t->vocab, name, strlen(name)) : -1;
    if (id < 0)
        return NULL;
    json_put(b->a, specials, name, json_pack("{ss s[i] s[s]}", "id", name, "ids",
                                                  id, "tokens", name));
    return need(b, json_pack("{s{ss si}}", "SpecialToken", "id", name, "type_id", type));
}

static void open_slots(const struct bare *b, const char *text, json_t *list,
                       json_t *specials)
{
    char *word;

    while ((word = bare_word(b->a, &text)) != NULL) {
        json_t *slot = open_slot(b, word, specials);

        if (slot != NULL)
            json_add(b->a, list, slot);
    }
}

static void set_template(struct bare *b, const struct spm_style *style)
{
    json_t *value = json_put(b->a, b->root, "post_processor",
                             json_pack("{ss}", "type", "TemplateProcessing"));
    json_t *specials = json_put(b->a, value, "special_tokens", json_object());

    open_slots(b, style->single, json_put(b->a, value, "single", json_array()), specials);
    open_slots(b, style->pair, json_put(b->a, value, "pair", json_array()), specials);
}

/* ---- all of it ---- */

/* What its character map leaves as it is. */
static void keep_user(struct tok *t, const struct spm *m)
{
    t->kept = arena_alloc(t->a, 1, sizeof *t->kept);
    trie_init(t->kept, t->a);
    for (size_t i = 0; i < m->n; i++)
        if (m->v[i].type == SPM_USER)
            trie_add(t->kept, t->a, m->v[i].s.s, m->v[i].s.n, (int)i);
}

/* What the model's own settings say, where the class says nothing else. */
static void set_own_steps(struct bare *b, const struct spm *m)
{
    const char *end = !m->prefix ? "marks" : m->suffix ? "marks suffix" : "prefix marks";

    b->t->given.map_longest = true;
    b->t->blank = (struct text){ MARK, sizeof MARK - 1 };
    keep_user(b->t, m);
    spm_steps(b, "normalizer", "normalizers",
              arena_printf(b->a, "%s %s", m->trim ? "map trim collapse" : "map", end));
    if (m->model == SPM_WORD)       /* also where blanks end words: as SentencePiece */
        spm_steps(b, "pre_tokenizer", "pretokenizers", "before-marks");
}

/* The library's classes read no other ones, and put blanks in front of words. */
static int check_class(const struct bare *b, const struct spm *m, struct err *e)
{
    if (is_own(b) || (!m->suffix && (m->model == SPM_UNIGRAM || m->model == SPM_BPE)))
        return 0;
    return err_set(e, ERR_INPUT, "a model of type %s%s, which %s does not read",
                   m->model == SPM_WORD ? "word" : m->model == SPM_CHAR ? "char" :
                   m->model == SPM_BPE ? "bpe" : "unigram",
                   m->suffix ? " with blanks after words" : "", b->flavour->classes[0]);
}

int spm_build_from(struct bare *b, struct span file, struct err *e)
{
    const struct spm_style *style = &b->flavour->style;
    unsigned char *map;
    struct spm spm;
    int unk;

    if (spm_read(b->a, file, &spm, e) != 0)
        return -1;
    if (!spm.escape)
        return err_set(e, ERR_INPUT, "spaces that are not written as \"" MARK
                       "\" are not supported");
    unk = check_class(b, &spm, e) == 0 ? spm_vocab(b, &spm, e) : -1;
    if (unk < 0)
        return -1;
    map = arena_alloc_raw(b->a, spm.map.size, 1);
    if (spm.map.size > 0)
        memcpy(map, spm.map.data, spm.map.size);
    b->t->map = (struct span){ map, spm.map.size };
    b->t->given.map = spm.map.size > 0;
    set_model(b, &spm, unk);
    if (style->normal != NULL) {
        spm_steps(b, "normalizer", "normalizers", style->normal);
        spm_steps(b, "pre_tokenizer", "pretokenizers", style->presplit);
    } else {
        set_own_steps(b, &spm);
    }
    if (check_language(b, e) != 0)
        return -1;
    set_template(b, style);
    bare_spm_add_tokens(b, &spm);
    return 0;
}

int spm_build(struct bare *b, struct err *e)
{
    const struct span *span = file_hold(b->a, b->model_file, e);
    int failed;

    if (span == NULL)
        return -1;
    failed = spm_build_from(b, *span, e);
    file_drop(b->a, span);
    return failed == 0 ? 0 : err_under(e, "%s", strrchr(b->model_file, '/') + 1);
}
