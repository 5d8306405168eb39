/* SPDX-License-Identifier: MIT
 * Pixels of a page -> escape sequences of terminals (kitty graphics, sixel). */
#include "draw/image.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "draw/png.h"

/* ---- kitty ---- */

enum { PIECE = 3072 };          /* bytes: 4096 letters */

struct pieces {
    FILE *file;
    bool begun;
    size_t n;
    unsigned char byte[PIECE];
};

/* q=2: the terminal does not answer. */
static void end_piece(struct pieces *pieces, bool more)
{
    fprintf(pieces->file, pieces->begun ? "\033_Gm=%d;" : "\033_Ga=T,f=100,q=2,m=%d;", more);
    base64_write(pieces->file, pieces->byte, pieces->n);
    fputs("\033\\", pieces->file);
    pieces->begun = true;
    pieces->n = 0;
}

static void image_put(void *self, const void *data, size_t n)
{
    struct pieces *p = self;
    const unsigned char *byte = data;

    for (size_t i = 0; i < n; i++) {
        if (p->n == PIECE)
            end_piece(p, true);
        p->byte[p->n++] = byte[i];
    }
}

int image_kitty(const struct page *page, FILE *file)
{
    struct pieces pieces = { .file = file };

    if (png_page(page, image_put, &pieces) != 0)
        return -1;
    end_piece(&pieces, false);
    putc('\n', file);
    return 0;
}

/* ---- sixel: which colours ---- */

enum { PALETTE = 256, BAND = 6 };

struct colour { uint32_t rgb; int n; int place; };      /* n pixels; place in the palette */

struct palette {
    struct colour *colour;      /* [n] of the picture, by their rgb */
    int n;
    uint32_t rgb[PALETTE];
    int n_places;
};

static int by_rgb(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return a < b ? -1 : a > b;
}

static int by_count(const void *x, const void *y)
{
    const struct colour *a = *(struct colour *const *)x, *b = *(struct colour *const *)y;

    return a->n != b->n ? (a->n > b->n ? -1 : 1) : by_rgb(&a->rgb, &b->rgb);
}

static uint32_t pixel(const struct page *page, int x, int y)
{
    const unsigned char *data = cairo_image_surface_get_data(page->surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(page->surface);
    uint32_t value;

    memcpy(&value, data + (size_t)y * stride + 4 * (size_t)x, sizeof value);
    return value & 0xffffff;
}

static void count_colours(const struct page *page, struct palette *palette)
{
    size_t n = (size_t)page->width * (size_t)page->height;
    uint32_t *all = arena_alloc_raw(page->arena, n, sizeof *all);

    for (size_t i = 0; i < n; i++)
        all[i] = pixel(page, (int)(i % (size_t)page->width), (int)(i / (size_t)page->width));
    qsort(all, n, sizeof *all, by_rgb);
    for (size_t i = 0; i < n; i++)
        palette->n += i == 0 || all[i] != all[i - 1];
    palette->colour = arena_alloc(page->arena, (size_t)palette->n, sizeof *palette->colour);
    for (size_t i = 0, k = 0; i < n; i++) {
        k += i > 0 && all[i] != all[i - 1];
        palette->colour[k].rgb = all[i];
        palette->colour[k].n++;
    }
}

static int image_distance(uint32_t x, uint32_t y)
{
    int sum = 0;

    for (int shift = 0; shift < 24; shift += 8) {
        int by = (int)(x >> shift & 255) - (int)(y >> shift & 255);

        sum += by * by;
    }
    return sum;
}

static int image_nearest(const struct palette *palette, uint32_t rgb)
{
    int best = 0, least = INT_MAX;

    for (int i = 0; i < palette->n_places; i++) {
        int far = image_distance(palette->rgb[i], rgb);

        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

static void choose_palette(const struct page *page, struct palette *palette)
{
    struct colour **order;

    count_colours(page, palette);
    order = arena_alloc(page->arena, (size_t)palette->n, sizeof(struct colour *));
    for (int i = 0; i < palette->n; i++)
        order[i] = &palette->colour[i];
    qsort(order, (size_t)palette->n, sizeof(struct colour *), by_count);
    for (int i = 0; i < palette->n && i < PALETTE; i++)
        palette->rgb[palette->n_places++] = order[i]->rgb;
    for (int i = 0; i < palette->n; i++)
        order[i]->place = i < PALETTE ? i : image_nearest(palette, order[i]->rgb);
}

/* ---- sixel: the picture ---- */

static int image_place_of(const struct palette *palette, uint32_t rgb)
{
    const struct colour *found = bsearch(&rgb, palette->colour, (size_t)palette->n,
                                         sizeof *palette->colour, by_rgb);

    return found->place;
}

/* In hundredths. */
static void write_palette(const struct palette *palette, FILE *file)
{
    for (int i = 0; i < palette->n_places; i++) {
        unsigned rgb = palette->rgb[i];

        fprintf(file, "#%d;2;%u;%u;%u", i, ((rgb >> 16) * 100 + 127) / 255,
                ((rgb >> 8 & 255) * 100 + 127) / 255, ((rgb & 255) * 100 + 127) / 255);
    }
}

static void write_run(int n, int bits, FILE *file)
{
    char letter = (char)('?' + bits);

    if (n > 3)
        fprintf(file, "!%d", n);
    for (int i = 0; i < (n > 3 ? 1 : n); i++)
        putc(letter, file);
}

/* What one colour has of six rows, place [BAND, width]. */
static void write_colour(const unsigned char *place, int width, int rows, int colour, FILE *file)
{
    int run = 0, last = 0;

    fprintf(file, "#%d", colour);
    for (int x = 0; x < width; x++) {
        int bits = 0;

        for (int y = 0; y < rows; y++)
            bits |= (place[y * width + x] == colour) << y;
        if (bits != last && run > 0) {
            write_run(run, last, file);
            run = 0;
        }
        last = bits;
        run++;
    }
    if (last != 0)
        write_run(run, last, file);
    putc('$', file);
}

static void write_band(const unsigned char *place, int width, int rows, FILE *file)
{
    bool used[PALETTE] = { false };

    for (int i = 0; i < width * rows; i++)
        used[place[i]] = true;
    for (int i = 0; i < PALETTE; i++)
        if (used[i])
            write_colour(place, width, rows, i, file);
    putc('-', file);
}

int image_sixel(const struct page *page, FILE *file)
{
    struct palette palette = { .n = 0 };
    unsigned char *place = arena_alloc_raw(page->arena, BAND, (size_t)page->width);

    choose_palette(page, &palette);
    fprintf(file, "\033Pq\"1;1;%d;%d", page->width, page->height);
    write_palette(&palette, file);
    for (int top = 0; top < page->height; top += BAND) {
        int rows = page->height - top < BAND ? page->height - top : BAND;

        for (int i = 0; i < rows * page->width; i++)
            place[i] = (unsigned char)image_place_of(&palette, pixel(page, i % page->width,
                                                                     top + i / page->width));
        write_band(place, page->width, rows, file);
    }
    fputs("\033\\\n", file);
    return 0;
}
