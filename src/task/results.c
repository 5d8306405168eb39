/* SPDX-License-Identifier: MIT
 * Rows of a record -> one file, or a file per text. */
#include "task/results.h"

#include <limits.h>
#include <string.h>

#include "base/terminal.h"

_Static_assert((int)OUTPUT_TABLE == REPORT_TABLE && (int)OUTPUT_TSV == REPORT_TSV &&
               (int)OUTPUT_JSON == REPORT_JSON, "reports come first, in the same order");

int results_open(struct results *r, const struct record *record, const struct input *in,
                 struct err *e)
{
    if (output_open(&r->output, e) != 0)
        return -1;
    r->report = (struct report){ record, (enum report_format)r->output.format,
                                 r->output.out.file, r->output.n_bytes > 0 };
    r->parted = r->output.n_bytes > 0;
    r->named = in != NULL && input_is_file(in) && !r->output.folder;
    return 0;
}

int results_begin(struct results *r, struct arena *a, const struct item *item,
                  struct err *e)
{
    if (output_begin(&r->output, a, item->index, item->part, e) != 0)
        return -1;
    r->report.file = r->output.out.file;
    r->report.begun &= !r->output.folder;
    return 0;
}

int results_end(struct results *r, struct err *e)
{
    return output_end(&r->output, e);
}

void results_part(struct results *r)
{
    if (r->named && r->parted)
        putc('\n', r->report.file);
    r->parted = true;
}

static void print_legend(const struct results_text *text, struct arena *a, FILE *file)
{
    const struct table_look wide = { .columns = INT_MAX };

    putc('\n', file);
    record_legend(text->record, text->look != NULL ? text->look : &wide, a, file);
}

static void print_tables(struct results *r, struct arena *a, const struct item *item,
                         const struct results_text *text)
{
    FILE *file = r->report.file;

    results_part(r);
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
        print_legend(text, a, file);
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
    if (r->report.format == REPORT_TABLE)
        print_tables(r, a, item, text);
    else
        report_row(&r->report, text->row);
    status = results_end(r, e);
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
