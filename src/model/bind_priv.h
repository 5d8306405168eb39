/* SPDX-License-Identifier: MIT
 * What binding one slot and binding a model share. */
#ifndef MODEL_BIND_PRIV_H
#define MODEL_BIND_PRIV_H

#include "model/model_priv.h"
#include "weights/gguf.h"

struct binder {
    struct model *m;
    const struct family *family;        /* of the whole: m's, or that it is the decoder of */
    struct arena *a;
    const char *prefix;
    bool *used;                 /* [weights_count] */
    enum bias_rule biased[N_SLOT];      /* of this stack; BIAS_USUAL: not looked up yet */
    struct err *e;
};

/* Which layer a name is about, and which expert, or which layer of a group. */
struct where { int layer, part; };

/* Finds, checks and decodes what the slot holds; p stays empty where the family has none.
 * Errors: missing though the reference library makes it, or of another shape (found,
 * wanted).  What a head lacks is no error: m->head_lacks says it. */
int bind_slot(struct binder *b, enum slot slot, struct where at, struct param *p);

/* A weight or bias of one of these names is there; it counts as used. */
bool bind_has(struct binder *b, const char *names, struct where at);

/* What the slot holds at this place counts as used; false: nothing. */
bool bind_mark(struct binder *b, enum slot slot, struct where at);

/* The names that the slot's tensor may have; NULL: there is none. */
const char *bind_names(struct binder *b, enum slot slot);

/* A part of what gives logits: the model is one without it as well. */
bool bind_is_head(enum slot slot);

/* The tensor expected in the slot, with the prefix: its bias, or its weight. */
const char *bind_name(struct binder *b, enum slot slot, struct where at, bool bias);

/* The error of a tensor that is missing: its slot, its name, its shape, and the unused tensor
 * whose name is nearest to it.  Of a head only a note; 0. */
int bind_missing(struct binder *b, enum slot slot, struct where at, bool bias,
                 const char *shape);

/* The longest prefix under which the family's first slot is found; any family may be the
 * language model of a larger one. */
const char *bind_prefix(struct binder *b);

#endif
