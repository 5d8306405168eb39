/* SPDX-License-Identifier: MIT
 *
 * What commands share: which model, which text, which layers and heads; where a
 * result goes. */
#ifndef CMD_SHARED_H
#define CMD_SHARED_H

#include "analysis/stats.h"
#include "base/file.h"
#include "cmd/cmd.h"
#include "cmd/values.h"
#include "model/generation.h"
#include "model/model.h"
#include "run/run.h"
#include "text/tok.h"

/* The first member of every command's args struct. */
struct shared_args {
    struct common_args common;
    const char *model;              /* NULL: built in */
    const char *attention, *qkv;    /* instead of a model and a text; NULL: those */
    double score_scale;                   /* of qkv's scores; 0 or NaN: not given */
    const char *file;               /* -f; NULL: the operands */
    bool pairs, jsonl;
    const char *ids, *type_ids, *decoder_ids, *global;
    const char *input;              /* an array of numbers; NULL: text or ids */
    bool pretokenized, no_special, truncate;
    const char *layer, *head, *stack;
    /* of a bare layer: layer_opts, rows_opts */
    int heads, activation, relative, seed;
    bool norm_first;
    const char *memory, *key, *value, *tokens, *key_tokens, *shape;
    const char *rotations;          /* .npy; NULL: drawn */
    const char *mask, *memory_mask;
    double mask_value;              /* NaN: minus infinity */
    int generate;                   /* 0: not asked for */
    int dtype;                      /* enum precision */
};

extern const struct opt model_opts[], text_opts[], select_opts[], mask_opts[],
                        generate_opts[], dtype_opts[];
/* The last is for commands without a seed of their own (in shared_args). */
extern const struct opt layer_opts[], rows_opts[], seed_opts[];
extern const struct opt attention_opts[], qkv_opts[];

/* ---- the model ---- */

struct session {
    const struct shared_args *args;
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
int session_open(struct session *s, const struct shared_args *args, bool tokens_only,
                 const struct env *env, struct err *e);
void session_close(struct session *s);

/*
 * The model that -m names, NULL: the built-in one.  *path: where it was found.  Of a
 * bare layer, and under --verbose, a warning for each tensor of the file that no slot took.
 */
struct model *open_model(const struct shared_args *args, const struct env *env,
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

/* ---- texts ---- */

struct item {
    int index;              /* from 0: the line's number less one, 0 for an operand */
    const char *text;       /* as given, for captions and reports; "" for ids */
    size_t text_size;
    const char *pair;       /* NULL: none */
    size_t pair_size;
    struct tokens tokens;
    struct tokens target;   /* of the decoder of an encoder-decoder; n 0: none */
    int *global_at, n_global_at;    /* that a JSON object lists; NULL: it lists none */
    const unsigned char *global;    /* [tokens.n] 1: global; NULL: none is */
    int n_cut;              /* tokens that --truncate took away */
    bool open;              /* its queries' tokens are still to be continued */
    int n_generated;        /* how many of them were added to what was given */
    const char *generated;  /* their text, without special ones */
    size_t generated_size;
    struct values values;   /* x NULL: tokens have ids */
    struct values memory;   /* of a bare layer's keys; x NULL: it reads no other input */
    struct values memory_values;    /* of its values; x NULL: memory */
    struct tokens keys;     /* names of the keys, where there is memory */
    const char *input;      /* the file that the values are of, "x.npy[1]" where it holds
                               several arrays; NULL: none */
};

struct input;

/*
 * Operands, --ids, --input or -f; usage errors where they contradict each other.  The
 * session closes its file, so that a command may fail at any point.
 */
struct input *input_open(struct session *s, int n_operands, char **operands,
                         struct err *e);
void inputs_close(struct input *last);      /* it and those of its session before it */

/*
 * The next text, tokenised, in arena a.  Returns 1, 0 at the end, -1.  A line of
 * a file that cannot be used is named in a warning and left out; a text of the
 * command line that cannot be used is an error.
 */
int input_next(struct input *in, struct arena *a, struct item *out, struct err *e);

/*
 * Continues the texts that are open, several in one pass a step; their tokens are of a.
 * Every command that runs the model over items calls it before texts_pack.  On an error
 * some are closed, and others still open.
 */
int session_generate(const struct session *s, struct item *items, int n,
                     struct arena *a, struct err *e);

/* What it came to: rc; where that is 0, an error if some lines could not be used. */
int input_result(const struct input *in, int rc, struct err *e);

/*
 * Ends the input and the one output that all its texts went to: what the usable
 * lines gave is kept, also where others were not usable.
 */
int input_end(struct input *in, struct out *out, int rc, struct err *e);

bool input_is_file(const struct input *in);     /* of texts; or of several arrays */

/* Counts a text that was read but could not be used after all, and says why. */
void input_reject(struct input *in, const struct item *item, const struct err *why);

/*
 * Calls fn for each text, continued where it is open.  What fn takes from the arena is
 * gone afterwards.  Errors: those of fn; ERR_INPUT only rejects a line of a file.
 */
int input_each(struct input *in,
               int (*fn)(void *self, struct arena *a, const struct item *item,
                         struct err *e),
               void *self, struct err *e);

/*
 * The same with the file that each goes to: out itself for a single
 * text, out/000001.ENDING by line where out is a folder.  Errors: also ERR_USAGE for a
 * second text where out is no folder, before any is drawn.
 */
int input_to_files(struct input *in, const char *out, const char *ending,
                   int (*fn)(void *self, struct arena *a, const struct item *item,
                             const char *path, struct err *e),
                   void *self, struct err *e);

/* ---- the pass ---- */

/* Texts, packed for a pass. */
struct texts {
    struct batch source, target;
    const unsigned char *source_special, *target_special;   /* [tokens] */
    const int *number;          /* [texts] item->index */
    struct batch keys;          /* of a bare layer's memory */
    const unsigned char *key_special;
    struct memory memory;       /* its rows; x NULL: there is none */
};

void texts_pack(struct texts *t, struct arena *a, const struct item *items, int n);

/* Those that look and that are looked at in the session's stack. */
struct attended session_attended(const struct session *s, const struct texts *t);
const struct tokens *session_queries(const struct session *s, const struct item *item);
const struct tokens *session_keys(const struct session *s, const struct item *item);

/*
 * Runs the model, and for an encoder-decoder's other stacks its decoder behind it;
 * rows of the session's stack go to the sinks.  want->hidden and logits are those of
 * the last model that runs.
 */
int session_forward(const struct session *s, const struct texts *t,
                    const struct wanted *want, const struct sink *sinks, int n_sinks,
                    struct arena *a, struct err *e);

/* ---- outputs ---- */

/* True where path asks for a file a text: "DIR/", or a folder that is there. */
bool output_is_dir(const char *path);

/* "DIR/000001.png" for the item with this index. */
char *output_name(struct arena *a, const char *dir, int index, const char *ending);

/*
 * The format that --format (an index into names, -1: not given) or the ending of
 * path says; where neither does, 0.  ERR_USAGE for an ending that is not one of
 * names.
 */
int output_format(const char *path, int asked, const char *const *names,
                  int *format, struct err *e);

#endif
