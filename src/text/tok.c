/* SPDX-License-Identifier: MIT
 * A text (and a pair) -> tokens: the four steps in a row, then spans in
 * characters, pieces and labels. */
#include "text/tok.h"

#include <string.h>

#include "base/utf8.h"
#include "text/cursor.h"
#include "text/tok_priv.h"

enum { TEXT_LIMIT = 1 << 30 };

/* ---- spans ---- */

/* Ends may lie far behind starts, and starts near each other: each has a cursor. */
static void spans_to_chars(struct arena *a, struct seq *seq, const char *s, size_t n)
{
    struct cursor start = { .a = a, .s = s, .n = n }, end = start;

    for (size_t i = 0; i < seq->n; i++) {
        struct range *range = &seq->v[i].span;

        if (seq->v[i].special)          /* it has none, and 0 is far back */
            continue;
        cursor_to_byte(&start, range->start);
        range->start = start.chars;
        cursor_to_byte(&end, range->end);
        range->end = end.chars;
        if (seq->v[i].origin > 0) {
            cursor_to_byte(&start, seq->v[i].origin);
            seq->v[i].origin = start.chars;
        }
    }
}

static struct range chars_to_bytes(struct cursor at[2], struct range chars)
{
    cursor_to_char(&at[0], chars.start);
    cursor_to_char(&at[1], chars.end);
    return (struct range){ at[0].byte, at[1].byte };
}

/* ---- the steps ---- */

static int tok_check_text(const char *s, size_t n, struct err *e)
{
    size_t bad;

    if (n > TEXT_LIMIT)
        return err_set(e, ERR_INPUT, "a text of %zu bytes, expected at most %d", n,
                       TEXT_LIMIT);
    bad = utf8_check(s, n);
    if (bad < n)
        return err_set(e, ERR_INPUT, "the text is not UTF-8 at byte %zu (0x%02x)", bad,
                       (unsigned char)s[bad]);
    return 0;
}

/* --words refuses what a blank before it changes, as it does most words of ASCII letters. */
static bool may_be_word(const struct tok *tok, char first)
{
    return !tok->blank_before || (unsigned char)first >= 0x80;
}

/* Pieces between blanks, each as the vocabulary has it. */
static int look_up_pieces(struct work *work, const char *s, size_t n, struct err *e)
{
    const struct tok *tok = work->t;
    struct seq *seq = &work->seqs[work->n_seqs - 1];
    size_t end;

    work->step = "pretokenized text";
    for (size_t i = 0; i < n; i = end + 1) {
        struct work_token token = { .type = work->n_seqs - 1, .pair = work->n_seqs > 1 };

        for (end = i; end < n && s[end] != ' '; end++)
            continue;
        if (end == i)
            continue;
        token.id = words_piece(tok, work->a, s + i, end - i);
        if (token.id < 0)
            return err_set(e, ERR_INPUT, "%s: the vocabulary has no piece \"%.*s\", nor one "
                           "that stands for it%s", tok->name,
                           (int)(end - i < 80 ? end - i : 80), s + i,
                           may_be_word(tok, s[i]) ?
                               " (--words takes words of several pieces)" : "");
        token.special = vocab_piece(&tok->vocab, token.id)->special;
        if (!token.special)
            token.span = (struct range){ (int)i, (int)end };
        fragment_seq_add(work, seq, token);
    }
    return bound_check(work, e);
}

/* One of the texts, as the next sequence of work. */
static int encode_one(struct work *work, const struct tok_input *in, const char *s, size_t n,
                      struct err *e)
{
    int (*encode)(struct work *, const char *, size_t, struct err *) =
        in->pretokenized ? look_up_pieces : in->words ? words_encode : pipeline_run;

    if (tok_check_text(s, n, e) != 0)
        return -1;
    work->n_seqs++;
    if (encode(work, s, n, e) != 0)
        return work->too_much || work->too_large ? err_under(e, "%s", work->t->name) : -1;
    spans_to_chars(work->a, &work->seqs[work->n_seqs - 1], s, n);
    return 0;
}

/* ---- the result ---- */

static void tokens_init(struct tokens *out, struct arena *a, size_t n)
{
    *out = (struct tokens){ .n = (int)n };
    out->id = arena_alloc(a, n, sizeof *out->id);
    out->type = arena_alloc(a, n, sizeof *out->type);
    out->special = arena_alloc(a, n, sizeof *out->special);
    out->bytes = arena_alloc(a, n, sizeof *out->bytes);
    out->chars = arena_alloc(a, n, sizeof *out->chars);
    out->piece = arena_alloc(a, n, sizeof *out->piece);
    out->label = arena_alloc(a, n, sizeof *out->label);
    out->label_size = arena_alloc(a, n, sizeof *out->label_size);
}

/* Pieces, and labels one after another in one block, from the ids. */
static void fill_pieces(const struct tok *tok, struct arena *a, struct tokens *out)
{
    size_t bytes = 0;
    char *to;

    for (int i = 0; i < out->n; i++) {
        const struct piece *piece = tok != NULL ? vocab_piece(&tok->vocab, out->id[i]) : NULL;

        bytes += piece != NULL ? piece->n + 1 : 0;
    }
    to = arena_alloc(a, bytes, 1);
    for (int i = 0; i < out->n; i++) {
        const struct piece *p = tok != NULL ? vocab_piece(&tok->vocab, out->id[i]) : NULL;

        if (p == NULL) {
            out->piece[i] = out->label[i] = arena_printf(a, "<id %d>", out->id[i]);
            out->label_size[i] = strlen(out->label[i]);
            continue;
        }
        out->piece[i] = p->s;
        out->label[i] = to;
        out->label_size[i] = tok_label(tok, p, to);
        to += p->n;
        *to++ = '\0';
    }
}

static bool is_unknown(const struct tok *tok, const struct tokens *tokens, int i)
{
    return tokens->id[i] == tok->unknown && tokens->bytes[i].end > tokens->bytes[i].start;
}

/* The unknown piece's label, then the text that it stands for: "[UNK] cat". */
static void name_unknown(struct arena *a, struct tokens *out, int i, const char *text)
{
    size_t n = out->label_size[i];
    struct range span = out->bytes[i];
    char *label;

    while (span.start < span.end - 1 && text[span.start] == ' ')
        span.start++;
    text += span.start;
    if ((size_t)(span.end - span.start) == n && memcmp(text, out->label[i], n) == 0)
        return;
    out->label_size[i] = n + 1 + (size_t)(span.end - span.start);
    label = arena_alloc(a, out->label_size[i] + 1, 1);
    memcpy(label, out->label[i], n);
    label[n] = ' ';
    memcpy(label + n + 1, text, (size_t)(span.end - span.start));
    out->label[i] = label;
}

int tok_unknown(const struct tok *tok, const struct tokens *tokens)
{
    int count = 0;

    if (tok == NULL || tokens->id == NULL || tokens->bytes == NULL)
        return 0;               /* of an array */
    for (int i = 0; i < tokens->n; i++)
        count += is_unknown(tok, tokens, i);
    return count;
}

/* Bytes of all pieces, with those of the text that unknown ones stand for. */
static size_t bytes_of_labels(const struct tok *tok, const struct tokens *tokens)
{
    size_t sum = 0;

    for (int i = 0; i < tokens->n; i++) {
        sum += vocab_piece(&tok->vocab, tokens->id[i])->n;
        if (is_unknown(tok, tokens, i))
            sum += (size_t)(tokens->bytes[i].end - tokens->bytes[i].start);
    }
    return sum;
}

/* The sequences one after the other.  Error: labels that are too large together. */
static int assemble(const struct work *work, const struct tok_input *in, struct tokens *out,
                    struct err *e)
{
    struct cursor first = { .a = work->a, .s = in->text, .n = in->text_size };
    struct cursor second = { .a = work->a, .s = in->pair, .n = in->pair_size };
    struct cursor text[2] = { first, first }, pair[2] = { second, second };
    size_t count = 0, k = 0;

    for (int q = 0; q < work->n_seqs; q++)
        count += work->seqs[q].n;
    tokens_init(out, work->a, count);
    for (int q = 0; q < work->n_seqs; q++) {
        for (size_t i = 0; i < work->seqs[q].n; i++, k++) {
            const struct work_token *token = &work->seqs[q].v[i];

            out->id[k] = token->id;
            out->type[k] = token->type;
            out->special[k] = vocab_piece(&work->t->vocab, token->id)->special;
            out->chars[k] = token->span;
            if (!token->special)
                out->bytes[k] = chars_to_bytes(token->pair ? pair : text, token->span);
        }
    }
    if (bytes_of_labels(work->t, out) > budget_labels(in->text_size + in->pair_size))
        return err_set(e, ERR_INPUT, "the tokens' pieces are out of bounds: more than %zu "
                       "bytes for this text", budget_labels(in->text_size + in->pair_size));
    fill_pieces(work->t, work->a, out);
    k = 0;
    for (int q = 0; q < work->n_seqs; q++)
        for (size_t i = 0; i < work->seqs[q].n; i++, k++)
            if (is_unknown(work->t, out, (int)k))
                name_unknown(work->a, out, (int)k, work->seqs[q].v[i].pair ? in->pair : in->text);
    return 0;
}

/* Bounds of the work on one input. */
static void bound(struct work *work, const struct tok_input *in)
{
    size_t n = in->text_size + (in->pair != NULL ? in->pair_size : 0);

    budget_read(work->budget, n);
    work->start = arena_mark(work->a);
    work->memory = budget_memory(work->budget, n);
    work->most = budget_items(n);
}

int tok_encode(const struct tok *tok, struct arena *a, const struct tok_input *in,
               struct tokens *out, struct err *e)
{
    struct seq seqs[2] = { { 0 } };
    struct budget own = { 0 };
    struct work work = { .t = tok, .a = a, .seqs = seqs, .special = !in->no_special,
                         .budget = in->budget != NULL ? in->budget : &own };

    bound(&work, in);
    if (encode_one(&work, in, in->text, in->text_size, e) != 0)
        return -1;
    if (in->pair != NULL && encode_one(&work, in, in->pair, in->pair_size, e) != 0)
        return err_under(e, "second text");
    if (!in->pretokenized && step_run(&tok->finish, &work, e) != 0)
        return err_under(e, "%s", tok->name);
    if (assemble(&work, in, out, e) != 0)
        return err_under(e, "%s", tok->name);
    return in->number_words ? words_number(&work, in, out, e) : 0;
}

void tok_describe(const struct tok *tok, struct arena *a, const int *ids,
                  const int *type_ids, int n, struct tokens *out)
{
    tokens_init(out, a, (size_t)n);
    for (int i = 0; i < n; i++) {
        const struct piece *piece = tok != NULL ? vocab_piece(&tok->vocab, ids[i]) : NULL;

        out->id[i] = ids[i];
        out->type[i] = type_ids != NULL ? type_ids[i] : 0;
        out->special[i] = piece != NULL && piece->special;
    }
    fill_pieces(tok, a, out);
}

static void *tok_join_arrays(struct arena *a, const void *x, size_t n_x, const void *y, size_t n_y,
                             size_t size)
{
    unsigned char *out = arena_alloc(a, n_x + n_y, size);

    memcpy(out, x, n_x * size);
    memcpy(out + n_x * size, y, n_y * size);
    return out;
}

/* Tokens that no word is known of have none. */
static int *join_words(struct arena *a, const struct tokens *x, const struct tokens *y)
{
    int *word;

    if (x->word == NULL && y->word == NULL)
        return NULL;
    word = arena_alloc(a, (size_t)x->n + (size_t)y->n, sizeof *word);
    for (int i = 0; i < x->n; i++)
        word[i] = x->word != NULL ? x->word[i] : WORD_NONE;
    for (int i = 0; i < y->n; i++)
        word[x->n + i] = y->word != NULL ? y->word[i] : WORD_NONE;
    return word;
}

void tok_join(struct arena *a, const struct tokens *x, const struct tokens *y,
                 struct tokens *out)
{
    size_t count = (size_t)x->n, m = (size_t)y->n;

    *out = (struct tokens){
        .n = x->n + y->n,
        .id = tok_join_arrays(a, x->id, count, y->id, m, sizeof *x->id),
        .type = tok_join_arrays(a, x->type, count, y->type, m, sizeof *x->type),
        .special = tok_join_arrays(a, x->special, count, y->special, m, sizeof *x->special),
        .bytes = tok_join_arrays(a, x->bytes, count, y->bytes, m, sizeof *x->bytes),
        .chars = tok_join_arrays(a, x->chars, count, y->chars, m, sizeof *x->chars),
        .piece = tok_join_arrays(a, x->piece, count, y->piece, m, sizeof *x->piece),
        .label = tok_join_arrays(a, x->label, count, y->label, m, sizeof *x->label),
        .label_size = tok_join_arrays(a, x->label_size, count, y->label_size, m,
                                      sizeof *x->label_size),
        .word = join_words(a, x, y),
    };
}

int tok_vocab_size(const struct tok *tok)
{
    return (int)tok->vocab.n_ids;
}

int tok_id(const struct tok *tok, const char *piece, size_t size)
{
    return vocab_find(&tok->vocab, piece, size);
}

const char *tok_piece(const struct tok *tok, int id)
{
    const struct piece *piece = vocab_piece(&tok->vocab, id);

    return piece != NULL ? piece->s : NULL;
}
