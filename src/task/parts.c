/* SPDX-License-Identifier: MIT
 * Sums of a command to and from files: a shard's, and all shards' as one report. */
#include "task/parts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/json_field.h"
#include "base/utf8.h"
#include "task/layers.h"
#include "nn/fast.h"

int parts_choose(struct job *j, const struct parts_kind *kind, bool summary, struct err *e)
{
    const struct shared_args *args = j->args;

    j->parts = kind;
    if (shard_parse(args->asked.shard, &j->shard, e) != 0)
        return -1;
    j->of_many = summary || j->shard.n > 0;
    if (j->shard.n > 0 && args->common.output.format > 0)
        return err_set(e, ERR_USAGE, "--shard writes sums, which have no format: give --format "
                       "to `mha-viz merge`");
    return 0;
}

int parts_open(struct job *j, const struct head_id *heads, int n, struct err *e)
{
    const struct session *s = &j->s;
    const struct shared_args *args = j->args;

    j->heads = heads;
    j->n_heads = n;
    if (s->model == NULL ||
        (j->shard.n == 0 && args->resume == NULL && j->layers == NULL))
        return 0;
    return model_hash_data(s->model, s->a, &j->hash, e);
}

/* ---- members ---- */

json_t *parts_hex(struct arena *a, uint64_t v)
{
    return json_string(arena_printf(a, "%016" PRIx64, v));
}

/* ---- what was asked ---- */

/* Options that change nothing that is summed: where results go, and which model and file these
   are, for which there are hashes. */
static const char *const without[] = {
    "threads", "output", "format", "json", "tsv", "quiet", "verbose", "file", "model", "shard",
    "summary", "resume", "means-out", "yes", "hidden-in", "hidden-out", NULL
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

static json_t *options(struct arena *a, const struct cmd *c, const struct env *env,
                       const char *const *leave_out)
{
    int n;
    const char **word = command_line_words(a, c, env->argc, env->argv, leave_out, &n);
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_add(a, list, put_word(a, word[i]));
    return list;
}

/* Of a process that has some of the layers, which are its own. */
static json_t *options_of_layers(struct arena *a, const struct cmd *c, const struct env *env)
{
    enum { MOST = sizeof without / sizeof *without };
    const char *all[MOST + 8] = { NULL };
    int n = 0;

    for (int i = 0; without[i] != NULL; i++)
        all[n++] = without[i];
    all[n++] = "layer";
    all[n++] = "head";
    return options(a, c, env, all);
}

/* Those that the stream of the layers before brings are this run's, too. */
static json_t *options_of_run(const struct job *j, const struct cmd *c)
{
    struct arena *a = j->s.a;
    const json_t *taken;

    if (j->layers == NULL)
        return options(a, c, j->s.env, without);
    if (j->s.asked->stream == NULL)
        return options_of_layers(a, c, j->s.env);
    taken = json_object_get(j->s.asked->stream->run, "options");
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
static void add_file(void *self, const struct opt_group *group, const struct opt *o)
{
    struct files *files = self;
    const char *path;
    struct span bytes;
    struct err e = { ERR_NONE, "" };

    (void)group;
    if (o->type != OPT_STRING || o->values != &opt_files || is_without(o->name))
        return;
    memcpy(&path, (const char *)files->j->args + o->field, sizeof path);
    if (path == NULL || file_map(path, &bytes, &e) != 0) {
        arena_pass_over(files->j->s.a, &e);
        return;
    }
    json_put(files->j->s.a, files->to, o->name,
             parts_hex(files->j->s.a, crc32_z(0, bytes.data, bytes.size)));
    file_unmap(bytes);
}

static json_t *heads(const struct job *j)
{
    struct arena *a = j->s.a;
    json_t *list = json_array();

    for (int i = 0; i < j->n_heads; i++) {
        json_t *head = json_add(a, list, json_array());

        json_add(a, head, json_string(j->heads[i].stack));
        json_add(a, head, json_integer(j->heads[i].layer));
        json_add(a, head, json_integer(j->heads[i].head));
    }
    return list;
}

/* What reports say of the weights, beside the checksum of all of the model. */
static const char weights_key[] = "hash of the weights";

static void describe_model(const struct job *j, json_t *run)
{
    const struct session *s = &j->s;
    struct arena *a = s->a;

    json_put(a, run, "model", json_shown(a, s->name));
    json_put(a, run, "family", json_shown(a, s->model != NULL ? s->model->family->name : NULL));
    json_put(a, run, "weights", parts_hex(a, j->hash));
    json_put(a, run, "layers", json_integer(s->n_layers));
    json_put(a, run, "heads of a layer", json_integer(s->n_heads));
    if (j->weights != NULL)
        json_put(a, run, weights_key, json_string(j->weights));
    if (j->layers == NULL)
        json_put(a, run, "heads", heads(j));
}

/* Which layers they are of, where another process has the others. */
static void describe_layers(const struct job *j, json_t *part)
{
    struct arena *a = j->s.a;

    if (j->layers == NULL)
        return;
    json_put(a, part, "heads", heads(j));
    json_put(a, part, "first layer", json_integer(j->layers->first));
    json_put(a, part, "layers end", json_integer(j->layers->end));
}

void parts_describe(struct job *j, json_t **run, json_t **part)
{
    struct arena *a = j->s.a;
    const struct cmd *cmd = j->parts->cmd;
    struct files files = { .j = j };

    *run = json_hold(a, json_object());
    *part = json_hold(a, json_object());
    json_put(a, *run, "version", json_string(MHA_VIZ_VERSION));
    json_put(a, *run, "kernel", json_string(fast_kernel_name((enum fast)j->s.asked->fast)));
    json_put(a, *run, "command", json_string(cmd->name));
    json_put(a, *run, "options", options_of_run(j, cmd));
    describe_model(j, *run);
    json_put(a, *run, "shards", json_integer(j->shard.n));
    files.to = json_put(a, *run, "files", json_object());
    opts_each(cmd, add_file, &files);
    json_put(a, *part, "shard", json_integer(j->shard.k));
    json_put(a, *part, "unusable", json_integer(parts_texts(j).n_bad));
    describe_layers(j, *part);
    if (j->of_many && j->parts->describe != NULL)
        j->parts->describe(j, *run, *part);
}

struct parts_texts parts_texts(const struct job *j)
{
    if (j->parts->texts != NULL)
        return j->parts->texts(j);
    return (struct parts_texts){ input_count(j->in), input_count_parts(j->in),
                                 input_count_bad(j->in), input_crc(j->in) };
}

/* ---- sums ---- */

static void put_words(struct job *j, struct sums *out)
{
    struct words count = { .n = 0 }, all = { .n = 0 };

    j->parts->words(j, &count);
    all.to = arena_alloc(j->s.a, count.n, sizeof *all.to);
    j->parts->words(j, &all);
    out->word = all.to;
    out->n = count.n;
}

static int add_words(struct job *j, const struct sums *part, struct err *e)
{
    struct words count = { .n = 0 }, all = { .from = part->word };

    j->parts->words(j, &count);
    if (count.n != part->n)
        return err_set(e, ERR_INPUT, "has %" PRIu64 " numbers, expected %" PRIu64 " of its heads",
                       part->n, count.n);
    j->parts->words(j, &all);
    if (all.impossible)
        return err_set(e, ERR_INPUT, "its sums are too large for sums of texts");
    return 0;
}

void parts_put(struct job *j, const json_t *run, const json_t *part, FILE *f)
{
    struct sums sums = { .run = run, .part = part };

    if (j->of_many && j->parts->words != NULL)
        put_words(j, &sums);
    else if (j->of_many)
        j->parts->put(j, &sums);
    sums_write(j->s.a, &sums, f);
}

int parts_add(struct job *j, const struct sums *part, struct err *e)
{
    int n_bad, status;

    if (json_field_int(part->part, "unusable", 0, INT32_MAX, &n_bad, e) != 0)
        return err_under(e, "%s", part->path);
    status = j->parts->add != NULL ? j->parts->add(j, part, e) : 0;
    if (status == 0 && j->parts->words != NULL)
        status = add_words(j, part, e);
    j->n_bad += n_bad;
    return status == 0 ? 0 : err_under(e, "%s", part->path);
}

void parts_write(struct job *j, FILE *f)
{
    struct arena *a = j->s.a;
    struct parts_texts texts = parts_texts(j);
    json_t *run, *part;

    parts_describe(j, &run, &part);
    json_put(a, run, "texts", json_integer(texts.n));
    json_put(a, run, "checksum of the texts", parts_hex(a, texts.crc));
    parts_put(j, run, part, f);
}

/* ---- the command line that the parts have in common ---- */

enum { MOST_HEADS = 1 << 16, MOST_LAYERS = 1 << 20 };

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

int parts_read_options(const struct cmd *c, const json_t *run, struct arena *a, void *args,
                       struct err *e)
{
    const json_t *list;
    char **argv, **operands;
    int n, n_operands, status;

    if (json_field_list(run, "options", &list, e) != 0)
        return -1;
    n = (int)json_array_size(list);
    argv = arena_alloc(a, (uint64_t)n + 2, sizeof *argv);
    argv[0] = arena_strdup(a, c->name);
    for (int i = 0; i < n; i++) {
        argv[i + 1] = read_word(a, json_array_get(list, (size_t)i), e);
        if (argv[i + 1] == NULL)
            return -1;
    }
    status = opts_parse(c, n + 1, argv, args, &n_operands, &operands, e);
    if (status == 0 && n_operands == 0)
        return 0;
    if (e->kind == ERR_USAGE)
        e->kind = ERR_INPUT;
    return status < 0 ? err_under(e, "options") :
                        json_field_wrong("options", list, "those of a run over texts", e);
}

int parts_check_options(const struct cmd *c, const struct env *env, const json_t *run, bool *none,
                        struct err *e)
{
    struct arena *a = env->arena;
    json_t *own = json_hold(a, options_of_layers(a, c, env));
    const json_t *other = json_object_get(run, "options");

    *none = json_array_size(own) == 0;
    if (*none || json_equal(own, other))
        return 0;
    return err_set(e, ERR_USAGE, "--hidden-in: found the options %.150s, expected none but this "
                   "process's own, or those of the stream: %.150s", json_text(a, own),
                   other != NULL ? json_text(a, other) : "none");
}

/* ---- its model ---- */

static enum stack_id stack_of(const char *name)
{
    int i = 0;

    while (i < N_STACK && (name == NULL || strcmp(name, family_stack_names[i]) != 0))
        i++;
    return (enum stack_id)i;
}

static int read_head(const struct session *s, const json_t *value, struct head_id *out,
                     struct err *e)
{
    enum stack_id stack = stack_of(json_string_value(json_array_get(value, 0)));

    if (stack == N_STACK)
        return json_field_wrong("heads", value, "stack, layer and head", e);
    out->stack = family_stack_names[stack];
    if (json_value_int(json_array_get(value, 1), "heads", 0, s->n_layers - 1, &out->layer, e) != 0)
        return -1;
    return json_value_int(json_array_get(value, 2), "heads", 0, s->n_heads - 1, &out->head, e);
}

static int read_heads(struct job *j, const struct sums *part, struct err *e)
{
    const json_t *list;
    struct head_id *head;

    if (json_field_list(part->run, "heads", &list, e) != 0)
        return -1;
    if (json_array_size(list) > MOST_HEADS)
        return err_set(e, ERR_INPUT, "heads: found %zu, expected at most %d",
                       json_array_size(list), MOST_HEADS);
    j->n_heads = (int)json_array_size(list);
    head = arena_alloc(j->s.a, (uint64_t)j->n_heads, sizeof *head);
    for (int i = 0; i < j->n_heads; i++)
        if (read_head(&j->s, json_array_get(list, (size_t)i), &head[i], e) != 0)
            return -1;
    j->heads = head;
    return 0;
}

/* Its heads alone are wanted. */
static void want_heads(struct job *j)
{
    const struct session *s = &j->s;
    bool *layer = arena_alloc(s->a, (uint64_t)s->n_layers, sizeof *layer);
    bool *head = arena_alloc(s->a, (uint64_t)s->n_layers * (uint64_t)s->n_heads, sizeof *head);

    for (int i = 0; i < j->n_heads; i++) {
        layer[j->heads[i].layer] = true;
        head[j->heads[i].layer * s->n_heads + j->heads[i].head] = true;
    }
    j->want = (struct wanted){ .layer = layer, .head = head, .head_stride = s->n_heads };
}

/* Of commands that say them. */
static int read_weights(struct job *j, const struct sums *part, struct err *e)
{
    const char *text;
    size_t n;

    if (json_object_get(part->run, weights_key) == NULL)
        return 0;
    if (json_field_text(part->run, weights_key, &text, &n, e) != 0)
        return -1;
    j->weights = arena_strndup(j->s.a, text, n);
    return 0;
}

/* Of the model no more is known than what reports say of it. */
static int open_model(struct job *j, const struct sums *part, struct err *e)
{
    struct session *s = &j->s;
    const char *family = json_string_value(json_object_get(part->run, "family"));
    struct model *m = arena_alloc(s->a, 1, sizeof *m);
    struct family *f = arena_alloc(s->a, 1, sizeof *f);
    const char *name;
    size_t size;

    if (json_field_text(part->run, "model", &name, &size, e) != 0 ||
        json_field_int(part->run, "layers", 0, MOST_LAYERS, &s->n_layers, e) != 0 ||
        json_field_int(part->run, "heads of a layer", 0, MOST_HEADS, &s->n_heads, e) != 0 ||
        read_weights(j, part, e) != 0)
        return -1;
    if ((int64_t)s->n_layers * s->n_heads > MOST_HEADS)
        return err_set(e, ERR_INPUT, "layers: found %d of %d heads each, expected at most %d in "
                       "all", s->n_layers, s->n_heads, MOST_HEADS);
    if (read_heads(j, part, e) != 0)
        return -1;
    s->name = arena_strdup(s->a, name);
    *f = (struct family){ .name = family != NULL ? arena_strdup(s->a, family) : NULL };
    *m = (struct model){ .name = s->name, .family = f };
    m->config.n_layers = s->n_layers;
    m->config.n_heads = s->n_heads;
    s->model = s->shown = m;
    s->stack = stack_of(j->n_heads > 0 ? j->heads[0].stack : NULL);
    want_heads(j);
    return 0;
}

/* ---- merge ---- */

static int open_job(struct job *j, const struct sums *part, struct err *e)
{
    if (open_model(j, part, e) == 0 && j->parts->open(j, part, e) == 0)
        return 0;
    if (e->kind == ERR_USAGE)
        e->kind = ERR_INPUT;
    return err_under(e, "%s", part->path);
}

/* a: of what is read again. */
static int add_part(struct job *j, const struct sums *part, struct arena *a, struct err *e)
{
    struct arena_mark mark = arena_mark(a);
    struct sums again = *part;
    int status = part->run == NULL ? sums_read_again(a, part, &again, e) : 0;

    if (status == 0)
        status = parts_add(j, &again, e);
    arena_reset(a, mark);
    return status;
}

static int report_parts(struct job *j, const struct sums *first, const struct sums *part, int n,
                        struct err *e)
{
    struct arena *again = arena_child(j->s.a);

    if (open_job(j, first, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (add_part(j, &part[i], again, e) != 0)
            return -1;
    if (results_open(&j->results, j->record, NULL, e) != 0)
        return -1;
    j->parts->report(j);
    return results_close(&j->results, NULL, 0, e);
}

/* ---- merge of layers ---- */

static bool is_of_layers(const struct sums *part)
{
    return json_object_get(part->part, "first layer") != NULL;
}

/* The layers that a process had: first to end - 1. */
struct ran {
    int first, end;
};

static int read_ran(const struct sums *part, struct ran *out, struct err *e)
{
    int n;

    if (json_field_int(part->run, "layers", 1, MOST_LAYERS, &n, e) != 0 ||
        json_field_int(part->part, "first layer", 0, n - 1, &out->first, e) != 0 ||
        json_field_int(part->part, "layers end", out->first + 1, n, &out->end, e) != 0)
        return err_under(e, "%s", part->path);
    return 0;
}

static int by_layer(const void *x, const void *y)
{
    struct ran first = { 0, 0 }, second = { 0, 0 };
    struct err e;

    read_ran(x, &first, &e);
    read_ran(y, &second, &e);
    return (first.first > second.first) - (first.first < second.first);
}

static int missing(int first, int end, struct err *e)
{
    if (end == first + 1)
        return err_set(e, ERR_INPUT, "the part of layer %d is missing", first);
    return err_set(e, ERR_INPUT, "the part of layers %d to %d is missing", first, end - 1);
}

/* Each layer was in one of the processes. */
static int check_layers(const struct sums *part, int n, struct err *e)
{
    int at = 0, n_layers;
    struct ran ran;

    for (int i = 0; i < n; i++, at = ran.end) {
        if (read_ran(&part[i], &ran, e) != 0)
            return -1;
        if (ran.first > at)
            return missing(at, ran.first, e);
        if (ran.first < at)
            return err_set(e, ERR_INPUT, "%s: has layers %d to %d, of which %s has some: expected "
                           "each once", part[i].path, ran.first, ran.end - 1, part[i - 1].path);
    }
    if (json_field_int(part[0].run, "layers", at, MOST_LAYERS, &n_layers, e) != 0)
        return err_under(e, "%s", part[0].path);
    return at == n_layers ? 0 : missing(at, n_layers, e);
}

/* The part, as if its run were of these heads alone. */
static struct sums with_heads(struct arena *a, const struct sums *part, const json_t *heads)
{
    struct sums with = *part;
    json_t *run = json_hold(a, json_object());

    json_put_all(a, run, part->run);
    json_put(a, run, "heads", json_deep_copy(heads));
    with.run = run;
    return with;
}

/* Their heads, one part's after another's. */
static int all_heads(struct arena *a, const struct sums *part, int n, const json_t **out,
                     struct err *e)
{
    json_t *all = json_hold(a, json_array());

    *out = all;
    for (int i = 0; i < n; i++) {
        const json_t *list;

        if (json_field_list(part[i].part, "heads", &list, e) != 0)
            return err_under(e, "%s", part[i].path);
        for (size_t k = 0; k < json_array_size(list); k++)
            json_add(a, all, json_deep_copy(json_array_get(list, k)));
    }
    return 0;
}

static int check_heads(const struct job *j, const struct sums *part, struct err *e)
{
    struct ran ran;

    if (read_ran(part, &ran, e) != 0)
        return -1;
    for (int i = 0; i < j->n_heads; i++)
        if (j->heads[i].layer < ran.first || j->heads[i].layer >= ran.end)
            return err_set(e, ERR_INPUT, "%s: heads: found one of layer %d, expected layers %d to "
                           "%d", part->path, j->heads[i].layer, ran.first, ran.end - 1);
    return 0;
}

/* What one process summed, by itself: *heads of the whole are its. */
static int place_part(struct job *whole, const struct sums *part, int *n_heads, struct err *e)
{
    struct job *j = arena_alloc(whole->s.a, 1, whole->parts->job_size);
    const json_t *list;
    struct sums own;

    *j = (struct job){ .args = whole->args, .parts = whole->parts, .of_many = true };
    j->s = (struct session){ .asked = whole->s.asked, .env = whole->s.env, .a = whole->s.a };
    j->results.output = whole->results.output;
    if (json_field_list(part->part, "heads", &list, e) != 0)
        return err_under(e, "%s", part->path);
    if (list == NULL) {
        json_field_wrong("heads", NULL, "a list", e);
        return err_under(e, "%s", part->path);
    }
    own = with_heads(j->s.a, part, list);
    if (open_job(j, &own, e) != 0 || check_heads(j, part, e) != 0 || parts_add(j, &own, e) != 0)
        return -1;
    if (whole->parts->place(whole, j, *n_heads, e) != 0)
        return err_under(e, "%s", part->path);
    *n_heads += j->n_heads;
    whole->n_bad = j->n_bad;
    return 0;
}

static int report_layers(struct job *j, const struct sums *part, int n, struct err *e)
{
    struct arena *a = j->s.a;
    struct sums *sorted = arena_alloc(a, (uint64_t)n, sizeof *sorted), whole;
    const json_t *heads;
    int n_heads = 0;

    if (j->parts->place == NULL)
        return err_set(e, ERR_INPUT, "%s: is of some of the layers, of which %s has no parts",
                       part[0].path, j->parts->cmd->name);
    memcpy(sorted, part, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_layer);
    if (check_layers(sorted, n, e) != 0 || all_heads(a, sorted, n, &heads, e) != 0)
        return -1;
    whole = with_heads(a, &sorted[0], heads);
    if (open_job(j, &whole, e) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (place_part(j, &sorted[i], &n_heads, e) != 0)
            return -1;
    if (results_open(&j->results, j->record, NULL, e) != 0)
        return -1;
    j->parts->report(j);
    return results_close(&j->results, NULL, 0, e);
}

int parts_report(const struct parts_kind *kind, const struct common_args *common,
                 const struct sums *first, const struct sums *part, int n, const struct env *env,
                 struct err *e)
{
    struct arena *a = env->arena;
    struct shared_args *args = arena_alloc(a, 1, kind->cmd->args_size);
    struct job *j = arena_alloc(a, 1, kind->job_size);

    *j = (struct job){ .args = args, .parts = kind, .of_many = true };
    j->s = (struct session){ .asked = &args->asked, .env = env, .a = a };
    if (output_plan(&j->results.output, &common->output, &output_reports, NULL, a, e) != 0)
        return -1;
    if (parts_read_options(kind->cmd, first->run, a, args, e) != 0)
        return err_under(e, "%s", first->path);
    return is_of_layers(first) ? report_layers(j, part, n, e) :
                                 report_parts(j, first, part, n, e);
}
