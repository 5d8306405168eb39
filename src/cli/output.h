/* SPDX-License-Identifier: MIT
 *
 * Outputs: the destination and format of results, by one rule for every command.  The format is
 * that of --format, --json or --tsv; else that of a known extension of -o; else, for a name without
 * an extension, for standard output, devices, pipes and folders, the command's default; a name
 * with an unknown extension is an error.  A picture that goes to a terminal by -o is drawn as text,
 * unless --format is given.  In a folder, "DIR/", each text has its own file, numbered by its
 * line: DIR/000001.tsv. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/out.h"
#include "base/terminal.h"
#include "cli/opt.h"

/* Formats of outputs; the tables of formats in report/ and draw/ have the same order. */
enum output_format {
    OUTPUT_TABLE, OUTPUT_TSV, OUTPUT_CSV, OUTPUT_JSON,
    OUTPUT_PNG, OUTPUT_SVG, OUTPUT_PDF,
    OUTPUT_TERMINAL,            /* a picture, as text */
    OUTPUT_NPZ, OUTPUT_NPY,
    OUTPUT_SAFETENSORS,
    OUTPUT_HTML,
    OUTPUT_SUMS                 /* partial sums over some texts of a corpus, which merge reads */
};

/* The metadata of the run that a file contains. */
enum output_metadata {
    OUTPUT_NAMES,               /* all, with absolute paths reduced to their last component */
    OUTPUT_PATHS,               /* all, with whole paths */
    OUTPUT_NO_METADATA
};

/* The formats that a command can write, and its options for them. */
struct output_set {
    struct opt_group group;         /* -o, --format, --json, --tsv, --metadata */
    const char *const *formats;     /* names of --format: "auto", the default, others; NULL
                                       ends */
    bool required;                  /* -o must be given */
    bool any_name;                  /* extensions are ignored */
};

extern const struct output_set output_reports;      /* table, tsv, csv, json */
extern const struct output_set output_pictures;     /* png, svg, pdf, terminal */
extern const struct output_set output_figures;      /* pictures, and their numbers: tsv, json */
extern const struct output_set output_all;          /* reports, and pictures of them */
extern const struct output_set output_every;        /* reports, pictures and npz */
extern const struct output_set output_arrays;       /* npz, npy, tsv, csv */
extern const struct output_set output_page;         /* html, without --format */
extern const struct output_set output_sums;         /* sums, without --format */
extern const struct output_set output_layer;        /* safetensors, without --format */

struct output {
    const char *path;           /* a file, a folder, or "-" */
    enum output_format format;
    const char *format_name;    /* as --format takes it; NULL: it is the command's default */
    enum output_metadata metadata;
    bool provenance;            /* TSV contains the metadata as a comment */
    bool partial;               /* the file is PATH.partial until it is complete; set before
                                   output_open */
    bool goes_on;               /* continue the first n_bytes written by an earlier run; set
                                   before output_open */
    bool ended;                 /* with goes_on: the earlier run had finished all its texts */
    int64_t n_bytes;
    struct terminal terminal;   /* the terminal, for OUTPUT_TERMINAL */
    bool folder;                /* each text has a file of its own in path */
    struct out out;             /* the open file; file NULL: none is open */
    struct output_held *held;   /* the open file as the arena knows it, which drops it if the run
                                   ends early; NULL without output_plan */
};

/*
 * Decides format and destination from `args` and `set`.  name: without -o a picture goes to
 * NAME.EXTENSION in the current folder; NULL: to standard output, like numbers.
 *
 * a: the arena for which the model and other files were mapped; an output that is open when it ends
 * is dropped.
 *
 * Errors (ERR_USAGE): -o is required; an unknown extension (with those that are known); a
 * picture in another format or an array for a terminal; --term beside a --format of another; one
 * of the files that are claimed for a as written, this one too, is read, or written twice.
 */
int output_plan(struct output *output, const struct output_args *args,
                const struct output_set *set, const char *name, struct arena *a,
                struct err *e);

/* A table, or rows of it: TSV, CSV, JSON. */
static inline bool output_is_report(const struct output *output)
{
    return output->format <= OUTPUT_JSON;
}

/* As --format names it. */
const char *output_format_name(enum output_format format);

static inline bool output_is_picture(const struct output *output)
{
    return output->format >= OUTPUT_PNG && output->format <= OUTPUT_TERMINAL;
}

/* Whether pictures are text on standard output, one after the other. */
static inline bool output_is_on_terminal(const struct output *output)
{
    return output->format == OUTPUT_TERMINAL && output->path[0] == '-' && output->path[1] == '\0';
}

/*
 * The file for the text with this index: path itself, or "DIR/000001.png"; for its piece `part`,
 * from 1, "DIR/000001-0001.png".  part 0: the whole text.
 */
const char *output_name(const struct output *output, struct arena *a, int64_t index, int part);

/* Prints the name of a complete file, if args did not give it. */
void output_tell(const struct output *output, const struct output_args *args, const char *path);

/* Writes an empty line between pictures on standard output; *begun: one was written already. */
void output_part(const struct output *output, bool *begun);

/* ---- text, written to o->out.file ---- */

/* Opens the single file; nothing yet for a folder. */
int output_open(struct output *output, struct err *e);

/*
 * Before and after the output of one text: in a folder they open and complete its file; else
 * output_end returns whether a write has failed.
 */
int output_begin(struct output *output, struct arena *a, int64_t index, int part, struct err *e);
int output_end(struct output *output, struct err *e);

/*
 * Completes an open output if rc is 0, else drops it.  Returns rc, or -1 and *e if the file cannot
 * be completed.
 */
int output_close(struct output *output, int rc, struct err *e);

#endif
