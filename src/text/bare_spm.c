/* SPDX-License-Identifier: MIT
 * A SentencePiece model -> the tokenizer.json that the transformers library would
 * build around it; pieces and scores go to the tokeniser as they are. */
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

/* ---- the vocabulary ---- */

enum { MOST_OWN = 256 };        /* pieces that a class adds */

static int add_piece(struct tok *t, const char *s, size_t n, struct err *e)
{
    struct text text = { s, n };

    return vocab_add(&t->vocab, t->a, text, (json_int_t)t->vocab.n, e);
}

/* Control pieces have the name that tokenizer_config.json lists for their id. */
static int add_plain(struct bare *b, const struct spm *m, struct err *e)
{
    const json_t *list = json_object_get(b->config, "added_tokens_decoder");

    for (size_t i = 0; i < m->n; i++) {
        struct text text = m->v[i].s;

        if (list != NULL && m->v[i].type == SPM_CONTROL) {
            const json_t *value = json_object_get(list, arena_printf(b->a, "%zu", i));
            const char *name = json_string_value(json_object_get(value, "content"));

            if (name != NULL)
                text = (struct text){ arena_strdup(b->a, name), strlen(name) };
        }
        if (add_piece(b->t, text.s, text.n, e) != 0)
            return -1;
    }
    return 0;
}

/* The next word of *s, a copy; NULL: none is left. */
static char *next_word(struct arena *a, const char **s)
{
    size_t count;
    char *word;

    *s += strspn(*s, " ");
    count = strcspn(*s, " ");
    word = count > 0 ? arena_strndup(a, *s, count) : NULL;
    *s += count;
    return word;
}

/* A piece of the class itself, found in a text too where no added token hides it. */
static int add_own(struct bare *b, const char *s, float score, struct err *e)
{
    struct tok *tok = b->t;
    struct text text = { s, strlen(s) };

    if (b->flavour->style.own_special)
        bare_add_token(b, NULL, s);
    tok->scored[tok->n_scored++] =
        (struct scored){ text, (double)score, (int)tok->vocab.n, false };
    return vocab_add(&tok->vocab, tok->a, text, (json_int_t)tok->vocab.n, e);
}

/* Of "<unk_*>", those of 2 to 102. */
static int add_numbered(struct bare *b, const char *word, struct err *e)
{
    const char *star = strchr(word, '*');

    for (int i = 2; i <= 102; i++)
        if (add_own(b, arena_printf(b->a, "%.*s%d%s", (int)(star - word), word, i, star + 1),
                    -100, e) != 0)
            return -1;
    return 0;
}

static int add_words(struct bare *b, const char *words, struct err *e)
{
    char *word;

    while ((word = next_word(b->a, &words)) != NULL) {
        bool worst = strcmp(word, "<unk>NOTUSED") == 0;

        if ((strchr(word, '*') != NULL ? add_numbered(b, word, e)
                                       : add_own(b, word, worst ? -100 : 0, e)) != 0)
            return -1;
    }
    return 0;
}

/* The pieces of the class, the model's after its first ones, and more of the class. */
static int add_framed(struct bare *b, const struct spm *m, struct err *e)
{
    const struct spm_style *style = &b->flavour->style;

    if (add_words(b, style->first, e) != 0)
        return -1;
    for (size_t i = style->skip; i < m->n; i++)
        if (add_piece(b->t, m->v[i].s.s, m->v[i].s.n, e) != 0)
            return -1;
    return add_words(b, style->last, e);
}

static int add_json(struct bare *b, const char *name, struct err *e)
{
    json_t *value = bare_object(b, name, e);
    int failed = value != NULL ? vocab_read(&b->t->vocab, b->a, value, e) : -1;

    json_drop(b->a, value);
    return failed == 0 ? 0 : err_under(e, "%s", name);
}

/* What the model finds in a text; bytes and control pieces are not found. */
static void set_scored(struct bare *b, const struct spm *m, int unk)
{
    struct tok *tok = b->t;

    for (size_t i = 0; i < m->n; i++) {
        const struct spm_piece *piece = &m->v[i];
        int id = vocab_find(&tok->vocab, piece->s.s, piece->s.n);

        if (piece->type == SPM_NORMAL || piece->type == SPM_USER)
            tok->scored[tok->n_scored++] = (struct scored){ piece->s,
                                                            (double)piece->score,
                                                            id >= 0 ? id : unk, false };
    }
}

/* The id of the unknown piece, or -1. */
static int set_vocab(struct bare *b, const struct spm *m, struct err *e)
{
    const struct spm_style *style = &b->flavour->style;
    struct tok *tok = b->t;
    int unk, failed;

    vocab_init(&tok->vocab, b->a, m->n);
    tok->scored = arena_alloc(b->a, m->n + MOST_OWN, sizeof *tok->scored);
    if (style->vocab_json != NULL)
        failed = add_json(b, b->target && bare_setting(b, "separate_vocabs", false) ?
                          style->target_json : style->vocab_json, e);
    else
        failed = style->first != NULL ? add_framed(b, m, e) : add_plain(b, m, e);
    tok->vocab.n_model = tok->vocab.n;
    if (failed != 0)
        return -1;
    unk = vocab_find(&tok->vocab, m->v[m->unk].s.s, m->v[m->unk].s.n);
    if (unk < 0)
        return err_set(e, ERR_INPUT, "the vocabulary lacks the unknown piece \"%.80s\"",
                       m->v[m->unk].s.s);
    set_scored(b, m, unk);
    return unk;
}

static void set_model(struct bare *b, const struct spm *m, int unk)
{
    json_t *value = m->bpe ?
        json_pack("{ss sn sn ss sb sb}", "type", "BPE", "vocab", "merges", "unk_token",
                  m->v[m->unk].s.s, "fuse_unk", 1, "byte_fallback",
                  (int)m->byte_fallback) :
        json_pack("{ss sn si sb}", "type", "Unigram", "vocab", "unk_id", unk,
                  "byte_fallback", (int)m->byte_fallback);

    json_put(b->a, b->root, "model", value);
    b->t->given.vocab = b->t->given.merges_by_score = m->bpe;
    b->t->given.scored = !m->bpe;
}

/* Control pieces are special; those that the user defined are found as they are. */
static void add_tokens(struct bare *b, const struct spm *m)
{
    json_t *plain = json_hold(b->a, json_pack("{sb sb}", "special", 0, "normalized", 0));

    for (size_t i = 0; i < m->n; i++) {
        const struct spm_piece *piece = &m->v[i];

        if (strlen(piece->s.s) != piece->s.n ||
            vocab_find(&b->t->vocab, piece->s.s, piece->s.n) < 0)
            continue;
        if (piece->type == SPM_CONTROL)
            bare_add_token(b, NULL, piece->s.s);
        else if (piece->type == SPM_USER)
            bare_add_token(b, plain, piece->s.s);
    }
    for (size_t i = 0; b->flavour->style.vocab_json != NULL && i < b->t->vocab.n; i++) {
        const struct piece *p = &b->t->vocab.v[i];

        if (p->n > 4 && memcmp(p->s, ">>", 2) == 0 &&
            memcmp(p->s + p->n - 2, "<<", 2) == 0)
            bare_add_token(b, plain, p->s);             /* Marian's languages */
    }
    json_drop(b->a, plain);
}

/* ---- steps ---- */

#define METASPACE(scheme, split) \
    "{\"type\":\"Metaspace\",\"replacement\":\"" MARK "\"," \
    "\"prepend_scheme\":\"" scheme "\",\"split\":" split "}"
#define REPLACE(kind, what, by) \
    "{\"type\":\"Replace\",\"pattern\":{\"" kind "\":\"" what "\"},\"content\":\"" by "\"}"

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
    { "trim", REPLACE("Regex", "\\\\A +| +\\\\z", "") },
    { "collapse", REPLACE("Regex", " {2,}", " ") },
    { "map-collapse", REPLACE("Regex", " {2,}", " ") },     /* where there is a map */
    { "prefix", "{\"type\":\"Prepend\",\"prepend\":\"" MARK "\"}" },
    { "marks", REPLACE("String", " ", MARK) },
    { "map", "{\"type\":\"Precompiled\",\"precompiled_charsmap\":null}" },
    { "words", "{\"type\":\"WhitespaceSplit\"}" },
    { "metaspace", METASPACE("always", "true") },
    { "metaspace-prefix", METASPACE("always", "true"), "add_prefix_space", true, true },
    { "metaspace-bare", METASPACE("never", "true"), "add_prefix_space", true, false },
    { "whole", METASPACE("always", "false") },
    { "whole-first", METASPACE("first", "false") },
    { "whole-never", METASPACE("never", "false") },
    { "blanks", "{\"type\":\"Split\",\"pattern\":{\"String\":\" \"},"
                "\"behavior\":\"MergedWithPrevious\"}" },
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

    while ((word = next_word(b->a, &text)) != NULL) {
        step = step_of_word(b, word);
        if (step != NULL)
            all = arena_printf(b->a, "%s%s%s", all, all[0] != '\0' ? "," : "", step);
    }
    all = arena_printf(b->a, "{\"type\":\"Sequence\",\"%s\":[%s]}", list, all);
    json_put_text(b->a, b->root, section, all);
}

/* ---- templates ---- */

/* mBART's code of the text's language; what has no target has the source's. */
static const char *language(const struct bare *b)
{
    const char *source = bare_special(b, "src_lang", "en_XX");

    return b->target ? bare_special(b, "tgt_lang", source) : source;
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
    for (int i = 0; b->flavour->tokens[i][0] != NULL; i++)
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

    while ((word = next_word(b->a, &text)) != NULL) {
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

/* What the model's own settings say, where the class says nothing else. */
static void set_own_steps(struct bare *b, const struct spm *m)
{
    b->t->given.map_longest = true;
    spm_steps(b, "normalizer", "normalizers", m->trim ? "map trim collapse" : "map");
    spm_steps(b, "pre_tokenizer", "pretokenizers", m->prefix ? "whole" : "whole-never");
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
    unk = set_vocab(b, &spm, e);
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
    add_tokens(b, &spm);
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
