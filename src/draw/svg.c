/* SPDX-License-Identifier: MIT
 * Cairo's SVG to one with crisp cells, text as text, and the same bytes on every run.
 *
 * Cairo drops the filter of an image, so that browsers smooth the cells;
 * and it numbers surfaces and images by a counter of the process, so that the
 * second picture of a batch would differ from the same one drawn alone.  It writes
 * text as outlines alone: the lines that stay text were kept from it, and stand
 * above all else. */
#include "draw/svg.h"

#include <stdlib.h>
#include <string.h>

#include "draw/svg_text.h"

/* Base64 has neither '#' nor '"', so nothing but an id begins like this.  The last is that of
 * cairo 1.18, whose number is of the surface that an image shows. */
enum { N_IDS = 3 };
static const char *const ids[N_IDS] = { "surface", "image", "source-" };

struct numbers { unsigned long *seen; size_t n, cap; struct arena *arena; };

/* 1, 2, 3 … in the order of appearance. */
static size_t renumber(struct numbers *all, unsigned long id)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->seen[i] == id)
            return i + 1;
    if (all->n == all->cap) {
        size_t cap = 2 * all->cap + 64;

        all->seen = arena_grow(all->arena, all->seen, all->n, cap,
                               sizeof *all->seen);
        all->cap = cap;
    }
    all->seen[all->n++] = id;
    return all->n;
}

/* If an id begins at s ("surface12"): its place in ids, and *end after its
 * number; otherwise -1. */
static int id_at(const char *s, const char **end, unsigned long *id)
{
    for (int i = 0; i < N_IDS; i++) {
        size_t count = strlen(ids[i]);

        if (strncmp(s, ids[i], count) == 0 && s[count] >= '0' && s[count] <= '9') {
            char *after;

            *id = strtoul(s + count, &after, 10);
            *end = after;
            return i;
        }
    }
    return -1;
}

static void write_clean(const struct page *page, const char *s, FILE *file)
{
    svg_escaped(label_clean(page->arena, s, strlen(s), LABEL_TEXT_CHARS), file);
}

static void write_about(const struct page *page, FILE *file)
{
    const struct sheet *sheet = page->sheet;

    if (sheet->title != NULL) {
        fputs("<title>", file);
        write_clean(page, sheet->title, file);
        fputs("</title>\n", file);
    }
    if (sheet->metadata == NULL || sheet->metadata->key == NULL)
        return;
    fputs("<metadata>\n", file);
    for (const struct metadata *metadata = sheet->metadata; metadata->key != NULL;
         metadata++) {
        fprintf(file, "%s: ", metadata->key);
        svg_escaped(label_clean_value(page->arena, metadata->value), file);
        putc('\n', file);
    }
    fputs("</metadata>\n", file);
}

/* Firefox and Chromium read the style, librsvg the attribute. */
static const char crisp[] = "<image image-rendering=\"optimizeSpeed\" "
                            "style=\"image-rendering:pixelated\" ";

/*
 * Glyphs in colour are images too, with an alpha channel, and are better smooth.
 * The 26th byte of a PNG is its colour type: 6 stands in the base64 as "CAY".
 */
static bool is_cells(const char *tag)
{
    const char *png = strstr(tag, ";base64,");

    return png != NULL && strnlen(png, 44) == 44 && strncmp(png + 8 + 32, "CAY", 3) != 0;
}

/* Copies the tag or text at s and returns what follows it; all is a list for
 * each of ids. */
static const char *svg_copy(const char *s, const char *end, struct numbers *all, FILE *file)
{
    const char *stop = s + 1;
    const char *after;
    unsigned long id;
    int word;

    if (end - s > 7 && strncmp(s, "<image ", 7) == 0 && is_cells(s)) {
        fputs(crisp, file);
        return s + 7;
    }
    if ((*s == '"' || *s == '#') && (word = id_at(s + 1, &after, &id)) >= 0) {
        fprintf(file, "%c%s%zu", *s, ids[word], renumber(&all[word], id));
        return after;
    }
    while (stop < end && *stop != '<' && *stop != '"' && *stop != '#')
        stop++;
    fwrite(s, 1, (size_t)(stop - s), file);
    return stop;
}

/* page->svg ends with a NUL. */
void svg_write(const struct page *page, FILE *file)
{
    struct numbers all[N_IDS];
    const char *text = page->svg.data, *end = text + page->svg.n - 1;
    const char *root = strstr(text, "<svg "), *body = strchr(root, '>') + 2;

    for (int i = 0; i < N_IDS; i++)
        all[i] = (struct numbers){ .arena = page->arena };
    while (end > body && strncmp(end, "</svg>", 6) != 0)
        end--;
    fwrite(text, 1, (size_t)(body - text), file);
    write_about(page, file);
    while (body < end)
        body = svg_copy(body, end, all, file);
    svg_notes(page, file);
    svg_text(page, file);
    fputs(end, file);
}
