/* SPDX-License-Identifier: MIT
 *
 * A session: an opened request, with the model, its tokeniser, the layers and heads that are
 * shown, and changes of the pass such as masks.  Nothing here prints: warnings go to env->warn. */
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
    const char *path;               /* path of the model; NULL: built in; "": in memory */
    const char *name;               /* name of the model, even if only its tokeniser is open */
    struct model *model;            /* NULL for commands that only tokenise */
    struct model *shown;            /* model or its decoder: the one with the selected heads; with
                                       average a copy with one layer, or one head a layer */
    const struct session_average *average;      /* --average; NULL if not given */
    enum stack_id stack;            /* the selected stack; N_STACK: all stacks */
    int n_layers, n_heads;          /* of shown; with all stacks, the maximum of both models */
    const int *layer_rank, *head_rank;      /* [n_layers], [n_heads]: order in -l and -H; */
    const int *named_rank;          /* or [n_layers, n_heads] of heads by name; NULL: no order */
    struct tok *tok;                /* NULL: no tokeniser, or one that cannot be read */
    struct tok *target_tok;         /* of the decoder's text; mostly the same one */
    struct err tok_err;             /* why tok is NULL */
    const struct generation *rules; /* rules of generation; NULL: texts are not continued */
    int n_generate;                 /* most tokens that are added to a text */
    struct par *par;
    struct change change;
    struct input *input;            /* the input opened last; NULL if none */
    struct budget *budget;          /* work limit of all tokenisation; NULL: a limit per text */
    struct provenance *provenance;  /* record of the run for reports; NULL if not wanted */
    bool shares;                    /* model, tokenisers and threads belong to another session */
};

/*
 * Opens the model (unless tokens_only), its tokeniser and the threads.  An unreadable tokeniser
 * is an error only when a text requires it.
 */
int session_open(struct session *session, const struct asked *asked, bool tokens_only,
                 const struct env *env, struct err *e);

/* The files of a model in memory, borrowed while the session is open. */
struct session_files {
    struct model_files model;
    struct span tokenizer;          /* tokenizer.json; unused for GGUF; data NULL if absent */
};

int session_open_memory(struct session *session, const struct asked *asked,
                        const struct session_files *files, const struct env *env,
                        struct err *e);

/* A model as arrays in memory, borrowed while the session is open. */
struct session_arrays {
    const char *name;               /* name of the model */
    const struct handed_array *array;   /* [n] */
    int n;
    bool attention;                 /* the arrays are attention, as in --attention, not weights */
    struct span config;             /* config.json; data NULL: a bare layer */
    struct span tokenizer;          /* tokenizer.json; data NULL if absent */
};

int session_open_arrays(struct session *session, const struct asked *asked,
                        const struct session_arrays *arrays, const struct env *env,
                        struct err *e);

/*
 * Opens s for another request to the model of `of`, which must stay open: model, tokenisers and
 * threads are shared; selection, changes and texts are its own.
 */
void session_share(struct session *s, const struct session *of, const struct asked *asked);

void session_close(struct session *session);

/*
 * Opens the model that -m names; NULL: the built-in one.  *path: where it was found.  For bare
 * layers, and under --verbose, warns of each tensor of the file that the model does not use.
 */
struct model *session_model(const struct asked *asked, const struct env *env,
                            const char **path, struct err *e);

/* ---- layers and heads ---- */

/*
 * Applies session->asked: the stack, generation, layers and heads, rotations, masks and precision.
 * Without -s: the only stack; of an encoder-decoder cross-attention if the decoder's text is given
 * (as the second of n_operands, or otherwise) or generated, else the encoder; all: every stack
 * (N_STACK) instead of cross-attention.  In *want, NULL means all layers, or all heads.
 *
 * Errors: those of the steps in session/select.h; ERR_USAGE: a stack that the model does
 * not have, and what precomputed attention cannot show or change.
 */
int session_select(struct session *session, int n_operands, bool all, struct wanted *want,
                   struct err *e);

/* The names of options that messages use. */
const struct asked_names *session_names(const struct asked *asked);

/* Whether -H names heads with their layers: L4H1,L4H3. */
bool session_names_heads(const struct asked *asked);

/*
 * Moves *l, *h, which begin at 0, -1, to the next of the shown model's heads that are
 * wanted, layer by layer; false: there is none.
 */
bool session_next_head(const struct session *session, const struct wanted *want, int *l,
                       int *h);

/*
 * Sort key of a head of the shown model, by its order in -l and -H, in which figures lay out
 * heads: less than the rank of a head that is named after it.
 */
int64_t session_rank(const struct session *session, int layer, int head);

/* The same for a layer, whatever its heads, and for a head number, whatever its layers; if heads
 * are given by name, the first of them decides. */
int session_layer_rank(const struct session *session, int layer);
int session_head_rank(const struct session *session, int head);

/* The layers below L that can be shown, as -l takes them: "0-5,7". */
const char *session_layers(struct arena *a, const struct model *model, int L);

/* The layer of figures that show one, without -l: that of the built-in model's card, else the
 * seventh, else the last; or the nearest one before it that can be shown. */
int session_default_layer(const struct session *session);

#endif
