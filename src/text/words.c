/* SPDX-License-Identifier: MIT
 * Words of a text -> their tokens; tokens -> numbers of words; a word -> the piece for it. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "text/tok_priv.h"

/* ---- words between white space ---- */

/* What lies between white space. */
struct words {
    struct range *v;            /* [n] bytes */
    int n, at;                  /* at: where the last search ended */
};

static struct words text_words_of(struct arena *a, const char *s, size_t n)
{
    struct words words = { .v = NULL };
    size_t cap = 0;
    bool inside = false;

    for (size_t i = 0; i < n;) {
        int code, length = chars_next(s + i, n - i, &code);
        bool blank = chars_is_space(code);

        if (!blank && !inside) {
            if ((size_t)words.n == cap) {
                words.v = arena_grow(a, words.v, cap, 2 * cap + 16, sizeof *words.v);
                cap = 2 * cap + 16;
            }
            words.v[words.n++] = (struct range){ (int)i, (int)n };
        } else if (blank && inside) {
            words.v[words.n - 1].end = (int)i;
        }
        inside = !blank;
        i += (size_t)length;
    }
    return words;
}

bool tok_is_blank(const char *text, size_t size)
{
    size_t at = 0;

    while (at < size) {
        int code, length = utf8_decode(text + at, size - at, &code);

        if (length < 0 || !chars_is_space(code))
            return false;
        at += (size_t)length;
    }
    return true;
}

/*
 * The word with the first byte at or after the span's start that is not blank.  Spans come
 * nearly in order, so the search goes on where the last one ended.
 */
static int find_word(struct words *words, struct range span)
{
    while (words->at > 0 && words->v[words->at - 1].end > span.start)
        words->at--;
    while (words->at < words->n && words->v[words->at].end <= span.start)
        words->at++;
    if (words->at == words->n)
        return WORD_NONE;
    return words->at + 1 < words->n && words->v[words->at + 1].start < span.end ? WORD_SEVERAL :
           words->at;
}

/* ---- the text of a piece ---- */

/* A text in the letters of the byte-level alphabet; returns its size. */
static size_t put_bytes(char *room, const char *s, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        int code = byte_level_char((unsigned char)s[i]);

        if (code >= 0x80)
            room[count++] = (char)(0xc0 | code >> 6);
        room[count++] = (char)(code < 0x80 ? code : 0x80 | (code & 0x3f));
    }
    return count;
}

/* A blank that is marked in the piece, or none, then the text in the vocabulary's letters. */
static int find_bytes(const struct tok *tok, char *room, const char *s, size_t n)
{
    return vocab_find(&tok->vocab, room, put_bytes(room, s, n));
}

/* The text before what ends words: "cat</w>". */
static int find_ended(const struct tok *tok, char *room, const char *s, size_t n)
{
    size_t count = n;

    if (tok->suffix.n == 0)
        return -1;
    if (tok->byte_level)
        count = put_bytes(room, s, n);
    else
        memcpy(room, s, n);
    memcpy(room + count, tok->suffix.s, tok->suffix.n);
    return vocab_find(&tok->vocab, room, count + tok->suffix.n);
}

static int find_behind(const struct tok *tok, char *room, struct text mark, const char *s,
                       size_t n)
{
    if (mark.n == 0)
        return -1;
    memcpy(room, mark.s, mark.n);
    memcpy(room + mark.n, s, n);
    return vocab_find(&tok->vocab, room, mark.n + n);
}

/* Of a vocabulary in the byte-level alphabet. */
static int find_byte_level(const struct tok *tok, char *room, const char *s, size_t n)
{
    char *blank = room + 2 * (n + 1);
    int id;

    blank[0] = ' ';
    memcpy(blank + 1, s, n);
    id = find_bytes(tok, room, blank, n + 1);
    return id >= 0 ? id : find_bytes(tok, room, s, n);
}

int words_piece(const struct tok *tok, struct arena *a, const char *s, size_t n)
{
    int id = vocab_find(&tok->vocab, s, n);
    char *room;

    if (id >= 0)
        return id;
    room = arena_alloc_raw(a, 3 * (n + 1) + tok->blank.n + tok->prefix.n + tok->suffix.n, 1);
    id = find_ended(tok, room, s, n);
    if (id >= 0)
        return id;
    if (tok->byte_level)
        return find_byte_level(tok, room, s, n);
    id = find_behind(tok, room, tok->blank, s, n);
    if (id < 0)
        id = find_behind(tok, room, tok->prefix, s, n);
    if (id < 0 && tok->byte_pieces && n == 1) {
        char name[8];

        snprintf(name, sizeof name, "<0x%02X>", (unsigned char)*s);
        id = vocab_find(&tok->vocab, name, 6);
    }
    return id;
}

/* ---- a word by itself ---- */

static bool words_is_blank(const struct tok *tok, struct arena *a, int id)
{
    const struct piece *piece = vocab_piece(&tok->vocab, id);
    char *label = arena_alloc_raw(a, piece->n + 1, 1);
    size_t count = tok_label(tok, piece, label);

    for (size_t i = 0; i < count; i++)
        if (label[i] != ' ')
            return false;
    return true;
}

/* True if y is x after pieces that are all blank, or x itself. */
static bool are_alike(const struct tok *tok, struct arena *a, const struct seq *x,
                      const struct seq *y)
{
    size_t more = y->n - x->n;

    if (y->n < x->n)
        return false;
    for (size_t i = 0; i < y->n; i++)
        if (i < more ? !words_is_blank(tok, a, y->v[i].id) : y->v[i].id != x->v[i - more].id)
            return false;
    return true;
}

/* Where a blank of the text marks a word: an error for a word that has such a mark. */
static int check_word(struct work *work, const struct seq *alone, const char *s, size_t n,
                      struct err *e)
{
    struct seq *seq = &work->seqs[work->n_seqs - 1], kept = *seq;
    char *after = arena_alloc_raw(work->a, n + 1, 1);
    bool alike;

    after[0] = ' ';
    memcpy(after + 1, s, n);
    *seq = (struct seq){ 0 };
    if (pipeline_run(work, after, n + 1, e) != 0)
        return -1;
    alike = are_alike(work->t, work->a, alone, seq);
    *seq = kept;
    return alike ? 0 :
           err_set(e, ERR_INPUT, "--words: %s cannot tokenise \"%.*s\" by itself: it marks "
                   "a word by the blank before it (add_prefix_space is false), so that "
                   "this would be other pieces after another word", work->t->name,
                   (int)(n < 80 ? n : 80), s);
}

/* Whether nothing but its sequence, which v began, holds what was made of text s. */
static bool is_apart(const struct seq *seq, const struct work_token *v, size_t first,
                     const char *s, size_t n)
{
    if (seq->v != v)
        return false;
    for (size_t i = first; i < seq->n; i++) {
        const char *match = seq->v[i].match.s;

        if (match != NULL && (match < s || match > s + n))
            return false;
    }
    return true;
}

/* A word's tokens, whose spans are counted from its beginning. */
static int encode_word(struct work *work, const char *s, struct range word, int number,
                       struct err *e)
{
    struct seq *seq = &work->seqs[work->n_seqs - 1], own;
    size_t first = seq->n, n = (size_t)(word.end - word.start);

    if (pipeline_run(work, s + word.start, n, e) != 0)
        return -1;
    own = (struct seq){ seq->v + first, seq->n - first, 0 };
    for (size_t i = 0; i < own.n; i++) {
        own.v[i].span.start += word.start;
        own.v[i].span.end += word.start;
        own.v[i].origin = word.start;
        own.v[i].word = number;
    }
    return work->t->blank_before ? check_word(work, &own, s + word.start, n, e) : 0;
}

/* The same; what else was made of the word goes, unless a token points there. */
static int encode_and_drop(struct work *work, const char *s, size_t n, struct range word,
                           int number, struct err *e)
{
    struct seq *seq = &work->seqs[work->n_seqs - 1];
    size_t first = seq->n, most = first + 2 * (size_t)(word.end - word.start) + 16;
    const struct work_token *v;
    struct arena_mark mark;

    if (most > seq->cap)
        fragment_seq_reserve(work, seq, 2 * most);
    v = seq->v;
    mark = arena_mark(work->a);
    work->parts = (struct fragments){ 0 };
    work->regex = NULL;
    if (encode_word(work, s, word, number, e) != 0)
        return -1;
    if (is_apart(seq, v, first, s, n))
        arena_reset(work->a, mark);
    return 0;
}

int words_encode(struct work *work, const char *s, size_t n, struct err *e)
{
    struct words words = text_words_of(work->a, s, n);

    for (int i = 0; i < words.n; i++)
        if (encode_and_drop(work, s, n, words.v[i], i, e) != 0)
            return -1;
    work->parts = (struct fragments){ 0 };
    work->regex = NULL;
    return 0;
}

/* ---- which word a token is of ---- */

/* The word of a token, numbered through both texts; several: an error. */
static int number_word(const struct work *work, const struct tok_input *in,
                       struct words words[2], const struct work_token *token,
                       struct range bytes, int *word, struct err *e)
{
    const char *text = token->pair ? in->pair : in->text;

    *word = token->special ? WORD_NONE :
            in->words ? token->word : find_word(&words[token->pair], bytes);
    if (*word == WORD_SEVERAL && in->lenient_words)
        *word = WORD_NONE;
    if (*word == WORD_SEVERAL)
        return err_set(e, ERR_INPUT, "%s: a piece stands for \"%.*s\", which is several "
                       "words", work->t->name, bytes.end - bytes.start, text + bytes.start);
    if (*word >= 0 && token->pair)
        *word += words[0].n;
    return 0;
}

int words_number(const struct work *work, const struct tok_input *in, struct tokens *out,
                 struct err *e)
{
    struct words words[2] = { text_words_of(work->a, in->text, in->text_size) };
    int k = 0;

    if (in->pair != NULL)
        words[1] = text_words_of(work->a, in->pair, in->pair_size);
    out->word = arena_alloc(work->a, (size_t)out->n, sizeof *out->word);
    for (int q = 0; q < work->n_seqs; q++)
        for (size_t i = 0; i < work->seqs[q].n; i++, k++)
            if (number_word(work, in, words, &work->seqs[q].v[i], out->bytes[k], &out->word[k],
                            e) != 0)
                return -1;
    return 0;
}
