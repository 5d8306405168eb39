/* SPDX-License-Identifier: MIT
 * Bytes of a token, which may be anything, to text that is safe to draw. */
#include "draw/label.h"

#include <stdio.h>
#include <string.h>

#include <utf8proc.h>

#include "base/utf8.h"

/* The longest emoji of several people has ten code points. */
enum { CLUSTER_MAX = 12, PIECE_MAX = 12 };

/* Marks that say nothing on paper but could hide in a label. */
static bool label_is_hidden(int cp)
{
    return cp == 0xad || cp == 0x180e || cp == 0x200b || cp == 0x2060 ||
           cp == 0xfeff || (cp >= 0x2061 && cp <= 0x206f) ||
           (cp >= 0xfff9 && cp <= 0xfffb) || cp == 0xe0001;
}

/* True for what leaves no ink when it stands alone. */
static bool label_is_blank(int cp)
{
    utf8proc_category_t c = utf8proc_category(cp);

    return c == UTF8PROC_CATEGORY_ZS || c == UTF8PROC_CATEGORY_CF ||
           c == UTF8PROC_CATEGORY_ZL || c == UTF8PROC_CATEGORY_ZP ||
           (cp >= 0xfe00 && cp <= 0xfe0f) || (cp >= 0xe0000 && cp <= 0xe01ef) ||
           cp == 0x115f || cp == 0x1160 || cp == 0x3164 || cp == 0xffa0 ||
           cp == 0x2800;
}

static int escape_cp(char *dst, int cp)
{
    return snprintf(dst, PIECE_MAX, cp > 0xffff ? "\\U%06x" : "\\u%04x",
                    (unsigned)cp);
}

/* A growing label, counted in characters as a reader sees them. */
struct builder {
    struct arena *arena;
    char *s;
    size_t n, cap;
    size_t fits;                /* bytes to keep before a "…" */
    int chars, max, cluster;    /* cluster: code points of the last character */
    int last;                   /* code point before, or -1 */
    utf8proc_int32_t state;
};

/* Adds one code point; false where the label is full. */
static bool label_add_point(struct builder *builder, int cp)
{
    if (builder->last >= 0 &&
        !utf8proc_grapheme_break_stateful(builder->last, cp, &builder->state)) {
        if (++builder->cluster > CLUSTER_MAX) {
            builder->fits = builder->n;
            return false;
        }
    } else {
        if (builder->chars == builder->max)
            return false;
        builder->fits = builder->n;
        builder->chars++;
        builder->cluster = 1;
    }
    if (builder->n + 5 > builder->cap) {
        builder->s = arena_grow(builder->arena, builder->s, builder->n, 2 * builder->cap, 1);
        builder->cap *= 2;
    }
    builder->n += (size_t)utf8_encode(cp, builder->s + builder->n);
    builder->last = cp;
    return true;
}

static bool add_escape(struct builder *builder, const char *piece, int n)
{
    for (int i = 0; i < n; i++)
        if (!label_add_point(builder, piece[i]))
            return false;
    return true;
}

/* The code point or byte at s[at], as itself or as its escape. */
static bool add_next(struct builder *builder, const char *s, size_t n, size_t *at,
                     bool show_blanks)
{
    char piece[PIECE_MAX];
    int code, len = utf8_decode(s + *at, n - *at, &code);

    if (len < 0 || utf8_is_control(code)) {
        *at += (size_t)utf8_show(s + *at, n - *at, piece);
        return add_escape(builder, piece, (int)strlen(piece));
    }
    *at += (size_t)len;
    if (show_blanks && code == ' ')
        return label_add_point(builder, 0x2423);
    if (label_is_hidden(code) || utf8_is_noncharacter(code) ||
        (show_blanks && label_is_blank(code)))
        return add_escape(builder, piece, escape_cp(piece, code));
    return label_add_point(builder, code);
}

static bool all_blank(const char *s, size_t n)
{
    for (size_t at = 0; at < n;) {
        int code, len = utf8_decode(s + at, n - at, &code);

        if (len < 0 || !label_is_blank(code))
            return false;
        at += (size_t)len;
    }
    return true;
}

char *label_clean(struct arena *a, const char *s, size_t n, int max_chars)
{
    struct builder builder = { .arena = a, .max = max_chars, .last = -1, .cap = 64 };
    bool blank;

    /* What lies far after the cut is not even looked at. */
    if (n > (size_t)max_chars * CLUSTER_MAX * 4 + 64)
        n = (size_t)max_chars * CLUSTER_MAX * 4 + 64;
    blank = all_blank(s, n);
    while (!blank && n > 0 && s[0] == ' ')
        s++, n--;
    while (!blank && n > 0 && s[n - 1] == ' ')
        n--;
    builder.s = arena_alloc(a, builder.cap, 1);
    for (size_t at = 0; at < n;)
        if (!add_next(&builder, s, n, &at, blank)) {
            builder.n = builder.fits;
            return arena_printf(a, "%.*s…", (int)builder.n, builder.s);
        }
    builder.s[builder.n] = '\0';
    return builder.s;
}

const char *label_clean_value(struct arena *a, const char *s)
{
    size_t n = strlen(s);

    for (size_t at = 0; at < n;) {
        int code, length = utf8_decode(s + at, n - at, &code);

        if (length < 0 || (utf8_is_control(code) && code != '\n') || utf8_is_noncharacter(code))
            return label_clean(a, s, n, LABEL_TEXT_CHARS);
        at += (size_t)length;
    }
    return s;
}

/* ---- scripts ---- */

static bool is_han(int cp)
{
    return (cp >= 0x2e80 && cp <= 0x2fdf) || (cp >= 0x3400 && cp <= 0x9fff) ||
           (cp >= 0xf900 && cp <= 0xfaff) || (cp >= 0x20000 && cp <= 0x323af);
}

static bool is_kana(int cp)
{
    return (cp >= 0x3040 && cp <= 0x30ff && cp != 0x30fb) ||
           (cp >= 0x31f0 && cp <= 0x31ff) || (cp >= 0xff66 && cp <= 0xff9d);
}

bool label_is_upright(const char *clean)
{
    int code, len = utf8_decode(clean, strlen(clean), &code);

    return len > 1 && clean[len] == '\0' &&
           (is_han(code) || is_kana(code) || (code >= 0xac00 && code <= 0xd7a3));
}

size_t label_size(const struct label_list *list, int i)
{
    return list->size != NULL ? list->size[i] : strlen(list->text[i]);
}

/* ---- parts of characters ---- */

static bool is_utf8(const char *s, size_t n)
{
    return utf8_check(s, n) == n;
}

/* The label that token i begins and as many as possible of 3 others end; their number. */
static int join_from(struct arena *a, const struct label_list *list, int i, const char **joined,
                     size_t *size)
{
    size_t n = label_size(list, i);
    char *all = memcpy(arena_alloc(a, n + 1, 1), list->text[i], n);

    for (int k = 1; k < 4 && i + k < list->n; k++) {
        const char *next = list->text[i + k];
        size_t more = label_size(list, i + k);

        if (more == 0 || ((unsigned char)next[0] & 0xc0) != 0x80 ||
            (list->position != NULL && list->position[i + k] != list->position[i] + k))
            break;
        all = arena_grow(a, all, n, n + more, 1);
        memcpy(all + n, next, more);
        n += more;
        if (is_utf8(all, n)) {
            *joined = all;
            *size = n;
            return k + 1;
        }
    }
    return 1;
}

void label_join(struct arena *a, struct label_list *list)
{
    const char **text = arena_alloc(a, (size_t)list->n, sizeof *text);
    size_t *size = arena_alloc(a, (size_t)list->n, sizeof *size);
    int *span = arena_alloc(a, (size_t)list->n, sizeof *span);

    for (int i = 0; i < list->n; i += span[i]) {
        text[i] = list->text[i];
        size[i] = label_size(list, i);
        span[i] = is_utf8(text[i], size[i]) ? 1 : join_from(a, list, i, &text[i], &size[i]);
        for (int k = 1; k < span[i]; k++) {
            text[i + k] = text[i];
            size[i + k] = size[i];
        }
    }
    list->text = text;
    list->size = size;
    list->span = span;
}

/* ---- one more ---- */

void label_add(struct arena *a, struct label_list *list, const char *text)
{
    size_t n = (size_t)list->n;
    const char **texts = arena_alloc(a, n + 1, sizeof *texts);
    size_t *size = arena_alloc(a, n + 1, sizeof *size);
    int *position = arena_alloc(a, n + 1, sizeof *position);
    int *span = arena_alloc(a, n + 1, sizeof *span);
    bool *sentence = arena_alloc(a, n + 1, sizeof *sentence);

    for (int i = 0; i < list->n; i++) {
        texts[i] = list->text[i];
        size[i] = label_size(list, i);
        position[i] = list->position != NULL ? list->position[i] : i;
        span[i] = list->span != NULL ? list->span[i] : 1;
        sentence[i] = list->sentence != NULL && list->sentence[i];
    }
    texts[n] = text;
    size[n] = strlen(text);
    position[n] = -1;
    span[n] = 1;
    *list = (struct label_list){ list->n + 1, texts, size, position, span, sentence,
                                 list->second };
}

/* ---- sentences ---- */

/* Closing marks may follow the one that ends it: ." */
static bool ends_sentence(const char *s, size_t n)
{
    static const char *const marks[] = { ".", "!", "?", "…", "。", "！", "？", "؟", "।" };
    static const char *const closing[] = { "\"", "'", ")", "”", "’", "」", "』", "）", " " };
    enum { N_MARKS = sizeof marks / sizeof *marks, N_CLOSING = sizeof closing / sizeof *closing };

    for (int i = 0; i < N_CLOSING; i++) {
        size_t length = strlen(closing[i]);

        if (n > length && memcmp(s + n - length, closing[i], length) == 0) {
            n -= length;
            i = -1;
        }
    }
    for (int i = 0; i < N_MARKS; i++) {
        size_t length = strlen(marks[i]);

        if (n >= length && memcmp(s + n - length, marks[i], length) == 0)
            return true;
    }
    return false;
}

static bool begins_sentence(const char *s, size_t n)
{
    int code;
    utf8proc_category_t category;

    while (n > 0 && *s == ' ')
        s++, n--;
    if (n == 0 || utf8_decode(s, n, &code) < 0)
        return false;
    category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT ||
           category == UTF8PROC_CATEGORY_LO;
}

void label_sentences(struct arena *a, struct label_list *list)
{
    bool *sentence = arena_alloc(a, (size_t)list->n, sizeof *sentence);

    for (int i = 1; i < list->n; i++)
        sentence[i] = ends_sentence(list->text[i - 1], label_size(list, i - 1)) &&
                      begins_sentence(list->text[i], label_size(list, i));
    list->sentence = sentence;
}

/* ---- languages ---- */

void label_scripts_add(struct label_scripts *scripts, const char *s, size_t n)
{
    for (size_t at = 0; at < n;) {
        int code, len = utf8_decode(s + at, n - at, &code);

        at += len > 0 ? (size_t)len : 1;
        if (len > 1) {
            scripts->han = scripts->han || is_han(code);
            scripts->kana = scripts->kana || is_kana(code);
        }
    }
}

void label_scripts_add_list(struct label_scripts *scripts, const struct label_list *list)
{
    for (int i = 0; i < list->n; i++) {
        size_t count = label_size(list, i);

        label_scripts_add(scripts, list->text[i],
                          count < LABEL_TEXT_CHARS ? count : LABEL_TEXT_CHARS);
    }
}

const char *label_language(struct label_scripts scripts)
{
    return scripts.kana ? "ja" : scripts.han ? "zh-cn" : "en";
}

const char *const label_packages[] = {
    "fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji", NULL
};

int label_package(int cp)
{
    bool hangul = (cp >= 0x1100 && cp <= 0x11ff) || (cp >= 0xa960 && cp <= 0xa97f) ||
                  (cp >= 0xac00 && cp <= 0xd7ff);
    bool wide = (cp >= 0x3000 && cp <= 0x33ff) || (cp >= 0xfe30 && cp <= 0xfe4f) ||
                (cp >= 0xff00 && cp <= 0xffef);

    if (is_han(cp) || is_kana(cp) || hangul || wide)
        return 1;
    if ((cp >= 0x1f000 && cp <= 0x1faff) || (cp >= 0x2600 && cp <= 0x27bf) ||
        (cp >= 0x2b00 && cp <= 0x2bff) || cp == 0x20e3)
        return 2;
    return 0;
}
