/* SPDX-License-Identifier: MIT
 *
 * What was asked of a session, as plain data: which model, which text, which layers and
 * heads, what is changed in the pass.  All zero, but for the numbers whose NaN means "not
 * given" and seed, is the built-in model's default text. */
#ifndef SESSION_ASKED_H
#define SESSION_ASKED_H

#include <stdbool.h>

#include "base/opt_list.h"

/* What the caller calls some of it, for messages. */
struct asked_names {
    const char *stack, *layer, *head;   /* "--stack" */
    const char *cut;                /* " (--truncate cuts it)"; "": the caller has no such */
};

/* Names of queries, and of keys that come from another text; NULL: they have none. */
struct asked_labels {
    const char *const *query, *const *key;      /* [n_queries], [n_keys] */
    int n_queries, n_keys;
};

/* Which texts of the pairs of a file are read: both as one input, or one by itself. */
enum asked_half { HALF_BOTH, HALF_FIRST, HALF_SECOND };

enum merge { MERGE_NONE, MERGE_WORDS };

struct stream;
struct handed;
struct handed_array;

/* Arrays in memory that stand for .npy files of their names. */
struct asked_arrays {
    const struct handed_array *array;       /* [n] */
    int n;
};

struct asked {
    const struct asked_names *names;    /* NULL: the options of the program */
    const char *model;              /* NULL: built in */
    const struct handed *handed;        /* models that are open; NULL: they are opened */
    struct opt_list adapters;       /* folders, or names in the cache, merged in this order */
    int tower;                      /* enum tower, or 0: by what is read */
    const char *attention, *qkv;    /* instead of a model and a text; NULL: those */
    double score_scale;             /* of qkv's scores; 0 or NaN: not given */
    const char *file;               /* -f; NULL: the operands */
    bool pairs, jsonl;
    bool keep_empty;            /* lines without a text are texts */
    bool apart;                 /* two operands are two texts, not a pair */
    const char *by;             /* a key of --jsonl's objects: what texts are grouped by */
    const char *shard;          /* "K/N": of the texts of file; NULL: all */
    const char *split;          /* "N" or "N:OVERLAP": long texts in pieces; NULL: whole */
    const char *max_memory;     /* "512M"; NULL: as much as there is */
    struct stream *stream;          /* texts after other layers; NULL: from the embeddings on */
    enum asked_half half;           /* of each pair of file */
    const char *ids, *type_ids, *decoder_ids, *global;
    const char *boxes;              /* .npy of where tokens lie; NULL: nowhere */
    const char *input;              /* an array of numbers; NULL: text or ids */
    const struct asked_arrays *arrays;  /* of input and of bare layers; NULL: all are files */
    const char *image, *audio;      /* a picture or sound that is made one; NULL: none */
    bool pretokenized, words, no_special, truncate;
    bool word_ids;                  /* words are numbered as merge has them */
    bool lenient_words;             /* with it: a piece of several words is of none */
    int merge;                      /* enum merge */
    const char *hide;               /* NULL: nothing */
    bool hide_special, renorm;
    const char *from, *to;          /* queries and keys that a figure shows; NULL: all */
    const char *average;            /* of heads, layers or texts; NULL: each by itself */
    int weight;                     /* enum weighting */
    const char *layer, *head, *stack;
    const char *chosen;         /* how head was chosen, for captions: "the 4 heads with the largest
                                   prev"; NULL: it was given */
    /* of a bare layer */
    int heads, activation, relative, fused, order, seed;
    bool norm_first, zero_attn;
    const char *tensor_names, *prefix;
    const char *memory, *key, *value, *tokens, *key_tokens, *shape;
    const struct asked_labels *labels;  /* of rows of precomputed attention; NULL: tokens */
    const char *decoder_input, *decoder_tokens;     /* of an encoder and a decoder */
    const char *rotations;          /* .npy; NULL: drawn */
    const char *mask, *memory_mask;
    double mask_value;              /* NaN: minus infinity */
    bool mask_may_be_none;          /* of any model: the side of a comparison that has its
                                       own mask alone */
    int held;                       /* enum weights_held */
    int generate;                   /* 0: not asked for */
    int dtype;                      /* enum precision */
    int fast;                       /* enum fast */
};

/* The file that is read instead of a text, whatever of; NULL: none. */
static inline const char *asked_array(const struct asked *asked)
{
    return asked->input != NULL ? asked->input : asked->image != NULL ? asked->image :
           asked->audio;
}

/* The option that gives it. */
static inline const char *asked_array_option(const struct asked *asked)
{
    return asked->input != NULL ? "--input" : asked->image != NULL ? "--image" :
           asked->audio != NULL ? "--audio" : "--input";
}

#endif
