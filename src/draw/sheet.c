/* SPDX-License-Identifier: MIT
 * A sheet to a picture: measures texts and parts, places them, paints, writes. */
#include "draw/sheet.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

#include "base/lack.h"
#include "base/memory_file.h"
#include "base/out.h"
#include "base/utf8.h"
#include "draw/part.h"
#include "draw/print.h"

enum { TITLE_LINES = 2, CAPTION_LINES = 5, NARROW_CAPTION_LINES = 12 };

const char *const draw_format_names[] = { "png", "svg", "pdf", NULL };

/* ---- measuring ---- */

static bool sheet_is_text(const char *s)
{
    return s != NULL && s[0] != '\0';
}

static void add_scripts(struct label_scripts *scripts, const char *s)
{
    if (s != NULL)
        label_scripts_add(scripts, s, strnlen(s, LABEL_TEXT_CHARS));
}

static const char *language_of(const struct sheet *sheet)
{
    struct label_scripts scripts = { false, false };

    add_scripts(&scripts, sheet->title);
    add_scripts(&scripts, sheet->caption);
    for (int i = 0; i < sheet->n_parts; i++)
        if (sheet->parts[i].type->scripts != NULL)
            sheet->parts[i].type->scripts(sheet->parts[i].of, &scripts);
    return label_language(scripts);
}

static const char *clean_text(const struct page *page, const char *s)
{
    return label_clean(page->arena, s, strlen(s), LABEL_TEXT_CHARS);
}

/* The title decides on the least width, the width on the title's lines. */
static void plan_title(struct plan *plan, struct page *page, struct layout_sizes *sizes)
{
    struct text *text = &page->text;
    const char *title = clean_text(page, page->sheet->title);

    sizes->title_h = text_line_height(text, &text_title);
    sizes->title_w = text_width(text_line(text, &text_title, title));
    layout_make(&plan->layout, sizes, page->arena);
    plan->title = text_paragraph(text, &text_title, title, plan->layout.title.w,
                                 TITLE_LINES, true);
    sizes->title_h = text_height(plan->title);
}

static void plan_caption(struct plan *plan, struct page *page)
{
    const char *caption = clean_text(page, page->sheet->caption);

    plan->caption = text_paragraph(&page->text, &text_caption, caption,
                                   plan->layout.caption.w,
                                   page->sheet->width_px > 0.0 ? NARROW_CAPTION_LINES :
                                                                 CAPTION_LINES, false);
    layout_add_caption(&plan->layout,
                       layout_whole(page->units, text_height(plan->caption)));
}

void sheet_plan(struct plan *plan, struct page *page)
{
    const struct sheet *sheet = page->sheet;
    size_t count = (size_t)sheet->n_parts;
    struct box *part = arena_alloc(page->arena, count, sizeof *part);
    struct layout_sizes sizes = { .units = page->units, .n_parts = sheet->n_parts,
                                  .part = part, .caption = sheet_is_text(sheet->caption) };

    if (sheet->width_px > 0.0)
        sizes.page = layout_units(page->units, sheet->width_px);
    page->text.language = language_of(sheet);
    *plan = (struct plan){ .measured = arena_alloc(page->arena, count,
                                                   sizeof *plan->measured) };
    for (size_t i = 0; i < count; i++)
        plan->measured[i] = sheet->parts[i].type->measure(sheet->parts[i].of, page,
                                                          &part[i]);
    if (sheet_is_text(sheet->title))
        plan_title(plan, page, &sizes);
    layout_make(&plan->layout, &sizes, page->arena);
    if (sizes.caption)
        plan_caption(plan, page);
}

double sheet_height(const struct sheet *sheet, struct arena *a)
{
    struct plan plan;
    struct page page;

    page_init(&page, sheet, DRAW_SVG, a);
    sheet_plan(&plan, &page);
    page_finish(&page);
    return plan.layout.height;
}

double sheet_number_points(const struct sheet *sheet, enum draw_format format, struct arena *a)
{
    double least = 0.0;
    struct plan plan;
    struct page page;

    page_init(&page, sheet, format, a);
    sheet_plan(&plan, &page);
    for (int i = 0; i < sheet->n_parts; i++) {
        double px = sheet->parts[i].type->number_px != NULL ?
                    sheet->parts[i].type->number_px(plan.measured[i]) : 0.0;

        least = least > 0.0 && (px == 0.0 || px > least) ? least : px;
    }
    page_finish(&page);
    return least * 0.72;
}

/* ---- painting ---- */

static void paint_title_and_caption(const struct plan *plan, struct page *page)
{
    const struct layout *l = &plan->layout;

    if (plan->title != NULL)
        text_draw_paragraph(&page->text, page->cr, plan->title, l->title.x, l->title.y);
    if (plan->caption != NULL)
        text_draw_paragraph(&page->text, page->cr, plan->caption, l->caption.x,
                            l->caption.y);
}

static void sheet_paint(const struct plan *plan, struct page *page)
{
    const struct sheet *sheet = page->sheet;

    for (int i = 0; i < sheet->n_parts; i++)
        sheet->parts[i].type->paint(plan->measured[i], page, plan->layout.part[i]);
    paint_title_and_caption(plan, page);
    for (int i = 0; i < sheet->n_parts; i++)
        if (sheet->parts[i].type->paint_text != NULL)
            sheet->parts[i].type->paint_text(plan->measured[i], page,
                                             plan->layout.part[i]);
}

/* ---- writing ---- */

/* What must be given back whatever happens. */
struct sheet_job {
    const char *path;           /* NULL: to memory */
    const char *name;           /* what messages call it */
    struct arena arena;
    jmp_buf no_memory;
    struct page page;
    struct out out;
    struct memory_file memory;
};

static void on_full(void *self, size_t size_bytes)
{
    struct sheet_job *job = self;

    (void)size_bytes;
    longjmp(job->no_memory, 1);
}

/* The file to write to; NULL with an error. */
static FILE *open_target(struct sheet_job *job, struct err *e)
{
    if (job->path != NULL)
        return out_open(&job->out, job->path, 0, e) == 0 ? job->out.file : NULL;
    if (memory_file_open(&job->memory) != 0)
        err_set(e, ERR_SYSTEM, "%s: %s", job->name, strerror(errno));
    return job->memory.file;
}

static int commit_target(struct sheet_job *job, struct err *e)
{
    if (job->path != NULL)
        return out_commit(&job->out, e);
    if (memory_file_close(&job->memory) != 0)
        return err_set(e, ERR_SYSTEM, "%s: no memory to draw it", job->name);
    return 0;
}

/* On a terminal. */
static int sheet_print(struct sheet_job *job, const struct sheet *sheet, struct err *e)
{
    FILE *file = open_target(job, e);

    if (file == NULL || print_sheet(sheet, &job->arena, file, e) != 0)
        return -1;
    return commit_target(job, e);
}

/* A picture on a terminal is a PNG of as many pixels as it has room for, at most. */
static void fit_terminal(struct sheet_job *job, struct sheet *sheet, struct plan *plan)
{
    enum { LEAST_DPI = 10 };
    struct page *page = &job->page;

    page_init(page, sheet, DRAW_PNG, &job->arena);
    sheet_plan(plan, page);
    while (plan->layout.width > sheet->terminal->width_px && sheet->dpi > LEAST_DPI) {
        int dpi = (int)(sheet->dpi * (sheet->terminal->width_px / plan->layout.width));

        sheet->dpi = dpi < LEAST_DPI ? LEAST_DPI : dpi < sheet->dpi ? dpi : sheet->dpi - 1;
        page_finish(page);
        page_init(page, sheet, DRAW_PNG, &job->arena);
        sheet_plan(plan, page);
    }
    page->shown = sheet->terminal;
}

static int sheet_draw(struct sheet_job *job, const struct sheet *sheet, enum draw_format format,
                      const struct warn *warn, struct err *e)
{
    struct page *page = &job->page;
    struct sheet shown = *sheet;
    struct plan plan;
    FILE *file;

    if (setjmp(job->no_memory) != 0)
        return err_set(e, ERR_SYSTEM, "%s: no memory to draw it", job->name);
    if (sheet->title != NULL &&
        utf8_check(sheet->title, strlen(sheet->title)) < strlen(sheet->title))
        return err_set(e, ERR_USAGE, "the title is not UTF-8");
    if (format == DRAW_TERMINAL && sheet->terminal->way < TERMINAL_SIXEL)
        return sheet_print(job, sheet, e);
    if (format == DRAW_TERMINAL) {
        fit_terminal(job, &shown, &plan);
    } else {
        page_init(page, sheet, format, &job->arena);
        sheet_plan(&plan, page);
    }
    if (page_check(plan.layout.width, plan.layout.height, job->name, e) != 0)
        return -1;
    file = open_target(job, e);
    if (file == NULL || page_open(page, plan.layout.width, plan.layout.height, file,
                                  job->name, e) != 0)
        return -1;
    sheet_paint(&plan, page);
    if (page_commit(page, job->name, e) != 0 || commit_target(job, e) != 0)
        return -1;
    text_warn(&page->text, warn);
    return 0;
}

static int sheet_run(struct sheet_job *job, const struct sheet *sheet, enum draw_format format,
                     const struct warn *warn, struct err *e)
{
    int bad;

    arena_init(&job->arena, on_full, job);
    lack_begin();
    bad = sheet_draw(job, sheet, format, warn, e);
    page_finish(&job->page);
    out_abort(&job->out);               /* nothing after a commit */
    if (bad != 0)
        memory_file_drop(&job->memory);
    arena_finish(&job->arena);
    return bad;
}

int sheet_write(const struct sheet *sheet, enum draw_format format, const char *path,
                const struct warn *warn, struct err *e)
{
    struct sheet_job job = { .path = path, .name = path };

    return sheet_run(&job, sheet, format, warn, e);
}

int sheet_bytes(const struct sheet *sheet, enum draw_format format, char **data,
                size_t *size, const struct warn *warn, struct err *e)
{
    struct sheet_job job = { .name = "picture" };
    int bad = sheet_run(&job, sheet, format, warn, e);

    *data = job.memory.data;
    *size = job.memory.size;
    return bad;
}
