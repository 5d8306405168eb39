/* SPDX-License-Identifier: MIT
 *
 * The little of mdoc that paragraphs of metrics need: a line of macros, whose words come one by
 * one, or a line of text. */
#include "cmd/manual.h"

#include <string.h>

#include "base/str.h"

extern const char manual_metrics[];     /* the page's source; NUL ends */

static const char SECTION[] = "\n.Ss The metrics\n", ITEM[] = ".It Va ";

/* ---- lines ---- */

/* The line after this one; NULL: that was the last. */
static const char *manual_next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

static bool ends_item(const char *line)
{
    return str_starts_with(line, ".It ") || str_starts_with(line, ".El") ||
           str_starts_with(line, ".S");
}

/* Whether ".It Va prev , next Pq by name" has the name. */
static bool is_item_of(const char *line, const char *name)
{
    size_t count = strlen(name);

    for (line += strlen(ITEM); *line != '\n' && !str_starts_with(line, "Pq ");) {
        size_t n = strcspn(line, " \n");

        if (n == count && strncmp(line, name, n) == 0)
            return true;
        line += n + (line[n] == ' ');
    }
    return false;
}

/* The next heading of an item; NULL: that was the last. */
static const char *next_item(const char *line)
{
    while ((line = manual_next_line(line)) != NULL && !str_starts_with(line, ".Ss "))
        if (str_starts_with(line, ITEM))
            return line;
    return NULL;
}

static const char *first_item(void)
{
    return next_item(strstr(manual_metrics, SECTION) + 1);
}

static const char *find_item(const char *name)
{
    const char *item = first_item();

    while (item != NULL && !is_item_of(item, name))
        item = next_item(item);
    return item;
}

/* ---- text ---- */

/* What a paragraph becomes. */
struct text {
    struct arena *a;
    const char *s;
    bool glued;                 /* nothing comes between s and the next word */
};

/* "\-" -> "-": the escapes that these paragraphs have. */
static const char *unescape(struct arena *a, const char *s, size_t n)
{
    static const struct { const char *from, *to; } escapes[] = {
        { "\\-", "-" }, { "\\&", "" }, { "\\(en", "\u2013" }, { "\\(<=", "\u2264" },
        { "\\(>=", "\u2265" }, { "\\(dq", "\"" }, { "\\(mu", "\u00d7" }, { "\\(ha", "^" },
        { "\\(!=", "\u2260" },
    };
    char *text = arena_strndup(a, s, n), *end = text;

    for (const char *at = text; *at != '\0';) {
        size_t i = 0;

        while (i < sizeof escapes / sizeof *escapes && !str_starts_with(at, escapes[i].from))
            i++;
        if (i == sizeof escapes / sizeof *escapes) {
            *end++ = *at++;
            continue;
        }
        memmove(end, escapes[i].to, strlen(escapes[i].to));
        end += strlen(escapes[i].to);
        at += strlen(escapes[i].from);
    }
    *end = '\0';
    return text;
}

static void manual_add(struct text *text, const char *word)
{
    bool closes = word[0] != '\0' && strchr(".,:;)", word[0]) != NULL && word[1] == '\0';
    bool blank = text->s[0] != '\0' && !text->glued && !closes &&
                 text->s[strlen(text->s) - 1] != '\n';

    text->s = arena_printf(text->a, "%s%s%s", text->s, blank ? " " : "", word);
    text->glued = false;
}

/* ---- macros ---- */

/* A macro that puts something around what it is given. */
struct quote {
    const char *macro, *before, *after;
};

static const struct quote quotes[] = {
    { "Pq", "(", ")" }, { "Dq", "\u201c", "\u201d" }, { "Ql", "\u2018", "\u2019" },
};

static const struct quote *quote_of(const char *word)
{
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++)
        if (strcmp(quotes[i].macro, word) == 0)
            return &quotes[i];
    return NULL;
}

static bool is_plain_macro(const char *word)
{
    static const char *const names[] = { "Va", "Cm", "Pa", "Ar", "No", "Li", "Vt", "Fn" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], word) == 0)
            return true;
    return false;
}

/* The words of a line of macros. */
static void add_macros(struct text *text, const char *line, size_t size)
{
    const struct quote *open = NULL;
    bool flag = false, page = false;

    for (const char *at = line, *end = line + size; at < end;) {
        size_t n = strcspn(at, " \n");
        const char *word = unescape(text->a, at, n);
        bool closes = n == 1 && strchr(".,:;", word[0]) != NULL;

        at += n;
        at += strspn(at, " ");
        if (open != NULL && closes && at >= end) {
            text->glued = true;
            manual_add(text, open->after);
            open = NULL;
        }
        if (strcmp(word, "Fl") == 0) {
            flag = true;
        } else if (strcmp(word, "Xr") == 0) {
            page = true;
        } else if (quote_of(word) != NULL) {
            open = quote_of(word);
            manual_add(text, open->before);
            text->glued = true;
        } else if (closes || !is_plain_macro(word)) {
            manual_add(text, flag && !closes ? arena_printf(text->a, "-%s", word) : word);
            flag = flag && closes;
            if (page && strspn(word, "0123456789") == n) {
                page = false;
                text->s = arena_printf(text->a, "%.*s(%s)", (int)(strlen(text->s) - n - 1), text->s,
                                       word);
            }
        }
    }
    if (open != NULL) {
        text->glued = true;
        manual_add(text, open->after);
    }
}

static void manual_add_line(struct text *text, const char *line)
{
    size_t n = strcspn(line, "\n");

    if (str_starts_with(line, ".Pp"))
        text->s = arena_printf(text->a, "%s\n\n", text->s);
    else if (line[0] == '.')
        add_macros(text, line + 1, n - 1);
    else
        manual_add(text, unescape(text->a, line, n));
}

/* The sentences of an item, whose heading stands in this line. */
static const char *item_text(struct arena *a, const char *line)
{
    struct text text = { a, "", false };

    while ((line = manual_next_line(line)) != NULL && !ends_item(line))
        manual_add_line(&text, line);
    return text.s;
}

/* The heading before this one; NULL: it is the first. */
static const char *item_before(const char *item)
{
    const char *before = NULL;

    for (const char *at = first_item(); at != item; at = next_item(at))
        before = at;
    return before;
}

/* What the heading names, "prev, next". */
static const char *item_names(struct arena *a, const char *line)
{
    size_t n = strcspn(line += strlen(ITEM), "\n");
    const char *names = arena_strndup(a, line, n), *rest = strstr(names, " Pq ");
    struct text text = { a, "", false };

    add_macros(&text, names, rest != NULL ? (size_t)(rest - names) : n);
    return text.s;
}

/* What the items from first to item say, each after its names. */
static const char *several(struct arena *a, const char *first, const char *item)
{
    const char *text = "";

    for (const char *at = first; at != NULL && at <= item; at = next_item(at))
        text = arena_printf(a, "%s%s%s: %s", text, text[0] != '\0' ? "\n\n" : "",
                            item_names(a, at), item_text(a, at));
    return text;
}

const char *manual_metric(struct arena *a, const char *name)
{
    const char *item = find_item(name), *first = item, *before;

    if (item == NULL)
        return NULL;
    while (str_starts_with(item_text(a, first), "the same") &&
           (before = item_before(first)) != NULL)
        first = before;
    return first == item ? item_text(a, item) : several(a, first, item);
}
