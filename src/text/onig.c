/* SPDX-License-Identifier: MIT
 * A pattern of tokenizer.json (Oniguruma, Ruby's syntax) -> one that means the
 * same to PCRE2 with UTF, UCP and MULTILINE.  What has no equal is an error.
 *
 * The differences that matter: \s (PCRE2 counts U+180E), \w and \b (PCRE2 leaves
 * out marks), \h (hexadecimal digit), {n,m}+ (repeats, is not possessive), {n}?,
 * {,m}, classes inside classes, \p{Script} (PCRE2 means the extended one). */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "text/onig.h"

#define SPACES "\\x09-\\x0d\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}" \
               "\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define NO_SPACES "\\x00-\\x08\\x0e-\\x1f\\x21-\\x{84}\\x{86}-\\x{9f}" \
                  "\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}" \
                  "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}" \
                  "\\x{3001}-\\x{10ffff}"
#define MEMBERS_WORD "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
/* Outside of a class Latin-1's numbers belong to it as well. */
#define WORD MEMBERS_WORD "\\xb2\\xb3\\xb9\\xbc-\\xbe"
#define HEX "0-9A-Fa-f"

enum { MAX_DEPTH = 250 };       /* of groups and classes; PCRE2's own is 250 */

struct translate {
    struct arena *a;
    struct err *e;
    const char *s;              /* NUL after it */
    size_t n, i;
    char *out;
    size_t len, cap;
    size_t atom;                /* where the last atom begins in out; NONE */
    size_t group[MAX_DEPTH];    /* where each open group begins in out */
    int depth;
};

static const size_t NONE = SIZE_MAX;

static void put_n(struct translate *t, const char *s, size_t n)
{
    if (t->cap - t->len < n + 1) {
        size_t cap = 2 * t->cap + n + 64;

        t->out = arena_grow(t->a, t->out, t->len, cap, 1);
        t->cap = cap;
    }
    memcpy(t->out + t->len, s, n);
    t->len += n;
    t->out[t->len] = '\0';
}

static void onig_put(struct translate *t, const char *s)
{
    put_n(t, s, strlen(s));
}

/* The next n bytes of the pattern, which has them, as they are. */
static void onig_copy(struct translate *t, size_t n)
{
    put_n(t, t->s + t->i, n);
    t->i += n;
}

static void copy_char(struct translate *t)
{
    int code;

    onig_copy(t, (size_t)chars_next(t->s + t->i, t->n - t->i, &code));
}

static char peek(const struct translate *t, size_t ahead)
{
    return t->i + ahead < t->n ? t->s[t->i + ahead] : '\0';
}

static int no(struct translate *t, const char *what)
{
    return err_set(t->e, ERR_INPUT, "pattern \"%.80s\": %s is not supported", t->s,
                   what);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* ---- properties ---- */

/* True if name is a script; only then does PCRE2 take "sc:" before it. */
static bool is_script(struct translate *t, const char *name, size_t n)
{
    const char *test = arena_printf(t->a, "\\p{sc:%.*s}", (int)n, name);
    PCRE2_SIZE at;
    int code;
    pcre2_code *re;

    if (n <= 2)                 /* a general category: L, Lu */
        return false;
    re = pcre2_compile((PCRE2_SPTR)test, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &code,
                       &at, NULL);
    if (re == NULL && code == PCRE2_ERROR_HEAP_FAILED)
        arena_fail(t->a, 0);
    pcre2_code_free(re);
    return re != NULL;
}

/* At "p{Name}" or "P{Name}", the backslash read. */
static int property(struct translate *t)
{
    const char *name = t->s + t->i + 2;
    size_t count = 0;
    bool not = false;

    if (peek(t, 1) != '{')
        return no(t, "\\p without {}");
    if (*name == '^') {
        not = true;
        name++;
    }
    while (is_letter(name[count]) || is_digit(name[count]) || name[count] == '_')
        count++;
    if (name[count] != '}' || count == 0 || count > 40)
        return no(t, "this name in \\p{}");
    onig_put(t, (t->s[t->i] == 'P') != not ? "\\P{" : "\\p{");
    if (is_script(t, name, count))
        onig_put(t, "sc:");
    put_n(t, name, count);
    onig_put(t, "}");
    t->i = (size_t)(name - t->s) + count + 1;
    return 0;
}

/* ---- escapes that mean the same inside and outside of a class ---- */

/* Returns 1 if it was one, 0 if not, -1 on errors; t->i is after the backslash. */
static int common_escape(struct translate *t)
{
    char byte = peek(t, 0);

    if (byte == 'p' || byte == 'P')
        return property(t) == 0 ? 1 : -1;
    if (byte == 'x') {
        size_t count = 1;

        if (peek(t, 1) == '{')
            while (peek(t, count) != '\0' && peek(t, count++) != '}')
                continue;
        else
            while (count < 3 && is_hex(peek(t, count)))
                count++;
        onig_put(t, "\\");
        onig_copy(t, count);
        return 1;
    }
    if (byte == 'u' && is_hex(peek(t, 1)) && is_hex(peek(t, 2)) && is_hex(peek(t, 3)) &&
        is_hex(peek(t, 4))) {
        onig_put(t, "\\x{");
        put_n(t, t->s + t->i + 1, 4);
        onig_put(t, "}");
        t->i += 5;
        return 1;
    }
    if (byte == 'v') {
        onig_put(t, "\\x0b");
        t->i++;
        return 1;
    }
    if ((byte != '\0' && strchr("dDnrtfae", byte) != NULL) || is_digit(byte)) {
        onig_put(t, "\\");
        onig_copy(t, 1);
        return 1;
    }
    if (is_letter(byte))
        return 0;
    if (t->i == t->n) {
        no(t, "a \\ at the end");
        return -1;
    }
    if ((unsigned char)byte < 0x80)
        onig_put(t, "\\");
    copy_char(t);
    return 1;
}

static int unknown_escape(struct translate *t)
{
    char what[3] = { '\\', peek(t, 0), '\0' };

    return no(t, what);
}

/* ---- classes ---- */

static int class_escape(struct translate *t)
{
    static const struct { char c; const char *members; } rows[] = {
        { 's', SPACES }, { 'S', NO_SPACES }, { 'w', MEMBERS_WORD }, { 'h', HEX },
        { 'b', "\\x08" }, { 0 }
    };
    char byte = peek(t, 1);
    int done;

    t->i++;
    for (int k = 0; rows[k].c != 0; k++) {
        if (rows[k].c == byte) {
            onig_put(t, rows[k].members);
            t->i++;
            goto hyphen;
        }
    }
    done = common_escape(t);
    if (done < 0)
        return -1;
    if (done == 0)
        return unknown_escape(t);
hyphen:
    /* After a set, a hyphen is one; after a character it makes a range. */
    if (strchr("sSwhdDpP", byte) != NULL && peek(t, 0) == '-') {
        onig_put(t, "\\-");
        t->i++;
    }
    return 0;
}

static int posix_class(struct translate *t)
{
    static const struct { const char *name, *members; } rows[] = {
        { "[:space:]", SPACES }, { "[:digit:]", "\\p{Nd}" },
        { "[:alpha:]", "\\p{Alphabetic}" }, { "[:xdigit:]", HEX },
        { "[:alnum:]", "\\p{Alphabetic}\\p{Nd}" }, { "[:word:]", MEMBERS_WORD },
        { "[:upper:]", "\\p{Uppercase}" }, { "[:lower:]", "\\p{Lowercase}" },
        { 0 }
    };

    for (int k = 0; rows[k].name != NULL; k++) {
        if (strncmp(t->s + t->i, rows[k].name, strlen(rows[k].name)) == 0) {
            onig_put(t, rows[k].members);
            t->i += strlen(rows[k].name);
            return 0;
        }
    }
    return no(t, "this [: :] class");
}

/* Members up to the bracket that closes; classes inside are laid flat. */
static int class_members(struct translate *t, int depth)
{
    bool first = true;

    if (depth > MAX_DEPTH)
        return no(t, "a class nested so deeply");
    for (; t->i < t->n; first = false) {
        char byte = peek(t, 0);

        if (byte == ']' && !first) {
            t->i++;
            return 0;
        }
        if (byte == '&' && peek(t, 1) == '&')
            return no(t, "&& in a class");
        if (byte == '[' && peek(t, 1) == ':') {
            if (posix_class(t) != 0)
                return -1;
        } else if (byte == '[') {
            if (peek(t, 1) == '^')
                return no(t, "a negated class in a class");
            if (t->out[t->len - 1] == '-')
                return no(t, "a range to a class");
            t->i++;
            if (class_members(t, depth + 1) != 0)
                return -1;
        } else if (byte == '\\') {
            if (class_escape(t) != 0)
                return -1;
        } else {
            if (byte == ']' || (first && byte == '-'))
                onig_put(t, "\\");
            copy_char(t);
        }
    }
    return err_set(t->e, ERR_INPUT, "pattern \"%.80s\": a [ without ]", t->s);
}

static int class(struct translate *t)
{
    t->atom = t->len;
    if (strncmp(t->s + t->i, "[\\w]", 4) == 0) {        /* the same as \w alone */
        onig_put(t, "[" WORD "]");
        t->i += 4;
        return 0;
    }
    onig_copy(t, 1);
    if (peek(t, 0) == '^')
        onig_copy(t, 1);
    if (class_members(t, 0) != 0)
        return -1;
    onig_put(t, "]");
    return 0;
}

/* ---- outside of classes ---- */

static int escape(struct translate *t)
{
    static const struct { char c; const char *to; } rows[] = {
        { 's', "[" SPACES "]" }, { 'S', "[^" SPACES "]" },
        { 'w', "[" WORD "]" }, { 'W', "[^" WORD "]" },
        { 'h', "[" HEX "]" }, { 'H', "[^" HEX "]" },
        { 'b', "(?:(?<=[" WORD "])(?![" WORD "])|(?<![" WORD "])(?=[" WORD "]))" },
        { 'B', "(?:(?<=[" WORD "])(?=[" WORD "])|(?<![" WORD "])(?![" WORD "]))" },
        { 'A', "\\A" }, { 'Z', "\\Z" }, { 'z', "\\z" }, { 'G', "\\G" },
        { 'R', "\\R" }, { 'K', "\\K" }, { 'k', "\\k" }, { 0 }
    };
    int done;

    t->atom = t->len;
    t->i++;
    for (int k = 0; rows[k].c != 0; k++) {
        if (rows[k].c == peek(t, 0)) {
            onig_put(t, rows[k].to);
            t->i++;
            return 0;
        }
    }
    done = common_escape(t);
    return done > 0 ? 0 : done < 0 ? -1 : unknown_escape(t);
}

/* PCRE2 has more kinds than Oniguruma: verbs, recursion, other options and names. */
static bool is_group(const struct translate *t)
{
    if (peek(t, 1) != '?')
        return peek(t, 1) != '*';
    return peek(t, 2) != '\0' && strchr(":=!><'(imx-", peek(t, 2)) != NULL;
}

/* "(", with what follows a question mark.  Ruby's m is PCRE2's s. */
static int open_group(struct translate *t)
{
    size_t i = 2;

    if (peek(t, 1) == '?' && peek(t, 2) == '#') {
        while (t->i < t->n && peek(t, 0) != ')')
            t->i++;
        return t->i++ < t->n ? 0 : no(t, "(?# without )");
    }
    if (t->depth == MAX_DEPTH)
        return no(t, "a group nested so deeply");
    if (!is_group(t))
        return no(t, "this kind of group");
    t->group[t->depth++] = t->len;
    t->atom = NONE;
    if (peek(t, 1) != '?') {
        onig_copy(t, 1);
        return 0;
    }
    onig_copy(t, 2);
    for (i = 0; peek(t, i) != '\0' && strchr("imx-", peek(t, i)) != NULL; i++)
        if (peek(t, i) == 'x')
            return no(t, "(?x)");
    if (i > 0 && peek(t, i) != ')' && peek(t, i) != ':')
        return no(t, "this kind of group");
    for (; i > 0; i--, t->i++)
        put_n(t, peek(t, 0) == 'm' ? "s" : t->s + t->i, 1);
    return 0;
}

static void close_group(struct translate *t)
{
    t->atom = t->depth > 0 ? t->group[--t->depth] : NONE;
    onig_copy(t, 1);
}

/* The length of {n}, {n,}, {,m} or {n,m} here, or 0; *exact for {n}. */
static size_t interval(const struct translate *t, bool *exact)
{
    size_t i = 1, low, high = 0;

    while (is_digit(peek(t, i)))
        i++;
    low = i - 1;
    *exact = peek(t, i) == '}';
    if (peek(t, i) == ',') {
        i++;
        while (is_digit(peek(t, i))) {
            i++;
            high++;
        }
    }
    return peek(t, i) == '}' && low + high > 0 ? i + 1 : 0;
}

/* The atom with its quantifier becomes one group, so that the next repeats it. */
static void wrap(struct translate *t)
{
    onig_put(t, "(?:");
    memmove(t->out + t->atom + 3, t->out + t->atom, t->len - 3 - t->atom);
    memcpy(t->out + t->atom, "(?:", 3);
    onig_put(t, ")");
}

static void brace(struct translate *t)
{
    bool exact;
    size_t count = interval(t, &exact);

    if (count == 0 || t->atom == NONE) {
        t->atom = t->len;
        onig_put(t, "\\{");
        t->i++;
        return;
    }
    onig_put(t, peek(t, 1) == ',' ? "{0" : "{");
    t->i++;
    onig_copy(t, count - 1);
    if (peek(t, 0) == '+' || (exact && peek(t, 0) == '?'))
        wrap(t);
}

static int one(struct translate *t)
{
    switch (peek(t, 0)) {
    case '\\': return escape(t);
    case '[':  return class(t);
    case '(':  return open_group(t);
    case ')':  close_group(t); return 0;
    case '{':  brace(t); return 0;
    case '*': case '+': case '?':
        onig_copy(t, 1);
        return 0;
    case '|':
        t->atom = NONE;
        onig_copy(t, 1);
        return 0;
    default:
        t->atom = t->len;
        copy_char(t);
        return 0;
    }
}

const char *onig_translate(struct arena *a, struct text pattern, struct err *e)
{
    struct translate translate = { .a = a, .e = e, .n = pattern.n, .atom = NONE };

    translate.s = arena_strndup(a, pattern.s, pattern.n);
    onig_put(&translate, "");
    if (strlen(translate.s) != translate.n) {
        err_set(e, ERR_INPUT, "pattern \"%.80s\": a NUL in it is not supported",
                translate.s);
        return NULL;
    }
    while (translate.i < translate.n)
        if (one(&translate) != 0)
            return NULL;
    return translate.out;
}
