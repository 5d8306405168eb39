/* SPDX-License-Identifier: MIT
 * Provenance: the description of the run that wrote a file, as a member "provenance" of a JSON
 * object, or as pairs of key and value. */
#ifndef REPORT_PROVENANCE_H
#define REPORT_PROVENANCE_H

#include "report/record.h"

struct provenance_model {
    const char *name, *family;
    const char *hash;           /* of model_hash_data, 16 digits; NULL, like the family, if only its
                                   tokeniser was opened */
};

/* Text in UTF-8; the same for any number of threads, and for shards as for one run. */
struct provenance {
    const char *program;        /* "mha-viz 0.1.0", and the kernel if it is not reproducible (blas)
                                   */
    const char *command;        /* command line for a POSIX shell */
    const char *rest;           /* the command line after name and format, for a part of the run */
    struct list models;         /* of struct provenance_model; n 0: none */
    const char *file;           /* file of the texts, "-" for standard input; NULL if there is none
                                   */
    const char *sha256;         /* of that file, 64 digits; NULL if it is not a regular file */
    const char *line;           /* line of that file, "3" or "3, part 2"; NULL: several, or none */
};

extern const struct record provenance_record;

struct provenance_pair {
    const char *key, *value;
};

/* The same as pairs "Software", "mha-viz:command", ...; returns their number.  At most two models.
 * */
enum { PROVENANCE_PAIRS = 7 };
int provenance_pairs(const struct provenance *provenance, struct arena *a,
                     struct provenance_pair to[PROVENANCE_PAIRS]);

#endif
