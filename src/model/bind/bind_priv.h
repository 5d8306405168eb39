/* SPDX-License-Identifier: MIT
 * What binding one slot and binding a model share. */
#ifndef MODEL_BIND_PRIV_H
#define MODEL_BIND_PRIV_H

#include "model/family_slots.h"
#include "model/model_priv.h"
#include "weights/gguf.h"

struct binder {
    struct model *m;
    const struct family *family;        /* of the whole: m's, or that it is the decoder of */
    struct arena *a;
    const char *prefix;
    bool *used;                 /* [weights_count] */
    bool *missed;               /* [weights_count] of bind_list_unused */
    enum bias_rule biased[N_SLOT];      /* of this stack; BIAS_USUAL: not looked up yet */
    struct err *e;
};

/* Which layer a name is about, and which expert, or which layer of a group. */
struct where { int layer, part; };

/* Finds, checks and decodes what the slot holds; p stays empty where the family has none.
 * Errors: missing though the reference library makes it; another type or shape (found and
 * expected).  What a head lacks is not an error: m->head_lacks names it. */
int bind_slot(struct binder *b, enum slot slot, struct where at, struct param *p);

/* A weight or bias of one of these names is there; it counts as used. */
bool bind_has(struct binder *b, const char *names, struct where at);

/* What the slot holds at this place counts as used; false: nothing. */
bool bind_mark(struct binder *b, enum slot slot, struct where at);

/* Into the model: the tensors that are not used, and those of them that layers should have. */
void bind_list_unused(struct binder *b);

/* Tensors that a slot of a layer may have, which differ by where.part: experts, heads, layers
 * of a group. */
int bind_parts(struct binder *b, enum slot slot);

/* Their names have room for where.part, too. */
bool bind_is_in_parts(struct binder *b, enum slot slot);

/* The names that the slot's tensor may have, "A|B"; NULL: the family has no such slot. */
const char *bind_names(struct binder *b, enum slot slot);

/* The same; of a GGUF file only the name that one of its layers has. */
const char *bind_stored_names(struct binder *b, enum slot slot);

/* The first weight, or bias, of one of these names; it counts as used, and the name that has
 * the weight stays in *names.  NULL: none. */
const struct tensor *bind_weight_tensor(struct binder *b, enum slot slot, const char **names,
                                        struct where at);
const struct tensor *bind_bias_tensor(struct binder *b, const char *names, struct where at);

/* Whether the slot is part of what gives logits; a model may lack it. */
bool bind_is_head(enum slot slot);

/* The layers in which it is worth to look for a tensor: a file has no more of them than
 * tensors, whatever its config says. */
int bind_layers(const struct binder *b);

/* The full name expected of the slot's bias, or weight, with the prefix. */
const char *bind_name(struct binder *b, enum slot slot, struct where at, bool bias);

/* Sets the error of a missing tensor: its slot, name and expected shape, and the unused tensor
 * whose name is nearest.  Of a head: only notes it in m->head_lacks, and returns 0. */
int bind_missing(struct binder *b, enum slot slot, struct where at, bool bias,
                 const char *shape);

/* The longest prefix under which the family's first slot is found; any family may be the
 * language model of a larger one. */
const char *bind_prefix(struct binder *b);

#endif
