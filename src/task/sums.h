/* SPDX-License-Identifier: MIT
 *
 * Exact sums over some texts of a corpus, in a file: --shard writes it, merge reads it.
 *
 *     16 bytes   "mha-viz/sums/1", "\n", NUL
 *     8          H
 *     H          JSON {"run":{…},"part":{…}}: run is the same in all parts of a whole
 *     8          W
 *     8 W        words, which the command knows how to read
 *     4          CRC-32 of all that stands before
 *
 * Numbers are little-endian. */
#ifndef TASK_SUMS_H
#define TASK_SUMS_H

#include <stdint.h>
#include <stdio.h>

#include "base/json.h"

struct sums {
    const char *path;           /* NULL: they are to be written */
    uint32_t crc;               /* of the file, at its end */
    const json_t *run, *part;   /* objects; NULL: they are to be read again */
    const uint64_t *word;       /* [n] */
    uint64_t n;
};

/* ferror says whether that failed. */
void sums_write(struct arena *a, const struct sums *s, FILE *f);

/*
 * All memory is of a.  ERR_INPUT, with the path: no such file; not what sums_write wrote; cut
 * short; damaged (found, expected).
 */
int sums_read(struct arena *a, const char *path, struct sums *out, struct err *e);

/* Reads again what was read and let go of.  Errors: also ERR_INPUT: it has changed since. */
int sums_read_again(struct arena *a, const struct sums *first, struct sums *out, struct err *e);

/* The same from bytes, which need not outlive it; errors are without a path. */
int sums_read_memory(struct arena *a, struct span bytes, struct sums *out, struct err *e);

/*
 * Whether both are parts of one whole.  ERR_INPUT: the first member of run that differs, with
 * the values of both.
 */
int sums_check_same(struct arena *a, const struct sums *first, const struct sums *other,
                    struct err *e);

#endif
