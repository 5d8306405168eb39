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

static int writer_init(struct writer *writer, size_t row_size, png_put *put, void *self)
{
    *writer = (struct writer){ .put = put, .self = self };
    writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error,
                                          on_warning);
    if (writer->png != NULL)
        writer->info = png_create_info_struct(writer->png);
    writer->row = malloc(row_size);
    return writer->info != NULL && writer->row != NULL ? 0 : -1;
}

static void writer_finish(struct writer *writer)
{
    if (writer->png != NULL)
        png_destroy_write_struct(&writer->png, &writer->info);
    free(writer->row);
}

static void draw_png_begin(struct writer *writer, int width, int height, int colour_type)
{
    png_set_write_fn(writer->png, writer, on_data, on_flush);
    png_set_IHDR(writer->png, writer->info, (png_uint_32)width, (png_uint_32)height, 8,
                 colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(writer->png, 3);
    png_set_compression_mem_level(writer->png, 5);   /* small tables: quicker to shift */
    png_set_filter(writer->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE | PNG_FILTER_UP);
}

/*
 * same: writer->row is what the row above was.  The first row goes out as draw_png_begin() said,
 * or libpng would not keep the row above.
 */
static void write_row(struct writer *writer, int y, bool same)
{
    if (y > 0)
        png_set_filter(writer->png, PNG_FILTER_TYPE_BASE,
                       same ? PNG_FILTER_UP : PNG_FILTER_NONE);
    png_write_row(writer->png, writer->row);
}

/* ---- a page ---- */

static void add_metadata(struct writer *writer, const struct page *page)
{
    for (const struct metadata *metadata = page->sheet->metadata;
         metadata != NULL && metadata->key != NULL; metadata++) {
        png_text item = {
            .compression = PNG_ITXT_COMPRESSION_NONE,
            .key = (png_charp)(uintptr_t)metadata->key,
            .text = (png_charp)(uintptr_t)label_clean_value(page->arena, metadata->value),
            .lang = (char[]){ "" }, .lang_key = (char[]){ "" }
        };

        item.itxt_length = strlen(item.text);
        png_set_text(writer->png, writer->info, &item, 1);
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

static int write_page(struct writer *writer, const struct page *page)
{
    const unsigned char *data = cairo_image_surface_get_data(page->surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(page->surface);
    png_uint_32 per_metre = (png_uint_32)(page->sheet->dpi / 0.0254 + 0.5);

    if (setjmp(png_jmpbuf(writer->png)) != 0)
        return -1;
    draw_png_begin(writer, page->width, page->height, PNG_COLOR_TYPE_RGB);
    png_set_pHYs(writer->png, writer->info, per_metre, per_metre, PNG_RESOLUTION_METER);
    add_metadata(writer, page);
    png_write_info(writer->png, writer->info);
    for (int y = 0; y < page->height; y++) {
        const unsigned char *row = data + (size_t)y * stride;
        bool same = y > 0 && memcmp(row, row - stride, 4 * (size_t)page->width) == 0;

        if (!same)
            unpack(writer->row, (const uint32_t *)(const void *)row, page->width);
        write_row(writer, y, same);
    }
    png_write_end(writer->png, NULL);
    return 0;
}

int png_page(const struct page *page, png_put *put, void *self)
{
    struct writer writer;
    int bad = writer_init(&writer, 3 * (size_t)page->width, put, self);

    if (bad == 0)
        bad = write_page(&writer, page);
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

static void find_palette(struct cells *cells, const struct cmap *cmap)
{
    size_t count = (size_t)cells->rows * (size_t)cells->cols;

    for (int i = 0; i < CELL_MASKED; i++) {
        const unsigned char *rgb = cmap_colour(cmap, i);

        cells->colour[i] = (png_color){ rgb[0], rgb[1], rgb[2] };
    }
    cells->colour[CELL_MASKED] = (png_color){ CMAP_MASKED, CMAP_MASKED, CMAP_MASKED };
    memset(cells->place, -1, sizeof cells->place);
    for (size_t i = 0; i < count; i++)
        cells->place[cells->index[i]] = 0;
    for (int i = 0; i <= CELL_MASKED; i++)
        if (cells->place[i] == 0) {
            cells->place[i] = cells->n;
            cells->palette[cells->n++] = cells->colour[i];
        }
}

/* 257 colours, all of the map and the masked one, do not fit a palette. */
static bool has_palette(const struct cells *cells)
{
    return cells->n <= 256;
}

static void cell_row(unsigned char *row, const struct cells *cells, int y)
{
    const unsigned short *at = cells->index + (size_t)y * (size_t)cells->cols;

    for (int x = 0; x < cells->cols; x++)
        for (int i = 0; i < cells->times; i++)
            if (has_palette(cells)) {
                *row++ = (unsigned char)cells->place[at[x]];
            } else {
                memcpy(row, &cells->colour[at[x]], 3);
                row += 3;
            }
}

static int write_cells(struct writer *writer, const struct cells *cells)
{
    if (setjmp(png_jmpbuf(writer->png)) != 0)
        return -1;
    draw_png_begin(writer, cells->cols * cells->times, cells->rows * cells->times,
                   has_palette(cells) ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB);
    if (has_palette(cells))
        png_set_PLTE(writer->png, writer->info, cells->palette, cells->n);
    png_write_info(writer->png, writer->info);
    for (int y = 0; y < cells->rows * cells->times; y++) {
        if (y % cells->times == 0)
            cell_row(writer->row, cells, y / cells->times);
        write_row(writer, y, y % cells->times != 0);
    }
    png_write_end(writer->png, NULL);
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
