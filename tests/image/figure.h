/* SPDX-License-Identifier: MIT
 * Figures of made-up numbers for the tests of pictures, and files to put them in. */
#ifndef IMAGE_FIGURE_H
#define IMAGE_FIGURE_H

#include "check.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draw/figure/heatmap.h"

enum { MAX_PANELS = 12, MAX_LABELS = 64 };

struct sample {
    struct sheet sheet;         /* its part: maps */
    struct heatmaps maps;
    struct panel panel[MAX_PANELS];
    const char *label[MAX_LABELS];
    float *value;
};

/* Numbers between 0 and 1 that repeat on every run. */
static inline float sample_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

/*
 * n_panels of rows x cols; causal masks what lies beyond the diagonal.  No
 * labels yet.  Each panel has its own range.
 */
static inline void sample_init(struct sample *s, int n_panels, int rows, int cols,
                               bool causal)
{
    size_t n = (size_t)rows * (size_t)cols;
    unsigned seed = 42;

    memset(s, 0, sizeof *s);
    s->value = calloc((size_t)n_panels * n, sizeof *s->value);
    for (int p = 0; p < n_panels; p++) {
        float *v = s->value + (size_t)p * n;

        for (size_t i = 0; i < n; i++) {
            v[i] = sample_number(&seed) * sample_number(&seed) / (float)(p + 1);
            if (causal && (int)(i % (size_t)cols) > (int)(i / (size_t)cols))
                v[i] = NAN;
        }
        s->panel[p] = (struct panel){ "Head", rows, cols, v };
    }
    s->maps = (struct heatmaps){ .n_panels = n_panels, .panels = s->panel, .columns = 4,
                                 .pool = 1, .cmap = &cmap_table[0], .vmin = NAN,
                                 .vmax = NAN };
    s->sheet = (struct sheet){ .dpi = 100, .n_parts = 1 };
}

/* The same label on every row and column, n tokens. */
static inline void sample_labels(struct sample *s, int n, const char *text)
{
    for (int i = 0; i < n; i++)
        s->label[i] = text;
    s->maps.rows = s->maps.cols = (struct label_list){ n, s->label, NULL, NULL };
}

static inline void sample_finish(struct sample *s)
{
    free(s->value);
}

/* ---- files ---- */

struct folder { char name[64], path[64 + 2 + NAME_MAX]; };

static inline void folder_init(struct folder *d)
{
    strcpy(d->name, "/tmp/mha-viz-test-XXXXXX");
    assert_non_null(mkdtemp(d->name));
}

/* The name of a file in it; valid until the next call. */
static inline const char *folder_file(struct folder *d, const char *name)
{
    snprintf(d->path, sizeof d->path, "%s/%s", d->name, name);
    return d->path;
}

/* Removes the folder and its files; returns how many there were. */
static inline int folder_finish(struct folder *d)
{
    DIR *dir = opendir(d->name);
    struct dirent *f;
    int n = 0;

    while (dir != NULL && (f = readdir(dir)) != NULL)
        if (f->d_name[0] != '.') {
            unlink(folder_file(d, f->d_name));
            n++;
        }
    closedir(dir);
    rmdir(d->name);
    return n;
}

/* The whole file with a NUL after it; its size in *n. */
static inline char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *data;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    data = calloc(1, *n + 1);
    assert_int_equal(fread(data, 1, *n, f), *n);
    fclose(f);
    return data;
}

/* ---- warnings ---- */

struct heard { int n; char last[640]; };

static inline void hear(void *self, const char *msg)
{
    struct heard *h = self;

    h->n++;
    snprintf(h->last, sizeof h->last, "%s", msg);
}

/* The sheet of a sample, with its part. */
static inline struct sheet sample_sheet(const struct sample *s, struct part *part)
{
    struct sheet sheet = s->sheet;

    *part = heatmap_part(&s->maps);
    sheet.parts = part;
    return sheet;
}

static inline int sample_write(const struct sample *s, enum draw_format format,
                               const char *path, const struct warn *w, struct err *e)
{
    struct part part;
    struct sheet sheet = sample_sheet(s, &part);

    return sheet_write(&sheet, format, path, w, e);
}

/* Where its panels lie in a PNG of this size. */
static inline void sample_boxes(const struct sample *s, struct arena *a, struct box *box,
                                double *width, double *height)
{
    struct part part;
    struct sheet sheet = sample_sheet(s, &part);

    heatmap_boxes(&sheet, a, box, width, height);
}

static inline void draw_ok(const struct sample *s, enum draw_format format,
                           const char *path)
{
    struct err e = { ERR_NONE, "" };

    if (sample_write(s, format, path, NULL, &e) != 0)
        fail_msg("%s", e.msg);
}

/* Fonts are DejaVu alone, or none ("fonts_none.conf"). */
static inline void use_fonts(const char *conf)
{
    char name[64], *path;

    snprintf(name, sizeof name, "tests/image/%s", conf);
    path = realpath(name, NULL);
    if (path == NULL) {
        fprintf(stderr, "%s: run from the top folder of the repository\n", name);
        exit(1);
    }
    setenv("FONTCONFIG_FILE", path, 1);
    free(path);
}

static inline bool has_dejavu(void)
{
    return access("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", R_OK) == 0 ||
           access("/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", R_OK) == 0 ||
           access("/usr/share/fonts/dejavu/DejaVuSans.ttf", R_OK) == 0;
}

static inline void need_dejavu(void)
{
    if (!has_dejavu()) {
        print_message("skipped: the font DejaVu Sans is not installed "
                      "(Debian: fonts-dejavu-core)\n");
        skip();
    }
}

#endif
