/* SPDX-License-Identifier: MIT
 * A page of any format to draw on; cairo's errors are seen once, at the commit. */
#include "draw/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "base/lack.h"
#include "base/system.h"
#include "draw/image.h"
#include "draw/png.h"
#include "draw/svg.h"

static const int SIDE_MAX = 32000, AREA_MAX = 400000000;

/* Writing goes on after an error: the file remembers it until the commit. */
static cairo_status_t put_file(void *self, const unsigned char *data, unsigned n)
{
    fwrite(data, 1, n, self);
    return CAIRO_STATUS_SUCCESS;
}

/* A png_put. */
static void buffer_put(void *self, const void *data, size_t n)
{
    struct buffer *buffer = self;

    if (buffer->full || n == 0)
        return;
    if (buffer->n + n > buffer->cap) {
        size_t cap = 2 * (buffer->n + n) + 4096;
        char *grown = realloc(buffer->data, cap);

        if (grown == NULL) {
            buffer->full = true;
            return;
        }
        buffer->data = grown;
        buffer->cap = cap;
    }
    memcpy(buffer->data + buffer->n, data, n);
    buffer->n += n;
}

static cairo_status_t put_buffer(void *self, const unsigned char *data, unsigned n)
{
    struct buffer *buffer = self;

    buffer_put(buffer, data, n);
    return buffer->full ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static const char *clean_text(const struct page *page, const char *s)
{
    return label_clean(page->arena, s, strlen(s), LABEL_TEXT_CHARS);
}

/* What a PDF calls some of the metadata; the rest are its keywords. */
static const struct pdf_name {
    const char *key;
    cairo_pdf_metadata_t name;
} pdf_names[] = {
    { "Software", CAIRO_PDF_METADATA_CREATOR },
    { "mha-viz:command", CAIRO_PDF_METADATA_SUBJECT },
};

enum { N_PDF_NAMES = sizeof pdf_names / sizeof *pdf_names };

static void set_pdf(const struct page *page, cairo_pdf_metadata_t name, const char *value)
{
    cairo_pdf_surface_set_metadata(page->surface, name, label_clean_value(page->arena, value));
}

static const struct pdf_name *pdf_name(const char *key)
{
    for (int i = 0; i < N_PDF_NAMES; i++)
        if (strcmp(key, pdf_names[i].key) == 0)
            return &pdf_names[i];
    return NULL;
}

/* No date: the same sheet is to be the same bytes tomorrow. */
static void describe_pdf(const struct page *page)
{
    const struct sheet *sheet = page->sheet;
    const char *keywords = "";

    set_pdf(page, CAIRO_PDF_METADATA_CREATE_DATE, "");
    if (sheet->title != NULL)
        set_pdf(page, CAIRO_PDF_METADATA_TITLE, clean_text(page, sheet->title));
    for (const struct metadata *metadata = sheet->metadata;
         metadata != NULL && metadata->key != NULL; metadata++) {
        const struct pdf_name *name = pdf_name(metadata->key);

        if (name != NULL)
            set_pdf(page, name->name, metadata->value);
        else if (sheet->title == NULL && strcmp(metadata->key, "mha-viz:model") == 0)
            set_pdf(page, CAIRO_PDF_METADATA_TITLE, metadata->value);
        if (name == NULL)
            keywords = arena_printf(page->arena, "%s%s%s: %s", keywords,
                                    keywords[0] != '\0' ? "; " : "", metadata->key,
                                    label_clean_value(page->arena, metadata->value));
    }
    if (keywords[0] != '\0')
        set_pdf(page, CAIRO_PDF_METADATA_KEYWORDS, keywords);
}

/* Far more memory than all else of a picture, and cairo says so where there is none. */
static cairo_surface_t *new_pixels(int width, int height)
{
    cairo_surface_t *surface;

    lack_hear(true);
    surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    lack_hear(false);
    system_huge_pages(cairo_image_surface_get_data(surface),
                      (size_t)cairo_image_surface_get_stride(surface) *
                      (size_t)cairo_image_surface_get_height(surface));
    return surface;
}

static cairo_surface_t *new_surface(struct page *page, double width, double height)
{
    cairo_surface_t *surface;

    switch (page->format) {
    case DRAW_SVG:
        surface = cairo_svg_surface_create_for_stream(put_buffer, &page->svg, width, height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        return surface;
    case DRAW_PDF:
        return cairo_pdf_surface_create_for_stream(put_file, page->file, width, height);
    default:
        return new_pixels(page->width, page->height);
    }
}

/* Units of the page for a pixel at 100 dpi: a PDF counts 72 to the inch. */
static double unit(const struct sheet *sheet, enum draw_format format)
{
    return format == DRAW_PNG ? sheet->dpi / 100.0 : format == DRAW_PDF ? 0.72 : 1.0;
}

void page_init(struct page *page, const struct sheet *sheet, enum draw_format format,
               struct arena *a)
{
    *page = (struct page){ .sheet = sheet, .format = format, .arena = a,
                           .vector = format != DRAW_PNG };
    page->units = (struct units){ unit(sheet, format), format != DRAW_PDF };
    text_init(&page->text, a, sheet->font, page->units.px, page->vector);
    page->text.base_px = sheet->font_px;
    if (format == DRAW_SVG && !sheet->outlines)
        page->text.places = &page->places;
}

int page_check(double width, double height, const char *name, struct err *e)
{
    if (width > SIDE_MAX || height > SIDE_MAX || width * height > AREA_MAX)
        return err_set(e, ERR_USAGE, "%s: a picture of %.0f x %.0f pixels, expected at "
                       "most %d on a side and %d million in all", name, width, height,
                       SIDE_MAX, AREA_MAX / 1000000);
    return 0;
}

int page_open(struct page *page, double width, double height, FILE *file, const char *name,
              struct err *e)
{
    page->width = (int)ceil(width);
    page->height = (int)ceil(height);
    page->file = file;
    page->surface = new_surface(page, width, height);
    page->cr = cairo_create(page->surface);
    if (cairo_status(page->cr) != CAIRO_STATUS_SUCCESS)
        return err_set(e, ERR_SYSTEM, "%s: no memory for a picture of %d x %d pixels",
                       name, page->width, page->height);
    if (page->format == DRAW_PDF)
        describe_pdf(page);
    cairo_set_source_rgb(page->cr, 1.0, 1.0, 1.0);
    cairo_paint(page->cr);
    return 0;
}

/* A png_put. */
static void put_out(void *self, const void *data, size_t n)
{
    fwrite(data, 1, n, self);
}

static int write_png(const struct page *page)
{
    if (page->shown == NULL)
        return png_page(page, put_out, page->file);
    return page->shown->way == TERMINAL_KITTY ? image_kitty(page, page->file) :
           image_sixel(page, page->file);
}

int page_commit(struct page *page, const char *name, struct err *e)
{
    cairo_status_t drawn = cairo_status(page->cr);
    int written = 0;

    if (text_check(&page->text, name, e) != 0)
        return -1;
    if (page->format == DRAW_PNG) {
        cairo_surface_flush(page->surface);
        written = write_png(page);
    } else {
        cairo_surface_finish(page->surface);
    }
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = page->failed;
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_status(page->surface);
    if (page->format == DRAW_SVG)
        buffer_put(&page->svg, "", 1);     /* searched as a string */
    if (drawn == CAIRO_STATUS_SUCCESS && page->svg.full)
        drawn = CAIRO_STATUS_NO_MEMORY;
    if (drawn != CAIRO_STATUS_SUCCESS || written != 0)
        return err_set(e, ERR_SYSTEM, "%s: cannot be drawn: %s", name,
                       written != 0 ? "no memory" : cairo_status_to_string(drawn));
    if (page->format == DRAW_SVG)
        svg_write(page, page->file);
    return 0;
}

void page_finish(struct page *page)
{
    if (page->cr != NULL)
        cairo_destroy(page->cr);
    if (page->surface != NULL)
        cairo_surface_destroy(page->surface);
    free(page->svg.data);
    text_finish(&page->text);
    *page = (struct page){ .cr = NULL };
}

/* Below the axis a single Han character is not turned, and takes a line; the box of one that no
 * font has is too wide for that. */
static void add_label(struct page *page, struct page_labels *labels, int token,
                      const struct style *style, const char *clean)
{
    const struct piece *piece = text_line(&page->text, style, clean);
    double line = text_line_height(&page->text, style);
    bool upright = style->rotated && label_is_upright(clean) && text_width(piece) <= line;
    struct style own = *style;

    own.rotated = style->rotated && !upright;
    labels->piece[labels->n] = upright ? text_line(&page->text, &own, clean) : piece;
    labels->longest = fmax(labels->longest, upright ? line : text_width(piece));
    labels->span[labels->n] = 1;
    labels->token[labels->n++] = token;
}

static struct page_labels new_labels(struct page *page, long n)
{
    return (struct page_labels){
        .piece = arena_alloc(page->arena, (size_t)n, sizeof(struct piece *)),
        .token = arena_alloc(page->arena, (size_t)n, sizeof(int)),
        .span = arena_alloc(page->arena, (size_t)n, sizeof(int)),
    };
}

double page_label_middle(const struct page_labels *labels, int i)
{
    return labels->token[i] + labels->span[i] / 2.0;
}

/* The first of the tokens that share a label. */
static long draw_page_first_of(const struct label_list *list, long i)
{
    while (list->span != NULL && i > 0 && list->span[i] == 0)
        i--;
    return i;
}

struct page_labels page_labels(struct page *page, const struct label_list *list, long n,
                               long step, const struct style *style)
{
    struct page_labels labels = new_labels(page, n / step + 1);
    int most = style->max_w > 0.0 ? LABEL_MOST_CHARS : LABEL_CHARS;
    long last = -1;

    for (long i = 0; i < n; i += step) {
        long first = draw_page_first_of(list, i);

        if (first == last)
            continue;
        last = first;
        add_label(page, &labels, (int)i, style,
                  label_clean(page->arena, list->text[i], label_size(list, (int)i), most));
        if (step == 1 && list->span != NULL)
            labels.span[labels.n - 1] = list->span[i];
    }
    return labels;
}

struct page_labels page_positions(struct page *page, const struct label_list *list, long n,
                                  int step, const struct style *style)
{
    struct page_labels labels = new_labels(page, n + 1);

    for (long i = 0; i < n; i++) {
        int position = list->position != NULL ? list->position[i] : (int)i;

        if (position % step == 0)
            add_label(page, &labels, (int)i, style, arena_printf(page->arena, "%d", position));
    }
    return labels;
}

double page_snap(const struct page *page, double at)
{
    return page->vector ? at : round(at);
}

cairo_surface_t *page_layer(const struct page *page, double width, double height)
{
    cairo_rectangle_t all = { 0.0, 0.0, width, height };
    cairo_surface_t *layer = page->format == DRAW_PNG ?
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(width), (int)ceil(height)) :
        cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &all);

    text_forget(&page->text, layer);
    return layer;
}

void page_layer_paint(struct page *page, cairo_surface_t *layer, double x, double y)
{
    cairo_set_source_surface(page->cr, layer, x, y);
    cairo_paint(page->cr);
    text_repeat(&page->text, layer, page->surface, x, y);
}

void page_layer_done(struct page *page, cairo_t *cr)
{
    if (page->failed == CAIRO_STATUS_SUCCESS)
        page->failed = cairo_status(cr);
    cairo_destroy(cr);
}

/* The whole rectangle: cells will cover it, without a gap between. */
void page_frame(struct page *page, struct box at, double line)
{
    cairo_set_source_rgb(page->cr, 0.5, 0.5, 0.5);
    cairo_rectangle(page->cr, at.x - line, at.y - line, at.w + 2.0 * line,
                    at.h + 2.0 * line);
    cairo_fill(page->cr);
}

void page_note(struct page *page, struct box at, const char *clean)
{
    struct page_notes *all = &page->notes;

    if (page->format != DRAW_SVG)
        return;
    if (all->n == all->cap) {
        size_t cap = 2 * all->cap + 64;

        all->note = arena_grow(page->arena, all->note, all->n, cap, sizeof *all->note);
        all->cap = cap;
    }
    all->note[all->n++] = (struct page_note){ at, clean };
}

/* ---- cells ---- */

static uint32_t colour(const struct cmap *cmap, int index)
{
    const unsigned char *c;

    if (index == CELL_MASKED)
        return CMAP_MASKED * 0x010101u;
    c = cmap_colour(cmap, index);
    return (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];
}

/* rows x cols cells to w x h pixels of a surface in memory, the cell of a pixel
 * being the one in which its upper left corner lies. */
static void fill_pixels(cairo_surface_t *s, const struct cmap *cmap,
                        const unsigned short *index, int rows, int cols, int x0,
                        int y0, int w, int h)
{
    size_t stride = (size_t)cairo_image_surface_get_stride(s);
    unsigned char *data = cairo_image_surface_get_data(s);
    uint32_t *above = NULL;
    int last = -1;

    if (data == NULL)
        return;
    cairo_surface_flush(s);
    for (int y = 0; y < h; y++) {
        uint32_t *px = (uint32_t *)(void *)(data + (size_t)(y0 + y) * stride) + x0;
        int row = (int)((long long)y * rows / h);
        const unsigned short *at = index + (size_t)row * (size_t)cols;

        if (row == last)
            memcpy(px, above, (size_t)w * sizeof *px);
        else
            for (int x = 0; x < w; x++)
                px[x] = colour(cmap, at[(long long)x * cols / w]);
        above = px;
        last = row;
    }
    cairo_surface_mark_dirty(s);
}

static void free_data(void *data)
{
    free(data);
}

/*
 * An SVG takes the cells as a palette PNG instead of cairo's own.  It has as many
 * pixels as the picture at 100 dpi, since some viewers (librsvg) smooth images: at that
 * size at least cells are crisp.
 */
static void attach_png(struct page *page, cairo_surface_t *s, const struct cmap *cmap,
                       const unsigned short *index, int rows, int cols, struct box at)
{
    struct buffer buffer = { .data = NULL };
    int times = (int)fmax(fmin(at.w / cols, at.h / rows), 1.0);

    if (png_cells(index, rows, cols, times, cmap, buffer_put, &buffer) == 0 && !buffer.full &&
        cairo_surface_set_mime_data(s, CAIRO_MIME_TYPE_PNG, (void *)buffer.data, buffer.n,
                                    free_data, buffer.data) == CAIRO_STATUS_SUCCESS)
        return;
    free(buffer.data);
    page->failed = CAIRO_STATUS_NO_MEMORY;
}

/* One pixel per cell, scaled up without smoothing. */
static void paint_cells(struct page *page, const struct cmap *cmap,
                        const unsigned short *index, int rows, int cols, struct box at)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, cols, rows);

    fill_pixels(surface, cmap, index, rows, cols, 0, 0, cols, rows);
    if (page->format == DRAW_SVG)
        attach_png(page, surface, cmap, index, rows, cols, at);
    cairo_save(page->cr);
    cairo_translate(page->cr, at.x, at.y);
    cairo_scale(page->cr, at.w / cols, at.h / rows);
    cairo_set_source_surface(page->cr, surface, 0.0, 0.0);
    cairo_pattern_set_filter(cairo_get_source(page->cr), CAIRO_FILTER_NEAREST);
    cairo_paint(page->cr);
    cairo_restore(page->cr);
    cairo_surface_destroy(surface);
}

void page_cells(struct page *page, const struct cmap *cmap, const unsigned short *index,
                int n_rows, int n_cols, struct box at)
{
    if (at.w <= 0 || at.h <= 0)
        return;
    if (page->format == DRAW_PNG)
        fill_pixels(page->surface, cmap, index, n_rows, n_cols, (int)at.x, (int)at.y,
                    (int)at.w, (int)at.h);
    else
        paint_cells(page, cmap, index, n_rows, n_cols, at);
}

/* Half transparent, and so premultiplied, or opaque. */
static void fill_grey(cairo_surface_t *s, const struct page_picture *picture)
{
    size_t stride = (size_t)cairo_image_surface_get_stride(s);
    unsigned char *data = cairo_image_surface_get_data(s);

    if (data == NULL)
        return;
    cairo_surface_flush(s);
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            const unsigned char *in = picture->rgb +
                                      ((size_t)y * (size_t)picture->width + (size_t)x) * 3;
            /* Luma of ITU-R 601, in 1000 */
            uint32_t grey = (299u * in[0] + 587u * in[1] + 114u * in[2]) / 1000u;
            uint32_t *out = (uint32_t *)(void *)(data + (size_t)y * stride) + x;

            *out = picture->strip > 0 ? 0xff000000u | grey * 0x010101u :
                                        0x80000000u | grey / 2u * 0x010101u;
        }
    cairo_surface_mark_dirty(s);
}

void page_grey(struct page *page, const struct page_picture *picture, struct box at)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, picture->width,
                                                          picture->height);

    fill_grey(surface, picture);
    cairo_save(page->cr);
    cairo_rectangle(page->cr, at.x, at.y, at.w, at.h);
    cairo_clip(page->cr);
    cairo_translate(page->cr, at.x, at.y);
    cairo_scale(page->cr, at.w / picture->width, at.h / picture->height);
    cairo_set_source_surface(page->cr, surface, 0.0, 0.0);
    cairo_pattern_set_extend(cairo_get_source(page->cr), CAIRO_EXTEND_PAD);
    cairo_paint(page->cr);
    cairo_restore(page->cr);
    cairo_surface_destroy(surface);
}
