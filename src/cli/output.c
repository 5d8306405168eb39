/* SPDX-License-Identifier: MIT
 * -o, --format, --json, --tsv -> the format, and the file. */
#include "cli/output.h"

#include <string.h>

#include "base/claims.h"
#include "base/file.h"
#include "cli/console.h"

/* ---- options ---- */

static const char *const reports[] = { "auto", "table", "tsv", "csv", "json", NULL };
static const char *const pictures[] = { "auto", "png", "svg", "pdf", "terminal", NULL };
static const char *const figures[] = { "auto", "png", "svg", "pdf", "terminal", "tsv", "csv",
                                       "json", NULL };
static const char *const all[] = { "auto", "table", "tsv", "csv", "json", "png", "svg", "pdf",
                                   "terminal", NULL };
static const char *const every[] = { "auto", "table", "tsv", "csv", "json", "png", "svg", "pdf",
                                     "terminal", "npz", NULL };
static const char *const arrays[] = { "auto", "npz", "npy", "tsv", "csv", NULL };
static const char *const layer[] = { "auto", "safetensors", NULL };
static const char *const page[] = { "auto", "html", NULL };
static const char *const sums[] = { "auto", "sums", NULL };

/* How --term draws. */
enum term { TERM_OFF, TERM_AUTO, TERM_BLOCKS, TERM_DIGITS, TERM_SIXEL, TERM_KITTY };
static const char *const terms[] = { "off", "auto", "blocks", "digits", "sixel", "kitty", NULL };

/* By enum output_metadata. */
static const char *const metadata_names[] = { "names", "paths", "none", NULL };

#define F(f) offsetof(struct common_args, output.f)
#define SHORT_FORMS \
    ALIAS("json", "format=json", "short for --format json: one object per text"), TABLES
#define TABLES \
    ALIAS("tsv", "format=tsv", "short for --format tsv: a header, then one line per row"), \
    ALIAS("csv", "format=csv", "short for --format csv: like --tsv, with commas")
#define METADATA \
    CHOICE(0, "metadata", "WHAT", F(metadata), "names", metadata_names, \
           "what the file records of the run, such as its command line; names: absolute " \
           "paths cut to their last part; paths: paths as typed; none: nothing"), \
    ALIAS("no-metadata", "metadata=none", "short for --metadata none")
#define PROVENANCE \
    FLAG(0, "provenance", F(provenance), \
         "begin TSV with one comment line that describes the run in JSON, as other formats do", \
         .excludes = "no-metadata")
#define TERM \
    CHOICE_OR_ALONE("term", "HOW", offsetof(struct common_args, output.term), "off", "auto", \
                    terms, "short for --format terminal: draw as text, or in the protocol " \
                    "of sixel or kitty; auto: the best that the terminal shows")

static const struct opt report_opts[] = {
    OUTPUT('o', "output", "FILE", F(path),
         "write here, not to standard output (-); DIR/: one file per text in this folder"),
    CHOICE(0, "format", "NAME", F(format), "auto", reports,
           "report format; auto: by the extension of -o, else table"),
    SHORT_FORMS,
    METADATA,
    PROVENANCE,
    END
};

static const struct opt picture_opts[] = {
    OUTPUT('o', "output", "FILE", F(path),
         "write here; - is standard output; DIR/: one file per text"),
    CHOICE(0, "format", "NAME", F(format), "auto", pictures,
           "picture format; auto: by the extension of -o, else png, or terminal "
           "if -o - is a terminal"),
    TERM,
    METADATA,
    END
};

static const struct opt figure_opts[] = {
    OUTPUT('o', "output", "FILE", F(path),
         "write here; - is standard output; DIR/: one file per text"),
    CHOICE(0, "format", "NAME", F(format), "auto", figures,
           "picture format, or tsv, csv or json for the numbers of the picture; auto: by the "
           "extension of -o, else png, or text on a terminal"),
    SHORT_FORMS,
    TERM,
    METADATA,
    PROVENANCE,
    END
};

static const struct opt all_opts[] = {
    OUTPUT('o', "output", "FILE", F(path),
         "write here, not to standard output (-); DIR/: one file per text in this folder"),
    CHOICE(0, "format", "NAME", F(format), "auto", all,
           "report or picture format; auto: by the extension of -o, else table"),
    SHORT_FORMS,
    TERM,
    METADATA,
    PROVENANCE,
    END
};

static const struct opt every_opts[] = {
    OUTPUT('o', "output", "FILE", F(path),
         "write here, not to standard output (-); DIR/: one file per text in this folder"),
    CHOICE(0, "format", "NAME", F(format), "auto", every,
           "report, picture or npz; auto: by the extension of -o, else table"),
    SHORT_FORMS,
    TERM,
    METADATA,
    PROVENANCE,
    END
};

static const struct opt array_opts[] = {
    OUTPUT('o', "output", "FILE", F(path),
         "write here; - is standard output; DIR/: one file per text; required except for tsv and "
         "csv"),
    CHOICE(0, "format", "NAME", F(format), "auto", arrays,
           "file format; npz: one array per layer; npy: one array, layers x heads x queries x "
           "keys; tsv, csv: one row per weight; auto: by the extension of -o, else npz"),
    TABLES,
    METADATA,
    PROVENANCE,
    END
};

static const struct opt layer_opts[] = {
    OUTPUT('o', "output", "FILE", F(path),
         "write here, as .safetensors; - is standard output; required"),
    METADATA,
    END
};

static const struct opt page_opts[] = {
    OUTPUT('o', "output", "FILE", F(path),
         "write here, as .html; - is standard output; DIR/: one page per text"),
    METADATA,
    END
};
#undef F

const struct output_set output_reports = { { "output", report_opts }, reports };
const struct output_set output_pictures = { { "output", picture_opts }, pictures };
const struct output_set output_figures = { { "output", figure_opts }, figures };
const struct output_set output_all = { { "output", all_opts }, all };
const struct output_set output_every = { { "output", every_opts }, every };
const struct output_set output_arrays = { { "output", array_opts }, arrays, true };
const struct output_set output_page = { { "output", page_opts }, page };
const struct output_set output_sums = { { "output", report_opts }, sums, true, true };
const struct output_set output_layer = { { "output", layer_opts }, layer, true };

/* ---- formats ---- */

enum { MAX_EXTENSIONS = 2 };

static const struct {
    const char *name, *extension[MAX_EXTENSIONS];   /* the first is that of DIR/000001 */
} table[] = {
    [OUTPUT_TABLE] = { "table", { "txt" } },
    [OUTPUT_TSV] = { "tsv", { "tsv" } },
    [OUTPUT_CSV] = { "csv", { "csv" } },
    [OUTPUT_JSON] = { "json", { "json", "jsonl" } },
    [OUTPUT_PNG] = { "png", { "png" } },
    [OUTPUT_SVG] = { "svg", { "svg" } },
    [OUTPUT_PDF] = { "pdf", { "pdf" } },
    [OUTPUT_TERMINAL] = { "terminal", { NULL } },
    [OUTPUT_NPZ] = { "npz", { "npz" } },
    [OUTPUT_NPY] = { "npy", { "npy" } },
    [OUTPUT_SAFETENSORS] = { "safetensors", { "safetensors" } },
    [OUTPUT_HTML] = { "html", { "html", "htm" } },
    [OUTPUT_SUMS] = { "sums", { "part" } },
};

static enum output_format format_of(const char *name)
{
    int i = 0;

    while (strcmp(table[i].name, name) != 0)
        i++;
    return (enum output_format)i;
}

static bool has_extension(enum output_format format, const char *extension)
{
    for (int i = 0; i < MAX_EXTENSIONS && table[format].extension[i] != NULL; i++)
        if (strcasecmp(table[format].extension[i], extension) == 0)
            return true;
    return false;
}

/* "known are .txt, .tsv, .json, .jsonl" */
static const char *known_extensions(struct arena *a, const struct output_set *set)
{
    const char *text = "";
    int n = 0;

    for (int i = 1; set->formats[i] != NULL; i++) {
        enum output_format format = format_of(set->formats[i]);

        for (int k = 0; k < MAX_EXTENSIONS && table[format].extension[k] != NULL; k++)
            text = arena_printf(a, "%s%s.%s", text, n++ > 0 ? ", " : "",
                                table[format].extension[k]);
    }
    return arena_printf(a, "known %s %s", n == 1 ? "is" : "are", text);
}

/* ---- what is open ---- */

/* A copy, for the arena: the output itself may be gone by then. */
struct output_held {
    struct out out;
    bool open;
};

static void output_drop(void *what)
{
    struct output_held *held = what;

    if (held->open)
        out_abort(&held->out);
}

/* Of an arena of its own, which no reset of a text's memory ends. */
static struct output_held *new_held(struct arena *a)
{
    struct arena *own = arena_child(a);
    struct output_held *held = arena_alloc(own, 1, sizeof *held);

    arena_own(own, output_drop, held);
    return held;
}

/* What was opened, rc 0, is the arena's until it is complete or dropped. */
static int hold(const struct output *output, int rc)
{
    if (rc == 0 && output->held != NULL)
        *output->held = (struct output_held){ output->out, true };
    return rc;
}

static void let(const struct output *output)
{
    if (output->held != NULL)
        output->held->open = false;
}

/* ---- the rule ---- */

static bool is_folder(const char *path)
{
    size_t count = strlen(path);

    return (count > 0 && path[count - 1] == '/') || file_is_dir(path);
}

/* What stands after the last dot of a file's name; NULL: there is none. */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');

    return dot != NULL ? dot + 1 : NULL;
}

static int by_extension(struct output *output, const struct output_set *set, struct arena *a,
                        struct err *e)
{
    const char *extension = output->folder ? NULL : extension_of(output->path);

    if (extension == NULL || set->any_name || !out_is_file(output->path))
        return 0;
    for (int i = 1; set->formats[i] != NULL; i++)
        if (has_extension(format_of(set->formats[i]), extension)) {
            output->format = format_of(set->formats[i]);
            return 0;
        }
    return err_set(e, ERR_USAGE, "-o %s: unknown file extension; %s%s", output->path,
                   known_extensions(a, set),
                   set->formats[2] == NULL ? "" : "; or give --format");
}

static enum terminal_way way_of(enum term term)
{
    if (term == TERM_BLOCKS)
        return terminal_colours_here() == TERMINAL_TRUE ? TERMINAL_TRUE : TERMINAL_256;
    return term == TERM_DIGITS ? TERMINAL_DIGITS :
           term == TERM_SIXEL ? TERMINAL_SIXEL : TERMINAL_KITTY;
}

/* A picture for a terminal is drawn as text, unless another format was asked for. */
static int plan_terminal(struct output *output, const struct output_args *args, struct err *e)
{
    if (args->term != TERM_OFF && args->format > 0 && output->format != OUTPUT_TERMINAL)
        return err_set(e, ERR_USAGE, "--term: --format asks for %s", table[output->format].name);
    if (args->term != TERM_OFF)
        output->format = OUTPUT_TERMINAL;
    if (output->format >= OUTPUT_PNG && output->format <= OUTPUT_PDF && args->format == 0 &&
        args->path != NULL && terminal_is(output->path))
        output->format = OUTPUT_TERMINAL;
    if (output->format != OUTPUT_TERMINAL)
        return 0;
    terminal_find(&output->terminal, output->path, args->term <= TERM_AUTO);
    if (args->term > TERM_AUTO)
        output->terminal.way = way_of((enum term)args->term);
    return 0;
}

/* Pictures in other formats and arrays would be garbage there. */
static int check_terminal(const struct output *output, struct err *e)
{
    if (output_is_report(output) || output->format == OUTPUT_TERMINAL || !terminal_is(output->path))
        return 0;
    return err_set(e, ERR_USAGE, "-o %s: %s is a terminal, which shows no %s; give "
                   "-o FILE.%s or a pipe", output->path,
                   strcmp(output->path, "-") == 0 ? "standard output" : "this",
                   table[output->format].name, table[output->format].extension[0]);
}

/* What of the files of each text a name ends with. */
static const char *extension_for(const struct output *output)
{
    return output->format == OUTPUT_TERMINAL ? "txt" : table[output->format].extension[0];
}

/* The model is open, whose files are known now, too. */
static int claim(const struct output *output, const struct output_args *args, struct arena *a,
                 struct err *e)
{
    if (output->folder)
        claims_write_in(a, output->path, extension_for(output));
    else if (args->path == NULL)
        claims_write(a, output->path, output->path);
    return claims_check(a, a, e);
}

static int check_provenance(const struct output *output, const struct output_args *args,
                            struct err *e)
{
    if (args->provenance && output->format != OUTPUT_TSV)
        return err_set(e, ERR_USAGE, "--provenance is of TSV: expected --tsv or -o FILE.tsv");
    return 0;
}

int output_plan(struct output *output, const struct output_args *args,
                const struct output_set *set, const char *name, struct arena *a,
                struct err *e)
{
    *output = (struct output){ .path = args->path, .held = new_held(a),
                               .format = format_of(set->formats[args->format > 0 ? args->format
                                                                                 : 1]) };
    if (args->path == NULL && set->required && !output_is_report(output))
        return err_set(e, ERR_USAGE, "-o FILE is required");
    if (args->path == NULL)
        output->path = name == NULL || args->term != TERM_OFF ||
                               output->format == OUTPUT_TERMINAL || output_is_report(output) ?
                           "-" :
                           arena_printf(a, "%s.%s", name, table[output->format].extension[0]);
    output->folder = is_folder(output->path);
    if (args->format == 0 && args->term == TERM_OFF && strcmp(output->path, "-") != 0 &&
        by_extension(output, set, a, e) != 0)
        return -1;
    if (plan_terminal(output, args, e) != 0 || check_terminal(output, e) != 0)
        return -1;
    if (output->format != format_of(set->formats[1]))
        output->format_name = table[output->format].name;
    output->metadata = (enum output_metadata)args->metadata;
    output->provenance = args->provenance;
    if (check_provenance(output, args, e) != 0)
        return -1;
    return claim(output, args, a, e);
}

const char *output_format_name(enum output_format format)
{
    return table[format].name;
}

const char *output_name(const struct output *output, struct arena *a, int64_t index, int part)
{
    if (!output->folder)
        return output->path;
    return file_join(a, output->path, arena_printf(a, "%06lld%s.%s", (long long)index + 1,
                                                   part > 0 ? arena_printf(a, "-%04d", part) : "",
                                                   extension_for(output)));
}

void output_tell(const struct output *output, const struct output_args *args, const char *path)
{
    if (args->path == NULL && !output_is_on_terminal(output) && !output_is_report(output))
        fprintf(stdout, "%s\n", path);
}

void output_part(const struct output *output, bool *begun)
{
    if (output_is_on_terminal(output) && *begun)
        putc('\n', stdout);
    *begun = true;
}

/* ---- text ---- */

int output_open(struct output *output, struct err *e)
{
    if (output->folder)
        return 0;
    return hold(output,
                output->goes_on ?
                    out_go_on(&output->out, output->path, output->n_bytes, output->ended, e) :
                    out_open(&output->out, output->path, output->partial ? OUT_PARTIAL : 0, e));
}

int output_begin(struct output *output, struct arena *a, int64_t index, int part, struct err *e)
{
    if (output->out.file == stdout)
        console_hide_for_results();
    return output->folder ? out_open(&output->out, output_name(output, a, index, part),
                                     output->partial ? OUT_DURABLE : 0, e) : 0;
}

int output_end(struct output *output, struct err *e)
{
    return output->folder ? out_commit(&output->out, e) : out_check(&output->out, e);
}

int output_close(struct output *output, int rc, struct err *e)
{
    let(output);
    if (rc == 0 && output->out.file != NULL)
        return out_commit(&output->out, e);
    if (output->out.file != NULL)
        out_abort(&output->out);
    return rc;
}
