/* SPDX-License-Identifier: MIT
 * What adapter_config.json says of an adapter. */
#ifndef MODEL_ADAPTER_CONFIG_H
#define MODEL_ADAPTER_CONFIG_H

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

struct adapter_config {
    const char *file;
    int r;
    double alpha;
    bool rslora, dora, in_out;
    const json_t *ranks, *alphas;   /* objects by pattern; NULL: none */
    const json_t *targets;          /* a pattern, or a list of names; NULL: nothing is said */
    const json_t *saved;            /* a list of names; NULL: none */
    const json_t *root;             /* what all of them are parts of */
    int steps;                      /* that matching may still take */
};

/* Errors: those of adapter_merge that the config alone shows. */
int adapter_read_config(struct adapter_config *c, struct arena *a, struct span bytes,
                        const char *file, struct err *e);

/* The factor of the low rank of a module whose rank its factors have.  Errors: the config has
 * another rank; a pattern that is none. */
int adapter_scale(struct adapter_config *c, const char *module, int64_t rank,
                  double *scale, struct err *e);

/* Errors: a pattern or target that matches none of these modules. */
int adapter_check_patterns(struct adapter_config *c, const char *const *module, int n,
                           struct err *e);

/* The tensor of this name is of a module that modules_to_save names. */
bool adapter_saves(const struct adapter_config *c, const char *name);

#endif
