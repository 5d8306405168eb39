/* SPDX-License-Identifier: MIT
 * Rows of a record -> one file, or a file per text. */
#include "task/results.h"

#include <limits.h>
#include <string.h>

#include "base/memory_file.h"
#include "base/terminal.h"
#include "task/provenance.h"

_Static_assert((int)OUTPUT_TABLE == REPORT_TABLE && (int)OUTPUT_TSV == REPORT_TSV &&
               (int)OUTPUT_CSV == REPORT_CSV &&
               (int)OUTPUT_JSON == REPORT_JSON, "reports come first, in the same order");

int results_open(struct results *r, const struct record *record, const struct input *in,
                 struct err *e)
{
    if (output_open(&r->output, e) != 0)
        return -1;
    r->report = (struct report){ record, (enum report_format)r->output.format,
                                 r->output.out.file, r->output.n_bytes > 0,
                                 r->output.n_bytes > 0 ? NULL : r->run };
    r->parted = r->output.n_bytes > 0;
    r->in = in;
    r->named = in != NULL && input_is_file(in) && !r->output.folder;
    return 0;
}

int results_begin(struct results *r, struct arena *a, const struct item *item,
                  struct err *e)
{
    if (output_begin(&r->output, a, item->index, item->part, e) != 0)
        return -1;
    r->report.file = r->output.out.file;
    if (r->output.folder) {
        r->report.begun = false;
        r->report.run = provenance_of(r->run, a, item);
    }
    return 0;
}

int results_end(struct results *r, struct err *e)
{
    if (r->in != NULL && !r->output.folder && input_waits(r->in))
        fflush(r->output.out.file);     /* output_end sees a failure */
    return output_end(&r->output, e);
}

void results_part(struct results *r)
{
    if (r->named && r->parted)
        putc('\n', r->report.file);
    r->parted = true;
}

static void results_print_legend(const struct results_text *text, struct arena *a, FILE *file)
{
    const struct table_look wide = { .columns = INT_MAX };

    putc('\n', file);
    record_legend(text->record, text->look != NULL ? text->look : &wide, a, file);
}

static void results_print_tables(const struct results *r, FILE *file, struct arena *a,
                                 const struct item *item, const struct results_text *text)
{
    if (r->named)
        fprintf(file, "text %lld%s\n", (long long)item->index + 1, item_part(a, item));
    if (text->lead != NULL)
        fputs(text->lead, file);
    for (int i = 0; i < text->n_tables; i++)
        if (text->look != NULL)
            record_table_fitted(text->record, text->tables[i].at, text->tables[i].n, text->look, a,
                                file);
        else
            record_table(text->record, text->tables[i].at, text->tables[i].n, a, file);
    if (text->legend)
        results_print_legend(text, a, file);
}

/* What a text follows: another, or nothing yet. */
static void print_before(struct results *r)
{
    if (r->report.format == REPORT_TABLE)
        results_part(r);
    else
        report_begin(&r->report);
}

/* Of the text alone, whatever it follows; run NULL: nothing is said of that. */
static void print_text(const struct results *r, FILE *file, struct arena *a,
                       const struct item *item, const struct results_text *text,
                       const struct provenance *run)
{
    struct report rest = { r->report.record, r->report.format, file, true, run };

    if (rest.format == REPORT_TABLE)
        results_print_tables(r, file, a, item, text);
    else
        report_row(&rest, text->row);
}

bool results_look(const struct results *r, struct table_look *look)
{
    struct terminal terminal;

    if (r->output.format != OUTPUT_TABLE || strcmp(r->output.path, "-") != 0 || !terminal_is("-"))
        return false;
    terminal_find(&terminal, "-", false);
    look->columns = terminal.columns;
    look->colours = terminal.way != TERMINAL_DIGITS;
    return true;
}

int results_text(struct results *r, struct arena *a, const struct item *item,
                 const struct results_text *text, struct err *e)
{
    int before, status;

    if (results_begin(r, a, item, e) != 0)
        return -1;
    before = meter_enter(r->meter, METER_OUTPUT);
    print_before(r);
    print_text(r, r->report.file, a, item, text, r->report.run);
    r->report.run = NULL;
    status = results_end(r, e);
    meter_leave(r->meter, before);
    return status;
}

/* ---- several texts ---- */

/* Of each thread, at a time: what they come to is all that is in memory. */
enum { FORMATTED_TEXTS = 16 };

struct formatting {
    const struct results *r;
    const struct item *items;
    int n;
    void (*tell)(void *self, struct arena *a, int i, struct results_text *text);
    void *self;
    int first, n_text;          /* of those that are formatted now, and how many at most */
    struct memory_file *text;   /* [n_text] what each comes to; data NULL: there was no memory */
};

static void drop_all(void *what)
{
    struct formatting *f = what;

    for (int i = 0; i < f->n_text; i++)
        memory_file_drop(&f->text[i]);
}

void results_format(const struct results *r, struct arena *a, const struct item *item,
                    const struct results_text *text, struct memory_file *to)
{
    if (memory_file_open(to) != 0)
        return;
    print_text(r, to->file, a, item, text, NULL);
    memory_file_close(to);
}

static void format_text(void *self, int i, struct arena *scratch)
{
    const struct formatting *job = self;
    struct results_text text;

    job->tell(job->self, scratch, job->first + i, &text);
    results_format(job->r, scratch, &job->items[job->first + i], &text, &job->text[i]);
}

/* What the first object of JSON says of the run goes behind its head. */
static int write_formatted(struct results *r, struct arena *a, const char *data, size_t size,
                           struct err *e)
{
    const struct out *out = &r->output.out;
    const struct provenance *run = r->report.run;
    size_t n = 0;

    r->report.run = NULL;
    if (run != NULL && r->report.format == REPORT_JSON) {
        const char *text = arena_printf(a, ",\"provenance\":%s", provenance_json(run, a));

        n = record_json_head(r->report.record);
        if (out_write(out, data, n, e) != 0 || out_write(out, text, strlen(text), e) != 0)
            return -1;
    }
    return out_write(out, data + n, size - n, e);
}

static int results_write_text(struct results *r, struct arena *a, const struct item *item,
                              const struct memory_file *f, struct err *e)
{
    if (f->data == NULL)
        return err_set(e, ERR_SYSTEM, "no memory to write text %lld%s",
                       (long long)item->index + 1, item_part(a, item));
    if (results_begin(r, a, item, e) != 0)
        return -1;
    print_before(r);
    if (write_formatted(r, a, f->data, f->size, e) != 0)
        return -1;
    return results_end(r, e);
}

/* Some texts, from f->first on. */
static int format_some(struct results *r, struct arena *a, struct formatting *f, struct err *e)
{
    int n = f->n - f->first < f->n_text ? f->n - f->first : f->n_text, status = 0;

    par_for(r->par, n, format_text, f);
    for (int i = 0; i < n && status == 0; i++) {
        status = results_write_text(r, a, &f->items[f->first + i], &f->text[i], e);
        memory_file_drop(&f->text[i]);
    }
    return status;
}

static int format_all(struct results *r, struct arena *a, const struct formatting *job,
                      struct err *e)
{
    struct formatting *f = arena_alloc(a, 1, sizeof *f);
    int before = meter_enter(r->meter, METER_OUTPUT), status = 0;

    *f = *job;
    f->n_text = FORMATTED_TEXTS * par_threads(r->par);
    f->text = arena_alloc(a, (size_t)f->n_text, sizeof *f->text);
    arena_own(a, drop_all, f);
    for (; f->first < f->n && status == 0; f->first += f->n_text)
        status = format_some(r, a, f, e);
    arena_release(a, f);
    meter_leave(r->meter, before);
    return status;
}

int results_texts(struct results *r, struct arena *a, const struct item *items, int n,
                  void (*tell)(void *self, struct arena *a, int i, struct results_text *text),
                  void *self, struct err *e)
{
    struct results_text text;
    int before, status;

    if (n > 1)
        return format_all(r, a, &(struct formatting){ r, items, n, tell, self }, e);
    if (items->report == NULL) {
        tell(self, a, 0, &text);
        return results_text(r, a, items, &text, e);
    }
    before = meter_enter(r->meter, METER_OUTPUT);
    status = results_write_text(r, a, items, items->report, e);
    meter_leave(r->meter, before);
    return status;
}

void results_finish(struct results *r)
{
    if (!r->output.folder)
        report_end(&r->report);
}

int results_close(struct results *r, const struct input *in, int rc, struct err *e)
{
    int bad = in != NULL ? input_result(in, rc, e) : rc;

    if (rc == 0)
        results_finish(r);
    return output_close(&r->output, rc, e) != 0 ? -1 : bad;
}
