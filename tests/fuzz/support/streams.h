/* SPDX-License-Identifier: MIT
 * Standard streams of a run inside of this process: what it writes is caught, and what it
 * reads is a file. */
#ifndef FUZZ_STREAMS_H
#define FUZZ_STREAMS_H

#include <stddef.h>

struct caught {
    char *text;                 /* ends with NUL; for free() */
    size_t size;
};

/* Until streams_close; input is the file that is standard input, else /dev/null. */
void streams_open(const char *input);

/* What was written to standard output and to standard error since. */
void streams_close(struct caught *out, struct caught *said);

#endif
