/* SPDX-License-Identifier: MIT
 * report: the heads of texts as one interactive page. */
#include "task/report/report.h"

#include "task/common/provenance.h"
#include "task/types/file.h"

static const char *const precisions[] = { "8", "16", "f16", "q8_0", NULL };
enum { BITS_16 = 1, HOLDS_F16 };        /* of precisions; what follows are weights_held's */
static const char *const neurons[] = { "auto", "always", "never", NULL };
enum { VECTORS_BYTES = 2 << 20 };       /* of a page, with --neuron auto */
static const struct opt_values metric_values = { .words = metric_words, .between = ',' };

#define F(f) offsetof(struct report_args, f)
static const struct opt opts[] = {
    LIST('m', "model", "PATH|NAME", F(models), &model_values,
         "folder, file or name of a model; given twice: compare the two models"),
    FLAG(0, "compare", F(compare), "compare TEXT and TEXT_B instead of pairing them"),
    FLAG(0, "live", F(live),
         "put the model into the page, which then shows any text that is typed there",
         .excludes = "compare: a live page puts two texts beside each other by itself; "
                     "attention|qkv|input|audio|ids|decoder-ids: a page that is typed into is of "
                     "texts; mask|boxes: that is of one text, and others are typed; "
                     "ablate|rotations: a live page has the model's files and no other"),
    CHOICE(0, "page-precision", "NAME", F(precision), "8", precisions,
           "bits per weight; with --live, the model's number format"),
    WORDS(0, "metric", "LIST", F(metric), &metric_values,
          "metrics of the table: basic (default), all, a group, or names separated by commas"),
    CHOICE(0, "neuron", "WHEN", F(neuron), "auto", neurons,
           "include queries and keys; auto: up to 2 MiB of them"),
    LIST(0, "types", "FILE", F(types), &opt_files,
         "types of heads, from types --json; none: no types"),
    LIST(0, "ablate", "FILE", F(ablates), &opt_files,
         "what heads are worth, from ablate --json"),
    INT(0, "max-size", "MIB", F(max_size), "256", 1, 4096,
        "most memory of a page in a browser"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_page.group, &weight_group, &shard_group, &layer_group, &rows_group,
    &seed_group, &attention_group, &qkv_group, &text_group, &select_group, &generate_group,
    &mask_group, &dtype_group, NULL
};

static const char *const examples[] = {
    "mha-viz report",
    "mha-viz report -o cat.html 'the cat saw the dog and the cat ran'",
    "mha-viz report --compare -o two.html 'a cat saw the dog' 'the dog saw a cat'",
    "mha-viz report --page-precision 16 -f samples/chinese.txt -o chinese.html",
    NULL
};

/* ---- one text ---- */

/* A layer of weights is there: the largest of each row, the codes head by head, which keys are
   seen. */
static void ready(void *self, const struct codes_layer *layer)
{
    struct report_job *j = self;
    size_t n_rows = (size_t)layer->n_heads * (size_t)layer->n_queries;
    size_t head_bytes = layer->n_codes / (size_t)layer->n_heads * (size_t)j->bits / 8;
    struct pack_part *part = arena_alloc(j->packed, (uint64_t)layer->n_heads + 2, sizeof *part);
    int n = 0;

    if (j->look.layer != layer->layer)
        j->look = (struct report_look){ .layer = -1 };
    part[n++] = (struct pack_part){ layer->max, n_rows * sizeof *layer->max };
    for (int h = 0; h < layer->n_heads; h++)
        part[n++] = (struct pack_part){ (const char *)layer->code + (size_t)h * head_bytes,
                                        head_bytes };
    part[n++] = (struct pack_part){ j->look.seen, (size_t)j->look.n_seen * j->look.seen_bytes };
    j->block[j->n_blocks++] = (struct report_block){
        layer->layer, layer->triangle, pack_parts(j->packed, part, n, j->job.s.par), j->look };
}

static size_t picture_bytes(const struct pixels *seen)
{
    return (size_t)seen->width * (size_t)seen->height * 3;
}

static const char *size_text(struct arena *a, const struct report_job *job,
                             const struct codes_shape *shape)
{
    return arena_printf(a, "%d head%s x %d x %d tokens", job->n_heads, job->n_heads == 1 ? "" : "s",
                        shape->n_queries, shape->n_keys);
}

/* Queries and keys count where they are asked for, and with auto as long as there is room. */
static uint64_t report_take_vectors(struct report_job *job, uint64_t left,
                                    const struct codes_shape *shape)
{
    uint64_t size = report_vectors_bytes(job, shape->n_queries, shape->n_keys);
    bool small = size <= left && job->vectors_size + size <= VECTORS_BYTES;

    job->has_vectors = job->args->neuron == NEURON_ALWAYS ||
                       (job->args->neuron == NEURON_AUTO && small);
    if (!job->has_vectors)
        return 0;
    job->vectors_size += size;
    return size;
}

/* What a browser would have to unpack. */
static int report_check_size(struct report_job *job, struct arena *a, const struct item *item,
                             const struct codes_shape *shape, struct err *e)
{
    uint64_t most = (uint64_t)job->args->max_size << 20;

    for (int i = 0; i < job->n_heads; i++)
        job->size += codes_layer_bytes(shape, 1);
    if (item->seen != NULL)
        job->size += picture_bytes(item->seen);
    job->size += report_take_vectors(job, job->size < most ? most - job->size : 0, shape);
    if (job->size <= most)
        return 0;
    return err_set(e, ERR_USAGE, "text %lld: %s: the page would hold %s of weights%s, more than "
                   "--max-size %d MiB; --layer, --head, --truncate or fewer texts make it smaller",
                   (long long)item->index + 1, size_text(a, job, shape), report_bytes(a, job->size),
                   job->has_vectors ? ", queries and keys (--neuron)" : "", job->args->max_size);
}

/* Where two are compared, the first text opens the page. */
static int report_begin_page(struct report_job *job, struct arena *a, const struct item *item,
                             struct err *e)
{
    struct report_job *first = job->first;
    struct results *results = &first->job.results;

    if (results->output.folder && job->args->live)
        return err_set(e, ERR_USAGE, "%s: expected a file: --live is one page",
                       results->output.path);
    if (results->output.folder && job->side >= 0)
        return err_set(e, ERR_USAGE, "%s: expected a file: what is compared is one page",
                       results->output.path);
    if (!first->is_open &&
        results_open(results, records_without_part(&first->job.s, NULL), first->job.in, e) != 0)
        return -1;
    first->is_open = true;
    return results_begin(results, a, item, e);
}

static void write_picture(FILE *file, struct report_job *job, int number, const struct pixels *seen)
{
    struct packed packed;

    pack_begin(job->words, job->packed);
    pack_add(job->words, seen->rgb, picture_bytes(seen));
    packed = pack_end(job->words);
    page_picture(file, number, &packed);
}

/* The page that the text is the first of begins with it. */
static int report_write_text(struct report_job *job, struct arena *a, const struct item *item,
                             const struct packed *text, struct err *e)
{
    FILE *f = job->first->job.results.report.file;
    bool alone = job->job.results.output.folder;
    int number = alone ? 0 : job->n_texts;

    if (number == 0)
        page_begin(f, job->job.s.name, job->args->live,
                   provenance_of(job->first->job.s.provenance, a, alone ? item : NULL), a);
    page_text(f, number, text);
    for (int i = 0; i < job->n_blocks; i++)
        page_weights(f, number, i, &job->block[i].bytes);
    for (int i = 0; i < job->n_blocks; i++)
        if (job->block[i].look.has_vectors)
            page_vectors(f, number, i, &job->block[i].look.vectors);
    if (item->seen != NULL)
        write_picture(f, job, number, item->seen);
    job->n_texts++;
    return number == 0 && job->args->live ? report_live(f, job, item, e) : 0;
}

static int report_run_text(struct report_job *job, struct arena *a, const struct item *item,
                           struct packed *packed, struct err *e)
{
    const struct config *config = &job->job.s.shown->config;
    const struct codes_shape shape = {
        job->bits, config->n_layers, config->n_heads,
        session_queries(&job->job.s, item)->n, session_keys(&job->job.s, item)->n
    };
    struct attended attended = job_pack(&job->job, a, item, 1);
    struct sink sinks[STATS_SINKS + 1];
    struct stats *stats;
    struct codes *codes;
    struct tap tap;
    int n;

    if (report_check_size(job, a, item, &shape, e) != 0)
        return -1;
    stats = stats_new(a, job->job.s.shown, &attended, &job->job.want, &job->set);
    codes = codes_new(a, &shape, job->place, ready, job);
    job->stats_tap = stats_tap(stats);
    tap = report_tap(job);
    job->job.want.tap = &tap;
    n = stats_sinks(stats, sinks);
    sinks[n++] = codes_sink(codes);
    if (job_forward(&job->job, a, sinks, n, e) != 0)
        return -1;
    return report_text(job, a, item, stats, codes_error(codes), packed, e);
}

static int report_take_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct report_job *j = self;
    struct arena_mark mark = arena_mark(j->packed);
    struct packed packed;
    int status;

    j->n_blocks = 0;
    if (j->job.results.output.folder)
        j->size = j->vectors_size = 0;
    status = report_run_text(j, a, item, &packed, e);
    if (status == 0)
        status = report_begin_page(j, a, item, e);
    if (status == 0)
        status = report_write_text(j, a, item, &packed, e);
    arena_reset(j->packed, mark);
    return status == 0 ? results_end(&j->first->job.results, e) : -1;
}

/* ---- the command ---- */

static int report_check(void *self, struct err *e)
{
    static const char why[] = "a page has numbers";
    struct report_job *j = self;

    if (j->args->metric == NULL)
        j->choice = metric_choice_basic();
    else if (metric_choice_add(&j->choice, j->args->metric, e) != 0)
        return err_under(e, "--metric");
    if (metric_choice_drop(&j->choice, METRIC_LIST, why, e) != 0 ||
        metric_choice_drop(&j->choice, METRIC_WORD, why, e) != 0 ||
        metric_choice_drop(&j->choice, METRIC_MAP, why, e) != 0)
        return err_under(e, "--metric");
    j->set.metric = metric_choice_list(&j->choice, j->job.s.a, &j->set.n);
    if (j->args->neuron == NEURON_ALWAYS && j->job.s.asked->attention != NULL)
        return err_set(e, ERR_USAGE, "--neuron always: %s has weights, not queries and keys",
                       j->job.s.asked->attention);
    return 0;
}

/* Where each head that is shown stands among those of its layer. */
static void report_set_places(struct report_job *job)
{
    const struct session *s = &job->job.s;
    int L = s->shown->config.n_layers, H = s->shown->config.n_heads;

    job->head = records_heads(s, &job->job.want, s->a, &job->n_heads);
    job->place = arena_alloc(s->a, (uint64_t)L * (uint64_t)H, sizeof *job->place);
    for (int i = 0; i < L * H; i++)
        job->place[i] = -1;
    for (int i = 0, n = 0; i < job->n_heads; i++) {
        n = i > 0 && job->head[i].layer == job->head[i - 1].layer ? n + 1 : 0;
        job->place[job->head[i].layer * H + job->head[i].head] = n;
    }
    job->block = arena_alloc(s->a, (uint64_t)L, sizeof *job->block);
}

static int report_prepare(void *self, struct err *e)
{
    struct report_job *j = self;
    const struct session *s = &j->job.s;

    j->bits = j->args->precision == BITS_16 ? 16 : 8;
    if (j->args->metric == NULL && session_has_sinks(s, &j->job.want)) {
        j->choice.wanted[METRIC_null_mass] = true;      /* what rows lack to 1 */
        j->set.metric = metric_choice_list(&j->choice, s->a, &j->set.n);
    }
    j->set.progress = par_progress(s->par);
    report_set_places(j);
    j->packed = arena_child(s->a);
    j->words = pack_new(j->packed, PACK_WORDS);
    j->codes = pack_new(j->packed, PACK_CODES);
    if (j->side == 1 && report_go_on(j, e) != 0)
        return -1;
    if (j->args->ablate != NULL && report_ablate(j, j->args->ablate, e) != 0)
        return -1;
    return types_file_labels(s, j->args->shared.types, &j->type, e);
}

const struct job_kind report_kind = { .outputs = &output_page, .name = "report",
                                     .check = report_check, .prepare = report_prepare,
                                     .text = report_take_text };

struct report_args report_with_words(const struct report_args *args)
{
    struct report_args with_words = *args;
    struct asked *asked = &with_words.shared.asked;

    asked->word_ids = asked->ids == NULL && asked_array(asked) == NULL &&
        asked->attention == NULL &&
                      asked->qkv == NULL && !asked->pretokenized;
    asked->lenient_words = true;
    if (args->precision >= HOLDS_F16)
        asked->held = args->precision - HOLDS_F16 + HELD_F16;
    asked->model = with_words.models.n > 0 ? with_words.models.item[0] : NULL;
    with_words.shared.types = with_words.types.n > 0 ? with_words.types.item[0] : NULL;
    with_words.ablate = with_words.ablates.n > 0 ? with_words.ablates.item[0] : NULL;
    return with_words;
}

extern const struct cmd cmd_report;

static int report_run(const void *args, int n_operands, char **operands, const struct env *env,
                      struct err *e)
{
    const struct report_args with_words = report_with_words(args);
    struct report_job j = { .job = { &with_words, n_operands, operands }, .args = &with_words,
                            .command = &cmd_report, .first = &j, .is_open = true, .side = -1 };

    if (with_words.models.n < 2 && (with_words.types.n > 1 || with_words.ablates.n > 1))
        return err_set(e, ERR_USAGE, "%s: given twice, expected once, or two of -m",
                       with_words.types.n > 1 ? "--types" : "--ablate");
    if (with_words.live && report_live_check(&with_words, e) != 0)
        return -1;
    if (!with_words.live && with_words.precision >= HOLDS_F16)
        return err_set(e, ERR_USAGE, "--page-precision %s: the model's weights are in a page of "
                       "--live alone", precisions[with_words.precision]);
    if (with_words.models.n == 2 || with_words.compare)
        return report_two(&report_kind, &with_words, n_operands, operands, env, e);
    if (job_run(&j.job, &report_kind, env, e) != 0)
        return -1;
    output_tell(&j.job.results.output, &j.args->shared.common.output,
                j.job.results.output.path);
    return 0;
}

const struct cmd cmd_report = {
    .name = "report", .summary = "write an interactive page of all heads in one HTML file",
    .operands = "[TEXT [TEXT_B]]", .opts = opts, .groups = groups,
    .args_size = sizeof(struct report_args), .examples = examples,
    .max_operands = 2, .run = report_run,
};
