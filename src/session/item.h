/* SPDX-License-Identifier: MIT
 * One text of a session, tokenised. */
#ifndef SESSION_ITEM_H
#define SESSION_ITEM_H

#include "base/memory_file.h"
#include "media/pixels.h"
#include "session/values.h"
#include "text/tok.h"

enum item_side { SIDE_SOURCE, SIDE_TARGET, SIDE_KEYS, N_SIDE };

/* What is shown of the tokens of one side (shown.h). */
struct item_shown {
    const unsigned char *out;   /* [tokens] 1: left out; NULL: none is */
    const int *group;           /* [tokens] which of the words each becomes; NULL: none does */
    struct tokens words;        /* without id and word; n 0: the tokens are shown */
    const unsigned char *words_out;     /* of what is shown: 1: left out; NULL: none is */
};

struct item {
    int64_t index;          /* from 0: the line's number less one, 0 for an operand */
    int part;               /* of --split's pieces of it, from 1; 0: not asked for */
    const char *text;       /* as given, for captions and reports; "" for ids */
    size_t text_size;
    const char *pair;       /* NULL: none */
    size_t pair_size;
    struct tokens tokens;
    struct tokens target;   /* of the decoder of an encoder-decoder; n 0: none */
    const char *group;      /* --by: the value of its line; NULL: not asked for */
    int *global_at, n_global_at;    /* that a JSON object lists; NULL: it lists none */
    const unsigned char *global;    /* [tokens.n] 1: global; NULL: none is */
    const int *box;             /* [tokens.n, 4] left, top, right, bottom; NULL: none has any */
    int n_cut;              /* tokens that --truncate took away */
    bool open;              /* its queries' tokens are still to be continued */
    int n_generated;        /* how many of them were added to what was given */
    const char *generated;  /* their text, without special ones */
    size_t generated_size;
    struct values values;   /* x NULL: tokens have ids */
    const struct pixels *seen;      /* the picture that values are of, as the model sees it;
                               NULL: they are of none */
    struct values target_values;    /* the same of target */
    struct values memory;   /* of a bare layer's keys; x NULL: it reads no other input */
    struct values memory_values;    /* of its values; x NULL: memory */
    struct tokens keys;     /* names of the keys, where there is memory */
    bool of_several;            /* texts of a file: what one of them lacks is no error */
    struct item_shown shown[N_SIDE];
    const char *input;      /* the file that the values are of, "x.npy[1]" where it holds
                               several arrays; NULL: none */
    const float *x[2];          /* [tokens.n, D] its streams where layers of another process
                                   left it: resume; NULL: it begins with the embeddings */
    const struct memory_file *report;   /* what input_report_ahead made of it, until the next
                                           text is asked for; NULL: nothing */
    bool passed;                /* of another shard: only input_tell_passed asks for it */
    bool blank;                 /* its line has no text, and is left out */
    const struct item *several;     /* [n_several] the texts that this one is the mean of; NULL:
                               it is a text */
    int n_several;
};

/* ", part 2", of arena a, or "": what follows the number of its text. */
const char *item_part(struct arena *a, const struct item *item);

#endif
