/* SPDX-License-Identifier: MIT
 * JPEG -> pixels, through libjpeg-turbo, if the build has it. */
#include "media/format.h"

#ifdef MHA_VIZ_JPEG

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

/* Pictures have some ten scans; a small file of thousands would take minutes. */
enum { SCANS_MOST = 200 };

/* A block of 64 pixels takes a bit at least, or, where arithmetic coding is used, less. */
enum { PIXELS_A_BYTE = 8 * 512 };

struct reader {
    struct jpeg_decompress_struct jpeg;     /* the first, for the two below point to it */
    struct jpeg_error_mgr handler;
    struct jpeg_progress_mgr progress;
    struct err *e;
    unsigned char *cmyk;        /* a row; NULL: rows are of red, green and blue */
    jmp_buf out;
};

/* ---- what libjpeg calls ---- */

static _Noreturn void media_jpeg_fail(j_common_ptr jpeg)
{
    struct reader *r = (struct reader *)jpeg;
    char why[JMSG_LENGTH_MAX];

    jpeg->err->format_message(jpeg, why);
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        err_set(r->e, ERR_SYSTEM, "no memory to read the picture");
    else
        err_set(r->e, ERR_INPUT, "is no JPEG that can be read: %s", why);
    longjmp(r->out, 1);
}

/* Damage is an error, for the rest of the picture would be grey. */
static void on_message(j_common_ptr jpeg, int level)
{
    switch (jpeg->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA: case JWRN_JFIF_MAJOR: case JWRN_ADOBE_XFORM:
    case JWRN_TOO_MUCH_DATA: case JWRN_BOGUS_PROGRESSION:
        return;
    default:
        if (level < 0)
            media_jpeg_fail(jpeg);
    }
}

static void on_progress(j_common_ptr jpeg)
{
    struct reader *r = (struct reader *)jpeg;

    if (r->jpeg.input_scan_number <= SCANS_MOST)
        return;
    err_set(r->e, ERR_INPUT, "has more than %d scans", SCANS_MOST);
    longjmp(r->out, 1);
}

static void close_reader(void *what)
{
    struct reader *r = what;

    jpeg_destroy_decompress(&r->jpeg);
}

/* ---- its pixels ---- */

/* Level by level as Pillow's, which takes all CMYK to be Adobe's: 255 is no ink. */
static void from_cmyk(unsigned char *rgb, const unsigned char *cmyk, int width)
{
    for (int x = 0; x < width; x++, rgb += 3, cmyk += 4)
        for (int i = 0; i < 3; i++) {
            unsigned ink = (255U - cmyk[i]) * cmyk[3] + 128;

            rgb[i] = (unsigned char)(cmyk[3] - ((ink >> 8) + ink) / 256);
        }
}

static void keep_exif(struct reader *reader, struct arena *a, struct span *out)
{
    for (jpeg_saved_marker_ptr m = reader->jpeg.marker_list; m != NULL; m = m->next)
        if (m->data_length > 6 && memcmp(m->data, "Exif\0", 6) == 0) {
            unsigned char *copy = arena_alloc_raw(a, m->data_length - 6, 1);

            memcpy(copy, m->data + 6, m->data_length - 6);
            *out = (struct span){ copy, m->data_length - 6 };
            return;
        }
}

static int media_jpeg_read_header(struct reader *reader, struct span bytes, struct stored *out)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;

    jpeg_create_decompress(jpeg);
    jpeg->progress = &reader->progress;
    jpeg_mem_src(jpeg, bytes.data, (unsigned long)bytes.size);
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(jpeg, TRUE);
    if (pixels_check_size(jpeg->image_width, jpeg->image_height, reader->e) != 0)
        return -1;
    if (jpeg->num_components == 2)
        return err_set(reader->e, ERR_INPUT, "has 2 colour components, expected 1, 3 or 4");
    out->pixels.width = (int)jpeg->image_width;
    out->pixels.height = (int)jpeg->image_height;
    if ((double)out->pixels.width * out->pixels.height > (double)bytes.size * PIXELS_A_BYTE)
        return pixels_too_few_bytes(out->pixels.width, out->pixels.height, bytes.size, reader->e);
    jpeg->out_color_space = jpeg->num_components == 4 ? JCS_CMYK : JCS_RGB;
    return 0;
}

static void media_jpeg_read_rows(struct reader *reader, struct pixels *out)
{
    jpeg_start_decompress(&reader->jpeg);
    while (reader->jpeg.output_scanline < reader->jpeg.output_height) {
        unsigned char *to = out->rgb +
                            (size_t)reader->jpeg.output_scanline * (size_t)out->width * 3;
        unsigned char *row = reader->cmyk != NULL ? reader->cmyk : to;

        jpeg_read_scanlines(&reader->jpeg, &row, 1);
        if (reader->cmyk != NULL)
            from_cmyk(to, reader->cmyk, out->width);
    }
    jpeg_finish_decompress(&reader->jpeg);
}

static int media_jpeg_read_all(struct reader *reader, struct arena *a, struct span bytes,
                               struct stored *out)
{
    if (setjmp(reader->out) != 0 || media_jpeg_read_header(reader, bytes, out) != 0)
        return -1;
    pixels_new(a, out->pixels.width, out->pixels.height, &out->pixels);
    if (reader->jpeg.out_color_space == JCS_CMYK)
        reader->cmyk = arena_alloc_raw(a, (uint64_t)out->pixels.width, 4);
    keep_exif(reader, a, &out->exif);
    media_jpeg_read_rows(reader, &out->pixels);
    return 0;
}

int jpeg_pixels(struct arena *a, struct span bytes, struct stored *out, struct err *e)
{
    struct reader *r = arena_alloc(a, 1, sizeof *r);
    int status;

    r->e = e;
    r->jpeg.err = jpeg_std_error(&r->handler);
    r->handler.error_exit = media_jpeg_fail;
    r->handler.emit_message = on_message;
    r->progress.progress_monitor = on_progress;
    arena_own(a, close_reader, r);
    status = media_jpeg_read_all(r, a, bytes, out);
    arena_release(a, r);
    return status;
}

#else

int jpeg_pixels(struct arena *a, struct span bytes, struct stored *out, struct err *e)
{
    (void)a;
    (void)bytes;
    (void)out;
    return err_set(e, ERR_SYSTEM, "is a JPEG, and this program was built without "
                   "libjpeg-turbo: expected a PNG, or a build where pkg-config finds libjpeg "
                   "(Debian: libjpeg-dev)");
}

#endif
