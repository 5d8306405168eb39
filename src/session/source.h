/* SPDX-License-Identifier: MIT
 * Where texts come from: one kind per file, each with its own next. */
#ifndef SESSION_SOURCE_H
#define SESSION_SOURCE_H

#include "session/item.h"
#include "session/session.h"

/* What next returns: a text, the end, an error that ends all, or one of this text alone. */
enum { SOURCE_TEXT = 1, SOURCE_END = 0, SOURCE_FAILED = -1, SOURCE_UNUSABLE = -2 };

/* The first member of each kind's struct. */
struct source {
    const struct session *s;
    const char *name;           /* of the file, for messages; NULL: the command line */
    const char *unit;           /* "line" or "array", of that file */
    bool is_file;               /* of several texts: one that is unusable is left out */
    int n;                      /* texts; of lines: those read so far */
    /* Fills *out, which is empty, but not what encode_fit fills. */
    int (*next)(struct source *self, struct arena *a, struct item *out, struct err *e);
    void (*close)(struct source *self);     /* NULL: nothing is open */
};

/* TEXT and TEXT_B, as many as there are, else the model's own text; ERR_USAGE: it has none. */
struct source *source_text(const struct session *s, int n_operands, char **operands,
                           struct err *e);

/* --ids, --type-ids */
struct source *source_ids(const struct session *s);

/*
 * -f FILE: a text per line, with --pairs two, with --jsonl an object.  first: such a source
 * of the same file, of whose lines this one takes that which was read last, once; NULL:
 * the file is opened.
 */
struct source *source_lines(const struct session *s, const struct source *first,
                            struct err *e);

/* --input FILE of a model that reads arrays; pair: the decoder's text; NULL: none. */
struct source *source_arrays(const struct session *s, const char *pair, struct err *e);

/* Rows of a bare layer: layer_input_open. */
struct source *source_layer(struct session *s, struct err *e);

/* The one text of --attention: precomputed_item. */
struct source *source_precomputed(const struct session *s);

#endif
