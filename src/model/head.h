/* SPDX-License-Identifier: MIT
 *
 * Output heads other than that of a language model (classifiers, question answering): identified by
 * the class in config.json's architectures and the tensors of the file. */
#ifndef MODEL_HEAD_H
#define MODEL_HEAD_H

#include <stdbool.h>

#include "base/arena.h"
#include "nn/act.h"

struct config;

/* The rows of a text that a head reads. */
enum head_scope {
    HEAD_ALL,               /* every row; all others give one output for the text */
    HEAD_FIRST,
    HEAD_END,
    HEAD_LAST,              /* the last row that is not padding */
    HEAD_LAST_EOS,          /* of a decoder whose text is the encoder's shifted by one: the row of
                               the encoder's last end token */
    HEAD_MEAN,              /* the mean of all rows */
    HEAD_OTHERS_MEAN,       /* the mean of all except the first */
    HEAD_FIRST_MEAN,        /* the first, concatenated with the mean of the others */
    HEAD_BY_CONFIG          /* first, end or mean, by the config */
};

enum head_act {
    HEAD_ACT_NONE, HEAD_ACT_TANH, HEAD_ACT_RELU, HEAD_ACT_GELU,
    HEAD_ACT_MODEL,         /* the mlp's */
    HEAD_ACT_POOLER, HEAD_ACT_CLASSIFIER, HEAD_ACT_SUMMARY      /* by keys of the config */
};

enum head_gives {
    HEAD_LABELS,            /* a logit per label of id2label */
    HEAD_SPAN,              /* logits of start and end of an answer */
    HEAD_NEXT,              /* logits: the second text follows the first; it does not */
    HEAD_CHOICE             /* one number, the score of a choice */
};

/*
 * A head out(norm(act(dense(rows)))), some steps of which may be absent; names of tensors without
 * ".weight", alternatives as in family.h.
 */
struct head_task {
    const char *class_name; /* the end of the class name */
    enum head_scope rows;
    const char *dense;      /* NULL: none */
    enum head_act act;      /* activation after dense */
    const char *norm;       /* NULL: none */
    const char *out;
    enum head_gives gives;
    bool of_encoder;        /* for an encoder-decoder that is used without its decoder */
};

/* Ends with a row whose class_name is NULL; the first that matches class and file counts. */
extern const struct head_task head_tasks[];

/* Whether the class has a head that is not in head_tasks: "BertForMaskedLM" has the family's,
 * "BertModel", or NULL, has none. */
bool head_is_unknown(const char *class_name);

/* Whether a tensor is the last layer of some head: "bert.classifier.weight", or in a GGUF file
 * "cls.output.weight". */
bool head_is_tensor(const char *name);

/* The scope, and the number of outputs, of the task of config, which must have one. */
enum head_scope head_scope(const struct config *config);
int head_outputs(const struct config *config);
/* The name of output i, in arena a: "POSITIVE", or "LABEL_1" if the config has no name for it; NULL
 * if its outputs have no names. */
const char *head_label(const struct config *config, int i, struct arena *a);

/* Applies the activation after the dense layer to n numbers. */
void head_act(const struct config *config, float *y, int64_t n);

#endif
