/* SPDX-License-Identifier: MIT
 *
 * Heads other than the one that predicts tokens: what they are made of, by the class that
 * config.json's architectures names and the tensors of the file. */
#ifndef MODEL_HEAD_H
#define MODEL_HEAD_H

#include <stdbool.h>

#include "base/arena.h"
#include "nn/act.h"

struct config;

/* Which rows of a text a head reads. */
enum head_scope {
    HEAD_ALL,               /* each; the others: one for the text */
    HEAD_FIRST,
    HEAD_END,
    HEAD_LAST,              /* the last one that is not a pad */
    HEAD_LAST_EOS,          /* of a decoder, whose text is the encoder's, one token later:
                               where that has its last end token */
    HEAD_MEAN,              /* the mean of all */
    HEAD_OTHERS_MEAN,       /* the mean of all but the first */
    HEAD_FIRST_MEAN,        /* the first, and beside it the mean of the others */
    HEAD_BY_CONFIG          /* first, end or mean, as the config says */
};

enum head_act {
    HEAD_ACT_NONE, HEAD_ACT_TANH, HEAD_ACT_RELU, HEAD_ACT_GELU,
    HEAD_ACT_MODEL,         /* the mlp's */
    HEAD_ACT_POOLER, HEAD_ACT_CLASSIFIER, HEAD_ACT_SUMMARY      /* by keys of the config */
};

enum head_gives {
    HEAD_LABELS,            /* a number for each label of id2label */
    HEAD_SPAN,              /* start and end of an answer */
    HEAD_NEXT,              /* the second text follows the first, it does not */
    HEAD_CHOICE             /* one number */
};

/*
 * out(norm(act(dense(rows)))), of those that it has; tensors without ".weight", alternatives as
 * in family.h.
 */
struct head_task {
    const char *class_name; /* what the class ends with */
    enum head_scope rows;
    const char *dense;      /* NULL: none */
    enum head_act act;      /* of that */
    const char *norm;       /* NULL: none */
    const char *out;
    enum head_gives gives;
    bool of_encoder;        /* of an encoder-decoder, which is used without its decoder */
};

/* Ends with a row whose class_name is NULL; the first that fits class and file counts. */
extern const struct head_task head_tasks[];

/* The class has a head, and one that is not among head_tasks: "BertForMaskedLM" has the
 * family's, "BertModel" none; NULL has none. */
bool head_is_unknown(const char *class_name);

/* "bert.classifier.weight" is the last layer of some head; "cls.output.weight" that of a
 * GGUF file. */
bool head_is_tensor(const char *name);

/* What the task of c, which it has, comes to. */
enum head_scope head_scope(const struct config *c);
int head_outputs(const struct config *c);
/* Its output i, in a: "POSITIVE", or "LABEL_1" where the config has no name for it; NULL:
 * its outputs have no names. */
const char *head_label(const struct config *c, int i, struct arena *a);

/* Applies the activation of its dense layer to n numbers. */
void head_act(const struct config *c, float *y, int64_t n);

#endif
