/* SPDX-License-Identifier: MIT
 *
 * Where results go, by one rule for every command: --format, --json or --tsv says which
 * format; else a known extension of -o; else, for a name without an extension, for
 * standard output, devices, pipes and folders, it is the command's default; a name with an
 * unknown extension is an error.  A picture that goes to a terminal by -o is drawn as text,
 * unless --format says otherwise.  Into a folder, "DIR/", each text goes to a file of its
 * own, numbered by its line: DIR/000001.tsv. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/out.h"
#include "base/terminal.h"
#include "cli/opt.h"

/* Numbers in the tables of formats of report/ and draw/ follow this order. */
enum output_format {
    OUTPUT_TABLE, OUTPUT_TSV, OUTPUT_CSV, OUTPUT_JSON,
    OUTPUT_PNG, OUTPUT_SVG, OUTPUT_PDF,
    OUTPUT_TERMINAL,            /* a picture, as text */
    OUTPUT_NPZ, OUTPUT_NPY,
    OUTPUT_SAFETENSORS,
    OUTPUT_HTML,
    OUTPUT_SUMS                 /* of some texts of a corpus: merge reads it */
};

/* What of the run is said in the file. */
enum output_metadata {
    OUTPUT_NAMES,               /* all, but of absolute paths their names */
    OUTPUT_PATHS,               /* all */
    OUTPUT_NO_METADATA
};

/* What a command can write, and its options for that. */
struct output_set {
    struct opt_group group;         /* -o, --format, --json, --tsv, --metadata */
    const char *const *formats;     /* as --format names them: "auto", the default, others;
                                       NULL ends */
    bool required;                  /* -o must be given */
    bool any_name;                  /* a file's extension says nothing */
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
    bool provenance;            /* TSV has it, too, as a comment */
    bool partial;               /* unfinished, it is PATH.partial; set it before output_open */
    bool goes_on;               /* the same: its first n_bytes are there, of a run before */
    bool ended;                 /* of all of that run's texts */
    int64_t n_bytes;
    struct terminal terminal;   /* of OUTPUT_TERMINAL */
    bool folder;                /* each text has a file of its own in path */
    struct out out;             /* what is open; file NULL: nothing */
    struct output_held *held;   /* by the arena, which drops what is open where the run is left
                                   in the midst; NULL: it was not planned */
};

/*
 * Decides by `args` and `set` what is written and where.  name: without -o a picture goes
 * to NAME.EXTENSION in the current folder; NULL: to standard output, as numbers do.
 *
 * a: the arena that the model and other files were mapped for; what is open when it ends is
 * dropped.
 *
 * Errors (ERR_USAGE): -o is required; an unknown extension (with those that are known); a
 * picture in another format or an array for a terminal; --term beside a --format of another; one
 * of the files that are claimed for a as written, this one too, is read, or written twice.
 */
int output_plan(struct output *o, const struct output_args *args,
                const struct output_set *set, const char *name, struct arena *a,
                struct err *e);

/* A table, or rows of it: TSV, CSV, JSON. */
static inline bool output_is_report(const struct output *o)
{
    return o->format <= OUTPUT_JSON;
}

/* As --format names it. */
const char *output_format_name(enum output_format format);

static inline bool output_is_picture(const struct output *o)
{
    return o->format >= OUTPUT_PNG && o->format <= OUTPUT_TERMINAL;
}

/* Pictures as text on standard output: one after the other. */
static inline bool output_is_on_terminal(const struct output *o)
{
    return o->format == OUTPUT_TERMINAL && o->path[0] == '-' && o->path[1] == '\0';
}

/*
 * The file for the text with this index: path itself, or "DIR/000001.png"; of a part of it, from
 * 1, "DIR/000001-0001.png".  part 0: all of it.
 */
const char *output_name(const struct output *o, struct arena *a, int64_t index, int part);

/* Prints the name of a file that is complete, where args did not give it. */
void output_tell(const struct output *o, const struct output_args *args, const char *path);

/* An empty line between pictures on standard output; *begun: there is one already. */
void output_part(const struct output *o, bool *begun);

/* ---- text, written to o->out.file ---- */

/* Opens the one file; for a folder nothing yet. */
int output_open(struct output *o, struct err *e);

/*
 * Around what is written of one text: in a folder opens and completes its file; else the end
 * says whether a write has failed.
 */
int output_begin(struct output *o, struct arena *a, int64_t index, int part, struct err *e);
int output_end(struct output *o, struct err *e);

/*
 * Completes what is open where rc is 0, else drops it.  Returns rc, or -1 and *e where the
 * file cannot be completed.
 */
int output_close(struct output *o, int rc, struct err *e);

#endif
