/* SPDX-License-Identifier: MIT
 *
 * Sites: attentions found in a file, each the tensors of one naming in one scope. */
#ifndef MODEL_LAYER_SITE_H
#define MODEL_LAYER_SITE_H

#include "model/layer/layer_priv.h"

/* The tensors of one naming in one scope, "encoder.layers.0.self_attn.". */
struct site {
    const char *scope;
    const struct naming *naming;
    const struct tensor *first;     /* one of its tensors, for messages */
    int n_parts;                    /* how many of the naming's tensors exist */
    bool no_output;                 /* all but the output projection, and no matrix that may be it
                                       */
};

struct sites {
    struct site *of;
    int n;
};

/*
 * Finds attentions of the namings of look->naming, under look->asked->prefix if given: one site per
 * scope; n 0: none.  Complete ones; else those without an output; else, for names that only bare
 * layers have, also those with missing tensors.
 * Errors: two namings match in one scope (both, and the option that decides).
 */
int layer_sites(struct look *look, struct sites *sites);

/* Whether the tensor belongs to the attention: its projections, or others that only attentions
 * have. */
bool layer_site_has(const struct look *look, const struct site *site, const struct tensor *tensor);

/* The beginning of name before SUFFIX ENDING, in arena a; NULL if it does not end so, or the
 * beginning cannot be part of a tensor's name in a family. */
const char *layer_before(struct arena *a, const char *name, const char *suffix,
                         const char *ending);

#endif
