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
struct input *input_open(struct session *s, int n_operands, char **operands,
                         struct err *e);

/*
 * The same, where another session's input `first` has been opened.  Of a file, each text is
 * of the line that `first` read last, and there is one such: input_next then returns 0,
 * until `first` reads on.  Of one text or array they go side by side.
 */
struct input *input_open_beside(struct session *s, const struct input *first,
                                int n_operands, char **operands, struct err *e);

/* What messages call the text that this input gives of each two; NULL: there is one. */
void input_call(struct input *in, const char *text_name);

void input_close_all(struct input *last);      /* it and those of its session before it */
/* Those that were opened after `before`, the session's input then. */
void input_close(struct session *s, struct input *before);

/*
 * The next text, tokenised, in arena a.  Returns 1, 0 at the end, -1.  A line of
 * a file that cannot be used is named in a warning and left out; a text of the
 * command line that cannot be used is an error.
 */
int input_next(struct input *in, struct arena *a, struct item *out, struct err *e);

/* What it came to: rc; where that is 0, an error if some lines could not be used. */
int input_result(const struct input *in, int rc, struct err *e);

int64_t input_count(const struct input *in);    /* texts; of a file's lines: those read so far */
int input_count_parts(const struct input *in);  /* of its pieces, of the last of these: that came
                                                   so far, while others follow; else 0 */
bool input_is_drawn(const struct input *in);        /* some of it, from the seed */
int64_t input_count_bad(const struct input *in);    /* of them: could not be used */
uint32_t input_crc(const struct input *in);     /* of the lines read so far, each with a "\n" */
const char *input_name(const struct input *in); /* of the file, or standard input; NULL: the
                                                   command line */
double input_share(const struct input *in);      /* of its texts that were taken, in [0, 1];
                                                   NaN: not known */
bool input_waits(const struct input *in);       /* whoever writes has yet to write the next text */
bool input_is_file(const struct input *in);     /* of texts, or pieces of one; or of several
                                                   arrays */

/*
 * Of a text that was read but failed.  0: it is left out, and why is said, of what many texts
 * have in common with the first; -1: the error ends all (enum err_reach).
 */
int input_fail(struct input *in, const struct item *item, struct err *why);

/* Counts a text that was read but could not be used after all, and says why. */
void input_reject(struct input *in, const struct item *item, const struct err *why);

/*
 * How far the work is, where there are several texts; only whoever asks for them one by one
 * says so: that it begins, that the texts taken last are worked on, that n are done, its end.
 */
void input_begin(struct input *in);
void input_work(struct input *in);
void input_worked(struct input *in, int n);
void input_end(struct input *in);

/*
 * Calls fn for each text, continued where it is open.  What fn takes from the arena is
 * gone afterwards.  Errors: those of fn; ERR_INPUT only rejects a line of a file.
 */
int input_each(struct input *in,
               int (*fn)(void *self, struct arena *a, const struct item *item,
                         struct err *e),
               void *self, struct err *e);

/*
 * The same for several texts at once, up to 256 and about 4096 tokens, so that a pass reads
 * each weight once for them.  Where fn fails with ERR_INPUT it gets each text alone.
 */
int input_batches(struct input *in, struct session *s,
                  int (*fn)(void *self, struct arena *a, const struct item *items, int n,
                            struct err *e),
                  void *self, struct err *e);

/*
 * Beside the pass, what a text takes until it is reported: a text that --max-memory has no place
 * for is an error before it is run.
 */
void input_keeps(struct input *in, double (*bytes)(void *self, const struct item *item),
                 void *self);
/* Of a text that was read: it is there until all of them are reported. */
void input_hold(struct input *in, const struct item *item);
bool input_is_limited(const struct input *in);
/* Bytes that texts may take; infinite: without --max-memory. */
double input_left(const struct input *in);
/* The limit of an input that was opened before, when less was taken. */
void input_limit_as(struct input *in, const struct input *first);
/* How many of the first of n texts --max-memory has a place for in one pass, at least 1. */
int input_fit(const struct input *in, const struct item *items, int n);

/* Calls done after each batch, and in input_each each text, when all texts that were read are
 * worked on; NULL: nothing. */
void input_after_batches(struct input *in, int (*done)(void *self, struct err *e), void *self);
int input_batch_done(struct input *in, struct err *e);     /* for those: calls it */

/*
 * Calls passed for each text of a file of lines that is not given, as it is another shard's or
 * was done before, tokenised, in its place among the others; what cannot be used is left out.
 */
void input_tell_passed(struct input *in, void (*passed)(void *self, const struct item *item),
                       void *self);

/*
 * With several threads, write(self, a, item, to) is called on any of them for texts of a file of
 * lines, before they are given; their items then have what it wrote.  It sees what a tokeniser
 * makes of a text, and is called for whole texts of a session without a model only.
 */
void input_report_ahead(struct input *in,
                        void (*write)(void *self, struct arena *a, const struct item *item,
                                      struct memory_file *to),
                        void *self);

/*
 * Of a file of lines, not yet read: the first n_lines are taken as done, of the last one only
 * n_parts pieces where that is not 0, n_bad of them as ones that could not be used.  ERR_INPUT:
 * it has fewer.
 */
int input_skip(struct input *in, int64_t n_lines, int n_parts, int64_t n_bad, struct err *e);

#endif
