/* SPDX-License-Identifier: MIT
 * A PNG back to pixels and texts, for tests: libpng alone, none of src/. */
#ifndef IMAGE_PNG_READ_H
#define IMAGE_PNG_READ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct picture {
    int w, h;
    unsigned char *rgb;             /* [h, w, 3] */
    unsigned per_metre;             /* of pHYs; 0: none */
    int n_text;
    struct { char key[80], *text; int compression; } text[16];
};

/* 0, or -1 with a message on stderr where it cannot be read. */
static inline int picture_read(struct picture *p, const char *path)
{
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    FILE *f = fopen(path, "rb");
    png_textp text = NULL;

    *p = (struct picture){ .w = 0 };
    if (f == NULL || setjmp(png_jmpbuf(png)) != 0) {
        if (f == NULL)
            perror(path);
        else
            fclose(f);
        png_destroy_read_struct(&png, &info, NULL);
        return -1;
    }
    png_init_io(png, f);
    png_read_png(png, info, PNG_TRANSFORM_STRIP_ALPHA | PNG_TRANSFORM_EXPAND, NULL);
    p->w = (int)png_get_image_width(png, info);
    p->h = (int)png_get_image_height(png, info);
    p->per_metre = png_get_x_pixels_per_meter(png, info);
    p->rgb = malloc(3 * (size_t)p->w * (size_t)p->h);
    for (int y = 0; y < p->h; y++)
        memcpy(p->rgb + 3 * (size_t)p->w * (size_t)y, png_get_rows(png, info)[y],
               3 * (size_t)p->w);
    png_get_text(png, info, &text, &p->n_text);
    p->n_text = p->n_text > 16 ? 16 : p->n_text;
    for (int i = 0; i < p->n_text; i++) {
        snprintf(p->text[i].key, sizeof p->text[i].key, "%s", text[i].key);
        p->text[i].text = strdup(text[i].text);
        p->text[i].compression = text[i].compression;
    }
    png_destroy_read_struct(&png, &info, NULL);
    fclose(f);
    return 0;
}

static inline void picture_free(struct picture *p)
{
    for (int i = 0; i < p->n_text; i++)
        free(p->text[i].text);
    free(p->rgb);
}

/* 0xRRGGBB */
static inline uint32_t picture_at(const struct picture *p, int x, int y)
{
    const unsigned char *c = p->rgb + 3 * ((size_t)y * (size_t)p->w + (size_t)x);

    return (uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2];
}

#endif
