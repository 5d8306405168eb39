/* SPDX-License-Identifier: MIT
 *
 * Format of files of exact sums over some texts of a corpus: --shard writes them, merge reads them.
 *
 *     16 bytes   "mha-viz/sums/1", "\n", NUL
 *     8          H
 *     H          JSON {"run":{…},"part":{…}}: run is the same in all parts of a whole
 *     8          W
 *     8 W        words, in the order of the command
 *     4          CRC-32 of all bytes before
 *
 * Numbers are little-endian. */
#ifndef TASK_SUMS_H
#define TASK_SUMS_H

#include <stdint.h>
#include <stdio.h>

#include "base/json.h"

struct sums {
    const char *path;           /* the file that was read; NULL: to be written */
    uint32_t crc;               /* the CRC-32 at its end */
    const json_t *run, *part;   /* objects; NULL: dropped, see sums_read_again */
    const uint64_t *word;       /* [n] */
    uint64_t n;
};

/* ferror tells whether that failed. */
void sums_write(struct arena *a, const struct sums *sums, FILE *file);

/*
 * Reads a file into arena a.  ERR_INPUT, with the path: no such file; not of this format; cut
 * short; damaged (found, expected).
 */
int sums_read(struct arena *a, const char *path, struct sums *out, struct err *e);

/* Reads a file again whose data were dropped.  Also ERR_INPUT: it has changed. */
int sums_read_again(struct arena *a, const struct sums *first, struct sums *out, struct err *e);

/* As sums_read, from bytes, which it copies; errors have no path. */
int sums_read_memory(struct arena *a, struct span bytes, struct sums *out, struct err *e);

/*
 * Checks that both are parts of one whole.  ERR_INPUT: names the first member of run that differs,
 * with both values.
 */
int sums_check_same(struct arena *a, const struct sums *first, const struct sums *other,
                    struct err *e);

#endif
