/* SPDX-License-Identifier: MIT
 *
 * libmhaviz: what the attention heads of a transformer do, for programs.
 *
 *     struct mhaviz_model *model = NULL;
 *     struct mhaviz_text *text = NULL;
 *     struct mhaviz_error error;
 *
 *     if (mhaviz_model_open(&model, NULL, 0, &error) != MHAVIZ_OK ||
 *         mhaviz_text_open(model, "the cat saw the dog", NULL, &text, &error) != MHAVIZ_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *     ...
 *     mhaviz_text_close(&text);
 *     mhaviz_model_close(&model);
 *
 * Handles.  A handle is opened into a pointer and closed through a pointer to it, which
 * becomes NULL.  A handle that is NULL, so also one that was closed, is an error
 * (MHAVIZ_USAGE); closing NULL does nothing.  A text and its statistics keep copies of
 * what they hold: they may outlive the model that made them.
 *
 * Errors.  What can fail returns enum mhaviz_status, and says why in *error where error is
 * not NULL.  On an error, handles and other results are NULL or as they were before.  The
 * library never ends the process, prints, forks, installs a signal handler or changes the
 * allocators of other libraries.  Memory that runs out is an error like any other
 * (MHAVIZ_SYSTEM), and the handles remain good, to be used again or closed.  One exception:
 * pictures are drawn through cairo, pango, fontconfig and HarfBuzz.  Where memory runs out
 * these may abort the process, crash, wait for ever, or draw less and report success.  What
 * they report is an error here too; a caller who must survive, or be sure of the picture,
 * draws in a child process whose allocator ends it (as the program mha-viz does, src/watch.c).
 *
 * Structures.  Those that a function is given, and those that a callback is, may get members at
 * their end in later versions: struct_size, their first member, is sizeof of them as the program
 * knows them, and whoever fills one sets it.  What is zero, or missing, is not given.  Any other
 * size than one that a released version had is an error (MHAVIZ_USAGE).  The others, struct
 * mhaviz_error, mhaviz_bytes, mhaviz_token and mhaviz_head, stay as they are.
 *
 *     struct mhaviz_look look = { .struct_size = sizeof look, .format = "svg" };
 *
 * Threads.  A model is used by one thread at a time; two models do not affect each other.
 * A text or statistics that nobody closes may be read by several threads.  A model computes
 * with threads of its own; the number of threads never changes a result.
 *
 * Files that are mapped while a model is open must not be truncated by others: the process
 * would receive SIGBUS. */
#ifndef MHAVIZ_H
#define MHAVIZ_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

enum mhaviz_status {
    MHAVIZ_OK = 0,
    MHAVIZ_USAGE = 2,           /* an argument: NULL, closed, or not what the model has */
    MHAVIZ_INPUT = 3,           /* a model or a text that cannot be used */
    MHAVIZ_SYSTEM = 4,          /* memory, threads, a file that cannot be written */
    MHAVIZ_STOPPED = 5          /* a callback asked to stop */
};

struct mhaviz_error {
    enum mhaviz_status status;
    char message[640];          /* one line of UTF-8 without control characters; "" if OK */
};

/* "0.1.0": of the library that is linked. */
const char *mhaviz_version(void);

/* ---- models ---- */

struct mhaviz_model;

/* Bytes of the caller's. */
struct mhaviz_bytes {
    const void *data;
    size_t size;
};

/* The files of a model in memory.  They are not copied: they stay until the model closes. */
struct mhaviz_files {
    size_t struct_size;
    struct mhaviz_bytes weights;    /* of a .safetensors or .gguf file */
    struct mhaviz_bytes config;     /* of config.json; unused for GGUF */
    struct mhaviz_bytes tokenizer;  /* of tokenizer.json; unused for GGUF */
};

enum mhaviz_stack {
    MHAVIZ_ENCODER,
    MHAVIZ_DECODER,
    MHAVIZ_CROSS,               /* from the tokens of the decoder to those of the encoder */
    MHAVIZ_N_STACKS
};

/* struct_size is the caller's to set, the rest is filled. */
struct mhaviz_description {
    size_t struct_size;
    const char *name, *family;      /* live as long as the model */
    int n_layers[MHAVIZ_N_STACKS];  /* 0: the model does not have the stack */
    int n_heads[MHAVIZ_N_STACKS];
    int max_tokens;                 /* of a text; INT_MAX: no limit */
};

/*
 * Opens a folder in the format of Hugging Face, a .safetensors file beside its config.json,
 * a .gguf file, a name (ORG/NAME) in the local cache, or builtin:NAME; NULL: builtin:decoder.
 * n_threads: threads that compute, at most 1024; 0: one per processor.
 *
 * Errors: MHAVIZ_USAGE: model is NULL, n_threads out of range; MHAVIZ_INPUT: no such model,
 * a damaged one, a family that is not supported; MHAVIZ_SYSTEM.
 */
enum mhaviz_status mhaviz_model_open(struct mhaviz_model **model, const char *path,
                                     int n_threads, struct mhaviz_error *error);

/*
 * The same with n adapters of PEFT (LoRA, DoRA), merged in this order: their folders, or names
 * in the local cache; at most 16.  Errors: also MHAVIZ_USAGE: adapters is NULL, n out of range;
 * MHAVIZ_INPUT: an adapter for another model, or one that cannot be merged.
 */
enum mhaviz_status mhaviz_model_open_adapted(struct mhaviz_model **model, const char *path,
                                             const char *const *adapters, int n, int n_threads,
                                             struct mhaviz_error *error);

/* The same of files in memory.  Without a tokenizer, mhaviz_text_open fails. */
enum mhaviz_status mhaviz_model_open_files(struct mhaviz_model **model,
                                           const struct mhaviz_files *files, int n_threads,
                                           struct mhaviz_error *error);

/*
 * An array of the caller's.  It stays until the model closes; only one whose rows do not follow
 * each other is copied, and may go at once.
 */
struct mhaviz_array {
    size_t struct_size;         /* the same of all that go together */
    const char *name;           /* "h.0.attn.c_attn.weight" */
    const char *dtype;          /* as safetensors has it: F64 F32 F16 BF16 I64 I32 I16 I8 U8
                                   BOOL F8_E4M3 F8_E5M2, little-endian */
    const void *data;           /* its first element, at any alignment */
    size_t size;                /* bytes that may be read from there */
    int n_dims;                 /* 0 to 8 */
    const int64_t *shape;       /* [n_dims] */
    const int64_t *strides;     /* [n_dims] bytes from one to the next, at least 0; NULL: row by
                                   row */
};

/* Arrays, and what goes with them. */
struct mhaviz_arrays {
    size_t struct_size;
    const char *name;           /* of the model, in captions and messages; NULL: "model" or
                                   "attention" */
    const struct mhaviz_array *array;
    int n;
    struct mhaviz_bytes config;     /* of config.json; data NULL: a bare layer
                                       (mha-viz-layers(7)) */
    struct mhaviz_bytes tokenizer;  /* of tokenizer.json; data NULL: none */
    const char *const *options; /* of mha-viz(1), that say how weights are read, as words; NULL
                                   ends: { "--heads", "4", "--norm-first", NULL } and the others of
                                   bare layers; --memory or --mask none where texts will have
                                   them; --tower */
};

/*
 * The weights of a model as arrays, with the names, types and shapes that its .safetensors file
 * would have.  The results are those of that file, to the last bit.
 *
 * Errors: those of mhaviz_model_open_files; MHAVIZ_USAGE: a name, dtype or shape is NULL;
 * MHAVIZ_INPUT: a type, shape or stride that cannot be, more bytes than there are, a name twice.
 */
enum mhaviz_status mhaviz_model_open_arrays(struct mhaviz_model **model,
                                            const struct mhaviz_arrays *arrays, int n_threads,
                                            struct mhaviz_error *error);

/*
 * Attention that is there already, in place of a model that computes it: arrays of floats by the
 * names of mha-viz(1), --attention.  "attn.0", "attn.1", ...: [heads, queries, keys] of each
 * layer; "dec.0", "cross.0", ... of a decoder; or one array named "": [layers, heads, queries,
 * keys].  mhaviz_text_open_labels makes the one text that it is of.  config and tokenizer are
 * unused.
 *
 * Errors: those of mhaviz_model_open_arrays; MHAVIZ_INPUT: shapes that do not fit together.
 * Rows are looked at when they are read: weights below 0, or that do not sum to 1, are an error
 * of mhaviz_run and of what else reads them.
 */
enum mhaviz_status mhaviz_model_open_attention(struct mhaviz_model **model,
                                               const struct mhaviz_arrays *arrays, int n_threads,
                                               struct mhaviz_error *error);
void mhaviz_model_close(struct mhaviz_model **model);

/* What the model is.  Errors: MHAVIZ_USAGE: NULL, or a struct_size. */
enum mhaviz_status mhaviz_model_describe(const struct mhaviz_model *model,
                                         struct mhaviz_description *description,
                                         struct mhaviz_error *error);

/* How far a run is. */
struct mhaviz_progress {
    size_t struct_size;         /* of the library's, as in mhaviz_rows */
    const char *unit;           /* "layer", "text", "pass": what is counted, the innermost */
    int64_t done, total;        /* of them; total 0: not known */
    double share;               /* of the whole run, in [0, 1]; NaN: not known */
    double n_tokens;            /* that went through a model so far */
};

/*
 * From now on progress is called now and then by the thread of mhaviz_run, mhaviz_stats_open,
 * mhaviz_heatmap and mhaviz_make, unless the task has its own, and after each layer, text and
 * the like; NULL: nothing is.  It returns 0 to go on; otherwise it is not called again, and the
 * run ends with MHAVIZ_STOPPED when each thread is done with the rows at hand.  It must not use
 * the model.
 *
 * Errors: MHAVIZ_USAGE: model is NULL.
 */
enum mhaviz_status mhaviz_model_watch(struct mhaviz_model *model,
                                      int (*progress)(void *self,
                                                      const struct mhaviz_progress *progress),
                                      void *self, struct mhaviz_error *error);

/*
 * Calls warn with each warning of the opening, in order, one line each: tensors that are not used,
 * what was assumed where the files leave it open, what was merged.  They are kept with the model,
 * so that another call gives them again.  From then on warn is also called with each warning of
 * what the model is given to, by the thread of that function, unless the text or the task has its
 * own; NULL: nobody is told.  It must not use the model.
 *
 * Errors: MHAVIZ_USAGE: model is NULL.
 */
enum mhaviz_status mhaviz_model_warn(struct mhaviz_model *model,
                                     void (*warn)(void *self, const char *message), void *self,
                                     struct mhaviz_error *error);

/* ---- texts ---- */

struct mhaviz_text;

struct mhaviz_token {
    int id;                     /* -1: of a picture or sound */
    int special;                /* 1: the tokeniser calls its id special */
    const char *piece;          /* as the vocabulary has it: "##s" */
    const char *label;          /* the text that it stands for; may hold any bytes */
    size_t label_size;
    size_t start, end;          /* its bytes in the text, or in the pair; 0, 0: none */
};

/*
 * Tokenises a text for a model, with its special tokens.  pair: the second text of an
 * encoder, or the decoder's text of an encoder-decoder; NULL: none.  Both are UTF-8.
 *
 * Errors: MHAVIZ_USAGE: an argument other than pair is NULL; the model reads no text;
 * MHAVIZ_INPUT: bytes that are not UTF-8, more tokens than the model takes, a text without
 * tokens; MHAVIZ_SYSTEM.
 */
enum mhaviz_status mhaviz_text_open(struct mhaviz_model *model, const char *text,
                                    const char *pair, struct mhaviz_text **out,
                                    struct mhaviz_error *error);

/*
 * A picture, or sound, instead of a text, made what the model's preprocessor_config.json says: a
 * PNG or JPEG for a model that reads pictures, a .wav for one that hears.  Tokens are [CLS] and
 * patches, labelled row,column, or pieces of time.  pair: the decoder's text; NULL: none.
 *
 * Errors: MHAVIZ_USAGE: an argument other than pair is NULL, a model that reads no such files, a
 * pair without a decoder; MHAVIZ_INPUT: a file that cannot be read, or is damaged, no
 * preprocessor_config.json beside the model, and those of mhaviz_text_open for pair;
 * MHAVIZ_SYSTEM: also a JPEG where the library was built without libjpeg-turbo.
 */
enum mhaviz_status mhaviz_text_open_image(struct mhaviz_model *model, const char *path,
                                          struct mhaviz_text **out,
                                          struct mhaviz_error *error);
enum mhaviz_status mhaviz_text_open_audio(struct mhaviz_model *model, const char *path,
                                          const char *pair, struct mhaviz_text **out,
                                          struct mhaviz_error *error);

/*
 * The text of attention that is there already: labels of its queries, and of its keys where it is
 * cross-attention, UTF-8 each.  NULL: they are numbered.
 *
 * Errors: MHAVIZ_USAGE: an argument other than the lists is NULL, or a label; the model is not
 * of mhaviz_model_open_attention; as many labels as there are queries, or keys, are expected.
 */
enum mhaviz_status mhaviz_text_open_labels(struct mhaviz_model *model,
                                           const char *const *labels, int n_labels,
                                           const char *const *key_labels, int n_key_labels,
                                           struct mhaviz_text **out,
                                           struct mhaviz_error *error);

/* A text in the program's words. */
struct mhaviz_input {
    size_t struct_size;
    const char *text, *pair;    /* as of mhaviz_text_open */
    const char *const *options; /* of mha-viz(1), that say what is read and how, as words; NULL
                                   ends: { "--ids", "2,5,6,3", NULL }, --decoder-ids, --words,
                                   --pretokenized, --no-special, --truncate, --split, --input,
                                   --tokens */
    const struct mhaviz_array *array;   /* [n] in place of .npy files of their names, for --input,
                                           --memory, --key, --value and --decoder-input:
                                           { "--input", "x", NULL } reads the array "x" */
    int n;
    void (*warn)(void *self, const char *message);     /* one line; NULL: that of
                                                           mhaviz_model_warn */
    void *self;
};

/*
 * Such a text, or what a bare layer or a model of pictures or sound reads instead.  The arrays may
 * go when it returns.  With --split the text is read in pieces, by mhaviz_make alone: it is not
 * tokenised here, and may be longer than what the model takes.
 *
 * Errors: those of mhaviz_text_open; MHAVIZ_USAGE: an option that does not exist or does not go
 * with the model; MHAVIZ_INPUT: those of arrays, shapes that the model does not read.
 */
enum mhaviz_status mhaviz_text_open_input(struct mhaviz_model *model,
                                          const struct mhaviz_input *input,
                                          struct mhaviz_text **out, struct mhaviz_error *error);
void mhaviz_text_close(struct mhaviz_text **text);

/*
 * (*tokens)[*n], of the text's own memory.  decoder: 0, or 1 for those of the decoder of
 * an encoder-decoder (*n is 0 where the text has none); of cross-attention alone 0 are its keys
 * and 1 its queries.  Errors: MHAVIZ_USAGE, also for any other number, and of a text of --split.
 */
enum mhaviz_status mhaviz_text_tokens(const struct mhaviz_text *text, int decoder,
                                      const struct mhaviz_token **tokens, int *n,
                                      struct mhaviz_error *error);

/* ---- rows of attention ---- */

/* Which heads; each NULL, or the whole of it, is all that the model has.  The strings are
 * those of the program's options -s, -l and -H (mha-viz(1)). */
struct mhaviz_selection {
    size_t struct_size;
    const char *stack;          /* "encoder", "decoder", "cross"; NULL: see each function */
    const char *layers;         /* "0,3-5", "last", "-1" */
    const char *heads;          /* "0,3-5", or with their layers "L4H1,L4H3" */
    const char *metrics;        /* of mhaviz_stats_open: "all", "basic,neff", as of --metric
                                   (mha-viz-stats(1)); NULL: the basic ones */
};

/* A block of rows of one head, valid during the callback. */
struct mhaviz_rows {
    size_t struct_size;
    enum mhaviz_stack stack;
    int layer, head;
    int first_row, n_rows;      /* queries first_row .. first_row + n_rows - 1 */
    int first_key, n_keys;      /* the weights of all other keys are 0 */
    size_t stride;              /* floats from one row to the next, at least n_keys */
    const float *weights;       /* [n_rows, n_keys], row by row; each row sums to 1, or to 0
                                   where it sees no key */
    int n_all_rows, n_all_keys; /* queries and keys of the text */
};

/*
 * Runs the model on a text and calls take for each block of rows: the blocks of one head in
 * order, those of different heads of a layer in any order, one call at a time, from any of
 * the model's threads.  take returns 0 to go on; otherwise it is not called again, and the
 * run ends when each thread is done with the rows at hand.  It must not use the model.  No
 * stack: every one that the text reaches (of an encoder-decoder's text without a pair, the
 * encoder).
 *
 * Errors: MHAVIZ_STOPPED: take, or who watches, returned something else than 0; MHAVIZ_USAGE:
 * an argument other than selection and self is NULL, a selection that the model does not
 * have, a text of another model; MHAVIZ_INPUT: weights that are not finite, a decoder without
 * a text; MHAVIZ_SYSTEM.  take may have been called before an error.
 */
enum mhaviz_status mhaviz_run(struct mhaviz_model *model, const struct mhaviz_text *text,
                              const struct mhaviz_selection *selection,
                              int (*take)(void *self, const struct mhaviz_rows *rows),
                              void *self, struct mhaviz_error *error);

/* ---- statistics ---- */

struct mhaviz_stats;

struct mhaviz_head {
    enum mhaviz_stack stack;
    int layer, head;
};

/*
 * The metrics of each head on a text, those of `mha-viz stats`.  No stack: that of the
 * model; of an encoder-decoder "cross", or "encoder" where the text has no pair.
 *
 * Errors: those of mhaviz_run; MHAVIZ_USAGE for an unknown metric, or one that is not a number.
 */
enum mhaviz_status mhaviz_stats_open(struct mhaviz_model *model,
                                     const struct mhaviz_text *text,
                                     const struct mhaviz_selection *selection,
                                     struct mhaviz_stats **out, struct mhaviz_error *error);
void mhaviz_stats_close(struct mhaviz_stats **stats);

/* (*heads)[*n], layer by layer, of the memory of the statistics.  Errors: MHAVIZ_USAGE. */
enum mhaviz_status mhaviz_stats_heads(const struct mhaviz_stats *stats,
                                      const struct mhaviz_head **heads, int *n,
                                      struct mhaviz_error *error);

/* The name of metric i, counted from 0: "entropy" (in nats) and the others of
 * mha-viz-stats(1), with their units, that are numbers; NULL: there are only i. */
const char *mhaviz_metric(int i);

/* struct_size is the caller's to set, the rest is filled, and lives as long as the program. */
struct mhaviz_metric_info {
    size_t struct_size;
    const char *name, *unit;    /* unit "": it has none */
    const char *group;          /* whose name asks for it too, as "basic"; "": none does */
    const char *formula;        /* in one line */
    const char *page;           /* of the manual, with the whole formula and its source */
};

/* What a metric is, also one that is a list or a word.  Errors: MHAVIZ_USAGE: there is none of this
 * name (with the nearest); NULL; a struct_size. */
enum mhaviz_status mhaviz_metric_info(const char *metric, struct mhaviz_metric_info *info,
                                      struct mhaviz_error *error);

/*
 * (*values)[*n], the metric of this name of each head, in the order of mhaviz_stats_heads;
 * NaN: undefined.  Errors: MHAVIZ_USAGE, also for a name that no metric has, or of one that
 * was not asked for.
 */
enum mhaviz_status mhaviz_stats_metric(const struct mhaviz_stats *stats, const char *metric,
                                       const double **values, int *n,
                                       struct mhaviz_error *error);

/* ---- pictures ---- */

/* How a heatmap looks; all else zero, or NULL instead: as `mha-viz heatmap --no-metadata`. */
struct mhaviz_look {
    size_t struct_size;
    const struct mhaviz_selection *selection;   /* several layers make a sheet; NULL: the layer
                                                   that the program shows */
    const char *format;         /* "png", "svg", "pdf"; NULL: by the file's extension, or png */
    const char *colours;        /* "viridis", "magma", ...; NULL: viridis */
    const char *title;          /* UTF-8; NULL: none */
    int columns;                /* heads per row of the grid, at most 64; 0: 4, or those
                                   of a layer of several */
    int dpi;                    /* of a PNG, 10 to 1200; 0: 100 */
    int shared;                 /* 1: one scale for all heads */
    int outlines;               /* 1: the text of an SVG as outlines */
};

/*
 * Draws the heads of one layer, or of several, to a file, which is replaced when the picture is
 * complete;
 * "-" is a file of that name, not standard output.  No stack: as mhaviz_stats_open.
 *
 * Errors: those of mhaviz_stats_open; MHAVIZ_USAGE: path is NULL, or a file of the model or the
 * text, a format or colours that do not exist, a title that is not UTF-8, numbers out of range;
 * MHAVIZ_SYSTEM: the file cannot be written.
 */
enum mhaviz_status mhaviz_heatmap(struct mhaviz_model *model, const struct mhaviz_text *text,
                                  const struct mhaviz_look *look, const char *path,
                                  struct mhaviz_error *error);

/* The same bytes in memory: *data[*size], to be given to free(); NULL on an error. */
enum mhaviz_status mhaviz_heatmap_bytes(struct mhaviz_model *model,
                                        const struct mhaviz_text *text,
                                        const struct mhaviz_look *look, void **data,
                                        size_t *size, struct mhaviz_error *error);

/* ---- what the program makes ---- */

/* A command of the program, and what goes with it. */
struct mhaviz_task {
    size_t struct_size;
    const char *name;           /* "links" */
    const char *const *options; /* as on its command line, in long form; NULL ends:
                                   { "--layer", "0-3", "--format=svg", "--letters", NULL } */
    struct mhaviz_model *second_model;      /* compared with the first, as of two -m */
    const struct mhaviz_text *second_text;  /* as TEXT_B beside TEXT, where two texts are
                                               compared; of the second model, if there is one */
    /* As of mhaviz_model_watch, for this task. */
    int (*progress)(void *self, const struct mhaviz_progress *progress);
    void (*warn)(void *self, const char *message);     /* one line; NULL: that of
                                                           mhaviz_model_warn */
    void *self;                 /* of both */
    const char *output;         /* the file that the caller will write the bytes to, which is not:
                                   MHAVIZ_USAGE, if it is one that is read; NULL: none */
};

/* struct_size is the caller's to set, the rest is filled, and lives as long as the program. */
struct mhaviz_option_info {
    size_t struct_size;
    const char *name;           /* without the two dashes; NULL: there are only i */
    const char *value;          /* what stands for its value in the help; NULL: it is a flag */
    const char *help;           /* in one line */
    const char *group;          /* heading in the help; "": the command's own */
};

/* Option i, counted from 0, of those that a task of mhaviz_make takes.  Errors: MHAVIZ_USAGE: no
 * such task; NULL; a struct_size. */
enum mhaviz_status mhaviz_option_info(const char *task, int i, struct mhaviz_option_info *info,
                                      struct mhaviz_error *error);

/*
 * What `mha-viz NAME OPTIONS -o -` writes into a pipe, without metadata, in memory: *data[*size],
 * to be given to free(), and a NUL behind them; NULL on an error.
 *
 *     heatmap links model curve trace neuron      PNG; --format svg, pdf
 *     report                                      HTML
 *     stats types diff ablate stability attribute circuits mechanisms tokens
 *                                                 a table; --json: an object per text
 *     export                                      npz
 *
 * The models are those that are open, so options that say how one is opened, where the result
 * goes, or how many threads there are, do not exist here.  text NULL: what the options say
 * (--file, --ids), else what the command takes without a text.  What options name is read or
 * written: --file, --types, --means-out and their like; MHAVIZ_USAGE: one that is written is one
 * that is read, or a file of a model or a text.
 *
 * Errors: those of the command: MHAVIZ_USAGE, its exit status 2, MHAVIZ_INPUT, 3, also where some
 * lines of a file could not be used, MHAVIZ_SYSTEM, 4; MHAVIZ_STOPPED; MHAVIZ_USAGE also where an
 * argument is NULL, or a text is of another model.
 */
enum mhaviz_status mhaviz_make(struct mhaviz_model *model, const struct mhaviz_text *text,
                               const struct mhaviz_task *task, void **data, size_t *size,
                               struct mhaviz_error *error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
