/* SPDX-License-Identifier: MIT
 * Clean strings to text with a size and ink, through pango.  Strings are set as
 * plain text, never as markup.  Equal labels are laid out once: 12 panels of 64
 * labels cost 4 ms then, 10 ms otherwise. */
#include "draw/text_priv.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "base/lack.h"
#include "base/utf8.h"
#include "draw/label.h"

/*
 * Named, because what "sans-serif" means changes with the fonts installed; where
 * it is missing, fontconfig goes on to other sans-serif fonts.  A list would make
 * it sort all fonts twice per size: pango asks for a font's metrics by its own name.
 */
#define FONT "DejaVu Sans"

enum { BUCKETS = 512, N_CODE_POINT = 0x110000 };

const struct style text_title = { 14.0, 1.2, 0.10, true, false };
const struct style text_heading = { 12.0, 1.0, 0.13, false, false };
const struct style text_value = { 9.0, 1.0, 0.25, false, false };
const struct style text_caption = { 10.0, 1.0, 0.38, false, false };

/*
 * In the program.  What glib would end the process for, as a thread of pango's that cannot be
 * started, ends it with one line; of what pango warns of, text_check finds what matters.
 */
static GLogWriterOutput on_log(GLogLevelFlags level, const GLogField *fields, gsize n_fields,
                               gpointer self)
{
    (void)self;
    for (gsize i = 0; i < n_fields && (level & G_LOG_LEVEL_ERROR); i++)
        if (strcmp(fields[i].key, "MESSAGE") == 0)
            lack_stop(fields[i].value);
    return G_LOG_WRITER_HANDLED;
}

/* Glib takes it once. */
static void hear_log(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;

    if (lack_has_end() && !atomic_flag_test_and_set(&done))
        g_log_set_writer_func(on_log, NULL, NULL);
}

void text_init(struct text *text, struct arena *a, const char *font, double px, bool vector)
{
    *text = (struct text){ .arena = a, .language = "en", .px = px, .vector = vector };
    hear_log();
    text->font = font == NULL ? FONT :
        arena_printf(a, "%s," FONT, label_clean(a, font, strlen(font), 200));
}

void text_finish(struct text *text)
{
    for (struct piece *piece = text->piece; piece != NULL; piece = piece->next)
        g_object_unref(piece->layout);
    for (int i = 0; i < 2; i++)
        if (text->context[i] != NULL)
            g_object_unref(text->context[i]);
    *text = (struct text){ .arena = NULL };
}

/* ---- laying out ---- */

/*
 * All options are set here, so that neither fontconfig's settings nor the kind
 * of surface change a picture.  The advances of letters are not rounded, so that a PNG of 100 dpi
 * is as large as its SVG.
 */
static PangoContext *context_of(struct text *text, bool rotated)
{
    static const PangoMatrix quarter = { 0.0, 1.0, -1.0, 0.0, 0.0, 0.0 };
    cairo_font_options_t *o;
    PangoContext *c = text->context[rotated];

    if (c != NULL)
        return c;
    c = pango_font_map_create_context(pango_cairo_font_map_get_default());
    text->context[rotated] = c;
    o = cairo_font_options_create();
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(o, text->vector ? CAIRO_HINT_STYLE_NONE :
                                      CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(c, o);
    cairo_font_options_destroy(o);
    pango_cairo_context_set_resolution(c, 96.0);
    pango_context_set_round_glyph_positions(c, FALSE);
    pango_context_set_language(c, pango_language_from_string(text->language));
    if (rotated)
        pango_context_set_matrix(c, &quarter);
    return c;
}

static void note_missing(struct text *text, int cp)
{
    if (text->missing == NULL)
        text->missing = arena_alloc(text->arena, N_CODE_POINT / 8, 1);
    if (cp < 0 || cp >= N_CODE_POINT || (text->missing[cp / 8] >> cp % 8 & 1))
        return;
    text->missing[cp / 8] |= (unsigned char)(1 << cp % 8);
    if (text->n_missing++ == 0)
        text->first_missing = cp;
    text->packages |= 1u << label_package(cp);
}

/* Pango marks a glyph that no font has, and keeps the code point in it. */
static void count_missing(struct text *text, const PangoGlyphString *glyphs)
{
    for (int i = 0; i < glyphs->num_glyphs; i++) {
        PangoGlyph g = glyphs->glyphs[i].glyph;

        if (g & PANGO_GLYPH_UNKNOWN_FLAG)
            note_missing(text, (int)(g & ~PANGO_GLYPH_UNKNOWN_FLAG));
    }
}

/* Where cairo has no such font after all, pango would draw boxes. */
static void check_font(struct text *text, PangoFont *font)
{
    cairo_scaled_font_t *scaled;

    if (text->bad_font != NULL)
        return;
    scaled = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(font));
    if (scaled == NULL || cairo_scaled_font_status(scaled) != CAIRO_STATUS_SUCCESS) {
        PangoFontDescription *d = pango_font_describe(font);
        char *name = pango_font_description_to_string(d);

        text->bad_font = arena_strdup(text->arena, name);
        g_free(name);
        pango_font_description_free(d);
    }
}

/* The fonts and glyphs that pango has chosen for the lines. */
static void check_runs(struct text *text, PangoLayout *layout)
{
    PangoLayoutIter *at = pango_layout_get_iter(layout);
    int unknown = pango_layout_get_unknown_glyphs_count(layout);

    do {
        PangoLayoutRun *run = pango_layout_iter_get_run_readonly(at);
        PangoFont *font = run != NULL ? run->item->analysis.font : NULL;

        if (font != NULL)
            check_font(text, font);
        text->no_font = text->no_font || (run != NULL && font == NULL);
        if (run != NULL && unknown > 0)
            count_missing(text, run->glyphs);
    } while (pango_layout_iter_next_run(at));
    pango_layout_iter_free(at);
}

/* Of the font, in units. */
static double font_size(const struct text *text, const struct style *style)
{
    return (text->base_px > 0.0 ? text->base_px * style->relative : style->size_px) * text->px;
}

static struct piece *new_piece(struct text *text, const struct style *style,
                               const char *clean)
{
    struct piece *piece = arena_alloc(text->arena, 1, sizeof *piece);
    PangoFontDescription *d = pango_font_description_new();

    piece->style = *style;
    piece->clean = clean;
    piece->layout = pango_layout_new(context_of(text, style->rotated));
    piece->next = text->piece;
    text->piece = piece;
    pango_font_description_set_family_static(d, text->font);
    pango_font_description_set_absolute_size(d, font_size(text, style) * PANGO_SCALE);
    if (style->bold)
        pango_font_description_set_weight(d, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(piece->layout, d);
    pango_font_description_free(d);
    if (style->max_w > 0.0) {
        pango_layout_set_width(piece->layout, (int)(style->max_w * PANGO_SCALE));
        pango_layout_set_ellipsize(piece->layout, PANGO_ELLIPSIZE_END);
    }
    pango_layout_set_single_paragraph_mode(piece->layout, TRUE);
    pango_layout_set_text(piece->layout, clean, -1);
    return piece;
}

/* A letter's width in sizes of the font, where there is no font. */
static const double BOX = 0.6;

/* Without a font, pango's measures are memory that was never set. */
static void measure_boxes(const struct text *text, struct piece *piece, double max_w)
{
    double size = font_size(text, &piece->style);
    int fit = max_w > 0.0 ? (int)(max_w / (BOX * size)) : INT_MAX;
    long count = g_utf8_strlen(piece->clean, -1);

    piece->boxes = count < fit ? (int)count : fit;
    piece->w = piece->boxes * BOX * size;
    piece->h = size;
    piece->up = 0.7 * size;
    piece->down = 0.0;
}

/* max_w: of a paragraph, or 0. */
static void draw_text_measure(struct text *text, struct piece *piece, double max_w)
{
    PangoRectangle ink, logical;
    double base;

    check_runs(text, piece->layout);
    if (text->no_font) {
        measure_boxes(text, piece, max_w);
        return;
    }
    pango_layout_get_extents(piece->layout, &ink, &logical);
    base = pango_layout_get_baseline(piece->layout);
    piece->w = logical.width / (double)PANGO_SCALE;
    piece->h = logical.height / (double)PANGO_SCALE;
    piece->up = (base - ink.y) / PANGO_SCALE;
    piece->down = (ink.y + ink.height - base) / PANGO_SCALE;
}

/* FNV-1a, 32 bits. */
static unsigned hash(const char *s)
{
    unsigned h = 2166136261u;

    for (; *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static bool same_style(const struct style *x, const struct style *y)
{
    return x->size_px == y->size_px && x->gray == y->gray && x->bold == y->bold &&
           x->rotated == y->rotated && x->relative == y->relative && x->max_w == y->max_w;
}

const struct piece *text_line(struct text *text, const struct style *style,
                              const char *clean)
{
    struct piece **slot, *piece;

    if (text->bucket == NULL)
        text->bucket = arena_alloc(text->arena, BUCKETS, sizeof *text->bucket);
    slot = &text->bucket[hash(clean) % BUCKETS];
    for (piece = *slot; piece != NULL; piece = piece->chain)
        if (same_style(&piece->style, style) && strcmp(piece->clean, clean) == 0)
            return piece;
    piece = new_piece(text, style, clean);
    draw_text_measure(text, piece, style->max_w);
    piece->chain = *slot;
    *slot = piece;
    return piece;
}

const struct piece *text_paragraph(struct text *text, const struct style *style,
                                   const char *clean, double width, int max_lines,
                                   bool centred)
{
    struct piece *piece = new_piece(text, style, clean);

    pango_layout_set_width(piece->layout, (int)(width * PANGO_SCALE));
    pango_layout_set_wrap(piece->layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_height(piece->layout, -max_lines);
    pango_layout_set_ellipsize(piece->layout, PANGO_ELLIPSIZE_END);
    if (centred)
        pango_layout_set_alignment(piece->layout, PANGO_ALIGN_CENTER);
    draw_text_measure(text, piece, width);
    return piece;
}

double text_width(const struct piece *piece)
{
    return piece->w;
}

bool text_is_rotated(const struct piece *piece)
{
    return piece->style.rotated;
}

double text_height(const struct piece *piece)
{
    return piece->h;
}

/* Ascenders and descenders take 0.97 of the size in DejaVu. */
double text_line_height(const struct text *text, const struct style *style)
{
    return 1.1 * font_size(text, style);
}

/* Half of a capital's height in DejaVu (0.73), and of a Han character's above
 * the baseline. */
double text_middle(const struct text *text, const struct style *style)
{
    return 0.36 * font_size(text, style);
}

/* ---- ink ---- */

static void show_boxes(const struct text *text, cairo_t *cr, const struct piece *piece)
{
    double size = font_size(text, &piece->style);

    for (int i = 0; i < piece->boxes; i++)
        cairo_rectangle(cr, (i * BOX + 0.1) * size, -0.7 * size, (BOX - 0.2) * size,
                        0.7 * size);
    cairo_set_line_width(cr, 0.1 * size);
    cairo_stroke(cr);
}

/* Its ink would reach beyond max_h around a line. */
static bool is_tall(const struct text *text, const struct piece *piece, double max_h)
{
    double middle = text_middle(text, &piece->style);

    return piece->up > middle + max_h / 2.0 || piece->down > max_h / 2.0 - middle;
}

/* The baseline's left end is the origin.  Clips a tower of combining marks. */
static void draw_text_show(const struct text *text, cairo_t *cr, const struct piece *piece,
                           double max_h)
{
    double gray = piece->style.gray, middle = text_middle(text, &piece->style);

    cairo_set_source_rgb(cr, gray, gray, gray);
    if (piece->boxes > 0) {
        show_boxes(text, cr, piece);
        return;
    }
    if (is_tall(text, piece, max_h)) {
        cairo_rectangle(cr, -max_h, -middle - max_h / 2.0, piece->w + 2.0 * max_h,
                        max_h);
        cairo_clip(cr);
    }
    cairo_move_to(cr, 0.0, 0.0);
    pango_cairo_show_layout_line(cr, pango_layout_get_line_readonly(piece->layout, 0));
}

/* Boxes are drawn in any case. */
static bool is_placed(const struct text *text, const struct piece *piece)
{
    return text->places != NULL && piece->boxes == 0;
}

static struct text_spot spot_of(const struct text *text, const struct piece *piece,
                                enum text_hold hold, double max_h)
{
    return (struct text_spot){ .hold = hold, .size = font_size(text, &piece->style),
                               .middle = text_middle(text, &piece->style),
                               .max_h = is_tall(text, piece, max_h) ? max_h : 0.0 };
}

void text_draw_line(const struct text *text, cairo_t *cr, const struct piece *piece,
                    enum text_hold hold, double x, double y, double max_h)
{
    if (is_placed(text, piece)) {
        struct text_spot spot = spot_of(text, piece, hold, max_h);

        spot.x = x;
        spot.y = y;
        text_place(text, cr, piece, &spot);
        return;
    }
    cairo_save(cr);
    cairo_translate(cr, x, y);
    draw_text_show(text, cr, piece, max_h);
    cairo_restore(cr);
}

void text_draw_rotated(const struct text *text, cairo_t *cr, const struct piece *piece,
                       enum text_hold hold, double x, double y, double max_h)
{
    cairo_matrix_t quarter;

    if (is_placed(text, piece)) {
        struct text_spot spot = spot_of(text, piece, hold, max_h);

        spot.x = x;
        spot.y = y + piece->w;
        spot.turned = true;
        text_place(text, cr, piece, &spot);
        return;
    }
    cairo_matrix_init(&quarter, 0.0, -1.0, 1.0, 0.0, x, y + piece->w);
    cairo_save(cr);
    cairo_transform(cr, &quarter);
    draw_text_show(text, cr, piece, max_h);
    cairo_restore(cr);
}

void text_draw_paragraph(const struct text *text, cairo_t *cr, const struct piece *piece,
                         double x, double y)
{
    double gray = piece->style.gray;

    if (piece->boxes > 0) {
        text_draw_line(text, cr, piece, TEXT_LEFT, x, y + piece->up, piece->h);
        return;
    }
    if (is_placed(text, piece)) {
        text_place_lines(text, cr, piece, font_size(text, &piece->style), x, y);
        return;
    }
    cairo_set_source_rgb(cr, gray, gray, gray);
    cairo_move_to(cr, x, y);
    pango_cairo_show_layout(cr, piece->layout);
}

/* ---- what could not be drawn ---- */

int text_check(const struct text *text, const char *name, struct err *e)
{
    if (text->bad_font == NULL)
        return 0;
    return err_set(e, ERR_SYSTEM, "%s: cannot be drawn: the font %s cannot be opened", name,
                   text->bad_font);
}

void text_warn(const struct text *text, const struct warn *warn)
{
    char first[5] = "", list[128] = "";

    if (text->n_missing == 0)
        return;
    if (text->no_font) {
        err_warn(warn, "no font is installed: text is drawn as boxes; install one "
                 "(Debian: fonts-dejavu-core)");
        return;
    }
    first[utf8_encode(text->first_missing, first)] = '\0';
    for (int i = 0; label_packages[i] != NULL; i++)
        if (text->packages >> i & 1) {
            strcat(list, list[0] != '\0' ? ", " : "");
            strcat(list, label_packages[i]);
        }
    err_warn(warn, "no installed font has %d of the characters (first: U+%04X %s); "
             "they are drawn as boxes: install one (Debian: %s)", text->n_missing,
             (unsigned)text->first_missing, first, list);
}
