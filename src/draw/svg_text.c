/* SPDX-License-Identifier: MIT
 * Lines of text -> SVG text elements, which can be searched, copied and edited; notes -> tooltips.
 * */
#include "draw/svg_text.h"

#include <math.h>
#include <string.h>

void svg_escaped(const char *clean, FILE *file)
{
    for (; *clean != '\0'; clean++)
        switch (*clean) {
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '&': fputs("&amp;", file); break;
        case '"': fputs("&quot;", file); break;
        default: putc(*clean, file);
        }
}

/* To a hundredth, without zeros behind: " x", "12.5". */
static void put_number(const char *before, double v, FILE *file)
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%.2f", round(v * 100.0) / 100.0 + 0.0);

    while (digits[n - 1] == '0')
        digits[--n] = '\0';
    if (digits[n - 1] == '.')
        digits[n - 1] = '\0';
    fprintf(file, "%s%s", before, digits);
}

void svg_notes(const struct page *page, FILE *file)
{
    if (page->notes.n == 0)
        return;
    fputs("<g fill=\"none\" pointer-events=\"all\">\n", file);
    for (size_t i = 0; i < page->notes.n; i++) {
        const struct page_note *note = &page->notes.note[i];

        put_number("<path d=\"M", note->at.x, file);
        put_number(" ", note->at.y, file);
        put_number("h", note->at.w, file);
        put_number("v", note->at.h, file);
        put_number("h", -note->at.w, file);
        fputs("z\"><title>", file);
        svg_escaped(note->text, file);
        fputs("</title></path>\n", file);
    }
    fputs("</g>\n", file);
}

/* ---- text ---- */

/* One group holds both. */
static bool is_alike(const struct text_placed *x, const struct text_placed *y)
{
    return x->size == y->size && x->hold == y->hold && x->to_left == y->to_left &&
           x->style->gray == y->style->gray && x->style->bold == y->style->bold &&
           strcmp(x->family, y->family) == 0;
}

/* Where a line begins is its right end if it is read from there. */
static const char *anchor(const struct text_placed *line)
{
    if (line->hold == TEXT_CENTRE)
        return "middle";
    return (line->hold == TEXT_RIGHT) == line->to_left ? "start" : "end";
}

/* Without a quote: in CSS a name stands between two. */
static void write_family(const char *family, FILE *file)
{
    fputs("font-family=\"'", file);
    for (; *family != '\0'; family++)
        if (*family != '\'' && *family != '\\')
            svg_escaped((const char[]){ *family, '\0' }, file);
    fputs("', sans-serif\"", file);
}

static void begin_group(const struct text_placed *line, FILE *file)
{
    int gray = (int)(line->style->gray * 255.0 + 0.5);

    fputs("<g ", file);
    write_family(line->family, file);
    put_number(" font-size=\"", line->size, file);
    fprintf(file, "\" fill=\"#%02x%02x%02x\" text-anchor=\"%s\"%s%s>\n", gray, gray, gray,
            anchor(line), line->style->bold ? " font-weight=\"bold\"" : "",
            line->to_left ? " direction=\"rtl\"" : "");
}

static void write_clip(const struct text_placed *line, size_t number, FILE *file)
{
    fprintf(file, "<clipPath id=\"line%zu\">", number);
    put_number("<path d=\"M", line->clip.x, file);
    put_number(" ", line->clip.y, file);
    put_number("h", line->clip.w, file);
    put_number("v", line->clip.h, file);
    put_number("h", -line->clip.w, file);
    fputs("z\"/></clipPath>\n", file);
}

static void write_span(const struct text_run *span, const char *family, FILE *file)
{
    bool other = strcmp(span->family, family) != 0;

    if (other) {
        fputs("<tspan ", file);
        write_family(span->family, file);
        putc('>', file);
    }
    svg_escaped(span->text, file);
    if (other)
        fputs("</tspan>", file);
}

/* number: its own */
static void write_line(const struct text_placed *line, size_t number, FILE *file)
{
    if (line->clip.w > 0.0)
        write_clip(line, number, file);
    put_number("<text x=\"", line->x, file);
    put_number("\" y=\"", line->y, file);
    if (line->turned) {
        put_number("\" transform=\"rotate(-90 ", line->x, file);
        put_number(" ", line->y, file);
        putc(')', file);
    }
    if (line->clip.w > 0.0)
        fprintf(file, "\" clip-path=\"url(#line%zu)", number);
    fputs("\">", file);
    for (int i = 0; i < line->n_spans; i++)
        write_span(&line->span[i], line->family, file);
    fputs("</text>\n", file);
}

void svg_text(const struct page *page, FILE *file)
{
    const struct text_placed *group = NULL;

    if (page->places.n == 0)
        return;
    fprintf(file, "<g xml:space=\"preserve\" xml:lang=\"%s\" "
            "text-rendering=\"geometricPrecision\">\n", page->text.language);
    for (size_t i = 0; i < page->places.n; i++) {
        const struct text_placed *line = &page->places.line[i];

        if (line->on != page->surface)
            continue;
        if (group != NULL && !is_alike(group, line))
            fputs("</g>\n", file);
        if (group == NULL || !is_alike(group, line))
            begin_group(line, file);
        group = line;
        write_line(line, i + 1, file);
    }
    fputs(group != NULL ? "</g>\n</g>\n" : "</g>\n", file);
}
