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
static void end_piece(struct pieces *p, bool more)
{
    fprintf(p->file, p->begun ? "\033_Gm=%d;" : "\033_Ga=T,f=100,q=2,m=%d;", more);
    base64_write(p->file, p->byte, p->n);
    fputs("\033\\", p->file);
    p->begun = true;
    p->n = 0;
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

int image_kitty(const struct page *p, FILE *f)
{
    struct pieces pieces = { .file = f };

    if (png_page(p, image_put, &pieces) != 0)
        return -1;
    end_piece(&pieces, false);
    putc('\n', f);
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

static uint32_t pixel(const struct page *p, int x, int y)
{
    const unsigned char *data = cairo_image_surface_get_data(p->surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(p->surface);
    uint32_t value;

    memcpy(&value, data + (size_t)y * stride + 4 * (size_t)x, sizeof value);
    return value & 0xffffff;
}

static void count_colours(const struct page *p, struct palette *palette)
{
    size_t n = (size_t)p->width * (size_t)p->height;
    uint32_t *all = arena_alloc_raw(p->arena, n, sizeof *all);

    for (size_t i = 0; i < n; i++)
        all[i] = pixel(p, (int)(i % (size_t)p->width), (int)(i / (size_t)p->width));
    qsort(all, n, sizeof *all, by_rgb);
    for (size_t i = 0; i < n; i++)
        palette->n += i == 0 || all[i] != all[i - 1];
    palette->colour = arena_alloc(p->arena, (size_t)palette->n, sizeof *palette->colour);
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

static void choose_palette(const struct page *p, struct palette *palette)
{
    struct colour **order;

    count_colours(p, palette);
    order = arena_alloc(p->arena, (size_t)palette->n, sizeof(struct colour *));
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
static void write_palette(const struct palette *palette, FILE *f)
{
    for (int i = 0; i < palette->n_places; i++) {
        unsigned rgb = palette->rgb[i];

        fprintf(f, "#%d;2;%u;%u;%u", i, ((rgb >> 16) * 100 + 127) / 255,
                ((rgb >> 8 & 255) * 100 + 127) / 255, ((rgb & 255) * 100 + 127) / 255);
    }
}

static void write_run(int n, int bits, FILE *f)
{
    char letter = (char)('?' + bits);

    if (n > 3)
        fprintf(f, "!%d", n);
    for (int i = 0; i < (n > 3 ? 1 : n); i++)
        putc(letter, f);
}

/* What one colour has of six rows, place [BAND, width]. */
static void write_colour(const unsigned char *place, int width, int rows, int colour, FILE *f)
{
    int run = 0, last = 0;

    fprintf(f, "#%d", colour);
    for (int x = 0; x < width; x++) {
        int bits = 0;

        for (int y = 0; y < rows; y++)
            bits |= (place[y * width + x] == colour) << y;
        if (bits != last && run > 0) {
            write_run(run, last, f);
            run = 0;
        }
        last = bits;
        run++;
    }
    if (last != 0)
        write_run(run, last, f);
    putc('$', f);
}

static void write_band(const unsigned char *place, int width, int rows, FILE *f)
{
    bool used[PALETTE] = { false };

    for (int i = 0; i < width * rows; i++)
        used[place[i]] = true;
    for (int i = 0; i < PALETTE; i++)
        if (used[i])
            write_colour(place, width, rows, i, f);
    putc('-', f);
}

int image_sixel(const struct page *p, FILE *f)
{
    struct palette palette = { .n = 0 };
    unsigned char *place = arena_alloc_raw(p->arena, BAND, (size_t)p->width);

    choose_palette(p, &palette);
    fprintf(f, "\033Pq\"1;1;%d;%d", p->width, p->height);
    write_palette(&palette, f);
    for (int top = 0; top < p->height; top += BAND) {
        int rows = p->height - top < BAND ? p->height - top : BAND;

        for (int i = 0; i < rows * p->width; i++)
            place[i] = (unsigned char)image_place_of(&palette, pixel(p, i % p->width,
                                                                     top + i / p->width));
        write_band(place, p->width, rows, f);
    }
    fputs("\033\\\n", f);
    return 0;
}
