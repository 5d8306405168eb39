/* SPDX-License-Identifier: MIT
 * The bytes of a CoNLL-U file -> sentences. */
#include "gold/conllu.h"

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
static bool conllu_next_line(struct reader *reader, const char **line, size_t *size)
{
    const char *feed;

    if (reader->at == reader->end)
        return false;
    feed = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    *line = reader->at;
    *size = (size_t)((feed != NULL ? feed : reader->end) - reader->at);
    reader->at = feed != NULL ? feed + 1 : reader->end;
    if (*size > 0 && (*line)[*size - 1] == '\r')
        (*size)--;
    reader->line++;
    return true;
}

static int conllu_split(struct reader *reader, const char *line, size_t size,
                        const char *column[N_COLUMN])
{
    char *copy = arena_strndup(reader->a, line, size);
    int n = 0;

    if (memchr(line, '\0', size) != NULL || utf8_check(line, size) != size)
        return FAIL(reader, reader->line, "is not UTF-8 text");
    for (char *s = copy; s != NULL; n++) {
        char *tab = strchr(s, '\t');

        if (tab != NULL)
            *tab = '\0';
        if (n < N_COLUMN)
            column[n] = s;
        s = tab != NULL ? tab + 1 : NULL;
    }
    if (n != N_COLUMN)
        return FAIL(reader, reader->line, "has %d column%s, expected 10 with tabs between", n,
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

static void conllu_grow(struct reader *reader)
{
    int room = reader->room > 0 ? 2 * reader->room : 64;
    struct conllu_word *word = arena_alloc(reader->a, (uint64_t)room, sizeof *word);
    struct surface *surface = arena_alloc(reader->a, (uint64_t)room, sizeof *surface);

    if (reader->n > 0)
        memcpy(word, reader->word, (size_t)reader->n * sizeof *word);
    if (reader->n_surface > 0)
        memcpy(surface, reader->surface, (size_t)reader->n_surface * sizeof *surface);
    reader->word = word;
    reader->surface = surface;
    reader->room = room;
}

/* The last word that a range covers, from 0; -1: there is no range. */
static int covered(const struct reader *reader)
{
    return reader->n_surface > 0 ? reader->surface[reader->n_surface - 1].last : -1;
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
static const char *entity_of(struct reader *reader, const char *misc)
{
    static const char key[] = "Entity=";

    for (const char *s = misc; s != NULL; s = strchr(s, '|')) {
        s += *s == '|';
        if (str_starts_with(s, key))
            return arena_strndup(reader->a, s + strlen(key), strcspn(s + strlen(key), "|"));
    }
    return NULL;
}

static void add_surface(struct reader *reader, const char *const *column, int first, int last)
{
    if (reader->n_surface == reader->room)
        conllu_grow(reader);
    reader->surface[reader->n_surface++] = (struct surface){ column[FORM], first, last,
                                                             has_blank(column[MISC]),
                                                             reader->line };
}

static int add_range(struct reader *reader, const char *const *column, int first, int last)
{
    if (first != reader->n + 1 || last <= first || covered(reader) >= reader->n)
        return FAIL(reader, reader->line,
                    "range %s: expected one that begins at word %d, and ends after "
                    "it",
                    column[ID], reader->n + 1);
    add_surface(reader, column, first - 1, last - 1);
    return 0;
}

static const char *without_subtype(struct reader *reader, const char *relation)
{
    return arena_strndup(reader->a, relation, strcspn(relation, ":"));
}

static int add_word(struct reader *reader, const char *const *column, int id)
{
    const char *rest;
    int head;

    if (id != reader->n + 1)
        return FAIL(reader, reader->line, "word %d, expected %d", id, reader->n + 1);
    if (!conllu_number(column[HEAD], '\0', &head, &rest))
        return FAIL(reader, reader->line, "word %d: head '%s' is not a number", id, column[HEAD]);
    if (head == id)
        return FAIL(reader, reader->line, "word %d is its own head", id);
    if (column[FORM][0] == '\0' || column[DEPREL][0] == '\0')
        return FAIL(reader, reader->line, "word %d has no form or no relation", id);
    if (reader->n == reader->room)
        conllu_grow(reader);
    reader->word[reader->n++] = (struct conllu_word){
        column[FORM], column[UPOS], without_subtype(reader, column[DEPREL]), head - 1,
        entity_of(reader, column[MISC]), 0, 0
    };
    if (covered(reader) < id - 1)
        add_surface(reader, column, id - 1, id - 1);
    return 0;
}

static int take_word(struct reader *reader, const char *line, size_t size)
{
    const char *column[N_COLUMN], *rest;
    int id, last;

    if (conllu_split(reader, line, size, column) != 0)
        return -1;
    if (reader->n == 0 && reader->n_surface == 0)
        reader->first_line = reader->line;
    if (conllu_number(column[ID], '\0', &id, &rest))
        return add_word(reader, column, id);
    if (conllu_number(column[ID], '-', &id, &rest) && conllu_number(rest + 1, '\0', &last, &rest))
        return add_range(reader, column, id, last);
    if (conllu_number(column[ID], '.', &id, &rest) && conllu_number(rest + 1, '\0', &last, &rest))
        return 0;
    return FAIL(reader, reader->line, "'%s' is not the number of a word", column[ID]);
}

/* ---- a sentence ---- */

static int conllu_check_heads(struct reader *reader)
{
    for (int i = 0; i < reader->n; i++)
        if (reader->word[i].head >= reader->n)
            return FAIL(reader, reader->first_line,
                        "word %d: head %d is not in the sentence, which has "
                        "%d word%s",
                        i + 1, reader->word[i].head + 1, reader->n, str_plural(reader->n));
    return 0;
}

/* Every word leads to a root: mark[] is the word from which each was reached first. */
static int check_circles(struct reader *reader)
{
    int *mark = arena_alloc(reader->a, (uint64_t)reader->n, sizeof *mark);

    for (int i = 0; i < reader->n; i++) {
        int k = i;

        while (k >= 0 && mark[k] == 0) {
            mark[k] = i + 1;
            k = reader->word[k].head;
        }
        if (k >= 0 && mark[k] == i + 1)
            return FAIL(reader, reader->first_line, "the heads of word %d go round in a circle",
                        k + 1);
    }
    return 0;
}

/* The words make up the text. */
static void make_text(struct reader *reader)
{
    size_t room = 1;
    char *text;

    for (int i = 0; i < reader->n_surface; i++)
        room += strlen(reader->surface[i].form) + 1;
    text = arena_alloc(reader->a, room, 1);
    reader->size = 0;
    for (int i = 0; i < reader->n_surface; i++) {
        size_t n = strlen(reader->surface[i].form);

        memcpy(text + reader->size, reader->surface[i].form, n);
        reader->size += n;
        if (reader->surface[i].blank_after && i + 1 < reader->n_surface)
            text[reader->size++] = ' ';
    }
    reader->text = text;
}

static size_t skip_blank(const struct reader *reader, size_t at)
{
    int cp, n;

    while (at < reader->size && (n = utf8_decode(reader->text + at, reader->size - at, &cp)) > 0 &&
           (cp == ' ' || cp == '\t' || cp == 0xa0 || cp == 0x3000))
        at += (size_t)n;
    return at;
}

/* Bytes at .. at + size - 1 of the text are those of the surface's words. */
static void conllu_place(struct reader *reader, const struct surface *surface, size_t at,
                         size_t size)
{
    size_t sum = 0;
    bool made_up = true;

    for (int i = surface->first; i <= surface->last && made_up; i++) {
        size_t n = strlen(reader->word[i].form);

        made_up = sum + n <= size && memcmp(surface->form + sum, reader->word[i].form, n) == 0;
        reader->word[i].start = (int)(at + sum);
        sum += n;
        reader->word[i].end = (int)(at + sum);
    }
    made_up = made_up && sum == size;
    for (int i = surface->first; i <= surface->last && !made_up; i++) {
        reader->word[i].start = (int)(i == surface->first ? at : at + size);
        reader->word[i].end = (int)(at + size);
    }
}

static int align(struct reader *reader)
{
    size_t at = 0;

    for (int i = 0; i < reader->n_surface; i++) {
        const struct surface *s = &reader->surface[i];
        size_t n = strlen(s->form);

        at = skip_blank(reader, at);
        if (n > reader->size - at || memcmp(reader->text + at, s->form, n) != 0)
            return FAIL(reader, s->line, "'%s' is not what the text says there: '%.20s'", s->form,
                        arena_strndup(reader->a, reader->text + at, reader->size - at));
        conllu_place(reader, s, at, n);
        at += n;
    }
    at = skip_blank(reader, at);
    if (at < reader->size)
        return FAIL(reader, reader->first_line, "the text has more than its words: '%.20s'",
                    arena_strndup(reader->a, reader->text + at, reader->size - at));
    return 0;
}

static int end_sentence(struct reader *reader, struct conllu_sentence *out)
{
    if (covered(reader) >= reader->n)
        return FAIL(reader, reader->line, "the range ends at word %d, but the last word is %d",
                    covered(reader) + 1, reader->n);
    if (conllu_check_heads(reader) != 0 || check_circles(reader) != 0)
        return -1;
    if (reader->text == NULL)
        make_text(reader);
    if (reader->size > INT_MAX)
        return FAIL(reader, reader->first_line, "the text is too long");
    if (align(reader) != 0)
        return -1;
    *out = (struct conllu_sentence){ reader->text, reader->size, reader->word, reader->n,
                                     reader->first_line, reader->begins };
    return 0;
}

static void begin_sentence(struct reader *reader)
{
    reader->text = NULL;
    reader->begins = false;
    reader->n = reader->n_surface = reader->room = 0;
}

/* ---- the file ---- */

static int take_comment(struct reader *reader, const char *line, size_t size)
{
    static const char text[] = "# text = ";
    size_t n = sizeof text - 1;

    if (reader->n > 0 || reader->n_surface > 0)
        return FAIL(reader, reader->line, "a comment stands among the words of a sentence");
    reader->begins |= size >= 8 && memcmp(line, "# newdoc", 8) == 0;
    if (size < n || memcmp(line, text, n) != 0)
        return 0;
    if (memchr(line, '\0', size) != NULL || utf8_check(line, size) != size)
        return FAIL(reader, reader->line, "is not UTF-8 text");
    reader->text = arena_strndup(reader->a, line + n, size - n);
    reader->size = size - n;
    return 0;
}

/* Reads up to the end of a sentence.  1: *out is one, 0: there is none left, -1 */
static int next_sentence(struct reader *reader, struct conllu_sentence *out)
{
    const char *line;
    size_t size;

    begin_sentence(reader);
    while (conllu_next_line(reader, &line, &size))
        if (size == 0) {
            if (reader->n > 0 || reader->n_surface > 0)
                return end_sentence(reader, out) == 0 ? 1 : -1;
        } else if ((*line == '#' ? take_comment(reader, line, size) :
                                   take_word(reader, line, size)) != 0) {
            return -1;
        }
    if (reader->n > 0 || reader->n_surface > 0)
        return end_sentence(reader, out) == 0 ? 1 : -1;
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
