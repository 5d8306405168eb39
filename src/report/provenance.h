/* SPDX-License-Identifier: MIT
 * What a file says of the run that wrote it: as a member "provenance" of a JSON object, or as
 * pairs of key and value. */
#ifndef REPORT_PROVENANCE_H
#define REPORT_PROVENANCE_H

#include "report/record.h"

struct provenance_model {
    const char *name, *family;
    const char *hash;           /* as model_hash_data has it, 16 digits; NULL, like the family:
                                   only its tokeniser was opened */
};

/* Text in UTF-8; the same for any number of threads, and for shards as for one run. */
struct provenance {
    const char *program;        /* "mha-viz 0.1.0", and a kernel that is not as the others */
    const char *command;        /* as a POSIX shell reads it */
    const char *rest;           /* of it, after its name and format: for a part of the run */
    struct list models;         /* of struct provenance_model; n 0: none */
    const char *file;           /* of the texts, "-" for standard input; NULL: there is none */
    const char *sha256;         /* of it, 64 digits; NULL: it is not a regular file */
    const char *line;           /* of it, "3" or "3, part 2"; NULL: of several, or of none */
};

extern const struct record provenance_record;

struct provenance_pair {
    const char *key, *value;
};

/* The same as "Software", "mha-viz:command", ...: how many.  Of models the first two. */
enum { PROVENANCE_PAIRS = 7 };
int provenance_pairs(const struct provenance *p, struct arena *a,
                     struct provenance_pair to[PROVENANCE_PAIRS]);

#endif
