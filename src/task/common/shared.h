/* SPDX-License-Identifier: MIT
 * Shared by commands that open a session: groups of options, and checks of outputs. */
#ifndef TASK_SHARED_H
#define TASK_SHARED_H

#include "base/file.h"
#include "base/out.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "session/input.h"
#include "session/texts.h"
#include "task/figure/figure.h"

/* --best N --metric NAME of figures: task/common/best.h. */
struct best_args {
    int n;                      /* number of heads; 0: all selected heads */
    const char *metric;         /* name of the metric; NULL if not given */
    bool reverse;               /* heads with the smallest values, not the largest */
};

/* Options of such a command: the first member of its args struct. */
struct shared_args {
    struct common_args common;
    struct asked asked;
    struct figure_args figure;
    struct best_args best;
    const char *types;          /* file of the heads' types; NULL: none */
    const char *resume;         /* file of the run's state; NULL: none */
    const char *unigrams;       /* file of counts of tokens; NULL: the texts are counted */
};

extern const struct opt_group model_group, text_group, select_group, mask_group,
                              generate_group, dtype_group;
/* For bare layers; the last is for commands without a seed of their own (in asked). */
extern const struct opt_group layer_group, rows_group, seed_group;
extern const struct opt_group attention_group, qkv_group, hide_group, weight_group;
/* For pictures of a text: the tokens that are rows and columns. */
extern const struct opt_group region_group;
/* For commands that show maps, or numbers of maps. */
extern const struct opt_group average_group;
/* For commands over many texts: shards, and resuming. */
extern const struct opt_group shard_group, resume_group;
extern const struct opt_group rare_group;       /* for commands that count tokens: counts.h */
extern const struct opt_group memory_group;     /* for commands that limit the memory of texts */
extern const struct opt_group split_group;      /* for commands that split texts */
/* For pictures: colours of heatmaps; labels and titles around panels; options of all pictures. */
extern const struct opt_group figure_group, panel_group, sheet_group;

/* The groups of a command that runs a model over texts. */
#define PASS_GROUPS \
    &model_group, &layer_group, &rows_group, &seed_group, &attention_group, &qkv_group, \
    &text_group, &select_group, &generate_group, &mask_group, &dtype_group

/* For commands that show the types of heads, from a file. */
extern const struct opt_group types_group;

extern const struct opt_values model_values;    /* names in the local cache, and files */
extern const struct opt_values global_values, mask_values;

/*
 * ERR_USAGE: --seed is given, but nothing is drawn for this input; what: what the command draws
 * otherwise, for the message, such as "of the probes"; NULL: nothing.
 */
int shared_check_seed(const struct shared_args *args, const struct input *input, const char *what,
                      struct err *e);

/* ERR_USAGE: an option of figures is given, but the output is not a figure, or has a format that
 * the option does not affect.  other: a second output; NULL if there is none. */
int shared_check_figure(const struct shared_args *args, const struct output *output,
                        const struct output *other, struct err *e);

/* An option that only pictures read, or only reports; a list ends with option NULL. */
struct shared_reader {
    const char *option;
    size_t field;
    bool picture;
};

/* ERR_USAGE: one of them is given for an output of the other kind. */
int shared_check_readers(const struct shared_args *args, const struct output *output,
                         const struct shared_reader *reader, struct err *e);

/* Sets ERR_USAGE: several texts for one file; folder: the option that takes a folder.  Returns -1.
 * */
int shared_several(const struct session *session, const struct input *input, const char *folder,
                   struct err *e);

/*
 * Calls fn for each text with the path of its file: output's own for a single text,
 * DIR/000001.EXTENSION by line number for a folder.  Errors: those of input_each; ERR_USAGE, before
 * any text is drawn, for a second text if the output is neither a folder nor text on a terminal.
 */
int shared_to_files(const struct session *session, struct input *input, const struct output *output,
                    int (*fn)(void *self, struct arena *a, const struct item *item,
                              const char *path, struct err *e),
                   void *self, struct err *e);

#endif
