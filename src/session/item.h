/* SPDX-License-Identifier: MIT
 * One input of a session ("item"): a tokenised text, or arrays of numbers in place of it. */
#ifndef SESSION_ITEM_H
#define SESSION_ITEM_H

#include "base/memory_file.h"
#include "media/pixels.h"
#include "session/source/values.h"
#include "text/tok.h"

enum item_side { SIDE_SOURCE, SIDE_TARGET, SIDE_KEYS, N_SIDE };

/* The tokens of one side as figures and statistics show them, after --hide and --merge. */
struct item_shown {
    const unsigned char *out;   /* [tokens] 1: hidden; NULL if no token is hidden */
    const int *group;           /* [tokens] index of its word in words; NULL: not merged */
    struct tokens words;        /* merged tokens, without id and word; n 0: not merged */
    const unsigned char *words_out;     /* [words or tokens] 1: hidden; NULL if none is hidden */
};

struct item {
    int64_t index;          /* number of the text from 0: line number - 1; 0 for an operand */
    int part;               /* number of the piece under --split, from 1; 0: not split */
    const char *text;       /* as given, for captions and reports; "" for ids */
    size_t text_size;
    const char *pair;       /* second text; NULL if there is none */
    size_t pair_size;
    struct tokens tokens;
    struct tokens target;   /* decoder's tokens of an encoder-decoder; n 0 if none */
    const char *group;      /* its value of --by's key; NULL: no --by */
    int *global_at, n_global_at;    /* positions of "global" in its JSON object; NULL if none */
    const unsigned char *global;    /* [tokens.n] 1: global; NULL if no token is global */
    const int *box;             /* [tokens.n, 4] left, top, right, bottom; NULL: no boxes */
    int n_cut;              /* tokens that --truncate removed */
    bool open;              /* --generate has still to continue it */
    int n_generated;        /* number of generated tokens, at the end of the queries' */
    const char *generated;  /* text of the generated tokens, without special ones */
    size_t generated_size;
    struct values values;   /* input numbers in place of ids; x NULL: tokens have ids */
    const struct pixels *seen;      /* the picture of values, resized and cropped for the model;
                               NULL if values are not a picture's */
    struct values target_values;    /* the same for target */
    struct values memory;   /* second input of a bare layer, for its keys; x NULL if none */
    struct values memory_values;    /* the same for its values; x NULL: memory */
    struct tokens keys;     /* names of the keys, if there is memory */
    bool of_several;            /* one of several texts: a position outside it is no error */
    struct item_shown shown[N_SIDE];
    const char *input;      /* file of the values, "x.npy[1]" if it has several arrays; NULL if
                               there is none */
    const float *x[2];          /* [tokens.n, D] hidden states (one or two streams) of the layers
                                   that another process ran; NULL: start with the embeddings */
    const struct memory_file *report;   /* written by input_report_ahead, valid until the next
                                           input_next; NULL if none */
    bool passed;                /* another shard's text, only for input_tell_passed */
    bool blank;                 /* its line is empty: the text is left out */
    const struct item *several;     /* [n_several] the texts whose mean this one is; NULL if it is a
                               text */
    int n_several;
};

/* The suffix ", part 2" for the number of a split text, in arena a; "" if it is not split. */
const char *item_part(struct arena *a, const struct item *item);

#endif
