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

static void put_n(struct translate *translate, const char *s, size_t n)
{
    if (translate->cap - translate->len < n + 1) {
        size_t cap = 2 * translate->cap + n + 64;

        translate->out = arena_grow(translate->a, translate->out, translate->len, cap, 1);
        translate->cap = cap;
    }
    memcpy(translate->out + translate->len, s, n);
    translate->len += n;
    translate->out[translate->len] = '\0';
}

static void onig_put(struct translate *translate, const char *s)
{
    put_n(translate, s, strlen(s));
}

/* The next n bytes of the pattern, which has them, as they are. */
static void onig_copy(struct translate *translate, size_t n)
{
    put_n(translate, translate->s + translate->i, n);
    translate->i += n;
}

static void copy_char(struct translate *translate)
{
    int code;

    onig_copy(translate,
              (size_t)chars_next(translate->s + translate->i, translate->n - translate->i, &code));
}

static char peek(const struct translate *translate, size_t ahead)
{
    return translate->i + ahead < translate->n ? translate->s[translate->i + ahead] : '\0';
}

static int no(struct translate *translate, const char *what)
{
    return err_set(translate->e, ERR_INPUT, "pattern \"%.80s\": %s is not supported", translate->s,
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
static bool is_script(struct translate *translate, const char *name, size_t n)
{
    const char *test = arena_printf(translate->a, "\\p{sc:%.*s}", (int)n, name);
    PCRE2_SIZE at;
    int code;
    pcre2_code *re;

    if (n <= 2)                 /* a general category: L, Lu */
        return false;
    re = pcre2_compile((PCRE2_SPTR)test, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &code,
                       &at, NULL);
    if (re == NULL && code == PCRE2_ERROR_HEAP_FAILED)
        arena_fail(translate->a, 0);
    pcre2_code_free(re);
    return re != NULL;
}

/* At "p{Name}" or "P{Name}", the backslash read. */
static int property(struct translate *translate)
{
    const char *name = translate->s + translate->i + 2;
    size_t count = 0;
    bool not = false;

    if (peek(translate, 1) != '{')
        return no(translate, "\\p without {}");
    if (*name == '^') {
        not = true;
        name++;
    }
    while (is_letter(name[count]) || is_digit(name[count]) || name[count] == '_')
        count++;
    if (name[count] != '}' || count == 0 || count > 40)
        return no(translate, "this name in \\p{}");
    onig_put(translate, (translate->s[translate->i] == 'P') != not ? "\\P{" : "\\p{");
    if (is_script(translate, name, count))
        onig_put(translate, "sc:");
    put_n(translate, name, count);
    onig_put(translate, "}");
    translate->i = (size_t)(name - translate->s) + count + 1;
    return 0;
}

/* ---- escapes that mean the same inside and outside of a class ---- */

/* Returns 1 if it was one, 0 if not, -1 on errors; translate->i is after the backslash. */
static int common_escape(struct translate *translate)
{
    char byte = peek(translate, 0);

    if (byte == 'p' || byte == 'P')
        return property(translate) == 0 ? 1 : -1;
    if (byte == 'x') {
        size_t count = 1;

        if (peek(translate, 1) == '{')
            while (peek(translate, count) != '\0' && peek(translate, count++) != '}')
                continue;
        else
            while (count < 3 && is_hex(peek(translate, count)))
                count++;
        onig_put(translate, "\\");
        onig_copy(translate, count);
        return 1;
    }
    if (byte == 'u' && is_hex(peek(translate, 1)) && is_hex(peek(translate, 2)) &&
        is_hex(peek(translate, 3)) && is_hex(peek(translate, 4))) {
        onig_put(translate, "\\x{");
        put_n(translate, translate->s + translate->i + 1, 4);
        onig_put(translate, "}");
        translate->i += 5;
        return 1;
    }
    if (byte == 'v') {
        onig_put(translate, "\\x0b");
        translate->i++;
        return 1;
    }
    if ((byte != '\0' && strchr("dDnrtfae", byte) != NULL) || is_digit(byte)) {
        onig_put(translate, "\\");
        onig_copy(translate, 1);
        return 1;
    }
    if (is_letter(byte))
        return 0;
    if (translate->i == translate->n) {
        no(translate, "a \\ at the end");
        return -1;
    }
    if ((unsigned char)byte < 0x80)
        onig_put(translate, "\\");
    copy_char(translate);
    return 1;
}

static int unknown_escape(struct translate *translate)
{
    char what[3] = { '\\', peek(translate, 0), '\0' };

    return no(translate, what);
}

/* ---- classes ---- */

static int class_escape(struct translate *translate)
{
    static const struct { char c; const char *members; } rows[] = {
        { 's', SPACES }, { 'S', NO_SPACES }, { 'w', MEMBERS_WORD }, { 'h', HEX },
        { 'b', "\\x08" }, { 0 }
    };
    char byte = peek(translate, 1);
    int done;

    translate->i++;
    for (int k = 0; rows[k].c != 0; k++) {
        if (rows[k].c == byte) {
            onig_put(translate, rows[k].members);
            translate->i++;
            goto hyphen;
        }
    }
    done = common_escape(translate);
    if (done < 0)
        return -1;
    if (done == 0)
        return unknown_escape(translate);
hyphen:
    /* After a set, a hyphen is one; after a character it makes a range. */
    if (strchr("sSwhdDpP", byte) != NULL && peek(translate, 0) == '-') {
        onig_put(translate, "\\-");
        translate->i++;
    }
    return 0;
}

static int posix_class(struct translate *translate)
{
    static const struct { const char *name, *members; } rows[] = {
        { "[:space:]", SPACES }, { "[:digit:]", "\\p{Nd}" },
        { "[:alpha:]", "\\p{Alphabetic}" }, { "[:xdigit:]", HEX },
        { "[:alnum:]", "\\p{Alphabetic}\\p{Nd}" }, { "[:word:]", MEMBERS_WORD },
        { "[:upper:]", "\\p{Uppercase}" }, { "[:lower:]", "\\p{Lowercase}" },
        { 0 }
    };

    for (int k = 0; rows[k].name != NULL; k++) {
        if (strncmp(translate->s + translate->i, rows[k].name, strlen(rows[k].name)) == 0) {
            onig_put(translate, rows[k].members);
            translate->i += strlen(rows[k].name);
            return 0;
        }
    }
    return no(translate, "this [: :] class");
}

/* Members up to the bracket that closes; classes inside are laid flat. */
static int class_members(struct translate *translate, int depth)
{
    bool first = true;

    if (depth > MAX_DEPTH)
        return no(translate, "a class nested so deeply");
    for (; translate->i < translate->n; first = false) {
        char byte = peek(translate, 0);

        if (byte == ']' && !first) {
            translate->i++;
            return 0;
        }
        if (byte == '&' && peek(translate, 1) == '&')
            return no(translate, "&& in a class");
        if (byte == '[' && peek(translate, 1) == ':') {
            if (posix_class(translate) != 0)
                return -1;
        } else if (byte == '[') {
            if (peek(translate, 1) == '^')
                return no(translate, "a negated class in a class");
            if (translate->out[translate->len - 1] == '-')
                return no(translate, "a range to a class");
            translate->i++;
            if (class_members(translate, depth + 1) != 0)
                return -1;
        } else if (byte == '\\') {
            if (class_escape(translate) != 0)
                return -1;
        } else {
            if (byte == ']' || (first && byte == '-'))
                onig_put(translate, "\\");
            copy_char(translate);
        }
    }
    return err_set(translate->e, ERR_INPUT, "pattern \"%.80s\": a [ without ]", translate->s);
}

static int class(struct translate *translate)
{
    translate->atom = translate->len;
    if (strncmp(translate->s + translate->i, "[\\w]", 4) == 0) {        /* the same as \w alone */
        onig_put(translate, "[" WORD "]");
        translate->i += 4;
        return 0;
    }
    onig_copy(translate, 1);
    if (peek(translate, 0) == '^')
        onig_copy(translate, 1);
    if (class_members(translate, 0) != 0)
        return -1;
    onig_put(translate, "]");
    return 0;
}

/* ---- outside of classes ---- */

static int escape(struct translate *translate)
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

    translate->atom = translate->len;
    translate->i++;
    for (int k = 0; rows[k].c != 0; k++) {
        if (rows[k].c == peek(translate, 0)) {
            onig_put(translate, rows[k].to);
            translate->i++;
            return 0;
        }
    }
    done = common_escape(translate);
    return done > 0 ? 0 : done < 0 ? -1 : unknown_escape(translate);
}

/* PCRE2 has more kinds than Oniguruma: verbs, recursion, other options and names. */
static bool is_group(const struct translate *translate)
{
    if (peek(translate, 1) != '?')
        return peek(translate, 1) != '*';
    return peek(translate, 2) != '\0' && strchr(":=!><'(imx-", peek(translate, 2)) != NULL;
}

/* "(", with what follows a question mark.  Ruby's m is PCRE2's s. */
static int open_group(struct translate *translate)
{
    size_t i = 2;

    if (peek(translate, 1) == '?' && peek(translate, 2) == '#') {
        while (translate->i < translate->n && peek(translate, 0) != ')')
            translate->i++;
        return translate->i++ < translate->n ? 0 : no(translate, "(?# without )");
    }
    if (translate->depth == MAX_DEPTH)
        return no(translate, "a group nested so deeply");
    if (!is_group(translate))
        return no(translate, "this kind of group");
    translate->group[translate->depth++] = translate->len;
    translate->atom = NONE;
    if (peek(translate, 1) != '?') {
        onig_copy(translate, 1);
        return 0;
    }
    onig_copy(translate, 2);
    for (i = 0; peek(translate, i) != '\0' && strchr("imx-", peek(translate, i)) != NULL; i++)
        if (peek(translate, i) == 'x')
            return no(translate, "(?x)");
    if (i > 0 && peek(translate, i) != ')' && peek(translate, i) != ':')
        return no(translate, "this kind of group");
    for (; i > 0; i--, translate->i++)
        put_n(translate, peek(translate, 0) == 'm' ? "s" : translate->s + translate->i, 1);
    return 0;
}

static void close_group(struct translate *translate)
{
    translate->atom = translate->depth > 0 ? translate->group[--translate->depth] : NONE;
    onig_copy(translate, 1);
}

/* The length of {n}, {n,}, {,m} or {n,m} here, or 0; *exact for {n}. */
static size_t interval(const struct translate *translate, bool *exact)
{
    size_t i = 1, low, high = 0;

    while (is_digit(peek(translate, i)))
        i++;
    low = i - 1;
    *exact = peek(translate, i) == '}';
    if (peek(translate, i) == ',') {
        i++;
        while (is_digit(peek(translate, i))) {
            i++;
            high++;
        }
    }
    return peek(translate, i) == '}' && low + high > 0 ? i + 1 : 0;
}

/* The atom with its quantifier becomes one group, so that the next repeats it. */
static void wrap(struct translate *translate)
{
    onig_put(translate, "(?:");
    memmove(translate->out + translate->atom + 3, translate->out + translate->atom,
            translate->len - 3 - translate->atom);
    memcpy(translate->out + translate->atom, "(?:", 3);
    onig_put(translate, ")");
}

static void brace(struct translate *translate)
{
    bool exact;
    size_t count = interval(translate, &exact);

    if (count == 0 || translate->atom == NONE) {
        translate->atom = translate->len;
        onig_put(translate, "\\{");
        translate->i++;
        return;
    }
    onig_put(translate, peek(translate, 1) == ',' ? "{0" : "{");
    translate->i++;
    onig_copy(translate, count - 1);
    if (peek(translate, 0) == '+' || (exact && peek(translate, 0) == '?'))
        wrap(translate);
}

static int one(struct translate *translate)
{
    switch (peek(translate, 0)) {
    case '\\': return escape(translate);
    case '[':  return class(translate);
    case '(':  return open_group(translate);
    case ')':  close_group(translate); return 0;
    case '{':  brace(translate); return 0;
    case '*': case '+': case '?':
        onig_copy(translate, 1);
        return 0;
    case '|':
        translate->atom = NONE;
        onig_copy(translate, 1);
        return 0;
    default:
        translate->atom = translate->len;
        copy_char(translate);
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
