/* SPDX-License-Identifier: MIT
 * What commands that open a session share: tables of options, and where results go. */
#ifndef TASK_SHARED_H
#define TASK_SHARED_H

#include "base/file.h"
#include "base/out.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "task/figure.h"
#include "session/input.h"
#include "session/texts.h"

/* The first member of such a command's args struct. */
/* --best N --metric NAME of figures: task/best.h. */
struct best_args {
    int n;                      /* heads; 0: all that are selected */
    const char *metric;         /* by its name; NULL: not given */
};

struct shared_args {
    struct common_args common;
    struct asked asked;
    struct figure_args figure;
    struct best_args best;
    const char *types;          /* a file of what heads are; NULL: none */
    const char *resume;         /* a file of what was done; NULL: none */
    const char *unigrams;       /* a file of counts; NULL: the texts are counted */
};

extern const struct opt_group model_group, text_group, select_group, mask_group,
                              generate_group, dtype_group;
/* Of bare layers; the last is for commands without a seed of their own (in asked). */
extern const struct opt_group layer_group, rows_group, seed_group;
extern const struct opt_group attention_group, qkv_group, hide_group, weight_group;
/* Of pictures of a text: which of its tokens are rows and columns. */
extern const struct opt_group region_group;
extern const struct opt_group average_group;    /* of commands that show maps, or numbers of them */
/* Of commands over many texts; of those of them that can be gone on with. */
extern const struct opt_group shard_group, resume_group;
extern const struct opt_group rare_group;       /* of those that count tokens: task/counts.h */
extern const struct opt_group memory_group;     /* of those that say what texts take */
extern const struct opt_group split_group;      /* of those that make many of one */
/* Of pictures: the colours of heatmaps; what stands around panels; then what any of them has. */
extern const struct opt_group figure_group, panel_group, sheet_group;

/* The groups of a command that runs a model over texts. */
#define PASS_GROUPS \
    &model_group, &layer_group, &rows_group, &seed_group, &attention_group, &qkv_group, \
    &text_group, &select_group, &generate_group, &mask_group, &dtype_group

/* Of commands that show what each head is, as a file says. */
extern const struct opt_group types_group;

extern const struct opt_values model_values;    /* names in the local cache, and files */
extern const struct opt_values global_values, mask_values;

/*
 * ERR_USAGE: --seed is given, but of this input nothing is drawn; what: what else is, for the
 * message, such as "of the probes"; NULL: nothing.
 */
int shared_check_seed(const struct shared_args *args, const struct input *in, const char *what,
                      struct err *e);

/* ERR_USAGE: an option of the figure is given, but what is written is none, or one of a format that
 * it does nothing to.  other: written beside it, NULL: nothing is. */
int shared_check_figure(const struct shared_args *args, const struct output *output,
                        const struct output *other, struct err *e);

/* Options that pictures alone read, or reports alone; ends with option NULL. */
struct shared_reader {
    const char *option;
    size_t field;
    bool picture;
};

/* ERR_USAGE: one of them is given beside the other. */
int shared_check_readers(const struct shared_args *args, const struct output *output,
                         const struct shared_reader *reader, struct err *e);

/* ERR_USAGE: several texts for one file; folder: where the command line has one.  Returns -1. */
int shared_several(const struct session *s, const struct input *in, const char *folder,
                   struct err *e);

/*
 * Calls fn for each text with the file that it goes to: output's own for a single text,
 * DIR/000001.EXTENSION by line where it is a folder.  Errors: those of input_each; ERR_USAGE
 * for a second text where the output is neither a folder nor a terminal's text, before any is
 * drawn.
 */
int shared_to_files(const struct session *s, struct input *in, const struct output *output,
                    int (*fn)(void *self, struct arena *a, const struct item *item,
                              const char *path, struct err *e),
                   void *self, struct err *e);

#endif
