/* SPDX-License-Identifier: MIT
 *
 * Format of hidden states passed between processes that split the layers of a model: each text's
 * tokens and the output of the earlier layers, with which the later layers continue.
 *
 *     24 bytes   "mha-viz/hidden-states/1", NUL
 *     a block    {"run":{…},"layer":L,"width":D,"streams":1 or 2,"unigrams":[[id,n],…] or null}
 *     blocks     {"index":…,"part":…,"group":…,"id":[…],"type":[…],"special":[…],
 *                "word":[…] or null,"global":[…] or null,"label":[bytes of each]}: a text of n
 *                tokens, with streams * n * D floats, one stream after the other, and its labels
 *     a block    {"texts":…,"unusable":…,"checksum":"…"}: the end
 *
 * run describes the run, as in the files of --shard.  A block is
 *
 *     8          J
 *     J          the JSON
 *     8          P
 *     P          the data after it
 *     4          CRC-32 of the block up to here
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

/* The block after the last text. */
struct stream_end {
    int64_t n, n_bad;           /* number of texts, and of those that could not be used */
    uint32_t crc;               /* CRC-32 of their lines */
};

/*
 * Reads the file up to its first text; path "-" is standard input.  ERR_INPUT, with the path: no
 * such file; not of this format; cut short; damaged; a field that is missing, or out of range
 * (found, expected).
 */
int stream_open(struct arena *a, const char *path, struct stream *out, struct err *e);
/* The same for an open file; out->file and out->name are set. */
int stream_read_head(struct arena *a, struct stream *out, struct err *e);
void stream_close(struct stream *stream);

/*
 * The next text, in arena a: tokens without pieces and spans, global tokens, group and streams.
 * Returns 1; 0 with *end, which ends the file; -1: as stream_open, or lists of a text that differ
 * in length.
 */
int stream_next(struct stream *stream, struct arena *a, struct item *out, struct stream_end *end,
                struct err *e);

/* Writes the beginning, a text, the end to stream->file; ferror tells whether that failed. */
void stream_begin(struct arena *a, const struct stream *stream);
/* Hidden states are x[n_streams] [item->tokens.n, width], not item->x. */
void stream_text(struct arena *a, const struct stream *stream, const struct item *item,
                 const float *const x[2]);
void stream_finish(struct arena *a, const struct stream *stream, const struct stream_end *end);

#endif
