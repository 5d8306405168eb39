/* SPDX-License-Identifier: MIT
 *
 * The report of a command that goes over texts: rows of one record, to one file, or to a
 * file per text in a folder. */
#ifndef TASK_RESULTS_H
#define TASK_RESULTS_H

#include "task/shared.h"
#include "report/record.h"

struct results {
    struct output output;       /* set it by output_plan, before results_open */
    struct report report;
    bool named;                 /* tables of several texts follow one another */
    struct meter *meter;        /* of the time that writing takes; NULL: nobody measures */
    struct par *par;            /* whose threads share what results_texts formats */
    const struct input *in;     /* of the texts; NULL: there is none */
    const struct provenance *run;       /* what each file says of the run; NULL: nothing.  Set it
                                   before results_open */
    bool parted;                /* something stands above: a blank line comes first */
};

/* in: whose texts these are; NULL: rows of no text. */
int results_open(struct results *r, const struct record *record, const struct input *in,
                 struct err *e);

/* Around what is written of one text, to r->report.file; whoever waits for it before writing the
 * next one gets it. */
int results_begin(struct results *r, struct arena *a, const struct item *item,
                  struct err *e);
int results_end(struct results *r, struct err *e);
/* Before tables: a blank line, where those of another text stand above. */
void results_part(struct results *r);

/* What is reported of one text. */
struct results_text {
    const void *row;            /* in TSV and JSON: of the report's record */
    const struct record *record;    /* as tables: of it are the rows */
    const struct list *tables;      /* [n_tables] */
    int n_tables;
    const char *lead;           /* lines above the tables; NULL: none */
    bool legend;                /* what the columns are stands below them */
    const struct table_look *look;      /* of a terminal; NULL: as in a file */
};

/* Where tables go to a terminal: its columns and colours into *look; false: they do not. */
bool results_look(const struct results *r, struct table_look *look);

/*
 * All of one text, begin to end, in the report's format.  Above the tables of one of several
 * texts: "text 2", after a blank line but for the first.  Errors: those of the output.
 */
int results_text(struct results *r, struct arena *a, const struct item *item,
                 const struct results_text *text, struct err *e);

/*
 * The same of n texts of a pass, in their order, which all threads format, some at a time; where
 * there are several, what those come to is in memory.  Of one text, what its item's report has is
 * written, where it has one.  tell(self, a, i, text) says what is reported of items[i]; it runs on
 * any thread, and what it makes is of a.  Errors: those of the output; ERR_SYSTEM: no memory.
 */
int results_texts(struct results *r, struct arena *a, const struct item *items, int n,
                  void (*tell)(void *self, struct arena *a, int i, struct results_text *text),
                  void *self, struct err *e);

/* A text as results_texts writes it, wherever it stands, on any thread; data NULL: no memory. */
void results_format(const struct results *r, struct arena *a, const struct item *item,
                    const struct results_text *text, struct memory_file *to);

/* Writes what stands after the last text; no text may follow. */
void results_finish(struct results *r);

/*
 * Ends input and output, after results_finish.  What the usable lines gave is kept, also where
 * others were not
 * usable: rc 0, but an error says so.
 */
int results_close(struct results *r, const struct input *in, int rc, struct err *e);

#endif
