/* SPDX-License-Identifier: MIT
 * Character cells -> lines of text with colours. */
#include "draw/canvas.h"

#include <string.h>

#include "base/utf8.h"

void canvas_init(struct canvas *canvas, struct arena *a, const struct terminal *terminal)
{
    *canvas = (struct canvas){ .arena = a, .way = terminal->way, .n_columns = terminal->columns };
}

struct glyph *canvas_at(struct canvas *canvas, int row, int column)
{
    static const struct glyph blank = { NULL, CANVAS_PLAIN, CANVAS_PLAIN, false };
    size_t columns = (size_t)canvas->n_columns;

    if (row >= canvas->room) {
        int room = 2 * row + 16;

        canvas->glyph = arena_regrow(canvas->arena, canvas->glyph, (size_t)canvas->n_rows * columns,
                                     (size_t)room * columns, sizeof *canvas->glyph);
        canvas->room = room;
    }
    for (; canvas->n_rows <= row; canvas->n_rows++)
        for (size_t i = 0; i < columns; i++)
            canvas->glyph[(size_t)canvas->n_rows * columns + i] = blank;
    return &canvas->glyph[(size_t)row * columns + (size_t)column];
}

/* ---- text ---- */

/* A mark without a letter stands on a dotted circle. */
static size_t next_cluster(const char *s, size_t n, int *width)
{
    size_t used = utf8_cluster(s, n, width);

    *width = *width > 0 ? *width : 1;
    return used;
}

int canvas_width(const char *clean)
{
    size_t n = strlen(clean);
    int columns = 0, width;

    for (size_t used; n > 0; clean += used, n -= used) {
        used = next_cluster(clean, n, &width);
        columns += width;
    }
    return columns;
}

size_t canvas_put(struct canvas *canvas, int row, int column, const char *s, size_t n, bool bold)
{
    struct glyph *glyph = canvas_at(canvas, row, column);
    int width;
    size_t used = utf8_cluster(s, n, &width);

    glyph[0] = (struct glyph){ NULL, CANVAS_PLAIN, CANVAS_PLAIN, bold };
    if (width == 0)
        glyph[0].text = arena_printf(canvas->arena, "◌%.*s", (int)used, s);
    else
        glyph[0].text = arena_strndup(canvas->arena, s, used);
    for (int i = 1; i < width; i++)
        glyph[i] = (struct glyph){ "", CANVAS_PLAIN, CANVAS_PLAIN, bold };
    return used;
}

int canvas_text(struct canvas *canvas, int row, int column, int most, const char *clean, bool bold)
{
    static const char cut[] = "…";
    size_t n = strlen(clean);
    int at = 0, width;
    bool all;

    most = most < canvas->n_columns - column ? most : canvas->n_columns - column;
    all = canvas_width(clean) <= most;
    while (n > 0) {
        size_t used = next_cluster(clean, n, &width);

        if (at + width > (all ? most : most - 1))
            break;
        canvas_put(canvas, row, column + at, clean, n, bold);
        at += width;
        clean += used;
        n -= used;
    }
    if (!all && most > 0) {
        canvas_put(canvas, row, column + at, cut, strlen(cut), bold);
        at++;
    }
    return at;
}

/* Bytes of the line that s begins with; *next: where the one after it begins. */
static size_t break_line(const char *s, int most, size_t *next)
{
    size_t n = strlen(s), at = 0, broken = 0;
    int columns = 0, width;

    while (at < n) {
        size_t used = next_cluster(s + at, n - at, &width);

        if (s[at] == ' ' || (width == 2 && at > 0))
            broken = at;
        if (columns + width > most && at > 0)
            break;
        columns += width;
        at += used;
    }
    if (at < n && s[at] != ' ' && broken > 0)
        at = broken;
    *next = at + strspn(s + at, " ");
    return at;
}

int canvas_paragraph(struct canvas *canvas, int row, const char *clean, bool bold)
{
    while (*clean != '\0') {
        size_t next, n = break_line(clean, canvas->n_columns, &next);

        canvas_text(canvas, row++, 0, canvas->n_columns, arena_strndup(canvas->arena, clean, n),
                    bold);
        clean += next;
    }
    return row;
}

/* ---- colours ---- */

static const int cube[6] = { 0, 95, 135, 175, 215, 255 };

static int canvas_distance(int r, int g, int b, int rgb)
{
    int x = r - (rgb >> 16), y = g - (rgb >> 8 & 255), z = b - (rgb & 255);

    return x * x + y * y + z * z;
}

static int nearest_in_cube(int value)
{
    int best = 0;

    for (int i = 1; i < 6; i++)
        if ((cube[i] - value) * (cube[i] - value) < (cube[best] - value) * (cube[best] - value))
            best = i;
    return best;
}

/* A cube of 6 x 6 x 6 colours from 16, then 24 grays. */
int canvas_colour_256(int rgb)
{
    int r = nearest_in_cube(rgb >> 16), g = nearest_in_cube(rgb >> 8 & 255);
    int b = nearest_in_cube(rgb & 255);
    int mean = ((rgb >> 16) + (rgb >> 8 & 255) + (rgb & 255)) / 3;
    int step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10, gray = 8 + 10 * step;

    if (canvas_distance(gray, gray, gray, rgb) < canvas_distance(cube[r], cube[g], cube[b], rgb))
        return 232 + step;
    return 16 + 36 * r + 6 * g + b;
}

/* ---- writing ---- */

/* 38 is the ink, 48 the ground. */
static void write_colour(enum terminal_way way, int which, int rgb, FILE *file)
{
    if (rgb == CANVAS_PLAIN)
        fprintf(file, "\033[%dm", which + 1);
    else if (way == TERMINAL_TRUE)
        fprintf(file, "\033[%d;2;%d;%d;%dm", which, rgb >> 16, rgb >> 8 & 255, rgb & 255);
    else
        fprintf(file, "\033[%d;5;%dm", which, canvas_colour_256(rgb));
}

/* What is not as it was before; the ink of a space is not seen. */
static void write_style(enum terminal_way way, struct glyph *now, const struct glyph *next,
                        FILE *file)
{
    if (next->bold != now->bold)
        fputs(next->bold ? "\033[1m" : "\033[22m", file);
    if (next->text != NULL && next->ink != now->ink) {
        write_colour(way, 38, next->ink, file);
        now->ink = next->ink;
    }
    if (next->ground != now->ground)
        write_colour(way, 48, next->ground, file);
    now->bold = next->bold;
    now->ground = next->ground;
}

static void write_row(enum terminal_way way, const struct glyph *glyph, int n, FILE *file)
{
    struct glyph now = { NULL, CANVAS_PLAIN, CANVAS_PLAIN, false };
    bool colours = way != TERMINAL_DIGITS;

    while (n > 0 && glyph[n - 1].text == NULL &&
           (!colours || glyph[n - 1].ground == CANVAS_PLAIN))
        n--;
    for (int i = 0; i < n; i++) {
        if (colours)
            write_style(way, &now, &glyph[i], file);
        fputs(glyph[i].text != NULL ? glyph[i].text : " ", file);
    }
    if (now.bold || now.ink != CANVAS_PLAIN || now.ground != CANVAS_PLAIN)
        fputs("\033[0m", file);
    putc('\n', file);
}

void canvas_write(const struct canvas *canvas, FILE *file)
{
    for (int row = 0; row < canvas->n_rows; row++)
        write_row(canvas->way, canvas->glyph + (size_t)row * (size_t)canvas->n_columns,
                  canvas->n_columns, file);
}
