/* SPDX-License-Identifier: MIT
 * Post-processors: tokens that the model expects around a text, types, and spans
 * without the blanks that byte-level pieces carry.  They see the tokens of the
 * text and of the pair as sequences, spans in characters. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

/* ---- spans without blanks ---- */

struct trim {
    bool trim, prefix_space;
};

static bool finish_is_blank(int cp)
{
    return cp == 0x120 || chars_is_space(cp);        /* U+0120: a blank byte */
}

static int count_leading(struct text s)
{
    int count = 0;

    for (size_t i = 0; i < s.n; count++) {
        int code, n = chars_next(s.s + i, s.n - i, &code);

        if (!finish_is_blank(code))
            break;
        i += (size_t)n;
    }
    return count;
}

static int count_trailing(struct text s)
{
    int count = 0;

    while (s.n > 0) {
        int code, n = chars_before(s.s, s.n, &code);

        if (!finish_is_blank(code))
            break;
        s.n -= (size_t)n;
        count++;
    }
    return count;
}

static void trim_token(const struct trim *trim, struct work_token *token, struct text s,
                       bool first)
{
    int leading = count_leading(s), trailing = count_trailing(s);

    if (leading > 0) {
        /* One blank at the very start may be ours, and then covers nothing. */
        if ((first || token->span.start == token->origin) && trim->prefix_space && leading == 1)
            leading = 0;
        token->span.start += leading;
        if (token->span.start > token->span.end)
            token->span.start = token->span.end;
    }
    if (trailing > 0 && token->span.end >= trailing) {
        token->span.end -= trailing;
        if (token->span.end < token->span.start)
            token->span.end = token->span.start;
    }
}

static void trim_all(const struct trim *trim, struct work *work)
{
    enum { LONG = 64 };

    for (int k = 0; trim->trim && k < work->n_seqs; k++) {
        struct seq *seq = &work->seqs[k];

        for (size_t i = 0; i < seq->n && !work->too_much; i++) {
            const struct piece *piece = vocab_piece(&work->t->vocab, seq->v[i].id);
            struct text text = seq->v[i].match;

            if (text.s == NULL)
                text = (struct text){ piece->s, piece->n };
            trim_token(trim, &seq->v[i], text, i == 0);
            if (text.n > LONG)
                bound_spend(work, BUDGET_BYTE_COMPARED * text.n);
        }
    }
}

static int read_trim(const json_t *j, struct trim *out, struct err *e)
{
    if (json_field_bool(j, "trim_offsets", true, &out->trim, e) != 0)
        return -1;
    return json_field_bool(j, "add_prefix_space", true, &out->prefix_space, e);
}

static const void *open_byte_level(struct tok *tok, const json_t *j, struct err *e)
{
    struct trim *trim = arena_alloc(tok->a, 1, sizeof *trim);

    return read_trim(j, trim, e) == 0 ? trim : NULL;
}

static int run_byte_level(const void *self, struct work *work, struct err *e)
{
    (void)e;
    trim_all(self, work);
    return 0;
}

/* ---- templates ---- */

struct slot {
    int seq;                    /* 0: the text, 1: the pair, -1: special tokens */
    const int *id;              /* [n] */
    int n, type;
};

struct template {
    struct slot *v;
    size_t n;
    bool has_pair;
};

struct templates {
    struct template single, pair;
};

static void add_special(struct work *work, struct seq *out, int id, int type)
{
    struct work_token token = { .id = id, .type = type, .special = true };

    fragment_seq_add(work, out, token);
}

/* The tokens that one slot stands for. */
static void fill_slot(const struct slot *slot, struct work *work, struct seq *out)
{
    if (slot->seq < 0) {
        for (int k = 0; work->special && k < slot->n; k++)
            add_special(work, out, slot->id[k], slot->type);
        return;
    }
    fragment_seq_reserve(work, out, out->n + work->seqs[slot->seq].n);
    for (size_t k = 0; k < work->seqs[slot->seq].n; k++) {
        fragment_seq_add(work, out, work->seqs[slot->seq].v[k]);
        out->v[out->n - 1].type = slot->type;
    }
}

/* Stops at more tokens than there may be. */
static void finish_fill(const struct template *template, struct work *work)
{
    struct seq *out = arena_alloc(work->a, template->n, sizeof *out);
    size_t count = 0;

    for (size_t i = 0; i < template->n && !work->too_much && !work->too_large; i++) {
        fill_slot(&template->v[i], work, &out[i]);
        count += out[i].n;
        bound_spend(work, BUDGET_TOKEN_OF_TEMPLATE * out[i].n);
        work->too_large = work->too_large || (work->most > 0 && count > work->most);
    }
    for (int i = 0; i < work->n_seqs; i++)
        arena_give_back(work->a, work->seqs[i].v, work->seqs[i].cap, sizeof *work->seqs[i].v);
    work->seqs = out;
    work->n_seqs = (int)template->n;
}

static int run_template(const void *self, struct work *work, struct err *e)
{
    const struct templates *templates = self;

    if (work->n_seqs == 1)
        finish_fill(&templates->single, work);
    else if (work->n_seqs == 2 && templates->pair.has_pair)
        finish_fill(&templates->pair, work);
    else
        return err_set(e, ERR_INPUT, "the tokeniser has no template for %s",
                       work->n_seqs == 2 ? "a pair of texts" : "so many parts");
    return 0;
}

/* An id of the template, which is special from here on, whatever the vocabulary says. */
static int known_id(struct tok *tok, const char *name, int id, struct err *e)
{
    if (vocab_piece(&tok->vocab, id) != NULL) {
        tok->vocab.v[tok->vocab.by_id[id] - 1].special = true;
        return 0;
    }
    return err_set(e, ERR_INPUT, "special token \"%.80s\" has id %d, which the "
                   "vocabulary lacks", name, id);
}

static int open_special(struct tok *tok, const json_t *j, const json_t *specials,
                        struct slot *out, struct err *e)
{
    struct text name;
    const json_t *token, *ids;
    int *id;

    out->seq = -1;
    if (json_field_text(j, "id", &name.s, &name.n, e) != 0)
        return -1;
    token = json_object_get(specials, name.s);
    if (token == NULL)
        return err_set(e, ERR_INPUT, "\"%.80s\" is not among \"special_tokens\"",
                       name.s);
    if (json_field_list(token, "ids", &ids, e) != 0)
        return -1;
    out->n = (int)json_array_size(ids);
    out->id = id = arena_alloc(tok->a, json_array_size(ids), sizeof *id);
    for (int i = 0; i < out->n; i++) {
        const json_t *value = json_array_get(ids, (size_t)i);
        json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;

        id[i] = n >= 0 && n <= INT32_MAX ? (int)n : -1;
        if (known_id(tok, name.s, id[i], e) != 0)
            return -1;
    }
    return 0;
}

static int open_slot(struct tok *tok, const json_t *j, const json_t *specials,
                     struct slot *out, struct err *e)
{
    const json_t *seq = json_object_get(j, "Sequence");
    const json_t *special = json_object_get(j, "SpecialToken");
    struct text id;

    if (special != NULL) {
        if (open_special(tok, special, specials, out, e) != 0)
            return -1;
        return json_field_int(special, "type_id", 0, INT32_MAX, &out->type, e);
    }
    if (json_field_text(seq, "id", &id.s, &id.n, e) != 0)
        return -1;
    if (strcmp(id.s, "A") != 0 && strcmp(id.s, "B") != 0)
        return err_set(e, ERR_INPUT, "sequence \"%.80s\", expected A or B", id.s);
    out->seq = id.s[0] - 'A';
    return json_field_int(seq, "type_id", 0, INT32_MAX, &out->type, e);
}

static int finish_open_one(struct tok *tok, const json_t *j, const char *key,
                           struct template *out, struct err *e)
{
    const json_t *list, *specials = json_object_get(j, "special_tokens");

    if (json_field_list(j, key, &list, e) != 0)
        return -1;
    out->n = json_array_size(list);
    out->v = arena_alloc(tok->a, out->n, sizeof *out->v);
    for (size_t i = 0; i < out->n; i++) {
        if (open_slot(tok, json_array_get(list, i), specials, &out->v[i], e) != 0)
            return err_under(e, "%s[%zu]", key, i);
        if (out->v[i].seq == 1)
            out->has_pair = true;
    }
    return 0;
}

static const void *open_template(struct tok *tok, const json_t *j, struct err *e)
{
    struct templates *out = arena_alloc(tok->a, 1, sizeof *out);

    if (finish_open_one(tok, j, "single", &out->single, e) != 0 ||
        finish_open_one(tok, j, "pair", &out->pair, e) != 0)
        return NULL;
    if (out->single.has_pair) {
        err_set(e, ERR_INPUT, "\"single\" names the second text");
        return NULL;
    }
    return out;
}

/* ---- BERT's and RoBERTa's own ---- */

struct classic {
    struct templates templates;
    struct trim trim;
};

/* ["[SEP]", 102] */
static const int *open_named(struct tok *tok, const json_t *j, const char *key,
                             struct err *e)
{
    const json_t *pair = json_object_get(j, key), *id = json_array_get(pair, 1);
    const char *name = json_string_value(json_array_get(pair, 0));
    int *out = arena_alloc(tok->a, 1, sizeof *out);

    if (name == NULL || !json_is_integer(id) || json_integer_value(id) < 0 ||
        json_integer_value(id) > INT32_MAX) {
        err_set(e, ERR_INPUT, "\"%s\" is not [token, id]", key);
        return NULL;
    }
    *out = (int)json_integer_value(id);
    return known_id(tok, name, *out, e) == 0 ? out : NULL;
}

/* cls A sep, and: first B sep, with types 0 and `type`. */
static void build(struct tok *tok, struct templates *out, const int *cls, const int *sep,
                  const int *between, int type)
{
    struct slot *slot = arena_alloc(tok->a, 6, sizeof *slot);

    slot[0] = (struct slot){ -1, cls, 1, 0 };
    slot[1] = (struct slot){ 0, NULL, 0, 0 };
    slot[2] = (struct slot){ -1, sep, 1, 0 };
    slot[3] = (struct slot){ -1, between, between != NULL, type };
    slot[4] = (struct slot){ 1, NULL, 0, type };
    slot[5] = (struct slot){ -1, sep, 1, type };
    out->single = (struct template){ slot, 3, false };
    out->pair = (struct template){ slot, 6, true };
}

static const void *open_classic(struct tok *tok, const json_t *j, bool roberta,
                                struct err *e)
{
    struct classic *classic = arena_alloc(tok->a, 1, sizeof *classic);
    const int *cls = open_named(tok, j, "cls", e);
    const int *sep = cls != NULL ? open_named(tok, j, "sep", e) : NULL;

    if (sep == NULL || (roberta && read_trim(j, &classic->trim, e) != 0))
        return NULL;
    build(tok, &classic->templates, cls, sep, roberta ? sep : NULL, roberta ? 0 : 1);
    return classic;
}

static const void *open_bert(struct tok *tok, const json_t *j, struct err *e)
{
    return open_classic(tok, j, false, e);
}

static const void *open_roberta(struct tok *tok, const json_t *j, struct err *e)
{
    return open_classic(tok, j, true, e);
}

static int run_classic(const void *self, struct work *work, struct err *e)
{
    const struct classic *classic = self;

    trim_all(&classic->trim, work);
    return run_template(&classic->templates, work, e);
}

static const struct step_kind rows[] = {
    { "TemplateProcessing", open_template, run_template },
    { "BertProcessing", open_bert, run_classic },
    { "RobertaProcessing", open_roberta, run_classic },
    { "ByteLevel", open_byte_level, run_byte_level },
    { 0 }
};

const struct step_table finish_table = { "post_processor", "processors", rows };
