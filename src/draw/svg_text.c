/* SPDX-License-Identifier: MIT
 * Lines of text -> SVG text elements, which can be searched, copied and edited; notes -> tooltips.
 * */
#include "draw/svg_text.h"

#include <math.h>
#include <string.h>

void svg_escaped(const char *clean, FILE *f)
{
    for (; *clean != '\0'; clean++)
        switch (*clean) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        case '"': fputs("&quot;", f); break;
        default: putc(*clean, f);
        }
}

/* To a hundredth, without zeros behind: " x", "12.5". */
static void put_number(const char *before, double v, FILE *f)
{
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%.2f", round(v * 100.0) / 100.0 + 0.0);

    while (digits[n - 1] == '0')
        digits[--n] = '\0';
    if (digits[n - 1] == '.')
        digits[n - 1] = '\0';
    fprintf(f, "%s%s", before, digits);
}

void svg_notes(const struct page *p, FILE *f)
{
    if (p->notes.n == 0)
        return;
    fputs("<g fill=\"none\" pointer-events=\"all\">\n", f);
    for (size_t i = 0; i < p->notes.n; i++) {
        const struct page_note *note = &p->notes.note[i];

        put_number("<path d=\"M", note->at.x, f);
        put_number(" ", note->at.y, f);
        put_number("h", note->at.w, f);
        put_number("v", note->at.h, f);
        put_number("h", -note->at.w, f);
        fputs("z\"><title>", f);
        svg_escaped(note->text, f);
        fputs("</title></path>\n", f);
    }
    fputs("</g>\n", f);
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
static void write_family(const char *family, FILE *f)
{
    fputs("font-family=\"'", f);
    for (; *family != '\0'; family++)
        if (*family != '\'' && *family != '\\')
            svg_escaped((const char[]){ *family, '\0' }, f);
    fputs("', sans-serif\"", f);
}

static void begin_group(const struct text_placed *line, FILE *f)
{
    int gray = (int)(line->style->gray * 255.0 + 0.5);

    fputs("<g ", f);
    write_family(line->family, f);
    put_number(" font-size=\"", line->size, f);
    fprintf(f, "\" fill=\"#%02x%02x%02x\" text-anchor=\"%s\"%s%s>\n", gray, gray, gray,
            anchor(line), line->style->bold ? " font-weight=\"bold\"" : "",
            line->to_left ? " direction=\"rtl\"" : "");
}

static void write_clip(const struct text_placed *line, size_t number, FILE *f)
{
    fprintf(f, "<clipPath id=\"line%zu\">", number);
    put_number("<path d=\"M", line->clip.x, f);
    put_number(" ", line->clip.y, f);
    put_number("h", line->clip.w, f);
    put_number("v", line->clip.h, f);
    put_number("h", -line->clip.w, f);
    fputs("z\"/></clipPath>\n", f);
}

static void write_span(const struct text_run *span, const char *family, FILE *f)
{
    bool other = strcmp(span->family, family) != 0;

    if (other) {
        fputs("<tspan ", f);
        write_family(span->family, f);
        putc('>', f);
    }
    svg_escaped(span->text, f);
    if (other)
        fputs("</tspan>", f);
}

/* number: its own */
static void write_line(const struct text_placed *line, size_t number, FILE *f)
{
    if (line->clip.w > 0.0)
        write_clip(line, number, f);
    put_number("<text x=\"", line->x, f);
    put_number("\" y=\"", line->y, f);
    if (line->turned) {
        put_number("\" transform=\"rotate(-90 ", line->x, f);
        put_number(" ", line->y, f);
        putc(')', f);
    }
    if (line->clip.w > 0.0)
        fprintf(f, "\" clip-path=\"url(#line%zu)", number);
    fputs("\">", f);
    for (int i = 0; i < line->n_spans; i++)
        write_span(&line->span[i], line->family, f);
    fputs("</text>\n", f);
}

void svg_text(const struct page *p, FILE *f)
{
    const struct text_placed *group = NULL;

    if (p->places.n == 0)
        return;
    fprintf(f, "<g xml:space=\"preserve\" xml:lang=\"%s\" "
            "text-rendering=\"geometricPrecision\">\n", p->text.language);
    for (size_t i = 0; i < p->places.n; i++) {
        const struct text_placed *line = &p->places.line[i];

        if (line->on != p->surface)
            continue;
        if (group != NULL && !is_alike(group, line))
            fputs("</g>\n", f);
        if (group == NULL || !is_alike(group, line))
            begin_group(line, f);
        group = line;
        write_line(line, i + 1, f);
    }
    fputs(group != NULL ? "</g>\n</g>\n" : "</g>\n", f);
}
