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

static size_t total(const struct fitted *fitted)
{
    size_t sum = 0;

    for (size_t c = 0; c < fitted->table->n; c++)
        if (fitted->shown[c])
            sum += fitted->width[c] + (sum > 0 ? fitted->gap : 0);
    return sum;
}

static bool table_fits(const struct fitted *fitted)
{
    return total(fitted) <= (size_t)fitted->look->columns;
}

static bool table_fit_is_text(const struct fitted *fitted, size_t c)
{
    return c > 0 && fitted->table->column[c].align == ALIGN_LEFT;
}

static void cut_texts(struct fitted *fitted)
{
    for (size_t c = 0; c < fitted->table->n; c++)
        if (table_fit_is_text(fitted, c) && fitted->width[c] > LEAST_TEXT)
            fitted->width[c] = LEAST_TEXT;
}

/* Those that can be spared in their order, then the others from the right; never the first. */
static void table_fit_leave_out(struct fitted *fitted)
{
    const struct table *t = fitted->table;

    for (const char *const *spare = fitted->look->spare; spare != NULL && *spare != NULL; spare++)
        for (size_t c = 1; c < t->n; c++)
            if (!table_fits(fitted) && strcmp(t->column[c].title, *spare) == 0)
                fitted->shown[c] = false;
    for (size_t c = t->n; c-- > 1;)
        if (!table_fits(fitted))
            fitted->shown[c] = false;
    if (!table_fits(fitted))
        fitted->width[0] = (size_t)fitted->look->columns;
}

/* What is left, to the texts that were cut. */
static void table_fit_widen(struct fitted *fitted)
{
    for (size_t c = fitted->table->n; c-- > 1;) {
        size_t room = (size_t)fitted->look->columns - total(fitted),
               want = fitted->table->width[c] - fitted->width[c];

        if (fitted->shown[c] && table_fit_is_text(fitted, c))
            fitted->width[c] += want < room ? want : room;
    }
}

static void fit(struct fitted *fitted)
{
    fitted->gap = 2;
    if (table_fits(fitted))
        return;
    fitted->gap = 1;
    if (table_fits(fitted))
        return;
    cut_texts(fitted);
    table_fit_leave_out(fitted);
    if (table_fits(fitted))
        table_fit_widen(fitted);
}

/* ---- what stands out ---- */

static double table_fit_number_of(const char *text)
{
    char *end;
    double v = strtod(text, &end);

    return end == text || *end != '\0' ? (double)NAN : v;
}

static void table_fit_measure(struct fitted *fitted)
{
    const struct table *t = fitted->table;
    int *n = arena_alloc(t->arena, t->n, sizeof *n);
    struct table_walk walk = { .block = t->first };
    const struct table_cell *cell;

    for (size_t i = 0; (cell = table_next(t, &walk)) != NULL; i++) {
        double v = table_fit_number_of(cell->text);

        if (t->column[i % t->n].align == ALIGN_RIGHT && isfinite(v)) {
            fitted->mean[i % t->n] += v;
            fitted->sd[i % t->n] += v * v;
            n[i % t->n]++;
        }
    }
    for (size_t c = 0; c < t->n; c++) {
        double mean = fitted->mean[c] / n[c];

        fitted->sd[c] = n[c] < FEW ? (double)NAN :
                                     sqrt(fmax(fitted->sd[c] / n[c] - mean * mean, 0.0));
        fitted->mean[c] = mean;
    }
}

static bool stands_out(const struct fitted *fitted, size_t c, const char *text)
{
    double v = table_fit_number_of(text);

    return fitted->sd[c] > 0.0 && fabs(v - fitted->mean[c]) > FAR * fitted->sd[c];
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
static size_t put_text(const struct fitted *fitted, const char *text, size_t room)
{
    const char *cut = table_cut(fitted->table->arena, text, room);

    fputs(cut, fitted->file);
    return utf8_width(cut);
}

static void pad(const struct fitted *fitted, size_t n)
{
    fprintf(fitted->file, "%*s", (int)n, "");
}

/* A star in the gap says what stands out, and with colours the number is in one, too. */
static void put_cell(const struct fitted *fitted, size_t c, const struct table_cell *cell,
                     bool marked, bool last)
{
    const char *on = !fitted->look->colours || !marked ? "" : "\033[1;33m";
    size_t room = fitted->width[c], all = utf8_width(cell->text), width = all < room ? all : room;

    if (fitted->table->column[c].align == ALIGN_RIGHT)
        pad(fitted, room - width);
    fputs(on, fitted->file);
    width = put_text(fitted, cell->text, room);
    fputs(on[0] != '\0' ? "\033[0m" : "", fitted->file);
    if (fitted->table->column[c].align == ALIGN_LEFT && !last)
        pad(fitted, room - width);
    if (!last) {
        fputs(marked ? "*" : " ", fitted->file);
        pad(fitted, fitted->gap - 1);
    }
}

static size_t last_shown(const struct fitted *fitted)
{
    size_t last = fitted->table->n - 1;

    while (last > 0 && !fitted->shown[last])
        last--;
    return last;
}

static void put_titles(const struct fitted *fitted)
{
    size_t last = last_shown(fitted);

    fputs(fitted->look->colours ? "\033[1m" : "", fitted->file);
    for (size_t c = 0; c <= last; c++) {
        const char *title = fitted->table->column[c].title;

        if (fitted->shown[c])
            put_cell(fitted, c, &(struct table_cell){ title, utf8_width(title) }, false, c == last);
    }
    fputs(fitted->look->colours ? "\033[0m\n" : "\n", fitted->file);
}

static void put_rule(const struct fitted *fitted)
{
    for (size_t i = total(fitted); i > 0; i--)
        fputs("─", fitted->file);
    putc('\n', fitted->file);
}

static void put_rows(const struct fitted *fitted)
{
    const struct table *t = fitted->table;
    struct table_walk walk = { .block = t->first };
    size_t last = last_shown(fitted);
    const struct table_cell *cell;

    for (size_t i = 0; (cell = table_next(t, &walk)) != NULL; i++) {
        size_t c = i % t->n, row = i / t->n;
        const int *group = fitted->look->group;

        if (c == 0 && (row == 0 || (group != NULL && group[row] != group[row - 1])))
            put_rule(fitted);
        if (fitted->shown[c])
            put_cell(fitted, c, cell, c < last && stands_out(fitted, c, cell->text), c == last);
        if (c + 1 == t->n)
            putc('\n', fitted->file);
    }
}

/* Words of at most so many columns a line. */
static void put_paragraph(const struct fitted *fitted, const char *text)
{
    size_t at = 0;

    while (*text != '\0') {
        size_t n = strcspn(text, " ");
        char *word = arena_strndup(fitted->table->arena, text, n);
        size_t width = utf8_width(word);

        if (at > 0 && at + 1 + width > (size_t)fitted->look->columns) {
            putc('\n', fitted->file);
            at = 0;
        }
        at += at > 0 ? fprintf(fitted->file, " ") > 0 : 0;
        at += put_text(fitted, word, (size_t)fitted->look->columns);
        text += n + strspn(text + n, " ");
    }
    putc('\n', fitted->file);
}

static void put_left_out(const struct fitted *fitted)
{
    const struct table *t = fitted->table;
    const char *names = "";
    int n = 0;

    for (size_t c = 0; c < t->n; c++)
        if (!fitted->shown[c])
            names = arena_printf(t->arena, "%s%s%s", names, n++ > 0 ? ", " : "",
                                 t->column[c].title);
    if (n > 0)
        put_paragraph(fitted, arena_printf(t->arena, "(no room: %s)", names));
}

void table_print_fitted(const struct table *table, const struct table_look *look, FILE *file)
{
    struct fitted fitted = { .table = table, .look = look, .file = file };

    fitted.shown = arena_alloc(table->arena, table->n, sizeof *fitted.shown);
    fitted.width = arena_alloc(table->arena, table->n, sizeof *fitted.width);
    fitted.mean = arena_alloc(table->arena, table->n, sizeof *fitted.mean);
    fitted.sd = arena_alloc(table->arena, table->n, sizeof *fitted.sd);
    for (size_t c = 0; c < table->n; c++) {
        fitted.shown[c] = true;
        fitted.width[c] = table->width[c];
    }
    fit(&fitted);
    table_fit_measure(&fitted);
    put_titles(&fitted);
    put_rows(&fitted);
    put_left_out(&fitted);
}

void table_paragraph(struct arena *a, const char *text, const struct table_look *look, FILE *file)
{
    const struct table none = { .arena = a };
    const struct fitted fitted = { .table = &none, .look = look, .file = file };

    put_paragraph(&fitted, text);
}
