/* SPDX-License-Identifier: MIT
 * Pixels to PNG through libpng: zlib level 3 (as fast as 1 and a fifth smaller;
 * 6 takes twice as long) and no row filters, except that a row like the one
 * above is sent as its difference from that row, zeros.
 *
 * libpng reports errors by a jump.  So each function that calls it after setjmp
 * owns no variable that it changes there. */
#include "draw/png.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "draw/label.h"

struct writer {
    png_structp png;
    png_infop info;
    png_put *put;
    void *self;
    unsigned char *row;             /* 3 bytes per pixel, or 1 */
};

static void on_error(png_structp png, png_const_charp msg)
{
    (void)msg;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp msg)
{
    (void)png;
    (void)msg;
}

static void on_data(png_structp png, png_bytep data, size_t n)
{
    struct writer *writer = png_get_io_ptr(png);

    writer->put(writer->self, data, n);
}

static void on_flush(png_structp png)
{
    (void)png;
}

static int writer_init(struct writer *w, size_t row_size, png_put *put, void *self)
{
    *w = (struct writer){ .put = put, .self = self };
    w->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error,
                                     on_warning);
    if (w->png != NULL)
        w->info = png_create_info_struct(w->png);
    w->row = malloc(row_size);
    return w->info != NULL && w->row != NULL ? 0 : -1;
}

static void writer_finish(struct writer *w)
{
    if (w->png != NULL)
        png_destroy_write_struct(&w->png, &w->info);
    free(w->row);
}

static void draw_png_begin(struct writer *w, int width, int height, int colour_type)
{
    png_set_write_fn(w->png, w, on_data, on_flush);
    png_set_IHDR(w->png, w->info, (png_uint_32)width, (png_uint_32)height, 8,
                 colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(w->png, 3);
    png_set_compression_mem_level(w->png, 5);   /* small tables: quicker to shift */
    png_set_filter(w->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE | PNG_FILTER_UP);
}

/*
 * same: w->row is what the row above was.  The first row goes out as draw_png_begin() said,
 * or libpng would not keep the row above.
 */
static void write_row(struct writer *w, int y, bool same)
{
    if (y > 0)
        png_set_filter(w->png, PNG_FILTER_TYPE_BASE,
                       same ? PNG_FILTER_UP : PNG_FILTER_NONE);
    png_write_row(w->png, w->row);
}

/* ---- a page ---- */

static void add_metadata(struct writer *w, const struct page *p)
{
    for (const struct metadata *metadata = p->sheet->metadata;
         metadata != NULL && metadata->key != NULL; metadata++) {
        png_text item = {
            .compression = PNG_ITXT_COMPRESSION_NONE,
            .key = (png_charp)(uintptr_t)metadata->key,
            .text = (png_charp)(uintptr_t)label_clean_value(p->arena, metadata->value),
            .lang = (char[]){ "" }, .lang_key = (char[]){ "" }
        };

        item.itxt_length = strlen(item.text);
        png_set_text(w->png, w->info, &item, 1);
    }
}

/* Native words 0x00RRGGBB to bytes. */
static void unpack(unsigned char *row, const uint32_t *px, int n)
{
    for (int x = 0; x < n; x++, row += 3) {
        row[0] = (unsigned char)(px[x] >> 16);
        row[1] = (unsigned char)(px[x] >> 8);
        row[2] = (unsigned char)px[x];
    }
}

static int write_page(struct writer *w, const struct page *p)
{
    const unsigned char *data = cairo_image_surface_get_data(p->surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(p->surface);
    png_uint_32 per_metre = (png_uint_32)(p->sheet->dpi / 0.0254 + 0.5);

    if (setjmp(png_jmpbuf(w->png)) != 0)
        return -1;
    draw_png_begin(w, p->width, p->height, PNG_COLOR_TYPE_RGB);
    png_set_pHYs(w->png, w->info, per_metre, per_metre, PNG_RESOLUTION_METER);
    add_metadata(w, p);
    png_write_info(w->png, w->info);
    for (int y = 0; y < p->height; y++) {
        const unsigned char *row = data + (size_t)y * stride;
        bool same = y > 0 && memcmp(row, row - stride, 4 * (size_t)p->width) == 0;

        if (!same)
            unpack(w->row, (const uint32_t *)(const void *)row, p->width);
        write_row(w, y, same);
    }
    png_write_end(w->png, NULL);
    return 0;
}

int png_page(const struct page *p, png_put *put, void *self)
{
    struct writer writer;
    int bad = writer_init(&writer, 3 * (size_t)p->width, put, self);

    if (bad == 0)
        bad = write_page(&writer, p);
    writer_finish(&writer);
    return bad;
}

/* ---- cells alone ---- */

struct cells {
    const unsigned short *index;
    int rows, cols, times;                  /* times: pixels per cell */
    png_color colour[CELL_MASKED + 1];      /* of an index */
    int place[CELL_MASKED + 1];             /* in the palette; -1: not used */
    png_color palette[CELL_MASKED + 1];
    int n;                                  /* colours used */
};

static void find_palette(struct cells *c, const struct cmap *cmap)
{
    size_t count = (size_t)c->rows * (size_t)c->cols;

    for (int i = 0; i < CELL_MASKED; i++) {
        const unsigned char *rgb = cmap_colour(cmap, i);

        c->colour[i] = (png_color){ rgb[0], rgb[1], rgb[2] };
    }
    c->colour[CELL_MASKED] = (png_color){ CMAP_MASKED, CMAP_MASKED, CMAP_MASKED };
    memset(c->place, -1, sizeof c->place);
    for (size_t i = 0; i < count; i++)
        c->place[c->index[i]] = 0;
    for (int i = 0; i <= CELL_MASKED; i++)
        if (c->place[i] == 0) {
            c->place[i] = c->n;
            c->palette[c->n++] = c->colour[i];
        }
}

/* 257 colours, all of the map and the masked one, do not fit a palette. */
static bool has_palette(const struct cells *c)
{
    return c->n <= 256;
}

static void cell_row(unsigned char *row, const struct cells *c, int y)
{
    const unsigned short *at = c->index + (size_t)y * (size_t)c->cols;

    for (int x = 0; x < c->cols; x++)
        for (int i = 0; i < c->times; i++)
            if (has_palette(c)) {
                *row++ = (unsigned char)c->place[at[x]];
            } else {
                memcpy(row, &c->colour[at[x]], 3);
                row += 3;
            }
}

static int write_cells(struct writer *w, const struct cells *c)
{
    if (setjmp(png_jmpbuf(w->png)) != 0)
        return -1;
    draw_png_begin(w, c->cols * c->times, c->rows * c->times,
                   has_palette(c) ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB);
    if (has_palette(c))
        png_set_PLTE(w->png, w->info, c->palette, c->n);
    png_write_info(w->png, w->info);
    for (int y = 0; y < c->rows * c->times; y++) {
        if (y % c->times == 0)
            cell_row(w->row, c, y / c->times);
        write_row(w, y, y % c->times != 0);
    }
    png_write_end(w->png, NULL);
    return 0;
}

int png_cells(const unsigned short *index, int n_rows, int n_cols, int times,
              const struct cmap *cmap, png_put *put, void *self)
{
    struct cells cells = { .index = index, .rows = n_rows, .cols = n_cols,
                           .times = times };
    struct writer writer;
    int bad;

    find_palette(&cells, cmap);
    bad = writer_init(&writer, (size_t)n_cols * (size_t)times *
                      (has_palette(&cells) ? 1 : 3), put, self);
    if (bad == 0)
        bad = write_cells(&writer, &cells);
    writer_finish(&writer);
    return bad;
}
