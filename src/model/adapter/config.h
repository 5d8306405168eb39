/* SPDX-License-Identifier: MIT
 * adapter_config.json -> the configuration of an adapter. */
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
    const json_t *ranks, *alphas;   /* rank_pattern, alpha_pattern: objects; NULL if absent */
    const json_t *targets;          /* target_modules: a pattern, or a list of names; NULL if absent
                                       */
    const json_t *saved;            /* modules_to_save: a list of names; NULL if absent */
    const json_t *root;             /* the whole object */
    int steps;                      /* remaining steps of pattern matching */
};

/* Errors: those of adapter_merge that concern the configuration alone. */
int adapter_read_config(struct adapter_config *config, struct arena *a, struct span bytes,
                        const char *file, struct err *e);

/* *scale = the factor of the low-rank product of a module; rank: that of its tensors.  Errors:
 * another rank in the config; an invalid pattern. */
int adapter_scale(struct adapter_config *config, const char *module, int64_t rank,
                  double *scale, struct err *e);

/* Errors: a pattern or target that matches none of these modules. */
int adapter_check_patterns(struct adapter_config *config, const char *const *module, int n,
                           struct err *e);

/* Whether the tensor of this name belongs to a module in modules_to_save. */
bool adapter_saves(const struct adapter_config *config, const char *name);

#endif
