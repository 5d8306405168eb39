/* SPDX-License-Identifier: MIT
 * A figure to a picture: measures its text, lays it out, draws, writes. */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include "draw/draw_priv.h"

enum { TITLE_LINES = 2, CAPTION_LINES = 5 };

/* A figure with its text measured. */
struct plan {
    const struct figure *f;
    struct arena *arena;
    struct text text;
    struct layout at;
    double cell;                /* side of a cell in units */
    struct range *range;        /* [n_panels] */
    struct axis rows, cols;
    const struct piece **title_of;      /* [n_panels]; NULL: none */
    const struct piece *title, *caption;
};

/* Units of the page for a pixel at 100 dpi: a PDF counts 72 to the inch. */
static double unit(const struct figure *f, enum draw_format format)
{
    return format == DRAW_PNG ? f->dpi / 100.0 : format == DRAW_PDF ? 0.72 : 1.0;
}

static int cell_px(const struct figure *f)
{
    int px = f->cell_px, pool;

    if (px <= 0)
        draw_plan(f->panels[0].n_rows, f->panels[0].n_cols, f->n_panels, f->columns,
                  0, f->dpi, &px, &pool);
    return px;
}

/* Bars' values and panels' titles; the widest of each into s. */
static void measure_panels(struct plan *m, struct sizes *s)
{
    const struct figure *f = m->f;
    struct text *t = &m->text;

    m->range = arena_alloc(m->arena, (size_t)f->n_panels, sizeof *m->range);
    m->title_of = arena_alloc(m->arena, (size_t)f->n_panels, sizeof *m->title_of);
    heatmap_ranges(f, m->range);
    s->value_h = text_line_height(t, ROLE_VALUE);
    for (int i = 0; i < f->n_panels; i++) {
        struct bar_text b = bar_text(f->scale, m->range[i]);
        const char *title = f->panels[i].title;

        s->value_w = fmax(s->value_w, text_width(text_line(t, ROLE_VALUE,
                          arena_strdup(m->arena, b.lo))));
        s->value_w = fmax(s->value_w, text_width(text_line(t, ROLE_VALUE,
                          arena_strdup(m->arena, b.hi))));
        if (title == NULL)
            continue;
        m->title_of[i] = text_line(t, ROLE_PANEL,
                                   label_clean(m->arena, title, strlen(title),
                                               2 * LABEL_CHARS));
        s->panel_w = fmax(s->panel_w, text_width(m->title_of[i]));
        s->panel_h = text_line_height(t, ROLE_PANEL);
    }
}

static const char *clean_text(struct plan *m, const char *s)
{
    return label_clean(m->arena, s, strlen(s), CAPTION_CHARS);
}

/* The title decides on the least width, the width on the title's lines. */
static void measure_title(struct plan *m, struct sizes *s)
{
    const struct figure *f = m->f;
    const char *title;

    s->caption = f->caption != NULL && f->caption[0] != '\0';
    if (f->title == NULL || f->title[0] == '\0') {
        layout_make(&m->at, s, m->arena);
        return;
    }
    title = clean_text(m, f->title);
    s->title_h = text_line_height(&m->text, ROLE_TITLE);
    s->title_w = text_width(text_line(&m->text, ROLE_TITLE, title));
    layout_make(&m->at, s, m->arena);
    m->title = text_paragraph(&m->text, ROLE_TITLE, title, m->at.title.w,
                              TITLE_LINES, true);
    s->title_h = text_height(m->title);
    layout_make(&m->at, s, m->arena);
}

static void measure(struct plan *m, const struct figure *f,
                    enum draw_format format, struct arena *a)
{
    double px = unit(f, format);
    bool vector = format != DRAW_PNG;
    const struct panel *p = &f->panels[0];
    struct sizes s = { .n_panels = f->n_panels, .columns = f->columns,
                       .n_rows = p->n_rows, .n_cols = p->n_cols, .px = px,
                       .whole = format != DRAW_PDF };

    m->f = f;
    m->arena = a;
    m->cell = vector ? cell_px(f) * px : fmax(round(cell_px(f) * px), 1.0);
    s.cell = m->cell;
    text_init(&m->text, a, f, layout_label_px(cell_px(f)), px, vector);
    heatmap_axis(&m->rows, f, true, p->n_rows, m->cell, &m->text);
    heatmap_axis(&m->cols, f, false, p->n_cols, m->cell, &m->text);
    s.row_label = m->rows.longest;
    s.col_label = m->cols.longest;
    s.label_h = text_line_height(&m->text, ROLE_ROW);
    measure_panels(m, &s);
    measure_title(m, &s);
    if (s.caption) {
        m->caption = text_paragraph(&m->text, ROLE_CAPTION,
                                    clean_text(m, f->caption), m->at.caption.w,
                                    CAPTION_LINES, false);
        layout_add_caption(&m->at, s.whole ? ceil(text_height(m->caption)) :
                           text_height(m->caption));
    }
}

/* ---- drawing ---- */

static void draw_titles(const struct plan *m, struct page *p)
{
    const struct text *t = &m->text;

    if (m->title != NULL)
        text_draw_paragraph(t, p->cr, m->title, m->at.title.x, m->at.title.y);
    if (m->caption != NULL)
        text_draw_paragraph(t, p->cr, m->caption, m->at.caption.x,
                            m->at.caption.y);
    for (int i = 0; i < m->f->n_panels; i++) {
        struct box b = m->at.panel[i];
        double h = text_line_height(t, ROLE_PANEL), x, y;

        if (m->title_of[i] == NULL)
            continue;
        x = b.x + (b.w - text_width(m->title_of[i])) / 2.0;
        y = b.y - m->at.line - m->at.panel_gap;
        text_draw_line(t, p->cr, m->title_of[i], t->vector ? x : round(x),
                       y, 3.0 * h);
    }
}

static void draw_cells(const struct plan *m, struct page *p)
{
    const struct figure *f = m->f;
    const struct panel *first = &f->panels[0];
    unsigned short *index = arena_alloc_raw(m->arena, (size_t)first->n_rows *
                                            (size_t)first->n_cols, sizeof *index);

    for (int i = 0; i < f->n_panels; i++) {
        heatmap_index(f, &f->panels[i], m->range[i], index);
        page_frame(p, m->at.panel[i], m->at.line);
        page_cells(p, index, first->n_rows, first->n_cols, m->at.panel[i]);
    }
}

/* All panels have the same labels: they are drawn once and painted many times. */
static void draw_labels(const struct plan *m, struct page *p)
{
    const struct layout *l = &m->at;
    double pad = ceil(text_line_height(&m->text, ROLE_ROW));
    double left = ceil(m->rows.longest) + l->line + l->tick + l->label_gap;
    cairo_surface_t *rows = heatmap_row_sheet(p, l, &m->rows, &m->text, m->cell);
    cairo_surface_t *cols = heatmap_col_sheet(p, l, &m->cols, &m->text, m->cell);

    for (int i = 0; i < m->f->n_panels; i++) {
        struct box b = l->panel[i];

        if (m->rows.n > 0) {
            cairo_set_source_surface(p->cr, rows, b.x - left, b.y - pad);
            cairo_paint(p->cr);
        }
        if (m->cols.n > 0) {
            cairo_set_source_surface(p->cr, cols, b.x - pad, b.y + b.h);
            cairo_paint(p->cr);
        }
    }
    cairo_surface_destroy(rows);
    cairo_surface_destroy(cols);
}

/* What must be given back whatever happens. */
struct job {
    struct arena arena;
    jmp_buf no_memory;
    struct plan plan;
    struct page page;
};

static void on_full(void *self, size_t size_bytes)
{
    struct job *job = self;

    (void)size_bytes;
    longjmp(job->no_memory, 1);
}

static int draw(struct job *job, const struct figure *f, const char *path,
                const struct warn *w, struct err *e)
{
    struct plan *m = &job->plan;
    struct page *p = &job->page;

    if (setjmp(job->no_memory) != 0)
        return err_set(e, ERR_SYSTEM, "%s: no memory to draw it", path);
    measure(m, f, p->format, &job->arena);
    p->arena = &job->arena;
    p->figure = f;
    if (page_open(p, m->at.width, m->at.height, path, e) != 0)
        return -1;
    draw_cells(m, p);
    draw_labels(m, p);
    draw_titles(m, p);
    for (int i = 0; i < f->n_panels; i++)
        bar_draw(p, &m->at, &m->text, m->range[i], m->at.panel[i]);
    if (page_commit(p, e) != 0)
        return -1;
    text_warn(&m->text, w);
    return 0;
}

int draw_figure(const struct figure *f, enum draw_format format, const char *path,
                const struct warn *w, struct err *e)
{
    struct job job = { .page = { .format = format } };
    int bad;

    arena_init(&job.arena, on_full, &job);
    bad = draw(&job, f, path, w, e);
    page_close(&job.page);
    text_finish(&job.plan.text);
    arena_finish(&job.arena);
    return bad;
}

void draw_boxes(const struct figure *f, struct arena *a, struct box *panels,
                double *width, double *height)
{
    struct plan m = { .f = NULL };

    measure(&m, f, DRAW_PNG, a);
    memcpy(panels, m.at.panel, (size_t)f->n_panels * sizeof *panels);
    *width = m.at.width;
    *height = m.at.height;
    text_finish(&m.text);
}
