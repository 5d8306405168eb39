/* SPDX-License-Identifier: MIT
 * Sources of texts: operands, files, arrays; each kind has a source_*.c file and its own next(). */
#ifndef SESSION_SOURCE_H
#define SESSION_SOURCE_H

#include "session/item.h"
#include "session/session.h"

/* Results of next(): a text, the end, an error that ends the run, an error of this text alone. */
enum { SOURCE_TEXT = 1, SOURCE_END = 0, SOURCE_FAILED = -1, SOURCE_UNUSABLE = -2 };

/* A function that writes a text's report on any thread, before the text is requested. */
struct report_ahead {
    void (*write)(void *self, struct arena *a, const struct item *item, struct memory_file *to);
    void *self;                 /* write NULL: no such reports */
};

/* Base of the struct of each kind, its first member. */
struct source {
    const struct session *s;
    const char *name;           /* name of the file, for messages; NULL: the command line */
    const char *unit;           /* "line" or "array", the unit that a text is in that file */
    bool is_file;               /* it has several texts: an unusable one is left out */
    bool lines;                 /* it has lines: a text that does not fit the model is left out */
    bool drawn;                 /* arrays: some are random */
    bool others;                /* lines: texts of other shards are returned, too */
    struct report_ahead report; /* lines: reports written in advance */
    int64_t n;                  /* number of texts; lines: read so far */
    int64_t n_blank;            /* lines: empty ones so far, which are no texts */
    int64_t n_bad;              /* at the end: texts left out by the process that read them */
    uint32_t crc;               /* lines: CRC-32 of those read so far, each with a "\n" */
    /* Fills *out, which is empty, except for the fields that encode_fit fills. */
    int (*next)(struct source *self, struct arena *a, struct item *out, struct err *e);
    double (*share)(const struct source *self);     /* fraction that was read, in [0, 1], or NaN
                                                        if not known; NULL: count of n */
    bool (*waits)(const struct source *self);   /* the next text is not written yet (a pipe);
                                                   NULL: never */
    void (*close)(struct source *self);     /* NULL: nothing to close */
};

/* A TEXT operand, which may contain NULs. */
struct operand {
    const char *text;
    size_t size;
};

/*
 * Opens the source that session->asked and the operands of argv name.  leader: another source whose
 * lines this one repeats, if it has lines; NULL if none.  Errors: ERR_USAGE: two sources that
 * exclude each other, one that the model does not read; those of opening it.
 */
struct source *source_asked(struct session *session, const struct source *leader, int n_operands,
                            char **operands, struct err *e);

/* TEXT and TEXT_B, if given, else the model's default text; ERR_USAGE if it has none. */
struct source *source_text(const struct session *session, int n_operands,
                           const struct operand *operands, struct err *e);

/* --ids, --type-ids */
struct source *source_ids(const struct session *session);

struct lines;

/* As lines_open; standard input is stored if it has to be read more than once. */
struct lines *source_open_lines(const struct session *session, const char *path, struct err *e);

/* -f FILE: one text per line, with --pairs two, with --jsonl an object. */
struct source *source_lines(const struct session *session, struct err *e);

/* Skips n texts' lines, counted as read.  ERR_INPUT: there are fewer. */
int source_skip(struct source *lines, int64_t n, struct err *e);

/* A source of the line that an open source of lines read last: once for each of its lines. */
struct source *source_follow(const struct session *session, const struct source *leader);

/*
 * As source_lines, from standard input; after a second without input, a note says that texts are
 * awaited.  *out NULL if it is empty.
 */
int source_piped(const struct session *session, struct source **out, struct err *e);

/*
 * --input, --image or --audio FILE for a model that reads arrays; pair: the decoder's text; NULL if
 * none.
 */
struct source *source_arrays(const struct session *session, const struct operand *pair,
                             struct err *e);

/* The item that handed_item returned. */
struct source *source_handed(const struct session *session, const struct item *item);

/* The texts of session->asked->stream. */
struct source *source_stream(const struct session *session);

/* Input rows of a bare layer, from layer_input_open. */
struct source *source_layer(struct session *session, struct err *e);

/* The single text of --attention, from precomputed_item. */
struct source *source_precomputed(const struct session *session);

#endif
