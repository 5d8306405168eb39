/* SPDX-License-Identifier: MIT
 * A session and its output -> the provenance of the run. */
#include "task/provenance.h"

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
#include "task/parts.h"
#include "weights/npz.h"

static const char *program_text(const struct session *s)
{
    enum fast fast = s->asked != NULL ? (enum fast)s->asked->fast : FAST_NONE;
    bool apart = fast != FAST_NONE || nn_kernel() == KERNEL_BLAS;

    return apart ? arena_printf(s->a, "mha-viz " MHA_VIZ_VERSION " (kernel %s)",
                                fast_kernel_name(fast)) :
                   "mha-viz " MHA_VIZ_VERSION;
}

static const char *command_text(struct arena *a, const struct cmd *c, const struct output *o,
                                const char *rest)
{
    bool named = o->format_name != NULL;

    return arena_printf(a, "mha-viz %s%s%s%s%s", c->name, named ? " --format " : "",
                        named ? o->format_name : "", o->provenance ? " --provenance" : "", rest);
}

/* ---- the file of texts ---- */

/* Texts are read from lines, and not from the command line or from arrays. */
static bool is_of_lines(const struct session *s)
{
    return s->input != NULL && s->asked->attention == NULL && s->asked->qkv == NULL &&
           asked_array(s->asked) == NULL && input_name(s->input) != NULL;
}

static const char *file_text(const struct session *s, const struct output *o)
{
    const char *path = s->asked->file != NULL ? s->asked->file : "-";

    return o->metadata == OUTPUT_NAMES ? command_line_path(s->a, path) : path;
}

static const char *hex(struct arena *a, const unsigned char *bytes, int n)
{
    char *text = arena_alloc(a, 2 * (uint64_t)n + 1, 1);

    for (int i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return text;
}

/* As it lies on the disk, also where it is packed. */
static int hash_file(const struct session *s, const char **to, struct err *e)
{
    const char *path = s->asked->file;
    unsigned char digest[SHA256_SIZE];
    struct stat info;
    struct span bytes;

    if (path == NULL || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return 0;
    if (file_map(path, &bytes, e) != 0)
        return -1;
    sha256_of(digest, bytes.data, bytes.size);
    file_unmap(bytes);
    *to = hex(s->a, digest, SHA256_SIZE);
    return 0;
}

/* ---- models ---- */

int provenance_add(struct session *s, const struct session *other, struct err *e)
{
    struct provenance *p = s->provenance;
    struct provenance_model *all;
    uint64_t hash;

    if (p == NULL || other->name == NULL)
        return 0;
    all = arena_grow(s->a, p->models.at, (uint64_t)p->models.n, (uint64_t)p->models.n + 1,
                     sizeof *all);
    p->models.at = all;
    all += p->models.n++;
    if (other->model == NULL) {
        all->name = other->name;
        return 0;
    }
    if (model_hash_data(other->model, s->a, &hash, e) != 0)
        return -1;
    *all = (struct provenance_model){ other->model->name, other->model->family->name,
                                      arena_printf(s->a, "%016" PRIx64, hash) };
    return 0;
}

/* ---- the run ---- */

/* Tables, CSV, terminals and npy have no place for it; TSV where it is asked for. */
static bool has_place(const struct output *o)
{
    return o->format == OUTPUT_TSV ? o->provenance :
           o->format != OUTPUT_TABLE && o->format != OUTPUT_CSV &&
               o->format != OUTPUT_TERMINAL && o->format != OUTPUT_NPY;
}

int provenance_open(struct session *s, const struct output *o, const struct output *picture,
                    struct err *e)
{
    struct provenance *p;

    if (s->env->cmd == NULL || o->metadata == OUTPUT_NO_METADATA ||
        !(has_place(o) || (picture != NULL && has_place(picture))))
        return 0;
    p = arena_alloc(s->a, 1, sizeof *p);
    p->program = program_text(s);
    p->rest = command_line_rest(s->a, s->env->cmd, s->env->argc, s->env->argv,
                                o->metadata == OUTPUT_NAMES);
    p->command = command_text(s->a, s->env->cmd, o, p->rest);
    if (is_of_lines(s)) {
        p->file = file_text(s, o);
        if (hash_file(s, &p->sha256, e) != 0)
            return -1;
    }
    s->provenance = p;
    return provenance_add(s, s, e);
}

const struct provenance *provenance_of(const struct provenance *p, struct arena *a,
                                       const struct item *item)
{
    struct provenance *own;

    if (p == NULL || item == NULL || p->file == NULL)
        return p;
    own = arena_alloc(a, 1, sizeof *own);
    *own = *p;
    own->line = arena_printf(a, "%lld%s", (long long)item->index + 1, item_part(a, item));
    return own;
}

/* ---- as JSON ---- */

char *provenance_json(const struct provenance *p, struct arena *a)
{
    struct memory_file *file = memory_file_new(a);
    char *text;

    record_json(&provenance_record, p, file->file);
    text = memory_file_close(file) == 0 ? arena_strndup(a, file->data, file->size - 1) :
                                          arena_strdup(a, "{}");
    arena_release(a, file);
    return text;
}

void provenance_add_array(struct npz *z, const struct session *s, struct arena *a,
                          const struct item *item)
{
    const struct provenance *p = provenance_of(s->provenance, a, item);

    if (p != NULL)
        npz_add_text(z, "provenance", provenance_json(p, a));
}

/* ---- of parts of a run ---- */

void provenance_put(const struct provenance *p, struct arena *a, json_t *part)
{
    json_t *own = json_put(a, part, "provenance", json_object());

    json_put(a, own, "program", json_shown(a, p->program));
    json_put(a, own, "command", json_shown(a, p->rest));
    if (p->file != NULL)
        json_put(a, own, "file", json_shown(a, p->file));
    if (p->sha256 != NULL)
        json_put(a, own, "sha256", json_string(p->sha256));
}

/* NULL where there is no such string. */
static const char *provenance_member(const json_t *object, const char *name, struct arena *a)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? arena_strdup(a, text) : NULL;
}

static const struct provenance *read_run(const struct job *j, const struct sums *part,
                                         const json_t *own, const char *more)
{
    struct arena *a = j->s.a;
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
    p->command = command_text(a, j->parts->cmd, &j->results.output, p->rest);
    return p;
}

int provenance_read(struct job *j, const struct sums *part, const char *more, struct err *e)
{
    const struct output *o = &j->results.output;
    const json_t *own = json_object_get(part->part, "provenance");

    if (own == NULL || o->metadata == OUTPUT_NO_METADATA || !has_place(o))
        return 0;
    j->results.run = read_run(j, part, own, more);
    if (j->results.run != NULL)
        return 0;
    json_field_wrong("provenance", own, "what --shard writes of its run", e);
    return err_under(e, "%s", part->path);
}
