/* SPDX-License-Identifier: MIT
 * A session and its output -> the provenance of the run. */
#include "task/common/provenance.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json_field.h"
#include "base/memory_file.h"
#include "base/sha256.h"
#include "cli/opt.h"
#include "nn/fast.h"
#include "nn/kernels.h"
#include "session/input.h"
#include "task/parts/parts.h"
#include "weights/npz.h"

static const char *program_text(const struct session *session)
{
    enum fast fast = session->asked != NULL ? (enum fast)session->asked->fast : FAST_NONE;
    bool apart = fast != FAST_NONE || nn_kernel() == KERNEL_BLAS;

    return apart ? arena_printf(session->a, "mha-viz " MHA_VIZ_VERSION " (kernel %s)",
                                fast_kernel_name(fast)) :
                   "mha-viz " MHA_VIZ_VERSION;
}

static const char *command_text(struct arena *a, const struct cmd *cmd, const struct output *output,
                                const char *rest)
{
    bool named = output->format_name != NULL;

    return arena_printf(a, "mha-viz %s%s%s%s%s", cmd->name, named ? " --format " : "",
                        named ? output->format_name : "", output->provenance ? " --provenance" : "",
                        rest);
}

/* ---- the file of texts ---- */

/* Texts are read from lines, and not from the command line or from arrays. */
static bool is_of_lines(const struct session *session)
{
    return session->input != NULL && session->asked->attention == NULL &&
           session->asked->qkv == NULL &&
           asked_array(session->asked) == NULL && input_name(session->input) != NULL;
}

static const char *file_text(const struct session *session, const struct output *output)
{
    const char *path = session->asked->file != NULL ? session->asked->file : "-";

    return output->metadata == OUTPUT_NAMES ? command_line_path(session->a, path) : path;
}

static const char *hex(struct arena *a, const unsigned char *bytes, int n)
{
    char *text = arena_alloc(a, 2 * (uint64_t)n + 1, 1);

    for (int i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return text;
}

/* As it lies on the disk, also where it is packed. */
static int hash_file(const struct session *session, const char **to, struct err *e)
{
    const char *path = session->asked->file;
    unsigned char digest[SHA256_SIZE];
    struct stat info;
    struct span bytes;

    if (path == NULL || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return 0;
    if (file_map(path, &bytes, e) != 0)
        return -1;
    sha256_of(digest, bytes.data, bytes.size);
    file_unmap(bytes);
    *to = hex(session->a, digest, SHA256_SIZE);
    return 0;
}

/* ---- models ---- */

int provenance_add(struct session *session, const struct session *other, struct err *e)
{
    struct provenance *p = session->provenance;
    struct provenance_model *all;
    uint64_t hash;

    if (p == NULL || other->name == NULL)
        return 0;
    all = arena_grow(session->a, p->models.at, (uint64_t)p->models.n, (uint64_t)p->models.n + 1,
                     sizeof *all);
    p->models.at = all;
    all += p->models.n++;
    if (other->model == NULL) {
        all->name = other->name;
        return 0;
    }
    if (model_hash_data(other->model, session->a, &hash, e) != 0)
        return -1;
    *all = (struct provenance_model){ other->model->name, other->model->family->name,
                                      arena_printf(session->a, "%016" PRIx64, hash) };
    return 0;
}

/* ---- the run ---- */

/* Tables, CSV, terminals and npy have no place for it; TSV where it is asked for. */
static bool has_place(const struct output *output)
{
    return output->format == OUTPUT_TSV ? output->provenance :
           output->format != OUTPUT_TABLE && output->format != OUTPUT_CSV &&
               output->format != OUTPUT_TERMINAL && output->format != OUTPUT_NPY;
}

int provenance_open(struct session *session, const struct output *output,
                    const struct output *picture, struct err *e)
{
    struct provenance *p;

    if (session->env->cmd == NULL || output->metadata == OUTPUT_NO_METADATA ||
        !(has_place(output) || (picture != NULL && has_place(picture))))
        return 0;
    p = arena_alloc(session->a, 1, sizeof *p);
    p->program = program_text(session);
    p->rest = command_line_rest(session->a, session->env->cmd, session->env->argc,
                                session->env->argv, output->metadata == OUTPUT_NAMES);
    p->command = command_text(session->a, session->env->cmd, output, p->rest);
    if (is_of_lines(session)) {
        p->file = file_text(session, output);
        if (hash_file(session, &p->sha256, e) != 0)
            return -1;
    }
    session->provenance = p;
    return provenance_add(session, session, e);
}

const struct provenance *provenance_of(const struct provenance *provenance, struct arena *a,
                                       const struct item *item)
{
    struct provenance *own;

    if (provenance == NULL || item == NULL || provenance->file == NULL)
        return provenance;
    own = arena_alloc(a, 1, sizeof *own);
    *own = *provenance;
    own->line = arena_printf(a, "%lld%s", (long long)item->index + 1, item_part(a, item));
    return own;
}

/* ---- as JSON ---- */

char *provenance_json(const struct provenance *provenance, struct arena *a)
{
    struct memory_file *file = memory_file_new(a);
    char *text;

    record_json(&provenance_record, provenance, file->file);
    text = memory_file_close(file) == 0 ? arena_strndup(a, file->data, file->size - 1) :
                                          arena_strdup(a, "{}");
    arena_release(a, file);
    return text;
}

void provenance_add_array(struct npz *npz, const struct session *session, struct arena *a,
                          const struct item *item)
{
    const struct provenance *p = provenance_of(session->provenance, a, item);

    if (p != NULL)
        npz_add_text(npz, "provenance", provenance_json(p, a));
}

/* ---- of parts of a run ---- */

void provenance_put(const struct provenance *provenance, struct arena *a, json_t *part)
{
    json_t *own = json_put(a, part, "provenance", json_object());

    json_put(a, own, "program", json_shown(a, provenance->program));
    json_put(a, own, "command", json_shown(a, provenance->rest));
    if (provenance->file != NULL)
        json_put(a, own, "file", json_shown(a, provenance->file));
    if (provenance->sha256 != NULL)
        json_put(a, own, "sha256", json_string(provenance->sha256));
}

/* NULL where there is no such string. */
static const char *provenance_member(const json_t *object, const char *name, struct arena *a)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? arena_strdup(a, text) : NULL;
}

static const struct provenance *read_run(const struct job *job, const struct sums *part,
                                         const json_t *own, const char *more)
{
    struct arena *a = job->s.a;
    struct provenance_model *model = arena_alloc(a, 1, sizeof *model);
    struct provenance *p = arena_alloc(a, 1, sizeof *p);

    *model = (struct provenance_model){ provenance_member(part->run, "model", a),
                                        provenance_member(part->run, "family", a),
                                        provenance_member(part->run, "weights", a) };
    *p = (struct provenance){ .program = provenance_member(own, "program", a),
                              .rest = provenance_member(own, "command", a),
                              .file = provenance_member(own, "file", a),
                              .sha256 = provenance_member(own, "sha256", a),
                              .models = { model, 1 } };
    if (p->program == NULL || p->rest == NULL || model->name == NULL)
        return NULL;
    p->rest = arena_printf(a, "%s%s", p->rest, more);
    p->command = command_text(a, job->parts->cmd, &job->results.output, p->rest);
    return p;
}

int provenance_read(struct job *job, const struct sums *part, const char *more, struct err *e)
{
    const struct output *o = &job->results.output;
    const json_t *own = json_object_get(part->part, "provenance");

    if (own == NULL || o->metadata == OUTPUT_NO_METADATA || !has_place(o))
        return 0;
    job->results.run = read_run(job, part, own, more);
    if (job->results.run != NULL)
        return 0;
    json_field_wrong("provenance", own, "what --shard writes of its run", e);
    return err_under(e, "%s", part->path);
}
