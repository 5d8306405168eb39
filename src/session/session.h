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

struct session {
    const struct asked *asked;
    const struct env *env;
    struct arena *a;                /* lives as long as the process */
    const char *path;               /* of the model; NULL: built in */
    struct model *model;            /* NULL for commands that only tokenise */
    struct model *shown;            /* whose layers and heads: the model or its decoder */
    enum stack_id stack;            /* whose rows of attention; N_STACK: all */
    int n_layers, n_heads;          /* of shown; the most of both stacks where all */
    struct tok *tok;                /* NULL: no tokeniser, or one that cannot be read */
    struct tok *target_tok;         /* of the decoder's text; mostly the same one */
    struct err tok_err;             /* why it is NULL */
    const struct generation *rules; /* by which texts are continued; NULL: none is */
    int n_generate;                 /* tokens that each gets at the most */
    struct par *par;
    struct change change;
    struct input *input;            /* the last that was opened; NULL: none */
};

/*
 * Opens the model (unless tokens_only), its tokeniser and the threads.  A
 * tokeniser that cannot be read is an error only once a text needs it.
 */
int session_open(struct session *s, const struct asked *asked, bool tokens_only,
                 const struct env *env, struct err *e);
void session_close(struct session *s);

/*
 * The model that -m names, NULL: the built-in one.  *path: where it was found.  Of a
 * bare layer, and under --verbose, a warning for each tensor of the file that no slot took.
 */
struct model *session_model(const struct asked *asked, const struct env *env,
                            const char **path, struct err *e);

/* ---- layers and heads ---- */

/*
 * One part of a list like "0,3-5", "3" or "3-5", at *s, which moves behind it and the comma.
 * Returns 1 where another part follows, 0 where this is the last, -1 where it is none.
 */
int list_next(const char **s, long *from, long *to);

/*
 * The stack, layers and heads that -s, -l, -H name.  Without -s: the model's own; of
 * an encoder-decoder cross where the command line gives a text for the decoder or asks
 * for one, else encoder; all: every stack (N_STACK) instead of cross.  NULL in *want:
 * all.  Also the rotations that --rotations names; and s->rules, where texts are to be
 * continued: ERR_USAGE where the model sees both ways, ERR_INPUT where it has no head.
 */
int session_wanted(struct session *s, int n_operands, bool all, struct wanted *want,
                   struct err *e);

/*
 * Moves *l, *h, which begin at 0, -1, to the next of the shown model's heads that are
 * wanted, layer by layer; false: there is none.
 */
bool session_next_head(const struct session *s, const struct wanted *want, int *l,
                       int *h);

/*
 * want->rotations from --rotations; a warning where they are drawn without a seed.
 * Errors: no layer hashes; the file is no .npy, or does not fit (found, wanted).
 */
int session_rotations(const struct session *s, struct wanted *want, struct err *e);

/*
 * What --mask and its like, and --dtype, say, into s->change and *want; session_wanted
 * calls it.  Of an encoder-decoder --mask is for the self-attention of the stack that is
 * shown: the encoder's with -s encoder, else the decoder's.
 */
int session_change(struct session *s, struct wanted *want, struct err *e);

#endif
