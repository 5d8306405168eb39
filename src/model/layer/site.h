/* SPDX-License-Identifier: MIT
 *
 * Where attentions lie in a file: the tensors of one naming in one place. */
#ifndef MODEL_LAYER_SITE_H
#define MODEL_LAYER_SITE_H

#include "model/layer/layer_priv.h"

/* Tensors of one naming in one place, "encoder.layers.0.self_attn.". */
struct site {
    const char *scope;
    const struct naming *naming;
    const struct tensor *first;     /* one of its tensors, for messages */
    int n_parts;                    /* of those that the naming has, how many are there */
    bool no_output;                 /* all but the output, and no matrix that may be it */
};

struct sites {
    struct site *of;
    int n;
};

/*
 * The attentions by the namings of k->naming, under k->asked->prefix where that is given: one
 * site for each place; n 0: there is none.  Whole ones; else those without an output; else,
 * of names that only writers of layers use, also those with some part missing.
 * Errors: two namings fit one place (both, and the option that decides).
 */
int layer_sites(struct look *k, struct sites *s);

/* The tensor is a part of the attention: its projections, or what only attentions have. */
bool layer_site_has(const struct look *k, const struct site *s, const struct tensor *t);

/* What stands before SUFFIX ENDING in name, in a; NULL: it does not end so, or what stands
 * before cannot be part of a family's name. */
const char *layer_before(struct arena *a, const char *name, const char *suffix,
                         const char *ending);

#endif
