/* SPDX-License-Identifier: MIT
 * What binding one slot and binding a model share. */
#ifndef MODEL_BIND_PRIV_H
#define MODEL_BIND_PRIV_H

#include "model/model_priv.h"

struct binder {
    struct model *m;
    struct arena *a;
    const char *prefix;
    bool *used;                 /* [weights_count] */
    struct err *e;
};

/* Which layer a name is about, and which expert, or which layer of a group. */
struct where { int layer, part; };

/* Finds, checks and decodes what the slot holds; p stays empty where the family has none.
 * Errors: missing though needed, or of another shape (found, wanted). */
int bind_slot(struct binder *b, enum slot slot, struct where at, struct param *p);

/* A weight of one of these names is there; it counts as used. */
bool bind_has(struct binder *b, const char *names, struct where at);

/* The longest prefix under which the family's first slot is found; any family may be the
 * language model of a larger one. */
const char *bind_prefix(struct binder *b);

#endif
