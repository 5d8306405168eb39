/* SPDX-License-Identifier: MIT
 * PNG -> pixels, through libpng. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "media/format.h"

/* Deflate makes at most 1032 bytes of one. */
enum { DEFLATE_MOST = 1032, HEADER_BYTES = 33 };

struct reader {
    png_struct *png;
    png_info *info;
    struct span bytes;
    size_t at;
    bool no_memory;
    struct err *e;
    jmp_buf out;
};

/* ---- what libpng calls ---- */

static void *allocate(png_struct *png, size_t size)
{
    struct reader *r = png_get_mem_ptr(png);
    void *p = malloc(size);

    r->no_memory |= p == NULL;
    return p;
}

static void media_png_release(png_struct *png, void *p)
{
    (void)png;
    free(p);
}

static _Noreturn void media_png_fail(png_struct *png, const char *why)
{
    struct reader *r = png_get_error_ptr(png);

    if (r->no_memory)
        err_set(r->e, ERR_SYSTEM, "no memory to read the picture");
    else
        err_set(r->e, ERR_INPUT, "is no PNG that can be read: %s", why);
    longjmp(r->out, 1);
}

static void ignore(png_struct *png, const char *why)
{
    (void)png;
    (void)why;
}

static void media_png_take(png_struct *png, unsigned char *out, size_t n)
{
    struct reader *r = png_get_io_ptr(png);

    if (n > r->bytes.size - r->at)
        png_error(png, "it is cut short");
    memcpy(out, r->bytes.data + r->at, n);
    r->at += n;
}

static void close_reader(void *what)
{
    struct reader *r = what;

    png_destroy_read_struct(&r->png, &r->info, NULL);
}

/* ---- its header ---- */

static double u32_at(const unsigned char *p)
{
    return (double)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
}

/* The sides, before anything is allocated for them. */
static int read_size(struct span bytes, struct pixels *out, struct err *e)
{
    static const int channels[] = { 1, 0, 3, 1, 2, 0, 4 };
    int bits, type;

    if (bytes.size < HEADER_BYTES || memcmp(bytes.data + 12, "IHDR", 4) != 0)
        return err_set(e, ERR_INPUT, "is no PNG that can be read: it has no header");
    if (pixels_check_size(u32_at(bytes.data + 16), u32_at(bytes.data + 20), e) != 0)
        return -1;
    out->width = (int)u32_at(bytes.data + 16);
    out->height = (int)u32_at(bytes.data + 20);
    bits = bytes.data[24];
    type = bytes.data[25];
    if (type == 0 && bits == 16)
        return err_set(e, ERR_INPUT, "has 16 bits of grey, which Pillow makes white of: "
                       "expected 8");
    /* Wrong bits and types are libpng's to refuse. */
    if (type <= 6 && (double)out->width * out->height * bits * channels[type] / 8.0 >
                         (double)bytes.size * DEFLATE_MOST)
        return pixels_too_few_bytes(out->width, out->height, bytes.size, e);
    return 0;
}

/* ---- its pixels ---- */

/* All kinds to 8 bits of red, green and blue. */
static void ask_rgb(struct reader *reader)
{
    png_set_strip_16(reader->png);
    png_set_expand(reader->png);
    png_set_gray_to_rgb(reader->png);
    png_set_strip_alpha(reader->png);
    png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
}

static void keep_exif(struct reader *reader, struct arena *a, struct span *out)
{
    unsigned char *bytes, *copy;
    png_uint_32 n;

    if (png_get_eXIf_1(reader->png, reader->info, &n, &bytes) == 0)
        return;
    copy = arena_alloc_raw(a, n, 1);
    memcpy(copy, bytes, n);
    *out = (struct span){ copy, n };
}

static struct reader *open_reader(struct arena *a, struct span bytes, struct err *e)
{
    struct reader *r = arena_alloc(a, 1, sizeof *r);

    r->bytes = bytes;
    r->e = e;
    arena_own(a, close_reader, r);
    if (setjmp(r->out) != 0)
        return NULL;
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, media_png_fail, ignore, r, allocate,
                                      media_png_release);
    r->info = r->png != NULL ? png_create_info_struct(r->png) : NULL;
    if (r->info != NULL)
        return r;
    err_set(e, ERR_SYSTEM, "no memory to read the picture");
    return NULL;
}

static int media_png_read_rows(struct reader *reader, struct arena *a, struct stored *out,
                               unsigned char **row)
{
    if (setjmp(reader->out) != 0)
        return -1;
    png_set_read_fn(reader->png, reader, media_png_take);
    png_read_info(reader->png, reader->info);
    ask_rgb(reader);
    if (png_get_rowbytes(reader->png, reader->info) != (size_t)out->pixels.width * 3)
        png_error(reader->png, "its header is there twice");
    png_read_image(reader->png, row);
    png_read_end(reader->png, reader->info);
    keep_exif(reader, a, &out->exif);
    return 0;
}

int png_pixels(struct arena *a, struct span bytes, struct stored *out, struct err *e)
{
    struct reader *r;
    unsigned char **row;
    int status;

    if (read_size(bytes, &out->pixels, e) != 0)
        return -1;
    pixels_new(a, out->pixels.width, out->pixels.height, &out->pixels);
    row = arena_alloc(a, (uint64_t)out->pixels.height, sizeof(unsigned char *));
    for (int y = 0; y < out->pixels.height; y++)
        row[y] = out->pixels.rgb + (size_t)y * (size_t)out->pixels.width * 3;
    r = open_reader(a, bytes, e);
    if (r == NULL)
        return -1;
    status = media_png_read_rows(r, a, out, row);
    arena_release(a, r);
    return status;
}
