/* SPDX-License-Identifier: MIT
 * The texts of a session, tokenised, one by one. */
#ifndef SESSION_INPUT_H
#define SESSION_INPUT_H

#include "session/item.h"
#include "session/session.h"

/*
 * Operands, --ids, --input or -f, or where none is given the lines of standard input
 * (env->piped); usage errors where they contradict each other.  The session closes its
 * file, so that a command may fail at any point.
 */
struct input *input_open(struct session *session, int n_operands, char **operands,
                         struct err *e);

/*
 * The same for a second session that reads the same texts as the input `first` of another.  If
 * they come from a file, input_next returns the line that `first` read last, once, then 0 until
 * `first` reads on.  A single text or array is read by each on its own.
 */
struct input *input_open_beside(struct session *session, const struct input *first,
                                int n_operands, char **operands, struct err *e);

/* Sets what messages call this input's text where two inputs read the same line; NULL if there is
 * only one. */
void input_call(struct input *input, const char *text_name);

void input_close_all(struct input *last);      /* it and its session's earlier inputs */
/* Closes the inputs that were opened after `before`, which was session->input then. */
void input_close(struct session *session, struct input *before);

/*
 * The next text, tokenised, in arena a.  Returns 1, 0 at the end, -1.  A line of
 * a file that cannot be used is named in a warning and left out; a text of the
 * command line that cannot be used is an error.
 */
int input_next(struct input *input, struct arena *a, struct item *out, struct err *e);

/* The final result: rc, or if that is 0 an error if some lines could not be used. */
int input_result(const struct input *input, int rc, struct err *e);

int64_t input_count(const struct input *input);    /* number of texts; of a file: read so far */
int input_count_parts(const struct input *input);  /* pieces of the last text returned so far; 0 if
                                                   no more of them follow */
bool input_is_drawn(const struct input *input);        /* whether numbers come from the seed */
int64_t input_count_bad(const struct input *input);    /* texts that could not be used */
uint32_t input_crc(const struct input *input); /* CRC-32 of the lines read so far, each + "\n" */
const char *input_name(
    const struct input *input);                /* file name, or that of standard input; NULL: the
                                                   command line */
double input_share(const struct input *input); /* fraction of its texts already read, in [0, 1];
                                                   NaN if not known */
bool input_waits(const struct input *input);       /* the next text is not written yet (a pipe) */
bool input_is_file(const struct input *input);     /* it may have several texts: a file, pieces of a
                                                   text, or several arrays */

/*
 * Handles the error of a text that was read.  0: the text is left out with a warning, given only
 * once where the cause is common to many texts; -1: the error ends the run (enum err_reach).
 */
int input_fail(struct input *input, const struct item *item, struct err *why);

/* Counts a text that was read but cannot be used, and warns why. */
void input_reject(struct input *input, const struct item *item, const struct err *why);

/*
 * Progress over several texts, for callers of input_next: the work begins; the texts returned
 * last are in work; n of them are done; the work ends.
 */
void input_begin(struct input *input);
void input_work(struct input *input);
void input_worked(struct input *input, int n);
void input_end(struct input *input);

/*
 * Calls fn for each text, after --generate has continued it.  What fn allocates in the arena is
 * freed afterwards.  Errors: those of fn; ERR_INPUT only rejects a line of a file.
 */
int input_each(struct input *input,
               int (*fn)(void *self, struct arena *a, const struct item *item,
                         struct err *e),
               void *self, struct err *e);

/*
 * The same for several texts at once, up to 256 and about 4096 tokens, so that a pass reads
 * each weight once for them.  Where fn fails with ERR_INPUT it gets each text alone.
 */
int input_batches(struct input *input, struct session *session,
                  int (*fn)(void *self, struct arena *a, const struct item *items, int n,
                            struct err *e),
                  void *self, struct err *e);

/*
 * Sets how many bytes a text takes, beside the pass, until it is reported, so that a text that
 * exceeds --max-memory is an error before it is run.
 */
void input_keeps(struct input *input, double (*bytes)(void *self, const struct item *item),
                 void *self);
/* Counts those bytes of a text as used until the end: it is kept until all texts are reported. */
void input_hold(struct input *input, const struct item *item);
bool input_is_limited(const struct input *input);     /* whether --max-memory is given */
/* Bytes that texts may take; infinite: without --max-memory. */
double input_left(const struct input *input);
/* Takes over the memory limit of `first`, opened earlier, when the process used less. */
void input_limit_as(struct input *input, const struct input *first);
/* How many of n texts, from the first on, fit into --max-memory in one pass; at least 1. */
int input_fit(const struct input *input, const struct item *items, int n);

/* Sets a function that is called when all texts read so far are finished: after each batch, or
 * in input_each after each text; NULL if none. */
void input_after_batches(struct input *input, int (*done)(void *self, struct err *e), void *self);
int input_batch_done(struct input *input, struct err *e);     /* calls that function */

/*
 * Sets a function that is called, in file order, with each tokenised text that input_next skips
 * because another shard has it or an earlier run did it.  Unusable ones are left out.
 */
void input_tell_passed(struct input *input, void (*passed)(void *self, const struct item *item),
                       void *self);

/*
 * With several threads, write(self, a, item, to) is called on any of them for texts of a file of
 * lines, before input_next returns them; item->report then is what it wrote.  Only for sessions
 * without a model, and texts that are not split: write sees the tokens alone.
 */
void input_report_ahead(struct input *input,
                        void (*write)(void *self, struct arena *a, const struct item *item,
                                      struct memory_file *to),
                        void *self);

/*
 * Skips the first n_lines of a file not yet read, as done by an earlier run: of the last of them
 * only n_parts pieces if that is not 0; n_bad of them could not be used.  ERR_INPUT: the file has
 * fewer.
 */
int input_skip(struct input *input, int64_t n_lines, int n_parts, int64_t n_bad, struct err *e);

#endif
