/* SPDX-License-Identifier: MIT
 *
 * The request for a session ("asked"), as plain data: which model, which text, which layers and
 * heads, what is changed in the pass.  A request of zeros, except seed and the numbers whose
 * NaN means "not given", means the built-in model and its default text. */
#ifndef SESSION_ASKED_H
#define SESSION_ASKED_H

#include <stdbool.h>

#include "base/opt_list.h"

/* The caller's names for some options, for messages. */
struct asked_names {
    const char *stack, *layer, *head;   /* "--stack" */
    const char *cut;                /* " (--truncate cuts it)"; "" if it cannot be cut */
};

/* Names of queries, and of keys that come from another text; NULL if they have no names. */
struct asked_labels {
    const char *const *query, *const *key;      /* [n_queries], [n_keys] */
    int n_queries, n_keys;
};

/* What is read of each line of a file of pairs: both texts as one input, or one of them alone. */
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
    const struct asked_names *names;    /* NULL: as the program's options are called */
    const char *model;              /* NULL: the built-in model */
    const struct handed *handed;        /* models that the caller has open; NULL if none */
    struct opt_list adapters;       /* folders, or names in the cache, merged in this order */
    int tower;                      /* enum tower; 0: chosen by the kind of input */
    const char *attention, *qkv;    /* files that replace model and text; NULL if not given */
    double score_scale;             /* factor of q.k with qkv; 0 or NaN if not given */
    const char *file;               /* -f: file of texts; NULL: texts are operands */
    bool pairs, jsonl;
    bool keep_empty;            /* empty lines count as texts */
    bool apart;                 /* two operands are two texts, not a pair */
    const char *by;             /* key of --jsonl's objects by which texts are grouped */
    const char *shard;          /* "K/N": which texts of file are read; NULL: all */
    const char *split;          /* "N" or "N:OVERLAP": long texts in pieces; NULL: whole */
    const char *max_memory;     /* "512M"; NULL: no limit */
    struct stream *stream;          /* hidden states to continue from; NULL: from embeddings */
    enum asked_half half;           /* which texts of each pair of file */
    const char *ids, *type_ids, *decoder_ids, *global;
    const char *boxes;              /* .npy of the tokens' boxes on the page; NULL if none */
    const char *input;              /* file of an array of numbers; NULL: text or ids */
    const struct asked_arrays *arrays;  /* arrays in memory; NULL: all arrays are files */
    const char *image, *audio;      /* picture or sound file that is the input; NULL if none */
    bool pretokenized, words, no_special, truncate;
    bool word_ids;                  /* tokens get the numbers of their words */
    bool lenient_words;             /* with it: a token that spans words has no number,
                                       instead of an error */
    int merge;                      /* enum merge */
    const char *hide;               /* list of hidden tokens; NULL if none is hidden */
    bool hide_special, renorm;
    const char *from, *to;          /* queries and keys that a figure shows; NULL: all */
    const char *average;            /* of heads, layers or texts; NULL: each by itself */
    int weight;                     /* enum weighting */
    const char *layer, *head, *stack;
    const char *chosen;         /* how head was chosen, for captions: "the 4 heads with the largest
                                   prev"; NULL: it was given */
    /* options of bare layers */
    int heads, activation, relative, fused, order, seed;
    bool norm_first, zero_attn;
    const char *tensor_names, *prefix;
    const char *memory, *key, *value, *tokens, *key_tokens, *shape;
    const struct asked_labels *labels;  /* names of the rows of attention; NULL: those of tokens */
    const char *decoder_input, *decoder_tokens;     /* of encoder-decoder layers */
    const char *rotations;          /* .npy of LSH rotations; NULL: drawn at random */
    const char *mask, *memory_mask;
    double mask_value;              /* NaN: minus infinity */
    bool mask_may_be_none;          /* --mask none is allowed for any model: in a comparison it
                                       is the side with the model's own mask alone */
    int held;                       /* enum weights_held */
    int generate;                   /* number of tokens; 0: no generation */
    int dtype;                      /* enum precision */
    int fast;                       /* enum fast */
};

/* The file of numbers, picture or sound that is read instead of a text; NULL if none. */
static inline const char *asked_array(const struct asked *asked)
{
    return asked->input != NULL ? asked->input : asked->image != NULL ? asked->image :
           asked->audio;
}

/* The option that names that file. */
static inline const char *asked_array_option(const struct asked *asked)
{
    return asked->input != NULL ? "--input" : asked->image != NULL ? "--image" :
           asked->audio != NULL ? "--audio" : "--input";
}

#endif
