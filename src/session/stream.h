/* SPDX-License-Identifier: MIT
 *
 * Texts between two processes that share the layers of a model: what the layers before made of
 * each token, so that those after them go on, text after text.
 *
 *     24 bytes   "mha-viz/hidden-states/1", NUL
 *     a block    {"run":{…},"layer":L,"width":D,"streams":1 or 2,"unigrams":[[id,n],…] or null}
 *     blocks     {"index":…,"part":…,"group":…,"id":[…],"type":[…],"special":[…],
 *                "word":[…] or null,"global":[…] or null,"label":[bytes of each]}: a text of n
 *                tokens, with streams * n * D floats, one stream after the other, and its labels
 *     a block    {"texts":…,"unusable":…,"checksum":"…"}: the end
 *
 * run is what --shard's parts say of theirs.  A block is
 *
 *     8          J
 *     J          the JSON
 *     8          P
 *     P          what is with it
 *     4          CRC-32 of all of the block that stands before
 *
 * Numbers are little-endian. */
#ifndef SESSION_STREAM_H
#define SESSION_STREAM_H

#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "session/item.h"
#include "session/unigrams.h"

struct stream {
    FILE *file;
    const char *name;           /* for messages */
    const json_t *run;          /* an object */
    int layer, width, n_streams;
    struct unigrams unigrams;
};

/* After the last text. */
struct stream_end {
    int64_t n, n_bad;           /* texts that were read, and those that could not be used */
    uint32_t crc;               /* of their lines */
};

/*
 * Reads up to the first text; path "-" is standard input.  ERR_INPUT, with the path: no such
 * file; not what stream_begin wrote; cut short; damaged; a field that is missing, or out of range
 * (found, expected).
 */
int stream_open(struct arena *a, const char *path, struct stream *out, struct err *e);
/* The same of a file that is open, with out->file and out->name set. */
int stream_read_head(struct arena *a, struct stream *out, struct err *e);
void stream_close(struct stream *s);

/*
 * The next text: tokens without pieces, spans, global tokens, group and streams, all of a.
 * Returns 1, or 0 with *end, after which nothing stands; -1: as stream_open, and numbers of
 * tokens that are not the same.
 */
int stream_next(struct stream *s, struct arena *a, struct item *out, struct stream_end *end,
                struct err *e);

/* To s->file; ferror says whether that failed. */
void stream_begin(struct arena *a, const struct stream *s);
/* item's tokens, with x[n_streams] [item->tokens.n, width] in place of its own. */
void stream_text(struct arena *a, const struct stream *s, const struct item *item,
                 const float *const x[2]);
void stream_finish(struct arena *a, const struct stream *s, const struct stream_end *end);

#endif
