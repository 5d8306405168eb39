/* SPDX-License-Identifier: MIT
 * A table for a terminal of so many columns: texts are cut, then columns left out, until it
 * fits. */
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { LEAST_TEXT = 14, FEW = 6 };

/* How far from the mean of its column a number stands out, in standard deviations. */
static const double FAR = 2.0;

struct fitted {
    const struct table *table;
    const struct table_look *look;
    FILE *file;
    bool *shown;                /* [n] columns */
    size_t *width;              /* [n] */
    size_t gap;
    double *mean, *sd;          /* [n] of the numbers of a column; NaN: nothing stands out */
};

/* ---- what fits ---- */

static size_t total(const struct fitted *f)
{
    size_t sum = 0;

    for (size_t c = 0; c < f->table->n; c++)
        if (f->shown[c])
            sum += f->width[c] + (sum > 0 ? f->gap : 0);
    return sum;
}

static bool table_fits(const struct fitted *f)
{
    return total(f) <= (size_t)f->look->columns;
}

static bool table_fit_is_text(const struct fitted *f, size_t c)
{
    return c > 0 && f->table->column[c].align == ALIGN_LEFT;
}

static void cut_texts(struct fitted *f)
{
    for (size_t c = 0; c < f->table->n; c++)
        if (table_fit_is_text(f, c) && f->width[c] > LEAST_TEXT)
            f->width[c] = LEAST_TEXT;
}

/* Those that can be spared in their order, then the others from the right; never the first. */
static void table_fit_leave_out(struct fitted *f)
{
    const struct table *t = f->table;

    for (const char *const *spare = f->look->spare; spare != NULL && *spare != NULL; spare++)
        for (size_t c = 1; c < t->n; c++)
            if (!table_fits(f) && strcmp(t->column[c].title, *spare) == 0)
                f->shown[c] = false;
    for (size_t c = t->n; c-- > 1;)
        if (!table_fits(f))
            f->shown[c] = false;
    if (!table_fits(f))
        f->width[0] = (size_t)f->look->columns;
}

/* What is left, to the texts that were cut. */
static void table_fit_widen(struct fitted *f)
{
    for (size_t c = f->table->n; c-- > 1;) {
        size_t room = (size_t)f->look->columns - total(f), want = f->table->width[c] - f->width[c];

        if (f->shown[c] && table_fit_is_text(f, c))
            f->width[c] += want < room ? want : room;
    }
}

static void fit(struct fitted *f)
{
    f->gap = 2;
    if (table_fits(f))
        return;
    f->gap = 1;
    if (table_fits(f))
        return;
    cut_texts(f);
    table_fit_leave_out(f);
    if (table_fits(f))
        table_fit_widen(f);
}

/* ---- what stands out ---- */

static double table_fit_number_of(const char *text)
{
    char *end;
    double v = strtod(text, &end);

    return end == text || *end != '\0' ? (double)NAN : v;
}

static void table_fit_measure(struct fitted *f)
{
    const struct table *t = f->table;
    int *n = arena_alloc(t->arena, t->n, sizeof *n);
    struct table_walk walk = { .block = t->first };
    const struct table_cell *cell;

    for (size_t i = 0; (cell = table_next(t, &walk)) != NULL; i++) {
        double v = table_fit_number_of(cell->text);

        if (t->column[i % t->n].align == ALIGN_RIGHT && isfinite(v)) {
            f->mean[i % t->n] += v;
            f->sd[i % t->n] += v * v;
            n[i % t->n]++;
        }
    }
    for (size_t c = 0; c < t->n; c++) {
        double mean = f->mean[c] / n[c];

        f->sd[c] = n[c] < FEW ? (double)NAN : sqrt(fmax(f->sd[c] / n[c] - mean * mean, 0.0));
        f->mean[c] = mean;
    }
}

static bool stands_out(const struct fitted *f, size_t c, const char *text)
{
    double v = table_fit_number_of(text);

    return f->sd[c] > 0.0 && fabs(v - f->mean[c]) > FAR * f->sd[c];
}

/* ---- writing ---- */

char *table_cut(struct arena *a, const char *clean, size_t columns)
{
    size_t n = strlen(clean), at = 0, kept = 0;
    bool all = utf8_width(clean) <= columns;

    while (kept < n) {
        int width;
        size_t used = utf8_cluster(clean + kept, n - kept, &width);

        width = width > 0 ? width : 1;
        if (at + (size_t)width + !all > columns)
            break;
        at += (size_t)width;
        kept += used;
    }
    return arena_printf(a, "%.*s%s", (int)kept, clean, all || columns == 0 ? "" : "…");
}

/* Returns its columns. */
static size_t put_text(const struct fitted *f, const char *text, size_t room)
{
    const char *cut = table_cut(f->table->arena, text, room);

    fputs(cut, f->file);
    return utf8_width(cut);
}

static void pad(const struct fitted *f, size_t n)
{
    fprintf(f->file, "%*s", (int)n, "");
}

/* A star in the gap says what stands out, and with colours the number is in one, too. */
static void put_cell(const struct fitted *f, size_t c, const struct table_cell *cell, bool marked,
                     bool last)
{
    const char *on = !f->look->colours || !marked ? "" : "\033[1;33m";
    size_t room = f->width[c], all = utf8_width(cell->text), width = all < room ? all : room;

    if (f->table->column[c].align == ALIGN_RIGHT)
        pad(f, room - width);
    fputs(on, f->file);
    width = put_text(f, cell->text, room);
    fputs(on[0] != '\0' ? "\033[0m" : "", f->file);
    if (f->table->column[c].align == ALIGN_LEFT && !last)
        pad(f, room - width);
    if (!last) {
        fputs(marked ? "*" : " ", f->file);
        pad(f, f->gap - 1);
    }
}

static size_t last_shown(const struct fitted *f)
{
    size_t last = f->table->n - 1;

    while (last > 0 && !f->shown[last])
        last--;
    return last;
}

static void put_titles(const struct fitted *f)
{
    size_t last = last_shown(f);

    fputs(f->look->colours ? "\033[1m" : "", f->file);
    for (size_t c = 0; c <= last; c++) {
        const char *title = f->table->column[c].title;

        if (f->shown[c])
            put_cell(f, c, &(struct table_cell){ title, utf8_width(title) }, false, c == last);
    }
    fputs(f->look->colours ? "\033[0m\n" : "\n", f->file);
}

static void put_rule(const struct fitted *f)
{
    for (size_t i = total(f); i > 0; i--)
        fputs("─", f->file);
    putc('\n', f->file);
}

static void put_rows(const struct fitted *f)
{
    const struct table *t = f->table;
    struct table_walk walk = { .block = t->first };
    size_t last = last_shown(f);
    const struct table_cell *cell;

    for (size_t i = 0; (cell = table_next(t, &walk)) != NULL; i++) {
        size_t c = i % t->n, row = i / t->n;
        const int *group = f->look->group;

        if (c == 0 && (row == 0 || (group != NULL && group[row] != group[row - 1])))
            put_rule(f);
        if (f->shown[c])
            put_cell(f, c, cell, c < last && stands_out(f, c, cell->text), c == last);
        if (c + 1 == t->n)
            putc('\n', f->file);
    }
}

/* Words of at most so many columns a line. */
static void put_paragraph(const struct fitted *f, const char *text)
{
    size_t at = 0;

    while (*text != '\0') {
        size_t n = strcspn(text, " ");
        char *word = arena_strndup(f->table->arena, text, n);
        size_t width = utf8_width(word);

        if (at > 0 && at + 1 + width > (size_t)f->look->columns) {
            putc('\n', f->file);
            at = 0;
        }
        at += at > 0 ? fprintf(f->file, " ") > 0 : 0;
        at += put_text(f, word, (size_t)f->look->columns);
        text += n + strspn(text + n, " ");
    }
    putc('\n', f->file);
}

static void put_left_out(const struct fitted *f)
{
    const struct table *t = f->table;
    const char *names = "";
    int n = 0;

    for (size_t c = 0; c < t->n; c++)
        if (!f->shown[c])
            names = arena_printf(t->arena, "%s%s%s", names, n++ > 0 ? ", " : "",
                                 t->column[c].title);
    if (n > 0)
        put_paragraph(f, arena_printf(t->arena, "(no room: %s)", names));
}

void table_print_fitted(const struct table *t, const struct table_look *look, FILE *f)
{
    struct fitted fitted = { .table = t, .look = look, .file = f };

    fitted.shown = arena_alloc(t->arena, t->n, sizeof *fitted.shown);
    fitted.width = arena_alloc(t->arena, t->n, sizeof *fitted.width);
    fitted.mean = arena_alloc(t->arena, t->n, sizeof *fitted.mean);
    fitted.sd = arena_alloc(t->arena, t->n, sizeof *fitted.sd);
    for (size_t c = 0; c < t->n; c++) {
        fitted.shown[c] = true;
        fitted.width[c] = t->width[c];
    }
    fit(&fitted);
    table_fit_measure(&fitted);
    put_titles(&fitted);
    put_rows(&fitted);
    put_left_out(&fitted);
}

void table_paragraph(struct arena *a, const char *text, const struct table_look *look, FILE *f)
{
    const struct table none = { .arena = a };
    const struct fitted fitted = { .table = &none, .look = look, .file = f };

    put_paragraph(&fitted, text);
}
