/* SPDX-License-Identifier: MIT
 *
 * Results: the report of a command over texts, rows of one record, to one file, or to a file per
 * text in a folder. */
#ifndef TASK_RESULTS_H
#define TASK_RESULTS_H

#include "report/record.h"
#include "task/common/shared.h"

struct results {
    struct output output;       /* set by output_plan, before results_open */
    struct report report;
    bool named;                 /* tables of several texts follow each other, each with its number
                                   */
    struct meter *meter;        /* measures the time of writing; NULL: not measured */
    struct par *par;            /* threads that format in results_texts */
    const struct input *in;     /* source of the texts; NULL if there is none */
    const struct provenance *run;       /* provenance that is written to each file; NULL: none.  Set
                                   before results_open */
    bool parted;                /* there is output already: a blank line comes before more */
};

/* in: the source of the texts; NULL if rows are not of texts. */
int results_open(struct results *results, const struct record *record, const struct input *input,
                 struct err *e);

/* Before and after a text's output, which goes to results->report.file; it is flushed for a reader
 * that waits for it before it sends the next text. */
int results_begin(struct results *results, struct arena *a, const struct item *item,
                  struct err *e);
int results_end(struct results *results, struct err *e);
/* Writes a blank line before tables, if others are above. */
void results_part(struct results *results);

/* The report of one text. */
struct results_text {
    const void *row;            /* for TSV and JSON: a row of the report's record */
    const struct record *record;    /* for tables: record of their rows */
    const struct list *tables;      /* [n_tables] rows of each */
    int n_tables;
    const char *lead;           /* lines above the tables; NULL: none */
    bool legend;                /* a legend of columns follows the tables */
    const struct table_look *look;      /* width and colours of a terminal; NULL: plain */
};

/* If tables go to a terminal, sets *look to its width and colours; else false. */
bool results_look(const struct results *results, struct table_look *look);

/*
 * Writes the report of one text, including begin and end, in the report's format.  Tables of one of
 * several texts have "text 2" above, after a blank line except for the first.  Errors: those of the
 * output.
 */
int results_text(struct results *results, struct arena *a, const struct item *item,
                 const struct results_text *text, struct err *e);

/*
 * The same for n texts of a pass, in their order, formatted by all threads, a few texts at a time,
 * in memory if there are several.  A text whose item->report is set already is written as it is.
 * tell(self, a, i, text) makes the report of items[i], on any thread, in arena a.  Errors: those of
 * the output; ERR_SYSTEM: no memory.
 */
int results_texts(struct results *results, struct arena *a, const struct item *items, int n,
                  void (*tell)(void *self, struct arena *a, int i, struct results_text *text),
                  void *self, struct err *e);

/* Formats a text as results_texts does, on any thread; to->data NULL: no memory. */
void results_format(const struct results *results, struct arena *a, const struct item *item,
                    const struct results_text *text, struct memory_file *to);

/* Writes the end of the report; no text may follow. */
void results_finish(struct results *results);

/*
 * Ends input and output, after results_finish.  The output of usable lines is kept even if others
 * were unusable: then rc 0 becomes an error that says so.
 */
int results_close(struct results *results, const struct input *input, int rc, struct err *e);

#endif
