/* SPDX-License-Identifier: MIT
 * Rows of a record -> one file, or a file per text. */
#include "task/common/results.h"

#include <limits.h>
#include <string.h>

#include "base/memory_file.h"
#include "base/terminal.h"
#include "task/common/provenance.h"

_Static_assert((int)OUTPUT_TABLE == REPORT_TABLE && (int)OUTPUT_TSV == REPORT_TSV &&
               (int)OUTPUT_CSV == REPORT_CSV &&
               (int)OUTPUT_JSON == REPORT_JSON, "reports come first, in the same order");

int results_open(struct results *results, const struct record *record, const struct input *input,
                 struct err *e)
{
    if (output_open(&results->output, e) != 0)
        return -1;
    results->report = (struct report){ record, (enum report_format)results->output.format,
                                       results->output.out.file, results->output.n_bytes > 0,
                                       results->output.n_bytes > 0 ? NULL : results->run };
    results->parted = results->output.n_bytes > 0;
    results->in = input;
    results->named = input != NULL && input_is_file(input) && !results->output.folder;
    return 0;
}

int results_begin(struct results *results, struct arena *a, const struct item *item,
                  struct err *e)
{
    if (output_begin(&results->output, a, item->index, item->part, e) != 0)
        return -1;
    results->report.file = results->output.out.file;
    if (results->output.folder) {
        results->report.begun = false;
        results->report.run = provenance_of(results->run, a, item);
    }
    return 0;
}

int results_end(struct results *results, struct err *e)
{
    if (results->in != NULL && !results->output.folder && input_waits(results->in))
        fflush(results->output.out.file);     /* output_end sees a failure */
    return output_end(&results->output, e);
}

void results_part(struct results *results)
{
    if (results->named && results->parted)
        putc('\n', results->report.file);
    results->parted = true;
}

static void results_print_legend(const struct results_text *text, struct arena *a, FILE *file)
{
    const struct table_look wide = { .columns = INT_MAX };

    putc('\n', file);
    record_legend(text->record, text->look != NULL ? text->look : &wide, a, file);
}

static void results_print_tables(const struct results *results, FILE *file, struct arena *a,
                                 const struct item *item, const struct results_text *text)
{
    if (results->named)
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
static void print_before(struct results *results)
{
    if (results->report.format == REPORT_TABLE)
        results_part(results);
    else
        report_begin(&results->report);
}

/* Of the text alone, whatever it follows; run NULL: nothing is said of that. */
static void print_text(const struct results *results, FILE *file, struct arena *a,
                       const struct item *item, const struct results_text *text,
                       const struct provenance *run)
{
    struct report rest = { results->report.record, results->report.format, file, true, run };

    if (rest.format == REPORT_TABLE)
        results_print_tables(results, file, a, item, text);
    else
        report_row(&rest, text->row);
}

bool results_look(const struct results *results, struct table_look *look)
{
    struct terminal terminal;

    if (results->output.format != OUTPUT_TABLE || strcmp(results->output.path, "-") != 0 ||
        !terminal_is("-"))
        return false;
    terminal_find(&terminal, "-", false);
    look->columns = terminal.columns;
    look->colours = terminal.way != TERMINAL_DIGITS;
    return true;
}

int results_text(struct results *results, struct arena *a, const struct item *item,
                 const struct results_text *text, struct err *e)
{
    int before, status;

    if (results_begin(results, a, item, e) != 0)
        return -1;
    before = meter_enter(results->meter, METER_OUTPUT);
    print_before(results);
    print_text(results, results->report.file, a, item, text, results->report.run);
    results->report.run = NULL;
    status = results_end(results, e);
    meter_leave(results->meter, before);
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

void results_format(const struct results *results, struct arena *a, const struct item *item,
                    const struct results_text *text, struct memory_file *to)
{
    if (memory_file_open(to) != 0)
        return;
    print_text(results, to->file, a, item, text, NULL);
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
static int write_formatted(struct results *results, struct arena *a, const char *data, size_t size,
                           struct err *e)
{
    const struct out *out = &results->output.out;
    const struct provenance *run = results->report.run;
    size_t n = 0;

    results->report.run = NULL;
    if (run != NULL && results->report.format == REPORT_JSON) {
        const char *text = arena_printf(a, ",\"provenance\":%s", provenance_json(run, a));

        n = record_json_head(results->report.record);
        if (out_write(out, data, n, e) != 0 || out_write(out, text, strlen(text), e) != 0)
            return -1;
    }
    return out_write(out, data + n, size - n, e);
}

static int results_write_text(struct results *results, struct arena *a, const struct item *item,
                              const struct memory_file *file, struct err *e)
{
    if (file->data == NULL)
        return err_set(e, ERR_SYSTEM, "no memory to write text %lld%s",
                       (long long)item->index + 1, item_part(a, item));
    if (results_begin(results, a, item, e) != 0)
        return -1;
    print_before(results);
    if (write_formatted(results, a, file->data, file->size, e) != 0)
        return -1;
    return results_end(results, e);
}

/* Some texts, from formatting->first on. */
static int format_some(struct results *results, struct arena *a, struct formatting *formatting,
                       struct err *e)
{
    int n = formatting->n - formatting->first < formatting->n_text ?
                formatting->n - formatting->first :
                formatting->n_text,
        status = 0;

    par_for(results->par, n, format_text, formatting);
    for (int i = 0; i < n && status == 0; i++) {
        status = results_write_text(results, a, &formatting->items[formatting->first + i],
                                    &formatting->text[i], e);
        memory_file_drop(&formatting->text[i]);
    }
    return status;
}

static int format_all(struct results *results, struct arena *a, const struct formatting *job,
                      struct err *e)
{
    struct formatting *f = arena_alloc(a, 1, sizeof *f);
    int before = meter_enter(results->meter, METER_OUTPUT), status = 0;

    *f = *job;
    f->n_text = FORMATTED_TEXTS * par_threads(results->par);
    f->text = arena_alloc(a, (size_t)f->n_text, sizeof *f->text);
    arena_own(a, drop_all, f);
    for (; f->first < f->n && status == 0; f->first += f->n_text)
        status = format_some(results, a, f, e);
    arena_release(a, f);
    meter_leave(results->meter, before);
    return status;
}

int results_texts(struct results *results, struct arena *a, const struct item *items, int n,
                  void (*tell)(void *self, struct arena *a, int i, struct results_text *text),
                  void *self, struct err *e)
{
    struct results_text text;
    int before, status;

    if (n > 1)
        return format_all(results, a, &(struct formatting){ results, items, n, tell, self }, e);
    if (items->report == NULL) {
        tell(self, a, 0, &text);
        return results_text(results, a, items, &text, e);
    }
    before = meter_enter(results->meter, METER_OUTPUT);
    status = results_write_text(results, a, items, items->report, e);
    meter_leave(results->meter, before);
    return status;
}

void results_finish(struct results *results)
{
    if (!results->output.folder)
        report_end(&results->report);
}

int results_close(struct results *results, const struct input *input, int rc, struct err *e)
{
    int bad = input != NULL ? input_result(input, rc, e) : rc;

    if (rc == 0)
        results_finish(results);
    return output_close(&results->output, rc, e) != 0 ? -1 : bad;
}
