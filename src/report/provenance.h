/* SPDX-License-Identifier: MIT
 * What a file says of the run that wrote it. */
#ifndef REPORT_PROVENANCE_H
#define REPORT_PROVENANCE_H

#include "report/record.h"

struct provenance_model {
    const char *name, *family;
    const char *hash;           /* as model_hash_data has it, 16 digits; NULL: only its tokeniser
                                   was opened */
};

/* Text in UTF-8; the same for any number of threads, and for shards as for one run. */
struct provenance {
    const char *program;        /* "mha-viz 0.1.0", and a kernel that is not as the others */
    const char *command;        /* as a POSIX shell reads it */
    struct list models;         /* of struct provenance_model; n 0: none */
    const char *file;           /* of the texts, "-" for standard input; NULL: there is none */
    const char *sha256;         /* of it, 64 digits; NULL: it is not a regular file */
};

#endif
