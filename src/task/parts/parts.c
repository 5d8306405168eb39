/* SPDX-License-Identifier: MIT
 * A job -> a part: the description of its run, and sums; and back to options. */
#include "task/parts/parts.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/json_field.h"
#include "base/utf8.h"
#include "cli/formers.h"
#include "nn/fast.h"
#include "task/common/provenance.h"
#include "task/parts/layers.h"

int parts_choose(struct job *job, const struct parts_kind *kind, bool summary, struct err *e)
{
    const struct shared_args *args = job->args;

    job->parts = kind;
    if (shard_parse(args->asked.shard, &job->shard, e) != 0)
        return -1;
    job->of_many = summary || job->shard.n > 0;
    if (job->shard.n > 0 && args->common.output.format > 0)
        return err_set(e, ERR_USAGE, "--shard writes sums, which have no format: give --format "
                       "to `mha-viz merge`");
    return 0;
}

int parts_open(struct job *job, const struct head_id *heads, int n, struct err *e)
{
    const struct session *s = &job->s;
    const struct shared_args *args = job->args;

    job->heads = heads;
    job->n_heads = n;
    if (s->model == NULL ||
        (job->shard.n == 0 && args->resume == NULL && job->layers == NULL))
        return 0;
    return model_hash_data(s->model, s->a, &job->hash, e);
}

/* ---- members ---- */

json_t *parts_hex(struct arena *a, uint64_t v)
{
    return json_string(arena_printf(a, "%016" PRIx64, v));
}

/* ---- what was asked ---- */

/* Options that change nothing that is summed: where results go, what they say of the run, and
   which model and file these are, for which there are hashes. */
static const char *const without[] = {
    "threads", "output", "format", "json", "tsv", "csv", "metadata", "no-metadata",
    "provenance", "quiet", "verbose", "file", "model", "shard", "summary", "resume",
    "means-out", "yes", "hidden-in", "hidden-out", NULL
};

/* Of any bytes, as a path may be: a string, or what is not UTF-8 as a list of its bytes, for a
 * process that reads it again. */
static json_t *put_word(struct arena *a, const char *word)
{
    size_t n = strlen(word);
    json_t *bytes;

    if (utf8_check(word, n) == n)
        return json_string(word);
    bytes = json_array();
    for (size_t i = 0; i < n; i++)
        json_add(a, bytes, json_integer((unsigned char)word[i]));
    return bytes;
}

static json_t *options(struct arena *a, const struct cmd *cmd, const struct env *env,
                       const char *const *leave_out)
{
    int n;
    const char **word = command_line_words(a, cmd, env->argc, env->argv, leave_out, &n);
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_add(a, list, put_word(a, word[i]));
    return list;
}

/* Of a process that has some of the layers, which are its own. */
static json_t *options_of_layers(struct arena *a, const struct cmd *cmd, const struct env *env)
{
    enum { MOST = sizeof without / sizeof *without };
    const char *all[MOST + 8] = { NULL };
    int n = 0;

    for (int i = 0; without[i] != NULL; i++)
        all[n++] = without[i];
    all[n++] = "layer";
    all[n++] = "head";
    return options(a, cmd, env, all);
}

/* Those that the stream of the layers before brings are this run's, too. */
static json_t *options_of_run(const struct job *job, const struct cmd *cmd)
{
    struct arena *a = job->s.a;
    const json_t *taken;

    if (job->layers == NULL)
        return options(a, cmd, job->s.env, without);
    if (job->s.asked->stream == NULL)
        return options_of_layers(a, cmd, job->s.env);
    taken = json_object_get(job->s.asked->stream->run, "options");
    return json_is_array(taken) ? json_deep_copy(taken) : json_array();
}

/* Files that options name. */
struct files {
    const struct job *j;
    json_t *to;
};

static bool is_without(const char *name)
{
    for (int i = 0; without[i] != NULL; i++)
        if (strcmp(name, without[i]) == 0)
            return true;
    return false;
}

/* By what they hold; one that cannot be read is refused where it is used. */
static void parts_add_file(void *self, const struct opt_group *group, const struct opt *opt)
{
    struct files *files = self;
    const char *path;
    struct span bytes;
    struct err e = { ERR_NONE, "" };

    (void)group;
    if (opt->type != OPT_STRING || opt->values != &opt_files || is_without(opt->name))
        return;
    memcpy(&path, (const char *)files->j->args + opt->field, sizeof path);
    if (path == NULL || file_map(path, &bytes, &e) != 0) {
        arena_pass_over(files->j->s.a, &e);
        return;
    }
    json_put(files->j->s.a, files->to, opt->name,
             parts_hex(files->j->s.a, crc32_z(0, bytes.data, bytes.size)));
    file_unmap(bytes);
}

static json_t *parts_heads(const struct job *job)
{
    struct arena *a = job->s.a;
    json_t *list = json_array();

    for (int i = 0; i < job->n_heads; i++) {
        json_t *head = json_add(a, list, json_array());

        json_add(a, head, json_string(job->heads[i].stack));
        json_add(a, head, json_integer(job->heads[i].layer));
        json_add(a, head, json_integer(job->heads[i].head));
    }
    return list;
}

/* What reports say of the weights, beside the checksum of all of the model. */
const char parts_weights_key[] = "hash of the weights";

static void describe_model(const struct job *job, json_t *run)
{
    const struct session *s = &job->s;
    struct arena *a = s->a;

    json_put(a, run, "model", json_shown(a, s->name));
    json_put(a, run, "family", json_shown(a, s->model != NULL ? s->model->family->name : NULL));
    json_put(a, run, "weights", parts_hex(a, job->hash));
    json_put(a, run, "layers", json_integer(s->n_layers));
    json_put(a, run, "heads of a layer", json_integer(s->n_heads));
    if (job->weights != NULL)
        json_put(a, run, parts_weights_key, json_string(job->weights));
    if (job->layers == NULL)
        json_put(a, run, "heads", parts_heads(job));
}

/* Of a process that has some of the layers: its heads are all that these have. */
static bool has_all_heads(const struct job *job)
{
    int n = 0;

    for (int l = job->layers->first; l < job->layers->end; l++)
        n += model_has_layer(job->s.model, l) ? job->s.n_heads : 0;
    return job->n_heads == n;
}

/* Which layers they are of, where another process has the others. */
static void describe_layers(const struct job *job, json_t *part)
{
    struct arena *a = job->s.a;

    if (job->layers == NULL)
        return;
    json_put(a, part, "heads", parts_heads(job));
    json_put(a, part, "all heads", json_boolean(has_all_heads(job)));
    json_put(a, part, "first layer", json_integer(job->layers->first));
    json_put(a, part, "layers end", json_integer(job->layers->end));
}

void parts_describe(struct job *job, json_t **run, json_t **part)
{
    struct arena *a = job->s.a;
    const struct cmd *cmd = job->parts->cmd;
    struct files files = { .j = job };

    *run = json_hold(a, json_object());
    *part = json_hold(a, json_object());
    json_put(a, *run, "version", json_string(MHA_VIZ_VERSION));
    json_put(a, *run, "kernel", json_string(fast_kernel_name((enum fast)job->s.asked->fast)));
    json_put(a, *run, "command", json_string(cmd->name));
    json_put(a, *run, "options", options_of_run(job, cmd));
    describe_model(job, *run);
    json_put(a, *run, "shards", json_integer(job->shard.n));
    files.to = json_put(a, *run, "files", json_object());
    opts_each(cmd, parts_add_file, &files);
    json_put(a, *part, "shard", json_integer(job->shard.k));
    json_put(a, *part, "unusable", json_integer(parts_texts(job).n_bad));
    describe_layers(job, *part);
    if (job->of_many && job->parts->describe != NULL)
        job->parts->describe(job, *run, *part);
}

struct parts_texts parts_texts(const struct job *job)
{
    if (job->parts->texts != NULL)
        return job->parts->texts(job);
    return (struct parts_texts){ input_count(job->in), input_count_parts(job->in),
                                 input_count_bad(job->in), input_crc(job->in) };
}

/* ---- sums ---- */

static void put_words(struct job *job, struct sums *out)
{
    struct words count = { .n = 0 }, all = { .n = 0 };

    job->parts->words(job, &count);
    all.to = arena_alloc(job->s.a, count.n, sizeof *all.to);
    job->parts->words(job, &all);
    out->word = all.to;
    out->n = count.n;
}

static int parts_add_words(struct job *job, const struct sums *part, struct err *e)
{
    struct words count = { .n = 0 }, all = { .from = part->word };

    job->parts->words(job, &count);
    if (count.n != part->n)
        return err_set(e, ERR_INPUT, "has %" PRIu64 " numbers, expected %" PRIu64 " of its heads",
                       part->n, count.n);
    job->parts->words(job, &all);
    if (all.impossible)
        return err_set(e, ERR_INPUT, "its sums are too large for sums of texts");
    return 0;
}

void parts_put(struct job *job, const json_t *run, const json_t *part, FILE *file)
{
    struct sums sums = { .run = run, .part = part };

    if (job->of_many && job->parts->words != NULL)
        put_words(job, &sums);
    else if (job->of_many)
        job->parts->put(job, &sums);
    sums_write(job->s.a, &sums, file);
}

int parts_add(struct job *job, const struct sums *part, struct err *e)
{
    int n_bad, status;

    if (json_field_int(part->part, "unusable", 0, INT32_MAX, &n_bad, e) != 0)
        return err_under(e, "%s", part->path);
    status = job->parts->add != NULL ? job->parts->add(job, part, e) : 0;
    if (status == 0 && job->parts->words != NULL)
        status = parts_add_words(job, part, e);
    job->n_bad += n_bad;
    return status == 0 ? 0 : err_under(e, "%s", part->path);
}

void parts_write(struct job *job, FILE *file)
{
    struct arena *a = job->s.a;
    struct parts_texts texts = parts_texts(job);
    json_t *run, *part;

    parts_describe(job, &run, &part);
    json_put(a, run, "texts", json_integer(texts.n));
    json_put(a, run, "checksum of the texts", parts_hex(a, texts.crc));
    if (job->s.provenance != NULL)
        provenance_put(job->s.provenance, a, part);
    parts_put(job, run, part, file);
}

/* ---- the command line that the parts have in common ---- */

/* As put_word wrote it; NULL: an error. */
static char *read_word(struct arena *a, const json_t *value, struct err *e)
{
    size_t n = json_array_size(value);
    char *word;
    int byte;

    if (json_is_string(value))
        return arena_strdup(a, json_string_value(value));
    if (n == 0) {
        json_field_wrong("options", value, "a string, or a list of bytes", e);
        return NULL;
    }
    word = arena_alloc(a, n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        if (json_value_int(json_array_get(value, i), "options", 1, UCHAR_MAX, &byte, e) != 0)
            return NULL;
        word[i] = (char)byte;
    }
    return word;
}

int parts_read_options(const struct cmd *cmd, const json_t *run, struct arena *a, void *args,
                       struct err *e)
{
    const json_t *list;
    char **argv, **operands;
    int n, n_operands, status;

    if (json_field_list(run, "options", &list, e) != 0)
        return -1;
    n = (int)json_array_size(list);
    argv = arena_alloc(a, (uint64_t)n + 2, sizeof *argv);
    argv[0] = arena_strdup(a, cmd->name);
    for (int i = 0; i < n; i++) {
        argv[i + 1] = read_word(a, json_array_get(list, (size_t)i), e);
        if (argv[i + 1] == NULL)
            return -1;
    }
    argv = formers_replace(a, cmd, n + 1, argv, NULL, NULL);      /* of a part of 0.1.0 */
    status = opts_parse(cmd, NULL, n + 1, argv, args, &n_operands, &operands, e);
    if (status == 0 && n_operands == 0)
        return 0;
    if (e->kind == ERR_USAGE)
        e->kind = ERR_INPUT;
    return status < 0 ? err_under(e, "options") :
                        json_field_wrong("options", list, "those of a run over texts", e);
}

int parts_check_options(const struct cmd *cmd, const struct env *env, const json_t *run, bool *none,
                        struct err *e)
{
    struct arena *a = env->arena;
    json_t *own = json_hold(a, options_of_layers(a, cmd, env));
    const json_t *other = json_object_get(run, "options");

    *none = json_array_size(own) == 0;
    if (*none || json_equal(own, other))
        return 0;
    return err_set(e, ERR_USAGE, "--hidden-in: found the options %.150s, expected none but this "
                   "process's own, or those of the stream: %.150s", json_text(a, own),
                   other != NULL ? json_text(a, other) : "none");
}
