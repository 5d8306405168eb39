/* SPDX-License-Identifier: MIT
 *
 * What was asked, opened: the model, its tokeniser, the layers and heads that are shown,
 * and what is changed in the pass.  Nothing here prints: warnings go to env->warn. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/env.h"
#include "base/par.h"
#include "model/generation.h"
#include "model/model.h"
#include "run/run.h"
#include "session/asked.h"
#include "text/tok.h"

struct input;
struct provenance;
struct session_average;

struct session {
    const struct asked *asked;
    const struct env *env;
    struct arena *a;                /* lives as long as the process */
    const char *path;               /* of the model; NULL: the default one; "": in memory */
    const char *name;               /* of the model, also where only its tokeniser is open */
    struct model *model;            /* NULL for commands that only tokenise */
    struct model *shown;            /* whose layers and heads: the model or its decoder, or, with
                                       average, a copy with one layer or one head a layer */
    const struct session_average *average;      /* --average; NULL: not asked for */
    enum stack_id stack;            /* whose rows of attention; N_STACK: all */
    int n_layers, n_heads;          /* of shown; the most of both stacks where all */
    const int *layer_rank, *head_rank;      /* of session_rank: [n_layers] and [n_heads], */
    const int *named_rank;          /* or [n_layers, n_heads]; NULL: none is named */
    struct tok *tok;                /* NULL: no tokeniser, or one that cannot be read */
    struct tok *target_tok;         /* of the decoder's text; mostly the same one */
    struct err tok_err;             /* why it is NULL */
    const struct generation *rules; /* by which texts are continued; NULL: none is */
    int n_generate;                 /* tokens that each gets at most */
    struct par *par;
    struct change change;
    struct input *input;            /* the last that was opened; NULL: none */
    struct budget *budget;          /* of tokenising its texts; NULL: each by itself */
    struct provenance *provenance;  /* what is said of the run; NULL: nothing */
    bool shares;                    /* model, tokenisers and threads are another session's */
};

/*
 * Opens the model (unless tokens_only), its tokeniser and the threads.  A
 * tokeniser that cannot be read is an error only once a text needs it.
 */
int session_open(struct session *s, const struct asked *asked, bool tokens_only,
                 const struct env *env, struct err *e);

/* A model as bytes, which are borrowed as long as the session is open. */
struct session_files {
    struct model_files model;
    struct span tokenizer;          /* of tokenizer.json; unused for GGUF; data NULL: none */
};

int session_open_memory(struct session *s, const struct asked *asked,
                        const struct session_files *files, const struct env *env,
                        struct err *e);

/* A model as arrays, which are borrowed like those bytes. */
struct session_arrays {
    const char *name;               /* of the model */
    const struct handed_array *array;   /* [n] */
    int n;
    bool attention;                 /* they are rows, as of --attention, and no weights */
    struct span config;             /* of config.json; data NULL: a bare layer */
    struct span tokenizer;          /* of tokenizer.json; data NULL: none */
};

int session_open_arrays(struct session *s, const struct asked *asked,
                        const struct session_arrays *arrays, const struct env *env,
                        struct err *e);

/*
 * The model, tokenisers and threads of `of`, which stays open, for something else that is
 * asked of them: with a selection, a change and texts of its own.
 */
void session_share(struct session *s, const struct session *of, const struct asked *asked);

void session_close(struct session *s);

/*
 * The model that -m names, NULL: the default one.  *path: where it was found.  Of a
 * bare layer, and under --verbose, a warning for each tensor of the file that no slot took.
 */
struct model *session_model(const struct asked *asked, const struct env *env,
                            const char **path, struct err *e);

/* ---- layers and heads ---- */

/*
 * What is shown, and what is changed in the pass, as s->asked says: the stack, which texts
 * are continued, layers and heads, rotations, masks and precision.  Without -s: the model's
 * own stack; of an encoder-decoder cross where a text for the decoder is given (by
 * n_operands of TEXT and TEXT_B, or otherwise) or asked for, else encoder; all: every stack
 * (N_STACK) instead of cross.  NULL in *want: all.
 *
 * Errors: those of the steps in session/select.h; ERR_USAGE: a stack that the model does
 * not have, and what precomputed attention cannot show or change.
 */
int session_select(struct session *s, int n_operands, bool all, struct wanted *want,
                   struct err *e);

/* What messages call what was asked. */
const struct asked_names *session_names(const struct asked *asked);

/* Whether -H names heads with their layers: L4H1,L4H3. */
bool session_names_heads(const struct asked *asked);

/*
 * Moves *l, *h, which begin at 0, -1, to the next of the shown model's heads that are
 * wanted, layer by layer; false: there is none.
 */
bool session_next_head(const struct session *s, const struct wanted *want, int *l,
                       int *h);

/*
 * Where -l and -H name a head of the shown model, for figures, which lay out heads as they were
 * asked for: less than the rank of one that is named after it.
 */
int64_t session_rank(const struct session *s, int layer, int head);

/* The same of a layer, whatever its heads, and of heads of this number, whatever their layers: of
 * heads by name, the first of them decides. */
int session_layer_rank(const struct session *s, int layer);
int session_head_rank(const struct session *s, int head);

/* The layers below L that can be shown, as -l takes them: "0-5,7". */
const char *session_layers(struct arena *a, const struct model *m, int L);

/* The layer that is shown where one is, and none is asked for: that of the model's card, else
 * the seventh, else the last; or the nearest one before it that can be shown. */
int session_default_layer(const struct session *s);

#endif
