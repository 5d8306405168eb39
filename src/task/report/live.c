/* SPDX-License-Identifier: MIT
 * report --live: the program, the model and the options -> blocks of the page. */
#include <string.h>

#include "base/memory_file.h"
#include "base/str.h"
#include "task/report/report.h"
#include "model/builtin.h"
#include "model/hub.h"
#include "weights/gguf.h"

static const char WEIGHTS[] = "model.safetensors";
enum { MOST_MIB = 300, PIECE_BYTES = 3 << 20 };     /* of a model; 4 MiB of letters of a block */

/* ---- what a live page cannot be of ---- */

static int report_live_refuse(const char *option, const char *why, struct err *e)
{
    return err_set(e, ERR_USAGE, "--live, %s: %s", option, why);
}

int report_live_check(const struct report_args *args, struct err *e)
{
    bool no_types = args->shared.types == NULL || strcmp(args->shared.types, "none") == 0;

    if (!page_has_module())
        return err_set(e, ERR_USAGE, "--live: this program was built without the module of live "
                       "pages; `make live` builds it, with clang, lld and wasi-libc");
    return args->models.n == 2 ?
               report_live_refuse("two of -m",
                                  "expected one of them: a live page puts two "
                                  "texts beside each other by itself",
                                  e) :
           !no_types ?
               report_live_refuse("--types", "a live page has the model's files and no other", e) :
               0;
}

/* ---- the model's files ---- */

struct file {
    const char *path;           /* in the page */
    struct span bytes;
    bool packs;                 /* deflate makes it much smaller */
};

struct files {
    struct arena *a;
    struct span rounded;        /* instead of the weights' own files; data NULL: those */
    const char *model;          /* as -m takes it in the page */
    struct file *file;
    size_t n, room;
    uint64_t size;
};

static void report_live_add(struct files *files, const char *path, struct span bytes)
{
    bool is_weights = str_ends_with(path, ".safetensors") || str_ends_with(path, ".gguf");

    if (files->n == files->room) {
        files->file = arena_grow(files->a, files->file, files->n, 2 * files->room + 8,
                                 sizeof *files->file);
        files->room = 2 * files->room + 8;
    }
    files->file[files->n++] = (struct file){ path, bytes, !is_weights };
    files->size += bytes.size;
}

static int add_builtin(struct files *files, const char *path, struct err *e)
{
    const char *name = path != NULL ? path : builtin_names[0];
    struct builtin builtin;

    if (builtin_find(&builtin, path, e) != 0)
        return -1;
    files->model = name;
    report_live_add(files, arena_printf(files->a, "%s/config.json", name), builtin.config);
    report_live_add(files, arena_printf(files->a, "%s/tokenizer.json", name), builtin.tokenizer);
    report_live_add(files, arena_printf(files->a, "%s/types.json", name), builtin.types);
    report_live_add(files, arena_printf(files->a, "%s/%s", name, WEIGHTS),
                    files->rounded.data != NULL ? files->rounded : builtin.weights);
    return 0;
}

static int report_live_add_file(struct files *files, const char *from, const char *to,
                                struct err *e)
{
    const struct span *held = file_hold(files->a, from, e);

    if (held == NULL)
        return -1;
    report_live_add(files, to, *held);
    return 0;
}

/*
 * What a model and its tokeniser are read from; of weights those in one file where there is one,
 * and none that are rounded.
 */
static bool is_read(const struct files *files, const char *name, const char *weights)
{
    if (str_ends_with(name, ".safetensors"))
        return files->rounded.data == NULL && (weights == NULL || strcmp(name, weights) == 0);
    if (str_ends_with(name, ".safetensors.index.json"))
        return files->rounded.data == NULL;
    return str_ends_with(name, ".json") || str_ends_with(name, ".model") ||
           str_ends_with(name, ".spm") || strcmp(name, "vocab.txt") == 0 ||
           strcmp(name, "merges.txt") == 0;
}

static int add_folder(struct files *files, const char *folder, const char *weights,
                      struct err *e)
{
    size_t n;
    const char **name = file_list(files->a, folder, &n);

    for (size_t i = 0; i < n; i++) {
        const char *from = file_join(files->a, folder, name[i]);

        if (is_read(files, name[i], weights) && !file_is_dir(from) &&
            report_live_add_file(files, from, file_join(files->a, files->model + 1, name[i]), e) !=
                0)
            return -1;
    }
    if (files->rounded.data != NULL)
        report_live_add(files, file_join(files->a, files->model + 1, WEIGHTS), files->rounded);
    return 0;
}

/* "ORG/NAME" -> "/models--ORG--NAME", which is called the same. */
static const char *folder_in_page(struct arena *a, const char *name)
{
    const char *slash = strchr(name, '/');

    if (slash == NULL)
        return arena_printf(a, "/%s", name);
    return arena_printf(a, "/models--%.*s--%s", (int)(slash - name), name, slash + 1);
}

static int add_path(struct files *files, const char *path, struct err *e)
{
    const char *weights = file_is_dir(path) ? WEIGHTS : strrchr(path, '/');
    const char *folder = file_folder(files->a, path);

    if (weights == NULL)
        weights = path;
    weights += weights[0] == '/';
    files->model = folder_in_page(files->a, hub_name(files->a, path));
    if (str_ends_with(path, ".gguf")) {
        files->model = file_join(files->a, files->model, weights);
        return report_live_add_file(files, path, files->model + 1, e);
    }
    if (!file_exists(file_join(files->a, folder, weights)))
        weights = NULL;
    return add_folder(files, folder, weights, e);
}

/* The page reads the model's own files, with nothing beside them. */
static int check_model(const struct session *session, struct err *e)
{
    if (session->model->adapted)
        return err_set(e, ERR_USAGE, "--live: %s has an adapter: a live page has the files of the "
                       "base alone, expected a model into which it is merged", session->name);
    if (session->model->config.quantisation.method != QUANT_NONE &&
        session->asked->held != HELD_AS_STORED)
        return err_set(e, ERR_USAGE, "--page-precision: %s is quantised: a live page has its "
                       "weights as they are stored", session->name);
    return 0;
}

static int report_live_gather(struct files *files, const struct session *session, struct err *e)
{
    if (check_model(session, e) != 0)
        return -1;
    if (session->tok == NULL && session->asked->image == NULL) {
        *e = session->tok_err;
        return err_under(e, "--live");
    }
    if ((builtin_is(session->path) ? add_builtin : add_path)(files, session->path, e) != 0)
        return -1;
    if (files->size <= (uint64_t)MOST_MIB << 20)
        return 0;
    return err_set(e, ERR_INPUT, "%s: its files hold %s, more than the %d MiB of a live page; %s",
                   session->name, report_bytes(files->a, files->size), MOST_MIB,
                   weights_gguf(session->model->weights) != NULL ?
                       "a GGUF file in Q8_0 is smaller" :
                   session->asked->held == HELD_Q8_0 ?
                       "expected a smaller model" :
                   session->asked->held == HELD_F16 ?
                       "--page-precision q8_0 makes its weights smaller" :
                       "--page-precision f16 or q8_0 makes its weights smaller");
}

/* ---- what the page knows of them ---- */

/* The command line that the page gives the program, but for texts and what is of this run. */
static void write_options(struct jsonw *json, const struct report_job *job, const char *model)
{
    static const char *const without[] = {
        "live", "model", "output", "file", "image", "pairs", "jsonl", "shard", "threads",
        "quiet", "verbose", "max-memory", "precision", "metadata", "no-metadata", NULL
    };
    const struct env *env = job->job.s.env;
    int n;
    const char **word = command_line_words(job->job.s.a, job->command, env->argc, env->argv,
                                           without, &n);

    jsonw_key(json, "options");
    jsonw_array(json);
    for (int i = 0; i < 6; i++)
        jsonw_string(json, (const char *const[]){ "report", "--no-metadata", "-o", "-", "-m",
                                                  model }[i]);
    if (job->bits == 16) {
        jsonw_string(json, "--page-precision");
        jsonw_string(json, "16");
    }
    for (int i = 0; i < n; i++) {
        bool is_text = false;

        for (int k = 0; k < job->job.n_operands; k++)
            is_text |= word[i] == job->job.operands[k];
        if (!is_text)
            jsonw_string(json, word[i]);
    }
    jsonw_end(json, ']');
}

static void write_texts(struct jsonw *json, const struct item *item)
{
    jsonw_key(json, "texts");
    jsonw_array(json);
    if (item->text != NULL && item->seen == NULL)
        jsonw_string_n(json, item->text, item->text_size);
    if (item->pair != NULL)
        jsonw_string_n(json, item->pair, item->pair_size);
    jsonw_end(json, ']');
}

static size_t pieces_of(const struct file *file)
{
    return (file->bytes.size + PIECE_BYTES - 1) / PIECE_BYTES;
}

static void write_files(struct jsonw *json, const struct files *files)
{
    jsonw_key(json, "files");
    jsonw_array(json);
    for (size_t i = 0; i < files->n; i++) {
        const struct file *file = &files->file[i];

        jsonw_object(json);
        jsonw_member_string(json, "path", file->path);
        jsonw_member_int(json, "size", (int64_t)file->bytes.size);
        jsonw_member_int(json, "pieces", (int64_t)pieces_of(file));
        jsonw_key(json, "packed");
        jsonw_bool(json, file->packs);
        jsonw_end(json, '}');
    }
    jsonw_end(json, ']');
}

/* A page that continues every text has no button for it, nor one whose masks only given texts can
 * have. */
static bool generates(const struct session *session)
{
    const struct model *last = session->model->decoder != NULL ? session->model->decoder :
                               session->model;
    struct err ignored;

    return session->asked->generate == 0 && session->asked->memory_mask == NULL &&
           session->stack != STACK_ENCODER && model_predicts_next(last) &&
           model_check_head(session->model, last, &ignored) == 0;
}

static void write_json(FILE *file, const struct report_job *job, const struct item *item,
                       const struct files *files)
{
    const struct session *s = &job->job.s;
    struct jsonw w;

    jsonw_init(&w, file);
    jsonw_object(&w);
    jsonw_member_string(&w, "model", files->model);
    jsonw_member_string(&w, "type", weights_most_type(s->model->weights));
    jsonw_key(&w, "rounded");
    jsonw_bool(&w, files->rounded.data != NULL);
    jsonw_key(&w, "generates");
    jsonw_bool(&w, generates(s));
    jsonw_member_int(&w, "fields", item->pair != NULL || s->model->decoder != NULL ? 2 : 1);
    jsonw_key(&w, "decoder");
    jsonw_bool(&w, s->model->decoder != NULL);
    jsonw_key(&w, "picture");
    jsonw_bool(&w, item->seen != NULL);
    write_options(&w, job, files->model);
    write_texts(&w, item);
    write_files(&w, files);
    jsonw_end(&w, '}');
}

/* ---- into the page ---- */

static struct packed packed_of(struct report_job *job, const void *bytes, size_t n)
{
    pack_begin(job->words, job->packed);
    pack_add(job->words, bytes, n);
    return pack_end(job->words);
}

static int write_known(FILE *file, struct report_job *job, const struct item *item,
                       const struct files *files, struct err *e)
{
    struct memory_file *known = memory_file_new(files->a);
    struct packed packed;

    write_json(known->file, job, item, files);
    if (memory_file_close(known) != 0)
        return err_set(e, ERR_SYSTEM, "the page's model: no memory to write it");
    packed = packed_of(job, known->data, known->size);
    arena_release(files->a, known);
    page_live(file, &packed);
    return 0;
}

static void write_pieces(FILE *f, struct report_job *job, int number, const struct file *file)
{
    for (size_t i = 0; i < pieces_of(file); i++) {
        const unsigned char *from = file->bytes.data + i * PIECE_BYTES;
        size_t left = file->bytes.size - i * PIECE_BYTES;
        size_t n = left < PIECE_BYTES ? left : PIECE_BYTES;
        struct arena_mark mark = arena_mark(job->packed);

        if (file->packs) {
            struct packed packed = packed_of(job, from, n);

            page_piece(f, number, (int)i, &packed, NULL, 0);
        } else
            page_piece(f, number, (int)i, NULL, from, n);
        arena_reset(job->packed, mark);
    }
}

int report_live(FILE *file, struct report_job *job, const struct item *item, struct err *e)
{
    struct files files = { .a = job->job.s.a,
                           .rounded = weights_rounded(job->job.s.model->weights) };
    struct span module = page_module_bytes();
    struct packed packed;

    if (report_live_gather(&files, &job->job.s, e) != 0)
        return -1;
    packed = packed_of(job, module.data, module.size);
    page_module(file, &packed);
    if (write_known(file, job, item, &files, e) != 0)
        return -1;
    for (size_t i = 0; i < files.n; i++)
        write_pieces(file, job, (int)i, &files.file[i]);
    return 0;
}
