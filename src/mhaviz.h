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
    MHAVIZ_USAGE = 2,           /* a bad argument: NULL, closed, or unknown to the model */
    MHAVIZ_INPUT = 3,           /* a model or a text that cannot be used */
    MHAVIZ_SYSTEM = 4,          /* memory, threads, a file that cannot be written */
    MHAVIZ_STOPPED = 5          /* a callback asked to stop */
};

struct mhaviz_error {
    enum mhaviz_status status;
    char message[640];          /* one line of UTF-8 without control characters; "" if OK */
};

/* The version of the linked library: "0.1.0". */
const char *mhaviz_version(void);

/* ---- models ---- */

struct mhaviz_model;

/* Bytes owned by the caller. */
struct mhaviz_bytes {
    const void *data;
    size_t size;
};

/* The files of a model in memory.  They are not copied: they stay until the model closes. */
struct mhaviz_files {
    size_t struct_size;
    struct mhaviz_bytes weights;    /* contents of a .safetensors or .gguf file */
    struct mhaviz_bytes config;     /* contents of config.json; unused for GGUF */
    struct mhaviz_bytes tokenizer;  /* contents of tokenizer.json; unused for GGUF */
};

enum mhaviz_stack {
    MHAVIZ_ENCODER,
    MHAVIZ_DECODER,
    MHAVIZ_CROSS,               /* cross-attention, from decoder tokens to encoder tokens */
    MHAVIZ_N_STACKS
};

/* struct_size is the caller's to set, the rest is filled. */
struct mhaviz_description {
    size_t struct_size;
    const char *name, *family;      /* live as long as the model */
    int n_layers[MHAVIZ_N_STACKS];  /* 0: the model does not have the stack */
    int n_heads[MHAVIZ_N_STACKS];
    int max_tokens;                 /* the longest text; INT_MAX: no limit */
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
 * An array owned by the caller, who must keep it until the model closes.  Only an array that is
 * not contiguous is copied, and may be freed at once.
 */
struct mhaviz_array {
    size_t struct_size;         /* the same in all elements of a list */
    const char *name;           /* "h.0.attn.c_attn.weight" */
    const char *dtype;          /* name of the type in safetensors: F64 F32 F16 BF16 I64 I32 I16
                                   I8 U8 BOOL F8_E4M3 F8_E5M2; little-endian */
    const void *data;           /* its first element, at any alignment */
    size_t size;                /* bytes that may be read from there */
    int n_dims;                 /* 0 to 8 */
    const int64_t *shape;       /* [n_dims] */
    const int64_t *strides;     /* [n_dims] bytes between neighbours in each dimension, at least
                                   0; NULL: contiguous, in C order */
};

/* A model, or precomputed attention, as arrays. */
struct mhaviz_arrays {
    size_t struct_size;
    const char *name;           /* the model's name in captions and messages; NULL: "model" or
                                   "attention" */
    const struct mhaviz_array *array;
    int n;
    struct mhaviz_bytes config;     /* contents of config.json; data NULL: a bare layer
                                       (mha-viz-layers(7)) */
    struct mhaviz_bytes tokenizer;  /* contents of tokenizer.json; data NULL: no tokenizer */
    const char *const *options; /* options of mha-viz(1) that define how weights are read, NULL
                                   ends: { "--heads", "4", "--norm-first", NULL } and the others of
                                   bare layers; --memory or --mask with the value none, if texts
                                   will bring their own; --tower */
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
 * Precomputed attention in place of a model: arrays of floats by the names of mha-viz(1),
 * --attention.  "attn.0", "attn.1", ...: [heads, queries, keys] of each layer; "dec.0",
 * "cross.0", ... of a decoder; or one array named "": [layers, heads, queries, keys].
 * mhaviz_text_open_labels makes its only text.  config and tokenizer are unused.
 *
 * Errors: those of mhaviz_model_open_arrays; MHAVIZ_INPUT: shapes that do not fit together.
 * Rows are checked when they are read: weights below 0, or that do not sum to 1, are an error
 * of mhaviz_run and of every other function that reads them.
 */
enum mhaviz_status mhaviz_model_open_attention(struct mhaviz_model **model,
                                               const struct mhaviz_arrays *arrays, int n_threads,
                                               struct mhaviz_error *error);
void mhaviz_model_close(struct mhaviz_model **model);

/* Fills *description.  Errors: MHAVIZ_USAGE: NULL, or a wrong struct_size. */
enum mhaviz_status mhaviz_model_describe(const struct mhaviz_model *model,
                                         struct mhaviz_description *description,
                                         struct mhaviz_error *error);

/* The progress of a run. */
struct mhaviz_progress {
    size_t struct_size;         /* sizeof in the library, as in mhaviz_rows */
    const char *unit;           /* unit of the innermost loop: "layer", "text", "pass" */
    int64_t done, total;        /* number of those units; total 0: unknown */
    double share;               /* finished share of the whole run, in [0, 1]; NaN: unknown */
    double n_tokens;            /* tokens that the models have processed so far */
};

/*
 * Sets the callback for progress; NULL: none.  mhaviz_run, mhaviz_stats_open, mhaviz_heatmap and
 * mhaviz_make call it on their own thread, at intervals and after each layer, text and the like;
 * the progress of a task has precedence.  It returns 0 to go on; otherwise it is not called
 * again, and the run ends with MHAVIZ_STOPPED when each thread has finished its present rows.
 * It must not use the model.
 *
 * Errors: MHAVIZ_USAGE: model is NULL.
 */
enum mhaviz_status mhaviz_model_watch(struct mhaviz_model *model,
                                      int (*progress)(void *self,
                                                      const struct mhaviz_progress *progress),
                                      void *self, struct mhaviz_error *error);

/*
 * Calls warn with each warning from opening the model, in order, one line each: unused tensors,
 * assumptions about what the files do not define, merged adapters.  The model keeps them, so that
 * another call repeats them.  From then on warn is also called with each warning of a function
 * that uses the model, on the thread of that function, unless the text or the task has its own
 * warn; NULL: warnings are dropped.  It must not use the model.
 *
 * Errors: MHAVIZ_USAGE: model is NULL.
 */
enum mhaviz_status mhaviz_model_warn(struct mhaviz_model *model,
                                     void (*warn)(void *self, const char *message), void *self,
                                     struct mhaviz_error *error);

/* ---- texts ---- */

struct mhaviz_text;

struct mhaviz_token {
    int id;                     /* id in the vocabulary; -1: a token of a picture or sound */
    int special;                /* 1: the tokeniser calls its id special */
    const char *piece;          /* its entry in the vocabulary: "##s" */
    const char *label;          /* the text that it stands for; may contain any bytes */
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
 * Opens a picture (PNG or JPEG) for a vision model, or sound (.wav) for a speech model, prepared
 * as the model's preprocessor_config.json defines.  Tokens are [CLS] and patches, labelled
 * row,column, or pieces of time.  pair: the decoder's text; NULL: none.
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
 * The text of precomputed attention: labels of its queries, and of its keys if it is
 * cross-attention, UTF-8 each.  NULL: the labels are numbers.
 *
 * Errors: MHAVIZ_USAGE: an argument other than the lists is NULL, or a label; the model is not
 * of mhaviz_model_open_attention; as many labels as there are queries, or keys, are expected.
 */
enum mhaviz_status mhaviz_text_open_labels(struct mhaviz_model *model,
                                           const char *const *labels, int n_labels,
                                           const char *const *key_labels, int n_key_labels,
                                           struct mhaviz_text **out,
                                           struct mhaviz_error *error);

/* A text with options, as on the program's command line. */
struct mhaviz_input {
    size_t struct_size;
    const char *text, *pair;    /* the arguments of mhaviz_text_open */
    const char *const *options; /* options of mha-viz(1) for inputs, NULL ends:
                                   { "--ids", "2,5,6,3", NULL }, --decoder-ids, --words,
                                   --pretokenized, --no-special, --truncate, --split, --input,
                                   --tokens */
    const struct mhaviz_array *array;   /* [n] arrays that options name instead of .npy files, for
                                           --input, --memory, --key, --value and --decoder-input:
                                           { "--input", "x", NULL } reads the array "x" */
    int n;
    void (*warn)(void *self, const char *message);     /* one line; NULL: that of
                                                           mhaviz_model_warn */
    void *self;
};

/*
 * Opens such a text, or the input of a bare layer, a vision or a speech model.  The arrays may
 * be freed when it returns.  A text with --split is read in pieces, by mhaviz_make alone: it is
 * not tokenised here, and may be longer than the model's maximum.
 *
 * Errors: those of mhaviz_text_open; MHAVIZ_USAGE: an option that does not exist or does not go
 * with the model; MHAVIZ_INPUT: those of arrays, shapes that the model does not read.
 */
enum mhaviz_status mhaviz_text_open_input(struct mhaviz_model *model,
                                          const struct mhaviz_input *input,
                                          struct mhaviz_text **out, struct mhaviz_error *error);
void mhaviz_text_close(struct mhaviz_text **text);

/*
 * The tokens of a text: (*tokens)[*n], in the text's own memory.  decoder: 0, or 1 for the
 * decoder's tokens of an encoder-decoder (*n is 0 if the text has none); of precomputed
 * cross-attention alone 0 gives the keys and 1 the queries.  Errors: MHAVIZ_USAGE, also for any
 * other number, and for a text with --split.
 */
enum mhaviz_status mhaviz_text_tokens(const struct mhaviz_text *text, int decoder,
                                      const struct mhaviz_token **tokens, int *n,
                                      struct mhaviz_error *error);

/* ---- rows of attention ---- */

/* A selection of heads; a member that is NULL, or a selection that is NULL, selects all that the
 * model has.  The strings are those of the program's options -s, -l and -H (mha-viz(1)). */
struct mhaviz_selection {
    size_t struct_size;
    const char *stack;          /* "encoder", "decoder", "cross"; NULL: see each function */
    const char *layers;         /* "0,3-5", "last", "-1" */
    const char *heads;          /* "0,3-5", or with their layers "L4H1,L4H3" */
    const char *metrics;        /* for mhaviz_stats_open: "all", "basic,neff", as for --metric
                                   (mha-viz-stats(1)); NULL: the basic metrics */
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
                                   if its query sees no key */
    int n_all_rows, n_all_keys; /* queries and keys of the text */
};

/*
 * Runs the model on a text and calls take for each block of rows: the blocks of one head in
 * order, those of different heads of a layer in any order, one call at a time, from any of
 * the model's threads.  take returns 0 to go on; otherwise it is not called again, and the
 * run ends when each thread has finished its present rows.  It must not use the model.  Without
 * a stack, every stack that the text reaches is run (only the encoder, if a text for an
 * encoder-decoder has no pair).
 *
 * Errors: MHAVIZ_STOPPED: take, or the callback for progress, did not return 0; MHAVIZ_USAGE:
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
 * Computes the metrics of each head on a text, those of `mha-viz stats`.  Without a stack: the
 * model's only one; of an encoder-decoder "cross", or "encoder" if the text has no pair.
 *
 * Errors: those of mhaviz_run; MHAVIZ_USAGE for an unknown metric, or one that is not a number.
 */
enum mhaviz_status mhaviz_stats_open(struct mhaviz_model *model,
                                     const struct mhaviz_text *text,
                                     const struct mhaviz_selection *selection,
                                     struct mhaviz_stats **out, struct mhaviz_error *error);
void mhaviz_stats_close(struct mhaviz_stats **stats);

/* The heads, layer by layer: (*heads)[*n], owned by stats.  Errors: MHAVIZ_USAGE. */
enum mhaviz_status mhaviz_stats_heads(const struct mhaviz_stats *stats,
                                      const struct mhaviz_head **heads, int *n,
                                      struct mhaviz_error *error);

/* The name of metric i, counted from 0, of those of mha-viz-stats(1) that are numbers: "entropy"
 * (in nats); NULL if there are only i. */
const char *mhaviz_metric(int i);

/* struct_size is the caller's to set, the rest is filled, and lives as long as the program. */
struct mhaviz_metric_info {
    size_t struct_size;
    const char *name, *unit;    /* unit "": the metric has no unit */
    const char *group;          /* the group of metrics that selects it too, as "basic"; "": none */
    const char *formula;        /* the formula in one line */
    const char *page;           /* page of the manual with the whole formula and its source */
};

/* Describes a metric, also one that is a list or a word.  Errors: MHAVIZ_USAGE: an unknown name
 * (with the nearest known one); NULL; a wrong struct_size. */
enum mhaviz_status mhaviz_metric_info(const char *metric, struct mhaviz_metric_info *info,
                                      struct mhaviz_error *error);

/*
 * The metric of this name, for each head in the order of mhaviz_stats_heads: (*values)[*n]; NaN:
 * undefined.  Errors: MHAVIZ_USAGE, also for an unknown metric, or one that was not selected.
 */
enum mhaviz_status mhaviz_stats_metric(const struct mhaviz_stats *stats, const char *metric,
                                       const double **values, int *n,
                                       struct mhaviz_error *error);

/* ---- pictures ---- */

/* Settings of a heatmap.  With all others zero, or without a struct, it is that of
 * `mha-viz heatmap --no-metadata`. */
struct mhaviz_look {
    size_t struct_size;
    const struct mhaviz_selection *selection;   /* several layers make a sheet; NULL: the
                                                   program's default layer */
    const char *format;         /* "png", "svg", "pdf"; NULL: by the file's extension, or png */
    const char *colours;        /* "viridis", "magma", ...; NULL: viridis */
    const char *title;          /* UTF-8; NULL: none */
    int columns;                /* heads per row of the grid, at most 64; 0: 4, or on a sheet
                                   of several layers all heads of a layer */
    int dpi;                    /* resolution of a PNG, 10 to 1200; 0: 100 */
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

/* A command of the program, with its options and callbacks. */
struct mhaviz_task {
    size_t struct_size;
    const char *name;           /* "links" */
    const char *const *options; /* as on its command line, in long form, NULL ends:
                                   { "--layer", "0-3", "--format=svg", "--letters", NULL } */
    struct mhaviz_model *second_model;      /* the model to compare with, as with two -m */
    const struct mhaviz_text *second_text;  /* the text to compare with, as TEXT_B; opened for the
                                               second model, if there is one */
    /* The callback of mhaviz_model_watch, for this task. */
    int (*progress)(void *self, const struct mhaviz_progress *progress);
    void (*warn)(void *self, const char *message);     /* one line; NULL: that of
                                                           mhaviz_model_warn */
    void *self;                 /* first argument of progress and warn */
    const char *output;         /* the file to which the caller will write the result; only
                                   checked: MHAVIZ_USAGE if it is also read; NULL: unknown */
};

/* struct_size is the caller's to set, the rest is filled, and lives as long as the program. */
struct mhaviz_option_info {
    size_t struct_size;
    const char *name;           /* without the two dashes; NULL: there are only i */
    const char *value;          /* placeholder of its value in the help; NULL: it is a flag */
    const char *help;           /* description in one line */
    const char *group;          /* its heading in the help; "": an option of this command alone */
};

/* Describes option i, counted from 0, of a task of mhaviz_make.  Errors: MHAVIZ_USAGE: no such
 * task; NULL; a wrong struct_size. */
enum mhaviz_status mhaviz_option_info(const char *task, int i, struct mhaviz_option_info *info,
                                      struct mhaviz_error *error);

/*
 * The output of `mha-viz NAME OPTIONS -o -` into a pipe, without metadata, in memory:
 * *data[*size], followed by a NUL, to be given to free(); NULL on an error.
 *
 *     heatmap links model curve trace neuron      PNG; --format svg, pdf
 *     report                                      HTML
 *     stats types diff ablate stability attribute circuits mechanisms tokens
 *                                                 a table; --json: an object per text
 *     export                                      npz
 *
 * Options for opening a model, for the destination of the result and for the number of threads
 * do not exist here.  text NULL: the texts of the options (--file, --ids), else the command's
 * default.  Files named by options (--file, --types, --means-out and their like) are read or
 * written; MHAVIZ_USAGE: a file to be written is also read, or is one of a model or a text.
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
