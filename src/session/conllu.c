/* SPDX-License-Identifier: MIT
 * The bytes of a CoNLL-U file -> sentences. */
#include "session/conllu.h"

#include <limits.h>
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "base/utf8.h"

enum column { ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC, N_COLUMN };

/* A stretch of the text: words first .. last, which are one where the text has no range. */
struct surface {
    const char *form;
    int first, last;
    bool blank_after;
    int64_t line;
};

struct reader {
    struct arena *a;
    const char *name, *at, *end;        /* at: the next line */
    int64_t line;               /* number of the one that was read last */
    struct err *e;
    /* of the sentence at hand */
    const char *text;           /* of "# text"; NULL: none */
    size_t size;
    struct conllu_word *word;
    struct surface *surface;
    int n, n_surface, room;
    int64_t first_line;
    bool begins;
};

#define FAIL(r, at_line, ...) \
    (err_set((r)->e, ERR_INPUT, __VA_ARGS__), \
     err_under((r)->e, "%s: line %lld", (r)->name, (long long)(at_line)))

/* ---- lines and columns ---- */

/* false: there is none.  Without its line feed and carriage return. */
static bool conllu_next_line(struct reader *r, const char **line, size_t *size)
{
    const char *feed;

    if (r->at == r->end)
        return false;
    feed = memchr(r->at, '\n', (size_t)(r->end - r->at));
    *line = r->at;
    *size = (size_t)((feed != NULL ? feed : r->end) - r->at);
    r->at = feed != NULL ? feed + 1 : r->end;
    if (*size > 0 && (*line)[*size - 1] == '\r')
        (*size)--;
    r->line++;
    return true;
}

static int conllu_split(struct reader *r, const char *line, size_t size,
                        const char *column[N_COLUMN])
{
    char *copy = arena_strndup(r->a, line, size);
    int n = 0;

    if (memchr(line, '\0', size) != NULL || utf8_check(line, size) != size)
        return FAIL(r, r->line, "is not UTF-8 text");
    for (char *s = copy; s != NULL; n++) {
        char *tab = strchr(s, '\t');

        if (tab != NULL)
            *tab = '\0';
        if (n < N_COLUMN)
            column[n] = s;
        s = tab != NULL ? tab + 1 : NULL;
    }
    if (n != N_COLUMN)
        return FAIL(r, r->line, "has %d column%s, expected 10 with tabs between", n,
                    str_plural(n));
    return 0;
}

/* A whole number that fits an int and is all of s up to `stop`. */
static bool conllu_number(const char *s, char stop, int *v, const char **rest)
{
    long long n = list_number(&s);

    if (n < 0 || n >= INT_MAX || *s != stop)
        return false;
    *v = (int)n;
    *rest = s;
    return true;
}

/* ---- a word ---- */

static void conllu_grow(struct reader *r)
{
    int room = r->room > 0 ? 2 * r->room : 64;
    struct conllu_word *word = arena_alloc(r->a, (uint64_t)room, sizeof *word);
    struct surface *surface = arena_alloc(r->a, (uint64_t)room, sizeof *surface);

    if (r->n > 0)
        memcpy(word, r->word, (size_t)r->n * sizeof *word);
    if (r->n_surface > 0)
        memcpy(surface, r->surface, (size_t)r->n_surface * sizeof *surface);
    r->word = word;
    r->surface = surface;
    r->room = room;
}

/* The last word that a range covers, from 0; -1: there is no range. */
static int covered(const struct reader *r)
{
    return r->n_surface > 0 ? r->surface[r->n_surface - 1].last : -1;
}

static bool has_blank(const char *misc)
{
    for (const char *s = misc; s != NULL; s = strchr(s, '|')) {
        s += *s == '|';
        if (str_starts_with(s, "SpaceAfter=No") && (s[13] == '\0' || s[13] == '|'))
            return false;
    }
    return true;
}

/* The value of Entity= in the last column. */
static const char *entity_of(struct reader *r, const char *misc)
{
    static const char key[] = "Entity=";

    for (const char *s = misc; s != NULL; s = strchr(s, '|')) {
        s += *s == '|';
        if (str_starts_with(s, key))
            return arena_strndup(r->a, s + strlen(key), strcspn(s + strlen(key), "|"));
    }
    return NULL;
}

static void add_surface(struct reader *r, const char *const *column, int first, int last)
{
    if (r->n_surface == r->room)
        conllu_grow(r);
    r->surface[r->n_surface++] = (struct surface){ column[FORM], first, last,
                                                   has_blank(column[MISC]), r->line };
}

static int add_range(struct reader *r, const char *const *column, int first, int last)
{
    if (first != r->n + 1 || last <= first || covered(r) >= r->n)
        return FAIL(r, r->line, "range %s: expected one that begins at word %d, and ends after "
                    "it", column[ID], r->n + 1);
    add_surface(r, column, first - 1, last - 1);
    return 0;
}

static const char *without_subtype(struct reader *r, const char *relation)
{
    return arena_strndup(r->a, relation, strcspn(relation, ":"));
}

static int add_word(struct reader *r, const char *const *column, int id)
{
    const char *rest;
    int head;

    if (id != r->n + 1)
        return FAIL(r, r->line, "word %d, expected %d", id, r->n + 1);
    if (!conllu_number(column[HEAD], '\0', &head, &rest))
        return FAIL(r, r->line, "word %d: head '%s' is not a number", id, column[HEAD]);
    if (head == id)
        return FAIL(r, r->line, "word %d is its own head", id);
    if (column[FORM][0] == '\0' || column[DEPREL][0] == '\0')
        return FAIL(r, r->line, "word %d has no form or no relation", id);
    if (r->n == r->room)
        conllu_grow(r);
    r->word[r->n++] = (struct conllu_word){
        column[FORM], column[UPOS], without_subtype(r, column[DEPREL]), head - 1,
        entity_of(r, column[MISC]), 0, 0
    };
    if (covered(r) < id - 1)
        add_surface(r, column, id - 1, id - 1);
    return 0;
}

static int take_word(struct reader *r, const char *line, size_t size)
{
    const char *column[N_COLUMN], *rest;
    int id, last;

    if (conllu_split(r, line, size, column) != 0)
        return -1;
    if (r->n == 0 && r->n_surface == 0)
        r->first_line = r->line;
    if (conllu_number(column[ID], '\0', &id, &rest))
        return add_word(r, column, id);
    if (conllu_number(column[ID], '-', &id, &rest) && conllu_number(rest + 1, '\0', &last, &rest))
        return add_range(r, column, id, last);
    if (conllu_number(column[ID], '.', &id, &rest) && conllu_number(rest + 1, '\0', &last, &rest))
        return 0;
    return FAIL(r, r->line, "'%s' is not the number of a word", column[ID]);
}

/* ---- a sentence ---- */

static int conllu_check_heads(struct reader *r)
{
    for (int i = 0; i < r->n; i++)
        if (r->word[i].head >= r->n)
            return FAIL(r, r->first_line, "word %d: head %d is not in the sentence, which has "
                        "%d word%s", i + 1, r->word[i].head + 1, r->n, str_plural(r->n));
    return 0;
}

/* Every word leads to a root: mark[] is the word from which each was reached first. */
static int check_circles(struct reader *r)
{
    int *mark = arena_alloc(r->a, (uint64_t)r->n, sizeof *mark);

    for (int i = 0; i < r->n; i++) {
        int k = i;

        while (k >= 0 && mark[k] == 0) {
            mark[k] = i + 1;
            k = r->word[k].head;
        }
        if (k >= 0 && mark[k] == i + 1)
            return FAIL(r, r->first_line, "the heads of word %d go round in a circle", k + 1);
    }
    return 0;
}

/* The words make up the text. */
static void make_text(struct reader *r)
{
    size_t room = 1;
    char *text;

    for (int i = 0; i < r->n_surface; i++)
        room += strlen(r->surface[i].form) + 1;
    text = arena_alloc(r->a, room, 1);
    r->size = 0;
    for (int i = 0; i < r->n_surface; i++) {
        size_t n = strlen(r->surface[i].form);

        memcpy(text + r->size, r->surface[i].form, n);
        r->size += n;
        if (r->surface[i].blank_after && i + 1 < r->n_surface)
            text[r->size++] = ' ';
    }
    r->text = text;
}

static size_t skip_blank(const struct reader *r, size_t at)
{
    int cp, n;

    while (at < r->size && (n = utf8_decode(r->text + at, r->size - at, &cp)) > 0 &&
           (cp == ' ' || cp == '\t' || cp == 0xa0 || cp == 0x3000))
        at += (size_t)n;
    return at;
}

/* Bytes at .. at + size - 1 of the text are those of the surface's words. */
static void conllu_place(struct reader *r, const struct surface *s, size_t at, size_t size)
{
    size_t sum = 0;
    bool made_up = true;

    for (int i = s->first; i <= s->last && made_up; i++) {
        size_t n = strlen(r->word[i].form);

        made_up = sum + n <= size && memcmp(s->form + sum, r->word[i].form, n) == 0;
        r->word[i].start = (int)(at + sum);
        sum += n;
        r->word[i].end = (int)(at + sum);
    }
    made_up = made_up && sum == size;
    for (int i = s->first; i <= s->last && !made_up; i++) {
        r->word[i].start = (int)(i == s->first ? at : at + size);
        r->word[i].end = (int)(at + size);
    }
}

static int align(struct reader *r)
{
    size_t at = 0;

    for (int i = 0; i < r->n_surface; i++) {
        const struct surface *s = &r->surface[i];
        size_t n = strlen(s->form);

        at = skip_blank(r, at);
        if (n > r->size - at || memcmp(r->text + at, s->form, n) != 0)
            return FAIL(r, s->line, "'%s' is not what the text says there: '%.20s'", s->form,
                        arena_strndup(r->a, r->text + at, r->size - at));
        conllu_place(r, s, at, n);
        at += n;
    }
    at = skip_blank(r, at);
    if (at < r->size)
        return FAIL(r, r->first_line, "the text has more than its words: '%.20s'",
                    arena_strndup(r->a, r->text + at, r->size - at));
    return 0;
}

static int end_sentence(struct reader *r, struct conllu_sentence *out)
{
    if (covered(r) >= r->n)
        return FAIL(r, r->line, "the range ends at word %d, but the last word is %d",
                    covered(r) + 1, r->n);
    if (conllu_check_heads(r) != 0 || check_circles(r) != 0)
        return -1;
    if (r->text == NULL)
        make_text(r);
    if (r->size > INT_MAX)
        return FAIL(r, r->first_line, "the text is too long");
    if (align(r) != 0)
        return -1;
    *out = (struct conllu_sentence){ r->text, r->size, r->word, r->n, r->first_line, r->begins };
    return 0;
}

static void begin_sentence(struct reader *r)
{
    r->text = NULL;
    r->begins = false;
    r->n = r->n_surface = r->room = 0;
}

/* ---- the file ---- */

static int take_comment(struct reader *r, const char *line, size_t size)
{
    static const char text[] = "# text = ";
    size_t n = sizeof text - 1;

    if (r->n > 0 || r->n_surface > 0)
        return FAIL(r, r->line, "a comment stands among the words of a sentence");
    r->begins |= size >= 8 && memcmp(line, "# newdoc", 8) == 0;
    if (size < n || memcmp(line, text, n) != 0)
        return 0;
    if (memchr(line, '\0', size) != NULL || utf8_check(line, size) != size)
        return FAIL(r, r->line, "is not UTF-8 text");
    r->text = arena_strndup(r->a, line + n, size - n);
    r->size = size - n;
    return 0;
}

/* Reads up to the end of a sentence.  1: *out is one, 0: there is none left, -1 */
static int next_sentence(struct reader *r, struct conllu_sentence *out)
{
    const char *line;
    size_t size;

    begin_sentence(r);
    while (conllu_next_line(r, &line, &size))
        if (size == 0) {
            if (r->n > 0 || r->n_surface > 0)
                return end_sentence(r, out) == 0 ? 1 : -1;
        } else if ((*line == '#' ? take_comment(r, line, size) : take_word(r, line, size)) != 0) {
            return -1;
        }
    if (r->n > 0 || r->n_surface > 0)
        return end_sentence(r, out) == 0 ? 1 : -1;
    return 0;
}

/* Sentences there are at most: blank lines, and one. */
static uint64_t conllu_count(struct span bytes)
{
    uint64_t n = 1;

    for (size_t i = 1; i < bytes.size; i++)
        n += bytes.data[i] == '\n' && (bytes.data[i - 1] == '\n' || bytes.data[i - 1] == '\r');
    return n;
}

struct conllu *conllu_read(struct arena *a, struct span bytes, const char *name, struct err *e)
{
    struct reader r = { .a = a, .name = name, .at = (const char *)bytes.data, .e = e };
    struct conllu *all = arena_alloc(a, 1, sizeof *all);
    int status = 1;

    r.end = r.at + bytes.size;
    all->sentence = arena_alloc(a, conllu_count(bytes), sizeof *all->sentence);
    while (status == 1) {
        status = next_sentence(&r, &all->sentence[all->n]);
        all->n += status == 1;
    }
    if (status == 0 && all->n == 0)
        err_set(e, ERR_INPUT, "%s: holds no sentence", name);
    return status == 0 && all->n > 0 ? all : NULL;
}
