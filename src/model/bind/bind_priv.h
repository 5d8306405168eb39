/* SPDX-License-Identifier: MIT
 * Private interface of binding: tensors of a file -> slots of a model. */
#ifndef MODEL_BIND_PRIV_H
#define MODEL_BIND_PRIV_H

#include "model/family_slots.h"
#include "model/model_priv.h"
#include "weights/gguf.h"

struct binder {
    struct model *m;
    const struct family *family;        /* m's; if m is a decoder, that of the encoder-decoder */
    struct arena *a;
    const char *prefix;
    bool *used;                 /* [weights_count] tensors bound to a slot */
    bool *missed;               /* [weights_count] unused tensors of layers: bind_list_unused */
    enum bias_rule biased[N_SLOT];      /* which slots of this stack have biases; BIAS_USUAL: not
                                           determined yet */
    struct err *e;
};

/* The place of a tensor: its layer, and its expert, head, or layer of a group. */
struct where { int layer, part; };

/* Finds, checks and decodes the tensor of a slot; p stays empty if the family has none.  Errors: it
 * is missing, but the reference library creates it; another type or shape (found and expected).  A
 * missing tensor of an output head is no error: m->head_lacks names it. */
int bind_slot(struct binder *binder, enum slot slot, struct where at, struct param *p);

/* Whether a weight or bias of one of these names exists; marks it as used. */
bool bind_has(struct binder *binder, const char *names, struct where at);

/* Marks the slot's tensor at this place as used; false if there is none. */
bool bind_mark(struct binder *binder, enum slot slot, struct where at);

/* Sets m->unused, and m->missed, the unused ones that a layer computes with. */
void bind_list_unused(struct binder *binder);

/* How many tensors a slot of a layer may have, which differ by where.part: experts, heads, layers
 * of a group. */
int bind_parts(struct binder *binder, enum slot slot);

/* Whether their names contain where.part, too. */
bool bind_is_in_parts(struct binder *binder, enum slot slot);

/* The possible names of the slot's tensor, "A|B"; NULL if the family has no such slot. */
const char *bind_names(struct binder *binder, enum slot slot);

/* The same; for a GGUF file only the name that one of its layers has. */
const char *bind_stored_names(struct binder *binder, enum slot slot);

/* The first weight, or bias, of one of these names, marked as used; sets *names to the name that
 * matched.  NULL if there is none. */
const struct tensor *bind_weight_tensor(struct binder *binder, enum slot slot, const char **names,
                                        struct where at);
const struct tensor *bind_bias_tensor(struct binder *binder, const char *names, struct where at);

/* Whether the slot belongs to the output head, which a model may lack. */
bool bind_is_head(enum slot slot);

/* How many layers to search for tensors: at most the number of tensors, whatever the config says.
 * */
int bind_layers(const struct binder *binder);

/* The expected full name, with prefix, of the slot's bias, or weight. */
const char *bind_name(struct binder *binder, enum slot slot, struct where at, bool bias);

/* Sets the error of a missing tensor: its slot, name and expected shape, and the unused tensor of
 * the nearest name.  For an output head: only sets m->head_lacks, and returns 0. */
int bind_missing(struct binder *binder, enum slot slot, struct where at, bool bias,
                 const char *shape);

/* The longest prefix under which the family's first slot is found; a family may be the language
 * model of a larger one. */
const char *bind_prefix(struct binder *binder);

#endif
