/* SPDX-License-Identifier: MIT
 * Pre-tokenisers: they cut the parts into smaller ones, which the model then
 * sees one by one. */
#include <string.h>

#include "base/json_field.h"
#include "text/tok_priv.h"

/* ---- "behavior": what happens to the matches of a pattern ---- */

static const char *const behaviour_names[N_BEHAVIOUR] = {
    "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"
};

static int open_behaviour(const json_t *j, enum behaviour *out, struct err *e)
{
    struct text text;

    if (json_field_text(j, "behavior", &text.s, &text.n, e) != 0)
        return -1;
    for (int b = 0; b < N_BEHAVIOUR; b++) {
        if (strcmp(text.s, behaviour_names[b]) == 0) {
            *out = (enum behaviour)b;
            return 0;
        }
    }
    return err_set(e, ERR_INPUT, "\"behavior\" is \"%.80s\", expected Removed, Isolated, "
                   "MergedWithPrevious, MergedWithNext or Contiguous", text.s);
}

/* ---- Split ---- */

struct split {
    struct pattern pattern;
    enum behaviour behaviour;
    bool invert;
    struct cuts *cuts;
};

static const void *open_split(struct tok *tok, const json_t *j, struct err *e)
{
    struct split *split = arena_alloc(tok->a, 1, sizeof *split);

    if (open_behaviour(j, &split->behaviour, e) != 0 ||
        json_field_bool(j, "invert", false, &split->invert, e) != 0 ||
        pattern_open(tok, j, &split->pattern, e) != 0)
        return NULL;
    return split;
}

/* A character at which the text is cut, and which goes. */
static const void *open_delimiter(struct tok *tok, const json_t *j, struct err *e)
{
    struct split *split = arena_alloc(tok->a, 1, sizeof *split);

    if (json_field_char(j, "delimiter", &split->pattern.text.s, &split->pattern.text.n,
                        e) != 0)
        return NULL;
    split->pattern.text.s = arena_strndup(tok->a, split->pattern.text.s,
                                          split->pattern.text.n);
    split->behaviour = REMOVED;
    return split;
}

static int split_one(const void *self, struct work *work, const struct fragment *part,
                     struct fragments *out, struct err *e)
{
    const struct split *split = self;
    struct cuts *cuts = split->cuts;

    if (pattern_cuts(&split->pattern, work, part, cuts, e) != 0)
        return -1;
    for (size_t i = 0; split->invert && i < cuts->n; i++)
        cuts->v[i].match = !cuts->v[i].match;
    fragment_cuts_apply(work, split->behaviour, cuts, part, out);
    return 0;
}

static int run_split(const void *self, struct work *work, struct err *e)
{
    struct split split = *(const struct split *)self;
    struct cuts cuts = { 0 };

    split.cuts = &cuts;
    return fragment_each(work, &split, split_one, e);
}

/* ---- by the class of each character ---- */

enum class { DROP, ALONE, RUN_1, RUN_2 };   /* neighbours of one RUN stay together */

static int class_cuts(const void *self, struct work *work, const struct fragment *part,
                      struct fragments *out, struct err *e)
{
    enum class (*class_of)(int cp) = *(enum class (*const *)(int))self;
    enum class before = DROP;
    size_t from = 0;

    (void)e;
    for (size_t i = 0; i < part->n; ) {
        int code, length = chars_next(part->s + i, part->n - i, &code);
        enum class c = class_of(code);

        if (c != before || c == ALONE) {
            if (before != DROP)
                fragment_add_slice(work, out, part, from, i);
            from = i;
        }
        before = c;
        i += (size_t)length;
    }
    if (before != DROP)
        fragment_add_slice(work, out, part, from, part->n);
    return 0;
}

static enum class bert_class(int cp)
{
    if (chars_is_space(cp))
        return DROP;
    return chars_is_punct(cp) ? ALONE : RUN_1;
}

static enum class space_class(int cp)
{
    return chars_is_space(cp) ? DROP : RUN_1;
}

static enum class word_class(int cp)
{
    if (chars_is_space(cp))
        return DROP;
    return chars_is_word(cp) ? RUN_1 : RUN_2;
}

static enum class digit_class(int cp)
{
    return chars_is_numeric(cp) ? ALONE : RUN_1;
}

static enum class number_class(int cp)
{
    return chars_is_numeric(cp) ? RUN_2 : RUN_1;
}

#define RUN_CLASS(name) \
    static int run_##name(const void *self, struct work *w, struct err *e) \
    { \
        enum class (*fn)(int) = name##_class; \
        (void)self; \
        return fragment_each(w, &fn, class_cuts, e); \
    }
RUN_CLASS(bert)
RUN_CLASS(space)
RUN_CLASS(word)
RUN_CLASS(digit)
RUN_CLASS(number)

struct digits { bool each; };

static const void *open_digits(struct tok *tok, const json_t *j, struct err *e)
{
    struct digits *digits = arena_alloc(tok->a, 1, sizeof *digits);

    return json_field_bool(j, "individual_digits", false, &digits->each, e) == 0 ?
               digits :
               NULL;
}

static int run_digits(const void *self, struct work *work, struct err *e)
{
    const struct digits *digits = self;

    return digits->each ? run_digit(NULL, work, e) : run_number(NULL, work, e);
}

/* ---- Punctuation ---- */

struct punctuation {
    enum behaviour behaviour;
    struct cuts *cuts;
};

static const void *open_punctuation(struct tok *tok, const json_t *j, struct err *e)
{
    struct punctuation *punctuation = arena_alloc(tok->a, 1, sizeof *punctuation);

    punctuation->behaviour = ISOLATED;
    if (json_object_get(j, "behavior") != NULL &&
        open_behaviour(j, &punctuation->behaviour, e) != 0)
        return NULL;
    return punctuation;
}

static int punctuation_one(const void *self, struct work *work, const struct fragment *part,
                           struct fragments *out, struct err *e)
{
    const struct punctuation *punctuation = self;
    size_t from = 0, i = 0;

    (void)e;
    punctuation->cuts->n = 0;
    while (i < part->n) {
        int code, length = chars_next(part->s + i, part->n - i, &code);

        if (chars_is_punct(code)) {
            if (from < i)
                fragment_cuts_add(work, punctuation->cuts, from, i, false);
            from = i + (size_t)length;
            fragment_cuts_add(work, punctuation->cuts, i, from, true);
        }
        i += (size_t)length;
    }
    if (from < part->n)
        fragment_cuts_add(work, punctuation->cuts, from, part->n, false);
    fragment_cuts_apply(work, punctuation->behaviour, punctuation->cuts, part, out);
    return 0;
}

static int run_punctuation(const void *self, struct work *work, struct err *e)
{
    struct punctuation punctuation = *(const struct punctuation *)self;
    struct cuts cuts = { 0 };

    punctuation.cuts = &cuts;
    return fragment_each(work, &punctuation, punctuation_one, e);
}

/* ---- FixedLength ---- */

static const void *open_fixed(struct tok *tok, const json_t *j, struct err *e)
{
    int *length = arena_alloc(tok->a, 1, sizeof *length);

    *length = 5;
    return json_object_get(j, "length") == NULL ||
           json_field_int(j, "length", 1, INT32_MAX, length, e) == 0 ? length : NULL;
}

static int fixed_one(const void *self, struct work *work, const struct fragment *part,
                     struct fragments *out, struct err *e)
{
    const int *length = self;
    size_t from = 0, i = 0;
    int code, count = 0;

    (void)e;
    while (i < part->n) {
        i += (size_t)chars_next(part->s + i, part->n - i, &code);
        if (++count == *length || i == part->n) {
            fragment_add_slice(work, out, part, from, i);
            from = i;
            count = 0;
        }
    }
    return 0;
}

static int run_fixed(const void *self, struct work *work, struct err *e)
{
    return fragment_each(work, self, fixed_one, e);
}

static const struct step_kind rows[] = {
    { "BertPreTokenizer", NULL, run_bert },
    { "ByteLevel", byte_level_open, byte_level_run },
    { "Split", open_split, run_split },
    { "Whitespace", NULL, run_word },
    { "WhitespaceSplit", NULL, run_space },
    { "Digits", open_digits, run_digits },
    { "Punctuation", open_punctuation, run_punctuation },
    { "CharDelimiterSplit", open_delimiter, run_split },
    { "Metaspace", metaspace_open, metaspace_run },
    { "UnicodeScripts", NULL, scripts_run },
    { "FixedLength", open_fixed, run_fixed },
    { 0 }
};

const struct step_table presplit_table = { "pre_tokenizer", "pretokenizers", rows };
