/* SPDX-License-Identifier: MIT
 * Where texts come from: one kind per file, each with its own next. */
#ifndef SESSION_SOURCE_H
#define SESSION_SOURCE_H

#include "session/item.h"
#include "session/session.h"

/* What next returns: a text, the end, an error that ends all, or one of this text alone. */
enum { SOURCE_TEXT = 1, SOURCE_END = 0, SOURCE_FAILED = -1, SOURCE_UNUSABLE = -2 };

/* What is written of a text, on any thread, before the text is asked for. */
struct report_ahead {
    void (*write)(void *self, struct arena *a, const struct item *item, struct memory_file *to);
    void *self;                 /* write NULL: nothing is */
};

/* The first member of each kind's struct. */
struct source {
    const struct session *s;
    const char *name;           /* of the file, for messages; NULL: the command line */
    const char *unit;           /* "line" or "array", of that file */
    bool is_file;               /* of several texts: one that is unusable is left out */
    bool lines;                 /* so is one that does not fit the model */
    bool drawn;                 /* of arrays: some are random */
    bool others;                /* of lines: texts of other shards are given, too */
    struct report_ahead report; /* of lines */
    int64_t n;                  /* texts; of lines: those read so far */
    int64_t n_blank;            /* of its lines: those that are no texts, so far */
    int64_t n_bad;              /* at the end: texts that whoever read them before left out */
    uint32_t crc;               /* of lines: CRC-32 of those, each with a "\n" after it */
    /* Fills *out, which is empty, but not what encode_fit fills. */
    int (*next)(struct source *self, struct arena *a, struct item *out, struct err *e);
    double (*share)(const struct source *self);     /* of it that was taken, in [0, 1], or
                                                        NaN; NULL: of n */
    bool (*waits)(const struct source *self);   /* for whoever writes the next text; NULL: never */
    void (*close)(struct source *self);     /* NULL: nothing is open */
};

/* A TEXT, which may hold NULs. */
struct operand {
    const char *text;
    size_t size;
};

/*
 * The source that s->asked and the operands, of argv, name.  leader: of its lines this one's are,
 * where it has lines; NULL: there is none.  Errors: ERR_USAGE: two that exclude each other, one
 * that the model does not read; those of opening it.
 */
struct source *source_asked(struct session *s, const struct source *leader, int n_operands,
                            char **operands, struct err *e);

/* TEXT and TEXT_B, as many as there are, else the model's own text; ERR_USAGE: it has none. */
struct source *source_text(const struct session *s, int n_operands,
                           const struct operand *operands, struct err *e);

/* --ids, --type-ids */
struct source *source_ids(const struct session *s);

struct lines;

/* lines_open; standard input is kept where it is read more than once. */
struct lines *source_open_lines(const struct session *s, const char *path, struct err *e);

/* -f FILE: a text per line, with --pairs two, with --jsonl an object. */
struct source *source_lines(const struct session *s, struct err *e);

/* Reads n of its lines as if they were texts.  ERR_INPUT: it has fewer. */
int source_skip(struct source *lines, int64_t n, struct err *e);

/* Of the same lines as a source of lines that is open: that which it read last, once. */
struct source *source_follow(const struct session *s, const struct source *leader);

/*
 * The same of standard input; where nothing comes for a second, a note says what is waited
 * for.  *out NULL: it is empty.
 */
int source_piped(const struct session *s, struct source **out, struct err *e);

/*
 * --input, --image or --audio FILE of a model that reads arrays; pair: the decoder's text; NULL:
 * none.
 */
struct source *source_arrays(const struct session *s, const struct operand *pair,
                             struct err *e);

/* The one that handed_item gives. */
struct source *source_handed(const struct session *s, const struct item *item);

/* Texts of s->asked->stream. */
struct source *source_stream(const struct session *s);

/* Rows of a bare layer: layer_input_open. */
struct source *source_layer(struct session *s, struct err *e);

/* The one text of --attention: precomputed_item. */
struct source *source_precomputed(const struct session *s);

#endif
